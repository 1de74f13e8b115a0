//===- Shape.cpp - Other shapes and orders of the same elements -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions that an operation splits or merges are separate dimensions of an
// intermediate result, which is then reshaped: no element costs a division.
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"
#include "Patterns.h"

#include "nnhal/Backend/Signatures/DataMovement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

/// \p extent / \p divisor, which is positive and leaves no remainder; both are
/// checked.
static Scalar dividedBy(OperationLowering &op, Scalar extent, Scalar divisor) {
  op.check(divisor >= 1, FailureReason::valueTooSmall, divisor, op.index(1));
  Scalar positive = max(divisor, 1);
  op.check(extent.remainder(positive) == 0, FailureReason::notDivisible, extent,
           divisor);
  return extent.quotient(positive);
}

//===----------------------------------------------------------------------===//
// RESHAPE, SQUEEZE, EXPAND_DIMS, RANK
//===----------------------------------------------------------------------===//

/// The extents that \p sizes means for \p total elements: one that is -1 takes
/// what the others leave (M-105).
static SmallVector<Scalar> resolveSizes(OperationLowering &op, Indices sizes,
                                        Scalar total) {
  Scalar others = op.index(1), wildcards = op.index(0);
  for (Scalar size : sizes) {
    Scalar isWildcard = size == -1;
    Scalar factor = select(isWildcard, size.like(1), size);
    op.check(factor >= 1, FailureReason::negativeExtent, size, op.index(1));
    factor = max(factor, 1);
    // Not the product, which might overflow.
    op.check(others <= total.quotient(factor),
             FailureReason::elementCountDiffers, total, factor);
    others = others * factor;
    wildcards = wildcards + select(isWildcard, op.index(1), op.index(0));
  }
  op.check(wildcards <= 1, FailureReason::severalWildcards, wildcards,
           op.index(1));
  Scalar wildcard = total.quotient(max(others, 1));
  op.checkEqual(others * select(wildcards == 1, wildcard, op.index(1)), total,
                FailureReason::elementCountDiffers);
  // Cut to what has been checked: nnhal-verify-addresses does not conclude it
  // from a check of the product.
  SmallVector<Scalar> extents;
  for (Scalar size : sizes)
    extents.push_back(
        select(size == -1, wildcard, min(max(size, 1), max(total, 1))));
  return extents;
}

static LogicalResult lowerReshape(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> extents =
      resolveSizes(op, op.integers(1, *rank), input.count());
  op.setOutput(op.reshape(input, op.stated(extents)));
  return success();
}

/// Whether each dimension of \p input is among the axes of a SQUEEZE: those of
/// extent 1 where axes are omitted.
static SmallVector<Scalar> squeezedDimensions(OperationLowering &op,
                                              const Tensor &input) {
  SmallVector<Scalar> result;
  Scalar isPresent = op.isPresent(1);
  std::optional<int64_t> presence = isPresent.known();
  if (presence == 0) {
    for (Scalar extent : input.extents())
      result.push_back(extent == 1);
    return result;
  }
  Tensor axes = op.input(1);
  Scalar count = select(isPresent, axes.extent(0), op.index(0));
  auto resolved = [&](Scalar i) {
    Scalar axis = axes.integer({i}).toIndex();
    return select(axis < 0, axis + double(input.rank()), axis);
  };
  op.checkEach(
      count,
      [&](Scalar i) -> OperationLowering::Condition {
        Scalar axis = resolved(i);
        return {(axis >= 0) & (axis < double(input.rank())), axis};
      },
      FailureReason::axisOutOfRange, op.index(input.rank()));
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    Scalar isNamed =
        op.fold(count, op.truth(false), [&](Scalar i, Scalar found) {
          return found | (resolved(i) == double(dim));
        });
    result.push_back(select(isPresent, isNamed, input.extent(dim) == 1));
  }
  return result;
}

/// The same for axes that are known.
static SmallVector<Scalar> knownSqueezedDimensions(OperationLowering &op,
                                                   const Tensor &input) {
  SmallVector<Scalar> result(input.rank(), op.truth(false));
  for (Scalar axis : op.integers(1, op.input(1).extent(0).known().value_or(0)))
    if (std::optional<int64_t> dim = op.checkedAxis(axis, input.rank()).known())
      result[*dim] = op.truth(true);
  return result;
}

FailureOr<SmallVector<Scalar>>
nnhal::withoutDimensions(OperationLowering &op, Indices extents,
                         ArrayRef<Scalar> isRemoved) {
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> kept(*rank, op.index(1));
  Scalar count = op.index(0);
  for (auto [extent, isGone] : llvm::zip(extents, isRemoved)) {
    for (auto [position, target] : llvm::enumerate(kept))
      target = select(!isGone & (count == double(position)), extent, target);
    count = select(isGone, count, count + 1);
  }
  op.checkEqual(max(count, 1), op.index(*rank), FailureReason::rankDiffers);
  return kept;
}

static LogicalResult lowerSqueeze(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  bool isKnown = op.hasInput(1) && op.isConstant(1);
  SmallVector<Scalar> isSqueezed = isKnown ? knownSqueezedDimensions(op, input)
                                           : squeezedDimensions(op, input);
  for (auto [extent, isGone] : llvm::zip(input.extents(), isSqueezed))
    op.check(!isGone | (extent == 1), FailureReason::extentsDiffer, extent,
             op.index(1));
  FailureOr<SmallVector<Scalar>> extents =
      withoutDimensions(op, input.extents(), isSqueezed);
  if (failed(extents))
    return failure();
  op.setOutput(op.reshape(input, op.stated(*extents)));
  return success();
}

static LogicalResult lowerExpandDims(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  int64_t rank = input.rank();
  Scalar axis = op.checkedAxis(op.scalar(1).toIndex(), rank + 1);
  SmallVector<Scalar> extents;
  for (int64_t i = 0; i <= rank; ++i) {
    Scalar before = i < rank ? input.extent(i) : op.index(1);
    Scalar after = i > 0 ? input.extent(i - 1) : op.index(1);
    extents.push_back(select(axis == double(i), op.index(1),
                             select(axis > double(i), before, after)));
  }
  op.setOutput(op.reshape(input, op.stated(extents)));
  return success();
}

static LogicalResult lowerRank(OperationLowering &op) {
  op.setScalarOutput(op.i32(op.input(0).rank()));
  return success();
}

//===----------------------------------------------------------------------===//
// TRANSPOSE and CHANNEL_SHUFFLE
//===----------------------------------------------------------------------===//

/// The permutation, checked; dimensions in reverse where it is omitted (M-257).
static SmallVector<Scalar> readPermutation(OperationLowering &op,
                                           int64_t rank) {
  SmallVector<Scalar> result;
  if (op.hasInput(1) && op.isConstant(1)) {
    result = op.integers(1, rank);
  } else {
    Scalar isPresent = op.isPresent(1);
    Tensor entries;
    if (op.hasInput(1)) {
      entries = op.input(1);
      Scalar count = entries.extent(0);
      op.check(!isPresent | (count == double(rank)),
               FailureReason::extentsDiffer, count, op.index(rank));
    }
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(op.branch(
          isPresent, [&] { return entries.integer({op.index(i)}).toIndex(); },
          [&] { return op.index(rank - 1 - i); }));
  }
  for (int64_t i = 0; i < rank; ++i) {
    op.check((result[i] >= 0) & (result[i] < double(rank)),
             FailureReason::axisOutOfRange, result[i], op.index(rank));
    for (int64_t j = 0; j < i; ++j)
      op.check(result[i] != result[j], FailureReason::notAPermutation,
               result[i], op.index(rank));
  }
  return result;
}

static LogicalResult lowerTranspose(OperationLowering &op) {
  Tensor input = op.input(0);
  int64_t rank = input.rank();
  SmallVector<Scalar> permutation = readPermutation(op, rank);
  SmallVector<Scalar> extents(rank, op.index(0));
  for (int64_t i = 0; i < rank; ++i)
    for (int64_t source = 0; source < rank; ++source)
      extents[i] = select(permutation[i] == double(source),
                          input.extent(source), extents[i]);
  op.setOutput(op.define(op.outputType(), op.stated(extents), [&](Indices at) {
    SmallVector<Scalar> from(rank, op.index(0));
    for (int64_t i = 0; i < rank; ++i)
      for (int64_t source = 0; source < rank; ++source)
        from[source] =
            select(permutation[i] == double(source), at[i], from[source]);
    return input.stored(from);
  }));
  return success();
}

/// The axis as [groups][members] becomes [members][groups].
static LogicalResult lowerChannelShuffle(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  if (!op.isConstant(2))
    return op.fail("the axis is not constant");
  FailureOr<int64_t> axis = op.decoded(rt::decodeAxis(op.view()));
  if (failed(axis))
    return failure();
  Scalar groups = op.scalar(1).toIndex();
  Scalar members = dividedBy(op, input.extent(*axis), groups);
  SmallVector<Scalar> split = input.extents();
  split[*axis] = groups;
  split.insert(split.begin() + *axis, members);
  Tensor shuffled = op.define(op.outputType(), split, [&](Indices at) {
    SmallVector<Scalar> from(at);
    from.erase(from.begin() + *axis);
    from[*axis] = at[*axis + 1] * members + at[*axis];
    return input.stored(from);
  });
  op.setOutput(op.reshape(shuffled, input.extents()));
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks of space
//===----------------------------------------------------------------------===//

namespace {

/// Extents or indices by what a dimension means, whatever the layout.
struct Spatial {
  Scalar batch, height, width, channels;
};

/// The block and the layout of an operation.
struct SpaceBlock {
  Scalar height, width;
  bool isNchw = false;

  Spatial extents(const Tensor &tensor) const {
    SmallVector<Scalar> all = tensor.extents();
    if (isNchw)
      return {all[0], all[2], all[3], all[1]};
    return {all[0], all[1], all[2], all[3]};
  }
  /// In the order of the layout.
  SmallVector<Scalar> ordered(const Spatial &values) const {
    if (isNchw)
      return {values.batch, values.channels, values.height, values.width};
    return {values.batch, values.height, values.width, values.channels};
  }
};

} // namespace

/// \p layoutIndex is the input that holds the layout, if there is one.
static FailureOr<SpaceBlock> readBlock(OperationLowering &op,
                                       size_t layoutIndex) {
  if (layoutIndex < op.inputCount() && !op.isConstant(layoutIndex)) {
    (void)op.fail("the layout is not constant");
    return failure();
  }
  FailureOr<rt::BlockForm> form = op.decoded(rt::decodeBlock(op.view()));
  if (failed(form))
    return failure();
  SpaceBlock block;
  block.isNchw = form->isNchw;
  if (op.type() == OperationType::DEPTH_TO_SPACE ||
      op.type() == OperationType::SPACE_TO_DEPTH) {
    block.height = block.width = op.scalar(1).toIndex();
  } else {
    SmallVector<Scalar> shape = op.integers(1, 2);
    block.height = shape[0];
    block.width = shape[1];
  }
  for (Scalar extent : {block.height, block.width})
    op.check(extent >= 1, FailureReason::valueTooSmall, extent, op.index(1));
  return block;
}

/// From blocks packed into channels or batches to a picture: each element at
/// (row, column) of the block at (height, width) is the element that
/// \p packed gives.
static void spreadBlocks(
    OperationLowering &op, const SpaceBlock &block, const Spatial &blocks,
    llvm::function_ref<Scalar(const Spatial &, Scalar, Scalar)> packed) {
  SmallVector<Scalar> split = block.ordered(blocks);
  int64_t height = block.isNchw ? 2 : 1;
  split.insert(split.begin() + height + 2, block.width);
  split.insert(split.begin() + height + 1, block.height);
  Tensor result = op.define(op.outputType(), split, [&](Indices at) {
    Spatial position{at[0], at[height], at[height + 2],
                     at[block.isNchw ? 1 : 5]};
    return packed(position, at[height + 1], at[height + 3]);
  });
  Spatial extents = blocks;
  extents.height = extents.height * block.height;
  extents.width = extents.width * block.width;
  op.setOutput(op.reshape(result, op.stated(block.ordered(extents))));
}

/// Blocks lie in channels, the block's row outermost (M-119).
static LogicalResult lowerDepthToSpace(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op, 2);
  if (failed(block))
    return failure();
  Spatial extents = block->extents(input);
  extents.channels =
      dividedBy(op, extents.channels, block->height * block->width);
  spreadBlocks(op, *block, extents, [&](Spatial at, Scalar row, Scalar column) {
    at.channels =
        (row * block->width + column) * extents.channels + at.channels;
    return input.stored(block->ordered(at));
  });
  return success();
}

static LogicalResult lowerBatchToSpace(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op, 2);
  if (failed(block))
    return failure();
  Spatial extents = block->extents(input);
  extents.batch = dividedBy(op, extents.batch, block->height * block->width);
  spreadBlocks(op, *block, extents, [&](Spatial at, Scalar row, Scalar column) {
    at.batch = (row * block->width + column) * extents.batch + at.batch;
    return input.stored(block->ordered(at));
  });
  return success();
}

/// Where the element at (row, column) of a block is in the picture.
static Spatial pictureIndex(const SpaceBlock &block, Spatial at, Scalar row,
                            Scalar column) {
  at.height = at.height * block.height + row;
  at.width = at.width * block.width + column;
  return at;
}

static LogicalResult lowerSpaceToDepth(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<SpaceBlock> block = readBlock(op, 2);
  if (failed(block))
    return failure();
  Spatial extents = block->extents(input);
  extents.height = dividedBy(op, extents.height, block->height);
  extents.width = dividedBy(op, extents.width, block->width);
  // Channels as (row, column, channel).
  SmallVector<Scalar> split = block->ordered(extents);
  int64_t channels = block->isNchw ? 1 : 3;
  split.insert(split.begin() + channels, {block->height, block->width});
  Tensor result = op.define(op.outputType(), split, [&](Indices at) {
    SmallVector<Scalar> rest(at);
    rest.erase(rest.begin() + channels, rest.begin() + channels + 2);
    Spatial position = block->isNchw
                           ? Spatial{rest[0], rest[2], rest[3], rest[1]}
                           : Spatial{rest[0], rest[1], rest[2], rest[3]};
    return input.stored(block->ordered(
        pictureIndex(*block, position, at[channels], at[channels + 1])));
  });
  extents.channels = extents.channels * block->height * block->width;
  op.setOutput(op.reshape(result, op.stated(block->ordered(extents))));
  return success();
}

static LogicalResult lowerSpaceToBatch(OperationLowering &op) {
  FailureOr<SpaceBlock> block = readBlock(op, 3);
  if (failed(block))
    return failure();
  op.checkNotEmpty(op.input(0));
  SmallVector<Scalar> pads = op.integers(2, 4);
  SmallVector<Scalar> paddings(8, op.index(0));
  llvm::copy(pads, paddings.begin() + (block->isNchw ? 4 : 2));
  Tensor picture = buildPadded(op, op.input(0), paddings, std::nullopt);
  Spatial extents = block->extents(picture);
  extents.height = dividedBy(op, extents.height, block->height);
  extents.width = dividedBy(op, extents.width, block->width);
  // Batches as (row, column, batch).
  SmallVector<Scalar> split = {block->height, block->width};
  split.append(block->ordered(extents));
  Tensor result = op.define(op.outputType(), split, [&](Indices at) {
    Indices rest = at.drop_front(2);
    Spatial position = block->isNchw
                           ? Spatial{rest[0], rest[2], rest[3], rest[1]}
                           : Spatial{rest[0], rest[1], rest[2], rest[3]};
    return picture.stored(
        block->ordered(pictureIndex(*block, position, at[0], at[1])));
  });
  extents.batch = extents.batch * block->height * block->width;
  op.setOutput(op.reshape(result, op.stated(block->ordered(extents))));
  return success();
}

static constexpr GeneralLoweringRow rows[] = {
    {OperationType::BATCH_TO_SPACE_ND, lowerBatchToSpace},
    {OperationType::CHANNEL_SHUFFLE, lowerChannelShuffle},
    {OperationType::DEPTH_TO_SPACE, lowerDepthToSpace},
    {OperationType::EXPAND_DIMS, lowerExpandDims},
    {OperationType::RANK, lowerRank},
    {OperationType::RESHAPE, lowerReshape},
    {OperationType::SPACE_TO_BATCH_ND, lowerSpaceToBatch},
    {OperationType::SPACE_TO_DEPTH, lowerSpaceToDepth},
    {OperationType::SQUEEZE, lowerSqueeze},
    {OperationType::TRANSPOSE, lowerTranspose},
};

std::span<const GeneralLoweringRow> nnhal::generalShapeRows() { return rows; }

//===----------------------------------------------------------------------===//
// Static tensors
//===----------------------------------------------------------------------===//

namespace {

SmallVector<int64_t> shapeOf(Value value) {
  return SmallVector<int64_t>(rankedType(value).getShape());
}

/// An operation that keeps the order of the elements -> tensor reshapes.
template <typename OpTy> struct ReshapeLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildReshape(builder, adaptor.getInput(),
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.transpose -> linalg.transpose.
struct TransposeLowering : LoweringPattern<TransposeOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(TransposeOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, buildTranspose(builder, adaptor.getInput(), op.getPermutation()));
    return success();
  }
};

/// Splits dimensions, transposes, merges: how all the swaps below work.
Value buildShuffle(ImplicitLocOpBuilder &builder, Value input,
                   ArrayRef<int64_t> split, ArrayRef<int64_t> permutation,
                   ArrayRef<int64_t> shape) {
  Value parts = buildReshape(builder, input, split);
  return buildReshape(builder, buildTranspose(builder, parts, permutation),
                      shape);
}

/// nnhal.channel_shuffle -> transposition of (group, channel).
struct ChannelShuffleLowering : LoweringPattern<ChannelShuffleOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(ChannelShuffleOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> shape = shapeOf(adaptor.getInput());
    auto rank = static_cast<int64_t>(shape.size());
    int64_t axis = frontAxis(op.getAxis(), rank);
    auto groups = static_cast<int64_t>(op.getGroups());
    SmallVector<int64_t> split = shape;
    split[axis] /= groups;
    split.insert(split.begin() + axis, groups);
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
    std::swap(permutation[axis], permutation[axis + 1]);
    rewriter.replaceOp(op, buildShuffle(builder, adaptor.getInput(), split,
                                        permutation, shape));
    return success();
  }
};

/// nnhal.depth_to_space -> transposition; blocks are the outer part of the
/// channels (M-119).
struct DepthToSpaceLowering : LoweringPattern<DepthToSpaceOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(DepthToSpaceOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    auto block = static_cast<int64_t>(op.getBlockSize());
    rewriter.replaceOp(op, buildShuffle(builder, adaptor.getInput(),
                                        {in[0], in[1], in[2], block, block,
                                         in[3] / (block * block)},
                                        {0, 1, 3, 2, 4, 5},
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.space_to_depth -> the inverse transposition.
struct SpaceToDepthLowering : LoweringPattern<SpaceToDepthOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SpaceToDepthOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    auto block = static_cast<int64_t>(op.getBlockSize());
    rewriter.replaceOp(
        op,
        buildShuffle(builder, adaptor.getInput(),
                     {in[0], in[1] / block, block, in[2] / block, block, in[3]},
                     {0, 1, 3, 2, 4, 5}, op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.batch_to_space_nd -> transposition.
struct BatchToSpaceLowering : LoweringPattern<BatchToSpaceNDOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(BatchToSpaceNDOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    int64_t height = op.getBlockShape()[0], width = op.getBlockShape()[1];
    rewriter.replaceOp(
        op, buildShuffle(
                builder, adaptor.getInput(),
                {height, width, in[0] / (height * width), in[1], in[2], in[3]},
                {2, 3, 0, 4, 1, 5}, op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.space_to_batch_nd -> pad and transposition.
struct SpaceToBatchLowering : LoweringPattern<SpaceToBatchNDOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SpaceToBatchNDOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    ArrayRef<int64_t> pads = op.getPads();
    if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; })) {
      Value zero =
          scalarConstant(builder, rankedType(input).getElementType(), 0);
      input = buildPadded(builder, input, {0, pads[0], pads[2], 0},
                          {0, pads[1], pads[3], 0}, zero);
    }
    SmallVector<int64_t> in = shapeOf(input);
    int64_t height = op.getBlockShape()[0], width = op.getBlockShape()[1];
    rewriter.replaceOp(op, buildShuffle(builder, input,
                                        {in[0], in[1] / height, height,
                                         in[2] / width, width, in[3]},
                                        {2, 4, 0, 1, 3, 5},
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

} // namespace

void nnhal::populateShapePatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns,
                                  LinalgLowering &lowering) {
  patterns
      .add<BatchToSpaceLowering, ChannelShuffleLowering, DepthToSpaceLowering,
           ReshapeLowering<ReshapeOp>, ReshapeLowering<SqueezeOp>,
           SpaceToBatchLowering, SpaceToDepthLowering, TransposeLowering>(
          converter, patterns.getContext(), lowering);
  patterns.add<ReshapeLowering<ExpandDimsOp>>(
      converter, patterns.getContext(), lowering, takesFloats | takesIntegers);
}
