//===- ContextAccess.h - Execution context in generated code ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_CONTEXTACCESS_H
#define NNHAL_LIB_CODEGEN_CONTEXTACCESS_H

#include "nnhal/Backend/EntryAbi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace nnhal {

/// Loads and stores of the context's fields, at the offsets of EntryAbi.h.
class ContextAccess {
public:
  ContextAccess(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::Value context)
      : builder(builder), loc(loc), context(context) {}

  mlir::Value loadPointer(size_t offset) {
    return loadPointer(context, offset);
  }
  mlir::Value loadPointer(mlir::Value base, size_t offset);
  mlir::Value loadInteger(size_t offset, mlir::Type type) {
    return loadInteger(context, offset, type);
  }
  mlir::Value loadInteger(mlir::Value base, size_t offset, mlir::Type type);
  void store(mlir::Value value, mlir::Value base, size_t offset);
  void store(mlir::Value value, size_t offset) {
    store(value, context, offset);
  }
  mlir::Value advance(mlir::Value base, size_t offset);
  mlir::Value getContext() { return context; }
  mlir::Type pointerType() {
    return mlir::LLVM::LLVMPointerType::get(builder.getContext());
  }
  mlir::Value integer(int64_t value, unsigned width);

  /// \p pointer as a buffer of \p type, whose layout is the identity.
  /// \p extents has an i64 for each dimension.
  mlir::Value toMemRef(mlir::Value pointer, mlir::MemRefType type,
                       mlir::ValueRange extents);
  /// Makes a memref of a static type.
  mlir::Value toMemRef(mlir::Value pointer, mlir::MemRefType type);

  /// Writes the shape \p extents (i64) into the output \p argument, an
  /// NNHalTensorArgument, and whether its memory suffices for \p needed bytes
  /// (i64): the result, an i1.
  mlir::Value reportOutput(mlir::Value argument, mlir::ValueRange extents,
                           mlir::Value needed);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Value context;
};

/// Bytes of an element of \p type.
int64_t elementBytes(mlir::MemRefType type);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_CONTEXTACCESS_H
