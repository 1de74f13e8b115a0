//===- PlantedDevice.h - A device that is wrong on purpose ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_PLANTEDDEVICE_H
#define NNHAL_TEST_RANDOMGRAPH_PLANTEDDEVICE_H

#include "Tools/Verify/Interpreter.h"

#include <functional>

namespace nnhal::randomgraph {

using namespace verify;

/// What a planted device does differently; whatever is empty it does as the
/// reference device does.
struct Plant {
  /// Whether it takes an operation.
  std::function<bool(const rt::Operation &)> supports;
  /// Another model in place of the one to prepare.
  std::function<rt::Status(rt::Model &)> changeModel;
  /// What becomes of an execution that has succeeded.
  std::function<rt::Status(const rt::Model &, Tensors &)> changeOutputs;
  /// Answers with tensors without elements instead of an error.
  bool invent = false;
  /// Executes one operation at a time with this noise.
  NoiseLevel noise = NoiseLevel::none;
};

/// The reference device with \p plant. Of a device only what the tests of this
/// folder need; \p reference outlives it.
std::unique_ptr<rt::Device> createPlantedDevice(const rt::Device &reference,
                                                Plant plant);

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_PLANTEDDEVICE_H
