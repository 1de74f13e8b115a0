//===- IndependentRounds.h - Loops whose rounds are invocations -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_INDEPENDENTROUNDS_H
#define NNHAL_LIB_TARGET_GPU_INDEPENDENTROUNDS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nnhal::nngpu {

/// Loops whose rounds are invocations of one kernel.
struct ParallelLoops {
  llvm::SmallVector<mlir::Value> variables;
  llvm::SmallVector<int64_t> lower;
  llvm::SmallVector<int64_t> steps;
  /// How many rounds each has.
  llvm::SmallVector<int64_t> extents;
  /// The body of the innermost one.
  mlir::Block *body = nullptr;

  int64_t rounds() const;
};

/// The loops of \p op, if its bounds are constants.
std::optional<ParallelLoops> parallelLoopsOf(mlir::scf::ForallOp op);

/// The nest of \p loop and the loops that are alone in each other, as far as
/// bounds are constants and rounds independent: nothing is carried, and each
/// buffer that is written is accessed at one place, which every variable moves.
/// Nothing where that holds for no loop.
std::optional<ParallelLoops> independentLoopsOf(mlir::scf::ForOp loop);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_INDEPENDENTROUNDS_H
