//===- VectorLoopEmitter.cpp - Loops over native vectors ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoopEmitter.h"

#include "FlattenBuffer.h"
#include "KernelSplit.h"

#include "Codegen/Scans.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace nnhal;

static int64_t lanesOf(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getNumElements() : 1;
}

static bool involves(AffineExpr expr, unsigned dim) {
  return expr.isFunctionOfDim(dim);
}

bool nnhal::isParallel(linalg::LinalgOp op, ArrayRef<AffineMap> maps,
                       unsigned dim) {
  bool isCollapsed = maps.front().getNumDims() != op.getNumLoops();
  if (!isCollapsed &&
      op.getIteratorTypesArray()[dim] != utils::IteratorType::parallel)
    return false;
  AffineExpr expr = getAffineDimExpr(dim, op.getContext());
  return llvm::all_of(maps.drop_front(op.getNumDpsInputs()),
                      [&](AffineMap map) {
                        return llvm::is_contained(map.getResults(), expr);
                      });
}

/// True when the lane dimension walks the operand with stride one or not at
/// all.
bool VectorLoopEmitter::isUsable(OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type)
    return true; // A scalar, as of linalg.fill.
  AffineMap map = op.getMatchingIndexingMap(&operand);
  ArrayRef<AffineExpr> results = map.getResults();
  for (AffineExpr result : results.empty() ? results : results.drop_back())
    if (involves(result, laneDim))
      return false;
  if (results.empty() || !involves(results.back(), laneDim))
    return true;
  return results.back() == getAffineDimExpr(laneDim, op.getContext()) &&
         type.isLastDimUnitStride();
}

/// True for a load from a captured buffer whose last index is the lane.
bool VectorLoopEmitter::readsAlongLanes(memref::LoadOp load) {
  if (load.getIndices().empty() || !load.getMemRefType().isLastDimUnitStride())
    return false;
  auto index = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == laneDim;
}

/// Checks that every operation of the body works on vectors as it does on
/// scalars.
LogicalResult VectorLoopEmitter::analyzeBody() {
  int64_t maxBits = 8;
  DenseSet<Value> varying;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get().getType());
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
      return failure();
    maxBits = std::max<int64_t>(maxBits, element.getIntOrFloatBitWidth());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isCarried = reduction && op.isDpsInit(&operand);
    if (isCarried || (isa<MemRefType>(operand.get().getType()) &&
                      map.isFunctionOfDim(laneDim)))
      varying.insert(op.getMatchingBlockArgument(&operand));
  }
  for (Operation &bodyOp : op.getBlock()->without_terminator()) {
    auto isVarying = [&](Value value) { return varying.contains(value); };
    bool anyVarying = llvm::any_of(bodyOp.getOperands(), isVarying);
    if (auto index = dyn_cast<linalg::IndexOp>(bodyOp)) {
      if (index.getDim() != laneDim)
        continue;
      // Lanes as numbers would need vectors of index; as the last index of a
      // load they are a vector load.
      for (Operation *user : bodyOp.getUsers()) {
        auto load = dyn_cast<memref::LoadOp>(user);
        if (!load || !readsAlongLanes(load) ||
            llvm::is_contained(load.getIndices().drop_back(),
                               index.getResult()))
          return failure();
      }
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(bodyOp)) {
      if (anyVarying || !load.getType().isIntOrFloat())
        return failure();
      if (readsAlongLanes(load))
        varying.insert(load.getResult());
      continue;
    }
    if (!isMemoryEffectFree(&bodyOp) || bodyOp.getNumRegions() != 0 ||
        bodyOp.getNumResults() != 1)
      return failure();
    if (!anyVarying)
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&bodyOp) ||
        bodyOp.getNumResults() != 1 ||
        !bodyOp.getResult(0).getType().isIntOrFloat())
      return failure();
    maxBits = std::max<int64_t>(
        maxBits, bodyOp.getResult(0).getType().getIntOrFloatBitWidth());
    varying.insert(bodyOp.getResult(0));
  }
  maxLanes = std::max<int64_t>(target.vectorBits / maxBits, 1);
  return success();
}

/// Lanes that are results of their own: the output is contiguous along them.
LogicalResult VectorLoopEmitter::analyzeParallel() {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  OpOperand &firstOutput = *op.getDpsInitOperand(0);
  AffineMap outputMap = op.getMatchingIndexingMap(&firstOutput);
  if (outputMap.getNumResults() == 0)
    return failure();
  auto lane = dyn_cast<AffineDimExpr>(outputMap.getResults().back());
  if (!lane || iterators[lane.getPosition()] != utils::IteratorType::parallel)
    return failure();
  laneDim = lane.getPosition();
  for (OpOperand &operand : op->getOpOperands())
    if (!isUsable(operand))
      return failure();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() == 0 || !involves(map.getResults().back(), laneDim))
      return failure();
  }
  return analyzeBody();
}

/// Lanes that are joined to one result: inputs are contiguous along them.
LogicalResult VectorLoopEmitter::analyzeReduction() {
  std::optional<LaneReduction> found = LaneReduction::match(op);
  if (!found)
    return failure();
  reduction = std::move(found);
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  for (unsigned dim = extents.size(); dim-- > 0;) {
    laneDim = dim;
    auto areUsable = [&](auto &&ofOperands) {
      return llvm::all_of(
          ofOperands, [&](OpOperand &operand) { return isUsable(operand); });
    };
    AffineMap outputMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (iterators[dim] == utils::IteratorType::reduction &&
        !outputMap.isFunctionOfDim(dim) && areUsable(op->getOpOperands()) &&
        succeeded(analyzeBody()) && extents[dim] >= maxLanes)
      return success();
  }
  reduction.reset();
  return failure();
}

LogicalResult VectorLoopEmitter::analyze() {
  if (op.hasDynamicShape() || op.getNumDpsInits() == 0 ||
      op.getBlock()->getNumArguments() != op->getNumOperands() ||
      readsOutputs(op))
    return failure();
  extents = op.getStaticLoopRanges();
  if (succeeded(analyzeParallel()))
    return success();
  return analyzeReduction();
}

bool VectorLoopEmitter::isContiguousElementwise() {
  if (extents.size() < 2 || op.getNumParallelLoops() != extents.size() ||
      !op.getBlock()->getOps<linalg::IndexOp>().empty())
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      return true;
    // The body was analyzed along the dimension of the lanes.
    AffineMap map = op.getMatchingIndexingMap(&operand);
    return namesInOrder(map, extents) && map.isFunctionOfDim(laneDim) &&
           type.getLayout().isIdentity();
  });
}

/// Views every operand as one row, so that rows of odd length leave one
/// remainder instead of one per row.
void VectorLoopEmitter::collapseToOneDimension() {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (Value &operand : operands)
    if (isa<MemRefType>(operand.getType()))
      operand = flattenBuffer(builder, loc, operand);
  AffineMap identity = builder.getMultiDimIdentityMap(1);
  for (AffineMap &map : maps)
    map = identity;
  extents = {count};
  laneDim = 0;
}

void VectorLoopEmitter::emit() {
  builder.setInsertionPoint(op);
  operands = llvm::to_vector(op->getOperands());
  maps = op.getIndexingMapsArray();
  if (isContiguousElementwise())
    collapseToOneDimension();
  if (llvm::is_contained(extents, 0))
    return; // Nothing to compute.
  ivs.assign(extents.size(), Value());
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    if (dim != laneDim)
      outerDims.push_back(dim);
  OpBuilder::InsertionGuard guard(builder);
  // Without a loop around, what carries sums would be none of the kernel.
  if (reduction && llvm::all_of(outerDims, [&](unsigned dim) {
        return extents[dim] == 1;
      })) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto once = scf::ForOp::create(builder, loc, zero, one, one);
    builder.setInsertionPointToStart(once.getBody());
  }
  joinedDim = findJoinedDim();
  emitOuterLoops(0);
}

/// Emits a loop over \p dim and returns its body, which is empty.
Block *VectorLoopEmitter::beginLoop(unsigned dim, Value lower, Value upper,
                                    int64_t step) {
  Value size = arith::ConstantIndexOp::create(builder, loc, step);
  Block *body =
      isParallel(op, maps, dim)
          ? createPieceLoop(builder, loc, lower, upper, size).getBody()
          : scf::ForOp::create(builder, loc, lower, upper, size).getBody();
  ivs[dim] = body->getArgument(0);
  return body;
}

void VectorLoopEmitter::emitOuterLoops(unsigned position) {
  if (position == outerDims.size())
    return reduction ? emitReducedLanes() : emitLanes();
  unsigned dim = outerDims[position];
  if (joinedDim == dim)
    return emitJoinedRounds(position);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (extents[dim] == 1) {
    ivs[dim] = zero;
    return emitOuterLoops(position + 1);
  }
  Value extent = arith::ConstantIndexOp::create(builder, loc, extents[dim]);
  Block *body = beginLoop(dim, zero, extent, /*step=*/1);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(body);
  emitOuterLoops(position + 1);
}

/// The innermost dimension that is reduced, if one round of its loop costs
/// little more than to load and store the results, which are the same elements
/// in each.
std::optional<unsigned> VectorLoopEmitter::findJoinedDim() {
  auto bodySize = int64_t(llvm::range_size(*op.getBlock()));
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (reduction || bodySize >= target.costs().longEpilogue || isScan(op))
    return std::nullopt;
  for (unsigned dim : llvm::reverse(outerDims))
    if (extents.size() == iterators.size() &&
        iterators[dim] == utils::IteratorType::reduction)
      return extents[dim] >= target.costs().joinedRounds ? std::optional(dim)
                                                         : std::nullopt;
  return std::nullopt;
}

/// A loop that takes several rounds at once, so that the results of each lane
/// are loaded and stored once for all of them; then the rounds that remain.
/// Beside what that saves, it keeps LLVM from storing the lanes of an extremum
/// under a mask, which takes some processors several times as long.
void VectorLoopEmitter::emitJoinedRounds(unsigned position) {
  unsigned dim = *joinedDim;
  int64_t extent = extents[dim], together = target.costs().joinedRounds;
  int64_t joined = extent / together * together;
  auto emitLoop = [&](int64_t begin, int64_t end, int64_t step) {
    if (begin == end)
      return;
    Value lower = arith::ConstantIndexOp::create(builder, loc, begin);
    Value upper = arith::ConstantIndexOp::create(builder, loc, end);
    Block *body = beginLoop(dim, lower, upper, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(body);
    rounds = {ivs[dim]};
    for (int64_t round = 1; round < step; ++round)
      rounds.push_back(arith::AddIOp::create(
          builder, loc, rounds.front(),
          arith::ConstantIndexOp::create(builder, loc, round)));
    emitOuterLoops(position + 1);
  };
  emitLoop(0, joined, together);
  emitLoop(joined, extent, /*step=*/1);
}

void VectorLoopEmitter::beginRound(size_t round) {
  if (joinedDim)
    ivs[*joinedDim] = rounds[round];
}

/// Whether \p bodyOp gives one value for all lanes, of values in \p uniform.
bool VectorLoopEmitter::isUniform(Operation &bodyOp, const IRMapping &uniform) {
  if (auto index = dyn_cast<linalg::IndexOp>(bodyOp))
    return index.getDim() != laneDim;
  if (bodyOp.getNumResults() != 1)
    return false;
  return llvm::all_of(bodyOp.getOperands(), [&](Value operand) {
    return uniform.contains(operand) ||
           operand.getParentRegion() != op.getBlock()->getParent();
  });
}

/// Emits what is the same for all lanes in front of the loop over them, since
/// LLVM does not move loads there that might see what the loop stores. Where no
/// loop is around, that place would be outside of the kernel.
void VectorLoopEmitter::emitUniform() {
  uniforms.assign(rounds.size(), IRMapping());
  if (llvm::all_of(outerDims, [&](unsigned dim) { return extents[dim] == 1; }))
    return;
  for (auto [round, uniform] : llvm::enumerate(uniforms)) {
    beginRound(round);
    uniform = emitUniformOfRound();
  }
}

IRMapping VectorLoopEmitter::emitUniformOfRound() {
  IRMapping uniform;
  Block *block = op.getBlock();
  for (OpOperand *input : op.getDpsInputOperands()) {
    unsigned number = input->getOperandNumber();
    BlockArgument argument = block->getArgument(number);
    Value operand = operands[number];
    if (argument.use_empty() || maps[number].isFunctionOfDim(laneDim))
      continue;
    uniform.map(argument, isa<MemRefType>(operand.getType())
                              ? load(operand, maps[number], /*width=*/1)
                              : operand);
  }
  for (Operation &bodyOp : block->without_terminator())
    if (isUniform(bodyOp, uniform))
      uniform.map(bodyOp.getResult(0),
                  cloneBodyOp(bodyOp, /*width=*/1, uniform));
  return uniform;
}

/// The lane dimension: full vectors in a loop, then ever shorter powers of two
/// (other widths make LLVM split vectors badly).
void VectorLoopEmitter::emitLanes() {
  int64_t extent = extents[laneDim];
  int64_t begin = 0;
  emitUniform();
  for (int64_t width = maxLanes; width >= 1; width /= 2) {
    int64_t count = (extent - begin) / width;
    if (count == 0)
      continue;
    int64_t end = begin + count * width;
    Value lower = arith::ConstantIndexOp::create(builder, loc, begin);
    if (count == 1) {
      emitBody(width, lower);
    } else {
      Value upper = arith::ConstantIndexOp::create(builder, loc, end);
      Block *body = beginLoop(laneDim, lower, upper, width);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(body);
      emitBody(width, ivs[laneDim]);
    }
    begin = end;
  }
}

SmallVector<Value> VectorLoopEmitter::indicesOf(AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr result : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(result)) {
      indices.push_back(ivs[dim.getPosition()]);
      continue;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(result)) {
      indices.push_back(
          arith::ConstantIndexOp::create(builder, loc, constant.getValue()));
      continue;
    }
    AffineMap single = AffineMap::get(map.getNumDims(), 0, result);
    indices.push_back(affine::AffineApplyOp::create(builder, loc, single, ivs));
  }
  return indices;
}

Value VectorLoopEmitter::load(Value memref, AffineMap map, int64_t width) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> indices = indicesOf(map);
  bool alongLanes =
      map.getNumResults() != 0 && involves(map.getResults().back(), laneDim);
  if (!alongLanes)
    return memref::LoadOp::create(builder, loc, memref, indices);
  auto vectorType = VectorType::get({width}, type.getElementType());
  return vector::LoadOp::create(builder, loc, vectorType, memref, indices);
}

Value VectorLoopEmitter::widen(Value value, int64_t width) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({width}, value.getType()), value);
}

/// Clones \p bodyOp, on vectors as soon as one operand is a vector.
Value VectorLoopEmitter::cloneBodyOp(Operation &bodyOp, int64_t width,
                                     IRMapping &mapping) {
  if (auto index = dyn_cast<linalg::IndexOp>(bodyOp))
    return ivs[index.getDim()];
  if (auto load = dyn_cast<memref::LoadOp>(bodyOp)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(mapping.lookupOrDefault(index));
    Value buffer = mapping.lookupOrDefault(load.getMemref());
    if (!readsAlongLanes(load))
      return memref::LoadOp::create(builder, loc, buffer, indices);
    auto type = VectorType::get({width}, load.getType());
    return vector::LoadOp::create(builder, loc, type, buffer, indices);
  }
  SmallVector<Value> newOperands;
  for (Value operand : bodyOp.getOperands())
    newOperands.push_back(mapping.lookupOrDefault(operand));
  bool isVector = llvm::any_of(newOperands, [](Value value) {
    return isa<VectorType>(value.getType());
  });
  if (!isVector)
    return builder.clone(bodyOp, mapping)->getResult(0);
  for (Value &operand : newOperands)
    operand = widen(operand, width);
  OperationState state(loc, bodyOp.getName());
  state.addOperands(newOperands);
  state.addAttributes(bodyOp.getAttrs());
  state.addTypes(VectorType::get({width}, bodyOp.getResult(0).getType()));
  return builder.create(state)->getResult(0);
}

/// Clones the body for \p width lanes from \p laneIndex on, which join what
/// they have in \p round to \p carried, if it is not empty, in place of what
/// the results are in memory.
IRMapping VectorLoopEmitter::cloneBody(int64_t width, Value laneIndex,
                                       size_t round, ValueRange carried) {
  ivs[laneDim] = laneIndex;
  beginRound(round);
  IRMapping mapping = uniforms[round];
  if (!carried.empty())
    mapping.map(op.getRegionOutputArgs(), carried);
  Block *block = op.getBlock();
  for (auto [operand, map, argument] :
       llvm::zip_equal(operands, maps, block->getArguments())) {
    if (argument.use_empty() || mapping.contains(argument))
      continue;
    mapping.map(argument, isa<MemRefType>(operand.getType())
                              ? load(operand, map, width)
                              : operand);
  }
  for (Operation &bodyOp : block->without_terminator())
    if (bodyOp.getNumResults() == 1 && !mapping.contains(bodyOp.getResult(0)))
      mapping.map(bodyOp.getResult(0), cloneBodyOp(bodyOp, width, mapping));
  return mapping;
}

void VectorLoopEmitter::emitBody(int64_t width, Value laneIndex) {
  SmallVector<Value> results;
  for (size_t round = 0; round < rounds.size(); ++round) {
    IRMapping mapping = cloneBody(width, laneIndex, round, results);
    results = llvm::map_to_vector(
        op.getBlock()->getTerminator()->getOperands(), [&](Value yielded) {
          return widen(mapping.lookupOrDefault(yielded), width);
        });
  }
  int64_t firstOutput = op.getNumDpsInputs();
  for (auto [index, value] : llvm::enumerate(results))
    vector::StoreOp::create(builder, loc, value, operands[firstOutput + index],
                            indicesOf(maps[firstOutput + index]));
}

//===----------------------------------------------------------------------===//
// Reduced lanes
//===----------------------------------------------------------------------===//

/// The lanes of the accumulator: of several registers, so that as many chains
/// of sums run side by side, but for long bodies, whose values need registers,
/// too. A power of two.
int64_t VectorLoopEmitter::reductionWidth() {
  auto bodySize = int64_t(llvm::range_size(op.getBlock()->getOperations()));
  int64_t registers = std::clamp<int64_t>(target.registers / bodySize, 1,
                                          target.costs().reductionAccumulators);
  int64_t most = std::min(extents[laneDim], maxLanes * registers);
  return int64_t(llvm::bit_floor(uint64_t(most)));
}

/// \p carried joined with \p element, both vectors or both scalars.
Value VectorLoopEmitter::join(Value carried, Value element) {
  IRMapping mapping;
  mapping.map(reduction->carried, carried);
  mapping.map(reduction->element, element);
  Value result;
  for (Operation *combiner : reduction->combiners) {
    result = cloneBodyOp(*combiner, lanesOf(carried), mapping);
    mapping.map(combiner->getResult(0), result);
  }
  return result;
}

/// The lower half of the lanes joined with the upper one.
Value VectorLoopEmitter::joinHalves(Value carried) {
  int64_t half = lanesOf(carried) / 2;
  auto part = [&](int64_t offset) -> Value {
    return vector::ExtractStridedSliceOp::create(
        builder, loc, carried, ArrayRef(offset), ArrayRef(half),
        ArrayRef<int64_t>(1));
  };
  Value lower = part(0);
  return join(lower, part(half));
}

/// Joins the elements from \p begin to \p end, whose number the lanes of \p
/// carried divide, to them.
Value VectorLoopEmitter::accumulate(Value carried, int64_t begin, int64_t end) {
  int64_t width = lanesOf(carried);
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  Value lower = arith::ConstantIndexOp::create(builder, loc, begin);
  if (end - begin == width)
    return cloneBody(width, lower, /*round=*/0, carried).lookup(yielded);
  Value upper = arith::ConstantIndexOp::create(builder, loc, end);
  Value step = arith::ConstantIndexOp::create(builder, loc, width);
  auto loop =
      scf::ForOp::create(builder, loc, lower, upper, step, ValueRange(carried));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IRMapping mapping = cloneBody(width, loop.getInductionVar(), /*round=*/0,
                                loop.getRegionIterArg(0));
  scf::YieldOp::create(builder, loc, mapping.lookup(yielded));
  return loop.getResult(0);
}

/// The lane dimension: from the widest accumulator on its halves are joined,
/// and what remains of the elements is joined as soon as it is as long. The
/// order depends on nothing but the extent, so that results are the same
/// however rows are shared by threads.
void VectorLoopEmitter::emitReducedLanes() {
  emitUniform();
  int64_t extent = extents[laneDim];
  int64_t begin = 0;
  int64_t width = reductionWidth();
  auto type = VectorType::get({width}, reduction->neutral.getType());
  Value carried = arith::ConstantOp::create(
      builder, loc,
      SplatElementsAttr::get(type, Attribute(reduction->neutral)));
  for (;;) {
    int64_t end = extent - (extent - begin) % width;
    if (end != begin)
      carried = accumulate(carried, begin, end);
    begin = end;
    if (width == 1)
      break;
    carried = joinHalves(carried);
    width /= 2;
  }
  Value output = operands.back();
  Value all = vector::ExtractOp::create(builder, loc, carried, int64_t(0));
  Value result = join(load(output, maps.back(), /*width=*/1), all);
  memref::StoreOp::create(builder, loc, result, output, indicesOf(maps.back()));
}
