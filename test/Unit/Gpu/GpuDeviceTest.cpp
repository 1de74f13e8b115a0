//===- GpuDeviceTest.cpp - Programs of GPUs, executed ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestProgram.h"

#include "Runtime/Devices/Gpu/Vulkan/GpuBuffer.h"
#include "Runtime/Devices/Gpu/Vulkan/Kernels.h"
#include "Runtime/Devices/Gpu/Vulkan/Upload.h"
#include "Runtime/Devices/Gpu/Vulkan/VulkanDriver.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/Trace.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

std::unique_ptr<Device> makeDevice(GpuCompiler compiler = noCompiler()) {
  return createDevice(createGpuBackend(vulkan::createDriver(testEngine()),
                                       std::move(compiler)));
}

Result<PreparedModelRef> prepare(std::span<const std::byte> modelCache) {
  return makeDevice()->prepareModelFromArtifact(modelCache,
                                                Memory::copy(constantsOf()));
}

Result<PreparedModelRef> prepare(const GpuProgram &program) {
  return prepare(modelCacheOf(program));
}

TEST(GpuDeviceTest, Identity) {
  NNHAL_NEEDS_VULKAN();
  auto device = makeDevice();
  EXPECT_EQ(device->name(), "nnhal-vulkan");
  EXPECT_EQ(toString(device->type()), "GPU");
  EXPECT_TRUE(device->traits().compiles);
  EXPECT_NE(testEngine()->description().find("Vulkan 1."), std::string::npos);
}

TEST(GpuDeviceTest, IsUnderTheValidationLayer) {
  NNHAL_NEEDS_VULKAN();
  if (!std::getenv("NNHAL_EXPECT_VALIDATION"))
    GTEST_SKIP() << "NNHalGpuTestsValidated runs under the layer";
  std::ifstream maps("/proc/self/maps");
  std::string text(std::istreambuf_iterator<char>(maps), {});
  EXPECT_NE(text.find("libVkLayer_khronos_validation"), std::string::npos);
}

TEST(GpuDeviceTest, Executes) {
  NNHAL_NEEDS_VULKAN();
  auto model = prepare(scaleProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->memoryUse().arena, 64 + bytesOfX);
  ScaleCaller caller;
  caller.request.measureTiming = true;
  for (int round = 0; round < 3; ++round) {
    caller.x[0] = float(100 + round);
    Status status = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(caller.isCorrect());
    EXPECT_EQ(caller.result.outputShapes[0].dimensions,
              std::vector<uint32_t>{elementCount});
    // Memory of the caller is copied: x, index and y.
    EXPECT_EQ(caller.result.copiedBytes, 2 * bytesOfX + 4);
    EXPECT_NE(caller.result.timing.timeOnDevice, noTiming);
    EXPECT_LE(caller.result.timing.timeOnDevice,
              caller.result.timing.timeInDriver);
  }
}

// The module of a program without kernels has no entry points.
TEST(GpuDeviceTest, ExecutesCopiesAlone) {
  NNHAL_NEEDS_VULKAN();
  auto model = prepare(copyProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  Status status = (*model)->execute(caller.request, caller.result);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(std::ranges::equal(caller.x, caller.y));
}

/// scaleProgram() whose commands belong to operations 2 and 0.
GpuProgram scaleProgramOfOperations() {
  GpuProgram program = scaleProgram();
  program.commands[0].operation = 2;
  program.commands[1].operation = 0;
  program.commands[3].operation = 0;
  return program;
}

TEST(GpuDeviceTest, TimesOperations) {
  NNHAL_NEEDS_VULKAN();
  auto model = prepare(scaleProgramOfOperations());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  caller.request.measureTiming = true;
  // Commands are recorded anew when somebody asks for times, and afterwards.
  for (bool isMeasured : {false, true, true, false}) {
    caller.request.measureOperations = isMeasured;
    std::ranges::fill(caller.y, 0.0f);
    Status status = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(caller.isCorrect());
    const std::vector<uint64_t> &times = caller.result.operationTimes;
    if (!isMeasured) {
      EXPECT_TRUE(times.empty());
      continue;
    }
    ASSERT_EQ(times.size(), 3u);
    EXPECT_GT(times[0], 0u);
    EXPECT_EQ(times[1], 0u);
    EXPECT_GT(times[2], 0u);
    // That time is in microseconds, rounded down.
    EXPECT_LE(times[0] + times[2],
              (caller.result.timing.timeOnDevice + 1) * 1000);
  }
}

TEST(GpuDeviceTest, TracesOperations) {
  NNHAL_NEEDS_VULKAN();
  DeviceServices services;
  services.tracer = std::make_shared<Tracer>();
  auto device = createDevice(
      createGpuBackend(vulkan::createDriver(testEngine()), noCompiler()),
      services);
  auto model = device->prepareModelFromArtifact(
      modelCacheOf(scaleProgramOfOperations()), Memory::copy(constantsOf()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  std::vector<std::string> sections;
  const TraceEvent *around = nullptr;
  std::vector<TraceEvent> events = services.tracer->events();
  for (const TraceEvent &event : events) {
    if (event.text() == "[NN_LD_PCO]nnhal-vulkan")
      around = &event;
    if (!event.detail.starts_with("operation "))
      continue;
    sections.push_back(event.detail);
    ASSERT_NE(around, nullptr);
    EXPECT_LE(around->begin, event.begin);
    EXPECT_LE(event.begin, event.end);
    EXPECT_LE(event.end, around->end);
  }
  EXPECT_EQ(sections, (std::vector<std::string>{"operation 2", "operation 0"}));
}

/// Pools of x, index and y, as clients make them.
struct PooledCaller {
  PooledCaller() {
    auto made = SharedMemory::createAshmem(3 * 4096);
    EXPECT_TRUE(made.isOk()) << made.status().message();
    pool = *std::move(made);
    auto mapped = pool->mapForWriting();
    EXPECT_TRUE(mapped.isOk()) << mapped.status().message();
    bytes = *mapped;
    place(0, 4096, 8192);
  }

  void place(uint64_t x, uint64_t index, uint64_t y) {
    xOffset = x;
    yOffset = y;
    for (uint32_t i = 0; i < elementCount; ++i) {
      auto value = float(i) + 0.5f;
      std::memcpy(&bytes[x + i * sizeof(float)], &value, sizeof(value));
    }
    request.inputs = {{Memory::region(pool, x, bytesOfX), {}},
                      {Memory::region(pool, index, 4), {}}};
    request.outputs = {{OutputMemory::region(pool, y, bytesOfX), {}}};
  }

  bool isCorrect() const {
    float x[elementCount];
    float y[elementCount];
    std::memcpy(x, &bytes[xOffset], sizeof(x));
    std::memcpy(y, &bytes[yOffset], sizeof(y));
    for (uint32_t i = 0; i < elementCount; ++i)
      if (y[i] != 3.0f * x[i] || y[i] == 0.0f)
        return false;
    return true;
  }

  std::shared_ptr<SharedMemory> pool;
  std::span<std::byte> bytes;
  uint64_t xOffset = 0;
  uint64_t yOffset = 0;
  Request request;
  ExecutionResult result;
};

TEST(GpuBufferTest, ImportedPagesAreThoseOfTheMapping) {
  const auto page = size_t(::sysconf(_SC_PAGESIZE));
  auto *begin =
      static_cast<std::byte *>(std::aligned_alloc(4 * page, 8 * page));
  std::unique_ptr<std::byte, decltype(&std::free)> memory(begin, &std::free);
  auto isFrom = [&](std::span<std::byte> pages, size_t first, size_t end) {
    return pages.data() == begin + first * page &&
           pages.size() == (end - first) * page;
  };
  auto pagesOf = [&](size_t first, size_t end, size_t alignment) {
    return vulkan::GpuBuffer::pagesOf({begin + first, begin + end}, alignment);
  };
  EXPECT_TRUE(isFrom(pagesOf(0, 2 * page, page), 0, 2));
  EXPECT_TRUE(isFrom(pagesOf(page, 2 * page + 1, page), 1, 3));
  EXPECT_TRUE(isFrom(pagesOf(page + 8, 2 * page - 8, page), 1, 2));
  // Larger pages of the driver end where the mapping's end, or not.
  EXPECT_TRUE(isFrom(pagesOf(8, 4 * page, 4 * page), 0, 4));
  EXPECT_TRUE(isFrom(pagesOf(0, 3 * page + 8, 4 * page), 0, 4));
  EXPECT_TRUE(pagesOf(0, 3 * page, 4 * page).empty());
  EXPECT_TRUE(pagesOf(page, 4 * page, 4 * page).empty());
}

TEST(GpuDeviceTest, ImportsPools) {
  NNHAL_NEEDS_VULKAN();
  if (testEngine()->limits().importAlignment != 4096)
    GTEST_SKIP() << "the driver imports no pages of 4096 bytes";
  auto model = prepare(scaleProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  // The second caller's pool takes the place of the first one's.
  for (int round = 0; round < 3; ++round) {
    PooledCaller caller;
    for (int again = 0; again < 2; ++again) {
      std::memset(&caller.bytes[caller.yOffset], 0, bytesOfX);
      Status status = (*model)->execute(caller.request, caller.result);
      ASSERT_TRUE(status.isOk()) << status.message();
      EXPECT_TRUE(caller.isCorrect());
      EXPECT_EQ(caller.result.copiedBytes, 0u);
    }
  }
  // Not at a multiple of what bindings need: x alone is copied.
  PooledCaller caller;
  caller.place(4, 4096, 8192);
  Status status = (*model)->execute(caller.request, caller.result);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(caller.isCorrect());
  EXPECT_EQ(caller.result.copiedBytes, bytesOfX);
}

TEST(GpuDeviceTest, ChainsBuffersWithoutCopies) {
  NNHAL_NEEDS_VULKAN();
  auto device = makeDevice();
  auto model = device->prepareModelFromArtifact(modelCacheOf(scaleProgram()),
                                                Memory::copy(constantsOf()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::vector<PreparedModelRef> models = {*model};
  std::vector<BufferRole> x = {{0, 0, 1.0f}};
  std::vector<BufferRole> index = {{0, 1, 1.0f}};
  auto first = device->allocate({}, models, x, {});
  auto chosen = device->allocate({}, models, index, {});
  auto middle = device->allocate({}, models, x, x);
  auto last = device->allocate({}, models, {}, x);
  ASSERT_TRUE(first.isOk() && chosen.isOk() && middle.isOk() && last.isOk());
  auto poolOfX = SharedMemory::createAshmem(bytesOfX);
  auto poolOfIndex = SharedMemory::createAshmem(4);
  ASSERT_TRUE(poolOfX.isOk() && poolOfIndex.isOk());
  ASSERT_TRUE((*chosen)->copyFrom(**poolOfIndex, {}).isOk());
  Request once;
  once.inputs = {{Memory::device((*first)->token()), {}},
                 {Memory::device((*chosen)->token()), {}}};
  once.outputs = {{OutputMemory::device((*middle)->token()), {}}};
  Request again;
  again.inputs = {{Memory::device((*middle)->token()), {}},
                  {Memory::device((*chosen)->token()), {}}};
  again.outputs = {{OutputMemory::device((*last)->token()), {}}};
  for (float value : {1.0f, 2.0f}) {
    std::vector<float> values(elementCount, value);
    ASSERT_TRUE((*poolOfX)->write(0, std::as_bytes(std::span(values))).isOk());
    ASSERT_TRUE((*first)->copyFrom(**poolOfX, {}).isOk());
    ExecutionResult result;
    for (const Request *request : {&once, &again}) {
      Status status = (*model)->execute(*request, result);
      ASSERT_TRUE(status.isOk()) << status.message();
      EXPECT_EQ(result.copiedBytes, 0u);
    }
    ASSERT_TRUE((*last)->copyTo(**poolOfX).isOk());
    ASSERT_TRUE(
        (*poolOfX)->read(0, std::as_writable_bytes(std::span(values))).isOk());
    EXPECT_EQ(values, std::vector<float>(elementCount, 9.0f * value));
  }
}

// Devices whose memory the host does not reach do this.
TEST(GpuDeviceTest, DownloadsInParts) {
  NNHAL_NEEDS_VULKAN();
  std::vector<std::byte> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(i * 7);
  auto buffer = vulkan::uploadConstants(testEngine(), bytes);
  ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
  for (uint64_t part : {192, 1000, 4096}) {
    std::vector<std::byte> found(bytes.size());
    Status status = vulkan::downloadParts(testEngine(), *buffer, found, part);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(found, bytes);
  }
}

TEST(GpuDeviceTest, FailedChecks) {
  NNHAL_NEEDS_VULKAN();
  auto model = prepare(scaleProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  for (int32_t index : {12, 9, -1}) {
    caller.index[0] = index;
    Status status = (*model)->execute(caller.request, caller.result);
    if (index == 9) {
      EXPECT_TRUE(status.isOk()) << status.message();
      continue;
    }
    EXPECT_EQ(status.code(), StatusCode::generalFailure);
    EXPECT_EQ(status.message(),
              fmt::format("operation 7: index {} is outside a dimension of "
                          "extent 10",
                          uint32_t(index)));
  }
}

TEST(GpuDeviceTest, FailuresNeedReasons) {
  NNHAL_NEEDS_VULKAN();
  GpuProgram program = scaleProgram();
  GpuCommand fill;
  fill.kind = GpuCommandKind::fill;
  fill.bindings = {{GpuSpace::status, 0, 0, 4}};
  fill.fillWord = 5;
  program.commands = {fill};
  auto model = prepare(program);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  Status status = (*model)->execute(caller.request, caller.result);
  EXPECT_EQ(status.code(), StatusCode::generalFailure);
  EXPECT_EQ(status.message(), "5 checks of the GPU failed for no reason");
}

// Devices whose memory the host does not reach do this.
TEST(GpuDeviceTest, UploadsInParts) {
  NNHAL_NEEDS_VULKAN();
  std::vector<std::byte> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(i * 7);
  auto buffer = vulkan::GpuBuffer::allocate(testEngine(), bytes.size(),
                                            vulkan::Place::readback);
  ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
  for (uint64_t part : {192, 1000, 4096}) {
    std::memset(buffer->hostBytes(), 0, bytes.size());
    Status status = vulkan::uploadParts(testEngine(), bytes, *buffer, part);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_EQ(std::memcmp(buffer->hostBytes(), bytes.data(), bytes.size()), 0);
  }
}

TEST(GpuDeviceTest, ExecutesFromManyThreads) {
  NNHAL_NEEDS_VULKAN();
  auto model = prepare(scaleProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      ScaleCaller caller(float(t * 1000));
      for (int i = 0; i < 100; ++i) {
        caller.x[0] = float(i);
        std::memset(caller.y, 0, sizeof(caller.y));
        if (!(*model)->execute(caller.request, caller.result).isOk() ||
            !caller.isCorrect())
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(GpuDeviceTest, DeadlinesEndExecutions) {
  NNHAL_NEEDS_VULKAN();
  GpuProgram program = scaleProgram();
  GpuCommand count;
  count.kernel = 2;
  count.groups = {5000, 1, 1};
  count.bindings = {{GpuSpace::arena, 0, 0, 4}};
  program.commands = {count};
  auto model = prepare(program);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  auto now = [] {
    return std::chrono::nanoseconds(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  ScaleCaller caller;
  auto begin = now();
  caller.request.deadline = begin + 100'000'000;
  Status status = (*model)->execute(caller.request, caller.result);
  EXPECT_EQ(status.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was executed");
  // The kernels take seconds, which nobody waits for but the destructor.
  EXPECT_LT(now() - begin, 1'000'000'000);
}

TEST(GpuDeviceTest, ModelOutlivesItsDevice) {
  NNHAL_NEEDS_VULKAN();
  PreparedModelRef model;
  {
    auto prepared = prepare(scaleProgram());
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    model = *prepared;
  }
  ScaleCaller caller;
  ASSERT_TRUE(model->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

TEST(GpuDeviceTest, OmittedInputs) {
  NNHAL_NEEDS_VULKAN();
  GpuProgram program = scaleProgram();
  std::vector<std::byte> code;
  Artifact artifact = artifactOf(program, code);
  artifact.entries[0].presentInputs = {0b01};
  auto model = prepare(writeModelCache(artifact));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  // The kernel reads 0 then.
  caller.index[0] = 10;
  EXPECT_FALSE((*model)->execute(caller.request, caller.result).isOk());
  caller.request.inputs[1] = {};
  Status status = (*model)->execute(caller.request, caller.result);
  EXPECT_TRUE(status.isOk()) << status.message();
  EXPECT_TRUE(caller.isCorrect());
  caller.request.inputs[0] = {};
  EXPECT_EQ((*model)->execute(caller.request, caller.result).message(),
            "input 0 is omitted and the kernels read it");
}

TEST(GpuDeviceTest, TellsWhichInputsArePresent) {
  NNHAL_NEEDS_VULKAN();
  // The status as it is before anything writes to it.
  GpuProgram program = scaleProgram();
  GpuCommand copy;
  copy.kind = GpuCommandKind::copy;
  copy.bindings = {{GpuSpace::status, 0, 0, 40}, {GpuSpace::output, 0, 0, 40}};
  program.commands = {copy};
  std::vector<std::byte> code;
  Artifact artifact = artifactOf(program, code);
  artifact.entries[0].presentInputs = {0b01};
  auto model = prepare(writeModelCache(artifact));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  for (uint32_t isPresent : {1u, 0u, 1u}) {
    const auto given = caller.request.inputs[1];
    if (!isPresent)
      caller.request.inputs[1] = {};
    ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
    caller.request.inputs[1] = given;
    std::array<uint32_t, 10> words;
    std::memcpy(words.data(), caller.y, sizeof(words));
    EXPECT_EQ(words,
              (std::array<uint32_t, 10>{0, 0, 0, 0, 0, 0, 0, 0, 1, isPresent}));
  }
}

TEST(GpuDeviceTest, RefusesInputsWithoutExtents) {
  NNHAL_NEEDS_VULKAN();
  GpuProgram program = scaleProgram();
  program.commands.erase(program.commands.begin()); // It reads the index.
  std::vector<std::byte> code;
  Artifact artifact = artifactOf(program, code);
  artifact.entries[0].presentInputs = {0b01};
  artifact.inputs[1].dimensions = {0};
  auto model = prepare(writeModelCache(artifact));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  caller.request.inputs[1].dimensions = {1};
  EXPECT_EQ((*model)->execute(caller.request, caller.result).message(),
            "input 1 is given, but the model states no extents for it: the "
            "kernels are those of requests that omit it");
  caller.request.inputs[1] = {};
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

std::string refusal(const Artifact &artifact) {
  return prepare(writeModelCache(artifact)).status().message();
}

TEST(GpuDeviceTest, RefusesArtifacts) {
  NNHAL_NEEDS_VULKAN();
  std::vector<std::byte> code;
  const Artifact good = artifactOf(scaleProgram(), code);
  Artifact artifact = good;
  artifact.code[0].cpu = "opencl";
  EXPECT_EQ(refusal(artifact),
            "code is for spirv 'opencl', the device executes spirv 'vulkan'");
  artifact = good;
  artifact.entries.push_back(artifact.entries[0]);
  EXPECT_EQ(refusal(artifact), "code for GPUs has 2 entries instead of 1");
  artifact = good;
  artifact.routineSlots = {1};
  EXPECT_EQ(refusal(artifact),
            "code for GPUs calls 1 routines and 0 extensions of the host");
  artifact = good;
  artifact.dataCacheSize = 8;
  EXPECT_EQ(refusal(artifact),
            "data cache has 4 bytes, the model cache needs 8");
}

TEST(GpuDeviceTest, RefusesWhatExceedsLimits) {
  NNHAL_NEEDS_VULKAN();
  const vulkan::Limits &limits = testEngine()->limits();
  GpuProgram program = scaleProgram();
  std::vector<std::byte> code;
  program.commands.resize(1);
  Artifact artifact = artifactOf(program, code);
  uint64_t size = limits.bindingSize + 64;
  artifact.entries[0].arenaSize = size;
  program.commands[0].bindings[0] = {GpuSpace::arena, 0, 0, size};
  std::vector<std::byte> changed = writeGpuProgram(program);
  artifact.code[0].bytes = changed;
  EXPECT_EQ(refusal(artifact),
            fmt::format("command 0 binds {} bytes, the GPU allows {}", size,
                        limits.bindingSize));
}

TEST(GpuDeviceTest, LimitsOfDevices) {
  vulkan::Limits limits;
  limits.workgroupSize = 63;
  limits.bindingsPerKernel = 2;
  limits.groups = {3, 1, 1};
  EXPECT_EQ(vulkan::checkLimits(scaleProgram(), limits).message(),
            "kernel 'scale' has workgroups of 64, the GPU allows 63");
  limits.workgroupSize = 64;
  EXPECT_EQ(vulkan::checkLimits(scaleProgram(), limits).message(),
            "kernel 'scale' has 3 bindings, the GPU allows 2");
  limits.bindingsPerKernel = 3;
  limits.bindingSize = 1024;
  EXPECT_EQ(vulkan::checkLimits(scaleProgram(), limits).message(),
            "command 1 dispatches 4 workgroups, the GPU allows 3");
  limits.groups[0] = 4;
  EXPECT_TRUE(vulkan::checkLimits(scaleProgram(), limits).isOk());
}

// Bytes of a cache that are wrong are refused, or execute without harm.
TEST(GpuDeviceTest, DamagedCaches) {
  NNHAL_NEEDS_VULKAN();
  const std::vector<std::byte> whole = modelCacheOf(scaleProgram());
  std::minstd_rand random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes = whole;
    bytes[random() % bytes.size()] ^= std::byte(1 << random() % 8);
    auto model = prepare(bytes);
    EXPECT_EQ(model.status().code(), StatusCode::invalidArgument);
  }
  // Damages a program that somebody has sealed again, all but the module.
  const std::vector<std::byte> program = writeGpuProgram(scaleProgram());
  std::vector<std::byte> code;
  Artifact artifact = artifactOf(scaleProgram(), code);
  size_t accepted = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::byte> bytes = program;
    size_t place = random() % (bytes.size() - kernelModule().size());
    auto module = std::search(bytes.begin(), bytes.end(),
                              kernelModule().begin(), kernelModule().end());
    if (place >= size_t(module - bytes.begin()))
      place += kernelModule().size();
    bytes[place] = std::byte(random() % 4);
    artifact.code[0].bytes = bytes;
    auto model = prepare(writeModelCache(artifact));
    if (!model.isOk())
      continue;
    ++accepted;
    ScaleCaller caller;
    (void)(*model)->execute(caller.request, caller.result).isOk();
  }
  EXPECT_GT(accepted, 10u);
}

TEST(GpuDeviceTest, CompilesForVulkan) {
  NNHAL_NEEDS_VULKAN();
  auto backend =
      createGpuBackend(vulkan::createDriver(testEngine()), scaleCompiler());
  auto model = backend->load({}, {}, {});
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->interface().inputs.size(), 2u);
  auto identity = backend->compilationIdentity();
  ASSERT_TRUE(identity.isOk());
  EXPECT_EQ(identity->compiler, "none");
  EXPECT_EQ(identity->cpu,
            "vulkan " + std::string(testEngine()->deviceClass()));
}

/// output = ABS(input).
AnnotatedModel absoluteModel(std::vector<uint32_t> inputDimensions,
                             std::vector<uint32_t> outputDimensions) {
  AnnotatedModel annotated;
  Subgraph &main = annotated.model.main;
  for (auto [lifetime, dimensions] :
       {std::pair(OperandLifeTime::SUBGRAPH_INPUT, inputDimensions),
        {OperandLifeTime::SUBGRAPH_OUTPUT, outputDimensions}}) {
    Operand &operand = main.operands.emplace_back();
    operand.type = OperandType::TENSOR_FLOAT32;
    operand.lifetime = lifetime;
    operand.dimensions = dimensions;
  }
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  main.operations = {{OperationType::ABS, {0}, {1}}};
  return annotated;
}

// Extents that follow from known inputs are compiled for when the model is
// loaded, those of open inputs when it is executed.
TEST(GpuDeviceTest, CompilesForShapes) {
  NNHAL_NEEDS_VULKAN();
  auto backend =
      createGpuBackend(vulkan::createDriver(testEngine()), scaleCompiler());
  size_t artifacts = 0;
  LoadObserver observer;
  observer.keepArtifact = [&](const CompiledModel &) {
    ++artifacts;
    return Status::ok();
  };
  EXPECT_TRUE(backend->load(absoluteModel({4}, {0}), {}, observer).isOk());
  EXPECT_EQ(artifacts, 1u);
  const AnnotatedModel open = absoluteModel({0}, {0});
  auto answers = backend->supportedOperations(open);
  ASSERT_TRUE(answers.isOk());
  EXPECT_TRUE(answers->front().isOk()) << answers->front().message();
  EXPECT_EQ(backend->load(open, {}, observer).status().message(),
            "a model whose shapes or parameters only an execution knows is "
            "compiled when it is executed: there is no artifact");
  EXPECT_EQ(artifacts, 1u);
  auto model = backend->load(open, {}, {});
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->interface().inputs[0].dimensions,
            std::vector<uint32_t>{0});
}

TEST(GpuLoaderTest, OpensTheLibrary) {
  NNHAL_NEEDS_VULKAN();
  GpuDevicesOptions options;
  options.library = NNHAL_GPU_LIBRARY;
  std::vector<std::string> names;
  options.absent = [&](std::string_view device, const Status &reason) {
    EXPECT_EQ(reason.code(), StatusCode::deviceUnavailable);
    names.emplace_back(device);
  };
  auto devices = createGpuDevices(options);
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  // An offer that is not among the devices is absent.
  for (const auto &device : *devices)
    names.emplace_back(device->name());
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string>{"nnhal-cuda", "nnhal-vulkan"}));
  // There may be another one before.
  ASSERT_GE(devices->size(), 1u);
  EXPECT_EQ(devices->back()->name(), "nnhal-vulkan");
  auto model = devices->back()->prepareModelFromArtifact(
      modelCacheOf(scaleProgram()), Memory::copy(constantsOf()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

// A service makes a device for each client, when no driver can be opened any
// more.
TEST(GpuLoaderTest, DevicesShareDrivers) {
  NNHAL_NEEDS_VULKAN();
  EXPECT_EQ(openGpuDrivers("/nonexistent/libNNHalGpu.so").status().code(),
            StatusCode::deviceUnavailable);
  auto drivers = openGpuDrivers(NNHAL_GPU_LIBRARY);
  ASSERT_TRUE(drivers.isOk()) << drivers.status().message();
  GpuDevicesOptions options;
  options.library = "/nonexistent/libNNHalGpu.so";
  options.drivers = *drivers;
  for (int client = 0; client < 2; ++client) {
    auto devices = createGpuDevices(options);
    ASSERT_TRUE(devices.isOk()) << devices.status().message();
    const ProcessNeeds &needs = devices->back()->traits().needs;
    EXPECT_TRUE(needs.executableMemory);
    EXPECT_FALSE(needs.archPrctl);
    for (const std::string &node : needs.deviceNodes)
      EXPECT_TRUE(node.starts_with("/dev/")) << node;
    auto model = devices->back()->prepareModelFromArtifact(
        modelCacheOf(scaleProgram()), Memory::copy(constantsOf()));
    ASSERT_TRUE(model.isOk()) << model.status().message();
    ScaleCaller caller;
    ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
    EXPECT_TRUE(caller.isCorrect());
  }
}

// {fmt} of the program writes the messages of the library.
TEST(GpuLoaderTest, TheLibraryFormatsMessages) {
  NNHAL_NEEDS_VULKAN();
  GpuDevicesOptions options;
  options.library = NNHAL_GPU_LIBRARY;
  auto devices = createGpuDevices(options);
  ASSERT_TRUE(devices.isOk()) << devices.status().message();
  GpuProgram program = scaleProgram();
  program.kernels.front().name = "other";
  auto model = devices->back()->prepareModelFromArtifact(
      modelCacheOf(program), Memory::copy(constantsOf()));
  EXPECT_EQ(model.status().message(),
            "the SPIR-V module has no entry point 'other'");
}

// The library calls the runtime that has opened it, and is never closed.
TEST(GpuLoaderTest, TheRuntimeStaysLoaded) {
  void *runtime = ::dlopen(NNHAL_RUNTIME_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(runtime, nullptr) << ::dlerror();
  auto create = reinterpret_cast<decltype(&createGpuDevices)>(::dlsym(
      runtime, "_ZN5nnhal2rt16createGpuDevicesERKNS0_17GpuDevicesOptionsE"));
  ASSERT_NE(create, nullptr) << ::dlerror();
  {
    GpuDevicesOptions options;
    options.library = NNHAL_GPU_LIBRARY;
    // There may be no GPU.
    (void)create(options).isOk();
  }
  ::dlclose(runtime);
  EXPECT_NE(::dlopen(NNHAL_RUNTIME_LIBRARY, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST(GpuLoaderTest, SaysWhyThereIsNone) {
  GpuDevicesOptions options;
  options.library = "/nonexistent/libNNHalGpu.so";
  auto missing = createGpuDevices(options);
  EXPECT_EQ(missing.status().code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(missing.status().message().find("cannot open the library of GPUs "
                                            "'/nonexistent/libNNHalGpu.so': "),
            0u)
      << missing.status().message();
  options.library = NNHAL_FAKE_VULKAN;
  EXPECT_EQ(createGpuDevices(options).status().message(),
            fmt::format("'{}' is not the library of GPUs: it does not export "
                        "nnhalGetGpuApi",
                        NNHAL_FAKE_VULKAN));
}

TEST(GpuLoaderTest, KnowsItsNames) {
  EXPECT_TRUE(isGpuDevice("nnhal-gpu"));
  EXPECT_TRUE(isGpuDevice("nnhal-vulkan"));
  EXPECT_TRUE(isGpuDevice("nnhal-cuda"));
  EXPECT_EQ(gpuTargetOf("nnhal-cuda"), "cuda");
  EXPECT_FALSE(isGpuDevice("nnhal-cpu"));
}

} // namespace
