//===- EmptyLists.cpp - Tensors without elements --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list of no dimensions is the shape of a scalar, and one of no axes leaves a
// tensor as it is. Neither can be stated in the HAL, where a tensor has
// elements. Results without elements are constants, which a CONCATENATION
// leaves out.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "Rewriter.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// Which input of operator \p code is the list, if an empty one has a meaning.
static std::optional<size_t> listOf(Code code) {
  switch (code) {
  case Code::FILL:
    return 0;
  case Code::BROADCAST_TO:
  case Code::MEAN:
  case Code::REDUCE_ALL:
  case Code::REDUCE_ANY:
  case Code::REDUCE_MAX:
  case Code::REDUCE_MIN:
  case Code::REDUCE_PROD:
  case Code::RESHAPE:
  case Code::REVERSE_V2:
  case Code::SUM:
  case Code::TILE:
  case Code::TRANSPOSE:
    return 1;
  default:
    return std::nullopt;
  }
}

/// Whether the list of \p op has no elements.
static bool hasNoList(Operator &op) {
  std::optional<size_t> list = listOf(op.row.code);
  if (!list || op.inputCount() != 2 || op.outputCount() != 1 ||
      !op.isConstant(*list) || elementCount(op.shape(*list)) != 0u)
    return false;
  size_t data = 1 - *list;
  return op.hasInput(data) && op.input(data).shape;
}

//===----------------------------------------------------------------------===//
// Results without elements
//===----------------------------------------------------------------------===//

/// The extents of each result.
using Extents = std::vector<std::vector<int64_t>>;

static Result<Extents> extentsTaken(Operator &op) {
  if (op.row.code == Code::SPLIT_V)
    return splitExtents(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int64_t> extents,
                         op.row.code == Code::SLICE ? boxExtents(op)
                                                    : slicedExtents(op));
  return Extents(1, extents);
}

/// The extents of each result of \p op, which takes parts of its input; nothing
/// where they are not known or not right, which other functions report.
static std::optional<std::vector<Shape>> partsTaken(Operator &op) {
  if (!op.hasInput(0) || !op.input(0).shape)
    return std::nullopt;
  // An extent of 0 that is computed is one that only an execution knows.
  if (!op.isConstant(0) && std::ranges::count(op.shape(0), 0u) > 0)
    return std::nullopt;
  for (size_t i = 1; i < op.inputCount(); ++i)
    if (!op.isConstant(i))
      return std::nullopt;
  Result<Extents> parts = extentsTaken(op);
  if (!parts.isOk())
    return std::nullopt;
  std::vector<Shape> shapes;
  for (const std::vector<int64_t> &extents : *parts) {
    for (int64_t extent : extents)
      if (extent < 0 || extent > INT32_MAX)
        return std::nullopt;
    shapes.emplace_back(extents.begin(), extents.end());
  }
  return shapes;
}

static bool isEmpty(const Shape &shape) { return elementCount(shape) == 0u; }

/// Whether a result of \p op, or a part that it joins, has no elements.
static bool hasNoElements(Operator &op) {
  switch (op.row.code) {
  case Code::CONCATENATION:
    for (size_t i = 0; i < op.inputCount(); ++i)
      if (op.isConstant(i) && isEmpty(op.shape(i)))
        return true;
    return false;
  case Code::SLICE:
  case Code::SPLIT_V:
  case Code::STRIDED_SLICE: {
    std::optional<std::vector<Shape>> parts = partsTaken(op);
    return parts && parts->size() == op.outputCount() &&
           std::ranges::any_of(*parts, isEmpty);
  }
  default:
    return false;
  }
}

bool hasEmptyList(Operator &op) { return hasNoList(op) || hasNoElements(op); }

/// Makes output \p i a constant of \p shape, which has no elements.
static Status foldEmpty(Operator &op, size_t i, const Shape &shape) {
  Tensor &output = op.output(i);
  schema::TensorType type = op.input(0).sourceType;
  if (output.sourceType != type)
    return badData("output {} has type {}, expected {}", i,
                   nameOf(output.sourceType), nameOf(type));
  // The type of constants of this kind.
  if (output.is64Bit)
    output.type = OperandType::TENSOR_INT32;
  return op.graph.fold(output, shape, {});
}

/// Imports \p op, of which some results have no elements, with the others.
static Status importTaken(Operator &op) {
  std::vector<Shape> parts = *partsTaken(op);
  Rewriter r(op);
  std::vector<int32_t> outputs, sizes;
  std::vector<size_t> filled;
  Result<std::vector<int32_t>> stated = op.integers(1);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (isEmpty(parts[i])) {
      NNHAL_RETURN_IF_ERROR(foldEmpty(op, i, parts[i]));
      continue;
    }
    filled.push_back(i);
    outputs.push_back(op.outputs[i]);
    sizes.push_back((*stated)[i]);
  }
  if (filled.empty())
    return Status();
  if (filled.size() == 1)
    return r.give(op.inputs[0], filled[0]);
  return r.apply(Code::SPLIT_V, {op.inputs[0], r.integers(sizes), op.inputs[2]},
                 outputs, [&](Rewriter::Builder &builder) {
                   return schema::CreateSplitVOptions(builder,
                                                      int32_t(outputs.size()));
                 });
}

/// Checks that input \p i of a CONCATENATION fits the first one. An extent of 0
/// is unknown unless the input is a constant.
static Status checkJoined(Operator &op, size_t i, uint32_t axis) {
  if (op.input(i).sourceType != op.input(0).sourceType)
    return badData("input {} has type {}, but input 0 has type {}", i,
                   nameOf(op.input(i).sourceType),
                   nameOf(op.input(0).sourceType));
  const Shape &shape = op.shape(i), &first = op.shape(0);
  auto isKnown = [&](size_t input, uint32_t extent) {
    return extent != 0 || op.isConstant(input);
  };
  bool fits = shape.size() == first.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = d == axis || shape[d] == first[d] || !isKnown(i, shape[d]) ||
           !isKnown(0, first[d]);
  if (!fits)
    return badData("input {} has shape {}, but input 0 has shape {}", i,
                   toString(shape), toString(first));
  return Status();
}

/// Imports a CONCATENATION without the inputs that have no elements.
static Status importJoined(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ConcatenationOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.shape(0).size()));
  for (size_t i = 1; i < op.inputCount(); ++i)
    NNHAL_RETURN_IF_ERROR(checkJoined(op, i, axis));
  std::vector<int32_t> filled;
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (!op.isConstant(i) || !isEmpty(op.shape(i)))
      filled.push_back(op.inputs[i]);
  if (!filled.empty())
    return Rewriter(op).finish(
        Code::CONCATENATION, filled, [&](Rewriter::Builder &builder) {
          return schema::CreateConcatenationOptions(builder, options->axis(),
                                                    options->activation());
        });
  std::vector<int64_t> dimensions = op.dimensions(0);
  for (size_t i = 1; i < op.inputCount(); ++i)
    dimensions[axis] += op.shape(i)[axis];
  // Extents along the axis add up where another one is 0.
  for (int64_t extent : dimensions)
    if (extent > std::numeric_limits<uint32_t>::max())
      return badData("the inputs have {} elements along axis {}, at most {} "
                     "are joined",
                     extent, axis, std::numeric_limits<uint32_t>::max());
  return foldEmpty(op, 0, {dimensions.begin(), dimensions.end()});
}

//===----------------------------------------------------------------------===//
// Lists without elements
//===----------------------------------------------------------------------===//

/// Whether \p op is a reduction of numbers that its result has in another
/// scale.
static bool isRequantizing(Operator &op) {
  switch (op.row.code) {
  case Code::MEAN:
  case Code::REDUCE_MAX:
  case Code::REDUCE_MIN:
  case Code::REDUCE_PROD:
  case Code::SUM:
    break;
  default:
    return false;
  }
  const Tensor &from = op.input(0), &to = op.output(0);
  return from.type && from.type == to.type && isQuantized(*from.type) &&
         !accepts(to, from);
}

/// A reduction of rows of one element, which leaves each of them and rounds it
/// as it would a longer row.
static Status reduceSingles(Operator &op, Rewriter &r) {
  Shape shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(int32_t rows,
                         r.reshape(op.inputs[0], {*elementCount(shape), 1}));
  NNHAL_ASSIGN_OR_RETURN(
      int32_t reduced,
      r.value(op.row.code, {rows, r.integers({1})}, op.outputs[0]));
  NNHAL_ASSIGN_OR_RETURN(int32_t result, r.reshape(reduced, shape));
  return r.give(result);
}

Status importEmptyList(Operator &op) {
  if (op.row.code == Code::CONCATENATION)
    return importJoined(op);
  std::optional<size_t> list = listOf(op.row.code);
  if (!list || !hasNoList(op))
    return importTaken(op);
  Rewriter r(op);
  int32_t value = op.inputs[1 - *list];
  switch (op.row.code) {
  case Code::BROADCAST_TO:
  case Code::FILL:
  case Code::RESHAPE: {
    NNHAL_ASSIGN_OR_RETURN(int32_t scalar, r.reshape(value, {}));
    return r.give(scalar);
  }
  default:
    return isRequantizing(op) ? reduceSingles(op, r) : r.give(value);
  }
}

} // namespace nnhal::rt::tflite
