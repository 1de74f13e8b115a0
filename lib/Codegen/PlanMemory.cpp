//===- PlanMemory.cpp - Place every allocation in one arena ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "ContextAccess.h"
#include "Preconditions.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace nnhal {
#define GEN_PASS_DEF_PLANMEMORY
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

/// Orders of placing that are tried; the models under test take at most six.
static constexpr int maxAttempts = 32;

namespace {
/// An allocation and when, counted in operations of the function's block, it is
/// in use.
struct Buffer {
  memref::AllocOp alloc;
  int64_t size = 0;
  int64_t firstUse = 0;
  int64_t lastUse = 0;
  int64_t offset = -1;

  int64_t end() const { return offset + size; }
  bool overlapsInTime(const Buffer &other) const {
    return firstUse <= other.lastUse && other.firstUse <= lastUse;
  }
};

struct PlanMemoryPass : impl::PlanMemoryBase<PlanMemoryPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult check(func::FuncOp func);
  void collect(func::FuncOp func, SmallVectorImpl<Buffer> &buffers,
               SmallVectorImpl<memref::AllocOp> &dynamic,
               SetVector<scf::ForallOp> &sequential);
  int64_t assignOffsets(MutableArrayRef<Buffer> buffers, int64_t leastSize);
  int64_t lowerBound(ArrayRef<Buffer> buffers);
};
} // namespace

/// Whether one of \p aliases is carried to the next round of a loop, which then
/// cannot have the same memory for its own.
static bool outlivesRound(const BufferViewFlowAnalysis::ValueSetT &aliases) {
  return llvm::any_of(aliases, [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument &&
           isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
  });
}

/// \p sequential becomes the loops whose rounds share a buffer of the arena.
void PlanMemoryPass::collect(func::FuncOp func,
                             SmallVectorImpl<Buffer> &buffers,
                             SmallVectorImpl<memref::AllocOp> &dynamic,
                             SetVector<scf::ForallOp> &sequential) {
  Block &body = func.getBody().front();
  DenseMap<Operation *, int64_t> position;
  for (auto [index, op] : llvm::enumerate(body))
    position[&op] = index;

  BufferViewFlowAnalysis views(func);
  func.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    BufferViewFlowAnalysis::ValueSetT aliases =
        views.resolve(alloc.getResult());
    bool isNested = alloc->getBlock() != &body;
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        (isNested && outlivesRound(aliases))) {
      dynamic.push_back(alloc);
      return;
    }
    Buffer buffer;
    buffer.alloc = alloc;
    buffer.size =
        llvm::alignTo(elementBytes(type) * type.getNumElements(), alignment);
    buffer.firstUse = INT64_MAX;
    for (Value view : aliases)
      for (Operation *user : view.getUsers()) {
        int64_t when = position.lookup(body.findAncestorOpInBlock(*user));
        // A view itself touches no bytes; its users do.
        if (!isa<ViewLikeOpInterface>(user))
          buffer.firstUse = std::min(buffer.firstUse, when);
        buffer.lastUse = std::max(buffer.lastUse, when);
      }
    // In a loop, the next round begins where this one did, with the same
    // memory: no two at once.
    if (isNested) {
      buffer.firstUse = std::min(
          buffer.firstUse, position.lookup(body.findAncestorOpInBlock(*alloc)));
      for (auto loop = alloc->getParentOfType<scf::ForallOp>(); loop;
           loop = loop->getParentOfType<scf::ForallOp>())
        if (loop.getNumResults() == 0)
          sequential.insert(loop);
    }
    if (buffer.firstUse == INT64_MAX)
      buffer.firstUse = buffer.lastUse;
    buffers.push_back(buffer);
  });
}

/// Places each buffer of \p order at the lowest offset where it shares no bytes
/// with those before it that are in use at the same time. Returns the size of
/// the arena.
static int64_t placeInOrder(ArrayRef<Buffer *> order) {
  SmallVector<Buffer *> placed; // In offset order.
  int64_t arenaSize = 0;
  for (Buffer *buffer : order) {
    int64_t offset = 0;
    for (const Buffer *other : placed) {
      if (!buffer->overlapsInTime(*other))
        continue;
      if (offset + buffer->size <= other->offset)
        break;
      offset = std::max(offset, other->end());
    }
    buffer->offset = offset;
    arenaSize = std::max(arenaSize, buffer->end());
    placed.insert(llvm::upper_bound(placed, buffer,
                                    [](const Buffer *a, const Buffer *b) {
                                      return a->offset < b->offset;
                                    }),
                  buffer);
  }
  return arenaSize;
}

/// Large buffers first is best for most models. Where it leaves gaps, the
/// buffer at the end of the arena found its place taken by ones that could have
/// gone elsewhere: it goes first in the next attempt.
int64_t PlanMemoryPass::assignOffsets(MutableArrayRef<Buffer> buffers,
                                      int64_t leastSize) {
  SmallVector<Buffer *> order;
  for (Buffer &buffer : buffers)
    order.push_back(&buffer);
  llvm::sort(order, [](const Buffer *a, const Buffer *b) {
    return std::tuple(-a->size, a->firstUse, a->lastUse) <
           std::tuple(-b->size, b->firstUse, b->lastUse);
  });

  int64_t arenaSize = INT64_MAX;
  SmallVector<int64_t> offsets;
  for (int attempt = 0; attempt < maxAttempts && arenaSize > leastSize;
       ++attempt) {
    if (int64_t size = placeInOrder(order); size < arenaSize) {
      arenaSize = size;
      offsets = llvm::map_to_vector(
          buffers, [](const Buffer &buffer) { return buffer.offset; });
    }
    auto last = llvm::max_element(order, [](const Buffer *a, const Buffer *b) {
      return a->end() < b->end();
    });
    if (last != order.end())
      std::rotate(order.begin(), last, std::next(last));
  }
  for (auto [buffer, offset] : llvm::zip_equal(buffers, offsets))
    buffer.offset = offset;
  return arenaSize;
}

int64_t PlanMemoryPass::lowerBound(ArrayRef<Buffer> buffers) {
  int64_t bound = 0;
  for (const Buffer &at : buffers) {
    int64_t live = 0;
    for (const Buffer &other : buffers)
      if (other.firstUse <= at.firstUse && at.firstUse <= other.lastUse)
        live += other.size;
    bound = std::max(bound, live);
  }
  return bound;
}

/// Refuses what cannot become views of an arena that is never freed.
LogicalResult PlanMemoryPass::check(func::FuncOp func) {
  if (failed(checkAlignment(func, "alignment", alignment)))
    return failure();
  if (!llvm::hasSingleElement(func.getBody()))
    return func.emitError("memory planning needs a function of one block");
  if (func->hasAttr(arenaLowerBoundAttrName))
    return func.emitError("the memory of the entry function has been planned");
  // The sum of all sizes bounds every plan.
  int64_t total = 0;
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    if (isa<memref::DeallocOp, memref::ReallocOp>(op))
      return op->emitOpError("cannot be planned: buffers live to the end of "
                             "an execution");
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (!alloc)
      return WalkResult::advance();
    MemRefType type = alloc.getType();
    if (StringRef why = whyNotPlain(type); !why.empty())
      return alloc.emitOpError("of type ") << type << " has no place: " << why;
    if (int64_t(alloc.getAlignment().value_or(1)) > alignment)
      return alloc.emitOpError("has an alignment of ")
             << *alloc.getAlignment() << " bytes, which exceeds "
             << alignment.getValue();
    if (!type.hasStaticShape())
      return WalkResult::advance();
    FailureOr<int64_t> size = checkedByteSize(type);
    if (succeeded(size))
      total += *size + alignment;
    if (failed(size) || total > int64_t(rt::maxDataCacheSize))
      return alloc.emitOpError("of type ")
             << type << " makes the buffers larger than "
             << rt::maxDataCacheSize << " bytes together";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void PlanMemoryPass::runOnOperation() {
  FailureOr<func::FuncOp> entry = findEntryFunction(getOperation());
  if (failed(entry))
    return signalPassFailure();
  func::FuncOp func = *entry;
  if (!func)
    return;
  if (failed(check(func)))
    return signalPassFailure();
  SmallVector<Buffer> buffers;
  SmallVector<memref::AllocOp> dynamic;
  SetVector<scf::ForallOp> sequential;
  collect(func, buffers, dynamic, sequential);
  IRRewriter rewriter(func.getContext());
  for (scf::ForallOp loop : sequential)
    if (failed(scf::forallToForLoop(rewriter, loop)))
      return signalPassFailure();
  int64_t leastSize = lowerBound(buffers);
  int64_t arenaSize = assignOffsets(buffers, leastSize);

  OpBuilder builder(func.getContext());
  auto arenaType = MemRefType::get({arenaSize}, builder.getI8Type());
  Location loc = func.getLoc();
  if (failed(func.insertArgument(func.getNumArguments(), arenaType, {}, loc)))
    return signalPassFailure();
  Value arena = func.getArguments().back();
  func->setAttr(arenaLowerBoundAttrName, builder.getI64IntegerAttr(leastSize));
  for (Buffer &buffer : buffers) {
    builder.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        builder, buffer.alloc.getLoc(), buffer.offset);
    Value view = memref::ViewOp::create(builder, buffer.alloc.getLoc(),
                                        buffer.alloc.getType(), arena, offset,
                                        /*sizes=*/ValueRange());
    buffer.alloc.replaceAllUsesWith(view);
    buffer.alloc.erase();
    ++numPlanned;
  }
  for (memref::AllocOp alloc : dynamic) {
    builder.setInsertionPoint(alloc);
    Value memory = runtime::AllocateOp::create(
        builder, alloc.getLoc(), alloc.getType(), alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(memory);
    alloc.erase();
    ++numDynamic;
  }
}

} // namespace nnhal
