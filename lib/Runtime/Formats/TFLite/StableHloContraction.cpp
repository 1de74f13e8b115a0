//===- StableHloContraction.cpp - Operators of StableHLO ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of matrices and convolutions.
//
//===----------------------------------------------------------------------===//

#include "StableHlo.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;
using Builder = Rewriter::Builder;

//===----------------------------------------------------------------------===//
// DOT_GENERAL
//===----------------------------------------------------------------------===//

namespace {
/// One factor, whose dimensions are those of the batch, those that are summed
/// over, and the others.
struct Side {
  Shape shape;
  std::vector<int32_t> batch, summed, others;

  uint32_t count(const std::vector<int32_t> &dimensions) const {
    uint32_t product = 1;
    for (int32_t dimension : dimensions)
      product *= shape[size_t(dimension)];
    return product;
  }
};
} // namespace

static Result<Side> sideOf(Operator &op, size_t i,
                           const flatbuffers::Vector<int64_t> *batch,
                           const flatbuffers::Vector<int64_t> *summed) {
  Side side;
  side.shape = op.shape(i);
  size_t rank = side.shape.size();
  NNHAL_ASSIGN_OR_RETURN(side.batch,
                         dimensionList(batch, "batching_dimensions", rank));
  NNHAL_ASSIGN_OR_RETURN(side.summed,
                         dimensionList(summed, "contracting_dimensions", rank));
  for (int32_t dimension = 0; dimension < int32_t(rank); ++dimension) {
    bool isBatch = std::ranges::count(side.batch, dimension) > 0;
    bool isSummed = std::ranges::count(side.summed, dimension) > 0;
    if (isBatch && isSummed)
      return badData("dimension {} of input {} is one of the batch and is "
                     "summed over",
                     dimension, i);
    if (!isBatch && !isSummed)
      side.others.push_back(dimension);
  }
  return side;
}

/// Checks that both factors have the same extents in \p left and \p right.
static Status checkExtents(const Side &a, const std::vector<int32_t> &left,
                           const Side &b, const std::vector<int32_t> &right) {
  if (left.size() != right.size())
    return badData("{} dimensions of input 0 stand for {} of input 1",
                   left.size(), right.size());
  for (size_t i = 0; i < left.size(); ++i)
    if (a.shape[size_t(left[i])] != b.shape[size_t(right[i])])
      return badData("dimension {} of input 0 has extent {}, but dimension {} "
                     "of input 1 has {}",
                     left[i], a.shape[size_t(left[i])], right[i],
                     b.shape[size_t(right[i])]);
  return Status();
}

/// \p tensor as matrices: [batch, rows, columns].
static Result<int32_t> matrices(Rewriter &r, int32_t tensor, const Side &side,
                                const std::vector<int32_t> &rows,
                                const std::vector<int32_t> &columns) {
  std::vector<int32_t> order = side.batch;
  order.insert(order.end(), rows.begin(), rows.end());
  order.insert(order.end(), columns.begin(), columns.end());
  NNHAL_ASSIGN_OR_RETURN(int32_t ordered, r.transpose(tensor, order));
  return r.reshape(
      ordered, {side.count(side.batch), side.count(rows), side.count(columns)});
}

Status importStableHloDotGeneral(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<schema::StablehloDotGeneralOptions>());
  NNHAL_ASSIGN_OR_RETURN(Side a,
                         sideOf(op, 0, options->lhs_batching_dimensions(),
                                options->lhs_contracting_dimensions()));
  NNHAL_ASSIGN_OR_RETURN(Side b,
                         sideOf(op, 1, options->rhs_batching_dimensions(),
                                options->rhs_contracting_dimensions()));
  NNHAL_RETURN_IF_ERROR(checkExtents(a, a.batch, b, b.batch));
  NNHAL_RETURN_IF_ERROR(checkExtents(a, a.summed, b, b.summed));
  Shape shape;
  for (int32_t dimension : a.batch)
    shape.push_back(a.shape[size_t(dimension)]);
  for (const Side *side : {&a, &b})
    for (int32_t dimension : side->others)
      shape.push_back(side->shape[size_t(dimension)]);
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t left,
                         matrices(r, op.inputs[0], a, a.others, a.summed));
  NNHAL_ASSIGN_OR_RETURN(int32_t right,
                         matrices(r, op.inputs[1], b, b.summed, b.others));
  NNHAL_ASSIGN_OR_RETURN(
      int32_t product,
      r.value(Code::BATCH_MATMUL, {left, right}, op.outputs[0]));
  NNHAL_ASSIGN_OR_RETURN(product, r.reshape(product, shape));
  return r.give(product);
}

//===----------------------------------------------------------------------===//
// CONVOLUTION
//===----------------------------------------------------------------------===//

using ConvolutionOptions = schema::StablehloConvolutionOptions;

/// The order \p first, \p spatial and \p last of dimensions, each of 0 to 3
/// once.
static Result<std::vector<int32_t>>
layoutOf(std::string_view name, int64_t first,
         const flatbuffers::Vector<int64_t> *spatial, int64_t last) {
  std::vector<int64_t> order = {first};
  for (int64_t dimension : copyOf(spatial))
    order.push_back(dimension);
  order.push_back(last);
  if (!std::ranges::is_permutation(order, std::vector<int64_t>{0, 1, 2, 3}))
    return badData("the {} has dimensions [{}], only those of rank 4 are "
                   "imported",
                   name, fmt::join(order, ", "));
  return std::vector<int32_t>(order.begin(), order.end());
}

/// Checks the attributes for which the file format has no convolution.
static Status checkPlain(const ConvolutionOptions &options) {
  NNHAL_RETURN_IF_ERROR(
      attribute(options.lhs_dilation(), "lhs_dilation", 2, 1, 1).takeStatus());
  if (std::ranges::count(elementsOf(options.window_reversal()), uint8_t(1)) > 0)
    return badData("reversed windows are not imported");
  if (options.batch_group_count() > 1)
    return badData("{} groups of the batch are not imported",
                   options.batch_group_count());
  return Status();
}

/// Input 0 as [batch, height, width, channels], with zeros around it.
static Result<int32_t> paddedPicture(Operator &op, Rewriter &r,
                                     const ConvolutionOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> layout,
                         layoutOf("input", options.input_batch_dimension(),
                                  options.input_spatial_dimensions(),
                                  options.input_feature_dimension()));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> padding,
                         attribute(options.padding(), "padding", 4, 0, 65535));
  NNHAL_ASSIGN_OR_RETURN(int32_t picture, r.transpose(op.inputs[0], layout));
  if (padding == std::vector<int32_t>(4, 0))
    return picture;
  return r.value(Code::PAD,
                 {picture, r.integers({0, 0, padding[0], padding[1], padding[2],
                                       padding[3], 0, 0},
                                      Shape{4, 2})},
                 picture);
}

Status importStableHloConvolution(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkKnown(op));
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options2<ConvolutionOptions>());
  for (size_t i : {0, 1})
    if (op.shape(i).size() != 4)
      return badData("input {} has shape {}, only those of rank 4 are imported",
                     i, toString(op.shape(i)));
  NNHAL_RETURN_IF_ERROR(checkPlain(*options));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> kernelLayout,
                         layoutOf("kernel",
                                  options->kernel_output_feature_dimension(),
                                  options->kernel_spatial_dimensions(),
                                  options->kernel_input_feature_dimension()));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> outputLayout,
                         layoutOf("output", options->output_batch_dimension(),
                                  options->output_spatial_dimensions(),
                                  options->output_feature_dimension()));
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> strides,
      attribute(options->window_strides(), "window_strides", 2, 1, 65535));
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<int32_t> dilations,
      attribute(options->rhs_dilation(), "rhs_dilation", 2, 1, 65535));
  Rewriter r(op);
  NNHAL_ASSIGN_OR_RETURN(int32_t picture, paddedPicture(op, r, *options));
  NNHAL_ASSIGN_OR_RETURN(int32_t kernel,
                         r.transpose(op.inputs[1], kernelLayout));
  int64_t groups = std::max<int64_t>(options->feature_group_count(), 1);
  uint32_t channels = r.shapeOf(picture)[3], depth = r.shapeOf(kernel)[3];
  if (channels % depth != 0 || channels / depth != groups)
    return badData("{} groups of {} channels are not the {} of the input",
                   groups, depth, channels);
  NNHAL_ASSIGN_OR_RETURN(
      int32_t result, r.value(Code::CONV_2D, {picture, kernel}, op.outputs[0],
                              [&](Builder &builder) {
                                return schema::CreateConv2DOptions(
                                    builder, schema::Padding::VALID, strides[1],
                                    strides[0], schema::Activation::NONE,
                                    dilations[1], dilations[0]);
                              }));
  // Dimension outputLayout[i] of the output is dimension i here.
  std::vector<int32_t> order(4);
  for (int32_t i = 0; i < 4; ++i)
    order[size_t(outputLayout[size_t(i)])] = i;
  NNHAL_ASSIGN_OR_RETURN(result, r.transpose(result, order));
  return r.give(result);
}

} // namespace nnhal::rt::tflite
