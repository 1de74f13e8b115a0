//===- HostControl.cpp - What the host decides between commands -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostControl.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace nnhal;

/// Whether \p op or an operation inside becomes a command of its own: one
/// invocation of a kernel, as scalars have it, would be too slow for its
/// elements.
static bool hasCommands(Operation *op) {
  WalkResult result = op->walk([](Operation *inner) {
    return isa<linalg::LinalgOp, kernel::KernelOpInterface, memref::CopyOp,
               scf::ForallOp>(inner) ||
                   isa_and_present<runtime::RuntimeDialect>(inner->getDialect())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool nngpu::isHostControl(Operation *op) {
  if (isa<scf::IfOp>(op))
    return hasCommands(op);
  auto loop = dyn_cast<scf::WhileOp>(op);
  return loop && !loop.getAfterBody()->getOps<runtime::LoopCheckOp>().empty();
}
