//===- ShortRows.cpp - Reductions of short rows ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows that are shorter than a vector are taken as many at once as it has
// lanes: they are as many vectors in memory as a row has elements. What the
// body computes of the inputs alone is computed of those vectors. Parting the
// even from the odd elements of each pair, as often as halving a row leaves one
// element, makes a vector of each column, and the columns are joined in their
// order: each result is what a loop over its row gives, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "ShortRows.h"

#include "FlattenBuffer.h"
#include "KernelSplit.h"

#include "Codegen/Scans.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;

namespace {

class ShortRowEmitter {
public:
  ShortRowEmitter(OpBuilder &builder, linalg::LinalgOp op,
                  const kernel::KernelTarget &target)
      : builder(builder), op(op), loc(op.getLoc()), target(target) {}

  LogicalResult analyze();
  void emit();

private:
  LogicalResult analyzeExtents();
  LogicalResult analyzeBody();
  bool isContiguous(OpOperand &operand);

  void emitRows(int64_t lanes, Value first);
  Value clone(Operation &bodyOp, int64_t lanes, IRMapping &mapping);
  SmallVector<Value> columnsOf(ArrayRef<Value> vectors);

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  const kernel::KernelTarget &target;

  SmallVector<int64_t> extents;
  unsigned reduced = 0;
  int64_t rows = 1;
  int64_t maxLanes = 1;
  /// The operations of the body that depend on the value which is carried from
  /// column to column.
  SmallVector<Operation *> joining;
  /// The values of the body, computed of inputs alone, that are joined to it.
  SmallVector<Value> joined;
  /// The operands as rows, while emitting.
  SmallVector<Value> operands;
};

} // namespace

/// The last dimension of several elements is reduced, and no other one.
LogicalResult ShortRowEmitter::analyzeExtents() {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isFound = false;
  for (unsigned dim = unsigned(extents.size()); dim-- > 0;) {
    bool isReduction = iterators[dim] == utils::IteratorType::reduction;
    if (extents[dim] == 1)
      continue;
    if (isReduction == isFound)
      return failure();
    if (isReduction) {
      isFound = true;
      reduced = dim;
    } else {
      rows *= extents[dim];
    }
  }
  return success(isFound && llvm::isPowerOf2_64(uint64_t(extents[reduced])) &&
                 extents[reduced] <= target.costs().shortRow &&
                 rows >= target.costs().shortRows);
}

/// Whether elements of \p operand lie in the order of the rounds, and those of
/// the result in that of the rows.
bool ShortRowEmitter::isContiguous(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return !op.isDpsInit(&operand);
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<int64_t> named = extents;
  if (op.isDpsInit(&operand))
    named[reduced] = 1;
  return type.getRank() != 0 && type.getLayout().isIdentity() &&
         map.isFunctionOfDim(reduced) != op.isDpsInit(&operand) &&
         namesInOrder(map, named);
}

/// Parts the body in what depends on the carried value and the rest, all of
/// which works on vectors as it does on scalars.
LogicalResult ShortRowEmitter::analyzeBody() {
  int64_t maxBits = 8;
  DenseSet<Value> carried{op.getRegionOutputArgs().front()};
  auto take = [&](Type type) {
    if (!type.isIntOrFloat())
      return false;
    maxBits = std::max<int64_t>(maxBits, type.getIntOrFloatBitWidth());
    return true;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!take(element) || element.getIntOrFloatBitWidth() < 8)
      return failure();
  }
  for (Operation &bodyOp : op.getBlock()->without_terminator()) {
    if (!isMemoryEffectFree(&bodyOp) || bodyOp.getNumRegions() != 0 ||
        bodyOp.getNumResults() != 1 || !take(bodyOp.getResult(0).getType()) ||
        !(OpTrait::hasElementwiseMappableTraits(&bodyOp) ||
          bodyOp.hasTrait<OpTrait::ConstantLike>()))
      return failure();
    if (llvm::none_of(bodyOp.getOperands(),
                      [&](Value value) { return carried.contains(value); }))
      continue;
    carried.insert(bodyOp.getResult(0));
    joining.push_back(&bodyOp);
  }
  for (Operation *bodyOp : joining)
    for (Value value : bodyOp->getOperands())
      if (!carried.contains(value) && value.getParentBlock() == op.getBlock() &&
          !llvm::is_contained(joined, value))
        joined.push_back(value);
  maxLanes = target.vectorBits / maxBits;
  return success(
      carried.contains(op.getBlock()->getTerminator()->getOperand(0)) &&
      maxLanes > 1);
}

LogicalResult ShortRowEmitter::analyze() {
  if (op.hasDynamicShape() || op.getNumDpsInits() != 1 ||
      op.getBlock()->getNumArguments() != op->getNumOperands() ||
      readsOutputs(op) || isScan(op))
    return failure();
  extents = op.getStaticLoopRanges();
  if (llvm::is_contained(extents, 0) || failed(analyzeExtents()) ||
      !llvm::all_of(op->getOpOperands(),
                    [&](OpOperand &operand) { return isContiguous(operand); }))
    return failure();
  return analyzeBody();
}

/// Copies \p bodyOp for vectors of \p lanes elements, where it has one.
Value ShortRowEmitter::clone(Operation &bodyOp, int64_t lanes,
                             IRMapping &mapping) {
  SmallVector<Value> from;
  for (Value operand : bodyOp.getOperands())
    from.push_back(mapping.lookupOrDefault(operand));
  if (llvm::none_of(
          from, [](Value value) { return isa<VectorType>(value.getType()); }))
    return builder.clone(bodyOp, mapping)->getResult(0);
  for (Value &value : from)
    if (!isa<VectorType>(value.getType()))
      value = vector::BroadcastOp::create(
          builder, loc, VectorType::get({lanes}, value.getType()), value);
  OperationState state(loc, bodyOp.getName());
  state.addOperands(from);
  state.addAttributes(bodyOp.getAttrs());
  state.addTypes(VectorType::get({lanes}, bodyOp.getResult(0).getType()));
  Value result = builder.create(state)->getResult(0);
  mapping.map(bodyOp.getResult(0), result);
  return result;
}

/// The columns of rows that \p vectors, as many as a row has elements, are one
/// after the other.
SmallVector<Value> ShortRowEmitter::columnsOf(ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return {vectors[0]};
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  SmallVector<int64_t> even, odd;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    even.push_back(2 * lane);
    odd.push_back(2 * lane + 1);
  }
  auto part = [&](ArrayRef<int64_t> mask) {
    SmallVector<Value> halves;
    for (size_t index = 0; index < vectors.size(); index += 2)
      halves.push_back(vector::ShuffleOp::create(builder, loc, vectors[index],
                                                 vectors[index + 1], mask));
    return columnsOf(halves);
  };
  SmallVector<Value> evens = part(even), odds = part(odd), all;
  for (auto [first, second] : llvm::zip_equal(evens, odds))
    all.append({first, second});
  return all;
}

/// Joins \p lanes rows, of which \p first is the first one.
void ShortRowEmitter::emitRows(int64_t lanes, Value first) {
  int64_t columns = extents[reduced];
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Block *block = op.getBlock();
  SmallVector<SmallVector<Value>> parts(joined.size());
  Value begin = arith::MulIOp::create(builder, loc, first, number(columns));
  for (int64_t index = 0; index < columns; ++index) {
    Value place =
        arith::AddIOp::create(builder, loc, begin, number(index * lanes));
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Value operand = operands[input->getOperandNumber()];
      if (auto type = dyn_cast<MemRefType>(operand.getType()))
        operand = vector::LoadOp::create(
            builder, loc, VectorType::get({lanes}, type.getElementType()),
            operand, place);
      mapping.map(op.getMatchingBlockArgument(input), operand);
    }
    for (Operation &bodyOp : block->without_terminator())
      if (!llvm::is_contained(joining, &bodyOp))
        clone(bodyOp, lanes, mapping);
    for (auto [value, vectors] : llvm::zip_equal(joined, parts))
      vectors.push_back(mapping.lookup(value));
  }
  for (SmallVector<Value> &vectors : parts)
    if (isa<VectorType>(vectors[0].getType()))
      vectors = columnsOf(vectors);
  Value output = operands.back();
  auto element = cast<MemRefType>(output.getType()).getElementType();
  Value carried = vector::LoadOp::create(
      builder, loc, VectorType::get({lanes}, element), output, first);
  for (int64_t column = 0; column < columns; ++column) {
    IRMapping mapping;
    mapping.map(op.getRegionOutputArgs().front(), carried);
    for (auto [value, vectors] : llvm::zip_equal(joined, parts))
      mapping.map(value, vectors[size_t(column)]);
    for (Operation *bodyOp : joining)
      clone(*bodyOp, lanes, mapping);
    carried = mapping.lookup(block->getTerminator()->getOperand(0));
  }
  vector::StoreOp::create(builder, loc, carried, output, first);
}

/// Full vectors of rows in a loop, then ever shorter powers of two.
void ShortRowEmitter::emit() {
  for (Value operand : op->getOperands())
    operands.push_back(isa<MemRefType>(operand.getType())
                           ? flattenBuffer(builder, loc, operand)
                           : operand);
  int64_t begin = 0;
  for (int64_t lanes = maxLanes; begin < rows; lanes /= 2) {
    int64_t end = begin + (rows - begin) / lanes * lanes;
    if (end == begin)
      continue;
    Value lower = arith::ConstantIndexOp::create(builder, loc, begin);
    Value upper = arith::ConstantIndexOp::create(builder, loc, end);
    Value step = arith::ConstantIndexOp::create(builder, loc, lanes);
    Block *body = createPieceLoop(builder, loc, lower, upper, step).getBody();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    emitRows(lanes, body->getArgument(0));
    begin = end;
  }
}

LogicalResult nnhal::emitShortRows(OpBuilder &builder, linalg::LinalgOp op,
                                   const kernel::KernelTarget &target) {
  ShortRowEmitter emitter(builder, op, target);
  if (failed(emitter.analyze()))
    return failure();
  builder.setInsertionPoint(op);
  emitter.emit();
  return success();
}
