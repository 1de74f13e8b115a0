//===- EmitEntry.cpp - Entry of ABI v1 ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two things are made of the entry function. nnhal_entry, which is what an
// artifact exports, takes the execution context: it loads the pointers of
// inputs, outputs, constants and arena, reports the shape of each output, and
// calls the function only if the memory of all outputs suffices. Static extents
// are constants; those of dynamic inputs are loaded, too.
//
// The entry function itself is made to answer while it runs. Pieces of work are
// the calls, of kernels and of routines, and loops directly in its body. The
// trace hook is called before and after each, with the number of the operation
// that its location names, if the context has one. The block is split between
// pieces, and the cancel flag is looked at in each gap: a set flag goes to a
// block that returns. Within a piece, nests of three and more loops look at the
// flag in each round of the outermost one, whose body is in a branch from then
// on: rounds after that have nothing to do. Kernels with such nests get the
// flag as another argument, provided that nothing else calls them.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "CallConvention.h"
#include "ContextAccess.h"
#include "OperationLocation.h"
#include "Preconditions.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"
#include "nnhal/Runtime/Status.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace nnhal {
#define GEN_PASS_DEF_EMITENTRY
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {

struct EmitEntryPass : impl::EmitEntryBase<EmitEntryPass> {
  void runOnOperation() override;
};

} // namespace

static int64_t byteSizeOf(MemRefType type) {
  return type.getNumElements() * elementBytes(type);
}

/// Reports output \p index, of a static \p type; whether its memory suffices.
static Value reportOutput(ContextAccess &access, Value outputs, size_t index,
                          MemRefType type) {
  SmallVector<Value> extents;
  for (int64_t extent : type.getShape())
    extents.push_back(access.integer(extent, /*width=*/64));
  Value argument = access.advance(outputs, index * sizeof(NNHalTensorArgument));
  return access.reportOutput(argument, extents,
                             access.integer(byteSizeOf(type), /*width=*/64));
}

/// How many loops stand inside one another in \p loop, itself included.
static unsigned depthOf(scf::ForOp loop) {
  unsigned deepest = 0;
  for (Operation &op : *loop.getBody())
    if (auto inner = dyn_cast<scf::ForOp>(op))
      deepest = std::max(deepest, depthOf(inner));
  return deepest + 1;
}

/// The buffer of one input.
static Value readInput(OpBuilder &builder, Location loc, ContextAccess &access,
                       Value inputs, size_t base, MemRefType type) {
  Value data =
      access.loadPointer(inputs, base + offsetof(NNHalTensorArgument, data));
  SmallVector<Value> extents;
  Value shape;
  for (auto [index, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(access.integer(extent, /*width=*/64));
      continue;
    }
    if (!shape)
      shape = access.loadPointer(inputs,
                                 base + offsetof(NNHalTensorArgument, shape));
    extents.push_back(access.loadInteger(shape, index * sizeof(int64_t),
                                         builder.getI64Type()));
  }
  return access.toMemRef(data, type, extents);
}

namespace {
/// Makes the entry function answer to the runtime while it runs: it returns a
/// status, stops when the cancel flag is set, and tells the trace hook, if
/// there is one, when each piece of work begins and ends. Work is what takes
/// time: calls of kernels and of routines, and loops. The flag is looked at
/// after each piece, and by nests of three and more loops in each round of the
/// outermost one, which then has nothing left to do: a look costs nothing
/// beside two inner loops.
class WorkSupervision {
public:
  explicit WorkSupervision(func::FuncOp entry)
      : entry(entry), body(entry.getBody().front()), loc(entry.getLoc()),
        builder(entry.getContext()) {}

  /// Adds the arguments: cancel flag, trace hook, trace context, execution
  /// context. Returns the number of pieces of work.
  size_t run() {
    auto pointer = LLVM::LLVMPointerType::get(entry.getContext());
    flag = body.addArgument(pointer, loc);
    hook = body.addArgument(pointer, loc);
    hookContext = body.addArgument(pointer, loc);
    body.addArgument(pointer, loc);
    entry.setFunctionType(
        builder.getFunctionType(body.getArgumentTypes(), builder.getI32Type()));
    Operation *end = body.getTerminator();
    builder.setInsertionPoint(end);
    returnStatus(rt::StatusCode::none);
    end->erase();

    SmallVector<Operation *> work;
    for (Operation &op : body)
      if (isa<func::CallOp, scf::ForOp, runtime::CallRoutineOp>(op))
        work.push_back(&op);
    if (work.empty())
      return 0;
    builder.setInsertionPointToStart(&body);
    Value null = LLVM::ZeroOp::create(builder, loc, pointer);
    isTraced =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, hook, null);
    for (Operation *&op : work)
      op = trace(skipWhenCancelled(op));
    pollAfter(work);
    return work.size();
  }

private:
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, /*width=*/32);
  }

  void returnStatus(rt::StatusCode code) {
    func::ReturnOp::create(builder, loc, integer(int64_t(code)));
  }

  Operation *callHook(uint32_t operation, bool isEnd) {
    auto branch = scf::IfOp::create(builder, loc, isTraced,
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(entry.getContext()),
        {hookContext.getType(), builder.getI32Type(), builder.getI32Type()});
    LLVM::CallOp::create(
        builder, loc, type,
        ValueRange{hook, hookContext, integer(operation), integer(isEnd)});
    return branch;
  }

  /// Returns where what belongs to \p op begins from now on.
  Operation *trace(Operation *op) {
    std::optional<uint32_t> operation = operationIndexOf(op);
    if (!operation)
      return op;
    builder.setInsertionPointAfter(op);
    callHook(*operation, /*isEnd=*/true);
    builder.setInsertionPoint(op);
    return callHook(*operation, /*isEnd=*/false);
  }

  Value compareFlag(arith::CmpIPredicate predicate, Value pointer) {
    Value value = LLVM::LoadOp::create(builder, loc, builder.getI32Type(),
                                       pointer, /*alignment=*/4,
                                       /*isVolatile=*/true);
    return arith::CmpIOp::create(builder, loc, predicate, value, integer(0));
  }

  /// Gives the outermost rounds of \p loop nothing to do once the flag behind
  /// \p pointer is set. True when it did.
  bool guard(scf::ForOp loop, Value pointer) {
    if (loop.getNumResults() > 0 || depthOf(loop) < 3)
      return false;
    Block *body = loop.getBody();
    Operation *first = &body->front();
    builder.setInsertionPointToStart(body);
    Value isWanted = compareFlag(arith::CmpIPredicate::eq, pointer);
    auto branch = scf::IfOp::create(builder, loc, isWanted,
                                    /*withElseRegion=*/false);
    Block *then = branch.thenBlock();
    then->getOperations().splice(then->begin(), body->getOperations(),
                                 first->getIterator(),
                                 body->getTerminator()->getIterator());
    return true;
  }

  /// Guards the loops of \p op; a kernel with such loops is passed the flag.
  /// Returns what stands for \p op from now on.
  Operation *skipWhenCancelled(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      guard(loop, flag);
      return op;
    }
    if (isa<runtime::CallRoutineOp>(op))
      return op;
    auto call = cast<func::CallOp>(op);
    auto kernel = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        entry, call.getCalleeAttr());
    if (!kernel || kernel.getNumResults() != 0 || !isCalledAsWorkOnly(kernel) ||
        !takesFlag(kernel))
      return op;
    builder.setInsertionPoint(call);
    SmallVector<Value> operands(call.getOperands());
    operands.push_back(flag);
    auto extended =
        func::CallOp::create(builder, call.getLoc(), kernel, operands);
    extended->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    call.erase();
    return extended;
  }

  /// Whether nothing but pieces of work call \p kernel. Every call of one that
  /// takes the flag must pass it.
  bool isCalledAsWorkOnly(func::FuncOp kernel) {
    if (!callsElsewhere) {
      callsElsewhere.emplace();
      Operation *module = entry->getParentOp();
      module->walk<WalkOrder::PreOrder>([&](Operation *op) {
        // A module inside calls functions of its own.
        if (op != module && op->hasTrait<OpTrait::SymbolTable>())
          return WalkResult::skip();
        if (auto call = dyn_cast<func::CallOp>(op);
            call && call->getBlock() != &body)
          callsElsewhere->insert(call.getCallee());
        else if (auto constant = dyn_cast<func::ConstantOp>(op))
          callsElsewhere->insert(constant.getValue());
        return WalkResult::advance();
      });
    }
    return !callsElsewhere->contains(kernel.getName());
  }

  /// Whether \p kernel has the flag as its last argument, which it gets when it
  /// has a use for it. What is only declared says whether its code has one.
  bool takesFlag(func::FuncOp kernel) {
    auto [known, isNew] = kernels.try_emplace(kernel, false);
    if (!isNew)
      return known->second;
    if (kernel.isExternal()) {
      known->second = kernel->hasAttr(pollsFlagAttrName);
      if (known->second) {
        SmallVector<Type> types(kernel.getArgumentTypes());
        types.push_back(flag.getType());
        kernel.setFunctionType(builder.getFunctionType(types, {}));
      }
      return known->second;
    }
    Block &block = kernel.getBody().front();
    Value pointer = block.addArgument(flag.getType(), loc);
    for (auto loop : llvm::make_early_inc_range(block.getOps<scf::ForOp>()))
      known->second |= guard(loop, pointer);
    if (!known->second)
      block.eraseArgument(block.getNumArguments() - 1);
    kernel.setFunctionType(
        builder.getFunctionType(block.getArgumentTypes(), {}));
    return known->second;
  }

  /// Each of \p work is where a piece begins; the runtime has looked at the
  /// flag before the first.
  void pollAfter(ArrayRef<Operation *> work) {
    Operation *end = body.getTerminator();
    Block *cancelled = builder.createBlock(&entry.getBody());
    returnStatus(rt::StatusCode::missedDeadlineTransient);
    SmallVector<Operation *> next(work.drop_front());
    next.push_back(end->getPrevNode()); // The status that it returns.
    for (Operation *op : next) {
      Block *before = op->getBlock();
      Block *after = before->splitBlock(op);
      builder.setInsertionPointToEnd(before);
      Value isCancelled = compareFlag(arith::CmpIPredicate::ne, flag);
      cf::CondBranchOp::create(builder, loc, isCancelled, cancelled, after);
    }
  }

  func::FuncOp entry;
  Block &body;
  Location loc;
  OpBuilder builder;
  Value flag;
  Value hook;
  Value hookContext;
  Value isTraced;
  /// Names of functions that are called other than as a piece of work.
  std::optional<llvm::StringSet<>> callsElsewhere;
  /// Kernels that were looked at, and whether they take the flag.
  llvm::DenseMap<func::FuncOp, bool> kernels;
};
} // namespace

/// What the entry function is called with: its \p buffers, which are inputs up
/// to \p firstOutput, outputs up to \p firstExtra, then constants and arena;
/// and what supervises it.
static SmallVector<Value> entryArguments(ContextAccess &access,
                                         OpBuilder &builder, Location loc,
                                         ArrayRef<Type> buffers,
                                         unsigned firstOutput,
                                         unsigned firstExtra) {
  Value inputs = access.loadPointer(offsetof(NNHalExecutionContext, inputs));
  Value outputs = access.loadPointer(offsetof(NNHalExecutionContext, outputs));
  SmallVector<Value> arguments;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    auto type = cast<MemRefType>(buffer);
    if (index < firstOutput) {
      arguments.push_back(readInput(builder, loc, access, inputs,
                                    index * sizeof(NNHalTensorArgument), type));
      continue;
    }
    Value pointer;
    if (index < firstExtra)
      pointer = access.loadPointer(outputs, (index - firstOutput) *
                                                sizeof(NNHalTensorArgument));
    else
      pointer = access.loadPointer(
          index == firstExtra ? offsetof(NNHalExecutionContext, constants)
                              : offsetof(NNHalExecutionContext, arena));
    arguments.push_back(access.toMemRef(pointer, type));
  }
  for (size_t field : {offsetof(NNHalExecutionContext, cancelFlag),
                       offsetof(NNHalExecutionContext, traceHook),
                       offsetof(NNHalExecutionContext, traceContext)})
    arguments.push_back(access.loadPointer(field));
  arguments.push_back(access.getContext());
  return arguments;
}

namespace {
/// How many of the arguments of the entry function are what.
struct Counts {
  unsigned inputs = 0, outputs = 0;
};
} // namespace

/// Fails unless \p entry has its inputs, its outputs and two extra arguments,
/// and computes in structured control flow.
static FailureOr<Counts> checkEntry(ModuleOp module, func::FuncOp entry) {
  constexpr int64_t most = 1 << 20;
  FailureOr<int64_t> inputs = readCount(entry, inputCountAttrName, 0, most);
  FailureOr<int64_t> outputs = readCount(entry, outputCountAttrName, 0, most);
  if (failed(inputs) || failed(outputs))
    return failure();
  if (entry.getNumArguments() != *inputs + *outputs + 2)
    return entry.emitError("entry function has ")
           << entry.getNumArguments()
           << " arguments instead of its inputs, its outputs, the constants "
              "and the arena";
  if (failed(checkBufferArguments(entry)) || failed(checkOneBlock(entry)))
    return failure();
  for (auto [index, type] :
       llvm::enumerate(entry.getArgumentTypes().drop_front(*inputs)))
    if (auto buffer = cast<MemRefType>(type);
        !buffer.hasStaticShape() || failed(checkedByteSize(buffer)))
      return entry.emitError("argument ")
             << index + *inputs << " of the entry function is of type " << type
             << ", expected a static shape of at most " << rt::maxDataCacheSize
             << " bytes";
  if (entry.getNumResults() != 0 ||
      !isa<func::ReturnOp>(entry.getBody().front().getTerminator()))
    return entry.emitError("the entry function has results, expected none: "
                           "outputs are arguments");
  if (Operation *other = module.lookupSymbol(entrySymbolName)) {
    InFlightDiagnostic error = module.emitError("the module has a symbol '")
                               << entrySymbolName
                               << "', which is the name of the entry";
    error.attachNote(other->getLoc()) << "the symbol is here";
    return error;
  }
  return Counts{unsigned(*inputs), unsigned(*outputs)};
}

/// Fails where the code of a declared kernel takes the flag that cancels
/// executions, and something else than \p entry calls it, which has no flag.
static LogicalResult checkFlagCalls(ModuleOp module, func::FuncOp entry) {
  llvm::StringSet<> kernels;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel.isExternal() && kernel->hasAttr(pollsFlagAttrName))
      kernels.insert(kernel.getName());
  if (kernels.empty())
    return success();
  Block &body = entry.getBody().front();
  WalkResult result = module.walk([&](func::CallOp call) {
    bool isElsewhere = call->getParentOfType<ModuleOp>() == module &&
                       call->getBlock() != &body;
    if (!isElsewhere || !kernels.contains(call.getCallee()))
      return WalkResult::advance();
    call.emitOpError("calls '")
        << call.getCallee()
        << "', whose code takes the flag that cancels executions, elsewhere "
           "than in the body of the entry function";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void EmitEntryPass::runOnOperation() {
  ModuleOp module = getOperation();
  FailureOr<func::FuncOp> found = findEntryFunction(module);
  if (failed(found))
    return signalPassFailure();
  func::FuncOp entry = *found;
  if (!entry)
    return;
  FailureOr<Counts> counts = checkEntry(module, entry);
  if (failed(counts) || failed(checkFlagCalls(module, entry)))
    return signalPassFailure();
  MLIRContext *context = &getContext();
  Builder attributes(context);
  module->setAttr(arenaSizeAttrName,
                  attributes.getI64IntegerAttr(byteSizeOf(
                      cast<MemRefType>(entry.getArgumentTypes().back()))));
  if (Attribute bound = entry->getAttr(arenaLowerBoundAttrName))
    module->setAttr(arenaLowerBoundAttrName, bound);
  entry->setAttr(
      linkageAttrName,
      LLVM::LinkageAttr::get(context, LLVM::linkage::Linkage::Internal));

  Location loc = entry.getLoc();
  SmallVector<Type> buffers(entry.getArgumentTypes());
  numPieces += WorkSupervision(entry).run();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(module.getBody());
  auto i32 = builder.getI32Type();
  auto function = func::FuncOp::create(
      builder, loc, entrySymbolName,
      builder.getFunctionType({LLVM::LLVMPointerType::get(context)}, {i32}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  ContextAccess access(builder, loc, function.getArgument(0));

  Value outputs = access.loadPointer(offsetof(NNHalExecutionContext, outputs));
  Value allSuffice = arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1);
  unsigned firstOutput = counts->inputs;
  unsigned firstExtra = firstOutput + counts->outputs;
  for (unsigned i = firstOutput; i < firstExtra; ++i) {
    Value suffices =
        reportOutput(access, outputs, i - firstOutput,
                     cast<MemRefType>(entry.getArgumentTypes()[i]));
    allSuffice = arith::AndIOp::create(builder, loc, allSuffice, suffices);
  }

  auto branch = scf::IfOp::create(builder, loc, TypeRange(i32), allSuffice,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  auto call = func::CallOp::create(
      builder, loc, entry,
      entryArguments(access, builder, loc, buffers, firstOutput, firstExtra));
  scf::YieldOp::create(builder, loc, call.getResults());
  builder.setInsertionPointToStart(branch.elseBlock());
  Value insufficient = arith::ConstantIntOp::create(
      builder, loc, int64_t(rt::StatusCode::outputInsufficientSize),
      /*width=*/32);
  scf::YieldOp::create(builder, loc, insufficient);
  builder.setInsertionPointAfter(branch);
  func::ReturnOp::create(builder, loc, branch.getResults());
}

} // namespace nnhal
