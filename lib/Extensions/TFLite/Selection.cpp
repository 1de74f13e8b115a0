//===- Selection.cpp - Choices of the best elements -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TOPK_V2 and NON_MAX_SUPPRESSION_V4 and _V5. Of equal elements the first one
// comes first, and what is not a number comes last.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Checks that \p tensor has one element.
Status checkSingle(const Use &use, size_t tensor, Element element) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(tensor, elementSet(element)));
  NNHAL_RETURN_IF_ERROR(use.checkOneElement(tensor));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// TOPK_V2
//===----------------------------------------------------------------------===//

Result<Types> checkTopK(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(1, elementSet(Element::int16, Element::int32)));
  NNHAL_RETURN_IF_ERROR(checkSingle(use, 1, Element::int32));
  Extents extents = use.input(0).dimensions;
  std::optional<Extents> given = use.integers(1);
  int64_t most = extents.back() == unknownExtent ? INT32_MAX : extents.back();
  if (given && (given->front() < 0 || given->front() > most))
    return refuse("the number of chosen elements is ", given->front(),
                  ", but must be 0 to ", most);
  extents.back() = given ? given->front() : unknownExtent;
  return Types{resultType(use, 0, extents), resultType(use, 1, extents)};
}

template <typename T> bool isGreater(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return !std::isnan(a);
  return a > b;
}

template <typename T, typename Index> Status chooseBest(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * values, run.allocate<T>(0));
  NNHAL_ASSIGN_OR_RETURN(Index * indices, run.allocate<Index>(1));
  int64_t depth = use.input(0).dimensions.back();
  int64_t chosen = run.types[0].dimensions.back();
  const T *row = use.data<T>(0), *end = row + elementCount(use.input(0));
  std::vector<int32_t> order(static_cast<size_t>(depth));
  for (; row != end; row += depth, values += chosen, indices += chosen) {
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + chosen, order.end(),
                      [&](int32_t a, int32_t b) {
                        return isGreater(row[a], row[b]) ||
                               (!isGreater(row[b], row[a]) && a < b);
                      });
    for (int64_t index = 0; index < chosen; ++index) {
      indices[index] = Index(order[size_t(index)]);
      values[index] = row[order[size_t(index)]];
    }
  }
  return Status::ok();
}

Status runTopK(Run &run) {
  return withNumber(run.use.element(0), [&](auto zero) {
    using T = decltype(zero);
    return run.use.resultElement(1) == Element::int16
               ? chooseBest<T, int16_t>(run)
               : chooseBest<T, int32_t>(run);
  });
}

//===----------------------------------------------------------------------===//
// NON_MAX_SUPPRESSION
//===----------------------------------------------------------------------===//

/// The newer form has the width of a soft suppression, and yields scores.
bool hasScores(const Use &use) { return use.tensors() == 6; }

Result<Types> checkSuppression(const Use &use) {
  constexpr ElementSet floats = elementSet(Element::float32);
  size_t last = use.results() - 1;
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 2, 2));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(0, 1, 4));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, floats));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, 1, 1));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(1, 0, use.extent(0, 0)));
  NNHAL_RETURN_IF_ERROR(checkSingle(use, 2, Element::int32));
  for (size_t tensor = 3; tensor < use.tensors(); ++tensor)
    NNHAL_RETURN_IF_ERROR(checkSingle(use, tensor, Element::float32));
  for (size_t result : {size_t(0), last})
    NNHAL_RETURN_IF_ERROR(
        use.checkResultElement(result, elementSet(Element::int32)));
  if (hasScores(use))
    NNHAL_RETURN_IF_ERROR(use.checkResultElement(1, floats));
  std::optional<Extents> most = use.integers(2);
  if (most && most->front() < 0)
    return refuse("the number of boxes ", most->front(),
                  " must not be negative");
  Types types(use.results());
  for (size_t result = 0; result < last; ++result)
    types[result] =
        resultType(use, result, {most ? most->front() : unknownExtent});
  types[last] = resultType(use, last, {1});
  return types;
}

/// Returns the part of two boxes, given by opposite corners, that both share.
float overlap(const float *a, const float *b) {
  auto side = [](const float *box, int axis) {
    return std::minmax(box[axis], box[axis + 2]);
  };
  float common = 1.0f, areas[] = {1.0f, 1.0f};
  for (int axis : {0, 1}) {
    auto [aLeast, aMost] = side(a, axis);
    auto [bLeast, bMost] = side(b, axis);
    areas[0] *= aMost - aLeast;
    areas[1] *= bMost - bLeast;
    common *= std::max(std::min(aMost, bMost) - std::max(aLeast, bLeast), 0.0f);
  }
  if (areas[0] <= 0 || areas[1] <= 0)
    return 0.0f;
  return common / (areas[0] + areas[1] - common);
}

struct Candidate {
  int32_t box;
  float score;
  /// The first chosen box that has not suppressed this one yet.
  size_t begin = 0;
  bool operator<(const Candidate &other) const {
    return score < other.score || (score == other.score && box > other.box);
  }
};

struct Suppression {
  const float *boxes;
  float mostOverlap, leastScore;
  /// The factor of the squared overlap in the exponent; 0 where none is soft.
  float softness;

  /// Lowers the score of \p candidate by what is chosen and has not lowered it
  /// before. Returns whether it may still be chosen.
  bool lower(Candidate &candidate, const std::vector<Candidate> &chosen) const {
    for (size_t index = chosen.size(); index-- > candidate.begin;) {
      float shared = overlap(boxes + int64_t(candidate.box) * 4,
                             boxes + int64_t(chosen[index].box) * 4);
      if (shared >= mostOverlap)
        return false;
      if (softness != 0)
        candidate.score *= std::exp(softness * shared * shared);
      if (!(candidate.score > leastScore))
        break;
    }
    candidate.begin = chosen.size();
    return true;
  }
};

std::vector<Candidate> chooseBoxes(const Use &use) {
  Suppression suppression = {use.data<float>(0), *use.data<float>(3),
                             *use.data<float>(4), 0.0f};
  if (hasScores(use) && *use.data<float>(5) > 0)
    suppression.softness = float(-0.5 / double(*use.data<float>(5)));
  const auto *scores = use.data<float>(1);
  std::priority_queue<Candidate> candidates;
  for (int64_t box = 0; box < use.extent(1, 0); ++box)
    if (scores[box] > suppression.leastScore)
      candidates.push({int32_t(box), scores[box]});
  auto most = size_t(use.integers(2)->front());
  std::vector<Candidate> chosen;
  while (chosen.size() < most && !candidates.empty()) {
    Candidate next = candidates.top();
    candidates.pop();
    float before = next.score;
    if (!suppression.lower(next, chosen))
      continue;
    // A lowered score has to hold against the others first.
    if (next.score == before)
      chosen.push_back(next);
    else if (next.score > suppression.leastScore)
      candidates.push(next);
  }
  return chosen;
}

Status runSuppression(Run &run) {
  const Use &use = run.use;
  if (hasScores(use) && !(*use.data<float>(5) >= 0))
    return fail(use.nameOf(5), " is ", *use.data<float>(5),
                ", but must be at least 0");
  std::vector<Candidate> chosen = chooseBoxes(use);
  size_t last = use.results() - 1;
  // Elements behind the chosen ones are 0.
  for (size_t result = 0; result <= last; ++result) {
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory,
                           run.allocateBytes(result));
    std::fill(memory.begin(), memory.end(), std::byte(0));
    auto count = int32_t(chosen.size());
    if (result == last)
      std::memcpy(memory.data(), &count, sizeof(count));
    for (size_t index = 0; result < last && index < chosen.size(); ++index)
      if (result == 0)
        std::memcpy(memory.data() + index * 4, &chosen[index].box, 4);
      else
        std::memcpy(memory.data() + index * 4, &chosen[index].score, 4);
  }
  return Status::ok();
}

constexpr ElementSet ordered =
    elementSet(Element::float32, Element::int8, Element::uint8, Element::int16,
               Element::int32, Element::int64);
constexpr ElementSet floatsOnly = elementSet(Element::float32);

constexpr OperatorRow rows[] = {
    {48, "TOPK_V2", "input k ", 0, ordered, {}, 2, checkTopK, runTopK},
    {120,
     "NON_MAX_SUPPRESSION_V4",
     "boxes scores most_boxes most_overlap least_score ",
     0,
     floatsOnly,
     {},
     2,
     checkSuppression,
     runSuppression},
    {121,
     "NON_MAX_SUPPRESSION_V5",
     "boxes scores most_boxes most_overlap least_score sigma ",
     0,
     floatsOnly,
     {},
     3,
     checkSuppression,
     runSuppression},
};

} // namespace

Rows tflite::selectionRows() { return rows; }
