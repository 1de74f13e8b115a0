//===- Detection.h - Boxes and their suppression ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ROUTINES_DETECTION_H
#define NNHAL_LIB_RUNTIME_ROUTINES_DETECTION_H

#include "Routine.h"

#include <functional>

namespace nnhal::rt::reference {

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// A box by its corners.
struct Box {
  float x1 = 0.0f;
  float y1 = 0.0f;
  float x2 = 0.0f;
  float y2 = 0.0f;
};

/// A box by its centre.
struct CentredBox {
  float x = 0.0f;
  float y = 0.0f;
  float width = 0.0f;
  float height = 0.0f;
};

inline CentredBox centred(const Box &box) {
  return {(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, box.x2 - box.x1,
          box.y2 - box.y1};
}
inline Box cornered(const CentredBox &box) {
  return {box.x - box.width / 2, box.y - box.height / 2, box.x + box.width / 2,
          box.y + box.height / 2};
}

/// Elements [x1, y1, x2, y2] one after the other as boxes.
Elements<Box> toBoxes(std::span<const float> values);
void appendBox(Elements<float> &values, const Box &box);

/// Whether x1 <= x2 and y1 <= y2, of no NaN.
Status checkCorners(std::string_view name, size_t index, const Box &box);
/// Whether \p batch is one of \p batchCount images.
Status checkBatchIndex(int32_t batch, int64_t batchCount);

/// The part of the union of two boxes that both cover; 0 where the union has no
/// area.
float intersectionOverUnion(const Box &lhs, const Box &rhs);

/// Height and width of an image.
struct ImageSize {
  float height = 0.0f;
  float width = 0.0f;
};

/// Dx, dy, dw and dh.
struct BoxDelta {
  float x = 0.0f;
  float y = 0.0f;
  float width = 0.0f;
  float height = 0.0f;
};

/// \p box moved by \p delta times its size and scaled by exp(delta), clipped to
/// the image (M-220).
Box transformBox(const Box &box, const BoxDelta &delta, const ImageSize &image);

//===----------------------------------------------------------------------===//
// Non-maximum suppression
//===----------------------------------------------------------------------===//

/// A box that competes for a place in a result.
struct Candidate {
  Candidate() = default;
  /// Extents of tensors have 32 bits, and images thousands of candidates.
  Candidate(size_t box, float score, size_t classIndex)
      : box(uint32_t(box)), score(score), classIndex(uint32_t(classIndex)) {}

  /// The number of this box among the boxes.
  uint32_t box = 0;
  float score = 0.0f;
  uint32_t classIndex = 0;
};

/// The order of candidates: higher scores first, NaNs last; among equals by
/// class, then by box.
bool ranksBefore(const Candidate &lhs, const Candidate &rhs);
/// Puts \p candidates in that order and drops all beyond \p limit.
void keepBest(Elements<Candidate> &candidates, size_t limit);

/// Says what overlapping a better candidate does to another: returns false when
/// it is dropped, and may lower its score.
using Damping = std::function<bool(Candidate &candidate, float iou)>;

/// Drops all that overlap by \p threshold or more.
Damping hardDamping(float threshold);

/// Takes the best of \p candidates, damps the others,
/// and goes on until none is left or \p limit are taken. \p boxOf yields a
/// candidate's box. In the order in which they were taken.
Elements<Candidate>
suppress(Elements<Candidate> candidates,
         const std::function<const Box &(const Candidate &)> &boxOf,
         size_t limit, const Damping &damp);

//===----------------------------------------------------------------------===//
// Routines of DetectionProposals.cpp
//===----------------------------------------------------------------------===//

Status axisAlignedBBoxTransformRoutine(RoutineContext &context);
Status boxWithNmsLimitRoutine(RoutineContext &context);
Status detectionPostprocessingRoutine(RoutineContext &context);
Status generateProposalsRoutine(RoutineContext &context);

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_ROUTINES_DETECTION_H
