//===- ComposedDataMovement.cpp - Data movement of several operations -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

namespace nnhal::rt::tflite {

/// \p shape with one more dimension of \p extent.
static Shape inserted(Shape shape, uint32_t axis, uint32_t extent) {
  shape.insert(shape.begin() + axis, extent);
  return shape;
}

/// The HAL joins no integers: each input beside zeros, and their sum.
static Status packIntegers(Operator &op, uint32_t axis) {
  Composition c(op);
  const Shape &shape = op.outputShapes[0];
  auto count = uint32_t(op.inputCount());
  Shape places(shape.size() - axis, 1);
  places[0] = count;
  auto placed = [&](uint32_t i) {
    uint32_t value = c.input(i);
    if (Shape apart = inserted(op.shape(i), axis, 1); c.shapeOf(value) != apart)
      value = c.add(OperationType::EXPAND_DIMS, {value, c.int32(int32_t(axis))},
                    value, apart);
    std::vector<int32_t> mask(count);
    mask[i] = 1;
    return std::vector<uint32_t>{value, c.integers(places, mask), c.int32(0)};
  };
  uint32_t sum = 0;
  for (uint32_t i = 0; i + 1 < count; ++i) {
    std::vector<uint32_t> factors = placed(i);
    uint32_t term = c.add(OperationType::MUL, factors, factors[0], shape);
    sum = i == 0
              ? term
              : c.add(OperationType::ADD, {sum, term, c.int32(0)}, term, shape);
  }
  std::vector<uint32_t> factors = placed(count - 1);
  if (count == 1)
    return c.finish(OperationType::MUL, factors);
  uint32_t term = c.add(OperationType::MUL, factors, factors[0], shape);
  return c.finish(OperationType::ADD, {sum, term, c.int32(0)});
}

Status importPack(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::PackOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.outputShapes[0].size()));
  if (op.input(0).type == OperandType::TENSOR_INT32)
    return packIntegers(op, axis);
  if (op.inputCount() == 1) {
    std::vector<int32_t> shape(op.outputShapes[0].begin(),
                               op.outputShapes[0].end());
    return OperationBuilder(op, OperationType::RESHAPE)
        .input(0)
        .integers(shape)
        .keepsQuantizationOf(0)
        .finish();
  }
  Composition c(op);
  OperationBuilder builder(op, OperationType::CONCATENATION);
  for (size_t i = 0; i < op.inputCount(); ++i)
    builder.operand(c.reshape(c.input(i), inserted(op.shape(i), axis, 1)));
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  return builder.int32(int32_t(axis)).finish();
}

/// Makes output \p i the result of \p type over \p inputs, which has the
/// quantization of input 0.
static Status defineLikeInput(Operator &op, size_t i, OperationType type,
                              std::vector<uint32_t> inputs) {
  const Tensor &from = op.input(op.row.dataInput), &to = op.output(i);
  if (from.scale != to.scale || from.zeroPoint != to.zeroPoint)
    return badData("output {} has scale {} and zero point {}, but input {} has "
                   "{} and {}",
                   i, to.scale, to.zeroPoint, op.row.dataInput, from.scale,
                   from.zeroPoint);
  NNHAL_ASSIGN_OR_RETURN(uint32_t target,
                         op.graph.define(op.output(i), op.outputShapes[i]));
  op.graph.addOperation(type, std::move(inputs), {target});
  return Status();
}

Status importUnpack(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::UnpackOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.shape(0).size()));
  Composition c(op);
  std::vector<uint32_t> parts =
      c.split(c.input(0), axis, uint32_t(op.outputCount()));
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  for (size_t i = 0; i < parts.size(); ++i) {
    const Shape &shape = op.outputShapes[i];
    std::vector<int32_t> dimensions(shape.begin(), shape.end());
    if (dimensions.empty())
      dimensions = {1};
    NNHAL_RETURN_IF_ERROR(defineLikeInput(op, i, OperationType::RESHAPE,
                                          {parts[i], c.integers(dimensions)}));
  }
  return Status();
}

Status importSplitV(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(2));
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, op.shape(0).size()));
  Composition c(op);
  uint32_t data = c.input(0);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  std::vector<int32_t> begin(op.shape(0).size());
  for (size_t i = 0; i < op.outputCount(); ++i) {
    const Shape &shape = op.outputShapes[i];
    std::vector<int32_t> size(shape.begin(), shape.end());
    NNHAL_RETURN_IF_ERROR(
        defineLikeInput(op, i, OperationType::SLICE,
                        {data, c.integers(begin), c.integers(size)}));
    begin[axis] += size[axis];
  }
  return Status();
}

/// Row \p i of \p shape, flattened to rows, is that many elements apart.
static std::vector<int32_t> rowStrides(const Shape &shape, uint32_t count) {
  std::vector<int32_t> strides(count, 1);
  for (uint32_t i = count; i-- > 1;)
    strides[i - 1] = strides[i] * int32_t(shape[i]);
  return strides;
}

/// The constant indices of GATHER_ND as numbers of rows.
static Result<uint32_t> constantRows(Operator &op, Composition &c,
                                     uint32_t depth) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> indices, op.integers(1));
  std::vector<int32_t> strides = rowStrides(op.shape(0), depth);
  std::vector<int32_t> rows(indices.size() / depth);
  for (size_t i = 0; i < indices.size(); ++i) {
    uint32_t extent = op.shape(0)[i % depth];
    if (indices[i] < 0 || indices[i] >= int64_t(extent))
      return badData("index {} is not in dimension {} of size {}", indices[i],
                     i % depth, extent);
    rows[i / depth] += indices[i] * strides[i % depth];
  }
  return c.integers(rows);
}

/// The computed indices of GATHER_ND as numbers of rows.
static uint32_t computedRows(Operator &op, Composition &c, uint32_t depth) {
  std::vector<int32_t> strides = rowStrides(op.shape(0), depth);
  uint32_t indices = c.input(1), rows = 0;
  Shape shape = c.shapeOf(indices);
  auto axis = int32_t(shape.size()) - 1;
  shape.back() = 1;
  for (uint32_t i = 0; i < depth; ++i) {
    uint32_t part = c.add(OperationType::GATHER,
                          {indices, c.int32(axis), c.integers({int32_t(i)})},
                          indices, shape);
    if (strides[i] != 1)
      part = c.add(OperationType::MUL,
                   {part, c.integers({strides[i]}), c.int32(0)}, part, shape);
    rows = i == 0 ? part
                  : c.add(OperationType::ADD, {rows, part, c.int32(0)}, part,
                          shape);
  }
  return rows;
}

Status importGatherNd(Operator &op) {
  const Shape &data = op.shape(0), &indices = op.shape(1);
  uint32_t depth = indices.back();
  uint32_t rows = *elementCount({data.begin(), data.begin() + depth});
  uint32_t rowSize = *elementCount({data.begin() + depth, data.end()});
  Composition c(op);
  uint32_t table = c.reshape(c.input(0), {rows, rowSize});
  uint32_t numbers;
  if (op.isConstant(1)) {
    NNHAL_ASSIGN_OR_RETURN(numbers, constantRows(op, c, depth));
  } else {
    if (op.input(1).type != OperandType::TENSOR_INT32)
      return badData("indices have type {}, expected INT32",
                     nameOf(op.input(1).sourceType));
    numbers = computedRows(op, c, depth);
  }
  Shape gathered = c.shapeOf(numbers);
  gathered.push_back(rowSize);
  uint32_t found = c.add(OperationType::GATHER, {table, c.int32(0), numbers},
                         table, gathered);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  const Shape &shape = op.outputShapes[0];
  if (gathered.size() > 4 || shape.size() > 4)
    return badData("needs a RESHAPE of shape {} to {}, but the HAL's has at "
                   "most rank 4",
                   toString(gathered), toString(shape));
  std::vector<int32_t> dimensions(shape.begin(), shape.end());
  if (dimensions.empty())
    dimensions = {1};
  return OperationBuilder(op, OperationType::RESHAPE)
      .operand(found)
      .integers(dimensions)
      .keepsQuantizationOf(0)
      .finish();
}

Status importBroadcastTo(Operator &op) {
  const Shape &shape = op.outputShapes[0];
  Composition c(op);
  uint32_t value = c.input(0);
  Shape aligned = op.shape(0);
  aligned.insert(aligned.begin(), shape.size() - aligned.size(), 1);
  value = c.broadcastTo(value, aligned);
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  std::vector<int32_t> multiples(shape.size(), 1);
  for (size_t i = 0; i < shape.size(); ++i)
    multiples[i] = aligned[i] == shape[i] ? 1 : int32_t(shape[i]);
  if (multiples.empty())
    multiples = {1};
  return OperationBuilder(op, OperationType::TILE)
      .operand(value)
      .integers(multiples)
      .keepsQuantizationOf(0)
      .finish();
}

Status importReverse(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> axes, op.integers(1));
  size_t rank = op.shape(0).size();
  std::vector<int32_t> zeros(rank), strides(rank, 1);
  for (int32_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                           Operator::normalizeAxis(axis, rank));
    strides[position] = -1;
  }
  int32_t all = (1 << rank) - 1;
  return OperationBuilder(op, OperationType::STRIDED_SLICE)
      .input(0)
      .integers(zeros)
      .integers(zeros)
      .integers(strides)
      .int32(all)
      .int32(all)
      .int32(0)
      .keepsQuantizationOf(0)
      .finish();
}

/// \p count elements of dimension \p axis of \p from, backwards from \p begin.
static uint32_t backwards(Composition &c, uint32_t from, uint32_t axis,
                          int32_t begin, int32_t count) {
  Shape shape = c.shapeOf(from);
  size_t rank = shape.size();
  std::vector<int32_t> begins(rank), ends(rank), strides(rank, 1);
  int32_t all = (1 << rank) - 1, bit = 1 << axis;
  begins[axis] = begin;
  ends[axis] = begin - count;
  strides[axis] = -1;
  shape[axis] = uint32_t(count);
  int32_t endMask = ends[axis] < 0 ? all : all & ~bit;
  return c.add(OperationType::STRIDED_SLICE,
               {from, c.integers(begins), c.integers(ends), c.integers(strides),
                c.int32(all & ~bit), c.int32(endMask), c.int32(0)},
               from, shape);
}

Status importMirrorPad(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::MirrorPadOptions>());
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> paddings, op.integers(1));
  // The border is not repeated when it is the mirror.
  int32_t skip = options->mode() == schema::MirrorPadMode::REFLECT ? 1 : 0;
  Composition c(op);
  uint32_t value = c.input(0);
  for (uint32_t axis = 0; axis < op.shape(0).size(); ++axis) {
    auto extent = int32_t(op.shape(0)[axis]);
    int32_t before = paddings[2 * axis], after = paddings[2 * axis + 1];
    std::vector<uint32_t> parts;
    if (before > 0)
      parts.push_back(backwards(c, value, axis, before - 1 + skip, before));
    parts.push_back(value);
    if (after > 0)
      parts.push_back(backwards(c, value, axis, extent - 1 - skip, after));
    Shape shape = c.shapeOf(value);
    shape[axis] = uint32_t(extent + before + after);
    value = c.concatenate(parts, axis, shape);
  }
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  const Shape &shape = op.outputShapes[0];
  std::vector<int32_t> dimensions(shape.begin(), shape.end());
  if (dimensions.empty())
    dimensions = {1};
  return OperationBuilder(op, OperationType::RESHAPE)
      .operand(value)
      .integers(dimensions)
      .keepsQuantizationOf(0)
      .finish();
}

} // namespace nnhal::rt::tflite
