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
#include "Weights.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/Sequence.h"
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
  FilterByPhases(RankedTensorType source, const PhaseAxis &rows,
                 const PhaseAxis &columns)
      : source(source), ohwi(source.getShape()), rows(rows), columns(columns) {}

  /// The type of the result: all channels of a phase, then those of the next.
  RankedTensorType type() const;
  /// The bytes of the result, for those of the source.
  std::vector<char> arrange(ArrayRef<char> bytes) const;

private:
  int64_t phases() const { return rows.phases * columns.phases; }
  /// The tap of the transposed convolution that is tap \p tap of \p phase.
  static int64_t tapOf(const PhaseAxis &axis, int64_t phase, int64_t tap) {
    return phase + (axis.taps - 1 - tap) * axis.phases;
  }

  RankedTensorType source;
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

/// The byte that stands for real zero among elements of \p type.
static char zeroByte(Type type) {
  auto quantized = dyn_cast<quant::UniformQuantizedType>(type);
  return quantized ? char(quantized.getZeroPoint()) : char(0);
}

RankedTensorType FilterByPhases::type() const {
  SmallVector<int64_t> channels;
  for (int64_t phase = 0; phase < phases(); ++phase)
    llvm::append_range(channels, llvm::seq<int64_t>(0, ohwi[0]));
  return RankedTensorType::get(
      {int64_t(channels.size()), rows.taps, columns.taps, ohwi[3]},
      selectChannels(source.getElementType(), channels, /*dimension=*/0));
}

std::vector<char> FilterByPhases::arrange(ArrayRef<char> bytes) const {
  const size_t pixel = bytes.size() / size_t(ohwi[0] * ohwi[1] * ohwi[2]);
  const char zero = zeroByte(source.getElementType());
  std::vector<char> arranged;
  arranged.reserve(size_t(phases() * ohwi[0] * rows.taps * columns.taps) *
                   pixel);
  auto append = [&](int64_t channel, int64_t row, int64_t column) {
    if (row >= ohwi[1] || column >= ohwi[2]) {
      arranged.insert(arranged.end(), pixel, zero);
      return;
    }
    ArrayRef<char> found = bytes.slice(
        size_t((channel * ohwi[1] + row) * ohwi[2] + column) * pixel, pixel);
    arranged.insert(arranged.end(), found.begin(), found.end());
  };
  for (int64_t phase = 0; phase < phases(); ++phase)
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

/// The bias \p bias of each channel, once for each of \p phases.
static Value repeatBias(PatternRewriter &rewriter, Location location,
                        RankedTensorType type, const ConstantWeights &bias,
                        int64_t phases) {
  std::vector<char> repeated;
  repeated.reserve(bias.bytes().size() * size_t(phases));
  for (int64_t phase = 0; phase < phases; ++phase)
    llvm::append_range(repeated, bias.bytes());
  return bias.replace(
      rewriter, location,
      RankedTensorType::get(type.getDimSize(0) * phases, type.getElementType()),
      repeated, "_by_phases");
}

LogicalResult
ConvolveByPhases::matchAndRewrite(TransposeConv2DOp op,
                                  PatternRewriter &rewriter) const {
  RankedTensorType input = op.getInput().getType();
  RankedTensorType output = op.getOutput().getType();
  RankedTensorType filterType = op.getFilter().getType();
  if (!hasElements(input) || !hasElements(output) || !hasElements(filterType))
    return rewriter.notifyMatchFailure(op, "extents are not known or 0");
  std::optional<PhaseAxis> rows = phaseAxis(op, 0), columns = phaseAxis(op, 1);
  if (!rows || !columns)
    return rewriter.notifyMatchFailure(op, "more gaps or padding than taps");
  auto filter = ConstantWeights::of(op.getFilter());
  auto bias = ConstantWeights::of(op.getBias());
  if (!filter || !bias)
    return rewriter.notifyMatchFailure(op, "filter or bias is computed");
  Location location = op.getLoc();
  int64_t phases = rows->phases * columns->phases;
  FilterByPhases byPhases(filterType, *rows, *columns);
  Value arranged =
      filter->replace(rewriter, location, byPhases.type(),
                      byPhases.arrange(filter->bytes()), "_by_phases");
  auto conv = Conv2DOp::create(
      rewriter, location,
      output.clone({input.getDimSize(0), rows->windows, columns->windows,
                    phases * output.getDimSize(3)}),
      op.getInput(), arranged,
      repeatBias(rewriter, location,
                 cast<RankedTensorType>(op.getBias().getType()), *bias, phases),
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
