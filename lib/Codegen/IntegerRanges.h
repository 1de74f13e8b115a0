//===- IntegerRanges.h - Ranges of the integers of a module -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_INTEGERRANGES_H
#define NNHAL_LIB_CODEGEN_INTEGERRANGES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>

namespace nnhal {

/// Ranges of integers in a module, which must not change. Most of what is asked
/// follows from the operations that a value is computed by, such as the
/// extension of a loaded byte. MLIR's integer range analysis, which alone knows
/// what functions are called with, visits the whole module, a tenth of the time
/// of a compilation: it runs when the former does not suffice.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::ModuleOp module) : module(module) {}

  /// Whether \p value, of the type index or an integer, is always from \p low
  /// to \p high, compared as signed numbers.
  bool isWithin(mlir::Value value, int64_t low, int64_t high);
  /// Whether \p value, of the type index or an integer, is never below zero.
  bool isNonNegative(mlir::Value value);
  /// The range that the analysis finds. Nothing where it fails or the code is
  /// not reached.
  std::optional<mlir::ConstantIntRanges> of(mlir::Value value);

private:
  /// The range that follows from the operations that compute a value.
  struct Local {
    mlir::ConstantIntRanges range;
    /// The analysis does not find more: nothing depends on what it follows
    /// through branches and calls.
    bool isFinal;
  };
  Local local(mlir::Value value, unsigned depth);
  Local infer(mlir::Value value, unsigned depth);
  Local inferArgument(mlir::BlockArgument argument, unsigned depth);
  /// Whether \p isTrue of what is known of \p value.
  bool holds(mlir::Value value,
             llvm::function_ref<bool(const mlir::ConstantIntRanges &)> isTrue);

  mlir::ModuleOp module;
  std::unique_ptr<mlir::DataFlowSolver> solver;
  bool hasRanges = false;
  llvm::DenseMap<mlir::Value, Local> locals;
};

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_INTEGERRANGES_H
