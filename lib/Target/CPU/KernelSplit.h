//===- KernelSplit.h - Loop nests in pieces ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_KERNELSPLIT_H
#define NNHAL_LIB_TARGET_CPU_KERNELSPLIT_H

#include "CostModel.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

#include <cstdint>
#include <optional>

namespace nnhal {

/// The function that runs pieces of a kernel has the name of the kernel, and
/// this behind it.
inline constexpr llvm::StringLiteral pieceSuffix = "_piece";

/// How a nest is cut into pieces: into ranges of [0, count). A range stands for
/// its share of the rounds of each of `loops`.
struct KernelSplit {
  /// At one depth of the nest, next to each other; nothing beside them at that
  /// depth has effects. Each is mapped to pieces and has constant bounds.
  llvm::SmallVector<mlir::scf::ForallOp> loops;
  int64_t count;
  /// The least length of a range that is worth a piece.
  int64_t grain;
};

/// A loop from \p lower to \p upper whose rounds are mapped to pieces of a
/// kernel (#nnk.piece). Bounds that are constants become attributes.
mlir::scf::ForallOp createPieceLoop(mlir::OpBuilder &builder,
                                    mlir::Location location,
                                    mlir::OpFoldResult lower,
                                    mlir::OpFoldResult upper,
                                    mlir::OpFoldResult step);

/// Replaces \p loop, which has no results, by one loop for each dimension whose
/// rounds run in order; returns them. They keep its attributes but the mapping,
/// and share constants at the beginning of the function.
llvm::SmallVector<mlir::scf::ForOp> makeSequential(mlir::RewriterBase &rewriter,
                                                   mlir::scf::ForallOp loop);

/// Replaces all scf.forall without results in and below \p root.
void makeAllSequential(mlir::Operation *root);

/// Where to cut \p nest, an scf.for or scf.forall; nothing when it is not to be
/// cut: its loops do not allow it, or it is too short. The outermost loops that
/// allow for enough pieces; without such those that allow for most.
std::optional<KernelSplit> planSplit(mlir::LoopLikeOpInterface nest,
                                     const kernel::CostModel &costs);

/// Makes \p loop, which was one of a split into \p count, run only its share of
/// the range [\p begin, \p end), which are of index type.
void restrictToRange(mlir::scf::ForOp loop, int64_t count, mlir::Value begin,
                     mlir::Value end, mlir::OpBuilder &builder);

/// Whether a value of \p type can be handed to the pieces of a kernel: all that
/// is known of it statically, but for one word or vector.
bool isPassedToPieces(mlir::Type type);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_KERNELSPLIT_H
