//===- Requantization.h - Quantized integers of any form --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_REQUANTIZATION_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_REQUANTIZATION_H

#include "ElementUse.h"

namespace nnhal::tflite {

/// The type of quantized integers of 8, 16 or 32 bits that have one scale; null
/// for other elements.
mlir::quant::UniformQuantizedType quantizedOf(mlir::Type type);

/// The numbers that elements of \p type store.
Bounds boundsOfStored(mlir::quant::UniformQuantizedType type);
/// An element of \p type less its zero point, with 32 bits. It wraps.
mlir::Value stepsOf(Elements &elements, mlir::quant::UniformQuantizedType type,
                    mlir::Value stored);
/// The element of \p type that \p steps, which have 32 bits, are.
mlir::Value storedOf(Elements &elements, mlir::quant::UniformQuantizedType type,
                     mlir::Value steps, Bounds bounds);

/// Whether \p function is a QUANTIZE of integers.
bool requantizes(Function function, mlir::TypeRange inputs, mlir::Type result);
/// Computes an element of such a QUANTIZE of the element \p x.
mlir::Value computeRequantization(Elements &elements, const Use &use,
                                  mlir::Value x);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_REQUANTIZATION_H
