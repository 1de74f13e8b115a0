//===- RecipesLookup.cpp - Lookup, Detection and ControlFlow --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>
#include <array>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandType;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

static uint32_t drawIndices(Draft &draft, uint32_t count, int64_t low,
                            int64_t high) {
  std::vector<double> indices;
  indices.reserve(count);
  for (uint32_t i = 0; i < count; ++i)
    indices.push_back(double(draft.random.between(low, high)));
  return draft.list(OperandType::TENSOR_INT32, {count}, indices);
}

static void drawEmbeddingLookup(Draft &draft) {
  uint32_t values = draft.data(2, 4);
  uint32_t rows = draft.shape(values)[0];
  if (rows == 0)
    return draft.fail();
  auto count = uint32_t(draft.random.between(1, 4));
  draft.inputs({drawIndices(draft, count, 0, rows - 1), values});
  draft.outputLike(values);
}

static void drawHashtableLookup(Draft &draft) {
  uint32_t values = draft.data(2, 4);
  std::vector<int64_t> keys;
  for (uint32_t i = 0; i < draft.shape(values)[0]; ++i)
    keys.push_back((keys.empty() ? 0 : keys.back()) +
                   draft.random.between(1, 2));
  if (keys.empty())
    return draft.fail();
  auto count = uint32_t(draft.random.between(1, 4));
  draft.inputs({drawIndices(draft, count, 0, keys.back() + 1), draft.ints(keys),
                values});
  draft.outputLike(values);
  draft.output(OperandType::TENSOR_QUANT8_ASYMM, {1.0f, 0});
}

static void drawLshProjection(Draft &draft) {
  OperandType hashType = draft.random.pick(
      {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16});
  auto functions = uint32_t(draft.random.between(1, 4));
  auto bits = uint32_t(draft.random.between(1, 8));
  uint32_t hash = draft.weights(hashType, {functions, bits}, {});
  uint32_t input = draft.data(1, 3);
  uint32_t rows = draft.shape(input)[0];
  draft.inputs(
      {hash, input,
       draft.omits() || rows == 0
           ? draft.omitted(hashType, {std::max<uint32_t>(rows, 1)})
           : draft.weights(hashType, {rows}, {}, {.low = 0.25, .high = 1.0}),
       draft.scalar(draft.random.between(1, 3))});
  draft.output(OperandType::TENSOR_INT32);
}

static void drawRandomMultinomial(Draft &draft) {
  uint32_t logits = draft.data(2, 2);
  draft.inputs({logits, draft.scalar(draft.random.pick({64, 200, 400})),
                draft.ints({draft.random.between(1, 1000),
                            draft.random.between(1, 1000)})});
  draft.output(OperandType::TENSOR_INT32);
}

static constexpr OperandType tableTypes[] = {OperandType::TENSOR_FLOAT32,
                                             OperandType::TENSOR_INT32,
                                             OperandType::TENSOR_QUANT8_ASYMM};
static constexpr OperandType hashedTypes[] = {
    OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_INT32, OperandType::TENSOR_QUANT8_ASYMM};

std::span<const Recipe> randomgraph::lookupRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {EMBEDDING_LOOKUP, types::numbers, drawEmbeddingLookup},
      {HASHTABLE_LOOKUP, tableTypes, drawHashtableLookup},
      {LSH_PROJECTION, hashedTypes, drawLshProjection},
      {RANDOM_MULTINOMIAL, types::floats, drawRandomMultinomial},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

/// The type of coordinates beside values of \p type (M-248).
static OperandType coordinateType(OperandType type) {
  return isAsymmetric(type) ? OperandType::TENSOR_QUANT16_ASYMM : type;
}

/// Coordinates, which are in steps of an eighth where they are quantized.
static uint32_t coordinates(Draft &draft, OperandType of, const Shape &shape,
                            std::vector<double> elements) {
  Quantization stated;
  if (isQuantized(of)) {
    stated = {0.125f, 0};
    for (double &element : elements)
      element = element * 8.0;
  }
  TestTensor tensor = makeTensor(of, shape, elements);
  return draft.random.chance(50)
             ? draft.addConstant(of, std::move(tensor), stated)
             : draft.addParameterInput(of, std::move(tensor), stated);
}

static constexpr int64_t imageSize = 32;

/// \p count boxes inside an image, each as \p repeats corner pairs.
static uint32_t drawBoxes(Draft &draft, uint32_t count, uint32_t repeats = 1) {
  std::vector<double> corners;
  for (uint32_t i = 0; i < count * repeats; ++i) {
    double left = double(draft.random.between(0, 4 * imageSize)) / 8.0;
    double top = double(draft.random.between(0, 4 * imageSize)) / 8.0;
    double width = double(draft.random.between(8, 4 * imageSize)) / 8.0;
    double height = double(draft.random.between(8, 4 * imageSize)) / 8.0;
    corners.insert(corners.end(), {left, top, left + width, top + height});
  }
  return coordinates(draft, coordinateType(draft.type), {count, 4 * repeats},
                     corners);
}

/// A batch index per box, ascending.
static uint32_t drawBatches(Draft &draft, uint32_t count, uint32_t batches) {
  std::vector<int64_t> indices;
  indices.reserve(count);
  for (uint32_t i = 0; i < count; ++i)
    indices.push_back(int64_t(draft.random.below(batches)));
  std::ranges::sort(indices);
  return draft.ints(indices);
}

static uint32_t drawImageInfo(Draft &draft, OperandType of, uint32_t batches) {
  std::vector<double> sizes(2 * size_t(batches), double(imageSize));
  return coordinates(draft, of, {batches, 2}, sizes);
}

/// Small changes of boxes; quantized ones of a small scale.
static uint32_t drawDeltas(Draft &draft, OperandType of, const Shape &shape) {
  Quantization stated;
  if (isQuantized(of))
    stated = {0.01f, of == OperandType::TENSOR_QUANT8_ASYMM ? 128 : 0};
  return draft.tensor(of, shape, stated, {.low = -0.5, .high = 0.5});
}

static uint32_t drawScores(Draft &draft, const Shape &shape) {
  Quantization stated;
  if (isQuantized(draft.type))
    stated = {0x1p-8f,
              draft.type == OperandType::TENSOR_QUANT8_ASYMM ? 0 : -128};
  return draft.tensor(draft.type, shape, stated, {.low = 0.0, .high = 1.0});
}

static void drawBBoxTransform(Draft &draft) {
  bool isQuantizedBoxes = draft.type == OperandType::TENSOR_QUANT16_ASYMM;
  OperandType deltaType =
      isQuantizedBoxes
          ? draft.random.pick({OperandType::TENSOR_QUANT8_ASYMM,
                               OperandType::TENSOR_QUANT8_ASYMM_SIGNED})
          : draft.type;
  auto count = uint32_t(draft.random.between(1, 5));
  auto classes = uint32_t(draft.random.between(1, 3));
  auto batches = uint32_t(draft.random.between(1, 2));
  uint32_t rois = drawBoxes(draft, count);
  draft.inputs({rois, drawDeltas(draft, deltaType, {count, 4 * classes}),
                drawBatches(draft, count, batches),
                drawImageInfo(draft, draft.type, batches)});
  draft.outputLike(rois);
}

static void drawBoxWithNmsLimit(Draft &draft) {
  auto count = uint32_t(draft.random.between(1, 6));
  auto classes = uint32_t(draft.random.between(2, 3));
  uint32_t scores = drawScores(draft, {count, classes});
  uint32_t boxes = drawBoxes(draft, count, classes);
  // A threshold that no score reaches yields tensors without elements.
  double threshold = draft.makesEmpty() ? 2.0 : draft.random.pick({0.0, 0.25});
  draft.inputs({scores, boxes, drawBatches(draft, count, 2),
                draft.real(threshold),
                draft.scalar(draft.random.pick({-1, 1, 3})),
                draft.scalar(draft.random.between(0, 2)),
                draft.real(draft.random.pick({0.3, 0.5})),
                draft.real(draft.random.pick({0.5, 1.0})),
                draft.real(draft.random.pick({0.0, 0.125}))});
  draft.outputLike(scores);
  draft.outputLike(boxes);
  draft.output(OperandType::TENSOR_INT32);
  draft.output(OperandType::TENSOR_INT32);
}

static void drawDetectionPostprocessing(Draft &draft) {
  auto batches = uint32_t(draft.random.between(1, 2));
  auto count = uint32_t(draft.random.between(1, 6));
  auto classes = uint32_t(draft.random.between(2, 4));
  uint32_t scores = drawScores(draft, {batches, count, classes});
  uint32_t deltas = drawDeltas(draft, draft.type, {batches, count, 4});
  std::vector<double> anchors;
  for (uint32_t i = 0; i < count; ++i)
    for (int k = 0; k < 4; ++k)
      anchors.push_back(double(draft.random.between(1, 15)) / 16.0);
  draft.inputs(
      {scores, deltas, coordinates(draft, draft.type, {count, 4}, anchors)});
  for (double scale : {10.0, 10.0, 5.0, 5.0})
    draft.input(draft.real(scale));
  draft.inputs({draft.boolean(draft.random.chance(50)),
                draft.scalar(draft.random.between(1, 4)),
                draft.scalar(draft.random.between(1, 2)),
                draft.scalar(draft.random.between(1, 3)),
                draft.real(draft.random.pick({0.0, 0.125, 0.5})),
                draft.real(draft.random.pick({0.3, 0.5})),
                draft.boolean(draft.random.chance(50))});
  draft.output(draft.type, {});
  draft.output(draft.type, {});
  draft.output(OperandType::TENSOR_INT32);
  draft.output(OperandType::TENSOR_INT32);
}

/// NHWC extents in the order that \p isNchw says.
static Shape inLayout(bool isNchw, const Shape &nhwc) {
  return isNchw ? Shape{nhwc[0], nhwc[3], nhwc[1], nhwc[2]} : nhwc;
}

static void drawGenerateProposals(Draft &draft) {
  Random &random = draft.random;
  bool isNchw = random.chance(50);
  auto batches = uint32_t(random.between(1, 2));
  auto height = uint32_t(random.between(1, 3));
  auto width = uint32_t(random.between(1, 3));
  auto count = uint32_t(random.between(1, 3));
  uint32_t scores =
      drawScores(draft, inLayout(isNchw, {batches, height, width, count}));
  uint32_t deltas = drawDeltas(
      draft, draft.type, inLayout(isNchw, {batches, height, width, 4 * count}));
  std::vector<double> anchors;
  for (uint32_t i = 0; i < count; ++i) {
    double half = double(random.between(2, 8));
    anchors.insert(anchors.end(), {-half, -half, half, half});
  }
  OperandType anchorType =
      isAsymmetric(draft.type) ? OperandType::TENSOR_QUANT16_SYMM : draft.type;
  OperandType boxType = coordinateType(draft.type);
  draft.inputs(
      {scores, deltas, coordinates(draft, anchorType, {count, 4}, anchors),
       drawImageInfo(draft, boxType, batches),
       draft.real(random.pick({4.0, 8.0})), draft.real(random.pick({4.0, 8.0})),
       draft.scalar(random.pick({-1, 4, 8})),
       draft.scalar(random.pick({-1, 2, 4})),
       draft.real(random.pick({0.3, 0.7})),
       draft.real(draft.makesEmpty() ? 4096.0 : random.pick({1.0, 2.0})),
       draft.boolean(isNchw)});
  draft.outputLike(scores);
  Quantization boxes;
  if (isQuantized(boxType))
    boxes = {0.125f, 0};
  draft.output(boxType, boxes);
  draft.output(OperandType::TENSOR_INT32);
}

static void drawHeatmapMaxKeypoint(Draft &draft) {
  bool isNchw = draft.random.chance(50);
  auto count = uint32_t(draft.random.between(1, 3));
  auto size = uint32_t(draft.random.between(2, 5));
  auto keypoints = uint32_t(draft.random.between(1, 3));
  uint32_t heatmaps = draft.tensor(
      draft.type, inLayout(isNchw, {count, size, size, keypoints}));
  draft.inputs({heatmaps, drawBoxes(draft, count), draft.boolean(isNchw)});
  draft.output();
  OperandType boxType = coordinateType(draft.type);
  Quantization boxes;
  if (isQuantized(boxType))
    boxes = {0.125f, 0};
  draft.output(boxType, boxes);
}

/// What ROI_ALIGN and ROI_POOLING have in common; the layout.
static bool drawRoiInputs(Draft &draft) {
  bool isNchw = draft.random.chance(50);
  uint32_t features = draft.data(4, 4);
  const Shape shape = draft.shape(features);
  auto count = uint32_t(draft.random.between(1, 4));
  uint32_t batches = std::max<uint32_t>(shape[0], 1);
  draft.inputs({features, drawBoxes(draft, count),
                drawBatches(draft, count, batches),
                draft.scalar(draft.random.between(1, 3)),
                draft.scalar(draft.random.between(1, 3))});
  // So that the whole image lies within the features.
  for (size_t axis : {size_t(isNchw ? 2 : 1), size_t(isNchw ? 3 : 2)}) {
    uint32_t extent = shape[axis];
    draft.input(draft.real(extent >= 4 ? 8.0 : extent >= 2 ? 16.0 : 32.0));
  }
  return isNchw;
}

static void drawRoiAlign(Draft &draft) {
  bool isNchw = drawRoiInputs(draft);
  draft.inputs({draft.scalar(draft.random.between(0, 2)),
                draft.scalar(draft.random.between(0, 2)),
                draft.boolean(isNchw)});
  draft.output();
}

static void drawRoiPooling(Draft &draft) {
  bool isNchw = drawRoiInputs(draft);
  draft.input(draft.boolean(isNchw));
  draft.outputLike(draft.drawnInputs()[0]);
}

static constexpr OperandType roiTypes[] = {OperandType::TENSOR_FLOAT32,
                                           OperandType::TENSOR_FLOAT16,
                                           OperandType::TENSOR_QUANT16_ASYMM};

std::span<const Recipe> randomgraph::detectionRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {AXIS_ALIGNED_BBOX_TRANSFORM, roiTypes, drawBBoxTransform},
      {BOX_WITH_NMS_LIMIT, types::floatsAndQuantized, drawBoxWithNmsLimit},
      {DETECTION_POSTPROCESSING, types::floats, drawDetectionPostprocessing},
      {GENERATE_PROPOSALS, types::floatsAndQuantized, drawGenerateProposals},
      {HEATMAP_MAX_KEYPOINT, types::floatsAndQuantized, drawHeatmapMaxKeypoint},
      {ROI_ALIGN, types::floatsAndQuantized, drawRoiAlign},
      {ROI_POOLING, types::floatsAndQuantized, drawRoiPooling},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// ControlFlow
//===----------------------------------------------------------------------===//

std::span<const Recipe> randomgraph::controlFlowRecipes() {
  static constexpr Recipe rows[] = {
      {OperationType::IF, types::numbersAndBools, nullptr},
      {OperationType::WHILE, types::numbersAndBools, nullptr},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// All families
//===----------------------------------------------------------------------===//

std::span<const Recipe> randomgraph::allRecipes() {
  static const std::vector<Recipe> rows = [] {
    std::vector<Recipe> all;
    for (std::span<const Recipe> family :
         {elementwiseRecipes(), activationRecipes(), contractionRecipes(),
          windowRecipes(), normalizationRecipes(), reductionRecipes(),
          dataMovementRecipes(), quantizationRecipes(), lookupRecipes(),
          recurrentRecipes(), detectionRecipes(), controlFlowRecipes()})
      all.insert(all.end(), family.begin(), family.end());
    return all;
  }();
  return rows;
}

const Recipe *randomgraph::lookUpRecipe(OperationType operation) {
  for (const Recipe &recipe : allRecipes())
    if (recipe.operation == operation)
      return &recipe;
  return nullptr;
}
