//===- Convolution.cpp - Convolutions of 16-bit images --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.convolution -> nnk.conv_2d for each part of the input channels, with
// pairs of 16-bit inputs and of weights packed in panels for the target, and a
// linalg.generic that adds, rounds and bounds their sums of 32 bits, which
// becomes the epilogue of the last one.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"
#include "Padding.h"
#include "SumRounding.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Kernel/Packing.h"
#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Builds what computes one convolution.
class ConvolutionBuilder {
public:
  ConvolutionBuilder(ImplicitLocOpBuilder &b, tflite::ConvolutionOp op,
                     Value input, Value filter, ArrayRef<uint8_t> weights,
                     const LoweringPolicy &policy);

  Value build(RankedTensorType result);

private:
  Value channelsOf(Value source, ChannelRange part);
  Value packedWhenRun(ChannelRange part);
  Value packedFilter(ChannelRange part);
  Value start(bool isFirst);
  Value sumsOf(ChannelRange part, RankedTensorType type);

  ImplicitLocOpBuilder &b;
  tflite::ConvolutionOp op;
  Value input, filter;
  /// None where the model computes them.
  ArrayRef<uint8_t> weights;
  /// Result channels, lines, columns and input channels of the filter.
  std::array<int64_t, 4> ohwi;
  /// Result channels of a panel, and panels.
  int64_t width, panels;
};

ConvolutionBuilder::ConvolutionBuilder(ImplicitLocOpBuilder &b,
                                       tflite::ConvolutionOp op, Value input,
                                       Value filter, ArrayRef<uint8_t> weights,
                                       const LoweringPolicy &policy)
    : b(b), op(op), input(input), filter(filter), weights(weights) {
  ArrayRef<int64_t> shape = op.getFilter().getType().getShape();
  bool isOne = shape.size() == 2;
  ohwi = {shape[0], isOne ? 1 : shape[1], isOne ? 1 : shape[2], shape.back()};
  width = policy.panelWidth(ohwi[0]);
  panels = kernel::panelCount(ohwi[0], width);
}

/// The channels of \p part of \p source, and one of zeros behind an odd number
/// of them.
Value ConvolutionBuilder::channelsOf(Value source, ChannelRange part) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (part.size != shape.back()) {
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        ones(shape.size(), b.getIndexAttr(1));
    shape.back() = part.size;
    offsets.back() = b.getIndexAttr(part.begin);
    source = tensor::ExtractSliceOp::create(
        b, source, offsets, getAsIndexOpFoldResult(b.getContext(), shape),
        ones);
  }
  shape.back() = int64_t(llvm::alignTo(part.size, 2));
  return paddedTo(b, source, shape);
}

/// Packs weights that the model computes as packConvFilter() packs constants.
Value ConvolutionBuilder::packedWhenRun(ChannelRange part) {
  int64_t pairs = llvm::divideCeil(part.size, 2);
  Value rows = channelsOf(reshaped(b, filter, ohwi), part);
  rows = paddedTo(b, rows, {panels * width, ohwi[1], ohwi[2], pairs * 2});
  // Panels, lines, columns, pairs, channels of a panel and numbers of a pair.
  AffineExpr dims[6];
  bindDimsList(b.getContext(), MutableArrayRef<AffineExpr>(dims));
  AffineMap place = AffineMap::get(
      6, 0,
      {dims[0] * width + dims[4], dims[1], dims[2], dims[3] * 2 + dims[5]},
      b.getContext());
  Value packed = mapElements(
      b,
      RankedTensorType::get({panels, ohwi[1], ohwi[2], pairs, width, 2},
                            b.getI8Type()),
      rows, {place}, [](Elements &, ValueRange x) { return x.front(); });
  return reshaped(b, packed, {panels, ohwi[1], ohwi[2], pairs, 2 * width});
}

Value ConvolutionBuilder::packedFilter(ChannelRange part) {
  if (weights.empty())
    return packedWhenRun(part);
  int64_t pairs = llvm::divideCeil(part.size, 2);
  std::vector<char> rows;
  rows.reserve(weights.size() / ohwi[3] * pairs * 2);
  for (size_t row = 0; row < weights.size(); row += ohwi[3]) {
    ArrayRef<uint8_t> own = weights.slice(row + part.begin, part.size);
    rows.insert(rows.end(), own.begin(), own.end());
    rows.resize(llvm::alignTo(rows.size(), 2));
  }
  std::vector<char> packed =
      kernel::packConvFilter(rows, {ohwi[0], ohwi[1], ohwi[2], pairs}, width,
                             /*elementSize=*/2);
  auto type = RankedTensorType::get(
      {panels, ohwi[1], ohwi[2], pairs, 2 * width}, b.getI8Type());
  auto resource = DenseResourceElementsAttr::get(
      type, "filter_packed",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(packed, /*align=*/64,
                                                    /*dataIsMutable=*/false));
  return arith::ConstantOp::create(b, cast<TypedAttr>(resource));
}

/// The panels of numbers that sums begin with: the biases in the first part of
/// the input channels, and zeros in the others.
Value ConvolutionBuilder::start(bool isFirst) {
  SmallVector<int32_t> numbers;
  if (isFirst)
    numbers.assign(op.getBiases().begin(), op.getBiases().end());
  numbers.resize(size_t(panels * width));
  auto type = RankedTensorType::get({panels, width}, b.getI32Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(numbers)));
}

Value ConvolutionBuilder::sumsOf(ChannelRange part, RankedTensorType type) {
  Value source = channelsOf(input, part);
  Value init = tensor::EmptyOp::create(b, type.getShape(), b.getI32Type());
  SmallVector<int64_t> pads;
  for (unsigned axis : {0, 1}) {
    int64_t low = op.getLow()[axis];
    pads.push_back(low);
    pads.push_back(missingBehind(
        shapeOf(input)[axis + 1], type.getDimSize(axis + 1), ohwi[axis + 1],
        op.getStrides()[axis], op.getDilations()[axis], low));
  }
  return kernel::Conv2DOp::create(b, source, packedFilter(part),
                                  start(part.begin == 0), init, op.getStrides(),
                                  op.getDilations(), pads)
      ->getResult(0);
}

Value ConvolutionBuilder::build(RankedTensorType result) {
  auto parts = int64_t(op.getParts());
  SmallVector<Value> sums;
  for (int64_t index = 0; index < parts; ++index)
    sums.push_back(sumsOf(partOf(ohwi[3], parts, index), result));
  Bounds bounds =
      activationBounds(Activation(op.getActivation()), boundsOf<int16_t>(),
                       scaleOf(op.getResult().getType()), 0);
  return roundedSums(b, result, sums, op.getRounding(), op.getMultipliers(),
                     op.getShifts(), bounds);
}

struct ConvolutionLowering : OpConversionPattern<tflite::ConvolutionOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tflite::ConvolutionOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::unique_ptr<LoweringPolicy> policy = microKernelsOf(op);
    if (!policy)
      return failure();
    std::vector<uint8_t> weights;
    Attribute filter = definingConstant(op.getFilter());
    if (filter && !appendBytes(filter, weights).isOk())
      weights.clear();
    auto result = cast<RankedTensorType>(
        getTypeConverter()->convertType(op.getResult().getType()));
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       ConvolutionBuilder(b, op, adaptor.getInput(),
                                          adaptor.getFilter(), weights, *policy)
                           .build(result));
    return success();
  }
};

} // namespace

std::unique_ptr<LoweringPolicy> tflite::microKernelsOf(Operation *op) {
  std::unique_ptr<LoweringPolicy> policy = loweringPolicyOf(op);
  if (policy && policy->hasMicroKernels())
    return policy;
  op->emitRemark(noKernels);
  return nullptr;
}

ChannelRange tflite::partOf(int64_t channels, int64_t parts, int64_t index) {
  auto size = int64_t(llvm::alignTo(llvm::divideCeil(channels, parts), 2));
  int64_t begin = index * size;
  return {begin, std::min(size, channels - begin)};
}

StringRef tflite::whyProductsAreCalled(Type input, Type filter, Type result) {
  bool isFixed = classOf(input) == ElementClass::fixed16 &&
                 classOf(result) == ElementClass::fixed16;
  return isFixed && integerFormOf(filter) == IntegerForm{8, true}
             ? StringRef()
             : StringRef(otherTypes);
}

void tflite::populateConvolutionLowering(const TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<ConvolutionLowering>(converter, patterns.getContext());
}
