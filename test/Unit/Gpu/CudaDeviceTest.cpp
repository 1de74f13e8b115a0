//===- CudaDeviceTest.cpp - Programs of PTX, on a driver of the test ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs/FakeCuda.h"
#include "TestProgram.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Devices/Gpu/Cuda/CubinCache.h"
#include "Runtime/Devices/Gpu/Cuda/CudaDriver.h"
#include "Runtime/Devices/Gpu/Cuda/PtxText.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

/// The kernels of scaleProgram() as the host computes them.
void computeKernel(const std::string &name,
                   const std::vector<std::byte *> &buffers, unsigned groups,
                   unsigned threads) {
  if (name == "scale") {
    float factor = 0;
    std::memcpy(&factor, buffers[1], sizeof(factor));
    for (size_t i = 0; i < size_t(groups) * threads; ++i) {
      float x = 0;
      std::memcpy(&x, buffers[0] + i * sizeof(x), sizeof(x));
      x *= factor;
      std::memcpy(buffers[2] + i * sizeof(x), &x, sizeof(x));
    }
    return;
  }
  int32_t index = 0;
  std::memcpy(&index, buffers[0], sizeof(index));
  if (uint32_t(index) < 10)
    return;
  // The check is one of operation 7.
  int32_t words[8] = {
      1, int32_t(FailureReason::indexOutOfRange), 7, 0, index, 0, 10, 0};
  std::memcpy(buffers[1], words, sizeof(words));
}

/// A device on the fake driver, which has everything given back in the end.
class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    void *library = ::dlopen(NNHAL_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fake = static_cast<FakeCuda *>(::dlsym(library, "nnhalFakeCuda"));
    ASSERT_NE(fake, nullptr);
    *fake = {};
    fake->kernel = &computeKernel;
  }
  void TearDown() override {
    EXPECT_EQ(fake->alive, 0);
    EXPECT_EQ(fake->pushed, 0);
  }

  static std::string openMessage() {
    return cuda::Engine::open(NNHAL_FAKE_CUDA).status().message();
  }
  static std::unique_ptr<Backend>
  makeBackend(GpuCompiler compiler = scaleCompiler("cuda")) {
    auto engine = cuda::Engine::open(NNHAL_FAKE_CUDA);
    EXPECT_TRUE(engine.isOk()) << engine.status().message();
    return createGpuBackend(cuda::createDriver(*engine), std::move(compiler));
  }
  static Result<PreparedModelRef>
  prepare(const GpuProgram &program = scaleProgramOfPtx()) {
    return createDevice(makeBackend())
        ->prepareModelFromArtifact(modelCacheOf(program, cudaTargetName),
                                   Memory::copy(constantsOf()));
  }

  FakeCuda *fake = nullptr;
};

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, Describes) {
  auto engine = cuda::Engine::open(NNHAL_FAKE_CUDA);
  ASSERT_TRUE(engine.isOk()) << engine.status().message();
  EXPECT_EQ((*engine)->description(),
            "Fake GPU (compute capability 9.0, CUDA 13.0)");
  auto backend = makeBackend();
  EXPECT_EQ(backend->info().name, "nnhal-cuda");
  EXPECT_EQ(backend->compilationIdentity()->cpu, "cuda tensor-cores");
}

TEST_F(CudaDeviceTest, SaysWhyThereIsNone) {
  auto missing = cuda::Engine::open("/nonexistent/libcuda.so.1").status();
  EXPECT_EQ(missing.code(), StatusCode::deviceUnavailable);
  EXPECT_EQ(missing.message().find("there is no CUDA: /nonexistent/"), 0u)
      << missing.message();
  EXPECT_EQ(cuda::Engine::open(NNHAL_FAKE_VULKAN).status().message(),
            fmt::format("'{}' lacks cuInit: a driver of CUDA 12.0 is needed",
                        NNHAL_FAKE_VULKAN));
  fake->init = cuda::CUDA_ERROR_NO_DEVICE;
  EXPECT_EQ(openMessage(), "CUDA has no device");
  fake->init = 12345;
  EXPECT_EQ(openMessage(), "cuInit returned CUresult 12345");
  fake->init = 0;
  fake->version = 11080;
  EXPECT_EQ(openMessage(), "the driver is of CUDA 11.8, 12.0 is needed");
  fake->version = 12000;
  fake->countDevices = cuda::CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(openMessage(),
            "cuDeviceGetCount returned CUDA_ERROR_OUT_OF_MEMORY");
  fake->countDevices = 0;
  fake->deviceCount = 0;
  EXPECT_EQ(openMessage(), "CUDA has no device");
  fake->deviceCount = 2;
  fake->major = 7;
  fake->minor = 5;
  EXPECT_EQ(openMessage(),
            "no device of CUDA suits: 'Fake GPU' has compute capability 7.5, "
            "8.0 is needed; 'Fake GPU' has compute capability 7.5, 8.0 is "
            "needed");
  fake->deviceCount = 1;
  fake->attribute = cuda::CUDA_ERROR_NOT_FOUND;
  EXPECT_EQ(openMessage(), "no device of CUDA suits: device 0 answers with "
                           "CUDA_ERROR_NOT_FOUND");
  fake->attribute = 0;
  fake->major = 8;
  fake->retain = cuda::CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(openMessage(), "no device of CUDA suits: 'Fake GPU' gives no "
                           "context: CUDA_ERROR_OUT_OF_MEMORY");
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, Executes) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  EXPECT_EQ((*model)->memoryUse().arena, 64 + bytesOfX);
  ScaleCaller caller;
  caller.request.measureTiming = true;
  for (int round = 0; round < 3; ++round) {
    caller.x[0] = float(100 + round);
    Status status = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(caller.isCorrect());
    EXPECT_EQ(caller.result.copiedBytes, 2 * bytesOfX + 4);
    // Two events follow each other.
    EXPECT_EQ(caller.result.timing.timeOnDevice, 500u);
  }
  EXPECT_EQ(fake->graphs, 1u);
  EXPECT_EQ(fake->graphLaunches, 3u);
  EXPECT_EQ(fake->kernelLaunches, 6u);
}

TEST_F(CudaDeviceTest, MeasuresNothingWithoutEvents) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  fake->elapsed = 1;
  ScaleCaller caller;
  caller.request.measureTiming = true;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_LE(caller.result.timing.timeOnDevice,
            caller.result.timing.timeInDriver);
}

TEST_F(CudaDeviceTest, TimesOperations) {
  GpuProgram program = scaleProgramOfPtx();
  program.commands[0].operation = 2;
  program.commands[1].operation = 0;
  program.commands[3].operation = 0;
  auto model = prepare(program);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  for (bool isMeasured : {false, true, true, false}) {
    caller.request.measureOperations = isMeasured;
    std::ranges::fill(caller.y, 0.0f);
    Status status = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(status.isOk()) << status.message();
    EXPECT_TRUE(caller.isCorrect());
    std::vector<uint64_t> expected;
    if (isMeasured)
      expected = {500'000, 0, 500'000};
    EXPECT_EQ(caller.result.operationTimes, expected);
  }
  EXPECT_EQ(fake->graphs, 1u);
  EXPECT_EQ(fake->graphLaunches, 2u);
}

TEST_F(CudaDeviceTest, ChainsBuffersWithoutCopies) {
  auto device = createDevice(makeBackend());
  auto model = device->prepareModelFromArtifact(
      modelCacheOf(scaleProgramOfPtx(), cudaTargetName),
      Memory::copy(constantsOf()));
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::vector<PreparedModelRef> models = {*model};
  std::vector<BufferRole> x = {{0, 0, 1.0f}};
  std::vector<BufferRole> index = {{0, 1, 1.0f}};
  auto first = device->allocate({}, models, x, {});
  auto chosen = device->allocate({}, models, index, {});
  auto last = device->allocate({}, models, {}, x);
  ASSERT_TRUE(first.isOk() && chosen.isOk() && last.isOk());
  auto poolOfX = SharedMemory::createAshmem(bytesOfX);
  auto poolOfIndex = SharedMemory::createAshmem(4);
  ASSERT_TRUE(poolOfX.isOk() && poolOfIndex.isOk());
  std::vector<float> values(elementCount, 2.0f);
  ASSERT_TRUE((*poolOfX)->write(0, std::as_bytes(std::span(values))).isOk());
  ASSERT_TRUE((*first)->copyFrom(**poolOfX, {}).isOk());
  ASSERT_TRUE((*chosen)->copyFrom(**poolOfIndex, {}).isOk());
  Request request;
  request.inputs = {{Memory::device((*first)->token()), {}},
                    {Memory::device((*chosen)->token()), {}}};
  request.outputs = {{OutputMemory::device((*last)->token()), {}}};
  ExecutionResult result;
  Status status = (*model)->execute(request, result);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(result.copiedBytes, 0u);
  ASSERT_TRUE((*last)->copyTo(**poolOfX).isOk());
  ASSERT_TRUE(
      (*poolOfX)->read(0, std::as_writable_bytes(std::span(values))).isOk());
  EXPECT_EQ(values, std::vector<float>(elementCount, 6.0f));
  // Memory of a client is elsewhere.
  ScaleCaller caller;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
  EXPECT_EQ(fake->graphs, 2u);
}

TEST_F(CudaDeviceTest, FailedChecks) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  for (int32_t index : {12, 9, 11}) {
    caller.index[0] = index;
    Status status = (*model)->execute(caller.request, caller.result);
    if (index == 9) {
      EXPECT_TRUE(status.isOk()) << status.message();
      continue;
    }
    EXPECT_EQ(status.message(),
              fmt::format("operation 7: index {} is outside a dimension of "
                          "extent 10",
                          index));
  }
}

TEST_F(CudaDeviceTest, FillsAndCopies) {
  GpuProgram program = scaleProgramOfPtx();
  GpuCommand fill;
  fill.kind = GpuCommandKind::fill;
  fill.bindings = {{GpuSpace::output, 0, 0, bytesOfX}};
  fill.fillWord = 0x40400000;
  program.commands = {fill};
  auto model = prepare(program);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_EQ(caller.y[0], 3.0f);
  EXPECT_EQ(caller.y[elementCount - 1], 3.0f);
}

TEST_F(CudaDeviceTest, ExecutesFromManyThreads) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      ScaleCaller caller;
      for (int i = 0; i < 50; ++i) {
        caller.x[0] = float(t * 1000 + i);
        if (!(*model)->execute(caller.request, caller.result).isOk() ||
            !caller.isCorrect())
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaDeviceTest, DeadlinesEndExecutions) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  fake->pendingQueries = SIZE_MAX;
  caller.request.deadline =
      std::chrono::nanoseconds(
          std::chrono::steady_clock::now().time_since_epoch())
          .count() +
      20'000'000;
  Status status = (*model)->execute(caller.request, caller.result);
  EXPECT_EQ(status.message(),
            "the deadline passed while the model was executed");
  // The next execution waits for the end of that one.
  fake->pendingQueries = 100;
  caller.request.deadline = noDeadline;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, RunsOutOfMemory) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  fake->mostBytes = 100;
  Status status = (*model)->execute(caller.request, caller.result);
  EXPECT_EQ(status.code(), StatusCode::resourceExhaustedTransient);
  EXPECT_EQ(status.message(),
            "cuMemAlloc has no memory (CUDA_ERROR_OUT_OF_MEMORY)");
  fake->mostBytes = SIZE_MAX;
  ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
  EXPECT_TRUE(caller.isCorrect());
}

TEST_F(CudaDeviceTest, LaunchesThatFail) {
  auto model = prepare();
  ASSERT_TRUE(model.isOk()) << model.status().message();
  ScaleCaller caller;
  for (bool isMeasured : {false, true}) {
    caller.request.measureOperations = isMeasured;
    fake->launchKernel = 701;
    EXPECT_EQ((*model)->execute(caller.request, caller.result).message(),
              "cuLaunchKernel returned CUresult 701");
    fake->launchKernel = 0;
    ASSERT_TRUE((*model)->execute(caller.request, caller.result).isOk());
    EXPECT_TRUE(caller.isCorrect());
  }
}

TEST_F(CudaDeviceTest, LostDevices) {
  for (bool isLaunch : {true, false}) {
    auto model = prepare();
    ASSERT_TRUE(model.isOk()) << model.status().message();
    ScaleCaller caller;
    (isLaunch ? fake->launchGraph : fake->queryEvent) =
        cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    Status status = (*model)->execute(caller.request, caller.result);
    EXPECT_EQ(status.code(), StatusCode::deadObject);
    EXPECT_EQ(status.message(),
              fmt::format("{} has lost the GPU (CUDA_ERROR_ILLEGAL_ADDRESS)",
                          isLaunch ? "cuGraphLaunch" : "cuEventQuery"));
    fake->launchGraph = fake->queryEvent = 0;
    status = (*model)->execute(caller.request, caller.result);
    EXPECT_EQ(status.code(), StatusCode::deadObject);
    EXPECT_EQ(status.message(), "the GPU was lost before");
  }
}

TEST_F(CudaDeviceTest, RefusedModules) {
  fake->link = cuda::CUDA_ERROR_INVALID_PTX;
  fake->log = "ptxas error : Unknown opcode\nptxas fatal : aborted\n";
  EXPECT_EQ(prepare().status().message(),
            "the driver refuses the kernels: ptxas error : Unknown opcode "
            "ptxas fatal : aborted: cuLink returned CUDA_ERROR_INVALID_PTX");
  fake->log = "";
  EXPECT_EQ(prepare().status().message(),
            "the driver refuses the kernels: the driver says nothing: cuLink "
            "returned CUDA_ERROR_INVALID_PTX");
  fake->link = 0;
  fake->loadModule = cuda::CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(prepare().status().message(),
            "cuModuleLoadData has no memory (CUDA_ERROR_OUT_OF_MEMORY)");
  fake->loadModule = 0;
  fake->getFunction = cuda::CUDA_ERROR_NOT_FOUND;
  EXPECT_EQ(prepare().status().message(),
            "kernel 'scale': cuModuleGetFunction returned "
            "CUDA_ERROR_NOT_FOUND");
  fake->getFunction = 0;
  fake->mostThreads = 32;
  EXPECT_EQ(prepare().status().message(),
            "kernel 'scale' has workgroups of 64, the GPU allows 32");
}

TEST_F(CudaDeviceTest, RefusesPrograms) {
  auto device = createDevice(makeBackend());
  EXPECT_EQ(device
                ->prepareModelFromArtifact(modelCacheOf(scaleProgram()),
                                           Memory::copy(constantsOf()))
                .status()
                .message(),
            "code is for spirv 'vulkan', the device executes ptx 'cuda'");
}

//===----------------------------------------------------------------------===//
// Code that the driver has compiled
//===----------------------------------------------------------------------===//

TEST_F(CudaDeviceTest, KeepsMachineCode) {
  auto backend = makeBackend();
  std::vector<std::byte> parts[3];
  LoadObserver observer;
  observer.keepEntry = [&](const CacheContents &contents) {
    ASSERT_EQ(contents.modelCache.size(), 2u);
    auto copy = [](const Memory &memory, std::vector<std::byte> &part) {
      auto bytes = memory.bytes();
      ASSERT_TRUE(bytes.isOk());
      part.assign(bytes->begin(), bytes->end());
    };
    copy(contents.modelCache[0], parts[0]);
    copy(contents.modelCache[1], parts[1]);
    copy(contents.dataCache[0], parts[2]);
  };
  ASSERT_TRUE(backend->load({}, {}, observer).isOk());
  EXPECT_EQ(fake->links, 1u);
  auto linksOf = [&](const std::vector<std::byte> &kept) {
    size_t before = fake->links;
    CacheContents contents;
    contents.modelCache = {Memory::borrow(parts[0]), Memory::borrow(kept)};
    contents.dataCache = {Memory::copy(parts[2])};
    Status status = backend->loadFromCache(contents).status();
    EXPECT_TRUE(status.isOk()) << status.message();
    return fake->links - before;
  };
  EXPECT_EQ(linksOf(parts[1]), 0u);
  std::vector<std::byte> changed = parts[1];
  changed.back() ^= std::byte(1);
  EXPECT_EQ(linksOf(changed), 1u);
  changed = parts[1];
  changed.front() ^= std::byte(1);
  EXPECT_EQ(linksOf(changed), 1u);
  EXPECT_EQ(linksOf({}), 1u);
  fake->minor = 1;
  backend = makeBackend();
  EXPECT_EQ(linksOf(parts[1]), 1u);
  fake->minor = 0;
  fake->version = 13010;
  backend = makeBackend();
  EXPECT_EQ(linksOf(parts[1]), 1u);
}

TEST(CubinCacheTest, BelongsToOneModule) {
  std::vector<std::byte> ptx(8, std::byte(1));
  std::vector<std::byte> other(8, std::byte(2));
  std::vector<std::byte> code(5, std::byte(3));
  cuda::CubinCache cache({}, {});
  EXPECT_FALSE(cache.find(ptx).has_value());
  cache.keep(ptx, code);
  const cuda::CubinCache again({}, cache.data());
  auto found = again.find(ptx);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(std::ranges::equal(*found, code));
  EXPECT_FALSE(cache.find(other).has_value());
  std::vector<std::byte> bytes = cache.data();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(cuda::CubinCache({}, std::span(bytes).first(size))
                     .find(ptx)
                     .has_value());
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

std::string checkText(std::string_view text) {
  GpuProgram program;
  program.module = std::as_bytes(std::span(text));
  program.kernels = {{"k", 32, {0, 1}}};
  return cuda::checkPtx(program).message();
}

constexpr std::string_view goodText = R"(// A comment { with brackets
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(
  .param .u64 .ptr .global .align 64 k_param_0,
  .param .u64 k_param_1
)
.reqntid 32, 1, 1
{
  { ret; }
}
.visible .entry other()
{
  ret;
}
)";

std::string changed(std::string_view from, std::string_view to) {
  std::string text(goodText);
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(PtxTextTest, Checks) {
  EXPECT_EQ(checkText(goodText), "");
  EXPECT_EQ(checkText(std::string(goodText) + std::string("\n\0\0", 3)), "");
  EXPECT_EQ(checkText("hello"),
            "6 bytes are not PTX: they do not begin with .version");
  EXPECT_EQ(checkText(std::string(".version\0 7", 11)),
            "byte 8 of the PTX is 0");
  EXPECT_EQ(checkText(changed(".target sm_80", ".extern .func f;")),
            "the PTX has an external symbol");
  EXPECT_EQ(checkText(changed(".entry k(", ".entry j(")),
            "the PTX has no entry point 'k'");
  EXPECT_EQ(checkText(changed(".entry other(", ".entry k(")),
            "the PTX has entry point 'k' twice");
  EXPECT_EQ(checkText(changed(",\n  .param .u64 k_param_1", "")),
            "entry point 'k' of the PTX has 1 parameters, the kernel has 2 "
            "buffers");
  EXPECT_EQ(checkText(changed(".param .u64 k_param_1", ".param .u32 p")),
            "entry point 'k' of the PTX has 2 parameters, not all of them "
            "addresses, the kernel has 2 buffers");
  EXPECT_EQ(checkText(changed("k_param_1", "k_param_1[8]")),
            "entry point 'k' of the PTX has 2 parameters, not all of them "
            "addresses, the kernel has 2 buffers");
  EXPECT_EQ(checkText(changed("32, 1, 1", "64, 1, 1")),
            "entry point 'k' of the PTX is for workgroups of [64,1,1], the "
            "kernel has 32");
  EXPECT_EQ(checkText(changed(".reqntid 32, 1, 1", "")),
            "entry point 'k' of the PTX is for workgroups of [], the kernel "
            "has 32");
  EXPECT_EQ(checkText(changed("{\n  { ret; }\n}", ";")),
            "entry point 'k' of the PTX has no body");
  EXPECT_EQ(checkText(changed("  ret;\n}\n", "  ret;\n")),
            "the body of entry point 'other' of the PTX does not end");
}

TEST(PtxTextTest, IsTotal) {
  for (size_t size = 0; size < goodText.size(); ++size)
    (void)checkText(goodText.substr(0, size));
  std::string text(goodText);
  for (size_t place = 0; place < text.size(); ++place)
    for (char c : {'{', '}', '(', ' ', '\n', ';', '/'}) {
      char before = std::exchange(text[place], c);
      (void)checkText(text);
      text[place] = before;
    }
}

} // namespace
