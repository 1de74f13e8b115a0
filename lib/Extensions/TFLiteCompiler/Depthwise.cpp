//===- Depthwise.cpp - Depthwise convolutions of 16-bit images ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.depthwise -> linalg.depthwise_conv_2d_nhwc_hwc of the padded image
// with sums of 32 bits, and a linalg.generic that rounds and bounds them.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"
#include "Products.h"
#include "SumRounding.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

std::array<int64_t, 4> padsOf(tflite::DepthwiseOp op) {
  std::array<int64_t, 4> pads;
  for (unsigned axis : {0, 1}) {
    int64_t before = op.getLow()[axis];
    pads[2 * axis] = before;
    pads[2 * axis + 1] =
        missingBehind(op.getInput().getType().getDimSize(axis + 1),
                      op.getResult().getType().getDimSize(axis + 1),
                      op.getFilter().getType().getDimSize(axis + 1),
                      op.getStrides()[axis], op.getDilations()[axis], before);
  }
  return pads;
}

} // namespace

template <>
Value tflite::TensorLowering<tflite::DepthwiseOp>::lower(
    ImplicitLocOpBuilder &b, tflite::DepthwiseOp op,
    tflite::DepthwiseOpAdaptor from, RankedTensorType result) {
  Type i32 = b.getI32Type();
  Value filter = tensor::CollapseShapeOp::create(
      b, from.getFilter(), SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
  AffineMap channel = AffineMap::get(4, 0, b.getAffineDimExpr(3));
  auto sumType = RankedTensorType::get(result.getShape(), i32);
  Value first =
      mapElements(b, sumType, channelTable(b, op.getBiases()), {channel},
                  [](Elements &, ValueRange x) { return x[0]; });
  Value sums = linalg::DepthwiseConv2DNhwcHwcOp::create(
                   b, TypeRange(sumType),
                   ValueRange{padded(b, from.getInput(), padsOf(op)), filter},
                   ValueRange(first), b.getI64VectorAttr(op.getStrides()),
                   b.getI64VectorAttr(op.getDilations()))
                   .getResult(0);
  Bounds bounds =
      activationBounds(Activation(op.getActivation()), boundsOf<int16_t>(),
                       scaleOf(op.getResult().getType()), 0);
  return roundedSums(b, result, sums, SumRounding::once_in_32,
                     op.getMultipliers(), op.getShifts(), bounds);
}

StringRef tflite::whyDepthwiseIsCalled(Type input, Type filter, Type result) {
  StringRef why = whyProductsAreCalled(input, filter, result);
  if (!why.empty())
    return why;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(filter).getShape();
  std::optional<int64_t> taps =
      shape.size() == 4 ? elementsOf(shape.slice(1, 2)) : std::nullopt;
  return taps && *taps > 0 && *taps <= 255
             ? StringRef()
             : "its channels have not 1 to 255 weights each";
}

int64_t tflite::missingBehind(int64_t input, int64_t result, int64_t filter,
                              int64_t stride, int64_t dilation, int64_t low) {
  int64_t end = (result - 1) * stride + (filter - 1) * dilation + 1;
  return std::max<int64_t>(end - input - low, 0);
}

StringRef tflite::whyPaddingIsCalled(ArrayRef<int64_t> image,
                                     ArrayRef<int64_t> padded) {
  // Windows reach as far as their dilation, and the padded image with them,
  // which takes memory that a model does not show: 800 MB for one channel of
  // 2x2 weights that are 20,000 apart. The call reads only what is there.
  constexpr int64_t mostGrowth = 2;
  // Half a megabyte stays in a cache, and 3x3 over 33x33x64 with dilation 12,
  // which is 3 times the image, takes 30 us in place of 39 of the call, 5x5
  // over 7x7x512 16 in place of 30. Dilation 24, 6 times the image and more
  // than this, takes 36 in place of 31.
  constexpr int64_t mostSmall = 256 * 1024;
  std::optional<int64_t> given = elementsOf(image), taken = elementsOf(padded);
  bool isTaken =
      given && taken &&
      (*taken <= mostSmall || *taken - *given <= (mostGrowth - 1) * *given);
  return isTaken ? StringRef()
                 : "its windows reach so far that they pad most of the image";
}

void tflite::populateDepthwiseLowering(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::DepthwiseOp>>(converter,
                                                    patterns.getContext());
}
