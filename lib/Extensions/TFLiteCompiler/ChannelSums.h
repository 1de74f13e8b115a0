//===- ChannelSums.h - Sums of products of result channels ------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Biases and factors of the channels of a convolution of 16 bits, and the parts
// in which their sums fit 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CHANNELSUMS_H
#define NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CHANNELSUMS_H

#include "ContractionReading.h"

namespace nnhal::tflite {

class ChannelSums {
public:
  /// Reads what follows from \p bias and from the scales of \p image, \p filter
  /// and \p result, and returns why that stays a call; the empty text where it
  /// does not. TensorFlow Lite multiplies the only scale of a filter in single
  /// precision if \p isProduct.
  llvm::StringRef readFactors(mlir::Value image, mlir::Value filter,
                              mlir::Value bias, mlir::Value result,
                              bool isProduct);
  /// Gives \p count channels in turn to each one that was read.
  void repeat(int64_t count);
  /// Reads in how many parts of \p depth input channels sums of \p weights fit
  /// 32 bits, and returns why they stay a call; the empty text where they do
  /// not. No channel is read after that.
  llvm::StringRef readParts(llvm::ArrayRef<uint8_t> weights, int64_t depth);
  /// Likewise, of weights that are not known, \p taps for each input channel.
  llvm::StringRef readParts(int64_t taps, int64_t depth);

  /// The convolution of type \p result with channels \p first and those behind
  /// it, as many as \p filter has.
  mlir::Value build(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::RankedTensorType result, mlir::Value image,
                    mlir::Value filter, const Windows &windows, int64_t first,
                    uint32_t activation) const;

private:
  bool readFactor(double factor, int64_t bias);
  bool fits(llvm::ArrayRef<uint8_t> weights, int64_t depth, size_t channel,
            int64_t count) const;
  /// \p areFitting says whether sums fit 32 bits in the parts that there are.
  llvm::StringRef divide(int64_t depth, llvm::function_ref<bool()> areFitting);

  llvm::SmallVector<int32_t> biases, multipliers, shifts;
  int64_t parts = 1;
  SumRounding rounding = SumRounding::once_in_32;
};

/// The bytes of \p filter; none where it is no constant.
std::optional<std::vector<uint8_t>> constantBytes(mlir::Value filter);

/// A constant of \p weights of 8 bits, whose scales are part of the factors.
mlir::Value weightConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<uint8_t> weights);

/// Why products are called whose filter has no constant bytes.
inline constexpr llvm::StringLiteral computedFilter = "its filter is computed";

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITECOMPILER_CHANNELSUMS_H
