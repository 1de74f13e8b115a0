//===- Matrix.cpp - Products and diagonals of matrices --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BATCH_MATMUL of floats, of 16-bit numbers and of bytes to integers, and
// operators on diagonals.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"
#include "RowProducts.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet multiplied =
    elementSet(Element::float32, Element::int8, Element::int16);

//===----------------------------------------------------------------------===//
// BATCH_MATMUL
//===----------------------------------------------------------------------===//

/// The last two extents of a tensor, exchanged where the option says so.
struct MatrixShape {
  int64_t rows, columns;
  MatrixShape(const Use &use, size_t tensor, bool isTransposed)
      : rows(use.extent(tensor, use.rank(tensor) - 2)),
        columns(use.extent(tensor, use.rank(tensor) - 1)) {
    if (isTransposed)
      std::swap(rows, columns);
  }
};

Extents batchOf(const Use &use, size_t tensor) {
  Extents extents = use.input(tensor).dimensions;
  extents.resize(extents.size() - 2);
  return extents;
}

Result<Types> checkMatMul(const Use &use) {
  ElementSet element = elementSet(use.element(0));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, element));
  // Sums of products of bytes are not scaled.
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(
      0,
      use.element(0) == Element::int8 ? elementSet(Element::int32) : element));
  NNHAL_RETURN_IF_ERROR(use.checkScales(2));
  for (size_t tensor : {0, 1})
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 2, 8));
  MatrixShape a(use, 0, use.truth("adj_x")), b(use, 1, use.truth("adj_y"));
  if (!mayEqual(a.columns, b.rows))
    return refuse("matrices of ", a.columns, " columns and ", b.rows,
                  " rows have no product");
  NNHAL_ASSIGN_OR_RETURN(Extents extents,
                         broadcastExtents(batchOf(use, 0), batchOf(use, 1)));
  extents.insert(extents.end(), {a.rows, b.columns});
  return onlyResult(use, std::move(extents));
}

/// Calls \p multiply with the numbers of a product and of its matrices.
template <typename Multiply>
void forEachProduct(const Run &run, Multiply multiply) {
  Extents aBatch = batchOf(run.use, 0), bBatch = batchOf(run.use, 1);
  Extents batch = run.types[0].dimensions;
  batch.resize(batch.size() - 2);
  BroadcastWalk<2> walk(batch, {&aBatch, &bBatch});
  walk.forEachRow([&](int64_t place, auto first, auto step, int64_t count) {
    for (int64_t index = 0; index < count; ++index)
      multiply(place + index, first[0] + index * step[0],
               first[1] + index * step[1]);
  });
}

/// Writes the transposed matrix, tile by tile, so that neither of the two is
/// walked along its columns for long.
template <typename T>
void transpose(T *to, const T *from, int64_t rows, int64_t columns) {
  constexpr int64_t tile = 16;
  for (int64_t firstRow = 0; firstRow < rows; firstRow += tile)
    for (int64_t first = 0; first < columns; first += tile)
      for (int64_t column = first; column < std::min(first + tile, columns);
           ++column)
        for (int64_t row = firstRow; row < std::min(firstRow + tile, rows);
             ++row)
          to[column * rows + row] = from[row * columns + column];
}

/// The matrices of one tensor as rows along the axis that products sum over.
template <typename T> class MatrixRows {
public:
  /// Rows are those of the stored matrices unless \p isTransposed.
  MatrixRows(const Use &use, size_t tensor, const T *from, bool isTransposed)
      : from(from), stored(use, tensor, false), isTransposed(isTransposed),
        transposed(isTransposed ? size_t(stored.rows * stored.columns) : 0) {}

  /// Returns matrix \p index, until the next call.
  const T *at(int64_t index) {
    const T *matrix = from + index * stored.rows * stored.columns;
    if (!isTransposed)
      return matrix;
    transpose(transposed.data(), matrix, stored.rows, stored.columns);
    return transposed.data();
  }

private:
  const T *from;
  MatrixShape stored;
  bool isTransposed;
  std::vector<T> transposed;
};

/// Computes all products of \p x and \p y; \p end(sum) makes an element of a
/// sum.
template <typename To, typename Sum, typename T, typename End>
Status multiplyMatrices(Run &run, const T *x, const T *y, End end) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(To * to, run.allocate<To>(0));
  bool adjA = use.truth("adj_x"), adjB = use.truth("adj_y");
  MatrixShape a(use, 0, adjA), b(use, 1, adjB);
  MatrixRows<T> left(use, 0, x, adjA), right(use, 1, y, !adjB);
  const int64_t depth = a.columns;
  forEachProduct(run, [&](int64_t index, int64_t aIndex, int64_t bIndex) {
    const T *rows = left.at(aIndex);
    WeightRows<T> columns(right.at(bIndex), b.columns, depth);
    To *product = to + index * a.rows * b.columns;
    forEachProductBlock<T, Sum>(
        {a.rows, 0, b.columns}, columns,
        [&](int64_t row, T *buffer) -> const T * {
          if (columns.depth() == depth)
            return rows + row * depth;
          std::copy_n(rows + row * depth, depth, buffer);
          return buffer;
        },
        [&](const ProductBlock<Sum> &block) {
          for (int64_t place = 0; place < block.places; ++place) {
            To *row = product + (block.firstPlace + place) * b.columns;
            for (int64_t column = 0; column < block.rows; ++column)
              row[block.firstRow + column] =
                  end(block.sums[place * rowsAtOnce + column]);
          }
        });
  });
  return Status::ok();
}

/// The elements of tensor \p tensor, which are bytes, less their zero point.
std::vector<int16_t> centred(const Use &use, size_t tensor) {
  std::vector<int16_t> result(size_t(elementCount(use.input(tensor))));
  const int8_t *from = use.data<int8_t>(tensor);
  for (size_t index = 0; index < result.size(); ++index)
    result[index] = int16_t(from[index] - use.input(tensor).zeroPoint);
  return result;
}

Status runMatMul(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return multiplyMatrices<float, float>(run, use.data<float>(0),
                                          use.data<float>(1),
                                          [](float sum) { return sum; });
  if (use.element(0) == Element::int8)
    return multiplyMatrices<int32_t, int64_t>(
        run, centred(use, 0).data(), centred(use, 1).data(),
        [](int64_t sum) { return int32_t(sum); });
  WideFactor factor(factorOf(double(use.input(0).scale * use.input(1).scale) /
                             double(use.output(0).scale)));
  return multiplyMatrices<int16_t, int64_t>(
      run, use.data<int16_t>(0), use.data<int16_t>(1), [=](int64_t sum) {
        return int16_t(boundsOf<int16_t>()(scale(sum, factor)));
      });
}

//===----------------------------------------------------------------------===//
// MATRIX_DIAG, MATRIX_SET_DIAG
//===----------------------------------------------------------------------===//

Result<Types> checkDiag(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 7));
  Extents extents = use.input(0).dimensions;
  extents.push_back(extents.back());
  return onlyResult(use, std::move(extents));
}

/// Copies the diagonals of tensor \p source over those of the result.
Status setDiagonals(const Use &use, size_t source, std::byte *to,
                    const Extents &result) {
  const Extents &extents = use.input(source).dimensions;
  Extents strides = stridesOf(result);
  strides.pop_back();
  strides.back() = result.back() + 1;
  copyStrided({to, strides}, {use.bytes(source).data(), stridesOf(extents)},
              extents, sizeOf(use.element(source)));
  return Status::ok();
}

Status runDiag(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  std::fill(to.begin(), to.end(), std::byte(0));
  return setDiagonals(run.use, 0, to.data(), run.types[0].dimensions);
}

Result<Types> checkSetDiag(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkElement(1, elementSet(use.element(0))));
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 2, 8));
  NNHAL_RETURN_IF_ERROR(use.checkRank(1, use.rank(0) - 1, use.rank(0) - 1));
  int64_t last = use.rank(0) - 1;
  for (int64_t axis = 0; axis + 1 < last; ++axis)
    NNHAL_RETURN_IF_ERROR(use.checkExtent(1, axis, use.extent(0, axis)));
  int64_t rows = use.extent(0, last - 1), columns = use.extent(0, last);
  if (rows != unknownExtent && columns != unknownExtent)
    NNHAL_RETURN_IF_ERROR(
        use.checkExtent(1, last - 1, std::min(rows, columns)));
  return onlyResult(use, use.input(0).dimensions);
}

Status runSetDiag(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> to, run.allocateBytes(0));
  if (!to.empty())
    std::memcpy(to.data(), run.use.bytes(0).data(), to.size());
  return setDiagonals(run.use, 1, to.data(), run.types[0].dimensions);
}

constexpr OptionRow matMulOptions[] = {{"adj_x", OptionKind::truth},
                                       {"adj_y", OptionKind::truth}};

constexpr OperatorRow rows[] = {
    {113, "MATRIX_DIAG", "diagonal ", 0, anyElement, {}, 1, checkDiag, runDiag},
    {115,
     "MATRIX_SET_DIAG",
     "input diagonal ",
     0,
     anyElement,
     {},
     1,
     checkSetDiag,
     runSetDiag},
    {126, "BATCH_MATMUL", "x y ", 0, multiplied, matMulOptions, 1, checkMatMul,
     runMatMul},
};

} // namespace

Rows tflite::matrixRows() { return rows; }
