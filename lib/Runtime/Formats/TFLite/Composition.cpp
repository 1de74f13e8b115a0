//===- Composition.cpp - Several HAL operations for one operator ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"

namespace nnhal::rt::tflite {

void Composition::fail(Status failure) {
  if (status.isOk())
    status = std::move(failure);
}

uint32_t Composition::take(Result<uint32_t> operand) {
  if (operand.isOk())
    return *operand;
  fail(std::move(operand).takeStatus());
  return 0;
}

OperandType Composition::realType() const {
  return op.input(op.row.dataInput).type == OperandType::TENSOR_FLOAT16
             ? OperandType::TENSOR_FLOAT16
             : OperandType::TENSOR_FLOAT32;
}

Shape Composition::shapeOf(uint32_t operand) const {
  return status.isOk() ? graph.operand(operand).dimensions : Shape{1};
}

uint32_t Composition::input(size_t i) { return take(graph.use(op.input(i))); }

uint32_t Composition::real(size_t i) {
  uint32_t operand = input(i);
  if (hasFailed() || !isQuantized(graph.operand(operand).type))
    return operand;
  uint32_t result = realTemporary(shapeOf(operand));
  addTo(OperationType::DEQUANTIZE, {operand}, {result});
  return result;
}

uint32_t Composition::int32(int32_t value) {
  return graph.addConstant(OperandType::INT32, {},
                           std::as_bytes(std::span(&value, 1)));
}

uint32_t Composition::boolean(bool value) {
  uint8_t byte = value;
  return graph.addConstant(OperandType::BOOL, {},
                           std::as_bytes(std::span(&byte, 1)));
}

uint32_t Composition::integers(const std::vector<int32_t> &values) {
  return addConstant(graph, OperandType::TENSOR_INT32, values);
}

uint32_t Composition::integers(const Shape &shape,
                               const std::vector<int32_t> &values) {
  return graph.addConstant(OperandType::TENSOR_INT32,
                           shape.empty() ? Shape{1} : shape,
                           std::as_bytes(std::span(values)));
}

uint32_t Composition::reals(const Shape &shape,
                            const std::vector<float> &values) {
  Shape dimensions = shape.empty() ? Shape{1} : shape;
  if (realType() == OperandType::TENSOR_FLOAT32)
    return graph.addConstant(OperandType::TENSOR_FLOAT32, dimensions,
                             std::as_bytes(std::span(values)));
  std::vector<uint16_t> halves;
  for (float value : values)
    halves.push_back(float16FromDouble(value));
  return graph.addConstant(OperandType::TENSOR_FLOAT16, dimensions,
                           std::as_bytes(std::span(halves)));
}

uint32_t Composition::scalar(float value) {
  if (realType() == OperandType::TENSOR_FLOAT32)
    return graph.addConstant(OperandType::FLOAT32, {},
                             std::as_bytes(std::span(&value, 1)));
  uint16_t half = float16FromDouble(value);
  return graph.addConstant(OperandType::FLOAT16, {},
                           std::as_bytes(std::span(&half, 1)));
}

uint32_t Composition::temporary(uint32_t like, const Shape &shape) {
  return status.isOk() ? graph.addTemporary(like, shape) : 0;
}

uint32_t Composition::unscaled(uint32_t like, const Shape &shape,
                               int32_t zeroPoint) {
  uint32_t bytes = temporary(like, shape);
  if (status.isOk()) {
    graph.operand(bytes).scale = 1;
    graph.operand(bytes).zeroPoint = zeroPoint;
  }
  return bytes;
}

uint32_t Composition::stored(int32_t zeroPoint) {
  uint32_t from = input(0);
  const Shape shape = shapeOf(from);
  uint32_t bytes = unscaled(from, shape, zeroPoint);
  addTo(OperationType::CAST, {from}, {bytes}); // Keeps what is stored (M-150).
  uint32_t reals = realTemporary(shape);
  addTo(OperationType::DEQUANTIZE, {bytes}, {reals});
  return reals;
}

uint32_t Composition::outputLike(size_t i, const Shape &shape) {
  Result<Operand> operand = operandFor(op.output(i), shape);
  if (operand.isOk() && status.isOk())
    return graph.addOperand(*std::move(operand));
  fail(std::move(operand).takeStatus());
  return 0;
}

uint32_t Composition::realTemporary(const Shape &shape) {
  Operand operand;
  operand.type = realType();
  operand.dimensions = shape.empty() ? Shape{1} : shape;
  return graph.addOperand(std::move(operand));
}

void Composition::addTo(OperationType type, std::vector<uint32_t> inputs,
                        std::vector<uint32_t> outputs) {
  if (status.isOk())
    graph.addOperation(type, std::move(inputs), std::move(outputs));
}

uint32_t Composition::add(OperationType type, std::vector<uint32_t> inputs,
                          uint32_t like, const Shape &shape) {
  uint32_t result = temporary(like, shape);
  addTo(type, std::move(inputs), {result});
  return result;
}

uint32_t Composition::reshape(uint32_t from, const Shape &shape) {
  Shape wanted = shape.empty() ? Shape{1} : shape, given = shapeOf(from);
  if (wanted == given)
    return from;
  std::vector<int32_t> dimensions(wanted.begin(), wanted.end());
  return add(OperationType::RESHAPE, {from, integers(dimensions)}, from,
             wanted);
}

uint32_t Composition::transpose(uint32_t from,
                                const std::vector<int32_t> &permutation) {
  Shape given = shapeOf(from), shape;
  if (hasFailed())
    return 0;
  for (int32_t axis : permutation)
    shape.push_back(given[size_t(axis)]);
  return add(OperationType::TRANSPOSE, {from, integers(permutation)}, from,
             shape);
}

std::vector<uint32_t> Composition::split(uint32_t from, uint32_t axis,
                                         uint32_t count) {
  if (count > maxUnrolled)
    fail(badData("needs {} operations, at most {} are composed", count,
                 maxUnrolled));
  if (hasFailed())
    return std::vector<uint32_t>(1);
  if (count == 1)
    return {from};
  Shape shape = shapeOf(from);
  shape[axis] /= count;
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < count; ++i)
    parts.push_back(temporary(from, shape));
  addTo(OperationType::SPLIT,
        {from, int32(int32_t(axis)), int32(int32_t(count))}, parts);
  return parts;
}

uint32_t Composition::concatenate(const std::vector<uint32_t> &parts,
                                  uint32_t axis, const Shape &shape) {
  if (parts.size() == 1)
    return parts[0];
  std::vector<uint32_t> inputs = parts;
  inputs.push_back(int32(int32_t(axis)));
  return add(OperationType::CONCATENATION, std::move(inputs), parts[0], shape);
}

uint32_t Composition::broadcastTo(uint32_t from, const Shape &shape) {
  Shape current = shapeOf(from);
  while (current.size() < shape.size() && status.isOk()) {
    current.insert(current.begin(), 1);
    from = add(OperationType::EXPAND_DIMS, {from, int32(0)}, from, current);
  }
  if (hasFailed() || current == shape || shape.empty())
    return from;
  std::vector<int32_t> multiples;
  for (size_t i = 0; i < shape.size(); ++i)
    multiples.push_back(current[i] == shape[i] ? 1 : int32_t(shape[i]));
  return add(OperationType::TILE, {from, integers(multiples)}, from, shape);
}

Status Composition::finishStored(uint32_t value, const Shape &shape,
                                 int32_t zeroPoint) {
  uint32_t bytes = unscaled(input(0), shape, zeroPoint);
  addTo(OperationType::QUANTIZE, {value}, {bytes});
  NNHAL_RETURN_IF_ERROR(std::move(status));
  NNHAL_ASSIGN_OR_RETURN(uint32_t target, graph.define(op.output(0), shape));
  graph.addOperation(OperationType::CAST, {bytes}, {target});
  return Status();
}

Status Composition::finish(OperationType type, std::vector<uint32_t> inputs) {
  NNHAL_RETURN_IF_ERROR(std::move(status));
  NNHAL_ASSIGN_OR_RETURN(uint32_t target,
                         graph.define(op.output(0), op.outputShapes[0]));
  if (!isQuantized(graph.operand(target).type)) {
    graph.addOperation(type, std::move(inputs), {target});
    return Status();
  }
  uint32_t result = realTemporary(op.outputShapes[0]);
  graph.addOperation(type, std::move(inputs), {result});
  graph.addOperation(OperationType::QUANTIZE, {result}, {target});
  return Status();
}

} // namespace nnhal::rt::tflite
