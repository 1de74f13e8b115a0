//===- Normalization.cpp - Normalizations of rows of floats ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.normalize and tflite.softmax of floats -> linalg.generic. Exponentials
// are a step of its own, so that they are computed on vectors, and their sums
// another one.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"
#include "Rows.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/DialectConversion.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Builds normalizations of the rows of one tensor of floats.
class FloatRows {
public:
  using Body = function_ref<Value(Elements &, ValueRange)>;

  FloatRows(ImplicitLocOpBuilder &b, Value input)
      : b(b), input(input),
        rows(b, cast<RankedTensorType>(input.getType()).getShape()) {}

  Value map(bool areRows, ValueRange inputs, Body body) {
    return rows.map(b.getF32Type(), areRows, inputs,
                    [&](Elements &e, ValueRange x) -> SmallVector<Value> {
                      return {body(e, x)};
                    })[0];
  }
  Value fold(Value values, float first, Body body) {
    return rows.fold(values, Elements(b).constant(first),
                     [&](Elements &e, ValueRange x) -> SmallVector<Value> {
                       return {body(e, x)};
                     });
  }
  Value sum(Value values) {
    return fold(values, 0.0f, [](Elements &e, ValueRange x) -> Value {
      return e.make<arith::AddFOp>(x[1], x[0]);
    });
  }

  /// The distances from the largest element of each row, times \p beta.
  Value exponents(float beta) {
    Value most = fold(input, -std::numeric_limits<float>::infinity(),
                      [](Elements &e, ValueRange x) -> Value {
                        Value isMore =
                            e.compare(arith::CmpFPredicate::OGT, x[0], x[1]);
                        return e.make<arith::SelectOp>(isMore, x[0], x[1]);
                      });
    return map(/*areRows=*/false, {input, most},
               [&](Elements &e, ValueRange x) -> Value {
                 Value distance = e.make<arith::SubFOp>(x[0], x[1]);
                 return beta == 1.0f
                            ? distance
                            : e.make<arith::MulFOp>(distance, e.constant(beta));
               });
  }
  Value powers(Value exponents) {
    return map(/*areRows=*/false, exponents,
               [](Elements &e, ValueRange x) -> Value {
                 return e.make<math::ExpOp>(x[0]);
               });
  }
  template <typename Op> Value join(Value values, Value ofRows) {
    return map(/*areRows=*/false, {values, ofRows},
               [](Elements &e, ValueRange x) -> Value {
                 return e.make<Op>(x[0], x[1]);
               });
  }

  Value logSoftmax() {
    Value distances = exponents(1.0f);
    Value logarithms = map(/*areRows=*/true, sum(powers(distances)),
                           [](Elements &e, ValueRange x) -> Value {
                             return e.make<math::LogOp>(x[0]);
                           });
    return join<arith::SubFOp>(distances, logarithms);
  }

  Value l2() {
    Value sums = fold(input, 0.0f, [](Elements &e, ValueRange x) -> Value {
      return e.make<arith::AddFOp>(x[1], e.make<arith::MulFOp>(x[0], x[0]));
    });
    // The bound makes a row of zeros stay one; what is not a number stays.
    Value norms =
        map(/*areRows=*/true, sums, [](Elements &e, ValueRange x) -> Value {
          Value norm = e.make<math::SqrtOp>(x[0]), least = e.constant(1e-6f);
          Value isLess = e.compare(arith::CmpFPredicate::OLT, norm, least);
          return e.make<arith::SelectOp>(isLess, least, norm);
        });
    return join<arith::DivFOp>(input, norms);
  }

private:
  ImplicitLocOpBuilder &b;
  Value input;
  Rows rows;
};

} // namespace

template <>
Value tflite::TensorLowering<tflite::NormalizeOp>::lower(
    ImplicitLocOpBuilder &b, tflite::NormalizeOp op,
    tflite::NormalizeOpAdaptor from, RankedTensorType) {
  FloatRows rows(b, from.getInput());
  return op.getNormalizer() == Normalizer::l2 ? rows.l2() : rows.logSoftmax();
}

Value tflite::floatSoftmax(ImplicitLocOpBuilder &b, Value input, float beta) {
  FloatRows rows(b, input);
  Value powers = rows.powers(rows.exponents(beta));
  return rows.join<arith::DivFOp>(powers, rows.sum(powers));
}

StringRef tflite::whyNormalizeIsCalled(Type input, Type result) {
  if (classOf(input) != ElementClass::float32 ||
      classOf(result) != ElementClass::float32)
    return otherTypes;
  return input == result && cast<RankedTensorType>(input).getRank() > 0
             ? StringRef()
             : StringRef(otherRows);
}

void tflite::populateNormalizeLowering(const TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::NormalizeOp>>(converter,
                                                    patterns.getContext());
}
