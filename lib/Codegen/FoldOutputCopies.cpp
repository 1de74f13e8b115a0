//===- FoldOutputCopies.cpp - Compute outputs in place --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace nnhal {
#define GEN_PASS_DEF_FOLDOUTPUTCOPIES
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {
struct FoldOutputCopiesPass : impl::FoldOutputCopiesBase<FoldOutputCopiesPass> {
  void runOnOperation() override;
};
} // namespace

/// The allocation that \p value shows whole, through reshapes only.
static memref::AllocOp findReshapedAllocation(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return alloc;
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      return nullptr;
    value = op->getOperand(0);
  }
  return nullptr;
}

static bool isStaticAndContiguous(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

/// Whether \p alloc, and with it the argument that would stand for it, is
/// freed.
static bool isFreed(memref::AllocOp alloc) {
  return llvm::any_of(alloc->getUsers(), [](Operation *user) {
    return isa<memref::DeallocOp, memref::ReallocOp>(user);
  });
}

void FoldOutputCopiesPass::runOnOperation() {
  func::FuncOp func = getOperation();
  SmallVector<memref::CopyOp> copies;
  func.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    if (copy.getSource() == copy.getTarget()) {
      copy.erase();
      ++numFolded;
      continue;
    }
    auto argument = dyn_cast<BlockArgument>(copy.getTarget());
    if (!argument || argument.getOwner() != &func.getBody().front() ||
        !argument.hasOneUse())
      continue;
    auto argumentType = dyn_cast<MemRefType>(argument.getType());
    memref::AllocOp alloc = findReshapedAllocation(copy.getSource());
    if (!argumentType || !alloc || isFreed(alloc) ||
        alloc->getBlock() != argument.getOwner() ||
        !isStaticAndContiguous(alloc.getType()) ||
        !isStaticAndContiguous(argumentType) ||
        alloc.getType().getMemorySpace() != argumentType.getMemorySpace() ||
        alloc.getType().getNumElements() != argumentType.getNumElements())
      continue;
    // The whole output is the whole allocation, so one can stand for the other
    // under another shape.
    OpBuilder builder(alloc);
    Value replacement = argument;
    if (alloc.getType() != argumentType) {
      SmallVector<int64_t> strides;
      int64_t offset = 0;
      if (failed(alloc.getType().getStridesAndOffset(strides, offset)))
        continue;
      replacement = memref::ReinterpretCastOp::create(
          builder, alloc.getLoc(), alloc.getType(), argument, offset,
          alloc.getType().getShape(), strides);
    }
    copy.erase();
    alloc.replaceAllUsesWith(replacement);
    alloc.erase();
    ++numFolded;
  }
}

} // namespace nnhal
