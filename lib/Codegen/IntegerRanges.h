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

#include <memory>
#include <optional>

namespace nnhal {

/// The ranges that MLIR's integer range analysis finds in a module, which must
/// not change. They are computed when the first one is asked for, because few
/// modules need any.
class IntegerRanges {
public:
  explicit IntegerRanges(mlir::ModuleOp module) : module(module) {}

  /// Nothing where the analysis fails or the code is not reached.
  std::optional<mlir::ConstantIntRanges> of(mlir::Value value);
  /// Whether \p value, of the type index or an integer, is never below zero.
  bool isNonNegative(mlir::Value value);

private:
  mlir::ModuleOp module;
  std::unique_ptr<mlir::DataFlowSolver> solver;
  bool hasRanges = false;
};

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_INTEGERRANGES_H
