//===- ChannelSums.cpp - Sums of products of result channels --------------===//
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

#include "ChannelSums.h"

#include "ElementUse.h"
#include "Raising.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/AsmState.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

/// Parts of one sum, at most. Each one takes its results through memory.
constexpr int64_t mostParts = 8;

bool ChannelSums::readFactor(double product, int64_t bias) {
  if (bias < std::numeric_limits<int32_t>::min() ||
      bias > std::numeric_limits<int32_t>::max())
    return false;
  Factor factor = factorOf(product);
  WideFactor wide(factor);
  bool isTwice = rounding == SumRounding::twice;
  if (!isTwice && !isRoundedIn32(wide.shift))
    rounding = SumRounding::once_in_64;
  biases.push_back(int32_t(bias));
  multipliers.push_back(isTwice ? factor.multiplier : int32_t(wide.multiplier));
  shifts.push_back(isTwice ? factor.shift : int32_t(wide.shift));
  return true;
}

StringRef ChannelSums::readFactors(Value image, Value filter, Value bias,
                                   Value result, bool isProduct) {
  if (!bias.getDefiningOp<NoValueOp>() &&
      classOf(bias.getType()) != ElementClass::int64) {
    // Sums with a bias of INT32 wrap.
    if (classOf(bias.getType()) != ElementClass::int32)
      return otherTypes;
    rounding = SumRounding::twice;
  }
  std::optional<SmallVector<int64_t>> numbers =
      readBiases(bias, shapeOf(filter)[0]);
  if (!numbers)
    return misfit;
  FilterScales scales(filter.getType(), /*axis=*/0);
  float from = scaleOf(image.getType()), to = scaleOf(result.getType());
  for (auto [channel, number] : llvm::enumerate(*numbers)) {
    std::optional<float> scale = scales.of(channel);
    // TensorFlow Lite multiplies the only scale of FULLY_CONNECTED in single
    // precision.
    if (!scale || !readFactor((isProduct && scales.isUniform()
                                   ? double(from * *scale)
                                   : double(from) * double(*scale)) /
                                  double(to),
                              number))
      return "its factors and biases are not those of channels in 32 bits";
  }
  return "";
}

void ChannelSums::repeat(int64_t count) {
  for (SmallVector<int32_t> *numbers : {&biases, &multipliers, &shifts}) {
    SmallVector<int32_t> own = *numbers;
    for (int64_t round = 1; round < count; ++round)
      llvm::append_range(*numbers, own);
  }
}

/// Whether sums of \p channel fit 32 bits, if \p count parts share them.
bool ChannelSums::fits(ArrayRef<uint8_t> weights, int64_t depth, size_t channel,
                       int64_t count) const {
  size_t own = weights.size() / biases.size();
  ArrayRef<uint8_t> taps = weights.slice(channel * own, own);
  for (int64_t index = 0; index < count; ++index) {
    ChannelRange part = partOf(depth, count, index);
    // The largest and the least sum: 16-bit numbers reach -32768 and 32767.
    int64_t most = index == 0 ? biases[channel] : 0, least = most;
    for (auto tap = size_t(part.begin); tap < own; tap += size_t(depth))
      for (uint8_t byte : taps.slice(tap, size_t(part.size))) {
        auto weight = int8_t(byte);
        most += int64_t(weight) * (weight > 0 ? 32767 : -32768);
        least += int64_t(weight) * (weight > 0 ? -32768 : 32767);
      }
    if (most > std::numeric_limits<int32_t>::max() ||
        least < std::numeric_limits<int32_t>::min())
      return false;
  }
  return true;
}

StringRef ChannelSums::divide(int64_t depth,
                              llvm::function_ref<bool()> areFitting) {
  while (rounding != SumRounding::twice && !areFitting()) {
    ++parts;
    if (parts > mostParts || partOf(depth, parts, parts - 1).size < 1)
      return "its sums have more than 32 bits for each part of them";
  }
  if (parts > 1)
    rounding = SumRounding::once_in_64;
  if (rounding == SumRounding::once_in_32)
    for (int32_t &shift : shifts)
      shift -= 16;
  return "";
}

StringRef ChannelSums::readParts(ArrayRef<uint8_t> weights, int64_t depth) {
  return divide(depth, [&] {
    return llvm::all_of(
        llvm::seq<size_t>(0, biases.size()),
        [&](size_t channel) { return fits(weights, depth, channel, parts); });
  });
}

StringRef ChannelSums::readParts(int64_t taps, int64_t depth) {
  int64_t bias = 0;
  for (int32_t each : biases)
    bias = std::max(bias, std::abs(int64_t(each)));
  return divide(depth, [&] {
    // The first part is the largest one. -128 times -32768 is 2^22.
    int64_t products = partOf(depth, parts, 0).size * taps;
    return products <= (std::numeric_limits<int32_t>::max() - bias) >> 22;
  });
}

Value ChannelSums::build(OpBuilder &builder, Location loc,
                         RankedTensorType result, Value image, Value filter,
                         const Windows &windows, int64_t first,
                         uint32_t activation) const {
  auto own = [&](const SmallVector<int32_t> &numbers) {
    return ArrayRef(numbers).slice(size_t(first), size_t(shapeOf(filter)[0]));
  };
  return tflite::ConvolutionOp::create(
      builder, loc, result, rounding, image, filter, windows.strides,
      windows.dilations, windows.low, own(biases), own(multipliers),
      own(shifts), uint64_t(parts), activation);
}

std::optional<std::vector<uint8_t>> tflite::constantBytes(Value filter) {
  std::vector<uint8_t> bytes;
  Attribute constant = definingConstant(filter);
  return constant && appendBytes(constant, bytes).isOk()
             ? std::optional(std::move(bytes))
             : std::nullopt;
}

Value tflite::weightConstant(OpBuilder &builder, Location loc,
                             ArrayRef<int64_t> shape,
                             ArrayRef<uint8_t> weights) {
  auto storage = RankedTensorType::get(shape, builder.getI8Type());
  auto element = quant::UniformQuantizedType::get(
      quant::QuantizationFlags::Signed, builder.getI8Type(),
      builder.getF32Type(), /*scale=*/1.0, /*zeroPoint=*/0,
      /*storageTypeMin=*/-128, /*storageTypeMax=*/127);
  auto resource = DenseResourceElementsAttr::get(
      storage, "weights",
      HeapAsmResourceBlob::allocateAndCopyWithAlign(
          ArrayRef(reinterpret_cast<const char *>(weights.data()),
                   weights.size()),
          /*align=*/16, /*dataIsMutable=*/false));
  return ConstantOp::create(builder, loc, RankedTensorType::get(shape, element),
                            cast<ElementsAttr>(resource));
}
