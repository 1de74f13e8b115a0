//===- LaneReduction.h - What is joined along a dimension -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_LANEREDUCTION_H
#define NNHAL_LIB_TARGET_CPU_LANEREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace nnhal {

/// How the body of a linalg operation joins elements to its only result, in a
/// way that allows for any order: a sum, a product, an extremum.
struct LaneReduction {
  /// The argument of the body that has what was joined before.
  mlir::BlockArgument carried;
  /// The element that the body joins to carried.
  mlir::Value element;
  /// The operations that join both, in order; the last one gives the result.
  llvm::SmallVector<mlir::Operation *, 2> combiners;
  /// The neutral element: joined with any other it gives that one.
  mlir::TypedAttr neutral;

  static std::optional<LaneReduction> match(mlir::linalg::LinalgOp op);
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_LANEREDUCTION_H
