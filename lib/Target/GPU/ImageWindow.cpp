//===- ImageWindow.cpp - Windows that move over images --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImageWindow.h"

using namespace mlir;
using namespace nnhal::nngpu;

ImageWindow::Origin ImageWindow::originOf(Value pixel,
                                          ArrayRef<int64_t> shape) const {
  auto [strides, dilations, pads] = geometry;
  SmallVector<Value> at = kernel.delinearize(pixel, shape.drop_back());
  return {at[0], math.add(math.multiply(at[1], strides[0]), -pads[0]),
          math.add(math.multiply(at[2], strides[1]), -pads[2])};
}

ImageWindow::Place ImageWindow::placeAt(const Origin &origin, Value row,
                                        Value column) const {
  auto [strides, dilations, pads] = geometry;
  Value y = math.add(origin.top, math.multiply(row, dilations[0]));
  Value x = math.add(origin.left, math.multiply(column, dilations[1]));
  Place place;
  // A number before the first one is a large unsigned one.
  if (pads[0] != 0 || pads[1] != 0) {
    place.isInside = math.isBelow(y, image.shape()[1]);
    y = math.limit(y, image.shape()[1]);
  }
  if (pads[2] != 0 || pads[3] != 0) {
    place.isInside =
        math.both(place.isInside, math.isBelow(x, image.shape()[2]));
    x = math.limit(x, image.shape()[2]);
  }
  place.number = image.number({origin.batch, y, x, math.constant(0)});
  return place;
}
