//===- RowProducts.h - Products of rows -------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions are products of rows: each of some rows of activations times
// each of some rows of weights. Tiles of a few rows of both stay in registers,
// and weights are read as they are: no call packs them.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_EXTENSIONS_TFLITE_ROWPRODUCTS_H
#define NNHAL_LIB_EXTENSIONS_TFLITE_ROWPRODUCTS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nnhal::tflite {

/// Rows have a multiple of this number of elements, the last of which may be 0,
/// and at least as many.
inline constexpr int64_t rowStep = 16;
constexpr int64_t paddedRow(int64_t depth) {
  return std::max<int64_t>((depth + rowStep - 1) / rowStep, 1) * rowStep;
}

/// Rows of weights: the tensor itself where its rows have a fitting depth, and
/// a padded copy elsewhere.
template <typename T> class WeightRows {
public:
  WeightRows(const T *weights, int64_t count, int64_t depth)
      : step(paddedRow(depth)), values(weights) {
    if (step == depth)
      return;
    copy.resize(size_t(count * step));
    for (int64_t index = 0; index < count; ++index)
      std::copy_n(weights + index * depth, depth, copy.data() + index * step);
    values = copy.data();
  }
  /// The number of elements of a row, with those that are 0.
  int64_t depth() const { return step; }
  const T *row(int64_t index) const { return values + index * step; }

private:
  int64_t step;
  const T *values;
  std::vector<T> copy;
};

/// The operands of a call: \p places rows of activations, anywhere, and
/// \p count rows of weights, one behind the other.
template <typename X, typename W> struct RowOperands {
  const X *const *x;
  int64_t places;
  const W *weights;
  int64_t count;
  int64_t depth;
};

/// Computes to[place * stride + row] of all places and rows.
void multiplyRows(int64_t *to, int64_t stride,
                  const RowOperands<int16_t, int8_t> &operands);
void multiplyRows(int64_t *to, int64_t stride,
                  const RowOperands<int16_t, int16_t> &operands);
void multiplyRows(float *to, int64_t stride,
                  const RowOperands<float, float> &operands);

/// The integer products by loops without instructions of a processor, which is
/// what the others compute where the processor has none of use.
void multiplyRowsPortably(int64_t *to, int64_t stride,
                          const RowOperands<int16_t, int8_t> &operands);
void multiplyRowsPortably(int64_t *to, int64_t stride,
                          const RowOperands<int16_t, int16_t> &operands);

/// The largest numbers of places and of rows of weights that one call
/// multiplies.
inline constexpr int64_t placesAtOnce = 48, rowsAtOnce = 32;

/// Rows of weights and the places that they are multiplied with.
struct ProductRange {
  int64_t places;
  int64_t firstRow;
  int64_t rows;
};

/// The products of one call: sums[place * rowsAtOnce + row], counted from the
/// first place and row.
template <typename Sum> struct ProductBlock {
  const Sum *sums;
  int64_t firstPlace, places;
  int64_t firstRow, rows;
};

/// Multiplies all places and rows of \p range. \p rowAt(place, buffer) returns
/// the activations of a place, which it may write to the buffer, whose elements
/// behind it are 0. Calls \p end(block) for each block of products.
template <typename X, typename Sum, typename W, typename RowAt, typename End>
void forEachProductBlock(const ProductRange &range,
                         const WeightRows<W> &weights, RowAt &&rowAt,
                         End &&end) {
  const int64_t depth = weights.depth();
  // The activations of a block stay in the first cache; where the weights do
  // not fit the second one, that has more activations, and reads these less
  // often.
  const bool isLarge = range.rows * depth * int64_t(sizeof(W)) > (1 << 18);
  const int64_t fitting =
      (isLarge ? 96 << 10 : 24 << 10) / (depth * int64_t(sizeof(X)));
  const int64_t most = std::clamp<int64_t>(fitting / 3 * 3, 3, placesAtOnce);
  std::vector<X> buffer(size_t(std::min(most, range.places) * depth));
  const X *x[placesAtOnce];
  Sum sums[placesAtOnce * rowsAtOnce];
  for (int64_t first = 0; first < range.places; first += most) {
    int64_t places = std::min(most, range.places - first);
    for (int64_t place = 0; place < places; ++place)
      x[place] = rowAt(first + place, buffer.data() + place * depth);
    for (int64_t row = 0; row < range.rows; row += rowsAtOnce) {
      int64_t rows = std::min(rowsAtOnce, range.rows - row);
      multiplyRows(sums, rowsAtOnce,
                   RowOperands<X, W>{x, places,
                                     weights.row(range.firstRow + row), rows,
                                     depth});
      end(ProductBlock<Sum>{sums, first, places, range.firstRow + row, rows});
    }
  }
}

} // namespace nnhal::tflite

#endif // NNHAL_LIB_EXTENSIONS_TFLITE_ROWPRODUCTS_H
