//===- SupportedOperations.cpp - What nnhal-cpu can execute ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SupportedOperations.h"

#include <algorithm>
#include <array>

using namespace nnhal::rt;

// The lowering of these families covers every operation of theirs but those of
// the second list.
static constexpr std::array compiledFamilies = {
    OperationFamily::Elementwise,  OperationFamily::Activation,
    OperationFamily::Contraction,  OperationFamily::Window,
    OperationFamily::Reduction,    OperationFamily::DataMovement,
    OperationFamily::Quantization,
};
static constexpr std::array notCompiled = {
    OperationType::RANK,
    OperationType::TOPK_V2,
};

static bool isCompiled(const Operation &operation) {
  const OperationInfo *info = lookUp(operation.type);
  return info &&
         std::ranges::find(compiledFamilies, info->family) !=
             compiledFamilies.end() &&
         std::ranges::find(notCompiled, operation.type) == notCompiled.end();
}

/// Element types that code computes with. Quantized tensors are left to a
/// later version.
static bool isCompiled(OperandType type) {
  switch (type) {
  case OperandType::TENSOR_FLOAT32:
  case OperandType::TENSOR_INT32:
  case OperandType::TENSOR_BOOL8:
    return true;
  default:
    return isScalar(type) && type != OperandType::SUBGRAPH &&
           type != OperandType::OEM;
  }
}

static bool isCompiled(const Operand &operand) {
  // A tensor without dimensions has an unknown rank.
  bool isUnknownRank = isTensor(operand.type) && operand.dimensions.empty();
  return operand.lifetime == OperandLifeTime::NO_VALUE ||
         (isCompiled(operand.type) && !isUnknownRank);
}

std::vector<bool> nnhal::rt::cpuSupportedOperations(const Model &model) {
  std::vector<bool> supported;
  for (const Operation &operation : model.main.operations) {
    auto fits = [&](uint32_t index) {
      return isCompiled(model.main.operands[index]);
    };
    supported.push_back(isCompiled(operation) &&
                        std::ranges::all_of(operation.inputs, fits) &&
                        std::ranges::all_of(operation.outputs, fits));
  }
  return supported;
}
