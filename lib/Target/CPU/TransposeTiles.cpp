//===- TransposeTiles.cpp - Transpositions in registers -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a tile are vectors of at most 128 bits (transposed-bits): within so
// many, each machine interleaves two vectors by one instruction (unpcklps,
// zip1); those of more bits would need others to cross the middle. Interleaving
// each row with the one half a tile below, as often as halving the tile leaves
// one row, transposes it. vector.transpose gives one shuffle of the whole tile,
// for which LLVM needs twice as many instructions with 8x8 elements of 16 bits
// and two to six times as many with 16x16 bytes; by default it moves single
// elements.
//
//===----------------------------------------------------------------------===//

#include "TransposeTiles.h"

#include "KernelSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace nnhal;

namespace {
/// Half-open.
struct Range {
  int64_t begin;
  int64_t end;
};

class TransposeEmitter {
public:
  TransposeEmitter(OpBuilder &builder, linalg::LinalgOp op,
                   const kernel::CostModel &costs)
      : builder(builder), op(op), loc(op.getLoc()), costs(costs) {}

  LogicalResult analyze();
  void emit();

private:
  int64_t bestSide();

  using Body = llvm::function_ref<void()>;

  void loop(unsigned dim, Range range, int64_t step, Body body);
  void emitOuterLoops(unsigned dim);
  void emitBlocks();
  void emitTiles(Range columns);
  void emitTile();
  void emitElements(Range columns, Range rows);
  SmallVector<Value> indices(AffineMap map, unsigned movedDim,
                             int64_t distance);

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  const kernel::CostModel &costs;

  Value input, output;
  AffineMap inputMap, outputMap;
  SmallVector<int64_t> extents;
  /// The dimensions along which the input and the output are contiguous.
  unsigned rowDim = 0, columnDim = 0;
  Type element;
  /// Extent of a tile in both dimensions.
  int64_t side = 0;
  /// Induction variable of every dimension, while emitting.
  SmallVector<Value> ivs;
};
} // namespace

/// Whether \p op yields its first operand and does nothing else.
static bool isCopy(linalg::LinalgOp op) {
  Block *block = op.getBlock();
  return op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getNumLoops() == op.getNumParallelLoops() &&
         llvm::hasSingleElement(*block) &&
         block->getTerminator()->getOperand(0) == block->getArgument(0);
}

LogicalResult TransposeEmitter::analyze() {
  if (op.hasDynamicShape() || !isCopy(op))
    return failure();
  OpOperand *source = op.getDpsInputOperand(0),
            *target = op.getDpsInitOperand(0);
  input = source->get();
  output = target->get();
  inputMap = op.getMatchingIndexingMap(source);
  outputMap = op.getMatchingIndexingMap(target);
  auto from = dyn_cast<MemRefType>(input.getType());
  auto to = dyn_cast<MemRefType>(output.getType());
  if (!from || !to || !inputMap.isPermutation() || !outputMap.isPermutation() ||
      !from.isLastDimUnitStride() || !to.isLastDimUnitStride() ||
      inputMap.getNumResults() == 0 ||
      from.getElementType() != to.getElementType())
    return failure();
  element = from.getElementType();
  rowDim = inputMap.getDimPosition(inputMap.getNumResults() - 1);
  columnDim = outputMap.getDimPosition(outputMap.getNumResults() - 1);
  extents = op.getStaticLoopRanges();
  if (rowDim == columnDim || !element.isIntOrFloat() ||
      element.getIntOrFloatBitWidth() < 8)
    return failure();
  side = bestSide();
  return success(side != 0);
}

/// The side of the tiles that leave the fewest elements; of such, the longest.
/// 0 if there is none: less than four elements of a row are no gain.
int64_t TransposeEmitter::bestSide() {
  int64_t best = 0, covered = 0;
  int64_t most = std::min<int64_t>(
      costs.transposedBits / element.getIntOrFloatBitWidth(), 16);
  for (int64_t tried = 4; tried <= most; tried *= 2) {
    int64_t tiled = (extents[rowDim] / tried * tried) *
                    (extents[columnDim] / tried * tried);
    if (tiled == 0 || tiled < covered)
      continue;
    best = tried;
    covered = tiled;
  }
  return best;
}

/// A loop around what \p body emits, over \p dim.
void TransposeEmitter::loop(unsigned dim, Range range, int64_t step,
                            Body body) {
  if (range.begin >= range.end)
    return;
  if (range.end - range.begin == step) {
    ivs[dim] = arith::ConstantIndexOp::create(builder, loc, range.begin);
    return body();
  }
  OpBuilder::InsertionGuard guard(builder);
  scf::ForallOp around = createPieceLoop(
      builder, loc, builder.getIndexAttr(range.begin),
      builder.getIndexAttr(range.end), builder.getIndexAttr(step));
  builder.setInsertionPointToStart(around.getBody());
  ivs[dim] = around.getInductionVar(0);
  body();
}

void TransposeEmitter::emitOuterLoops(unsigned dim) {
  if (dim == extents.size())
    return emitBlocks();
  if (dim == rowDim || dim == columnDim)
    return emitOuterLoops(dim + 1);
  loop(dim, {0, extents[dim]}, /*step=*/1, [&] { emitOuterLoops(dim + 1); });
}

/// Blocks of whole lines of the output, so that each is written at once; the
/// tiles beside them; the elements that are in no tile.
void TransposeEmitter::emitBlocks() {
  int64_t line = std::max(costs.cacheLine * 8 /
                              element.getIntOrFloatBitWidth() / side * side,
                          side);
  int64_t rows = extents[rowDim], columns = extents[columnDim];
  int64_t tiledRows = rows / side * side, tiledColumns = columns / side * side;
  int64_t blocked = columns / line * line;
  loop(columnDim, {0, blocked}, line, [&] {
    Value begin = ivs[columnDim];
    loop(rowDim, {0, tiledRows}, side, [&] {
      loop(columnDim, {0, line}, side, [&] {
        ivs[columnDim] =
            arith::AddIOp::create(builder, loc, begin, ivs[columnDim]);
        emitTile();
      });
    });
  });
  emitTiles({blocked, tiledColumns});
  emitElements({0, tiledColumns}, {tiledRows, rows});
  emitElements({tiledColumns, columns}, {0, rows});
}

void TransposeEmitter::emitTiles(Range columns) {
  loop(rowDim, {0, extents[rowDim] / side * side}, side,
       [&] { loop(columnDim, columns, side, [&] { emitTile(); }); });
}

void TransposeEmitter::emitElements(Range columns, Range rows) {
  loop(rowDim, rows, /*step=*/1, [&] {
    loop(columnDim, columns, /*step=*/1, [&] {
      Value moved = memref::LoadOp::create(builder, loc, input,
                                           indices(inputMap, rowDim, 0));
      memref::StoreOp::create(builder, loc, moved, output,
                              indices(outputMap, rowDim, 0));
    });
  });
}

/// Applies \p map to the induction variables, of which that of \p movedDim is
/// \p distance further.
SmallVector<Value> TransposeEmitter::indices(AffineMap map, unsigned movedDim,
                                             int64_t distance) {
  SmallVector<Value> result;
  for (unsigned position = 0; position < map.getNumResults(); ++position) {
    unsigned dim = map.getDimPosition(position);
    result.push_back(ivs[dim]);
    if (dim == movedDim && distance != 0)
      result.back() = arith::AddIOp::create(
          builder, loc, ivs[dim],
          arith::ConstantIndexOp::create(builder, loc, distance));
  }
  return result;
}

/// Columns of the input become rows of the output.
void TransposeEmitter::emitTile() {
  auto type = VectorType::get({side}, element);
  SmallVector<Value> vectors;
  for (int64_t column = 0; column < side; ++column)
    vectors.push_back(vector::LoadOp::create(
        builder, loc, type, input, indices(inputMap, columnDim, column)));
  SmallVector<int64_t> first, second;
  for (int64_t lane = 0; lane < side; ++lane) {
    first.push_back(lane / 2 + (lane % 2) * side);
    second.push_back(first.back() + side / 2);
  }
  for (int64_t rest = side; rest > 1; rest /= 2) {
    SmallVector<Value> interleaved;
    for (int64_t index = 0; index < side / 2; ++index)
      for (ArrayRef<int64_t> mask : {first, second})
        interleaved.push_back(vector::ShuffleOp::create(
            builder, loc, vectors[index], vectors[index + side / 2], mask));
    vectors = std::move(interleaved);
  }
  for (auto [row, vector] : llvm::enumerate(vectors))
    vector::StoreOp::create(builder, loc, vector, output,
                            indices(outputMap, rowDim, int64_t(row)));
}

void TransposeEmitter::emit() {
  ivs.assign(extents.size(), Value());
  if (!llvm::is_contained(extents, 0))
    emitOuterLoops(0);
}

LogicalResult nnhal::emitTransposeTiles(OpBuilder &builder, linalg::LinalgOp op,
                                        const kernel::CostModel &costs) {
  TransposeEmitter emitter(builder, op, costs);
  if (failed(emitter.analyze()))
    return failure();
  builder.setInsertionPoint(op);
  emitter.emit();
  return success();
}
