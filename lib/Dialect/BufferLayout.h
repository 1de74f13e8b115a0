//===- BufferLayout.h - Buffers as operations need them ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_BUFFERLAYOUT_H
#define NNHAL_LIB_DIALECT_BUFFERLAYOUT_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace nnhal {

/// A copy of \p buffer whose elements lie side by side.
inline mlir::Value copyContiguously(mlir::OpBuilder &builder,
                                    mlir::Location loc, mlir::Value buffer) {
  auto type = mlir::cast<mlir::MemRefType>(buffer.getType());
  llvm::SmallVector<mlir::Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      extents.push_back(mlir::memref::DimOp::create(builder, loc, buffer, i));
  auto whole = mlir::MemRefType::get(type.getShape(), type.getElementType());
  mlir::Value copy =
      mlir::memref::AllocOp::create(builder, loc, whole, extents);
  mlir::memref::CopyOp::create(builder, loc, buffer, copy);
  return copy;
}

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_BUFFERLAYOUT_H
