//===- Conversion.cpp - Conversions and made tensors ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CAST between all types of numbers, and operators whose result is made from a
// shape or from numbers: SHAPE, RANK, FILL, ZEROS_LIKE, RANGE.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet castable = anyElement & ~elementSet(Element::complex64);
constexpr ElementSet counted =
    elementSet(Element::float32, Element::int32, Element::int64);

Result<Types> checkCast(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, castable));
  return onlyResult(use, use.input(0).dimensions);
}

/// Converts a number; reals are truncated and bounded, and what is not a number
/// becomes 0. Integers keep their low bits.
template <typename To, typename From> To convert(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>) {
    using Limits = std::numeric_limits<To>;
    if (!(value == value))
      return To(0);
    if (value <= From(Limits::min()))
      return Limits::min();
    if (value >= From(Limits::max()))
      return Limits::max();
    return To(value);
  } else {
    return To(value);
  }
}

/// A stored truth is any byte; bool itself must be 0 or 1.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

/// Casts elements of type From to those of the result.
template <typename From> Status castAll(Run &run, const Stored<From> *from) {
  const Use &use = run.use;
  const int64_t count = elementCount(run.types[0]);
  auto valueAt = [from](int64_t index) {
    if constexpr (std::is_same_v<From, bool>)
      return from[index] != 0;
    else
      return from[index];
  };
  // Halves are converted by way of floats, as TensorFlow Lite does it.
  if (use.resultElement(0) == Element::float16) {
    NNHAL_ASSIGN_OR_RETURN(uint16_t *to, run.allocate<uint16_t>(0));
    for (int64_t index = 0; index < count; ++index)
      to[index] = halfOfFloat(convert<float>(valueAt(index)));
    return Status::ok();
  }
  return withNumber(use.resultElement(0), [&](auto result) -> Status {
    using To = decltype(result);
    NNHAL_ASSIGN_OR_RETURN(Stored<To> * to, run.allocate<Stored<To>>(0));
    for (int64_t index = 0; index < count; ++index)
      to[index] = Stored<To>(convert<To>(valueAt(index)));
    return Status::ok();
  });
}

Status runCast(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float16) {
    std::vector<float> reals(size_t(elementCount(use.input(0))));
    std::transform(use.data<uint16_t>(0), use.data<uint16_t>(0) + reals.size(),
                   reals.begin(), floatOfHalf);
    return castAll<float>(run, reals.data());
  }
  return withNumber(use.element(0), [&](auto input) {
    using From = decltype(input);
    return castAll<From>(run, use.data<Stored<From>>(0));
  });
}

/// Writes integers to a result of INT32 or INT64.
Status storeIndices(Run &run, const Extents &values) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  for (size_t index = 0; index < values.size(); ++index) {
    auto narrow = int32_t(values[index]);
    if (run.use.resultElement(0) == Element::int32)
      std::memcpy(to.data() + index * sizeof(narrow), &narrow, sizeof(narrow));
    else
      std::memcpy(to.data() + index * sizeof(int64_t), &values[index],
                  sizeof(int64_t));
  }
  return Status::ok();
}

Result<Types> checkShape(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, indexElements));
  return onlyResult(use, {use.rank(0)});
}

Result<Types> checkRankOf(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(Element::int32)));
  return onlyResult(use, {1});
}

Result<Types> checkZerosLike(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  return onlyResult(use, use.input(0).dimensions);
}

Status runZerosLike(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  std::fill(to.begin(), to.end(), std::byte(0));
  return Status::ok();
}

Result<Types> checkFill(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(1))));
  NNHAL_RETURN_IF_ERROR(use.checkOneElement(1));
  std::optional<Extents> extents = use.integers(0);
  if (!extents)
    return onlyResult(use,
                      Extents(size_t(use.output(0).rank()), unknownExtent));
  NNHAL_RETURN_IF_ERROR(checkNewShape(*extents));
  return onlyResult(use, std::move(*extents));
}

Status runFill(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  const Extents &extents = run.types[0].dimensions;
  copyStrided({to.data(), stridesOf(extents)},
              {run.use.bytes(1).data(), Extents(extents.size(), 0)}, extents,
              sizeOf(run.use.element(1)));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// RANGE
//===----------------------------------------------------------------------===//

Result<Types> checkRange(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  for (size_t tensor : {0, 1, 2}) {
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, elementSet(use.element(0))));
    NNHAL_RETURN_IF_ERROR(use.checkOneElement(tensor));
  }
  return onlyResult(use, {unknownExtent});
}

/// The number of steps from \p start to before \p limit; nothing where they
/// lead away or are too many.
template <typename T> std::optional<int64_t> stepsOf(T start, T limit, T step) {
  if (!(step > 0 || step < 0) || (step > 0 && start > limit) ||
      (step < 0 && start < limit))
    return std::nullopt;
  double steps = std::ceil(std::abs((double(limit) - double(start)) / step));
  if constexpr (std::is_integral_v<T>) {
    // Both have the sign of the step; their sizes fit 64 bits without one.
    const uint64_t distance = step < 0 ? uint64_t(start) - uint64_t(limit)
                                       : uint64_t(limit) - uint64_t(start);
    const uint64_t size = step < 0 ? 0 - uint64_t(step) : uint64_t(step);
    const uint64_t whole = distance / size + (distance % size != 0);
    steps = double(whole);
  }
  if (!(steps <= double(UINT32_MAX)))
    return std::nullopt;
  return int64_t(steps);
}

Status runRange(Run &run) {
  const Use &use = run.use;
  auto typed = [&](auto zero) -> Status {
    using T = decltype(zero);
    T start = *use.data<T>(0), limit = *use.data<T>(1), step = *use.data<T>(2);
    std::optional<int64_t> count = stepsOf(start, limit, step);
    if (!count)
      return fail("no range from ", start, " to ", limit, " has steps of ",
                  step);
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                           run.allocateBytes(0, Extents{*count}));
    T *to = reinterpret_cast<T *>(memory.data());
    for (int64_t index = 0; index < *count; ++index)
      to[index] = T(start + T(index) * step);
    return Status::ok();
  };
  return use.element(0) == Element::int32   ? typed(int32_t())
         : use.element(0) == Element::int64 ? typed(int64_t())
                                            : typed(float());
}

constexpr OptionRow castOptions[] = {{"in_data_type"}, {"out_data_type"}};
constexpr OptionRow shapeOptions[] = {{"out_type"}};

constexpr OperatorRow rows[] = {
    {53, "CAST", "input ", 0, castable, castOptions, 1, checkCast, runCast},
    {77, "SHAPE", "input ", 0, anyElement, shapeOptions, 1, checkShape,
     [](Run &run) { return storeIndices(run, run.use.input(0).dimensions); }},
    {93,
     "ZEROS_LIKE",
     "input ",
     0,
     anyElement,
     {},
     1,
     checkZerosLike,
     runZerosLike},
    {94, "FILL", "shape value ", 1, anyElement, {}, 1, checkFill, runFill},
    {96,
     "RANGE",
     "start limit step ",
     0,
     counted,
     {},
     1,
     checkRange,
     runRange,
     true},
    {110,
     "RANK",
     "input ",
     0,
     anyElement,
     {},
     1,
     checkRankOf,
     [](Run &run) { return storeIndices(run, {run.use.rank(0)}); }},
};

} // namespace

Rows tflite::conversionRows() { return rows; }
