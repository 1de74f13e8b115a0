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

template <typename Number>
static DenseElementsAttr countsOf(const PoolAxis &axis, Type element) {
  SmallVector<Number> counts;
  for (int64_t index = 0; index < axis.output; ++index)
    counts.push_back(Number(axis.inside(index)));
  return DenseElementsAttr::get(RankedTensorType::get({axis.output}, element),
                                ArrayRef<Number>(counts));
}

DenseElementsAttr nnhal::countPlaces(const PoolAxis &axis, Type element) {
  if (element.isF32())
    return countsOf<float>(axis, element);
  if (element.isInteger(32))
    return countsOf<int32_t>(axis, element);
  return countsOf<int64_t>(axis, element);
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
