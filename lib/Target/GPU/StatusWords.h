//===- StatusWords.h - What the words of the status mean --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_STATUSWORDS_H
#define NNHAL_LIB_TARGET_GPU_STATUSWORDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nnhal::nngpu {

/// The inputs of the model whose entry function is \p function; 0 where it is
/// none.
int64_t inputCountOf(mlir::func::FuncOp function);

/// The type of `nngpu.status` in \p function: the words of failed checks, then
/// one for each input.
mlir::MemRefType statusTypeOf(mlir::func::FuncOp function);

/// The word for input \p index of \p function: 0 where the request omits it.
mlir::Value loadPresence(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::func::FuncOp function, int64_t index);

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_STATUSWORDS_H
