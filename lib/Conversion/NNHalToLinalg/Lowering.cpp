//===- Lowering.cpp - What the patterns of one conversion share -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Common/ConstantData.h"

using namespace mlir;
using namespace nnhal;

LogicalResult LinalgLowering::reject(Operation *op, const Twine &reason) {
  reasons.try_emplace(op, reason.str());
  return failure();
}

std::string LinalgLowering::reasonFor(Operation *op) const {
  auto it = reasons.find(op);
  return it == reasons.end() ? "no lowering for this operation" : it->second;
}

/// The filter [O,H,W,I] with each channel's H x W taps in reverse order.
static std::vector<char> turnFilter(ArrayRef<char> ohwi,
                                    const std::array<int64_t, 4> &shape) {
  int64_t taps = shape[1] * shape[2];
  int64_t tapSize = static_cast<int64_t>(ohwi.size()) / (shape[0] * taps);
  std::vector<char> turned(ohwi.size());
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t tap = 0; tap < taps; ++tap)
      std::memcpy(turned.data() + (o * taps + taps - 1 - tap) * tapSize,
                  ohwi.data() + (o * taps + tap) * tapSize, tapSize);
  return turned;
}

ElementsAttr LinalgLowering::pack(Packing packing, ElementsAttr source,
                                  ArrayRef<int64_t> ohwi, int64_t width) {
  PackingKey key{source.getAsOpaquePointer(), packing, width};
  if (auto it = packed.find(key); it != packed.end())
    return it->second;
  auto elements = ConstantBytes::of(source);
  if (!elements)
    return {};
  int64_t panels = kernel::panelCount(ohwi[0], width);
  if (packing == Packing::bias)
    return packed[key] = makeResource(
               RankedTensorType::get({panels, width}, source.getElementType()),
               kernel::packConvBias(elements->bytes(), width), source, "bias",
               "_packed");
  std::array<int64_t, 4> shape = {ohwi[0], ohwi[1], ohwi[2], ohwi[3]};
  std::vector<char> bytes =
      packing == Packing::filter
          ? kernel::packConvFilter(elements->bytes(), shape, width)
          : kernel::packConvFilter(turnFilter(elements->bytes(), shape), shape,
                                   width);
  auto type = RankedTensorType::get({panels, ohwi[1], ohwi[2], ohwi[3], width},
                                    source.getElementType());
  return packed[key] = makeResource(type, bytes, source, "filter", "_packed");
}

ElementsAttr LinalgLowering::packFilter(ElementsAttr source,
                                        ArrayRef<int64_t> ohwi, int64_t width) {
  return pack(Packing::filter, source, ohwi, width);
}

ElementsAttr LinalgLowering::packTurnedFilter(ElementsAttr source,
                                              ArrayRef<int64_t> ohwi,
                                              int64_t width) {
  return pack(Packing::turnedFilter, source, ohwi, width);
}

ElementsAttr LinalgLowering::packBias(ElementsAttr source, int64_t width) {
  return pack(Packing::bias, source, source.getNumElements(), width);
}

/// Why values of \p type cannot be compiled; empty when they can.
static std::string whyNotCompilable(Type type) {
  // The operations take nothing else.
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  if (isa<quant::QuantizedType>(element))
    return "has quantized elements";
  if (!element.isF32() && !element.isInteger(32) && !element.isInteger(8))
    return "has elements that are not f32, i32 or i8";
  if (!tensor.hasStaticShape())
    return "has unknown dimensions";
  if (tensor.getNumElements() == 0)
    return "has no elements";
  return {};
}

LogicalResult nnhal::checkTensorTypes(Operation *op, LinalgLowering &lowering) {
  auto check = [&](StringRef role, unsigned index, Type type) {
    std::string why = whyNotCompilable(type);
    if (why.empty())
      return success();
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return lowering.reject(op, role + " " + Twine(index) + " of type " + text +
                                   " " + why);
  };
  for (auto [index, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check("operand", index, type)))
      return failure();
  for (auto [index, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check("result", index, type)))
      return failure();
  return success();
}

void nnhal::populateNNHalToLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          LinalgLowering &lowering) {
  populateActivationPatterns(converter, patterns, lowering);
  populateConstantPatterns(converter, patterns, lowering);
  populateContractionPatterns(converter, patterns, lowering);
  populateDataMovementPatterns(converter, patterns, lowering);
  populateElementwisePatterns(converter, patterns, lowering);
  populateGeneralPatterns(converter, patterns, lowering);
  populateReductionPatterns(converter, patterns, lowering);
  populateWindowPatterns(converter, patterns, lowering);
}
