//===- OperationLowering.cpp - One HAL operation being lowered ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowerings are made of these parts: reading one operation, building its
// results, and ending with them or with a reason.
//
// prepare() reads the operation in the HAL's form and runs the checks of its
// rule, which also infer what is known of the results; a model that was checked
// before may be looked at again here with better types. A picture in NCHW order
// is transposed at once, and back in finish(), which casts each result to the
// type that the model states.
//
// Inputs are constants, values, or parameters, which become constants where
// they are read: what is known folds while it is built (Scalar), so that a
// lowering need not ask. What is not known is checked by the code, with the
// reason that the runtime reports.
//
// Loops and branches exist in two kinds. Tensors that are defined element by
// element are linalg operations. Values that one element carries are scf.for
// and scf.if inside of those; loops of at most one known round, and branches on
// known conditions, are straight code. Tensors that loops carry are only
// inserted into, so that bufferization keeps all rounds in one buffer.
//
//===----------------------------------------------------------------------===//

#include "OperationLowering.h"

#include "../../Common/ConstantData.h"
#include "../../Common/ExtentCast.h"

#include "Runtime/Artifact/RoutineSignature.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace nnhal;

OperationLowering::OperationLowering(HalFormOpInterface op, ValueRange operands,
                                     ConversionPatternRewriter &rewriter,
                                     LinalgLowering &shared)
    : TensorBuilder(op->getLoc(), rewriter), op(op), operands(operands),
      rewriter(rewriter), shared(shared), results(op->getNumResults()) {}

LogicalResult OperationLowering::fail(const Twine &reason) {
  op->emitRemark(reason);
  return failure();
}

LogicalResult OperationLowering::prepare() {
  if (rt::Status status = op.readHalForm(halView); !status.isOk())
    return fail(status.message());
  for (auto [index, input] : llvm::enumerate(view().inputs))
    if (!input.isOmitted && !input.value && !halView.operandOf(index))
      return fail("input " + Twine(index) +
                  " follows from a result type with unknown extents");
  rt::Result<rt::OperationFacts> found = rt::checkOperation(view());
  if (!found.isOk())
    return fail(found.status().message());
  facts = *std::move(found);
  places = rt::InputPlaces(view());
  if (failed(checkRanks()))
    return failure();
  return checkLayout();
}

/// Every operand that is given must have a known rank: loops and checks are
/// made for each dimension.
LogicalResult OperationLowering::checkRanks() {
  for (auto [index, input] : llvm::enumerate(op->getOperands()))
    if (isa<UnrankedTensorType>(input.getType()) &&
        !input.getDefiningOp<NoValueOp>())
      return fail("input " + Twine(index) + " has an unknown rank");
  return success();
}

LogicalResult OperationLowering::checkLayout() {
  // A routine takes the layout when it runs.
  size_t layout = indexOf("layout");
  if (rt::routineSlot(type()) || !states("layout") || !hasInput(layout))
    return success();
  if (!isConstant(layout))
    return fail("the layout is not constant");
  if (view().inputs[layout].value->front() != std::byte(0))
    return fail("pictures are in NCHW order, which only "
                "nnhal-raise-operations takes");
  return success();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Value OperationLowering::operandOf(size_t index) const {
  std::optional<unsigned> operand = halView.operandOf(index);
  return operand ? op->getOperand(*operand) : Value();
}

TypedAttr OperationLowering::parameterOf(size_t index) {
  const rt::OperandView &parameter = view().inputs[index];
  ArrayRef<char> bytes(reinterpret_cast<const char *>(parameter.value->data()),
                       parameter.value->size());
  bool isTensor = parameter.type.type == rt::OperandType::TENSOR_INT32;
  Type element = builder.getI32Type();
  if (parameter.type.type == rt::OperandType::FLOAT32)
    element = builder.getF32Type();
  else if (parameter.type.type == rt::OperandType::FLOAT16)
    element = builder.getF16Type();
  else if (parameter.type.type == rt::OperandType::BOOL)
    element = builder.getI8Type();
  SmallVector<int64_t> shape = {1};
  if (isTensor)
    shape.assign(parameter.type.dimensions.begin(),
                 parameter.type.dimensions.end());
  auto elements = DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get(shape, element), bytes);
  return isTensor ? TypedAttr(elements)
                  : cast<TypedAttr>(*elements.value_begin<Attribute>());
}

Scalar OperationLowering::isPresent(size_t index) {
  if (!hasInput(index))
    return truth(false);
  // Only the request can leave out what the model has, and only its inputs.
  std::optional<unsigned> operand = halView.operandOf(index);
  Operation *definition =
      operand ? op->getOperand(*operand).getDefiningOp() : nullptr;
  if (!operand || (definition && isa<NNHalDialect>(definition->getDialect())))
    return truth(true);
  // The runtime refuses requests without an input that must be given.
  if (index < places.rows().size() && !places.rows()[index]->isOmittable)
    return truth(true);
  return {builder, runtime::IsPresentOp::create(builder, builder.getI1Type(),
                                                operands[*operand])};
}

Tensor OperationLowering::input(size_t index) {
  rt::TensorType type = view().inputs[index].type;
  Value operand = operandOf(index);
  if (!operand)
    return {builder, arith::ConstantOp::create(builder, parameterOf(index)),
            std::move(type)};
  if (auto elements =
          dyn_cast_if_present<ElementsAttr>(definingConstant(operand)))
    return {builder,
            arith::ConstantOp::create(builder, cast<TypedAttr>(elements)),
            std::move(type)};
  return {builder, operands[*halView.operandOf(index)], std::move(type)};
}

ElementsAttr OperationLowering::constantOf(size_t index) const {
  Value operand = operandOf(index);
  return operand ? foldedConstantOf(operand) : ElementsAttr();
}

Scalar OperationLowering::scalar(size_t index) {
  Value operand = operandOf(index);
  if (!operand)
    return {builder, arith::ConstantOp::create(builder, parameterOf(index))};
  if (auto constant = dyn_cast_if_present<TypedAttr>(definingConstant(operand)))
    return {builder, arith::ConstantOp::create(builder, constant)};
  return {builder, operands[*halView.operandOf(index)]};
}

SmallVector<Scalar> OperationLowering::integers(size_t index, int64_t count) {
  SmallVector<Scalar> elements;
  const rt::OperandView &operand = view().inputs[index];
  Tensor tensor = input(index);
  bool isMatrix = tensor.rank() == 2;
  if (!operand.value) {
    checkEqual(tensor.extent(0), this->index(isMatrix ? count / 2 : count));
    if (isMatrix)
      checkEqual(tensor.extent(1), this->index(2));
  }
  for (int64_t i = 0; i < count; ++i) {
    if (!operand.value) {
      SmallVector<Scalar> at = {this->index(isMatrix ? i / 2 : i)};
      if (isMatrix)
        at.push_back(this->index(i % 2));
      elements.push_back(tensor.integer(at).toIndex());
      continue;
    }
    int32_t element = 0;
    std::memcpy(&element, operand.value->data() + i * sizeof element,
                sizeof element);
    elements.push_back(this->index(element));
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

FailureOr<int64_t> OperationLowering::resultRank(size_t index) {
  if (outputType(index).isRanked)
    return outputType(index).rank();
  if (view().outputs[index].type.isRanked)
    return view().outputs[index].type.rank();
  (void)fail("the rank of output " + Twine(index) + " is not known");
  return failure();
}

SmallVector<Scalar> OperationLowering::stated(Indices extents, size_t index) {
  SmallVector<Scalar> result(extents);
  const rt::TensorType &type = view().outputs[index].type;
  if (!type.isRanked || type.rank() != int64_t(extents.size()))
    return result;
  for (auto [extent, known] : llvm::zip(result, type.dimensions)) {
    if (known == rt::unknownExtent || extent.known())
      continue;
    Scalar expected = this->index(known);
    checkEqual(extent, expected, FailureReason::statedExtentDiffers);
    extent = expected;
  }
  return result;
}

void OperationLowering::setOutput(size_t index, const Tensor &result) {
  results[index] = result.get();
}

LogicalResult OperationLowering::finish(const TypeConverter &converter) {
  SmallVector<Value> values;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    Type type = converter.convertType(result.getType());
    assert(results[index] && "a lowering sets all outputs");
    Value value = type ? castExtents(builder, results[index], type) : Value();
    if (!value) {
      std::string text;
      llvm::raw_string_ostream(text) << result.getType();
      return fail("output " + Twine(index) + " is stated as " + text +
                  ", which cannot hold it");
    }
    values.push_back(value);
  }
  rewriter.replaceOp(op, values);
  return success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void OperationLowering::check(Scalar condition, FailureReason reason,
                              Scalar found, Scalar bound) {
  if (condition.known().value_or(0) != 0)
    return;
  runtime::CheckOp::create(builder, condition, found.toI64(), bound.toI64(),
                           uint32_t(reason));
}

void OperationLowering::checkEqual(Scalar found, Scalar expected,
                                   FailureReason reason) {
  check(found == expected, reason, found, expected);
}

void OperationLowering::checkEach(
    Scalar count, llvm::function_ref<Condition(Scalar)> condition,
    FailureReason reason, Scalar bound) {
  SmallVector<Scalar> all =
      loop(index(0), count, {truth(true), index(0).toI64()},
           [&](Scalar i, ArrayRef<Scalar> values) -> SmallVector<Scalar> {
             auto [holds, found] = condition(i);
             return {values[0] & holds,
                     select(holds | !values[0], values[1], found.toI64())};
           });
  check(all[0], reason, all[1], bound);
}

Scalar OperationLowering::indexFrom(const Tensor &indices, Indices at,
                                    Scalar extent) {
  return clamp(indices.integer(at).toIndex(), index(0), extent - 1);
}

void OperationLowering::checkNotEmpty(const Tensor &tensor) {
  for (Scalar extent : tensor.extents())
    check(extent > 0, FailureReason::negativeExtent, extent, index(1));
}

Scalar OperationLowering::checkedAxis(Scalar axis, int64_t rank) {
  Scalar front = select(axis < 0, axis + double(rank), axis);
  check((front >= 0) & (front < double(rank)), FailureReason::axisOutOfRange,
        axis, axis.like(double(rank)));
  return front.toIndex();
}

//===----------------------------------------------------------------------===//
// Tensors that loops carry
//===----------------------------------------------------------------------===//

SmallVector<Tensor> OperationLowering::loopOverTensors(Scalar begin, Scalar end,
                                                       ArrayRef<Tensor> initial,
                                                       TensorLoopBody body) {
  auto tensorsOf = [&](ArrayRef<Scalar> values) {
    SmallVector<Tensor> tensors;
    for (auto [value, like] : llvm::zip(values, initial))
      tensors.emplace_back(builder, value.get(), like.getType());
    return tensors;
  };
  auto valuesOf = [&](ArrayRef<Tensor> tensors) {
    SmallVector<Scalar> values;
    for (const Tensor &tensor : tensors)
      values.emplace_back(builder, tensor.get());
    return values;
  };
  return tensorsOf(loop(begin, end, valuesOf(initial),
                        [&](Scalar i, ArrayRef<Scalar> values) {
                          return valuesOf(body(i, tensorsOf(values)));
                        }));
}

/// update() with the \p outer indices known.
static Tensor updateBelow(OperationLowering &op, const Tensor &tensor,
                          Indices extents, SmallVectorImpl<Scalar> &outer,
                          OperationLowering::UpdateBody body) {
  if (outer.size() == extents.size())
    return body(tensor, outer);
  auto round = [&](Scalar i, ArrayRef<Tensor> current) {
    outer.push_back(i);
    Tensor next = updateBelow(op, current[0], extents, outer, body);
    outer.pop_back();
    return SmallVector<Tensor>{next};
  };
  return op.loopOverTensors(op.index(0), extents[outer.size()], {tensor}, round)
      .front();
}

Tensor OperationLowering::update(const Tensor &tensor, Indices extents,
                                 UpdateBody body) {
  SmallVector<Scalar> indices;
  return updateBelow(*this, tensor, extents, indices, body);
}

Tensor OperationLowering::fill(const Tensor &tensor, Indices extents,
                               ElementBuilder element) {
  return update(tensor, extents, [&](const Tensor &current, Indices at) {
    return insert(element(at), current, at);
  });
}

//===----------------------------------------------------------------------===//
// Output elements
//===----------------------------------------------------------------------===//

Scalar OperationLowering::encode(Scalar real, const rt::TensorType &type) {
  Type element = valueType(type).getElementType();
  if (isa<FloatType>(element))
    return real.to(element);
  rt::StorageRange range = rt::storageRange(type.type);
  Scalar quotient = real.toF64() / double(type.scale);
  Scalar rounded = round(quotient) + double(type.zeroPoint);
  Scalar limited = clamp(rounded, range.low, range.high);
  // The comparison is false for a NaN (M-149).
  Scalar safe =
      select(rounded == rounded, limited, limited.like(double(type.zeroPoint)));
  return safe.toI32().to(element);
}

Scalar OperationLowering::encodeInteger(Scalar integer,
                                        const rt::TensorType &type) {
  Type element = valueType(type).getElementType();
  if (isa<FloatType>(element) || element == integer.getType())
    return integer.to(element);
  rt::StorageRange range = rt::storageRange(type.type);
  return clamp(integer, range.low, range.high).to(element);
}

Scalar OperationLowering::encodeTruth(Scalar truth) {
  return truth.zeroExtended(builder.getI8Type());
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Scalar> OperationLowering::loop(Scalar begin, Scalar end,
                                            ArrayRef<Scalar> initial,
                                            LoopBody body) {
  std::optional<int64_t> first = begin.known(), last = end.known();
  if (first && last && *last - *first <= 1) {
    if (*last <= *first)
      return SmallVector<Scalar>(initial);
    return body(begin, initial);
  }
  SmallVector<Value> values(initial.begin(), initial.end());
  auto loop = scf::ForOp::create(
      builder, begin, end, index(1), values,
      [&](OpBuilder &nested, Location location, Value iv, ValueRange carried) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(nested.getInsertionBlock(),
                                  nested.getInsertionPoint());
        SmallVector<Scalar> scalars;
        for (Value value : carried)
          scalars.emplace_back(builder, value);
        SmallVector<Scalar> next = body(Scalar(builder, iv), scalars);
        SmallVector<Value> yielded(next.begin(), next.end());
        scf::YieldOp::create(builder, yielded);
      });
  SmallVector<Scalar> results;
  for (Value result : loop.getResults())
    results.emplace_back(builder, result);
  return results;
}

Scalar OperationLowering::fold(
    Scalar count, Scalar initial,
    llvm::function_ref<Scalar(Scalar index, Scalar value)> body) {
  return loop(index(0), count, {initial},
              [&](Scalar i, ArrayRef<Scalar> values) {
                return SmallVector<Scalar>{body(i, values[0])};
              })
      .front();
}

Scalar OperationLowering::branch(Scalar condition,
                                 llvm::function_ref<Scalar()> yes,
                                 llvm::function_ref<Scalar()> no) {
  if (std::optional<int64_t> known = condition.known())
    return *known != 0 ? yes() : no();
  auto build = [&](llvm::function_ref<Scalar()> side) {
    return [&, side](OpBuilder &nested, Location location) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPoint(nested.getInsertionBlock(),
                                nested.getInsertionPoint());
      scf::YieldOp::create(builder, ValueRange(side().get()));
    };
  };
  auto branch = scf::IfOp::create(builder, condition, build(yes), build(no));
  return {builder, branch.getResult(0)};
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

SmallVector<Scalar> OperationLowering::broadcast(Indices lhs, Indices rhs) {
  if (lhs.size() < rhs.size())
    std::swap(lhs, rhs);
  SmallVector<Scalar> result(lhs);
  size_t missing = lhs.size() - rhs.size();
  for (size_t i = 0; i < rhs.size(); ++i) {
    Scalar left = lhs[missing + i], right = rhs[i];
    Scalar leftIsOne = left == 1, rightIsOne = right == 1;
    check((left == right) | leftIsOne | rightIsOne,
          FailureReason::extentsDoNotBroadcast, left, right);
    result[missing + i] = select(leftIsOne, right, left);
  }
  return result;
}

SmallVector<Scalar> OperationLowering::broadcastIndices(Indices extents,
                                                        Indices indices) {
  SmallVector<Scalar> result;
  size_t missing = indices.size() - extents.size();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    Scalar at = indices[missing + i];
    result.push_back(select(extent == 1, at.like(0), at));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

template <typename T>
static Tensor tableOf(ImplicitLocOpBuilder &builder, Type element,
                      ArrayRef<T> values, rt::OperandType meaning) {
  auto type = RankedTensorType::get({int64_t(values.size())}, element);
  Value table =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, values));
  rt::TensorType stored;
  stored.type = meaning;
  return {builder, table, stored};
}

Tensor OperationLowering::constantTable(ArrayRef<int32_t> values) {
  return tableOf(builder, builder.getI32Type(), values,
                 rt::OperandType::TENSOR_INT32);
}

Tensor OperationLowering::constantTable(ArrayRef<float> values) {
  return tableOf(builder, builder.getF32Type(), values,
                 rt::OperandType::TENSOR_FLOAT32);
}

Tensor OperationLowering::constantTable(ArrayRef<int8_t> values) {
  return tableOf(builder, builder.getI8Type(), values,
                 rt::OperandType::TENSOR_QUANT8_ASYMM_SIGNED);
}
