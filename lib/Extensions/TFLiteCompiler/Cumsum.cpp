//===- Cumsum.cpp - Sums of all elements up to each one -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tflite.cumsum -> loops that carry sums: in registers where the dimension is
// the last one or few elements lie behind it, and else in a row, to which each
// round adds one.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Lowering.h"
#include "TFLiteDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// Rows of at most so many elements are summed up in registers. Floats of
/// [1, 100000, 2] take 47 us, where rows took 281 and a call 111; [1, 50000, 8]
/// 54, 140 and 275; [1, 30000, 16] 64, 99 and 110. From 24 elements on rows are
/// as fast, and their code is shorter.
constexpr int64_t mostInRegisters = 16;

/// Builds sums along the second of three dimensions.
class Summation {
public:
  Summation(ImplicitLocOpBuilder &b, tflite::CumsumOp op, Value input)
      : b(b), op(op), input(input),
        type(cast<RankedTensorType>(input.getType())) {}

  Value build() {
    Value init =
        tensor::EmptyOp::create(b, type.getShape(), type.getElementType());
    return loop(b, type.getDimSize(0), init,
                [&](ImplicitLocOpBuilder &inner, Value block,
                    ValueRange carried) -> SmallVector<Value> {
                  return {sumBlock(inner, block, carried[0])};
                })
        .front();
  }

private:
  using Body = function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value,
                                               ValueRange)>;

  static SmallVector<Value> loop(ImplicitLocOpBuilder &b, int64_t count,
                                 ValueRange init, Body body) {
    auto index = [&](int64_t number) -> Value {
      return arith::ConstantIndexOp::create(b, number);
    };
    auto op = scf::ForOp::create(
        b, index(0), index(count), index(1), init,
        [&](OpBuilder &nested, Location loc, Value place, ValueRange carried) {
          ImplicitLocOpBuilder inner(loc, nested);
          scf::YieldOp::create(inner, body(inner, place, carried));
        });
    return SmallVector<Value>(op.getResults());
  }

  /// The place of round \p number.
  Value placeOf(ImplicitLocOpBuilder &b, Value number) {
    if (!op.getReverse())
      return number;
    Value last = arith::ConstantIndexOp::create(b, type.getDimSize(1) - 1);
    return arith::SubIOp::create(b, last, number);
  }

  static Value add(Elements &e, Value a, Value b) {
    return isa<FloatType>(a.getType()) ? e.make<arith::AddFOp>(a, b)
                                       : e.make<arith::AddIOp>(a, b);
  }

  Value sumBlock(ImplicitLocOpBuilder &b, Value block, Value to) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element()));
    if (type.getDimSize(2) <= mostInRegisters)
      return sumNumbers(b, block, to, zero);
    Value first = filled(b, type.getDimSize(2), zero);
    return loop(b, type.getDimSize(1), {to, first},
                [&](ImplicitLocOpBuilder &inner, Value number,
                    ValueRange carried) -> SmallVector<Value> {
                  return addRow(inner, block, placeOf(inner, number), carried);
                })
        .front();
  }

  Value sumNumbers(ImplicitLocOpBuilder &b, Value block, Value to, Value zero) {
    int64_t width = type.getDimSize(2);
    SmallVector<Value> init(size_t(width) + 1, zero), columns;
    init.front() = to;
    for (int64_t column = 0; column < width; ++column)
      columns.push_back(arith::ConstantIndexOp::create(b, column));
    return loop(b, type.getDimSize(1), init,
                [&](ImplicitLocOpBuilder &inner, Value number,
                    ValueRange carried) -> SmallVector<Value> {
                  Elements e(inner);
                  SmallVector<Value> next(carried);
                  Value line = placeOf(inner, number);
                  for (size_t column = 0; column < columns.size(); ++column) {
                    SmallVector<Value> place = {block, line, columns[column]};
                    Value sum = carried[column + 1];
                    Value with =
                        add(e, sum, e.make<tensor::ExtractOp>(input, place));
                    next[0] = e.make<tensor::InsertOp>(
                        op.getExclusive() ? sum : with, next[0], place);
                    next[column + 1] = with;
                  }
                  return next;
                })
        .front();
  }

  /// Adds the row at \p place to the carried one, which is stored before where
  /// sums are exclusive.
  SmallVector<Value> addRow(ImplicitLocOpBuilder &b, Value block, Value place,
                            ValueRange carried) {
    int64_t width = type.getDimSize(2);
    SmallVector<OpFoldResult> offsets = {block, place, b.getIndexAttr(0)},
                              sizes = {b.getIndexAttr(1), b.getIndexAttr(1),
                                       b.getIndexAttr(width)},
                              strides(3, b.getIndexAttr(1));
    auto rowType = cast<RankedTensorType>(carried[1].getType());
    Value row = tensor::ExtractSliceOp::create(b, rowType, input, offsets,
                                               sizes, strides);
    auto store = [&](Value sums) -> Value {
      return tensor::InsertSliceOp::create(b, sums, carried[0], offsets, sizes,
                                           strides);
    };
    Value to = op.getExclusive() ? store(carried[1]) : Value();
    AffineMap map = b.getMultiDimIdentityMap(1);
    Value sums = linalg::GenericOp::create(
                     b, TypeRange(rowType), row, carried[1], ArrayRef{map, map},
                     utils::IteratorType::parallel,
                     [&](OpBuilder &builder, Location loc, ValueRange x) {
                       ImplicitLocOpBuilder inner(loc, builder);
                       Elements e(inner);
                       linalg::YieldOp::create(inner, add(e, x[1], x[0]));
                     })
                     .getResult(0);
    return {to ? to : store(sums), sums};
  }

  Type element() { return type.getElementType(); }

  ImplicitLocOpBuilder &b;
  tflite::CumsumOp op;
  Value input;
  RankedTensorType type;
};

} // namespace

template <>
Value tflite::TensorLowering<tflite::CumsumOp>::lower(
    ImplicitLocOpBuilder &b, tflite::CumsumOp op, tflite::CumsumOpAdaptor from,
    RankedTensorType result) {
  ArrayRef<int64_t> shape = result.getShape();
  if (result.getNumElements() == 0)
    return tensor::EmptyOp::create(b, shape, result.getElementType());
  std::optional<int64_t> outer = elementsOf(shape.take_front(op.getAxis()));
  std::optional<int64_t> inner = elementsOf(shape.drop_front(op.getAxis() + 1));
  SmallVector<int64_t> blocks = {*outer, shape[op.getAxis()], *inner};
  Value input = reshaped(b, from.getInput(), blocks);
  return reshaped(b, Summation(b, op, input).build(), shape);
}

StringRef tflite::whyCumsumIsCalled(Type input, Type result) {
  using enum ElementClass;
  ElementClass element = classOf(input);
  bool isTaken = element == float32 || element == int32 || element == int64;
  return isTaken && input == result ? StringRef() : StringRef(otherTypes);
}

void tflite::populateCumsumLowering(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<TensorLowering<tflite::CumsumOp>>(converter,
                                                 patterns.getContext());
}
