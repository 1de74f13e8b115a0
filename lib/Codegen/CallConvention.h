//===- CallConvention.h - How functions pass buffers ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_CALLCONVENTION_H
#define NNHAL_LIB_CODEGEN_CALLCONVENTION_H

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nnhal {

/// The linkage of a func.func in LLVM IR, where that is not external.
inline constexpr llvm::StringLiteral linkageAttrName = "llvm.linkage";

/// Whether \p type is that of a buffer that a pointer alone does not describe.
bool needsDescriptor(mlir::Type type);

/// Whether an argument of \p function is such a buffer.
bool passesDynamicBuffers(mlir::func::FuncOp function);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_CALLCONVENTION_H
