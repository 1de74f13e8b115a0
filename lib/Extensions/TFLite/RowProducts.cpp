//===- RowProducts.cpp - Products of rows ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowProducts.h"

#include "FixedPoint.h"

#include <cstring>
#include <type_traits>

#ifdef __x86_64__
#include <immintrin.h>
#endif

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// A tile has so many rows of weights and of activations: twelve sums leave
/// registers for the operands where there are sixteen.
constexpr int64_t tileRows = 4, tilePlaces = 3;

/// A product of a 16-bit number and a byte, with or without sign, has at most
/// 23 bits beside its sign. So many pairs of them are summed in 32 bits.
constexpr int64_t mostPairs = 127;

/// Calls \p tile.run<rows, places>(first row, first place) for all tiles. Rows
/// of weights are the outer loop: they are the ones that do not fit a cache.
template <typename Tile, int rows>
NNHAL_KERNEL_PART void forPlaces(const Tile &tile, int64_t row,
                                 int64_t places) {
  int64_t place = 0;
  for (; place + tilePlaces <= places; place += tilePlaces)
    tile.template run<rows, tilePlaces>(row, place);
  if (places - place == 2)
    tile.template run<rows, 2>(row, place);
  else if (places - place == 1)
    tile.template run<rows, 1>(row, place);
}
template <typename Tile>
NNHAL_KERNEL_PART void forTiles(const Tile &tile, int64_t count,
                                int64_t places) {
  int64_t row = 0;
  for (; row + tileRows <= count; row += tileRows)
    forPlaces<Tile, tileRows>(tile, row, places);
  for (; row < count; ++row)
    forPlaces<Tile, 1>(tile, row, places);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

using Floats = float __attribute__((vector_size(32)));

struct FloatTile {
  float *to;
  int64_t stride;
  const RowOperands<float, float> &operands;

  template <int rows, int places>
  NNHAL_KERNEL_PART void run(int64_t row, int64_t place) const {
    const int64_t depth = operands.depth;
    const float *weights = operands.weights + row * depth;
    const float *const *x = operands.x + place;
    Floats sums[rows][places] = {};
    for (int64_t index = 0; index < depth; index += 8) {
      Floats values[places];
      for (int p = 0; p < places; ++p)
        std::memcpy(&values[p], x[p] + index, sizeof(Floats));
      for (int r = 0; r < rows; ++r) {
        Floats factor;
        std::memcpy(&factor, weights + r * depth + index, sizeof(Floats));
        for (int p = 0; p < places; ++p)
          sums[r][p] += factor * values[p];
      }
    }
    for (int p = 0; p < places; ++p)
      for (int r = 0; r < rows; ++r)
        to[(place + p) * stride + row + r] = sumOf(sums[r][p]);
  }

  NNHAL_KERNEL_PART static float sumOf(const Floats &sums) {
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
           ((sums[2] + sums[6]) + (sums[3] + sums[7]));
  }
};

//===----------------------------------------------------------------------===//
// Integers by loops
//===----------------------------------------------------------------------===//

template <typename W> struct PortableTile {
  int64_t *to;
  int64_t stride;
  const RowOperands<int16_t, W> &operands;
  /// The type of a partial sum, which is added to the others in 64 bits.
  using Part = std::conditional_t<sizeof(W) == 1, int32_t, int64_t>;

  template <int rows, int places>
  NNHAL_KERNEL_PART void run(int64_t row, int64_t place) const {
    const int64_t depth = operands.depth;
    const W *weights = operands.weights + row * depth;
    int64_t sums[rows][places] = {};
    for (int64_t begin = 0; begin < depth; begin += mostPairs * 2) {
      int64_t end = std::min(begin + mostPairs * 2, depth);
      for (int r = 0; r < rows; ++r)
        for (int p = 0; p < places; ++p) {
          const int16_t *x = operands.x[place + p];
          Part part = 0;
          for (int64_t index = begin; index < end; ++index)
            part += int32_t(x[index]) * weights[r * depth + index];
          sums[r][p] += part;
        }
    }
    for (int p = 0; p < places; ++p)
      for (int r = 0; r < rows; ++r)
        to[(place + p) * stride + row + r] = sums[r][p];
  }
};

//===----------------------------------------------------------------------===//
// Integers by AVX2
//===----------------------------------------------------------------------===//

#ifdef __x86_64__
#define NNHAL_AVX2 [[gnu::target("avx2")]]
#define NNHAL_AVX2_PART [[gnu::target("avx2"), gnu::always_inline]] inline

NNHAL_AVX2_PART __m256i loadStep(const int16_t *from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
}
NNHAL_AVX2_PART __m256i loadStep(const int8_t *from) {
  return _mm256_cvtepi8_epi16(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(from)));
}

/// Returns four sums of eight numbers each, in 32 bits.
NNHAL_AVX2_PART __m256i narrowSums(const __m256i *parts) {
  __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(parts[0], parts[1]),
                                    _mm256_hadd_epi32(parts[2], parts[3]));
  return _mm256_cvtepi32_epi64(_mm_add_epi32(
      _mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1)));
}

/// Returns the sums of both halves of eight numbers, in 64 bits.
NNHAL_AVX2_PART __m256i widened(__m256i part) {
  return _mm256_add_epi64(
      _mm256_cvtepi32_epi64(_mm256_castsi256_si128(part)),
      _mm256_cvtepi32_epi64(_mm256_extracti128_si256(part, 1)));
}

/// Returns four sums of eight numbers each, in 64 bits.
NNHAL_AVX2_PART __m256i wideSums(const __m256i *parts) {
  __m256i wide[4];
  for (int part = 0; part < 4; ++part)
    wide[part] = widened(parts[part]);
  __m256i first = _mm256_add_epi64(_mm256_unpacklo_epi64(wide[0], wide[1]),
                                   _mm256_unpackhi_epi64(wide[0], wide[1]));
  __m256i second = _mm256_add_epi64(_mm256_unpacklo_epi64(wide[2], wide[3]),
                                    _mm256_unpackhi_epi64(wide[2], wide[3]));
  return _mm256_add_epi64(_mm256_permute2x128_si256(first, second, 0x20),
                          _mm256_permute2x128_si256(first, second, 0x31));
}

template <typename W, bool isNarrow> struct Avx2Tile {
  int64_t *to;
  int64_t stride;
  const RowOperands<int16_t, W> &operands;

  template <int rows, int places>
  NNHAL_AVX2_PART void run(int64_t row, int64_t place) const {
    const int64_t depth = operands.depth;
    const W *weights = operands.weights + row * depth;
    const int16_t *const *x = operands.x + place;
    for (int64_t begin = 0; begin < depth; begin += mostPairs * rowStep) {
      int64_t end = std::min(begin + mostPairs * rowStep, depth);
      __m256i sums[places][4];
      for (int p = 0; p < places; ++p)
        for (int r = 0; r < 4; ++r)
          sums[p][r] = _mm256_setzero_si256();
      for (int64_t index = begin; index < end; index += rowStep) {
        __m256i values[places];
        for (int p = 0; p < places; ++p)
          values[p] = loadStep(x[p] + index);
        for (int r = 0; r < rows; ++r) {
          __m256i factor = loadStep(weights + r * depth + index);
          for (int p = 0; p < places; ++p)
            sums[p][r] = _mm256_add_epi32(sums[p][r],
                                          _mm256_madd_epi16(factor, values[p]));
        }
      }
      for (int p = 0; p < places; ++p)
        store<rows>(to + (place + p) * stride + row, sums[p], begin > 0);
    }
  }

  template <int rows>
  NNHAL_AVX2_PART static void store(int64_t *place, const __m256i *sums,
                                    bool isMore) {
    auto *memory = reinterpret_cast<__m256i *>(place);
    __m256i result = isNarrow ? narrowSums(sums) : wideSums(sums);
    if constexpr (rows == 4) {
      if (isMore)
        result = _mm256_add_epi64(result, _mm256_loadu_si256(memory));
      _mm256_storeu_si256(memory, result);
    } else {
      int64_t sum = _mm256_extract_epi64(result, 0);
      *place = isMore ? *place + sum : sum;
    }
  }
};

/// forPlaces() for tiles of AVX2, whose code can only be inlined into functions
/// for processors that have it.
template <typename Tile, int rows>
NNHAL_AVX2_PART void avx2Places(const Tile &tile, int64_t row, int64_t places) {
  int64_t place = 0;
  for (; place + tilePlaces <= places; place += tilePlaces)
    tile.template run<rows, tilePlaces>(row, place);
  if (places - place == 2)
    tile.template run<rows, 2>(row, place);
  else if (places - place == 1)
    tile.template run<rows, 1>(row, place);
}

template <typename W, bool isNarrow>
NNHAL_AVX2 void multiplyByAvx2(int64_t *to, int64_t stride,
                               const RowOperands<int16_t, W> &operands) {
  using Tile = Avx2Tile<W, isNarrow>;
  Tile tile{to, stride, operands};
  int64_t row = 0;
  for (; row + tileRows <= operands.count; row += tileRows)
    avx2Places<Tile, tileRows>(tile, row, operands.places);
  for (; row < operands.count; ++row)
    avx2Places<Tile, 1>(tile, row, operands.places);
}

bool hasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

/// Multiplies where the activations or the weights are bytes.
template <typename W>
void multiplyBytes(int64_t *to, int64_t stride,
                   const RowOperands<int16_t, W> &operands) {
  // All products of a row are summed in 32 bits where they are so few.
  if (operands.depth <= mostPairs * 2)
    multiplyByAvx2<W, true>(to, stride, operands);
  else
    multiplyByAvx2<W, false>(to, stride, operands);
}

/// Multiplies both bytes of the activations by themselves.
void multiplyHalves(int64_t *to, int64_t stride,
                    const RowOperands<int16_t, int16_t> &operands) {
  const int64_t depth = operands.depth, places = operands.places;
  std::vector<int16_t> lower(size_t(places * depth)), upper(lower.size());
  std::vector<const int16_t *> lowerRows, upperRows;
  for (int64_t place = 0; place < places; ++place) {
    int16_t *low = lower.data() + place * depth;
    int16_t *high = upper.data() + place * depth;
    for (int64_t index = 0; index < depth; ++index) {
      low[index] = int16_t(operands.x[place][index] & 0xFF);
      high[index] = int16_t(operands.x[place][index] >> 8);
    }
    lowerRows.push_back(low);
    upperRows.push_back(high);
  }
  std::vector<int64_t> sums(size_t(places * operands.count));
  RowOperands<int16_t, int16_t> half = operands;
  half.x = upperRows.data();
  multiplyBytes(sums.data(), operands.count, half);
  half.x = lowerRows.data();
  multiplyBytes(to, stride, half);
  for (int64_t place = 0; place < places; ++place)
    for (int64_t row = 0; row < operands.count; ++row)
      to[place * stride + row] +=
          sums[size_t(place * operands.count + row)] * 256;
}

#endif

} // namespace

NNHAL_TARGET_CLONES void
tflite::multiplyRows(float *to, int64_t stride,
                     const RowOperands<float, float> &operands) {
  forTiles(FloatTile{to, stride, operands}, operands.count, operands.places);
}

NNHAL_TARGET_CLONES void
tflite::multiplyRowsPortably(int64_t *to, int64_t stride,
                             const RowOperands<int16_t, int8_t> &operands) {
  forTiles(PortableTile<int8_t>{to, stride, operands}, operands.count,
           operands.places);
}

NNHAL_TARGET_CLONES void
tflite::multiplyRowsPortably(int64_t *to, int64_t stride,
                             const RowOperands<int16_t, int16_t> &operands) {
  forTiles(PortableTile<int16_t>{to, stride, operands}, operands.count,
           operands.places);
}

void tflite::multiplyRows(int64_t *to, int64_t stride,
                          const RowOperands<int16_t, int8_t> &operands) {
#ifdef __x86_64__
  if (hasAvx2())
    return multiplyBytes(to, stride, operands);
#endif
  multiplyRowsPortably(to, stride, operands);
}

void tflite::multiplyRows(int64_t *to, int64_t stride,
                          const RowOperands<int16_t, int16_t> &operands) {
#ifdef __x86_64__
  if (hasAvx2())
    return multiplyHalves(to, stride, operands);
#endif
  multiplyRowsPortably(to, stride, operands);
}
