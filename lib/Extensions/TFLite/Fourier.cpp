//===- Fourier.cpp - Transforms of real signals ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <numbers>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Complex = std::complex<double>;

constexpr int64_t mostTransformed = 1 << 20;

Result<Types> checkTransform(const Use &use) {
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(Element::complex64)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 2, 8));
  Extents extents = use.input(0).dimensions;
  std::optional<Extents> lengths = use.integers(1);
  if (!lengths) {
    extents.back() = extents[extents.size() - 2] = unknownExtent;
    return onlyResult(use, std::move(extents));
  }
  if (lengths->size() != 2)
    return refuse(use.nameOf(1), " has ", lengths->size(),
                  " elements, but must have 2");
  for (int64_t length : *lengths)
    if (length < 1 || length > mostTransformed ||
        !std::has_single_bit(uint64_t(length)))
      return refuse("length ", length, " must be a power of two and at most ",
                    mostTransformed);
  extents[extents.size() - 2] = lengths->front();
  extents.back() = lengths->back() / 2 + 1;
  return onlyResult(use, std::move(extents));
}

/// The discrete Fourier transform of a power of two of elements.
class Transform {
public:
  explicit Transform(size_t length) : roots(length / 2), places(length) {
    for (size_t index = 0; index < roots.size(); ++index)
      roots[index] = std::polar(1.0, -2 * std::numbers::pi * double(index) /
                                         double(length));
    for (size_t index = 1; index < length; ++index)
      places[index] = places[index / 2] / 2 + (index % 2) * (length / 2);
  }

  /// Replaces \p values, as many as the length says, by their transform.
  void apply(std::vector<Complex> &values) const {
    const size_t length = places.size();
    for (size_t index = 0; index < length; ++index)
      if (index < places[index])
        std::swap(values[index], values[places[index]]);
    for (size_t half = 1; half < length; half *= 2)
      for (size_t first = 0; first < length; first += 2 * half)
        for (size_t index = 0; index < half; ++index) {
          const Complex root = roots[index * (length / 2 / half)];
          const Complex even = values[first + index];
          const Complex odd = root * values[first + half + index];
          values[first + index] = even + odd;
          values[first + half + index] = even - odd;
        }
  }

private:
  std::vector<Complex> roots;
  /// The place of each element, the bits of its number in reverse.
  std::vector<size_t> places;
};

/// Transforms \p plane, which has rows of \p width numbers, along its columns.
void transformColumns(std::vector<Complex> &plane, size_t width) {
  const size_t height = plane.size() / width;
  const Transform transform(height);
  std::vector<Complex> column(height);
  for (size_t x = 0; x < width; ++x) {
    for (size_t y = 0; y < height; ++y)
      column[y] = plane[y * width + x];
    transform.apply(column);
    for (size_t y = 0; y < height; ++y)
      plane[y * width + x] = column[y];
  }
}

/// Sums are of double precision, as in TensorFlow Lite.
Status runTransform(Run &run) {
  const Use &use = run.use;
  const Extents lengths = *use.integers(1), &input = use.input(0).dimensions;
  NNHAL_ASSIGN_OR_RETURN(auto *to, run.allocate<std::complex<float>>(0));
  const auto height = size_t(lengths[0]), width = size_t(lengths[1]);
  const auto rows = size_t(input[input.size() - 2]),
             columns = size_t(input.back());
  const size_t frequencies = width / 2 + 1;
  const Transform transform(width);
  const size_t planes = size_t(
      elementCount(std::span<const int64_t>(input).first(input.size() - 2)));
  for (size_t number = 0; number < planes; ++number) {
    const float *from = use.data<float>(0) + number * rows * columns;
    std::vector<Complex> plane(height * frequencies), row(width);
    // Elements beyond a length are left out, and those that lack are 0.
    for (size_t y = 0; y < std::min(rows, height); ++y) {
      std::fill(row.begin(), row.end(), Complex());
      std::copy_n(from + y * columns, std::min(columns, width), row.begin());
      transform.apply(row);
      std::copy_n(row.begin(), frequencies,
                  plane.begin() + int64_t(y * frequencies));
    }
    transformColumns(plane, frequencies);
    for (const Complex &value : plane)
      *to++ = std::complex<float>(value);
  }
  return Status::ok();
}

constexpr OperatorRow rows[] = {
    {131,
     "RFFT2D",
     "input lengths ",
     0,
     elementSet(Element::float32),
     {},
     1,
     checkTransform,
     runTransform},
};

} // namespace

Rows tflite::fourierRows() { return rows; }
