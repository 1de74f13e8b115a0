//===- DetectionBoxes.cpp - Boxes and their suppression -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Detection.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

Elements<Box> reference::toBoxes(std::span<const float> values) {
  Elements<Box> boxes(values.size() / 4);
  for (size_t i = 0; i < boxes.size(); ++i)
    boxes[i] = {values[4 * i], values[4 * i + 1], values[4 * i + 2],
                values[4 * i + 3]};
  return boxes;
}

void reference::appendBox(Elements<float> &values, const Box &box) {
  values.insert(values.end(), {box.x1, box.y1, box.x2, box.y2});
}

Status reference::checkCorners(std::string_view name, size_t index,
                               const Box &box) {
  if (box.x1 <= box.x2 && box.y1 <= box.y2) // boxes C6
    return Status::ok();
  return failure("{} {} has corners ({}, {}) and ({}, {}), expected x1 <= x2 "
                 "and y1 <= y2",
                 name, index, box.x1, box.y1, box.x2, box.y2);
}

Status reference::checkBatchIndex(int32_t batch, int64_t batchCount) {
  if (batch >= 0 && batch < batchCount) // boxes C7
    return Status::ok();
  return failure("batch index {} is outside [0, {})", batch, batchCount);
}

float reference::intersectionOverUnion(const Box &lhs, const Box &rhs) {
  auto areaOf = [](const Box &box) {
    return (box.x2 - box.x1) * (box.y2 - box.y1);
  };
  float width = std::min(lhs.x2, rhs.x2) - std::max(lhs.x1, rhs.x1);
  float height = std::min(lhs.y2, rhs.y2) - std::max(lhs.y1, rhs.y1);
  float common = std::max(width, 0.0f) * std::max(height, 0.0f);
  float all = areaOf(lhs) + areaOf(rhs) - common;
  return all > 0 ? common / all : 0.0f;
}

Box reference::transformBox(const Box &box, const BoxDelta &delta,
                            const ImageSize &image) {
  CentredBox before = centred(box);
  Box after = cornered({before.x + delta.x * before.width,
                        before.y + delta.y * before.height,
                        std::exp(delta.width) * before.width,
                        std::exp(delta.height) * before.height});
  auto clip = [](float value, float bound) {
    return std::min(std::max(value, 0.0f), bound);
  };
  return {clip(after.x1, image.width), clip(after.y1, image.height),
          clip(after.x2, image.width), clip(after.y2, image.height)};
}

bool reference::ranksBefore(const Candidate &lhs, const Candidate &rhs) {
  if (lhs.score > rhs.score)
    return true;
  if (lhs.score < rhs.score)
    return false;
  // NaNs equal one another here.
  auto key = [](const Candidate &candidate) {
    bool isNan = std::isnan(candidate.score);
    return std::tuple(isNan, isNan ? 0.0f : -candidate.score,
                      candidate.classIndex, candidate.box);
  };
  return key(lhs) < key(rhs);
}

void reference::keepBest(Elements<Candidate> &candidates, size_t limit) {
  limit = std::min(limit, candidates.size());
  std::ranges::partial_sort(candidates, candidates.begin() + ptrdiff_t(limit),
                            ranksBefore);
  candidates.resize(limit);
}

Damping reference::hardDamping(float threshold) {
  return [threshold](Candidate &, float iou) { return !(iou >= threshold); };
}

Elements<Candidate>
reference::suppress(Elements<Candidate> candidates,
                    const std::function<const Box &(const Candidate &)> &boxOf,
                    size_t limit, const Damping &damp) {
  Elements<Candidate> taken;
  while (!candidates.empty() && taken.size() < limit) {
    auto best =
        std::min_element(candidates.begin(), candidates.end(),
                         [](const Candidate &lhs, const Candidate &rhs) {
                           return ranksBefore(lhs, rhs);
                         });
    taken.push_back(*best);
    candidates.erase(best);
    const Box &bestBox = boxOf(taken.back());
    size_t remaining = 0;
    for (Candidate &candidate : candidates)
      if (damp(candidate, intersectionOverUnion(bestBox, boxOf(candidate))))
        candidates[remaining++] = candidate;
    candidates.resize(remaining);
  }
  return taken;
}
