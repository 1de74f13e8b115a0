//===- FormPools.h - Pools of linalg as micro-kernels -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_FORMPOOLS_H
#define NNHAL_LIB_CODEGEN_FORMPOOLS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"

namespace nnhal {

/// Whether \p op joins the elements of windows as a pool does.
bool isPool(mlir::linalg::LinalgOp op);

/// Replaces pools of linalg by nnk.pool_2d.
///
/// Ownership: refers to its rewriter.
class FormedPools {
public:
  explicit FormedPools(mlir::RewriterBase &rewriter) : rewriter(rewriter) {}

  /// Replaces what \p pool, which is one, belongs to. False, and nothing is
  /// changed, where the kernel would not give the same bits; the sum of squares
  /// alone may be more exact, by a fused multiplication and addition.
  [[nodiscard]] bool form(mlir::linalg::LinalgOp pool);
  /// Erases what has no readers left.
  void eraseUnread();

  /// The integers that \p image computes as floats.
  mlir::Value floatsOf(mlir::linalg::GenericOp image);
  /// Replaces the result of \p op, which is erased later.
  void replace(mlir::Operation *op, mlir::Value result);

private:
  mlir::RewriterBase &rewriter;
  llvm::DenseMap<mlir::Operation *, mlir::Value> floats;
  llvm::SetVector<mlir::Operation *> unread;
};

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_FORMPOOLS_H
