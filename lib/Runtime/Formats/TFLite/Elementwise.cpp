//===- Elementwise.cpp - Import of element-wise operators -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationBuilder.h"
#include "OperatorTable.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// The fused activation of an arithmetic operator.
static Result<schema::Activation> activationOf(Operator &op) {
  switch (op.row.code) {
  case schema::BuiltinOperator::ADD: {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::AddOptions>());
    return options->activation();
  }
  case schema::BuiltinOperator::SUB: {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::SubOptions>());
    return options->activation();
  }
  case schema::BuiltinOperator::MUL: {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::MulOptions>());
    return options->activation();
  }
  default: {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::DivOptions>());
    return options->activation();
  }
  }
}

Status importElementwise(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(schema::Activation activation, activationOf(op));
  // Arithmetic on integers has no activation (M-020).
  if (op.input(0).type == OperandType::TENSOR_INT32 &&
      activation != schema::Activation::NONE)
    return badData("the HAL has no fused activation for INT32");
  for (size_t i = 0; i < 2; ++i)
    if (op.shape(i).size() > 4)
      return badData(
          "the HAL's {} takes at most rank 4, but input {} has shape {}",
          nameOf(op.row.type), i, toString(op.shape(i)));
  OperationBuilder builder(op, op.row.type);
  // No quantized form in the HAL, or none for such scales (M-039).
  const Tensor &a = op.input(0), &b = op.input(1), &result = op.output(0);
  if (op.row.type == OperationType::DIV ||
      (op.row.type == OperationType::MUL && isQuantized(*a.type) &&
       result.scale <= a.scale * b.scale))
    builder.throughReals();
  return builder.input(0).input(1).activation(activation).finish();
}

/// EMBEDDING_LOOKUP of bytes whose results are reals: the rows that are looked
/// up become reals, not the table.
static Status importHybridLookup(Operator &op) {
  using Code = schema::BuiltinOperator;
  const Tensor table = op.input(1);
  Rewriter r(op);
  if (!table.channels) {
    NNHAL_ASSIGN_OR_RETURN(int32_t rows,
                           r.value(Code::EMBEDDING_LOOKUP,
                                   {op.inputs[0], op.inputs[1]}, op.inputs[1]));
    return r.finish(Code::DEQUANTIZE, {rows});
  }
  if (table.channels->channelDim != 0)
    return badData("{} has scales of dimension {}, expected those of its rows",
                   describe(table), table.channels->channelDim);
  Tensor numbers = table;
  numbers.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  numbers.channels.reset();
  numbers.scale = 1;
  numbers.operand.reset();
  auto stored = int32_t(op.graph.addTensor(std::move(numbers)));
  Shape perRow(table.shape->size(), 1);
  perRow[0] = (*table.shape)[0];
  int32_t scales = r.reals(table.channels->scales, perRow),
          like = op.outputs[0];
  NNHAL_ASSIGN_OR_RETURN(int32_t rows, r.value(Code::EMBEDDING_LOOKUP,
                                               {op.inputs[0], stored}, stored));
  NNHAL_ASSIGN_OR_RETURN(int32_t reals,
                         r.value(Code::DEQUANTIZE, {rows}, like));
  NNHAL_ASSIGN_OR_RETURN(
      int32_t factors,
      r.value(Code::EMBEDDING_LOOKUP, {op.inputs[0], scales}, scales));
  return r.finish(Code::MUL, {reals, factors});
}

Status importUnary(Operator &op) {
  if (op.row.type == OperationType::EMBEDDING_LOOKUP &&
      op.output(0).type == OperandType::TENSOR_FLOAT32 && op.input(1).type &&
      isQuantized(*op.input(1).type))
    return importHybridLookup(op);
  OperationBuilder builder(op, op.row.type);
  switch (op.row.type) {
  // No quantized form in the HAL.
  case OperationType::ABS:
  case OperationType::EXP:
  case OperationType::LOG:
  case OperationType::RSQRT:
    if (op.input(0).type == OperandType::TENSOR_QUANT16_SYMM)
      return badData("the HAL's {} does not take input 0 of type INT16",
                     nameOf(op.row.type));
    builder.throughReals();
    break;
  default:
    break;
  }
  for (size_t i = 0; i < op.inputCount(); ++i)
    builder.input(i);
  switch (op.row.type) {
  // M-251: the output has the input's quantization.
  case OperationType::RELU:
  case OperationType::RELU1:
  case OperationType::RELU6:
  case OperationType::TRANSPOSE:
  case OperationType::PAD:
  case OperationType::SLICE:
  case OperationType::TILE:
  case OperationType::SPACE_TO_BATCH_ND:
    builder.keepsQuantizationOf(0);
    break;
  case OperationType::EMBEDDING_LOOKUP:
    builder.keepsQuantizationOf(1);
    break;
  default:
    break;
  }
  return builder.finish();
}

Status importCast(Operator &op) {
  const Tensor &from = op.input(0), &to = op.output(0);
  if (!to.type)
    return badData("{} {}", describe(to), to.typeProblem);
  // The constant itself is FLOAT32 here.
  if (from.sourceType == schema::TensorType::BFLOAT16 &&
      to.sourceType == schema::TensorType::FLOAT32)
    return op.graph.bindConstant(op.output(0), op.input(0));
  // Floats, int32 and unsigned bytes can be cast to each other (M-150).
  auto isConvertible = [](OperandType type) {
    return type == OperandType::TENSOR_FLOAT32 ||
           type == OperandType::TENSOR_FLOAT16 ||
           type == OperandType::TENSOR_INT32 ||
           type == OperandType::TENSOR_QUANT8_ASYMM;
  };
  // DEQUANTIZE gives the stored number where the scale is 1.
  if (*from.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED && from.isPlain &&
      *to.type == OperandType::TENSOR_FLOAT32)
    return OperationBuilder(op, OperationType::DEQUANTIZE).input(0).finish();
  if (*from.type != *to.type &&
      !(isConvertible(*from.type) && isConvertible(*to.type)))
    return badData("the HAL's CAST does not convert {} to {}",
                   nameOf(from.sourceType), nameOf(to.sourceType));
  return importUnary(op);
}

Status importSelect(Operator &op) {
  if (op.input(0).type != OperandType::TENSOR_BOOL8)
    return badData("input 0 has type {}, expected BOOL",
                   nameOf(op.input(0).sourceType));
  Shape condition = op.shape(0);
  if (condition == op.shape(1) || op.shape(1).empty() || condition.size() > 1 ||
      (!condition.empty() && condition[0] != op.shape(1)[0]))
    return importUnary(op);
  // One element chooses for all, and a list for each part along the first
  // dimension.
  condition.resize(op.shape(1).size(), 1);
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t spread, r.reshape(op.inputs[0], condition));
  return r.finish(schema::BuiltinOperator::SELECT_V2,
                  {spread, op.inputs[1], op.inputs[2]});
}

} // namespace nnhal::rt::tflite
