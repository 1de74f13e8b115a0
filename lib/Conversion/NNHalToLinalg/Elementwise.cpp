//===- Elementwise.cpp - Element-wise operations of any type and shape ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/FixedPoint.h"
#include "Engine/OperationLowering.h"

#include "nnhal/Backend/Signatures/Elementwise.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;

using rt::OperandType;
using rt::OperationType;

/// Defines the result from inputs 0 and 1, which broadcast (M-021).
static LogicalResult
defineBroadcast(OperationLowering &op,
                function_ref<Scalar(Indices lhs, Indices rhs)> element) {
  SmallVector<Scalar> lhs = op.input(0).extents();
  SmallVector<Scalar> rhs = op.input(1).extents();
  SmallVector<Scalar> extents = op.broadcast(lhs, rhs);
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    return element(op.broadcastIndices(lhs, at), op.broadcastIndices(rhs, at));
  }));
  return success();
}

/// Defines the result from input 0, of the same shape.
static LogicalResult defineUnary(OperationLowering &op,
                                 function_ref<Scalar(Indices at)> element) {
  op.setOutput(op.define(op.outputType(), op.input(0).extents(), element));
  return success();
}

/// Whether equal stored values are equal reals and the order is the same: then
/// integers stand for reals. The bound keeps reals finite.
static bool haveSameScale(const rt::TensorType &a, const rt::TensorType &b) {
  return a.type == b.type && a.scale == b.scale && a.zeroPoint == b.zeroPoint &&
         a.scale < 1e30f;
}

//===----------------------------------------------------------------------===//
// ADD, SUB, MUL, DIV
//===----------------------------------------------------------------------===//

/// Floats and 32-bit integers, which wrap (M-035).
static LogicalResult lowerArithmetic(OperationLowering &op,
                                     function_ref<Scalar(Scalar, Scalar)> map) {
  FailureOr<rt::FusedActivation> activation =
      op.decoded(rt::decodeArithmetic(op.view()));
  if (failed(activation))
    return failure();
  if (!op.isConstant(2))
    return op.fail("the fused activation is no constant");
  Tensor lhs = op.input(0), rhs = op.input(1);
  return defineBroadcast(op, [&](Indices left, Indices right) {
    if (!lhs.isFloat())
      return map(lhs.integer(left), rhs.integer(right));
    Scalar value = map(lhs.real(left), rhs.real(right));
    return op.encode(activated(value, *activation), op.outputType());
  });
}

/// \p element gives a value that lacks the zero point; it is stored within the
/// bounds of the fused activation (M-017).
static LogicalResult
lowerQuantized(OperationLowering &op,
               function_ref<Scalar(Scalar lhs, Scalar rhs)> element) {
  FailureOr<rt::FusedActivation> activation =
      op.decoded(rt::decodeArithmetic(op.view()));
  if (failed(activation))
    return failure();
  if (!op.isConstant(2))
    return op.fail("the fused activation is no constant");
  const rt::TensorType &type = op.outputType();
  rt::StorageRange range = rt::activationRange(*activation, type);
  Tensor lhs = op.input(0), rhs = op.input(1);
  return defineBroadcast(op, [&](Indices left, Indices right) {
    Scalar value = element(lhs.centered(left), rhs.centered(right));
    // Limits first: the zero point cannot make the sum wrap then.
    value = clamp(value, double(range.low) - type.zeroPoint,
                  double(range.high) - type.zeroPoint);
    return op.encodeInteger(value + double(type.zeroPoint), type);
  });
}

/// Of a stored value without its zero point.
static double largestMagnitude(const rt::TensorType &type) {
  rt::StorageRange range = rt::storageRange(type.type);
  return std::max(double(range.high) - type.zeroPoint,
                  double(type.zeroPoint) - range.low);
}

/// Both operands are brought to twice the larger scale with 20 more bits, and
/// their sum or difference to the scale of the result (M-034).
static LogicalResult lowerQuantizedSum(OperationLowering &op,
                                       bool isDifference) {
  constexpr double leftShift = 1 << 20;
  const rt::TensorType lhsType = op.input(0).getType();
  const rt::TensorType rhsType = op.input(1).getType();
  double commonScale = 2.0 * std::max(lhsType.scale, rhsType.scale);
  double resultScale =
      commonScale / (leftShift * double(op.outputType().scale));
  auto common = [&](Scalar value, const rt::TensorType &type, double shift) {
    double scale = double(type.scale) / commonScale;
    // With floats the shift is exact, too, and adding rounds as the conversion
    // of the integers' sum would.
    if (op.rounding() == rt::Rounding::floatRounding)
      return roundEven(value.toF32() * (shift * scale));
    return rescale(value * shift, scale, op.rounding(),
                   leftShift * largestMagnitude(type));
  };
  double largest = leftShift * std::max(largestMagnitude(lhsType),
                                        largestMagnitude(rhsType));
  return lowerQuantized(op, [&](Scalar lhs, Scalar rhs) {
    // An operand is negated, not the product: ties round up either way.
    Scalar left = common(lhs, lhsType, leftShift);
    Scalar right = common(rhs, rhsType, isDifference ? -leftShift : leftShift);
    return rescale(left + right, resultScale, op.rounding(), largest);
  });
}

static bool isQuantizedOperation(OperationLowering &op) {
  return op.input(0).isQuantized();
}

static LogicalResult lowerAdd(OperationLowering &op) {
  if (isQuantizedOperation(op))
    return lowerQuantizedSum(op, /*isDifference=*/false);
  return lowerArithmetic(op, [](Scalar a, Scalar b) { return a + b; });
}

static LogicalResult lowerSub(OperationLowering &op) {
  if (isQuantizedOperation(op))
    return lowerQuantizedSum(op, /*isDifference=*/true);
  return lowerArithmetic(op, [](Scalar a, Scalar b) { return a - b; });
}

static LogicalResult lowerMul(OperationLowering &op) {
  if (!isQuantizedOperation(op))
    return lowerArithmetic(op, [](Scalar a, Scalar b) { return a * b; });
  // The product is a float, as in the rule about it (mul C1).
  float product = op.input(0).getType().scale * op.input(1).getType().scale;
  double scale = double(product) / op.outputType().scale;
  double largest = largestMagnitude(op.input(0).getType()) *
                   largestMagnitude(op.input(1).getType());
  return lowerQuantized(op, [&](Scalar lhs, Scalar rhs) {
    return rescale(lhs * rhs, scale, op.rounding(), largest);
  });
}

/// Toward negative infinity; 0 for a zero divisor (M-041). Neither that nor the
/// smallest integer over -1 may trap.
static Scalar floorDivide(Scalar lhs, Scalar rhs) {
  Scalar byZero = rhs == 0, byMinusOne = rhs == -1;
  Scalar divisor = select(byZero | byMinusOne, rhs.like(1), rhs);
  Scalar quotient = select(byMinusOne, -lhs, lhs.floorQuotient(divisor));
  return select(byZero, lhs.like(0), quotient);
}

static LogicalResult lowerDiv(OperationLowering &op) {
  return lowerArithmetic(op, [](Scalar lhs, Scalar rhs) {
    return lhs.isFloat() ? lhs / rhs : floorDivide(lhs, rhs);
  });
}

//===----------------------------------------------------------------------===//
// POW, MAXIMUM, MINIMUM
//===----------------------------------------------------------------------===//

static LogicalResult lowerPow(OperationLowering &op) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  return defineBroadcast(op, [&](Indices left, Indices right) {
    return op.encode(pow(lhs.real(left), rhs.real(right)), op.outputType());
  });
}

/// Quantized values are compared as real ones and then requantized, which keeps
/// their order (M-143).
static LogicalResult lowerExtremum(OperationLowering &op,
                                   Scalar (*map)(Scalar, Scalar)) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  const rt::TensorType &type = op.outputType();
  bool isStored =
      lhs.getType().type == OperandType::TENSOR_INT32 ||
      (lhs.isQuantized() && haveSameScale(lhs.getType(), rhs.getType()) &&
       haveSameScale(lhs.getType(), type));
  return defineBroadcast(op, [&](Indices left, Indices right) {
    // Operands are swapped: the first one is the result for a NaN.
    if (isStored)
      return op.encodeInteger(map(rhs.integer(right), lhs.integer(left)), type);
    return op.encode(map(rhs.real(right), lhs.real(left)), type);
  });
}

static LogicalResult lowerMaximum(OperationLowering &op) {
  return lowerExtremum(op, max);
}
static LogicalResult lowerMinimum(OperationLowering &op) {
  return lowerExtremum(op, min);
}

//===----------------------------------------------------------------------===//
// Comparisons, logic
//===----------------------------------------------------------------------===//

using BinaryMap = Scalar (*)(Scalar, Scalar);

static Scalar isEqual(Scalar a, Scalar b) { return a == b; }
static Scalar isNotEqual(Scalar a, Scalar b) { return a != b; }
static Scalar isGreater(Scalar a, Scalar b) { return a > b; }
static Scalar isGreaterEqual(Scalar a, Scalar b) { return a >= b; }
static Scalar isLess(Scalar a, Scalar b) { return a < b; }
static Scalar isLessEqual(Scalar a, Scalar b) { return a <= b; }

/// Quantized values are compared as real ones (M-139), booleans as 0 and 1.
template <BinaryMap compare>
static LogicalResult lowerComparison(OperationLowering &op) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  OperandType type = lhs.getType().type;
  bool isStored =
      type == OperandType::TENSOR_INT32 ||
      (lhs.isQuantized() && haveSameScale(lhs.getType(), rhs.getType()));
  return defineBroadcast(op, [&](Indices left, Indices right) {
    if (type == OperandType::TENSOR_BOOL8)
      return op.encodeTruth(compare(op.encodeTruth(lhs.truth(left)),
                                    op.encodeTruth(rhs.truth(right))));
    if (isStored)
      return op.encodeTruth(compare(lhs.integer(left), rhs.integer(right)));
    return op.encodeTruth(compare(lhs.real(left), rhs.real(right)));
  });
}

static LogicalResult lowerLogicalAnd(OperationLowering &op) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  return defineBroadcast(op, [&](Indices left, Indices right) {
    return op.encodeTruth(lhs.truth(left) & rhs.truth(right));
  });
}
static LogicalResult lowerLogicalOr(OperationLowering &op) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  return defineBroadcast(op, [&](Indices left, Indices right) {
    return op.encodeTruth(lhs.truth(left) | rhs.truth(right));
  });
}
static LogicalResult lowerLogicalNot(OperationLowering &op) {
  Tensor input = op.input(0);
  return defineUnary(
      op, [&](Indices at) { return op.encodeTruth(!input.truth(at)); });
}

//===----------------------------------------------------------------------===//
// SELECT
//===----------------------------------------------------------------------===//

/// Quantized values are requantized from their operand to the result (M-142).
static LogicalResult lowerSelect(OperationLowering &op) {
  Tensor condition = op.input(0), lhs = op.input(1), rhs = op.input(2);
  assert(lhs.rank() == condition.rank() && rhs.rank() == condition.rank() &&
         "rules compare ranks");
  for (int64_t i = 0; i < condition.rank(); ++i) {
    op.checkEqual(lhs.extent(i), condition.extent(i));
    op.checkEqual(rhs.extent(i), condition.extent(i));
  }
  const rt::TensorType &type = op.outputType();
  bool isStored =
      !lhs.isQuantized() || (haveSameScale(lhs.getType(), rhs.getType()) &&
                             haveSameScale(lhs.getType(), type));
  return defineUnary(op, [&](Indices at) {
    Scalar truth = condition.truth(at);
    if (isStored)
      return select(truth, lhs.stored(at), rhs.stored(at));
    return op.encode(select(truth, lhs.real(at), rhs.real(at)), type);
  });
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

static LogicalResult lowerAbs(OperationLowering &op) {
  Tensor input = op.input(0);
  return defineUnary(op, [&](Indices at) {
    Scalar value = input.stored(at);
    if (value.isFloat())
      return abs(value);
    return max(value, -value); // The smallest integer stays (M-044).
  });
}

static LogicalResult lowerNeg(OperationLowering &op) {
  Tensor input = op.input(0);
  return defineUnary(op, [&](Indices at) { return -input.stored(at); });
}

template <Scalar (*function)(Scalar)>
static LogicalResult lowerFunction(OperationLowering &op) {
  Tensor input = op.input(0);
  return defineUnary(op, [&](Indices at) {
    return op.encode(function(input.real(at)), op.outputType());
  });
}

//===----------------------------------------------------------------------===//
// CAST, QUANTIZE, DEQUANTIZE
//===----------------------------------------------------------------------===//

/// Quantization parameters are ignored: elements are converted as stored.
/// Floats are cut toward zero and to the range; a NaN becomes 0 (M-150).
static LogicalResult lowerCast(OperationLowering &op) {
  Tensor input = op.input(0);
  const rt::TensorType &type = op.outputType();
  bool isSame = input.getType().type == type.type;
  bool toFloat = type.type == OperandType::TENSOR_FLOAT32 ||
                 type.type == OperandType::TENSOR_FLOAT16;
  return defineUnary(op, [&](Indices at) {
    if (isSame)
      return input.stored(at);
    if (toFloat)
      return op.encode(
          input.isFloat() ? input.real(at) : input.integer(at).toF32(), type);
    if (!input.isFloat())
      return op.encodeInteger(input.integer(at), type);
    Type i32 = op.getBuilder().getI32Type();
    return op.encodeInteger(saturated(input.real(at).toF64(), i32), type);
  });
}

/// Both are a conversion of real values: reading dequantizes (M-030), storing
/// quantizes (M-148).
static LogicalResult lowerConversion(OperationLowering &op) {
  Tensor input = op.input(0);
  return defineUnary(op, [&](Indices at) {
    return op.encode(input.real(at), op.outputType());
  });
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

/// An operation that takes no zero-sized tensors (M-027).
template <LoweringFunction lower>
static LogicalResult notEmpty(OperationLowering &op) {
  for (size_t i = 0; i < op.inputCount(); ++i)
    op.checkNotEmpty(op.input(i));
  return lower(op);
}

std::span<const LoweringRow> nnhal::elementwiseRows() {
  using enum OperationType;
  static constexpr LoweringRow rows[] = {
      {ADD, lowerAdd},
      {SUB, lowerSub},
      {MUL, lowerMul},
      {DIV, lowerDiv},
      {POW, notEmpty<lowerPow>},
      {MAXIMUM, notEmpty<lowerMaximum>},
      {MINIMUM, notEmpty<lowerMinimum>},
      {EQUAL, notEmpty<lowerComparison<isEqual>>},
      {NOT_EQUAL, notEmpty<lowerComparison<isNotEqual>>},
      {GREATER, notEmpty<lowerComparison<isGreater>>},
      {GREATER_EQUAL, notEmpty<lowerComparison<isGreaterEqual>>},
      {LESS, notEmpty<lowerComparison<isLess>>},
      {LESS_EQUAL, notEmpty<lowerComparison<isLessEqual>>},
      {LOGICAL_AND, notEmpty<lowerLogicalAnd>},
      {LOGICAL_OR, notEmpty<lowerLogicalOr>},
      {LOGICAL_NOT, notEmpty<lowerLogicalNot>},
      {SELECT, notEmpty<lowerSelect>},
      {ABS, notEmpty<lowerAbs>},
      {NEG, notEmpty<lowerNeg>},
      {EXP, notEmpty<lowerFunction<exp>>},
      {LOG, notEmpty<lowerFunction<log>>},
      {SIN, notEmpty<lowerFunction<sin>>},
      {SQRT, notEmpty<lowerFunction<sqrt>>},
      {RSQRT, notEmpty<lowerFunction<rsqrt>>},
      {FLOOR, notEmpty<lowerFunction<floor>>},
      {CAST, notEmpty<lowerCast>},
      {QUANTIZE, lowerConversion},
      {DEQUANTIZE, lowerConversion},
  };
  return rows;
}
