//===- Segment.cpp - Folds of rows by segment -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SEGMENT_SUM and UNSORTED_SEGMENT_*: rows of elements that have the same
// number are folded. EMBEDDING_LOOKUP_SPARSE folds rows of a table.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet elements = elementSet(Element::float32, Element::int32);

/// Checks that the segment numbers are about the first dimensions of the data.
Status checkSegments(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 1, use.rank(0)));
  for (int64_t axis = 0; axis < use.rank(1); ++axis)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(1, axis, use.extent(0, axis)));
  return Status::ok();
}

Types segmentTypes(const Use &use, int64_t count) {
  const Extents &input = use.input(0).dimensions;
  Extents extents(input.begin() + use.rank(1), input.end());
  extents.insert(extents.begin(), count);
  return onlyResult(use, std::move(extents));
}

Result<Types> checkSorted(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 1, 1));
  NNHAL_RETURN_IF_ERROR(checkSegments(use));
  std::optional<Extents> segments = use.integers(1);
  if (!segments)
    return segmentTypes(use, unknownExtent);
  for (size_t index = 0; index < segments->size(); ++index)
    if ((*segments)[index] < (index == 0 ? 0 : (*segments)[index - 1]))
      return refuse("segment ", (*segments)[index], " at element ", index,
                    " must be at least ",
                    index == 0 ? 0 : (*segments)[index - 1]);
  return segmentTypes(use, segments->empty() ? 0 : segments->back() + 1);
}

Result<Types> checkUnsorted(const Use &use) {
  NNHAL_RETURN_IF_ERROR(checkSegments(use));
  NNHAL_RETURN_IF_ERROR(use.checkElement(2, elementSet(Element::int32)));
  std::optional<Extents> count = use.integers(2);
  if (!count)
    return segmentTypes(use, unknownExtent);
  if (count->size() != 1)
    return refuse(use.nameOf(2), " has ", count->size(),
                  " elements, but must have 1");
  if (count->front() < 0)
    return refuse("the number of segments ", count->front(),
                  " must not be negative");
  std::optional<Extents> segments = use.integers(1);
  if (segments)
    for (int64_t segment : *segments)
      if (segment >= count->front())
        return refuse("segment ", segment, " must be below ", count->front());
  return segmentTypes(use, count->front());
}

/// Folds the rows of each segment into rows that begin as \p first. Those of
/// negative segments are left out.
template <typename T, typename Function>
Status fold(Run &run, T first, Function function) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  std::fill_n(to, elementCount(run.types[0]), first);
  Extents segments = *use.integers(1);
  if (elementCount(run.types[0]) == 0)
    return Status::ok();
  int64_t inner = elementCount(run.types[0]) / run.types[0].dimensions[0];
  const T *from = use.data<T>(0);
  for (int64_t segment : segments) {
    for (int64_t index = 0; segment >= 0 && index < inner; ++index) {
      T &folded = to[segment * inner + index];
      folded = function(folded, from[index]);
    }
    from += inner;
  }
  return Status::ok();
}

template <typename Function>
Status foldTyped(Run &run, Function function, int first) {
  if (run.use.element(0) == Element::int32)
    return fold<int32_t>(run, first, [=](int32_t a, int32_t b) {
      return int32_t(function(uint32_t(a), uint32_t(b)));
    });
  return fold<float>(run, float(first), function);
}

Status runSum(Run &run) {
  return foldTyped(run, [](auto a, auto b) { return a + b; }, 0);
}

Status runProduct(Run &run) {
  return foldTyped(run, [](auto a, auto b) { return a * b; }, 1);
}

template <typename T> Status foldMaximum(Run &run) {
  return fold<T>(run, std::numeric_limits<T>::lowest(),
                 [](T a, T b) { return std::max(a, b); });
}

template <typename T> Status foldMinimum(Run &run) {
  return fold<T>(run, std::numeric_limits<T>::max(),
                 [](T a, T b) { return std::min(a, b); });
}

Status runMaximum(Run &run) {
  return run.use.element(0) == Element::int32 ? foldMaximum<int32_t>(run)
                                              : foldMaximum<float>(run);
}

Status runMinimum(Run &run) {
  return run.use.element(0) == Element::int32 ? foldMinimum<int32_t>(run)
                                              : foldMinimum<float>(run);
}

//===----------------------------------------------------------------------===//
// EMBEDDING_LOOKUP_SPARSE
//===----------------------------------------------------------------------===//

enum SparseTensor : size_t { ids, places, denseShape, weights, values };
enum Combiner : int32_t { sumOf, meanOf, rootOf };

/// Checks a number that is known; \p bound may not be.
Status checkBelow(std::string_view name, int64_t value, int64_t bound) {
  if (value < 0)
    return refuse(name, " ", value, " must not be negative");
  if (bound != unknownExtent && value >= bound)
    return refuse(name, " ", value, " must be below ", bound);
  return Status::ok();
}

Status checkLookups(const Use &use, std::optional<Extents> shape) {
  if (std::optional<Extents> rows = use.integers(ids))
    for (int64_t row : *rows)
      NNHAL_RETURN_IF_ERROR(checkBelow("id", row, use.extent(values, 0)));
  std::optional<Extents> indices = use.integers(places);
  if (!shape || !indices)
    return Status::ok();
  // The last index tells rows of one place apart, which are added up.
  for (size_t i = 0; i < indices->size(); ++i)
    if (size_t axis = i % shape->size(); axis + 1 < shape->size())
      NNHAL_RETURN_IF_ERROR(checkBelow("index", (*indices)[i], (*shape)[axis]));
  return Status::ok();
}

Result<Types> checkSparseLookup(const Use &use) {
  for (size_t tensor : {size_t(ids), size_t(places), size_t(denseShape)})
    NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(
      use.checkElement(weights, elementSet(Element::float32)));
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(Element::float32)));
  for (size_t tensor : {size_t(ids), size_t(denseShape), size_t(weights)})
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkRank(places, 2, 2));
  NNHAL_RETURN_IF_ERROR(use.checkRank(values, 2, 8));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(places, 0, use.extent(ids, 0)));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(weights, 0, use.extent(ids, 0)));
  int64_t rank = use.extent(places, 1);
  if (rank < 1)
    return refuse(use.nameOf(places), " has rows of unknown or no extent");
  NNHAL_RETURN_IF_ERROR(use.checkExtent(denseShape, 0, rank));
  std::optional<Extents> shape = use.integers(denseShape);
  NNHAL_RETURN_IF_ERROR(checkLookups(use, shape));
  Extents extents(size_t(rank) - 1, unknownExtent);
  for (size_t axis = 0; shape && axis < extents.size(); ++axis) {
    extents[axis] = (*shape)[axis];
    NNHAL_RETURN_IF_ERROR(checkBelow("extent", extents[axis], unknownExtent));
  }
  const Extents &table = use.input(values).dimensions;
  extents.insert(extents.end(), table.begin() + 1, table.end());
  return onlyResult(use, std::move(extents));
}

/// Rows that are added up at one place.
struct WeightedSum {
  float *to = nullptr;
  float total = 0.0f, squares = 0.0f;

  void add(const float *row, float weight, int64_t count) {
    total += weight;
    squares += weight * weight;
    for (int64_t i = 0; i < count; ++i)
      to[i] += row[i] * weight;
  }
  void finish(int32_t combiner, int64_t count) const {
    if (!to || combiner == sumOf)
      return;
    float divisor = combiner == meanOf ? total : std::sqrt(squares);
    for (int64_t i = 0; i < count; ++i)
      to[i] /= divisor;
  }
};

Status runSparseLookup(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  std::fill_n(to, elementCount(run.types[0]), 0.0f);
  Extents shape = *use.integers(denseShape), indices = *use.integers(places),
          rows = *use.integers(ids);
  std::span<const int64_t> table = use.input(values).dimensions;
  int64_t count = elementCount(table.subspan(1));
  int32_t combiner = use.integer("combiner");
  WeightedSum current;
  for (size_t lookup = 0; lookup < rows.size(); ++lookup) {
    int64_t place = 0;
    for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
      place = place * shape[axis] + indices[lookup * shape.size() + axis];
    if (to + place * count != current.to) {
      current.finish(combiner, count);
      current = {to + place * count};
    }
    current.add(use.data<float>(values) + rows[lookup] * count,
                use.data<float>(weights)[lookup], count);
  }
  current.finish(combiner, count);
  return Status::ok();
}

constexpr OptionRow sparseOptions[] = {
    {"combiner", OptionKind::integer, sumOf, rootOf}};

constexpr OperatorRow rows[] = {
    {33, "EMBEDDING_LOOKUP_SPARSE", "ids indices dense_shape weights values ",
     values, elementSet(Element::float32), sparseOptions, 1, checkSparseLookup,
     runSparseLookup},
    {125,
     "SEGMENT_SUM",
     "data segments ",
     0,
     elements,
     {},
     1,
     checkSorted,
     runSum},
    {153,
     "UNSORTED_SEGMENT_PROD",
     "data segments count ",
     0,
     elements,
     {},
     1,
     checkUnsorted,
     runProduct},
    {154,
     "UNSORTED_SEGMENT_MAX",
     "data segments count ",
     0,
     elements,
     {},
     1,
     checkUnsorted,
     runMaximum},
    {155,
     "UNSORTED_SEGMENT_SUM",
     "data segments count ",
     0,
     elements,
     {},
     1,
     checkUnsorted,
     runSum},
    {157,
     "UNSORTED_SEGMENT_MIN",
     "data segments count ",
     0,
     elements,
     {},
     1,
     checkUnsorted,
     runMinimum},
};

} // namespace

Rows tflite::segmentRows() { return rows; }
