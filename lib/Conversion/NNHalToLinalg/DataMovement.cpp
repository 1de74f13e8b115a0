//===- DataMovement.cpp - Data movement -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "nnhal/Backend/Signatures/DataMovement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

namespace {

SmallVector<int64_t> shapeOf(Value value) {
  return SmallVector<int64_t>(rankedType(value).getShape());
}

/// An operation that keeps the order of the elements -> tensor reshapes.
template <typename OpTy> struct ReshapeLowering : LoweringPattern<OpTy> {
  using LoweringPattern<OpTy>::LoweringPattern;
  LogicalResult lower(OpTy op, typename OpTy::Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, buildReshape(builder, adaptor.getInput(),
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.transpose -> linalg.transpose.
struct TransposeLowering : LoweringPattern<TransposeOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(TransposeOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, buildTranspose(builder, adaptor.getInput(), op.getPermutation()));
    return success();
  }
};

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

/// Splits dimensions, transposes, merges: how all the swaps below work.
Value buildShuffle(ImplicitLocOpBuilder &builder, Value input,
                   ArrayRef<int64_t> split, ArrayRef<int64_t> permutation,
                   ArrayRef<int64_t> shape) {
  Value parts = buildReshape(builder, input, split);
  return buildReshape(builder, buildTranspose(builder, parts, permutation),
                      shape);
}

/// nnhal.channel_shuffle -> transposition of (group, channel).
struct ChannelShuffleLowering : LoweringPattern<ChannelShuffleOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(ChannelShuffleOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> shape = shapeOf(adaptor.getInput());
    auto rank = static_cast<int64_t>(shape.size());
    int64_t axis = frontAxis(op.getAxis(), rank);
    auto groups = static_cast<int64_t>(op.getGroups());
    SmallVector<int64_t> split = shape;
    split[axis] /= groups;
    split.insert(split.begin() + axis, groups);
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
    std::swap(permutation[axis], permutation[axis + 1]);
    rewriter.replaceOp(op, buildShuffle(builder, adaptor.getInput(), split,
                                        permutation, shape));
    return success();
  }
};

/// nnhal.depth_to_space -> transposition; blocks are the outer part of the
/// channels (M-119).
struct DepthToSpaceLowering : LoweringPattern<DepthToSpaceOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(DepthToSpaceOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    auto block = static_cast<int64_t>(op.getBlockSize());
    rewriter.replaceOp(op, buildShuffle(builder, adaptor.getInput(),
                                        {in[0], in[1], in[2], block, block,
                                         in[3] / (block * block)},
                                        {0, 1, 3, 2, 4, 5},
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.space_to_depth -> the inverse transposition.
struct SpaceToDepthLowering : LoweringPattern<SpaceToDepthOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SpaceToDepthOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    auto block = static_cast<int64_t>(op.getBlockSize());
    rewriter.replaceOp(
        op,
        buildShuffle(builder, adaptor.getInput(),
                     {in[0], in[1] / block, block, in[2] / block, block, in[3]},
                     {0, 1, 3, 2, 4, 5}, op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.batch_to_space_nd -> transposition.
struct BatchToSpaceLowering : LoweringPattern<BatchToSpaceNDOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(BatchToSpaceNDOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int64_t> in = shapeOf(adaptor.getInput());
    int64_t height = op.getBlockShape()[0], width = op.getBlockShape()[1];
    rewriter.replaceOp(
        op, buildShuffle(
                builder, adaptor.getInput(),
                {height, width, in[0] / (height * width), in[1], in[2], in[3]},
                {2, 3, 0, 4, 1, 5}, op.getOutput().getType().getShape()));
    return success();
  }
};

/// nnhal.space_to_batch_nd -> pad and transposition.
struct SpaceToBatchLowering : LoweringPattern<SpaceToBatchNDOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(SpaceToBatchNDOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput();
    ArrayRef<int64_t> pads = op.getPads();
    if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; })) {
      Value zero =
          scalarConstant(builder, rankedType(input).getElementType(), 0);
      input = buildPadded(builder, input, {0, pads[0], pads[2], 0},
                          {0, pads[1], pads[3], 0}, zero);
    }
    SmallVector<int64_t> in = shapeOf(input);
    int64_t height = op.getBlockShape()[0], width = op.getBlockShape()[1];
    rewriter.replaceOp(op, buildShuffle(builder, input,
                                        {in[0], in[1] / height, height,
                                         in[2] / width, width, in[3]},
                                        {2, 4, 0, 1, 3, 5},
                                        op.getOutput().getType().getShape()));
    return success();
  }
};

} // namespace

void nnhal::populateDataMovementPatterns(const TypeConverter &converter,
                                         RewritePatternSet &patterns,
                                         LinalgLowering &lowering) {
  patterns.add<BatchToSpaceLowering, ChannelShuffleLowering,
               ConcatenationLowering, DepthToSpaceLowering, PadLowering,
               PadV2Lowering, ReshapeLowering<ReshapeOp>,
               ReshapeLowering<SqueezeOp>, SpaceToBatchLowering,
               SpaceToDepthLowering, StridedSliceLowering, TransposeLowering>(
      converter, patterns.getContext(), lowering);
  patterns.add<FillLowering, ReshapeLowering<ExpandDimsOp>, SliceLowering,
               SplitLowering, TileLowering>(
      converter, patterns.getContext(), lowering, takesFloats | takesIntegers);
}
