//===- Contraction.h - Models of one convolution ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_CONTRACTION_H
#define NNHAL_BENCHMARKS_CONTRACTION_H

#include "nnhal/Runtime/Model.h"

#include <string>
#include <vector>

namespace nnhal {

/// A convolution, as MobileNets have them: SAME padding, bias, RELU6.
struct Contraction {
  enum class Kind { convolution, depthwise };
  /// uint8 is asymmetric with one scale a tensor, int8 has a scale for each
  /// output channel of the weights.
  enum class Type { float32, uint8, int8 };

  Kind kind;
  Type type;
  /// Height and width of the input.
  uint32_t size;
  uint32_t inputChannels;
  /// Those of the input when the kind is depthwise.
  uint32_t outputChannels;
  /// Height and width of the window.
  uint32_t window;
  uint32_t stride;

  uint32_t outputSize() const { return (size + stride - 1) / stride; }
  /// Rows or columns of padding in all, and those before the image.
  uint32_t padding() const;
  uint32_t paddingBefore() const { return padding() / 2; }
  /// Inputs that are summed up for one output.
  uint32_t fanIn() const;
  double multiplyAdds() const;
  size_t inputElements() const;
  size_t outputElements() const;
  size_t weightElements() const;
  /// "112x112x32_3x3s2_64": input, window and stride, output channels.
  std::string shapeText() const;
};

std::string_view toString(Contraction::Kind kind);
std::string_view toString(Contraction::Type type);

/// Numbers for a contraction: random ones, the same in each run, that neither
/// overflow nor saturate. Weights are in the HAL's order, OHWI or 1HWC.
struct ContractionData {
  explicit ContractionData(const Contraction &contraction);

  /// Those that belong to the type of the contraction are filled. 8-bit values
  /// are bytes of either sign.
  std::vector<float> floatInput, floatWeights, floatBias;
  std::vector<uint8_t> input, weights;
  std::vector<int32_t> bias;
  float inputScale = 0, outputScale = 0;
  /// One, or one for each output channel.
  std::vector<float> weightScales;
  int32_t inputZeroPoint = 0, weightZeroPoint = 0, outputZeroPoint = 0;
  /// The quantized bounds of RELU6.
  int32_t lowest = 0, highest = 0;
};

/// The contraction as a model with one operation.
rt::AnnotatedModel contractionModel(const Contraction &contraction,
                                    const ContractionData &data);

} // namespace nnhal

#endif // NNHAL_BENCHMARKS_CONTRACTION_H
