//===- Window.cpp - Pools of any type and shape ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine/WindowAxes.h"
#include "NamedOperations.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
/// Makes an output element of what the elements under a window were joined to;
/// \p count is how many there were, as an index.
using LastBuilder = llvm::function_ref<Scalar(Scalar value, Scalar count)>;

/// Joins the elements of windows of known extents by an operation of linalg.
using NamedBuilder = llvm::function_ref<Tensor(const NamedPool &pool)>;

/// The windows of \p pool, if all about them and the image is known.
static std::optional<NamedPool> knownPool(const Pool &pool) {
  RankedTensorType type = pool.input.getValueType();
  std::optional<KernelWindow> window = pool.axes.known();
  std::optional<int64_t> height = pool.rows().window.known();
  std::optional<int64_t> width = pool.columns().window.known();
  if (!type.hasStaticShape() || type.getNumElements() == 0 || !window ||
      !height || !width)
    return std::nullopt;
  return NamedPool{*window, {*height, *width}};
}

/// The windows of \p pool, if operations of linalg are to join the elements
/// and all about them is known.
static std::optional<NamedPool> namedPool(const OperationLowering &op,
                                          const Pool &pool) {
  if (op.policy().hasMicroKernels())
    return std::nullopt;
  std::optional<NamedPool> known = knownPool(pool);
  return known && hasRoomForPads(pool.input, known->window) ? known
                                                            : std::nullopt;
}

/// How many places of the window of output pixel \p at are not padding.
static Scalar placesInside(const Pool &pool, const Pixel &at) {
  Places rows = pool.rows().inside(pool.rows().start(at.row));
  Places columns = pool.columns().inside(pool.columns().start(at.column));
  return (rows.end - rows.begin) * (columns.end - columns.begin);
}

/// Defines the output as joined elements of windows: by \p named where that
/// serves, otherwise by \p step from \p first on.
static void definePool(OperationLowering &op, const Pool &pool, Scalar first,
                       StepBuilder step, NamedBuilder named, LastBuilder last) {
  if (std::optional<NamedPool> known = namedPool(op, pool)) {
    Tensor joined = named(*known);
    op.setOutput(op.define(op.outputType(), joined.extents(), [&](Indices at) {
      return last(joined.stored(at), placesInside(pool, pixelAt(at)));
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
    return last(joined, placesInside(pool, at));
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

/// The longest window whose mean roundedMean() rounds as a division of integers
/// would: it adds 2^-14 or more to make up for a mean of floats, which is below
/// 2^8 and so off by less than 2^-15.
static constexpr int64_t mostAveraged = 4096;

/// The integer that \p mean, of integers from 0 to 255 over at most \p count
/// elements, is rounded to, half up (M-093). A mean is a whole number of
/// fractions of the count: what is added to it beyond a half is half of the
/// smallest distance to one, and larger than what f32 may be off by.
static Scalar roundedMean(Scalar mean, int64_t count) {
  return (mean + (0.5 + 0.25 / double(count))).toI32();
}

/// The number that the lowest byte of a quantized \p tensor is; 0 for floats.
static double lowestOf(const Tensor &tensor) {
  return tensor.isFloat() ? 0 : rt::storageRange(tensor.getType().type).low;
}

/// The input of a pool as kernels take it, in f32: halves are widened, and
/// bytes become the numbers that they store, from 0 on.
static Tensor pooledFloats(OperationLowering &op, const Tensor &input) {
  Type f32 = op.getBuilder().getF32Type();
  if (input.getValueType().getElementType() == f32)
    return input;
  double low = lowestOf(input);
  return op.define(f32, input.extents(), [&](Indices at) {
    return input.isFloat() ? input.real(at) : (input.integer(at) - low).toF32();
  });
}

/// Defines the output of a pool of known extents by a micro-kernel, which pools
/// floats; false for others, and where the target has no kernels.
static bool lowerToKernel(OperationLowering &op, const Pool &pool,
                          kernel::PoolKind kind) {
  std::optional<NamedPool> known =
      op.policy().hasMicroKernels() ? knownPool(pool) : std::nullopt;
  if (!known)
    return false;
  RankedTensorType type = pool.input.getValueType();
  const KernelWindow &window = known->window;
  auto [height, width] = known->extents;
  const Tensor &input = pool.input;
  bool isAverage = kind == kernel::PoolKind::average;
  int64_t count = std::min(height, type.getDimSize(1)) *
                  std::min(width, type.getDimSize(2));
  if (!input.isFloat() && isAverage && count > mostAveraged)
    return false;
  ImplicitLocOpBuilder &builder = op.getBuilder();
  Tensor source = pooledFloats(op, input);
  int64_t shape[] = {type.getDimSize(0), window.output[0], window.output[1],
                     type.getDimSize(3)};
  Value init = tensor::EmptyOp::create(builder, shape, builder.getF32Type());
  auto kernel = kernel::Pool2DOp::create(builder, kind, source.get(), init,
                                         ArrayRef<int64_t>{height, width},
                                         window.strides, window.pads);
  if (input.isFloat())
    addEpilogue(builder, kernel, pool.activation);
  rt::TensorType wide = input.getType();
  wide.type = rt::OperandType::TENSOR_FLOAT32;
  Tensor pooled(builder, kernel->getResult(0), wide);
  if (type.getElementType().isF32()) {
    op.setOutput({builder, pooled.get(), op.outputType()});
    return true;
  }
  double low = lowestOf(input);
  op.setOutput(op.define(op.outputType(), pooled.extents(), [&](Indices at) {
    Scalar value = pooled.stored(at);
    if (input.isFloat())
      return op.encode(value, op.outputType());
    Scalar number = isAverage ? roundedMean(value, count) : value.toI32();
    return limited(op, pool, number + low);
  }));
  return true;
}

/// The bytes of \p input less \p low, as i16.
static Tensor integersFrom(OperationLowering &op, const Tensor &input,
                           double low) {
  Type element = op.getBuilder().getI16Type();
  return op.define(element, input.extents(), [&](Indices at) {
    return (input.integer(at) - low).to(element);
  });
}

/// The type that the sum over a window fits: that of bytes over less than 2^22
/// elements is an i32.
static Type sumType(OperationLowering &op, const Pool &pool) {
  std::optional<int64_t> height = pool.rows().window.known();
  std::optional<int64_t> width = pool.columns().window.known();
  constexpr int64_t bound = 1 << 11;
  bool isSmall = height && width && *height < bound && *width < bound;
  return isSmall ? op.getBuilder().getI32Type() : op.getBuilder().getI64Type();
}

static LogicalResult lowerAveragePool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  if (lowerToKernel(op, pool, kernel::PoolKind::average))
    return success();
  const Tensor &input = pool.input;
  if (input.isFloat()) {
    definePool(
        op, pool, op.f32(0),
        [&](Scalar sum, Indices at) { return sum + input.real(at); },
        [&](const NamedPool &named) {
          return sumWindows(op, named, widened(op, input), op.f32(0));
        },
        [&](Scalar sum, Scalar count) {
          return op.encode(activated(sum / count.toF32(), pool.activation),
                           op.outputType());
        });
    return success();
  }
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
        Scalar mean = (sum + number.quotient(number.like(2))).quotient(number);
        return limited(op, pool, mean + low);
      });
  return success();
}

static LogicalResult lowerMaxPool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  if (lowerToKernel(op, pool, kernel::PoolKind::max))
    return success();
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
        [&](Scalar largest, Scalar) {
          return op.encode(activated(largest, pool.activation),
                           op.outputType());
        });
    return success();
  }
  definePool(
      op, pool, op.i32(int64_t(lowestOf(input))),
      [&](Scalar largest, Indices at) {
        return max(largest, input.integer(at));
      },
      [&](const NamedPool &named) {
        Tensor image = integersFrom(op, input, 0);
        Type element = image.getValueType().getElementType();
        return maximizeWindows(op, named, image,
                               Scalar::integer(op.getBuilder(), element,
                                               int64_t(lowestOf(input))));
      },
      [&](Scalar largest, Scalar) { return limited(op, pool, largest); });
  return success();
}

static LogicalResult lowerL2Pool2D(OperationLowering &op) {
  Pool pool;
  if (failed(readPool(op, pool)))
    return failure();
  if (lowerToKernel(op, pool, kernel::PoolKind::l2))
    return success();
  definePool(
      op, pool, op.f32(0),
      [&](Scalar sum, Indices at) {
        Scalar element = pool.input.real(at);
        return sum + element * element;
      },
      [&](const NamedPool &named) {
        Tensor squares = op.define(op.getBuilder().getF32Type(),
                                   pool.input.extents(), [&](Indices at) {
                                     Scalar element = pool.input.real(at);
                                     return element * element;
                                   });
        return sumWindows(op, named, squares, op.f32(0));
      },
      [&](Scalar sum, Scalar count) {
        // L2_POOL_2D is the root of the mean of the squares that are not
        // padding (M-094).
        return op.encode(activated(sqrt(sum / count.toF32()), pool.activation),
                         op.outputType());
      });
  return success();
}

static constexpr LoweringRow rows[] = {
    {OperationType::AVERAGE_POOL_2D, lowerAveragePool2D},
    {OperationType::MAX_POOL_2D, lowerMaxPool2D},
    {OperationType::L2_POOL_2D, lowerL2Pool2D},
};

std::span<const LoweringRow> nnhal::windowRows() { return rows; }
