//===- AdditionModel.h - A model that adds 1 --------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_ADDITIONMODEL_H
#define NNHAL_TEST_UNIT_CORE_ADDITIONMODEL_H

#include "nnhal/Backend/HostCodeModel.h"

#include <memory>
#include <vector>

namespace nnhal::rt::testing {

/// Adds 1 to one float.
class AdditionModel : public HostCodeModel {
public:
  /// Has an arena of \p arena bytes, whatever \p model asks for.
  explicit AdditionModel(const AnnotatedModel &model, uint64_t arena = 64)
      : face(interfaceOf(model)), arena(arena) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return arena; }
  Status call(NNHalExecutionContext &context) const override {
    *static_cast<float *>(context.outputs[0].data) =
        *static_cast<const float *>(context.inputs[0].data) + 1;
    context.outputs[0].isSufficient = 1;
    return Status::ok();
  }

private:
  const Interface face;
  const uint64_t arena;
};

/// Loads every model as a `LoadedAs`.
template <typename LoadedAs> class OneModelBackend final : public Backend {
public:
  OneModelBackend() {
    description.name = "test-addition";
    description.version = "1";
  }
  const DeviceInfo &info() const override { return description; }
  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &) const override {
    return std::vector<Status>(1);
  }
  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &model, const PrepareOptions &,
       const LoadObserver &) const override {
    return std::unique_ptr<LoadedModel>(std::make_unique<LoadedAs>(model));
  }

private:
  DeviceInfo description;
};

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_CORE_ADDITIONMODEL_H
