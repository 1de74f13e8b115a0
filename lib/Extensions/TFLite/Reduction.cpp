//===- Reduction.cpp - Reductions -----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions over dimensions, and the places of extremes.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet numbers = elementSet(Element::float32, Element::int16,
                                          Element::int32, Element::int64);
constexpr ElementSet ordered =
    numbers | elementSet(Element::int8, Element::uint8);
constexpr ElementSet truths = elementSet(Element::boolean);
/// A truth is a byte, which is ordered like one.
constexpr ElementSet placed = ordered | truths;
constexpr ElementSet multiplied = numbers | elementSet(Element::int8);

/// Returns the input's shape with 1 in place of what is reduced.
Result<Extents> keptExtents(const Use &use, const Extents &axes) {
  Extents kept = use.input(0).dimensions;
  for (int64_t axis : axes) {
    NNHAL_ASSIGN_OR_RETURN(int64_t resolved, resolveAxis(axis, use.rank(0)));
    kept[size_t(resolved)] = 1;
  }
  return kept;
}

Result<Types> checkReduction(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  if (use.element(0) == Element::int16)
    NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  std::optional<Extents> axes = use.integers(1);
  bool keeps = use.truth("keep_dims");
  if (!axes) {
    if (!keeps && !use.output(0).isRanked)
      return refuse("the output has unknown rank, and no input tells its "
                    "shape");
    return onlyResult(
        use, Extents(size_t(keeps ? use.rank(0) : use.output(0).rank()),
                     unknownExtent));
  }
  NNHAL_ASSIGN_OR_RETURN(Extents extents, keptExtents(use, *axes));
  if (!keeps) {
    std::vector<bool> isReduced(extents.size());
    for (int64_t axis : *axes)
      isReduced[size_t(axis < 0 ? axis + use.rank(0) : axis)] = true;
    Extents rest;
    for (size_t axis = 0; axis < extents.size(); ++axis)
      if (!isReduced[axis])
        rest.push_back(extents[axis]);
    extents = std::move(rest);
  }
  return onlyResult(use, std::move(extents));
}

/// Checks a reduction that scales bytes, too.
Result<Types> checkScaled(const Use &use) {
  if (use.element(0) == Element::int8 || use.element(0) == Element::uint8)
    NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  return checkReduction(use);
}

/// Folds the elements of type T into results that begin as \p first.
template <typename Sum, typename T, typename Function>
Result<std::vector<Sum>> reduce(const Run &run, Sum first, Function function) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(Extents kept, keptExtents(use, *use.integers(1)));
  std::vector<Sum> sums(size_t(elementCount(kept)), first);
  const T *from = use.data<T>(0);
  BroadcastWalk<1> walk(use.input(0).dimensions, {&kept});
  if (elementCount(use.input(0)) != 0)
    walk.forEachRow([&](int64_t place, auto to, auto step, int64_t count) {
      for (int64_t index = 0; index < count; ++index) {
        Sum &sum = sums[size_t(to[0] + index * step[0])];
        sum = function(sum, from[place + index]);
      }
    });
  return sums;
}

template <typename T, typename Sum>
Status store(Run &run, const std::vector<Sum> &sums) {
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  for (size_t index = 0; index < sums.size(); ++index)
    to[index] = T(sums[index]);
  return Status::ok();
}

template <typename T, typename Sum, typename Function>
Status reduceTo(Run &run, Sum first, Function function) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Sum> sums,
                         (reduce<Sum, T>(run, first, function)));
  return store<T>(run, sums);
}

/// The number of elements in each sum.
int64_t countOf(const Run &run) {
  int64_t results = elementCount(run.types[0]);
  return results == 0 ? 0 : elementCount(run.use.input(0)) / results;
}

/// Sums of quantized numbers wrap in 32 bits and are rescaled; a mean has its
/// divisor in the factor.
template <typename T> Status reduceQuantized(Run &run, bool isMean) {
  const Use &use = run.use;
  const int32_t from = use.input(0).zeroPoint;
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<uint32_t> sums,
      (reduce<uint32_t, T>(run, 0, [=](uint32_t sum, T value) {
        return sum + uint32_t(int32_t(value) - from);
      })));
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  Factor factor = factorOfReduction(use.input(0).scale, use.output(0).scale,
                                    isMean ? countOf(run) : 1);
  const Bounds bounds = boundsOf<T>();
  for (size_t index = 0; index < sums.size(); ++index)
    to[index] = T(bounds(wrappingAdd(scale(int32_t(sums[index]), factor),
                                     use.output(0).zeroPoint)));
  return Status::ok();
}

Status runSum(Run &run) {
  auto add = [](auto sum, auto value) { return sum + decltype(sum)(value); };
  switch (run.use.element(0)) {
  case Element::int16:
    return reduceQuantized<int16_t>(run, false);
  case Element::int8:
    return reduceQuantized<int8_t>(run, false);
  case Element::uint8:
    return reduceQuantized<uint8_t>(run, false);
  case Element::int32:
    return reduceTo<int32_t>(run, uint32_t(0), add);
  case Element::int64:
    return reduceTo<int64_t>(run, uint64_t(0), add);
  default:
    return reduceTo<float>(run, 0.0f, add);
  }
}

Status runMean(Run &run) {
  if (run.use.element(0) == Element::int16)
    return reduceQuantized<int16_t>(run, true);
  int64_t count = countOf(run);
  auto mean = [&](auto zero, auto first) -> Status {
    using T = decltype(zero);
    using Sum = decltype(first);
    NNHAL_ASSIGN_OR_RETURN(std::vector<Sum> sums,
                           (reduce<Sum, T>(run, first, [](Sum sum, T value) {
                             return sum + Sum(value);
                           })));
    for (Sum &sum : sums)
      if constexpr (std::is_integral_v<T>)
        sum = count == 0 ? Sum(0) : Sum(int64_t(sum) / count);
      else
        sum /= Sum(count);
    return store<T>(run, sums);
  };
  return run.use.element(0) == Element::int32   ? mean(int32_t(), uint64_t(0))
         : run.use.element(0) == Element::int64 ? mean(int64_t(), uint64_t(0))
                                                : mean(float(), 0.0f);
}

/// A product of quantized numbers is scaled by each of its factors, so that it
/// stays in 32 bits: by the input's scale over that root of the result's whose
/// power is the number of factors.
template <typename T> Status multiplyQuantized(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  const int32_t from = use.input(0).zeroPoint;
  const double root =
      std::pow(double(use.output(0).scale), 1.0 / double(countOf(run)));
  const WideFactor factor(factorOf(double(use.input(0).scale) / root));
  struct Product {
    int64_t value = 1;
    bool isFirst = true;
  };
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<Product> products,
      (reduce<Product, T>(run, {}, [=](Product product, T value) {
        int64_t next = int64_t(value) - from;
        if (!product.isFirst)
          next = scale(product.value * next, factor);
        return Product{next, false};
      })));
  for (size_t index = 0; index < products.size(); ++index)
    to[index] = T(boundsOf<T>()(wrappingAdd(
        scale(products[index].value, factor), use.output(0).zeroPoint)));
  return Status::ok();
}

Status runProduct(Run &run) {
  if (run.use.element(0) == Element::int8)
    return multiplyQuantized<int8_t>(run);
  if (run.use.element(0) == Element::int16)
    return multiplyQuantized<int16_t>(run);
  auto multiply = [](auto product, auto value) {
    return product * decltype(product)(value);
  };
  return run.use.element(0) == Element::int32
             ? reduceTo<int32_t>(run, uint32_t(1), multiply)
         : run.use.element(0) == Element::int64
             ? reduceTo<int64_t>(run, uint64_t(1), multiply)
             : reduceTo<float>(run, 1.0f, multiply);
}

/// Calls \p function with a value of the type of input 0; truths are bytes.
template <typename Function> Status withOrdered(Run &run, Function function) {
  constexpr ElementSet ordered =
      elementSet(Element::int8, Element::uint8, Element::int16, Element::int32,
                 Element::int64, Element::float32);
  Element element = run.use.element(0);
  return withNumber<ordered>(
      element == Element::boolean ? Element::uint8 : element, function);
}

Status runMaximum(Run &run) {
  return withOrdered(run, [&](auto zero) {
    using T = decltype(zero);
    return reduceTo<T>(run, std::numeric_limits<T>::lowest(),
                       [](T most, T value) { return std::max(most, value); });
  });
}

Status runMinimum(Run &run) {
  return withOrdered(run, [&](auto zero) {
    using T = decltype(zero);
    return reduceTo<T>(run, std::numeric_limits<T>::max(),
                       [](T least, T value) { return std::min(least, value); });
  });
}

Status runAny(Run &run) {
  return reduceTo<uint8_t>(run, uint8_t(0), [](uint8_t any, uint8_t value) {
    return uint8_t(any | (value != 0));
  });
}

Status runAll(Run &run) {
  return reduceTo<uint8_t>(run, uint8_t(1), [](uint8_t all, uint8_t value) {
    return uint8_t(all & (value != 0));
  });
}

//===----------------------------------------------------------------------===//
// ARG_MAX, ARG_MIN
//===----------------------------------------------------------------------===//

Result<Types> checkArg(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  std::optional<Extents> axes = use.integers(1);
  if (!axes)
    return onlyResult(
        use,
        Extents(size_t(std::max<int64_t>(use.rank(0) - 1, 1)), unknownExtent));
  if (axes->size() != 1)
    return refuse(use.nameOf(1), " has ", axes->size(),
                  " elements, but must have 1");
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, resolveAxis(axes->front(), use.rank(0)));
  Extents extents = use.input(0).dimensions;
  if (extents[size_t(axis)] == 0)
    return refuse("dimension ", axis, " has no elements");
  extents.erase(extents.begin() + axis);
  return onlyResult(use, std::move(extents));
}

/// Returns the place of the first element that no other one of the axis
/// precedes.
template <typename Index, typename T, typename Precedes>
void findPlaces(Index *to, const T *from, const Extents &shape, int64_t axis,
                Precedes precedes) {
  int64_t inner = 1, outer = 1, extent = shape[size_t(axis)];
  for (size_t index = 0; index < shape.size(); ++index)
    if (int64_t(index) != axis)
      (int64_t(index) < axis ? outer : inner) *= shape[index];
  for (int64_t block = 0; block < outer; ++block, from += extent * inner)
    for (int64_t place = 0; place < inner; ++place) {
      int64_t best = 0;
      for (int64_t index = 1; index < extent; ++index)
        if (precedes(from[index * inner + place], from[best * inner + place]))
          best = index;
      *to++ = Index(best);
    }
}

template <typename Precedes> Status runArg(Run &run, Precedes precedes) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int64_t axis,
                         resolveAxis(use.integers(1)->front(), use.rank(0)));
  return withOrdered(run, [&](auto zero) -> Status {
    const auto *from = use.data<decltype(zero)>(0);
    if (use.resultElement(0) == Element::int32) {
      NNHAL_ASSIGN_OR_RETURN(int32_t *to, run.allocate<int32_t>(0));
      findPlaces(to, from, use.input(0).dimensions, axis, precedes);
    } else {
      NNHAL_ASSIGN_OR_RETURN(int64_t *to, run.allocate<int64_t>(0));
      findPlaces(to, from, use.input(0).dimensions, axis, precedes);
    }
    return Status::ok();
  });
}

constexpr OptionRow reducerOptions[] = {{"keep_dims", OptionKind::truth}};
constexpr OptionRow argOptions[] = {{"output_type"}};

constexpr OperatorRow rows[] = {
    {40, "MEAN", "input axes ", 0, numbers, reducerOptions, 1, checkReduction,
     runMean},
    {56, "ARG_MAX", "input axis ", 0, placed, argOptions, 1, checkArg,
     [](Run &run) { return runArg(run, std::greater<>()); }},
    {74, "SUM", "input axes ", 0, ordered, reducerOptions, 1, checkScaled,
     runSum},
    {79, "ARG_MIN", "input axis ", 0, placed, argOptions, 1, checkArg,
     [](Run &run) { return runArg(run, std::less<>()); }},
    {81, "REDUCE_PROD", "input axes ", 0, multiplied, reducerOptions, 1,
     checkScaled, runProduct},
    {82, "REDUCE_MAX", "input axes ", 0, placed, reducerOptions, 1,
     checkReduction, runMaximum},
    {89, "REDUCE_MIN", "input axes ", 0, placed, reducerOptions, 1,
     checkReduction, runMinimum},
    {91, "REDUCE_ANY", "input axes ", 0, truths, reducerOptions, 1,
     checkReduction, runAny},
    {140, "REDUCE_ALL", "input axes ", 0, truths, reducerOptions, 1,
     checkReduction, runAll},
};

} // namespace

Rows tflite::reductionRows() { return rows; }
