//===- Matrix.cpp - Products and diagonals of matrices --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// BATCH_MATMUL of floats and 16-bit numbers, and operators on diagonals.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"
#include "FixedPoint.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet multiplied = elementSet(Element::float32, Element::int16);

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
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, element));
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

NNHAL_TARGET_CLONES void addProducts(int64_t *sums, int64_t factor,
                                     const int32_t *row, int64_t count) {
  auto narrow = int32_t(factor);
  for (int64_t index = 0; index < count; ++index)
    sums[index] += narrow * row[index];
}

/// Returns a matrix as rows of 32-bit numbers, which products of two 16-bit
/// numbers fit.
std::vector<int32_t> rowsOf(const int16_t *from, MatrixShape shape,
                            bool isTransposed) {
  std::vector<int32_t> rows(size_t(shape.rows * shape.columns));
  for (int64_t row = 0; row < shape.rows; ++row)
    for (int64_t column = 0; column < shape.columns; ++column)
      rows[size_t(row * shape.columns + column)] =
          from[isTransposed ? column * shape.rows + row
                            : row * shape.columns + column];
  return rows;
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

Status runFloatMatMul(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  std::fill_n(to, elementCount(run.types[0]), 0.0f);
  bool adjA = use.truth("adj_x"), adjB = use.truth("adj_y");
  MatrixShape a(use, 0, adjA), b(use, 1, adjB);
  int64_t aRow = adjA ? 1 : a.columns, aColumn = adjA ? a.rows : 1;
  int64_t bRow = adjB ? 1 : b.columns, bColumn = adjB ? b.rows : 1;
  forEachProduct(run, [&](int64_t index, int64_t aIndex, int64_t bIndex) {
    const float *left = use.data<float>(0) + aIndex * a.rows * a.columns;
    const float *right = use.data<float>(1) + bIndex * b.rows * b.columns;
    float *place = to + index * a.rows * b.columns;
    for (int64_t row = 0; row < a.rows; ++row, place += b.columns)
      for (int64_t k = 0; k < a.columns; ++k)
        for (int64_t column = 0; column < b.columns; ++column)
          place[column] += left[row * aRow + k * aColumn] *
                           right[k * bRow + column * bColumn];
  });
  return Status::ok();
}

Status runMatMul(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return runFloatMatMul(run);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  bool adjA = use.truth("adj_x"), adjB = use.truth("adj_y");
  MatrixShape a(use, 0, adjA), b(use, 1, adjB);
  WideFactor factor(factorOf(double(use.input(0).scale * use.input(1).scale) /
                             double(use.output(0).scale)));
  if (elementCount(run.types[0]) == 0)
    return Status::ok();
  std::vector<int64_t> sums(static_cast<size_t>(b.columns));
  forEachProduct(run, [&](int64_t index, int64_t aIndex, int64_t bIndex) {
    std::vector<int32_t> left =
        rowsOf(use.data<int16_t>(0) + aIndex * a.rows * a.columns, a, adjA);
    std::vector<int32_t> right =
        rowsOf(use.data<int16_t>(1) + bIndex * b.rows * b.columns, b, adjB);
    int16_t *place = to + index * a.rows * b.columns;
    for (int64_t row = 0; row < a.rows; ++row, place += b.columns) {
      std::fill(sums.begin(), sums.end(), 0);
      for (int64_t k = 0; k < a.columns; ++k)
        addProducts(sums.data(), left[size_t(row * a.columns + k)],
                    right.data() + k * b.columns, b.columns);
      for (int64_t column = 0; column < b.columns; ++column)
        place[column] =
            int16_t(boundsOf<int16_t>()(scale(sums[size_t(column)], factor)));
    }
  });
  return Status::ok();
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
