//===- DataMovementShapes.cpp - Shapes of operators that move data --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

/// \p dimensions as the shape of the only output.
static Result<std::vector<Shape>> single(std::span<const int64_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
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
  const Shape &data = op.shape(0);
  std::span<const int32_t> axes = elementsOf(options->squeeze_dims());
  std::vector<bool> removed(data.size());
  for (size_t i = 0; i < data.size(); ++i)
    removed[i] = axes.empty() && data[i] == 1;
  for (int32_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                           Operator::normalizeAxis(axis, data.size()));
    // Only extents of 1 can be removed (M-106).
    if (data[position] != 1)
      return badData("dimension {} has size {}, expected 1", position,
                     data[position]);
    removed[position] = true;
  }
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i)
    if (!removed[i])
      shape.push_back(data[i]);
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> expandDimsShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(1));
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                         Operator::normalizeAxis(axis, dimensions.size() + 1));
  dimensions.insert(dimensions.begin() + position, 1);
  return single(dimensions);
}

Result<std::vector<Shape>> transposeShape(Operator &op) {
  if (!op.isConstant(1))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> permutation, op.integers(1));
  const Shape &data = op.shape(0);
  if (permutation.size() != data.size())
    return badData("permutation has {} values, but input 0 has rank {}",
                   permutation.size(), data.size());
  std::vector<bool> seen(data.size());
  Shape shape;
  for (int32_t axis : permutation) {
    // A permutation names each dimension once (M-108).
    if (axis < 0 || size_t(axis) >= data.size() || seen[axis])
      return badData("permutation has {} at position {}", axis, shape.size());
    seen[axis] = true;
    shape.push_back(data[axis]);
  }
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> concatenationShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ConcatenationOptions>());
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size()));
  for (size_t i = 1; i < op.inputCount(); ++i) {
    if (!op.hasInput(i) || !op.input(i).shape)
      return badData("input {} is missing", i);
    const Shape &other = op.shape(i);
    bool fits = other.size() == dimensions.size();
    for (size_t d = 0; fits && d < other.size(); ++d)
      fits = d == axis || other[d] == dimensions[d];
    if (!fits)
      return badData(
          "input {} has shape {}, which does not continue {} along axis {}", i,
          toString(other), toString(op.shape(0)), axis);
    dimensions[axis] += other[axis];
  }
  return single(dimensions);
}

Result<std::vector<Shape>> splitShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, op.integer(0));
  Shape shape = op.shape(1);
  NNHAL_ASSIGN_OR_RETURN(uint32_t position,
                         Operator::normalizeAxis(axis, shape.size()));
  // The outputs divide the extent of the axis (M-111).
  if (shape[position] % op.outputCount() != 0)
    return badData("dimension {} of size {} does not divide into {} outputs",
                   position, shape[position], op.outputCount());
  shape[position] /= op.outputCount();
  return std::vector<Shape>(op.outputCount(), shape);
}

Result<std::vector<Shape>> sliceShape(Operator &op) {
  if (!op.isConstant(1) || !op.isConstant(2))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> begin, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(2));
  std::vector<int64_t> dimensions = op.dimensions(0);
  if (begin.size() != dimensions.size() || size.size() != dimensions.size())
    return badData("begin has {} and size {} values, but input 0 has rank {}",
                   begin.size(), size.size(), dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    int64_t extent = size[i] == -1 ? dimensions[i] - begin[i] : size[i];
    // A slice lies within the input (M-112).
    if (begin[i] < 0 || extent < 1 || begin[i] + extent > dimensions[i])
      return badData("slice {} to {} is not within dimension {} of size {}",
                     begin[i], begin[i] + extent, i, dimensions[i]);
    dimensions[i] = extent;
  }
  return single(dimensions);
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
      range.end[i] = int32_t(std::clamp<int64_t>(
          int64_t(range.begin[i]) + range.end[i], -extent, extent));
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
  const Shape &data = op.shape(0);
  std::vector<int64_t> dimensions;
  for (size_t i = 0; i < data.size(); ++i) {
    int64_t extent = data[i], stride = range.strides[i];
    bool isForward = stride > 0;
    // Negative positions count from the end and are then clamped (M-114).
    auto position = [&](int64_t value) {
      value += value < 0 ? extent : 0;
      return isForward ? std::clamp<int64_t>(value, 0, extent)
                       : std::clamp<int64_t>(value, -1, extent - 1);
    };
    int64_t begin = range.beginMask >> i & 1 ? (isForward ? 0 : extent - 1)
                                             : position(range.begin[i]);
    int64_t end = range.endMask >> i & 1 ? (isForward ? extent : -1)
                                         : position(range.end[i]);
    int64_t size = isForward ? (end - begin + stride - 1) / stride
                             : (begin - end - stride - 1) / -stride;
    if (size < 1)
      return badData("slice of dimension {} is empty", i);
    if (!(range.shrinkMask >> i & 1))
      dimensions.push_back(size);
  }
  return single(dimensions);
}

Result<std::vector<Shape>> padShape(Operator &op) {
  if (!op.isConstant(1))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> paddings, op.integers(1));
  std::vector<int64_t> dimensions = op.dimensions(0);
  if (op.shape(1) != Shape{uint32_t(dimensions.size()), 2})
    return badData("paddings have shape {}, expected {}x2",
                   toString(op.shape(1)), dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    // Paddings are not negative (M-116).
    if (paddings[2 * i] < 0 || paddings[2 * i + 1] < 0)
      return badData("paddings of dimension {} are {} and {}", i,
                     paddings[2 * i], paddings[2 * i + 1]);
    dimensions[i] += int64_t(paddings[2 * i]) + paddings[2 * i + 1];
  }
  return single(dimensions);
}

Result<std::vector<Shape>> tileShape(Operator &op) {
  if (!op.isConstant(1))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> multiples, op.integers(1));
  std::vector<int64_t> dimensions = op.dimensions(0);
  // Each dimension has a multiple (M-115).
  if (multiples.size() != dimensions.size())
    return badData("has {} multiples, but input 0 has rank {}",
                   multiples.size(), dimensions.size());
  for (size_t i = 0; i < dimensions.size(); ++i)
    dimensions[i] *= multiples[i];
  return single(dimensions);
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

Result<std::vector<Shape>> fillShape(Operator &op) {
  if (!op.isConstant(0))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> given, op.integers(0));
  std::vector<int64_t> dimensions(given.begin(), given.end());
  return single(dimensions);
}

Result<std::vector<Shape>> rankShape(Operator &op) {
  return std::vector<Shape>{{}};
}

Result<std::vector<Shape>> blockSizeShape(Operator &op) {
  bool isToDepth = op.row.type == OperationType::SPACE_TO_DEPTH;
  int64_t block;
  if (isToDepth) {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::SpaceToDepthOptions>());
    block = options->block_size();
  } else {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::DepthToSpaceOptions>());
    block = options->block_size();
  }
  std::vector<int64_t> d = op.dimensions(0);
  if (d.size() != 4 || block < 1)
    return badData(
        "has block size {} and input shape {}, expected 1 or more and rank 4",
        block, toString(op.shape(0)));
  bool divides = isToDepth ? d[1] % block == 0 && d[2] % block == 0
                           : block <= d[3] && d[3] % (block * block) == 0;
  // The block divides the height and the width, or its square the channels
  // (M-119).
  if (!divides)
    return badData("block size {} does not divide input shape {}", block,
                   toString(op.shape(0)));
  if (isToDepth)
    d = {d[0], d[1] / block, d[2] / block, d[3] * block * block};
  else
    d = {d[0], d[1] * block, d[2] * block, d[3] / (block * block)};
  return single(d);
}

Result<std::vector<Shape>> batchSpaceShape(Operator &op) {
  bool isToBatch = op.row.type == OperationType::SPACE_TO_BATCH_ND;
  if (!op.isConstant(1) || !op.isConstant(2))
    return op.declaredShapes();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> block, op.integers(1));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> margins, op.integers(2));
  std::vector<int64_t> d = op.dimensions(0);
  if (d.size() != 4 || block.size() != 2 || margins.size() != 4)
    return badData("the HAL's {} takes rank 4 and two block dimensions, found "
                   "shape {} and {}",
                   nameOf(op.row.type), toString(op.shape(0)), block.size());
  for (size_t i = 0; i < 2; ++i) {
    if (block[i] < 1 || margins[2 * i] < 0 || margins[2 * i + 1] < 0)
      return badData("dimension {} has block size {} and margins {} and {}",
                     i + 1, block[i], margins[2 * i], margins[2 * i + 1]);
    int64_t margin = int64_t(margins[2 * i]) + margins[2 * i + 1];
    int64_t &extent = d[i + 1];
    int64_t padded = isToBatch ? extent + margin : d[0];
    // The block divides the padded extents (M-120, M-121).
    if (padded % block[i] != 0)
      return badData("block size {} does not divide {}", block[i], padded);
    extent = isToBatch ? padded / block[i] : extent * block[i] - margin;
    d[0] = isToBatch ? std::min<int64_t>(d[0] * block[i], INT64_C(1) << 40)
                     : d[0] / block[i];
  }
  return single(d);
}

} // namespace nnhal::rt::tflite
