//===- ExtensionResultShapes.cpp - Shapes of what is computed -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Convolutions, windows, reductions, recurrent operators, and those whose
// results have as many elements as values say: an extent of 0 is one that only
// an execution knows. Where the HAL has an operation whose rule tells the
// shape, that is asked with floats.
//
//===----------------------------------------------------------------------===//

#include "Extension.h"
#include "RuleUse.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

static Status expectRank(Operator &op, size_t i, size_t rank) {
  if (op.shape(i).size() != rank)
    return badData("input {} has shape {}, expected rank {}", i,
                   toString(op.shape(i)), rank);
  return Status();
}

/// \p dimensions as the shape of the only output.
static Result<std::vector<Shape>> single(std::span<const int64_t> dimensions) {
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

//===----------------------------------------------------------------------===//
// Convolutions and windows
//===----------------------------------------------------------------------===//

Result<std::vector<Shape>> extensionConv2DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Conv2DOptions>());
  for (size_t i : {0, 1})
    NNHAL_RETURN_IF_ERROR(expectRank(op, i, 4));
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  const Shape &data = op.shape(0);
  Shape filter = op.shape(1);
  // Groups change nothing about the extents of the result.
  if (data[3] % filter[3] != 0 || filter[0] % (data[3] / filter[3]) != 0)
    return badData("{} input and {} output channels are no groups of {}",
                   data[3], filter[0], filter[3]);
  filter[3] = data[3];
  return RuleUse(OperationType::CONV_2D)
      .tensor(data)
      .tensor(filter)
      .tensor({filter[0]})
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(0)
      .boolean(false)
      .int32(options->dilation_w())
      .int32(options->dilation_h())
      .shapes();
}

Result<std::vector<Shape>> extensionDepthwiseConv2DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::DepthwiseConv2DOptions>());
  for (size_t i : {0, 1})
    NNHAL_RETURN_IF_ERROR(expectRank(op, i, 4));
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  const Shape &filter = op.shape(1);
  return RuleUse(OperationType::DEPTHWISE_CONV_2D)
      .tensor(op.shape(0))
      .tensor(filter)
      .tensor({filter[3]})
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(int32_t(filter[3] / op.shape(0)[3]))
      .int32(0)
      .boolean(false)
      .int32(options->dilation_w())
      .int32(options->dilation_h())
      .shapes();
}

Result<std::vector<Shape>> extensionConv3DShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Conv3DOptions>());
  for (size_t i : {0, 1})
    NNHAL_RETURN_IF_ERROR(expectRank(op, i, 5));
  const Shape &data = op.shape(0), &filter = op.shape(1);
  if (data[4] != filter[3])
    return badData("filter channels {} differs from input channels {}",
                   filter[3], data[4]);
  // The rule of two dimensions tells those of depth and height, and of width.
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  auto plane = [&](size_t height, int32_t stride, int32_t dilation) {
    return RuleUse(OperationType::CONV_2D)
        .tensor({1, data[height], data[3], 1})
        .tensor({1, filter[height - 1], filter[2], 1})
        .tensor({1})
        .int32(scheme)
        .int32(options->stride_w())
        .int32(stride)
        .int32(0)
        .boolean(false)
        .int32(options->dilation_w())
        .int32(dilation)
        .shapeOfOutput();
  };
  NNHAL_ASSIGN_OR_RETURN(Shape deep,
                         plane(1, options->stride_d(), options->dilation_d()));
  NNHAL_ASSIGN_OR_RETURN(Shape high,
                         plane(2, options->stride_h(), options->dilation_h()));
  std::vector<int64_t> dimensions = {data[0], deep[1], high[1], high[2],
                                     filter[4]};
  return single(dimensions);
}

Result<std::vector<Shape>> extensionPoolShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::Pool2DOptions>());
  NNHAL_ASSIGN_OR_RETURN(int32_t scheme, paddingScheme(options->padding()));
  return RuleUse(OperationType::AVERAGE_POOL_2D)
      .tensor(op.shape(0))
      .int32(scheme)
      .int32(options->stride_w())
      .int32(options->stride_h())
      .int32(options->filter_width())
      .int32(options->filter_height())
      .int32(0)
      .shapes();
}

Result<std::vector<Shape>> extensionResizeShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 4));
  if (!op.isConstant(1))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> size, op.integers(1));
  if (size.size() != 2)
    return badData("size has {} values, expected 2", size.size());
  std::vector<int64_t> dimensions = op.dimensions(0);
  dimensions[1] = size[0];
  dimensions[2] = size[1];
  return single(dimensions);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Result<std::vector<Shape>> extensionReduceShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::ReducerOptions>());
  if (!op.isConstant(1))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> axes, op.integers(1));
  const Shape &data = op.shape(0);
  std::vector<bool> isReduced(data.size());
  for (int32_t stated : axes) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                           Operator::normalizeAxis(stated, data.size()));
    isReduced[axis] = true;
  }
  Shape shape;
  for (size_t i = 0; i < data.size(); ++i)
    if (!isReduced[i])
      shape.push_back(data[i]);
    else if (options->keep_dims())
      shape.push_back(1);
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> extensionArgShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(int32_t stated, op.integer(1));
  Shape shape = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         Operator::normalizeAxis(stated, shape.size()));
  shape.erase(shape.begin() + axis);
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> extensionTopKShape(Operator &op) {
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, expected rank 1 or more");
  if (!op.isConstant(1))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t k, op.integer(1));
  Shape shape = op.shape(0);
  if (k < 1 || uint32_t(k) > shape.back())
    return badData("k {} is not in 1..{}, the last extent", k, shape.back());
  shape.back() = uint32_t(k);
  return std::vector<Shape>(2, shape);
}

Result<std::vector<Shape>> extensionSegmentSumShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 1, 1));
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, expected rank 1 or more");
  Shape shape = op.shape(0);
  shape[0] = 0; // What the last of the rising numbers says.
  if (op.isConstant(1)) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> segments, op.integers(1));
    if (segments.back() < 0 || segments.back() == INT32_MAX)
      return badData("the last segment is {}, which is not in 0..{}",
                     segments.back(), INT32_MAX - 1);
    shape[0] = uint32_t(segments.back()) + 1;
  }
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> extensionUnsortedSegmentShape(Operator &op) {
  const Shape &data = op.shape(0), &segments = op.shape(1);
  if (segments.size() > data.size() ||
      !std::equal(segments.begin(), segments.end(), data.begin()))
    return badData("segments of shape {} do not name parts of shape {}",
                   toString(segments), toString(data));
  if (!op.isConstant(2))
    return partialShapes(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t count, op.integer(2));
  std::vector<int64_t> dimensions = {count};
  dimensions.insert(dimensions.end(), data.begin() + segments.size(),
                    data.end());
  return single(dimensions);
}

//===----------------------------------------------------------------------===//
// Results of unknown size
//===----------------------------------------------------------------------===//

Result<std::vector<Shape>> extensionWhereShape(Operator &op) {
  return std::vector<Shape>{
      {0, std::max<uint32_t>(1, uint32_t(op.shape(0).size()))}};
}

Result<std::vector<Shape>> extensionUniqueShape(Operator &op) {
  NNHAL_RETURN_IF_ERROR(expectRank(op, 0, 1));
  return std::vector<Shape>{{0}, op.shape(0)};
}

Result<std::vector<Shape>> extensionRangeShape(Operator &op) {
  return std::vector<Shape>{{0}};
}

Result<std::vector<Shape>> extensionSuppressionShape(Operator &op) {
  uint32_t count = 0;
  if (op.isConstant(2)) {
    NNHAL_ASSIGN_OR_RETURN(int32_t most, op.integer(2));
    if (most < 1)
      return badData("at most {} boxes are selected, expected 1 or more", most);
    count = uint32_t(most);
  }
  // Indices, scores in the newer form, and how many of them are valid.
  if (op.row.code == Code::NON_MAX_SUPPRESSION_V4)
    return std::vector<Shape>{{count}, {}};
  return std::vector<Shape>{{count}, {count}, {}};
}

} // namespace nnhal::rt::tflite
