//===- Fixed16.cpp - Functions of 16-bit numbers --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of FixedPoint.h, or a table of all results: looking up one of
// 65,536 is a load, interpolating as the runtime's half does is a dozen
// instructions on scalars.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"

#include "Extensions/TFLite/FunctionTables.h"
#include "Extensions/TFLite/Sigmoid.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Computes functions of 16-bit numbers in 32 bits.
class Fixed16 {
public:
  Fixed16(Elements &elements, const Use &use, ValueRange operands)
      : e(elements), use(use) {
    for (auto [input, operand] : llvm::zip_equal(use.op.getInputs(), operands))
      x.push_back(stepsOf(e, quantizedOf(input.getType()), operand));
  }

  Value compute() {
    Value result = computeWide();
    return e.make<arith::TruncIOp>(e.builder().getI16Type(), result);
  }

private:
  Type wide() { return e.builder().getI32Type(); }

  Value computeWide() {
    switch (use.function()) {
    case Function::add:
    case Function::sub:
      return sum(use.function() == Function::sub);
    case Function::mul:
      return product();
    case Function::div: {
      Factor factor =
          factorOf(use.scale(0) / (use.scale(1) * use.resultScale()));
      return e.bounded(quotientOfSteps(e, x[0], x[1], factor),
                       use.bounds(use.activation()));
    }
    case Function::neg:
      return e.make<arith::SubIOp>(e.constant(wide(), 0), x[0]);
    case Function::prelu:
      return slopes(
          e.scale(x[0], factorOf(use.scale(0) / use.resultScale())),
          e.scale(e.make<arith::MulIOp>(x[0], x[1]),
                  factorOf(use.scale(0) * use.scale(1) / use.resultScale())));
    case Function::squared_difference:
      return squaredDifference();
    case Function::maximum:
      return e.make<arith::MaxSIOp>(x[0], x[1]);
    case Function::minimum:
      return e.make<arith::MinSIOp>(x[0], x[1]);
    case Function::floor_div:
    case Function::floor_mod:
      return dividedIntegers(e, use.function(), x[0], x[1]);
    case Function::bitwise_xor:
      return e.make<arith::XOrIOp>(x[0], x[1]);
    case Function::abs:
      return magnitude();
    case Function::leaky_relu:
      return slopes(e.scale(x[0], factorOf(use.scale(0) / use.resultScale())),
                    e.scale(x[0], factorOf(use.scale(0) *
                                           use.op.getAlpha().convertToFloat() /
                                           use.resultScale())));
    case Function::relu:
      return rescaled(Activation::relu);
    case Function::relu_n1_to_1:
      return rescaled(Activation::reluN1To1);
    default:
      assert(use.function() == Function::relu6 && "others are refused");
      return rescaled(Activation::relu6);
    }
  }

  Value addOrSubtract(Value a, Value b, bool isDifference) {
    return isDifference ? e.make<arith::SubIOp>(a, b)
                        : e.make<arith::AddIOp>(a, b);
  }

  Value sum(bool isDifference) {
    float a = use.scale(0), b = use.scale(1), result = use.resultScale();
    Bounds bounds = use.bounds(use.activation());
    if (std::optional<SumShifts> shifts = shiftsOfSum(a, b, result)) {
      Value both =
          addOrSubtract(e.roundingShift(x[0], shifts->a),
                        e.roundingShift(x[1], shifts->b), isDifference);
      return e.bounded(e.bounded(both, boundsOf<int16_t>()), bounds);
    }
    SumFactors factors = factorsOfSum(a, b, result);
    Value both = addOrSubtract(e.widenedBy15(x[0], factors.a),
                               e.widenedBy15(x[1], factors.b), isDifference);
    return e.bounded(e.scale(both, factors.result), bounds);
  }

  Value product() {
    Factor factor = factorOf(use.scale(0) * use.scale(1) / use.resultScale());
    return e.bounded(e.scale(e.make<arith::MulIOp>(x[0], x[1]), factor),
                     use.bounds(use.activation()));
  }

  Value squaredDifference() {
    SumFactors factors =
        factorsOfSquare(use.scale(0), use.scale(1), use.resultScale());
    Value difference = e.make<arith::SubIOp>(e.scale(x[0], factors.a),
                                             e.scale(x[1], factors.b));
    Value square = e.make<arith::MulIOp>(difference, difference);
    return e.bounded(e.scale(square, factors.result), boundsOf<int16_t>());
  }

  Value magnitude() {
    Value zero = e.constant(wide(), 0);
    Value absolute =
        e.make<arith::MaxSIOp>(x[0], e.make<arith::SubIOp>(zero, x[0]));
    float input = use.scale(0), output = use.resultScale();
    if (input != output)
      absolute = e.scale(absolute, factorOf(input / output));
    return e.bounded(absolute, boundsOf<int16_t>());
  }

  Value rescaled(Activation activation) {
    Factor factor = factorOf(use.scale(0) / use.resultScale());
    return e.bounded(e.scale(x[0], factor), use.bounds(activation));
  }

  Value slopes(Value positive, Value negative) {
    Value isPositive =
        e.compare(arith::CmpIPredicate::sge, x[0], e.constant(wide(), 0));
    return e.bounded(e.make<arith::SelectOp>(isPositive, positive, negative),
                     boundsOf<int16_t>());
  }

  Elements &e;
  const Use &use;
  SmallVector<Value> x;
};

/// All results of \p function, by the bits of what it takes.
template <typename Callable>
Value tableOf(OpBuilder &builder, Location loc, Callable function) {
  SmallVector<int16_t> results;
  for (int32_t bits = 0; bits < 1 << 16; ++bits)
    results.push_back(function(int16_t(bits)));
  return tableConstant(builder, loc, results);
}

Value tableOf(OpBuilder &builder, Location loc, const Table16 &table) {
  return tableOf(builder, loc,
                 [&](int16_t value) { return lookUp(table, value); });
}

ByteSteps stepsOfBytes(quant::UniformQuantizedType type) {
  return {float(type.getScale()), int32_t(type.getZeroPoint())};
}

/// The table of a function of signed bytes; null where it needs none.
Value tableOfBytes(OpBuilder &builder, ElementwiseOp op,
                   quant::UniformQuantizedType input) {
  ByteSteps from = stepsOfBytes(input),
            to = stepsOfBytes(bytesOf(op.getType()));
  switch (op.getFunction()) {
  case Function::elu:
    return tableConstant(builder, op.getLoc(), eluTable(from, to));
  case Function::log:
    return tableConstant(builder, op.getLoc(), logarithmTable(from, to));
  default:
    return {};
  }
}

} // namespace

Value tflite::buildTable(OpBuilder &builder, ElementwiseOp op) {
  Type input = op.getInputs().front().getType(), result = op.getType();
  Location loc = op.getLoc();
  if (quant::UniformQuantizedType bytes = bytesOf(input);
      bytes && bytesOf(result))
    return tableOfBytes(builder, op, bytes);
  if (classOf(input) != ElementClass::fixed16)
    return {};
  switch (op.getFunction()) {
  case Function::logistic:
    return tableOf(builder, loc, Logistic16(tableInput(scaleOf(input), 0)));
  case Function::tanh:
    return tableOf(builder, loc, Tanh16(tableInput(scaleOf(input), 1)));
  case Function::exp:
    return tableOf(builder, loc,
                   exponentialTable(scaleOf(input), scaleOf(result)));
  case Function::log:
    return tableOf(builder, loc,
                   logarithmTable(scaleOf(input), scaleOf(result)));
  case Function::gelu:
    return tableOf(
        builder, loc,
        geluTable(scaleOf(input), scaleOf(result), op.getApproximate()));
  default:
    return {};
  }
}

Value tflite::lookedUp(Elements &e, const Use &use, Value x) {
  return e.lookUp(use.table,
                  e.make<arith::ExtUIOp>(e.builder().getI32Type(), x));
}

Value tflite::computeFixed16(Elements &elements, const Use &use, ValueRange x) {
  if (use.table)
    return lookedUp(elements, use, x[0]);
  return Fixed16(elements, use, x).compute();
}
