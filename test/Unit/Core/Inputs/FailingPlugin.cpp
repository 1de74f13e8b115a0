//===- FailingPlugin.cpp - Devices that fail where a test wants it --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test-failing takes what nnhal-reference takes, test-failing_relu only RELU;
// both say that they are faster than every other device. NNHAL_TEST_FAILS is
// what fails: preparation or execution. Without it the devices work.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <cstdlib>
#include <string_view>

using namespace nnhal::rt;

static bool doesFail(std::string_view what) {
  const char *wanted = std::getenv("NNHAL_TEST_FAILS");
  return wanted && wanted == what;
}

namespace {

/// A model that nnhal-reference executes, or that fails.
class FailingModel final : public LoadedModel {
public:
  explicit FailingModel(std::unique_ptr<LoadedModel> model)
      : model(std::move(model)) {}

  const Interface &interface() const override { return model->interface(); }

  Result<std::unique_ptr<Workspace>>
  createWorkspace(const std::shared_ptr<MemoryBudget> &budget) const override {
    return model->createWorkspace(budget);
  }

  Status run(Invocation &invocation) const override {
    if (doesFail("execution"))
      return {StatusCode::generalFailure, "the accelerator hangs"};
    return model->run(invocation);
  }

private:
  std::unique_ptr<LoadedModel> model;
};

class FailingBackend final : public Backend {
public:
  FailingBackend(const DeviceServices &services, std::string_view name,
                 bool takesOnlyRelu)
      : takesOnlyRelu(takesOnlyRelu) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = name;
    description.cacheFiles = {};
    description.capabilities = uniformCapabilities({0.001f, 0.001f});
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           reference->supportedOperations(annotated));
    for (size_t i = 0; i < answers.size(); ++i)
      if (takesOnlyRelu &&
          annotated.model.main.operations[i].type != OperationType::RELU)
        answers[i] = Status(StatusCode::invalidArgument, "it is no RELU");
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    if (doesFail("preparation"))
      return Status(StatusCode::generalFailure, "the accelerator is missing");
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<LoadedModel> loaded,
                           reference->load(model, options, observer));
    return std::unique_ptr<LoadedModel>(
        std::make_unique<FailingModel>(std::move(loaded)));
  }

private:
  const bool takesOnlyRelu;
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};

} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  backends.push_back(std::make_unique<FailingBackend>(services, "test-failing",
                                                      /*takesOnlyRelu=*/false));
  backends.push_back(std::make_unique<FailingBackend>(
      services, "test-failing_relu", /*takesOnlyRelu=*/true));
  return backends;
}

NNHAL_DEVICE_PLUGIN("failing", createBackends)
