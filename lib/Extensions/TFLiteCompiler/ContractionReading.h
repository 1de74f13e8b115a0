//===- ContractionReading.h - Operands of contractions ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows and channels of operators that multiply 16-bit activations with 8-bit
// weights, as a model states them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CONTRACTIONREADING_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CONTRACTIONREADING_H

#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

namespace nnhal::tflite {

/// The windows of a filter, of lines before columns.
struct Windows {
  llvm::SmallVector<int64_t> strides, dilations, low;
  /// The extents of the image with the elements of windows that lie outside.
  llvm::SmallVector<int64_t> padded;
};

/// The number of windows over \p extent elements that reach \p reach of them;
/// negative or 0 where they do not fit.
int64_t windowsOver(bool isPadded, int64_t extent, int64_t reach,
                    int64_t stride);
/// Elements of \p count such windows that lie before the first of \p extent.
int64_t missingBefore(int64_t extent, int64_t count, int64_t reach,
                      int64_t stride);

/// The windows of \p op, whose image, filter and result have four dimensions,
/// and whose dilations are the operands from \p firstDilation on; none where
/// they are not those of the result.
std::optional<Windows> readWindows(OperationOp op, unsigned firstDilation);

/// The product of a FULLY_CONNECTED: as many rows as its input has vectors of
/// \c depth elements, times a matrix of \c units such vectors.
struct ConnectedRows {
  int64_t rows, depth, units;
  uint32_t activation;
};

/// The product of \p op, a FULLY_CONNECTED of known extents; none where its
/// options and shapes do not fit.
std::optional<ConnectedRows> readConnectedRows(OperationOp op);

/// The scales of a filter, whose elements have no zero point.
class FilterScales {
public:
  /// \p axis is the dimension of channels.
  FilterScales(mlir::Type filter, int32_t axis);

  /// Whether all channels have one scale.
  bool isUniform() const { return isOne; }
  /// None where there is no such channel.
  std::optional<float> of(size_t channel) const;

private:
  bool isOne = false;
  llvm::SmallVector<std::optional<float>> scales;
};

/// The biases of \p channels channels; none where \p bias is not a constant of
/// as many integers.
std::optional<llvm::SmallVector<int64_t>> readBiases(mlir::Value bias,
                                                     int64_t channels);

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CONTRACTIONREADING_H
