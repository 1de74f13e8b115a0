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

#include "ContractionReading.h"
#include "ElementUse.h"
#include "Raising.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The operands behind those of windows.
enum DepthwiseOption : unsigned { fusedActivation = 7, firstDilation };

/// Bias, multiplier and shift of each channel of one operation.
struct Channels {
  SmallVector<int32_t> biases, multipliers, shifts;
};

/// None where sums of a channel are not rounded in 32 bits.
std::optional<Channels> readChannels(OperationOp op) {
  Value image = op.getInputs()[0], bias = op.getInputs()[2];
  Value result = op->getResult(0);
  // Sums with a bias of INT32 are rounded twice.
  if (!bias.getDefiningOp<NoValueOp>() &&
      classOf(bias.getType()) != ElementClass::int64)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> biases =
      readBiases(bias, shapeOf(result)[3]);
  if (!biases)
    return std::nullopt;
  FilterScales scales(op.getInputs()[1].getType(), /*axis=*/3);
  double input = scaleOf(image.getType()), output = scaleOf(result.getType());
  Channels channels;
  for (auto [channel, number] : llvm::enumerate(*biases)) {
    std::optional<float> scale = scales.of(channel);
    if (!scale)
      return std::nullopt;
    WideFactor factor(factorOf(input * double(*scale) / output));
    if (number < -mostDepthwiseBias || number > mostDepthwiseBias ||
        !isRoundedIn32(factor.shift))
      return std::nullopt;
    channels.biases.push_back(int32_t(number));
    channels.multipliers.push_back(int32_t(factor.multiplier));
    channels.shifts.push_back(int32_t(factor.shift - 16));
  }
  return channels;
}

} // namespace

FailureOr<Value> tflite::raiseDepthwise(OperationOp op, OpBuilder &builder,
                                        StringRef &why) {
  Value image = op.getInputs()[0], filter = op.getInputs()[1];
  Value result = op->getResult(0);
  why =
      whyDepthwiseIsCalled(image.getType(), filter.getType(), result.getType());
  if (!why.empty())
    return failure();
  std::optional<Windows> windows = readWindows(op, firstDilation);
  std::optional<int64_t> activation =
      constantInteger(op.getInputs()[fusedActivation]);
  if (!windows || shapeOf(image)[3] != shapeOf(result)[3] ||
      shapeOf(filter)[0] != 1 || shapeOf(filter)[3] != shapeOf(result)[3] ||
      !activation || !isActivation(*activation)) {
    why = misfit;
    return failure();
  }
  why = whyPaddingIsCalled(shapeOf(image), windows->padded);
  if (!why.empty())
    return failure();
  std::optional<Channels> channels = readChannels(op);
  if (!channels) {
    why = "its sums are not rounded in 32 bits";
    return failure();
  }
  return Value(tflite::DepthwiseOp::create(
      builder, op.getLoc(), result.getType(), image, filter, windows->strides,
      windows->dilations, windows->low, channels->biases, channels->multipliers,
      channels->shifts, uint32_t(*activation)));
}
