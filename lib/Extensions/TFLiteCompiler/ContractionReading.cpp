//===- ContractionReading.cpp - Operands of contractions ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionReading.h"

#include "ElementUse.h"
#include "Raising.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

/// The operands behind the tensors of every operator with windows.
enum WindowOption : unsigned { padding = 3, strideWidth, strideHeight };

int64_t tflite::windowsOver(bool isPadded, int64_t extent, int64_t reach,
                            int64_t stride) {
  return isPadded ? (extent + stride - 1) / stride
                  : (extent - reach + stride) / stride;
}

int64_t tflite::missingBefore(int64_t extent, int64_t count, int64_t reach,
                              int64_t stride) {
  return std::max<int64_t>((count - 1) * stride + reach - extent, 0) / 2;
}

/// Appends the windows of dimension \p axis of image and filter to \p windows.
/// Fails where they are not those of the result.
static bool readAxis(OperationOp op, unsigned axis, unsigned strideOption,
                     unsigned dilationOption, Windows &windows) {
  auto integer = [&](unsigned option) {
    return constantInteger(op.getInputs()[option]);
  };
  std::optional<int64_t> stride = integer(strideOption),
                         dilation = integer(dilationOption),
                         mode = integer(padding);
  int64_t extent = shapeOf(op.getInputs()[0])[axis];
  int64_t size = shapeOf(op.getInputs()[1])[axis];
  constexpr int64_t most = 65535;
  if (!stride || !dilation || !mode || *stride < 1 || *stride > most ||
      *dilation < 1 || *dilation > most || size < 1 || extent < 1 ||
      (*mode != 0 && *mode != 1))
    return false;
  int64_t reach = (size - 1) * *dilation + 1;
  int64_t places = windowsOver(*mode == 0, extent, reach, *stride);
  if (places < 1 || places != shapeOf(op->getResult(0))[axis])
    return false;
  int64_t low = missingBefore(extent, places, reach, *stride);
  windows.strides.push_back(*stride);
  windows.dilations.push_back(*dilation);
  windows.low.push_back(low);
  windows.padded[axis] +=
      low + missingBehind(extent, places, size, *stride, *dilation, low);
  return true;
}

std::optional<Windows> tflite::readWindows(OperationOp op,
                                           unsigned firstDilation) {
  ArrayRef<int64_t> image = shapeOf(op.getInputs()[0]);
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  if (image.size() != 4 || result.size() != 4 ||
      shapeOf(op.getInputs()[1]).size() != 4 || image[0] != result[0])
    return std::nullopt;
  Windows windows;
  windows.padded.assign(image.begin(), image.end());
  bool areRead = readAxis(op, 1, strideHeight, firstDilation + 1, windows) &&
                 readAxis(op, 2, strideWidth, firstDilation, windows);
  return areRead ? std::optional(std::move(windows)) : std::nullopt;
}

/// The operands behind the tensors of FULLY_CONNECTED.
enum ProductOption : unsigned { fusedActivation = 3, format, keepsDimensions };

std::optional<ConnectedRows> tflite::readConnectedRows(OperationOp op) {
  ValueRange inputs = op.getInputs();
  ArrayRef<int64_t> from = shapeOf(inputs[0]), matrix = shapeOf(inputs[1]);
  std::optional<int64_t> count = elementsOf(from);
  std::optional<int64_t> activation = constantInteger(inputs[fusedActivation]);
  std::optional<bool> isKept = constantTruth(inputs[keepsDimensions]);
  if (matrix.size() != 2 || from.empty() || !count || matrix[1] < 1 ||
      *count % matrix[1] != 0 || constantInteger(inputs[format]) != 0 ||
      !activation || !isActivation(*activation) || !isKept ||
      (*isKept && from.back() != matrix[1]))
    return std::nullopt;
  ConnectedRows product = {*count / matrix[1], matrix[1], matrix[0],
                           uint32_t(*activation)};
  SmallVector<int64_t> expected = {product.rows};
  if (*isKept)
    expected.assign(from.begin(), from.end() - 1);
  expected.push_back(product.units);
  return shapeOf(op->getResult(0)) == ArrayRef(expected)
             ? std::optional(product)
             : std::nullopt;
}

FilterScales::FilterScales(Type filter, int32_t axis) {
  auto type = cast<RankedTensorType>(filter);
  auto add = [&](double scale, int64_t zeroPoint) {
    scales.push_back(zeroPoint == 0 ? std::optional(float(scale))
                                    : std::nullopt);
  };
  if (auto perAxis =
          dyn_cast<quant::UniformQuantizedPerAxisType>(type.getElementType())) {
    if (perAxis.getQuantizedDimension() == axis)
      for (auto [scale, zeroPoint] :
           llvm::zip_equal(perAxis.getScales(), perAxis.getZeroPoints()))
        add(scale, zeroPoint);
    return;
  }
  isOne = true;
  if (auto uniform =
          dyn_cast<quant::UniformQuantizedType>(type.getElementType()))
    add(uniform.getScale(), uniform.getZeroPoint());
}

std::optional<float> FilterScales::of(size_t channel) const {
  size_t place = isOne ? 0 : channel;
  return place < scales.size() ? scales[place] : std::nullopt;
}

std::optional<SmallVector<int64_t>> tflite::readBiases(Value bias,
                                                       int64_t channels) {
  SmallVector<int64_t> numbers(size_t(channels), 0);
  if (!bias.getDefiningOp<NoValueOp>())
    numbers = constantIntegers(bias);
  return int64_t(numbers.size()) == channels ? std::optional(std::move(numbers))
                                             : std::nullopt;
}
