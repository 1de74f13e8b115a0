//===- Bytes.h - Functions of quantized bytes -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H

#include "ElementUse.h"

namespace nnhal::tflite {

/// The type of quantized bytes; null for other elements.
inline mlir::quant::UniformQuantizedType bytesOf(mlir::Type type) {
  auto bytes = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(
      mlir::getElementTypeOrSelf(type));
  return bytes && bytes.getStorageTypeIntegralWidth() == 8
             ? bytes
             : mlir::quant::UniformQuantizedType();
}
/// The numbers that bytes of \p type store.
inline Bounds boundsOfBytes(mlir::quant::UniformQuantizedType type) {
  return type.isSigned() ? boundsOf<int8_t>() : boundsOf<uint8_t>();
}

/// Whether \p function of bytes of \p inputs to those of \p result becomes
/// code.
bool computesBytes(Function function, mlir::TypeRange inputs,
                   mlir::Type result);
/// Computes an element of bytes \p x, of a function that computesBytes() names.
mlir::Value computeBytes(Elements &elements, const Use &use,
                         mlir::ValueRange x);
/// A byte of \p type less its zero point, with 32 bits.
mlir::Value stepsOfByte(Elements &elements,
                        mlir::quant::UniformQuantizedType type,
                        mlir::Value byte);
/// The byte of \p type that \p steps, which have 32 bits, are.
mlir::Value byteOfSteps(Elements &elements,
                        mlir::quant::UniformQuantizedType type,
                        mlir::Value steps, Bounds bounds);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_BYTES_H
