//===- Window.cpp - Pools of any type and shape ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/WindowAxes.h"
#include "NamedOperations.h"

#include "../Common/PoolWindows.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperationType;

namespace {
struct Pool {
  Tensor input;
  Pixel image;
  WindowAxes axes;
  rt::FusedActivation activation = rt::FusedActivation::none;

  const WindowAxis &rows() const { return axes.rows; }
  const WindowAxis &columns() const { return axes.columns; }
};
} // namespace

static LogicalResult readPool(OperationLowering &op, Pool &pool) {
  WindowOperands operands(op);
  WindowAxis &rows = pool.axes.rows, &columns = pool.axes.columns;
  if (failed(operands.readPadding(pool.axes)))
    return failure();
  operands.readPair("stride", columns.stride, rows.stride);
  operands.readPair("window", columns.window, rows.window);
  FailureOr<rt::FusedActivation> activation = operands.readActivation();
  if (failed(activation))
    return failure();
  pool.activation = *activation;
  pool.input = op.input(0);
  pool.image = extentsOf(pool.input);
  rows.input = pool.image.row;
  columns.input = pool.image.column;
  checkNotEmpty(op, pool.image);
  resolveAxis(op, rows, operands.isSame());
  resolveAxis(op, columns, operands.isSame());
  return success();
}

/// Joins a value with an element.
using StepBuilder = llvm::function_ref<Scalar(Scalar value, Indices element)>;
/// Joins the elements of windows of known extents by an operation of linalg.
using NamedBuilder = llvm::function_ref<Tensor(const NamedPool &pool)>;
/// Divides the sum over a window by the number of its elements.
using MeanBuilder = llvm::function_ref<Scalar(Scalar sum, Scalar count)>;
/// Makes an output element of what the elements under a window were joined to.
using LastBuilder = llvm::function_ref<Scalar(Scalar value)>;

/// The windows of \p pool, if all about them and the image is known.
static std::optional<NamedPool> knownPool(const Pool &pool) {
  RankedTensorType type = pool.input.getValueType();
  std::optional<KernelWindow> window = pool.axes.known();
  std::optional<int64_t> height = pool.rows().window.known();
  std::optional<int64_t> width = pool.columns().window.known();
  if (!type.hasStaticShape() || type.getNumElements() == 0 || !window ||
      !height || !width || !hasRoomForPads(pool.input, *window))
    return std::nullopt;
  return NamedPool{*window, {*height, *width}};
}

/// How many places of the window of output pixel \p at are not padding.
static Scalar placesInside(const Pool &pool, const Pixel &at) {
  Places rows = pool.rows().inside(pool.rows().start(at.row));
  Places columns = pool.columns().inside(pool.columns().start(at.column));
  return (rows.end - rows.begin) * (columns.end - columns.begin);
}

/// Means of \p sums, by the numbers of places that are not padding: those along
/// rows and along columns are constants.
static Tensor meansOf(OperationLowering &op, const Pool &pool,
                      const NamedPool &known, const Tensor &sums,
                      MeanBuilder mean) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Type element = sums.getValueType().getElementType();
  ArrayRef<int64_t> image = pool.input.getValueType().getShape();
  auto countsAlong = [&](unsigned axis) {
    const KernelWindow &window = known.window;
    PoolAxis along{image[axis + 1], known.extents[axis], window.strides[axis],
                   window.pads[2 * axis], window.output[axis]};
    return Tensor(
        builder,
        arith::ConstantOp::create(builder, countPlaces(along, element)), {});
  };
  Tensor rows = countsAlong(0), columns = countsAlong(1);
  return op.define(element, sums.extents(), [&](Indices at) {
    return mean(sums.stored(at),
                rows.stored({at[1]}) * columns.stored({at[2]}));
  });
}

/// Defines the output as joined elements of windows: by \p named where all is
/// known, otherwise by \p step from \p first on. \p mean is null for maxima.
static void definePool(OperationLowering &op, const Pool &pool, Scalar first,
                       StepBuilder step, NamedBuilder named, MeanBuilder mean,
                       LastBuilder last) {
  if (std::optional<NamedPool> known = knownPool(pool)) {
    Tensor joined = named(*known);
    if (mean)
      joined = meansOf(op, pool, *known, joined, mean);
    op.setOutput(op.define(op.outputType(), joined.extents(), [&](Indices at) {
      return last(joined.stored(at));
    }));
    return;
  }
  Pixel extents = {pool.image.batch, pool.rows().output, pool.columns().output,
                   pool.image.channel};
  auto element = [&](Indices indices) {
    Pixel at = pixelAt(indices);
    Scalar top = pool.rows().start(at.row);
    Scalar left = pool.columns().start(at.column);
    Places rows = pool.rows().inside(top);
    Places columns = pool.columns().inside(left);
    using Values = SmallVector<Scalar>;
    Scalar joined =
        op.loop(rows.begin, rows.end, {first},
                [&](Scalar row, ArrayRef<Scalar> outer) {
                  return op.loop(
                      columns.begin, columns.end, outer,
                      [&](Scalar column, ArrayRef<Scalar> inner) {
                        Pixel from = {at.batch, pool.rows().placeAt(top, row),
                                      pool.columns().placeAt(left, column),
                                      at.channel};
                        return Values{step(inner[0], indicesOf(from))};
                      });
                })
            .front();
    return last(mean ? mean(joined, placesInside(pool, at)) : joined);
  };
  op.setOutput(op.define(op.outputType(), indicesOf(extents), element));
}

/// A pooled quantized value, to the bounds of the activation (M-017). The
/// result has the input's scale and zero point.
static Scalar limited(OperationLowering &op, const Pool &pool, Scalar value) {
  const rt::TensorType &type = op.outputType();
  rt::StorageRange range = rt::activationRange(pool.activation, type);
  return op.encodeInteger(clamp(value, range.low, range.high).toI32(), type);
}

/// The bytes of \p input less \p low, as i32.
static Tensor integersFrom(OperationLowering &op, const Tensor &input,
                           double low) {
  return op.define(op.getBuilder().getI32Type(), input.extents(),
                   [&](Indices at) { return input.integer(at) - low; });
}

/// The number that the lowest byte of a quantized \p tensor is.
static double lowestOf(const Tensor &tensor) {
  return rt::storageRange(tensor.getType().type).low;
}

/// The type that the sum over a window fits: that of bytes over less than 2^22
/// elements is an i32.
static Type sumType(OperationLowering &op, const Pool &pool) {
  static constexpr int64_t bound = 1 << 22;
  // Windows are no larger than the image, without what is padding.
  auto mostPlaces = [](const WindowAxis &axis) {
    return std::min(axis.window.known().value_or(bound),
                    axis.input.known().value_or(bound));
  };
  return mostPlaces(pool.rows()) * mostPlaces(pool.columns()) < bound
             ? op.getBuilder().getI32Type()
             : op.getBuilder().getI64Type();
}

/// The mean of the quantized elements of windows.
static void averageIntegers(OperationLowering &op, const Pool &pool) {
  const Tensor &input = pool.input;
  // Half is rounded up (M-093), for signed values too: they are taken from the
  // lowest value on (M-022).
  double low = lowestOf(input);
  Type type = sumType(op, pool);
  Scalar zero = Scalar::integer(op.getBuilder(), type, 0);
  definePool(
      op, pool, zero,
      [&](Scalar sum, Indices at) {
        return sum + (input.integer(at) - low).to(type);
      },
      [&](const NamedPool &named) {
        return sumWindows(op, named, integersFrom(op, input, low), zero);
      },
      [&](Scalar sum, Scalar count) {
        Scalar number = count.to(type);
        return (sum + number.quotient(number.like(2))).quotient(number);
      },
      [&](Scalar mean) { return limited(op, pool, mean.toI32() + low); });
}

static LogicalResult lowerAveragePool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  const Tensor &input = pool.input;
  if (!input.isFloat()) {
    averageIntegers(op, pool);
    return success();
  }
  definePool(
      op, pool, op.f32(0),
      [&](Scalar sum, Indices at) { return sum + input.real(at); },
      [&](const NamedPool &named) {
        return sumWindows(op, named, widened(op, input), op.f32(0));
      },
      [&](Scalar sum, Scalar count) { return sum / count.toF32(); },
      [&](Scalar mean) {
        return op.encode(activated(mean, pool.activation), op.outputType());
      });
  return success();
}

static LogicalResult lowerMaxPool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  const Tensor &input = pool.input;
  if (input.isFloat()) {
    definePool(
        op, pool, op.f32(-std::numeric_limits<double>::infinity()),
        // In this order a NaN is passed over.
        [&](Scalar largest, Indices at) {
          return max(input.real(at), largest);
        },
        [&](const NamedPool &named) {
          return maximizeFloatWindows(op, named, widened(op, input));
        },
        /*mean=*/nullptr,
        [&](Scalar largest) {
          return op.encode(activated(largest, pool.activation),
                           op.outputType());
        });
    return success();
  }
  double low = lowestOf(input);
  definePool(
      op, pool, op.i32(int64_t(low)),
      [&](Scalar largest, Indices at) {
        return max(largest, input.integer(at));
      },
      // From the lowest value on, as a mean, which may be one of the same
      // image.
      [&](const NamedPool &named) {
        Tensor largest =
            maximizeWindows(op, named, integersFrom(op, input, low), op.i32(0));
        return op.define(op.getBuilder().getI32Type(), largest.extents(),
                         [&](Indices at) { return largest.stored(at) + low; });
      },
      /*mean=*/nullptr,
      [&](Scalar largest) { return limited(op, pool, largest); });
  return success();
}

/// L2_POOL_2D is the root of the mean of the squares that are not padding
/// (M-094).
static LogicalResult lowerL2Pool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  definePool(
      op, pool, op.f32(0),
      [&](Scalar sum, Indices at) {
        Scalar element = pool.input.real(at);
        return sum + element * element;
      },
      [&](const NamedPool &named) {
        Tensor image = widened(op, pool.input);
        Tensor squares = op.define(op.getBuilder().getF32Type(),
                                   image.extents(), [&](Indices at) {
                                     Scalar element = image.stored(at);
                                     return element * element;
                                   });
        return sumWindows(op, named, squares, op.f32(0));
      },
      [&](Scalar sum, Scalar count) { return sqrt(sum / count.toF32()); },
      [&](Scalar root) {
        return op.encode(activated(root, pool.activation), op.outputType());
      });
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::AVERAGE_POOL_2D, lowerAveragePool2D},
    {OperationType::MAX_POOL_2D, lowerMaxPool2D},
    {OperationType::L2_POOL_2D, lowerL2Pool2D},
};

std::span<const LoweringRow> nnhal::windowRows() { return rows; }
