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
#include "FlattenBuffer.h"
#include "KeptOperations.h"
#include "KernelArguments.h"
#include "KernelSplit.h"
#include "StraightCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace nnhal {
#define GEN_PASS_DEF_OUTLINEKERNELS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

/// What a loop uses from outside, and how its kernel gets it.
struct KernelInterface {
  /// Arguments, and their types in the kernel.
  SmallVector<Value> captures;
  SmallVector<Type> types;
  /// What the kernel makes for itself, operands first, but for the numbers,
  /// which it has from arrays that are arguments behind the captures.
  SetVector<Operation *> made;
  SmallVector<arith::ConstantOp> numbers;
  /// Those of the numbers' loads that the kernel makes for itself.
  SmallVector<memref::LoadOp> loads;
  SmallVector<DenseElementsAttr> arrays;

  SmallVector<Type> argumentTypes() const {
    SmallVector<Type> all(types);
    for (DenseElementsAttr array : arrays)
      all.push_back(bufferTypeOf(array));
    return all;
  }
};

struct OutlineKernelsPass : impl::OutlineKernelsBase<OutlineKernelsPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  std::optional<KernelSplit> split(LoopLikeOpInterface loop,
                                   TypeRange arguments);
  func::FuncOp outline(LoopLikeOpInterface loop,
                       const KernelInterface &interface,
                       const std::optional<KernelSplit> &split);
  func::FuncOp findEqual(func::FuncOp candidate, bool isOfOperation);
  Value argumentFor(Value capture, Type type);
  void restoreExtents();
  void replaceByCall(LoopLikeOpInterface loop, NumberBuffers &buffers,
                     SymbolTable &symbols);
  Value flatten(Value buffer);
  void inlineCall(func::CallOp call, func::FuncOp operation);
  void inlineOperations(SymbolTable &symbols);
  void keep(SymbolTable &symbols);
  bool hasSharedRounds(LoopLikeOpInterface loop);
  void findLoops(Block &block, SmallVectorImpl<LoopLikeOpInterface> &loops);

  func::FuncOp entry;
  /// Whether the module declares kernels whose code there is.
  bool callsKept = false;
  kernel::CostModel costs;
  /// Kernels by hash of their bodies, without the extents of their arguments;
  /// and these, of the first loop that became the kernel.
  llvm::DenseMap<llvm::hash_code, SmallVector<func::FuncOp>> kernels;
  llvm::MapVector<func::FuncOp, SmallVector<Type>> argumentTypes;
  /// Constants of operations that were inlined, in the entry function.
  llvm::DenseMap<Attribute, Value> constants;
  llvm::DenseMap<Value, Value> flattened;
  /// Arguments by what they stand for, and by their types.
  llvm::DenseMap<std::pair<Value, Type>, Value> rebased;
  /// Loops of one round that hold what was not in loops.
  llvm::DenseSet<Operation *> straight;
  unsigned nextNumber = 0;
};

} // namespace

/// Whether \p function is one of OutlineOperations.
static bool isOperation(func::FuncOp function) {
  return function->hasAttr(numberArraysAttrName) &&
         !function->hasAttr(entryAttrName) && function.isPrivate() &&
         llvm::hasSingleElement(function.getBody()) &&
         function.getNumResults() == 0;
}

/// Whether \p memory is scratch memory that \p loop writes and reads. What only
/// reads it reads what was written before, and what \p isStraight, moved into a
/// loop from around others, may write for them.
static bool isOwnScratch(Operation *memory, Operation *loop, bool isStraight) {
  auto isInside = [&](Operation *user) { return loop->isProperAncestor(user); };
  if (!memory->hasAttr(scratchAttrName))
    return false;
  if (isStraight)
    return llvm::all_of(memory->getUsers(), isInside);
  return llvm::any_of(memory->getUsers(), [&](Operation *user) {
    return isInside(user) && hasEffect<MemoryEffects::Write>(user);
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
/// constants alone or from numbers of a layer, and scratch memory, of which
/// each thread needs its own.
class MadeInside {
public:
  MadeInside(Operation *loop, bool isStraight)
      : loop(loop), isStraight(isStraight) {}

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
    if (loadsNumber(op))
      return known[op] = true;
    if (isOwnScratch(op, loop, isStraight) ||
        (op->getNumRegions() == 0 && isPure(op)))
      return false;
    known[op] = false;
    return true;
  }

  Operation *loop;
  bool isStraight;
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

static KernelInterface interfaceOf(LoopLikeOpInterface loop, bool isStraight) {
  KernelUses used;
  for (Value operand : loop->getOperands())
    used[operand].push_back(loop);
  visitUsedValuesDefinedAbove(loop->getRegions(), [&](OpOperand *operand) {
    used[operand->get()].push_back(operand->getOwner());
  });
  KernelInterface interface;
  MadeInside made(loop, isStraight);
  bool byData = addressesByData(loop);
  for (auto &[value, users] : used) {
    if (made.contains(value) && (byData || !isLastPosition(value, users))) {
      addDefinitions(value, interface.made);
      continue;
    }
    interface.captures.push_back(value);
    interface.types.push_back(argumentTypeOf(value, loop));
  }
  for (Operation *definition : interface.made)
    if (auto load = dyn_cast<memref::LoadOp>(definition)) {
      interface.loads.push_back(load);
      if (llvm::is_contained(interface.captures, load.getMemRef()))
        continue;
      interface.captures.push_back(load.getMemRef());
      interface.types.push_back(load.getMemRefType());
    }
  if (byData)
    return interface;
  for (Operation *definition : interface.made)
    for (Value operand : definition->getOperands())
      used[operand].push_back(definition);
  interface.numbers = findNumbers(interface.made.getArrayRef(), used);
  interface.arrays = toArrays(interface.numbers);
  return interface;
}

std::optional<KernelSplit> OutlineKernelsPass::split(LoopLikeOpInterface loop,
                                                     TypeRange arguments) {
  if (!llvm::all_of(arguments, isPassedToPieces))
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

/// Moves \p loop into a private function after the entry, which runs it on its
/// arguments: of \p split the range that comes first, then those of \p
/// interface.
func::FuncOp
OutlineKernelsPass::outline(LoopLikeOpInterface loop,
                            const KernelInterface &interface,
                            const std::optional<KernelSplit> &split) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(entry);
  size_t bounds = split ? 2 : 0;
  SmallVector<Type> types(bounds, builder.getIndexType());
  llvm::append_range(types, interface.argumentTypes());
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

  IRMapping mapping;
  ValueRange arguments = body->getArguments().drop_front(bounds);
  mapping.map(interface.captures,
              arguments.take_front(interface.captures.size()));
  for (Operation *definition : interface.made)
    builder.clone(*definition, mapping);
  auto end = func::ReturnOp::create(builder, loop.getLoc());
  loop->moveBefore(end);
  loop->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value inside = mapping.lookupOrNull(operand.get()))
        operand.set(inside);
  });
  if (split) {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> shared;
    for (scf::ForallOp original : split->loops)
      llvm::append_range(shared, makeSequential(rewriter, original));
    builder.setInsertionPoint(end->getPrevNode());
    for (scf::ForOp part : shared)
      restrictToRange(part, split->count, body->getArgument(0),
                      body->getArgument(1), builder);
  }
  makeAllSequential(kernel);
  SmallVector<arith::ConstantOp> numbers;
  for (Operation *number : interface.numbers)
    numbers.push_back(cast<arith::ConstantOp>(mapping.lookup(number)));
  loadNumbers(numbers, arguments.drop_front(interface.captures.size()));
  sinkLoads(llvm::map_to_vector(interface.loads, [&](memref::LoadOp load) {
    return cast<memref::LoadOp>(mapping.lookup(load.getOperation()));
  }));
  // Bounds that a range has replaced would tell kernels apart.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return kernel;
}

/// An earlier kernel with the body of \p candidate, whose arguments may have
/// other extents; kernels have none until the end. Kernels of operations share
/// nothing with those of loops in the entry, which no record tells of. Two
/// operations that share one call the kernel of the first by its extents, so
/// that the records of several models may name two kernels with one code.
func::FuncOp OutlineKernelsPass::findEqual(func::FuncOp candidate,
                                           bool isOfOperation) {
  SmallVector<Type> types(candidate.getArgumentTypes());
  setArgumentTypes(candidate, typesWithoutExtents(candidate));
  llvm::hash_code hash =
      llvm::hash_combine(candidate.getFunctionType(), isOfOperation);
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
  argumentTypes[candidate] = std::move(types);
  return nullptr;
}

void OutlineKernelsPass::restoreExtents() {
  for (auto &[kernel, types] : argumentTypes)
    setArgumentTypes(kernel, types);
}

/// \p capture as an argument of type \p type, made once for all calls.
Value OutlineKernelsPass::argumentFor(Value capture, Type type) {
  Value &argument = rebased[{capture, type}];
  if (argument)
    return argument;
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(capture);
  argument = toArgument(capture, type, builder);
  return argument;
}

/// Moves \p loop into a function, or into one with an equal body, and calls it.
void OutlineKernelsPass::replaceByCall(LoopLikeOpInterface loop,
                                       NumberBuffers &buffers,
                                       SymbolTable &symbols) {
  KernelInterface interface = interfaceOf(loop, straight.contains(loop));
  // Kernels that are kept have pointers for buffers, and so have all others.
  SmallVector<Type> passed = interface.argumentTypes();
  if (callsKept && llvm::any_of(passed, needsDescriptor)) {
    loop->getParentOfType<func::FuncOp>()->removeAttr(operationAttrName);
    return;
  }
  std::optional<KernelSplit> parts = split(loop, passed);
  Location loc = loop.getLoc();
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(loop);
  bool isOfOperation = isOperation(loop->getParentOfType<func::FuncOp>());
  func::FuncOp kernel = outline(loop, interface, parts);
  if (func::FuncOp equal = findEqual(kernel, isOfOperation)) {
    kernel.erase();
    kernel = equal;
    ++numShared;
  } else {
    // Another function may have that name.
    symbols.insert(kernel);
    ++nextNumber;
    ++numOutlined;
  }
  SmallVector<Value> operands = rangeOf(parts, loc, builder);
  ArrayRef<Type> types = argumentTypes.find(kernel)->second;
  for (Value capture : interface.captures)
    operands.push_back(argumentFor(capture, types[operands.size()]));
  for (DenseElementsAttr array : interface.arrays)
    operands.push_back(
        argumentFor(buffers.get(array, builder), types[operands.size()]));
  auto call = func::CallOp::create(builder, loc, kernel, operands);
  if (parts) {
    call->setAttr(grainAttrName, builder.getI64IntegerAttr(parts->grain));
    ++numSplit;
  }
  for (Operation *definition : llvm::reverse(interface.made))
    if (isOpTriviallyDead(definition))
      definition->erase();
}

/// Whether threads may share some of each round of \p loop, but not the loop:
/// rounds of a recurrent network depend on each other.
bool OutlineKernelsPass::hasSharedRounds(LoopLikeOpInterface loop) {
  auto isShared = [&](LoopLikeOpInterface part) {
    SmallVector<Type> arguments =
        interfaceOf(part, /*isStraight=*/false).argumentTypes();
    return split(part, arguments).has_value();
  };
  return isa<scf::ForOp>(loop) && !isShared(loop) &&
         llvm::any_of(loop.getLoopRegions().front()->getOps<scf::ForallOp>(),
                      isShared);
}

/// Appends to \p loops those of \p block that become kernels, and those that
/// what else it computes is moved into.
void OutlineKernelsPass::findLoops(
    Block &block, SmallVectorImpl<LoopLikeOpInterface> &loops) {
  for (scf::ForOp loop : moveIntoLoops(block))
    straight.insert(loop);
  for (Operation &op : block) {
    if (!isa<scf::ForOp, scf::ForallOp>(op) || op.getNumResults() != 0 ||
        asksRuntime(&op))
      continue;
    auto loop = cast<LoopLikeOpInterface>(op);
    if (hasSharedRounds(loop))
      findLoops(loop.getLoopRegions().front()->front(), loops);
    else
      loops.push_back(loop);
  }
}

/// Whether buffers of type \p type are contiguous, of known extents.
static bool isWhole(MemRefType type) {
  return type.hasStaticShape() && type.getLayout().isIdentity();
}

/// \p buffer as one of one dimension, made once for all calls.
Value OutlineKernelsPass::flatten(Value buffer) {
  Value &flat = flattened[buffer];
  if (flat)
    return flat;
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(buffer);
  flat = flattenBuffer(builder, buffer.getLoc(), buffer);
  return flat;
}

/// Replaces \p call by the operations of \p operation, which belong to what was
/// called, not to the first operation that the function is of.
void OutlineKernelsPass::inlineCall(func::CallOp call, func::FuncOp operation) {
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(operation.getArguments(), call.getOperands());
  for (Operation &op : operation.getBody().front().without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      Value &known = constants[constant.getValue()];
      if (!known) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(&entry.getBody().front());
        known = builder.clone(op)->getResult(0);
      }
      mapping.map(constant.getResult(), known);
      continue;
    }
    if (auto flat = dyn_cast<memref::CollapseShapeOp>(op);
        flat && isWhole(flat.getSrcType()) && isWhole(flat.getResultType()) &&
        flat.getResultType().getRank() == 1) {
      mapping.map(flat.getResult(), flatten(mapping.lookup(flat.getSrc())));
      continue;
    }
    Operation *copy = builder.clone(op, mapping);
    copy->walk([&](Operation *inner) { inner->setLoc(call.getLoc()); });
  }
  call.erase();
}

/// Inlines the operations that the entry function calls, and no one else does.
void OutlineKernelsPass::inlineOperations(SymbolTable &symbols) {
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls;
  llvm::DenseSet<func::FuncOp> others;
  // Operations of other dialects may refer to any function.
  bool areAllKnown = true;
  Block &body = entry.getBody().front();
  getOperation().walk([&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    if (!call) {
      areAllKnown &=
          !isa<SymbolUserOpInterface>(op) || isa<memref::GetGlobalOp>(op);
      return;
    }
    auto operation = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!operation || !isOperation(operation))
      return;
    if (op->getBlock() == &body)
      calls[operation].push_back(call);
    else
      others.insert(operation);
  });
  for (auto &[operation, callers] : calls) {
    for (func::CallOp call : callers)
      inlineCall(call, operation);
    if (areAllKnown && !others.contains(operation))
      symbols.erase(operation);
  }
}

/// Leaves copies of the operations that have digests, by which records of them
/// are found.
void OutlineKernelsPass::keep(SymbolTable &symbols) {
  SmallVector<func::FuncOp> kept;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (isOperation(function) && function->hasAttr(operationAttrName))
      kept.push_back(function);
  if (!kept.empty())
    addKeptOperations(kept, getOperation(), symbols);
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
  argumentTypes.clear();
  constants.clear();
  flattened.clear();
  rebased.clear();
  straight.clear();
  nextNumber = 0;
  callsKept = llvm::any_of(
      getOperation().getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isExternal() && function->hasAttr(kernelAttrName);
      });
  SymbolTable symbols(getOperation());
  NumberBuffers buffers(entry, symbols);
  SmallVector<LoopLikeOpInterface> loops;
  findLoops(entry.getBody().front(), loops);
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (isOperation(function))
      findLoops(function.getBody().front(), loops);
  for (LoopLikeOpInterface loop : loops)
    runStep(loop, [&] { replaceByCall(loop, buffers, symbols); });
  restoreExtents();
  if (keepOperations)
    keep(symbols);
  inlineOperations(symbols);
  makeAllSequential(getOperation());
}

} // namespace nnhal
