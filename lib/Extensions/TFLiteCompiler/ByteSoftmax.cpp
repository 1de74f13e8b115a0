//===- ByteSoftmax.cpp - SOFTMAX of bytes ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of tflite.softmax of signed bytes -> linalg.generic. A table has the
// exponentials of all distances from the largest byte of a row.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

Value product(Elements &e, Value a, Value b) {
  return e.make<kernel::DoublingHighMulOp>(a, b, /*nsw=*/false);
}

/// \p value, which is not negative, * 2^-right, rounded by its \p half.
Value shiftedRight(Elements &e, Value value, Value half, Value right) {
  return e.make<arith::ShRUIOp>(e.make<arith::AddIOp>(value, half), right);
}

/// The reciprocal of the sum of a row, and how many bits its products with
/// exponentials are shifted right by, with half of what is shifted out.
SmallVector<Value> shares(Elements &e, Value sum) {
  Type i32 = sum.getType();
  Value zeros = e.make<math::CountLeadingZerosOp>(sum);
  // The largest byte makes the sum at least 1; bounds are for constants that
  // are damaged.
  zeros = e.bounded(zeros, {1, byteSumBits});
  Value beyondOne =
      e.make<arith::AndIOp>(e.make<arith::ShLIOp>(sum, zeros),
                            e.constant(i32, boundsOf<int32_t>().most));
  Value right =
      e.make<arith::SubIOp>(e.constant(i32, byteSumBits + 31 - 16), zeros);
  Value one = e.constant(i32, 1);
  Value half = e.make<arith::ShLIOp>(one, e.make<arith::SubIOp>(right, one));
  return {e.reciprocalOfOnePlus(beyondOne), half, right};
}

} // namespace

Value tflite::byteSoftmax(ImplicitLocOpBuilder &b, Value input,
                          const ByteExponential &exponential) {
  Type i8 = b.getI8Type(), i16 = b.getI16Type(), i32 = b.getI32Type();
  Rows rows(b, cast<RankedTensorType>(input.getType()).getShape());
  Elements outside(b);
  SmallVector<int32_t> entries;
  for (int32_t distance = 0; distance < 1 << 8; ++distance)
    entries.push_back(exponential(distance));
  Value table = tableConstant(b, b.getLoc(), entries);
  Value most = rows.fold(input, outside.constant(i8, boundsOf<int8_t>().least),
                         [](Elements &e, ValueRange x) -> SmallVector<Value> {
                           return {e.make<arith::MaxSIOp>(x[0], x[1])};
                         });
  Value powers = rows.map(
      i32, /*areRows=*/false, {input, most},
      [&](Elements &e, ValueRange x) -> SmallVector<Value> {
        // Differences of bytes wrap to numbers without a sign.
        Value distance = e.make<arith::SubIOp>(x[1], x[0]);
        return {e.lookUp(table, e.make<arith::ExtUIOp>(i32, distance))};
      })[0];
  Value sum = rows.fold(powers, outside.constant(i32, 0),
                        [&](Elements &e, ValueRange x) -> SmallVector<Value> {
                          Value power = shiftedRight(
                              e, x[0], e.constant(i32, 1 << (byteSumBits - 1)),
                              e.constant(i32, byteSumBits));
                          return {e.make<arith::AddIOp>(x[1], power)};
                        });
  SmallVector<Value> parts =
      rows.map({i32, i32, i32}, /*areRows=*/true, sum,
               [](Elements &e, ValueRange x) { return shares(e, x[0]); });
  return rows.map(
      i16, /*areRows=*/false, {powers, parts[0], parts[1], parts[2]},
      [&](Elements &e, ValueRange x) -> SmallVector<Value> {
        Value share = shiftedRight(e, product(e, x[1], x[0]), x[2], x[3]);
        return {e.make<arith::TruncIOp>(
            i16, e.bounded(share, boundsOf<uint16_t>()))};
      })[0];
}
