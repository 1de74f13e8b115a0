//===- GroupedConvolution.cpp - A convolution for each group --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution in groups, of known extents, becomes what has micro-kernels: a
// convolution of each group, between slices of the input and a concatenation;
// one per channel where groups have one input channel each; and a convolution
// like any other where there is one group.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "Weights.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace nnhal;

/// Each group is code of its own, which takes time to compile. Networks have up
/// to 32.
static constexpr uint64_t mostGroups = 128;

namespace {
struct SplitGroups : OpRewritePattern<GroupedConv2DOp> {
  SplitGroups(MLIRContext *context, Pass::Statistic *numSplit)
      : OpRewritePattern<GroupedConv2DOp>(context), numSplit(numSplit) {}

  LogicalResult matchAndRewrite(GroupedConv2DOp op,
                                PatternRewriter &rewriter) const override;

  Pass::Statistic *numSplit;
};
} // namespace

/// The part \p group of \p groups of \p value along its first dimension, which
/// is that of the output channels. The part of a constant is a constant.
static Value channelsOf(PatternRewriter &rewriter, Location location,
                        TypedValue<RankedTensorType> value, int64_t group,
                        int64_t groups) {
  RankedTensorType type = value.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[0] /= groups;
  int64_t first = group * shape[0];
  auto channels = llvm::to_vector(llvm::seq(first, first + shape[0]));
  auto part = RankedTensorType::get(
      shape, selectChannels(type.getElementType(), channels, /*dimension=*/0));
  if (auto weights = ConstantWeights::of(value)) {
    size_t size = weights->bytes().size() / size_t(groups);
    return weights->replace(rewriter, location, part,
                            weights->bytes().slice(size_t(group) * size, size),
                            "_group");
  }
  SmallVector<int64_t> begin(shape.size(), 0);
  begin[0] = first;
  return SliceOp::create(rewriter, location, part, value, begin, shape);
}

/// Whether channelsOf() has a way for \p filter: SLICE takes no scales of
/// channels.
static bool canBeCut(TypedValue<RankedTensorType> filter) {
  return !isa<quant::UniformQuantizedPerAxisType>(
             filter.getType().getElementType()) ||
         ConstantWeights::of(filter);
}

/// The convolution of group \p group of \p op.
static Value convolveGroup(PatternRewriter &rewriter, GroupedConv2DOp op,
                           int64_t group) {
  auto groups = int64_t(op.getGroups());
  Location location = op.getLoc();
  RankedTensorType type = op.getInput().getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[3] /= groups;
  SmallVector<int64_t> begin = {0, 0, 0, group * shape[3]};
  Value input = SliceOp::create(rewriter, location, type.clone(shape),
                                op.getInput(), begin, shape);
  RankedTensorType output = op.getOutput().getType();
  SmallVector<int64_t> outputShape(output.getShape());
  outputShape[3] /= groups;
  return Conv2DOp::create(
      rewriter, location, output.clone(outputShape), input,
      channelsOf(rewriter, location, op.getFilter(), group, groups),
      channelsOf(rewriter, location, op.getBias(), group, groups),
      op.getPadsAttr(), op.getStrides(), op.getActivation());
}

/// \p filter, [out, height, width, 1], as one per channel, [1, height, width,
/// out]; null where it is not constant.
static Value filterPerChannel(PatternRewriter &rewriter, Location location,
                              TypedValue<RankedTensorType> filter) {
  auto weights = ConstantWeights::of(filter);
  if (!weights)
    return {};
  RankedTensorType type = filter.getType();
  ArrayRef<int64_t> shape = type.getShape();
  auto channels = size_t(shape[0]), taps = size_t(shape[1] * shape[2]);
  size_t size = weights->bytes().size() / (channels * taps);
  std::vector<char> perChannel;
  perChannel.reserve(weights->bytes().size());
  for (size_t tap = 0; tap < taps; ++tap)
    for (size_t channel = 0; channel < channels; ++channel)
      llvm::append_range(perChannel, weights->bytes().slice(
                                         (channel * taps + tap) * size, size));
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shape[0]));
  return weights->replace(
      rewriter, location,
      RankedTensorType::get(
          {1, shape[1], shape[2], shape[0]},
          selectChannels(type.getElementType(), all, /*dimension=*/3)),
      perChannel, "_per_channel");
}

LogicalResult SplitGroups::matchAndRewrite(GroupedConv2DOp op,
                                           PatternRewriter &rewriter) const {
  if (!hasElements(op.getInput().getType()) ||
      !hasElements(op.getFilter().getType()) ||
      !hasElements(op.getBias().getType()) ||
      !hasElements(op.getOutput().getType()))
    return rewriter.notifyMatchFailure(op, "extents are not known or 0");
  if (!op.getPads())
    return rewriter.notifyMatchFailure(op, "pads follow when the model runs");
  if (op.getGroups() > mostGroups)
    return rewriter.notifyMatchFailure(op, "too many groups");
  if (!canBeCut(op.getFilter()))
    return rewriter.notifyMatchFailure(op, "SLICE does not take the filter");
  auto groups = int64_t(op.getGroups());
  int64_t channels = op.getOutput().getType().getDimSize(3);
  if (numSplit)
    ++*numSplit;
  if (groups == 1) {
    rewriter.replaceOpWithNewOp<Conv2DOp>(
        op, op.getOutput().getType(), op.getInput(), op.getFilter(),
        op.getBias(), op.getPadsAttr(), op.getStrides(), op.getActivation());
    return success();
  }
  if (op.getFilter().getType().getDimSize(3) == 1)
    if (Value filter =
            filterPerChannel(rewriter, op.getLoc(), op.getFilter())) {
      rewriter.replaceOpWithNewOp<DepthwiseConv2DOp>(
          op, op.getOutput().getType(), op.getInput(), filter, op.getBias(),
          op.getPadsAttr(), op.getStrides(), uint64_t(channels / groups),
          op.getActivation());
      return success();
    }
  SmallVector<Value> parts;
  for (int64_t group = 0; group < groups; ++group)
    parts.push_back(convolveGroup(rewriter, op, group));
  rewriter.replaceOpWithNewOp<ConcatenationOp>(op, op.getOutput().getType(),
                                               parts, /*axis=*/uint64_t(3));
  return success();
}

void nnhal::populateGroupedConvolutionPatterns(RewritePatternSet &patterns,
                                               Pass::Statistic *numSplit) {
  patterns.add<SplitGroups>(patterns.getContext(), numSplit);
}
