//===- Routines.cpp - Operations left to the runtime ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/OperationLowering.h"

#include "Runtime/Artifact/RoutineSignature.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <array>

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

/// Scalars that are known stand in the signature, everything else is passed.
static LogicalResult lowerToCall(OperationLowering &op) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  rt::OperationView view = op.view();
  SmallVector<Value> inputs;
  for (auto [index, operand] : llvm::enumerate(view.inputs)) {
    bool isScalar = rt::isScalar(operand.type.type);
    if (operand.isOmitted || (isScalar && operand.value))
      continue;
    operand.value.reset();
    if (!isScalar) {
      inputs.push_back(op.input(index).get());
      continue;
    }
    Scalar scalar = op.scalar(index);
    inputs.push_back(tensor::FromElementsOp::create(
        builder, RankedTensorType::get({}, scalar.getType()),
        ValueRange(scalar.get())));
  }
  for (auto [index, operand] : llvm::enumerate(view.outputs))
    operand.type = op.outputType(index);
  SmallVector<Type> types;
  for (rt::OperandView &output : view.outputs) {
    assert(output.type.isRanked && "rules tell the ranks of these results");
    types.push_back(op.valueType(output.type));
  }
  std::vector<uint8_t> signature = rt::writeRoutineSignature(view);
  auto call = runtime::CallRoutineOp::create(
      builder, types, inputs, *rt::routineSlot(op.type()),
      ArrayRef(reinterpret_cast<const int8_t *>(signature.data()),
               signature.size()),
      /*reason=*/StringAttr());
  for (auto [index, result] : llvm::enumerate(call.getResults()))
    op.setOutput(index, {builder, result, view.outputs[index].type});
  return success();
}

std::span<const LoweringRow> nnhal::routineRows() {
  static constexpr std::array rows = {
#define NNHAL_ROUTINE(SLOT, OPERATION, WHY)                                    \
  LoweringRow{OperationType::OPERATION, lowerToCall},
#include "Runtime/Artifact/Routines.def"
  };
  return rows;
}
