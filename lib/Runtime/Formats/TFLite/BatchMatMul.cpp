//===- BatchMatMul.cpp - Import of batched products of matrices -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composition.h"
#include "OperatorTable.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

namespace nnhal::rt::tflite {

namespace {
/// One factor as a list of matrices.
struct Factor {
  Shape batch;
  uint32_t rows, columns;
};

struct Product {
  Factor a, b;
  /// The batch of the result.
  Shape batch;
};
} // namespace

static Factor factorOf(const Shape &shape, bool isTransposed) {
  size_t rank = shape.size();
  Factor factor{
      {shape.begin(), shape.end() - 2}, shape[rank - 2], shape[rank - 1]};
  if (isTransposed)
    std::swap(factor.rows, factor.columns);
  return factor;
}

static Result<Product> productOf(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BatchMatMulOptions>());
  for (size_t i = 0; i < 2; ++i)
    if (op.shape(i).size() < 2)
      return badData("input {} has shape {}, expected rank 2 or more", i,
                     toString(op.shape(i)));
  Product product{factorOf(op.shape(0), options->adj_x()),
                  factorOf(op.shape(1), options->adj_y()),
                  {}};
  if (product.a.columns != product.b.rows)
    return badData("cannot multiply {}x{} with {}x{}", product.a.rows,
                   product.a.columns, product.b.rows, product.b.columns);
  NNHAL_ASSIGN_OR_RETURN(product.batch,
                         broadcast(product.a.batch, product.b.batch));
  return product;
}

Result<std::vector<Shape>> batchMatMulShape(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(Product product, productOf(op));
  std::vector<int64_t> dimensions(product.batch.begin(), product.batch.end());
  dimensions.push_back(product.a.rows);
  dimensions.push_back(product.b.columns);
  NNHAL_ASSIGN_OR_RETURN(Shape shape, makeShape(dimensions));
  return std::vector<Shape>{shape};
}

/// The matrix of \p factor that takes part in matrix \p i of \p batch.
static uint32_t matrixOf(const Factor &factor, const Shape &batch, uint32_t i) {
  uint32_t result = 0, stride = 1;
  for (size_t axis = batch.size(); axis-- > 0;) {
    size_t fromEnd = batch.size() - axis;
    uint32_t position = i % batch[axis];
    i /= batch[axis];
    if (fromEnd > factor.batch.size())
      continue;
    uint32_t extent = factor.batch[factor.batch.size() - fromEnd];
    result += extent == 1 ? 0 : position * stride;
    stride *= extent;
  }
  return result;
}

/// The operand of input \p i: as real numbers where the first one is real.
static uint32_t factorOperand(Composition &c, Operator &op, size_t i) {
  if (i == 0 || !hasDynamicRange(op, i))
    return c.input(i);
  Result<uint32_t> reals = weightsOperand(op, i);
  if (reals.isOk())
    return *reals;
  c.fail(std::move(reals).takeStatus());
  return 0;
}

/// Fails unless both factors have one type, or the second one has quantized
/// weights beside reals.
static Status checkTypes(Operator &op) {
  const Tensor &a = op.input(0), &b = op.input(1);
  if (!b.type)
    return badData("{} {}", describe(b), b.typeProblem);
  if (*a.type != *b.type && !hasDynamicRange(op, 1))
    return badData("input 1 has type {}, but input 0 has type {}",
                   nameOf(*b.type), nameOf(*a.type));
  return Status();
}

/// The matrices of input \p i, one after the other along dimension 0,
/// transposed when \p isTransposed.
static uint32_t matrices(Composition &c, Operator &op, size_t i,
                         bool isTransposed) {
  const Shape &shape = op.shape(i);
  size_t rank = shape.size();
  uint32_t count = *elementCount({shape.begin(), shape.end() - 2});
  uint32_t value = c.reshape(factorOperand(c, op, i),
                             {count, shape[rank - 2], shape[rank - 1]});
  return isTransposed ? c.transpose(value, {0, 2, 1}) : value;
}

static uint32_t zeroBias(Operator &op, uint32_t units) {
  const Tensor &a = op.input(0), &b = op.input(1);
  if (isQuantized(*a.type))
    return addConstant(op.graph, OperandType::TENSOR_INT32,
                       std::vector<int32_t>(units), a.scale * b.scale);
  if (*a.type == OperandType::TENSOR_FLOAT16)
    return addConstant(op.graph, *a.type, std::vector<uint16_t>(units));
  return addConstant(op.graph, *a.type, std::vector<float>(units));
}

/// \p rows of data times \p weights, which are transposed: a fully connected
/// layer, or a convolution of single elements where values are quantized, for
/// TensorFlow Lite scales those sums in fixed point, as it does a
/// convolution's.
static uint32_t multiply(Operator &op, Composition &c, const Product &product,
                         uint32_t data, uint32_t weights, uint32_t bias,
                         uint32_t rows) {
  uint32_t inner = product.a.columns, columns = product.b.columns;
  uint32_t zero = c.int32(0), one = c.int32(1);
  if (!isQuantized(*op.input(0).type)) {
    uint32_t result = c.outputLike(0, {rows, columns});
    c.addTo(OperationType::FULLY_CONNECTED,
            {data, c.reshape(weights, {columns, inner}), bias, zero}, {result});
    return result;
  }
  uint32_t result = c.outputLike(0, {1, 1, rows, columns});
  constexpr int32_t validPadding = 2;
  c.addTo(OperationType::CONV_2D,
          {c.reshape(data, {1, 1, rows, inner}),
           c.reshape(weights, {columns, 1, 1, inner}), bias,
           c.int32(validPadding), one, one, zero},
          {result});
  return c.reshape(result, {rows, columns});
}

/// One product for each matrix of the batch.
Status importBatchMatMul(Operator &op) {
  NNHAL_ASSIGN_OR_RETURN(const auto *options,
                         op.options<schema::BatchMatMulOptions>());
  NNHAL_RETURN_IF_ERROR(checkTypes(op));
  NNHAL_ASSIGN_OR_RETURN(Product product, productOf(op));
  Composition c(op);
  uint32_t a = matrices(c, op, 0, options->adj_x());
  uint32_t b = matrices(c, op, 1, !options->adj_y());
  uint32_t aCount = *elementCount(product.a.batch);
  uint32_t bCount = *elementCount(product.b.batch);
  uint32_t columns = product.b.columns;
  NNHAL_RETURN_IF_ERROR(
      op.graph.file().checkConstants(columns * sizeof(float)));
  uint32_t bias = zeroBias(op, columns);
  uint32_t result;
  if (bCount == 1) { // The rows of all matrices of the other.
    result = multiply(op, c, product, a, b, bias, aCount * product.a.rows);
  } else {
    uint32_t count = *elementCount(product.batch);
    std::vector<uint32_t> as = c.split(a, 0, aCount),
                          bs = c.split(b, 0, bCount);
    if (count > maxUnrolled)
      c.fail(badData("needs {} operations, at most {} are composed", count,
                     maxUnrolled));
    std::vector<uint32_t> parts;
    for (uint32_t i = 0; i < count && !c.hasFailed(); ++i)
      parts.push_back(multiply(
          op, c, product, as[matrixOf(product.a, product.batch, i)],
          bs[matrixOf(product.b, product.batch, i)], bias, product.a.rows));
    NNHAL_RETURN_IF_ERROR(c.takeStatus());
    result = c.concatenate(parts, 0, {count * product.a.rows, columns});
  }
  NNHAL_RETURN_IF_ERROR(c.takeStatus());
  std::vector<int32_t> dimensions(op.outputShapes[0].begin(),
                                  op.outputShapes[0].end());
  return OperationBuilder(op, OperationType::RESHAPE)
      .operand(result)
      .integers(dimensions)
      .finish();
}

} // namespace nnhal::rt::tflite
