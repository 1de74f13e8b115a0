//===- Contraction.cpp - Convolutions and products of any type and shape --===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each output element is a sum of products over the places of its window that
// lie inside the input: the padding is real 0 (M-076). Quantized values, less
// their zero points, are added up modulo 2^32 (M-014).
//
// A lowering first reads the operands and resolves the window along height and
// width: pads that follow from extents, the extent of the output, checks of
// what is not known. Then operations of known extents are named ones of linalg
// (NamedOperations.h). Anything else, which is what has extents, strides or
// groups that only an execution knows, has loops over the rows, columns and
// channels of the window, with bounds that leave the padding out.
//
// A transposed convolution is turned round: an output element is the sum over
// those input pixels whose windows reach it. A product of matrices
// (FULLY_CONNECTED) has a window of one place.
//
//===----------------------------------------------------------------------===//

#include "ContractionOutput.h"
#include "Engine/WindowAxes.h"
#include "NamedOperations.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;
using rt::OperationType;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {
/// A convolution of any kind.
struct Convolution {
  Tensor input, filter;
  /// The extents of the input.
  Pixel image;
  WindowAxes axes;
  Scalar outputChannels;
  /// Depth multiplier or groups; 1 for other kinds.
  Scalar factor;
  rt::FusedActivation activation = rt::FusedActivation::none;
};
} // namespace

/// Reads what all kinds have. \p isSame: pads follow from extents.
static LogicalResult readConvolution(OperationLowering &op, Convolution &conv,
                                     bool &isSame) {
  WindowOperands operands(op);
  WindowAxis &rows = conv.axes.rows, &columns = conv.axes.columns;
  if (failed(operands.readPadding(conv.axes)))
    return failure();
  operands.readPair("stride", columns.stride, rows.stride);
  std::string_view factor = op.states("groups") ? "groups" : "depth multiplier";
  conv.factor = op.states(factor) ? operands.readInteger(factor) : op.index(1);
  FailureOr<rt::FusedActivation> activation = operands.readActivation();
  if (failed(activation))
    return failure();
  if (op.states("dilation width"))
    operands.readPair("dilation", columns.dilation, rows.dilation);
  isSame = operands.isSame();
  conv.activation = *activation;
  conv.input = op.input(0);
  conv.filter = op.input(1);
  conv.image = extentsOf(conv.input);
  Scalar outer = conv.filter.extent(0), inner = conv.filter.extent(3);
  rows.input = conv.image.row;
  columns.input = conv.image.column;
  rows.window = conv.filter.extent(1);
  columns.window = conv.filter.extent(2);
  bool isDepthwise = op.type() == OperationType::DEPTHWISE_CONV_2D;
  conv.outputChannels = isDepthwise ? inner : outer;
  checkNotEmpty(op, conv.image);
  checkAtLeast(op, outer, 1);
  checkAtLeast(op, inner, 1);
  checkAtLeast(op, conv.factor, 1);
  return success();
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

static Scalar product(const Tensor &lhs, Indices lhsAt, const Tensor &rhs,
                      Indices rhsAt) {
  if (lhs.isFloat())
    return lhs.real(lhsAt) * rhs.real(rhsAt);
  return lhs.centered(lhsAt) * rhs.centered(rhsAt);
}

/// Marks the loop that gives \p sum as one for LLVM's vectorizer, which may
/// reorder the sum then.
static Scalar vectorized(Scalar sum) {
  auto loop = sum.get().getDefiningOp<scf::ForOp>();
  if (!loop)
    return sum;
  MLIRContext *context = loop.getContext();
  auto vectorize = LLVM::LoopVectorizeAttr::get(
      context, /*disable=*/BoolAttr::get(context, false),
      /*predicateEnable=*/{}, /*scalableEnable=*/{}, /*width=*/{},
      /*followupVectorized=*/{}, /*followupEpilogue=*/{}, /*followupAll=*/{});
  loop->setAttr("loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    context, /*disableNonforced=*/{}, vectorize,
                    /*interleave=*/{}, /*unroll=*/{}, /*unrollAndJam=*/{},
                    /*licm=*/{}, /*distribute=*/{}, /*pipeline=*/{},
                    /*peeled=*/{}, /*unswitch=*/{}, /*mustProgress=*/{},
                    /*isVectorized=*/{}, /*startLoc=*/{}, /*endLoc=*/{},
                    /*parallelAccesses=*/{}));
  return sum;
}

/// Adds \p element over \p places to \p sum.
static Scalar addOver(OperationLowering &op, Places places, Scalar sum,
                      llvm::function_ref<Scalar(Scalar place)> element) {
  return op
      .loop(places.begin, places.end, {sum},
            [&](Scalar place, ArrayRef<Scalar> values) {
              return SmallVector<Scalar>{values[0] + element(place)};
            })
      .front();
}

/// The sum of \p element over \p rows and \p columns.
static Scalar
sumOver(OperationLowering &op, Places rows, Places columns, Scalar zero,
        llvm::function_ref<Scalar(Scalar row, Scalar column)> element) {
  return op
      .loop(rows.begin, rows.end, {zero},
            [&](Scalar row, ArrayRef<Scalar> values) {
              return SmallVector<Scalar>{
                  addOver(op, columns, values[0],
                          [&](Scalar column) { return element(row, column); })};
            })
      .front();
}

static bool isStatic(const Tensor &tensor) {
  return tensor.getValueType().hasStaticShape();
}

/// Gives the sum of output element \p at.
using SumBuilder = llvm::function_ref<Scalar(const Pixel &at)>;

/// Defines the output of a convolution of known output extents.
static void defineOutput(OperationLowering &op, const Convolution &conv,
                         SumBuilder sumOf) {
  ContractionOutput output(op, conv.activation);
  output.checkChannels(conv.outputChannels);
  const WindowAxis &rows = conv.axes.rows, &columns = conv.axes.columns;
  auto extents = indicesOf(
      {conv.image.batch, rows.output, columns.output, conv.outputChannels});
  auto sumAt = [&](Indices indices) { return sumOf(pixelAt(indices)); };
  auto finish = [&](Scalar sum, Indices indices) {
    return output.finish(sum, pixelAt(indices).channel);
  };
  if (conv.input.isFloat() || !isStatic(conv.input) || !isStatic(conv.filter)) {
    op.setOutput(op.define(op.outputType(), extents, [&](Indices indices) {
      return finish(sumAt(indices), indices);
    }));
    return;
  }
  // In a step of its own, scaling becomes a loop over vectors.
  rt::TensorType sumType;
  sumType.type = OperandType::TENSOR_INT32;
  Tensor sums = op.define(sumType, extents, sumAt);
  op.setOutput(op.define(op.outputType(), extents, [&](Indices indices) {
    return finish(sums.integer(indices), indices);
  }));
}

static Scalar zeroOf(OperationLowering &op, const Tensor &input) {
  return input.isFloat() ? op.f32(0) : op.i32(0);
}

/// The sum over the input channels, from \p first on, of pixel \p from and
/// output channel \p channel at a place of the window.
static Scalar dotProduct(OperationLowering &op, const Convolution &conv,
                         const Tensor &input, const Tensor &filter,
                         Scalar first, Scalar row, Scalar column, Pixel from,
                         Scalar channel) {
  Places depth = {op.index(0), filter.extent(3)};
  return vectorized(addOver(op, depth, zeroOf(op, input), [&](Scalar place) {
    from.channel = first.known() == 0 ? place : first + place;
    return product(input, indicesOf(from), filter,
                   {channel, row, column, place});
  }));
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

static LogicalResult readForward(OperationLowering &op, Convolution &conv) {
  bool isSame = false;
  if (failed(readConvolution(op, conv, isSame)))
    return failure();
  resolveAxis(op, conv.axes.rows, isSame);
  resolveAxis(op, conv.axes.columns, isSame);
  return success();
}

/// Whether \p conv becomes a named operation, and how it moves.
static std::optional<KernelWindow> namedWindow(const Convolution &conv) {
  if (!isNamedContraction(conv.input, conv.filter))
    return std::nullopt;
  std::optional<KernelWindow> window = conv.axes.known();
  return window && hasRoomForPads(conv.input, *window) ? window : std::nullopt;
}

/// CONV_2D, and GROUPED_CONV_2D: the output channels of a group see the input
/// channels of that group. The filter is [out, height, width, in / groups].
static LogicalResult lowerConv2D(OperationLowering &op) {
  Convolution conv;
  if (failed(readForward(op, conv)))
    return failure();
  Scalar depth = conv.filter.extent(3), groups = conv.factor;
  op.checkEqual(depth * groups, conv.image.channel);
  op.check(conv.outputChannels.remainder(groups) == 0,
           FailureReason::notDivisible, conv.outputChannels, groups);
  // GROUPED_CONV_2D does not take tensors without elements (M-320).
  if (op.type() == OperationType::GROUPED_CONV_2D)
    op.check(conv.image.batch >= 1, FailureReason::negativeExtent,
             conv.image.batch, op.index(1));
  if (std::optional<KernelWindow> window = namedWindow(conv);
      window && depth.known() && groups.known() &&
      *depth.known() * *groups.known() == conv.image.channel.known() &&
      *conv.outputChannels.known() % *groups.known() == 0) {
    lowerToNamedConvolution(op, conv.input, conv.filter, *window,
                            *groups.known(), conv.activation);
    return success();
  }
  Tensor input = widened(op, conv.input), filter = widened(op, conv.filter);
  const WindowAxis &rows = conv.axes.rows, &columns = conv.axes.columns;
  Scalar channelsPerGroup = conv.outputChannels.quotient(groups);
  defineOutput(op, conv, [&](const Pixel &at) {
    Scalar top = rows.start(at.row), left = columns.start(at.column);
    Scalar first = groups.known() == 1
                       ? op.index(0)
                       : at.channel.quotient(channelsPerGroup) * depth;
    return sumOver(op, rows.inside(top), columns.inside(left),
                   zeroOf(op, input), [&](Scalar row, Scalar column) {
                     Pixel from = {at.batch, rows.placeAt(top, row),
                                   columns.placeAt(left, column), Scalar()};
                     return dotProduct(op, conv, input, filter, first, row,
                                       column, from, at.channel);
                   });
  });
  return success();
}

/// Output channel c * multiplier + m sees input channel c (M-081). The filter
/// is [1, height, width, out].
static LogicalResult lowerDepthwiseConv2D(OperationLowering &op) {
  Convolution conv;
  if (failed(readForward(op, conv)))
    return failure();
  Scalar multiplier = conv.factor;
  op.checkEqual(conv.filter.extent(0), op.index(1));
  op.checkEqual(conv.image.channel * multiplier, conv.outputChannels);
  if (std::optional<KernelWindow> window = namedWindow(conv);
      window && conv.filter.extent(0).known() == 1 &&
      (conv.image.channel * multiplier).known() ==
          conv.outputChannels.known()) {
    lowerToNamedDepthwise(op, conv.input, conv.filter, *window,
                          conv.activation);
    return success();
  }
  Tensor input = widened(op, conv.input), filter = widened(op, conv.filter);
  const WindowAxis &rows = conv.axes.rows, &columns = conv.axes.columns;
  defineOutput(op, conv, [&](const Pixel &at) {
    Scalar top = rows.start(at.row), left = columns.start(at.column);
    return sumOver(op, rows.inside(top), columns.inside(left),
                   zeroOf(op, input), [&](Scalar row, Scalar column) {
                     Pixel from = {at.batch, rows.placeAt(top, row),
                                   columns.placeAt(left, column),
                                   multiplier.known() == 1
                                       ? at.channel
                                       : at.channel.quotient(multiplier)};
                     return product(input, indicesOf(from), filter,
                                    {op.index(0), row, column, at.channel});
                   });
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Transposed convolution
//===----------------------------------------------------------------------===//

/// Sets the pads that follow from \p stated, the extent that the model gives
/// for the result, and the output. The tail may be negative then, where the
/// result goes on after the last window (M-086).
static void resolveTransposedAxis(OperationLowering &op, WindowAxis &axis,
                                  std::optional<Scalar> stated) {
  checkAtLeast(op, axis.window, 1);
  checkAtLeast(op, axis.stride, 1);
  if (stated) {
    Scalar windows = (*stated + axis.stride - 1).quotient(axis.stride);
    Scalar total = (windows - 1) * axis.stride + axis.window - *stated;
    axis.head = max(total, 0.0).quotient(op.index(2));
    axis.tail = total - axis.head;
  } else {
    checkAtLeast(op, axis.head, 0);
    checkAtLeast(op, axis.tail, 0);
    for (Scalar pad : {axis.head, axis.tail})
      op.check(pad < axis.window, FailureReason::valueTooLarge, pad,
               axis.window - 1);
  }
  axis.output =
      (axis.input - 1) * axis.stride + axis.window - axis.head - axis.tail;
  constexpr double highest = std::numeric_limits<uint32_t>::max();
  op.check(axis.output >= 1, FailureReason::negativeExtent, axis.output,
           op.index(1));
  op.check(axis.output <= highest, FailureReason::valueTooLarge, axis.output,
           axis.output.like(highest));
}

/// The input pixels on an axis whose windows reach output \p index; \p shifted
/// is that index counted from the first window on.
static Places reachingPlaces(const WindowAxis &axis, Scalar shifted) {
  Scalar stride = axis.stride;
  Scalar before = max(shifted - axis.window + 1, 0.0);
  Scalar begin = (before + stride - 1).quotient(stride);
  // A computed stride has no upper bound that --nnhal-verify-addresses sees, so
  // that the sum might wrap around for all that it can tell.
  if (!stride.known())
    begin = max(begin, 0.0);
  return {begin, min(shifted.quotient(stride) + 1, axis.input)};
}

/// Each input pixel adds to a window of the output; seen from the output, it is
/// the sum over the input pixels whose windows it lies in. The filter is [out,
/// height, width, in].
static LogicalResult lowerTransposeConv2D(OperationLowering &op) {
  Convolution conv;
  bool isSame = false;
  if (failed(readConvolution(op, conv, isSame)))
    return failure();
  WindowAxis &rows = conv.axes.rows, &columns = conv.axes.columns;
  std::optional<Scalar> height, width;
  if (op.states("output shape")) {
    size_t shape = op.indexOf("output shape");
    op.checkEqual(op.input(shape).extent(0), op.index(4));
    SmallVector<Scalar> extents = op.integers(shape, 4);
    Pixel stated = pixelAt(extents);
    checkAtLeast(op, stated.row, 1);
    checkAtLeast(op, stated.column, 1);
    if (isSame) {
      height = stated.row;
      width = stated.column;
    }
  }
  resolveTransposedAxis(op, rows, height);
  resolveTransposedAxis(op, columns, width);
  op.checkEqual(conv.filter.extent(3), conv.image.channel);
  if (std::optional<KernelWindow> window = namedWindow(conv);
      window && conv.filter.extent(3).known() == conv.image.channel.known() &&
      lowerToNamedTransposed(op, conv.input, conv.filter, *window,
                             conv.activation))
    return success();
  Tensor input = widened(op, conv.input), filter = widened(op, conv.filter);
  // reachingPlaces() keeps taps within the window. No range of the pixels alone
  // says so, and pads may follow from elements that only an execution knows:
  // the clamp is what --nnhal-verify-addresses can see.
  auto tap = [&](Scalar at, const WindowAxis &axis) {
    return clamp(at, op.index(0), axis.window - 1);
  };
  defineOutput(op, conv, [&](const Pixel &at) {
    Scalar top = at.row + rows.head, left = at.column + columns.head;
    return sumOver(op, reachingPlaces(rows, top), reachingPlaces(columns, left),
                   zeroOf(op, input), [&](Scalar row, Scalar column) {
                     return dotProduct(
                         op, conv, input, filter, op.index(0),
                         tap(top - row * rows.stride, rows),
                         tap(left - column * columns.stride, columns),
                         {at.batch, row, column, Scalar()}, at.channel);
                   });
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Fully connected
//===----------------------------------------------------------------------===//

static LogicalResult lowerFullyConnected(OperationLowering &op) {
  FailureOr<rt::FusedActivation> activation =
      WindowOperands(op).readActivation();
  if (failed(activation))
    return failure();
  Tensor input = op.input(0), weights = op.input(1);
  Scalar units = weights.extent(0), size = weights.extent(1);
  checkAtLeast(op, units, 1);
  checkAtLeast(op, size, 1);
  Scalar count = input.count();
  op.check(count.remainder(size) == 0, FailureReason::notDivisible, count,
           size);
  Tensor rows = op.reshape(input, {count.quotient(size), size});
  if (isNamedContraction(rows, weights)) {
    lowerToNamedProduct(op, rows, weights, *activation);
    return success();
  }
  ContractionOutput output(op, *activation);
  output.checkChannels(units);
  Scalar batch = rows.extent(0);
  op.setOutput(op.define(op.outputType(), {batch, units}, [&](Indices at) {
    Scalar sum = addOver(op, {op.index(0), size}, output.zero(), [&](Scalar i) {
      return product(rows, {at[0], i}, weights, {at[1], i});
    });
    return output.finish(vectorized(sum), at[1]);
  }));
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::CONV_2D, lowerConv2D},
    {OperationType::DEPTHWISE_CONV_2D, lowerDepthwiseConv2D},
    {OperationType::GROUPED_CONV_2D, lowerConv2D},
    {OperationType::TRANSPOSE_CONV_2D, lowerTransposeConv2D},
    {OperationType::FULLY_CONNECTED, lowerFullyConnected},
};

std::span<const LoweringRow> nnhal::contractionRows() { return rows; }
