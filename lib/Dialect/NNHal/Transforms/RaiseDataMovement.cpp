//===- RaiseDataMovement.cpp - Data movement ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include <numeric>

using namespace nnhal;
using llvm::ArrayRef;
using llvm::SmallVector;
using mlir::ShapedType;
using mlir::Value;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

/// M-104, M-105: the extent -1 is what remains.
static void raiseReshape(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> shape = raising.integers(1);
  if (raising.hasFailed())
    return;
  int64_t *open = nullptr;
  int64_t known = 1;
  for (int64_t &extent : shape) {
    if (extent == -1 && open)
      return raising.fail("the shape has more than one extent -1");
    if (extent < -1)
      return raising.fail("extent {} of the shape is below -1", extent);
    if (extent == -1)
      open = &extent;
    else
      known *= extent;
  }
  auto type = llvm::cast<mlir::RankedTensorType>(input.getType());
  if (open && !type.hasStaticShape())
    *open = ShapedType::kDynamic;
  else if (open && (known == 0 || type.getNumElements() % known != 0))
    return raising.fail("{} elements do not fill a shape of {}",
                        type.getNumElements(), known);
  else if (open)
    *open = type.getNumElements() / known;
  raising.replaceWithType<ReshapeOp>(raising.resultType(0, shape), input);
}

/// M-106: without axes every dimension of extent 1 goes.
static void raiseSqueeze(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> axes;
  if (raising.isGiven(1))
    axes = raising.integers(1);
  if (axes.empty())
    for (auto [axis, extent] : llvm::enumerate(Raising::shapeOf(input))) {
      if (ShapedType::isDynamic(extent))
        return raising.fail("squeezing without axes needs known extents");
      if (extent == 1)
        axes.push_back(axis);
    }
  raising.replace<SqueezeOp>(input, axes);
}

static void raiseExpandDims(Raising &raising) {
  Value input = raising.tensor(0);
  int64_t axis = raising.integer(1);
  raising.replace<ExpandDimsOp>(input, axis);
}

/// M-108: without a permutation the dimensions are reversed.
static void raiseTranspose(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> permutation;
  if (raising.isGiven(1)) {
    permutation = raising.integers(1);
  } else {
    permutation.resize(Raising::shapeOf(input).size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
  }
  raising.replace<TransposeOp>(input, permutation);
}

//===----------------------------------------------------------------------===//
// Joining and repeating
//===----------------------------------------------------------------------===//

static void raiseConcatenation(Raising &raising) {
  SmallVector<Value> inputs;
  for (unsigned i = 0; i + 1 < raising.size(); ++i)
    inputs.push_back(raising.tensor(i));
  int64_t axis = raising.size() ? raising.integer(raising.size() - 1) : 0;
  // The axis of CONCATENATION does not count from the end (M-109).
  if (axis < 0)
    raising.fail("axis {} is negative", axis);
  raising.replace<ConcatenationOp>(inputs, axis);
}

static void raiseSplit(Raising &raising) {
  Value input = raising.tensor(0);
  int64_t axis = raising.integer(1);
  int64_t count = raising.integer(2);
  if (raising.hasFailed())
    return;
  // The number of splits is the number of outputs (M-111).
  if (count != raising.resultCount())
    return raising.fail("{} splits for {} outputs", count,
                        raising.resultCount());
  SmallVector<int64_t> shape(Raising::shapeOf(input));
  int64_t rank = shape.size();
  if (axis < -rank || axis >= rank)
    return raising.fail("axis {} is outside a tensor of rank {}", axis, rank);
  int64_t position = axis < 0 ? axis + rank : axis;
  if (!ShapedType::isDynamic(shape[position]))
    shape[position] /= count;
  SmallVector<mlir::Type> types;
  for (unsigned i = 0; i < raising.resultCount(); ++i)
    types.push_back(raising.resultType(i, ArrayRef<int64_t>(shape)));
  raising.replaceWithTypes<SplitOp>(types, input, position);
}

static void raiseTile(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> multiples = raising.integers(1);
  raising.replace<TileOp>(input, multiples);
}

static void raiseGather(Raising &raising) {
  Value input = raising.tensor(0);
  int64_t axis = raising.integer(1);
  Value indices = raising.tensor(2);
  raising.replace<GatherOp>(input, indices, axis);
}

/// A constant scalar as the f32 or i32 attribute of a padding or fill.
static mlir::Attribute fillValue(Raising &raising, unsigned index) {
  if (raising.isReal(index))
    return raising.getBuilder().getF32FloatAttr(raising.real(index));
  return raising.getBuilder().getI32IntegerAttr(raising.integer(index));
}

static void raiseFill(Raising &raising) {
  SmallVector<int64_t> shape = raising.integers(0);
  mlir::Attribute value = fillValue(raising, 1);
  for (int64_t extent : shape)
    if (extent < 0)
      raising.fail("extent {} of the shape is negative", extent);
  if (!raising.hasFailed())
    raising.replaceWithType<FillOp>(
        raising.resultType(0, ArrayRef<int64_t>(shape)), value);
}

//===----------------------------------------------------------------------===//
// Padding and blocks
//===----------------------------------------------------------------------===//

static void raisePad(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> paddings = raising.integers(1);
  raising.replace<PadOp>(input, paddings);
}

static void raisePadV2(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> paddings = raising.integers(1);
  mlir::Attribute value = fillValue(raising, 2);
  raising.replace<PadV2Op>(input, paddings, value);
}

static void raiseChannelShuffle(Raising &raising) {
  Value input = raising.tensor(0);
  int64_t groups = raising.integer(1);
  int64_t axis = raising.integer(2);
  raising.replace<ChannelShuffleOp>(input, groups, axis);
}

/// SPACE_TO_DEPTH and DEPTH_TO_SPACE (M-119).
template <typename OpTy> static void raiseDepth(Raising &raising) {
  bool isNchw = raising.isNchw(2);
  Value input = raising.channelsLast(0, isNchw);
  int64_t blockSize = raising.integer(1);
  raising.replaceSpatial<OpTy>(isNchw, input, blockSize);
}

static void raiseBatchToSpace(Raising &raising) {
  bool isNchw = raising.isNchw(2);
  Value input = raising.channelsLast(0, isNchw);
  SmallVector<int64_t> block = raising.integers(1);
  raising.replaceSpatial<BatchToSpaceNDOp>(isNchw, input, block);
}

/// M-120: paddings are [top, bottom, left, right].
static void raiseSpaceToBatch(Raising &raising) {
  bool isNchw = raising.isNchw(3);
  Value input = raising.channelsLast(0, isNchw);
  SmallVector<int64_t> block = raising.integers(1);
  SmallVector<int64_t> pads = raising.integers(2);
  raising.replaceSpatial<SpaceToBatchNDOp>(isNchw, input, block, pads);
}

void nnhal::addDataMovementRows(RaiseTable &table) {
  table.insert({
      {OperationType::RESHAPE, raiseReshape},
      {OperationType::SQUEEZE, raiseSqueeze},
      {OperationType::EXPAND_DIMS, raiseExpandDims},
      {OperationType::TRANSPOSE, raiseTranspose},
      {OperationType::CONCATENATION, raiseConcatenation},
      {OperationType::SPLIT, raiseSplit},
      {OperationType::TILE, raiseTile},
      {OperationType::GATHER, raiseGather},
      {OperationType::FILL, raiseFill},
      {OperationType::PAD, raisePad},
      {OperationType::PAD_V2, raisePadV2},
      {OperationType::CHANNEL_SHUFFLE, raiseChannelShuffle},
      {OperationType::DEPTH_TO_SPACE, raiseDepth<DepthToSpaceOp>},
      {OperationType::SPACE_TO_DEPTH, raiseDepth<SpaceToDepthOp>},
      {OperationType::BATCH_TO_SPACE_ND, raiseBatchToSpace},
      {OperationType::SPACE_TO_BATCH_ND, raiseSpaceToBatch},
  });
}
