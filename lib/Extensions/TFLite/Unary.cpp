//===- Unary.cpp - Functions of single elements ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of single elements without quantization, and ABS of 16-bit numbers.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

Result<Types> checkUnary(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  if (use.element(0) == Element::int16 || use.element(0) == Element::int8)
    NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  return onlyResult(use, use.input(0).dimensions);
}

constexpr ElementSet signedElements = elementSet(
    Element::int32, Element::int64, Element::float64, Element::float32);

/// Returns -value, wrapped.
template <typename T> T negated(T value) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(value));
  else
    return -value;
}

Status runAbs(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::int8) {
    const TensorType &from = use.input(0), &to = use.output(0);
    const Factor factor = factorOf(from.scale / to.scale);
    const Bounds bounds = boundsOf<int8_t>();
    return map<int8_t>(run, [&](int8_t value) {
      int32_t magnitude = std::abs(value - from.zeroPoint);
      int32_t steps =
          from.scale == to.scale ? magnitude : scale(magnitude, factor);
      return int8_t(bounds(steps + to.zeroPoint));
    });
  }
  if (use.element(0) == Element::int16) {
    float input = use.input(0).scale, output = use.output(0).scale;
    Factor factor = factorOf(input / output);
    Bounds bounds;
    return map<int16_t>(run, [=](int16_t value) {
      int32_t magnitude = std::abs(int32_t(value));
      return int16_t(
          bounds(input == output ? magnitude : scale(magnitude, factor)));
    });
  }
  return withNumber<signedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    return map<T>(run, [](T value) {
      if constexpr (std::is_integral_v<T>)
        return value < 0 ? negated(value) : value;
      else
        return std::abs(value);
    });
  });
}

Status runNeg(Run &run) {
  return withNumber<signedElements>(run.use.element(0), [&](auto zero) {
    return map<decltype(zero)>(run, negated<decltype(zero)>);
  });
}

Status runSign(Run &run) {
  return withNumber<signedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    // Not a number stays what it is.
    return map<T>(run, [](T value) {
      return value > 0 ? T(1) : value < 0 ? T(-1) : value == 0 ? T(0) : value;
    });
  });
}

Status runSquare(Run &run) {
  return withNumber<signedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    return map<T>(run, [](T value) {
      if constexpr (std::is_integral_v<T>)
        return T(std::make_unsigned_t<T>(value) *
                 std::make_unsigned_t<T>(value));
      else
        return value * value;
    });
  });
}

Status runGelu(Run &run) {
  if (run.use.truth("approximate"))
    return map<float>(run, [](float x) {
      constexpr float root = 0.797884560802865f;
      return 0.5f * x * (1 + std::tanh(root * (x + 0.044715f * x * x * x)));
    });
  return map<float>(run, [](float x) {
    return 0.5f * x * (1 + std::erf(x * 0.70710678118654752440f));
  });
}

template <float (*function)(float)> Status runFloat(Run &run) {
  return map<float>(run, function);
}

/// Rows of functions that are an instruction or two of newer processors.
NNHAL_TARGET_CLONES void floorRow(float *to, const float *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::floor(from[index]);
}
NNHAL_TARGET_CLONES void ceilRow(float *to, const float *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::ceil(from[index]);
}
/// The default rounding, which ROUND takes, is to even halves.
NNHAL_TARGET_CLONES void roundRow(float *to, const float *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::nearbyint(from[index]);
}
NNHAL_TARGET_CLONES void rootRow(float *to, const float *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::sqrt(from[index]);
}
NNHAL_TARGET_CLONES void reciprocalRootRow(float *to, const float *from,
                                           int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = 1.0f / std::sqrt(from[index]);
}
NNHAL_TARGET_CLONES void hardSwishRow(float *to, const float *from,
                                      int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] =
        from[index] * std::min(6.0f, std::max(0.0f, from[index] + 3.0f)) / 6.0f;
}

template <void (*row)(float *, const float *, int64_t)>
Status runRow(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  row(to, run.use.data<float>(0), elementCount(run.types[0]));
  return Status::ok();
}

float elu(float x) { return x < 0 ? std::expm1(x) : x; }
float reluFrom0To1(float x) { return x > 1 ? 1.0f : x < 0 ? 0.0f : x; }

constexpr ElementSet magnitudes =
    elementSet(Element::float32, Element::int8, Element::int16, Element::int32,
               Element::int64);
constexpr ElementSet signedNumbers =
    elementSet(Element::float32, Element::int32, Element::int64);
constexpr ElementSet signs =
    elementSet(Element::float32, Element::float64, Element::int32);
constexpr ElementSet floatsOnly = elementSet(Element::float32);
constexpr OptionRow geluOptions[] = {{"approximate", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {8, "FLOOR", "input ", 0, floatsOnly, {}, 1, checkUnary, runRow<floorRow>},
    {59, "NEG", "input ", 0, signedNumbers, {}, 1, checkUnary, runNeg},
    {66, "SIN", "input ", 0, floatsOnly, {}, 1, checkUnary, runFloat<std::sin>},
    {73, "LOG", "input ", 0, floatsOnly, {}, 1, checkUnary, runFloat<std::log>},
    {75, "SQRT", "input ", 0, floatsOnly, {}, 1, checkUnary, runRow<rootRow>},
    {76,
     "RSQRT",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runRow<reciprocalRootRow>},
    {92, "SQUARE", "input ", 0, signedNumbers, {}, 1, checkUnary, runSquare},
    {101, "ABS", "input ", 0, magnitudes, {}, 1, checkUnary, runAbs},
    {104, "CEIL", "input ", 0, floatsOnly, {}, 1, checkUnary, runRow<ceilRow>},
    {108,
     "COS",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runFloat<std::cos>},
    {111, "ELU", "input ", 0, floatsOnly, {}, 1, checkUnary, runFloat<elu>},
    {116,
     "ROUND",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runRow<roundRow>},
    {117,
     "HARD_SWISH",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runRow<hardSwishRow>},
    {150, "GELU", "input ", 0, floatsOnly, geluOptions, 1, checkUnary, runGelu},
    {152,
     "RELU_0_TO_1",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runFloat<reluFrom0To1>},
    {158, "SIGN", "input ", 0, signs, {}, 1, checkUnary, runSign},
    {208,
     "STABLEHLO_CBRT",
     "input ",
     0,
     floatsOnly,
     {},
     1,
     checkUnary,
     runFloat<std::cbrt>},
};

} // namespace

Rows tflite::unaryRows() { return rows; }
