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

ElementsAttr LinalgLowering::packFilter(ElementsAttr source,
                                        ArrayRef<int64_t> ohwi, int64_t width) {
  PackingKey key{source.getAsOpaquePointer(), /*isFilter=*/true, width};
  if (auto it = packed.find(key); it != packed.end())
    return it->second;
  auto elements = ConstantBytes::of(source);
  if (!elements)
    return {};
  std::array<int64_t, 4> shape = {ohwi[0], ohwi[1], ohwi[2], ohwi[3]};
  auto bytes = kernel::packConvFilter(elements->bytes(), shape, width);
  auto type = RankedTensorType::get(
      {kernel::panelCount(ohwi[0], width), ohwi[1], ohwi[2], ohwi[3], width},
      source.getElementType());
  return packed[key] = makeResource(type, bytes, source, "filter", "_packed");
}

ElementsAttr LinalgLowering::packBias(ElementsAttr source, int64_t width) {
  PackingKey key{source.getAsOpaquePointer(), /*isFilter=*/false, width};
  if (auto it = packed.find(key); it != packed.end())
    return it->second;
  auto elements = ConstantBytes::of(source);
  if (!elements)
    return {};
  auto bytes = kernel::packConvBias(elements->bytes(), width);
  auto type = RankedTensorType::get(
      {kernel::panelCount(source.getNumElements(), width), width},
      source.getElementType());
  return packed[key] = makeResource(type, bytes, source, "bias", "_packed");
}

/// Why values of \p type cannot be compiled; empty when they can.
static std::string whyNotCompilable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "is no ranked tensor";
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
  populateReductionPatterns(converter, patterns, lowering);
  populateWindowPatterns(converter, patterns, lowering);
}
