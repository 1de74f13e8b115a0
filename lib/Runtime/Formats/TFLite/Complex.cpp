//===- Complex.cpp - Complex numbers as pairs of float32 ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL has no complex numbers. A tensor of COMPLEX64 is two operands, and
// ComplexOperators.cpp computes with both. A Fourier transform is a product
// with the matrix of the transform, of which FULLY_CONNECTED computes the real
// and the imaginary part: for the lengths of audio frames that is as fast as
// the butterflies, whose steps would be operations of their own.
//
// Inputs and outputs of a model have the extension's type. Between them and the
// two operands BITCAST makes both parts of a number a last dimension, which
// UNPACK takes apart and PACK adds.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"
#include "Composition.h"
#include "Constants.h"
#include "ExtensionTypes.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace nnhal::rt::tflite {

namespace {
/// Operands of one shape.
struct Parts {
  uint32_t real, imaginary;
};
} // namespace

/// A transform from more elements than this, or to more, would have a matrix
/// that no longer pays.
constexpr uint32_t maxTransform = 4096;

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// The factors exp(-2 pi i k n / length) of \p outputs frequencies k and
/// \p inputs elements n, those beyond the length 0: \p part is std::cos or the
/// negative of std::sin.
template <typename Part>
static uint32_t matrix(Composition &c, uint32_t outputs, uint32_t inputs,
                       uint32_t length, Part part) {
  std::vector<float> factors(size_t(outputs) * inputs);
  for (uint64_t k = 0; k < outputs; ++k)
    for (uint64_t n = 0; n < std::min(inputs, length); ++n)
      factors[k * inputs + n] = float(
          part(2 * std::numbers::pi * double(k * n % length) / double(length)));
  return c.reals({outputs, inputs}, factors);
}

static double cosine(double angle) { return std::cos(angle); }
static double negativeSine(double angle) { return -std::sin(angle); }

/// The product of the rows of \p from, which is [rows, inputs], with \p
/// factors.
static uint32_t product(Composition &c, uint32_t from, uint32_t factors) {
  uint32_t rows = c.shapeOf(from)[0], outputs = c.shapeOf(factors)[0];
  uint32_t bias = c.reals({outputs}, std::vector<float>(outputs));
  uint32_t result = c.realTemporary({rows, outputs});
  c.addTo(OperationType::FULLY_CONNECTED, {from, factors, bias, c.int32(0)},
          {result});
  return result;
}

static uint32_t combine(Composition &c, OperationType type, uint32_t lhs,
                        uint32_t rhs) {
  uint32_t result = c.realTemporary(c.shapeOf(lhs));
  c.addTo(type, {lhs, rhs, c.int32(0)}, {result});
  return result;
}

/// The transform of the rows of \p from, [rows, inputs], to [rows, outputs].
static Parts transformRows(Composition &c, Parts from, uint32_t length) {
  uint32_t inputs = c.shapeOf(from.real)[1];
  uint32_t cosines = matrix(c, length, inputs, length, cosine),
           sines = matrix(c, length, inputs, length, negativeSine);
  return {combine(c, OperationType::SUB, product(c, from.real, cosines),
                  product(c, from.imaginary, sines)),
          combine(c, OperationType::ADD, product(c, from.real, sines),
                  product(c, from.imaginary, cosines))};
}

/// Transforms dimension 1 of \p from, [planes, inputs, columns].
static Parts transformColumns(Composition &c, Parts from, uint32_t length) {
  Shape shape = c.shapeOf(from.real);
  if (c.hasFailed())
    return from;
  auto turn = [&](uint32_t part) {
    return c.reshape(c.transpose(part, {0, 2, 1}),
                     {shape[0] * shape[2], shape[1]});
  };
  auto turnBack = [&](uint32_t part) {
    return c.transpose(c.reshape(part, {shape[0], shape[2], length}),
                       {0, 2, 1});
  };
  Parts rows =
      transformRows(c, {turn(from.real), turn(from.imaginary)}, length);
  return {turnBack(rows.real), turnBack(rows.imaginary)};
}

/// The lengths of the transform \p op; the last one is that of rows.
static Result<std::vector<int32_t>> transformLengths(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> lengths, op.integers(1));
  if (lengths.size() != 2)
    return badData("input 1 has {} values, expected 2", lengths.size());
  return lengths;
}

bool hasLongTransform(Operator &op) {
  const Shape &input = op.shape(0);
  Result<std::vector<int32_t>> lengths = transformLengths(op);
  return lengths.isOk() && input.size() >= 2 &&
         std::max({uint32_t((*lengths)[0]), uint32_t((*lengths)[1]),
                   input[input.size() - 2], input.back()}) > maxTransform;
}

/// The shape of the result of a transform whose lengths \p check has accepted,
/// each beside the extent that is transformed.
static Result<std::vector<Shape>>
transformShape(Operator &op, Status (*check)(int32_t length, uint32_t extent)) {
  const Shape &input = op.shape(0);
  if (input.size() < 2)
    return badData("input 0 has shape {}, expected rank 2 or more",
                   toString(input));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> lengths, transformLengths(op));
  Shape shape = input;
  for (size_t i = 0; i < 2; ++i) {
    uint32_t &extent = shape[shape.size() - 2 + i];
    NNHAL_RETURN_IF_ERROR(check(lengths[i], extent));
    extent = i == 0 ? uint32_t(lengths[i]) : uint32_t(lengths[i]) / 2 + 1;
  }
  return std::vector<Shape>{shape};
}

Result<std::vector<Shape>> rfft2dShape(Operator &op) {
  return transformShape(op, [](int32_t length, uint32_t extent) -> Status {
    if (length < 1 || uint32_t(length) > maxTransform || extent > maxTransform)
      return badData("transforms {} elements with length {}, expected 1 to {}",
                     extent, length, maxTransform);
    return Status();
  });
}

Result<std::vector<Shape>> longTransformShape(Operator &op) {
  return transformShape(op, [](int32_t length, uint32_t) -> Status {
    // The extension says so, too, but not which operator of the file it is.
    constexpr int32_t most = 1 << 20;
    if (length < 1 || length > most || !std::has_single_bit(uint32_t(length)))
      return badData("has length {}, expected a power of two and at most {}",
                     length, most);
    return Status();
  });
}

Status importLongTransform(Operator &op) {
  Graph &graph = op.graph;
  Tensor &result = op.output(0);
  if (result.sourceType != schema::TensorType::COMPLEX64)
    return badData("output 0 has type {}, expected COMPLEX64",
                   nameOf(result.sourceType));
  NNHAL_ASSIGN_OR_RETURN(uint32_t input, graph.use(op.input(0)));
  NNHAL_ASSIGN_OR_RETURN(uint32_t lengths, graph.use(op.input(1)));
  NNHAL_ASSIGN_OR_RETURN(Operand operand,
                         complexOperandFor(graph, result, op.outputShapes[0]));
  uint32_t joined = graph.addOperand(std::move(operand));
  graph.addOperation(extensionOperation(schema::BuiltinOperator::RFFT2D),
                     {input, lengths}, {joined});
  NNHAL_RETURN_IF_ERROR(graph.bind(result, joined, op.outputShapes[0]));
  splitComplex(graph, result, joined);
  return Status();
}

Status importRfft2d(Operator &op) {
  if (op.output(0).sourceType != schema::TensorType::COMPLEX64)
    return badData("output 0 has type {}, expected COMPLEX64",
                   nameOf(op.output(0).sourceType));
  NNHAL_ASSIGN_OR_RETURN(std::vector<int32_t> lengths, op.integers(1));
  auto height = uint32_t(lengths[0]), width = uint32_t(lengths[1]);
  const Shape &input = op.shape(0), &result = op.outputShapes[0];
  uint32_t rows = *elementCount(input) / input.back();
  uint32_t inputHeight = input[input.size() - 2];
  Composition c(op);
  uint32_t from = c.reshape(c.input(0), {rows, input.back()});
  uint32_t frequencies = width / 2 + 1;
  Parts parts = {
      product(c, from, matrix(c, frequencies, input.back(), width, cosine)),
      product(c, from,
              matrix(c, frequencies, input.back(), width, negativeSine))};
  if (height != 1 || inputHeight != 1) {
    Shape planes = {rows / inputHeight, inputHeight, frequencies};
    parts = transformColumns(
        c, {c.reshape(parts.real, planes), c.reshape(parts.imaginary, planes)},
        height);
  }
  parts = {c.reshape(parts.real, result), c.reshape(parts.imaginary, result)};
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  NNHAL_RETURN_IF_ERROR(op.graph.bind(op.output(0), parts.real, result));
  op.output(0).imaginary = parts.imaginary;
  return Status();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Constants of complex numbers have two parts as soon as one is asked for.
static Status checkComplex(Operator &op) {
  Tensor &from = op.input(0);
  NNHAL_RETURN_IF_ERROR(splitConstant(op.graph, from));
  if (!from.imaginary)
    return badData("input 0, {}, is not of complex numbers", describe(from));
  if (op.output(0).type != OperandType::TENSOR_FLOAT32)
    return badData("output 0 has type {}, expected FLOAT32",
                   nameOf(op.output(0).sourceType));
  return Status();
}

Status importComplexPart(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkComplex(op));
  NNHAL_ASSIGN_OR_RETURN(Tensor part,
                         partOf(op.graph, op.input(0),
                                op.row.code == schema::BuiltinOperator::IMAG));
  return part.isConstant
             ? op.graph.bindConstant(op.output(0), part)
             : op.graph.bind(op.output(0), *part.operand, *part.shape);
}

Status importComplexAbs(Operator &op) {
  NNHAL_RETURN_IF_ERROR(checkComplex(op));
  const Tensor &from = op.input(0);
  op.outputShapes = {*from.shape};
  Composition c(op);
  auto square = [&](uint32_t part) {
    return combine(c, OperationType::MUL, part, part);
  };
  return c.finish(OperationType::SQRT,
                  {combine(c, OperationType::ADD, square(*from.operand),
                           square(*from.imaginary))});
}

Result<Tensor> partOf(Graph &graph, const Tensor &tensor, bool isImaginary) {
  Tensor part = tensor;
  part.sourceType = schema::TensorType::FLOAT32;
  part.type = OperandType::TENSOR_FLOAT32;
  part.imaginary.reset();
  if (!tensor.isConstant) {
    part.operand = isImaginary ? tensor.imaginary : tensor.operand;
    return part;
  }
  FileImport &file = graph.file();
  std::vector<std::byte> pairs, values;
  NNHAL_RETURN_IF_ERROR(expandConstant(tensor, file.constantLimit(), pairs)
                            .withContext(describe(tensor)));
  constexpr size_t size = sizeof(float);
  for (size_t i = isImaginary ? size : 0; i < pairs.size(); i += 2 * size)
    values.insert(values.end(), pairs.begin() + int64_t(i),
                  pairs.begin() + int64_t(i + size));
  NNHAL_RETURN_IF_ERROR(file.checkConstants(values.size()));
  part.operand.reset();
  part.isFolded = true;
  part.sparsity = nullptr;
  part.bytes = file.keepFolded(std::move(values));
  return part;
}

Status splitConstant(Graph &graph, Tensor &tensor) {
  if (!isComplex(tensor) || !tensor.isConstant || tensor.imaginary)
    return Status();
  NNHAL_ASSIGN_OR_RETURN(Tensor real, partOf(graph, tensor, false));
  NNHAL_ASSIGN_OR_RETURN(Tensor imaginary, partOf(graph, tensor, true));
  NNHAL_ASSIGN_OR_RETURN(uint32_t operand, graph.use(real));
  NNHAL_ASSIGN_OR_RETURN(tensor.imaginary, graph.use(imaginary));
  tensor.operand = operand;
  return Status();
}

Result<std::vector<Operand>> partsFor(const Tensor &tensor,
                                      const Shape &shape) {
  Tensor part = tensor;
  if (isComplex(tensor))
    part.type = OperandType::TENSOR_FLOAT32;
  NNHAL_ASSIGN_OR_RETURN(Operand operand, operandFor(part, shape));
  return std::vector<Operand>(isComplex(tensor) ? 2 : 1, operand);
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

Result<Operand> complexOperandFor(const Graph &graph, const Tensor &tensor,
                                  const Shape &shape) {
  if (!graph.usesExtension())
    return badData("{} {}; the extension {} has it", describe(tensor),
                   tensor.typeProblem, extensionName);
  if (shape.size() >= maxRank)
    return badData("{} has rank {}, but complex numbers have at most {}",
                   describe(tensor), shape.size(), maxRank - 1);
  Tensor stored = tensor;
  stored.type = tensorComplex64;
  return operandFor(stored, shape);
}

/// The type of both parts of the numbers of operand \p joined.
static Operand partsOf(const Operand &joined) {
  Operand parts;
  parts.type = OperandType::TENSOR_FLOAT32;
  parts.dimensions = joined.dimensions;
  parts.dimensions.push_back(2);
  return parts;
}

/// The options of PACK and UNPACK: the number of parts, and their dimension.
static void appendPartOptions(Graph &graph, std::vector<uint32_t> &inputs) {
  for (int32_t option : {2, -1})
    inputs.push_back(graph.addConstant(OperandType::INT32, {},
                                       std::as_bytes(std::span(&option, 1))));
}

void splitComplex(Graph &graph, Tensor &tensor, uint32_t joined) {
  const Operand complex = graph.operand(joined);
  uint32_t parts = graph.addOperand(partsOf(complex));
  graph.addOperation(extensionOperation(schema::BuiltinOperator::BITCAST),
                     {joined}, {parts});
  tensor.operand = graph.addTemporary(parts, complex.dimensions);
  tensor.imaginary = graph.addTemporary(parts, complex.dimensions);
  std::vector<uint32_t> inputs = {parts};
  appendPartOptions(graph, inputs);
  graph.addOperation(extensionOperation(schema::BuiltinOperator::UNPACK),
                     std::move(inputs), {*tensor.operand, *tensor.imaginary});
}

uint32_t joinComplex(Graph &graph, const Tensor &tensor, Operand like) {
  uint32_t parts = graph.addOperand(partsOf(like));
  std::vector<uint32_t> inputs = {*tensor.operand, *tensor.imaginary};
  appendPartOptions(graph, inputs);
  graph.addOperation(extensionOperation(schema::BuiltinOperator::PACK),
                     std::move(inputs), {parts});
  uint32_t joined = graph.addOperand(std::move(like));
  graph.addOperation(extensionOperation(schema::BuiltinOperator::BITCAST),
                     {parts}, {joined});
  return joined;
}

} // namespace nnhal::rt::tflite
