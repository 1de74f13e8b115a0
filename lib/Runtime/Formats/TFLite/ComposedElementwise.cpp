//===- ComposedElementwise.cpp - Operators of several operations ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <cmath>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// The numbers that \p op computes with are integers.
static bool isInteger(Operator &op) {
  return op.input(op.row.dataInput).type == OperandType::TENSOR_INT32;
}

Status importSquare(Operator &op) {
  Composition c(op);
  uint32_t value = c.real(0);
  return c.finish(OperationType::MUL, {value, value, c.int32(0)});
}

Status importSquaredDifference(Operator &op) {
  Composition c(op);
  uint32_t a = c.real(0), b = c.real(1);
  uint32_t difference =
      c.add(OperationType::SUB, {a, b, c.int32(0)}, a, op.outputShapes[0]);
  return c.finish(OperationType::MUL, {difference, difference, c.int32(0)});
}

Status importAddN(Operator &op) {
  Composition c(op);
  uint32_t sum = c.input(0);
  for (size_t i = 1; i + 1 < op.inputCount(); ++i)
    sum = c.add(OperationType::ADD, {sum, c.input(i), c.int32(0)}, sum,
                op.outputShapes[0]);
  return c.finish(OperationType::ADD,
                  {sum, c.input(op.inputCount() - 1), c.int32(0)});
}

Status importFloorDiv(Operator &op) {
  Composition c(op);
  std::vector<uint32_t> inputs = {c.input(0), c.input(1), c.int32(0)};
  if (isInteger(op)) // The HAL's rounds towards negative infinity (M-041).
    return c.finish(OperationType::DIV, inputs);
  uint32_t quotient =
      c.add(OperationType::DIV, inputs, inputs[0], op.outputShapes[0]);
  return c.finish(OperationType::FLOOR, {quotient});
}

Status importFloorMod(Operator &op) {
  Composition c(op);
  uint32_t a = c.input(0), b = c.input(1);
  const Shape &shape = op.outputShapes[0];
  uint32_t quotient = c.add(OperationType::DIV, {a, b, c.int32(0)}, a, shape);
  uint32_t product =
      c.add(OperationType::MUL, {quotient, b, c.int32(0)}, a, shape);
  return c.finish(OperationType::SUB, {a, product, c.int32(0)});
}

Status importCeil(Operator &op) {
  Composition c(op);
  uint32_t value = c.input(0);
  uint32_t negative =
      c.add(OperationType::NEG, {value}, value, op.outputShapes[0]);
  uint32_t floor =
      c.add(OperationType::FLOOR, {negative}, value, op.outputShapes[0]);
  return c.finish(OperationType::NEG, {floor});
}

Status importSelectV2(Operator &op) {
  if (op.input(0).type != OperandType::TENSOR_BOOL8)
    return badData("input 0 has type {}, expected BOOL",
                   nameOf(op.input(0).sourceType));
  const Shape &shape = op.outputShapes[0];
  Composition c(op);
  uint32_t mask = c.input(0);
  Shape wanted = shape.empty() ? Shape{1} : shape;
  // LOGICAL_OR broadcasts, and changes nothing beside false: axis by axis, so
  // that the constants stay small.
  for (size_t axis = 0; axis < wanted.size() && !c.hasFailed(); ++axis) {
    Shape given = c.shapeOf(mask);
    if (given == wanted)
      break;
    given.insert(given.begin(), wanted.size() - given.size(), 1);
    if (given[axis] == wanted[axis] && axis > 0)
      continue;
    Shape falses(wanted.size(), 1);
    falses[axis] = given[axis] = wanted[axis];
    NNHAL_RETURN_IF_ERROR(op.graph.file().checkConstants(wanted[axis]));
    std::vector<uint8_t> nothing(wanted[axis]);
    uint32_t constant = op.graph.addConstant(OperandType::TENSOR_BOOL8, falses,
                                             std::as_bytes(std::span(nothing)));
    mask = c.add(OperationType::LOGICAL_OR, {mask, constant}, mask, given);
  }
  uint32_t a = c.broadcastTo(c.input(1), shape);
  uint32_t b = c.broadcastTo(c.input(2), shape);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  return OperationBuilder(op, OperationType::SELECT)
      .operand(mask)
      .operand(a)
      .operand(b)
      .finish();
}

Status importOneHot(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::OneHotOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t depth, op.integer(1));
  const Shape &shape = op.outputShapes[0];
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis, Operator::normalizeAxis(options->axis(), shape.size()));
  if (op.input(0).type != OperandType::TENSOR_INT32)
    return badData("indices have type {}, expected INT32",
                   nameOf(op.input(0).sourceType));
  Composition c(op);
  // Each index beside the numbers from 0 to depth.
  uint32_t indices = c.input(0);
  Shape apart = shape, classes(shape.size() - axis, 1);
  apart[axis] = 1;
  classes[0] = uint32_t(depth);
  if (c.shapeOf(indices) != apart)
    indices = c.add(OperationType::EXPAND_DIMS,
                    {indices, c.int32(int32_t(axis))}, indices, apart);
  NNHAL_RETURN_IF_ERROR(
      op.graph.file().checkConstants(classes[0] * sizeof(int32_t)));
  std::vector<int32_t> numbers(classes[0]);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = int32_t(i);
  Operand mask;
  mask.type = OperandType::TENSOR_BOOL8;
  mask.dimensions = shape;
  uint32_t isClass = op.graph.addOperand(std::move(mask));
  c.addTo(OperationType::EQUAL, {indices, c.integers(classes, numbers)},
          {isClass});
  uint32_t on = c.broadcastTo(c.input(2), shape);
  uint32_t off = c.broadcastTo(c.input(3), shape);
  return c.finish(OperationType::SELECT, {isClass, on, off});
}

Status importLeakyRelu(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::LeakyReluOptions>());
  float alpha = options->alpha();
  const Tensor &data = op.input(0);
  if (!isQuantized(*data.type)) {
    Composition c(op);
    return c.finish(OperationType::PRELU, {c.input(0), c.reals({1}, {alpha})});
  }
  if (!std::isfinite(alpha))
    return badData("alpha is {}, which is not a number", alpha);
  // One step of a scale that is alpha, or none.
  uint8_t step = alpha == 0 ? 0 : alpha > 0 ? 1 : 0xFF;
  if (*data.type == OperandType::TENSOR_QUANT8_ASYMM && alpha < 0)
    step = 0;
  uint32_t constant =
      op.graph.addConstant(*data.type, {1}, std::as_bytes(std::span(&step, 1)),
                           alpha == 0 ? 1.0f : std::fabs(alpha));
  if (*data.type == OperandType::TENSOR_QUANT8_ASYMM && alpha < 0)
    op.graph.operand(constant).zeroPoint = 1;
  return OperationBuilder(op, OperationType::PRELU)
      .input(0)
      .operand(constant)
      .finish();
}

Status importRelu0To1(Operator &op) {
  Composition c(op);
  uint32_t value = c.real(0);
  uint32_t positive =
      c.add(OperationType::MAXIMUM, {value, c.reals({1}, {0.0f})}, value,
            op.outputShapes[0]);
  return c.finish(OperationType::MINIMUM, {positive, c.reals({1}, {1.0f})});
}

/// Composes 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
/// The exact form of quantized tensors, by that of the extension for reals.
static Status importExactGelu(Operator &op) {
  Rewriter r(op);
  int32_t like = r.real(0.0f);
  NNHAL_ASSIGN_OR_RETURN(int32_t x,
                         r.value(Code::DEQUANTIZE, {op.inputs[0]}, like));
  NNHAL_ASSIGN_OR_RETURN(
      int32_t y, r.value(Code::GELU, {x}, like, [](Rewriter::Builder &builder) {
        return schema::CreateGeluOptions(builder, /*approximate=*/false);
      }));
  return r.finish(Code::QUANTIZE, {y});
}

Status importGelu(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::GeluOptions>());
  if (!options->approximate() && op.graph.file().useExtensions &&
      isQuantized(*op.input(0).type))
    return importExactGelu(op);
  if (!options->approximate())
    return badData("the exact form needs the error function, which the HAL "
                   "does not have; only approximate is expressible");
  Composition c(op);
  uint32_t x = c.real(0);
  auto binary = [&](OperationType type, uint32_t a, uint32_t b) {
    return c.add(type, {a, b, c.int32(0)}, x, op.outputShapes[0]);
  };
  auto constant = [&](float value) { return c.reals({1}, {value}); };
  uint32_t square = binary(OperationType::MUL, x, x);
  uint32_t cube = binary(OperationType::MUL, square, x);
  uint32_t bent = binary(OperationType::ADD, x,
                         binary(OperationType::MUL, cube, constant(0.044715f)));
  uint32_t angle = binary(OperationType::MUL, bent, constant(0.7978845608f));
  uint32_t tanh = c.add(OperationType::TANH, {angle}, x, op.outputShapes[0]);
  uint32_t gate = binary(OperationType::ADD, tanh, constant(1.0f));
  uint32_t half = binary(OperationType::MUL, x, constant(0.5f));
  return c.finish(OperationType::MUL, {half, gate, c.int32(0)});
}

} // namespace nnhal::rt::tflite
