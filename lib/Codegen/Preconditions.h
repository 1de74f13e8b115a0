//===- Preconditions.h - What passes refuse ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass looks at everything that it takes for granted before it changes
// anything. Each check reports what it found and what would do.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_PRECONDITIONS_H
#define NNHAL_LIB_CODEGEN_PRECONDITIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace nnhal {

/// The integer attribute \p name of \p op, which must be from \p least to
/// \p most.
llvm::FailureOr<int64_t> readCount(mlir::Operation *op, llvm::StringRef name,
                                   int64_t least, int64_t most);

/// The option \p name of a pass on \p op must be from \p least to \p most.
llvm::LogicalResult checkOption(mlir::Operation *op, llvm::StringRef name,
                                int64_t value, int64_t least, int64_t most);

/// The option \p name of a pass on \p op must be a power of two up to 4096.
llvm::LogicalResult checkAlignment(mlir::Operation *op, llvm::StringRef name,
                                   int64_t value);

/// Control flow of \p function must be structured.
llvm::LogicalResult checkOneBlock(mlir::func::FuncOp function);

/// The last argument of \p entry must be the execution context, as
/// nnhal-emit-entry leaves it.
llvm::LogicalResult checkHasContext(mlir::func::FuncOp entry);

/// Every argument of \p entry must be a buffer in the default memory space
/// whose layout is the identity, as before nnhal-emit-entry.
llvm::LogicalResult checkBufferArguments(mlir::func::FuncOp entry);

/// Why the runtime cannot place or pass a buffer of \p type; empty if it can.
/// Extents may be unknown.
llvm::StringRef whyNotPlain(mlir::MemRefType type);

/// Bytes of a static buffer of \p type; failure when a file or an address
/// space cannot have as many.
llvm::FailureOr<int64_t> checkedByteSize(mlir::MemRefType type);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_PRECONDITIONS_H
