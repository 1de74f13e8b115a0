//===- InlineGraph.cpp - Graphs as operations of a function ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineGraph.h"

#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/OperationReader.h"
#include "nnhal/Runtime/FailureReasons.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nnhal;

static void checkEqual(ImplicitLocOpBuilder &b, Value found, int64_t expected,
                       rt::FailureReason reason) {
  Value bound = arith::ConstantIndexOp::create(b, expected);
  Value isEqual =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, found, bound);
  auto wide = [&](Value value) {
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  };
  kernel::CheckOp::create(b, isEqual, wide(found), wide(bound),
                          uint32_t(reason));
}

Value GraphInliner::castTo(Location loc, Value value, Type type) {
  auto from = dyn_cast<RankedTensorType>(value.getType());
  auto to = dyn_cast<RankedTensorType>(type);
  if (value.getType() == type || !from || !to)
    return value.getType() == type ? value : Value();
  if (from.getRank() != to.getRank() ||
      from.getElementType() != to.getElementType())
    return nullptr;
  ImplicitLocOpBuilder b(loc, builder);
  SmallVector<int64_t> between(from.getShape());
  for (int64_t i = 0; i < to.getRank(); ++i) {
    if (to.isDynamicDim(i) || from.getDimSize(i) == to.getDimSize(i))
      continue;
    Value extent = tensor::DimOp::create(b, value, i);
    checkEqual(b, extent, to.getDimSize(i),
               rt::FailureReason::statedExtentDiffers);
    // From one known extent to another: the check has stopped the execution.
    between[i] = ShapedType::kDynamic;
  }
  auto open = from.clone(between);
  if (open != from)
    value = tensor::CastOp::create(b, open, value);
  return open == to ? value : Value(tensor::CastOp::create(b, to, value));
}

GraphOp GraphInliner::graphOf(OperationOp op, unsigned index) {
  auto reference = index < op.getInputs().size()
                       ? op.getInputs()[index].getDefiningOp<SubgraphReferenceOp>()
                       : SubgraphReferenceOp();
  GraphOp graph =
      reference ? model.lookupSymbol<GraphOp>(reference.getGraph()) : GraphOp();
  if (!graph)
    op.emitError("input ") << index << " names no graph";
  return graph;
}

FailureOr<SmallVector<Value>> GraphInliner::inlineGraph(GraphOp graph,
                                                        ValueRange inputs) {
  IRMapping mapping;
  Block &body = graph.getBody().front();
  if (inputs.size() != body.getNumArguments())
    return graph.emitError("found ")
           << inputs.size() << " inputs, expected " << body.getNumArguments();
  for (auto [argument, input] : llvm::zip(body.getArguments(), inputs)) {
    // A graph that was raised relies on the extents that it states.
    Value value = input;
    if (isa<RankedTensorType>(argument.getType()))
      value = castTo(graph.getLoc(), input,
                     stateType(input.getType(), argument.getType()));
    if (!value)
      return graph.emitError("an input of type ")
             << input.getType() << " is no " << argument.getType();
    mapping.map(argument, value);
  }
  for (Operation &op : body.without_terminator()) {
    if (auto operation = dyn_cast<OperationOp>(op)) {
      if (failed(inlineOperation(operation, mapping)))
        return failure();
    } else if (!isa<SubgraphReferenceOp>(op)) {
      builder.clone(op, mapping);
    }
  }
  SmallVector<Value> outputs;
  for (Value output : body.getTerminator()->getOperands())
    outputs.push_back(mapping.lookup(output));
  return outputs;
}

LogicalResult GraphInliner::inlineOperation(OperationOp op,
                                            IRMapping &mapping) {
  StringRef name = op.getHalName();
  if (name != "IF" && name != "WHILE") {
    auto copy = cast<OperationOp>(builder.clone(*op, mapping));
    if (rt::Status status = refineResultTypes(copy); !status.isOk())
      return op.emitError("cannot compile ")
             << name << ": " << status.message();
    return success();
  }
  SmallVector<Value> inputs;
  for (Value input : op.getInputs())
    inputs.push_back(mapping.lookupOrNull(input));
  FailureOr<Values> results =
      name == "IF" ? inlineIf(op, inputs) : inlineWhile(op, inputs);
  if (failed(results) || results->size() < op->getNumResults())
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), *results)) {
    Type type = stateType(value.getType(), result.getType());
    Value cast = castTo(op.getLoc(), value, type);
    if (!cast)
      return op.emitError("a result of type ")
             << value.getType() << " is no " << result.getType();
    mapping.map(result, cast);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// IF
//===----------------------------------------------------------------------===//

Value GraphInliner::truthOf(Location loc, Value condition) {
  ImplicitLocOpBuilder b(loc, builder);
  auto type = cast<RankedTensorType>(condition.getType());
  Value zero = arith::ConstantIndexOp::create(b, 0);
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.getDimSize(i) != 1)
      checkEqual(b, tensor::DimOp::create(b, condition, i), 1,
                 rt::FailureReason::conditionNotSingle); // control_flow C5
  SmallVector<Value> origin(type.getRank(), zero);
  Value byte = tensor::ExtractOp::create(b, condition, origin);
  Value none = arith::ConstantIntOp::create(b, 0, /*width=*/8);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, none);
}

FailureOr<SmallVector<Value>>
GraphInliner::inlineBranch(GraphOp graph, ValueRange inputs, Region &region) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  return inlineGraph(graph, inputs);
}

/// What is known of a value that has one of two types of equal rank; null for
/// different ranks.
static Type commonType(Type lhs, Type rhs) {
  if (lhs == rhs)
    return lhs;
  auto left = dyn_cast<RankedTensorType>(lhs);
  auto right = dyn_cast<RankedTensorType>(rhs);
  if (!left || !right || left.getRank() != right.getRank())
    return nullptr;
  SmallVector<int64_t> shape(left.getShape());
  for (auto [extent, other] : llvm::zip(shape, right.getShape()))
    if (extent != other)
      extent = ShapedType::kDynamic;
  return left.clone(shape);
}

FailureOr<SmallVector<Value>> GraphInliner::inlineIf(OperationOp op,
                                                     ValueRange inputs) {
  GraphOp thenGraph = graphOf(op, 1), elseGraph = graphOf(op, 2);
  if (!thenGraph || !elseGraph)
    return failure();
  Value condition = truthOf(op.getLoc(), inputs[0]);
  // The branches tell what the results are, so they are made first.
  Region thenRegion, elseRegion;
  FailureOr<Values> yes =
      inlineBranch(thenGraph, inputs.drop_front(3), thenRegion);
  FailureOr<Values> no =
      inlineBranch(elseGraph, inputs.drop_front(3), elseRegion);
  if (failed(yes) || failed(no))
    return failure();
  SmallVector<Type> types;
  for (auto [lhs, rhs] : llvm::zip(*yes, *no)) {
    types.push_back(commonType(lhs.getType(), rhs.getType()));
    if (!types.back())
      return op.emitError("the branches yield ")
             << lhs.getType() << " and " << rhs.getType();
  }
  auto branch = scf::IfOp::create(builder, op.getLoc(), types, condition,
                                  /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  for (auto [region, target, values] :
       {std::tuple(&thenRegion, &branch.getThenRegion(), &*yes),
        std::tuple(&elseRegion, &branch.getElseRegion(), &*no)}) {
    target->takeBody(*region);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&target->front());
    for (auto [value, type] : llvm::zip(*values, types))
      value = castTo(op.getLoc(), value, type);
    scf::YieldOp::create(builder, op.getLoc(), *values);
  }
  return Values(branch.getResults());
}

//===----------------------------------------------------------------------===//
// WHILE
//===----------------------------------------------------------------------===//

Type GraphInliner::stateType(Type initial, Type stated) {
  auto from = dyn_cast<RankedTensorType>(initial);
  auto to = dyn_cast<TensorType>(stated);
  if (!from || !to)
    return initial;
  if (!to.hasRank())
    return initial;
  if (to.getRank() != from.getRank())
    return stated;
  SmallVector<int64_t> shape(to.getShape());
  for (auto [extent, known] : llvm::zip(shape, from.getShape()))
    if (ShapedType::isDynamic(extent))
      extent = known;
  return from.clone(shape);
}

FailureOr<SmallVector<Value>> GraphInliner::inlineWhile(OperationOp op,
                                                        ValueRange inputs) {
  GraphOp condition = graphOf(op, 0), body = graphOf(op, 1);
  if (!condition || !body)
    return failure();
  Location loc = op.getLoc();
  ValueRange initial = inputs.drop_front(2);
  size_t stateCount = body.getResultTypes().size();
  // The extents of a state may change from round to round unless both graphs
  // state them.
  SmallVector<Value> states;
  SmallVector<Type> types;
  for (auto [index, value] : llvm::enumerate(initial.take_front(stateCount))) {
    auto known = cast<RankedTensorType>(value.getType());
    auto stated = dyn_cast<RankedTensorType>(body.getArgumentTypes()[index]);
    SmallVector<int64_t> shape(known.getRank(), ShapedType::kDynamic);
    if (stated)
      shape.assign(stated.getShape().begin(), stated.getShape().end());
    types.push_back(known.clone(shape));
    states.push_back(castTo(loc, value, types.back()));
    if (!states.back())
      return op.emitError("a state of type ")
             << known << " is no " << body.getArgumentTypes()[index];
  }
  Value begin =
      kernel::LoopBeginOp::create(builder, loc, builder.getI64Type());
  auto loop = scf::WhileOp::create(builder, loc, types, states);
  SmallVector<Location> locations(types.size(), loc);
  auto enter = [&](Region &region) {
    Block *block = builder.createBlock(&region, {}, types, locations);
    Values values(block->getArguments());
    values.append(initial.begin() + stateCount, initial.end());
    return values;
  };
  OpBuilder::InsertionGuard guard(builder);
  Values before = enter(loop.getBefore());
  FailureOr<Values> decision = inlineGraph(condition, before);
  if (failed(decision) || decision->size() != 1)
    return failure();
  scf::ConditionOp::create(
      builder, loc, truthOf(loc, decision->front()),
      ValueRange(before).take_front(stateCount));
  Values after = enter(loop.getAfter());
  kernel::LoopCheckOp::create(builder, loc, begin); // D-085
  FailureOr<Values> next = inlineGraph(body, after);
  if (failed(next))
    return failure();
  for (auto [value, type] : llvm::zip(*next, types)) {
    Value cast = castTo(loc, value, type);
    if (!cast)
      return op.emitError("the loop turns a state of type ")
             << type << " into " << value.getType();
    value = cast;
  }
  scf::YieldOp::create(builder, loc, *next);
  return Values(loop.getResults());
}
