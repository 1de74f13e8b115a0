//===- RaiseContraction.cpp - Convolutions and products -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

using namespace nnhal;
using rt::OperationType;

namespace {
/// What the convolutions share, read from either signature form.
struct Convolution {
  mlir::Value input, filter, bias;
  bool isNchw = false;
  llvm::SmallVector<int64_t> strides, dilations{1, 1}, pads;
  /// What stands between strides and activation: multiplier or groups.
  int64_t factor = 0;
  FusedActivation activation = FusedActivation::none;
};

/// Where a form has its inputs; -1 where it has none.
struct Form {
  bool isExplicit;
  unsigned strides;
  int factor;
  unsigned activation;
  unsigned layout;
  int dilations;
};
} // namespace

/// Pads [top, bottom, left, right] of the form: four inputs from \p first on,
/// left, right, top, bottom; or a padding scheme there.
static llvm::SmallVector<int64_t> readPads(Raising &raising, const Form &form,
                                           unsigned first,
                                           llvm::ArrayRef<int64_t> input,
                                           llvm::ArrayRef<int64_t> filter,
                                           const Convolution &convolution) {
  if (form.isExplicit)
    return {raising.integer(first + 2), raising.integer(first + 3),
            raising.integer(first), raising.integer(first + 1)};
  int64_t scheme = raising.integer(first);
  auto [top, bottom] =
      implicitPads(raising, scheme, input[1], filter[1], convolution.strides[0],
                   convolution.dilations[0]);
  auto [left, right] =
      implicitPads(raising, scheme, input[2], filter[2], convolution.strides[1],
                   convolution.dilations[1]);
  return {top, bottom, left, right};
}

/// Inputs of \p form except the pads. Width precedes height (M-075).
static Convolution readConvolution(Raising &raising, const Form &form) {
  Convolution result;
  result.isNchw = raising.isNchw(form.layout);
  result.input = raising.channelsLast(0, result.isNchw);
  result.filter = raising.tensor(1);
  result.bias = raising.tensor(2);
  result.strides = {raising.integer(form.strides + 1),
                    raising.integer(form.strides)};
  if (form.factor >= 0)
    result.factor = raising.integer(form.factor);
  result.activation = raising.activation(form.activation);
  if (form.dilations >= 0 && raising.isGiven(form.dilations))
    result.dilations = {raising.integer(form.dilations + 1),
                        raising.integer(form.dilations)};
  for (mlir::Value value : {result.input, result.filter})
    if (value && Raising::shapeOf(value).size() != 4)
      raising.fail("rank {} of input or filter is not 4",
                   Raising::shapeOf(value).size());
  return result;
}

static Convolution readPadded(Raising &raising, const Form &form) {
  Convolution result = readConvolution(raising, form);
  if (!raising.hasFailed())
    result.pads = readPads(raising, form, 3, Raising::shapeOf(result.input),
                           Raising::shapeOf(result.filter), result);
  return result;
}

/// M-070 to M-072: 7, 8 or 10 inputs with a padding scheme; 10, 11 or 13 with
/// pads. With 10 inputs the type of input 7 tells.
static void raiseConv2D(Raising &raising) {
  unsigned count = raising.size();
  bool isExplicit = count > 10 || (count == 10 && !raising.isFlag(7));
  Form form =
      isExplicit ? Form{true, 7, -1, 9, 10, 11} : Form{false, 4, -1, 6, 7, 8};
  Convolution c = readPadded(raising, form);
  raising.replaceSpatial<Conv2DOp>(c.isNchw, c.input, c.filter, c.bias,
                                   c.strides, c.dilations, c.pads,
                                   c.activation);
}

/// M-078 to M-080: 8, 9 or 11 inputs with a padding scheme; 11, 12 or 14 with
/// pads. With 11 inputs the type of input 8 tells.
static void raiseDepthwiseConv2D(Raising &raising) {
  unsigned count = raising.size();
  bool isExplicit = count > 11 || (count == 11 && !raising.isFlag(8));
  Form form =
      isExplicit ? Form{true, 7, 9, 10, 11, 12} : Form{false, 4, 6, 7, 8, 9};
  Convolution c = readPadded(raising, form);
  raising.replaceSpatial<DepthwiseConv2DOp>(c.isNchw, c.input, c.filter, c.bias,
                                            c.strides, c.dilations, c.pads,
                                            c.factor, c.activation);
}

/// M-083: 9 inputs with a padding scheme, 12 with pads.
static void raiseGroupedConv2D(Raising &raising) {
  Form form = raising.size() == 12 ? Form{true, 7, 9, 10, 11, -1}
                                   : Form{false, 4, 6, 7, 8, -1};
  Convolution c = readPadded(raising, form);
  raising.replaceSpatial<GroupedConv2DOp>(c.isNchw, c.input, c.filter, c.bias,
                                          c.strides, c.pads, c.factor,
                                          c.activation);
}

/// Pads of one dimension such that \p input elements give \p output (M-086):
/// the head as in the forward convolution from output to input, the tail, which
/// may be negative, so that the extent comes out.
static std::pair<int64_t, int64_t>
transposedPads(Raising &raising, int64_t scheme, int64_t input, int64_t filter,
               int64_t stride, int64_t output) {
  if (mlir::ShapedType::isDynamic(input) ||
      mlir::ShapedType::isDynamic(filter)) {
    raising.fail("a padding scheme needs known heights and widths");
    return {0, 0};
  }
  int64_t head = implicitPads(raising, scheme, output, filter, stride, 1).first;
  return {head, (input - 1) * stride + filter - head - output};
}

/// M-085: 9 inputs with output shape and padding scheme, 11 with pads.
static void raiseTransposeConv2D(Raising &raising) {
  bool isExplicit = raising.size() == 11;
  Form form =
      isExplicit ? Form{true, 7, -1, 9, 10, -1} : Form{false, 5, -1, 7, 8, -1};
  Convolution c = readConvolution(raising, form);
  if (isExplicit && !raising.hasFailed()) {
    c.pads = readPads(raising, form, 3, {}, {}, c);
  } else if (!raising.hasFailed()) {
    llvm::SmallVector<int64_t> shape = raising.integers(3);
    int64_t scheme = raising.integer(4);
    if (shape.size() != 4)
      return raising.fail("the output shape has {} elements, 4 are needed",
                          shape.size());
    unsigned height = c.isNchw ? 2 : 1;
    llvm::ArrayRef<int64_t> input = Raising::shapeOf(c.input);
    llvm::ArrayRef<int64_t> filter = Raising::shapeOf(c.filter);
    auto [top, bottom] = transposedPads(raising, scheme, input[1], filter[1],
                                        c.strides[0], shape[height]);
    auto [left, right] = transposedPads(raising, scheme, input[2], filter[2],
                                        c.strides[1], shape[height + 1]);
    c.pads = {top, bottom, left, right};
  }
  raising.replaceSpatial<TransposeConv2DOp>(c.isNchw, c.input, c.filter, c.bias,
                                            c.strides, c.pads, c.activation);
}

static void raiseFullyConnected(Raising &raising) {
  mlir::Value input = raising.tensor(0), weights = raising.tensor(1),
              bias = raising.tensor(2);
  FusedActivation activation = raising.activation(3);
  raising.replace<FullyConnectedOp>(input, weights, bias, activation);
}

void nnhal::addContractionRows(RaiseTable &table) {
  table.insert({
      {OperationType::CONV_2D, raiseConv2D},
      {OperationType::DEPTHWISE_CONV_2D, raiseDepthwiseConv2D},
      {OperationType::GROUPED_CONV_2D, raiseGroupedConv2D},
      {OperationType::TRANSPOSE_CONV_2D, raiseTransposeConv2D},
      {OperationType::FULLY_CONNECTED, raiseFullyConnected},
  });
}
