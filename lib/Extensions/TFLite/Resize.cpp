//===- Resize.cpp - Images of another size --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR of 16-bit numbers.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "StridedCopy.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet interpolated =
    elementSet(Element::float32, Element::int16);
constexpr ElementSet moved =
    elementSet(Element::float32, Element::int8, Element::uint8, Element::int16,
               Element::int32);

Result<Types> checkResize(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int32)));
  if (use.truth("align_corners") && use.truth("half_pixel_centers"))
    return refuse("options align_corners and half_pixel_centers are both true");
  std::optional<Extents> size = use.integers(1);
  if (!size)
    return onlyResult(use, {use.extent(0, 0), unknownExtent, unknownExtent,
                            use.extent(0, 3)});
  if (size->size() != 2)
    return refuse(use.nameOf(1), " has ", size->size(),
                  " elements, but must have 2");
  // Steps are multiples of 2^-10 in 32 bits.
  constexpr int64_t most = 1 << 20;
  for (int64_t axis : {0, 1}) {
    if ((*size)[size_t(axis)] < 1 || (*size)[size_t(axis)] > most)
      return refuse("size ", (*size)[size_t(axis)], " must be 1 to ", most);
    if (int64_t extent = use.extent(0, axis + 1); extent == 0 || extent > most)
      return refuse(use.nameOf(0), " has extent ", extent, " in dimension ",
                    axis + 1, ", but must have 1 to ", most);
  }
  return onlyResult(
      use, {use.extent(0, 0), (*size)[0], (*size)[1], use.extent(0, 3)});
}

/// The neighbours of one place of the result, and the distance from the first
/// one in 1024ths.
struct Neighbours {
  int64_t lower, upper, distance;
};

Neighbours neighboursOf(const Use &use, int64_t place, int64_t input,
                        int64_t output) {
  constexpr int64_t one = 1 << 10;
  int64_t step = (one * input + output / 2) / output;
  if (use.truth("align_corners") && output > 1)
    step = (one * (input - 1) + (output - 1) / 2) / (output - 1);
  int64_t scaled = place * step;
  if (use.truth("half_pixel_centers"))
    scaled += step / 2 - one / 2;
  Neighbours result;
  result.lower = std::clamp<int64_t>(scaled / one, 0, input - 1);
  result.upper = std::clamp<int64_t>((scaled + one - 1) / one, 0, input - 1);
  result.distance = scaled - one * result.lower;
  return result;
}

/// The neighbours of one place of the result, and the distance from the first
/// one.
struct FloatNeighbours {
  int64_t lower, upper;
  float distance;
};

FloatNeighbours floatNeighboursOf(const Use &use, int64_t place, int64_t input,
                                  int64_t output) {
  float step = float(input) / float(output);
  if (use.truth("align_corners") && output > 1)
    step = float(input - 1) / float(output - 1);
  float scaled = use.truth("half_pixel_centers")
                     ? (float(place) + 0.5f) * step - 0.5f
                     : float(place) * step;
  FloatNeighbours result;
  result.lower = std::clamp<int64_t>(int64_t(std::floor(scaled)), 0, input - 1);
  result.upper = std::clamp<int64_t>(int64_t(std::ceil(scaled)), 0, input - 1);
  result.distance = scaled - float(result.lower);
  return result;
}

Status runFloatBilinear(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  int64_t depth = output[3];
  for (int64_t batch = 0; batch < output[0]; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      FloatNeighbours v = floatNeighboursOf(use, y, input[1], output[1]);
      const float *image =
          use.data<float>(0) + batch * input[1] * input[2] * depth;
      const float *upper = image + v.lower * input[2] * depth;
      const float *lower = image + v.upper * input[2] * depth;
      for (int64_t x = 0; x < output[2]; ++x, to += depth) {
        FloatNeighbours h = floatNeighboursOf(use, x, input[2], output[2]);
        int64_t left = h.lower * depth, right = h.upper * depth;
        for (int64_t channel = 0; channel < depth; ++channel)
          to[channel] =
              upper[left + channel] * (1 - v.distance) * (1 - h.distance) +
              lower[left + channel] * v.distance * (1 - h.distance) +
              upper[right + channel] * (1 - v.distance) * h.distance +
              lower[right + channel] * v.distance * h.distance;
      }
    }
  return Status::ok();
}

Status runBilinear(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return runFloatBilinear(run);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  constexpr int64_t one = 1 << 10, half = 1 << 19;
  int64_t depth = output[3];
  for (int64_t batch = 0; batch < output[0]; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      Neighbours v = neighboursOf(use, y, input[1], output[1]);
      const int16_t *image =
          use.data<int16_t>(0) + batch * input[1] * input[2] * depth;
      const int16_t *upper = image + v.lower * input[2] * depth;
      const int16_t *lower = image + v.upper * input[2] * depth;
      for (int64_t x = 0; x < output[2]; ++x, to += depth) {
        Neighbours h = neighboursOf(use, x, input[2], output[2]);
        int64_t left = h.lower * depth, right = h.upper * depth;
        for (int64_t channel = 0; channel < depth; ++channel) {
          int64_t sum =
              (one - v.distance) * ((one - h.distance) * upper[left + channel] +
                                    h.distance * upper[right + channel]) +
              v.distance * ((one - h.distance) * lower[left + channel] +
                            h.distance * lower[right + channel]);
          // Halves are rounded away from 0.
          to[channel] = int16_t((sum + (sum > 0 ? half : -half)) / (2 * half));
        }
      }
    }
  return Status::ok();
}

int64_t nearest(const Use &use, int64_t place, int64_t input, int64_t output) {
  bool isAligned = use.truth("align_corners");
  bool isCentred = use.truth("half_pixel_centers");
  float step = isAligned && output > 1 ? float(input - 1) / float(output - 1)
                                       : float(input) / float(output);
  float found = (float(place) + (isCentred ? 0.5f : 0.0f)) * step;
  auto index = int64_t(isAligned ? std::round(found) : std::floor(found));
  return std::clamp<int64_t>(index, 0, input - 1);
}

Status runNearest(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  size_t row = size_t(output[3]) * sizeOf(use.element(0));
  std::byte *to = memory.data();
  for (int64_t batch = 0; batch < output[0] && row != 0; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      int64_t line = nearest(use, y, input[1], output[1]);
      for (int64_t x = 0; x < output[2]; ++x, to += row) {
        int64_t column = nearest(use, x, input[2], output[2]);
        int64_t place = (batch * input[1] + line) * input[2] + column;
        std::memcpy(to, use.bytes(0).data() + size_t(place) * row, row);
      }
    }
  return Status::ok();
}

constexpr OptionRow options[] = {{"align_corners", OptionKind::truth},
                                 {"half_pixel_centers", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {23, "RESIZE_BILINEAR", "input size ", 0, interpolated, options, 1,
     checkResize, runBilinear},
    {97, "RESIZE_NEAREST_NEIGHBOR", "input size ", 0, moved, options, 1,
     checkResize, runNearest},
};

} // namespace

Rows tflite::resizeRows() { return rows; }
