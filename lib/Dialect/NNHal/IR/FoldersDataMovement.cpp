//===- FoldersDataMovement.cpp - Folders of data movement -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "Runtime/Support/Float16.h"
#include "nnhal/Backend/Signatures/DataMovement.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace nnhal;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::SmallVectorImpl;
using mlir::Attribute;
using mlir::OpFoldResult;
using mlir::RankedTensorType;

static bool isAll(ArrayRef<int64_t> values, int64_t value) {
  return llvm::all_of(values, [&](int64_t v) { return v == value; });
}

static bool hasStaticShape(mlir::Value value) {
  return llvm::cast<RankedTensorType>(value.getType()).hasStaticShape();
}

/// The dimension that \p axis, which may count from the end, names.
static size_t resolve(uint64_t axis, size_t rank) {
  return size_t(int64_t(axis) < 0 ? int64_t(axis) + int64_t(rank)
                                  : int64_t(axis));
}

/// A constant of \p type: the element at index i is that of \p source at
/// sourceOf(i), an index that sourceOf() may leave in a buffer of its own.
static Attribute
foldMove(mlir::Type type, Attribute source,
         llvm::function_ref<void(ArrayRef<int64_t>, SmallVectorImpl<int64_t> &)>
             sourceOf) {
  std::optional<FoldedTensor> from = FoldedTensor::of(source);
  std::optional<FoldedTensor> to = FoldedTensor::forResult(type);
  if (!from || !to)
    return {};
  int64_t next = 0;
  SmallVector<int64_t> position;
  forEachIndex(to->shape(), [&](ArrayRef<int64_t> index) {
    position.clear();
    sourceOf(index, position);
    to->copyElement(next++, *from, linearIndex(from->shape(), position));
  });
  return to->toAttribute();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Attribute nnhal::viewConstant(Attribute value, mlir::Type type) {
  auto storage =
      llvm::dyn_cast_if_present<RankedTensorType>(storageTypeOf(type));
  if (!storage || !storage.hasStaticShape())
    return {};
  if (auto dense = llvm::dyn_cast_if_present<mlir::DenseElementsAttr>(value))
    return dense.reshape(storage);
  if (auto resource =
          llvm::dyn_cast_if_present<mlir::DenseResourceElementsAttr>(value))
    return mlir::DenseResourceElementsAttr::get(storage,
                                                resource.getRawHandle());
  return {};
}

/// Reshape and its special forms.
static OpFoldResult foldView(mlir::Value input, mlir::Value result,
                             Attribute value) {
  if (input.getType() == result.getType())
    return input;
  return viewConstant(value, result.getType());
}

/// Whether the elements of a tensor of \p shape stay in order: only dimensions
/// of extent 1 move.
static bool keepsOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> moved;
  llvm::copy_if(permutation, std::back_inserter(moved),
                [&](int64_t axis) { return shape[size_t(axis)] != 1; });
  return llvm::is_sorted(moved);
}

Attribute nnhal::transposeConstant(Attribute value, mlir::Type type,
                                   ArrayRef<int64_t> permutation) {
  auto elements = llvm::dyn_cast_if_present<mlir::ElementsAttr>(value);
  if (!elements)
    return {};
  if (elements.isSplat() ||
      keepsOrder(elements.getShapedType().getShape(), permutation))
    return viewConstant(value, type);
  return foldMove(type, value,
                  [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                    from.resize(index.size());
                    for (auto [position, source] :
                         llvm::zip_equal(index, permutation))
                      from[size_t(source)] = position;
                  });
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  return foldView(getInput(), getOutput(), adaptor.getInput());
}

OpFoldResult SqueezeOp::fold(FoldAdaptor adaptor) {
  return foldView(getInput(), getOutput(), adaptor.getInput());
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldView(getInput(), getOutput(), adaptor.getInput());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  return transposeConstant(adaptor.getInput(), getType(), permutation);
}

//===----------------------------------------------------------------------===//
// Joining and splitting
//===----------------------------------------------------------------------===//

OpFoldResult ConcatenationOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1)
    if (OpFoldResult same = sameAs(getInputs().front(), getType()))
      return same;
  std::optional<FoldedTensor> result = FoldedTensor::forResult(getType());
  if (!result)
    return {};
  size_t axis = resolve(getAxis(), result->shape().size());
  int64_t start = 0;
  for (auto [input, value] :
       llvm::zip_equal(getInputs(), adaptor.getInputs())) {
    // Other quantization parameters mean requantization (M-107).
    if (mlir::getElementTypeOrSelf(input) != getType().getElementType())
      return {};
    std::optional<FoldedTensor> part = FoldedTensor::of(value);
    if (!part)
      return {};
    int64_t next = 0;
    SmallVector<int64_t> position;
    forEachIndex(part->shape(), [&](ArrayRef<int64_t> index) {
      position.assign(index.begin(), index.end());
      position[axis] += start;
      result->copyElement(linearIndex(result->shape(), position), *part,
                          next++);
    });
    start += part->shape()[axis];
  }
  return result->toAttribute();
}

llvm::LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                                  SmallVectorImpl<OpFoldResult> &results) {
  if (getNumResults() == 1 && getInput().getType() == getType(0)) {
    results.push_back(getInput());
    return mlir::success();
  }
  size_t axis = resolve(
      getAxis(),
      size_t(llvm::cast<RankedTensorType>(getInput().getType()).getRank()));
  int64_t start = 0;
  SmallVector<OpFoldResult> parts;
  for (mlir::Value result : getResults()) {
    OpFoldResult part =
        foldMove(result.getType(), adaptor.getInput(),
                 [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                   from.assign(index.begin(), index.end());
                   from[axis] += start;
                 });
    if (!part)
      return mlir::failure();
    parts.push_back(part);
    start += llvm::cast<RankedTensorType>(result.getType()).getDimSize(axis);
  }
  results.append(parts);
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// Selecting and repeating
//===----------------------------------------------------------------------===//

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  // Known extents that are kept leave no place to begin but the first.
  if (hasStaticShape(getInput()) ||
      (isAll(getBegin(), 0) && isAll(getSize(), -1)))
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  return foldMove(getType(), adaptor.getInput(),
                  [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                    for (auto [position, begin] :
                         llvm::zip_equal(index, getBegin()))
                      from.push_back(position + begin);
                  });
}

OpFoldResult StridedSliceOp::fold(FoldAdaptor adaptor) {
  if (!hasStaticShape(getInput()) || !hasStaticShape(getOutput()))
    return {};
  HalView view;
  rt::Status status = readHalForm(view);
  rt::Result<rt::SliceForm> form = rt::decodeSlice(view.getOperation());
  if (!status.isOk() || !form.isOk())
    return {};
  if (isAll(form->strides, 1) && form->shrinkAxes.empty())
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  // The axes that are kept; the result of none of them has shape [1].
  SmallVector<size_t> kept;
  for (size_t axis = 0; axis < form->begin.size(); ++axis)
    if (!llvm::is_contained(form->shrinkAxes, int64_t(axis)))
      kept.push_back(axis);
  return foldMove(getType(), adaptor.getInput(),
                  [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                    from.assign(form->begin.begin(), form->begin.end());
                    for (auto [axis, position] : llvm::zip(kept, index))
                      from[axis] += position * form->strides[axis];
                  });
}

OpFoldResult TileOp::fold(FoldAdaptor adaptor) {
  if (isAll(getMultiples(), 1))
    if (OpFoldResult same = sameAs(getInput(), getType()))
      return same;
  auto type = llvm::cast<RankedTensorType>(getInput().getType());
  return foldMove(getType(), adaptor.getInput(),
                  [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                    for (auto [position, extent] :
                         llvm::zip_equal(index, type.getShape()))
                      from.push_back(position % extent);
                  });
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  std::optional<FoldedTensor> indices = FoldedTensor::of(adaptor.getIndices());
  if (!indices)
    return {};
  auto type = llvm::cast<RankedTensorType>(getInput().getType());
  size_t axis = resolve(getAxis(), size_t(type.getRank()));
  // An index out of range is an error when the model runs (gather C4).
  for (int64_t i = 0; i < indices->size(); ++i)
    if (int32_t index = indices->get<int32_t>(i);
        index < 0 || index >= type.getDimSize(axis))
      return {};
  size_t count = indices->shape().size();
  return foldMove(getType(), adaptor.getInput(),
                  [&](ArrayRef<int64_t> index, SmallVectorImpl<int64_t> &from) {
                    llvm::append_range(from, index.take_front(axis));
                    from.push_back(indices->get<int32_t>(linearIndex(
                        indices->shape(), index.slice(axis, count))));
                    llvm::append_range(from, index.drop_front(axis + count));
                  });
}

//===----------------------------------------------------------------------===//
// Padding and filling
//===----------------------------------------------------------------------===//

/// Every element of \p tensor becomes \p value, an f32 or a stored i32.
static void fillWith(FoldedTensor &tensor, Attribute value) {
  uint32_t bits = 0;
  if (auto real = llvm::dyn_cast<mlir::FloatAttr>(value)) {
    auto number = float(real.getValueAsDouble());
    if (tensor.storage.getElementType().isF16())
      bits = rt::float16FromDouble(number);
    else
      std::memcpy(&bits, &number, sizeof bits);
  } else {
    bits = uint32_t(llvm::cast<mlir::IntegerAttr>(value).getInt());
  }
  // The low bytes come first, as everywhere in HAL models.
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    tensor.bytes[i] = char(bits >> 8 * (i % tensor.elementSize()));
}

/// \p input with \p paddings elements of value \p fill around it.
static OpFoldResult foldPad(mlir::Value input, mlir::Value result,
                            ArrayRef<int64_t> paddings, Attribute value,
                            Attribute fill) {
  if (isAll(paddings, 0))
    if (OpFoldResult same = sameAs(input, result.getType()))
      return same;
  std::optional<FoldedTensor> from = FoldedTensor::of(value);
  std::optional<FoldedTensor> to = FoldedTensor::forResult(result.getType());
  if (!from || !to)
    return {};
  fillWith(*to, fill);
  int64_t next = 0;
  SmallVector<int64_t> position;
  forEachIndex(from->shape(), [&](ArrayRef<int64_t> index) {
    position.assign(index.begin(), index.end());
    for (size_t axis = 0; axis < position.size(); ++axis)
      position[axis] += paddings[2 * axis];
    to->copyElement(linearIndex(to->shape(), position), *from, next++);
  });
  return to->toAttribute();
}

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  mlir::Builder builder(getContext());
  mlir::Type element = mlir::getElementTypeOrSelf(getType());
  Attribute zero = builder.getI32IntegerAttr(0);
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(element))
    zero = builder.getI32IntegerAttr(int32_t(uniform.getZeroPoint()));
  return foldPad(getInput(), getOutput(), getPaddings(), adaptor.getInput(),
                 zero);
}

OpFoldResult PadV2Op::fold(FoldAdaptor adaptor) {
  return foldPad(getInput(), getOutput(), getPaddings(), adaptor.getInput(),
                 getValue());
}

OpFoldResult FillOp::fold(FoldAdaptor) {
  std::optional<FoldedTensor> result = FoldedTensor::forResult(getType());
  if (!result)
    return {};
  fillWith(*result, getValue());
  return result->toAttribute();
}
