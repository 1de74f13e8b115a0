//===- Softmax.cpp - SOFTMAX ----------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.softmax of 16-bit numbers -> linalg.generic: the largest element of
// each row, the exponentials, which a table has for each distance from it,
// their sum, and what it is divided by, which is a multiplication and a shift.
// The exponentials are read twice, so that they are looked up in a step of its
// own and all that follows is computed on vectors.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Lowering.h"
#include "Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The exponentials of all distances from the largest element.
Value exponentials(ImplicitLocOpBuilder &b, Factor factor) {
  SmallVector<int16_t> results;
  for (int32_t distance = 0; distance < 1 << 16; ++distance)
    results.push_back(
        lookUp(softmaxTables().exponential, softmaxPlace(-distance, factor)));
  return tableConstant(b, b.getLoc(), results);
}

/// The entry of \p table, a Table16, at \p place, which counts from the first
/// of 65,536 places.
Value interpolated(Elements &e, Value table, Value place) {
  Type type = place.getType();
  place = e.make<arith::AndIOp>(place, e.constant(type, 0xFFFF));
  Value index = e.make<arith::ShRUIOp>(place, e.constant(type, 7));
  auto entry = [&](Value at) {
    return e.make<arith::ExtSIOp>(type, e.lookUp(table, at));
  };
  Value base = entry(index);
  Value next = entry(e.make<arith::AddIOp>(index, e.constant(type, 1)));
  Value rest = e.make<arith::AndIOp>(place, e.constant(type, 0x7F));
  Value product =
      e.make<arith::MulIOp>(e.make<arith::SubIOp>(next, base), rest);
  Value line = e.make<arith::ShRSIOp>(
      e.make<arith::AddIOp>(product, e.constant(type, 64)),
      e.constant(type, 7));
  return e.make<arith::AddIOp>(base, line);
}

/// The factor of exponentials whose sum is \p sum, and the bits that their
/// products are shifted right by.
SmallVector<Value> shares(Elements &e, Value sum, Value reciprocals) {
  Type i32 = sum.getType(), i64 = e.builder().getI64Type();
  Value zeros = e.make<math::CountLeadingZerosOp>(sum);
  // The largest element makes the sum at least 1/2 in 15 bits; bounds are for
  // constants that are damaged.
  Value left =
      e.bounded(e.make<arith::SubIOp>(zeros, e.constant(i32, 1)), {0, 29});
  Value scaled = e.make<arith::ShLIOp>(e.make<arith::ExtSIOp>(i64, sum),
                                       e.make<arith::ExtSIOp>(i64, left));
  Value shifted = e.make<arith::ShRSIOp>(
      e.make<arith::AddIOp>(scaled, e.constant(i64, 1 << 13)),
      e.constant(i64, 14));
  Value place = e.make<arith::SubIOp>(e.make<arith::TruncIOp>(i32, shifted),
                                      e.constant(i32, (1 << 15) + (1 << 16)));
  place = e.make<arith::AddIOp>(e.bounded(place, boundsOf<int16_t>()),
                                e.constant(i32, 1 << 15));
  return {interpolated(e, reciprocals, place),
          e.make<arith::SubIOp>(e.constant(i32, 30), left)};
}

/// \p power * \p factor * 2^-\p right, rounded, halves up.
Value share(Elements &e, Value power, Value factor, Value right) {
  Type type = factor.getType();
  Value product =
      e.make<arith::MulIOp>(e.make<arith::ExtSIOp>(type, power), factor);
  Value one = e.constant(type, 1);
  Value half = e.make<arith::ShLIOp>(one, e.make<arith::SubIOp>(right, one));
  Value result =
      e.make<arith::ShRSIOp>(e.make<arith::AddIOp>(product, half), right);
  return e.make<arith::TruncIOp>(e.builder().getI16Type(),
                                 e.bounded(result, {0, 32767}));
}

} // namespace

template <>
Value tflite::TensorLowering<tflite::SoftmaxOp>::lower(
    ImplicitLocOpBuilder &b, tflite::SoftmaxOp op,
    tflite::SoftmaxOpAdaptor from, RankedTensorType) {
  if (classOf(op.getInput().getType()) == ElementClass::float32)
    return floatSoftmax(b, from.getInput(), op.getBeta().convertToFloat());
  if (bytesOf(op.getInput().getType()))
    return byteSoftmax(b, from.getInput(),
                       *ByteExponential::of(scaleOf(op.getInput().getType()),
                                            op.getBeta().convertToFloat()));
  Type i16 = b.getI16Type(), i32 = b.getI32Type();
  Value input = from.getInput();
  Rows rows(b, cast<RankedTensorType>(input.getType()).getShape());
  Elements outside(b);
  Value table = exponentials(b, softmaxFactor(scaleOf(op.getInput().getType()),
                                              op.getBeta().convertToFloat()));
  Value reciprocals = tableConstant(b, b.getLoc(), softmaxTables().reciprocal);
  Value most =
      rows.fold(input, outside.constant(i16, boundsOf<int16_t>().least),
                [](Elements &e, ValueRange x) -> SmallVector<Value> {
                  return {e.make<arith::MaxSIOp>(x[0], x[1])};
                });
  Value powers = rows.map(
      i16, /*areRows=*/false, {input, most},
      [&](Elements &e, ValueRange x) -> SmallVector<Value> {
        Value distance =
            e.make<arith::SubIOp>(e.make<arith::ExtSIOp>(i32, x[1]),
                                  e.make<arith::ExtSIOp>(i32, x[0]));
        return {e.lookUp(
            table, e.make<arith::AndIOp>(distance, e.constant(i32, 0xFFFF)))};
      })[0];
  Value sum = rows.fold(
      powers, outside.constant(i32, 0),
      [&](Elements &e, ValueRange x) -> SmallVector<Value> {
        return {e.make<arith::AddIOp>(x[1], e.make<arith::ExtSIOp>(i32, x[0]))};
      });
  SmallVector<Value> parts = rows.map(
      {i32, i32}, /*areRows=*/true, sum,
      [&](Elements &e, ValueRange x) { return shares(e, x[0], reciprocals); });
  return rows.map(i16, /*areRows=*/false, {powers, parts[0], parts[1]},
                  [](Elements &e, ValueRange x) -> SmallVector<Value> {
                    return {share(e, x[0], x[1], x[2])};
                  })[0];
}

/// Whether \p input are signed bytes and \p result numbers of 16 bits that have
/// no sign.
static bool areBytesToWords(Type input, Type result) {
  quant::UniformQuantizedType from = bytesOf(input), to = quantizedOf(result);
  return from && from.isSigned() && to && !to.isSigned() &&
         to.getStorageTypeIntegralWidth() == 16;
}

/// Says why SOFTMAX of rows that \p depth bytes have is called.
static StringRef whyByteSoftmaxIsCalled(Type input, Type result, float beta) {
  int32_t exponent = 0;
  if (!isPowerOfTwo(scaleOf(result), exponent) || exponent != -16 ||
      quantizedOf(result).getZeroPoint() != 0)
    return "its result has not the scale 2^-16, without a zero point";
  if (cast<RankedTensorType>(input).getShape().back() > mostBytesOfSoftmax)
    return "its rows have more than 4095 elements";
  return ByteExponential::of(scaleOf(input), beta)
             ? ""
             : "its scale times beta is below 2^-27";
}

StringRef tflite::whySoftmaxIsCalled(Type input, Type result, float beta) {
  if (classOf(input) == ElementClass::float32)
    return whyNormalizeIsCalled(input, result);
  bool areBytes = areBytesToWords(input, result);
  if (!areBytes && (classOf(input) != ElementClass::fixed16 ||
                    classOf(result) != ElementClass::fixed16))
    return otherTypes;
  if (!areBytes && !isFraction(result))
    return otherScale;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(input).getShape();
  if (shape.empty() || shape != cast<RankedTensorType>(result).getShape())
    return otherRows;
  if (areBytes)
    return whyByteSoftmaxIsCalled(input, result, beta);
  // The sum of more exponentials may have 32 bits, for which the runtime's half
  // fails.
  if (shape.back() > 1 << 16)
    return "its rows have more than 65536 elements";
  return "";
}

void tflite::populateSoftmaxLowering(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::SoftmaxOp>>(converter,
                                                  patterns.getContext());
}
