//===- Folding.cpp - Constants as folders see them ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include <algorithm>

using namespace nnhal;

std::optional<FoldedTensor> FoldedTensor::of(mlir::Attribute value) {
  auto elements = llvm::dyn_cast_if_present<mlir::ElementsAttr>(value);
  if (!elements)
    return std::nullopt;
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(elements.getShapedType());
  std::optional<uint64_t> size = type ? byteSizeOfType(type) : std::nullopt;
  if (!size || *size > uint64_t(foldLimit))
    return std::nullopt;
  std::vector<uint8_t> bytes;
  if (!appendBytes(elements, bytes).isOk() || bytes.size() != *size)
    return std::nullopt;
  return FoldedTensor{type, std::vector<char>(bytes.begin(), bytes.end())};
}

std::optional<FoldedTensor> FoldedTensor::forResult(mlir::Type type) {
  auto storage =
      llvm::dyn_cast_if_present<mlir::RankedTensorType>(storageTypeOf(type));
  std::optional<uint64_t> size =
      storage ? byteSizeOfType(storage) : std::nullopt;
  if (!size || *size > uint64_t(foldLimit))
    return std::nullopt;
  return FoldedTensor{storage, std::vector<char>(*size)};
}

void FoldedTensor::copyElement(int64_t index, const FoldedTensor &source,
                               int64_t sourceIndex) {
  size_t length = elementSize();
  std::copy_n(source.bytes.data() + size_t(sourceIndex) * length, length,
              bytes.data() + size_t(index) * length);
}

mlir::Attribute FoldedTensor::toAttribute() const {
  if (size() == 0)
    return mlir::DenseElementsAttr::get(storage,
                                        llvm::ArrayRef<mlir::Attribute>());
  // One element stands for all where all are the same.
  size_t length = elementSize();
  bool isSplat = std::equal(bytes.begin() + length, bytes.end(), bytes.begin());
  return mlir::DenseElementsAttr::getFromRawBuffer(
      storage,
      llvm::ArrayRef(bytes).take_front(isSplat ? length : bytes.size()));
}

void nnhal::forEachIndex(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  if (llvm::is_contained(shape, 0))
    return;
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return;
  }
}

int64_t nnhal::linearIndex(llvm::ArrayRef<int64_t> shape,
                           llvm::ArrayRef<int64_t> index) {
  int64_t result = 0;
  for (auto [extent, position] : llvm::zip_equal(shape, index))
    result = result * extent + position;
  return result;
}

std::optional<FusedActivation> nnhal::compose(FusedActivation inner,
                                              FusedActivation outer) {
  if (inner == FusedActivation::none || inner == outer)
    return outer;
  if (outer == FusedActivation::none)
    return inner;
  // [0, inf) and [0, 6]; what relu1 leaves of either has no name.
  if (inner != FusedActivation::relu1 && outer != FusedActivation::relu1)
    return FusedActivation::relu6;
  return std::nullopt;
}
