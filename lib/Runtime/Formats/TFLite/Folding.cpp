//===- Folding.cpp - Operators whose result is known at import ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include "Constants.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include <fmt/ranges.h>

namespace nnhal::rt::tflite {

using Code = schema::BuiltinOperator;

namespace {
struct Integers {
  Shape shape;
  std::vector<int32_t> values;
};

/// The view that a fold function has of an operator.
struct Known {
  Operator &op;
  std::vector<Integers> inputs;
};

/// An element of output \p output.
using FoldFunction = Result<int64_t> (*)(const Known &known, size_t output,
                                         const Shape &position);

struct FoldRow {
  Code code;
  FoldFunction fold;
};
} // namespace

static Shape positionOf(uint32_t index, const Shape &shape) {
  Shape position(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    position[i] = index % shape[i];
    index /= shape[i];
  }
  return position;
}

/// The element of \p from at \p position, to whose last dimensions it
/// broadcasts.
static int64_t elementAt(const Integers &from, const Shape &position) {
  size_t index = 0, skipped = position.size() - from.shape.size();
  for (size_t i = 0; i < from.shape.size(); ++i)
    index = index * from.shape[i] +
            (from.shape[i] == 1 ? 0 : position[skipped + i]);
  return from.values[index];
}

/// Folds to the same elements in another shape.
static Result<int64_t> foldReshape(const Known &known, size_t output,
                                   const Shape &position) {
  const Shape &shape = known.op.outputShapes[output];
  size_t index = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    index = index * shape[i] + position[i];
  return known.inputs[0].values[index];
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static Result<int64_t> foldBinary(const Known &known, size_t,
                                  const Shape &position) {
  int64_t a = elementAt(known.inputs[0], position);
  int64_t b = elementAt(known.inputs[1], position);
  Code code = known.op.row.code;
  switch (code) {
  case Code::ADD:
    return a + b;
  case Code::SUB:
    return a - b;
  case Code::MUL:
    return a * b;
  case Code::MAXIMUM:
    return std::max(a, b);
  case Code::MINIMUM:
    return std::min(a, b);
  default:
    break;
  }
  if (b == 0)
    return badData("divides {} by 0", a);
  return code == Code::DIV         ? a / b
         : code == Code::FLOOR_DIV ? floorDivide(a, b)
                                   : a - floorDivide(a, b) * b;
}

/// The axis that the options of PACK, UNPACK, CONCATENATION and GATHER state,
/// which the shape function has checked.
template <typename Options>
static Result<uint32_t> axisOf(const Known &known, size_t rank) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options, known.op.options<Options>());
  return Operator::normalizeAxis(options->axis(), rank);
}

static Result<int64_t> foldPack(const Known &known, size_t,
                                const Shape &position) {
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         axisOf<schema::PackOptions>(known, position.size()));
  Shape inside = position;
  inside.erase(inside.begin() + axis);
  return elementAt(known.inputs[position[axis]], inside);
}

static Result<int64_t> foldUnpack(const Known &known, size_t output,
                                  const Shape &position) {
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis, axisOf<schema::UnpackOptions>(known, position.size() + 1));
  Shape outside = position;
  outside.insert(outside.begin() + axis, uint32_t(output));
  return elementAt(known.inputs[0], outside);
}

static Result<int64_t> foldConcatenation(const Known &known, size_t,
                                         const Shape &position) {
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis, axisOf<schema::ConcatenationOptions>(
                                            known, position.size()));
  Shape inside = position;
  size_t part = 0;
  while (inside[axis] >= known.inputs[part].shape[axis])
    inside[axis] -= known.inputs[part++].shape[axis];
  return elementAt(known.inputs[part], inside);
}

static Status checkIndex(int64_t index, uint32_t axis, const Shape &shape) {
  if (index < 0 || index >= int64_t(shape[axis]))
    return badData("index {} is not in dimension {} of size {}", index, axis,
                   shape[axis]);
  return Status();
}

static Result<int64_t> foldGather(const Known &known, size_t,
                                  const Shape &position) {
  const Integers &data = known.inputs[0], &indices = known.inputs[1];
  NNHAL_ASSIGN_OR_RETURN(
      uint32_t axis, axisOf<schema::GatherOptions>(known, data.shape.size()));
  auto first = position.begin() + axis, last = first + indices.shape.size();
  int64_t index = elementAt(indices, {first, last});
  NNHAL_RETURN_IF_ERROR(checkIndex(index, axis, data.shape));
  Shape source(position.begin(), first);
  source.push_back(uint32_t(index));
  source.insert(source.end(), last, position.end());
  return elementAt(data, source);
}

static Result<int64_t> foldStridedSlice(const Known &known, size_t,
                                        const Shape &position) {
  NNHAL_ASSIGN_OR_RETURN(StridedRange range, stridedRangeOf(known.op));
  const Shape &data = known.inputs[0].shape;
  Shape source;
  size_t next = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    int64_t stride = range.strides[i];
    int64_t begin =
        firstOfSlice(range.begin[i], range.beginMask >> i & 1, stride, data[i]);
    bool isShrunk = range.shrinkMask >> i & 1;
    int64_t step = isShrunk ? 0 : position[next++];
    source.push_back(uint32_t(begin + step * stride));
  }
  return elementAt(known.inputs[0], source);
}

static Result<int64_t> foldSlice(const Known &known, size_t,
                                 const Shape &position) {
  Shape source = position;
  for (size_t i = 0; i < source.size(); ++i)
    source[i] += uint32_t(known.inputs[1].values[i]);
  return elementAt(known.inputs[0], source);
}

static Result<int64_t> foldTranspose(const Known &known, size_t,
                                     const Shape &position) {
  Shape source(position.size());
  for (size_t i = 0; i < source.size(); ++i)
    source[size_t(known.inputs[1].values[i])] = position[i];
  return elementAt(known.inputs[0], source);
}

/// Reductions of everything, which is all that shapes are computed with.
static Result<int64_t> foldReduce(const Known &known, size_t, const Shape &) {
  const std::vector<int32_t> &values = known.inputs[0].values;
  if (known.inputs[0].shape.size() != 1)
    return badData("the HAL has no {} for integers", nameOf(known.op.row.type));
  switch (known.op.row.code) {
  case Code::REDUCE_MAX:
    return *std::max_element(values.begin(), values.end());
  case Code::REDUCE_MIN:
    return *std::min_element(values.begin(), values.end());
  default:
    break;
  }
  bool isSum = known.op.row.code == Code::SUM;
  int64_t result = isSum ? 0 : 1;
  for (int64_t value : values) {
    result = isSum ? result + value : result * value;
    if (std::abs(result) > std::numeric_limits<int32_t>::max())
      break; // Reported by the caller.
  }
  return result;
}

static constexpr FoldRow foldRows[] = {
    {Code::RESHAPE, foldReshape},
    {Code::SQUEEZE, foldReshape},
    {Code::EXPAND_DIMS, foldReshape},
    {Code::CAST, foldReshape},
    {Code::ADD, foldBinary},
    {Code::SUB, foldBinary},
    {Code::MUL, foldBinary},
    {Code::DIV, foldBinary},
    {Code::FLOOR_DIV, foldBinary},
    {Code::FLOOR_MOD, foldBinary},
    {Code::MAXIMUM, foldBinary},
    {Code::MINIMUM, foldBinary},
    {Code::PACK, foldPack},
    {Code::UNPACK, foldUnpack},
    {Code::CONCATENATION, foldConcatenation},
    {Code::GATHER, foldGather},
    {Code::STRIDED_SLICE, foldStridedSlice},
    {Code::SLICE, foldSlice},
    {Code::REDUCE_PROD, foldReduce},
    {Code::REDUCE_MAX, foldReduce},
    {Code::REDUCE_MIN, foldReduce},
    {Code::SUM, foldReduce},
};

static const FoldRow *findFold(Code code) {
  for (const FoldRow &row : foldRows)
    if (row.code == code)
      return &row;
  return nullptr;
}

static bool isIntegerType(schema::TensorType type) {
  return type == schema::TensorType::INT32 || type == schema::TensorType::INT64;
}

bool isFoldable(Operator &op) {
  // Larger tensors are data: the HAL's operations see to them.
  constexpr uint32_t maxElements = 256;
  if (!findFold(op.row.code) || !op.hasInput(0))
    return false;
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) &&
        (!op.isConstant(i) || !isIntegerType(op.input(i).sourceType) ||
         elementCount(op.shape(i)).value_or(UINT32_MAX) > maxElements))
      return false;
  for (size_t i = 0; i < op.outputCount(); ++i)
    if (!isIntegerType(op.output(i).sourceType))
      return false;
  return true;
}

/// Makes output \p i the constant \p values.
static Status foldOutput(Operator &op, size_t i,
                         const std::vector<int32_t> &values) {
  Tensor &tensor = op.output(i);
  std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  NNHAL_RETURN_IF_ERROR(
      op.graph.fold(tensor, op.outputShapes[i], {bytes.begin(), bytes.end()}));
  tensor.sourceType = schema::TensorType::INT32;
  tensor.type = OperandType::TENSOR_INT32;
  return Status();
}

Status foldIntegers(Operator &op) {
  Known known{op, {}};
  for (size_t i = 0; i < op.inputCount(); ++i) {
    Integers integers;
    if (op.hasInput(i)) {
      NNHAL_ASSIGN_OR_RETURN(integers.values, op.integers(i));
      integers.shape = op.shape(i);
    }
    known.inputs.push_back(std::move(integers));
  }
  for (size_t output = 0; output < op.outputCount(); ++output) {
    const Shape &shape = op.outputShapes[output];
    std::vector<int32_t> values;
    for (uint32_t i = 0, count = *elementCount(shape); i < count; ++i) {
      NNHAL_ASSIGN_OR_RETURN(
          int64_t value,
          findFold(op.row.code)->fold(known, output, positionOf(i, shape)));
      if (value < std::numeric_limits<int32_t>::min() ||
          value > std::numeric_limits<int32_t>::max())
        return badData("value {} at position {} does not fit 32 bits", value,
                       i);
      values.push_back(int32_t(value));
    }
    NNHAL_RETURN_IF_ERROR(foldOutput(op, output, values));
  }
  return Status();
}

bool movesChannels(Operator &op) {
  switch (op.row.code) {
  case Code::EXPAND_DIMS:
  case Code::GATHER:
  case Code::RESHAPE:
  case Code::SLICE:
  case Code::SQUEEZE:
  case Code::STRIDED_SLICE:
  case Code::TRANSPOSE:
    break;
  default:
    return false;
  }
  for (size_t i = 0; i < op.inputCount(); ++i)
    if (op.hasInput(i) && !op.isConstant(i))
      return false;
  if (op.row.code == Code::GATHER) {
    Result<const schema::GatherOptions *> options =
        op.options<schema::GatherOptions>();
    if (!options.isOk() || (*options)->batch_dims() != 0)
      return false;
  }
  return op.hasInput(0) && op.input(0).channels.has_value() &&
         op.output(0).sourceType == op.input(0).sourceType;
}

/// The shape of what TRANSPOSE makes of a constant.
static Result<std::vector<Shape>> transposedShape(Operator &op) {
  const Shape &data = op.shape(0);
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> order, op.integers(1));
  std::vector<bool> isTaken(data.size());
  Shape shape;
  for (int32_t axis : order) {
    if (axis < 0 || size_t(axis) >= data.size() || isTaken[size_t(axis)])
      break;
    isTaken[size_t(axis)] = true;
    shape.push_back(data[size_t(axis)]);
  }
  if (shape.size() != data.size() || order.size() != data.size())
    return badData("the order {} is none of the {} dimensions of input 0",
                   fmt::join(order, ", "), data.size());
  return std::vector<Shape>{shape};
}

/// The constant \p bytes, gathered as \p known says.
static Result<std::vector<std::byte>>
gathered(const Known &known, const std::vector<std::byte> &bytes) {
  const Shape &shape = known.inputs[0].shape;
  NNHAL_ASSIGN_OR_RETURN(uint32_t axis,
                         axisOf<schema::GatherOptions>(known, shape.size()));
  // Rows of the axis, of slices that stay together.
  const uint32_t rows = *elementCount({shape.begin(), shape.begin() + axis});
  const uint32_t size = *elementCount({shape.begin() + axis + 1, shape.end()});
  std::vector<std::byte> result;
  for (uint32_t row = 0; row < rows; ++row)
    for (int32_t index : known.inputs[1].values) {
      NNHAL_RETURN_IF_ERROR(checkIndex(index, axis, shape));
      auto from = bytes.begin() +
                  (ptrdiff_t(row) * shape[axis] + index) * ptrdiff_t(size);
      result.insert(result.end(), from, from + size);
    }
  return result;
}

/// The constant \p bytes, moved as \p known says: the neighbours of each
/// dimension of the result, whose shape is \p shape, are equally far apart.
static Result<std::vector<std::byte>> moved(const Known &known,
                                            const std::vector<std::byte> &bytes,
                                            const Shape &shape) {
  FoldFunction fold = known.op.row.code == Code::TRANSPOSE
                          ? foldTranspose
                          : findFold(known.op.row.code)->fold;
  // Elements of a constant are its own numbers: the functions that fold give
  // their places.
  NNHAL_ASSIGN_OR_RETURN(int64_t place, fold(known, 0, Shape(shape.size())));
  std::vector<int64_t> steps(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1)
      continue;
    Shape second(shape.size());
    second[i] = 1;
    NNHAL_ASSIGN_OR_RETURN(steps[i], fold(known, 0, second));
    steps[i] -= place;
  }
  std::vector<std::byte> result(*elementCount(shape));
  Shape position(shape.size());
  for (std::byte &byte : result) {
    byte = bytes[size_t(place)];
    for (size_t i = shape.size(); i-- > 0;) {
      place += steps[i];
      if (++position[i] < shape[i])
        break;
      place -= steps[i] * shape[i];
      position[i] = 0;
    }
  }
  return result;
}

Status foldChannels(Operator &op) {
  if (op.row.code == Code::TRANSPOSE) {
    NNHAL_ASSIGN_OR_RETURN(op.outputShapes, transposedShape(op));
  } else {
    NNHAL_ASSIGN_OR_RETURN(op.outputShapes, op.row.inferShapes(op));
  }
  const Tensor &from = op.input(0);
  FileImport &file = op.graph.file();
  std::vector<std::byte> bytes, result;
  NNHAL_RETURN_IF_ERROR(expandConstant(from, file.constantLimit(), bytes)
                            .withContext(describe(from)));
  const Shape &shape = op.outputShapes[0];
  const uint32_t count = *elementCount(shape);
  NNHAL_RETURN_IF_ERROR(file.checkConstants(count));
  Known known{op, {{*from.shape, std::vector<int32_t>(bytes.size())}}};
  std::iota(known.inputs[0].values.begin(), known.inputs[0].values.end(), 0);
  for (size_t i = 1; i < op.inputCount(); ++i) {
    Integers integers;
    if (op.hasInput(i)) {
      NNHAL_ASSIGN_OR_RETURN(integers.values, op.integers(i));
      integers.shape = op.shape(i);
    }
    known.inputs.push_back(std::move(integers));
  }
  if (op.row.code == Code::GATHER) {
    NNHAL_ASSIGN_OR_RETURN(result, gathered(known, bytes));
  } else if (count != 0) {
    NNHAL_ASSIGN_OR_RETURN(result, moved(known, bytes, shape));
  }
  return op.graph.fold(op.output(0), shape, std::move(result));
}

Result<std::vector<Shape>> shapeShape(Operator &op) {
  if (op.shape(0).empty())
    return badData("input 0 is a scalar, whose shape has no elements");
  return std::vector<Shape>{{uint32_t(op.shape(0).size())}};
}

Status importShape(Operator &op) {
  return foldOutput(op, 0, {op.shape(0).begin(), op.shape(0).end()});
}

/// Start, limit and step of RANGE.
static Result<std::array<double, 3>> boundsOf(Operator &op) {
  std::array<double, 3> bounds;
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (op.input(0).type == OperandType::TENSOR_INT32) {
      NNHAL_ASSIGN_OR_RETURN(bounds[i], op.integer(i));
      continue;
    }
    const Tensor &tensor = op.input(i);
    if (!tensor.isConstant || elementCount(*tensor.shape) != 1u)
      return badData("input {} must be a constant scalar", i);
    std::vector<std::byte> bytes;
    NNHAL_RETURN_IF_ERROR(
        expandConstant(tensor, 64, bytes).withContext(describe(tensor)));
    float value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    bounds[i] = value;
  }
  return bounds;
}

Result<std::vector<Shape>> rangeShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(auto bounds, boundsOf(op));
  auto [start, limit, step] = bounds;
  constexpr double maxElements = 1 << 24;
  double count = std::ceil((limit - start) / step);
  if (!(count >= 1 && count <= maxElements))
    return badData("range {} to {} by {} is not of 1 to {} elements", start,
                   limit, step, maxElements);
  return std::vector<Shape>{{uint32_t(count)}};
}

Status importRange(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(auto bounds, boundsOf(op));
  uint32_t count = op.outputShapes[0][0];
  if (op.input(0).type == OperandType::TENSOR_INT32) {
    std::vector<int32_t> values(count);
    for (uint32_t i = 0; i < count; ++i)
      values[i] = int32_t(bounds[0] + i * bounds[2]);
    return foldOutput(op, 0, values);
  }
  std::vector<float> values(count);
  auto value = float(bounds[0]); // Summed up, as TFLite does.
  for (float &element : values) {
    element = value;
    value += float(bounds[2]);
  }
  std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  return op.graph.fold(op.output(0), op.outputShapes[0],
                       {bytes.begin(), bytes.end()});
}

Status importZerosLike(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Operand operand,
                         operandFor(op.output(0), op.outputShapes[0]));
  constexpr uint64_t maxBytes = 256 << 20;
  uint64_t size = *byteSizeOf(operand);
  if (size > maxBytes)
    return badData("needs {} bytes of zeros, at most {} are made", size,
                   maxBytes);
  return op.graph.fold(
      op.output(0), op.outputShapes[0],
      std::vector<std::byte>(size, std::byte(operand.zeroPoint)));
}

} // namespace nnhal::rt::tflite
