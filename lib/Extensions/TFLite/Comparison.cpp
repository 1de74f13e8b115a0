//===- Comparison.cpp - Comparisons and choice ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparisons, which compare stored numbers, and the choice by what they yield.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet compared =
    elementSet(Element::float32, Element::int16, Element::int32, Element::int64,
               Element::boolean);

Result<Types> checkComparison(const Use &use) {
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(Element::boolean)));
  NNHAL_ASSIGN_OR_RETURN(Extents extents, checkBroadcast(use, 0, 1));
  return onlyResult(use, std::move(extents));
}

template <typename Function> Status compare(Run &run, Function function) {
  const Use &use = run.use;
  auto typed = [&](auto zero) -> Status {
    using T = decltype(zero);
    NNHAL_ASSIGN_OR_RETURN(uint8_t *to, run.allocate<uint8_t>(0));
    mapBinary(to, run.types[0].dimensions, use.data<T>(0),
              use.input(0).dimensions, use.data<T>(1), use.input(1).dimensions,
              [=](T a, T b) { return uint8_t(function(a, b)); });
    return Status::ok();
  };
  switch (use.element(0)) {
  case Element::int16:
    return typed(int16_t());
  case Element::int32:
    return typed(int32_t());
  case Element::int64:
    return typed(int64_t());
  case Element::boolean:
    return typed(uint8_t());
  default:
    return typed(float());
  }
}

/// SELECT's condition has the shape of the values, or one element for each of
/// their first dimension.
Extents conditionExtents(const Use &use) {
  Extents extents = use.input(0).dimensions;
  if (use.row().name == "SELECT" && extents.size() == 1 && use.rank(1) > 1 &&
      extents[0] != 1)
    extents.resize(size_t(use.rank(1)), 1);
  return extents;
}

Result<Types> checkSelect(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(0, elementSet(Element::boolean)));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(1))));
  NNHAL_ASSIGN_OR_RETURN(Extents values, checkBroadcast(use, 1, 2));
  NNHAL_ASSIGN_OR_RETURN(Extents all,
                         broadcastExtents(conditionExtents(use), values));
  return onlyResult(use, std::move(all));
}

/// Chooses a row. Where all operands have an element of their own for each of
/// the result, and where one condition is for all, neighbours need no steps.
template <typename T>
void selectRow(T *to, const uint8_t *chosen, int64_t chosenStep, const T *a,
               int64_t aStep, const T *b, int64_t bStep, int64_t count) {
  if (chosenStep == 1 && aStep == 1 && bStep == 1)
    for (int64_t index = 0; index < count; ++index) {
      T first = a[index], second = b[index];
      to[index] = chosen[index] ? first : second;
    }
  else if (chosenStep == 0)
    for (int64_t index = 0; index < count; ++index)
      to[index] = *chosen ? a[index * aStep] : b[index * bStep];
  else
    for (int64_t index = 0; index < count; ++index)
      to[index] =
          chosen[index * chosenStep] ? a[index * aStep] : b[index * bStep];
}

Status runSelect(Run &run) {
  const Use &use = run.use;
  Extents condition = conditionExtents(use);
  BroadcastWalk<3> walk(
      run.types[0].dimensions,
      {&condition, &use.input(1).dimensions, &use.input(2).dimensions});
  return withStorage(sizeOf(use.element(1)), [&](auto zero) -> Status {
    using T = decltype(zero);
    NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
    const auto *chosen = use.data<uint8_t>(0);
    const T *a = use.data<T>(1), *b = use.data<T>(2);
    walk.forEachRow([&](int64_t place, auto first, auto step, int64_t count) {
      selectRow(to + place, chosen + first[0], step[0], a + first[1], step[1],
                b + first[2], step[2], count);
    });
    return Status::ok();
  });
}

Result<Types> checkBroadcastArgs(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  for (size_t tensor : {0, 1})
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 1, 1));
  int64_t a = use.extent(0, 0), b = use.extent(1, 0);
  bool isOpen = a == unknownExtent || b == unknownExtent;
  return onlyResult(use, {isOpen ? unknownExtent : std::max(a, b)});
}

Status runBroadcastArgs(Run &run) {
  Extents a = *run.use.integers(0), b = *run.use.integers(1);
  NNHAL_ASSIGN_OR_RETURN(Extents joined, broadcastExtents(a, b));
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  for (size_t index = 0; index < joined.size(); ++index) {
    auto narrow = int32_t(joined[index]);
    if (run.use.element(0) == Element::int32)
      std::memcpy(to.data() + index * 4, &narrow, 4);
    else
      std::memcpy(to.data() + index * 8, &joined[index], 8);
  }
  return Status::ok();
}

constexpr OperatorRow rows[] = {
    {58,
     "LESS",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::less<>()); }},
    {61,
     "GREATER",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::greater<>()); }},
    {62,
     "GREATER_EQUAL",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::greater_equal<>()); }},
    {63,
     "LESS_EQUAL",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::less_equal<>()); }},
    {64,
     "SELECT",
     "condition a b ",
     1,
     anyElement,
     {},
     1,
     checkSelect,
     runSelect},
    {71,
     "EQUAL",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::equal_to<>()); }},
    {72,
     "NOT_EQUAL",
     "a b ",
     0,
     compared,
     {},
     1,
     checkComparison,
     [](Run &run) { return compare(run, std::not_equal_to<>()); }},
    {123,
     "SELECT_V2",
     "condition a b ",
     1,
     anyElement,
     {},
     1,
     checkSelect,
     runSelect},
    {145,
     "BROADCAST_ARGS",
     "a b ",
     0,
     indexElements,
     {},
     1,
     checkBroadcastArgs,
     runBroadcastArgs},
};

} // namespace

Rows tflite::comparisonRows() { return rows; }
