//===- SumRounding.cpp - Results of sums of products ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumRounding.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The sum is multiplied in two halves, of which the lower one has no sign: the
/// half that is rounded by has no lower bits, so that nothing is lost with what
/// is shifted out in between.
Value roundedIn32(Elements &e, Value sum, Value multiplier, Value shift) {
  Type type = sum.getType();
  Value sixteen = e.constant(type, 16), one = e.constant(type, 1);
  Value upper =
      e.make<arith::MulIOp>(e.make<arith::ShRSIOp>(sum, sixteen), multiplier);
  Value low = e.make<arith::AndIOp>(sum, e.constant(type, 0xFFFF));
  Value lower =
      e.make<arith::ShRUIOp>(e.make<arith::MulIOp>(low, multiplier), sixteen);
  Value half = e.make<arith::ShLIOp>(one, e.make<arith::SubIOp>(shift, one));
  Value product = e.make<arith::AddIOp>(upper, lower);
  return e.make<arith::ShRSIOp>(e.make<arith::AddIOp>(product, half), shift);
}

/// Sums that do not fit 32 bits wrap, as in TensorFlow Lite.
Value roundedIn64(Elements &e, Value sum, Value multiplier, Value shift) {
  Type i32 = multiplier.getType(), type = sum.getType();
  Value one = e.constant(type, 1);
  Value factor = e.make<arith::ExtUIOp>(type, multiplier);
  Value places = e.make<arith::ExtUIOp>(type, shift);
  Value half = e.make<arith::ShLIOp>(one, e.make<arith::SubIOp>(places, one));
  Value product =
      e.make<arith::AddIOp>(e.make<arith::MulIOp>(sum, factor), half);
  return e.make<arith::TruncIOp>(i32, e.make<arith::ShRSIOp>(product, places));
}

/// A shift above 0 is one to the left, and wraps.
Value roundedTwice(Elements &e, Value sum, Value multiplier, Value shift,
                   bool hasLeft) {
  Type type = sum.getType();
  Value zero = e.constant(type, 0);
  if (hasLeft)
    sum = e.make<arith::ShLIOp>(sum, e.make<arith::MaxSIOp>(shift, zero));
  Value product =
      e.make<kernel::DoublingHighMulOp>(sum, multiplier, /*nsw=*/false);
  return e.roundingShift(
      product,
      e.make<arith::SubIOp>(zero, e.make<arith::MinSIOp>(shift, zero)));
}

/// The sum of \p parts, of which there is one at least, as \p type.
Value sumOf(Elements &e, ValueRange parts, Type type,
            ArrayRef<int64_t> places) {
  auto moved = [&](size_t index) {
    Value part = parts[index];
    if (part.getType() != type)
      part = e.make<arith::ExtSIOp>(type, part);
    return places.empty() || places[index] == 0
               ? part
               : e.make<arith::ShLIOp>(part, e.constant(type, places[index]));
  };
  Value sum = moved(0);
  for (size_t index = 1; index < parts.size(); ++index)
    sum = e.make<arith::AddIOp>(sum, moved(index));
  return sum;
}

} // namespace

Value tflite::channelTable(ImplicitLocOpBuilder &b, ArrayRef<int32_t> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, b.getI32Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

Value tflite::roundedSums(ImplicitLocOpBuilder &b, RankedTensorType result,
                          ValueRange sums, SumRounding rounding,
                          ArrayRef<int32_t> multipliers,
                          ArrayRef<int32_t> shifts, Bounds bounds,
                          ArrayRef<int64_t> places) {
  auto rank = unsigned(result.getRank());
  AffineMap channel = AffineMap::get(rank, 0, b.getAffineDimExpr(rank - 1));
  SmallVector<Value> inputs(sums);
  SmallVector<AffineMap> maps(sums.size(), b.getMultiDimIdentityMap(rank));
  for (ArrayRef<int32_t> numbers : {multipliers, shifts}) {
    inputs.push_back(channelTable(b, numbers));
    maps.push_back(channel);
  }
  bool hasLeft = llvm::any_of(shifts, [](int32_t shift) { return shift > 0; });
  Type sumType = rounding == SumRounding::once_in_64 ? Type(b.getI64Type())
                                                     : Type(b.getI32Type());
  return mapElements(
      b, result, inputs, maps, [&](Elements &e, ValueRange x) -> Value {
        Value sum = sumOf(e, x.drop_back(2), sumType, places);
        Value multiplier = x[x.size() - 2], shift = x.back();
        Value rounded = rounding == SumRounding::once_in_32
                            ? roundedIn32(e, sum, multiplier, shift)
                        : rounding == SumRounding::once_in_64
                            ? roundedIn64(e, sum, multiplier, shift)
                            : roundedTwice(e, sum, multiplier, shift, hasLeft);
        return e.make<arith::TruncIOp>(e.builder().getI16Type(),
                                       e.bounded(rounded, bounds));
      });
}
