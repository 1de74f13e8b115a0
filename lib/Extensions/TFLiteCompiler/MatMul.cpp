//===- MatMul.cpp - Products of 16-bit matrices ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.matmul -> two linalg.conv_2d_nhwc_fhwc for each matrix, which multiply
// 16-bit numbers with both bytes of the others apart, because sums of whole
// products do not fit 32 bits.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Lowering.h"
#include "Products.h"
#include "SumRounding.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Builds what computes the products of one operation.
class ProductBuilder {
public:
  ProductBuilder(ImplicitLocOpBuilder &b, tflite::MatMulOp op, Value x,
                 Value y);

  Value build(RankedTensorType result);

private:
  Value slice(Value from, int64_t matrix, ArrayRef<int64_t> offsets,
              ArrayRef<int64_t> sizes);
  Value bytesOf(Value matrix, ChannelRange part, bool isUpper);
  SmallVector<Value> sumsOf(int64_t matrix);

  ImplicitLocOpBuilder &b;
  tflite::MatMulOp op;
  Value x, y;
  int64_t rows, depth, columns, parts;
};

ProductBuilder::ProductBuilder(ImplicitLocOpBuilder &b, tflite::MatMulOp op,
                               Value x, Value y)
    : b(b), op(op), x(x), y(y), rows(shapeOf(x)[1]), depth(shapeOf(x)[2]),
      columns(shapeOf(op.getResult())[2]), parts(partsOfProduct(depth)) {}

/// Part of one of the matrices \p from, or of the only one.
Value ProductBuilder::slice(Value from, int64_t matrix,
                            ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(from.getType());
  SmallVector<int64_t> begin = {type.getDimSize(0) == 1 ? 0 : matrix},
                       extents = {1}, ones(3, 1);
  llvm::append_range(begin, offsets);
  llvm::append_range(extents, sizes);
  auto get = [&](ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(b.getContext(), numbers);
  };
  return tensor::ExtractSliceOp::create(
      b, RankedTensorType::get(sizes, type.getElementType()), from, get(begin),
      get(extents), get(ones));
}

/// One byte of the elements of \p matrix, which has the depth first unless it
/// is transposed, as a kernel's filter. A number is 256 times its upper byte
/// and its lower one, which has a sign.
Value ProductBuilder::bytesOf(Value matrix, ChannelRange part, bool isUpper) {
  // Columns and depth.
  AffineExpr dims[2];
  bindDimsList(b.getContext(), MutableArrayRef<AffineExpr>(dims));
  SmallVector<AffineExpr> place = {dims[1], dims[0]};
  if (op.getTransposed())
    std::swap(place[0], place[1]);
  Type i16 = b.getI16Type(), i8 = b.getI8Type();
  Value bytes = mapElements(
      b, RankedTensorType::get({columns, part.size}, i16), matrix,
      {AffineMap::get(2, 0, place, b.getContext())},
      [&](Elements &e, ValueRange numbers) -> Value {
        Value number = numbers[0];
        if (!isUpper)
          return e.make<arith::ExtSIOp>(i16,
                                        e.make<arith::TruncIOp>(i8, number));
        Value upper = e.make<arith::ShRSIOp>(number, e.constant(i16, 8));
        // The lower byte is read as a signed one, and a negative one lacks 256,
        // which the upper byte gets.
        Value sign = e.make<arith::AndIOp>(
            e.make<arith::ShRUIOp>(number, e.constant(i16, 7)),
            e.constant(i16, 1));
        return e.make<arith::AddIOp>(upper, sign);
      });
  return reshaped(b, bytes, {columns, 1, 1, part.size});
}

/// Sums of the upper byte and of the lower one, for each part of the depth.
SmallVector<Value> ProductBuilder::sumsOf(int64_t matrix) {
  SmallVector<int32_t> zeros(size_t(columns), 0);
  SmallVector<Value> sums;
  for (int64_t index = 0; index < parts; ++index) {
    ChannelRange part = partOf(depth, parts, index);
    Value left = slice(x, matrix, {0, part.begin}, {rows, part.size});
    left = reshaped(b, left, {1, 1, rows, part.size});
    Value right = op.getTransposed()
                      ? slice(y, matrix, {0, part.begin}, {columns, part.size})
                      : slice(y, matrix, {part.begin, 0}, {part.size, columns});
    for (bool isUpper : {true, false})
      sums.push_back(
          sumProductsOfRows(b, left, bytesOf(right, part, isUpper), zeros));
  }
  return sums;
}

Value ProductBuilder::build(RankedTensorType result) {
  SmallVector<int32_t> multipliers(size_t(columns), op.getMultiplier()),
      shifts(size_t(columns), op.getShift());
  SmallVector<int64_t> places;
  for (int64_t part = 0; part < parts; ++part)
    places.append({8, 0});
  Type element = result.getElementType();
  Value all = tensor::EmptyOp::create(b, result.getShape(), element);
  auto type = RankedTensorType::get({1, 1, rows, columns}, element);
  for (int64_t matrix = 0; matrix < result.getDimSize(0); ++matrix) {
    Value product =
        roundedSums(b, type, sumsOf(matrix), SumRounding::once_in_64,
                    multipliers, shifts, boundsOf<int16_t>(), places);
    auto get = [&](ArrayRef<int64_t> numbers) {
      return getAsIndexOpFoldResult(b.getContext(), numbers);
    };
    if (result.getDimSize(0) == 1)
      return reshaped(b, product, result.getShape());
    all = tensor::InsertSliceOp::create(
        b, reshaped(b, product, {rows, columns}), all, get({matrix, 0, 0}),
        get({1, rows, columns}), get({1, 1, 1}));
  }
  return all;
}

} // namespace

template <>
Value TensorLowering<tflite::MatMulOp>::lower(ImplicitLocOpBuilder &b,
                                              tflite::MatMulOp op,
                                              tflite::MatMulOp::Adaptor adaptor,
                                              RankedTensorType result) {
  return ProductBuilder(b, op, adaptor.getX(), adaptor.getY()).build(result);
}

int64_t tflite::partsOfProduct(int64_t depth) {
  // Bytes with a sign and numbers of 16 bits have products of at most 2^22.
  constexpr int64_t mostProducts = 510;
  return llvm::divideCeil(depth, mostProducts);
}

void tflite::populateMatMulLowering(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::MatMulOp>>(converter,
                                                 patterns.getContext());
}
