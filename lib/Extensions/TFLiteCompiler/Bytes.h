//===- Bytes.h - Functions of quantized bytes -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H

#include "Requantization.h"

namespace nnhal::tflite {

/// The type of quantized bytes; null for other elements.
inline mlir::quant::UniformQuantizedType bytesOf(mlir::Type type) {
  mlir::quant::UniformQuantizedType bytes = quantizedOf(type);
  return bytes && bytes.getStorageTypeIntegralWidth() == 8
             ? bytes
             : mlir::quant::UniformQuantizedType();
}

/// Whether \p function of bytes of \p inputs to those of \p result becomes
/// code.
bool computesBytes(Function function, mlir::TypeRange inputs,
                   mlir::Type result);
/// Computes an element of bytes \p x, of a function that computesBytes() names.
mlir::Value computeBytes(Elements &elements, const Use &use,
                         mlir::ValueRange x);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H
