//===- Combining.cpp - Windows and updates that are combined --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REDUCE_WINDOW folds the elements of each window. STABLEHLO_SCATTER folds
// boxes of updates into a copy of its input. Both take stored numbers and do
// not look at scales.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"
#include "Window.h"

#include <algorithm>
#include <array>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The functions that combine two elements, by their numbers in the file
/// format's ReduceWindowFunction, which has none for 0.
enum class Combination : int32_t {
  replace,
  add,
  multiply,
  minimum,
  maximum,
  all,
  any
};

/// Integers wrap. A sum of Booleans is whether any is true.
template <typename T> T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a || b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

template <typename T> T product(T a, T b) {
  if constexpr (std::is_same_v<T, bool>)
    return a && b;
  else if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

/// Calls \p function with the elements' type and with what combines an old and
/// a new one.
template <typename Function>
Status withCombination(Element element, Combination combination,
                       Function function) {
  return withNumber(element, [&](auto zero) -> Status {
    using T = decltype(zero);
    switch (combination) {
    case Combination::replace:
      return function(zero, [](T, T next) { return next; });
    case Combination::add:
      return function(zero, sum<T>);
    case Combination::multiply:
      return function(zero, product<T>);
    case Combination::minimum:
      return function(zero, [](T a, T b) { return a <= b ? a : b; });
    case Combination::maximum:
      return function(zero, [](T a, T b) { return a >= b ? a : b; });
    case Combination::all:
      return function(zero, [](T a, T b) { return T(a && b); });
    default:
      return function(zero, [](T a, T b) { return T(a || b); });
    }
  });
}

template <size_t count> using Places = std::array<int64_t, count>;

/// Calls \p visit with the places in \p count tensors of each element of a box,
/// in order. Neighbours along a dimension are as far from each other as
/// \p steps says.
template <size_t count, typename Visit>
void forEachElement(const Extents &extents,
                    const std::array<Extents, count> &steps,
                    Places<count> places, const Visit &visit, size_t axis = 0) {
  for (int64_t index = 0; index < extents[axis]; ++index) {
    if (axis + 1 == extents.size())
      visit(places);
    else
      forEachElement(extents, steps, places, visit, axis + 1);
    for (size_t tensor = 0; tensor < count; ++tensor)
      places[tensor] += steps[tensor][axis];
  }
}

//===----------------------------------------------------------------------===//
// REDUCE_WINDOW
//===----------------------------------------------------------------------===//

enum WindowTensor : size_t {
  windowInput,
  firstValue,
  windowExtents,
  windowStrides,
  windowDilations
};

/// Returns what a list says about \p axis.
int64_t element(const std::optional<Extents> &list, int64_t axis) {
  return (*list)[size_t(axis)];
}

Result<Types> checkReduceWindow(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(
      use.checkElement(firstValue, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(firstValue, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(firstValue, 0, 1));
  std::array<std::optional<Extents>, 3> lists;
  for (size_t list = 0; list < lists.size(); ++list) {
    size_t tensor = windowExtents + list;
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, indexElements));
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 1, 1));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(tensor, 0, use.rank(0)));
    lists[list] = use.integers(tensor);
    if (!lists[list])
      return onlyResult(use, Extents(size_t(use.rank(0)), unknownExtent));
    for (int64_t value : *lists[list])
      if (value < 1 || value > INT32_MAX)
        return refuse(use.nameOf(tensor), " has the value ", value,
                      ", but must have 1 to 2147483647");
  }
  Extents result;
  for (int64_t axis = 0; axis < use.rank(0); ++axis) {
    WindowAxis window = {element(lists[0], axis), element(lists[1], axis),
                         element(lists[2], axis), false};
    NNHAL_ASSIGN_OR_RETURN(int64_t places,
                           windowPlaces(window, use.extent(0, axis)));
    result.push_back(places);
  }
  return onlyResult(use, std::move(result));
}

/// Returns \p strides, each as many times as \p factors says.
Extents multiplied(Extents strides, const Extents &factors) {
  for (size_t axis = 0; axis < strides.size(); ++axis)
    strides[axis] *= factors[axis];
  return strides;
}

Status runReduceWindow(Run &run) {
  const Use &use = run.use;
  const Extents &result = run.types[0].dimensions;
  Extents strides = stridesOf(use.input(0).dimensions);
  Extents window = *use.integers(windowExtents);
  std::array<Extents, 2> between = {
      stridesOf(result), multiplied(strides, *use.integers(windowStrides))};
  std::array<Extents, 1> within = {
      multiplied(strides, *use.integers(windowDilations))};
  return withCombination(
      use.element(0), Combination(use.integer("reduce_function")),
      [&](auto zero, auto combine) -> Status {
        using T = decltype(zero);
        NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
        const T *from = use.data<T>(windowInput);
        T first = *use.data<T>(firstValue);
        forEachElement<2>(result, between, {}, [&](const Places<2> &places) {
          T value = first;
          forEachElement<1>(window, within, {places[1]},
                            [&](const Places<1> &place) {
                              value = combine(value, from[place[0]]);
                            });
          to[places[0]] = value;
        });
        return Status::ok();
      });
}

//===----------------------------------------------------------------------===//
// STABLEHLO_SCATTER
//===----------------------------------------------------------------------===//

enum ScatterTensor : size_t { scatterInput, indices, updates };

Result<Types> checkScatter(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(indices, indexElements));
  NNHAL_RETURN_IF_ERROR(use.checkElement(updates, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(indices, 2, 2));
  NNHAL_RETURN_IF_ERROR(
      use.checkRank(updates, use.rank(0) + 1, use.rank(0) + 1));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(updates, 0, use.extent(indices, 0)));
  int64_t depth = use.extent(indices, 1);
  if (depth != unknownExtent && depth > use.rank(0))
    return refuse(use.nameOf(indices), " has ", depth,
                  " indices of a place, but the input has rank ", use.rank(0));
  return onlyResult(use, use.input(0).dimensions);
}

/// The part of a box of updates that lies inside of the input.
struct InsideBox {
  Extents extents;
  /// The first elements in the input and among the updates.
  Places<2> first;
};

/// Returns the part of the box that begins at \p place, which counts in the
/// first dimensions; nothing where none is inside.
std::optional<InsideBox> insideOf(const Extents &input,
                                  std::span<const int64_t> place,
                                  const Extents &box,
                                  const std::array<Extents, 2> &steps) {
  InsideBox inside = {box, {}};
  for (size_t axis = 0; axis < input.size(); ++axis) {
    int64_t begin = axis < place.size() ? place[axis] : 0;
    // Sums of numbers within these bounds do not overflow.
    if (begin >= input[axis] || begin <= -box[axis])
      return std::nullopt;
    int64_t skipped = std::max<int64_t>(-begin, 0);
    inside.extents[axis] =
        std::min(begin + box[axis], input[axis]) - (begin + skipped);
    inside.first[0] += (begin + skipped) * steps[0][axis];
    inside.first[1] += skipped * steps[1][axis];
  }
  return inside;
}

Status runScatter(Run &run) {
  const Use &use = run.use;
  const Extents &input = use.input(0).dimensions,
                &stated = use.input(updates).dimensions;
  Extents box(stated.begin() + 1, stated.end());
  std::array<Extents, 2> steps = {stridesOf(input), stridesOf(box)};
  Extents places = *use.integers(indices);
  auto depth = size_t(use.extent(indices, 1));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  std::ranges::copy(use.bytes(scatterInput), memory.begin());
  return withCombination(
      use.element(0), Combination(use.integer("function")),
      [&](auto zero, auto combine) -> Status {
        using T = decltype(zero);
        T *to = reinterpret_cast<T *>(memory.data());
        const T *from = use.data<T>(updates);
        for (int64_t number = 0; number < stated[0]; ++number) {
          std::optional<InsideBox> inside = insideOf(
              input, std::span(places).subspan(size_t(number) * depth, depth),
              box, steps);
          if (!inside)
            continue;
          inside->first[1] += number * elementCount(box);
          forEachElement<2>(inside->extents, steps, inside->first,
                            [&](const Places<2> &place) {
                              to[place[0]] =
                                  combine(to[place[0]], from[place[1]]);
                            });
        }
        return Status::ok();
      });
}

constexpr OptionRow windowOptions[] = {
    {"reduce_function", OptionKind::integer, 1, 6}};
constexpr OptionRow scatterOptions[] = {
    {"function", OptionKind::integer, 0, 6}};

constexpr OperatorRow rows[] = {
    {190, "STABLEHLO_SCATTER", "input indices updates ", 0, numberElements,
     scatterOptions, 1, checkScatter, runScatter},
    {205, "REDUCE_WINDOW", "input first_value extents strides dilations ", 0,
     numberElements, windowOptions, 1, checkReduceWindow, runReduceWindow},
};

} // namespace

Rows tflite::combiningRows() { return rows; }
