//===- Shapes.cpp - Shapes that importers need before they build ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Operators that are folded, that are several operations, or whose shape the
// file states in another way than the HAL. All others have the shapes that the
// rules of their operation infer (OperationBuilder).
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"
#include "RuleUse.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

/// \p dimensions as the shape of the only output.
static Result<std::vector<Shape>> single(std::span<const int64_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

/// Whether \p axes, which rules check, are all of \p rank dimensions.
static bool namesAll(std::span<const int32_t> axes, size_t rank) {
  std::vector<bool> isNamed(rank);
  for (int32_t axis : axes) {
    int64_t position = axis < 0 ? axis + int64_t(rank) : axis;
    if (position >= 0 && position < int64_t(rank))
      isNamed[size_t(position)] = true;
  }
  return std::ranges::count(isNamed, false) == 0;
}

Result<std::vector<Shape>> sameShape(Operator &op) {
  return std::vector<Shape>{op.shape(op.row.dataInput)};
}

Result<Shape> broadcast(const Shape &a, const Shape &b) {
  NNHAL_ASSIGN_OR_RETURN(
      Shape shape,
      RuleUse(OperationType::MAXIMUM).tensor(a).tensor(b).shapeOfOutput());
  return a.empty() && b.empty() ? Shape() : shape;
}

Result<std::vector<Shape>> broadcastShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, broadcast(op.shape(0), op.shape(1)));
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> reshapeShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReshapeOptions>());
  std::vector<int32_t> given;
  if (op.isConstant(1)) {
    NNHAL_ASSIGN_OR_RETURN(given, op.integers(1));
  } else if (op.hasInput(1)) {
    return op.declaredShapes();
  } else {
    std::span<const int32_t> stated = elementsOf(options->new_shape());
    given.assign(stated.begin(), stated.end());
  }
  // An old way to state a scalar.
  if (!op.hasInput(1) && given.size() == 1 && given[0] == 0)
    given.clear();
  int64_t count = *elementCount(op.shape(0)), known = 1;
  std::vector<int64_t> dimensions(given.begin(), given.end());
  // One extent at most is inferred (M-105).
  if (std::count(given.begin(), given.end(), -1) > 1)
    return badData("new shape has more than one -1");
  for (int64_t dimension : dimensions) {
    if (dimension == -1)
      continue;
    if (dimension < 1)
      return badData("new shape has dimension {}", dimension);
    known *= dimension;
    if (known > count)
      return badData("new shape needs more than the {} elements of input 0",
                     count);
  }
  auto unknown = std::find(dimensions.begin(), dimensions.end(), -1);
  if (unknown != dimensions.end() && count % known == 0)
    *unknown = count / known;
  else if (known != count)
    return badData("new shape needs {} elements, but input 0 has {}", known,
                   count);
  return single(dimensions);
}

Result<std::vector<Shape>> squeezeShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SqueezeOptions>());
  std::span<const int32_t> axes = elementsOf(options->squeeze_dims());
  return RuleUse(OperationType::SQUEEZE)
      .tensor(op.shape(0))
      .optionalList(axes)
      .shapes(axes.empty() ? elementCount(op.shape(0)) == 1u
                           : namesAll(axes, op.shape(0).size()));
}

Result<std::vector<Shape>> expandDimsShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(1));
  if (op.shape(0).empty()) // A scalar has one dimension in the HAL.
    return std::vector<Shape>{{1}};
  return RuleUse(OperationType::EXPAND_DIMS)
      .tensor(op.shape(0))
      .int32(axis)
      .shapes();
}

Result<std::vector<Shape>> concatenationShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ConcatenationOptions>());
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), op.shape(0).size()));
  RuleUse use(OperationType::CONCATENATION);
  for (size_t i = 0; i < op.inputCount(); ++i) {
    if (!op.hasInput(i) || !op.input(i).shape)
      return badData("input {} is missing", i);
    // The rule would take a scalar for a vector of one element.
    if (op.shape(i).size() != op.shape(0).size())
      return badData("input {} has shape {}, but input 0 has shape {}", i,
                     toString(op.shape(i)), toString(op.shape(0)));
    use.tensor(op.shape(i));
  }
  return use.int32(int32_t(axis)).shapes();
}

Result<std::vector<Shape>> sliceShape(Operator &op) {
  if (!op.isConstant(1) || !op.isConstant(2))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> begin, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(2));
  return RuleUse(OperationType::SLICE)
      .tensor(op.shape(0))
      .list(begin)
      .list(size)
      .shapes();
}

int64_t placeInSlice(int64_t position, int64_t stride, int64_t extent) {
  position += position < 0 ? extent : 0;
  return stride > 0 ? std::clamp<int64_t>(position, 0, extent)
                    : std::clamp<int64_t>(position, -1, extent - 1);
}

int64_t firstOfSlice(int64_t begin, bool isMasked, int64_t stride,
                     int64_t extent) {
  if (isMasked)
    return stride > 0 ? 0 : extent - 1;
  return placeInSlice(begin, stride, extent);
}

/// The end of dimension \p i of \p range, which is an offset from where the
/// slice begins inside of the tensor.
static int32_t endOfOffset(const StridedRange &range, size_t i,
                           int64_t extent) {
  int64_t first = firstOfSlice(range.begin[i], range.beginMask >> i & 1,
                               range.strides[i], extent);
  // A negative sum counts from the end, as an end without an offset does.
  return int32_t(
      std::clamp<int64_t>(first + range.end[i], -extent - 1, extent));
}

Result<StridedRange> stridedRangeOf(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::StridedSliceOptions>());
  if (options->ellipsis_mask() != 0)
    return badData("ellipsis_mask is {}, which the HAL does not have",
                   options->ellipsis_mask());
  if (options->new_axis_mask() != 0)
    return badData("new_axis_mask is {}, which the HAL does not have",
                   options->new_axis_mask());
  StridedRange range;
  NNHAL_ASSIGN_OR_RETURN(range.begin, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(range.end, op.integers(2));
  NNHAL_ASSIGN_OR_RETURN(range.strides, op.integers(3));
  const Shape &data = op.shape(0);
  size_t count = range.begin.size();
  if (range.end.size() != count || range.strides.size() != count ||
      count > data.size())
    return badData("begin, end and strides have {}, {} and {} values, but "
                   "input 0 has rank {}",
                   count, range.end.size(), range.strides.size(), data.size());
  range.beginMask = options->begin_mask();
  range.endMask = options->end_mask();
  range.shrinkMask = options->shrink_axis_mask();
  for (size_t i = count; i < data.size();
       ++i) { // Axes that are not mentioned are kept.
    range.begin.push_back(0);
    range.end.push_back(int32_t(data[i]));
    range.strides.push_back(1);
    range.shrinkMask &= ~(1 << i);
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t extent = data[i];
    if (range.strides[i] == 0)
      return badData("stride of dimension {} is 0", i);
    if (options->offset() && !(range.endMask >> i & 1))
      range.end[i] = endOfOffset(range, i, extent);
    if (!(range.shrinkMask >> i & 1))
      continue;
    int64_t begin = range.beginMask >> i & 1 ? 0 : range.begin[i];
    begin += begin < 0 ? extent : 0;
    if (begin < 0 || begin >= extent || range.strides[i] < 0)
      return badData(
          "shrunk dimension {} has begin {} and stride {} in a size of {}", i,
          range.begin[i], range.strides[i], extent);
    range.begin[i] = int32_t(begin);
    range.end[i] = int32_t(begin + 1);
    range.strides[i] = 1;
    range.beginMask &= ~(1 << i);
    range.endMask &= ~(1 << i);
  }
  return range;
}

Result<std::vector<Shape>> stridedSliceShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(StridedRange range, stridedRangeOf(op));
  int32_t everyAxis = (1 << op.shape(0).size()) - 1;
  return RuleUse(OperationType::STRIDED_SLICE)
      .tensor(op.shape(0))
      .list(range.begin)
      .list(range.end)
      .list(range.strides)
      .int32(range.beginMask)
      .int32(range.endMask)
      .int32(range.shrinkMask)
      .shapes((range.shrinkMask & everyAxis) == everyAxis);
}

Result<std::vector<Shape>> padShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> paddings, op.integers(1));
  return RuleUse(OperationType::PAD)
      .tensor(op.shape(0))
      .list(paddings, op.shape(1))
      .shapes();
}

Result<std::vector<Shape>> gatherShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::GatherOptions>());
  if (options->batch_dims() != 0)
    return badData("batch_dims is {}, which the HAL does not have",
                   options->batch_dims());
  if (op.input(1).type != OperandType::TENSOR_INT32)
    return badData("indices have type {}, expected INT32",
                   nameOf(op.input(1).sourceType));
  std::vector<int64_t> dimensions = op.dimensions(0),
                       indices = op.dimensions(1);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size()));
  dimensions.erase(dimensions.begin() + axis);
  // The extents of the indices replace the gathered axis (M-125).
  dimensions.insert(dimensions.begin() + axis, indices.begin(), indices.end());
  return single(dimensions);
}

Result<std::vector<Shape>> reduceShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReducerOptions>());
  if (!op.isConstant(1))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> axes, op.integers(1));
  return RuleUse(OperationType::REDUCE_MAX)
      .tensor(op.shape(0))
      .list(axes)
      .boolean(options->keep_dims())
      .shapes(!options->keep_dims() && namesAll(axes, op.shape(0).size()));
}

} // namespace nnhal::rt::tflite
