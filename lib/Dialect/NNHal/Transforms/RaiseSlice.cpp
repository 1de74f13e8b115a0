//===- RaiseSlice.cpp - Slices --------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include <algorithm>

using namespace nnhal;
using llvm::SmallVector;
using mlir::Value;
using rt::OperationType;

static void raiseSlice(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> begin = raising.integers(1);
  SmallVector<int64_t> size = raising.integers(2);
  raising.replace<SliceOp>(input, begin, size);
}

/// The position that \p index of a dimension of \p extent means (M-114):
/// negative counts from the end; limited to the positions of the direction.
static int64_t positionOf(int64_t index, int64_t extent, bool isForward) {
  if (index < 0)
    index += extent;
  return isForward ? std::clamp<int64_t>(index, 0, extent)
                   : std::clamp<int64_t>(index, -1, extent - 1);
}

/// M-113, M-114: x, begin, end, strides, begin mask, end mask, shrink mask.
static void raiseStridedSlice(Raising &raising) {
  Value input = raising.tensor(0);
  SmallVector<int64_t> begin = raising.integers(1), end = raising.integers(2),
                       strides = raising.integers(3);
  int64_t beginMask = raising.integer(4), endMask = raising.integer(5),
          shrinkMask = raising.integer(6);
  if (raising.hasFailed())
    return;
  llvm::ArrayRef<int64_t> shape = Raising::shapeOf(input);
  for (size_t size : {begin.size(), end.size(), strides.size()})
    if (size != shape.size())
      return raising.fail("begin, end and strides must have {} elements, "
                          "found {}",
                          shape.size(), size);
  SmallVector<int64_t> shrinkAxes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (mlir::ShapedType::isDynamic(shape[i]))
      return raising.fail("a strided slice needs known extents");
    bool isForward = strides[i] > 0;
    begin[i] = beginMask >> i & 1 ? (isForward ? 0 : shape[i] - 1)
                                  : positionOf(begin[i], shape[i], isForward);
    end[i] = endMask >> i & 1 ? (isForward ? shape[i] : -1)
                              : positionOf(end[i], shape[i], isForward);
    if (shrinkMask >> i & 1)
      shrinkAxes.push_back(i);
  }
  raising.replace<StridedSliceOp>(input, begin, end, strides, shrinkAxes);
}

void nnhal::addSliceRows(RaiseTable &table) {
  table.insert({
      {OperationType::SLICE, raiseSlice},
      {OperationType::STRIDED_SLICE, raiseStridedSlice},
  });
}
