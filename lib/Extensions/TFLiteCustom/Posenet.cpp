//===- Posenet.cpp - Poses from the fields of PoseNet ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PosenetDecoderOp, with the fields of BodyPix also masks of the poses.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "PoseDecoder.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite_custom;

namespace {

/// The extents of a mask, which files state whatever the image is.
constexpr int64_t maskSize = 33;

Result<PoseOptions> optionsOf(const Use &use) {
  return Options::read(use, [](Options &options) {
    PoseOptions result;
    result.maxDetections = options.integer("max_detections", 1, 1 << 16);
    result.stride = options.integer("stride", 1, 1 << 16);
    result.scoreThreshold = options.real("score_threshold");
    result.radius = options.real("nms_radius") / float(result.stride);
    return result;
  });
}

Result<Types> check(const Use &use) {
  bool hasMasks = use.tensors() == 4;
  NNHAL_RETURN_IF_ERROR(hasMasks ? use.checkCounts(4, 5)
                                 : use.checkCounts(3, 4));
  NNHAL_ASSIGN_OR_RETURN(PoseOptions options, optionsOf(use));
  NNHAL_RETURN_IF_ERROR(use.checkReal(
      0, "heat maps", {1, unknownExtent, unknownExtent, keyPointCount}));
  int64_t height = use.extent(0, 1), width = use.extent(0, 2);
  NNHAL_RETURN_IF_ERROR(
      use.checkReal(1, "short offsets", {1, height, width, 2 * keyPointCount}));
  NNHAL_RETURN_IF_ERROR(
      use.checkReal(2, "mid offsets", {1, height, width, 4 * edgeCount}));
  if (hasMasks)
    NNHAL_RETURN_IF_ERROR(use.checkReal(
        3, "long offsets", {1, maskSize, maskSize, 2 * keyPointCount}));
  int64_t poses = options.maxDetections;
  Types types = {typeOf(floatType, {1, poses, keyPointCount, 2}),
                 typeOf(floatType, {1, poses, keyPointCount}),
                 typeOf(floatType, {1, poses}), typeOf(floatType, {1})};
  if (hasMasks)
    types.push_back(typeOf(floatType, {1, poses, maskSize, maskSize}));
  return types;
}

Field fieldOf(const Use &use, size_t tensor, std::span<const float> values) {
  return {values, int32_t(use.extent(tensor, 1)),
          int32_t(use.extent(tensor, 2)), int32_t(use.extent(tensor, 3))};
}

Status writePoses(std::span<const Pose> poses, const PoseOptions &options,
                  ExtensionOutputs &outputs) {
  int64_t most = options.maxDetections;
  auto stride = float(options.stride);
  NNHAL_ASSIGN_OR_RETURN(
      std::span<float> points,
      allocate<float>(outputs, 0, {1, most, keyPointCount, 2}));
  NNHAL_ASSIGN_OR_RETURN(std::span<float> pointScores,
                         allocate<float>(outputs, 1, {1, most, keyPointCount}));
  NNHAL_ASSIGN_OR_RETURN(std::span<float> scores,
                         allocate<float>(outputs, 2, {1, most}));
  NNHAL_ASSIGN_OR_RETURN(std::span<float> count,
                         allocate<float>(outputs, 3, {1}));
  for (size_t i = 0; i < poses.size(); ++i) {
    for (size_t point = 0; point < size_t(keyPointCount); ++point) {
      size_t place = i * size_t(keyPointCount) + point;
      points[place * 2] = poses[i].points[point].y * stride;
      points[place * 2 + 1] = poses[i].points[point].x * stride;
      pointScores[place] = poses[i].scores[point];
    }
    scores[i] = poses[i].score;
  }
  count[0] = float(poses.size());
  return Status::ok();
}

Status execute(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(PoseOptions options, optionsOf(use));
  auto perCell = float(1.0 / options.stride);
  std::vector<float> scores = realsOf(use, 0),
                     shortOffsets = realsOf(use, 1, perCell),
                     midOffsets = realsOf(use, 2, perCell);
  PoseFields fields = {fieldOf(use, 0, scores), fieldOf(use, 1, shortOffsets),
                       fieldOf(use, 2, midOffsets)};
  std::vector<Pose> poses = decodePoses(fields, options);
  NNHAL_RETURN_IF_ERROR(writePoses(poses, options, outputs));
  if (use.tensors() < 4)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(
      std::span<float> masks,
      allocate<float>(outputs, 4,
                      {1, options.maxDetections, maskSize, maskSize}));
  std::vector<float> longOffsets = realsOf(use, 3, perCell);
  decodeMasks(fieldOf(use, 3, longOffsets), poses, options.stride, masks);
  return Status::ok();
}

} // namespace

const OperatorRow tflite_custom::posenetRow = {"PosenetDecoderOp", check,
                                               execute};
