//===- Arithmetic.cpp - Arithmetic of two tensors -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of two tensors that broadcast. 16-bit numbers are rescaled as
// TensorFlow Lite's reference kernels do it; integers without quantization
// wrap.
//
//===----------------------------------------------------------------------===//

#include "ByteSquare.h"
#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"
#include "QuantizedArithmetic.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet numbers = elementSet(Element::float32, Element::int16,
                                          Element::int32, Element::int64);
constexpr ElementSet orderedElements =
    numbers | elementSet(Element::int8, Element::uint8);
constexpr ElementSet quantizedElements =
    elementSet(Element::int8, Element::uint8, Element::int16);
constexpr ElementSet bitElements =
    elementSet(Element::int8, Element::uint8, Element::int16, Element::uint16,
               Element::int32, Element::uint32);

Result<Types> checkArithmetic(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_ASSIGN_OR_RETURN(Extents extents, checkBroadcast(use, 0, 1));
  if (contains(quantizedElements, use.element(0)))
    NNHAL_RETURN_IF_ERROR(use.checkScales(2));
  return onlyResult(use, std::move(extents));
}

/// Computes one result from two tensors of type T.
template <typename T, typename Function>
Status compute(Run &run, Function function) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  mapBinary(to, run.types[0].dimensions, use.data<T>(0),
            use.input(0).dimensions, use.data<T>(1), use.input(1).dimensions,
            function);
  return Status::ok();
}

/// Integers are computed without undefined overflow.
template <typename T> struct Wrapping {
  using type = T;
};
template <> struct Wrapping<int32_t> {
  using type = uint32_t;
};
template <> struct Wrapping<int64_t> {
  using type = uint64_t;
};

/// Computes floats and plain integers.
template <typename Function> Status computePlain(Run &run, Function function) {
  auto activation = Activation(run.use.integer("activation"));
  auto typed = [&](auto zero) {
    using T = decltype(zero);
    using W = typename Wrapping<T>::type;
    return compute<T>(run, [=](T a, T b) {
      return activated(T(function(W(a), W(b))), activation);
    });
  };
  switch (run.use.element(0)) {
  case Element::int32:
    return typed(int32_t());
  case Element::int64:
    return typed(int64_t());
  case Element::uint32:
    return typed(uint32_t());
  default:
    return typed(float());
  }
}

//===----------------------------------------------------------------------===//
// ADD, SUB, MUL, SQUARED_DIFFERENCE of 16-bit numbers
//===----------------------------------------------------------------------===//

/// The factors of operands and result, or how many bits operands are shifted
/// by.
struct Rescaling {
  SumFactors factors;
  SumShifts shifts = {0, 0};
  Bounds bounds;
};

struct Row16 {
  int16_t *to;
  const int16_t *a;
  int64_t aStep;
  const int16_t *b;
  int64_t bStep;
  int64_t count;
};

template <typename Function>
NNHAL_KERNEL_PART void mapRow16(const Row16 &row, Function function) {
  if (row.aStep == 1 && row.bStep == 1)
    for (int64_t index = 0; index < row.count; ++index)
      row.to[index] = function(row.a[index], row.b[index]);
  else
    for (int64_t index = 0; index < row.count; ++index)
      row.to[index] =
          function(row.a[index * row.aStep], row.b[index * row.bStep]);
}

/// A number with 15 more bits, times a factor of at most 1/2. The product is
/// formed of halves of the multiplier, so that 32 bits hold all of it.
NNHAL_KERNEL_PART int32_t widenedBy15(int16_t value, Factor factor) {
  int32_t upper = factor.multiplier >> 16, lower = factor.multiplier & 0xFFFF;
  int32_t product = value * upper + ((value * lower + (1 << 15)) >> 16);
  return roundingShift(product, -factor.shift);
}

NNHAL_TARGET_CLONES void addRow(const Row16 &row, const Rescaling &given) {
  Rescaling p = given;
  mapRow16(row, [p](int16_t a, int16_t b) {
    int32_t sum = widenedBy15(a, p.factors.a) + widenedBy15(b, p.factors.b);
    return int16_t(p.bounds(scale(sum, p.factors.result)));
  });
}

NNHAL_TARGET_CLONES void subtractRow(const Row16 &row, const Rescaling &given) {
  Rescaling p = given;
  mapRow16(row, [p](int16_t a, int16_t b) {
    int32_t difference =
        widenedBy15(a, p.factors.a) - widenedBy15(b, p.factors.b);
    return int16_t(p.bounds(scale(difference, p.factors.result)));
  });
}

/// Operands whose scales are powers of two are shifted and added.
NNHAL_TARGET_CLONES void addShiftedRow(const Row16 &row,
                                       const Rescaling &given) {
  Rescaling p = given;
  Bounds all = boundsOf<int16_t>();
  mapRow16(row, [p, all](int16_t a, int16_t b) {
    int32_t sum = roundingShift(a, p.shifts.a) + roundingShift(b, p.shifts.b);
    return int16_t(p.bounds(all(sum)));
  });
}

NNHAL_TARGET_CLONES void subtractShiftedRow(const Row16 &row,
                                            const Rescaling &given) {
  Rescaling p = given;
  Bounds all = boundsOf<int16_t>();
  mapRow16(row, [p, all](int16_t a, int16_t b) {
    int32_t difference =
        roundingShift(a, p.shifts.a) - roundingShift(b, p.shifts.b);
    return int16_t(p.bounds(all(difference)));
  });
}

NNHAL_TARGET_CLONES void multiplyRow(const Row16 &row, const Rescaling &given) {
  Rescaling p = given;
  mapRow16(row, [p](int16_t a, int16_t b) {
    return int16_t(p.bounds(scale(int32_t(a) * b, p.factors.result)));
  });
}

NNHAL_TARGET_CLONES void squareDifferenceRow(const Row16 &row,
                                             const Rescaling &given) {
  Rescaling p = given;
  mapRow16(row, [p](int16_t a, int16_t b) {
    int32_t difference = wrappingAdd(scale(int32_t(a), p.factors.a),
                                     -scale(int32_t(b), p.factors.b));
    auto square = int32_t(uint32_t(difference) * uint32_t(difference));
    return int16_t(p.bounds(scale(square, p.factors.result)));
  });
}

using RowFunction = void (*)(const Row16 &, const Rescaling &);

Status computeRows(Run &run, RowFunction function, const Rescaling &rescaling) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const auto *a = use.data<int16_t>(0), *b = use.data<int16_t>(1);
  BroadcastWalk<2> walk(run.types[0].dimensions,
                        {&use.input(0).dimensions, &use.input(1).dimensions});
  walk.forEachRow([&](int64_t place, auto first, auto step, int64_t count) {
    function({to + place, a + first[0], step[0], b + first[1], step[1], count},
             rescaling);
  });
  return Status::ok();
}

Bounds resultBounds(const Use &use) {
  return activationBounds(Activation(use.integer("activation")),
                          boundsOf<int16_t>(), use.output(0).scale, 0);
}

Status sumRows(Run &run, RowFunction shifted, RowFunction widening) {
  const Use &use = run.use;
  float a = use.input(0).scale, b = use.input(1).scale;
  float result = use.output(0).scale;
  std::optional<SumShifts> shifts = shiftsOfSum(a, b, result);
  Rescaling rescaling;
  rescaling.bounds = resultBounds(use);
  if (shifts)
    rescaling.shifts = *shifts;
  else
    rescaling.factors = factorsOfSum(a, b, result);
  return computeRows(run, shifts ? shifted : widening, rescaling);
}

Status runAdd(Run &run) {
  if (run.use.element(0) == Element::int16)
    return sumRows(run, addShiftedRow, addRow);
  return computePlain(run, [](auto a, auto b) { return a + b; });
}

Status runSub(Run &run) {
  if (run.use.element(0) == Element::int16)
    return sumRows(run, subtractShiftedRow, subtractRow);
  return computePlain(run, [](auto a, auto b) { return a - b; });
}

Status runMul(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::int8 || use.element(0) == Element::uint8)
    return multiplyBytes(run);
  if (use.element(0) != Element::int16)
    return computePlain(run, [](auto a, auto b) { return a * b; });
  Rescaling rescaling;
  // TensorFlow Lite computes the factor in single precision.
  float factor = use.input(0).scale * use.input(1).scale / use.output(0).scale;
  rescaling.factors.result = factorOf(factor);
  rescaling.bounds = resultBounds(use);
  return computeRows(run, multiplyRow, rescaling);
}

/// Bytes get 7 more bits before their scales are made one.
Status squareDifferencesOfBytes(Run &run) {
  constexpr int32_t shift = byteSquareBits;
  const TensorType &x = run.use.input(0), &y = run.use.input(1);
  const TensorType &result = run.use.output(0);
  const SumFactors factors =
      factorsOfByteSquare(x.scale, y.scale, result.scale);
  const Bounds bounds = boundsOf<int8_t>();
  return compute<int8_t>(run, [=, &x, &y, &result](int8_t a, int8_t b) {
    const int32_t difference = scale((a - x.zeroPoint) << shift, factors.a) -
                               scale((b - y.zeroPoint) << shift, factors.b);
    return int8_t(bounds(wrappingAdd(
        scale(difference * difference, factors.result), result.zeroPoint)));
  });
}

Status runSquaredDifference(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::int8)
    return squareDifferencesOfBytes(run);
  if (use.element(0) == Element::int16) {
    Rescaling rescaling;
    rescaling.factors = factorsOfSquare(use.input(0).scale, use.input(1).scale,
                                        use.output(0).scale);
    return computeRows(run, squareDifferenceRow, rescaling);
  }
  auto typed = [&](auto zero) {
    using T = decltype(zero);
    using W = typename Wrapping<T>::type;
    return compute<T>(run, [](T a, T b) {
      W difference = W(a) - W(b);
      return T(difference * difference);
    });
  };
  return run.use.element(0) == Element::int32   ? typed(int32_t())
         : run.use.element(0) == Element::int64 ? typed(int64_t())
                                                : typed(float());
}

//===----------------------------------------------------------------------===//
// Division, powers and the rest
//===----------------------------------------------------------------------===//

/// Fails where integer divisors have a 0.
template <typename T> Status checkDivisors(const Use &use) {
  if constexpr (std::is_integral_v<T>) {
    const T *divisors = use.data<T>(1);
    for (int64_t index = 0; index < elementCount(use.input(1)); ++index)
      if (divisors[index] == 0)
        return fail("division by 0 at element ", index);
  }
  return Status::ok();
}

template <typename T> T quotient(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    if (std::is_signed_v<T> && b == T(-1))
      return T(typename Wrapping<T>::type(0) - typename Wrapping<T>::type(a));
  return T(a / b);
}

/// The rest of a division that rounds towards 0: it has the sign of \p a.
template <typename T> T remainder(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
  else
    return std::fmod(a, b);
}

template <typename T> T floorMod(T a, T b) {
  T rest = remainder(a, b);
  return rest != 0 && (b < 0) != (rest < 0) ? T(rest + b) : rest;
}

template <typename T> T floorDiv(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    T rest = remainder(a, b);
    return T(quotient(a, b) - (rest != 0 && (a < 0) != (b < 0) ? 1 : 0));
  } else {
    return std::floor(a / b);
  }
}

template <typename Function> Status divide(Run &run, Function function) {
  return withNumber<orderedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    NNHAL_RETURN_IF_ERROR(checkDivisors<T>(run.use));
    return compute<T>(run, function);
  });
}

Result<Types> checkPlain(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_ASSIGN_OR_RETURN(Extents extents, checkBroadcast(use, 0, 1));
  return onlyResult(use, std::move(extents));
}

Status runDiv(Run &run) {
  if (contains(quantizedElements, run.use.element(0)))
    return divideQuantized(run);
  auto activation = Activation(run.use.integer("activation"));
  return divide(run, [=](auto a, auto b) {
    return activated(quotient(a, b), activation);
  });
}

/// a to the power b, wrapped.
int32_t integerPower(int32_t a, int32_t b) {
  uint32_t result = 1, square = uint32_t(a);
  for (; b > 0; b >>= 1, square *= square)
    if (b & 1)
      result *= square;
  return int32_t(result);
}

Status runPow(Run &run) {
  if (run.use.element(0) == Element::float32)
    return compute<float>(run, [](float a, float b) { return std::pow(a, b); });
  const auto *exponents = run.use.data<int32_t>(1);
  for (int64_t index = 0; index < elementCount(run.use.input(1)); ++index)
    if (exponents[index] < 0)
      return fail("exponent ", exponents[index], " must not be negative");
  return compute<int32_t>(run, integerPower);
}

Status runMaximum(Run &run) {
  return withNumber<orderedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    return compute<T>(run, [](T a, T b) { return a > b ? a : b; });
  });
}

Status runMinimum(Run &run) {
  return withNumber<orderedElements>(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    return compute<T>(run, [](T a, T b) { return a < b ? a : b; });
  });
}

Status runAtan2(Run &run) {
  if (run.use.element(0) == Element::float64)
    return compute<double>(run,
                           [](double a, double b) { return std::atan2(a, b); });
  return compute<float>(run, [](float a, float b) { return std::atan2(a, b); });
}

Status runBitwiseXor(Run &run) {
  return withStorage(sizeOf(run.use.element(0)), [&](auto zero) {
    using T = decltype(zero);
    return compute<T>(run, [](T a, T b) { return T(a ^ b); });
  });
}

Status runRightShift(Run &run) {
  return withNumber(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 4)
      return compute<T>(run, [](T a, T b) {
        T bits = std::min<T>(std::max<T>(b, 0), T(sizeof(T) * 8 - 1));
        return T(a >> bits);
      });
    else
      return Status::ok();
  });
}

Status runShiftLeft(Run &run) {
  return withNumber(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 4)
      // No bit is left of those that are shifted by their number or more.
      return compute<T>(run, [](T a, T b) {
        bool isInside = uint64_t(b) < sizeof(T) * 8;
        return isInside ? T(uint32_t(a) << uint32_t(b)) : T(0);
      });
    else
      return Status::ok();
  });
}

Result<Types> checkAddN(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  Extents extents = use.input(0).dimensions;
  for (size_t tensor = 1; tensor < use.tensors(); ++tensor) {
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, elementSet(use.element(0))));
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, use.rank(0), use.rank(0)));
    for (int64_t axis = 0; axis < use.rank(0); ++axis)
      NNHAL_RETURN_IF_ERROR(
          use.checkExtent(tensor, axis, extents[size_t(axis)]));
  }
  return onlyResult(use, std::move(extents));
}

Status runAddN(Run &run) {
  auto typed = [&](auto zero) -> Status {
    using T = decltype(zero);
    using W = typename Wrapping<T>::type;
    NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
    int64_t count = elementCount(run.types[0]);
    std::fill_n(to, count, T(0));
    for (size_t tensor = 0; tensor < run.use.tensors(); ++tensor) {
      const T *from = run.use.data<T>(tensor);
      for (int64_t index = 0; index < count; ++index)
        to[index] = T(W(to[index]) + W(from[index]));
    }
    return Status::ok();
  };
  return run.use.element(0) == Element::int32   ? typed(int32_t())
         : run.use.element(0) == Element::int64 ? typed(int64_t())
                                                : typed(float());
}

Status runPrelu(Run &run) {
  if (run.use.element(0) == Element::int16)
    return applySlopes(run);
  return compute<float>(
      run, [](float x, float slope) { return x >= 0 ? x : x * slope; });
}

/// The slopes of 16-bit numbers have 8 bits.
Result<Types> checkPrelu(const Use &use) {
  if (use.element(0) == Element::float32)
    return checkPlain(use);
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(Element::int16)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int8)));
  NNHAL_RETURN_IF_ERROR(use.checkScales(2));
  NNHAL_ASSIGN_OR_RETURN(
      Extents extents,
      broadcastExtents(use.input(0).dimensions, use.input(1).dimensions));
  return onlyResult(use, std::move(extents));
}

constexpr OptionRow activationOptions[] = {activationOption};
constexpr ElementSet plainNumbers =
    elementSet(Element::float32, Element::int32, Element::int64);
constexpr ElementSet multiplied =
    numbers | quantizedElements | elementSet(Element::uint32);
constexpr ElementSet divided = plainNumbers | quantizedElements;
constexpr ElementSet squared = numbers | elementSet(Element::int8);
constexpr ElementSet floats = elementSet(Element::float32, Element::float64);
constexpr ElementSet powers = elementSet(Element::float32, Element::int32);

constexpr OperatorRow rows[] = {
    {0, "ADD", "a b ", 0, numbers, activationOptions, 1, checkArithmetic,
     runAdd},
    {18, "MUL", "a b ", 0, multiplied, activationOptions, 1, checkArithmetic,
     runMul},
    {41, "SUB", "a b ", 0, numbers, activationOptions, 1, checkArithmetic,
     runSub},
    {42, "DIV", "a b ", 0, divided, activationOptions, 1, checkArithmetic,
     runDiv},
    {54,
     "PRELU",
     "input alpha ",
     0,
     elementSet(Element::float32, Element::int16),
     {},
     1,
     checkPrelu,
     runPrelu},
    {55, "MAXIMUM", "a b ", 0, orderedElements, {}, 1, checkPlain, runMaximum},
    {57, "MINIMUM", "a b ", 0, orderedElements, {}, 1, checkPlain, runMinimum},
    {78, "POW", "a b ", 0, powers, {}, 1, checkPlain, runPow},
    {90,
     "FLOOR_DIV",
     "a b ",
     0,
     orderedElements,
     {},
     1,
     checkPlain,
     [](Run &run) {
       return divide(run, [](auto a, auto b) { return floorDiv(a, b); });
     }},
    {95,
     "FLOOR_MOD",
     "a b ",
     0,
     orderedElements,
     {},
     1,
     checkPlain,
     [](Run &run) {
       return divide(run, [](auto a, auto b) { return floorMod(a, b); });
     }},
    {99,
     "SQUARED_DIFFERENCE",
     "a b ",
     0,
     squared,
     {},
     1,
     checkArithmetic,
     runSquaredDifference},
    {106, "ADD_N", "values* ", 0, plainNumbers, {}, 1, checkAddN, runAddN},
    {156, "ATAN2", "y x ", 0, floats, {}, 1, checkPlain, runAtan2},
    {160,
     "BITWISE_XOR",
     "a b ",
     0,
     bitElements,
     {},
     1,
     checkPlain,
     runBitwiseXor},
    {161,
     "RIGHT_SHIFT",
     "value shift ",
     0,
     bitElements,
     {},
     1,
     checkPlain,
     runRightShift},
    {185,
     "STABLEHLO_REMAINDER",
     "a b ",
     0,
     orderedElements,
     {},
     1,
     checkPlain,
     [](Run &run) {
       return divide(run, [](auto a, auto b) { return remainder(a, b); });
     }},
    {207,
     "STABLEHLO_SHIFT_LEFT",
     "value shift ",
     0,
     bitElements,
     {},
     1,
     checkPlain,
     runShiftLeft},
};

} // namespace

Rows tflite::arithmeticRows() { return rows; }
