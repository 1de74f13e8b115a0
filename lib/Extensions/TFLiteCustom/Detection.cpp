//===- Detection.cpp - Boxes from the encodings of a detector -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TFLite_Detection_PostProcess. Among equal scores the order is that of
// TensorFlow Lite, which sorts stably before boxes are suppressed, and with
// std::partial_sort where it takes the best few of a list.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace nnhal;
using namespace nnhal::tflite_custom;

namespace {

struct DetectionOptions {
  int32_t maxDetections = 0, maxClasses = 0, perClass = 0, classes = 0;
  bool isRegular = false;
  float scoreThreshold = 0, iouThreshold = 0;
  /// The scales of y, x, height and width.
  float scales[4] = {0, 0, 0, 0};
};

Result<DetectionOptions> optionsOf(const Use &use) {
  return Options::read(use, [](Options &options) {
    constexpr int32_t limit = 1 << 20;
    DetectionOptions result;
    result.maxDetections = options.integer("max_detections", 1, limit);
    result.maxClasses = options.integer("max_classes_per_detection", 1, limit);
    result.perClass = options.integer("detections_per_class", 1, limit, 100);
    result.classes = options.integer("num_classes", 1, limit);
    result.isRegular = options.truth("use_regular_nms");
    result.scoreThreshold = options.real("nms_score_threshold");
    result.iouThreshold = options.real("nms_iou_threshold");
    if (!(result.iouThreshold > 0.0f && result.iouThreshold <= 1.0f))
      options.reject(refuse("custom option 'nms_iou_threshold' is ",
                            result.iouThreshold,
                            ", which is not above 0 and at most 1"));
    const char *names[] = {"y_scale", "x_scale", "h_scale", "w_scale"};
    for (size_t i = 0; i < 4; ++i) {
      result.scales[i] = options.real(names[i]);
      if (result.scales[i] == 0.0f)
        options.reject(refuse("custom option '", names[i], "' is 0"));
    }
    // Four floats of each place are at most 4294967295 bytes.
    if (int64_t places = int64_t(result.maxDetections) * result.maxClasses;
        places >= int64_t(1) << 28)
      options.reject(refuse("there are ", places,
                            " places for detections, but at most 268435455 are "
                            "allowed"));
    return result;
  });
}

int64_t placesOf(const DetectionOptions &options) {
  return int64_t(options.maxDetections) * options.maxClasses;
}

Result<Types> check(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkCounts(3, 4));
  NNHAL_ASSIGN_OR_RETURN(DetectionOptions options, optionsOf(use));
  // Coordinates behind the first four are those of key points.
  NNHAL_RETURN_IF_ERROR(
      use.checkReal(0, "box encodings", {1, unknownExtent, unknownExtent}));
  if (int64_t count = use.extent(0, 2); count != unknownExtent && count < 4)
    return refuse("box encodings have ", count,
                  " coordinates, but at least 4 are needed");
  int64_t boxes = use.extent(0, 1);
  NNHAL_RETURN_IF_ERROR(use.checkReal(1, "scores", {1, boxes, unknownExtent}));
  // A class before the first one is the background.
  if (int64_t classes = use.extent(1, 2); classes != unknownExtent &&
                                          classes != options.classes &&
                                          classes != options.classes + 1)
    return refuse("scores have ", classes, " classes, expected ",
                  options.classes, " or ", options.classes + 1);
  NNHAL_RETURN_IF_ERROR(use.checkReal(2, "anchors", {boxes, 4}));
  int64_t places = placesOf(options);
  return Types{typeOf(floatType, {1, places, 4}),
               typeOf(floatType, {1, places}), typeOf(floatType, {1, places}),
               typeOf(floatType, {1})};
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

struct Box {
  float yMin, xMin, yMax, xMax;

  float area() const { return (yMax - yMin) * (xMax - xMin); }
};

/// The share of two boxes in what they cover together.
float overlapOf(const Box &a, const Box &b) {
  float areaA = a.area(), areaB = b.area();
  if (areaA <= 0 || areaB <= 0)
    return 0.0f;
  float height = std::min(a.yMax, b.yMax) - std::max(a.yMin, b.yMin);
  float width = std::min(a.xMax, b.xMax) - std::max(a.xMin, b.xMin);
  float common = std::max(height, 0.0f) * std::max(width, 0.0f);
  return common / (areaA + areaB - common);
}

/// The place of the centre on one axis.
float centreOf(float delta, float scale, float size, float place) {
  return float(double(delta) / double(scale) * double(size) + double(place));
}
float halfOf(float delta, float scale, float size) {
  return float(0.5 * std::exp(double(delta) / double(scale)) * double(size));
}

/// The boxes of all encodings. One is decoded when it is first looked at: its
/// exponentials cost more than all else, and most boxes have no part in the
/// result.
class Boxes {
public:
  /// Fails for a box that ends before it begins, which only one of an anchor
  /// without a size can do: exponentials are not negative.
  static Result<Boxes> read(const Use &use, const DetectionOptions &options) {
    Boxes boxes(use, options);
    for (size_t i = 0; i < boxes.count(); ++i) {
      const float *anchor = boxes.anchors.data() + i * 4;
      if (anchor[2] >= 0.0f && anchor[3] >= 0.0f)
        continue;
      const Box &box = boxes[i];
      if (box.yMin > box.yMax || box.xMin > box.xMax)
        return fail("box ", i, " begins at ", box.yMin, ", ", box.xMin,
                    " and ends before, at ", box.yMax, ", ", box.xMax);
    }
    return boxes;
  }

  size_t count() const { return decoded.size(); }
  const Box &operator[](size_t index) {
    if (!isDecoded[index])
      decode(index);
    return decoded[index];
  }

private:
  Boxes(const Use &use, const DetectionOptions &options)
      : use(&use), scales(options.scales), anchors(realsOf(use, 2)),
        decoded(size_t(use.extent(0, 1))), isDecoded(decoded.size()) {}

  void decode(size_t index) {
    float delta[4];
    const float *anchor = anchors.data() + index * 4;
    readReals(*use, 0, index * size_t(use->extent(0, 2)), delta);
    float y = centreOf(delta[0], scales[0], anchor[2], anchor[0]);
    float x = centreOf(delta[1], scales[1], anchor[3], anchor[1]);
    float height = halfOf(delta[2], scales[2], anchor[2]);
    float width = halfOf(delta[3], scales[3], anchor[3]);
    decoded[index] = {y - height, x - width, y + height, x + width};
    isDecoded[index] = true;
  }

  const Use *use;
  const float *scales;
  std::vector<float> anchors;
  std::vector<Box> decoded;
  std::vector<bool> isDecoded;
};

//===----------------------------------------------------------------------===//
// Suppression
//===----------------------------------------------------------------------===//

using Indices = std::vector<int32_t>;

/// Returns the indices of the \p count greatest of \p values.
Indices greatest(std::span<const float> values, size_t count) {
  if (count == 1)
    return {int32_t(std::ranges::max_element(values) - values.begin())};
  Indices indices(values.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::partial_sort(indices.begin(), indices.begin() + ptrdiff_t(count),
                    indices.end(), [&](int32_t a, int32_t b) {
                      return values[size_t(a)] > values[size_t(b)];
                    });
  indices.resize(count);
  return indices;
}

/// Returns at most \p most of the boxes whose score is not below the
/// threshold, in the order of their scores: those that no box before them
/// overlaps by more than the threshold.
Indices suppress(Boxes &boxes, std::span<const float> scores,
                 const DetectionOptions &options, size_t most) {
  Indices candidates;
  for (size_t i = 0; i < scores.size(); ++i)
    if (scores[i] >= options.scoreThreshold)
      candidates.push_back(int32_t(i));
  auto isWorse = [&](int32_t a, int32_t b) {
    float scoreA = scores[size_t(a)], scoreB = scores[size_t(b)];
    return scoreA != scoreB ? scoreA < scoreB : a > b;
  };
  // A heap, because few of many candidates are taken before there are enough.
  std::ranges::make_heap(candidates, isWorse);
  Indices kept;
  while (!candidates.empty() && kept.size() < most) {
    std::ranges::pop_heap(candidates, isWorse);
    int32_t candidate = candidates.back();
    candidates.pop_back();
    const Box &box = boxes[size_t(candidate)];
    bool isHidden = std::ranges::any_of(kept, [&](int32_t other) {
      return overlapOf(boxes[size_t(other)], box) > options.iouThreshold;
    });
    if (!isHidden)
      kept.push_back(candidate);
  }
  return kept;
}

struct Detection {
  int32_t box = 0, classIndex = 0;
  float score = 0;
};

/// Returns the greatest of \p count bytes, one or more. Where there are lanes
/// for it, the last step overlaps the one before: of 91 classes a loop over
/// vectors would leave the last 11 to be compared one by one.
template <typename T> T greatestByte(const T *values, size_t count) {
  constexpr size_t lanes = 16;
  if (count < lanes)
    return *std::max_element(values, values + count);
  T greatest[lanes];
  std::copy_n(values, lanes, greatest);
  auto take = [&](const T *from) {
    for (size_t lane = 0; lane < lanes; ++lane)
      greatest[lane] = std::max(greatest[lane], from[lane]);
  };
  for (size_t i = lanes; i + lanes <= count; i += lanes)
    take(values + i);
  take(values + count - lanes);
  for (size_t half = lanes / 2; half > 0; half /= 2)
    for (size_t lane = 0; lane < half; ++lane)
      greatest[lane] = std::max(greatest[lane], greatest[lane + half]);
  return greatest[0];
}

/// The scores without those of the background. They are read where they are
/// needed: all of them as reals are more than the rest of a model may take.
class Scores {
public:
  Scores(const Use &use, const DetectionOptions &options)
      : use(use), stride(size_t(use.extent(1, 2))),
        background(stride - size_t(options.classes)),
        buffer(size_t(options.classes)) {}

  /// Returns the scores of \p box by class, until the next call.
  std::span<const float> row(size_t box) {
    readReals(use, 1, box * stride + background, buffer);
    return buffer;
  }
  /// Reads the score of the best class of each box.
  void readBest(std::span<float> to) {
    const TensorType &type = use.input(1);
    if (type.type == OperandType::TENSOR_QUANT8_ASYMM && type.scale >= 0.0f)
      return readBestBytes<uint8_t>(to);
    if (type.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED &&
        type.scale >= 0.0f)
      return readBestBytes<int8_t>(to);
    for (size_t box = 0; box < to.size(); ++box)
      to[box] = *std::ranges::max_element(row(box));
  }
  /// Reads the scores of class \p index by box.
  void readColumn(size_t index, std::span<float> to) const {
    for (size_t box = 0; box < to.size(); ++box)
      readReals(use, 1, box * stride + background + index, to.subspan(box, 1));
  }

private:
  /// The greatest byte stands for the greatest real, and is found many times
  /// faster.
  template <typename T> void readBestBytes(std::span<float> to) const {
    const T *scores = elementsOf<T>(use, 1).data() + background;
    for (size_t box = 0; box < to.size(); ++box)
      to[box] = realOf(use.input(1),
                       greatestByte(scores + box * stride, buffer.size()));
  }

  const Use &use;
  size_t stride, background;
  std::vector<float> buffer;
};

/// Suppresses the boxes of each class by themselves and keeps the best of all.
std::vector<Detection> detectRegular(Boxes &boxes, const Scores &scores,
                                     const DetectionOptions &options) {
  std::vector<Detection> best;
  std::vector<float> column(boxes.count());
  for (int32_t index = 0; index < options.classes; ++index) {
    scores.readColumn(size_t(index), column);
    for (int32_t box :
         suppress(boxes, column, options, size_t(options.perClass)))
      best.push_back({box, index, column[size_t(box)]});
    size_t count = std::min(best.size(), size_t(options.maxDetections));
    if (count == 0)
      continue;
    std::vector<float> values(best.size());
    std::ranges::transform(best, values.begin(), &Detection::score);
    std::vector<Detection> next;
    for (int32_t place : greatest(values, count))
      next.push_back(best[size_t(place)]);
    best = std::move(next);
  }
  return best;
}

/// Suppresses boxes by the score of their best class; the detections of a box
/// are its best classes.
std::vector<std::vector<Detection>>
detectFast(Boxes &boxes, Scores &scores, const DetectionOptions &options) {
  std::vector<float> best(boxes.count());
  scores.readBest(best);
  auto count = size_t(std::min(options.maxClasses, options.classes));
  std::vector<std::vector<Detection>> detections;
  for (int32_t box :
       suppress(boxes, best, options, size_t(options.maxDetections))) {
    std::vector<Detection> &places = detections.emplace_back();
    std::span<const float> row = scores.row(size_t(box));
    for (int32_t index : greatest(row, count))
      places.push_back({box, index, row[size_t(index)]});
  }
  return detections;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The memory of the results, in the order of the operator's.
struct Results {
  std::span<float> boxes, classes, scores, count;

  void write(size_t place, const Detection &detection, const Box &box) {
    float *corners = boxes.data() + place * 4;
    corners[0] = box.yMin;
    corners[1] = box.xMin;
    corners[2] = box.yMax;
    corners[3] = box.xMax;
    classes[place] = float(detection.classIndex);
    scores[place] = detection.score;
  }
};

Result<Results> allocateResults(ExtensionOutputs &outputs, int64_t places) {
  Results results;
  NNHAL_ASSIGN_OR_RETURN(results.boxes,
                         allocate<float>(outputs, 0, {1, places, 4}));
  NNHAL_ASSIGN_OR_RETURN(results.classes,
                         allocate<float>(outputs, 1, {1, places}));
  NNHAL_ASSIGN_OR_RETURN(results.scores,
                         allocate<float>(outputs, 2, {1, places}));
  NNHAL_ASSIGN_OR_RETURN(results.count, allocate<float>(outputs, 3, {1}));
  return results;
}

Status execute(const Use &use, ExtensionOutputs &outputs) {
  NNHAL_ASSIGN_OR_RETURN(DetectionOptions options, optionsOf(use));
  NNHAL_ASSIGN_OR_RETURN(Boxes boxes, Boxes::read(use, options));
  NNHAL_ASSIGN_OR_RETURN(Results results,
                         allocateResults(outputs, placesOf(options)));
  Scores scores(use, options);
  if (options.isRegular) {
    std::vector<Detection> detections = detectRegular(boxes, scores, options);
    for (size_t i = 0; i < detections.size(); ++i)
      results.write(i, detections[i], boxes[size_t(detections[i].box)]);
    results.count[0] = float(detections.size());
    return Status::ok();
  }
  std::vector<std::vector<Detection>> detections =
      detectFast(boxes, scores, options);
  for (size_t i = 0; i < detections.size(); ++i)
    for (size_t j = 0; j < detections[i].size(); ++j)
      results.write(i * size_t(options.maxClasses) + j, detections[i][j],
                    boxes[size_t(detections[i][j].box)]);
  results.count[0] = float(detections.size());
  return Status::ok();
}

} // namespace

const OperatorRow tflite_custom::detectionRow = {"TFLite_Detection_PostProcess",
                                                 check, execute};
