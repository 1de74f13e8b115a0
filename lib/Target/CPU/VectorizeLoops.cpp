//===- VectorizeLoops.cpp - Bufferized linalg to vector loops -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One dimension of the iteration space, along which the first output is
// contiguous, becomes that of the lanes, if every operand is read along it with
// stride one or not at all and every operation of the body works on vectors.
// All other dimensions are loops around it, in order. Lanes are a loop of full
// vectors of the widest element, then ever shorter powers of two without a
// loop. What the body computes of values that are the same for all lanes stands
// in front of the loop of lanes; the rest is copied with vectors in place of
// numbers, broadcast where the two meet. Elementwise operations on contiguous
// buffers are seen as one row, so that there is one remainder.
//
// Operations that have no such dimension become scalar loops by upstream's
// pattern; what the innermost one accumulates is carried in a register. Loops
// whose rounds write different elements are mapped to pieces of a kernel.
//
// The loops are emitted directly. Upstream's way (tile by one vector,
// vectorize, cast away unit dimensions, fold subviews into transfers, lower
// transfers) gives the same inner loops, but spends four greedy rewrites on
// every operation; benchmarks/CompileTime shows what that costs on small
// models.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "CostModel.h"
#include "KernelSplit.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

namespace nnhal {
#define GEN_PASS_DEF_VECTORIZELOOPS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

/// Emits one linalg operation as a loop nest whose innermost loop works on
/// vectors along one dimension of the iteration space, the lane dimension.
class VectorLoopEmitter {
public:
  VectorLoopEmitter(OpBuilder &builder, linalg::LinalgOp op, int64_t vectorBits)
      : builder(builder), op(op), loc(op.getLoc()), vectorBits(vectorBits) {}

  /// Picks the lane dimension; failure when no dimension serves.
  LogicalResult analyze();
  void emit();

private:
  bool isUsable(OpOperand &operand);
  bool isContiguousElementwise();
  void collapseToOneDimension();
  LogicalResult analyzeBody();
  bool readsAlongLanes(memref::LoadOp load);

  Block *beginLoop(unsigned dim, Value lower, Value upper, int64_t step);
  void emitOuterLoops(unsigned position);
  void emitLanes();
  void emitUniform();
  bool isUniform(Operation &bodyOp);
  void emitBody(int64_t width, Value laneIndex);
  Value load(Value memref, AffineMap map, int64_t width);
  SmallVector<Value> indicesOf(AffineMap map);
  Value cloneBodyOp(Operation &bodyOp, int64_t width, IRMapping &mapping);
  Value widen(Value value, int64_t width);

  OpBuilder &builder;
  linalg::LinalgOp op;
  Location loc;
  int64_t vectorBits;

  int64_t maxLanes = 1;
  unsigned laneDim = 0;
  SmallVector<int64_t> extents;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  /// Induction variable of every dimension, while emitting.
  SmallVector<Value> ivs;
  SmallVector<unsigned> outerDims;
  /// Values of the body that are the same for all lanes, while emitting.
  IRMapping uniform;
};

struct VectorizeLoopsPass : impl::VectorizeLoopsBase<VectorizeLoopsPass> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

static bool involves(AffineExpr expr, unsigned dim) {
  return expr.isFunctionOfDim(dim);
}

/// Whether rounds of dimension \p dim write different elements of each result
/// of \p op, whose operands are read and written by \p maps.
static bool isParallel(linalg::LinalgOp op, ArrayRef<AffineMap> maps,
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
    if (isa<MemRefType>(operand.get().getType()) &&
        map.isFunctionOfDim(laneDim))
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
  maxLanes = std::max<int64_t>(vectorBits / maxBits, 1);
  return success();
}

LogicalResult VectorLoopEmitter::analyze() {
  if (op.hasDynamicShape() || op.getNumDpsInits() == 0 ||
      op.getBlock()->getNumArguments() != op->getNumOperands())
    return failure();
  extents = op.getStaticLoopRanges();
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

bool VectorLoopEmitter::isContiguousElementwise() {
  if (extents.size() < 2 || op.getNumParallelLoops() != extents.size() ||
      !op.getBlock()->getOps<linalg::IndexOp>().empty())
    return false;
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    return !type || (op.getMatchingIndexingMap(&operand).isIdentity() &&
                     type.getLayout().isIdentity());
  });
}

/// Views every operand as one row, so that rows of odd length leave one
/// remainder instead of one per row.
void VectorLoopEmitter::collapseToOneDimension() {
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, extents.size()));
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  for (Value &operand : operands)
    if (isa<MemRefType>(operand.getType()))
      operand = memref::CollapseShapeOp::create(
          builder, loc, operand, ArrayRef<ReassociationIndices>(all));
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
    return emitLanes();
  unsigned dim = outerDims[position];
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

/// Whether \p bodyOp gives one value for all lanes, of values in `uniform`.
bool VectorLoopEmitter::isUniform(Operation &bodyOp) {
  if (auto index = dyn_cast<linalg::IndexOp>(bodyOp))
    return index.getDim() != laneDim;
  if (bodyOp.getNumResults() != 1)
    return false;
  return llvm::all_of(bodyOp.getOperands(), [&](Value operand) {
    return uniform.contains(operand) ||
           operand.getParentRegion() != op.getBlock()->getParent();
  });
}

/// What the body computes once for all lanes, in front of the loop over them:
/// LLVM does not move it there, because a load might see what the loop stores.
/// Without a loop around, the code would be none of the kernel.
void VectorLoopEmitter::emitUniform() {
  uniform = IRMapping();
  if (llvm::all_of(outerDims, [&](unsigned dim) { return extents[dim] == 1; }))
    return;
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
    if (isUniform(bodyOp))
      uniform.map(bodyOp.getResult(0),
                  cloneBodyOp(bodyOp, /*width=*/1, uniform));
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

void VectorLoopEmitter::emitBody(int64_t width, Value laneIndex) {
  ivs[laneDim] = laneIndex;
  IRMapping mapping = uniform;
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
  int64_t firstOutput = op.getNumDpsInputs();
  for (auto [index, yielded] :
       llvm::enumerate(block->getTerminator()->getOperands())) {
    Value value = widen(mapping.lookupOrDefault(yielded), width);
    vector::StoreOp::create(builder, loc, value, operands[firstOutput + index],
                            indicesOf(maps[firstOutput + index]));
  }
}

/// memref.copy between strided buffers would call a runtime function; as a
/// linalg operation it becomes loops. Contiguous ones become memcpy.
static void generalizeStridedCopies(func::FuncOp func) {
  func.walk([](memref::CopyOp copy) {
    auto source = dyn_cast<MemRefType>(copy.getSource().getType());
    auto target = dyn_cast<MemRefType>(copy.getTarget().getType());
    // Of unknown rank there is no loop nest; the runtime function stays.
    if (!source || !target)
      return;
    if (source.getLayout().isIdentity() && target.getLayout().isIdentity())
      return;
    OpBuilder builder(copy);
    linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
    copy.erase();
  });
}

/// Carries what the innermost of \p loops accumulates from round to round in
/// place of a load and a store in each. Without a loop around, the load and the
/// store would be none of the kernel.
static void carryAccumulators(RewriterBase &rewriter,
                              ArrayRef<Operation *> loops) {
  auto loop =
      loops.size() < 2 ? scf::ForOp() : dyn_cast<scf::ForOp>(loops.back());
  if (!loop)
    return;
  SmallVector<memref::StoreOp> stores(loop.getOps<memref::StoreOp>());
  SmallVector<memref::LoadOp> loads;
  for (memref::StoreOp store : stores) {
    auto isOfStore = [&](memref::LoadOp load) {
      return load.getMemref() == store.getMemref() &&
             load.getIndices() == store.getIndices();
    };
    auto isOutside = [&](Value value) {
      return loop.isDefinedOutsideOfLoop(value);
    };
    auto all = loop.getOps<memref::LoadOp>();
    auto load = llvm::find_if(all, isOfStore);
    if (load == all.end() || !llvm::all_of(store.getIndices(), isOutside))
      return;
    loads.push_back(*load);
  }
  SmallVector<Value> first, next;
  for (auto [load, store] : llvm::zip(loads, stores)) {
    rewriter.moveOpBefore(load, loop);
    first.push_back(load);
    next.push_back(store.getValueToStore());
  }
  auto carrying = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/true,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return next; }));
  rewriter.setInsertionPointAfter(carrying);
  for (auto [store, result] : llvm::zip(stores, carrying.getResults())) {
    memref::StoreOp::create(rewriter, store.getLoc(), result, store.getMemref(),
                            store.getIndices());
    rewriter.eraseOp(store);
  }
}

/// Maps to pieces those of \p loops whose rounds are independent. They are the
/// loops of all dimensions of \p op, in order, and stay so.
static void mapParallelLoops(RewriterBase &rewriter, linalg::LinalgOp op,
                             MutableArrayRef<Operation *> loops) {
  if (loops.size() != op.getNumLoops())
    return;
  for (auto [dim, operation] : llvm::enumerate(loops)) {
    if (!isParallel(op, op.getIndexingMapsArray(), dim))
      continue;
    auto loop = cast<scf::ForOp>(operation);
    rewriter.setInsertionPoint(loop);
    scf::ForallOp mapped =
        createPieceLoop(rewriter, loop.getLoc(), loop.getLowerBound(),
                        loop.getUpperBound(), loop.getStep());
    rewriter.eraseOp(loop.getBody()->getTerminator());
    rewriter.inlineBlockBefore(loop.getBody(), mapped.getTerminator(),
                               mapped.getInductionVars());
    rewriter.eraseOp(loop);
    operation = mapped;
  }
}

void VectorizeLoopsPass::runOnOperation() {
  func::FuncOp func = getOperation();
  std::optional<kernel::KernelTarget> target = kernel::KernelTarget::of(func);
  if (!target)
    return signalPassFailure();
  SmallVector<linalg::LinalgOp> ops;
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops)
    if (!op.hasPureBufferSemantics()) {
      op.emitOpError("is on tensors: it must be bufferized before it becomes "
                     "loops");
      return signalPassFailure();
    }
  ops.clear();
  generalizeStridedCopies(func);
  func.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (linalg::LinalgOp op : ops) {
    VectorLoopEmitter emitter(rewriter, op, target->vectorBits);
    if (succeeded(emitter.analyze())) {
      emitter.emit();
      rewriter.eraseOp(op);
      ++numVectorized;
      continue;
    }
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops)) {
      op.emitError("cannot be lowered to loops");
      return signalPassFailure();
    }
    mapParallelLoops(rewriter, op, *loops);
    carryAccumulators(rewriter, *loops);
    rewriter.eraseOp(op);
    ++numScalar;
  }
}

} // namespace nnhal
