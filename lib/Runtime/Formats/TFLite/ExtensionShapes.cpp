//===- ExtensionShapes.cpp - Shapes of moved data, at any rank ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// TensorFlow Lite moves data of any rank and slices it in more ways than the
// HAL, so that the HAL's rules do not tell these shapes. An extent of 0 is one
// that only an execution knows; functions of rows that take such keep it.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "ExtensionTypes.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

/// \p dimensions as the shape of the only output.
static Result<std::vector<Shape>> single(std::span<const int64_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

/// The constant integers of input \p i, \p count of them.
static Result<std::vector<int32_t>> integers(Operator &op, size_t i,
                                             size_t count) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> values, op.integers(i));
  if (values.size() != count)
    return badData("input {} has {} values, expected {}", i, values.size(),
                   count);
  return values;
}

Result<std::vector<Shape>> extensionStatedShape(Operator &op) {
  size_t i = 1; // BROADCAST_TO, SPARSE_TO_DENSE
  switch (op.row.code) {
  case Code::TRANSPOSE_CONV:
  case Code::CONV_3D_TRANSPOSE:
  case Code::FILL:
  case Code::RANDOM_STANDARD_NORMAL:
  case Code::RANDOM_UNIFORM:
    i = 0;
    break;
  case Code::SCATTER_ND:
    i = 2;
    break;
  default:
    break;
  }
  if (!op.isConstant(i))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> given, op.integers(i));
  std::vector<int64_t> dimensions(given.begin(), given.end());
  return single(dimensions);
}

Result<std::vector<Shape>> extensionReshapeShape(Operator &op) {
  return op.hasInput(1) && !op.isConstant(1) ? partialShapes(op)
                                             : reshapeShape(op);
}

Result<std::vector<Shape>> extensionPadShape(Operator &op) {
  if (!op.isConstant(1))
    return partialShapes(op);
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> paddings,
                         integers(op, 1, dimensions.size() * 2));
  for (size_t i = 0; i < paddings.size(); ++i) {
    if (paddings[i] < 0)
      return badData("padding {} of dimension {} is negative", paddings[i],
                     i / 2);
    dimensions[i / 2] += paddings[i];
  }
  return single(dimensions);
}

Result<std::vector<Shape>> extensionConcatenationShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ConcatenationOptions>());
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size()));
  for (size_t i = 1; i < op.inputCount(); ++i) {
    if (!op.hasInput(i))
      return badData("input {} is missing", i);
    Shape expected = op.shape(0);
    if (op.shape(i).size() == expected.size())
      expected[axis] = op.shape(i)[axis];
    if (op.shape(i) != expected)
      return badData("input {} has shape {}, expected {}", i,
                     toString(op.shape(i)), toString(expected));
    dimensions[axis] += op.shape(i)[axis];
  }
  return single(dimensions);
}

Result<std::vector<Shape>> extensionPackShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::PackOptions>());
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis,
      Operator::normalizeAxis(options->axis(), dimensions.size() + 1));
  for (size_t i = 1; i < op.inputCount(); ++i) {
    if (!op.hasInput(i))
      return badData("input {} is missing", i);
    if (op.shape(i) != op.shape(0))
      return badData("input {} has shape {}, expected {}", i,
                     toString(op.shape(i)), toString(op.shape(0)));
  }
  dimensions.insert(dimensions.begin() + axis, int64_t(op.inputCount()));
  return single(dimensions);
}

Result<std::vector<int64_t>> boxExtents(Operator &op) {
  std::vector<int64_t> dimensions = op.dimensions(0);
  size_t rank = dimensions.size();
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> begin, integers(op, 1, rank));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, integers(op, 2, rank));
  for (size_t i = 0; i < rank; ++i) {
    int64_t rest = dimensions[i] - begin[i];
    if (begin[i] < 0 || size[i] > rest || rest < 0)
      return badData("{} elements from {} leave dimension {} of extent {}",
                     size[i], begin[i], i, dimensions[i]);
    dimensions[i] = size[i] == -1 ? rest : size[i];
  }
  return dimensions;
}

Result<std::vector<Shape>> extensionSliceShape(Operator &op) {
  if (!op.isConstant(1) || !op.isConstant(2))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int64_t> dimensions, boxExtents(op));
  return single(dimensions);
}

namespace {
/// The masks of a STRIDED_SLICE and where they are in its lists.
struct SliceWalk {
  const schema::StridedSliceOptions &options;
  std::vector<int32_t> begin, end, strides;

  bool has(int32_t mask, size_t i) const { return i < 32 && mask >> i & 1; }
  /// The number of elements that entry \p i takes of \p extent.
  Result<int64_t> count(size_t i, int64_t extent) const;
};
} // namespace

Result<int64_t> SliceWalk::count(size_t i, int64_t extent) const {
  int64_t stride = strides[i];
  if (stride == 0)
    return badData("stride of dimension {} is 0", i);
  int64_t first =
      firstOfSlice(begin[i], has(options.begin_mask(), i), stride, extent);
  if (has(options.shrink_axis_mask(), i)) {
    if (first < 0 || first >= extent || stride < 0)
      return badData(
          "shrunk dimension {} has begin {} and stride {} in a size of {}", i,
          begin[i], stride, extent);
    return 1;
  }
  // An offset counts from where the slice begins inside of the tensor.
  int64_t last = options.offset() ? first + end[i] : end[i];
  last = has(options.end_mask(), i) ? (stride > 0 ? extent : -1)
                                    : placeInSlice(last, stride, extent);
  int64_t distance = stride > 0 ? last - first : first - last;
  int64_t step = stride > 0 ? stride : -stride;
  return distance <= 0 ? 0 : (distance + step - 1) / step;
}

Result<std::vector<int64_t>> slicedExtents(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::StridedSliceOptions>());
  SliceWalk walk{*options, {}, {}, {}};
  NNHAL_ASSIGN_OR_RETURN(walk.begin, op.integers(1));
  size_t count = walk.begin.size();
  NNHAL_ASSIGN_OR_RETURN(walk.end, integers(op, 2, count));
  NNHAL_ASSIGN_OR_RETURN(walk.strides, integers(op, 3, count));
  const Shape &data = op.shape(0);
  size_t taken = 0, ellipses = 0;
  for (size_t i = 0; i < count; ++i) {
    bool isEllipsis = walk.has(options->ellipsis_mask(), i);
    ellipses += isEllipsis;
    taken += !isEllipsis && !walk.has(options->new_axis_mask(), i);
  }
  if (ellipses > 1)
    return badData("ellipsis_mask {} names {} entries, at most one is legal",
                   options->ellipsis_mask(), ellipses);
  if (taken > data.size())
    return badData("{} entries take a dimension, but input 0 has rank {}",
                   taken, data.size());
  std::vector<int64_t> dimensions;
  size_t axis = 0;
  for (size_t i = 0; i < count; ++i) {
    if (walk.has(options->ellipsis_mask(), i)) {
      for (size_t end = axis + data.size() - taken; axis < end; ++axis)
        dimensions.push_back(data[axis]);
    } else if (walk.has(options->new_axis_mask(), i)) {
      dimensions.push_back(1);
    } else {
      NNHAL_ASSIGN_OR_RETURN(int64_t extent, walk.count(i, data[axis++]));
      if (!walk.has(options->shrink_axis_mask(), i))
        dimensions.push_back(extent);
    }
  }
  for (; axis < data.size(); ++axis)
    dimensions.push_back(data[axis]);
  return dimensions;
}

Result<std::vector<Shape>> extensionStridedSliceShape(Operator &op) {
  for (size_t i = 1; i < 4; ++i)
    if (!op.isConstant(i))
      return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int64_t> dimensions, slicedExtents(op));
  return single(dimensions);
}

Result<std::vector<Shape>> extensionSplitShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(0));
  Shape shape = op.shape(1);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, shape.size()));
  if (shape[axis] % op.outputCount() != 0)
    return badData("extent {} of axis {} is not a multiple of {} results",
                   shape[axis], axis, op.outputCount());
  shape[axis] /= uint32_t(op.outputCount());
  return std::vector<Shape>(op.outputCount(), shape);
}

Result<std::vector<Shape>> extensionSqueezeShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::SqueezeOptions>());
  const Shape &data = op.shape(0);
  std::vector<bool> isDropped(data.size());
  for (int32_t stated : elementsOf(options->squeeze_dims())) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                           Operator::normalizeAxis(stated, data.size()));
    if (data[axis] != 1)
      return badData("extent {} of axis {} must be 1", data[axis], axis);
    isDropped[axis] = true;
  }
  bool dropsAll = elementsOf(options->squeeze_dims()).empty();
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i)
    if (!isDropped[i] && !(dropsAll && data[i] == 1))
      shape.push_back(data[i]);
  return std::vector<Shape>{shape};
}

/// \p shape, some extents of which may not be known, as the only output's.
static Result<std::vector<Shape>> singleKnown(Shape shape) {
  if (shape.size() > 8)
    return badData("rank {} exceeds {}", shape.size(), 8);
  if (!elementCount(shape))
    return badData("shape {} has more than 4294967295 elements",
                   toString(shape));
  return std::vector<Shape>{std::move(shape)};
}

Result<std::vector<Shape>> extensionExpandDimsShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(1));
  Shape shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, shape.size() + 1));
  shape.insert(shape.begin() + axis, 1);
  return singleKnown(std::move(shape));
}

Result<std::vector<Shape>> extensionTransposeShape(Operator &op) {
  const Shape &data = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> permutation,
                         integers(op, 1, data.size()));
  Shape shape;
  std::vector<bool> isTaken(data.size());
  for (int32_t stated : permutation) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                           Operator::normalizeAxis(stated, data.size()));
    if (isTaken[axis])
      return badData("permutation repeats dimension {}", axis);
    isTaken[axis] = true;
    shape.push_back(data[axis]);
  }
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> extensionTileShape(Operator &op) {
  if (!op.isConstant(1))
    return partialShapes(op);
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> multiples,
                         integers(op, 1, dimensions.size()));
  for (size_t i = 0; i < dimensions.size(); ++i)
    dimensions[i] *= multiples[i];
  return single(dimensions);
}

Result<std::vector<Shape>> extensionDilateShape(Operator &op) {
  if (!op.isConstant(1))
    return partialShapes(op);
  std::vector<int64_t> dimensions = op.dimensions(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> factors,
                         integers(op, 1, dimensions.size()));
  for (size_t i = 0; i < dimensions.size(); ++i)
    dimensions[i] = (dimensions[i] - 1) * factors[i] + 1;
  return single(dimensions);
}

Result<std::vector<Shape>> extensionReduceWindowShape(Operator &op) {
  std::vector<int64_t> dimensions = op.dimensions(0);
  std::array<std::vector<int32_t>, 3> lists;
  for (size_t list = 0; list < lists.size(); ++list) {
    NNHAL_ASSIGN_OR_RETURN(lists[list],
                           integers(op, list + 2, dimensions.size()));
    for (int32_t value : lists[list])
      if (value < 1)
        return badData("input {} has the value {}, which is below 1", list + 2,
                       value);
  }
  const auto &[extents, strides, dilations] = lists;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    int64_t reach = (int64_t(extents[i]) - 1) * dilations[i] + 1;
    if (reach > dimensions[i])
      return badData("a window of {} elements exceeds extent {} of dimension "
                     "{}",
                     reach, dimensions[i], i);
    dimensions[i] = (dimensions[i] - reach) / strides[i] + 1;
  }
  return single(dimensions);
}

Result<std::vector<Shape>> extensionSparseLookupShape(Operator &op) {
  if (!op.isConstant(2))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> dense, op.integers(2));
  const Shape &values = op.shape(4);
  if (dense.empty() || values.empty())
    return badData("the dense shape has {} extents and the values have shape "
                   "{}, expected 1 or more of both",
                   dense.size(), toString(values));
  // The values of a row stand in the place of the last dimension.
  std::vector<int64_t> dimensions(dense.begin(), dense.end() - 1);
  dimensions.insert(dimensions.end(), values.begin() + 1, values.end());
  return single(dimensions);
}

Result<std::vector<Shape>> extensionGatherShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::GatherOptions>());
  const Shape &data = op.shape(0), &indices = op.shape(1);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(options->axis(), data.size()));
  // The number of batch dimensions may be all that the indices have.
  NNHAL_ASSIGN_OR_RETURN(uint32_t batch,
                         Operator::normalizeAxis(options->batch_dims() < 0
                                                     ? options->batch_dims() - 1
                                                     : options->batch_dims(),
                                                 indices.size() + 1));
  if (batch > axis)
    return badData("batch_dims is {}, but the axis is {}", batch, axis);
  for (uint32_t i = 0; i < batch; ++i)
    if (data[i] != indices[i])
      return badData("dimension {} is {} in input 0 and {} in input 1", i,
                     data[i], indices[i]);
  Shape shape(data.begin(), data.begin() + axis);
  shape.insert(shape.end(), indices.begin() + batch, indices.end());
  shape.insert(shape.end(), data.begin() + axis + 1, data.end());
  return singleKnown(std::move(shape));
}

Result<std::vector<Shape>> extensionEmbeddingShape(Operator &op) {
  const Shape &lookups = op.shape(0), &values = op.shape(1);
  if (lookups.size() != 1 || values.size() < 2)
    return badData("looks up shape {} in shape {}, expected rank 1 and 2 or "
                   "more",
                   toString(lookups), toString(values));
  std::vector<int64_t> dimensions = op.dimensions(1);
  dimensions[0] = lookups[0];
  return single(dimensions);
}

Result<std::vector<Shape>> extensionBitcastShape(Operator &op) {
  Tensor &from = op.input(0), &to = op.output(0);
  if (!from.type || !to.type)
    return badData("{} {}", describe(to), to.typeProblem);
  uint32_t fromSize = std::max(1u, elementSizeOf(*from.type)),
           toSize = std::max(1u, elementSizeOf(*to.type));
  std::vector<int64_t> dimensions = op.dimensions(0);
  if (fromSize > toSize) {
    dimensions.push_back(fromSize / toSize);
  } else if (fromSize < toSize) {
    if (dimensions.empty() || dimensions.back() != toSize / fromSize)
      return badData("the last dimension of shape {} is not {}, which is how "
                     "many {} a {} holds",
                     toString(op.shape(0)), toSize / fromSize,
                     nameOf(from.sourceType), nameOf(to.sourceType));
    dimensions.pop_back();
  }
  return single(dimensions);
}

Result<std::vector<Shape>> extensionMatrixDiagShape(Operator &op) {
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, expected rank 1 or more");
  std::vector<int64_t> dimensions = op.dimensions(0);
  dimensions.push_back(dimensions.back());
  return single(dimensions);
}

Result<std::vector<Shape>> extensionBroadcastArgsShape(Operator &op) {
  for (size_t i : {0, 1})
    if (op.shape(i).size() != 1)
      return badData("input {} has shape {}, expected rank 1", i,
                     toString(op.shape(i)));
  return std::vector<Shape>{{std::max(op.shape(0)[0], op.shape(1)[0])}};
}

Result<std::vector<Shape>> extensionShapeShape(Operator &op) {
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, whose shape has no elements");
  return std::vector<Shape>{{uint32_t(op.shape(0).size())}};
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Result<std::vector<Shape>> extensionBlockShape(Operator &op) {
  bool isSpread = op.row.code == Code::DEPTH_TO_SPACE;
  int32_t block;
  if (isSpread) {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::DepthToSpaceOptions>());
    block = options->block_size();
  } else {
    NNHAL_ASSIGN_OR_RETURN(const auto *options,
                           op.options<schema::SpaceToDepthOptions>());
    block = options->block_size();
  }
  std::vector<int64_t> d = op.dimensions(0);
  constexpr int32_t limit = 1 << 15;
  if (d.size() != 4 || block < 1 || block > limit)
    return badData("block size {} of shape {} is not of rank 4 or not in "
                   "1..{}",
                   block, toString(op.shape(0)), limit);
  int64_t area = int64_t(block) * block;
  bool divides =
      isSpread ? d[3] % area == 0 : d[1] % block == 0 && d[2] % block == 0;
  if (!divides)
    return badData("shape {} does not consist of blocks of {}",
                   toString(op.shape(0)), block);
  if (isSpread)
    d = {d[0], d[1] * block, d[2] * block, d[3] / area};
  else
    d = {d[0], d[1] / block, d[2] / block, d[3] * area};
  return single(d);
}

/// The block sizes and the margins of SPACE_TO_BATCH_ND and its inverse.
static Status readBlocks(Operator &op, std::vector<int32_t> &blocks,
                         std::vector<int32_t> &margins) {
  NNHAL_ASSIGN_OR_RETURN(blocks, op.integers(1));
  if (blocks.empty() || blocks.size() >= op.shape(0).size())
    return badData("has {} block sizes for shape {}", blocks.size(),
                   toString(op.shape(0)));
  NNHAL_ASSIGN_OR_RETURN(margins, integers(op, 2, blocks.size() * 2));
  constexpr int32_t limit = 1 << 15;
  for (int32_t block : blocks)
    if (block < 1 || block > limit)
      return badData("block size {} is not in 1..{}", block, limit);
  for (int32_t margin : margins)
    if (margin < 0)
      return badData("margin {} of a block is negative", margin);
  return Status();
}

Result<std::vector<Shape>> extensionBatchToSpaceShape(Operator &op) {
  std::vector<int32_t> blocks, crops;
  NNHAL_RETURN_IF_ERROR(readBlocks(op, blocks, crops));
  std::vector<int64_t> dimensions = op.dimensions(0);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (dimensions[0] % blocks[i] != 0)
      return badData("batch {} does not consist of blocks of {}", dimensions[0],
                     blocks[i]);
    dimensions[0] /= blocks[i];
    dimensions[i + 1] =
        dimensions[i + 1] * blocks[i] - crops[2 * i] - crops[2 * i + 1];
  }
  return single(dimensions);
}

Result<std::vector<Shape>> extensionSpaceToBatchShape(Operator &op) {
  std::vector<int32_t> blocks, paddings;
  NNHAL_RETURN_IF_ERROR(readBlocks(op, blocks, paddings));
  std::vector<int64_t> dimensions = op.dimensions(0);
  for (size_t i = 0; i < blocks.size(); ++i) {
    int64_t padded = dimensions[i + 1] + paddings[2 * i] + paddings[2 * i + 1];
    if (padded % blocks[i] != 0 || dimensions[0] > INT32_MAX)
      return badData("padded dimension {} of size {} does not consist of "
                     "blocks of {}",
                     i + 1, padded, blocks[i]);
    dimensions[0] *= blocks[i];
    dimensions[i + 1] = padded / blocks[i];
  }
  return single(dimensions);
}

} // namespace nnhal::rt::tflite
