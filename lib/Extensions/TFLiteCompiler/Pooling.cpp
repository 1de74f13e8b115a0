//===- Pooling.cpp - Pools of quantized images ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.pool -> linalg.pooling_nhwc_sum or _max of the padded image, and a
// linalg.generic that divides and bounds.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// One of the two dimensions that windows move along.
struct Axis {
  int64_t input, result, size, stride;

  /// Elements beside the input that the first and the last window begin and
  /// end with. They are none of padding VALID.
  int64_t missing() const {
    return std::max<int64_t>((result - 1) * stride - input + size, 0);
  }
  int64_t before() const { return missing() / 2; }
  /// How many elements of the window at \p place are inside of the input.
  int64_t inside(int64_t place) const {
    int64_t first = place * stride - before();
    return std::min(first + size, input) - std::max<int64_t>(first, 0);
  }
};

SmallVector<Axis> axesOf(tflite::PoolOp op) {
  ArrayRef<int64_t> input = op.getInput().getType().getShape();
  ArrayRef<int64_t> result = op.getResult().getType().getShape();
  SmallVector<Axis> axes;
  for (size_t axis : {0, 1})
    axes.push_back({input[axis + 1], result[axis + 1], op.getFilter()[axis],
                    op.getStrides()[axis]});
  return axes;
}

/// The number of lines or columns that each window has inside of the image.
Value countsOf(ImplicitLocOpBuilder &b, const Axis &axis) {
  SmallVector<double> counts;
  for (int64_t place = 0; place < axis.result; ++place)
    counts.push_back(double(axis.inside(place)));
  auto type = RankedTensorType::get({axis.result}, b.getF64Type());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef<double>(counts)));
}

/// \p sum divided by \p count, halves away from 0. Both have fewer than 53
/// bits, so that no quotient is rounded to the next integer.
Value average(Elements &e, Value sum, Value count) {
  Type real = count.getType();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(e.builder(),
                                     e.builder().getF64FloatAttr(value));
  };
  Value half = e.make<math::FloorOp>(e.make<arith::MulFOp>(count, number(0.5)));
  Value dividend = e.make<arith::SIToFPOp>(real, sum);
  Value isPositive =
      e.compare(arith::CmpFPredicate::OGT, dividend, number(0.0));
  dividend =
      e.make<arith::SelectOp>(isPositive, e.make<arith::AddFOp>(dividend, half),
                              e.make<arith::SubFOp>(dividend, half));
  return e.make<arith::FPToSIOp>(sum.getType(),
                                 e.make<arith::DivFOp>(dividend, count));
}

Value padded(ImplicitLocOpBuilder &b, Value image, ArrayRef<Axis> axes,
             int32_t first) {
  SmallVector<OpFoldResult> low(4, b.getIndexAttr(0)), high = low;
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(image.getType()).getShape());
  for (auto [index, axis] : llvm::enumerate(axes)) {
    low[index + 1] = b.getIndexAttr(axis.before());
    high[index + 1] = b.getIndexAttr(axis.missing() - axis.before());
    shape[index + 1] += axis.missing();
  }
  if (axes[0].missing() == 0 && axes[1].missing() == 0)
    return image;
  Type element = getElementTypeOrSelf(image.getType());
  Value padding =
      arith::ConstantOp::create(b, b.getIntegerAttr(element, first));
  return tensor::PadOp::create(b, RankedTensorType::get(shape, element), image,
                               low, high, padding)
      .getResult();
}

Value finish(ImplicitLocOpBuilder &b, tflite::PoolOp op, Value pooled,
             ArrayRef<Axis> axes, RankedTensorType result) {
  bool isMaximum = op.getReducer() == Reducer::maximum;
  auto bytes = bytesOf(op.getResult().getType());
  Bounds bounds = activationBounds(
      Activation(op.getActivation()),
      bytes ? boundsOf<int8_t>() : boundsOf<int16_t>(),
      scaleOf(op.getResult().getType()), bytes ? bytes.getZeroPoint() : 0);
  SmallVector<Value> inputs = {pooled};
  SmallVector<AffineMap> maps = {b.getMultiDimIdentityMap(4)};
  if (!isMaximum) {
    for (unsigned axis : {0, 1}) {
      inputs.push_back(countsOf(b, axes[axis]));
      maps.push_back(AffineMap::get(4, 0, b.getAffineDimExpr(axis + 1)));
    }
  }
  return mapElements(b, result, inputs, maps,
                     [&](Elements &e, ValueRange x) -> Value {
                       if (isMaximum)
                         return e.bounded(x[0], bounds);
                       Value count = e.make<arith::MulFOp>(x[1], x[2]);
                       return e.make<arith::TruncIOp>(
                           result.getElementType(),
                           e.bounded(average(e, x[0], count), bounds));
                     });
}

} // namespace

template <>
Value tflite::TensorLowering<tflite::PoolOp>::lower(ImplicitLocOpBuilder &b,
                                                    tflite::PoolOp op,
                                                    tflite::PoolOpAdaptor from,
                                                    RankedTensorType result) {
  SmallVector<Axis> axes = axesOf(op);
  bool isMaximum = op.getReducer() == Reducer::maximum;
  Type joined = isMaximum ? b.getI16Type() : b.getI32Type();
  int32_t first = isMaximum ? boundsOf<int16_t>().least : 0;
  Value image = padded(b, from.getInput(), axes, first);
  Value window = tensor::EmptyOp::create(b, op.getFilter(), joined);
  Value init = filled(b, result.getShape(), b.getIntegerAttr(joined, first));
  auto pool = [&]<typename Op>() -> Value {
    return Op::create(b, TypeRange(init.getType()), ValueRange{image, window},
                      ValueRange(init), b.getI64VectorAttr(op.getStrides()),
                      b.getI64VectorAttr({1, 1}))
        .getResult(0);
  };
  Value pooled = isMaximum
                     ? pool.template operator()<linalg::PoolingNhwcMaxOp>()
                     : pool.template operator()<linalg::PoolingNhwcSumOp>();
  return finish(b, op, pooled, axes, result);
}

bool tflite::hasWindows(ArrayRef<int64_t> input, ArrayRef<int64_t> result,
                        ArrayRef<int64_t> filter, ArrayRef<int64_t> strides) {
  if (input.size() != 4 || result.size() != 4 || input[0] != result[0] ||
      input[3] != result[3] || filter.size() != 2 || strides.size() != 2)
    return false;
  for (size_t axis : {0, 1}) {
    int64_t extent = input[axis + 1], windows = result[axis + 1];
    if (filter[axis] <= 0 || strides[axis] <= 0)
      return false;
    // The first element of the last window is found without a product.
    if (windows > 0 &&
        (extent == 0 || windows - 1 > (extent - 1) / strides[axis]))
      return false;
  }
  return true;
}

StringRef tflite::whyPoolIsCalled(Reducer reducer, Type input, Type result,
                                  ArrayRef<int64_t> filter) {
  auto takes = [&](Type type) {
    auto bytes = bytesOf(type);
    return classOf(type) == ElementClass::fixed16 ||
           (reducer == Reducer::mean && bytes && bytes.isSigned());
  };
  if (!takes(input) || !takes(result) || !bytesOf(input) != !bytesOf(result))
    return otherTypes;
  // Sums of so many numbers have 32 bits.
  return filter[0] <= (1 << 16) / filter[1]
             ? StringRef()
             : "its windows have more than 65536 elements";
}

void tflite::populatePoolLowering(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::PoolOp>>(converter,
                                               patterns.getContext());
}
