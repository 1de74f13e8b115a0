//===- FaultsTest.cpp - C clients whose device fails ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over the plug-in test/Plugins/FaultyDevices.cpp, whose device test-faulty
// fails as the environment says.
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include "Plugins/Probe.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <limits>
#include <thread>
#include <unistd.h>

using namespace client;
using nnhal::test::Probe;

namespace {

/// The device of the plug-in, which the library finds with its first call.
const ANeuralNetworksDevice *faulty() {
  ::setenv("NNHAL_PLUGINS", NNHAL_FAULTY_DEVICES, 1);
  ::setenv("NNHAL_VLOG", "model", 1);
  const ANeuralNetworksDevice *device = findDevice("test-faulty");
  EXPECT_NE(device, nullptr);
  return device;
}

/// Has the device fail as long as the object lives.
class Fault {
public:
  Fault(const char *name, uint32_t status) : name(name) {
    ::setenv(name, std::to_string(status).c_str(), 1);
  }
  ~Fault() { ::unsetenv(name); }
  Fault(const Fault &) = delete;
  Fault &operator=(const Fault &) = delete;

private:
  const char *name;
};

/// A status of a device and the result code that clients get for it.
struct Outcome {
  uint32_t status;
  Result code;
};

constexpr Outcome outcomes[] = {{1, Result::UNAVAILABLE_DEVICE},
                                {2, Result::OP_FAILED},
                                {4, Result::BAD_DATA},
                                {5, Result::MISSED_DEADLINE_TRANSIENT},
                                {6, Result::MISSED_DEADLINE_PERSISTENT},
                                {7, Result::RESOURCE_EXHAUSTED_TRANSIENT},
                                {8, Result::RESOURCE_EXHAUSTED_PERSISTENT},
                                {10000, Result::DEAD_OBJECT}};

// J-044, J-072, J-114, C-093 to C-100: what a listed device fails with is what
// finish returns, once.
TEST(NeuralNetworksFaults, AreReturnedByFinish) {
  const ANeuralNetworksDevice *device = faulty();
  Model model;
  buildAdd(model);
  ASSERT_EQ(model.finish(), Result::NO_ERROR);
  for (const Outcome &outcome : outcomes) {
    Compilation compilation(model, {device});
    {
      Fault fault("NNHAL_TEST_PREPARE_FAULT", outcome.status);
      EXPECT_EQ(compilation.finish(), outcome.code) << outcome.status;
    }
    EXPECT_EQ(compilation.finish(), Result::BAD_STATE);
    EXPECT_EQ(Execution(compilation).creation(), Result::BAD_STATE);
  }
  Compilation compilation(model, {device});
  ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
  AddExecution run(compilation);
  run.setAll();
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  run.expectSum();
}

/// A finished ADD, compiled for test-faulty alone.
struct FaultyAdd {
  FaultyAdd() {
    const ANeuralNetworksDevice *device = faulty();
    buildAdd(model);
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
    compilation = std::make_unique<Compilation>(
        model, std::vector<const ANeuralNetworksDevice *>{device});
    EXPECT_EQ(compilation->finish(), Result::NO_ERROR);
  }

  Model model;
  std::unique_ptr<Compilation> compilation;
};

/// Nothing can be asked of an execution that has failed; a question for its
/// duration has the code \p refusal.
void expectNoResults(const Execution &execution,
                     Result refusal = Result::BAD_STATE) {
  uint32_t rank = 0;
  uint64_t duration = 0;
  EXPECT_EQ(
      ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank),
      ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(Result(ANeuralNetworksExecution_getDuration(execution.get(), 0,
                                                        &duration)),
            refusal);
  EXPECT_EQ(duration, std::numeric_limits<uint64_t>::max());
}

// J-012, J-095, J-114, L-040: what a device fails with comes with the
// computation, and with events each time that they are waited for.
TEST(NeuralNetworksFaults, AreToldByEvents) {
  FaultyAdd add;
  for (const Outcome &outcome : outcomes) {
    SCOPED_TRACE(outcome.status);
    Fault fault("NNHAL_TEST_EXECUTE_FAULT", outcome.status);
    AddExecution plain(*add.compilation), started(*add.compilation),
        fenced(*add.compilation);
    for (AddExecution *run : {&plain, &started, &fenced}) {
      run->setAll();
      EXPECT_EQ(
          ANeuralNetworksExecution_setMeasureTiming(run->execution.get(), true),
          ANEURALNETWORKS_NO_ERROR);
    }
    EXPECT_EQ(plain.execution.compute(), outcome.code);
    Event event, end;
    ASSERT_EQ(started.execution.startCompute(&event), Result::NO_ERROR);
    ASSERT_EQ(fenced.execution.startComputeWithDependencies({}, 0, &end),
              Result::NO_ERROR);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(event.wait(), outcome.code);
      EXPECT_EQ(end.wait(), outcome.code);
    }
    expectNoResults(plain.execution);
    expectNoResults(started.execution);
    // A dead device does not tell about a fenced execution (J-012).
    expectNoResults(fenced.execution, outcome.code == Result::DEAD_OBJECT
                                          ? Result::OP_FAILED
                                          : Result::BAD_STATE);
  }
}

// J-015, J-095: a burst tells what its device fails with.
TEST(NeuralNetworksFaults, AreToldByBursts) {
  FaultyAdd add;
  ANeuralNetworksBurst *burst = nullptr;
  ASSERT_EQ(ANeuralNetworksBurst_create(add.compilation->get(), &burst),
            ANEURALNETWORKS_NO_ERROR);
  for (const Outcome &outcome : outcomes) {
    Fault fault("NNHAL_TEST_EXECUTE_FAULT", outcome.status);
    AddExecution run(*add.compilation);
    run.setAll();
    EXPECT_EQ(Result(ANeuralNetworksExecution_burstCompute(run.execution.get(),
                                                           burst)),
              outcome.code)
        << outcome.status;
  }
  ANeuralNetworksBurst_free(burst);
}

// J-012, J-099, D-058: after a fenced start the fenced durations begin when the
// dependencies have signaled, and the plain ones with the start.
TEST(NeuralNetworksFaults, LeaveDurationsOfFencedStarts) {
  FaultyAdd add;
  for (bool isHeldBack : {false, true}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ANeuralNetworksEvent *made = nullptr;
    ASSERT_EQ(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &made),
              ANEURALNETWORKS_NO_ERROR);
    Event dependency, end;
    dependency.set(made);
    AddExecution run(*add.compilation);
    run.setAll();
    auto *execution = run.execution.get();
    ASSERT_EQ(ANeuralNetworksExecution_setMeasureTiming(execution, true),
              ANEURALNETWORKS_NO_ERROR);
    uint64_t early = 0;
    if (isHeldBack) {
      ASSERT_EQ(
          run.execution.startComputeWithDependencies({&dependency}, 0, &end),
          Result::NO_ERROR);
      EXPECT_EQ(ANeuralNetworksExecution_getDuration(execution, 0, &early),
                ANEURALNETWORKS_BAD_STATE);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(::write(ends[1], "", 1), 1);
    } else {
      ASSERT_EQ(run.execution.startComputeWithDependencies({}, 0, &end),
                Result::NO_ERROR);
    }
    ASSERT_EQ(end.wait(), Result::NO_ERROR);
    run.expectSum();
    std::array<uint64_t, 4> durations = {};
    for (int32_t code = 0; code < 4; ++code) {
      ASSERT_EQ(ANeuralNetworksExecution_getDuration(execution, code,
                                                     &durations[size_t(code)]),
                ANEURALNETWORKS_NO_ERROR);
      EXPECT_NE(durations[size_t(code)], std::numeric_limits<uint64_t>::max());
    }
    EXPECT_LE(durations[0], durations[1]); // On the hardware, in the driver.
    EXPECT_LE(durations[2], durations[3]); // The same since the fences.
    EXPECT_LE(durations[3], durations[1]);
    if (isHeldBack) {
      EXPECT_GE(durations[1], durations[3] + 19'000'000);
    }
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

/// A model of OEM_OPERATION, whose input is of type \p type.
struct CompiledProbe {
  explicit CompiledProbe(const OperandType &type) {
    const ANeuralNetworksDevice *device = faulty();
    uint32_t input = model.addOperand(type);
    uint32_t output = model.addOperand({Type::TENSOR_INT32, {4}});
    model.addOperation(10000, {input}, {output});
    model.identifyInputsAndOutputs({input}, {output});
    EXPECT_TRUE(model.isValid());
    EXPECT_EQ(model.finish(), Result::NO_ERROR);
    compilation = std::make_unique<Compilation>(
        model, std::vector<const ANeuralNetworksDevice *>{device});
    EXPECT_EQ(compilation->finish(), Result::NO_ERROR);
  }

  Model model;
  std::unique_ptr<Compilation> compilation;
};

/// OEM_SCALAR and TENSOR_OEM_BYTE.
constexpr auto oemScalar = Type(10000), oemTensor = Type(10001);

/// An execution that is told about.
struct ProbeExecution {
  explicit ProbeExecution(const CompiledProbe &probe, size_t length = 4)
      : execution(*probe.compilation) {
    EXPECT_EQ(execution.setInput(0, bytes, length), Result::NO_ERROR);
    EXPECT_EQ(execution.setOutput(0, &told, sizeof(told)), Result::NO_ERROR);
  }

  char bytes[64] = {};
  alignas(16) Probe told;
  Execution execution;
};

// J-088, F-023, H-049: an OEM scalar has whatever length the client says, and
// the device gets that. The elements of an OEM tensor are bytes.
TEST(NeuralNetworksProbe, TellsLengthsOfOemArguments) {
  CompiledProbe scalar(oemScalar), tensor({oemTensor, {4}});
  for (size_t length : {1, 4, 7, 64}) {
    ProbeExecution run(scalar, length);
    ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(run.told.inputSize, int32_t(length));
  }
  ProbeExecution run(tensor);
  ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(run.told.inputSize, 4);
  Execution refused(*tensor.compilation);
  for (size_t length : {1, 3, 5})
    EXPECT_EQ(refused.setInput(0, run.bytes, length), Result::BAD_DATA);
}

// H-048: OEM types and operations are accepted, and said to be deprecated.
TEST(NeuralNetworksProbe, TellsThatOemIsDeprecated) {
  const std::string sentence =
      "finish: OEM types and operations are deprecated, extensions take their "
      "place\n";
  ::testing::internal::CaptureStderr();
  CompiledProbe probe(oemScalar);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(sentence),
            std::string::npos);
  ::testing::internal::CaptureStderr();
  FaultyAdd add;
  EXPECT_EQ(::testing::internal::GetCapturedStderr().find(sentence),
            std::string::npos);
}

// J-057, D-082: more than 15 s for a loop counts as 15 s, and 2 s where nothing
// is set.
TEST(NeuralNetworksProbe, TellsLoopTimeouts) {
  CompiledProbe probe({oemTensor, {4}});
  ProbeExecution plain(probe);
  ASSERT_EQ(plain.execution.compute(), Result::NO_ERROR);
  EXPECT_EQ(plain.told.loopTimeout, 2'000'000'000u);
  const uint64_t cases[][2] = {{1, 1},
                               {15'000'000'000, 15'000'000'000},
                               {15'000'000'001, 15'000'000'000},
                               {UINT64_MAX, 15'000'000'000}};
  for (const auto &[given, told] : cases) {
    ProbeExecution run(probe);
    ASSERT_EQ(
        ANeuralNetworksExecution_setLoopTimeout(run.execution.get(), given),
        ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(run.execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(run.told.loopTimeout, told);
  }
}

static bool isSet(const char *name, const char *value) {
  const char *text = std::getenv(name);
  return text && std::string(text) == value;
}

// I-006, I-007, J-096: a start computes on another thread unless
// NNHAL_SYNCEXEC_RUNTIME is 1, a computation on its caller's unless
// NNHAL_SYNCEXEC_HAL is 0. CTest runs this with either.
TEST(NeuralNetworksProbe, TellsThreads) {
  CompiledProbe probe({oemTensor, {4}});
  bool isStartHere = isSet("NNHAL_SYNCEXEC_RUNTIME", "1");
  bool isComputeHere = !isSet("NNHAL_SYNCEXEC_HAL", "0");
  for (int i = 0; i < 3; ++i) {
    ProbeExecution started(probe), computed(probe);
    Event event;
    ASSERT_EQ(started.execution.startCompute(&event), Result::NO_ERROR);
    EXPECT_EQ(event.wait(), Result::NO_ERROR);
    EXPECT_EQ(started.told.thread == ::gettid(), isStartHere);
    ASSERT_EQ(computed.execution.compute(), Result::NO_ERROR);
    EXPECT_EQ(computed.told.thread == ::gettid(), isComputeHere);
    EXPECT_NE(started.told.thread, 0);
    EXPECT_NE(computed.told.thread, 0);
  }
}

} // namespace
