//===- TransposedConvolution.cpp - Transposed convolutions by phases ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transposed convolution of stride s computes each output pixel from the taps
// whose distance to it is a multiple of s: with k taps on an axis, from at most
// ceil(k / s) input pixels. The pixels at one distance, a phase, are the result
// of a convolution with these taps in reverse order. So the whole is one
// convolution to s * s times as many channels, a phase after the other, whose
// channels then go to their places between the pixels:
//
//   k = 3, s = 2, taps a b c, input x:   phase 0  c x[q-1] + a x[q]
//                                        phase 1  0 x[q-1] + b x[q]
//
// Where s does not divide k the shorter phases have taps of zero, by which an
// infinite input becomes a NaN in pixels that do not depend on it. Beside the
// usual way, a convolution over the input spread with zeros, this multiplies a
// fourth for s = 2 where s divides k, and 16 in place of 36 for k = 3. Upstream
// has no such rewrite.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "../Common/ConstantData.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;

namespace {

/// One axis of a transposed convolution as a convolution.
struct PhaseAxis {
  /// Taps of each phase, and the phases.
  int64_t taps, phases;
  /// Padding of the convolution, and the extent of its result.
  int64_t head, tail, windows;
  /// Where the output begins among the pixels of all phases, and its extent.
  int64_t first, output;

  bool isWhole() const { return first == 0 && output == windows * phases; }
};

/// Arranges the taps of a filter by phases.
class FilterByPhases {
public:
  FilterByPhases(ArrayRef<int64_t> ohwi, const PhaseAxis &rows,
                 const PhaseAxis &columns)
      : ohwi(ohwi), rows(rows), columns(columns) {}

  SmallVector<int64_t> shape() const {
    return {rows.phases * columns.phases * ohwi[0], rows.taps, columns.taps,
            ohwi[3]};
  }
  /// The bytes of the filter; \p zero is the byte that stands for real zero.
  std::vector<char> arrange(ArrayRef<char> source, char zero) const;

private:
  /// The tap of the transposed convolution that is tap \p tap of \p phase.
  static int64_t tapOf(const PhaseAxis &axis, int64_t phase, int64_t tap) {
    return phase + (axis.taps - 1 - tap) * axis.phases;
  }

  ArrayRef<int64_t> ohwi;
  const PhaseAxis &rows, &columns;
};

struct ConvolveByPhases : OpRewritePattern<TransposeConv2DOp> {
  ConvolveByPhases(MLIRContext *context, Pass::Statistic *numConvolved)
      : OpRewritePattern<TransposeConv2DOp>(context),
        numConvolved(numConvolved) {}

  LogicalResult matchAndRewrite(TransposeConv2DOp op,
                                PatternRewriter &rewriter) const override;

  Pass::Statistic *numConvolved;
};

} // namespace

std::vector<char> FilterByPhases::arrange(ArrayRef<char> source,
                                          char zero) const {
  const size_t pixel = source.size() / size_t(ohwi[0] * ohwi[1] * ohwi[2]);
  std::vector<char> arranged;
  arranged.reserve(size_t(ShapedType::getNumElements(shape())) * pixel /
                   size_t(ohwi[3]));
  auto append = [&](int64_t channel, int64_t row, int64_t column) {
    if (row >= ohwi[1] || column >= ohwi[2]) {
      arranged.insert(arranged.end(), pixel, zero);
      return;
    }
    ArrayRef<char> found = source.slice(
        size_t((channel * ohwi[1] + row) * ohwi[2] + column) * pixel, pixel);
    arranged.insert(arranged.end(), found.begin(), found.end());
  };
  for (int64_t phase = 0; phase < rows.phases * columns.phases; ++phase)
    for (int64_t channel = 0; channel < ohwi[0]; ++channel)
      for (int64_t row = 0; row < rows.taps; ++row)
        for (int64_t column = 0; column < columns.taps; ++column)
          append(channel, tapOf(rows, phase / columns.phases, row),
                 tapOf(columns, phase % columns.phases, column));
  return arranged;
}

/// The pads at the head of \p axis of \p op, 0 for rows; M-086 where they
/// follow from the extent of the result.
static int64_t headPad(TransposeConv2DOp op, unsigned axis, int64_t taps,
                       int64_t output) {
  if (std::optional<ArrayRef<int64_t>> pads = op.getPads())
    return (*pads)[2 * size_t(axis)];
  int64_t stride = op.getStrides()[axis];
  int64_t windows = llvm::divideCeil(output, stride);
  return std::max<int64_t>((windows - 1) * stride + taps - output, 0) / 2;
}

/// Axis 0, rows, or 1, columns, of \p op, whose shapes are known. Nothing where
/// phases without taps would make the filter more than twice as long, and where
/// the result goes on so far after the last window that a convolution would
/// have a whole window of padding there.
static std::optional<PhaseAxis> phaseAxis(TransposeConv2DOp op, unsigned axis) {
  unsigned dimension = axis + 1;
  int64_t input = op.getInput().getType().getDimSize(dimension);
  int64_t taps = op.getFilter().getType().getDimSize(dimension);
  PhaseAxis result = {};
  result.output = op.getOutput().getType().getDimSize(dimension);
  result.phases = op.getStrides()[axis];
  if (result.phases > 2 * taps)
    return std::nullopt;
  result.taps = llvm::divideCeil(taps, result.phases);
  int64_t head = headPad(op, axis, taps, result.output);
  // In pixels of the convolution, the first and the last one that is needed.
  int64_t begin = head / result.phases;
  int64_t end = (head + result.output - 1) / result.phases;
  result.first = head % result.phases;
  result.head = result.taps - 1 - begin;
  result.tail = std::max<int64_t>(end - (input - 1), 0);
  result.windows = input + result.head + result.tail - (result.taps - 1);
  if (result.head < 0 || result.tail >= result.taps || result.windows < 1)
    return std::nullopt;
  return result;
}

/// \p type, of a filter, with the scales of its output channels once for each
/// of \p phases; null where it has no such type.
static Type filterElement(Type type, int64_t phases) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  if (!perAxis)
    return type;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  for (int64_t phase = 0; phase < phases; ++phase) {
    llvm::append_range(scales, perAxis.getScales());
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
  }
  return quant::UniformQuantizedPerAxisType::get(
      perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(),
      scales, zeroPoints, perAxis.getQuantizedDimension(),
      perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax());
}

/// The byte that stands for real zero among elements of \p type.
static char zeroByte(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  return quantized ? char(quantized.getZeroPoint()) : char(0);
}

/// A constant of \p shape and \p element with \p bytes, in place of \p source.
static Value createConstant(PatternRewriter &rewriter, Location location,
                            ArrayRef<int64_t> shape, Type element,
                            ArrayRef<char> bytes, ElementsAttr source,
                            StringRef name) {
  ElementsAttr value =
      makeResource(RankedTensorType::get(shape, source.getElementType()), bytes,
                   source, name, "_by_phases");
  return ConstantOp::create(rewriter, location,
                            RankedTensorType::get(shape, element), value);
}

/// Puts the phases, which are the channels of \p pixels, in their places.
static Value interleave(PatternRewriter &rewriter, Location location,
                        TypedValue<RankedTensorType> pixels,
                        const PhaseAxis &rows, const PhaseAxis &columns) {
  RankedTensorType type = pixels.getType();
  Type element = type.getElementType();
  auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return ReshapeOp::create(rewriter, location,
                             RankedTensorType::get(shape, element), value);
  };
  int64_t batches = type.getDimSize(0);
  int64_t wide = type.getDimSize(3) / rows.phases;
  Value value = pixels;
  // The phases of a row lie one beside the other already.
  if (rows.phases > 1) {
    int64_t lines = batches * rows.windows;
    value = reshape(value, {lines, columns.windows, rows.phases, wide});
    value = TransposeOp::create(
        rewriter, location,
        RankedTensorType::get({lines, rows.phases, columns.windows, wide},
                              element),
        value, ArrayRef<int64_t>{0, 2, 1, 3});
  }
  return reshape(value,
                 {batches, rows.windows * rows.phases,
                  columns.windows * columns.phases, wide / columns.phases});
}

LogicalResult
ConvolveByPhases::matchAndRewrite(TransposeConv2DOp op,
                                  PatternRewriter &rewriter) const {
  ElementsAttr filter, bias;
  if (!matchPattern(op.getFilter(), m_Constant(&filter)) ||
      !matchPattern(op.getBias(), m_Constant(&bias)))
    return rewriter.notifyMatchFailure(op, "filter or bias is computed");
  RankedTensorType input = op.getInput().getType();
  RankedTensorType output = op.getOutput().getType();
  RankedTensorType filterType = op.getFilter().getType();
  if (!hasElements(input) || !hasElements(output) || !hasElements(filterType))
    return rewriter.notifyMatchFailure(op, "extents are not known or 0");
  std::optional<PhaseAxis> rows = phaseAxis(op, 0), columns = phaseAxis(op, 1);
  if (!rows || !columns)
    return rewriter.notifyMatchFailure(op, "more gaps or padding than taps");
  auto filterBytes = ConstantBytes::of(filter),
       biasBytes = ConstantBytes::of(bias);
  if (!filterBytes || !biasBytes)
    return rewriter.notifyMatchFailure(op, "constants without bytes");
  Location location = op.getLoc();
  int64_t phases = rows->phases * columns->phases;
  FilterByPhases arranged(filterType.getShape(), *rows, *columns);
  Type element = filterType.getElementType();
  Value filterByPhases = createConstant(
      rewriter, location, arranged.shape(), filterElement(element, phases),
      arranged.arrange(filterBytes->bytes(), zeroByte(element)), filter,
      "filter");
  int64_t channels = arranged.shape()[0];
  std::vector<char> repeated;
  for (int64_t phase = 0; phase < phases; ++phase)
    llvm::append_range(repeated, biasBytes->bytes());
  Value biasByPhases = createConstant(
      rewriter, location, channels,
      cast<RankedTensorType>(op.getBias().getType()).getElementType(), repeated,
      bias, "bias");
  auto conv = Conv2DOp::create(
      rewriter, location,
      RankedTensorType::get(
          {input.getDimSize(0), rows->windows, columns->windows, channels},
          output.getElementType()),
      op.getInput(), filterByPhases, biasByPhases,
      rewriter.getDenseI64ArrayAttr(
          {rows->head, rows->tail, columns->head, columns->tail}),
      ArrayRef<int64_t>{1, 1}, op.getActivation());
  Value result = conv.getOutput();
  if (phases > 1)
    result = interleave(rewriter, location, conv.getOutput(), *rows, *columns);
  if (!rows->isWhole() || !columns->isWhole())
    result =
        SliceOp::create(rewriter, location, output, result,
                        ArrayRef<int64_t>{0, rows->first, columns->first, 0},
                        output.getShape());
  rewriter.replaceOp(op, result);
  if (numConvolved)
    ++*numConvolved;
  return success();
}

void nnhal::populateTransposedConvolutionPatterns(
    RewritePatternSet &patterns, Pass::Statistic *numConvolved) {
  patterns.add<ConvolveByPhases>(patterns.getContext(), numConvolved);
}
