//===- Resize.cpp - Images of another size --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RESIZE_BILINEAR of signed 8-bit and 16-bit numbers, and
// RESIZE_NEAREST_NEIGHBOR.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Neighbours.h"
#include "StridedCopy.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet interpolated =
    elementSet(Element::float32, Element::int8, Element::uint8, Element::int16);
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
  constexpr int64_t most = mostResized;
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

/// Dimension \p axis of the image and of its resized form.
ResizedAxis axisOf(const Run &run, size_t axis) {
  return {run.use.input(0).dimensions[axis], run.types[0].dimensions[axis],
          run.use.truth("align_corners"), run.use.truth("half_pixel_centers")};
}

/// Unsigned bytes are interpolated as floats, and halves rounded up.
template <typename T> Status runFloatBilinear(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  constexpr float half = std::is_integral_v<T> ? 0.5f : 0.0f;
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  const ResizedAxis lines = axisOf(run, 1), columns = axisOf(run, 2);
  int64_t depth = output[3];
  for (int64_t batch = 0; batch < output[0]; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      Neighbours<float> v = floatNeighboursOf(lines, y);
      const T *image = use.data<T>(0) + batch * input[1] * input[2] * depth;
      const T *upper = image + v.lower * input[2] * depth;
      const T *lower = image + v.upper * input[2] * depth;
      for (int64_t x = 0; x < output[2]; ++x, to += depth) {
        Neighbours<float> h = floatNeighboursOf(columns, x);
        int64_t left = h.lower * depth, right = h.upper * depth;
        for (int64_t channel = 0; channel < depth; ++channel)
          to[channel] =
              T(upper[left + channel] * (1 - v.distance) * (1 - h.distance) +
                lower[left + channel] * v.distance * (1 - h.distance) +
                upper[right + channel] * (1 - v.distance) * h.distance +
                lower[right + channel] * v.distance * h.distance + half);
      }
    }
  return Status::ok();
}

template <typename Integer> Status runIntegerBilinear(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(Integer * to, run.allocate<Integer>(0));
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  const ResizedAxis lines = axisOf(run, 1), columns = axisOf(run, 2);
  constexpr int64_t one = 1 << 10, half = 1 << 19;
  int64_t depth = output[3];
  for (int64_t batch = 0; batch < output[0]; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      Neighbours<int64_t> v = neighboursOf(lines, y);
      const Integer *image =
          use.data<Integer>(0) + batch * input[1] * input[2] * depth;
      const Integer *upper = image + v.lower * input[2] * depth;
      const Integer *lower = image + v.upper * input[2] * depth;
      for (int64_t x = 0; x < output[2]; ++x, to += depth) {
        Neighbours<int64_t> h = neighboursOf(columns, x);
        int64_t left = h.lower * depth, right = h.upper * depth;
        for (int64_t channel = 0; channel < depth; ++channel) {
          int64_t sum =
              (one - v.distance) * ((one - h.distance) * upper[left + channel] +
                                    h.distance * upper[right + channel]) +
              v.distance * ((one - h.distance) * lower[left + channel] +
                            h.distance * lower[right + channel]);
          // Halves are rounded away from 0.
          to[channel] = Integer((sum + (sum > 0 ? half : -half)) / (2 * half));
        }
      }
    }
  return Status::ok();
}

Status runBilinear(Run &run) {
  switch (run.use.element(0)) {
  case Element::int8:
    return runIntegerBilinear<int8_t>(run);
  case Element::int16:
    return runIntegerBilinear<int16_t>(run);
  case Element::uint8:
    return runFloatBilinear<uint8_t>(run);
  default:
    return runFloatBilinear<float>(run);
  }
}

Status runNearest(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> memory, run.allocateBytes(0));
  const Extents &output = run.types[0].dimensions;
  const Extents &input = use.input(0).dimensions;
  const ResizedAxis lines = axisOf(run, 1), columns = axisOf(run, 2);
  size_t row = size_t(output[3]) * sizeOf(use.element(0));
  std::byte *to = memory.data();
  for (int64_t batch = 0; batch < output[0] && row != 0; ++batch)
    for (int64_t y = 0; y < output[1]; ++y) {
      int64_t line = nearestOf(lines, y);
      for (int64_t x = 0; x < output[2]; ++x, to += row) {
        int64_t column = nearestOf(columns, x);
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
