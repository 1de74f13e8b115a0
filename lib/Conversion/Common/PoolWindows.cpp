//===- PoolWindows.cpp - Pools as operations of linalg --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolWindows.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace nnhal;

int64_t PoolAxis::inside(int64_t index) const {
  int64_t start = index * stride - head;
  return std::min(start + window, input) - std::max<int64_t>(start, 0);
}

bool nnhal::hasCountablePlaces(const PoolAxis &rows, const PoolAxis &columns) {
  constexpr int64_t most = 1 << 20;
  return (rows.isWithin() && columns.isWithin()) ||
         (rows.output <= most && columns.output <= most &&
          rows.output * columns.output <= most);
}

template <typename Number>
static DenseElementsAttr countsOf(const PoolAxis &rows, const PoolAxis &columns,
                                  Type element) {
  auto type = RankedTensorType::get({rows.output, columns.output}, element);
  if (rows.isWithin() && columns.isWithin())
    return DenseElementsAttr::get(type, Number(rows.window * columns.window));
  SmallVector<Number> counts;
  for (int64_t row = 0; row < rows.output; ++row)
    for (int64_t column = 0; column < columns.output; ++column)
      counts.push_back(Number(rows.inside(row) * columns.inside(column)));
  return DenseElementsAttr::get(type, ArrayRef<Number>(counts));
}

DenseElementsAttr nnhal::countPlaces(const PoolAxis &rows,
                                     const PoolAxis &columns, Type element) {
  if (element.isF32())
    return countsOf<float>(rows, columns, element);
  if (element.isInteger(32))
    return countsOf<int32_t>(rows, columns, element);
  return countsOf<int64_t>(rows, columns, element);
}

std::array<AffineMap, 3> nnhal::poolMaps(MLIRContext *context,
                                         ArrayRef<int64_t> strides) {
  AffineExpr n, y, x, c, row, column;
  bindDims(context, n, y, x, c, row, column);
  auto map = [&](ArrayRef<AffineExpr> results) {
    return AffineMap::get(6, 0, results, context);
  };
  return {map({n, y * strides[0] + row, x * strides[1] + column, c}),
          map({row, column}), map({n, y, x, c})};
}
