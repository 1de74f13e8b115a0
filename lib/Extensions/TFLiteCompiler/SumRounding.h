//===- SumRounding.h - Results of sums of products --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products of 16-bit activations and 8-bit weights become 16-bit
// results by a factor of each channel and the bounds of an activation.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_SUMROUNDING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_SUMROUNDING_H

#include "Elements.h"
#include "TFLiteDialect.h"

namespace nnhal::tflite {

/// Builds a constant of one of \p numbers for each channel.
mlir::Value channelTable(mlir::ImplicitLocOpBuilder &builder,
                         llvm::ArrayRef<int32_t> numbers);

/// Builds the results, of type \p result, of \p sums, tensors of 32 bits whose
/// elements are added to each other, each \p places bits further to the left,
/// where there are such numbers. The last dimension is that of channels,
/// each of which has one of \p multipliers and one of \p shifts.
mlir::Value roundedSums(mlir::ImplicitLocOpBuilder &builder,
                        mlir::RankedTensorType result, mlir::ValueRange sums,
                        SumRounding rounding,
                        llvm::ArrayRef<int32_t> multipliers,
                        llvm::ArrayRef<int32_t> shifts, Bounds bounds,
                        llvm::ArrayRef<int64_t> places = {});

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_SUMROUNDING_H
