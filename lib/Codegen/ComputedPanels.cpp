//===- ComputedPanels.cpp - Filters that models compute -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedPanels.h"

#include "nnhal/Dialect/Kernel/Packing.h"

using namespace mlir;
using namespace nnhal;

/// \p value with zeros after its first dimension's elements, up to \p extent of
/// them.
static Tensor padFirst(TensorBuilder &build, const Tensor &value,
                       int64_t extent) {
  SmallVector<Scalar> extents = value.extents();
  if (extents[0].known() == extent)
    return value;
  extents[0] = build.index(extent);
  Type element = value.getValueType().getElementType();
  Tensor zeros = build.define(element, extents, [&](Indices) {
    return Scalar::constant(build.getBuilder(), element, 0);
  });
  return build.insert(value, zeros,
                      SmallVector<Scalar>(extents.size(), build.index(0)));
}

Value nnhal::packComputedPanels(TensorBuilder &build, const Tensor &filter,
                                ArrayRef<int64_t> ohwi, int64_t width,
                                int64_t group) {
  int64_t panels = kernel::panelCount(ohwi[0], width);
  Tensor padded = padFirst(build, build.reshape(filter, build.indices(ohwi)),
                           panels * width);
  SmallVector<int64_t> split = {panels, width, ohwi[1], ohwi[2],
                                ohwi[3] / group};
  SmallVector<int64_t> order = {0, 2, 3, 4, 1};
  if (group == 1)
    return build.transpose(build.reshape(padded, build.indices(split)), order)
        .get();
  split.push_back(group);
  order.push_back(5);
  Tensor packed =
      build.transpose(build.reshape(padded, build.indices(split)), order);
  return build
      .reshape(packed, build.indices({panels, ohwi[1], ohwi[2], ohwi[3] / group,
                                      width * group}))
      .get();
}

Value nnhal::packComputedBias(TensorBuilder &build, const Tensor &bias,
                              int64_t width) {
  int64_t panels = kernel::panelCount(*bias.extent(0).known(), width);
  return build
      .reshape(padFirst(build, bias, panels * width),
               build.indices({panels, width}))
      .get();
}
