//===- TFLiteRowProductsTest.cpp - Tests of products of rows --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of rows, by the instructions of the processor and by plain loops,
// compared with sums in 64 bits: for each rest that the tiles leave, for depths
// below and above what is summed in 32 bits, and for the least numbers, whose
// products are the largest.
//
//===----------------------------------------------------------------------===//

#include "Extensions/TFLite/RowProducts.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace nnhal::tflite;

namespace {

/// Numbers of a type; all of them the least one where \p isLeast says so.
template <typename T> std::vector<T> numbers(int64_t count, bool isLeast) {
  std::minstd_rand generator(unsigned(count) + 1);
  std::uniform_int_distribution<int32_t> any(std::numeric_limits<T>::min(),
                                             std::numeric_limits<T>::max());
  std::vector<T> values;
  values.reserve(size_t(count));
  for (int64_t index = 0; index < count; ++index)
    values.push_back(isLeast ? std::numeric_limits<T>::min()
                             : T(any(generator)));
  return values;
}

struct Size {
  int64_t places, rows, depth;
};

template <typename W> struct Operands {
  Operands(Size size, bool isLeast)
      : size(size), x(numbers<int16_t>(size.places * size.depth, isLeast)),
        w(numbers<W>(size.rows * size.depth, isLeast)),
        weights(w.data(), size.rows, size.depth),
        padded(size_t(size.places * weights.depth())) {
    for (int64_t place = 0; place < size.places; ++place) {
      std::copy_n(x.data() + place * size.depth, size.depth,
                  padded.data() + place * weights.depth());
      rows.push_back(padded.data() + place * weights.depth());
    }
  }
  RowOperands<int16_t, W> operands() const {
    return {rows.data(), size.places, weights.row(0), size.rows,
            weights.depth()};
  }
  std::vector<int64_t> expected() const {
    std::vector<int64_t> sums;
    for (int64_t place = 0; place < size.places; ++place)
      for (int64_t row = 0; row < size.rows; ++row) {
        int64_t sum = 0;
        for (int64_t index = 0; index < size.depth; ++index)
          sum += int64_t(x[size_t(place * size.depth + index)]) *
                 w[size_t(row * size.depth + index)];
        sums.push_back(sum);
      }
    return sums;
  }

  Size size;
  std::vector<int16_t> x;
  std::vector<W> w;
  WeightRows<W> weights;
  std::vector<int16_t> padded;
  std::vector<const int16_t *> rows;
};

template <typename W, typename Multiply> void expectSums(Multiply multiply) {
  for (Size size :
       {Size{1, 1, 1}, Size{2, 3, 15}, Size{3, 4, 16}, Size{4, 5, 17},
        Size{5, 9, 254}, Size{7, 6, 256}, Size{3, 2, 300}, Size{1, 7, 5000}})
    for (bool isLeast : {false, true}) {
      Operands<W> operands(size, isLeast);
      std::vector<int64_t> sums(size_t(size.places * size.rows), -1);
      multiply(sums.data(), size.rows, operands.operands());
      EXPECT_EQ(sums, operands.expected())
          << size.places << " places, " << size.rows << " rows, depth "
          << size.depth;
    }
}

TEST(TFLiteRowProducts, WeightsOfBytes) {
  expectSums<int8_t>([](int64_t *to, int64_t stride, const auto &operands) {
    multiplyRows(to, stride, operands);
  });
  expectSums<int8_t>([](int64_t *to, int64_t stride, const auto &operands) {
    multiplyRowsPortably(to, stride, operands);
  });
}

TEST(TFLiteRowProducts, WeightsOfSixteenBits) {
  expectSums<int16_t>([](int64_t *to, int64_t stride, const auto &operands) {
    multiplyRows(to, stride, operands);
  });
  expectSums<int16_t>([](int64_t *to, int64_t stride, const auto &operands) {
    multiplyRowsPortably(to, stride, operands);
  });
}

/// Floats that are small integers have exact sums.
TEST(TFLiteRowProducts, Floats) {
  for (Size size : {Size{1, 1, 1}, Size{4, 5, 17}, Size{5, 9, 100}}) {
    Operands<int8_t> operands(size, false);
    std::vector<float> x(operands.x.begin(), operands.x.end());
    std::vector<float> w(operands.w.begin(), operands.w.end());
    for (float &value : x)
      value = float(int32_t(value) % 16);
    WeightRows<float> weights(w.data(), size.rows, size.depth);
    std::vector<float> padded(size_t(size.places * weights.depth()));
    std::vector<const float *> rows;
    for (int64_t place = 0; place < size.places; ++place) {
      float *row = padded.data() + place * weights.depth();
      std::copy_n(x.data() + place * size.depth, size.depth, row);
      rows.push_back(row);
    }
    std::vector<float> sums(size_t(size.places * size.rows));
    multiplyRows(sums.data(), size.rows,
                 RowOperands<float, float>{rows.data(), size.places,
                                           weights.row(0), size.rows,
                                           weights.depth()});
    for (int64_t place = 0; place < size.places; ++place)
      for (int64_t row = 0; row < size.rows; ++row) {
        float sum = 0;
        for (int64_t index = 0; index < size.depth; ++index)
          sum += x[size_t(place * size.depth + index)] *
                 w[size_t(row * size.depth + index)];
        EXPECT_EQ(sums[size_t(place * size.rows + row)], sum);
      }
  }
}

/// More places and rows than one call multiplies, and rows of the input itself.
TEST(TFLiteRowProducts, BlocksCoverAllPlacesAndRows) {
  for (int64_t depth : {16, 20}) {
    Size size{101, 70, depth};
    Operands<int8_t> operands(size, false);
    std::vector<int64_t> sums(size_t(size.places * size.rows));
    forEachProductBlock<int16_t, int64_t>(
        {size.places, 0, size.rows}, operands.weights,
        [&](int64_t place, int16_t *buffer) -> const int16_t * {
          const int16_t *row = operands.x.data() + place * depth;
          if (operands.weights.depth() == depth)
            return row;
          std::copy_n(row, depth, buffer);
          return buffer;
        },
        [&](const ProductBlock<int64_t> &block) {
          for (int64_t place = 0; place < block.places; ++place)
            for (int64_t row = 0; row < block.rows; ++row)
              sums[size_t((block.firstPlace + place) * size.rows +
                          block.firstRow + row)] +=
                  block.sums[place * rowsAtOnce + row];
        });
    EXPECT_EQ(sums, operands.expected());
  }
}

} // namespace
