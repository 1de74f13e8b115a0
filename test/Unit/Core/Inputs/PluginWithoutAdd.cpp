//===- PluginWithoutAdd.cpp - A device that does not support ADD ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device is nnhal-reference, and refuses models that add; with
// NNHAL_TEST_ONLY_RELU it refuses models of anything but RELU. With
// NNHAL_TEST_TWO_DEVICES there is a second one.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"

using namespace nnhal::rt;

static bool isRefused(OperationType type) {
#ifdef NNHAL_TEST_ONLY_RELU
  return type != OperationType::RELU;
#else
  return type == OperationType::ADD;
#endif
}

namespace {
class RefusingBackend final : public Backend {
public:
  RefusingBackend(const DeviceServices &services, std::string_view name) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = name;
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    const Model &model = annotated.model;
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           reference->supportedOperations(annotated));
    bool branchesRefuse = false;
    for (const Subgraph &branch : model.referenced)
      for (const Operation &operation : branch.operations)
        branchesRefuse |= isRefused(operation.type);
    for (size_t i = 0; i < answers.size(); ++i) {
      OperationType type = model.main.operations[i].type;
      bool isBranching =
          type == OperationType::IF || type == OperationType::WHILE;
      if (isRefused(type) || (isBranching && branchesRefuse))
        answers[i] =
            Status(StatusCode::invalidArgument,
                   description.name + " does not execute " + nameOf(type));
    }
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           supportedOperations(model));
    for (Status &answer : answers)
      NNHAL_RETURN_IF_ERROR(std::move(answer));
    return reference->load(model, options, observer);
  }

private:
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};
} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  backends.push_back(
      std::make_unique<RefusingBackend>(services, "test-refusing"));
#ifdef NNHAL_TEST_TWO_DEVICES
  backends.push_back(
      std::make_unique<RefusingBackend>(services, "test-second"));
#endif
  return backends;
}

NNHAL_DEVICE_PLUGIN("refusing", createBackends)
