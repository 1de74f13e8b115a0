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

#include "../Common/ConstantData.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

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

/// \p type, of a filter whose scales belong to dimension 0, with the \p count
/// of them from \p first on, which belong to dimension \p dimension.
static Type scalesOf(Type type, int64_t first, int64_t count,
                     int32_t dimension) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  if (!perAxis)
    return type;
  return quant::UniformQuantizedPerAxisType::get(
      perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(),
      perAxis.getScales().slice(size_t(first), size_t(count)),
      perAxis.getZeroPoints().slice(size_t(first), size_t(count)), dimension,
      perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax());
}

/// The part \p group of \p groups of \p value along its first dimension, which
/// is that of the output channels. Of a constant it is one.
static Value channelsOf(PatternRewriter &rewriter, Location location,
                        TypedValue<RankedTensorType> value, int64_t group,
                        int64_t groups) {
  RankedTensorType type = value.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[0] /= groups;
  int64_t first = group * shape[0];
  auto part = RankedTensorType::get(
      shape, scalesOf(type.getElementType(), first, shape[0], /*dimension=*/0));
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (auto all = ConstantBytes::of(constant)) {
      size_t size = all->bytes().size() / size_t(groups);
      return ConstantOp::create(
          rewriter, location, part,
          makeResource(RankedTensorType::get(shape, constant.getElementType()),
                       all->bytes().slice(size_t(group) * size, size), constant,
                       "weights", "_group"));
    }
  SmallVector<int64_t> begin(shape.size(), 0);
  begin[0] = first;
  return SliceOp::create(rewriter, location, part, value, begin, shape);
}

/// Whether channelsOf() has a way for \p filter: SLICE takes no scales of
/// channels.
static bool canBeCut(Value filter) {
  auto type = cast<RankedTensorType>(filter.getType());
  if (!isa<quant::UniformQuantizedPerAxisType>(type.getElementType()))
    return true;
  ElementsAttr constant;
  return matchPattern(filter, m_Constant(&constant)) &&
         ConstantBytes::of(constant);
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
  ElementsAttr constant;
  if (!matchPattern(filter, m_Constant(&constant)))
    return {};
  auto bytes = ConstantBytes::of(constant);
  if (!bytes)
    return {};
  ArrayRef<int64_t> shape = filter.getType().getShape();
  auto channels = size_t(shape[0]), taps = size_t(shape[1] * shape[2]);
  size_t size = bytes->bytes().size() / (channels * taps);
  std::vector<char> turned;
  turned.reserve(bytes->bytes().size());
  for (size_t tap = 0; tap < taps; ++tap)
    for (size_t channel = 0; channel < channels; ++channel)
      llvm::append_range(
          turned, bytes->bytes().slice((channel * taps + tap) * size, size));
  SmallVector<int64_t> result = {1, shape[1], shape[2], shape[0]};
  return ConstantOp::create(
      rewriter, location,
      RankedTensorType::get(result, scalesOf(filter.getType().getElementType(),
                                             0, shape[0], /*dimension=*/3)),
      makeResource(RankedTensorType::get(result, constant.getElementType()),
                   turned, constant, "filter", "_per_channel"));
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
