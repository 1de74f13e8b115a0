//===- DepthwiseRaising.cpp - DEPTHWISE_CONV_2D of 16 bits ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Biases and factors are constants of the raised operation, where those of all
// channels let sums be rounded in 32 bits.
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "ElementUse.h"
#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The operands behind the tensors.
enum DepthwiseOption : unsigned {
  padding = 3,
  strideWidth,
  strideHeight,
  depthMultiplier,
  fusedActivation,
  dilationWidth,
  dilationHeight
};

/// Reads one operation.
class Depthwise {
public:
  explicit Depthwise(OperationOp op)
      : op(op), image(op.getInputs()[0]), filter(op.getInputs()[1]),
        result(op->getResult(0)), padded(shapeOf(image)) {}

  /// Whether windows are those of the image, and each channel has one filter.
  bool readWindows();
  /// Says why windows that readWindows() has read are left to the runtime.
  StringRef whyWindowsAreCalled() {
    return whyPaddingIsCalled(shapeOf(image), padded);
  }
  /// Whether sums of all channels are rounded in 32 bits.
  bool readChannels();
  Value build(OpBuilder &builder);

private:
  std::optional<int64_t> integer(DepthwiseOption option) {
    return constantInteger(op.getInputs()[option]);
  }
  bool readAxis(unsigned axis, DepthwiseOption stride,
                DepthwiseOption dilation);
  /// The scale of the filter's \p channel; none where there is no such one.
  std::optional<double> scaleOfChannel(size_t channel);

  OperationOp op;
  Value image, filter, result;
  SmallVector<int64_t> strides, dilations, low, padded;
  SmallVector<int32_t> biases, multipliers, shifts;
};

bool Depthwise::readAxis(unsigned axis, DepthwiseOption strideOption,
                         DepthwiseOption dilationOption) {
  std::optional<int64_t> stride = integer(strideOption),
                         dilation = integer(dilationOption),
                         mode = integer(padding);
  int64_t size = shapeOf(filter)[axis], extent = shapeOf(image)[axis];
  constexpr int64_t most = 65535;
  if (!stride || !dilation || !mode || *stride < 1 || *stride > most ||
      *dilation < 1 || *dilation > most || size < 1 || extent < 1 ||
      (*mode != 0 && *mode != 1))
    return false;
  int64_t reach = (size - 1) * *dilation + 1;
  int64_t places = *mode == 0 ? (extent + *stride - 1) / *stride
                              : (extent - reach + *stride) / *stride;
  if (places < 1 || places != shapeOf(result)[axis])
    return false;
  int64_t missing = (places - 1) * *stride + reach - extent;
  strides.push_back(*stride);
  dilations.push_back(*dilation);
  low.push_back(std::max<int64_t>(missing, 0) / 2);
  padded[axis] += low.back() + missingBehind(extent, places, size, *stride,
                                             *dilation, low.back());
  return true;
}

bool Depthwise::readWindows() {
  ArrayRef<int64_t> from = shapeOf(image), to = shapeOf(result),
                    weights = shapeOf(filter);
  std::optional<int64_t> code = integer(fusedActivation);
  return from.size() == 4 && to.size() == 4 && weights.size() == 4 &&
         from[0] == to[0] && from[3] == to[3] && weights[0] == 1 &&
         weights[3] == to[3] && code && isActivation(*code) &&
         readAxis(1, strideHeight, dilationHeight) &&
         readAxis(2, strideWidth, dilationWidth);
}

std::optional<double> Depthwise::scaleOfChannel(size_t channel) {
  Type element = getElementTypeOrSelf(filter.getType());
  if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(element))
    return perAxis.getQuantizedDimension() == 3 &&
                   channel < perAxis.getScales().size() &&
                   perAxis.getZeroPoints()[channel] == 0
               ? std::optional<double>(float(perAxis.getScales()[channel]))
               : std::nullopt;
  auto uniform = dyn_cast<quant::UniformQuantizedType>(element);
  return uniform && uniform.getZeroPoint() == 0
             ? std::optional<double>(float(uniform.getScale()))
             : std::nullopt;
}

bool Depthwise::readChannels() {
  auto channels = size_t(shapeOf(result)[3]);
  Value bias = op.getInputs()[2];
  SmallVector<int64_t> numbers(channels, 0);
  if (!bias.getDefiningOp<NoValueOp>()) {
    // Sums with a bias of INT32 are rounded twice.
    if (classOf(bias.getType()) != ElementClass::int64)
      return false;
    numbers = constantIntegers(bias);
  }
  if (numbers.size() != channels)
    return false;
  double input = scaleOf(image.getType()), output = scaleOf(result.getType());
  for (auto [channel, number] : llvm::enumerate(numbers)) {
    std::optional<double> scale = scaleOfChannel(channel);
    if (!scale)
      return false;
    WideFactor factor(factorOf(input * *scale / output));
    if (number < -mostDepthwiseBias || number > mostDepthwiseBias ||
        factor.shift < 17 || factor.shift > 46)
      return false;
    biases.push_back(int32_t(number));
    multipliers.push_back(int32_t(factor.multiplier));
    shifts.push_back(int32_t(factor.shift - 16));
  }
  return true;
}

Value Depthwise::build(OpBuilder &builder) {
  return tflite::DepthwiseOp::create(
      builder, op.getLoc(), result.getType(), image, filter, strides, dilations,
      low, biases, multipliers, shifts, uint32_t(*integer(fusedActivation)));
}

} // namespace

FailureOr<Value> tflite::raiseDepthwise(OperationOp op, OpBuilder &builder,
                                        StringRef &why) {
  why = whyDepthwiseIsCalled(op.getInputs()[0].getType(),
                             op.getInputs()[1].getType(),
                             op->getResult(0).getType());
  if (!why.empty())
    return failure();
  Depthwise depthwise(op);
  if (!depthwise.readWindows()) {
    why = misfit;
    return failure();
  }
  why = depthwise.whyWindowsAreCalled();
  if (!why.empty())
    return failure();
  if (!depthwise.readChannels()) {
    why = "its sums are not rounded in 32 bits";
    return failure();
  }
  return depthwise.build(builder);
}
