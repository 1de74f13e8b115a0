//===- QuantizedDivision.cpp - DIV of quantized numbers -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The quotient of two numbers less their zero points, by the reciprocal of the
// divisor as a fraction of at least 1/2: no machine divides vectors of
// integers.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

Value tflite::quotientOfSteps(Elements &e, Value a, Value b, Factor factor) {
  Type i32 = a.getType();
  auto number = [&](int64_t value) { return e.constant(i32, value); };
  auto product = [&](Value x, Value y) {
    return e.make<kernel::DoublingHighMulOp>(x, y, /*nsw=*/false);
  };
  auto negated = [&](Value x) { return e.make<arith::SubIOp>(number(0), x); };
  Value isNegative = e.compare(arith::CmpIPredicate::slt, b, number(0));
  a = e.make<arith::SelectOp>(isNegative, negated(a), a);
  b = e.make<arith::SelectOp>(isNegative, negated(b), b);
  // No divisor is 0; bounds are for constants that are damaged.
  Value zeros = e.bounded(e.make<math::CountLeadingZerosOp>(b), {0, 31});
  Value beyondOne = e.make<arith::AndIOp>(e.make<arith::ShLIOp>(b, zeros),
                                          number(boundsOf<int32_t>().most));
  Value magnitude =
      e.make<arith::XOrIOp>(a, e.make<arith::ShRSIOp>(a, number(31)));
  // How often the dividend can be doubled.
  Value headroom = e.make<arith::SubIOp>(
      e.make<math::CountLeadingZerosOp>(magnitude), number(1));
  Value quotient = product(e.make<arith::ShLIOp>(a, headroom),
                           e.reciprocalOfOnePlus(beyondOne));
  Value right = e.make<arith::SubIOp>(
      e.make<arith::AddIOp>(headroom, number(31 - factor.shift)), zeros);
  return e.roundingShift(product(quotient, number(factor.multiplier)),
                         e.bounded(right, {0, 31}));
}
