//===- FormPools.h - Pools of linalg as micro-kernels -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_FORMPOOLS_H
#define NNHAL_LIB_CODEGEN_FORMPOOLS_H

#include "FormKernels.h"

namespace nnhal {

/// Whether \p op joins the elements of windows as a pool does.
bool isPool(mlir::linalg::LinalgOp op);

/// Replaces pools of linalg by nnk.pool_2d.
///
/// Ownership: refers to the kernels that it adds to.
class FormedPools {
public:
  explicit FormedPools(FormedKernels &kernels) : kernels(kernels) {}

  FormedKernels &getKernels() const { return kernels; }
  /// Replaces what \p pool, which is one, belongs to. False, and nothing is
  /// changed, where the kernel would not give the same bits; the sum of squares
  /// alone may be more exact, by a fused multiplication and addition.
  [[nodiscard]] bool form(mlir::linalg::LinalgOp pool);
  /// The integers that \p image computes as floats.
  mlir::Value floatsOf(mlir::linalg::GenericOp image);

private:
  FormedKernels &kernels;
  llvm::DenseMap<mlir::Operation *, mlir::Value> floats;
};

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_FORMPOOLS_H
