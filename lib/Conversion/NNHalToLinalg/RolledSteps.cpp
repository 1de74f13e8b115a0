//===- RolledSteps.cpp - Loops over the steps of recurrent networks -------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The HAL has cells of recurrent networks that compute one step, so that a
// model has one for each step of its sequence: the same operation, with the
// same weights, on part after part of an input and on the states of the step
// before. Compiling each of them takes time, and the code of all of them room.
// Such a chain becomes one loop (scf.for) around one cell.
//
// An operand of a cell is either the same value at every step, or a state,
// which is a result of the step before, or the next part of a split along the
// first dimension. Upstream's patterns unroll loops, and none rolls them.
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "nnhal/Conversion/NNHalToLinalg.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace nnhal;

/// Fewer steps than these stay as they are: in a loop they would take longer to
/// execute, and they compile fast.
static constexpr size_t minSteps = 4;

namespace {
/// Where the steps of a chain get an operand from.
struct StepOperand {
  enum class Kind { shared, state, part };
  Kind kind = Kind::shared;
  /// A state is this result of the step before. A part is the result of the
  /// split that the first step reads.
  size_t number = 0;
};

/// Operations that are the steps of one cell.
class StepChain {
public:
  /// The chain that begins with \p first; it may be of one step.
  explicit StepChain(Operation *first);

  /// Whether \p second may follow \p first in a chain.
  static bool areSteps(Operation *first, Operation *second);

  size_t size() const { return steps.size(); }
  /// The loop in place of the chain.
  void roll(PatternRewriter &rewriter) const;

private:
  StepChain() = default;
  bool findOperands(Operation *first, Operation *second);
  bool isNext(Operation *step) const;
  Operation *findNext() const;
  ConcatenationOp concatenationOf(size_t result) const;
  void findGathered();
  Value operandIn(OpBuilder &builder, size_t operand, Value step,
                  ValueRange states) const;
  SmallVector<Value> makeRound(OpBuilder &builder, Value step,
                               ValueRange values) const;
  void replaceResults(PatternRewriter &rewriter, scf::ForOp loop) const;

  SmallVector<Operation *> steps;
  SmallVector<StepOperand> operands;
  /// The operands that are states.
  SmallVector<size_t> stateOperands;
  /// The results that the loop keeps of every step.
  SmallVector<size_t> gathered;
};
} // namespace

/// The operations of \p step's kind that read a result of it. More than one do
/// where cells are stacked.
static SmallVector<Operation *> successorsOf(Operation *step) {
  llvm::SmallSetVector<Operation *, 2> next;
  for (Operation *user : step->getUsers())
    if (user->getName() == step->getName())
      next.insert(user);
  return next.takeVector();
}

/// Whether parts of \p value along its first dimension have known extents.
static bool hasParts(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0 && hasElements(type);
}

StepChain::StepChain(Operation *first) {
  steps.push_back(first);
  if (!llvm::all_of(first->getResults(), hasParts))
    return;
  for (Operation *second : successorsOf(first)) {
    if (!findOperands(first, second) || !isNext(second))
      continue;
    for (Operation *step = second; step; step = findNext())
      steps.push_back(step);
    break;
  }
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.kind == StepOperand::Kind::state)
      stateOperands.push_back(i);
  findGathered();
}

bool StepChain::areSteps(Operation *first, Operation *second) {
  StepChain chain;
  chain.steps.push_back(first);
  return chain.findOperands(first, second) && chain.isNext(second);
}

Operation *StepChain::findNext() const {
  SmallVector<Operation *> next = successorsOf(steps.back());
  auto found =
      llvm::find_if(next, [&](Operation *step) { return isNext(step); });
  return found == next.end() ? nullptr : *found;
}

/// Finds where operands come from by those of two steps.
bool StepChain::findOperands(Operation *first, Operation *second) {
  if (first->getNumOperands() != second->getNumOperands())
    return false;
  operands.clear();
  for (auto [before, after] :
       llvm::zip_equal(first->getOperands(), second->getOperands())) {
    StepOperand &operand = operands.emplace_back();
    auto result = dyn_cast<OpResult>(after);
    if (before == after)
      continue;
    if (!result || before.getType() != after.getType())
      return false;
    operand.number = result.getResultNumber();
    if (result.getOwner() == first) {
      operand.kind = StepOperand::Kind::state;
      continue;
    }
    auto split = result.getDefiningOp<SplitOp>();
    if (!split || split.getAxis() != 0 || before.getDefiningOp() != split ||
        !hasParts(split.getInput()))
      return false;
    operand.kind = StepOperand::Kind::part;
    operand.number = cast<OpResult>(before).getResultNumber();
  }
  return llvm::any_of(operands, [](const StepOperand &operand) {
    return operand.kind == StepOperand::Kind::state;
  });
}

/// Whether \p step goes on where the last one of the chain ends.
bool StepChain::isNext(Operation *step) const {
  Operation *first = steps.front(), *last = steps.back();
  if (step->getBlock() != first->getBlock() ||
      step->getAttrDictionary() != first->getAttrDictionary() ||
      step->getResultTypes() != first->getResultTypes() ||
      step->getNumOperands() != first->getNumOperands())
    return false;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value value = step->getOperand(i), begin = first->getOperand(i);
    switch (operand.kind) {
    case StepOperand::Kind::shared:
      if (value != begin)
        return false;
      break;
    case StepOperand::Kind::state:
      if (value != last->getResult(operand.number))
        return false;
      break;
    case StepOperand::Kind::part: {
      auto result = dyn_cast<OpResult>(value);
      if (!result || result.getOwner() != begin.getDefiningOp() ||
          result.getResultNumber() != operand.number + size())
        return false;
      break;
    }
    }
  }
  return true;
}

/// A state is there after the loop as the last step leaves it. Other results,
/// and states that something else reads of steps before, are kept for every
/// step.
void StepChain::findGathered() {
  for (OpResult result : steps.front()->getResults()) {
    size_t number = result.getResultNumber();
    bool isState = llvm::any_of(stateOperands, [&](size_t operand) {
      return operands[operand].number == number;
    });
    for (auto [i, step] : llvm::enumerate(steps)) {
      bool isLast = i + 1 == size();
      bool isRead = llvm::any_of(
          step->getResult(number).getUsers(), [&](Operation *user) {
            return isLast ? !isState : user != steps[i + 1];
          });
      if (!isRead)
        continue;
      gathered.push_back(number);
      break;
    }
  }
}

/// Returns the concatenation that joins \p result of all steps in their order,
/// without scaling it; null where there is none.
ConcatenationOp StepChain::concatenationOf(size_t result) const {
  for (Operation *user : steps.front()->getResult(result).getUsers()) {
    auto joined = dyn_cast<ConcatenationOp>(user);
    if (!joined || joined.getAxis() != 0 ||
        joined.getInputs().size() != size() ||
        joined.getOutput().getType().getElementType() !=
            getElementTypeOrSelf(steps.front()->getResult(result)))
      continue;
    bool isInOrder = llvm::all_of(
        llvm::zip_equal(joined.getInputs(), steps), [&](const auto &pair) {
          return std::get<0>(pair) == std::get<1>(pair)->getResult(result);
        });
    if (isInOrder)
      return joined;
  }
  return {};
}

namespace {
/// Offsets, sizes and strides of a part of \p type that begins at \p begin
/// along the first dimension.
struct Part {
  Part(OpBuilder &builder, RankedTensorType type, OpFoldResult begin)
      : offsets(type.getRank(), builder.getIndexAttr(0)),
        strides(type.getRank(), builder.getIndexAttr(1)) {
    offsets[0] = begin;
    for (int64_t extent : type.getShape())
      sizes.push_back(builder.getIndexAttr(extent));
  }

  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

/// Where part \p step, of extent \p extent, begins.
static Value beginOf(OpBuilder &builder, Location location, Value step,
                     int64_t extent, int64_t first) {
  Value size = arith::ConstantIndexOp::create(builder, location, extent);
  Value begin = arith::MulIOp::create(builder, location, step, size);
  if (first == 0)
    return begin;
  Value offset =
      arith::ConstantIndexOp::create(builder, location, first * extent);
  return arith::AddIOp::create(builder, location, begin, offset);
}

/// The value of operand \p operand of the cell in round \p step of the loop,
/// which passes on \p states.
Value StepChain::operandIn(OpBuilder &builder, size_t operand, Value step,
                           ValueRange states) const {
  const StepOperand &source = operands[operand];
  Value value = steps.front()->getOperand(operand);
  switch (source.kind) {
  case StepOperand::Kind::shared:
    return value;
  case StepOperand::Kind::state:
    return states[llvm::find(stateOperands, operand) - stateOperands.begin()];
  case StepOperand::Kind::part:
    break;
  }
  auto type = cast<RankedTensorType>(value.getType());
  Value begin = beginOf(builder, value.getLoc(), step, type.getDimSize(0),
                        int64_t(source.number));
  Part part(builder, type, begin);
  return tensor::ExtractSliceOp::create(
      builder, value.getLoc(), type, value.getDefiningOp<SplitOp>().getInput(),
      part.offsets, part.sizes, part.strides);
}

/// The cell in round \p step of the loop, which passes on \p values: states,
/// then the tensors that gather results.
SmallVector<Value> StepChain::makeRound(OpBuilder &builder, Value step,
                                        ValueRange values) const {
  Operation *cell = builder.clone(*steps.front());
  builder.setInsertionPoint(cell);
  for (size_t i = 0; i < operands.size(); ++i)
    cell->setOperand(i, operandIn(builder, i, step, values));
  builder.setInsertionPointAfter(cell);
  SmallVector<Value> next;
  // In the state's own memory: a loop that passes on other buffers allocates
  // some in each round.
  for (auto [operand, state] : llvm::zip(stateOperands, values)) {
    Value result = cell->getResult(operands[operand].number);
    auto copy = linalg::CopyOp::create(builder, cell->getLoc(), result, state);
    next.push_back(copy->getResult(0));
  }
  for (auto [result, into] :
       llvm::zip_equal(gathered, values.drop_front(stateOperands.size()))) {
    Value value = cell->getResult(result);
    auto type = cast<RankedTensorType>(value.getType());
    Part part(builder, type,
              beginOf(builder, cell->getLoc(), step, type.getDimSize(0), 0));
    next.push_back(tensor::InsertSliceOp::create(builder, cell->getLoc(), value,
                                                 into, part.offsets, part.sizes,
                                                 part.strides));
  }
  return next;
}

void StepChain::roll(PatternRewriter &rewriter) const {
  Operation *first = steps.front();
  Location location = first->getLoc();
  rewriter.setInsertionPoint(first);
  SmallVector<Value> begin;
  for (size_t state : stateOperands)
    begin.push_back(first->getOperand(state));
  for (size_t result : gathered) {
    auto type = cast<RankedTensorType>(first->getResult(result).getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[0] *= int64_t(size());
    begin.push_back(tensor::EmptyOp::create(rewriter, location, shape,
                                            type.getElementType()));
  }
  auto index = [&](size_t value) {
    return arith::ConstantIndexOp::create(rewriter, location, int64_t(value));
  };
  auto loop = scf::ForOp::create(
      rewriter, location, index(0), index(size()), index(1), begin,
      [&](OpBuilder &builder, Location, Value step, ValueRange values) {
        scf::YieldOp::create(builder, location,
                             makeRound(builder, step, values));
      });
  replaceResults(rewriter, loop);
  for (Operation *step : llvm::reverse(steps))
    rewriter.eraseOp(step);
}

/// Lets what reads the results of steps read those of \p loop.
void StepChain::replaceResults(PatternRewriter &rewriter,
                               scf::ForOp loop) const {
  ResultRange kept = loop.getResults().drop_front(stateOperands.size());
  for (auto [result, all] : llvm::zip_equal(gathered, kept))
    if (ConcatenationOp joined = concatenationOf(result))
      rewriter.replaceOp(joined, all);
  for (auto [operand, last] : llvm::zip(stateOperands, loop.getResults()))
    rewriter.replaceAllUsesWith(
        steps.back()->getResult(operands[operand].number), last);
  llvm::SmallPtrSet<Operation *, 32> own(llvm::from_range, steps);
  auto isOutside = [&](OpOperand &use) {
    return !own.contains(use.getOwner());
  };
  for (auto [result, all] : llvm::zip_equal(gathered, kept))
    for (auto [i, step] : llvm::enumerate(steps)) {
      Value value = step->getResult(result);
      if (llvm::none_of(value.getUses(), isOutside))
        continue;
      auto type = cast<RankedTensorType>(value.getType());
      Part part(rewriter, type,
                rewriter.getIndexAttr(int64_t(i) * type.getDimSize(0)));
      Value slice = tensor::ExtractSliceOp::create(rewriter, step->getLoc(),
                                                   type, all, part.offsets,
                                                   part.sizes, part.strides);
      rewriter.replaceUsesWithIf(value, slice, isOutside);
    }
}

namespace {
template <typename Cell> struct RollSteps : OpRewritePattern<Cell> {
  RollSteps(MLIRContext *context, Pass::Statistic *numRolled)
      : OpRewritePattern<Cell>(context), numRolled(numRolled) {}

  LogicalResult matchAndRewrite(Cell op,
                                PatternRewriter &rewriter) const override {
    bool isFirst = llvm::none_of(op->getOperands(), [&](Value operand) {
      auto before = operand.getDefiningOp<Cell>();
      return before && StepChain::areSteps(before, op);
    });
    if (!isFirst)
      return rewriter.notifyMatchFailure(op, "not the first step");
    StepChain chain(op);
    if (chain.size() < minSteps)
      return rewriter.notifyMatchFailure(op, "too few equal steps");
    chain.roll(rewriter);
    if (numRolled)
      ++*numRolled;
    return success();
  }

  Pass::Statistic *numRolled;
};
} // namespace

void nnhal::populateStepRollingPatterns(RewritePatternSet &patterns,
                                        Pass::Statistic *numRolled) {
  patterns.add<RollSteps<LstmOp>, RollSteps<Quantized16BitLstmOp>,
               RollSteps<QuantizedLstmOp>, RollSteps<RnnOp>>(
      patterns.getContext(), numRolled);
}
