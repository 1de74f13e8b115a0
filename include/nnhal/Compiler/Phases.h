//===- Phases.h - The phases of a compilation -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_COMPILER_PHASES_H
#define NNHAL_COMPILER_PHASES_H

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/CommandLine.h"

#include <memory>
#include <optional>
#include <string>

namespace nnhal {

/// The phases of a compilation, in order. Each leaves a valid module.
enum class Phase {
  /// HAL operations become canonical operations.
  legalize,
  /// The main graph becomes a function, canonical operations become linalg.
  lower,
  /// Operations of linalg become micro-kernels, and elementwise ones fuse with
  /// each other and into these.
  fuse,
  /// Tensors become buffers.
  bufferize,
  /// Constants move to the data cache, buffers to places in one arena.
  plan,
  /// Operations become loops over vectors.
  vectorize,
  /// Loop nests become functions, the entry is emitted.
  outline,
  /// Everything becomes the LLVM dialect.
  llvm,
};

llvm::ArrayRef<Phase> allPhases();
llvm::StringRef toString(Phase phase);
/// The names of all phases in order, separated by commas.
std::string listPhases();

/// After which phase \p module is: what its attribute says, or else what can be
/// told from its operations, which is the earliest phase that leaves such ones.
/// Nothing for a module with a model, to which phases can still be applied from
/// the first on, unless its attribute says so, and for one without an entry
/// function.
std::optional<Phase> findPhase(mlir::ModuleOp module);

/// A pass that fails unless the module is as the phase \p previous leaves it,
/// or, without one, as no phase has left it.
std::unique_ptr<mlir::Pass>
createCheckPhase(std::optional<Phase> previous = std::nullopt);
/// A pass that sets the attribute phaseAttrName.
std::unique_ptr<mlir::Pass> createMarkPhase(Phase phase = Phase::llvm);
/// Registers both, nnhal-check-phase and nnhal-mark-phase.
void registerPhasePasses();

/// Parses the name of a phase; an error lists all of them.
struct PhaseParser : llvm::cl::parser<Phase> {
  using llvm::cl::parser<Phase>::parser;

  /// Options call the parse() of the parser that they are declared with.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, Phase &phase);
  static void print(llvm::raw_ostream &stream, Phase phase);
};

} // namespace nnhal

#endif // NNHAL_COMPILER_PHASES_H
