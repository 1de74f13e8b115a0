//===- StraightCode.h - Loops of what is outside of loops -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of one round are folded, and short ones unrolled, so that much of a
// small layer lies in the entry function itself: the steps of a recurrent
// network one after another, loops that accumulate into registers between
// them. There each step would be compiled anew, and registers are spilled
// where the entry function calls anything.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_STRAIGHTCODE_H
#define NNHAL_LIB_TARGET_CPU_STRAIGHTCODE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nnhal {

/// Whether \p op asks the runtime for something: only the entry function has
/// the execution context.
bool asksRuntime(mlir::Operation *op);

/// Moves what \p block, of the entry function or of a loop in it, computes
/// outside of loops without results into loops of one round, and returns them:
/// each begins and ends where no element of a tensor is in an SSA value, and is
/// long enough to be worth a call.
llvm::SmallVector<mlir::scf::ForOp> moveIntoLoops(mlir::Block &block);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_STRAIGHTCODE_H
