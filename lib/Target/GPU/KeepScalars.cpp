//===- KeepScalars.cpp - Buffers for scalars that outlive theirs ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "HostControl.h"
#include "Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace nnhal {
#define GEN_PASS_DEF_KEEPSCALARS
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;

namespace {
struct KeepScalarsPass : impl::KeepScalarsBase<KeepScalarsPass> {
  void runOnOperation() override;
};
} // namespace

/// Whether operations of \p block become commands.
static bool isOfCommands(Block *block) {
  Operation *parent = block->getParentOp();
  return isa<func::FuncOp>(parent) ||
         (nngpu::isHostControl(parent) && isOfCommands(parent->getBlock()));
}

/// The operation around \p op, or itself, that becomes a command.
static Operation *commandOf(Operation *op) {
  while (!isOfCommands(op->getBlock()))
    op = op->getParentOp();
  return op;
}

/// Whether a kernel that uses results of \p source, which reads the buffer
/// \p root, cannot compute them again.
static bool isOverwritten(Operation *source, Value root) {
  llvm::SetVector<Operation *> users;
  auto add = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      users.insert(commandOf(user));
  };
  add(source);
  for (size_t next = 0; next < users.size(); ++next) {
    Operation *user = users[next];
    // Kernels compute scalars again, from the same elements.
    if (nngpu::isRepeatable(user) && user->getNumResults() > 0)
      add(user);
    else if (!nngpu::isUnchanged(root, source, user))
      return true;
  }
  return false;
}

/// Whether \p op, a load or an `scf.if` around loads for example, reads a
/// buffer that is overwritten before its results are used.
static bool readsOverwritten(Operation *op) {
  return op
      ->walk([&](memref::LoadOp load) {
        return isOverwritten(op, nngpu::rootOf(load.getMemRef()))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Stores \p scalar for its users.
static void keep(OpResult scalar) {
  OpBuilder builder(scalar.getOwner());
  Location loc = scalar.getLoc();
  Value buffer = memref::AllocOp::create(
      builder, loc, MemRefType::get({1}, scalar.getType()));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  builder.setInsertionPointAfter(scalar.getOwner());
  auto store = memref::StoreOp::create(builder, loc, scalar, buffer, zero);
  Value kept = memref::LoadOp::create(builder, loc, buffer, zero);
  scalar.replaceAllUsesExcept(kept, store);
}

void KeepScalarsPass::runOnOperation() {
  SmallVector<OpResult> scalars;
  getOperation().walk([&](Operation *op) {
    if (op->getNumResults() > 0 && isOfCommands(op->getBlock()) &&
        nngpu::isRepeatable(op) && readsOverwritten(op))
      llvm::copy_if(op->getResults(), std::back_inserter(scalars),
                    [](Value result) {
                      return MemRefType::isValidElementType(result.getType()) &&
                             !isa<ShapedType>(result.getType());
                    });
  });
  for (OpResult scalar : scalars)
    keep(scalar);
  numKept += scalars.size();
}

} // namespace nnhal
