//===- Padding.h - Zeros behind elements ------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PADDING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PADDING_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

namespace nnhal::tflite {

/// Returns \p value, of integers, with zeros behind its elements, up to
/// \p shape.
mlir::Value paddedTo(mlir::ImplicitLocOpBuilder &builder, mlir::Value value,
                     llvm::ArrayRef<int64_t> shape);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_PADDING_H
