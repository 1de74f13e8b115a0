//===- Convolution.cpp - Convolutions of 16-bit images --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.convolution -> linalg.conv_2d_nhwc_fhwc for each part of the input
// channels, and a linalg.generic that adds, rounds and bounds their sums of 32
// bits, which becomes the epilogue of the last one.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"
#include "Products.h"
#include "SumRounding.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

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
                     Value input, Value filter)
      : b(b), op(op), input(input), filter(filter) {
    ArrayRef<int64_t> shape = op.getFilter().getType().getShape();
    bool isOne = shape.size() == 2;
    ohwi = {shape[0], isOne ? 1 : shape[1], isOne ? 1 : shape[2], shape.back()};
  }

  Value build(RankedTensorType result);

private:
  Value channelsOf(Value source, ChannelRange part);
  Value filterOf(ChannelRange part);
  Value sumsOf(ChannelRange part, RankedTensorType type);

  ImplicitLocOpBuilder &b;
  tflite::ConvolutionOp op;
  Value input, filter;
  /// Result channels, lines, columns and input channels of the filter.
  std::array<int64_t, 4> ohwi;
};

/// The channels of \p part of \p source.
Value ConvolutionBuilder::channelsOf(Value source, ChannelRange part) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (part.size == shape.back())
    return source;
  SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1));
  shape.back() = part.size;
  offsets.back() = b.getIndexAttr(part.begin);
  return tensor::ExtractSliceOp::create(
      b, source, offsets, getAsIndexOpFoldResult(b.getContext(), shape), ones);
}

/// The weights of \p part of the input channels. Those of a constant are a
/// constant.
Value ConvolutionBuilder::filterOf(ChannelRange part) {
  std::vector<uint8_t> weights;
  Attribute constant = definingConstant(op.getFilter());
  if (!constant || !appendBytes(constant, weights).isOk())
    return channelsOf(
        shapeOf(filter) == ArrayRef(ohwi) ? filter : reshaped(b, filter, ohwi),
        part);
  std::vector<char> own;
  own.reserve(weights.size() / ohwi[3] * part.size);
  for (size_t row = 0; row < weights.size(); row += ohwi[3])
    llvm::append_range(own,
                       ArrayRef(weights).slice(row + part.begin, part.size));
  auto type = RankedTensorType::get({ohwi[0], ohwi[1], ohwi[2], part.size},
                                    b.getI8Type());
  auto resource = DenseResourceElementsAttr::get(
      type, "filter",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(own, /*align=*/64,
                                                    /*dataIsMutable=*/false));
  return arith::ConstantOp::create(b, cast<TypedAttr>(resource));
}

Value ConvolutionBuilder::sumsOf(ChannelRange part, RankedTensorType type) {
  Value source = channelsOf(input, part);
  std::array<int64_t, 4> pads;
  for (unsigned axis : {0, 1}) {
    int64_t low = op.getLow()[axis];
    pads[2 * axis] = low;
    pads[2 * axis + 1] = missingBehind(
        shapeOf(input)[axis + 1], type.getDimSize(axis + 1), ohwi[axis + 1],
        op.getStrides()[axis], op.getDilations()[axis], low);
  }
  // Only the first part has the biases.
  SmallVector<int32_t> first;
  if (part.begin == 0)
    first.assign(op.getBiases().begin(), op.getBiases().end());
  first.resize(size_t(ohwi[0]));
  return sumProducts(b, source, filterOf(part), first, type.getShape(),
                     {op.getStrides(), op.getDilations(), pads});
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

} // namespace

template <>
Value TensorLowering<tflite::ConvolutionOp>::lower(
    ImplicitLocOpBuilder &b, tflite::ConvolutionOp op,
    tflite::ConvolutionOp::Adaptor adaptor, RankedTensorType result) {
  return ConvolutionBuilder(b, op, adaptor.getInput(), adaptor.getFilter())
      .build(result);
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
  patterns.add<TensorLowering<tflite::ConvolutionOp>>(converter,
                                                      patterns.getContext());
}
