//===- MatMulRaising.cpp - BATCH_MATMUL of 16 bits ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions in front are one, which has as many matrices as the result, or one
// that all of those share.
//
//===----------------------------------------------------------------------===//

#include "ElementUse.h"
#include "Raiser.h"
#include "Raising.h"

#include "mlir/Dialect/Traits.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Reads one operation.
class MatMul : Raiser {
public:
  MatMul(OperationOp op, OpBuilder &builder)
      : Raiser(op, builder), y(op.getInputs()[1]), result(op->getResult(0)) {}

  bool readShapes();
  /// Whether code is faster than the call.
  bool isFaster() const;
  /// Says why products are left to the runtime; the empty text where they are
  /// not.
  StringRef whyCalled();
  Value build();

private:
  Value y, result;
  bool isXTransposed = false, isYTransposed = false;
  /// Numbers of matrices.
  int64_t xCount = 1, yCount = 1, count = 1;
  int64_t rows = 0, depth = 0, columns = 0;
};

bool MatMul::readShapes() {
  ArrayRef<int64_t> a = tflite::shapeOf(input), b = tflite::shapeOf(y);
  ArrayRef<int64_t> to = tflite::shapeOf(result);
  std::optional<bool> first = constantTruth(op.getInputs()[2]);
  std::optional<bool> second = constantTruth(op.getInputs()[3]);
  if (a.size() < 2 || b.size() < 2 || to.size() < 2 || !first || !second)
    return false;
  isXTransposed = *first;
  isYTransposed = *second;
  rows = a[a.size() - (isXTransposed ? 1 : 2)];
  depth = a[a.size() - (isXTransposed ? 2 : 1)];
  columns = b[b.size() - (isYTransposed ? 2 : 1)];
  std::optional<int64_t> counts[] = {elementsOf(a.drop_back(2)),
                                     elementsOf(b.drop_back(2)),
                                     elementsOf(to.drop_back(2))};
  if (!llvm::all_of(counts, [](auto number) { return number.has_value(); }))
    return false;
  xCount = *counts[0];
  yCount = *counts[1];
  count = *counts[2];
  SmallVector<int64_t> joined;
  return b[b.size() - (isYTransposed ? 1 : 2)] == depth &&
         to.take_back(2) == ArrayRef({rows, columns}) &&
         OpTrait::util::getBroadcastedShape(a.drop_back(2), b.drop_back(2),
                                            joined) &&
         to.drop_back(2) == ArrayRef(joined);
}

bool MatMul::isFaster() const {
  // Both bytes of an element of the second matrix are packed in the time of
  // some 20 products of the call, and panels of few columns are mostly empty.
  constexpr int64_t leastRows = 64, leastColumns = 16;
  // A call takes two microseconds by itself.
  constexpr int64_t leastWork = 2048;
  return (rows >= leastRows && columns >= leastColumns) ||
         count * depth * columns <= leastWork;
}

StringRef MatMul::whyCalled() {
  for (Value value : {input, y, result})
    if (classOf(value.getType()) != ElementClass::fixed16)
      return otherTypes;
  if (!readShapes())
    return misfit;
  if (count * rows * depth * columns == 0)
    return noElements;
  if ((xCount != count && xCount != 1) || (yCount != count && yCount != 1))
    return "some of its matrices are those of several products";
  // Code for each product takes time to compile.
  constexpr int64_t mostProducts = 16;
  if (count * partsOfProduct(depth) > mostProducts)
    return "it has more than 16 products of 510 or fewer numbers";
  if (!isFaster())
    return "packing its matrices takes longer than it saves";
  return {};
}

Value MatMul::build() {
  SmallVector<int64_t> shape = {xCount, rows, depth};
  Value left = input;
  if (isXTransposed) {
    left = reshape(input, {xCount, depth, rows});
    left = tflite::TransposeOp::create(builder, loc, typeOf(input, shape), left,
                                       ArrayRef<int64_t>{0, 2, 1});
  }
  left = reshape(left, shape);
  shape = {yCount, depth, columns};
  if (isYTransposed)
    std::swap(shape[1], shape[2]);
  WideFactor factor(
      factorOf(double(scaleOf(input.getType()) * scaleOf(y.getType())) /
               double(scaleOf(result.getType()))));
  Value product = tflite::MatMulOp::create(
      builder, loc, typeOf(result, {count, rows, columns}), left,
      reshape(y, shape), isYTransposed, uint32_t(factor.multiplier),
      uint32_t(factor.shift));
  return reshape(product, resultShape());
}

} // namespace

FailureOr<Value> tflite::raiseMatMul(OperationOp op, OpBuilder &builder,
                                     StringRef &why) {
  MatMul matMul(op, builder);
  why = matMul.whyCalled();
  if (!why.empty())
    return failure();
  return matMul.build();
}
