//===- ControlFlowTest.cpp - Branches and loops between commands ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs/FakeCuda.h"
#include "TestProgram.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "Runtime/Devices/Gpu/Cuda/CudaDriver.h"
#include "Runtime/Devices/Gpu/Vulkan/VulkanDriver.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

constexpr GpuBinding n = {GpuSpace::input, 0, 0, 4};
constexpr GpuBinding m = {GpuSpace::input, 1, 0, 4};
constexpr GpuBinding y = {GpuSpace::output, 0, 0, 4};
constexpr GpuBinding one = {GpuSpace::constants, 0, 0, 4};
constexpr GpuBinding ten = {GpuSpace::constants, 0, 64, 4};
constexpr GpuBinding i = {GpuSpace::arena, 0, 0, 4};
constexpr GpuBinding j = {GpuSpace::arena, 0, 64, 4};
constexpr GpuBinding status = {GpuSpace::status, 0, 0, gpuStatusSize};

/// Commands for numbers without a sign, each of which waits for the one before.
struct ProgramWriter {
  ProgramWriter &set(GpuBinding target, uint32_t value) {
    return add({.kind = GpuCommandKind::fill,
                .bindings = {target},
                .fillWord = value});
  }
  ProgramWriter &addTo(GpuBinding target, GpuBinding amount) {
    return dispatch(0, {target, amount});
  }
  /// The condition is whether \p a is less than \p b.
  ProgramWriter &less(GpuBinding a, GpuBinding b) {
    return dispatch(1, {a, b, status});
  }
  ProgramWriter &check(GpuBinding index) {
    return dispatch(2, {index, status});
  }
  ProgramWriter &control(GpuCommandKind kind, uint32_t target = 0) {
    commands.push_back({.kind = kind,
                        .bindings = {},
                        .operation = operation,
                        .target = target});
    return *this;
  }
  uint32_t position() const { return uint32_t(commands.size()); }

  /// The body of a loop, and its condition.
  template <typename Body, typename Condition>
  ProgramWriter &loop(Body body, Condition condition) {
    uint32_t begin = position();
    control(GpuCommandKind::loop);
    body();
    commands[begin].target = position();
    condition();
    return control(GpuCommandKind::repeat, begin + 1);
  }
  template <typename Then, typename Else>
  ProgramWriter &branch(Then then, Else otherwise) {
    uint32_t begin = position();
    control(GpuCommandKind::branch);
    then();
    uint32_t end = position();
    control(GpuCommandKind::jump);
    commands[begin].target = position();
    otherwise();
    commands[end].target = position();
    return *this;
  }

  ProgramWriter &dispatch(uint32_t kernel, std::vector<GpuBinding> bindings) {
    return add({.kernel = kernel,
                .groups = {1, 1, 1},
                .bindings = std::move(bindings)});
  }
  ProgramWriter &add(GpuCommand command) {
    commands.push_back({.kind = GpuCommandKind::barrier, .bindings = {}});
    command.operation = operation;
    commands.push_back(std::move(command));
    return *this;
  }

  std::vector<GpuCommand> commands;
  uint32_t operation = 3;
};

/// y = n < 10 ? 1 : 2.
std::vector<GpuCommand> branchProgram() {
  ProgramWriter writer;
  writer.less(n, ten).branch([&] { writer.set(y, 1); },
                             [&] { writer.set(y, 2); });
  return writer.commands;
}

/// y counts to n.
std::vector<GpuCommand> countProgram() {
  ProgramWriter writer;
  writer.set(y, 0).loop([&] { writer.addTo(y, one); },
                        [&] { writer.less(y, n); });
  return writer.commands;
}

/// Goes on for ever where n is not 0.
std::vector<GpuCommand> endlessProgram() {
  ProgramWriter writer;
  writer.set(y, 5).set(i, 0).loop([&] { writer.addTo(j, one); },
                                  [&] { writer.less(i, n); });
  return writer.commands;
}

/// For each i below n and each j below m, y becomes 1 larger where i is less
/// than j, 10 where not.
std::vector<GpuCommand> nestedProgram() {
  ProgramWriter writer;
  auto addToY = [&] {
    writer.less(i, j).branch([&] { writer.addTo(y, one); },
                             [&] { writer.addTo(y, ten); });
    writer.addTo(j, one);
  };
  auto countJ = [&] {
    writer.set(j, 0).loop(addToY, [&] { writer.less(j, m); });
    writer.addTo(i, one);
  };
  writer.set(y, 0).set(i, 0).loop(countJ, [&] { writer.less(i, n); });
  return writer.commands;
}

uint32_t nestedResult(uint32_t rounds, uint32_t innerRounds) {
  uint32_t sum = 0;
  for (uint32_t outer = 0; outer < rounds; ++outer)
    for (uint32_t inner = 0; inner < innerRounds; ++inner)
      sum += outer < inner ? 1 : 10;
  return sum;
}

constexpr std::string_view ptx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 y, .param .u64 amount)
.reqntid 1
{
}
.visible .entry less(.param .u64 a, .param .u64 b, .param .u64 status)
.reqntid 1
{
}
.visible .entry check(.param .u64 index, .param .u64 status)
.reqntid 1
{
}
)";

/// The kernels as the host computes them.
void computeKernel(const std::string &name,
                   const std::vector<std::byte *> &buffers, unsigned,
                   unsigned) {
  uint32_t first = 0;
  uint32_t second = 0;
  std::memcpy(&first, buffers[0], sizeof(first));
  std::memcpy(&second, buffers[1], sizeof(second));
  if (name == "add") {
    first += second;
    std::memcpy(buffers[0], &first, sizeof(first));
  } else if (name == "less") {
    auto isLess = uint32_t(first < second);
    std::memcpy(buffers[2] + 4 * gpuConditionWord, &isLess, sizeof(isLess));
  } else if (first >= 10) {
    const uint32_t words[] = {
        1, uint32_t(FailureReason::indexOutOfRange), 7, 0, first, 0, 10, 0};
    std::memcpy(buffers[1], words, sizeof(words));
  }
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

/// A request for n and m, whose result is y.
struct Caller {
  explicit Caller(uint32_t n = 0, uint32_t m = 0) : inputs{n, m} {
    auto bytes = std::as_bytes(std::span(inputs));
    request.inputs = {{Memory::borrow(bytes.first(4)), {}},
                      {Memory::borrow(bytes.subspan(4)), {}}};
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(&y, 1))), {}}};
  }

  uint32_t inputs[2];
  uint32_t y = 4711;
  Request request;
  ExecutionResult result;
};

/// The tests are those of both devices: of Vulkan, and of a driver of CUDA that
/// computes on the host.
class GpuControlFlowTest : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (!isCuda()) {
      NNHAL_NEEDS_VULKAN();
      module = assembledModule("ControlFlow");
      return;
    }
    void *library = ::dlopen(NNHAL_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    fake = static_cast<FakeCuda *>(::dlsym(library, "nnhalFakeCuda"));
    ASSERT_NE(fake, nullptr);
    *fake = {};
    fake->kernel = &computeKernel;
    auto text = std::as_bytes(std::span(ptx));
    module.assign(text.begin(), text.end());
    module.resize((module.size() + 3) / 4 * 4, std::byte('\n'));
  }

  static bool isCuda() { return GetParam(); }

  Result<PreparedModelRef> prepare(std::vector<GpuCommand> commands) const {
    return prepareOn(*createDevice(makeBackend()), std::move(commands));
  }
  Result<PreparedModelRef> prepareOn(const Device &device,
                                     std::vector<GpuCommand> commands) const {
    GpuProgram program;
    program.module = module;
    program.kernels = {
        {"add", 1, {1, 0}}, {"less", 1, {0, 0, 1}}, {"check", 1, {0, 1}}};
    program.commands = std::move(commands);
    std::vector<std::byte> code;
    Artifact artifact =
        artifactOf(program, code, isCuda() ? cudaTargetName : vulkanTargetName);
    artifact.inputs = {{"n", OperandType::TENSOR_INT32, {1}, 0.0f, 0},
                       {"m", OperandType::TENSOR_INT32, {1}, 0.0f, 0}};
    artifact.outputs = {{"y", OperandType::TENSOR_INT32, {1}, 0.0f, 0}};
    artifact.entries = {{"main", 0, {}, {}, 128}};
    artifact.constants = {{0, 68, "numbers"}};
    artifact.dataCacheSize = 68;
    std::vector<std::byte> constants(68);
    constants[0] = std::byte(1);
    constants[64] = std::byte(10);
    return device.prepareModelFromArtifact(writeModelCache(artifact),
                                           Memory::copy(constants));
  }
  static std::unique_ptr<Backend> makeBackend() {
    if (!isCuda())
      return createGpuBackend(vulkan::createDriver(testEngine()), noCompiler());
    auto engine = cuda::Engine::open(NNHAL_FAKE_CUDA);
    EXPECT_TRUE(engine.isOk()) << engine.status().message();
    return createGpuBackend(cuda::createDriver(*engine), noCompiler());
  }

  std::vector<std::byte> module;
  FakeCuda *fake = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Devices, GpuControlFlowTest, testing::Bool(),
                         [](const testing::TestParamInfo<bool> &info) {
                           return info.param ? "Cuda" : "Vulkan";
                         });

void expectResult(const PreparedModelRef &model, Caller caller,
                  uint32_t expected) {
  Status status = model->execute(caller.request, caller.result);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(caller.y, expected);
}

int64_t now() {
  return std::chrono::nanoseconds(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

TEST_P(GpuControlFlowTest, Branches) {
  auto model = prepare(branchProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (uint32_t number : {3u, 10u, 9u, 11u})
    expectResult(*model, Caller(number), number < 10 ? 1 : 2);
}

TEST_P(GpuControlFlowTest, Loops) {
  auto model = prepare(countProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (uint32_t rounds : {0u, 1u, 5u, 0u, 20u})
    expectResult(*model, Caller(rounds), rounds);
  // The number of rounds does not change that of the segments, which are four:
  // up to the loop, its condition, a round with the next condition, and the
  // end.
  if (isCuda()) {
    EXPECT_EQ(fake->graphs, 4u);
    EXPECT_EQ(fake->graphLaunches, 5u * 3 + 1 + 5 + 20);
  }
}

TEST_P(GpuControlFlowTest, BranchesInLoopsInLoops) {
  auto model = prepare(nestedProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (auto [outer, inner] : {std::pair(0u, 3u), {3u, 0u}, {4u, 5u}, {1u, 1u}})
    expectResult(*model, Caller(outer, inner), nestedResult(outer, inner));
}

// Arguments may be elsewhere each time.
TEST_P(GpuControlFlowTest, UsesPools) {
  auto model = prepare(nestedProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (int round = 0; round < 2; ++round) {
    auto pool = SharedMemory::createAshmem(3 * 4096);
    ASSERT_TRUE(pool.isOk()) << pool.status().message();
    auto mapped = (*pool)->mapForWriting();
    ASSERT_TRUE(mapped.isOk()) << mapped.status().message();
    (*mapped)[0] = std::byte(4);
    (*mapped)[4096] = std::byte(2);
    Request request;
    const std::shared_ptr<SharedMemory> &shared = *pool;
    request.inputs = {{Memory::region(shared, 0, 4), {}},
                      {Memory::region(shared, 4096, 4), {}}};
    request.outputs = {{OutputMemory::region(shared, 8192, 4), {}}};
    ExecutionResult result;
    Status executed = (*model)->execute(request, result);
    ASSERT_TRUE(executed.isOk()) << executed.message();
    uint32_t sum = 0;
    std::memcpy(&sum, &(*mapped)[8192], sizeof(sum));
    EXPECT_EQ(sum, nestedResult(4, 2));
  }
}

// The graphs of all segments refer to the buffers, not of the first one alone.
TEST_P(GpuControlFlowTest, UsesBuffersOfTheDeviceInTurn) {
  std::unique_ptr<Device> device = createDevice(makeBackend());
  auto model = prepareOn(*device, countProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  std::vector<PreparedModelRef> models = {*model};
  std::vector<BufferRole> roles = {{0, 0, 1.0f}};
  auto few = device->allocate({}, models, roles, {});
  auto many = device->allocate({}, models, roles, {});
  ASSERT_TRUE(few.isOk() && many.isOk());
  auto pool = SharedMemory::createAshmem(4);
  ASSERT_TRUE(pool.isOk()) << pool.status().message();
  for (auto [buffer, rounds] : {std::pair(&*few, 3u), {&*many, 7u}}) {
    ASSERT_TRUE((*pool)->write(0, std::as_bytes(std::span(&rounds, 1))).isOk());
    ASSERT_TRUE((*buffer)->copyFrom(**pool, {}).isOk());
  }
  for (auto [buffer, rounds] :
       {std::pair(&*few, 3u), {&*many, 7u}, {&*few, 3u}}) {
    Caller caller;
    caller.request.inputs[0] = {Memory::device((*buffer)->token()), {}};
    Status executed = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(executed.isOk()) << executed.message();
    EXPECT_EQ(caller.y, rounds);
  }
}

TEST_P(GpuControlFlowTest, FailedChecksEndLoops) {
  ProgramWriter writer;
  writer.set(y, 0).loop(
      [&] {
        writer.addTo(y, one);
        writer.check(y);
      },
      [&] { writer.less(y, n); });
  auto model = prepare(writer.commands);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  expectResult(*model, Caller(9), 9);
  Caller caller(UINT32_MAX);
  Status executed = (*model)->execute(caller.request, caller.result);
  EXPECT_EQ(executed.message(), "operation 7: index 10 is outside a dimension "
                                "of extent 10");
  expectResult(*model, Caller(3), 3);
}

TEST_P(GpuControlFlowTest, DeadlinesEndLoops) {
  auto model = prepare(endlessProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Caller endless(1);
  int64_t begin = now();
  endless.request.deadline = begin + 50'000'000;
  Status executed = (*model)->execute(endless.request, endless.result);
  EXPECT_EQ(executed.code(), StatusCode::missedDeadlineTransient);
  EXPECT_EQ(executed.message(),
            "the deadline passed while the model was executed");
  EXPECT_LT(now() - begin, 5'000'000'000);
  expectResult(*model, Caller(0), 5);
}

TEST_P(GpuControlFlowTest, LoopsHaveATimeout) {
  auto model = prepare(endlessProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  for (uint64_t timeout : {uint64_t(0), uint64_t(20'000'000)}) {
    Caller endless(1);
    endless.request.loopTimeout = timeout;
    Status executed = (*model)->execute(endless.request, endless.result);
    EXPECT_EQ(executed.code(), StatusCode::missedDeadlineTransient);
    const std::string &message = executed.message();
    EXPECT_EQ(message.find("operation 3: the loop ran for "), 0u) << message;
    EXPECT_TRUE(
        message.ends_with(fmt::format(" ns, its time-out is {} ns", timeout)))
        << message;
    // No round, no time-out.
    endless.inputs[0] = 0;
    EXPECT_TRUE((*model)->execute(endless.request, endless.result).isOk());
  }
}

TEST_P(GpuControlFlowTest, AddsUpTimes) {
  auto model = prepare(nestedProgram());
  ASSERT_TRUE(model.isOk()) << model.status().message();
  Caller caller(2, 2);
  caller.request.measureTiming = true;
  for (bool isMeasured : {true, false, true}) {
    caller.request.measureOperations = isMeasured;
    caller.y = 0;
    Status executed = (*model)->execute(caller.request, caller.result);
    ASSERT_TRUE(executed.isOk()) << executed.message();
    EXPECT_EQ(caller.y, nestedResult(2, 2));
    const std::vector<uint64_t> &times = caller.result.operationTimes;
    EXPECT_EQ(times.size(), isMeasured ? 4u : 0u);
    EXPECT_NE(caller.result.timing.timeOnDevice, noTiming);
    if (!isMeasured)
      continue;
    EXPECT_GT(times[3], 0u);
    // That time is in microseconds, rounded down.
    EXPECT_LE(times[3], (caller.result.timing.timeOnDevice + 1) * 1000);
  }
}

//===----------------------------------------------------------------------===//
// Any program that can be read
//===----------------------------------------------------------------------===//

/// Executes \p commands, of which the first sets y to 0 and whose conditions
/// are whether y is below \p bound, and returns y; nothing where that takes
/// more than 200 steps.
std::optional<uint32_t> simulate(const std::vector<GpuCommand> &commands,
                                 uint32_t bound) {
  uint32_t value = 0;
  bool condition = false;
  size_t next = 0;
  for (int steps = 0; steps < 200; ++steps) {
    if (next >= commands.size())
      return value;
    const GpuCommand &command = commands[next++];
    if (command.kind == GpuCommandKind::fill)
      value = command.fillWord;
    else if (command.kind == GpuCommandKind::dispatch && command.kernel == 0)
      ++value;
    else if (command.kind == GpuCommandKind::dispatch)
      condition = value < bound;
    else if (command.kind == GpuCommandKind::branch
                 ? !condition
                 : command.kind == GpuCommandKind::jump ||
                       command.kind == GpuCommandKind::loop ||
                       (command.kind == GpuCommandKind::repeat && condition))
      next = command.target;
  }
  return std::nullopt;
}

/// Commands with targets at random, as readers accept them.
std::vector<GpuCommand> randomProgram(std::minstd_rand &random) {
  ProgramWriter writer;
  writer.set(y, 0);
  std::vector<uint32_t> loops;
  std::vector<uint32_t> starts;
  for (int count = 0; count < 12; ++count) {
    uint32_t position = writer.position();
    starts.push_back(position);
    switch (random() % 6) {
    case 0:
      writer.addTo(y, one);
      break;
    case 1:
      writer.less(y, n);
      break;
    case 2:
      loops.push_back(position);
      writer.control(GpuCommandKind::loop, position);
      break;
    case 3:
      if (!loops.empty())
        writer.control(GpuCommandKind::repeat,
                       loops[random() % loops.size()] + 1);
      break;
    default:
      writer.control(random() % 2 ? GpuCommandKind::branch
                                  : GpuCommandKind::jump);
    }
  }
  // A command with its barrier stays together.
  starts.push_back(writer.position());
  for (uint32_t index = 0; index < writer.position(); ++index) {
    GpuCommand &command = writer.commands[index];
    if (!isControl(command.kind) || command.kind == GpuCommandKind::repeat)
      continue;
    auto later = std::ranges::upper_bound(starts, index);
    command.target = later[random() % uint32_t(starts.end() - later)];
  }
  return writer.commands;
}

TEST_P(GpuControlFlowTest, ExecutesWhatCanBeRead) {
  std::minstd_rand random(7);
  int endless = 0;
  for (int round = 0; round < 150; ++round) {
    std::vector<GpuCommand> commands = randomProgram(random);
    std::optional<uint32_t> expected = simulate(commands, 4);
    auto model = prepare(commands);
    ASSERT_TRUE(model.isOk()) << model.status().message();
    Caller caller(4);
    if (!expected) {
      caller.request.loopTimeout = 1'000'000;
      caller.request.deadline = now() + 200'000'000;
    }
    Status executed = (*model)->execute(caller.request, caller.result);
    EXPECT_EQ(executed.isOk(), expected.has_value()) << executed.message();
    if (expected)
      EXPECT_EQ(caller.y, *expected) << round;
    else
      ++endless;
  }
  EXPECT_GT(endless, 1);
  EXPECT_LT(endless, 75);
}

} // namespace
