//===- FlattenBuffer.h - Buffers as one row ---------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_FLATTENBUFFER_H
#define NNHAL_LIB_TARGET_CPU_FLATTENBUFFER_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace nnhal {

/// Returns the elements of \p buffer, whose extents are known and whose layout
/// is the identity, as a buffer of one dimension. A place in the arena is
/// viewed as that at once: every view is a descriptor with a field for each
/// extent and stride once it is converted to LLVM, and those of the entry
/// function were half of its operations.
mlir::Value flattenBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value buffer);

/// Returns whether \p map names the dimensions of a nest of \p extents in their
/// order, of which those of one element may be missing: elements that lie in
/// memory as it says are one row in the order of the rounds.
bool namesInOrder(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_FLATTENBUFFER_H
