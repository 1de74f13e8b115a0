//===- RecipesDataMovement.cpp - DataMovement, Reduction and others -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recipes.h"

#include <algorithm>
#include <numeric>

using namespace nnhal;
using namespace nnhal::randomgraph;
using rt::OperandType;
using rt::OperationType;

using Int64s = std::vector<int64_t>;

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

static Int64s drawAxes(Draft &draft, uint32_t operand) {
  Int64s axes;
  for (int64_t i = draft.random.between(1, 3); i > 0; --i)
    axes.push_back(drawAxis(draft, operand));
  return axes;
}

static void drawMean(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.ints(drawAxes(draft, input)),
                draft.scalar(draft.random.between(0, 1))});
  draft.outputLike(input);
}

static void drawReduce(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.ints(drawAxes(draft, input)),
                draft.boolean(draft.random.chance(50))});
  draft.outputLike(input);
}

static void drawArg(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, draft.scalar(drawAxis(draft, input))});
  draft.output(OperandType::TENSOR_INT32);
}

static void drawTopK(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  uint32_t extent = draft.shape(input).back();
  if (extent == 0)
    return draft.fail();
  draft.inputs({input, draft.scalar(draft.random.between(1, extent))});
  draft.outputLike(input);
  draft.output(OperandType::TENSOR_INT32);
}

std::span<const Recipe> randomgraph::reductionRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {MEAN, types::floatsAndQuantized, drawMean},
      {REDUCE_SUM, types::floats, drawReduce},
      {REDUCE_PROD, types::floats, drawReduce},
      {REDUCE_MAX, types::floatsAndQuantized, drawReduce},
      {REDUCE_MIN, types::floatsAndQuantized, drawReduce},
      {REDUCE_ALL, types::bools, drawReduce},
      {REDUCE_ANY, types::bools, drawReduce},
      {ARGMAX, types::numbers, drawArg},
      {ARGMIN, types::numbers, drawArg},
      {TOPK_V2, types::numbers, drawTopK},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static void drawReshape(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  uint64_t rest = elementCount(draft.shape(input));
  Int64s shape;
  for (int64_t i = draft.random.between(0, 3); i > 0 && rest > 1; --i) {
    Int64s divisors;
    for (uint64_t k = 1; k <= rest && k <= 12; ++k)
      if (rest % k == 0)
        divisors.push_back(int64_t(k));
    shape.push_back(draft.random.pick<int64_t>(divisors));
    rest /= uint64_t(shape.back());
  }
  shape.push_back(int64_t(rest));
  if (draft.random.chance(40))
    shape[draft.random.below(shape.size())] = -1;
  draft.inputs({input, draft.ints(shape)});
  draft.outputLike(input);
}

static void drawSqueeze(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  const Shape shape = draft.shape(input);
  Int64s axes;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 1 && draft.random.chance(70))
      axes.push_back(int64_t(i));
  draft.input(input);
  draft.input(draft.omits() || axes.empty()
                  ? draft.omitted(OperandType::TENSOR_INT32, {1})
                  : draft.ints(axes));
  draft.outputLike(input);
}

static void drawExpandDims(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  auto rank = int64_t(draft.shape(input).size());
  draft.inputs({input, draft.scalar(draft.random.between(-rank - 1, rank))});
  draft.outputLike(input);
}

static void drawTranspose(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  Int64s permutation(draft.shape(input).size());
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[draft.random.below(i)]);
  draft.input(input);
  draft.input(draft.omits() ? draft.omitted(OperandType::TENSOR_INT32,
                                            {uint32_t(permutation.size())})
                            : draft.ints(permutation));
  draft.outputLike(input);
}

static void drawConcatenation(Draft &draft) {
  uint32_t first = draft.data(1, 4);
  Shape shape = draft.shape(first);
  auto axis = draft.random.below(shape.size());
  draft.input(first);
  for (int64_t i = draft.random.between(0, 3); i > 0; --i) {
    shape[axis] = uint32_t(draft.random.between(1, 4));
    draft.input(draft.tensor(draft.type, shape));
  }
  draft.input(draft.scalar(axis));
  draft.output();
}

static void drawSplit(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  const Shape shape = draft.shape(input);
  auto rank = int64_t(shape.size());
  auto axis = int64_t(draft.random.below(shape.size()));
  Int64s counts;
  for (uint32_t i = 1; i <= std::min<uint32_t>(shape[size_t(axis)], 4); ++i)
    if (shape[size_t(axis)] % i == 0)
      counts.push_back(i);
  if (counts.empty())
    return draft.fail();
  int64_t count = draft.random.pick<int64_t>(counts);
  draft.inputs({input,
                draft.scalar(draft.random.chance(30) ? axis - rank : axis),
                draft.scalar(count)});
  for (int64_t i = 0; i < count; ++i)
    draft.outputLike(input);
}

static void drawGather(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  int64_t axis = drawAxis(draft, input);
  auto rank = int64_t(draft.shape(input).size());
  uint32_t extent = draft.shape(input)[size_t(axis < 0 ? axis + rank : axis)];
  if (extent == 0)
    return draft.fail();
  Shape indexShape = draft.drawShape(1, 2);
  for (uint32_t &each : indexShape)
    each = std::min<uint32_t>(each, 4);
  std::vector<double> indices(elementCount(indexShape));
  for (double &index : indices)
    index = double(draft.random.below(extent));
  draft.inputs({input, draft.scalar(axis),
                draft.list(OperandType::TENSOR_INT32, indexShape, indices)});
  draft.outputLike(input);
}

static void drawChannelShuffle(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  int64_t axis = drawAxis(draft, input);
  auto rank = int64_t(draft.shape(input).size());
  uint32_t extent = draft.shape(input)[size_t(axis < 0 ? axis + rank : axis)];
  Int64s divisors;
  for (uint32_t i = 1; i <= extent; ++i)
    if (extent % i == 0)
      divisors.push_back(i);
  if (divisors.empty())
    return draft.fail();
  draft.inputs({input, draft.scalar(draft.random.pick<int64_t>(divisors)),
                draft.scalar(axis)});
  draft.outputLike(input);
}

//===----------------------------------------------------------------------===//
// Parts and copies
//===----------------------------------------------------------------------===//

static void drawSlice(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  const Shape shape = draft.shape(input);
  Int64s begin, size;
  bool isEmpty = draft.makesEmpty();
  for (uint32_t extent : shape) {
    begin.push_back(draft.random.between(0, extent ? extent - 1 : 0));
    int64_t rest = extent - begin.back();
    size.push_back(draft.random.chance(25)
                       ? -1
                       : draft.random.between(rest > 0 ? 1 : 0, rest));
  }
  if (isEmpty)
    size[draft.random.below(size.size())] = 0;
  draft.inputs({input, draft.ints(begin), draft.ints(size)});
  draft.outputLike(input);
}

static void drawStridedSlice(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  const Shape shape = draft.shape(input);
  Random &random = draft.random;
  Int64s begin, end, strides;
  int64_t shrinkMask = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t extent = shape[i];
    if (extent == 0)
      return draft.fail();
    bool isShrunk = random.chance(12);
    bool isBackward = !isShrunk && random.chance(25);
    int64_t from = random.between(0, extent - 1);
    int64_t stride = isShrunk ? 1 : random.between(1, 2);
    begin.push_back(random.chance(20) ? from - extent : from);
    end.push_back(isShrunk     ? from + 1
                  : isBackward ? random.between(-extent - 1, from)
                               : random.between(from + 1, extent + 1));
    // An end of -1 counts from the end: it leaves out the last element.
    strides.push_back(isBackward ? -stride : stride);
    if (isShrunk) {
      begin.back() = from;
      shrinkMask |= int64_t(1) << i;
    }
  }
  int64_t bits = (int64_t(1) << shape.size()) - 1;
  auto drawMask = [&] {
    return random.chance(40) ? random.between(0, bits) & ~shrinkMask : 0;
  };
  draft.inputs({input, draft.ints(begin), draft.ints(end), draft.ints(strides),
                draft.scalar(drawMask()), draft.scalar(drawMask()),
                draft.scalar(shrinkMask)});
  draft.outputLike(input);
}

static uint32_t drawPaddings(Draft &draft, size_t rows) {
  std::vector<double> paddings;
  paddings.reserve(2 * rows);
  for (size_t i = 0; i < 2 * rows; ++i)
    paddings.push_back(double(draft.random.between(0, 2)));
  return draft.list(OperandType::TENSOR_INT32, {uint32_t(rows), 2}, paddings);
}

static void drawPad(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, drawPaddings(draft, draft.shape(input).size())});
  draft.outputLike(input);
}

static void drawPadV2(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  draft.inputs({input, drawPaddings(draft, draft.shape(input).size())});
  ElementRange range = elementRange(draft.type);
  draft.input(isFloat(draft.type)
                  ? draft.real(draft.random.pick({0.0, 1.5, -3.0}))
                  : draft.scalar(draft.random.between(range.low, range.high)));
  draft.outputLike(input);
}

static void drawTile(Draft &draft) {
  uint32_t input = draft.data(1, 4);
  Int64s multiples;
  for (size_t i = 0; i < draft.shape(input).size(); ++i)
    multiples.push_back(draft.random.pick({1, 1, 2, 3}));
  draft.inputs({input, draft.ints(multiples)});
  draft.outputLike(input);
}

static void drawFill(Draft &draft) {
  Shape shape = draft.drawShape(1, 4);
  Int64s sizes(shape.begin(), shape.end());
  if (draft.makesEmpty())
    sizes[draft.random.below(sizes.size())] = 0;
  draft.inputs(
      {draft.ints(sizes), isFloat(draft.type)
                              ? draft.real(draft.random.pick({0.0, 0.5, -2.0}))
                              : draft.scalar(draft.random.between(-9, 9))});
  draft.output();
}

static constexpr OperandType allTensors[] = {
    OperandType::TENSOR_FLOAT32,
    OperandType::TENSOR_INT32,
    OperandType::TENSOR_QUANT8_ASYMM,
    OperandType::TENSOR_QUANT16_SYMM,
    OperandType::TENSOR_FLOAT16,
    OperandType::TENSOR_BOOL8,
    OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL,
    OperandType::TENSOR_QUANT16_ASYMM,
    OperandType::TENSOR_QUANT8_SYMM,
    OperandType::TENSOR_QUANT8_ASYMM_SIGNED};

/// An operand of the draft's type, with scales where it has some per channel.
static uint32_t drawAnyTensor(Draft &draft, unsigned highRank) {
  if (draft.type != OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL)
    return draft.data(1, highRank);
  Shape shape = draft.drawShape(1, highRank);
  auto channelDim = draft.random.below(shape.size());
  return draft.channelWeights(shape, channelDim, 0x1p-5f);
}

static void drawRank(Draft &draft) {
  draft.input(drawAnyTensor(draft, 4));
  draft.output(OperandType::INT32);
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

namespace {

struct Layout {
  bool isStated = false;
  bool isNchw = false;
};

} // namespace

static Layout drawLayout(Draft &draft) {
  Layout layout;
  layout.isStated = draft.random.chance(50);
  layout.isNchw = layout.isStated && draft.random.chance(50);
  return layout;
}

/// Extents in the order of \p layout.
static Shape inLayout(const Layout &layout, const Shape &nhwc) {
  if (!layout.isNchw)
    return nhwc;
  return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
}

/// An operand whose extents are these multiples in NHWC order.
static uint32_t drawMultiple(Draft &draft, const Layout &layout,
                             const Shape &multiples) {
  Shape shape;
  for (uint32_t multiple : multiples)
    shape.push_back(multiple * uint32_t(draft.random.between(1, 2)));
  return draft.tensor(draft.type, inLayout(layout, shape));
}

static void drawDepthToSpace(Draft &draft) {
  Layout layout = drawLayout(draft);
  auto block = uint32_t(draft.random.between(1, 3));
  uint32_t input = drawMultiple(draft, layout, {1, 2, 1, block * block});
  draft.inputs({input, draft.scalar(block)});
  if (layout.isStated)
    draft.input(draft.boolean(layout.isNchw));
  draft.outputLike(input);
}

static void drawSpaceToDepth(Draft &draft) {
  Layout layout = drawLayout(draft);
  auto block = uint32_t(draft.random.between(1, 3));
  uint32_t input = drawMultiple(draft, layout, {1, block, block, 2});
  draft.inputs({input, draft.scalar(block)});
  if (layout.isStated)
    draft.input(draft.boolean(layout.isNchw));
  draft.outputLike(input);
}

static void drawBatchToSpace(Draft &draft) {
  Layout layout = drawLayout(draft);
  auto high = uint32_t(draft.random.between(1, 2));
  auto wide = uint32_t(draft.random.between(1, 3));
  uint32_t input = drawMultiple(draft, layout, {high * wide, 2, 2, 1});
  draft.inputs({input, draft.ints({high, wide})});
  if (layout.isStated)
    draft.input(draft.boolean(layout.isNchw));
  draft.outputLike(input);
}

static void drawSpaceToBatch(Draft &draft) {
  Layout layout = drawLayout(draft);
  auto high = uint32_t(draft.random.between(1, 2));
  auto wide = uint32_t(draft.random.between(1, 3));
  uint32_t input = drawMultiple(draft, layout, {1, high, wide, 2});
  // Each pair adds a multiple of the block.
  auto pair = [&](uint32_t block) {
    auto total = double(block * draft.random.below(2));
    auto head = double(draft.random.between(0, int64_t(total)));
    return std::pair(head, total - head);
  };
  auto [top, bottom] = pair(high);
  auto [left, right] = pair(wide);
  draft.inputs({input, draft.ints({high, wide}),
                draft.list(OperandType::TENSOR_INT32, {2, 2},
                           {top, bottom, left, right})});
  if (layout.isStated)
    draft.input(draft.boolean(layout.isNchw));
  draft.outputLike(input);
}

std::span<const Recipe> randomgraph::dataMovementRecipes() {
  using enum OperationType;
  static constexpr Recipe rows[] = {
      {RESHAPE, types::floatsAndQuantized, drawReshape},
      {SQUEEZE, types::floatsAndQuantized, drawSqueeze},
      {EXPAND_DIMS, types::numbers, drawExpandDims},
      {TRANSPOSE, types::floatsAndQuantized, drawTranspose},
      {CONCATENATION, types::floatsAndQuantized, drawConcatenation},
      {SPLIT, types::numbers, drawSplit},
      {GATHER, types::numbers, drawGather},
      {CHANNEL_SHUFFLE, types::floatsAndQuantized, drawChannelShuffle},
      {SLICE, types::numbers, drawSlice},
      {STRIDED_SLICE, types::floatsAndQuantized, drawStridedSlice},
      {PAD, types::floatsAndQuantized, drawPad},
      {PAD_V2, types::floatsAndQuantized, drawPadV2},
      {TILE, types::numbers, drawTile},
      {FILL, types::floatsAndInts, drawFill},
      {RANK, allTensors, drawRank},
      {DEPTH_TO_SPACE, types::floatsAndQuantized, drawDepthToSpace},
      {SPACE_TO_DEPTH, types::floatsAndQuantized, drawSpaceToDepth},
      {BATCH_TO_SPACE_ND, types::floatsAndQuantized, drawBatchToSpace},
      {SPACE_TO_BATCH_ND, types::floatsAndQuantized, drawSpaceToBatch},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

static void drawQuantize(Draft &draft) {
  draft.input(draft.data(1, 4));
  draft.output(draft.random.pick({OperandType::TENSOR_QUANT8_ASYMM,
                                  OperandType::TENSOR_QUANT8_ASYMM_SIGNED}));
}

static void drawDequantize(Draft &draft) {
  draft.input(drawAnyTensor(draft, 4));
  draft.output(draft.random.pick(
      {OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16}));
}

static constexpr OperandType quantizedBytes[] = {
    OperandType::TENSOR_QUANT8_ASYMM, OperandType::TENSOR_QUANT8_ASYMM_SIGNED,
    OperandType::TENSOR_QUANT8_SYMM,
    OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL};

std::span<const Recipe> randomgraph::quantizationRecipes() {
  static constexpr Recipe rows[] = {
      {OperationType::QUANTIZE, types::floats, drawQuantize},
      {OperationType::DEQUANTIZE, quantizedBytes, drawDequantize},
  };
  return rows;
}
