//===- ConvolutionRaising.cpp - CONV_2D and FULLY_CONNECTED of 16 bits ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights, which are constants, say how large a sum may become. Those that
// have more than 32 bits are made of several that have not.
//
//===----------------------------------------------------------------------===//

#include "ContractionReading.h"
#include "ElementUse.h"
#include "Raiser.h"
#include "Raising.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/NNHal/IR/Target.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// The operands behind those of windows, and those of FULLY_CONNECTED.
enum ConvolutionOption : unsigned { fusedActivation = 6, firstDilation };
enum ProductOption : unsigned {
  productActivation = 3,
  format,
  keepsDimensions
};

/// Parts of one sum, at most. Each one takes its results through memory.
constexpr int64_t mostParts = 8;

/// Reads one operation.
class Convolution : Raiser {
public:
  Convolution(OperationOp op, OpBuilder &builder)
      : Raiser(op, builder), filter(op.getInputs()[1]), bias(op.getInputs()[2]),
        result(op->getResult(0)) {}

  /// Whether windows, or rows of a product, are those of the image.
  bool readWindows();
  bool readProduct();
  /// Whether code is faster than the call.
  bool isFaster() const;
  /// Says why channels are left to the runtime; the empty text where they are
  /// not.
  StringRef readChannels(bool isProduct);
  Value build();

private:
  bool readActivation(unsigned option);
  bool readFactors(const SmallVector<int64_t> &numbers, bool isProduct);
  bool readParts(ArrayRef<int8_t> weights);
  bool fits(ArrayRef<int8_t> weights, int64_t channel, int64_t count) const;

  Value filter, bias, result;
  Windows windows;
  /// The image as one line of a product.
  std::optional<int64_t> rows;
  SmallVector<int32_t> biases, multipliers, shifts;
  int64_t parts = 1;
  uint32_t activation = 0;
  SumRounding rounding = SumRounding::once_in_32;
};

bool Convolution::readActivation(unsigned option) {
  std::optional<int64_t> code = constantInteger(op.getInputs()[option]);
  activation = uint32_t(code.value_or(0));
  return code && isActivation(*code);
}

bool Convolution::readWindows() {
  std::optional<Windows> found = tflite::readWindows(op, firstDilation);
  if (!found || !readActivation(fusedActivation) ||
      shapeOf(filter)[0] != shapeOf(result)[3])
    return false;
  windows = std::move(*found);
  return true;
}

bool Convolution::readProduct() {
  ArrayRef<int64_t> from = tflite::shapeOf(input);
  ArrayRef<int64_t> weights = tflite::shapeOf(filter);
  std::optional<bool> isKept = constantTruth(op.getInputs()[keepsDimensions]);
  std::optional<int64_t> count = elementsOf(from);
  if (weights.size() != 2 || from.empty() || !isKept || !count ||
      weights[1] < 1 || *count % weights[1] != 0 ||
      constantInteger(op.getInputs()[format]) != 0 ||
      !readActivation(productActivation))
    return false;
  rows = *count / weights[1];
  SmallVector<int64_t> expected = {*rows};
  if (*isKept && from.back() != weights[1])
    return false;
  if (*isKept)
    expected.assign(from.begin(), from.end() - 1);
  expected.push_back(weights[0]);
  windows = {{1, 1}, {1, 1}, {0, 0}, {}};
  return shapeOf(result) == ArrayRef(expected);
}

bool Convolution::isFaster() const {
  // A micro-kernel computes a register of result channels at a time, of which
  // few leave most empty. The call multiplies along the input channels, after
  // it has gathered what lies under a window of several elements.
  int64_t channels = shapeOf(filter)[0];
  int64_t products = *elementsOf(shapeOf(filter)) / channels;
  int64_t places = *elementsOf(shapeOf(result)) / channels;
  bool isOne = products == shapeOf(filter).back();
  int64_t mostChannels = isOne ? 4 : 2, mostProducts = isOne ? 128 : 384;
  // A call takes two microseconds by itself.
  constexpr int64_t leastWork = 32768;
  return channels > mostChannels || products <= mostProducts ||
         places * products < leastWork;
}

bool Convolution::readFactors(const SmallVector<int64_t> &numbers,
                              bool isProduct) {
  FilterScales scales(filter.getType(), /*axis=*/0);
  float from = scaleOf(input.getType()), to = scaleOf(result.getType());
  for (auto [channel, number] : llvm::enumerate(numbers)) {
    std::optional<float> scale = scales.of(channel);
    if (!scale || number < std::numeric_limits<int32_t>::min() ||
        number > std::numeric_limits<int32_t>::max())
      return false;
    // TensorFlow Lite multiplies the only scale of FULLY_CONNECTED in single
    // precision.
    double product = isProduct && scales.isUniform()
                         ? double(from * *scale)
                         : double(from) * double(*scale);
    Factor factor = factorOf(product / double(to));
    WideFactor wide(factor);
    bool isTwice = rounding == SumRounding::twice;
    if (!isTwice && !isRoundedIn32(wide.shift))
      rounding = SumRounding::once_in_64;
    biases.push_back(int32_t(number));
    multipliers.push_back(isTwice ? factor.multiplier
                                  : int32_t(wide.multiplier));
    shifts.push_back(isTwice ? factor.shift : int32_t(wide.shift));
  }
  return true;
}

/// Whether sums of \p channel fit 32 bits, if \p count parts share them.
bool Convolution::fits(ArrayRef<int8_t> weights, int64_t channel,
                       int64_t count) const {
  int64_t depth = shapeOf(filter).back();
  auto own = int64_t(weights.size()) / shapeOf(filter)[0];
  ArrayRef<int8_t> taps = weights.slice(size_t(channel * own), size_t(own));
  for (int64_t index = 0; index < count; ++index) {
    ChannelRange part = partOf(depth, count, index);
    // The largest and the least sum: 16-bit numbers reach -32768 and 32767.
    int64_t most = index == 0 ? biases[size_t(channel)] : 0, least = most;
    for (int64_t tap = part.begin; tap < own; tap += depth)
      for (int8_t weight : taps.slice(size_t(tap), size_t(part.size))) {
        most += int64_t(weight) * (weight > 0 ? 32767 : -32768);
        least += int64_t(weight) * (weight > 0 ? -32768 : 32767);
      }
    if (most > std::numeric_limits<int32_t>::max() ||
        least < std::numeric_limits<int32_t>::min())
      return false;
  }
  return true;
}

bool Convolution::readParts(ArrayRef<int8_t> weights) {
  int64_t depth = shapeOf(filter).back(), channels = shapeOf(filter)[0];
  auto areFitting = [&] {
    return llvm::all_of(llvm::seq<int64_t>(channels), [&](int64_t channel) {
      return fits(weights, channel, parts);
    });
  };
  while (!areFitting()) {
    ++parts;
    if (parts > mostParts || partOf(depth, parts, parts - 1).size < 1)
      return false;
  }
  if (parts > 1)
    rounding = SumRounding::once_in_64;
  return true;
}

StringRef Convolution::readChannels(bool isProduct) {
  if (!bias.getDefiningOp<NoValueOp>() &&
      classOf(bias.getType()) != ElementClass::int64) {
    // Sums with a bias of INT32 wrap.
    if (classOf(bias.getType()) != ElementClass::int32)
      return otherTypes;
    rounding = SumRounding::twice;
  }
  std::vector<uint8_t> bytes;
  Attribute constant = definingConstant(filter);
  if (!constant || !appendBytes(constant, bytes).isOk())
    return "its filter is computed";
  std::optional<SmallVector<int64_t>> numbers =
      readBiases(bias, shapeOf(filter)[0]);
  if (!numbers)
    return misfit;
  if (!readFactors(*numbers, isProduct))
    return "its factors and biases are not those of channels in 32 bits";
  if (rounding != SumRounding::twice &&
      !readParts(
          {reinterpret_cast<const int8_t *>(bytes.data()), bytes.size()}))
    return "its sums have more than 32 bits for each part of them";
  if (rounding == SumRounding::once_in_32)
    for (int32_t &shift : shifts)
      shift -= 16;
  return "";
}

Value Convolution::build() {
  RankedTensorType computed = resultType();
  Value source = input;
  if (rows) {
    source = reshape(input, {1, 1, *rows, shapeOf(filter)[1]});
    computed = typeOf(result, {1, 1, *rows, shapeOf(filter)[0]});
  }
  Value convolved = tflite::ConvolutionOp::create(
      builder, loc, computed, rounding, source, filter, windows.strides,
      windows.dilations, windows.low, biases, multipliers, shifts,
      uint64_t(parts), activation);
  return reshape(convolved, resultShape());
}

} // namespace

FailureOr<Value> tflite::raiseConvolution(OperationOp op, OpBuilder &builder,
                                          StringRef &why) {
  bool isProduct = op.getHalOperation().getCode() == fullyConnectedCode;
  Type image = op.getInputs()[0].getType(),
       filter = op.getInputs()[1].getType();
  why = whyProductsAreCalled(image, filter, op->getResult(0).getType());
  if (!why.empty())
    return failure();
  Convolution convolution(op, builder);
  if (!(isProduct ? convolution.readProduct() : convolution.readWindows())) {
    why = misfit;
    return failure();
  }
  // The filter of a group has the group's channels.
  if (!isProduct &&
      shapeOf(op.getInputs()[0]).back() != shapeOf(op.getInputs()[1]).back())
    why = "its channels are in groups";
  else if (elementsOf(cast<RankedTensorType>(image).getShape()) == 0 ||
           elementsOf(cast<RankedTensorType>(filter).getShape()) == 0)
    why = noElements;
  else if (std::unique_ptr<LoweringPolicy> policy = loweringPolicyOf(op);
           !policy || !policy->hasMicroKernels())
    why = noKernels;
  else if (!convolution.isFaster())
    why = "its result channels are too few for a register of sums";
  else
    why = convolution.readChannels(isProduct);
  if (!why.empty())
    return failure();
  return convolution.build();
}
