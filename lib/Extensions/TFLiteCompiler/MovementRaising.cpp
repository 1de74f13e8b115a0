//===- MovementRaising.cpp - Operators that move elements -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that move elements become slices, transpositions, concatenations,
// paddings and reshapes, where places are within their tensors.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"

#include "Extensions/TFLite/StridedBox.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Built = FailureOr<SmallVector<Value>>;

/// Builds what stands for one operation. Each function fails before it builds
/// anything where places are not within their tensors.
class Mover : Raiser {
public:
  Mover(OperationOp op, OpBuilder &builder) : Raiser(op, builder) {}

  Built transposed();
  Built reversed();
  Built sliced();
  Built stridedSliced();
  Built tiled();
  Built concatenated();
  Built packed();
  Built padded();
  Built mirrored();
  Built split();
  Built splitBySizes();
  Built unpacked();
  Built moved(bool isToSpace);
  Built blocks(bool isToSpace);

private:
  bool isInteger(size_t index, size_t expected) {
    return integer(index) == int64_t(expected);
  }
  /// Whether \p paddings, two for each dimension, make the result of the input.
  bool arePaddings(ArrayRef<int64_t> paddings);
  Built splitAt(Value whole, size_t axis);

  static Built one(Value value) { return SmallVector<Value>{value}; }
};

Built Mover::transposed() {
  Extents permutation = integers(1), shape = shapeOf(input);
  for (int64_t &axis : permutation) {
    std::optional<size_t> place = resolveAxis(axis, shape.size());
    if (!place)
      return failure();
    axis = int64_t(*place);
  }
  if (permutation.size() != shape.size() || !isPermutationVector(permutation) ||
      applyPermutation(shape, permutation) != resultShape())
    return failure();
  return one(transpose(input, permutation));
}

Built Mover::reversed() {
  Extents shape = shapeOf(input), offsets(shape.size(), 0),
          strides(shape.size(), 1);
  for (int64_t axis : integers(1)) {
    std::optional<size_t> place = resolveAxis(axis, shape.size());
    if (!place || strides[*place] == -1)
      return failure();
    offsets[*place] = std::max<int64_t>(shape[*place] - 1, 0);
    strides[*place] = -1;
  }
  if (shape != resultShape())
    return failure();
  return one(tflite::SliceOp::create(builder, loc, resultType(), input, offsets,
                                     strides));
}

Built Mover::sliced() {
  Extents offsets = integers(1), sizes = integers(2), shape = shapeOf(input),
          result = resultShape();
  size_t rank = shape.size();
  if (offsets.size() != rank || sizes.size() != rank || result.size() != rank)
    return failure();
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t offset = offsets[axis], extent = shape[axis];
    if (offset < 0 || offset > extent)
      return failure();
    // A size of -1 reaches to the end.
    int64_t size = sizes[axis] == -1 ? extent - offset : sizes[axis];
    if (size != result[axis] || size > extent - offset)
      return failure();
  }
  return one(tflite::SliceOp::create(builder, loc, resultType(), input, offsets,
                                     Extents(rank, 1)));
}

Built Mover::stridedSliced() {
  auto list = [&](unsigned index) {
    Extents numbers = integers(index);
    return std::vector<int64_t>(numbers.begin(), numbers.end());
  };
  SmallVector<int32_t> masks;
  for (unsigned index = 4; index < 9; ++index) {
    std::optional<int64_t> mask = integer(index);
    if (!mask)
      return failure();
    masks.push_back(int32_t(*mask));
  }
  auto isOffset =
      dyn_cast<IntegerAttr>(definingConstant(op.getInputs().back()));
  if (!isOffset)
    return failure();
  Extents shape = shapeOf(input);
  rt::Result<StridedBox> box =
      stridedBox({shape.begin(), shape.end()}, {list(1), list(2), list(3)},
                 {masks[0], masks[1], masks[2], masks[3], masks[4],
                  !isOffset.getValue().isZero()});
  if (!box.isOk() || !hasElements(box->counts))
    return failure();
  Value value = tflite::SliceOp::create(
      builder, loc, typeOf(input, box->counts), input, box->begins, box->steps);
  return one(reshape(value, resultShape()));
}

/// Each dimension is split into repetitions, which read the same elements, and
/// the dimension itself.
Built Mover::tiled() {
  Extents split, repeated, multiples = integers(1), shape = shapeOf(input);
  if (multiples.size() != shape.size())
    return failure();
  for (auto [multiple, extent] : llvm::zip(multiples, shape)) {
    if (multiple < 0)
      return failure();
    split.append({1, extent});
    repeated.append({multiple, extent});
  }
  if (!hasElements(repeated) || !elementsOf(shape))
    return failure();
  Value value = ElementwiseOp::create(
      builder, loc, typeOf(input, repeated), Function::broadcast_to,
      reshape(input, split), /*activation=*/0, APFloat(0.0f),
      /*approximate=*/false);
  return one(reshape(value, resultShape()));
}

Built Mover::concatenated() {
  ValueRange values = op.getInputs().drop_back(2);
  Extents result = resultShape();
  std::optional<size_t> axis =
      resolveAxis(integer(values.size()), result.size());
  // Only the runtime's half fuses an activation.
  if (!axis || !isInteger(values.size() + 1, 0))
    return failure();
  int64_t sum = 0;
  for (Value value : values) {
    Extents part = shapeOf(value);
    if (part.size() != result.size() ||
        llvm::AddOverflow(sum, part[*axis], sum))
      return failure();
    part[*axis] = result[*axis];
    if (part != result)
      return failure();
  }
  if (sum != result[*axis])
    return failure();
  return one(concatenate(values, *axis));
}

Built Mover::packed() {
  ValueRange values = op.getInputs().drop_back(2);
  Extents part = shapeOf(input), whole;
  std::optional<size_t> axis =
      resolveAxis(integer(values.size() + 1), part.size() + 1);
  if (!axis || !isInteger(values.size(), values.size()) ||
      llvm::any_of(values, [&](Value value) { return shapeOf(value) != part; }))
    return failure();
  part.insert(part.begin() + int64_t(*axis), 1);
  whole = part;
  whole[*axis] = int64_t(values.size());
  if (!hasElements(whole) || !elementsOf(part))
    return failure();
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(reshape(value, part));
  // A scalar of the file may lose the dimension that stands for it.
  return one(reshape(concatenate(parts, *axis), resultShape()));
}

bool Mover::arePaddings(ArrayRef<int64_t> paddings) {
  Extents shape = shapeOf(input), result = resultShape();
  if (paddings.size() != 2 * shape.size() || result.size() != shape.size())
    return false;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t before = paddings[2 * axis], behind = paddings[2 * axis + 1];
    int64_t added = result[axis] - shape[axis];
    if (before < 0 || behind < 0 || before > added || behind != added - before)
      return false;
  }
  return true;
}

Built Mover::padded() {
  Extents paddings = integers(1), low;
  if (!arePaddings(paddings))
    return failure();
  for (size_t axis = 0; axis < paddings.size() / 2; ++axis)
    low.push_back(paddings[2 * axis]);
  Value value = op.getInputs().size() > 2 ? op.getInputs()[2] : Value();
  if (value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape() || elementsOf(type.getShape()) != 1 ||
        type.getElementType() != resultType().getElementType())
      return failure();
  }
  return one(
      tflite::PadOp::create(builder, loc, resultType(), input, value, low));
}

Built Mover::mirrored() {
  Extents paddings = integers(1), shape = shapeOf(input);
  // REFLECT, which is 0, leaves the border out, SYMMETRIC does not.
  std::optional<int64_t> mode = integer(2);
  if (!mode || *mode < 0 || *mode > 1 || !arePaddings(paddings))
    return failure();
  int64_t skipped = *mode == 0 ? 1 : 0;
  for (auto [place, padding] : llvm::enumerate(paddings))
    if (padding > std::max<int64_t>(shape[place / 2] - skipped, 0))
      return failure();
  Value value = input;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t before = paddings[2 * axis], behind = paddings[2 * axis + 1];
    SmallVector<Value> parts;
    if (before > 0)
      parts.push_back(slice(value, axis, before - 1 + skipped, before, -1));
    parts.push_back(value);
    if (behind > 0)
      parts.push_back(
          slice(value, axis, shape[axis] - 1 - skipped, behind, -1));
    if (parts.size() > 1)
      value = concatenate(parts, axis);
  }
  return one(value);
}

/// The results follow each other along \p axis of \p whole.
Built Mover::splitAt(Value whole, size_t axis) {
  Extents expected = shapeOf(whole);
  int64_t rest = expected[axis];
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    Extents part = resultShape(index);
    if (part.size() != expected.size() || part[axis] > rest)
      return failure();
    rest -= part[axis];
    part[axis] = expected[axis];
    if (part != expected)
      return failure();
  }
  if (rest != 0)
    return failure();
  SmallVector<Value> parts;
  int64_t offset = 0;
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    int64_t size = resultType(index).getDimSize(unsigned(axis));
    parts.push_back(slice(whole, axis, offset, size));
    offset += size;
  }
  return parts;
}

Built Mover::split() {
  Value whole = op.getInputs()[1];
  std::optional<size_t> axis = resolveAxis(integer(0), shapeOf(whole).size());
  if (!axis || !isInteger(2, op->getNumResults()))
    return failure();
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    if (resultType(index) != resultType())
      return failure();
  return splitAt(whole, *axis);
}

Built Mover::splitBySizes() {
  std::optional<size_t> axis = resolveAxis(integer(2), shapeOf(input).size());
  Extents sizes = integers(1);
  if (!axis || sizes.size() != op->getNumResults() ||
      !isInteger(3, op->getNumResults()))
    return failure();
  // One size may be -1, which is the rest.
  for (auto [index, size] : llvm::enumerate(sizes)) {
    Extents part = resultShape(unsigned(index));
    if (part.size() <= *axis || (size != -1 && size != part[*axis]))
      return failure();
  }
  return splitAt(input, *axis);
}

Built Mover::unpacked() {
  Extents part = shapeOf(input);
  std::optional<size_t> axis = resolveAxis(integer(2), part.size());
  if (!axis || !isInteger(1, op->getNumResults()) ||
      part[*axis] != int64_t(op->getNumResults()))
    return failure();
  part[*axis] = 1;
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    if (!hasElements(part, index))
      return failure();
  SmallVector<Value> parts;
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    parts.push_back(reshape(slice(input, *axis, index, 1), resultShape(index)));
  return parts;
}

/// [batch, height, block, width, block, depth] on the side of space stands for
/// [batch, height, width, block, block, depth] on that of depth.
Built Mover::moved(bool isToSpace) {
  std::optional<int64_t> block = integer(1);
  Extents wide = isToSpace ? resultShape() : shapeOf(input);
  Extents deep = isToSpace ? shapeOf(input) : resultShape();
  if (!block || *block <= 0 || wide.size() != 4 || deep.size() != 4)
    return failure();
  int64_t height = wide[1] / *block, width = wide[2] / *block;
  Extents space = {wide[0], height, *block, width, *block, wide[3]};
  Extents depth = {wide[0], height, width, *block, *block, wide[3]};
  std::optional<int64_t> channels = elementsOf({*block, *block, wide[3]});
  if (wide[1] % *block != 0 || wide[2] % *block != 0 || !elementsOf(wide) ||
      !channels || deep != Extents{wide[0], height, width, *channels})
    return failure();
  Value value = reshape(input, isToSpace ? depth : space);
  return one(reshape(transpose(value, {0, 1, 3, 2, 4, 5}), resultShape()));
}

/// An element's place in its block of space chooses the batch: [blocks, batch,
/// places, depth] on that side stands for [batch, place and block in turn,
/// depth] in space, whose margins are what is padded or cropped.
Built Mover::blocks(bool isToSpace) {
  Extents sizes = integers(1), margins = integers(2);
  Extents space = isToSpace ? resultShape() : shapeOf(input);
  Extents batches = isToSpace ? shapeOf(input) : resultShape();
  size_t rank = space.size(), count = sizes.size();
  if (rank < 3 || rank > 4 || batches.size() != rank || count != rank - 2 ||
      margins.size() != 2 * count || space.back() != batches.back())
    return failure();
  Extents padded = space, expected = space, low(rank, 0), split, order;
  split.push_back(space[0]);
  for (size_t index = 0; index < count; ++index) {
    int64_t size = sizes[index], before = margins[2 * index],
            behind = margins[2 * index + 1], &extent = padded[index + 1];
    constexpr int64_t mostSize = 1 << 15;
    if (size < 1 || size > mostSize || before < 0 || before > INT32_MAX ||
        behind < 0 || behind > INT32_MAX)
      return failure();
    extent += before + behind;
    if (extent % size != 0 || llvm::MulOverflow(expected[0], size, expected[0]))
      return failure();
    low[index + 1] = before;
    expected[index + 1] = extent / size;
    split.append({extent / size, size});
    order.push_back(int64_t(2 * index + 2));
  }
  split.push_back(space.back());
  if (batches != expected || !elementsOf(padded) || !elementsOf(batches))
    return failure();
  order.push_back(0);
  for (size_t index = 0; index < count; ++index)
    order.push_back(int64_t(2 * index + 1));
  order.push_back(int64_t(2 * count + 1));
  if (!isToSpace) {
    Value value = tflite::PadOp::create(builder, loc, typeOf(input, padded),
                                        input, /*value=*/Value(), low);
    return one(reshape(transpose(reshape(value, split), order), resultShape()));
  }
  Value value = reshape(input, applyPermutation(split, order));
  value = transpose(value, invertPermutationVector(order));
  return one(tflite::SliceOp::create(builder, loc, resultType(),
                                     reshape(value, padded), low,
                                     Extents(rank, 1)));
}

} // namespace

Extents tflite::constantIntegers(Value value) {
  return integersOf(definingConstant(value), value.getType());
}

Extents tflite::integersOf(Attribute constant, Type type) {
  std::vector<uint8_t> bytes;
  if (!constant || !appendBytes(constant, bytes).isOk())
    return {};
  std::optional<IntegerForm> form = integerFormOf(type);
  size_t size = form && form->isSigned ? form->bits / 8 : 0;
  if (size < sizeof(int16_t) || bytes.size() % size != 0)
    return {};
  Extents numbers;
  for (const uint8_t *place = bytes.data();
       place != bytes.data() + bytes.size(); place += size)
    numbers.push_back(size == sizeof(int64_t)
                          ? int64_t(llvm::support::endian::read64le(place))
                      : size == sizeof(int32_t)
                          ? int32_t(llvm::support::endian::read32le(place))
                          : int16_t(llvm::support::endian::read16le(place)));
  return numbers;
}

std::optional<bool> tflite::constantTruth(Value value) {
  auto constant = dyn_cast_or_null<IntegerAttr>(definingConstant(value));
  return constant ? std::optional(!constant.getValue().isZero()) : std::nullopt;
}

std::optional<int64_t> tflite::constantInteger(Value value) {
  Extents numbers = constantIntegers(value);
  return numbers.size() == 1 ? std::optional(numbers.front()) : std::nullopt;
}

std::optional<size_t> tflite::resolveAxis(std::optional<int64_t> axis,
                                          size_t rank) {
  auto count = int64_t(rank);
  if (!axis || *axis < -count || *axis >= count)
    return std::nullopt;
  return size_t(*axis < 0 ? *axis + count : *axis);
}

FailureOr<SmallVector<Value>>
tflite::raiseMovement(uint32_t number, OperationOp op, OpBuilder &builder) {
  Mover mover(op, builder);
  switch (number) {
  case concatenationCode:
    return mover.concatenated();
  case packCode:
    return mover.packed();
  case depthToSpaceCode:
    return mover.moved(/*isToSpace=*/true);
  case spaceToDepthCode:
    return mover.moved(/*isToSpace=*/false);
  case batchToSpaceCode:
    return mover.blocks(/*isToSpace=*/true);
  case spaceToBatchCode:
    return mover.blocks(/*isToSpace=*/false);
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
    return mover.split();
  case splitVCode:
    return mover.splitBySizes();
  default:
    assert(number == unpackCode && "others do not come here");
    return mover.unpacked();
  }
}
