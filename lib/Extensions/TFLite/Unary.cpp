//===- Unary.cpp - Functions of single elements ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of single elements: of reals and integers, and of quantized numbers
// ABS, NEG, SQRT, RSQRT, LOG and ELU, by the arithmetic of TensorFlow Lite's
// reference kernels, which differs between them.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FunctionTables.h"
#include "ReciprocalRoot.h"

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
      return int8_t(bounds(wrappingAdd(steps, to.zeroPoint)));
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

/// Stored numbers are negated, whatever they stand for.
Status runNeg(Run &run) {
  constexpr ElementSet all =
      signedElements | elementSet(Element::int8, Element::int16);
  return withNumber<all>(run.use.element(0), [&](auto zero) {
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

//===----------------------------------------------------------------------===//
// SQRT, RSQRT, LOG
//===----------------------------------------------------------------------===//

NNHAL_TARGET_CLONES void rootRow(float *to, const float *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::sqrt(from[index]);
}
NNHAL_TARGET_CLONES void reciprocalRootRow(float *to, const float *from,
                                           int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = 1.0f / std::sqrt(from[index]);
}

/// Fails where an element stands for a number below 0.
template <typename T> Status checkNotNegative(const Use &use) {
  const T *from = use.data<T>(0);
  for (int64_t index = 0; index < elementCount(use.input(0)); ++index)
    if (from[index] < use.input(0).zeroPoint)
      return fail("element ", index, " is ", int(from[index]),
                  ", which is below the zero point ", use.input(0).zeroPoint);
  return Status::ok();
}

/// Rounds roots toward 0.
template <typename T> Status runQuantizedRoot(Run &run) {
  NNHAL_RETURN_IF_ERROR(checkNotNegative<T>(run.use));
  const TensorType &from = run.use.input(0), &to = run.use.output(0);
  return map<T>(run, [&](T value) {
    const float root =
        std::sqrt(from.scale * float(int32_t(value) - from.zeroPoint));
    // The quotient may be infinite, or NaN where scales are flushed to 0.
    const float steps = std::fmin(root / to.scale, 65536.0f);
    return T(boundsOf<T>()(int32_t(steps) + to.zeroPoint));
  });
}

Status runSqrt(Run &run) {
  switch (run.use.element(0)) {
  case Element::int8:
    return runQuantizedRoot<int8_t>(run);
  case Element::int16:
    return runQuantizedRoot<int16_t>(run);
  default:
    return runRow<rootRow>(run);
  }
}

Status runReciprocalRootOfBytes(Run &run) {
  NNHAL_RETURN_IF_ERROR(checkNotNegative<int8_t>(run.use));
  const TensorType &from = run.use.input(0), &to = run.use.output(0);
  constexpr int32_t moreBits = 20;
  Factor factor = factorOf(1.0 / double(std::sqrt(from.scale) * to.scale));
  factor.shift = std::max(factor.shift - moreBits, -31);
  const Bounds bounds = boundsOf<int8_t>();
  return map<int8_t>(run, [&](int8_t value) {
    const int32_t steps = value - from.zeroPoint;
    if (steps == 0)
      return int8_t(bounds.most);
    Factor root = reciprocalRoot(steps);
    root.shift += moreBits;
    return int8_t(
        bounds(wrappingAdd(scale(scale(1, root), factor), to.zeroPoint)));
  });
}

/// Computes a function of 16-bit numbers as straight lines between 513 places.
Status runTable(Run &run, const Table16 &table) {
  return map(run, [&](int16_t value) { return lookUp(table, value); });
}

/// Computes a function of signed bytes.
Status runTable(Run &run, const Table8 &table) {
  return map<int8_t>(run, [&](int8_t value) { return table[uint8_t(value)]; });
}

ByteSteps stepsOf(const TensorType &type) {
  return {type.scale, type.zeroPoint};
}

Status runGelu(Run &run) {
  const Use &use = run.use;
  const bool isApproximate = use.truth("approximate");
  if (use.element(0) == Element::int16)
    return runTable(
        run, geluTable(use.input(0).scale, use.output(0).scale, isApproximate));
  return map<float>(run, [=](float x) { return gelu(x, isApproximate); });
}

Status runRsqrt(Run &run) {
  switch (run.use.element(0)) {
  case Element::int8:
    return runReciprocalRootOfBytes(run);
  case Element::int16: {
    NNHAL_RETURN_IF_ERROR(checkNotNegative<int16_t>(run.use));
    return runTable(run, reciprocalRootTable(run.use.input(0).scale,
                                             run.use.output(0).scale));
  }
  default:
    return runRow<reciprocalRootRow>(run);
  }
}

Status runLog(Run &run) {
  const TensorType &from = run.use.input(0), &to = run.use.output(0);
  switch (run.use.element(0)) {
  case Element::int8:
    return runTable(run, logarithmTable(stepsOf(from), stepsOf(to)));
  case Element::int16:
    return runTable(run, logarithmTable(from.scale, to.scale));
  default:
    return map<float>(run, [](float value) { return std::log(value); });
  }
}

//===----------------------------------------------------------------------===//
// All rows
//===----------------------------------------------------------------------===//

Status runElu(Run &run) {
  const Use &use = run.use;
  return use.element(0) == Element::int8
             ? runTable(run,
                        eluTable(stepsOf(use.input(0)), stepsOf(use.output(0))))
             : map<float>(run, elu);
}

constexpr ElementSet magnitudes =
    elementSet(Element::float32, Element::int8, Element::int16, Element::int32,
               Element::int64);
constexpr ElementSet signedNumbers =
    elementSet(Element::float32, Element::int32, Element::int64);
constexpr ElementSet signs =
    elementSet(Element::float32, Element::float64, Element::int32);
constexpr ElementSet floatsOnly = elementSet(Element::float32);
constexpr ElementSet floatsAndBytes =
    elementSet(Element::float32, Element::int8);
constexpr ElementSet floatsAndFixed =
    elementSet(Element::float32, Element::int16);
constexpr ElementSet rooted =
    elementSet(Element::float32, Element::int8, Element::int16);
constexpr OptionRow geluOptions[] = {{"approximate", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {8, "FLOOR", "input ", 0, floatsOnly, {}, 1, checkUnary, runRow<floorRow>},
    {59, "NEG", "input ", 0, magnitudes, {}, 1, checkUnary, runNeg},
    {66, "SIN", "input ", 0, floatsOnly, {}, 1, checkUnary, runFloat<std::sin>},
    {73, "LOG", "input ", 0, rooted, {}, 1, checkUnary, runLog},
    {75, "SQRT", "input ", 0, rooted, {}, 1, checkUnary, runSqrt},
    {76, "RSQRT", "input ", 0, rooted, {}, 1, checkUnary, runRsqrt},
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
    {111, "ELU", "input ", 0, floatsAndBytes, {}, 1, checkUnary, runElu},
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
    {150, "GELU", "input ", 0, floatsAndFixed, geluOptions, 1, checkUnary,
     runGelu},
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
