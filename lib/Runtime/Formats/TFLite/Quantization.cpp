//===- Quantization.cpp - Import of quantize and dequantize ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// Makes output 0 the constant that input 0 is, read with \p expansion.
static Status fold(Operator &op, Expansion expansion) {
  NNHAL_RETURN_IF_ERROR(op.graph.bindConstant(op.output(0), op.input(0)));
  op.output(0).expansion = expansion;
  return Status();
}

Status importDequantize(Operator &op) {
  const Tensor &from = op.input(0), &to = op.output(0);
  if (to.sourceType != schema::TensorType::FLOAT32)
    return badData("output 0 has type {}, expected FLOAT32",
                   nameOf(to.sourceType));
  if (from.sourceType == schema::TensorType::FLOAT16) {
    if (!from.isConstant)
      return OperationBuilder(op, OperationType::CAST).input(0).finish();
    op.output(0).sourceType = schema::TensorType::FLOAT16;
    return fold(op, Expansion::Float16ToFloat32);
  }
  // The constant itself is FLOAT32 here.
  if (from.sourceType == schema::TensorType::BFLOAT16 || from.blocks)
    return fold(op, from.expansion);
  if (from.type == OperandType::TENSOR_FLOAT32)
    return badData("the HAL's DEQUANTIZE does not take input 0 of type {}",
                   nameOf(from.sourceType));
  // DEQUANTIZE takes ranks up to 4 (M-146).
  if (from.shape->size() > 4)
    return badData(
        "the HAL's DEQUANTIZE takes at most rank 4, but input 0 has shape {}",
        toString(*from.shape));
  return OperationBuilder(op, OperationType::DEQUANTIZE).input(0).finish();
}

Status importDensify(Operator &op) {
  if (!op.isConstant(0))
    return badData("input 0 must be a constant");
  if (op.output(0).sourceType != op.input(0).sourceType)
    return badData("output 0 has type {}, but input 0 has type {}",
                   nameOf(op.output(0).sourceType),
                   nameOf(op.input(0).sourceType));
  return fold(op, op.input(0).expansion);
}

Status importQuantize(Operator &op) {
  const Tensor &from = op.input(0), &to = op.output(0);
  if (!to.type)
    return badData("{} {}", describe(to), to.typeProblem);
  if (*to.type != OperandType::TENSOR_QUANT8_ASYMM &&
      *to.type != OperandType::TENSOR_QUANT8_ASYMM_SIGNED)
    return badData("the HAL's QUANTIZE does not give type {}",
                   nameOf(to.sourceType));
  if (!isQuantized(*from.type))
    return OperationBuilder(op, OperationType::QUANTIZE).input(0).finish();
  // The HAL has no requantization: through real values.
  NNHAL_ASSIGN_OR_RETURN(uint32_t source, op.graph.use(op.input(0)));
  Operand real;
  real.type = OperandType::TENSOR_FLOAT32;
  real.dimensions = op.graph.operand(source).dimensions;
  uint32_t realIndex = op.graph.addOperand(std::move(real));
  op.graph.addOperation(OperationType::DEQUANTIZE, {source}, {realIndex});
  return OperationBuilder(op, OperationType::QUANTIZE)
      .operand(realIndex)
      .finish();
}

} // namespace nnhal::rt::tflite
