//===- FormGroups.cpp - A convolution for each group ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No micro-kernel computes a convolution in groups. It becomes what has some: a
// convolution of each group, between slices of the image and of the result; and
// one per channel where groups have one input channel each. What is computed of
// image and filter before, and of the sums behind, is computed of the parts, so
// that kernels find the storage behind their factors, and fusion the epilogue
// of each.
//
//===----------------------------------------------------------------------===//

#include "FormContractions.h"

#include "Conversion/Common/ConstantData.h"
#include "Conversion/Common/TensorBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

using Shape = ArrayRef<int64_t>;

/// Each group is code of its own, which takes time to compile. Networks have up
/// to 32.
static constexpr int64_t mostGroups = 128;

static Shape shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

namespace {
/// A convolution in groups that becomes convolutions without.
class GroupSplitting {
public:
  GroupSplitting(linalg::Conv2DNhwgcGfhwcOp op, FormedKernels &formed,
                 SmallVectorImpl<linalg::LinalgOp> &convolutions)
      : op(op), formed(formed), convolutions(convolutions),
        builder(op.getLoc(), formed.getRewriter()) {}

  bool split();

private:
  Value reshapedFrom(Value value, Shape shape);
  bool readOperands();
  void readFinish();
  Value cloneOn(linalg::GenericOp generic, ValueRange inputs, Shape shape);
  Value part(Value value, int64_t dimension, int64_t group);
  Value slice(Value value, int64_t dimension, int64_t begin, int64_t size);
  Value filterPerChannel();
  Value convolve(int64_t group);
  Value finished(Value sums, int64_t group);

  linalg::Conv2DNhwgcGfhwcOp op;
  FormedKernels &formed;
  SmallVectorImpl<linalg::LinalgOp> &convolutions;
  ImplicitLocOpBuilder builder;
  /// [batch, height, width, groups * in], [groups * out, height, width, in].
  Value image, filter;
  /// The values that sums begin with, one for each output channel; null for 0.
  Value first;
  int64_t groups;
  /// The sums, [batch, height, width, groups * out].
  tensor::CollapseShapeOp sums;
  /// The only reader of the sums, if it is elementwise; else null.
  linalg::GenericOp finish;
};
} // namespace

/// Whether \p value is one of \p shape in another one, or a constant.
static bool isReshaped(Value value, Shape shape) {
  Value behind = behindReshapes(value);
  ElementsAttr constant = foldedConstantOf(behind);
  return shapeOf(behind) == shape ||
         (constant && reshapeConstant(constant, shape));
}

/// That value.
Value GroupSplitting::reshapedFrom(Value value, Shape shape) {
  Value behind = behindReshapes(value);
  if (shapeOf(behind) == shape)
    return behind;
  return arith::ConstantOp::create(
      builder, reshapeConstant(foldedConstantOf(behind), shape));
}

/// Extent \p dimension of \p shape and the next one as one.
static SmallVector<int64_t> joined(Shape shape, size_t dimension) {
  SmallVector<int64_t> result(shape);
  result[dimension] *= result[dimension + 1];
  result.erase(result.begin() + dimension + 1);
  return result;
}

bool GroupSplitting::readOperands() {
  if (!op.hasPureTensorSemantics() || op.hasDynamicShape() || !op->hasOneUse())
    return false;
  Value from = op.getDpsInputOperand(0)->get(),
        weights = op.getDpsInputOperand(1)->get(),
        init = op.getDpsInitOperand(0)->get();
  auto collapse = dyn_cast<tensor::CollapseShapeOp>(*op->user_begin());
  auto broadcast = init.getDefiningOp<linalg::BroadcastOp>();
  groups = shapeOf(weights)[0];
  SmallVector<int64_t> images = joined(shapeOf(from), 3),
                       filters = joined(shapeOf(weights), 0),
                       results = joined(shapeOf(op->getResult(0)), 3);
  Shape channels = Shape(results).take_back(1);
  bool isFirst = broadcast && broadcast.getDimensions() == Shape({0, 1, 2}) &&
                 isReshaped(broadcast.getInput(), channels);
  if (groups > mostGroups || !collapse || !isReshaped(from, images) ||
      !isReshaped(weights, filters) ||
      collapse.getType().getShape() != Shape(results) ||
      !(isFirst || filling(init)))
    return false;
  sums = collapse;
  builder.setInsertionPoint(op);
  image = reshapedFrom(from, images);
  filter = reshapedFrom(weights, filters);
  if (isFirst)
    first = reshapedFrom(broadcast.getInput(), channels);
  return true;
}

/// Finds what is computed of the sums of each channel and of numbers for each
/// element or channel.
void GroupSplitting::readFinish() {
  auto reader = sums->hasOneUse()
                    ? dyn_cast<linalg::GenericOp>(*sums->user_begin())
                    : nullptr;
  if (!reader || !isPlainElementwise(reader))
    return;
  AffineExpr channel = builder.getAffineDimExpr(3);
  for (OpOperand *input : reader.getDpsInputOperands()) {
    AffineMap map = reader.getMatchingIndexingMap(input);
    bool isOfChannels =
        map.getResults() == ArrayRef(channel) &&
        shapeOf(input->get()) == sums.getType().getShape().take_back(1);
    if (!isOfChannels && !(map.isIdentity() &&
                           shapeOf(input->get()) == sums.getType().getShape()))
      return;
  }
  finish = reader;
}

/// Clones \p generic to compute the same of \p inputs, with a result of
/// \p shape.
Value GroupSplitting::cloneOn(linalg::GenericOp generic, ValueRange inputs,
                              Shape shape) {
  Type element = getElementTypeOrSelf(generic.getResult(0));
  Value init = tensor::EmptyOp::create(builder, shape, element);
  auto clone = linalg::GenericOp::create(
      builder, TypeRange(init.getType()), inputs, ValueRange(init),
      generic.getIndexingMapsArray(), generic.getIteratorTypesArray());
  clone->setLoc(generic.getLoc());
  formed.getRewriter().cloneRegionBefore(generic.getRegion(), clone.getRegion(),
                                         clone.getRegion().begin());
  return clone.getResult(0);
}

Value GroupSplitting::slice(Value value, int64_t dimension, int64_t begin,
                            int64_t size) {
  SmallVector<int64_t> extents(shapeOf(value)), offsets(extents.size(), 0),
      ones(extents.size(), 1);
  offsets[dimension] = begin;
  extents[dimension] = size;
  if (ElementsAttr constant = foldedConstantOf(value);
      constant && dimension == 0)
    if (std::optional<ConstantBytes> all = ConstantBytes::of(constant)) {
      size_t row = all->bytes().size() / size_t(shapeOf(value)[0]);
      auto type = RankedTensorType::get(extents, constant.getElementType());
      return arith::ConstantOp::create(
          builder,
          cast<TypedAttr>(makeResource(
              type, all->bytes().slice(size_t(begin) * row, size_t(size) * row),
              constant, "constant", "_group")));
    }
  auto get = [&](Shape numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  return tensor::ExtractSliceOp::create(builder, value, get(offsets),
                                        get(extents), get(ones));
}

/// The part of \p value that belongs to \p group along \p dimension. What pads
/// the value, or computes each of its elements from one, does so with the part.
Value GroupSplitting::part(Value value, int64_t dimension, int64_t group) {
  int64_t size = shapeOf(value)[dimension] / groups;
  if (auto pad = value.getDefiningOp<tensor::PadOp>();
      pad && dimension == 3 && pad.getConstantPaddingValue() &&
      pad.getSourceType().hasStaticShape() && pad.getStaticLow()[3] == 0 &&
      pad.getStaticHigh()[3] == 0) {
    SmallVector<int64_t> shape(shapeOf(value));
    shape[3] = size;
    return tensor::PadOp::create(
               builder,
               RankedTensorType::get(shape, getElementTypeOrSelf(value)),
               part(pad.getSource(), dimension, group), pad.getMixedLowPad(),
               pad.getMixedHighPad(), pad.getConstantPaddingValue())
        .getResult();
  }
  auto generic = value.getDefiningOp<linalg::GenericOp>();
  if (isPlainElementwise(generic) && generic.getNumDpsInputs() == 1 &&
      generic.getIndexingMapsArray().front().isIdentity()) {
    Value source = part(generic.getDpsInputOperand(0)->get(), dimension, group);
    return cloneOn(generic, source, shapeOf(source));
  }
  return slice(value, dimension, group * size, size);
}

/// The filter as one per channel, [height, width, in, out]; null where groups
/// have several input channels, or it is not constant.
Value GroupSplitting::filterPerChannel() {
  SmallVector<int64_t> shape(shapeOf(filter));
  if (shape[3] != 1)
    return {};
  auto generic = filter.getDefiningOp<linalg::GenericOp>();
  bool isComputed = isPlainElementwise(generic) &&
                    generic.getNumDpsInputs() == 1 &&
                    generic.getIndexingMapsArray().front().isIdentity();
  Value stored = isComputed ? generic.getDpsInputOperand(0)->get() : filter;
  ElementsAttr constant = foldedConstantOf(stored);
  std::optional<ConstantBytes> all =
      constant ? ConstantBytes::of(constant) : std::nullopt;
  if (!all)
    return {};
  auto channels = size_t(shape[0]), taps = size_t(shape[1] * shape[2]);
  size_t size = all->bytes().size() / (channels * taps);
  std::vector<char> bytes;
  bytes.reserve(all->bytes().size());
  for (size_t tap = 0; tap < taps; ++tap)
    for (size_t channel = 0; channel < channels; ++channel)
      llvm::append_range(
          bytes, all->bytes().slice((channel * taps + tap) * size, size));
  auto type =
      RankedTensorType::get({shape[1], shape[2], groups, shape[0] / groups},
                            constant.getElementType());
  Value perChannel = arith::ConstantOp::create(
      builder, cast<TypedAttr>(makeResource(type, bytes, constant, "filter",
                                            "_per_channel")));
  return isComputed ? cloneOn(generic, perChannel, type.getShape())
                    : perChannel;
}

/// The sums of \p group.
Value GroupSplitting::convolve(int64_t group) {
  SmallVector<int64_t> shape(sums.getType().getShape());
  shape[3] /= groups;
  Type element = sums.getType().getElementType();
  Value empty = tensor::EmptyOp::create(builder, shape, element);
  Value init;
  if (first) {
    init = linalg::BroadcastOp::create(builder, part(first, 0, group), empty,
                                       Shape({0, 1, 2}))
               ->getResult(0);
  } else {
    auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
    init = linalg::FillOp::create(builder, fill.getInputs().front(), empty)
               .getResult(0);
  }
  auto convolution = linalg::Conv2DNhwcFhwcOp::create(
      builder, TypeRange(init.getType()),
      ValueRange{part(image, 3, group), part(filter, 0, group)},
      ValueRange(init), op.getStridesAttr(), op.getDilationsAttr());
  convolutions.push_back(convolution);
  return convolution.getResult(0);
}

/// Returns the results of \p group, of which \p own are the sums.
Value GroupSplitting::finished(Value own, int64_t group) {
  if (!finish)
    return own;
  SmallVector<Value> inputs;
  for (OpOperand *input : finish.getDpsInputOperands()) {
    int64_t last = int64_t(shapeOf(input->get()).size()) - 1;
    inputs.push_back(input->get() == sums.getResult()
                         ? own
                         : part(input->get(), last, group));
  }
  return cloneOn(finish, inputs, shapeOf(own));
}

bool GroupSplitting::split() {
  if (!readOperands())
    return false;
  readFinish();
  if (Value perChannel = filterPerChannel()) {
    auto convolution = linalg::DepthwiseConv2DNhwcHwcmOp::create(
        builder, TypeRange(op->getResult(0).getType()),
        ValueRange{image, perChannel},
        ValueRange(op.getDpsInitOperand(0)->get()), op.getStridesAttr(),
        op.getDilationsAttr());
    convolutions.push_back(convolution);
    formed.replace(op, convolution.getResult(0));
    return true;
  }
  Operation *last = finish ? finish.getOperation() : sums.getOperation();
  builder.setInsertionPoint(last);
  auto type = cast<RankedTensorType>(last->getResult(0).getType());
  Value all =
      tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  auto get = [&](Shape numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  };
  SmallVector<Value> parts;
  for (int64_t group = 0; group < groups; ++group)
    parts.push_back(finished(convolve(group), group));
  for (auto [group, own] : llvm::enumerate(parts))
    all = tensor::InsertSliceOp::create(
        builder, own, all, get({0, 0, 0, int64_t(group) * shapeOf(own)[3]}),
        get(shapeOf(own)), get({1, 1, 1, 1}));
  formed.replace(last, all);
  return true;
}

bool nnhal::splitGroups(linalg::Conv2DNhwgcGfhwcOp op, FormedKernels &formed,
                        SmallVectorImpl<linalg::LinalgOp> &convolutions) {
  return GroupSplitting(op, formed, convolutions).split();
}
