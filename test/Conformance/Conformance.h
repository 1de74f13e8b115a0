//===- Conformance.h - What all tests of the suite share --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The tests of this folder are compiled once and linked with one device after
// another. Each names the requirements that it covers. A test whose model a
// device does not support is skipped, with the reason; a device that supports a
// model and fails with it fails the test (C-032).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_CONFORMANCE_CONFORMANCE_H
#define NNHAL_TEST_CONFORMANCE_CONFORMANCE_H

#include "ModelBuilder.h"

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceServices.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace nnhal::rt::conformance {

/// Each program defines it: the device that it tests.
std::unique_ptr<Device> createDeviceUnderTest(DeviceServices services = {});

/// Skips the test unless \p device supports all of \p model; then prepares it.
#define NNHAL_PREPARE_OR_SKIP(PREPARED, DEVICE, MODEL, ...)                    \
  PreparedModelRef PREPARED;                                                   \
  do {                                                                         \
    const AnnotatedModel &modelToPrepare = (MODEL);                            \
    if (auto reason = unsupportedReason(DEVICE, modelToPrepare))               \
      GTEST_SKIP() << *reason;                                                 \
    auto result =                                                              \
        (DEVICE).prepareModel(modelToPrepare __VA_OPT__(, ) __VA_ARGS__);      \
    ASSERT_TRUE(result.isOk()) << result.status().message();                   \
    PREPARED = *result;                                                        \
  } while (false)

/// Skips a test of DeviceServices that a device of another process does not
/// use: queues, threads and limits are its own there.
#define NNHAL_SKIP_REMOTE(DEVICE)                                              \
  do {                                                                         \
    if ((DEVICE).traits().isRemote)                                            \
      GTEST_SKIP() << "the device is in another process";                      \
  } while (false)

/// Why \p device cannot execute \p model; nothing when it can.
std::optional<std::string> unsupportedReason(const Device &device,
                                             const AnnotatedModel &model);

/// Arguments of a model with float inputs and outputs, in memory of its own.
/// Inputs are filled with 1, 2, 3...; outputs with NaN.
class FloatArguments {
public:
  explicit FloatArguments(const PreparedModel &model);
  /// For models with unknown extents.
  FloatArguments(const std::vector<Dimensions> &inputShapes,
                 const std::vector<Dimensions> &outputShapes);

  std::vector<std::vector<float>> inputs;
  std::vector<std::vector<float>> outputs;
  Request request;

private:
  void bind(const std::vector<Dimensions> &inputShapes,
            const std::vector<Dimensions> &outputShapes);
};

/// Arguments of the loops of ModelBuilder.h: one INT32 value.
struct LoopArguments {
  explicit LoopArguments(int32_t first = 0);
  LoopArguments(const LoopArguments &) = delete;
  LoopArguments &operator=(const LoopArguments &) = delete;

  int32_t input;
  int32_t output = -7;
  Request request;
};

/// What a callback was given, and how often.
template <typename T> class Notified {
public:
  void notify(T value) {
    std::lock_guard lock(mutex);
    last = std::move(value);
    ++calls;
    changed.notify_all();
  }
  /// The first value; fails the test when none comes within ten seconds.
  T wait() {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(10),
                                 [&] { return calls > 0; }));
    return *last;
  }
  int count() {
    std::lock_guard lock(mutex);
    return calls;
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<T> last;
  int calls = 0;
};

struct Executed {
  Status status;
  ExecutionResult result;
};

/// An ExecutionCallback that tells \p notified, which it keeps.
ExecutionCallback notifying(std::shared_ptr<Notified<Executed>> notified);

enum class Mode { sync, async, fenced };
std::string toString(Mode mode);

/// Executes in \p mode and waits for the end. For fenced executions the result
/// has no shapes; their timing is that from the launch on.
Executed executeIn(Mode mode, const PreparedModel &model,
                   const Request &request);

inline constexpr int64_t millisecond = 1'000'000;

/// Whether \p condition holds within ten seconds.
bool eventually(const std::function<bool()> &condition);

class ConformanceTest : public testing::Test {
protected:
  std::unique_ptr<Device> device = createDeviceUnderTest();
};

/// A test that is run in every mode.
class ModeTest : public ConformanceTest,
                 public testing::WithParamInterface<Mode> {};

#define NNHAL_ALL_MODES(SUITE)                                                 \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      All, SUITE, testing::Values(Mode::sync, Mode::async, Mode::fenced),      \
      [](const auto &info) { return toString(info.param); })

} // namespace nnhal::rt::conformance

#endif // NNHAL_TEST_CONFORMANCE_CONFORMANCE_H
