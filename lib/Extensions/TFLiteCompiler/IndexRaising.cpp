//===- IndexRaising.cpp - Operators that use places -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that find elements by places, yield places, or yield what follows
// from shapes alone, which are constants.
//
//===----------------------------------------------------------------------===//

#include "Raiser.h"

#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include <limits>

using namespace mlir;
using namespace nnhal;
using namespace nnhal::tflite;

namespace {

using Raised = FailureOr<Value>;

/// Builds what stands for one operation. Each function fails before it builds
/// anything where places are not within their tensors.
class Indexer : Raiser {
public:
  Indexer(OperationOp op, OpBuilder &builder, StringRef &why)
      : Raiser(op, builder), result(resultType()), why(why) {}

  Raised best(Reducer reducer);
  Raised gathered();
  Raised gatheredByPlaces();
  Raised gatheredByComputed(Value indices, ArrayRef<int64_t> outer,
                            int64_t width);
  Raised oneHot();
  Raised summedUp();
  Raised resized(Sampler sampler);
  Raised diagonal();
  Raised shape();
  Raised rank();
  Raised zeros();
  Raised filled();

private:
  Raised fail(StringRef reason) {
    why = reason;
    return failure();
  }
  /// Fails with \p reason unless that is the empty text.
  LogicalResult passes(StringRef reason) {
    why = reason;
    return success(reason.empty());
  }
  using Raiser::typeOf;
  /// A type of the result's elements.
  RankedTensorType typeOf(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, result.getElementType());
  }
  bool keepsElements(Value value) {
    return getElementTypeOrSelf(value.getType()) == result.getElementType();
  }
  std::optional<bool> truth(size_t index) {
    return constantTruth(op.getInputs()[index]);
  }
  /// A constant of \p numbers, which are INT32 or INT64 as the result is.
  Raised constantOf(ArrayRef<int64_t> numbers);
  /// A constant of \p value, which has the stored elements.
  Value constant(RankedTensorType type, DenseElementsAttr value) {
    return ConstantOp::create(builder, loc, type, value);
  }
  Value broadcast(Value value);

  RankedTensorType result;
  StringRef &why;
};

Raised Indexer::best(Reducer reducer) {
  Extents shape = shapeOf(input), rest = shape;
  std::optional<int64_t> given = integer(1);
  if (!given)
    return fail(noPlace);
  std::optional<size_t> axis = resolveAxis(given, rest.size());
  if (!axis || rest[*axis] == 0)
    return fail(misfit);
  rest.erase(rest.begin() + int64_t(*axis));
  if (failed(passes(whyArgIsCalled(input.getType(), result, *axis))))
    return failure();
  if (!hasElements(rest))
    return fail(misfit);
  Value from = input;
  // Only the last dimension is searched on vectors, whatever is 1 behind it.
  if (elementsOf(ArrayRef(rest).drop_front(*axis)) == 1) {
    from = reshape(from, ArrayRef(shape).take_front(*axis + 1));
    rest.truncate(*axis);
  }
  Value places =
      tflite::ArgOp::create(builder, loc, typeOf(rest), reducer, from, *axis);
  return reshape(places, resultShape());
}

/// Whether \p numbers, which are places, are within \p extent.
bool areInside(ArrayRef<int64_t> numbers, int64_t extent) {
  return llvm::all_of(
      numbers, [&](int64_t number) { return number >= 0 && number < extent; });
}

Raised Indexer::gathered() {
  Value indices = op.getInputs()[1];
  Extents shape = shapeOf(input), places = shapeOf(indices);
  std::optional<size_t> axis = resolveAxis(integer(2), shape.size());
  std::optional<int64_t> batch = integer(3);
  if (batch && *batch < 0)
    *batch += int64_t(places.size());
  std::optional<IntegerForm> form = integerFormOf(indices.getType());
  if (!form || !form->isSigned || form->bits < 16 || !keepsElements(input))
    return fail(otherTypes);
  if (!axis || !batch || *batch < 0 || *batch > int64_t(*axis) ||
      *batch > int64_t(places.size()) || shape[*axis] == 0 ||
      ArrayRef(shape).take_front(*batch) != ArrayRef(places).take_front(*batch))
    return fail(misfit);
  Extents chosen(ArrayRef(shape).take_front(*axis));
  llvm::append_range(chosen, ArrayRef(places).drop_front(*batch));
  llvm::append_range(chosen, ArrayRef(shape).drop_front(*axis + 1));
  if (!hasElements(chosen))
    return fail(misfit);
  Extents numbers = constantIntegers(indices);
  bool isConstant = definingConstant(indices) != nullptr;
  // The half in the runtime says which constant is outside.
  if (isConstant && numbers.empty())
    return fail("it has no indices");
  if (isConstant && !areInside(numbers, shape[*axis]))
    return fail(outsidePlace);
  Value value =
      tflite::GatherOp::create(builder, loc, typeOf(chosen), input, indices,
                               *axis, uint64_t(*batch), isConstant);
  return reshape(value, resultShape());
}

/// An index of GATHER_ND names a row of the elements behind its dimensions.
Raised Indexer::gatheredByPlaces() {
  Value indices = op.getInputs()[1];
  Extents shape = shapeOf(input), places = shapeOf(indices);
  std::optional<IntegerForm> form = integerFormOf(indices.getType());
  if (!form || !form->isSigned || form->bits < 16 || !keepsElements(input))
    return fail(otherTypes);
  if (places.empty() || places.back() < 1 ||
      places.back() > int64_t(shape.size()))
    return fail(misfit);
  auto depth = size_t(places.back());
  auto outer = ArrayRef(shape).take_front(depth);
  auto inner = ArrayRef(shape).drop_front(depth);
  std::optional<int64_t> rows = elementsOf(outer), width = elementsOf(inner);
  if (!rows || *rows > std::numeric_limits<int32_t>::max() || !width ||
      *width > std::numeric_limits<int32_t>::max())
    return fail(misfit);
  if (!definingConstant(indices))
    return gatheredByComputed(indices, outer, *width);
  Extents numbers = constantIntegers(indices);
  if (numbers.empty())
    return fail(noPlace);
  SmallVector<int32_t> found;
  for (size_t number = 0; number < numbers.size(); number += depth) {
    int64_t row = 0;
    for (size_t axis = 0; axis < depth; ++axis) {
      if (!areInside(numbers[number + axis], outer[axis]))
        return fail(outsidePlace);
      row = row * outer[axis] + numbers[number + axis];
    }
    found.push_back(int32_t(row));
  }
  auto count = int64_t(found.size());
  if (!hasElements({count, *width}))
    return fail(misfit);
  auto type = RankedTensorType::get({count}, builder.getI32Type());
  Value chosen = constant(type, DenseElementsAttr::get(type, ArrayRef(found)));
  Value value = tflite::GatherOp::create(
      builder, loc, typeOf({count, *width}), reshape(input, {*rows, *width}),
      chosen, /*axis=*/0, /*batch=*/0, /*inside=*/true);
  return reshape(value, resultShape());
}

/// Whether places are inside is checked when the model runs.
Raised Indexer::gatheredByComputed(Value indices, ArrayRef<int64_t> outer,
                                   int64_t width) {
  std::optional<int64_t> count =
      elementsOf(ArrayRef(shapeOf(indices)).drop_back());
  if (!count || llvm::is_contained(outer, 0) || !hasElements({*count, width}))
    return fail(misfit);
  // The call needs 1.1 ns for each place of two elements, and code 1.8, but a
  // call takes two microseconds by itself.
  constexpr int64_t mostSingle = 2048;
  if (width == 1 && *count > mostSingle)
    return fail("its places are those of single elements");
  Extents table(outer);
  table.push_back(width);
  Value value = tflite::GatherNdOp::create(
      builder, loc, typeOf({*count, width}), reshape(input, table),
      reshape(indices, {*count, int64_t(outer.size())}));
  return reshape(value, resultShape());
}

Raised Indexer::oneHot() {
  Value on = op.getInputs()[2], off = op.getInputs()[3];
  Extents shape = shapeOf(input);
  std::optional<int64_t> depth = integer(1);
  std::optional<size_t> axis = resolveAxis(integer(4), shape.size() + 1);
  if (!depth)
    return fail(noPlace);
  std::optional<IntegerForm> form = integerFormOf(input.getType());
  if (!form || !form->isSigned || form->bits < 32 || !keepsElements(on) ||
      !keepsElements(off))
    return fail(otherTypes);
  if (!axis || *depth < 0)
    return fail(misfit);
  shape.insert(shape.begin() + int64_t(*axis), *depth);
  if (!hasElements(shape) || elementsOf(shapeOf(on)) != 1 ||
      elementsOf(shapeOf(off)) != 1)
    return fail(misfit);
  Value value = tflite::OneHotOp::create(builder, loc, typeOf(shape), input, on,
                                         off, *axis);
  return reshape(value, resultShape());
}

Raised Indexer::summedUp() {
  std::optional<int64_t> given = integer(1);
  if (!given)
    return fail(noPlace);
  if (failed(passes(whyCumsumIsCalled(input.getType(), result))))
    return failure();
  std::optional<size_t> axis = resolveAxis(given, shapeOf(input).size());
  std::optional<bool> isExclusive = truth(2), isReverse = truth(3);
  if (!axis || !isExclusive || !isReverse)
    return fail(misfit);
  return Value(tflite::CumsumOp::create(builder, loc, result, input, *axis,
                                        *isExclusive, *isReverse));
}

Raised Indexer::resized(Sampler sampler) {
  Extents shape = shapeOf(input), size = constantIntegers(op.getInputs()[1]);
  std::optional<bool> isAligned = truth(2), isCentred = truth(3);
  if (failed(passes(whyResizeIsCalled(sampler, input.getType(), result))))
    return failure();
  if (size.size() != 2 || !isAligned || !isCentred ||
      (*isAligned && *isCentred) || !isResized(shape, result.getShape()) ||
      ArrayRef(size) != result.getShape().slice(1, 2))
    return fail(misfit);
  return Value(tflite::ResizeOp::create(builder, loc, result, sampler, input,
                                        *isAligned, *isCentred));
}

Raised Indexer::diagonal() {
  Extents shape = shapeOf(input);
  if (!keepsElements(input))
    return fail(otherTypes);
  if (shape.empty())
    return fail(misfit);
  shape.push_back(shape.back());
  if (resultShape() != shape)
    return fail(misfit);
  return Value(tflite::DiagonalOp::create(builder, loc, result, input));
}

//===----------------------------------------------------------------------===//
// Constants that follow from shapes
//===----------------------------------------------------------------------===//

Raised Indexer::constantOf(ArrayRef<int64_t> numbers) {
  bool isNarrow = classOf(result) == ElementClass::int32;
  if (!isNarrow && classOf(result) != ElementClass::int64)
    return fail(otherTypes);
  auto storage = dyn_cast_or_null<RankedTensorType>(storageTypeOf(result));
  if (!storage || resultShape() != Extents{int64_t(numbers.size())})
    return fail(misfit);
  SmallVector<APInt> elements;
  for (int64_t number : numbers)
    elements.emplace_back(isNarrow ? 32 : 64, uint64_t(number),
                          /*isSigned=*/true, /*implicitTrunc=*/true);
  return constant(result, DenseElementsAttr::get(storage, elements));
}

Raised Indexer::shape() { return constantOf(shapeOf(input)); }

Raised Indexer::rank() { return constantOf({int64_t(shapeOf(input).size())}); }

/// The result, all of whose elements are that of \p value.
Value Indexer::broadcast(Value value) {
  return ElementwiseOp::create(builder, loc, result, Function::broadcast_to,
                               value, /*activation=*/0, APFloat(0.0f),
                               /*approximate=*/false);
}

Raised Indexer::zeros() {
  if (shapeOf(input) != resultShape())
    return fail(misfit);
  if (!keepsElements(input))
    return fail(otherTypes);
  RankedTensorType one = typeOf({1});
  auto storage = dyn_cast_or_null<RankedTensorType>(storageTypeOf(one));
  if (!storage)
    return fail(otherTypes);
  Attribute zero = builder.getZeroAttr(storage.getElementType());
  return broadcast(constant(one, DenseElementsAttr::get(storage, zero)));
}

Raised Indexer::filled() {
  Value value = op.getInputs()[1];
  Extents extents = constantIntegers(input);
  if (!keepsElements(value))
    return fail(otherTypes);
  // A shape without a value has no extents, as that of a scalar.
  if (!definingConstant(input))
    return fail(noPlace);
  if (extents != resultShape() || elementsOf(shapeOf(value)) != 1)
    return fail(misfit);
  return broadcast(reshape(value, {1}));
}

} // namespace

bool tflite::usesPlaces(uint32_t number) {
  switch (number) {
  case argMaxCode:
  case argMinCode:
  case cumsumCode:
  case fillCode:
  case gatherCode:
  case gatherNdCode:
  case matrixDiagCode:
  case oneHotCode:
  case rankCode:
  case shapeCode:
  case zerosLikeCode:
    return true;
  default:
    return symbolizeSampler(number).has_value();
  }
}

FailureOr<Value> tflite::raisePlaces(uint32_t number, OperationOp op,
                                     OpBuilder &builder, StringRef &why) {
  Indexer indexer(op, builder, why);
  switch (number) {
  case argMaxCode:
    return indexer.best(Reducer::maximum);
  case argMinCode:
    return indexer.best(Reducer::minimum);
  case cumsumCode:
    return indexer.summedUp();
  case fillCode:
    return indexer.filled();
  case gatherCode:
    return indexer.gathered();
  case gatherNdCode:
    return indexer.gatheredByPlaces();
  case matrixDiagCode:
    return indexer.diagonal();
  case oneHotCode:
    return indexer.oneHot();
  case rankCode:
    return indexer.rank();
  case shapeCode:
    return indexer.shape();
  case zerosLikeCode:
    return indexer.zeros();
  default:
    return indexer.resized(*symbolizeSampler(number));
  }
}
