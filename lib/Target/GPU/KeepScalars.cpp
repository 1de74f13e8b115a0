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

/// Whether a kernel that uses what \p load has loaded cannot load it again.
static bool isOverwritten(memref::LoadOp load) {
  Value root = nngpu::rootOf(load.getMemRef());
  llvm::SetVector<Operation *> users;
  auto add = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      users.insert(commandOf(user));
  };
  add(load);
  for (size_t next = 0; next < users.size(); ++next) {
    Operation *user = users[next];
    // Kernels compute scalars again, from the same elements.
    if (nngpu::isRepeatable(user) && user->getNumResults() > 0)
      add(user);
    else if (!nngpu::isUnchanged(root, load, user))
      return true;
  }
  return false;
}

/// Stores what \p load has loaded, for its users.
static void keep(memref::LoadOp load) {
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value buffer = memref::AllocOp::create(builder, loc,
                                         MemRefType::get({1}, load.getType()));
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  builder.setInsertionPointAfter(load);
  auto store = memref::StoreOp::create(builder, loc, load, buffer, zero);
  Value kept = memref::LoadOp::create(builder, loc, buffer, zero);
  load.getResult().replaceAllUsesExcept(kept, store);
}

void KeepScalarsPass::runOnOperation() {
  SmallVector<memref::LoadOp> loads;
  getOperation().walk([&](memref::LoadOp load) {
    if (isOfCommands(load->getBlock()) && isOverwritten(load))
      loads.push_back(load);
  });
  for (memref::LoadOp load : loads)
    keep(load);
  numKept += loads.size();
}

} // namespace nnhal
