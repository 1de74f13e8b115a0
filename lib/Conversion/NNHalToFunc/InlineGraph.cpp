//===- InlineGraph.cpp - Graphs as operations of a function ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The main graph becomes the body of a function, and each IF and WHILE the
// regions of an scf.if or scf.while with copies of the graphs that it names.
// Graphs are copied operation by operation: the types of the inputs at that
// place may tell more than the graph states, and the result types are inferred
// from them again. Graphs that execute themselves, and nesting or copying
// beyond a bound, are errors: everything after this works by recursion on
// regions.
//
// Branches of an IF are copied first, since they tell what the results are:
// each has the extents in which both branches agree, and is cast to them. A
// condition of one element is checked and compared with 0. Results of known
// extents are written to buffers by both branches: as results of the operation
// they would be aliases of all that any branch computes, at every level of
// nesting, and the analysis of aliases takes the cube of their number. The
// result of an IF or WHILE in a branch is computed in the buffer of the IF
// around it. Results of other extents are yielded as tensors.
//
// The states of a WHILE that have known extents live in buffers, which all
// rounds share; the others are carried as tensors, because their extents may
// change from round to round. A round reads all states, computes the next ones
// into copies, and then writes those back: a new state may be an old one of
// another place. The time-out is checked between condition and body (D-085).
//
//===----------------------------------------------------------------------===//

#include "InlineGraph.h"

#include "../Common/ExtentCast.h"

#include "nnhal/Backend/GraphCopies.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

MemRefType nnhal::bufferTypeOf(Type type) {
  if (!isa<TensorType>(type))
    type = RankedTensorType::get({}, type);
  auto storage = dyn_cast_if_present<RankedTensorType>(storageTypeOf(type));
  if (!storage || !MemRefType::isValidElementType(storage.getElementType()))
    return nullptr;
  return MemRefType::get(storage.getShape(), storage.getElementType());
}

/// Casts between a type and what its values are stored as. Those of extensions
/// have no other meaning, so that a cast without one serves.
static Value castStored(ImplicitLocOpBuilder &builder, Type type, Value value) {
  if (value.getType() == type)
    return value;
  auto isQuantized = [](Type type) {
    return isa<quant::QuantizedType>(getElementTypeOrSelf(type));
  };
  if (isQuantized(type) || isQuantized(value.getType()))
    return quant::StorageCastOp::create(builder, type, value);
  return UnrealizedConversionCastOp::create(builder, type, value).getResult(0);
}

Value nnhal::readBuffer(ImplicitLocOpBuilder &builder, Value buffer,
                        Type type) {
  auto storage = cast<MemRefType>(buffer.getType());
  auto tensor =
      RankedTensorType::get(storage.getShape(), storage.getElementType());
  Value value = bufferization::ToTensorOp::create(builder, tensor, buffer,
                                                  /*restrict=*/true);
  if (!isa<TensorType>(type))
    value = tensor::ExtractOp::create(builder, value, ValueRange());
  return castStored(builder, type, value);
}

Value nnhal::storedValue(ImplicitLocOpBuilder &builder, Value value) {
  bool isTensor = isa<TensorType>(value.getType());
  value = castStored(builder, storageTypeOf(value.getType()), value);
  if (isTensor)
    return value;
  return tensor::FromElementsOp::create(
      builder, RankedTensorType::get({}, value.getType()), value);
}

void nnhal::writeBuffer(ImplicitLocOpBuilder &builder, Value value,
                        Value buffer) {
  bufferization::MaterializeInDestinationOp::create(
      builder, /*result=*/Type(), storedValue(builder, value), buffer,
      /*restrict=*/true, /*writable=*/true);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

Value GraphInliner::castTo(Location loc, Value value, Type type) {
  ImplicitLocOpBuilder b(loc, builder);
  return castExtents(b, value, type);
}

/// \p stated with what is known of \p value.
static Type refinedBy(Value value, Type stated) {
  auto known = dyn_cast<RankedTensorType>(value.getType());
  return known ? withKnownExtents(stated, known.getShape()) : value.getType();
}

/// Which operation of the HAL \p op is, canonical or not.
static std::optional<rt::OperationType> typeOf(Operation *op) {
  auto use = dyn_cast<HalFormOpInterface>(op);
  return use ? use.getOperationType() : std::nullopt;
}

bool GraphCall::isLoop() const {
  return typeOf(op) == rt::OperationType::WHILE;
}

FailureOr<GraphCall> GraphInliner::readCall(Operation *op,
                                            const IRMapping &mapping) {
  GraphCall call{op, {}, {}};
  SmallVector<FlatSymbolRefAttr> names;
  if (auto branch = dyn_cast<IfOp>(op))
    names = {branch.getThenGraphAttr(), branch.getElseGraphAttr()};
  else if (auto loop = dyn_cast<WhileOp>(op))
    names = {loop.getConditionGraphAttr(), loop.getBodyGraphAttr()};
  for (Value input : op->getOperands()) {
    if (auto reference = input.getDefiningOp<SubgraphReferenceOp>())
      names.push_back(reference.getGraphAttr());
    else
      call.inputs.push_back(mapping.lookup(input));
  }
  for (FlatSymbolRefAttr name : names)
    call.graphs.push_back(model.lookupSymbol<GraphOp>(name.getAttr()));
  bool isComplete = call.isLoop() || !call.inputs.empty();
  if (!isComplete || call.graphs.size() != 2 ||
      llvm::is_contained(call.graphs, GraphOp()))
    return op->emitError("names ")
           << llvm::count_if(call.graphs,
                             [](GraphOp graph) { return bool(graph); })
           << " graphs, expected 2";
  return call;
}

LogicalResult GraphInliner::enterGraph(GraphOp graph) {
  if (llvm::is_contained(active, graph))
    return graph.emitError("executes itself");
  if (active.size() == rt::maxGraphDepth)
    return graph.emitError("is executed by graphs that nest more than ")
           << rt::maxGraphDepth << " deep";
  if (copies == rt::maxGraphCopies)
    return graph.emitError("the graphs are executed at more than ")
           << rt::maxGraphCopies << " places together";
  ++copies;
  active.push_back(graph);
  return success();
}

FailureOr<SmallVector<Value>> GraphInliner::inlineGraph(GraphOp graph,
                                                        ValueRange inputs) {
  if (failed(enterGraph(graph)))
    return failure();
  FailureOr<Values> outputs = copyGraph(graph, inputs);
  active.pop_back();
  return outputs;
}

FailureOr<SmallVector<Value>> GraphInliner::copyGraph(GraphOp graph,
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
      value =
          castTo(graph.getLoc(), input, refinedBy(input, argument.getType()));
    if (!value)
      return graph.emitError("an input of type ")
             << input.getType() << " is no " << argument.getType();
    mapping.map(argument, value);
  }
  for (Operation &op : body.without_terminator())
    if (!isa<SubgraphReferenceOp>(op) && failed(inlineOperation(&op, mapping)))
      return failure();
  SmallVector<Value> outputs;
  for (Value output : body.getTerminator()->getOperands())
    outputs.push_back(mapping.lookup(output));
  return outputs;
}

/// Whether \p op executes graphs.
static bool isCall(Operation *op) {
  std::optional<rt::OperationType> type = typeOf(op);
  return type == rt::OperationType::IF || type == rt::OperationType::WHILE;
}

/// Whether the types of the inputs may tell more than the result types of \p op
/// say. The rules of an extension's operation are its backend's.
static bool mayBeRefined(Operation *op) {
  if (auto operation = dyn_cast<OperationOp>(op))
    return !operation.getHalOperation().isExtension();
  return isa<HalFormOpInterface>(op) &&
         !llvm::all_of(op->getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape();
         });
}

LogicalResult GraphInliner::inlineOperation(Operation *op, IRMapping &mapping) {
  if (!isCall(op)) {
    Operation *copy = builder.clone(*op, mapping);
    rt::Status status;
    if (mayBeRefined(copy))
      status = refineResultTypes(copy);
    if (!status.isOk())
      return op->emitError("cannot compile ")
             << (typeOf(op) ? rt::nameOf(*typeOf(op)) : "the operation") << ": "
             << status.message();
    return success();
  }
  FailureOr<GraphCall> call = readCall(op, mapping);
  if (failed(call))
    return failure();
  FailureOr<Values> results =
      call->isLoop() ? inlineWhile(*call) : inlineIf(*call);
  if (failed(results) || results->size() < op->getNumResults())
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), *results)) {
    Value cast =
        castTo(op->getLoc(), value, refinedBy(value, result.getType()));
    if (!cast)
      return op->emitError("a result of type ")
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
      buildEqualityCheck(
          b, tensor::DimOp::create(b, condition, i), 1,
          rt::FailureReason::conditionNotSingle); // control_flow C5
  SmallVector<Value> origin(type.getRank(), zero);
  Value byte = tensor::ExtractOp::create(b, condition, origin);
  Value none = arith::ConstantIntOp::create(b, 0, /*width=*/8);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, byte, none);
}

/// What \p region has comes from a graph that \p op executes.
static void markCalled(Region &region, Operation *op) {
  region.walk([&](Operation *inner) {
    inner->setLoc(CallSiteLoc::get(inner->getLoc(), op->getLoc()));
  });
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

namespace {
/// The results of one IF. Those of known extents live in buffers, which the
/// branches write; the others are yielded as tensors.
struct IfResults {
  /// By result; null for one that is yielded.
  SmallVector<Value> buffers;
  SmallVector<Type> yieldedTypes;

  IfResults(ImplicitLocOpBuilder &builder, ArrayRef<Type> types);

  /// Ends a branch that has computed \p values.
  void yield(ImplicitLocOpBuilder &builder, ValueRange values) const;
  /// All results of an operation that yields \p yielded.
  SmallVector<Value> read(ImplicitLocOpBuilder &builder, ArrayRef<Type> types,
                          ValueRange yielded) const;
};
} // namespace

IfResults::IfResults(ImplicitLocOpBuilder &builder, ArrayRef<Type> types) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape()) {
      buffers.push_back(memref::AllocOp::create(builder, bufferTypeOf(type)));
      continue;
    }
    buffers.push_back(nullptr);
    yieldedTypes.push_back(type);
  }
}

/// Makes \p value, which an IF or WHILE of the same block has left in a buffer
/// of its own, be computed in \p buffer instead; false where there is none.
/// Nothing else uses \p buffer before the block ends.
static bool computeIn(Value buffer, Value value, Block *block) {
  if (auto cast = value.getDefiningOp<quant::StorageCastOp>())
    value = cast.getInput();
  auto tensor = value.getDefiningOp<bufferization::ToTensorOp>();
  auto own = tensor ? tensor.getBuffer().getDefiningOp<memref::AllocOp>()
                    : memref::AllocOp();
  if (!own || own->getBlock() != block || own.getType() != buffer.getType())
    return false;
  own.getResult().replaceAllUsesWith(buffer);
  own.erase();
  return true;
}

void IfResults::yield(ImplicitLocOpBuilder &builder, ValueRange values) const {
  SmallVector<Value> yielded;
  for (auto [value, buffer] : llvm::zip(values, buffers))
    if (!buffer)
      yielded.push_back(value);
    else if (!computeIn(buffer, value, builder.getInsertionBlock()))
      writeBuffer(builder, value, buffer);
  scf::YieldOp::create(builder, yielded);
}

SmallVector<Value> IfResults::read(ImplicitLocOpBuilder &builder,
                                   ArrayRef<Type> types,
                                   ValueRange yielded) const {
  SmallVector<Value> values;
  for (auto [type, buffer] : llvm::zip(types, buffers)) {
    values.push_back(buffer ? readBuffer(builder, buffer, type)
                            : yielded.front());
    if (!buffer)
      yielded = yielded.drop_front();
  }
  return values;
}

FailureOr<SmallVector<Value>> GraphInliner::inlineIf(const GraphCall &call) {
  Operation *op = call.op;
  Value condition = truthOf(op->getLoc(), call.inputs.front());
  ValueRange inputs = ValueRange(call.inputs).drop_front();
  // The branches tell what the results are, so they are made first.
  Region thenRegion, elseRegion;
  FailureOr<Values> yes = inlineBranch(call.graphs[0], inputs, thenRegion);
  FailureOr<Values> no = inlineBranch(call.graphs[1], inputs, elseRegion);
  if (failed(yes) || failed(no))
    return failure();
  markCalled(thenRegion, op);
  markCalled(elseRegion, op);
  SmallVector<Type> types;
  for (auto [lhs, rhs] : llvm::zip(*yes, *no)) {
    types.push_back(commonType(lhs.getType(), rhs.getType()));
    if (!types.back())
      return op->emitError("the branches yield ")
             << lhs.getType() << " and " << rhs.getType();
  }
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  IfResults held(b, types);
  auto branch = scf::IfOp::create(builder, op->getLoc(), held.yieldedTypes,
                                  condition, /*addThenBlock=*/false,
                                  /*addElseBlock=*/false);
  for (auto [region, target, values] :
       {std::tuple(&thenRegion, &branch.getThenRegion(), &*yes),
        std::tuple(&elseRegion, &branch.getElseRegion(), &*no)}) {
    target->takeBody(*region);
    OpBuilder::InsertionGuard guard(builder);
    b.setInsertionPointToEnd(&target->front());
    builder.setInsertionPointToEnd(&target->front());
    for (auto [value, type] : llvm::zip(*values, types))
      value = castTo(op->getLoc(), value, type);
    held.yield(b, *values);
  }
  b.setInsertionPointAfter(branch);
  return held.read(b, types, branch.getResults());
}

//===----------------------------------------------------------------------===//
// WHILE
//===----------------------------------------------------------------------===//

/// The states of one WHILE. Those of known extents live in buffers, which the
/// rounds share, however many there are; the others are carried as tensors.
struct nnhal::LoopStates {
  SmallVector<Type> types;
  /// By state; null for one that is carried.
  SmallVector<Value> buffers;
  /// The types and first values of carried states.
  SmallVector<Type> carriedTypes;
  SmallVector<Value> carried;

  /// All states of a round that was passed \p arguments.
  SmallVector<Value> read(ImplicitLocOpBuilder &builder,
                          ValueRange arguments) const {
    SmallVector<Value> values;
    for (auto [type, buffer] : llvm::zip(types, buffers)) {
      values.push_back(buffer ? readBuffer(builder, buffer, type)
                              : arguments.front());
      if (!buffer)
        arguments = arguments.drop_front();
    }
    return values;
  }
};

/// Where the states of \p op begin: cast to what holds in every round.
static void addState(ImplicitLocOpBuilder &builder, Value value,
                     LoopStates &states) {
  Type type = value.getType();
  states.types.push_back(type);
  if (!cast<RankedTensorType>(type).hasStaticShape()) {
    states.buffers.push_back(nullptr);
    states.carriedTypes.push_back(type);
    states.carried.push_back(value);
    return;
  }
  states.buffers.push_back(
      memref::AllocOp::create(builder, bufferTypeOf(type)));
  writeBuffer(builder, value, states.buffers.back());
}

FailureOr<LoopStates> GraphInliner::beginStates(Operation *op, GraphOp body,
                                                ValueRange initial) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  LoopStates states;
  // The extents of a state may change from round to round unless the body
  // states them.
  for (auto [value, argument] : llvm::zip(initial, body.getArgumentTypes())) {
    auto known = cast<RankedTensorType>(value.getType());
    auto stated = dyn_cast<RankedTensorType>(argument);
    SmallVector<int64_t> shape(known.getRank(), ShapedType::kDynamic);
    if (stated)
      shape.assign(stated.getShape().begin(), stated.getShape().end());
    Value state = castTo(op->getLoc(), value, known.clone(shape));
    if (!state)
      return op->emitError("a state of type ")
             << known << " is no " << argument;
    addState(b, state, states);
  }
  return states;
}

/// Ends a round: \p next become the states. None is overwritten before all
/// are computed, because they may be one another.
LogicalResult GraphInliner::endRound(Operation *op, const LoopStates &states,
                                     ValueRange next) {
  ImplicitLocOpBuilder b(op->getLoc(), builder);
  SmallVector<std::pair<Value, Value>> copies;
  SmallVector<Value> carried;
  for (auto [value, type, buffer] :
       llvm::zip(next, states.types, states.buffers)) {
    Value cast = castTo(op->getLoc(), value, type);
    if (!cast)
      return op->emitError("the loop turns a state of type ")
             << type << " into " << value.getType();
    if (!buffer) {
      carried.push_back(cast);
      continue;
    }
    Value copy =
        memref::AllocOp::create(b, llvm::cast<MemRefType>(buffer.getType()));
    writeBuffer(b, cast, copy);
    copies.emplace_back(copy, buffer);
  }
  for (auto [copy, buffer] : copies)
    memref::CopyOp::create(b, copy, buffer);
  scf::YieldOp::create(b, carried);
  return success();
}

FailureOr<SmallVector<Value>> GraphInliner::inlineWhile(const GraphCall &call) {
  Operation *op = call.op;
  GraphOp condition = call.graphs[0], body = call.graphs[1];
  Location loc = op->getLoc();
  ImplicitLocOpBuilder b(loc, builder);
  ValueRange initial = call.inputs;
  size_t stateCount = body.getResultTypes().size();
  FailureOr<LoopStates> states =
      beginStates(op, body, initial.take_front(stateCount));
  if (failed(states))
    return failure();
  Value begin = runtime::LoopBeginOp::create(b, b.getI64Type());
  auto loop =
      scf::WhileOp::create(builder, loc, states->carriedTypes, states->carried);
  SmallVector<Location> locations(states->carried.size(), loc);
  OpBuilder::InsertionGuard guard(builder);
  auto enter = [&](Region &region) {
    Block *block =
        builder.createBlock(&region, {}, states->carriedTypes, locations);
    b.setInsertionPointToStart(block);
    Values values = states->read(b, block->getArguments());
    values.append(initial.begin() + stateCount, initial.end());
    builder.setInsertionPointToEnd(block);
    return values;
  };
  FailureOr<Values> decision = inlineGraph(condition, enter(loop.getBefore()));
  if (failed(decision) || decision->size() != 1)
    return failure();
  scf::ConditionOp::create(builder, loc, truthOf(loc, decision->front()),
                           loop.getBeforeArguments());
  Values after = enter(loop.getAfter());
  // The time-out is checked after the condition was true and before the body
  // (D-085).
  runtime::LoopCheckOp::create(builder, loc, begin);
  FailureOr<Values> next = inlineGraph(body, after);
  if (failed(next) || failed(endRound(op, *states, *next)))
    return failure();
  markCalled(loop.getBefore(), op);
  markCalled(loop.getAfter(), op);
  b.setInsertionPointAfter(loop);
  return states->read(b, loop.getResults());
}
