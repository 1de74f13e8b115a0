//===- FaultyDevices.cpp - Devices that fail as a test wants --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in with two devices that compute like nnhal-reference and say that
// nothing is faster.
//
// test-faulty fails where the environment says so when it is called: with the
// HAL's status of the number NNHAL_TEST_PREPARE_FAULT when it prepares, and
// NNHAL_TEST_EXECUTE_FAULT when it executes. NNHAL_TEST_EXECUTE_MISDEED lets it
// spoil outputs, waver (spoil those of all executions but the first), keep 3
// MiB of memory of each execution, abort or hang instead. It executes a model
// of one OEM_OPERATION, too, whose result is Probe.h.
//
// test-stalled takes loops only. It writes wrong outputs, and then never ends.
//
//===----------------------------------------------------------------------===//

#include "Probe.h"

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace nnhal::rt;
using nnhal::test::Probe;

/// The failure that the environment variable \p name has the number of; a
/// success where it is not set.
static Status faultOf(const char *name) {
  const char *text = std::getenv(name);
  auto code = StatusCode(text ? uint32_t(std::strtoul(text, nullptr, 10)) : 0u);
  return code == StatusCode::none ? Status::ok()
                                  : Status(code, std::string(name) + " is set");
}

static bool isProbe(const Model &model) {
  const std::vector<Operation> &operations = model.main.operations;
  return operations.size() == 1 &&
         operations[0].type == OperationType::OEM_OPERATION;
}

namespace {

class ProbeModel final : public LoadedModel {
public:
  explicit ProbeModel(const AnnotatedModel &model) : face(interfaceOf(model)) {}

  const Interface &interface() const override { return face; }
  Status run(Invocation &invocation) const override {
    NNHAL_RETURN_IF_ERROR(faultOf("NNHAL_TEST_EXECUTE_FAULT"));
    const Probe probe = {int32_t(::gettid()),
                         int32_t(invocation.inputs[0].size),
                         invocation.loopTimeout};
    std::memcpy(invocation.outputs[0].data, &probe, sizeof(probe));
    return Status::ok();
  }

private:
  const Interface face;
};

/// Keeps memory by the time that has passed, so that a machine that is fast
/// does not run out of it, and one that is busy keeps as much: after a second
/// 60 MiB, after two seconds four times as much, and no more after four.
void keepMore() {
  using namespace std::chrono;
  static const auto begin = steady_clock::now();
  static std::mutex mutex;
  static std::vector<std::string> kept;
  static size_t total = 0;
  std::lock_guard lock(mutex);
  double seconds = duration<double>(steady_clock::now() - begin).count();
  seconds = std::min(seconds, 4.0);
  auto wanted = size_t(seconds * seconds * (60 << 20));
  kept.emplace_back(wanted - total, 'k');
  total = wanted;
}

class FaultyModel final : public LoadedModel {
public:
  explicit FaultyModel(std::unique_ptr<LoadedModel> engine)
      : engine(std::move(engine)) {}

  const Interface &interface() const override { return engine->interface(); }
  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override {
    return engine->createWorkspace(budget);
  }
  Status run(Invocation &invocation) const override {
    NNHAL_RETURN_IF_ERROR(faultOf("NNHAL_TEST_EXECUTE_FAULT"));
    const char *misdeed = std::getenv("NNHAL_TEST_EXECUTE_MISDEED");
    std::string_view what = misdeed ? misdeed : "";
    if (what == "abort")
      std::abort();
    while (what == "hang")
      std::this_thread::sleep_for(std::chrono::seconds(1));
    NNHAL_RETURN_IF_ERROR(engine->run(invocation));
    if (what == "keep")
      keepMore();
    // Every execution but the first is wrong.
    static std::atomic<bool> hasRun = false;
    if (what == "spoil" || (what == "waver" && hasRun.exchange(true)))
      invocation.outputs[0].data[3] ^= std::byte(0x40);
    return Status::ok();
  }

private:
  const std::unique_ptr<LoadedModel> engine;
};

class StalledModel final : public LoadedModel {
public:
  explicit StalledModel(const AnnotatedModel &model)
      : face(interfaceOf(model)) {}

  const Interface &interface() const override { return face; }
  Status run(Invocation &invocation) const override {
    for (const InvocationArgument &output : invocation.outputs)
      std::memset(output.data, 0x55, output.size);
    while (!invocation.isCancelled())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Status(StatusCode::missedDeadlineTransient, "test-stalled stalls");
  }

private:
  const Interface face;
};

/// What both devices have in common.
class FaultyBackend : public Backend {
public:
  explicit FaultyBackend(std::string name) : engine(createReferenceBackend()) {
    description.name = std::move(name);
    description.version = "1";
    description.type = DeviceType::accelerator;
    description.capabilities = uniformCapabilities({0.01f, 0.01f});
  }

  const DeviceInfo &info() const override { return description; }

protected:
  const std::unique_ptr<Backend> engine;

private:
  DeviceInfo description;
};

class FaultyDevice final : public FaultyBackend {
public:
  FaultyDevice() : FaultyBackend("test-faulty") {}

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    if (isProbe(model.model))
      return std::vector<Status>(1);
    return engine->supportedOperations(model);
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_RETURN_IF_ERROR(faultOf("NNHAL_TEST_PREPARE_FAULT"));
    if (isProbe(model.model))
      return std::unique_ptr<LoadedModel>(std::make_unique<ProbeModel>(model));
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           engine->load(model, options, observer));
    return std::unique_ptr<LoadedModel>(
        std::make_unique<FaultyModel>(std::move(loaded)));
  }
};

class StalledDevice final : public FaultyBackend {
public:
  StalledDevice() : FaultyBackend("test-stalled") {}

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           engine->supportedOperations(model));
    const std::vector<Operation> &operations = model.model.main.operations;
    for (size_t i = 0; i < answers.size(); ++i)
      if (answers[i].isOk() && operations[i].type != OperationType::WHILE)
        answers[i] = Status(StatusCode::invalidArgument, "it is no loop");
    return answers;
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &) const override {
    return std::unique_ptr<LoadedModel>(std::make_unique<StalledModel>(model));
  }
};

} // namespace

static Result<Backends> createBackends(const DeviceServices &) {
  Backends backends;
  backends.push_back(std::make_unique<FaultyDevice>());
  backends.push_back(std::make_unique<StalledDevice>());
  return backends;
}

NNHAL_DEVICE_PLUGIN("faulty devices", createBackends)
