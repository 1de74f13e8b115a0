//===- FormContractions.h - Contractions as micro-kernels -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_FORMCONTRACTIONS_H
#define NNHAL_LIB_CODEGEN_FORMCONTRACTIONS_H

#include "FormKernels.h"

namespace nnhal {

/// Whether \p op is a convolution or a product of matrices that micro-kernels
/// may compute.
bool isContraction(mlir::linalg::LinalgOp op);

/// Replaces \p op, which is one, by nnk.conv_2d_fhwc or nnk.depthwise_conv_2d.
/// False, and nothing is changed, where no kernel gives what it does.
[[nodiscard]] bool formContraction(mlir::linalg::LinalgOp op,
                                   FormedKernels &formed);

/// Replaces \p op by convolutions without groups, which are appended to
/// \p convolutions. False, and nothing is changed, where it has too many groups
/// or its operands are not those of all groups side by side.
[[nodiscard]] bool
splitGroups(mlir::linalg::Conv2DNhwgcGfhwcOp op, FormedKernels &formed,
            llvm::SmallVectorImpl<mlir::linalg::LinalgOp> &convolutions);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_FORMCONTRACTIONS_H
