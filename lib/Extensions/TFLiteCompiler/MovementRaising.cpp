//===- MovementRaising.cpp - Operators that move elements -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move elements become slices, transpositions, concatenations,
// paddings and reshapes. The rules of the extension have been applied before,
// so that places are within their tensors.
//
//===----------------------------------------------------------------------===//

#include "Raising.h"

#include "Extensions/TFLite/StridedBox.h"
#include "TFLiteDialect.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Extents = SmallVector<int64_t>;

/// Builds what stands for one operation.
class Mover {
public:
  Mover(OperationOp op, OpBuilder &builder)
      : op(op), builder(builder), loc(op.getLoc()),
        input(op.getInputs().front()) {}

  SmallVector<Value> transposed();
  SmallVector<Value> reversed();
  SmallVector<Value> sliced();
  SmallVector<Value> stridedSliced();
  SmallVector<Value> tiled();
  SmallVector<Value> joined(bool isPack);
  SmallVector<Value> padded();
  SmallVector<Value> mirrored();
  SmallVector<Value> split(unsigned source, unsigned axis);
  SmallVector<Value> unpacked();
  SmallVector<Value> moved(bool isToSpace);

private:
  Extents integers(unsigned index) {
    return constantIntegers(op.getInputs()[index]);
  }
  int64_t integer(unsigned index) { return integers(index).front(); }
  static Extents shapeOf(Value value) {
    return Extents(cast<RankedTensorType>(value.getType()).getShape());
  }
  static Type typeOf(Value value, ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, getElementTypeOrSelf(value.getType()));
  }
  /// \p axis counted from the front of \p rank dimensions.
  static size_t resolved(int64_t axis, size_t rank) {
    return size_t(axis < 0 ? axis + int64_t(rank) : axis);
  }
  RankedTensorType resultType(unsigned index = 0) {
    return cast<RankedTensorType>(op->getResult(index).getType());
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (shapeOf(value) == shape)
      return value;
    return tflite::ReshapeOp::create(builder, loc, typeOf(value, shape), value);
  }
  Value transpose(Value value, ArrayRef<int64_t> permutation) {
    Extents shape;
    for (int64_t axis : permutation)
      shape.push_back(shapeOf(value)[size_t(axis)]);
    return tflite::TransposeOp::create(builder, loc, typeOf(value, shape),
                                       value, permutation);
  }
  /// \p size elements along \p axis, \p stride apart, from \p offset on.
  Value slice(Value value, size_t axis, int64_t offset, int64_t size,
              int64_t stride = 1) {
    Extents shape = shapeOf(value), offsets(shape.size(), 0),
            strides(shape.size(), 1);
    shape[axis] = size;
    offsets[axis] = offset;
    strides[axis] = stride;
    return tflite::SliceOp::create(builder, loc, typeOf(value, shape), value,
                                   offsets, strides);
  }
  Value concatenate(ValueRange values, size_t axis) {
    Extents shape = shapeOf(values.front());
    for (Value value : values.drop_front())
      shape[axis] += shapeOf(value)[axis];
    return ConcatenateOp::create(builder, loc, typeOf(values.front(), shape),
                                 values, axis);
  }

  OperationOp op;
  OpBuilder &builder;
  Location loc;
  Value input;
};

SmallVector<Value> Mover::transposed() {
  Extents permutation = integers(1);
  for (int64_t &axis : permutation)
    axis = int64_t(resolved(axis, permutation.size()));
  return {transpose(input, permutation)};
}

SmallVector<Value> Mover::reversed() {
  Extents shape = shapeOf(input), offsets(shape.size(), 0),
          strides(shape.size(), 1);
  for (int64_t axis : integers(1)) {
    size_t place = resolved(axis, shape.size());
    offsets[place] = std::max<int64_t>(shape[place] - 1, 0);
    strides[place] = -1;
  }
  return {tflite::SliceOp::create(builder, loc, input.getType(), input, offsets,
                                  strides)};
}

SmallVector<Value> Mover::sliced() {
  Extents offsets = integers(1);
  return {tflite::SliceOp::create(builder, loc, resultType(), input, offsets,
                                  Extents(offsets.size(), 1))};
}

SmallVector<Value> Mover::stridedSliced() {
  auto mask = [&](unsigned index) { return int32_t(integer(index)); };
  auto list = [&](unsigned index) {
    Extents numbers = integers(index);
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  Attribute isOffset = definingConstant(op.getInputs().back());
  Extents shape = shapeOf(input);
  StridedBox box =
      *stridedBox({shape.begin(), shape.end()}, {list(1), list(2), list(3)},
                  {mask(4), mask(5), mask(6), mask(7), mask(8),
                   !cast<IntegerAttr>(isOffset).getValue().isZero()});
  Value value = tflite::SliceOp::create(builder, loc, typeOf(input, box.counts),
                                        input, box.begins, box.steps);
  return {reshape(value, resultType().getShape())};
}

/// Each dimension is split into repetitions, which read the same elements, and
/// the dimension itself.
SmallVector<Value> Mover::tiled() {
  Extents split, repeated, multiples = integers(1);
  for (auto [multiple, extent] : llvm::zip(multiples, shapeOf(input))) {
    split.append({1, extent});
    repeated.append({multiple, extent});
  }
  Value value = ElementwiseOp::create(
      builder, loc, typeOf(input, repeated), Function::broadcast_to,
      reshape(input, split), /*activation=*/0, APFloat(0.0f),
      /*approximate=*/false);
  return {reshape(value, resultType().getShape())};
}

SmallVector<Value> Mover::joined(bool isPack) {
  ValueRange values = op.getInputs().drop_back(2);
  auto count = unsigned(values.size());
  size_t rank = shapeOf(input).size() + (isPack ? 1 : 0);
  // CONCATENATION has the axis first, PACK the number of values.
  size_t axis = resolved(integer(count + (isPack ? 1 : 0)), rank);
  if (!isPack)
    return {concatenate(values, axis)};
  Extents part = shapeOf(input);
  part.insert(part.begin() + int64_t(axis), 1);
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(reshape(value, part));
  // A scalar of the file may lose the dimension that stands for it.
  return {reshape(concatenate(parts, axis), resultType().getShape())};
}

SmallVector<Value> Mover::padded() {
  Extents paddings = integers(1), low;
  for (size_t axis = 0; axis < paddings.size() / 2; ++axis)
    low.push_back(paddings[2 * axis]);
  Value value = op.getInputs().size() > 2 ? op.getInputs()[2] : Value();
  return {tflite::PadOp::create(builder, loc, resultType(), input, value, low)};
}

SmallVector<Value> Mover::mirrored() {
  Extents paddings = integers(1);
  // REFLECT leaves the border out, SYMMETRIC does not.
  int64_t skipped = integer(2) == 0 ? 1 : 0;
  Value value = input;
  for (size_t axis = 0; axis < paddings.size() / 2; ++axis) {
    int64_t extent = shapeOf(value)[axis];
    int64_t before = paddings[2 * axis], behind = paddings[2 * axis + 1];
    SmallVector<Value> parts;
    if (before > 0)
      parts.push_back(slice(value, axis, before - 1 + skipped, before, -1));
    parts.push_back(value);
    if (behind > 0)
      parts.push_back(slice(value, axis, extent - 1 - skipped, behind, -1));
    if (parts.size() > 1)
      value = concatenate(parts, axis);
  }
  return {value};
}

SmallVector<Value> Mover::split(unsigned source, unsigned axisOperand) {
  Value whole = op.getInputs()[source];
  size_t axis = resolved(integer(axisOperand), shapeOf(whole).size());
  SmallVector<Value> parts;
  int64_t offset = 0;
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    int64_t size = resultType(index).getDimSize(unsigned(axis));
    parts.push_back(slice(whole, axis, offset, size));
    offset += size;
  }
  return parts;
}

SmallVector<Value> Mover::unpacked() {
  size_t axis = resolved(integer(2), shapeOf(input).size());
  SmallVector<Value> parts;
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    parts.push_back(
        reshape(slice(input, axis, index, 1), resultType(index).getShape()));
  return parts;
}

/// [batch, height, block, width, block, depth] on the side of space stands for
/// [batch, height, width, block, block, depth] on that of depth.
SmallVector<Value> Mover::moved(bool isToSpace) {
  int64_t block = integer(1);
  Extents shape = isToSpace ? Extents(resultType().getShape()) : shapeOf(input);
  int64_t height = shape[1] / block, width = shape[2] / block;
  Extents space = {shape[0], height, block, width, block, shape[3]};
  Extents depth = {shape[0], height, width, block, block, shape[3]};
  Value value = reshape(input, isToSpace ? depth : space);
  return {
      reshape(transpose(value, {0, 1, 3, 2, 4, 5}), resultType().getShape())};
}

} // namespace

Extents tflite::constantIntegers(Value value) {
  std::vector<uint8_t> bytes;
  Attribute constant = definingConstant(value);
  if (!constant || !appendBytes(constant, bytes).isOk())
    return {};
  Type element = getElementTypeOrSelf(value.getType());
  Extents numbers;
  if (classOf(element) == ElementClass::int64)
    for (size_t place = 0; place < bytes.size(); place += sizeof(int64_t))
      numbers.push_back(
          int64_t(llvm::support::endian::read64le(bytes.data() + place)));
  else if (classOf(element) == ElementClass::int32)
    for (size_t place = 0; place < bytes.size(); place += sizeof(int32_t))
      numbers.push_back(
          int32_t(llvm::support::endian::read32le(bytes.data() + place)));
  return numbers;
}

SmallVector<Value> tflite::raiseMovement(uint32_t number, OperationOp op,
                                         OpBuilder &builder) {
  Mover mover(op, builder);
  switch (number) {
  case concatenationCode:
    return mover.joined(/*isPack=*/false);
  case packCode:
    return mover.joined(/*isPack=*/true);
  case depthToSpaceCode:
    return mover.moved(/*isToSpace=*/true);
  case spaceToDepthCode:
    return mover.moved(/*isToSpace=*/false);
  case padCode:
  case padV2Code:
    return mover.padded();
  case mirrorPadCode:
    return mover.mirrored();
  case transposeCode:
    return mover.transposed();
  case sliceCode:
    return mover.sliced();
  case stridedSliceCode:
    return mover.stridedSliced();
  case tileCode:
    return mover.tiled();
  case reverseCode:
    return mover.reversed();
  case splitCode:
    return mover.split(/*source=*/1, /*axis=*/0);
  case splitVCode:
    return mover.split(/*source=*/0, /*axis=*/2);
  default:
    assert(number == unpackCode && "others do not come here");
    return mover.unpacked();
  }
}
