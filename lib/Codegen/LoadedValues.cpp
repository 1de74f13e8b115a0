//===- LoadedValues.cpp - What loaded elements decide ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fixed point over all values of the module: whether a value follows from
// loaded elements, and whether it is then open above or below. Each operation
// joins what its operands have into its results; loops, branches and calls join
// into the arguments of blocks and functions; this is repeated until nothing
// changes. Minima, maxima, selections, remainders and masks close a side.
//
// Two things make it more than that. A check of the runtime bounds a value for
// readers that it dominates only, so that bounds are collected first, by value,
// and applied where a reader asks (at()). A check of a sum bounds each part of
// it as long as the other part is bounded on the other side; what a check
// bounds by may itself depend on a check, which is followed to a depth. And
// because the operands of a value may have been checked after it was computed,
// the value is computed again from what holds at the reader, to the same depth:
// deep enough for the paddings of a window that follow from a loaded extent.
// Values that several others are computed by are followed once for a reader.
//
// A value that a loop carries is open where nothing bounds the number of
// rounds. Integer ranges are asked last, for values that would be refused
// otherwise. Arguments that are passed to other threads go through a frame in
// memory: what is stored there is joined by type.
//
//===----------------------------------------------------------------------===//

#include "LoadedValues.h"

#include "PassStep.h"

#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// The map
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

LoadedInfluence LoadedValues::raw(Value value) const {
  auto it = influences.find(value);
  return it == influences.end() ? LoadedInfluence() : it->second;
}

void LoadedValues::join(Value value, LoadedInfluence influence) {
  // A buffer is where it was put; what lies in it is not what addresses it. A
  // condition is one of two values.
  if (!influence.isLoaded || isa<BaseMemRefType>(value.getType()))
    return;
  if (getElementTypeOrSelf(value.getType()).isInteger(1))
    influence = {.isLoaded = true};
  LoadedInfluence &known = influences[value];
  LoadedInfluence joined = known | influence;
  hasChanged |= joined != known;
  known = joined;
}

void LoadedValues::joinAll(ValueRange values, LoadedInfluence influence) {
  for (Value value : values)
    join(value, influence);
}

LoadedInfluence LoadedValues::at(Value value, Operation *reader,
                                 unsigned depth) const {
  LoadedInfluence influence = raw(value);
  if (influence.isBounded())
    return influence;
  auto known = answers.find({value, reader});
  if (known != answers.end() && known->second.depth >= depth)
    return known->second.influence;
  influence = narrowed(influence, value, reader, depth);
  answers[{value, reader}] = {influence, depth};
  return influence;
}

LoadedInfluence LoadedValues::narrowed(LoadedInfluence influence, Value value,
                                       Operation *reader,
                                       unsigned depth) const {
  if (auto it = bounds.find(value); it != bounds.end())
    for (const Bound &bound : it->second) {
      bool &isOpen =
          bound.isUpper ? influence.isOpenAbove : influence.isOpenBelow;
      if (!isOpen || !holds(bound, reader, depth))
        continue;
      isOpen = false;
      influence.isBoundByValue = true;
    }
  // Checks may have passed since the value was computed.
  Operation *definition = value.getDefiningOp();
  if (!influence.isBounded() && depth > 0 && definition &&
      definition->getNumRegions() == 0 && value.getType().isIntOrIndex() &&
      !isa<func::CallOp>(definition)) {
    LoadedInfluence again = ofResult(definition, reader, depth - 1);
    influence.isOpenBelow &= again.isOpenBelow;
    influence.isOpenAbove &= again.isOpenAbove;
    influence.isBoundByValue |= again.isBoundByValue;
  }
  // A value that is never negative is bounded from below. The ranges are asked
  // last, and for values only that would be refused otherwise.
  if (isComplete && influence.isOpenBelow && ranges.isNonNegative(value))
    influence.isOpenBelow = false;
  return influence;
}

/// Depth counts the checks, too, that have to have passed for a check to tell
/// something.
bool LoadedValues::holds(const Bound &bound, Operation *reader,
                         unsigned depth) const {
  if (!dominance.properlyDominates(bound.check, reader))
    return false;
  auto isOpen = [&](Value value, bool isAbove) {
    LoadedInfluence influence =
        depth == 0 ? raw(value) : at(value, bound.check, depth - 1);
    return isAbove ? influence.isOpenAbove : influence.isOpenBelow;
  };
  return (!bound.bound || !isOpen(bound.bound, bound.isUpper)) &&
         llvm::none_of(bound.rest, [&](Value value) {
           return isOpen(value, !bound.isUpper);
         });
}

std::optional<int64_t> LoadedValues::constantAt(Value value,
                                                Operation *reader) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  auto found = bounds.find(value);
  if (found == bounds.end())
    return std::nullopt;
  std::optional<int64_t> lower, upper;
  for (const Bound &bound : found->second) {
    if (!bound.bound || !bound.rest.empty() || !isBefore(bound.check, reader))
      continue;
    std::optional<int64_t> limit = getConstantIntValue(bound.bound);
    if (!limit)
      continue;
    // The narrowest of several checks counts.
    if (bound.isUpper)
      upper = std::min(*limit, upper.value_or(*limit));
    else
      lower = std::max(*limit, lower.value_or(*limit));
  }
  return lower == upper ? lower : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

void LoadedValues::addBound(Value value, Bound bound) {
  bounds[value].push_back(bound);
  // What a widened integer is compared with bounds the integer.
  Operation *def = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(def))
    return addBound(def->getOperand(0), std::move(bound));
  auto sum = dyn_cast_or_null<arith::AddIOp>(def);
  if (!sum)
    return;
  for (auto [part, other] :
       {std::pair(sum.getLhs(), sum.getRhs()), {sum.getRhs(), sum.getLhs()}}) {
    Bound ofPart = bound;
    ofPart.rest.push_back(other);
    addBound(part, std::move(ofPart));
  }
}

void LoadedValues::collectBounds(Operation *check, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    collectBounds(check, both.getLhs());
    collectBounds(check, both.getRhs());
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  auto add = [&](bool isUpper) {
    addBound(lhs, {check, rhs, isUpper, {}});
    addBound(rhs, {check, lhs, !isUpper, {}});
  };
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::eq:
    add(/*isUpper=*/true);
    add(/*isUpper=*/false);
    return;
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    add(/*isUpper=*/true);
    return;
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    add(/*isUpper=*/false);
    return;
  default:
    return;
  }
}

void LoadedValues::collectBounds(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (auto check = dyn_cast<runtime::CheckOp>(op))
      collectBounds(check, check.getCondition());
    // The runtime refuses negative extents and memory that nobody has.
    if (auto allocate = dyn_cast<runtime::AllocateOp>(op))
      for (Value extent : allocate.getExtents())
        for (bool isUpper : {false, true})
          addBound(extent, {op, Value(), isUpper, {}});
    if (auto call = dyn_cast<func::CallOp>(op))
      if (Operation *callee = symbols.lookup(call.getCallee()))
        called.insert(callee);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool nnhal::isCodeConstant(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  auto use = memory.getDefiningOp<memref::GetGlobalOp>();
  if (!use)
    return false;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      use, use.getNameAttr());
  return global && global.getConstant();
}

LoadedInfluence LoadedValues::ofLoad(LLVM::LoadOp load) const {
  Value base = load.getAddr();
  while (auto step = base.getDefiningOp<LLVM::GEPOp>())
    base = step.getBase();
  // The context, or what it points to.
  if (base.getDefiningOp<LLVM::LoadOp>())
    return raw(base);
  bool isFrame = base.getDefiningOp<LLVM::AllocaOp>();
  if (auto argument = dyn_cast<BlockArgument>(base)) {
    auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function)
      return LoadedInfluence::anything();
    if (called.contains(function) || function.getName() == entrySymbolName)
      return raw(base);
    isFrame = true;
  }
  if (!isFrame)
    return LoadedInfluence::anything();
  auto it = stored.find(load.getType());
  return it == stored.end() ? LoadedInfluence() : it->second;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

LoadedInfluence LoadedValues::ofMinimum(Operation *op, bool isMaximum,
                                        Operation *reader,
                                        unsigned depth) const {
  LoadedInfluence lhs = at(op->getOperand(0), reader, depth);
  LoadedInfluence rhs = at(op->getOperand(1), reader, depth);
  LoadedInfluence result = lhs | rhs;
  bool &isOpen = isMaximum ? result.isOpenBelow : result.isOpenAbove;
  isOpen = isMaximum ? lhs.isOpenBelow && rhs.isOpenBelow
                     : lhs.isOpenAbove && rhs.isOpenAbove;
  result.isBoundByValue |=
      !isConstant(op->getOperand(0)) && !isConstant(op->getOperand(1));
  return result;
}

/// min(x, bound) or max(x, bound), stated as a comparison and a selection.
LoadedInfluence LoadedValues::ofSelect(arith::SelectOp op, Operation *reader,
                                       unsigned depth) const {
  LoadedInfluence yes = at(op.getTrueValue(), reader, depth);
  LoadedInfluence no = at(op.getFalseValue(), reader, depth);
  LoadedInfluence result = yes | no;
  auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return result;
  bool isSame = compare.getLhs() == op.getTrueValue() &&
                compare.getRhs() == op.getFalseValue();
  bool isSwapped = compare.getLhs() == op.getFalseValue() &&
                   compare.getRhs() == op.getTrueValue();
  if (!isSame && !isSwapped)
    return result;
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  bool isLess =
      predicate == CmpIPredicate::slt || predicate == CmpIPredicate::sle;
  bool isGreater =
      predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge;
  if (!isLess && !isGreater)
    return result;
  if (isLess == isSame)
    result.isOpenAbove = yes.isOpenAbove && no.isOpenAbove;
  else
    result.isOpenBelow = yes.isOpenBelow && no.isOpenBelow;
  result.isBoundByValue |=
      !isConstant(op.getTrueValue()) && !isConstant(op.getFalseValue());
  return result;
}

/// A quotient is not farther from zero than the dividend, whatever the divisor
/// is, and on the side of the dividend where the divisor is positive: a check
/// refuses zero before the division.
LoadedInfluence LoadedValues::ofQuotient(Operation *op, Operation *reader,
                                         unsigned depth) const {
  LoadedInfluence dividend = at(op->getOperand(0), reader, depth);
  LoadedInfluence result = dividend | at(op->getOperand(1), reader, depth);
  bool isOneSided = dividend.isOpenBelow != dividend.isOpenAbove;
  bool keepsSide = isOneSided && !isa<arith::DivUIOp>(op) &&
                   ranges.isNonNegative(op->getOperand(1));
  result.isOpenBelow = keepsSide ? dividend.isOpenBelow : !dividend.isBounded();
  result.isOpenAbove = keepsSide ? dividend.isOpenAbove : !dividend.isBounded();
  return result;
}

/// Nothing for operations that need no rule of their own.
std::optional<LoadedInfluence>
LoadedValues::ofArithmetic(Operation *op, Operation *reader,
                           unsigned depth) const {
  auto operand = [&](unsigned index) {
    return at(op->getOperand(index), reader, depth);
  };
  // The result is below the right operand, or not above one of the two.
  auto boundedBy = [&](unsigned index) {
    LoadedInfluence result = operand(0) | operand(1);
    result.isOpenBelow = result.isOpenAbove = false;
    result.isBoundByValue |= !isConstant(op->getOperand(index));
    return result;
  };
  return llvm::TypeSwitch<Operation *, std::optional<LoadedInfluence>>(op)
      .Case<arith::MinSIOp>(
          [&](auto) { return ofMinimum(op, false, reader, depth); })
      .Case<arith::MaxSIOp>(
          [&](auto) { return ofMinimum(op, true, reader, depth); })
      .Case<arith::SelectOp>(
          [&](auto select) { return ofSelect(select, reader, depth); })
      .Case<arith::AddIOp, arith::IndexCastOp, arith::ExtSIOp,
            vector::BroadcastOp>([&](auto) {
        LoadedInfluence result;
        for (Value value : op->getOperands())
          result = result | at(value, reader, depth);
        return result;
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp>(
          [&](auto) { return ofQuotient(op, reader, depth); })
      .Case<arith::SubIOp>([&](auto) {
        LoadedInfluence lhs = operand(0), rhs = operand(1);
        LoadedInfluence result = lhs | rhs;
        result.isOpenBelow = lhs.isOpenBelow || rhs.isOpenAbove;
        result.isOpenAbove = lhs.isOpenAbove || rhs.isOpenBelow;
        return result;
      })
      .Case<arith::MinUIOp>([&](auto) -> std::optional<LoadedInfluence> {
        for (unsigned index : {1u, 0u})
          if (operand(index).isBounded())
            return boundedBy(index);
        return std::nullopt;
      })
      .Case<arith::RemUIOp>([&](auto) -> std::optional<LoadedInfluence> {
        if (!operand(1).isBounded())
          return std::nullopt;
        return boundedBy(1);
      })
      .Case<arith::RemSIOp>([&](auto) -> std::optional<LoadedInfluence> {
        if (!operand(1).isBounded())
          return std::nullopt;
        // It has the sign of the dividend.
        LoadedInfluence result = boundedBy(1);
        result.isOpenBelow = operand(0).isOpenBelow;
        return result;
      })
      .Case<arith::AndIOp>([&](auto) -> std::optional<LoadedInfluence> {
        for (unsigned index : {1u, 0u}) {
          IntegerAttr mask;
          if (matchPattern(op->getOperand(index), m_Constant(&mask)) &&
              !mask.getValue().isNegative())
            return boundedBy(index);
        }
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

LoadedInfluence LoadedValues::ofResult(Operation *op, Operation *reader,
                                       unsigned depth) const {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return ofLoad(load);
  // The extents of memory that was handed out.
  if (isa<memref::DimOp, memref::ExtractStridedMetadataOp,
          memref::ExtractAlignedPointerAsIndexOp, runtime::IsPresentOp,
          runtime::LoopBeginOp>(op))
    return {};
  for (Value operand : op->getOperands())
    if (isa<BaseMemRefType>(operand.getType()) && !isCodeConstant(operand))
      return LoadedInfluence::anything();
  if (std::optional<LoadedInfluence> result = ofArithmetic(op, reader, depth))
    return *result;
  LoadedInfluence result;
  for (Value operand : op->getOperands())
    result = result | at(operand, reader, depth);
  // A product of what is bounded is bounded; anything else on one side may come
  // out on the other.
  result.isOpenBelow = result.isOpenAbove = !result.isBounded();
  return result;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void LoadedValues::visitFor(scf::ForOp loop) {
  LoadedInfluence lower = at(loop.getLowerBound(), loop);
  LoadedInfluence upper = at(loop.getUpperBound(), loop);
  LoadedInfluence step = at(loop.getStep(), loop);
  LoadedInfluence variable = lower | upper;
  variable.isOpenBelow = lower.isOpenBelow;
  variable.isOpenAbove = upper.isOpenAbove;
  if (!step.isBounded())
    variable = LoadedInfluence::anything();
  join(loop.getInductionVar(), variable);
  bool isEndless =
      !lower.isBounded() || !upper.isBounded() || !step.isBounded();
  for (auto [init, argument, yielded, result] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                       loop.getYieldedValues(), loop.getResults())) {
    LoadedInfluence carried =
        at(init, loop) | at(yielded, loop.getBody()->getTerminator());
    if (isEndless && yielded != argument)
      carried = LoadedInfluence::anything();
    join(argument, carried);
    join(result, carried);
  }
}

void LoadedValues::visitWhile(scf::WhileOp loop) {
  auto condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  bool isEndless = at(condition.getCondition(), condition).isLoaded;
  for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments())) {
    LoadedInfluence carried =
        at(loop.getInits()[index], loop) | at(yield.getOperand(index), yield);
    // A value that stays is bounded as it was in the beginning.
    if (isEndless && yield.getOperand(index) != argument)
      carried = LoadedInfluence::anything();
    join(argument, carried);
  }
  for (auto [passed, argument, result] : llvm::zip_equal(
           condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    join(argument, at(passed, condition));
    join(result, at(passed, condition));
  }
}

void LoadedValues::visitCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal()) {
    joinAll(call.getResults(), LoadedInfluence::anything());
    return;
  }
  for (auto [operand, argument] :
       llvm::zip_equal(call->getOpOperands(), callee.getArguments()))
    join(argument, at(operand));
  for (auto end : callee.getOps<func::ReturnOp>())
    for (auto [result, returned] :
         llvm::zip_equal(call.getResults(), end->getOpOperands()))
      join(result, at(returned));
}

void LoadedValues::visitBranch(Operation *op) {
  auto branch = cast<BranchOpInterface>(op);
  for (unsigned i = 0; i < op->getNumSuccessors(); ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    Block *successor = op->getSuccessor(i);
    // Nothing says how often such a loop iterates.
    bool isLoop = dominance.dominates(successor, op->getBlock());
    for (auto [index, argument] : llvm::enumerate(successor->getArguments())) {
      Value passed = operands[index];
      bool isOpen = !passed || (isLoop && passed != argument);
      join(argument, isOpen ? LoadedInfluence::anything() : at(passed, op));
    }
  }
}

/// Whether \p op gives its operands to the results of the operation around it.
bool LoadedValues::visitYield(Operation *op) {
  auto yield = dyn_cast<scf::YieldOp>(op);
  if (!yield)
    return false;
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
          yield->getParentOp()))
    for (auto [operand, result] : llvm::zip_equal(
             yield->getOpOperands(), yield->getParentOp()->getResults()))
      join(result, at(operand));
  return true;
}

void LoadedValues::visit(Operation *op) {
  if (visitYield(op) || isa<ModuleOp, func::FuncOp>(op))
    return;
  if (isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp,
          scf::ConditionOp>(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (isa<BranchOpInterface>(op))
    return visitBranch(op);
  if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
    LoadedInfluence &known = stored[store.getValue().getType()];
    LoadedInfluence joined = known | at(store.getValue(), store);
    hasChanged |= joined != known;
    known = joined;
    return;
  }
  // Nothing is known of what other operations do with their regions.
  for (Region &region : op->getRegions())
    for (Block &block : region)
      joinAll(block.getArguments(), LoadedInfluence::anything());
  if (op->getNumRegions() > 0)
    return joinAll(op->getResults(), LoadedInfluence::anything());
  for (Value result : op->getResults())
    if (!isa<BaseMemRefType>(result.getType()))
      join(result, ofResult(op, op, /*depth=*/0));
}

LoadedValues::LoadedValues(ModuleOp module, IntegerRanges &ranges)
    : ranges(ranges), dominance(module), symbols(module) {
  collectBounds(module);
  do {
    hasChanged = false;
    // The last round changes nothing, so that what it remembers is what a round
    // without memory would find.
    answers.clear();
    for (Operation &part : *module.getBody())
      runStep(&part, [&] {
        part.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
      });
  } while (hasChanged);
  answers.clear();
  isComplete = true;
}
