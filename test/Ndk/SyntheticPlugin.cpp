//===- SyntheticPlugin.cpp - Devices with random abilities ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three devices that compute like nnhal-reference. NNHAL_TEST_SEED draws which
// operations each supports and how fast it says that it is, so that models are
// divided differently for each seed.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Backend.h"
#include "nnhal/Backend/DevicePlugin.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include <cstdlib>
#include <random>

using namespace nnhal::rt;

static uint32_t seedOfTest() {
  const char *text = std::getenv("NNHAL_TEST_SEED");
  return text ? uint32_t(std::strtoul(text, nullptr, 10)) : 0;
}

namespace {

class SyntheticBackend final : public Backend {
public:
  SyntheticBackend(const DeviceServices &services, uint32_t number)
      // Without a seed all three take ADD.
      : seed(seedOfTest() * 3 + number + 6) {
    ReferenceDeviceOptions options;
    options.services = services;
    reference = createReferenceBackend(options);
    description = reference->info();
    description.name = "test-synthetic" + std::to_string(number);
    // Entries that another process has cached are those of other abilities.
    description.cacheFiles = {};
    std::minstd_rand random(seed + 1);
    std::uniform_real_distribution<float> performance(0.05f, 0.45f);
    for (OperandPerformance &entry :
         description.capabilities.operandPerformance)
      entry.info = {performance(random), performance(random)};
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &model) const override {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           reference->supportedOperations(model));
    const std::vector<Operation> &operations = model.model.main.operations;
    for (size_t i = 0; i < answers.size(); ++i)
      if (answers[i].isOk() && !isDrawn(operations[i]))
        answers[i] = Status(StatusCode::invalidArgument,
                            "the seed gave this operation to others");
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &options,
       const LoadObserver &observer) const override {
    return reference->load(model, options, observer);
  }

private:
  /// Whether the device takes an operation like \p operation. The answer is
  /// that for the same operation of a step.
  bool isDrawn(const Operation &operation) const {
    std::minstd_rand random(seed * 131 + uint32_t(operation.type) * 17 +
                            uint32_t(operation.inputs.size()));
    random.discard(3);
    return random() % 2 == 0;
  }

  uint32_t seed;
  std::unique_ptr<Backend> reference;
  DeviceInfo description;
};

} // namespace

static Result<Backends> createBackends(const DeviceServices &services) {
  Backends backends;
  for (uint32_t i = 0; i < 3; ++i)
    backends.push_back(std::make_unique<SyntheticBackend>(services, i));
  return backends;
}

NNHAL_DEVICE_PLUGIN("synthetic", createBackends)
