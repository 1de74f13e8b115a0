//===- DetectionProposals.cpp - Operations on boxes -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates, deltas and scores are computed in float32 for all types and
// rounded once when they are stored.
//
//===----------------------------------------------------------------------===//

#include "Detection.h"
#include "Layout.h"

#include "nnhal/Backend/Signatures/Detection.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

/// The images of an input [number, 2].
static Elements<ImageSize> imagesOf(const RoutineContext &context,
                                    size_t index) {
  Elements<float> values = context.reals(index);
  Elements<ImageSize> images(values.size() / 2);
  for (size_t i = 0; i < images.size(); ++i)
    images[i] = {values[2 * i], values[2 * i + 1]};
  return images;
}

/// The four elements of \p values from \p first on.
static BoxDelta deltaAt(std::span<const float> values, size_t first) {
  return {values[first], values[first + 1], values[first + 2],
          values[first + 3]};
}

/// A limit of the HAL as a number of elements.
static size_t limitOf(int32_t limit, bool isLimited) {
  return isLimited ? size_t(limit) : std::numeric_limits<size_t>::max();
}

//===----------------------------------------------------------------------===//
// AXIS_ALIGNED_BBOX_TRANSFORM
//===----------------------------------------------------------------------===//

Status reference::axisAlignedBBoxTransformRoutine(RoutineContext &context) {
  Elements<Box> rois = toBoxes(context.reals(0));
  Elements<float> deltas = context.reals(1);
  Elements<int32_t> batches = context.integers(2);
  Elements<ImageSize> images = imagesOf(context, 3);
  size_t classes = size_t(context.inputShape(1)[1]) / 4;
  Elements<float> result;
  for (size_t i = 0; i < rois.size(); ++i) {
    NNHAL_RETURN_IF_ERROR(checkCorners("roi", i, rois[i]));
    NNHAL_RETURN_IF_ERROR(checkBatchIndex(batches[i], int64_t(images.size())));
    for (size_t c = 0; c < classes; ++c)
      appendBox(result,
                transformBox(rois[i], deltaAt(deltas, 4 * (i * classes + c)),
                             images[size_t(batches[i])]));
  }
  context.storeReals(0, result);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// BOX_WITH_NMS_LIMIT
//===----------------------------------------------------------------------===//

static Damping dampingOf(const BoxWithNmsLimitForm &form) {
  if (form.kernel == SoftNmsKernel::hard)
    return hardDamping(form.iouThreshold);
  return [form](Candidate &candidate, float iou) {
    if (form.kernel == SoftNmsKernel::gaussian)
      candidate.score *= std::exp(-iou * iou / form.sigma);
    else if (iou >= form.iouThreshold)
      candidate.score *= 1.0f - iou;
    return candidate.score >= form.nmsScoreThreshold;
  };
}

namespace {
/// Boxes of one image: a run of rows of the scores and boxes.
struct ImageBoxes {
  size_t firstRow;
  size_t endRow;
  size_t classes;
};
} // namespace

/// Returns the boxes of one image that remain, by class and then by score
/// (M-224).
static Elements<Candidate> limitBoxes(const ImageBoxes &image,
                                      const Elements<float> &scores,
                                      const Elements<Box> &boxes,
                                      const BoxWithNmsLimitForm &form) {
  auto boxOf = [&](const Candidate &candidate) -> const Box & {
    return boxes[candidate.box];
  };
  size_t limit = limitOf(form.maxBoxes, form.maxBoxes >= 0);
  Elements<Candidate> result;
  // Class 0 is the background (M-223).
  for (size_t c = 1; c < image.classes; ++c) {
    Elements<Candidate> candidates;
    for (size_t row = image.firstRow; row < image.endRow; ++row) {
      size_t at = row * image.classes + c;
      if (scores[at] > form.scoreThreshold)
        candidates.push_back({at, scores[at], c});
    }
    Elements<Candidate> kept =
        suppress(std::move(candidates), boxOf, limit, dampingOf(form));
    result.insert(result.end(), kept.begin(), kept.end());
  }
  keepBest(result, limit);
  std::ranges::sort(result, [](const Candidate &lhs, const Candidate &rhs) {
    return lhs.classIndex != rhs.classIndex ? lhs.classIndex < rhs.classIndex
                                            : ranksBefore(lhs, rhs);
  });
  return result;
}

Status reference::boxWithNmsLimitRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(BoxWithNmsLimitForm form,
                         decodeBoxWithNmsLimit(context.operation()));
  Elements<float> scores = context.reals(0);
  Elements<Box> boxes = toBoxes(context.reals(1));
  Elements<int32_t> batches = context.integers(2);
  auto classes = size_t(context.inputShape(0)[1]);
  Elements<float> keptScores, keptBoxes;
  Elements<int32_t> keptClasses, keptBatches;
  for (size_t first = 0, end = 0; first < batches.size(); first = end) {
    // Boxes of an image stand together.
    while (end < batches.size() && batches[end] == batches[first])
      ++end;
    for (const Candidate &candidate :
         limitBoxes({first, end, classes}, scores, boxes, form)) {
      keptScores.push_back(candidate.score);
      appendBox(keptBoxes, boxes[candidate.box]);
      keptClasses.push_back(int32_t(candidate.classIndex));
      keptBatches.push_back(batches[first]);
    }
  }
  auto count = int64_t(keptScores.size());
  context.setOutputShape(0, {count});
  context.setOutputShape(1, {count, 4});
  context.setOutputShape(2, {count});
  context.setOutputShape(3, {count});
  context.storeReals(0, keptScores);
  context.storeReals(1, keptBoxes);
  context.storeIntegers(2, keptClasses);
  context.storeIntegers(3, keptBatches);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// GENERATE_PROPOSALS
//===----------------------------------------------------------------------===//

namespace {
/// Scores and deltas in NHWC order and all else that proposals come from.
struct ProposalInputs {
  GenerateProposalsForm form;
  /// Batch, height, width, number of anchors.
  Shape shape;
  Elements<float> scores;
  Elements<float> deltas;
  Elements<Box> anchors;
  Elements<ImageSize> images;

  size_t countPerImage() const {
    return size_t(shape[1] * shape[2] * shape[3]);
  }
};
} // namespace

static Result<ProposalInputs>
readProposalInputs(const RoutineContext &context) {
  ProposalInputs inputs;
  NNHAL_ASSIGN_OR_RETURN(inputs.form,
                         decodeGenerateProposals(context.operation()));
  bool isNchw = inputs.form.isNchw;
  auto shapeOf = [&](size_t index) {
    const Shape &shape = context.inputShape(index);
    return isNchw ? nchwToNhwc(shape) : shape;
  };
  inputs.shape = shapeOf(0);
  inputs.scores = toNhwc(context.reals(0), inputs.shape, isNchw);
  inputs.deltas = toNhwc(context.reals(1), shapeOf(1), isNchw);
  inputs.anchors = toBoxes(context.reals(2));
  inputs.images = imagesOf(context, 3);
  return inputs;
}

/// The anchors at every place of the map, transformed by the deltas of image
/// \p batch (M-229).
static Elements<Box> proposeBoxes(const ProposalInputs &inputs, size_t batch) {
  Elements<Box> boxes;
  size_t delta = batch * inputs.countPerImage() * 4;
  for (int64_t h = 0; h < inputs.shape[1]; ++h)
    for (int64_t w = 0; w < inputs.shape[2]; ++w)
      for (Box box : inputs.anchors) {
        float shiftX = float(w) * inputs.form.params.widthRatio;
        float shiftY = float(h) * inputs.form.params.heightRatio;
        box = {box.x1 + shiftX, box.y1 + shiftY, box.x2 + shiftX,
               box.y2 + shiftY};
        boxes.push_back(transformBox(box, deltaAt(inputs.deltas, delta),
                                     inputs.images[batch]));
        delta += 4;
      }
  return boxes;
}

/// Whether \p box is large enough and its centre lies in the image (M-229).
static bool isProposal(const Box &box, const ImageSize &image, float minSize) {
  CentredBox centre = centred(box);
  return centre.width > minSize && centre.height > minSize &&
         box.x1 + centre.width / 2 < image.width &&
         box.y1 + centre.height / 2 < image.height;
}

/// The proposals of image \p batch, best first.
static Elements<Candidate> selectProposals(const ProposalInputs &inputs,
                                           size_t batch,
                                           const Elements<Box> &boxes) {
  const GenerateProposalsForm &form = inputs.form;
  Elements<Candidate> candidates;
  for (size_t i = 0; i < boxes.size(); ++i)
    candidates.push_back(
        {i, inputs.scores[batch * boxes.size() + i], /*classIndex=*/0});
  keepBest(candidates, limitOf(form.preNmsLimit, form.preNmsLimit > 0));
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return !isProposal(boxes[candidate.box], inputs.images[batch],
                       form.params.minSize);
  });
  auto boxOf = [&](const Candidate &candidate) -> const Box & {
    return boxes[candidate.box];
  };
  return suppress(std::move(candidates), boxOf,
                  limitOf(form.postNmsLimit, form.postNmsLimit > 0),
                  hardDamping(form.params.iouThreshold));
}

Status reference::generateProposalsRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(ProposalInputs inputs, readProposalInputs(context));
  Elements<float> scores, rois;
  Elements<int32_t> batches;
  for (size_t batch = 0; batch < inputs.images.size(); ++batch) {
    Elements<Box> boxes = proposeBoxes(inputs, batch);
    for (const Candidate &candidate : selectProposals(inputs, batch, boxes)) {
      scores.push_back(candidate.score);
      appendBox(rois, boxes[candidate.box]);
      batches.push_back(int32_t(batch));
    }
  }
  auto count = int64_t(scores.size());
  context.setOutputShape(0, {count});
  context.setOutputShape(1, {count, 4});
  context.setOutputShape(2, {count});
  context.storeReals(0, scores);
  context.storeReals(1, rois);
  context.storeIntegers(2, batches);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// DETECTION_POSTPROCESSING
//===----------------------------------------------------------------------===//

namespace {
/// The boxes of one image and their scores, [anchor][class].
struct ScoredBoxes {
  std::span<const float> scores;
  Elements<Box> boxes;
  size_t classes;

  float score(size_t box, size_t c) const { return scores[box * classes + c]; }
};
} // namespace

/// Boxes of image \p batch: anchors (cy, cx, h, w) moved by (dy, dx, dh, dw).
static Elements<Box> decodeAnchors(const RoutineContext &context, size_t batch,
                                   const PostprocessingParams &params) {
  Elements<float> copiedDeltas, copiedAnchors;
  std::span<const float> deltas = context.floats(1, copiedDeltas),
                         anchors = context.floats(2, copiedAnchors);
  auto length = size_t(context.inputShape(1)[2]);
  size_t count = anchors.size() / 4;
  Elements<Box> boxes(count);
  for (size_t i = 0; i < count; ++i) {
    const float *anchor = &anchors[4 * i];
    const float *delta = &deltas[(batch * count + i) * length];
    boxes[i] = cornered({anchor[1] + delta[1] / params.scales[1] * anchor[3],
                         anchor[0] + delta[0] / params.scales[0] * anchor[2],
                         std::exp(delta[3] / params.scales[3]) * anchor[3],
                         std::exp(delta[2] / params.scales[2]) * anchor[2]});
  }
  return boxes;
}

/// Suppression within each foreground class; the best of all classes.
static Elements<Candidate> detectRegular(const ScoredBoxes &input,
                                         const PostprocessingParams &params) {
  auto boxOf = [&](const Candidate &candidate) -> const Box & {
    return input.boxes[candidate.box];
  };
  Elements<Candidate> result;
  for (size_t c = 1; c < input.classes; ++c) {
    Elements<Candidate> candidates;
    for (size_t box = 0; box < input.boxes.size(); ++box)
      if (input.score(box, c) > params.scoreThreshold)
        candidates.push_back({box, input.score(box, c), c});
    Elements<Candidate> kept = suppress(std::move(candidates), boxOf,
                                        size_t(params.maxDetectionsPerClass),
                                        hardDamping(params.iouThreshold));
    result.insert(result.end(), kept.begin(), kept.end());
  }
  keepBest(result, size_t(params.maxDetections));
  return result;
}

/// The \p limit best foreground classes of \p box.
static Elements<Candidate> bestClasses(const ScoredBoxes &input, size_t box,
                                       size_t limit) {
  Elements<Candidate> result;
  for (size_t c = 1; c < input.classes; ++c)
    result.push_back({box, input.score(box, c), c});
  keepBest(result, limit);
  return result;
}

/// Returns the same as bestClasses() with a limit of 1, in one pass: among
/// equals the first class, and a NaN only where there is nothing else.
static Candidate bestClass(const ScoredBoxes &input, size_t box) {
  size_t best = 1;
  for (size_t c = 2; c < input.classes; ++c)
    if (float score = input.score(box, c);
        !std::isnan(score) && !(score <= input.score(box, best)))
      best = c;
  return {box, input.score(box, best), best};
}

/// Suppression by the best class of each box; the best classes of those that
/// remain (M-233).
static Elements<Candidate> detectFast(const ScoredBoxes &input,
                                      const PostprocessingParams &params) {
  auto boxOf = [&](const Candidate &candidate) -> const Box & {
    return input.boxes[candidate.box];
  };
  Elements<Candidate> candidates;
  candidates.reserve(input.boxes.size());
  for (size_t box = 0; box < input.boxes.size(); ++box)
    if (Candidate best = bestClass(input, box);
        best.score > params.scoreThreshold)
      candidates.push_back(best);
  Elements<Candidate> result;
  for (const Candidate &kept :
       suppress(std::move(candidates), boxOf, size_t(params.maxDetections),
                hardDamping(params.iouThreshold))) {
    Elements<Candidate> classes =
        bestClasses(input, kept.box, size_t(params.maxClassesPerDetection));
    result.insert(result.end(), classes.begin(), classes.end());
  }
  return result;
}

Status reference::detectionPostprocessingRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(DetectionPostprocessingForm form,
                         decodeDetectionPostprocessing(context.operation()));
  Elements<float> copiedScores;
  std::span<const float> allScores = context.floats(0, copiedScores);
  const Shape &shape = context.inputShape(0);
  auto places = size_t(context.outputShape(0)[1]);
  auto batchCount = size_t(shape[0]);
  size_t countPerImage = size_t(shape[1] * shape[2]);
  // Places without a detection stay zero (M-232).
  Elements<float> scores(batchCount * places), boxes(scores.size() * 4);
  Elements<int32_t> labels(scores.size()), counts(batchCount);
  for (size_t batch = 0; batch < batchCount; ++batch) {
    ScoredBoxes input{allScores.subspan(batch * countPerImage, countPerImage),
                      decodeAnchors(context, batch, form.params),
                      size_t(shape[2])};
    Elements<Candidate> detections = form.params.isRegularNms
                                         ? detectRegular(input, form.params)
                                         : detectFast(input, form.params);
    counts[batch] = int32_t(detections.size());
    for (size_t i = 0; i < detections.size(); ++i) {
      const Candidate &detection = detections[i];
      const Box &box = input.boxes[detection.box];
      size_t at = batch * places + i;
      scores[at] = detection.score;
      std::ranges::copy(std::array{box.y1, box.x1, box.y2, box.x2},
                        &boxes[4 * at]);
      // Labels count from the first class after the background, unless the
      // background has a label as well (M-234).
      labels[at] =
          int32_t(detection.classIndex) - (form.isBackgroundLabeled ? 0 : 1);
    }
  }
  context.storeFloats(0, scores);
  context.storeFloats(1, boxes);
  context.storeIntegers(2, labels);
  context.storeIntegers(3, counts);
  return Status::ok();
}
