//===- ResizePatterns.cpp - Resizing of static f32 tensors ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "nnhal/Dialect/NNHal/IR/DiscardableAttributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace nnhal;

namespace {

/// How positions of one output dimension map to one input dimension.
struct ResizeAxis {
  int64_t in;
  int64_t out;
  bool alignCorners;
  bool halfPixelCenters;

  /// In f32, as the reference computes it (M-201, M-204).
  float scale() const {
    if (alignCorners && out > 1)
      return static_cast<float>(in - 1) / static_cast<float>(out - 1);
    return static_cast<float>(in) / static_cast<float>(out);
  }
};

/// Per output position: the two input positions and the weight of the second.
struct BilinearTable {
  SmallVector<int32_t> lower, upper;
  SmallVector<float> weight;
};

BilinearTable bilinearTable(const ResizeAxis &axis) {
  BilinearTable table;
  for (int64_t i = 0; i < axis.out; ++i) {
    float position = static_cast<float>(i) * axis.scale();
    if (axis.halfPixelCenters)
      position = (static_cast<float>(i) + 0.5f) * axis.scale() - 0.5f;
    position = std::max(position, 0.0f);
    auto lower = std::min(static_cast<int64_t>(position), axis.in - 1);
    table.lower.push_back(static_cast<int32_t>(lower));
    table.upper.push_back(
        static_cast<int32_t>(std::min(lower + 1, axis.in - 1)));
    table.weight.push_back(position - static_cast<float>(lower));
  }
  return table;
}

/// Per output position: the nearest input position.
SmallVector<int32_t> nearestTable(const ResizeAxis &axis) {
  SmallVector<int32_t> table;
  for (int64_t i = 0; i < axis.out; ++i) {
    float offset = axis.halfPixelCenters ? 0.5f : 0.0f;
    float position = (static_cast<float>(i) + offset) * axis.scale();
    position = axis.alignCorners ? std::round(position) : std::floor(position);
    table.push_back(static_cast<int32_t>(
        std::clamp<int64_t>(static_cast<int64_t>(position), 0, axis.in - 1)));
  }
  return table;
}

template <typename Element>
Value buildTable(ImplicitLocOpBuilder &builder, ArrayRef<Element> elements) {
  Type type = std::is_same_v<Element, float> ? Type(builder.getF32Type())
                                             : Type(builder.getI32Type());
  auto tensorType =
      RankedTensorType::get(static_cast<int64_t>(elements.size()), type);
  return arith::ConstantOp::create(
      builder, DenseElementsAttr::get(tensorType, elements));
}

/// table[position] as an index.
Value readIndex(ImplicitLocOpBuilder &b, Value table, Value position) {
  Value element = tensor::ExtractOp::create(b, table, position);
  return arith::IndexCastOp::create(b, b.getIndexType(), element);
}

using PixelBuilder =
    function_ref<Value(ImplicitLocOpBuilder &, ValueRange, Value pixel)>;

/// Loops over batch, row and column of a result of \p type; \p pixel gets these
/// three indices and the channels of one pixel, and returns the channels that
/// take their place. The innermost work is thus a contiguous row of channels,
/// which a gather per element would not be.
Value buildPixelLoops(ImplicitLocOpBuilder &builder, RankedTensorType type,
                      PixelBuilder pixel) {
  Value result =
      tensor::EmptyOp::create(builder, type.getShape(), type.getElementType());
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value one = arith::ConstantIndexOp::create(builder, 1);
  SmallVector<Value> indices;
  SmallVector<scf::ForOp> loops;
  OpBuilder::InsertionGuard guard(builder);
  for (int64_t dim = 0; dim < 3; ++dim) {
    Value extent =
        arith::ConstantIndexOp::create(builder, type.getDimSize(dim));
    auto loop = scf::ForOp::create(builder, zero, extent, one, result);
    loop->setAttr(parallelLoopAttrName, builder.getUnitAttr());
    loops.push_back(loop);
    indices.push_back(loop.getInductionVar());
    result = loop.getRegionIterArg(0);
    builder.setInsertionPointToStart(loop.getBody());
  }
  SmallVector<OpFoldResult> offsets(indices.begin(), indices.end());
  offsets.push_back(builder.getIndexAttr(0));
  SmallVector<OpFoldResult> sizes(3, builder.getIndexAttr(1));
  sizes.push_back(builder.getIndexAttr(type.getDimSize(3)));
  SmallVector<OpFoldResult> strides(4, builder.getIndexAttr(1));
  auto channels =
      RankedTensorType::get(type.getDimSize(3), type.getElementType());
  Value slice = tensor::ExtractSliceOp::create(builder, channels, result,
                                               offsets, sizes, strides);
  Value written = pixel(builder, indices, slice);
  Value inner = tensor::InsertSliceOp::create(builder, written, result, offsets,
                                              sizes, strides);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, inner);
    inner = loop.getResult(0);
  }
  return inner;
}

/// The channels of input[batch, row, column].
Value readPixel(ImplicitLocOpBuilder &b, Value input, Value batch, Value row,
                Value column) {
  RankedTensorType type = rankedType(input);
  SmallVector<OpFoldResult> offsets = {batch, row, column, b.getIndexAttr(0)};
  SmallVector<OpFoldResult> sizes(3, b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(type.getDimSize(3)));
  SmallVector<OpFoldResult> strides(4, b.getIndexAttr(1));
  auto channels =
      RankedTensorType::get(type.getDimSize(3), type.getElementType());
  return tensor::ExtractSliceOp::create(b, channels, input, offsets, sizes,
                                        strides);
}

template <typename OpTy> ResizeAxis resizeAxis(OpTy op, unsigned dim) {
  return {op.getInput().getType().getDimSize(dim),
          op.getOutput().getType().getDimSize(dim), op.getAlignCorners(),
          op.getHalfPixelCenters()};
}

/// A sum of pixels, each with its weight.
Value weightedPixels(ImplicitLocOpBuilder &b, Value init,
                     ArrayRef<Value> pixels, ArrayRef<Value> weights) {
  return buildElementwiseInto(
      b, init, pixels, [&](ImplicitLocOpBuilder &body, ValueRange elements) {
        Value sum = arith::MulFOp::create(body, elements[0], weights[0]);
        for (unsigned i = 1; i < weights.size(); ++i)
          sum = arith::AddFOp::create(
              body, sum, arith::MulFOp::create(body, elements[i], weights[i]));
        return sum;
      });
}

/// One dimension of a bilinear interpolation, with its tables as constants.
class BilinearAxis {
public:
  BilinearAxis(ImplicitLocOpBuilder &builder, const ResizeAxis &axis)
      : axis(axis), table(bilinearTable(axis)),
        lower(buildTable<int32_t>(builder, table.lower)),
        upper(buildTable<int32_t>(builder, table.upper)),
        weight(buildTable<float>(builder, table.weight)) {}

  int64_t in() const { return axis.in; }
  int64_t out() const { return axis.out; }
  /// Whether every position is that of the input.
  bool isIdentity() const {
    return llvm::equal(table.lower, llvm::seq<int32_t>(0, axis.in)) &&
           llvm::all_of(table.weight, [](float w) { return w == 0; });
  }

  struct Neighbours {
    std::array<Value, 2> positions, weights;
  };
  Neighbours neighbours(ImplicitLocOpBuilder &b, Value position) const {
    Value second = tensor::ExtractOp::create(b, weight, position);
    Value one = scalarConstant(b, b.getF32Type(), 1);
    Value first = arith::SubFOp::create(b, one, second);
    return {{readIndex(b, lower, position), readIndex(b, upper, position)},
            {first, second}};
  }

private:
  ResizeAxis axis;
  BilinearTable table;
  Value lower, upper, weight;
};

/// nnhal.resize_bilinear -> loops over pixels; positions and weights come from
/// constant tables.
struct ResizeBilinearLowering : LoweringPattern<ResizeBilinearOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(ResizeBilinearOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOutput().getType();
    BilinearAxis rows(builder, resizeAxis(op, 1));
    BilinearAxis columns(builder, resizeAxis(op, 2));
    Value input = adaptor.getInput();
    // Rows first, of the input's width: 2 + 2 products for each element in
    // place of 4, with half as many pixels to find.
    if (columns.in() <= columns.out()) {
      if (!rows.isIdentity()) {
        SmallVector<int64_t> shape(type.getShape());
        shape[2] = columns.in();
        input = interpolated(builder, input, type.clone(shape), rows, 1);
      }
      if (!columns.isIdentity())
        input = interpolated(builder, input, type, columns, 2);
      rewriter.replaceOp(op, input);
      return success();
    }
    auto pixel = [&](ImplicitLocOpBuilder &b, ValueRange at, Value init) {
      auto [y, dy] = rows.neighbours(b, at[1]);
      auto [x, dx] = columns.neighbours(b, at[2]);
      SmallVector<Value> corners, weights;
      for (unsigned row = 0; row < 2; ++row)
        for (unsigned column = 0; column < 2; ++column) {
          corners.push_back(readPixel(b, input, at[0], y[row], x[column]));
          weights.push_back(arith::MulFOp::create(b, dy[row], dx[column]));
        }
      return weightedPixels(b, init, corners, weights);
    };
    rewriter.replaceOp(op, buildPixelLoops(builder, type, pixel));
    return success();
  }

  /// \p input with dimension \p dim, row or column, as in \p type.
  static Value interpolated(ImplicitLocOpBuilder &builder, Value input,
                            RankedTensorType type, const BilinearAxis &axis,
                            unsigned dim) {
    return buildPixelLoops(
        builder, type, [&](ImplicitLocOpBuilder &b, ValueRange at, Value init) {
          auto [positions, weights] = axis.neighbours(b, at[dim]);
          SmallVector<Value> pixels;
          for (Value position : positions) {
            SmallVector<Value> index(at);
            index[dim] = position;
            pixels.push_back(readPixel(b, input, index[0], index[1], index[2]));
          }
          return weightedPixels(b, init, pixels, weights);
        });
  }
};

/// nnhal.resize_nearest_neighbor -> loops over pixels that copy channels.
struct ResizeNearestLowering : LoweringPattern<ResizeNearestNeighborOp> {
  using LoweringPattern::LoweringPattern;
  LogicalResult lower(ResizeNearestNeighborOp op, Adaptor adaptor,
                      ImplicitLocOpBuilder &builder,
                      ConversionPatternRewriter &rewriter) const override {
    SmallVector<int32_t> rows = nearestTable(resizeAxis(op, 1));
    SmallVector<int32_t> columns = nearestTable(resizeAxis(op, 2));
    Value row = buildTable<int32_t>(builder, rows);
    Value column = buildTable<int32_t>(builder, columns);
    auto pixel = [&](ImplicitLocOpBuilder &b, ValueRange at, Value init) {
      Value source =
          readPixel(b, adaptor.getInput(), at[0], readIndex(b, row, at[1]),
                    readIndex(b, column, at[2]));
      return linalg::CopyOp::create(b, source, init).getResult(0);
    };
    rewriter.replaceOp(
        op, buildPixelLoops(builder, op.getOutput().getType(), pixel));
    return success();
  }
};

} // namespace

void nnhal::populateResizePatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns,
                                   LinalgLowering &lowering) {
  patterns.add<ResizeBilinearLowering, ResizeNearestLowering>(
      converter, patterns.getContext(), lowering);
}
