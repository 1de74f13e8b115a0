//===- ConstantData.cpp - The bytes of constant attributes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantData.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nnhal;

std::optional<ConstantBytes> ConstantBytes::of(ElementsAttr attribute) {
  ConstantBytes result;
  Type element = attribute.getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t size =
      attribute.getNumElements() * (element.getIntOrFloatBitWidth() / 8);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    // A module that is read may give a resource any size.
    if (!blob || int64_t(blob->getData().size()) != size)
      return std::nullopt;
    result.borrowed = blob->getData();
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return std::nullopt;
  result.borrowed = dense.getRawData();
  if (dense.isSplat() && dense.getNumElements() != 1) {
    size_t elementSize = result.borrowed.size();
    result.expanded.resize(elementSize * dense.getNumElements());
    for (size_t at = 0; at < result.expanded.size(); at += elementSize)
      std::memcpy(result.expanded.data() + at, result.borrowed.data(),
                  elementSize);
    result.borrowed = {};
  }
  return result;
}

ElementsAttr nnhal::makeResource(RankedTensorType type, ArrayRef<char> bytes,
                                 ElementsAttr source, StringRef fallbackName,
                                 StringRef suffix) {
  std::string name = fallbackName.str();
  if (auto resource = dyn_cast_if_present<DenseResourceElementsAttr>(source))
    name = resource.getRawHandle().getKey().str();
  // Aligned as the data cache is, so that it can be written without a copy.
  return DenseResourceElementsAttr::get(
      type, name + suffix.str(),
      HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64,
                                                    /*dataIsMutable=*/false));
}

TypedAttr nnhal::reshapeConstant(ElementsAttr attribute,
                                 ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, attribute.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return dense.reshape(type);
  return {};
}

ElementsAttr nnhal::foldedConstantOf(Value value) {
  ElementsAttr attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return {};
  return attribute;
}
