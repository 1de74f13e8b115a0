//===- DataMovement.cpp - Data movement of any type and shape -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are copied as they are stored. Operations that keep all of them are
// in Shape.cpp.
//
//===----------------------------------------------------------------------===//

#include "DataMovement.h"
#include "Patterns.h"

#include "nnhal/Backend/Signatures/DataMovement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

/// The axis, which input \p index holds.
static FailureOr<int64_t> readAxis(OperationLowering &op, size_t index) {
  if (op.isConstant(index))
    return op.decoded(rt::decodeAxis(op.view()));
  (void)op.fail("the axis is not constant");
  return failure();
}

//===----------------------------------------------------------------------===//
// CONCATENATION and SPLIT
//===----------------------------------------------------------------------===//

/// \p part in the units of \p to: rounded half away from zero, saturated
/// (M-110). Signed elements are treated as the unsigned ones 128 above them
/// (M-022).
static Tensor requantized(OperationLowering &op, const Tensor &part,
                          const rt::TensorType &to) {
  const rt::TensorType &from = part.getType();
  if (!part.isQuantized() ||
      (from.scale == to.scale && from.zeroPoint == to.zeroPoint))
    return part;
  int32_t shift = to.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ? 128 : 0;
  float scale = from.scale * (1.0f / to.scale);
  float bias = float(-(from.zeroPoint + shift)) * scale;
  float zeroPoint = float(to.zeroPoint + shift);
  return op.define(to, part.extents(), [&](Indices at) {
    Scalar stored = (part.integer(at) + double(shift)).toF32();
    Scalar value = round(stored * double(scale) + double(bias)) + zeroPoint;
    // Scales near the ends of their range make a NaN of 0 times infinity.
    value = select(value == value, value, value.like(zeroPoint));
    return op.encodeInteger(clamp(value, 0, 255).toI32() - double(shift), to);
  });
}

static LogicalResult lowerConcatenation(OperationLowering &op) {
  size_t count = op.inputCount() - 1;
  FailureOr<int64_t> axis = readAxis(op, count);
  if (failed(axis))
    return failure();
  SmallVector<Tensor> parts;
  for (size_t i = 0; i < count; ++i)
    parts.push_back(op.input(i));
  SmallVector<Scalar> extents = parts[0].extents();
  for (const Tensor &part : ArrayRef(parts).drop_front())
    for (int64_t dim = 0; dim < part.rank(); ++dim) {
      Scalar extent = part.extent(dim);
      if (dim == *axis) {
        extents[dim] = extents[dim] + extent;
        continue;
      }
      op.checkEqual(extent, extents[dim]);
      if (extent.known())
        extents[dim] = extent;
    }
  Tensor result = op.undefined(op.outputType(), op.stated(extents));
  SmallVector<Scalar> offsets(extents.size(), op.index(0));
  for (const Tensor &part : parts) {
    result = op.insert(requantized(op, part, op.outputType()), result, offsets);
    offsets[*axis] = offsets[*axis] + part.extent(*axis);
  }
  op.setOutput(result);
  return success();
}

static LogicalResult lowerSplit(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  FailureOr<int64_t> axis = readAxis(op, 1);
  if (failed(axis))
    return failure();
  Scalar count = op.index(int64_t(op.view().outputs.size()));
  op.checkEqual(op.scalar(2).toIndex(), count);
  Scalar extent = input.extent(*axis);
  op.check(extent.remainder(count) == 0, FailureReason::notDivisible, extent,
           count);
  SmallVector<Scalar> extents = input.extents();
  extents[*axis] = extent.quotient(count);
  for (size_t i = 0; i < op.view().outputs.size(); ++i)
    op.setOutput(i, op.define(op.outputType(i), extents, [&](Indices at) {
      SmallVector<Scalar> from(at);
      from[*axis] = from[*axis] + extents[*axis] * double(i);
      return input.stored(from);
    }));
  return success();
}

//===----------------------------------------------------------------------===//
// SLICE and STRIDED_SLICE
//===----------------------------------------------------------------------===//

static LogicalResult lowerSlice(OperationLowering &op) {
  Tensor input = op.input(0);
  SmallVector<Scalar> begin = op.integers(1, input.rank());
  SmallVector<Scalar> size = op.integers(2, input.rank());
  SmallVector<Scalar> extents;
  for (int64_t dim = 0; dim < input.rank(); ++dim) {
    Scalar extent = input.extent(dim);
    op.check((begin[dim] >= 0) & (begin[dim] <= extent),
             FailureReason::indexOutOfRange, begin[dim], extent);
    op.check(size[dim] >= -1, FailureReason::valueTooSmall, size[dim],
             op.index(-1));
    Scalar rest = extent - begin[dim];
    Scalar length = select(size[dim] == -1, rest, size[dim]);
    op.check(length <= rest, FailureReason::indexOutOfRange,
             begin[dim] + length, extent);
    extents.push_back(length);
  }
  op.setOutput(op.define(op.outputType(), op.stated(extents), [&](Indices at) {
    SmallVector<Scalar> from;
    for (auto [first, index] : llvm::zip(begin, at))
      from.push_back(first + index);
    return input.stored(from);
  }));
  return success();
}

namespace {

/// One dimension of a STRIDED_SLICE: from begin on, count times.
struct StridedDimension {
  Scalar begin;
  Scalar stride;
  Scalar count;
  Scalar isShrunk;
};

/// The masks as they are.
struct StridedMasks {
  Scalar begin, end, shrink;
};

} // namespace

/// Bit \p dimension, as i1.
static Scalar bitOf(Scalar mask, int64_t dimension) {
  return (mask.shiftedRight(mask.like(double(dimension))) & mask.like(1)) == 1;
}

/// Masks and negative positions resolved, positions limited to those of the
/// direction (M-114); a dimension that the result lacks has one (C7, C8).
static StridedDimension resolveStrided(OperationLowering &op, int64_t dim,
                                       Scalar extent, Scalar begin, Scalar end,
                                       Scalar stride,
                                       const StridedMasks &masks) {
  op.check(stride != 0, FailureReason::zeroStride, stride, op.index(dim));
  Scalar isForward = stride > 0;
  Scalar low = select(isForward, op.index(0), op.index(-1));
  Scalar high = extent + low;
  auto position = [&](Scalar index) {
    return clamp(select(index < 0, index + extent, index), low, high);
  };
  Scalar first = select(bitOf(masks.begin, dim), select(isForward, low, high),
                        position(begin));
  Scalar last = select(bitOf(masks.end, dim), select(isForward, high, low),
                       position(end));
  Scalar distance = select(isForward, last - first, first - last);
  Scalar step = max(select(isForward, stride, -stride), 1);
  Scalar count = (max(distance, 0) + step - 1).quotient(step);
  Scalar isShrunk = bitOf(masks.shrink, dim);
  op.check(!isShrunk | isForward, FailureReason::valueTooSmall, stride,
           op.index(1));
  op.check(!isShrunk | (count == 1), FailureReason::extentsDiffer, count,
           op.index(1));
  return {first, stride, count, isShrunk};
}

static LogicalResult lowerStridedSlice(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  int64_t rank = input.rank();
  SmallVector<Scalar> begin = op.integers(1, rank), end = op.integers(2, rank);
  SmallVector<Scalar> strides = op.integers(3, rank);
  StridedMasks masks{op.scalar(4), op.scalar(5), op.scalar(6)};
  SmallVector<StridedDimension> dimensions;
  SmallVector<Scalar> counts, isShrunk;
  for (int64_t i = 0; i < rank; ++i) {
    dimensions.push_back(resolveStrided(op, i, input.extent(i), begin[i],
                                        end[i], strides[i], masks));
    counts.push_back(dimensions[i].count);
    isShrunk.push_back(dimensions[i].isShrunk);
  }
  FailureOr<SmallVector<Scalar>> extents =
      withoutDimensions(op, counts, isShrunk);
  if (failed(extents))
    return failure();
  Tensor slice = op.define(op.outputType(), counts, [&](Indices at) {
    SmallVector<Scalar> from;
    for (auto [dimension, index, extent] :
         llvm::zip(dimensions, at, input.extents())) {
      Scalar place = dimension.begin + index * dimension.stride;
      bool isKnown = dimension.begin.known() && dimension.stride.known();
      // Cut where it follows from parameters that are computed: see
      // indexFrom().
      from.push_back(isKnown ? place : clamp(place, op.index(0), extent - 1));
    }
    return input.stored(from);
  });
  op.setOutput(op.reshape(slice, op.stated(*extents)));
  return success();
}

//===----------------------------------------------------------------------===//
// PAD, PAD_V2, TILE and FILL
//===----------------------------------------------------------------------===//

/// An element that stands for 0: the zero point (M-116).
static Scalar zeroElement(OperationLowering &op, const Tensor &like) {
  Type element = like.getValueType().getElementType();
  if (like.isFloat())
    return Scalar::constant(op.getBuilder(), element, 0);
  return op.i32(like.isQuantized() ? like.getType().zeroPoint : 0).to(element);
}

Tensor nnhal::buildPadded(OperationLowering &op, const Tensor &input,
                          ArrayRef<Scalar> paddings,
                          std::optional<Scalar> element, bool isResult) {
  for (Scalar padding : paddings)
    op.check(padding >= 0, FailureReason::valueTooSmall, padding, op.index(0));
  if (llvm::all_of(paddings,
                   [](Scalar padding) { return padding.known() == 0; }))
    return input;
  SmallVector<Scalar> extents, heads;
  for (int64_t i = 0; i < input.rank(); ++i) {
    heads.push_back(paddings[2 * i]);
    extents.push_back(input.extent(i) + paddings[2 * i] + paddings[2 * i + 1]);
  }
  // Before the first element is written: the memory of an output of the model
  // has the extents that are stated, and the result may be computed in it.
  if (isResult)
    extents = op.stated(extents);
  Scalar fill = element ? *element : zeroElement(op, input);
  Tensor padded =
      op.define(input.getType(), extents, [&](Indices) { return fill; });
  return op.insert(input, padded, heads);
}

/// The scalar \p index as an element like those of \p type: its low bytes
/// (M-118), within the storage range of quantized elements.
static Scalar scalarElement(OperationLowering &op, size_t index,
                            const rt::TensorType &type, Type element) {
  Scalar value = op.scalar(index);
  if (value.getType() == element)
    return value;
  rt::StorageRange range = rt::storageRange(type.type);
  op.check(value >= range.low, FailureReason::valueTooSmall, value,
           op.index(range.low));
  op.check(value <= range.high, FailureReason::valueTooLarge, value,
           op.index(range.high));
  return value.to(element);
}

static LogicalResult lowerPad(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  std::optional<Scalar> element;
  if (op.type() == OperationType::PAD_V2)
    element = scalarElement(op, 2, input.getType(),
                            input.getValueType().getElementType());
  op.setOutput(buildPadded(op, input, op.integers(1, 2 * input.rank()), element,
                           /*isResult=*/true));
  return success();
}

/// Every dimension as [repetitions][extent].
static LogicalResult lowerTile(OperationLowering &op) {
  Tensor input = op.input(0);
  op.checkNotEmpty(input);
  SmallVector<Scalar> split, tiled;
  SmallVector<Scalar> multiples = op.integers(1, input.rank());
  for (auto [multiple, extent] : llvm::zip(multiples, input.extents())) {
    op.check(multiple >= 1, FailureReason::valueTooSmall, multiple,
             op.index(1));
    split.append({multiple, extent});
    tiled.push_back(multiple * extent);
  }
  Tensor repeated = op.define(op.outputType(), split, [&](Indices at) {
    SmallVector<Scalar> from;
    for (int64_t i = 0; i < input.rank(); ++i)
      from.push_back(at[2 * i + 1]);
    return input.stored(from);
  });
  op.setOutput(op.reshape(repeated, op.stated(tiled)));
  return success();
}

static LogicalResult lowerFill(OperationLowering &op) {
  FailureOr<int64_t> rank = op.resultRank();
  if (failed(rank))
    return failure();
  SmallVector<Scalar> extents = op.integers(0, *rank);
  for (Scalar extent : extents)
    op.check(extent >= 0, FailureReason::negativeExtent, extent, op.index(0));
  Scalar value = op.scalar(1);
  op.setOutput(op.define(op.outputType(), op.stated(extents),
                         [&](Indices) { return value; }));
  return success();
}

//===----------------------------------------------------------------------===//
// GATHER
//===----------------------------------------------------------------------===//

void nnhal::checkIndices(OperationLowering &op, size_t index, Scalar extent) {
  const rt::OperandView &operand = op.view().inputs[index];
  std::optional<int64_t> bound = extent.known();
  if (operand.value && bound) {
    bool isInRange = true;
    for (size_t at = 0; at < operand.value->size(); at += sizeof(int32_t)) {
      int32_t element = 0;
      std::memcpy(&element, operand.value->data() + at, sizeof element);
      isInRange &= element >= 0 && element < *bound;
    }
    if (isInRange)
      return;
  }
  Tensor indices = op.input(index);
  Scalar count = indices.count();
  indices = op.reshape(indices, {count});
  op.checkEach(
      count,
      [&](Scalar i) -> OperationLowering::Condition {
        Scalar found = indices.integer({i}).toIndex();
        return {(found >= 0) & (found < extent), found};
      },
      FailureReason::indexOutOfRange, extent);
}

static LogicalResult lowerGather(OperationLowering &op) {
  Tensor input = op.input(0), indices = op.input(2);
  op.checkNotEmpty(input);
  op.checkNotEmpty(indices);
  FailureOr<int64_t> axis = readAxis(op, 1);
  if (failed(axis))
    return failure();
  checkIndices(op, 2, input.extent(*axis));
  SmallVector<Scalar> inputExtents = input.extents();
  SmallVector<Scalar> extents(inputExtents.begin(),
                              inputExtents.begin() + *axis);
  extents.append(indices.extents());
  extents.append(inputExtents.begin() + *axis + 1, inputExtents.end());
  op.setOutput(op.define(op.outputType(), extents, [&](Indices at) {
    SmallVector<Scalar> from(at.take_front(*axis));
    from.push_back(op.indexFrom(indices, at.slice(*axis, indices.rank()),
                                inputExtents[*axis]));
    from.append(at.begin() + *axis + indices.rank(), at.end());
    return input.stored(from);
  }));
  return success();
}

static constexpr GeneralLoweringRow rows[] = {
    {OperationType::CONCATENATION, lowerConcatenation},
    {OperationType::FILL, lowerFill},
    {OperationType::GATHER, lowerGather},
    {OperationType::PAD, lowerPad},
    {OperationType::PAD_V2, lowerPad},
    {OperationType::SLICE, lowerSlice},
    {OperationType::SPLIT, lowerSplit},
    {OperationType::STRIDED_SLICE, lowerStridedSlice},
    {OperationType::TILE, lowerTile},
};

std::span<const GeneralLoweringRow> nnhal::generalDataMovementRows() {
  return rows;
}

//===----------------------------------------------------------------------===//
// Static tensors
//===----------------------------------------------------------------------===//

namespace {

SmallVector<int64_t> shapeOf(Value value) {
  return SmallVector<int64_t>(rankedType(value).getShape());
}

/// nnhal.concatenation -> insertions one after another, which let each
/// producer compute its part in place.
struct ConcatenationLowering : LoweringPattern<ConcatenationOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(ConcatenationOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    int64_t axis = frontAxis(op.getAxis(), type.getRank());
    SmallVector<int64_t> offsets(type.getRank(), 0);
    Value result = tensor::EmptyOp::create(builder, type.getShape(),
                                           type.getElementType());
    for (Value input : adaptor.getInputs()) {
      result = buildInsert(builder, input, result, offsets);
      offsets[axis] += rankedType(input).getDimSize(axis);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// nnhal.split -> one slice per result.
struct SplitLowering : LoweringPattern<SplitOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SplitOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    int64_t rank = rankedType(adaptor.getInput()).getRank();
    int64_t axis = frontAxis(op.getAxis(), rank);
    SmallVector<int64_t> offsets(rank, 0), ones(rank, 1);
    SmallVector<Value> parts;
    for (Value output : op.getOutputs()) {
      SmallVector<int64_t> sizes = shapeOf(output);
      parts.push_back(
          buildExtract(builder, adaptor.getInput(), offsets, sizes, ones));
      offsets[axis] += sizes[axis];
    }
    rewriter.replaceOp(op, parts);
    return success();
  }
};

/// nnhal.slice -> tensor.extract_slice.
struct SliceLowering : LoweringPattern<SliceOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SliceOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    SmallVector<int64_t> ones(type.getRank(), 1);
    rewriter.replaceOp(op, buildExtract(builder, adaptor.getInput(),
                                        op.getBegin(), type.getShape(), ones));
    return success();
  }
};

/// The elements of \p input in reverse along the dimensions that \p isReversed
/// marks.
Value buildReverse(ImplicitLocOpBuilder &builder, Value input,
                   ArrayRef<bool> isReversed) {
  RankedTensorType type = rankedType(input);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    SmallVector<Value> indices;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value index = linalg::IndexOp::create(b, dim);
      if (isReversed[dim]) {
        Value last =
            arith::ConstantIndexOp::create(b, type.getDimSize(dim) - 1);
        index = arith::SubIOp::create(b, last, index);
      }
      indices.push_back(index);
    }
    return tensor::ExtractOp::create(b, input, indices);
  };
  return buildElementwise(builder, type, {}, body);
}

/// nnhal.strided_slice -> tensor.extract_slice; where a stride is negative the
/// slice is taken forward and then reversed.
struct StridedSliceLowering : LoweringPattern<StridedSliceOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(StridedSliceOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    HalView view;
    rt::Status status = op.readHalForm(view);
    rt::Result<rt::SliceForm> form = rt::decodeSlice(view.getOperation());
    if (!status.isOk() || !form.isOk())
      return rewriter.notifyMatchFailure(op, "is no strided slice of the HAL");
    SmallVector<int64_t> offsets, sizes, strides;
    SmallVector<bool> isReversed;
    for (size_t dim = 0; dim < form->begin.size(); ++dim) {
      int64_t begin = form->begin[dim], stride = form->strides[dim];
      int64_t step = std::abs(stride);
      int64_t span = std::abs(form->end[dim] - begin);
      int64_t size = llvm::is_contained(form->shrinkAxes, int64_t(dim))
                         ? 1
                         : (span + step - 1) / step;
      bool isBackward = stride < 0;
      offsets.push_back(isBackward ? begin - (size - 1) * step : begin);
      sizes.push_back(size);
      strides.push_back(step);
      isReversed.push_back(isBackward && size > 1);
    }
    Value slice =
        buildExtract(builder, adaptor.getInput(), offsets, sizes, strides);
    if (llvm::is_contained(isReversed, true))
      slice = buildReverse(builder, slice, isReversed);
    rewriter.replaceOp(
        op, buildReshape(builder, slice, op.getOutput().getType().getShape()));
    return success();
  }
};

/// \p paddings as separate low and high extents.
void splitPaddings(ArrayRef<int64_t> paddings, SmallVector<int64_t> &low,
                   SmallVector<int64_t> &high) {
  for (size_t i = 0; i < paddings.size(); i += 2) {
    low.push_back(paddings[i]);
    high.push_back(paddings[i + 1]);
  }
}

/// nnhal.pad -> insertion into a tensor of zeros.
struct PadLowering : LoweringPattern<PadOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(PadOp op, Adaptor adaptor, ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> low, high;
    splitPaddings(op.getPaddings(), low, high);
    Value zero =
        scalarConstant(builder, op.getOutput().getType().getElementType(), 0);
    rewriter.replaceOp(
        op, buildPadded(builder, adaptor.getInput(), low, high, zero));
    return success();
  }
};

/// nnhal.pad_v2 -> insertion into a tensor of the given value.
struct PadV2Lowering : LoweringPattern<PadV2Op> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(PadV2Op op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> low, high;
    splitPaddings(op.getPaddings(), low, high);
    Value fill =
        arith::ConstantOp::create(builder, cast<TypedAttr>(op.getValue()));
    rewriter.replaceOp(
        op, buildPadded(builder, adaptor.getInput(), low, high, fill));
    return success();
  }
};

/// nnhal.fill -> linalg.fill.
struct FillLowering : LoweringPattern<FillOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(FillOp op, Adaptor adaptor, ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    Value fill =
        arith::ConstantOp::create(builder, cast<TypedAttr>(op.getValue()));
    rewriter.replaceOp(op, buildFilled(builder, type, fill));
    return success();
  }
};

/// nnhal.tile -> every dimension split into (repetition, position), read by
/// position alone, then merged.
struct TileLowering : LoweringPattern<TileOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(TileOp op, Adaptor adaptor, ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    SmallVector<int64_t> source, target;
    for (auto [extent, count] :
         llvm::zip_equal(shapeOf(adaptor.getInput()), op.getMultiples())) {
      source.append({1, extent});
      target.append({count, extent});
    }
    Value split = buildReshape(builder, adaptor.getInput(), source);
    auto copy = [](ImplicitLocOpBuilder &, ValueRange v) { return v[0]; };
    Value tiled = buildElementwise(
        builder, RankedTensorType::get(target, type.getElementType()), split,
        copy);
    rewriter.replaceOp(op, buildReshape(builder, tiled, type.getShape()));
    return success();
  }
};

} // namespace

void nnhal::populateDataMovementPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         LinalgLowering &lowering) {
  patterns.add<ConcatenationLowering, PadLowering, PadV2Lowering,
               StridedSliceLowering>(converter, patterns.getContext(),
                                     lowering);
  patterns.add<FillLowering, SliceLowering, SplitLowering, TileLowering>(
      converter, patterns.getContext(), lowering, takesFloats | takesIntegers);
  populateShapePatterns(converter, patterns, lowering);
}
