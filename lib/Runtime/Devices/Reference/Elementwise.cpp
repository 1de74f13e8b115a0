//===- Elementwise.cpp - Element-wise operations --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "Runtime/Routines/Routine.h"

#include "Runtime/Numerics/FixedPoint.h"
#include "nnhal/Backend/Signatures/Elementwise.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

static bool isFloat(const TensorType &type) {
  return type.type == OperandType::TENSOR_FLOAT32 ||
         type.type == OperandType::TENSOR_FLOAT16;
}

template <typename Map>
static Elements<float> mapFloats(const RoutineContext &context, Map map) {
  return mapBroadcast<float>(context.floats(0), context.inputShape(0),
                             context.floats(1), context.inputShape(1),
                             context.outputShape(0), map);
}

template <typename Map>
static Elements<int32_t> mapIntegers(const RoutineContext &context, Map map) {
  return mapBroadcast<int32_t>(context.integers(0), context.inputShape(0),
                               context.integers(1), context.inputShape(1),
                               context.outputShape(0), map);
}

//===----------------------------------------------------------------------===//
// ADD, SUB, MUL, DIV
//===----------------------------------------------------------------------===//

/// The low 32 bits of \p value (M-035).
static int32_t wrap(int64_t value) { return int32_t(uint32_t(value)); }

/// Toward negative infinity; 0 when the divisor is (M-041).
static int64_t floorDivide(int64_t lhs, int64_t rhs) {
  if (rhs == 0)
    return 0;
  int64_t quotient = lhs / rhs;
  return lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? quotient - 1 : quotient;
}

/// Floats and 32-bit integers: \p map works on both.
template <typename Map>
static Status arithmetic(RoutineContext &context, Map map) {
  if (!isFloat(context.inputType(0))) {
    context.storeIntegers(0,
                          mapIntegers(context, [&](int64_t lhs, int64_t rhs) {
                            return wrap(map(lhs, rhs));
                          }));
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation,
                         decodeArithmetic(context.operation()));
  context.storeFloats(0, mapFloats(context, [&](float lhs, float rhs) {
                        return applyActivation(activation, map(lhs, rhs));
                      }));
  return Status::ok();
}

/// Stores \p values, which lack the zero point, within the bounds of the fused
/// activation.
static Status storeQuantized(RoutineContext &context,
                             Elements<int32_t> values) {
  NNHAL_ASSIGN_OR_RETURN(FusedActivation activation,
                         decodeArithmetic(context.operation()));
  const TensorType &type = context.outputType(0);
  StorageRange range = activationRange(activation, type);
  for (int32_t &value : values)
    value = int32_t(std::clamp<int64_t>(int64_t(value) + type.zeroPoint,
                                        range.low, range.high));
  context.storeIntegers(0, values);
  return Status::ok();
}

/// Both operands are brought to twice the larger scale with 20 more bits, and
/// their sum or difference to the scale of the result (M-034).
static Status quantizedSum(RoutineContext &context, bool isDifference) {
  constexpr int32_t leftShift = 20;
  const TensorType &lhs = context.inputType(0);
  const TensorType &rhs = context.inputType(1);
  double commonScale = 2.0 * std::max(lhs.scale, rhs.scale);
  FixedPointFactor lhsFactor = fixedPointFactor(lhs.scale / commonScale);
  FixedPointFactor rhsFactor = fixedPointFactor(rhs.scale / commonScale);
  FixedPointFactor resultFactor = fixedPointFactor(
      commonScale / ((1 << leftShift) * double(context.outputType(0).scale)));
  // The factor is negated, not the product: ties round up either way.
  if (isDifference)
    rhsFactor.multiplier = -rhsFactor.multiplier;
  return storeQuantized(
      context, mapIntegers(context, [&](int32_t a, int32_t b) {
        return multiplyByFactor(
            multiplyByFactor((a - lhs.zeroPoint) * (1 << leftShift),
                             lhsFactor) +
                multiplyByFactor((b - rhs.zeroPoint) * (1 << leftShift),
                                 rhsFactor),
            resultFactor);
      }));
}

static Status runAdd(RoutineContext &context) {
  if (isQuantized(context.inputType(0).type))
    return quantizedSum(context, /*isDifference=*/false);
  return arithmetic(context, [](auto lhs, auto rhs) { return lhs + rhs; });
}

static Status runSub(RoutineContext &context) {
  if (isQuantized(context.inputType(0).type))
    return quantizedSum(context, /*isDifference=*/true);
  return arithmetic(context, [](auto lhs, auto rhs) { return lhs - rhs; });
}

static Status runMul(RoutineContext &context) {
  const TensorType &lhs = context.inputType(0);
  const TensorType &rhs = context.inputType(1);
  if (!isQuantized(lhs.type))
    return arithmetic(context, [](auto lhs, auto rhs) { return lhs * rhs; });
  // The product is a float, as in the rule about it (mul C1).
  float productScale = lhs.scale * rhs.scale;
  FixedPointFactor factor =
      fixedPointFactor(double(productScale) / context.outputType(0).scale);
  return storeQuantized(
      context, mapIntegers(context, [&](int32_t a, int32_t b) {
        return multiplyByFactor((a - lhs.zeroPoint) * (b - rhs.zeroPoint),
                                factor);
      }));
}

static Status runDiv(RoutineContext &context) {
  return arithmetic(context, []<typename T>(T lhs, T rhs) -> T {
    if constexpr (std::is_integral_v<T>)
      return floorDivide(lhs, rhs);
    else
      return lhs / rhs;
  });
}

//===----------------------------------------------------------------------===//
// POW, MAXIMUM, MINIMUM, comparisons, logic
//===----------------------------------------------------------------------===//

static Status runPow(RoutineContext &context) {
  context.storeFloats(0, mapFloats(context, [](float base, float exponent) {
                        return std::pow(base, exponent);
                      }));
  return Status::ok();
}

/// Quantized values are compared as real ones and then requantized, which keeps
/// their order (M-143).
template <typename Map>
static Status extremum(RoutineContext &context, Map map) {
  if (context.inputType(0).type == OperandType::TENSOR_INT32)
    context.storeIntegers(0, mapIntegers(context, map));
  else
    context.storeReals(
        0, mapBroadcast<float>(context.reals(0), context.inputShape(0),
                               context.reals(1), context.inputShape(1),
                               context.outputShape(0), map));
  return Status::ok();
}

static Status runMaximum(RoutineContext &context) {
  return extremum(context, [](auto a, auto b) { return std::max(a, b); });
}
static Status runMinimum(RoutineContext &context) {
  return extremum(context, [](auto a, auto b) { return std::min(a, b); });
}

/// The booleans of input \p index as 0 and 1: any byte but 0 is true.
static Elements<int32_t> booleans(const RoutineContext &context, size_t index) {
  Elements<int32_t> values = context.integers(index);
  for (int32_t &value : values)
    value = value != 0;
  return values;
}

template <typename T, typename Map>
static void storeBroadcast(RoutineContext &context, const Elements<T> &lhs,
                           const Elements<T> &rhs, Map map) {
  context.storeIntegers(0, mapBroadcast<int32_t>(lhs, context.inputShape(0),
                                                 rhs, context.inputShape(1),
                                                 context.outputShape(0), map));
}

/// Quantized values are compared as real ones (M-139).
template <typename Compare>
static Status compare(RoutineContext &context, Compare compare) {
  auto map = [&](auto lhs, auto rhs) { return int32_t(compare(lhs, rhs)); };
  switch (context.inputType(0).type) {
  case OperandType::TENSOR_BOOL8:
    storeBroadcast(context, booleans(context, 0), booleans(context, 1), map);
    break;
  case OperandType::TENSOR_INT32:
    storeBroadcast(context, context.integers(0), context.integers(1), map);
    break;
  default:
    storeBroadcast(context, context.reals(0), context.reals(1), map);
    break;
  }
  return Status::ok();
}

static Status runLogicalAnd(RoutineContext &context) {
  storeBroadcast(context, booleans(context, 0), booleans(context, 1),
                 [](int32_t lhs, int32_t rhs) { return lhs & rhs; });
  return Status::ok();
}
static Status runLogicalOr(RoutineContext &context) {
  storeBroadcast(context, booleans(context, 0), booleans(context, 1),
                 [](int32_t lhs, int32_t rhs) { return lhs | rhs; });
  return Status::ok();
}
static Status runLogicalNot(RoutineContext &context) {
  Elements<int32_t> values = booleans(context, 0);
  for (int32_t &value : values)
    value = !value;
  context.storeIntegers(0, values);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// SELECT
//===----------------------------------------------------------------------===//

template <typename T>
static Elements<T> selectElements(const Elements<int32_t> &condition,
                                  const Elements<T> &lhs,
                                  const Elements<T> &rhs) {
  Elements<T> result(condition.size());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = condition[i] ? lhs[i] : rhs[i];
  return result;
}

/// Quantized values are requantized from their operand to the result (M-142).
static Status runSelect(RoutineContext &context) {
  Elements<int32_t> condition = context.integers(0);
  if (context.inputType(1).type == OperandType::TENSOR_INT32)
    context.storeIntegers(
        0, selectElements(condition, context.integers(1), context.integers(2)));
  else
    context.storeReals(
        0, selectElements(condition, context.reals(1), context.reals(2)));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

template <typename Map> static Status unary(RoutineContext &context, Map map) {
  if (isFloat(context.inputType(0))) {
    Elements<float> values = context.floats(0);
    for (float &value : values)
      value = map(value);
    context.storeFloats(0, values);
    return Status::ok();
  }
  Elements<int32_t> values = context.integers(0);
  for (int32_t &value : values)
    value = wrap(int64_t(map(int64_t(value))));
  context.storeIntegers(0, values);
  return Status::ok();
}

static Status runAbs(RoutineContext &context) {
  return unary(context, [](auto value) { return std::abs(value); });
}
static Status runNeg(RoutineContext &context) {
  return unary(context, [](auto value) { return -value; });
}

template <float (*function)(float)>
static Status runFunction(RoutineContext &context) {
  Elements<float> values = context.floats(0);
  for (float &value : values)
    value = function(value);
  context.storeFloats(0, values);
  return Status::ok();
}

static float exponential(float value) { return std::exp(value); }
static float logarithm(float value) { return std::log(value); }
static float sine(float value) { return std::sin(value); }
static float squareRoot(float value) { return std::sqrt(value); }
static float inverseSquareRoot(float value) { return 1.0f / std::sqrt(value); }
static float roundDown(float value) { return std::floor(value); }

//===----------------------------------------------------------------------===//
// CAST
//===----------------------------------------------------------------------===//

/// Toward zero; beyond the range of 32 bits the nearest bound, 0 for a NaN.
static int32_t truncate(float value) {
  using Limits = std::numeric_limits<int32_t>;
  if (value != value)
    return 0;
  return int32_t(std::clamp<double>(value, Limits::min(), Limits::max()));
}

/// Quantization parameters are ignored: elements are converted as stored
/// (M-150).
static Status runCast(RoutineContext &context) {
  OperandType from = context.inputType(0).type;
  OperandType to = context.outputType(0).type;
  if (from == to) {
    std::span<const std::byte> bytes = context.bytes(0);
    context.storeBytes(0, {bytes.begin(), bytes.end()});
  } else if (isFloat(context.inputType(0)) && isFloat(context.outputType(0))) {
    context.storeFloats(0, context.floats(0));
  } else if (isFloat(context.inputType(0))) {
    Elements<int32_t> values;
    for (float value : context.floats(0))
      values.push_back(truncate(value));
    context.storeIntegers(0, values);
  } else if (isFloat(context.outputType(0))) {
    Elements<int32_t> values = context.integers(0);
    context.storeFloats(0, Elements<float>(values.begin(), values.end()));
  } else {
    context.storeIntegers(0, context.integers(0));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

template <typename Compare>
static Status runComparison(RoutineContext &context) {
  return compare(context, Compare());
}

std::span<const RoutineRow> reference::elementwiseRoutines() {
  using enum OperationType;
  static constexpr RoutineRow rows[] = {
      {ADD, runAdd},
      {SUB, runSub},
      {MUL, runMul},
      {DIV, runDiv},
      {POW, runPow},
      {MAXIMUM, runMaximum},
      {MINIMUM, runMinimum},
      {EQUAL, runComparison<std::equal_to<>>},
      {NOT_EQUAL, runComparison<std::not_equal_to<>>},
      {GREATER, runComparison<std::greater<>>},
      {GREATER_EQUAL, runComparison<std::greater_equal<>>},
      {LESS, runComparison<std::less<>>},
      {LESS_EQUAL, runComparison<std::less_equal<>>},
      {LOGICAL_AND, runLogicalAnd},
      {LOGICAL_OR, runLogicalOr},
      {LOGICAL_NOT, runLogicalNot},
      {SELECT, runSelect},
      {ABS, runAbs},
      {NEG, runNeg},
      {EXP, runFunction<exponential>},
      {LOG, runFunction<logarithm>},
      {SIN, runFunction<sine>},
      {SQRT, runFunction<squareRoot>},
      {RSQRT, runFunction<inverseSquareRoot>},
      {FLOOR, runFunction<roundDown>},
      {CAST, runCast},
  };
  return rows;
}
