//===- RaiseWindow.cpp - Pooling and resizing -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include <cmath>

using namespace nnhal;
using rt::OperationType;

/// M-089: 7 or 8 inputs with a padding scheme, 10 or 11 with pads.
template <typename OpTy> static void raisePool(Raising &raising) {
  bool isExplicit = raising.size() >= 10;
  unsigned strides = isExplicit ? 5 : 2;
  bool isNchw = raising.isNchw(strides + 5);
  mlir::Value input = raising.channelsLast(0, isNchw);
  // Width precedes height.
  int64_t stride[] = {raising.integer(strides + 1), raising.integer(strides)};
  int64_t window[] = {raising.integer(strides + 3),
                      raising.integer(strides + 2)};
  FusedActivation activation = raising.activation(strides + 4);
  llvm::SmallVector<int64_t> pads;
  if (isExplicit) {
    pads = {raising.integer(3), raising.integer(4), raising.integer(1),
            raising.integer(2)};
  } else {
    llvm::ArrayRef<int64_t> shape = Raising::shapeOf(input);
    if (input && shape.size() != 4)
      raising.fail("input 0 has rank {}, a window needs 4", shape.size());
    if (raising.hasFailed())
      return;
    int64_t scheme = raising.integer(1);
    auto [top, bottom] =
        implicitPads(raising, scheme, shape[1], window[0], stride[0], 1);
    auto [left, right] =
        implicitPads(raising, scheme, shape[2], window[1], stride[1], 1);
    pads = {top, bottom, left, right};
  }
  raising.replaceSpatial<OpTy>(isNchw, input, llvm::ArrayRef(window),
                               llvm::ArrayRef(stride), pads, activation);
}

/// The extent that size or scale input \p index gives (M-199).
static int64_t resizedExtent(Raising &raising, unsigned index, int64_t extent) {
  if (!raising.isReal(index))
    return raising.integer(index);
  float scale = raising.real(index);
  if (mlir::ShapedType::isDynamic(extent))
    raising.fail("resizing by a scale needs known heights and widths");
  double resized = std::floor(double(float(extent) * scale));
  if (!(resized >= 0 && resized <= INT32_MAX)) {
    raising.fail("scale {} gives an extent of {}", scale, resized);
    return 0;
  }
  return int64_t(resized);
}

/// M-196: width, then height; layout and the two flags may be left out.
template <typename OpTy> static void raiseResize(Raising &raising) {
  bool isNchw = raising.isNchw(3);
  mlir::Value input = raising.channelsLast(0, isNchw);
  llvm::ArrayRef<int64_t> shape = Raising::shapeOf(input);
  if (input && shape.size() != 4)
    raising.fail("input 0 has rank {}, resizing needs 4", shape.size());
  if (raising.hasFailed())
    return;
  int64_t width = resizedExtent(raising, 1, shape[2]);
  int64_t height = resizedExtent(raising, 2, shape[1]);
  bool alignCorners = raising.isGiven(4) && raising.flag(4);
  bool halfPixelCenters = raising.isGiven(5) && raising.flag(5);
  if (raising.hasFailed())
    return;
  raising.replaceResized<OpTy>(isNchw, {shape[0], height, width, shape[3]},
                               input, alignCorners, halfPixelCenters);
}

void nnhal::addWindowRows(RaiseTable &table) {
  table.insert({
      {OperationType::AVERAGE_POOL_2D, raisePool<AveragePool2DOp>},
      {OperationType::L2_POOL_2D, raisePool<L2Pool2DOp>},
      {OperationType::MAX_POOL_2D, raisePool<MaxPool2DOp>},
      {OperationType::RESIZE_BILINEAR, raiseResize<ResizeBilinearOp>},
      {OperationType::RESIZE_NEAREST_NEIGHBOR,
       raiseResize<ResizeNearestNeighborOp>},
  });
}
