//===- Lowering.cpp - What the patterns of one conversion share -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Common/ConstantData.h"

#include "nnhal/Dialect/Kernel/Packing.h"

using namespace mlir;
using namespace nnhal;

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
      kernel::packConvFilter(elements->bytes(), shape, width);
  auto type = RankedTensorType::get({panels, ohwi[1], ohwi[2], ohwi[3], width},
                                    source.getElementType());
  return packed[key] = makeResource(type, bytes, source, "filter", "_packed");
}

ElementsAttr LinalgLowering::packFilter(ElementsAttr source,
                                        ArrayRef<int64_t> ohwi, int64_t width) {
  return pack(Packing::filter, source, ohwi, width);
}

ElementsAttr LinalgLowering::packBias(ElementsAttr source, int64_t width) {
  return pack(Packing::bias, source, source.getNumElements(), width);
}

void nnhal::populateNNHalToLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns,
                                          LinalgLowering &lowering) {
  populateConstantPatterns(converter, patterns);
  populateOperationPatterns(converter, patterns, lowering);
}
