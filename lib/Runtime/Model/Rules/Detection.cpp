//===- Detection.cpp - Rules of boxes and regions of interest -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

static constexpr RankBounds rank1{1, 1};
static constexpr RankBounds rank2{2, 2};
static constexpr RankBounds rank3{3, 3};

/// Coordinates of a box.
static constexpr int64_t boxLength = 4;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The extent of dimension \p index where the rank is known.
static int64_t extentOf(const TensorType &type, size_t index) {
  return type.isRanked ? type.dimensions[index] : unknownExtent;
}

/// The type of coordinates beside values of \p type (M-248).
static OperandType coordinateType(OperandType type) {
  return isAsymmetric(type) ? OperandType::TENSOR_QUANT16_ASYMM : type;
}

static TensorType coordinates(OperandType type, std::vector<int64_t> shape) {
  TensorType result;
  result.type = type;
  result.dimensions = std::move(shape);
  if (isQuantized(type))
    result.scale = 0.125f;
  return result;
}

static TensorType indices(int64_t count) {
  TensorType result;
  result.type = OperandType::TENSOR_INT32;
  result.dimensions = {count};
  return result;
}

static Status checkExtentIs(std::string_view name, int64_t found,
                            int64_t expected) {
  if (!isKnown(found) || found == expected)
    return Status::ok();
  return badData("{} is {}, expected {}", name, found, expected);
}

/// Coordinates of \p type, [number, \p length].
static Status checkCoordinates(std::string_view name, const TensorType &boxes,
                               OperandType type, int64_t length = boxLength) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand(name, boxes, std::span(&type, 1), rank2)); // boxes C1
  if (isQuantized(type) &&
      (boxes.scale != 0.125f || boxes.zeroPoint != 0)) // boxes C2
    return badData("{} scale {} and zero point {} must be 0.125 and 0", name,
                   boxes.scale, boxes.zeroPoint);
  if (!isKnown(length))
    return Status::ok();
  return checkExtentIs(fmt::format("{} dimension 1", name), extentOf(boxes, 1),
                       length); // boxes C3
}

/// The batch index of each of \p boxes.
static Status checkBatches(const TensorType &batches, const TensorType &boxes) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("batch indices", batches, integers, rank1)); // boxes C4
  return checkSameExtent("number of batch indices", extentOf(batches, 0),
                         "number of boxes", extentOf(boxes, 0)); // boxes C5
}

/// Height and width of each image.
static Status checkImageInfo(const TensorType &info, OperandType type) {
  return checkCoordinates("image info", info, type, 2);
}

static Status checkRatio(std::string_view name, float ratio) {
  if (ratio > 0) // ratio C1
    return Status::ok();
  return badData("{} ratio {} must be positive", name, ratio);
}

static Status checkRatios(float height, float width) {
  NNHAL_RETURN_IF_ERROR(checkRatio("height", height));
  return checkRatio("width", width);
}

static Status checkNotNegative(std::string_view name, float value) {
  if (value >= 0)
    return Status::ok();
  return badData("{} {} must not be negative", name, value);
}

//===----------------------------------------------------------------------===//
// axis_aligned_bbox_transform
//===----------------------------------------------------------------------===//

Result<TensorType> nnhal::rt::axisAlignedBBoxTransform(
    const TensorType &rois, const TensorType &deltas, const TensorType &batches,
    const TensorType &imageInfo) {
  static constexpr OperandType roiTypes[] = {OperandType::TENSOR_FLOAT32,
                                             OperandType::TENSOR_FLOAT16,
                                             OperandType::TENSOR_QUANT16_ASYMM};
  static constexpr OperandType quantized[] = {
      OperandType::TENSOR_QUANT8_ASYMM,
      OperandType::TENSOR_QUANT8_ASYMM_SIGNED};
  NNHAL_RETURN_IF_ERROR(checkOperand("rois", rois, roiTypes,
                                     rank2)); // axis_aligned_bbox_transform C1
  NNHAL_RETURN_IF_ERROR(checkCoordinates("rois", rois, rois.type));
  NNHAL_RETURN_IF_ERROR(checkOperand(
      "deltas", deltas,
      isFloat(rois.type) ? std::span(&rois.type, 1) : OperandTypes(quantized),
      rank2)); // axis_aligned_bbox_transform C2
  NNHAL_RETURN_IF_ERROR(
      checkSameExtent("number of deltas", extentOf(deltas, 0), "number of rois",
                      extentOf(rois, 0))); // axis_aligned_bbox_transform C3
  int64_t length = extentOf(deltas, 1);
  if (isKnown(length) &&
      (length < 1 || length % boxLength != 0)) // axis_aligned_bbox_transform C4
    return badData("deltas dimension 1 is {}, expected a positive multiple "
                   "of 4",
                   length);
  NNHAL_RETURN_IF_ERROR(checkBatches(batches, rois));
  NNHAL_RETURN_IF_ERROR(checkImageInfo(imageInfo, rois.type));
  NNHAL_RETURN_IF_ERROR(
      checkPositive("number of images",
                    extentOf(imageInfo, 0))); // axis_aligned_bbox_transform C5
  return withShape(rois, {extentOf(rois, 0), length});
}

//===----------------------------------------------------------------------===//
// box_with_nms_limit
//===----------------------------------------------------------------------===//

Result<std::vector<TensorType>>
nnhal::rt::boxWithNmsLimit(const TensorType &scores, const TensorType &boxes,
                           const TensorType &batches, SoftNmsKernel kernel) {
  NNHAL_RETURN_IF_ERROR(checkOperand("scores", scores, floatsAndQuantized,
                                     rank2)); // box_with_nms_limit C1
  int64_t classes = extentOf(scores, 1);
  if (isKnown(classes) && classes < 2) // box_with_nms_limit C2
    return badData("number of classes {} must be above 1", classes);
  OperandType boxType = coordinateType(scores.type);
  NNHAL_ASSIGN_OR_RETURN(int64_t length, multiplyExtents(classes, boxLength));
  NNHAL_RETURN_IF_ERROR(checkCoordinates("boxes", boxes, boxType, length));
  NNHAL_RETURN_IF_ERROR(
      checkSameExtent("number of boxes", extentOf(boxes, 0), "number of scores",
                      extentOf(scores, 0))); // box_with_nms_limit C3
  NNHAL_RETURN_IF_ERROR(checkBatches(batches, boxes));
  if (kernel < SoftNmsKernel::hard ||
      kernel > SoftNmsKernel::gaussian) // box_with_nms_limit C4
    return badData("soft NMS kernel is {}, expected 0 to 2", int32_t(kernel));
  return std::vector<TensorType>{
      withShape(scores, {unknownExtent}),
      coordinates(boxType, {unknownExtent, boxLength}), indices(unknownExtent),
      indices(unknownExtent)};
}

//===----------------------------------------------------------------------===//
// detection_postprocessing
//===----------------------------------------------------------------------===//

static Status checkLimit(std::string_view name, int64_t value) {
  if (value > 0) // detection_postprocessing C9
    return Status::ok();
  return badData("{} {} must be positive", name, value);
}

static Status checkPostprocessingParams(const PostprocessingParams &params) {
  for (float scale : params.scales)
    if (!(scale > 0)) // detection_postprocessing C7
      return badData("scale {} must be positive", scale);
  NNHAL_RETURN_IF_ERROR(
      checkNotNegative("score threshold",
                       params.scoreThreshold)); // detection_postprocessing C8
  NNHAL_RETURN_IF_ERROR(
      checkNotNegative("IoU threshold",
                       params.iouThreshold)); // detection_postprocessing C8
  NNHAL_RETURN_IF_ERROR(checkLimit("max detections", params.maxDetections));
  return params.isRegularNms ? checkLimit("max detections per class",
                                          params.maxDetectionsPerClass)
                             : checkLimit("max classes per detection",
                                          params.maxClassesPerDetection);
}

Result<std::vector<TensorType>> nnhal::rt::detectionPostprocessing(
    const TensorType &scores, const TensorType &deltas,
    const TensorType &anchors, const PostprocessingParams &params) {
  NNHAL_RETURN_IF_ERROR(checkOperand("scores", scores, floats,
                                     rank3)); // detection_postprocessing C1
  NNHAL_RETURN_IF_ERROR(checkOperand("deltas", deltas,
                                     std::span(&scores.type, 1),
                                     rank3)); // detection_postprocessing C2
  NNHAL_RETURN_IF_ERROR(checkCoordinates("anchors", anchors, scores.type));
  int64_t batch = extentOf(scores, 0), count = extentOf(scores, 1);
  int64_t classes = extentOf(scores, 2), length = extentOf(deltas, 2);
  NNHAL_RETURN_IF_ERROR(checkSameExtent("deltas batch", extentOf(deltas, 0),
                                        "scores batch",
                                        batch)); // detection_postprocessing C3
  for (const TensorType *other : {&deltas, &anchors})
    NNHAL_RETURN_IF_ERROR(checkSameExtent(
        other == &deltas ? "number of rows of deltas" : "number of anchors",
        extentOf(*other, other == &deltas ? 1 : 0), "number of rows of scores",
        count));                       // detection_postprocessing C4
  if (isKnown(classes) && classes < 2) // detection_postprocessing C5
    return badData("number of classes {} must be above 1", classes);
  if (isKnown(length) && length < boxLength) // detection_postprocessing C6
    return badData("deltas dimension 2 is {}, below 4", length);
  NNHAL_RETURN_IF_ERROR(checkPostprocessingParams(params));
  int64_t detections = params.maxDetections;
  if (!params.isRegularNms) {
    NNHAL_ASSIGN_OR_RETURN(
        detections, multiplyExtents(detections, params.maxClassesPerDetection));
  }
  return std::vector<TensorType>{
      withShape(scores, {batch, detections}),
      withShape(scores, {batch, detections, boxLength}),
      withShape(indices(0), {batch, detections}), indices(batch)};
}

//===----------------------------------------------------------------------===//
// generate_proposals
//===----------------------------------------------------------------------===//

/// \p anchors are [number, 4] of a type of their own: they may lie outside the
/// image, thus the quantized ones are signed (M-249).
static Status checkAnchors(const TensorType &anchors, OperandType scoreType) {
  OperandType type =
      isAsymmetric(scoreType) ? OperandType::TENSOR_QUANT16_SYMM : scoreType;
  return checkCoordinates("anchors", anchors, type);
}

Result<std::vector<TensorType>>
nnhal::rt::generateProposals(const TensorType &scores, const TensorType &deltas,
                             const TensorType &anchors,
                             const TensorType &imageInfo,
                             const ProposalParams &params) {
  NNHAL_RETURN_IF_ERROR(checkOperand("scores", scores, floatsAndQuantized,
                                     rank4)); // generate_proposals C1
  NNHAL_RETURN_IF_ERROR(checkOperand("deltas", deltas,
                                     std::span(&scores.type, 1),
                                     rank4)); // generate_proposals C2
  static constexpr std::string_view names[] = {"batch", "height", "width"};
  for (size_t i = 0; i < std::size(names); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkSameExtent(fmt::format("deltas {}", names[i]), extentOf(deltas, i),
                        fmt::format("scores {}", names[i]),
                        extentOf(scores, i))); // generate_proposals C3
  int64_t count = extentOf(scores, 3);
  NNHAL_ASSIGN_OR_RETURN(int64_t length, multiplyExtents(count, boxLength));
  if (isKnown(length))
    NNHAL_RETURN_IF_ERROR(checkExtentIs("deltas channels", extentOf(deltas, 3),
                                        length)); // generate_proposals C4
  NNHAL_RETURN_IF_ERROR(checkAnchors(anchors, scores.type));
  NNHAL_RETURN_IF_ERROR(checkSameExtent("number of anchors",
                                        extentOf(anchors, 0), "scores channels",
                                        count)); // generate_proposals C5
  OperandType boxType = coordinateType(scores.type);
  NNHAL_RETURN_IF_ERROR(checkImageInfo(imageInfo, boxType));
  NNHAL_RETURN_IF_ERROR(checkSameExtent(
      "number of images", extentOf(imageInfo, 0), "scores batch",
      extentOf(scores, 0))); // generate_proposals C6
  NNHAL_RETURN_IF_ERROR(checkRatios(params.heightRatio, params.widthRatio));
  NNHAL_RETURN_IF_ERROR(checkNotNegative(
      "IoU threshold", params.iouThreshold)); // generate_proposals C7
  NNHAL_RETURN_IF_ERROR(checkNotNegative(
      "minimum size", params.minSize)); // generate_proposals C8
  return std::vector<TensorType>{
      withShape(scores, {unknownExtent}),
      coordinates(boxType, {unknownExtent, boxLength}), indices(unknownExtent)};
}

//===----------------------------------------------------------------------===//
// heatmap_max_keypoint
//===----------------------------------------------------------------------===//

Result<std::vector<TensorType>>
nnhal::rt::heatmapMaxKeypoint(const TensorType &heatmaps,
                              const TensorType &boxes) {
  NNHAL_RETURN_IF_ERROR(checkOperand("heatmaps", heatmaps, floatsAndQuantized,
                                     rank4)); // heatmap_max_keypoint C1
  int64_t size = extentOf(heatmaps, 1);
  NNHAL_RETURN_IF_ERROR(
      checkSameExtent("heatmap height", size, "width",
                      extentOf(heatmaps, 2))); // heatmap_max_keypoint C2
  if (isKnown(size) && size < 2)               // heatmap_max_keypoint C3
    return badData("heatmap size {} is below 2", size);
  OperandType boxType = coordinateType(heatmaps.type);
  NNHAL_RETURN_IF_ERROR(checkCoordinates("boxes", boxes, boxType));
  int64_t count = extentOf(heatmaps, 0), keypoints = extentOf(heatmaps, 3);
  NNHAL_RETURN_IF_ERROR(checkSameExtent("number of boxes", extentOf(boxes, 0),
                                        "number of heatmaps",
                                        count)); // heatmap_max_keypoint C4
  return std::vector<TensorType>{
      withFreeQuantization(withShape(heatmaps, {count, keypoints})),
      coordinates(boxType, {count, keypoints, 2})};
}

//===----------------------------------------------------------------------===//
// roi_align and roi_pooling
//===----------------------------------------------------------------------===//

static Result<TensorType> poolRois(const TensorType &features,
                                   const TensorType &rois,
                                   const TensorType &batches,
                                   const RoiParams &params) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("features", features, floatsAndQuantized, rank4)); // roi C1
  static constexpr std::string_view names[] = {"batch", "height", "width",
                                               "channels"};
  for (size_t i = 0; i < std::size(names); ++i)
    NNHAL_RETURN_IF_ERROR(checkPositive(fmt::format("features {}", names[i]),
                                        extentOf(features, i))); // roi C2
  NNHAL_RETURN_IF_ERROR(
      checkCoordinates("rois", rois, coordinateType(features.type)));
  NNHAL_RETURN_IF_ERROR(checkBatches(batches, rois));
  NNHAL_RETURN_IF_ERROR(checkPositive("output", params.extent)); // roi C3
  NNHAL_RETURN_IF_ERROR(checkRatios(params.heightRatio, params.widthRatio));
  return withShape(features, {extentOf(rois, 0), params.extent.height,
                              params.extent.width, extentOf(features, 3)});
}

Result<TensorType> nnhal::rt::roiAlign(const TensorType &features,
                                       const TensorType &rois,
                                       const TensorType &batches,
                                       const RoiParams &params) {
  NNHAL_ASSIGN_OR_RETURN(TensorType result,
                         poolRois(features, rois, batches, params));
  for (int64_t samples : {params.samples.height, params.samples.width})
    if (samples < 0) // roi_align C1
      return badData("number of samples {} must not be negative", samples);
  return withFreeQuantization(std::move(result));
}

Result<TensorType> nnhal::rt::roiPooling(const TensorType &features,
                                         const TensorType &rois,
                                         const TensorType &batches,
                                         const RoiParams &params) {
  return poolRois(features, rois, batches, params);
}
