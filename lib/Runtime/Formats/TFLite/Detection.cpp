//===- Detection.cpp - Import of detection post-processing ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <flatbuffers/flexbuffers.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace nnhal::rt::tflite {

namespace {
/// The options of TFLite_Detection_PostProcess.
struct PostProcess {
  int32_t maxDetections = 0, maxClasses = 0, perClass = 100, classes = 0;
  bool isRegular = false;
  float scoreThreshold = 0, iouThreshold = 0;
  /// The scales of y, x, height and width.
  float scales[4] = {0, 0, 0, 0};
};
} // namespace

/// The map of a custom operator; \p bytes must outlive it.
static Result<flexbuffers::Map> optionMap(std::span<const uint8_t> bytes) {
  if (!flexbuffers::VerifyBuffer(bytes.data(), bytes.size()))
    return badData("has {} bytes of custom options that are not a FlexBuffer",
                   bytes.size());
  flexbuffers::Reference root =
      flexbuffers::GetRoot(bytes.data(), bytes.size());
  if (!root.IsMap())
    return badData("has custom options that are not a map");
  return root.AsMap();
}

static Result<PostProcess> optionsOf(Operator &op) {
  // FlexBuffers reads numbers where they are, aligned to the begin.
  std::span<const uint8_t> stated = elementsOf(op.source.custom_options());
  std::vector<uint8_t> bytes(stated.begin(), stated.end());
  NNHAL_ASSIGN_OR_RETURN(flexbuffers::Map map, optionMap(bytes));
  PostProcess options;
  Status status;
  auto find = [&](const char *name, bool isOptional = false) {
    flexbuffers::Reference value = map[name];
    if (!value.IsNumeric() && !value.IsBool() && !isOptional && status.isOk())
      status = badData("custom option '{}' is missing", name);
    return value;
  };
  auto integer = [&](const char *name, int32_t &value) {
    int64_t given = find(name).AsInt64();
    constexpr int32_t limit = 1 << 20;
    if (status.isOk() && (given < 1 || given > limit))
      status = badData("custom option '{}' is {}, which is not in 1..{}", name,
                       given, limit);
    value = int32_t(given);
  };
  auto threshold = [&](const char *name, float &value) {
    value = find(name).AsFloat();
    if (status.isOk() && !std::isfinite(value))
      status = badData("custom option '{}' is {}, which is not a number", name,
                       value);
  };
  integer("max_detections", options.maxDetections);
  integer("max_classes_per_detection", options.maxClasses);
  integer("num_classes", options.classes);
  options.isRegular = find("use_regular_nms", true).AsBool();
  if (find("detections_per_class", true).IsNumeric())
    integer("detections_per_class", options.perClass);
  threshold("nms_score_threshold", options.scoreThreshold);
  threshold("nms_iou_threshold", options.iouThreshold);
  const char *names[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
  for (size_t i = 0; i < 4; ++i) {
    options.scales[i] = find(names[i]).AsFloat();
    // The scales of detections are positive (M-231).
    if (status.isOk() && !(options.scales[i] > 0))
      status = badData("custom option '{}' is {}, which is not positive",
                       names[i], options.scales[i]);
  }
  NNHAL_RETURN_IF_ERROR(std::move(status));
  if (options.maxClasses > options.classes)
    return badData("custom option 'max_classes_per_detection' is {}, but there "
                   "are {} classes",
                   options.maxClasses, options.classes);
  return options;
}

Result<std::vector<Shape>> detectionPostProcessShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(PostProcess options, optionsOf(op));
  const Shape &boxes = op.shape(0), &scores = op.shape(1),
              &anchors = op.shape(2);
  if (boxes.size() != 3 || boxes[0] != 1 || boxes[2] < 4)
    return badData("box encodings have shape {}, expected 1xAx4",
                   toString(boxes));
  auto classes = uint32_t(options.classes);
  if (scores.size() != 3 || scores[0] != 1 || scores[1] != boxes[1] ||
      (scores[2] != classes && scores[2] != classes + 1))
    return badData("scores have shape {}, expected 1x{}x{} or {}",
                   toString(scores), boxes[1], classes, classes + 1);
  if (anchors != Shape{boxes[1], 4})
    return badData("anchors have shape {}, expected {}x4", toString(anchors),
                   boxes[1]);
  std::vector<int64_t> places = {1, int64_t(options.maxDetections) *
                                        options.maxClasses};
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(places));
  Shape corners = shape;
  corners.push_back(4);
  return std::vector<Shape>{corners, shape, shape, {1}};
}

/// Pads \p axis of \p from with \p before and \p after zeros.
static uint32_t pad(Composition &c, uint32_t from, uint32_t axis,
                    int32_t before, int32_t after) {
  Shape shape = c.shapeOf(from);
  std::vector<int32_t> paddings(shape.size() * 2);
  paddings[2 * axis] = before;
  paddings[2 * axis + 1] = after;
  uint32_t amounts = c.integers({uint32_t(shape.size()), 2}, paddings);
  shape[axis] += uint32_t(before + after);
  return c.add(OperationType::PAD, {from, amounts}, from, shape);
}

/// Adds the HAL's operation; its results: scores, boxes, classes and count.
static std::array<uint32_t, 4> detect(Operator &op, Composition &c,
                                      const PostProcess &options) {
  uint32_t scores = c.real(1);
  // The HAL's class 0 is the background, which files may leave out.
  if (op.shape(1)[2] == uint32_t(options.classes))
    scores = pad(c, scores, 2, 1, 0);
  uint32_t boxes = c.real(0), anchors = c.real(2);
  auto places = uint32_t(options.maxDetections *
                         (options.isRegular ? 1 : options.maxClasses));
  std::array<uint32_t, 4> results = {
      c.realTemporary({1, places}), c.realTemporary({1, places, 4}),
      c.realTemporary({1, places}), c.realTemporary({1})};
  for (size_t i : {2, 3})
    op.graph.operand(results[i]).type = OperandType::TENSOR_INT32;
  // TFLite takes scores from the threshold on, the HAL those above; boxes that
  // overlap as much as the threshold stay there, and go here.
  float infinity = std::numeric_limits<float>::infinity();
  float score =
      std::max(0.0f, std::nextafter(options.scoreThreshold, -infinity));
  float iou = std::max(0.0f, std::nextafter(options.iouThreshold, infinity));
  std::vector<uint32_t> inputs = {scores, boxes, anchors};
  for (float scale : options.scales)
    inputs.push_back(c.scalar(scale));
  inputs.push_back(c.boolean(options.isRegular));
  inputs.push_back(c.int32(options.maxDetections));
  inputs.push_back(c.int32(options.maxClasses));
  inputs.push_back(c.int32(std::min(options.perClass, options.maxDetections)));
  inputs.push_back(c.scalar(score));
  inputs.push_back(c.scalar(iou));
  inputs.push_back(c.boolean(false));
  c.addTo(OperationType::DETECTION_POSTPROCESSING, std::move(inputs),
          {results.begin(), results.end()});
  return results;
}

Status importDetectionPostProcess(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(PostProcess options, optionsOf(op));
  for (size_t i = 0; i < 4; ++i)
    if (op.output(i).type != OperandType::TENSOR_FLOAT32)
      return badData("output {} has type {}, expected FLOAT32", i,
                     nameOf(op.output(i).sourceType));
  Composition c(op);
  std::array<uint32_t, 4> results = detect(op, c, options);
  // TFLite lists boxes, classes, scores and the count, all of them real.
  constexpr std::array<size_t, 4> order = {1, 2, 0, 3};
  std::vector<uint32_t> values;
  for (size_t i = 0; i < order.size(); ++i) {
    uint32_t value = results[order[i]];
    if (order[i] >= 2) {
      uint32_t number = c.realTemporary(c.shapeOf(value));
      c.addTo(OperationType::CAST, {value}, {number});
      value = number;
    }
    values.push_back(value);
  }
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  for (size_t i = 0; i < order.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(uint32_t target,
                           op.graph.define(op.output(i), op.outputShapes[i]));
    // The HAL has fewer places when classes are suppressed one by one.
    const Shape &shape = op.outputShapes[i];
    Shape given = c.shapeOf(values[i]);
    std::vector<int32_t> paddings(shape.size() * 2);
    for (size_t axis = 0; axis < shape.size(); ++axis)
      paddings[2 * axis + 1] = int32_t(shape[axis] - given[axis]);
    op.graph.addOperation(
        OperationType::PAD,
        {values[i], c.integers({uint32_t(shape.size()), 2}, paddings)},
        {target});
  }
  return Status();
}

} // namespace nnhal::rt::tflite
