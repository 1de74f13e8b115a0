//===- ContractionPatterns.cpp - Convolutions of static f32 tensors -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Common/ConstantData.h"

#include "nnhal/Backend/Signatures/Contraction.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Kernel/Packing.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

namespace {

/// \p value with zeros after its first dimension's elements, up to
/// \p extent of them.
Value padFirst(ImplicitLocOpBuilder &builder, Value value, int64_t extent) {
  RankedTensorType type = rankedType(value);
  if (type.getDimSize(0) == extent)
    return value;
  SmallVector<int64_t> low(type.getRank(), 0), high(type.getRank(), 0);
  high[0] = extent - type.getDimSize(0);
  Value zero = scalarConstant(builder, type.getElementType(), 0);
  return buildPadded(builder, value, low, high, zero);
}

/// The work of LinalgLowering::packFilter() when the model runs, for a
/// \p filter [O,H,W,I] that it computes or is given.
Value packFilterAtRuntime(ImplicitLocOpBuilder &builder, Value filter,
                          ArrayRef<int64_t> ohwi, int64_t width) {
  int64_t panels = kernel::panelCount(ohwi[0], width);
  Value padded =
      padFirst(builder, buildReshape(builder, filter, ohwi), panels * width);
  Value split =
      buildReshape(builder, padded, {panels, width, ohwi[1], ohwi[2], ohwi[3]});
  return buildTranspose(builder, split, {0, 2, 3, 4, 1});
}

/// What becomes nnk.conv_2d.
template <typename OpTy> struct PanelLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;

  /// \p original is the value that \p converted replaces, with the shape
  /// \p ohwi (a filter) or [O] (a bias). Constants are packed now, others when
  /// the model runs.
  Value pack(ImplicitLocOpBuilder &builder, Value original, Value converted,
             ArrayRef<int64_t> ohwi, int64_t width) const {
    bool isBias = ohwi.size() == 1;
    ElementsAttr packed;
    if (ElementsAttr constant = foldedConstantOf(original))
      packed = isBias ? this->lowering.packBias(constant, width)
                      : this->lowering.packFilter(constant, ohwi, width);
    if (packed)
      return arith::ConstantOp::create(builder, cast<TypedAttr>(packed));
    if (!isBias)
      return packFilterAtRuntime(builder, converted, ohwi, width);
    int64_t panels = kernel::panelCount(ohwi[0], width);
    return buildReshape(builder, padFirst(builder, converted, panels * width),
                        {panels, width});
  }
};

/// nnhal.conv_2d -> nnk.conv_2d with packed filter and bias.
struct Conv2DLowering : PanelLowering<Conv2DOp> {
  using PanelLowering::PanelLowering;
  LogicalResult lower(Conv2DOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    ArrayRef<int64_t> ohwi = op.getFilter().getType().getShape();
    if (!op.getPads())
      return rewriter.notifyMatchFailure(op, "the pads follow from extents");
    int64_t width = lowering.getPolicy().panelWidth(ohwi[0]);
    Value filter =
        pack(builder, op.getFilter(), adaptor.getFilter(), ohwi, width);
    Value bias = pack(builder, op.getBias(), adaptor.getBias(), ohwi[0], width);
    Value init = tensor::EmptyOp::create(builder, type.getShape(),
                                         type.getElementType());
    auto conv = kernel::Conv2DOp::create(builder, adaptor.getInput(), filter,
                                         bias, init, op.getStrides(),
                                         op.getDilations(), *op.getPads());
    addEpilogue(builder, conv, op.getActivation());
    rewriter.replaceOp(op, conv.getResults());
    return success();
  }
};

/// nnhal.fully_connected -> nnk.conv_2d with a 1x1 filter over one row of
/// pixels.
struct FullyConnectedLowering : PanelLowering<FullyConnectedOp> {
  using PanelLowering::PanelLowering;
  LogicalResult lower(FullyConnectedOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    int64_t rows = type.getDimSize(0), units = type.getDimSize(1);
    int64_t depth = op.getWeights().getType().getDimSize(1);
    int64_t width = lowering.getPolicy().panelWidth(units);
    Value filter = pack(builder, op.getWeights(), adaptor.getWeights(),
                        {units, 1, 1, depth}, width);
    Value bias = pack(builder, op.getBias(), adaptor.getBias(), units, width);
    Value input =
        buildReshape(builder, adaptor.getInput(), {1, 1, rows, depth});
    Value init = tensor::EmptyOp::create(
        builder, ArrayRef<int64_t>{1, 1, rows, units}, type.getElementType());
    int64_t ones[] = {1, 1}, noPads[] = {0, 0, 0, 0};
    auto product = kernel::Conv2DOp::create(builder, input, filter, bias, init,
                                            ones, ones, noPads);
    addEpilogue(builder, product, op.getActivation());
    rewriter.replaceOp(
        op, buildReshape(builder, product->getResult(0), type.getShape()));
    return success();
  }
};

/// nnhal.depthwise_conv_2d -> nnk.depthwise_conv_2d.
struct DepthwiseConv2DLowering : LoweringPattern<DepthwiseConv2DOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(DepthwiseConv2DOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    if (!op.getPads())
      return rewriter.notifyMatchFailure(op, "the pads follow from extents");
    RankedTensorType type = op.getOutput().getType();
    ArrayRef<int64_t> shape = op.getFilter().getType().getShape();
    Value filter =
        buildFilter(builder, op, adaptor.getFilter(), shape.drop_front());
    Value init = tensor::EmptyOp::create(builder, type.getShape(),
                                         type.getElementType());
    auto conv = kernel::DepthwiseConv2DOp::create(
        builder, adaptor.getInput(), filter, adaptor.getBias(), init,
        op.getStrides(), op.getDilations(), *op.getPads(),
        op.getDepthMultiplier());
    addEpilogue(builder, conv, op.getActivation());
    rewriter.replaceOp(op, conv.getResults());
    return success();
  }

  /// The filter without its leading dimension; a constant is shared, not
  /// copied.
  static Value buildFilter(ImplicitLocOpBuilder &builder, DepthwiseConv2DOp op,
                           Value converted, ArrayRef<int64_t> shape) {
    if (ElementsAttr constant = foldedConstantOf(op.getFilter()))
      if (TypedAttr reshaped = reshapeConstant(constant, shape))
        return arith::ConstantOp::create(builder, reshaped);
    return buildReshape(builder, converted, shape);
  }
};

/// nnhal.grouped_conv_2d -> one nnk.conv_2d per group, on slices.
struct GroupedConv2DLowering : LoweringPattern<GroupedConv2DOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(GroupedConv2DOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    if (!op.getPads())
      return rewriter.notifyMatchFailure(op, "the pads follow from extents");
    RankedTensorType type = op.getOutput().getType();
    SmallVector<int64_t> inputShape(op.getInput().getType().getShape());
    SmallVector<int64_t> ohwi(op.getFilter().getType().getShape());
    SmallVector<int64_t> outputShape(type.getShape());
    int64_t groups = op.getGroups();
    inputShape[3] /= groups, ohwi[0] /= groups, outputShape[3] /= groups;
    int64_t width = lowering.getPolicy().panelWidth(ohwi[0]);
    SmallVector<int64_t> ones(4, 1);
    Value result = tensor::EmptyOp::create(builder, type.getShape(),
                                           type.getElementType());
    for (int64_t group = 0; group < groups; ++group) {
      int64_t channel = group * outputShape[3];
      Value input =
          buildExtract(builder, adaptor.getInput(),
                       {0, 0, 0, group * inputShape[3]}, inputShape, ones);
      Value filter = buildExtract(builder, adaptor.getFilter(),
                                  {channel, 0, 0, 0}, ohwi, ones);
      Value bias = buildExtract(builder, adaptor.getBias(), channel, ohwi[0],
                                /*strides=*/1);
      int64_t panels = kernel::panelCount(ohwi[0], width);
      bias = buildReshape(builder, padFirst(builder, bias, panels * width),
                          {panels, width});
      Value init =
          tensor::EmptyOp::create(builder, outputShape, type.getElementType());
      auto conv = kernel::Conv2DOp::create(
          builder, input, packFilterAtRuntime(builder, filter, ohwi, width),
          bias, init, op.getStrides(), ArrayRef<int64_t>{1, 1}, *op.getPads());
      addEpilogue(builder, conv, op.getActivation());
      result =
          buildInsert(builder, conv->getResult(0), result, {0, 0, 0, channel});
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// nnhal.transpose_conv_2d -> nnk.conv_2d of stride 1 with the filter turned by
/// 180 degrees, over the input with zeros between and around its pixels.
struct TransposeConv2DLowering : PanelLowering<TransposeConv2DOp> {
  using PanelLowering::PanelLowering;
  LogicalResult lower(TransposeConv2DOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    HalView view;
    rt::Status status = op.readHalForm(view);
    rt::Result<rt::ConvolutionForm> form =
        rt::decodeConvolution(view.getOperation());
    if (!status.isOk() || !form.isOk() || !foldedConstantOf(op.getBias()))
      return rewriter.notifyMatchFailure(op, "the bias is not constant");
    RankedTensorType type = op.getOutput().getType();
    ArrayRef<int64_t> ohwi = op.getFilter().getType().getShape();
    int64_t width = lowering.getPolicy().panelWidth(ohwi[0]);
    ElementsAttr constant = foldedConstantOf(op.getFilter());
    ElementsAttr packed = constant
                              ? lowering.packTurnedFilter(constant, ohwi, width)
                              : ElementsAttr();
    if (!packed)
      return rewriter.notifyMatchFailure(op, "the filter is not constant");
    Value filter = arith::ConstantOp::create(builder, cast<TypedAttr>(packed));
    Value bias = pack(builder, op.getBias(), adaptor.getBias(), ohwi[0], width);
    Value init = tensor::EmptyOp::create(builder, type.getShape(),
                                         type.getElementType());
    int64_t ones[] = {1, 1}, noPads[] = {0, 0, 0, 0};
    auto conv = kernel::Conv2DOp::create(
        builder, spread(builder, op, form->params.pads, adaptor.getInput()),
        filter, bias, init, ones, ones, noPads);
    addEpilogue(builder, conv, op.getActivation());
    rewriter.replaceOp(op, conv.getResults());
    return success();
  }

  static Value spread(ImplicitLocOpBuilder &builder, TransposeConv2DOp op,
                      const rt::Pads2D &pads, Value input) {
    RankedTensorType type = rankedType(input);
    int64_t heads[] = {pads.top, pads.left};
    SmallVector<int64_t> shape(type.getShape()), offsets(4, 0), strides(4, 1);
    for (unsigned i = 0; i < 2; ++i) {
      int64_t taps = op.getFilter().getType().getDimSize(1 + i);
      shape[1 + i] = op.getOutput().getType().getDimSize(1 + i) + taps - 1;
      offsets[1 + i] = taps - 1 - heads[i];
      strides[1 + i] = op.getStrides()[i];
    }
    Value zero = scalarConstant(builder, type.getElementType(), 0);
    Value zeros = buildFilled(
        builder, RankedTensorType::get(shape, type.getElementType()), zero);
    MLIRContext *context = builder.getContext();
    return tensor::InsertSliceOp::create(
        builder, input, zeros, getAsIndexOpFoldResult(context, offsets),
        getAsIndexOpFoldResult(context, type.getShape()),
        getAsIndexOpFoldResult(context, strides));
  }
};

} // namespace

void nnhal::addEpilogue(ImplicitLocOpBuilder &builder,
                        kernel::KernelOpInterface kernel,
                        FusedActivation activation) {
  if (activation == FusedActivation::none)
    return;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&kernel.getEpilogue());
  Value accumulator =
      block->addArgument(builder.getF32Type(), builder.getLoc());
  kernel::YieldOp::create(builder,
                          applyActivation(builder, activation, accumulator));
}

void nnhal::populateContractionPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns,
                                        LinalgLowering &lowering) {
  patterns.add<Conv2DLowering, DepthwiseConv2DLowering, FullyConnectedLowering,
               GroupedConv2DLowering, TransposeConv2DLowering>(
      converter, patterns.getContext(), lowering);
}
