//===- FlattenControlFlow.cpp - Unroll loops around kernels ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "HostControl.h"
#include "Kernel.h"
#include "StatusWords.h"

#include "nnhal/Dialect/GPU/GPUOps.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"

namespace nnhal {
#define GEN_PASS_DEF_FLATTENCONTROLFLOW
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

namespace {
struct FlattenControlFlowPass
    : impl::FlattenControlFlowBase<FlattenControlFlowPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  void readPresence(func::FuncOp function);
  LogicalResult unrollIn(Block &block);
  LogicalResult unroll(scf::ForOp loop);
};
} // namespace

/// Whether \p loop cannot be a kernel of one invocation, or one would do the
/// work of many.
static bool mustUnroll(scf::ForOp loop) {
  // Shaders have no pointers that a loop could carry.
  if (llvm::any_of(loop.getResultTypes(), llvm::IsaPred<BaseMemRefType>))
    return true;
  WalkResult result = loop.walk([](Operation *op) {
    return isa<linalg::LinalgOp, kernel::KernelOpInterface>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult FlattenControlFlowPass::unroll(scf::ForOp loop) {
  std::optional<APInt> rounds = loop.getStaticTripCount();
  if (!rounds)
    return success();
  int64_t inside = 0;
  loop.walk([&](Operation *) { ++inside; });
  int64_t count = rounds->getZExtValue();
  if (count * inside > maxOperations)
    return loop.emitOpError("of ")
           << count << " rounds becomes " << count * inside
           << " operations in a GPU program, expected at most "
           << maxOperations.getValue();
  ++numUnrolled;
  return loopUnrollFull(loop);
}

/// Whether a request gives an input is a word of the status. Nothing but an
/// input of the model can be omitted.
void FlattenControlFlowPass::readPresence(func::FuncOp function) {
  int64_t inputs = nngpu::inputCountOf(function);
  function.walk([&](runtime::IsPresentOp op) {
    // Kernels compute scalars of the function's body again.
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = op.getLoc();
    auto argument = dyn_cast<BlockArgument>(nngpu::rootOf(op.getInput()));
    bool isInput = argument &&
                   argument.getOwner() == &function.getBody().front() &&
                   argument.getArgNumber() < inputs;
    Value present;
    if (isInput) {
      Value word =
          nngpu::loadPresence(builder, loc, function, argument.getArgNumber());
      Value zero = arith::ConstantIntOp::create(builder, loc, 0, 32);
      present = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                      word, zero);
    } else {
      present = arith::ConstantIntOp::create(builder, loc, 1, 1);
    }
    op.replaceAllUsesWith(present);
    op.erase();
  });
}

/// Unrolls the loops of \p block, whose operations become commands.
LogicalResult FlattenControlFlowPass::unrollIn(Block &block) {
  // What was inside of a loop may be a loop around kernels, too.
  for (auto op = block.begin(); op != block.end();) {
    if (nngpu::isHostControl(&*op))
      for (Region &region : op->getRegions())
        for (Block &inner : region)
          if (failed(unrollIn(inner)))
            return failure();
    auto loop = dyn_cast<scf::ForOp>(*op);
    if (!loop || !mustUnroll(loop) || !loop.getStaticTripCount()) {
      ++op;
      continue;
    }
    Operation *previous = loop->getPrevNode();
    if (failed(unroll(loop)))
      return failure();
    op = previous ? std::next(previous->getIterator()) : block.begin();
  }
  return success();
}

void FlattenControlFlowPass::runOnOperation() {
  func::FuncOp function = getOperation();
  readPresence(function);
  if (llvm::hasSingleElement(function.getBody()) &&
      failed(unrollIn(function.getBody().front())))
    return signalPassFailure();
}

} // namespace nnhal
