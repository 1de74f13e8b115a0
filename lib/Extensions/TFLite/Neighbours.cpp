//===- Neighbours.cpp - Where pixels come from ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Neighbours.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

Neighbours<int64_t> tflite::neighboursOf(const ResizedAxis &axis,
                                         int64_t place) {
  constexpr int64_t one = 1 << 10;
  int64_t input = axis.input, output = axis.output;
  int64_t step = (one * input + output / 2) / output;
  if (axis.alignCorners && output > 1)
    step = (one * (input - 1) + (output - 1) / 2) / (output - 1);
  int64_t scaled = place * step;
  if (axis.halfPixelCenters)
    scaled += step / 2 - one / 2;
  Neighbours<int64_t> result;
  result.lower = std::clamp<int64_t>(scaled / one, 0, input - 1);
  result.upper = std::clamp<int64_t>((scaled + one - 1) / one, 0, input - 1);
  result.distance = scaled - one * result.lower;
  return result;
}

Neighbours<float> tflite::floatNeighboursOf(const ResizedAxis &axis,
                                            int64_t place) {
  int64_t input = axis.input, output = axis.output;
  float step = float(input) / float(output);
  if (axis.alignCorners && output > 1)
    step = float(input - 1) / float(output - 1);
  float scaled = axis.halfPixelCenters ? (float(place) + 0.5f) * step - 0.5f
                                       : float(place) * step;
  Neighbours<float> result;
  result.lower = std::clamp<int64_t>(int64_t(std::floor(scaled)), 0, input - 1);
  result.upper = std::clamp<int64_t>(int64_t(std::ceil(scaled)), 0, input - 1);
  result.distance = scaled - float(result.lower);
  return result;
}

int64_t tflite::nearestOf(const ResizedAxis &axis, int64_t place) {
  int64_t input = axis.input, output = axis.output;
  float step = axis.alignCorners && output > 1
                   ? float(input - 1) / float(output - 1)
                   : float(input) / float(output);
  float found = (float(place) + (axis.halfPixelCenters ? 0.5f : 0.0f)) * step;
  auto index =
      int64_t(axis.alignCorners ? std::round(found) : std::floor(found));
  return std::clamp<int64_t>(index, 0, input - 1);
}
