//===- DataMovement.cpp - The DataMovement operations ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// All of the family copy elements without looking at them: a routine says where
// elements go and come from as a nest of loops, moveElements() runs it on
// bytes.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/DataMovement.h"

#include "Runtime/Routines/Routine.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

using Bytes = Elements<std::byte>;

//===----------------------------------------------------------------------===//
// Movements
//===----------------------------------------------------------------------===//

namespace {

/// One loop: how far a step goes in the result and in the input, in elements.
struct Loop {
  int64_t extent;
  int64_t to;
  int64_t from;
};

/// Loops, outermost first, and where both sides begin.
struct Movement {
  std::vector<Loop> loops;
  int64_t to = 0;
  int64_t from = 0;
};

} // namespace

static void moveElements(Bytes &to, std::span<const std::byte> from,
                         Movement movement, int64_t elementSize) {
  std::vector<Loop> &loops = movement.loops;
  for (const Loop &loop : loops)
    if (loop.extent == 0)
      return;
  int64_t run = elementSize;
  if (!loops.empty() && loops.back().to == 1 && loops.back().from == 1) {
    run *= loops.back().extent; // In one piece.
    loops.pop_back();
  }
  std::vector<int64_t> position(loops.size(), 0);
  while (true) {
    std::memcpy(to.data() + movement.to * elementSize,
                from.data() + movement.from * elementSize, size_t(run));
    size_t i = loops.size();
    while (i > 0 && position[i - 1] + 1 == loops[i - 1].extent) {
      movement.to -= position[i - 1] * loops[i - 1].to;
      movement.from -= position[i - 1] * loops[i - 1].from;
      position[--i] = 0;
    }
    if (i == 0)
      return;
    ++position[i - 1];
    movement.to += loops[i - 1].to;
    movement.from += loops[i - 1].from;
  }
}

/// Returns row-major strides in elements; zeros for a tensor without elements,
/// whose other extents have no bounded product.
static Shape stridesOf(std::span<const int64_t> shape) {
  Shape strides(shape.size(), 0);
  if (std::ranges::find(shape, 0) != shape.end())
    return strides;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

static int64_t elementBytes(const RoutineContext &context) {
  return elementSize(context.outputType(0).type);
}

/// Room for output \p index.
static Bytes outputBytes(const RoutineContext &context, size_t index = 0) {
  return Bytes(size_t(elementCount(context.outputShape(index)) *
                      elementSize(context.outputType(index).type)));
}

/// Moves input 0 to output 0, all of which \p movement covers.
static Status moveInput(RoutineContext &context, Movement movement) {
  Bytes result = outputBytes(context);
  moveElements(result, context.bytes(0), std::move(movement),
               elementBytes(context));
  context.storeBytes(0, std::move(result));
  return Status::ok();
}

/// \p count copies of \p element.
static Bytes repeat(std::span<const std::byte> element, int64_t count) {
  Bytes result(element.size() * size_t(count));
  for (size_t i = 0; i < result.size(); i += element.size())
    std::memcpy(result.data() + i, element.data(), element.size());
  return result;
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS and TRANSPOSE
//===----------------------------------------------------------------------===//

static Status rename(RoutineContext &context) {
  std::span<const std::byte> bytes = context.bytes(0);
  context.storeBytes(0, Bytes(bytes.begin(), bytes.end()));
  return Status::ok();
}

static Status transposeTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(Shape permutation,
                         decodePermutation(context.operation()));
  const Shape &shape = context.outputShape(0);
  Shape to = stridesOf(shape), from = stridesOf(context.inputShape(0));
  Movement movement;
  for (size_t i = 0; i < shape.size(); ++i)
    movement.loops.push_back({shape[i], to[i], from[size_t(permutation[i])]});
  return moveInput(context, std::move(movement));
}

//===----------------------------------------------------------------------===//
// CONCATENATION, SPLIT, GATHER and CHANNEL_SHUFFLE
//===----------------------------------------------------------------------===//

/// Elements of input \p index in the units of the output: rounded half away
/// from zero, saturated (M-110). Signed elements are treated as the unsigned
/// ones 128 above them (M-022).
static Bytes requantized(const RoutineContext &context, size_t index) {
  const TensorType &from = context.inputType(index);
  const TensorType &to = context.outputType(0);
  bool isSigned = to.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  int32_t shift = isSigned ? 128 : 0;
  float scale = from.scale * (1.0f / to.scale);
  float bias = float(-(from.zeroPoint + shift)) * scale;
  Bytes result;
  for (int32_t stored : context.integers(index)) {
    float value = std::round(float(stored + shift) * scale + bias) +
                  float(to.zeroPoint + shift);
    // Scales near the ends of their range make a NaN of 0 times infinity.
    if (std::isnan(value))
      value = float(to.zeroPoint + shift);
    auto element = int32_t(std::clamp(value, 0.0f, 255.0f)) - shift;
    result.push_back(std::byte(uint8_t(element)));
  }
  return result;
}

static Bytes partBytes(const RoutineContext &context, size_t index) {
  const TensorType &from = context.inputType(index);
  const TensorType &to = context.outputType(0);
  if (isQuantized(to.type) &&
      (from.scale != to.scale || from.zeroPoint != to.zeroPoint))
    return requantized(context, index);
  std::span<const std::byte> bytes = context.bytes(index);
  return Bytes(bytes.begin(), bytes.end());
}

static Status concatenate(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeAxis(context.operation()));
  Shape to = stridesOf(context.outputShape(0));
  Bytes result = outputBytes(context);
  int64_t offset = 0;
  for (size_t i = 0; i + 1 < context.inputCount(); ++i) {
    const Shape &shape = context.inputShape(i);
    Shape from = stridesOf(shape);
    Movement movement;
    for (size_t k = 0; k < shape.size(); ++k)
      movement.loops.push_back({shape[k], to[k], from[k]});
    movement.to = offset;
    moveElements(result, partBytes(context, i), std::move(movement),
                 elementBytes(context));
    offset += shape[size_t(axis)] * to[size_t(axis)];
  }
  context.storeBytes(0, std::move(result));
  return Status::ok();
}

static Status splitTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeAxis(context.operation()));
  Shape from = stridesOf(context.inputShape(0));
  int64_t offset = 0;
  for (size_t i = 0; i < context.outputCount(); ++i) {
    const Shape &shape = context.outputShape(i);
    Shape to = stridesOf(shape);
    Movement movement;
    for (size_t k = 0; k < shape.size(); ++k)
      movement.loops.push_back({shape[k], to[k], from[k]});
    movement.from = offset;
    Bytes result = outputBytes(context, i);
    moveElements(result, context.bytes(0), std::move(movement),
                 elementBytes(context));
    context.storeBytes(i, std::move(result));
    offset += shape[size_t(axis)] * from[size_t(axis)];
  }
  return Status::ok();
}

/// The number of elements before, on and after an axis.
namespace {
struct AxisSplit {
  int64_t outer;
  int64_t extent;
  int64_t inner;
};
} // namespace

/// The other extents of a tensor without elements, which have no bounded
/// product, count as 0.
static AxisSplit splitAt(std::span<const int64_t> shape, int64_t axis) {
  if (elementCount(shape) == 0)
    return {0, shape[size_t(axis)], 0};
  return {elementCount(shape.first(size_t(axis))), shape[size_t(axis)],
          elementCount(shape.subspan(size_t(axis) + 1))};
}

static Status gatherElements(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeAxis(context.operation()));
  auto [outer, extent, inner] = splitAt(context.inputShape(0), axis);
  Elements<int32_t> indices = context.integers(2);
  Bytes result = outputBytes(context);
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= extent) // gather C4
      return failure("index {} at position {} is outside [0, {})", indices[i],
                     i, extent);
    Movement movement;
    movement.loops = {{outer, int64_t(indices.size()) * inner, extent * inner},
                      {inner, 1, 1}};
    movement.to = int64_t(i) * inner;
    movement.from = indices[i] * inner;
    moveElements(result, context.bytes(0), std::move(movement),
                 elementBytes(context));
  }
  context.storeBytes(0, std::move(result));
  return Status::ok();
}

/// The axis as [groups][members] becomes [members][groups].
static Status shuffleChannels(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeAxis(context.operation()));
  NNHAL_ASSIGN_OR_RETURN(int64_t groups, decodeGroups(context.operation()));
  auto [outer, extent, inner] = splitAt(context.inputShape(0), axis);
  int64_t members = extent / groups;
  Movement movement;
  movement.loops = {{outer, extent * inner, extent * inner},
                    {members, groups * inner, inner},
                    {groups, inner, members * inner},
                    {inner, 1, 1}};
  return moveInput(context, std::move(movement));
}

//===----------------------------------------------------------------------===//
// SLICE and STRIDED_SLICE
//===----------------------------------------------------------------------===//

static Status sliceTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(SliceForm form, decodeSlice(context.operation()));
  // The shape of the result with the dimensions that it does not have.
  Shape extents;
  auto next = context.outputShape(0).begin();
  for (size_t i = 0; i < form.begin.size(); ++i) {
    bool isShrunk =
        std::ranges::find(form.shrinkAxes, int64_t(i)) != form.shrinkAxes.end();
    extents.push_back(isShrunk ? 1 : *next++);
  }
  Shape to = stridesOf(extents), from = stridesOf(context.inputShape(0));
  Movement movement;
  for (size_t i = 0; i < extents.size(); ++i) {
    // A stride beyond the extent is never taken and might overflow.
    int64_t step = extents[i] > 1 ? from[i] * form.strides[i] : 0;
    movement.loops.push_back({extents[i], to[i], step});
    movement.from += from[i] * form.begin[i];
  }
  return moveInput(context, std::move(movement));
}

//===----------------------------------------------------------------------===//
// PAD, PAD_V2, TILE, FILL and RANK
//===----------------------------------------------------------------------===//

/// \p from of \p shape in the middle of a tensor of \p padded, which is
/// \p element elsewhere.
static Bytes surround(std::span<const std::byte> from, const Shape &shape,
                      const Shape &padded, const Shape &heads,
                      std::span<const std::byte> element) {
  Bytes result = repeat(element, elementCount(padded));
  Shape to = stridesOf(padded), strides = stridesOf(shape);
  Movement movement;
  for (size_t i = 0; i < shape.size(); ++i) {
    movement.loops.push_back({shape[i], to[i], strides[i]});
    movement.to += heads[i] * to[i];
  }
  moveElements(result, from, std::move(movement), int64_t(element.size()));
  return result;
}

/// An element that stands for 0: the zero point (decisions 12, M-116).
static Bytes zeroElement(const TensorType &type) {
  Bytes element(elementSize(type.type), std::byte(0));
  if (isQuantized(type.type))
    element[0] = std::byte(uint8_t(type.zeroPoint));
  return element;
}

static Status padWith(RoutineContext &context,
                      std::span<const std::byte> element) {
  NNHAL_ASSIGN_OR_RETURN(Shape paddings, decodePaddings(context.operation()));
  Shape heads;
  for (size_t i = 0; i < paddings.size(); i += 2)
    heads.push_back(paddings[i]);
  context.storeBytes(0, surround(context.bytes(0), context.inputShape(0),
                                 context.outputShape(0), heads, element));
  return Status::ok();
}

static Status padTensor(RoutineContext &context) {
  return padWith(context, zeroElement(context.inputType(0)));
}

/// The scalar \p index as an element of \p type: its low bytes (M-118).
static std::span<const std::byte>
scalarElement(const RoutineContext &context, size_t index, OperandType type) {
  return context.bytes(index).first(elementSize(type));
}

static Status padTensorV2(RoutineContext &context) {
  return padWith(context,
                 scalarElement(context, 2, context.outputType(0).type));
}

/// Every dimension as [repetitions][extent].
static Status tileTensor(RoutineContext &context) {
  const Shape &shape = context.inputShape(0);
  const Shape &tiled = context.outputShape(0);
  Shape to = stridesOf(tiled), from = stridesOf(shape);
  Movement movement;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t repetitions = shape[i] == 0 ? 0 : tiled[i] / shape[i];
    movement.loops.push_back({repetitions, shape[i] * to[i], 0});
    movement.loops.push_back({shape[i], to[i], from[i]});
  }
  return moveInput(context, std::move(movement));
}

static Status fillTensor(RoutineContext &context) {
  context.storeBytes(
      0, repeat(scalarElement(context, 1, context.outputType(0).type),
                elementCount(context.outputShape(0))));
  return Status::ok();
}

static Status rankOfTensor(RoutineContext &context) {
  const int32_t rank[] = {int32_t(context.inputType(0).rank())};
  context.storeIntegers(0, rank);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

namespace {

/// Extents or strides by what a dimension means, whatever the layout.
struct Spatial {
  int64_t batch;
  int64_t height;
  int64_t width;
  int64_t channels;
};

} // namespace

static Spatial spatial(const Shape &values, bool isNchw) {
  if (isNchw)
    return {values[0], values[2], values[3], values[1]};
  return {values[0], values[1], values[2], values[3]};
}

/// Moves between a tensor in which a block's rows and columns are \p row and
/// \p column elements apart, given as the input of the movement, and one in
/// which they are rows and columns of the picture. \p common holds the
/// dimensions that both have besides blocks.
static Movement spreadBlocks(const BlockForm &form, const Spatial &common,
                             const Spatial &packed, int64_t row, int64_t column,
                             const Spatial &spread) {
  Movement movement;
  movement.loops = {
      {common.batch, spread.batch, packed.batch},
      {common.height, spread.height * form.block.height, packed.height},
      {form.block.height, spread.height, row},
      {common.width, spread.width * form.block.width, packed.width},
      {form.block.width, spread.width, column},
      {common.channels, spread.channels, packed.channels}};
  return movement;
}

/// Moves from a packed tensor of shape \p packedShape to one of shape
/// \p spreadShape; blocks lie in channels, the block's row outermost (M-119).
static Movement depthMovement(const BlockForm &form, const Shape &packedShape,
                              const Shape &spreadShape) {
  Spatial extents = spatial(packedShape, form.isNchw);
  Spatial packed = spatial(stridesOf(packedShape), form.isNchw);
  Spatial spread = spatial(stridesOf(spreadShape), form.isNchw);
  extents.channels = spatial(spreadShape, form.isNchw).channels;
  int64_t column = extents.channels * packed.channels;
  return spreadBlocks(form, extents, packed, form.block.width * column, column,
                      spread);
}

/// Moves like depthMovement(), with blocks that lie in the batch.
static Movement batchMovement(const BlockForm &form, const Shape &packedShape,
                              const Shape &spreadShape) {
  Spatial extents = spatial(packedShape, form.isNchw);
  Spatial packed = spatial(stridesOf(packedShape), form.isNchw);
  Spatial spread = spatial(stridesOf(spreadShape), form.isNchw);
  extents.batch = spatial(spreadShape, form.isNchw).batch;
  int64_t column = extents.batch * packed.batch;
  return spreadBlocks(form, extents, packed, form.block.width * column, column,
                      spread);
}

/// \p movement in the other direction.
static Movement reversed(Movement movement) {
  for (Loop &loop : movement.loops)
    std::swap(loop.to, loop.from);
  std::swap(movement.to, movement.from);
  return movement;
}

static Status depthToSpaceTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(BlockForm form, decodeBlock(context.operation()));
  return moveInput(context, depthMovement(form, context.inputShape(0),
                                          context.outputShape(0)));
}

static Status spaceToDepthTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(BlockForm form, decodeBlock(context.operation()));
  return moveInput(context, reversed(depthMovement(form, context.outputShape(0),
                                                   context.inputShape(0))));
}

static Status batchToSpaceTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(BlockForm form, decodeBlock(context.operation()));
  return moveInput(context, batchMovement(form, context.inputShape(0),
                                          context.outputShape(0)));
}

static Status spaceToBatchTensor(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(BlockForm form, decodeBlock(context.operation()));
  const Shape &shape = context.inputShape(0);
  size_t height = form.isNchw ? 2 : 1;
  Shape padded = shape, heads(4, 0);
  padded[height] += form.pads.top + form.pads.bottom;
  padded[height + 1] += form.pads.left + form.pads.right;
  heads[height] = form.pads.top;
  heads[height + 1] = form.pads.left;
  Bytes picture = surround(context.bytes(0), shape, padded, heads,
                           zeroElement(context.inputType(0)));
  Bytes result = outputBytes(context);
  moveElements(result, picture,
               reversed(batchMovement(form, context.outputShape(0), padded)),
               elementBytes(context));
  context.storeBytes(0, std::move(result));
  return Status::ok();
}

std::span<const RoutineRow> reference::dataMovementRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::RESHAPE, rename},
      {OperationType::SQUEEZE, rename},
      {OperationType::EXPAND_DIMS, rename},
      {OperationType::TRANSPOSE, transposeTensor},
      {OperationType::CONCATENATION, concatenate},
      {OperationType::SPLIT, splitTensor},
      {OperationType::GATHER, gatherElements},
      {OperationType::CHANNEL_SHUFFLE, shuffleChannels},
      {OperationType::SLICE, sliceTensor},
      {OperationType::STRIDED_SLICE, sliceTensor},
      {OperationType::PAD, padTensor},
      {OperationType::PAD_V2, padTensorV2},
      {OperationType::TILE, tileTensor},
      {OperationType::FILL, fillTensor},
      {OperationType::RANK, rankOfTensor},
      {OperationType::DEPTH_TO_SPACE, depthToSpaceTensor},
      {OperationType::SPACE_TO_DEPTH, spaceToDepthTensor},
      {OperationType::BATCH_TO_SPACE_ND, batchToSpaceTensor},
      {OperationType::SPACE_TO_BATCH_ND, spaceToBatchTensor},
  };
  return rows;
}
