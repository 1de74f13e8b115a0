//===- ContractionOutput.h - From sums of products to results ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONOUTPUT_H
#define NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONOUTPUT_H

#include "Engine/OperationLowering.h"

#include <limits>

namespace nnhal {

/// What follows the sums of a contraction whose inputs 0 to 2 are input, filter
/// and bias: bias, scale and activation. Made where the tables that it needs
/// may be defined, outside of loops.
class ContractionOutput {
public:
  /// No sum, with its bias, is larger than \p largestSum; small ones take fewer
  /// instructions.
  ContractionOutput(
      OperationLowering &op, rt::FusedActivation activation,
      double largestSum = std::numeric_limits<double>::infinity());

  /// Checks what the rules say about the bias and the scales of \p channels
  /// output channels.
  void checkChannels(Scalar channels) const;
  /// What a sum of no products is: f32 for floats, otherwise i32.
  Scalar zero() const;
  /// The output element of \p sum on output channel \p channel.
  Scalar finish(Scalar sum, Scalar channel) const;
  /// The same of a quantized sum that has the bias in it, an integer of i32 or
  /// of f32.
  Scalar finishBiased(Scalar sum, Scalar channel) const;

private:
  void makeTables();
  Scalar rescaled(Scalar sum, Scalar channel) const;
  /// The sum times its scale as an integer; where that is beyond \p low or
  /// \p high, some number that is, too.
  Scalar rounded(Scalar sum, Scalar channel, double low, double high) const;
  Scalar floatScale(Scalar channel) const;

  OperationLowering &op;
  rt::FusedActivation activation;
  Tensor bias;
  /// Of the product of input and filter in units of the output, per channel or
  /// once (M-014, M-015). None for floats.
  llvm::SmallVector<double> scales;
  // Of several scales.
  Tensor multipliers, exponents, floatScales;
  // Instead of exponents where all go right and sums are small.
  Tensor rightShifts, halves;
  double largestSum;
  /// Scaled as a real number, which FULLY_CONNECTED does by default.
  bool isReal = false;
};

} // namespace nnhal

#endif // NNHAL_LIB_CONVERSION_NNHALTOLINALG_CONTRACTIONOUTPUT_H
