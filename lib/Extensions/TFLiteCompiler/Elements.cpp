//===- Elements.cpp - Arithmetic of elements ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

Value Elements::constant(Type type, int64_t number) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, number));
}

Value Elements::constant(float number) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
}

Value Elements::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}

Value Elements::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(b, predicate, x, y);
}

Value Elements::roundingShift(Value value, int32_t exponent) {
  if (exponent == 0)
    return value;
  Type type = value.getType();
  int64_t mask = (int64_t(1) << exponent) - 1;
  return roundingShift(value, constant(type, exponent), constant(type, mask),
                       constant(type, mask >> 1));
}

Value Elements::roundingShift(Value value, Value exponent) {
  Value one = constant(value.getType(), 1);
  Value mask = make<arith::SubIOp>(make<arith::ShLIOp>(one, exponent), one);
  return roundingShift(value, exponent, mask, make<arith::ShRUIOp>(mask, one));
}

Value Elements::roundingShift(Value value, Value exponent, Value mask,
                              Value half) {
  Type type = value.getType();
  Value shifted = make<arith::ShRSIOp>(value, exponent);
  Value rest = make<arith::AndIOp>(value, mask);
  Value isNegative =
      compare(arith::CmpIPredicate::slt, value, constant(type, 0));
  Value threshold =
      make<arith::AddIOp>(half, make<arith::ExtUIOp>(type, isNegative));
  Value isUp = compare(arith::CmpIPredicate::sgt, rest, threshold);
  return make<arith::AddIOp>(shifted, make<arith::ExtUIOp>(type, isUp));
}

Value Elements::scale(Value value, Factor factor) {
  Type type = value.getType();
  if (factor.shift > 0)
    value = make<arith::ShLIOp>(value, constant(type, factor.shift));
  value = make<kernel::DoublingHighMulOp>(
      value, constant(type, factor.multiplier), /*nsw=*/false);
  return roundingShift(value, factor.shift > 0 ? 0 : -factor.shift);
}

Value Elements::widenedBy15(Value value, Factor factor) {
  Type type = value.getType();
  Value upper =
      make<arith::MulIOp>(value, constant(type, factor.multiplier >> 16));
  Value lower =
      make<arith::MulIOp>(value, constant(type, factor.multiplier & 0xFFFF));
  Value carried = make<arith::ShRSIOp>(
      make<arith::AddIOp>(lower, constant(type, 1 << 15)), constant(type, 16));
  return roundingShift(make<arith::AddIOp>(upper, carried), -factor.shift);
}

Value Elements::reciprocalOfOnePlus(Value x) {
  Type i32 = x.getType();
  auto product = [&](Value first, Value second) {
    return make<kernel::DoublingHighMulOp>(first, second, /*nsw=*/false);
  };
  // Neither sum has a sign, and only the last shift saturates.
  Value half = make<arith::ShRUIOp>(
      make<arith::AddIOp>(x, constant(i32, boundsOf<int32_t>().least)),
      constant(i32, 1));
  Value value = make<arith::AddIOp>(constant(i32, 1515870810),
                                    product(half, constant(i32, -1010580540)));
  for (int step = 0; step < 3; ++step) {
    Value error =
        make<arith::SubIOp>(constant(i32, 1 << 29), product(half, value));
    value = make<arith::AddIOp>(
        value, make<arith::ShLIOp>(product(value, error), constant(i32, 2)));
  }
  Value isOne =
      compare(arith::CmpIPredicate::sge, value, constant(i32, 1 << 30));
  return make<arith::SelectOp>(isOne, constant(i32, boundsOf<int32_t>().most),
                               make<arith::ShLIOp>(value, constant(i32, 1)));
}

Value Elements::bounded(Value value, Bounds bounds) {
  Type type = value.getType();
  value = make<arith::MaxSIOp>(value, constant(type, bounds.least));
  return make<arith::MinSIOp>(value, constant(type, bounds.most));
}

Value Elements::lookUp(Value table, Value place) {
  Value index = make<arith::IndexCastOp>(b.getIndexType(), place);
  return make<tensor::ExtractOp>(table, ValueRange(index));
}

Value Elements::activated(Value value, Activation activation) {
  if (activation == Activation::none)
    return value;
  int32_t least = activation == Activation::reluN1To1 ? -1 : 0;
  int32_t most = activation == Activation::relu6 ? 6 : 1;
  bool isBounded = activation != Activation::relu;
  if (isa<IntegerType>(value.getType())) {
    Type type = value.getType();
    value = make<arith::MaxSIOp>(value, constant(type, least));
    return isBounded ? make<arith::MinSIOp>(value, constant(type, most))
                     : value;
  }
  // maximumf and minimumf return a value that is not a number.
  value = make<arith::MaximumFOp>(value, constant(float(least)));
  return isBounded ? make<arith::MinimumFOp>(value, constant(float(most)))
                   : value;
}

Value tflite::mapElements(ImplicitLocOpBuilder &builder,
                          RankedTensorType result, ValueRange inputs,
                          SmallVector<AffineMap> maps,
                          function_ref<Value(Elements &, ValueRange)> body) {
  auto rank = unsigned(result.getRank());
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(builder, result.getShape(),
                                       result.getElementType());
  return linalg::GenericOp::create(
             builder, TypeRange(result), inputs, init, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange x) {
               ImplicitLocOpBuilder inner(loc, nested);
               Elements elements(inner);
               linalg::YieldOp::create(inner, body(elements, x.drop_back()));
             })
      .getResult(0);
}

Value tflite::filled(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape,
                     Value element) {
  Value empty = tensor::EmptyOp::create(builder, shape, element.getType());
  return linalg::FillOp::create(builder, element, empty).getResult(0);
}

template <typename T>
static Value constantOf(OpBuilder &builder, Location loc, ArrayRef<T> entries) {
  auto type = RankedTensorType::get({int64_t(entries.size())},
                                    builder.getIntegerType(8 * sizeof(T)));
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, entries));
}

Value tflite::tableConstant(OpBuilder &builder, Location loc,
                            ArrayRef<int8_t> entries) {
  return constantOf(builder, loc, entries);
}

Value tflite::tableConstant(OpBuilder &builder, Location loc,
                            ArrayRef<int16_t> entries) {
  return constantOf(builder, loc, entries);
}

Value tflite::tableConstant(OpBuilder &builder, Location loc,
                            ArrayRef<int32_t> entries) {
  return constantOf(builder, loc, entries);
}
