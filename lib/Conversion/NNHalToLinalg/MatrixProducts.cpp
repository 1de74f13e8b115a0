//===- MatrixProducts.cpp - Products of the cells of networks -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProducts.h"

#include "Weights.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using rt::OperandType;

/// A tensor that a loop carries is a buffer of unknown layout; its copy is not.
static Tensor copied(OperationLowering &op, const Tensor &vectors) {
  return {op.getBuilder(),
          bufferization::AllocTensorOp::create(
              op.getBuilder(), vectors.getValueType(),
              /*dynamicSizes=*/ValueRange(), /*copy=*/vectors.get()),
          vectors.getType()};
}

/// \p rows times each row of \p matrix, on top of \p bias, one number for each
/// of these, or of 0 where it is null. The sums are of type \p sum.
static Tensor multiplyRows(OperationLowering &op, const Tensor &rows,
                           Value matrix, Value bias, OperandType sum) {
  ImplicitLocOpBuilder &builder = op.getBuilder();
  rt::TensorType type;
  type.type = sum;
  Scalar units =
      op.index(cast<RankedTensorType>(matrix.getType()).getDimSize(0));
  Tensor first = op.undefined(type, {rows.extent(0), units});
  Value init = bias ? linalg::BroadcastOp::create(builder, bias, first.get(),
                                                  ArrayRef<int64_t>{0})
                          ->getResult(0)
                    : op.filled(type, first.extents(),
                                sum == OperandType::TENSOR_FLOAT32 ? op.f32(0)
                                                                   : op.i32(0))
                          .get();
  auto product = linalg::MatmulTransposeBOp::create(
      builder, builder.getLoc(), init.getType(), ValueRange{rows.get(), matrix},
      init);
  return {builder, product->getResult(0), type};
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static bool isByteTensor(const Tensor &tensor) {
  OperandType type = tensor.getType().type;
  return type == OperandType::TENSOR_QUANT8_ASYMM ||
         type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
         type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
}

std::optional<Tensor> nnhal::multiplyByByteMatrices(OperationLowering &op,
                                                    const Tensor &vectors,
                                                    ArrayRef<size_t> matrices) {
  if (!isByteTensor(vectors) || !hasElements(vectors.getValueType()))
    return std::nullopt;
  int64_t size = vectors.getValueType().getDimSize(1);
  ByteWeights weights;
  for (size_t index : matrices) {
    const rt::OperandView &matrix = op.view().inputs[index];
    OperandType type = matrix.type.type;
    bool isByteMatrix = type == OperandType::TENSOR_QUANT8_ASYMM ||
                        type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED ||
                        type == OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL ||
                        type == OperandType::TENSOR_QUANT8_SYMM;
    if (!op.isConstant(index) || !isByteMatrix ||
        !matrix.type.channelQuant.scales.empty())
      return std::nullopt;
    weights.add(storedBytes(matrix), byteFormOf(matrix.type));
  }
  auto units = int64_t(weights.values.size()) / size;
  // Modulo 2^32 would not do for a sum that is saturated later.
  if (units == 0 || units * size != int64_t(weights.values.size()) ||
      size * 255 * weights.largest > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  ImplicitLocOpBuilder &builder = op.getBuilder();
  bool isNarrow = weights.fitsI8();
  SmallVector<int8_t> narrow;
  if (isNarrow)
    narrow = weights.as<int8_t>();
  auto type = RankedTensorType::get(
      {units, size}, isNarrow ? builder.getI8Type() : builder.getI16Type());
  Value matrix = op.constantResource(
      type,
      isNarrow ? bytesOf<int8_t>(narrow) : bytesOf<int16_t>(weights.values),
      "weights");
  // A copy of the vectors themselves: what takes the zero point off may vanish.
  Tensor rows = copied(op, vectors);
  Type i16 = builder.getI16Type();
  Tensor factors = op.define(i16, rows.extents(), [&](Indices at) {
    return rows.centered(at).to(i16);
  });
  return multiplyRows(op, factors, matrix, /*bias=*/{},
                      OperandType::TENSOR_INT32);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

bool nnhal::isConstantMatrix(const OperationLowering &op, size_t index) {
  if (!op.hasInput(index) || !op.isConstant(index))
    return false;
  const rt::OperandView &matrix = op.view().inputs[index];
  return matrix.type.type == OperandType::TENSOR_FLOAT32 &&
         !matrix.value->empty();
}

/// The bytes of the inputs \p indices, one after the other.
static SmallVector<char> stackedBytes(const OperationLowering &op,
                                      ArrayRef<size_t> indices) {
  SmallVector<char> bytes;
  for (size_t index : indices)
    llvm::append_range(bytes, storedBytes(op.view().inputs[index]));
  return bytes;
}

Tensor nnhal::multiplyByMatrices(OperationLowering &op, const Tensor &vectors,
                                 ArrayRef<size_t> matrices,
                                 ArrayRef<size_t> biases) {
  Type f32 = op.getBuilder().getF32Type();
  int64_t size = vectors.getValueType().getDimSize(1);
  SmallVector<char> weights = stackedBytes(op, matrices);
  int64_t units = int64_t(weights.size() / sizeof(float)) / size;
  Value matrix = op.constantResource(RankedTensorType::get({units, size}, f32),
                                     weights, "weights");
  SmallVector<char> start = stackedBytes(op, biases);
  Value bias;
  if (!start.empty())
    bias =
        op.constantResource(RankedTensorType::get(units, f32), start, "bias");
  return multiplyRows(op, copied(op, vectors), matrix, bias,
                      OperandType::TENSOR_FLOAT32);
}
