//===- OutlineKernels.cpp - One function per distinct loop nest -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "nnhal/Codegen/EntryFunction.h"

#include "Codegen/CallConvention.h"
#include "Codegen/PassStep.h"
#include "KernelSplit.h"

#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace nnhal {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

struct OutlineKernelsPass : impl::OutlineKernelsBase<OutlineKernelsPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  std::optional<KernelSplit> split(LoopLikeOpInterface loop,
                                   ValueRange captures);
  func::FuncOp outline(LoopLikeOpInterface loop, ValueRange captures,
                       const std::optional<KernelSplit> &split);
  func::FuncOp findEqual(func::FuncOp candidate);
  void replaceByCall(LoopLikeOpInterface loop, SymbolTable &symbols);

  func::FuncOp entry;
  kernel::CostModel costs;
  /// Kernels by hash of their bodies.
  llvm::DenseMap<llvm::hash_code, SmallVector<func::FuncOp>> kernels;
  unsigned nextNumber = 0;
};

} // namespace

/// Whether \p memory is scratch memory that \p loop writes. One that only reads
/// it reads what was written before.
static bool isOwnScratch(Operation *memory, Operation *loop) {
  return memory->hasAttr(scratchAttrName) &&
         llvm::any_of(memory->getUsers(), [&](Operation *user) {
           return loop->isProperAncestor(user) &&
                  hasEffect<MemoryEffects::Write>(user);
         });
}

/// Calls \p visit for the definitions on which \p root depends and for \p root,
/// operands first, but for those that are done and what only they depend on.
/// Chains of operations may be long: this does not recurse.
static void visitOperandsFirst(Operation *root,
                               llvm::function_ref<bool(Operation *)> isDone,
                               llvm::function_ref<void(Operation *)> visit) {
  SmallVector<std::pair<Operation *, unsigned>> stack;
  auto enter = [&](Operation *op) {
    if (op && !isDone(op))
      stack.push_back({op, 0});
  };
  enter(root);
  while (!stack.empty()) {
    auto &[op, operand] = stack.back();
    if (operand < op->getNumOperands()) {
      Operation *definition = op->getOperand(operand++).getDefiningOp();
      enter(definition);
      continue;
    }
    Operation *complete = op;
    stack.pop_back();
    if (!isDone(complete))
      visit(complete);
  }
}

namespace {
/// What the kernel of a loop makes for itself. That is what is computed from
/// constants alone: an argument would hide from LLVM what it is, such as a
/// shift by a known distance; and scratch memory, of which each thread needs
/// its own.
class MadeInside {
public:
  explicit MadeInside(Operation *loop) : loop(loop) {}

  bool contains(Value value) {
    Operation *definition = value.getDefiningOp();
    if (!definition)
      return false;
    visitOperandsFirst(
        definition, [&](Operation *op) { return isKnown(op); },
        [&](Operation *op) {
          known[op] = llvm::all_of(op->getOperands(), [&](Value operand) {
            Operation *source = operand.getDefiningOp();
            return source && known.lookup(source);
          });
        });
    return known.lookup(definition);
  }

private:
  bool isKnown(Operation *op) {
    if (known.contains(op))
      return true;
    if (isOwnScratch(op, loop) || (op->getNumRegions() == 0 && isPure(op)))
      return false;
    known[op] = false;
    return true;
  }

  Operation *loop;
  llvm::DenseMap<Operation *, bool> known;
};
} // namespace

/// Adds what computes \p value, in an order to compute it in.
static void addDefinitions(Value value, SetVector<Operation *> &definitions) {
  visitOperandsFirst(
      value.getDefiningOp(),
      [&](Operation *op) { return definitions.contains(op); },
      [&](Operation *op) { definitions.insert(op); });
}

/// What \p loop uses from outside, except for what is \p cloned into its
/// kernel.
static SmallVector<Value> findCaptures(LoopLikeOpInterface loop,
                                       SetVector<Operation *> &cloned) {
  llvm::SetVector<Value> used;
  for (Value operand : loop->getOperands())
    used.insert(operand);
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  SmallVector<Value> captures;
  MadeInside made(loop);
  for (Value value : used) {
    if (made.contains(value))
      addDefinitions(value, cloned);
    else
      captures.push_back(value);
  }
  return captures;
}

/// Only the entry function has the execution context.
static bool asksRuntime(Operation *loop) {
  return loop
      ->walk([](Operation *op) {
        return isa_and_present<runtime::RuntimeDialect>(op->getDialect())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<KernelSplit> OutlineKernelsPass::split(LoopLikeOpInterface loop,
                                                     ValueRange captures) {
  if (!llvm::all_of(captures.getTypes(), isPassedToPieces))
    return std::nullopt;
  return planSplit(loop, costs);
}

/// Where threads may share the loop, calls ask for a range of it.
static SmallVector<Value> rangeOf(const std::optional<KernelSplit> &split,
                                  Location loc, OpBuilder &builder) {
  SmallVector<Value> range;
  if (split)
    for (int64_t bound : {int64_t(0), split->count})
      range.push_back(arith::ConstantIndexOp::create(builder, loc, bound));
  return range;
}

/// A private function that runs \p loop on its arguments, after the entry: of
/// \p split the range that comes first, then \p captures.
func::FuncOp
OutlineKernelsPass::outline(LoopLikeOpInterface loop, ValueRange captures,
                            const std::optional<KernelSplit> &split) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(entry);
  SmallVector<Type> types(split ? 2 : 0, builder.getIndexType());
  llvm::append_range(types, captures.getTypes());
  auto type = builder.getFunctionType(types, {});
  auto kernel = func::FuncOp::create(
      builder, loop.getLoc(), "kernel_" + std::to_string(nextNumber), type);
  kernel.setPrivate();
  // Private in MLIR is still an exported symbol in LLVM IR.
  kernel->setAttr(
      linkageAttrName,
      LLVM::LinkageAttr::get(&getContext(), LLVM::linkage::Linkage::Internal));
  kernel->setAttr("passthrough",
                  builder.getArrayAttr({builder.getStringAttr("noinline")}));
  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);

  SetVector<Operation *> cloned;
  (void)findCaptures(loop, cloned);
  IRMapping mapping;
  mapping.map(captures, body->getArguments().take_back(captures.size()));
  for (Operation *definition : cloned)
    builder.clone(*definition, mapping);
  builder.clone(*loop.getOperation(), mapping);
  auto end = func::ReturnOp::create(builder, loop.getLoc());
  if (split) {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> shared;
    for (scf::ForallOp original : split->loops)
      llvm::append_range(
          shared, makeSequential(rewriter, cast<scf::ForallOp>(mapping.lookup(
                                               original.getOperation()))));
    builder.setInsertionPoint(end->getPrevNode());
    for (scf::ForOp part : shared)
      restrictToRange(part, split->count, body->getArgument(0),
                      body->getArgument(1), builder);
  }
  makeAllSequential(kernel);
  return kernel;
}

/// An earlier kernel with the body of \p candidate.
func::FuncOp OutlineKernelsPass::findEqual(func::FuncOp candidate) {
  llvm::hash_code hash = hash_value(candidate.getFunctionType());
  candidate.getBody().walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  for (func::FuncOp kernel : kernels[hash])
    if (kernel.getFunctionType() == candidate.getFunctionType() &&
        OperationEquivalence::isRegionEquivalentTo(
            &kernel.getBody(), &candidate.getBody(),
            OperationEquivalence::IgnoreLocations))
      return kernel;
  kernels[hash].push_back(candidate);
  return nullptr;
}

/// Moves \p loop into a function, or into one with an equal body, and calls it.
void OutlineKernelsPass::replaceByCall(LoopLikeOpInterface loop,
                                       SymbolTable &symbols) {
  SetVector<Operation *> cloned;
  SmallVector<Value> captures = findCaptures(loop, cloned);
  std::optional<KernelSplit> parts = split(loop, captures);
  func::FuncOp kernel = outline(loop, captures, parts);
  if (func::FuncOp equal = findEqual(kernel)) {
    kernel.erase();
    kernel = equal;
    ++numShared;
  } else {
    // Another function may have that name.
    symbols.insert(kernel);
    ++nextNumber;
    ++numOutlined;
  }
  OpBuilder builder(loop);
  SmallVector<Value> operands = rangeOf(parts, loop.getLoc(), builder);
  llvm::append_range(operands, captures);
  auto call = func::CallOp::create(builder, loop.getLoc(), kernel, operands);
  if (parts) {
    call->setAttr(grainAttrName, builder.getI64IntegerAttr(parts->grain));
    ++numSplit;
  }
  loop.erase();
  for (Operation *definition : llvm::reverse(cloned))
    if (isOpTriviallyDead(definition))
      definition->erase();
}

void OutlineKernelsPass::runOnOperation() {
  FailureOr<func::FuncOp> found = findEntryFunction(getOperation());
  if (failed(found))
    return signalPassFailure();
  entry = *found;
  if (!entry)
    return;
  std::optional<kernel::KernelTarget> target =
      kernel::KernelTarget::of(getOperation());
  if (!target)
    return signalPassFailure();
  costs = target->costs();
  kernels.clear();
  nextNumber = 0;
  SymbolTable symbols(getOperation());
  SmallVector<LoopLikeOpInterface> loops;
  for (Operation &op : entry.getBody().front())
    if (isa<scf::ForOp, scf::ForallOp>(op) && op.getNumResults() == 0 &&
        !asksRuntime(&op))
      loops.push_back(cast<LoopLikeOpInterface>(op));

  for (LoopLikeOpInterface loop : loops)
    runStep(loop, [&] { replaceByCall(loop, symbols); });
  makeAllSequential(getOperation());
}

} // namespace nnhal
