//===- RecipesContraction.cpp - Contraction, Window and Normalization -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandType;
using rt::OperationType;

namespace {

/// What operations on images have in common.
struct Image {
  uint32_t operand = 0;
  bool isNchw = false;
  bool hasLayout = false;
  uint32_t height = 1, width = 1, channels = 1;
};

} // namespace

static Image drawImage(Draft &draft, bool needsLayout = false) {
  Image image;
  image.operand = draft.data(4, 4);
  image.hasLayout = needsLayout || draft.random.chance(40);
  image.isNchw = image.hasLayout && draft.random.chance(50);
  const Shape &shape = draft.shape(image.operand);
  size_t first = image.isNchw ? 2 : 1;
  image.height = shape[first];
  image.width = shape[first + 1];
  image.channels = shape[image.isNchw ? 1 : 3];
  if (elementCount(shape) == 0)
    draft.fail();
  return image;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// A window with its strides and dilations.
struct Window {
  int64_t height = 1, width = 1;
  int64_t strideHeight = 1, strideWidth = 1;
  int64_t dilationHeight = 1, dilationWidth = 1;
  bool isDilated = false;
  bool isImplicit = false;
};

} // namespace

static Window drawWindow(Draft &draft, const Image &image, bool canDilate) {
  Random &random = draft.random;
  Window window;
  window.height = random.between(1, std::clamp<int64_t>(image.height, 1, 3));
  window.width = random.between(1, std::clamp<int64_t>(image.width, 1, 3));
  window.strideHeight = random.between(1, 2);
  window.strideWidth = random.between(1, 2);
  window.isImplicit = random.chance(60);
  window.isDilated = canDilate && image.hasLayout && random.chance(40);
  if (window.isDilated) {
    window.dilationHeight = random.between(1, 2);
    window.dilationWidth = random.between(1, 2);
  }
  return window;
}

/// Scheme, or left, right, top and bottom, then strides.
static void drawPadding(Draft &draft, const Window &window) {
  if (window.isImplicit) {
    draft.input(draft.scalar(draft.random.between(1, 2)));
  } else {
    int64_t wide = (window.width - 1) * window.dilationWidth;
    int64_t high = (window.height - 1) * window.dilationHeight;
    for (int64_t bound : {wide, wide, high, high})
      draft.input(
          draft.scalar(draft.random.between(0, std::min<int64_t>(bound, 2))));
  }
  draft.inputs(
      {draft.scalar(window.strideWidth), draft.scalar(window.strideHeight)});
}

static void drawLayoutAndDilations(Draft &draft, const Image &image,
                                   const Window &window) {
  if (image.hasLayout)
    draft.input(draft.boolean(image.isNchw));
  if (window.isDilated)
    draft.inputs({draft.scalar(window.dilationWidth),
                  draft.scalar(window.dilationHeight)});
}

static constexpr Values weightValues = {.low = -0.5, .high = 0.5};

/// Filter or weights, bias, and the result's quantization, for \p input.
static Quantization drawProduct(Draft &draft, uint32_t input,
                                const Shape &filterShape, uint32_t channelDim,
                                bool canBePerChannel) {
  uint32_t channels = filterShape[channelDim];
  if (!isAsymmetric(draft.type)) {
    draft.input(draft.weights(draft.type, filterShape, {}, weightValues));
    draft.input(draft.weights(draft.type, {channels}, {}));
    return {};
  }
  float filterScale = float(draft.random.pick({0x1p-8, 0x1p-7, 0.01, 0.02}));
  bool isPerChannel = canBePerChannel && draft.random.chance(35);
  uint32_t filter =
      isPerChannel ? draft.channelWeights(filterShape, channelDim, filterScale)
                   : draft.weights(draft.type, filterShape,
                                   draft.withScale(draft.type, filterScale));
  float product = draft.scale(input) * filterScale;
  Values biasValues = {.lowInteger = -2000, .highInteger = 2000};
  uint32_t bias = draft.weights(OperandType::TENSOR_INT32, {channels},
                                {isPerChannel ? 0.0f : product, 0}, biasValues);
  draft.inputs({filter, bias});
  uint64_t terms = elementCount(filterShape) / channels;
  float spread =
      float(draft.random.pick({4.0, 40.0, 200.0})) * float(terms < 4    ? 2
                                                           : terms < 20 ? 8
                                                                        : 20);
  return draft.withScale(draft.type, product * spread);
}

static void drawConv2D(Draft &draft) {
  Image image = drawImage(draft);
  Window window = drawWindow(draft, image, /*canDilate=*/true);
  draft.input(image.operand);
  auto channels = uint32_t(draft.random.between(1, 5));
  Quantization result = drawProduct(draft, image.operand,
                                    {channels, uint32_t(window.height),
                                     uint32_t(window.width), image.channels},
                                    0, /*canBePerChannel=*/true);
  drawPadding(draft, window);
  draft.input(drawActivation(draft));
  drawLayoutAndDilations(draft, image, window);
  draft.output(draft.type, result);
}

static void drawDepthwiseConv2D(Draft &draft) {
  Image image = drawImage(draft);
  Window window = drawWindow(draft, image, /*canDilate=*/true);
  draft.input(image.operand);
  auto multiplier = uint32_t(draft.random.between(1, 3));
  Quantization result =
      drawProduct(draft, image.operand,
                  {1, uint32_t(window.height), uint32_t(window.width),
                   image.channels * multiplier},
                  3, /*canBePerChannel=*/true);
  drawPadding(draft, window);
  draft.inputs({draft.scalar(multiplier), drawActivation(draft)});
  drawLayoutAndDilations(draft, image, window);
  draft.output(draft.type, result);
}

static void drawGroupedConv2D(Draft &draft) {
  Image image = drawImage(draft, /*needsLayout=*/true);
  Window window = drawWindow(draft, image, /*canDilate=*/false);
  draft.input(image.operand);
  std::vector<uint32_t> divisors;
  for (uint32_t i = 1; i <= image.channels; ++i)
    if (image.channels % i == 0)
      divisors.push_back(i);
  uint32_t groups =
      divisors.empty() ? 1 : draft.random.pick<uint32_t>(divisors);
  uint32_t channels = groups * uint32_t(draft.random.between(1, 2));
  Quantization result =
      drawProduct(draft, image.operand,
                  {channels, uint32_t(window.height), uint32_t(window.width),
                   std::max<uint32_t>(image.channels / groups, 1)},
                  0, /*canBePerChannel=*/true);
  drawPadding(draft, window);
  draft.inputs({draft.scalar(groups), drawActivation(draft),
                draft.boolean(image.isNchw)});
  draft.output(draft.type, result);
}

static void drawTransposeConv2D(Draft &draft) {
  Image image = drawImage(draft, /*needsLayout=*/true);
  Window window = drawWindow(draft, image, /*canDilate=*/false);
  draft.input(image.operand);
  auto channels = uint32_t(draft.random.between(1, 3));
  Quantization result = drawProduct(draft, image.operand,
                                    {channels, uint32_t(window.height),
                                     uint32_t(window.width), image.channels},
                                    0, /*canBePerChannel=*/true);
  if (window.isImplicit) {
    bool isSame = draft.random.chance(50);
    auto extent = [&](int64_t input, int64_t stride, int64_t size) {
      return isSame ? input * stride : (input - 1) * stride + size;
    };
    int64_t height = extent(image.height, window.strideHeight, window.height);
    int64_t width = extent(image.width, window.strideWidth, window.width);
    int64_t batch = draft.shape(image.operand)[0];
    draft.input(image.isNchw ? draft.ints({batch, channels, height, width})
                             : draft.ints({batch, height, width, channels}));
    draft.inputs({draft.scalar(isSame ? 1 : 2),
                  draft.scalar(window.strideWidth),
                  draft.scalar(window.strideHeight)});
  } else {
    drawPadding(draft, window);
  }
  draft.inputs({drawActivation(draft), draft.boolean(image.isNchw)});
  draft.output(draft.type, result);
}

static void drawFullyConnected(Draft &draft) {
  uint32_t input = draft.data(2, 4);
  uint32_t size = draft.shape(input).back();
  if (size == 0)
    return draft.fail();
  draft.input(input);
  auto units = uint32_t(draft.random.between(1, 6));
  Quantization result = drawProduct(draft, input, {units, size}, 0,
                                    /*canBePerChannel=*/false);
  draft.input(drawActivation(draft));
  draft.output(draft.type, result);
}

std::span<const Recipe> randomgraph::contractionRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {CONV_2D, types::floatsAndQuantized, drawConv2D},
      {DEPTHWISE_CONV_2D, types::floatsAndQuantized, drawDepthwiseConv2D},
      {GROUPED_CONV_2D, types::floatsAndQuantized, drawGroupedConv2D},
      {TRANSPOSE_CONV_2D, types::floatsAndQuantized, drawTransposeConv2D},
      {FULLY_CONNECTED, types::floatsAndQuantized, drawFullyConnected},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Window
//===----------------------------------------------------------------------===//

static void drawPool(Draft &draft) {
  Image image = drawImage(draft);
  Window window = drawWindow(draft, image, /*canDilate=*/false);
  draft.input(image.operand);
  drawPadding(draft, window);
  draft.inputs({draft.scalar(window.width), draft.scalar(window.height),
                drawActivation(draft)});
  if (image.hasLayout)
    draft.input(draft.boolean(image.isNchw));
  draft.outputLike(image.operand);
}

static void drawResize(Draft &draft, bool needsLayout) {
  Image image = drawImage(draft, needsLayout);
  draft.input(image.operand);
  if (draft.random.chance(40)) {
    for (int i = 0; i < 2; ++i)
      draft.input(draft.real(draft.random.pick({0.75, 1.5, 2.0, 1.0, 1.3})));
  } else {
    for (int i = 0; i < 2; ++i)
      draft.input(draft.scalar(draft.random.between(1, 8)));
  }
  if (image.hasLayout) {
    draft.input(draft.boolean(image.isNchw));
    if (draft.random.chance(50)) {
      bool alignsCorners = draft.random.chance(50);
      draft.input(draft.boolean(alignsCorners));
      if (draft.random.chance(60))
        draft.input(draft.boolean(!alignsCorners && draft.random.chance(60)));
    }
  }
  draft.outputLike(image.operand);
}

static void drawResizeBilinear(Draft &draft) { drawResize(draft, false); }
static void drawResizeNearest(Draft &draft) { drawResize(draft, true); }

std::span<const Recipe> randomgraph::windowRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {AVERAGE_POOL_2D, types::floatsAndQuantized, drawPool},
      {MAX_POOL_2D, types::floatsAndQuantized, drawPool},
      {L2_POOL_2D, types::floats, drawPool},
      {RESIZE_BILINEAR, types::floatsAndQuantized, drawResizeBilinear},
      {RESIZE_NEAREST_NEIGHBOR, types::floatsAndQuantized, drawResizeNearest},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

static void drawL2Normalization(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.input(input);
  if (draft.random.chance(50))
    draft.input(draft.scalar(drawAxis(draft, input)));
  draft.output();
}

static void drawLocalResponse(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.scalar(draft.random.between(0, 3)),
                draft.real(draft.random.pick({1.0, 2.0, 9.0})),
                draft.real(draft.random.pick({1.0, 0.5, 4.0})),
                draft.real(draft.random.pick({0.5, 0.75, 1.0}))});
  if (draft.random.chance(50))
    draft.input(draft.scalar(drawAxis(draft, input)));
  draft.output();
}

static void drawInstanceNormalization(Draft &draft) {
  Image image = drawImage(draft, /*needsLayout=*/true);
  draft.inputs({image.operand, draft.real(draft.random.pick({1.0, 2.0})),
                draft.real(draft.random.pick({0.0, 0.5})),
                draft.real(draft.random.pick({0.0625, 0.5})),
                draft.boolean(image.isNchw)});
  draft.output();
}

std::span<const Recipe> randomgraph::normalizationRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {L2_NORMALIZATION, types::floatsAndQuantized, drawL2Normalization},
      {LOCAL_RESPONSE_NORMALIZATION, types::floats, drawLocalResponse},
      {INSTANCE_NORMALIZATION, types::floats, drawInstanceNormalization},
  };
  return rows;
}
