//===- Pooling.cpp - Pools of images --------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FixedPoint.h"
#include "Window.h"

#include <cmath>
#include <vector>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet floatsOnly = elementSet(Element::float32);
constexpr ElementSet averaged =
    elementSet(Element::float32, Element::int8, Element::int16);
constexpr ElementSet pooled = elementSet(Element::float32, Element::int16);

struct Windows {
  WindowAxis vertical, horizontal;
};
Windows windowsOf(const Use &use) {
  bool isSame = use.integer("padding") == 0;
  return {{use.integer("filter_height"), use.integer("stride_h"), 1, isSame},
          {use.integer("filter_width"), use.integer("stride_w"), 1, isSame}};
}

Result<Types> checkPool(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 4, 4));
  NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  Windows windows = windowsOf(use);
  NNHAL_ASSIGN_OR_RETURN(int64_t height,
                         windowPlaces(windows.vertical, use.extent(0, 1)));
  NNHAL_ASSIGN_OR_RETURN(int64_t width,
                         windowPlaces(windows.horizontal, use.extent(0, 2)));
  return onlyResult(use, {use.extent(0, 0), height, width, use.extent(0, 3)});
}

/// The part of a window that lies inside of an extent.
struct Inside {
  int64_t begin, end;
};
Inside insideOf(const WindowAxis &axis, int64_t place, int64_t extent) {
  int64_t first = place * axis.stride - axis.before(extent);
  return {std::max<int64_t>(first, 0), std::min(first + axis.size, extent)};
}

template <typename T>
NNHAL_KERNEL_PART void addNumbers(int64_t *sums, const T *from, int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    sums[index] += from[index];
}
NNHAL_TARGET_CLONES void addRow(int64_t *sums, const int16_t *from,
                                int64_t count) {
  addNumbers(sums, from, count);
}
NNHAL_TARGET_CLONES void addByteRow(int64_t *sums, const int8_t *from,
                                    int64_t count) {
  addNumbers(sums, from, count);
}

NNHAL_TARGET_CLONES void maximumRow(int16_t *to, const int16_t *from,
                                    int64_t count) {
  for (int64_t index = 0; index < count; ++index)
    to[index] = std::max(to[index], from[index]);
}

/// Divides by \p count, halves away from 0. Both have fewer than 53 bits, so
/// that no quotient is rounded to the next integer.
template <typename T>
NNHAL_KERNEL_PART void averageNumbers(T *to, const int64_t *sums,
                                      int64_t channels, int64_t count,
                                      const Bounds &given) {
  const Bounds bounds = given;
  const int64_t rounding = count / 2;
  const auto divisor = double(count), half = double(rounding);
  for (int64_t channel = 0; channel < channels; ++channel) {
    auto sum = double(sums[channel]);
    double mean = (sum > 0 ? sum + half : sum - half) / divisor;
    to[channel] = T(bounds(int32_t(mean)));
  }
}
NNHAL_TARGET_CLONES void averageRow(int16_t *to, const int64_t *sums,
                                    int64_t channels, int64_t count,
                                    const Bounds &bounds) {
  averageNumbers(to, sums, channels, count, bounds);
}
NNHAL_TARGET_CLONES void averageByteRow(int8_t *to, const int64_t *sums,
                                        int64_t channels, int64_t count,
                                        const Bounds &bounds) {
  averageNumbers(to, sums, channels, count, bounds);
}

/// Calls \p begin(to), \p add(row of channels) and \p end(to, number of rows)
/// for each window.
template <typename T, typename Begin, typename Add, typename End>
void forEachWindow(const Use &use, const Extents &result, T *to, Begin begin,
                   Add add, End end) {
  Windows windows = windowsOf(use);
  const Extents &input = use.input(0).dimensions;
  const T *from = use.data<T>(0);
  for (int64_t batch = 0; batch < result[0]; ++batch)
    for (int64_t y = 0; y < result[1]; ++y)
      for (int64_t x = 0; x < result[2]; ++x, to += result[3]) {
        Inside lines = insideOf(windows.vertical, y, input[1]);
        Inside columns = insideOf(windows.horizontal, x, input[2]);
        begin(to);
        for (int64_t line = lines.begin; line < lines.end; ++line)
          for (int64_t column = columns.begin; column < columns.end; ++column)
            add(to, from + ((batch * input[1] + line) * input[2] + column) *
                               input[3]);
        end(to, (lines.end - lines.begin) * (columns.end - columns.begin));
      }
}

template <typename T> Bounds resultBounds(const Use &use) {
  return activationBounds(Activation(use.integer("activation")), boundsOf<T>(),
                          use.output(0).scale, use.output(0).zeroPoint);
}

/// Folds the floats of each window, beginning with \p first, and applies
/// \p end(folded, number of elements).
template <typename Fold, typename End>
Status poolFloats(Run &run, float first, Fold fold, End end) {
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  const Extents &result = run.types[0].dimensions;
  auto activation = Activation(run.use.integer("activation"));
  forEachWindow(
      run.use, result, to,
      [&](float *place) { std::fill_n(place, result[3], first); },
      [&](float *place, const float *row) {
        for (int64_t channel = 0; channel < result[3]; ++channel)
          place[channel] = fold(place[channel], row[channel]);
      },
      [&](float *place, int64_t count) {
        for (int64_t channel = 0; channel < result[3]; ++channel)
          place[channel] =
              activated(end(place[channel], float(count)), activation);
      });
  return Status::ok();
}

Status runL2(Run &run) {
  return poolFloats(
      run, 0.0f, [](float sum, float value) { return sum + value * value; },
      [](float sum, float count) { return std::sqrt(sum / count); });
}

/// Averages of stored numbers, of which \p add sums a row and \p average yields
/// one.
template <typename T, typename Add, typename Average>
Status averageIntegers(Run &run, Add add, Average average) {
  NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
  const Extents &result = run.types[0].dimensions;
  if (elementCount(result) == 0)
    return Status::ok();
  const Bounds bounds = resultBounds<T>(run.use);
  std::vector<int64_t> sums(static_cast<size_t>(result[3]));
  forEachWindow(
      run.use, result, to, [&](T *) { std::fill(sums.begin(), sums.end(), 0); },
      [&](T *, const T *row) { add(sums.data(), row, result[3]); },
      [&](T *place, int64_t count) {
        average(place, sums.data(), result[3], count, bounds);
      });
  return Status::ok();
}

Status runAverage(Run &run) {
  switch (run.use.element(0)) {
  case Element::int8:
    return averageIntegers<int8_t>(run, addByteRow, averageByteRow);
  case Element::int16:
    return averageIntegers<int16_t>(run, addRow, averageRow);
  default:
    return poolFloats(
        run, 0.0f, [](float sum, float value) { return sum + value; },
        [](float sum, float count) { return sum / count; });
  }
}

Status runMaximum(Run &run) {
  if (run.use.element(0) == Element::float32)
    return poolFloats(
        run, std::numeric_limits<float>::lowest(),
        [](float most, float value) { return std::max(most, value); },
        [](float most, float) { return most; });
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  const Extents &result = run.types[0].dimensions;
  if (elementCount(result) == 0)
    return Status::ok();
  Bounds bounds = resultBounds<int16_t>(run.use);
  forEachWindow(
      run.use, result, to,
      [&](int16_t *place) {
        std::fill_n(place, result[3], std::numeric_limits<int16_t>::min());
      },
      [&](int16_t *place, const int16_t *row) {
        maximumRow(place, row, result[3]);
      },
      [&](int16_t *place, int64_t) {
        for (int64_t channel = 0; channel < result[3]; ++channel)
          place[channel] = int16_t(bounds(place[channel]));
      });
  return Status::ok();
}

constexpr OptionRow options[] = {paddingOption,
                                 positiveOption("stride_w"),
                                 positiveOption("stride_h"),
                                 positiveOption("filter_width"),
                                 positiveOption("filter_height"),
                                 activationOption};

constexpr OperatorRow rows[] = {
    {1, "AVERAGE_POOL_2D", "input ", 0, averaged, options, 1, checkPool,
     runAverage},
    {12, "L2_POOL_2D", "input ", 0, floatsOnly, options, 1, checkPool, runL2},
    {17, "MAX_POOL_2D", "input ", 0, pooled, options, 1, checkPool, runMaximum},
};

} // namespace

Rows tflite::poolingRows() { return rows; }
