//===- ExpandMissing.h - What a target has no instructions for --*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_EXPANDMISSING_H
#define NNHAL_LIB_TARGET_CPU_EXPANDMISSING_H

#include "llvm/IR/PassManager.h"

namespace nnhal {

/// Instructions that code generation would replace by calls of a library, which
/// an artifact may not import.
struct MissingInstructions {
  /// Floats are rounded to integers.
  bool rounding = false;
  /// f16 is converted to f32, and back.
  bool halves = false;
  /// Products and sums that are rounded once.
  bool fused = false;

  bool any() const { return rounding || halves || fused; }
};

/// Replaces what \p missing says by instructions that every target has. A fused
/// product and sum is rounded twice then.
class ExpandMissingPass : public llvm::PassInfoMixin<ExpandMissingPass> {
public:
  explicit ExpandMissingPass(MissingInstructions missing) : missing(missing) {}
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  MissingInstructions missing;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_EXPANDMISSING_H
