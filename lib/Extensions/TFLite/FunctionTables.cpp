//===- FunctionTables.cpp - Functions of quantized numbers ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionTables.h"

using namespace nnhal;
using namespace nnhal::tflite;

float tflite::elu(float x) { return x < 0 ? std::expm1(x) : x; }

float tflite::gelu(float x, bool isApproximate) {
  constexpr float root = 0.797884560802865f, half = 0.70710678118654752440f;
  const float curve = isApproximate
                          ? std::tanh(root * (x + 0.044715f * x * x * x))
                          : std::erf(x * half);
  return 0.5f * x * (1 + curve);
}

/// Returns the table of \p function, whose numbers of single precision are
/// rounded, halves away from 0.
template <typename Function>
static Table8 makeTable8(ByteSteps from, ByteSteps to, Function function) {
  const Bounds bounds = boundsOf<int8_t>();
  const float perUnit = 1.0f / to.scale;
  Table8 table;
  for (int32_t value = bounds.least; value <= bounds.most; ++value) {
    const float real = function(from.scale * float(value - from.zeroPoint));
    const float steps = std::round(real * perUnit) + float(to.zeroPoint);
    // Steps that are no number become the most.
    table[uint8_t(value)] = int8_t(
        std::fmax(std::fmin(steps, float(bounds.most)), float(bounds.least)));
  }
  return table;
}

template <typename Function>
static Table16 tableOf(float inputScale, float outputScale, Function function) {
  return makeTable16(inputScale * -32768.0f, inputScale * 32767.0f, outputScale,
                     function);
}

Table8 tflite::eluTable(ByteSteps from, ByteSteps to) {
  return makeTable8(from, to, elu);
}

Table8 tflite::logarithmTable(ByteSteps from, ByteSteps to) {
  const float least = float(-128 - to.zeroPoint) * to.scale;
  return makeTable8(from, to, [=](float value) {
    return value <= 0 ? least : std::log(value);
  });
}

Table16 tflite::logarithmTable(float inputScale, float outputScale) {
  const float least = -32768 * outputScale;
  return tableOf(inputScale, outputScale, [=](float value) {
    return value <= 0 ? least : std::log(value);
  });
}

Table16 tflite::geluTable(float inputScale, float outputScale,
                          bool isApproximate) {
  return tableOf(inputScale, outputScale,
                 [=](float value) { return gelu(value, isApproximate); });
}

Table16 tflite::reciprocalRootTable(float inputScale, float outputScale) {
  const float most = 32767 * outputScale;
  return tableOf(inputScale, outputScale, [=](float value) {
    return value <= 0 ? most : 1.0f / std::sqrt(value);
  });
}
