//===- LowerRuntimeOperations.cpp - What code asks of the runtime ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation of nnrt is rewritten where it stands, in the order of the
// function, into accesses of the execution context, which is the last argument
// of the entry function. The layout of the context is that of EntryAbi.h;
// nothing but its fields, and functions whose pointers are in it, is called.
//
// Whatever can fail leaves the function: the block is split, and a block at the
// end of the function stores the reason, the operation and both numbers into
// the context and returns the status. That is why no structured regions may be
// left.
//
// Arrays that functions of the runtime take, such as extents and descriptors of
// tensors, are in slots of the stack that the first block reserves, so that
// loops do not make it grow. Results of routines have extents that the routine
// has written; those that are static in the type are compared with it before
// the memory is used. Memory becomes a memref by a descriptor of known extents
// and contiguous strides.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Codegen/Passes.h"

#include "ContextAccess.h"
#include "OperationLocation.h"
#include "Preconditions.h"

#include "Runtime/Artifact/FailureReasons.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cstddef>
#include <set>

namespace nnhal {
#define GEN_PASS_DEF_LOWERRUNTIMEOPERATIONS
#include "nnhal/Codegen/Passes.h.inc"

using namespace mlir;

namespace {

/// Rewrites one operation after another.
class RuntimeLowering {
public:
  RuntimeLowering(func::FuncOp func, SymbolTable &symbols, OpBuilder &builder)
      : func(func), symbols(symbols), builder(builder), loc(func.getLoc()),
        context(func.getArguments().back()) {}

  void lower(Operation *op);

private:
  ContextAccess access() { return {builder, loc, context}; }
  Value i64(int64_t value) { return access().integer(value, /*width=*/64); }
  Value i32(int64_t value) { return access().integer(value, /*width=*/32); }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      index);
  }

  /// Leaves the function with \p status unless \p condition holds; the builder
  /// then stands where it does. \p onFailure builds what is done before.
  void leaveUnless(Value condition, Value status,
                   llvm::function_ref<void()> onFailure);
  void fail(rt::FailureReason reason, Value found, Value bound);
  void leaveUnless(Value condition, rt::FailureReason reason, Value found,
                   Value bound);

  /// Room on the stack that is taken once, however often loops come by.
  Value stackSlot(Type type, int64_t count);
  Value pointerOf(Value buffer);
  SmallVector<Value> extentsOf(Value buffer);
  Value isNotNull(Value pointer);
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, predicate, lhs, rhs);
  }

  Value lowerAllocate(runtime::AllocateOp op);
  Value lowerIsPresent(runtime::IsPresentOp op);
  Value readClock();
  void lowerCheck(runtime::CheckOp op);
  void lowerDeliver(runtime::DeliverOp op);
  void lowerLoopCheck(runtime::LoopCheckOp op);
  SmallVector<Value> lowerCallRoutine(runtime::CallRoutineOp op);
  Value describe(ValueRange buffers);
  Value constantText(ArrayRef<int8_t> bytes);

  func::FuncOp func;
  SymbolTable &symbols;
  OpBuilder &builder;
  Location loc;
  Value context;
  uint32_t operation = UINT32_MAX;
  unsigned nextSignature = 0;
};

struct LowerRuntimeOperationsPass
    : impl::LowerRuntimeOperationsBase<LowerRuntimeOperationsPass> {
  void runOnOperation() override;

private:
  FailureOr<SmallVector<Operation *>> collect(func::FuncOp entry);
};

} // namespace

//===----------------------------------------------------------------------===//
// Leaving
//===----------------------------------------------------------------------===//

void RuntimeLowering::leaveUnless(Value condition, Value status,
                                  llvm::function_ref<void()> onFailure) {
  Block *before = builder.getInsertionBlock();
  Block *after = before->splitBlock(builder.getInsertionPoint());
  Block *failed =
      builder.createBlock(after->getParent(), after->getParent()->end());
  onFailure();
  func::ReturnOp::create(builder, loc, status);
  builder.setInsertionPointToEnd(before);
  cf::CondBranchOp::create(builder, loc, condition, after, failed);
  builder.setInsertionPointToStart(after);
}

void RuntimeLowering::fail(rt::FailureReason reason, Value found, Value bound) {
  ContextAccess fields = access();
  fields.store(i32(uint32_t(reason)),
               offsetof(NNHalExecutionContext, failureReason));
  fields.store(i32(operation),
               offsetof(NNHalExecutionContext, failedOperation));
  fields.store(found, offsetof(NNHalExecutionContext, failureFound));
  fields.store(bound, offsetof(NNHalExecutionContext, failureBound));
}

void RuntimeLowering::leaveUnless(Value condition, rt::FailureReason reason,
                                  Value found, Value bound) {
  leaveUnless(condition, i32(int32_t(rt::statusCodeOf(reason))),
              [&] { fail(reason, found, bound); });
}

void RuntimeLowering::lowerCheck(runtime::CheckOp op) {
  leaveUnless(op.getCondition(), rt::FailureReason(op.getReason()),
              op.getFound(), op.getBound());
}

Value RuntimeLowering::readClock() {
  Value clock = access().loadPointer(offsetof(NNHalExecutionContext, clock));
  Value clockContext =
      access().loadPointer(offsetof(NNHalExecutionContext, clockContext));
  auto type = LLVM::LLVMFunctionType::get(builder.getI64Type(),
                                          {access().pointerType()});
  return LLVM::CallOp::create(builder, loc, type,
                              ValueRange{clock, clockContext})
      .getResult();
}

void RuntimeLowering::lowerLoopCheck(runtime::LoopCheckOp op) {
  Value limit = access().loadInteger(
      offsetof(NNHalExecutionContext, loopTimeout), builder.getI64Type());
  Value elapsed =
      arith::SubIOp::create(builder, loc, readClock(), op.getBegin());
  // Both are unsigned: a time-out may be anything.
  leaveUnless(compare(arith::CmpIPredicate::ult, elapsed, limit),
              rt::FailureReason::loopTimeout, elapsed, limit);
  Value flag =
      access().loadPointer(offsetof(NNHalExecutionContext, cancelFlag));
  Value isSet = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), flag,
                                     /*alignment=*/4, /*isVolatile=*/true);
  leaveUnless(compare(arith::CmpIPredicate::eq, isSet, i32(0)),
              rt::FailureReason::cancelled, i64(0), i64(0));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value RuntimeLowering::stackSlot(Type type, int64_t count) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  Value size = arith::ConstantIntOp::create(builder, loc, count, /*width=*/64);
  return LLVM::AllocaOp::create(builder, loc, access().pointerType(), type,
                                size);
}

Value RuntimeLowering::pointerOf(Value buffer) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  return LLVM::IntToPtrOp::create(builder, loc, access().pointerType(),
                                  toI64(address));
}

SmallVector<Value> RuntimeLowering::extentsOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getRank(); ++i)
    extents.push_back(type.isDynamicDim(i) ? toI64(memref::DimOp::create(
                                                 builder, loc, buffer, i))
                                           : i64(type.getDimSize(i)));
  return extents;
}

Value RuntimeLowering::isNotNull(Value pointer) {
  Value null = LLVM::ZeroOp::create(builder, loc, access().pointerType());
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, pointer,
                              null);
}

Value RuntimeLowering::lowerIsPresent(runtime::IsPresentOp op) {
  return isNotNull(pointerOf(op.getInput()));
}

Value RuntimeLowering::lowerAllocate(runtime::AllocateOp op) {
  auto type = cast<MemRefType>(op.getMemory().getType());
  int64_t rank = type.getRank();
  SmallVector<Value> extents;
  auto open = op.getExtents().begin();
  Value list = stackSlot(builder.getI64Type(), std::max<int64_t>(rank, 1));
  for (int64_t i = 0; i < rank; ++i) {
    extents.push_back(type.isDynamicDim(i) ? toI64(*open++)
                                           : i64(type.getDimSize(i)));
    access().store(extents.back(), list, i * sizeof(int64_t));
  }
  auto pointer = access().pointerType();
  Value function =
      access().loadPointer(offsetof(NNHalExecutionContext, allocate));
  Value functionContext =
      access().loadPointer(offsetof(NNHalExecutionContext, allocateContext));
  auto functionType = LLVM::LLVMFunctionType::get(
      pointer, {pointer, pointer, builder.getI32Type(), builder.getI64Type()});
  Value memory =
      LLVM::CallOp::create(builder, loc, functionType,
                           ValueRange{function, functionContext, list,
                                      i32(rank), i64(elementBytes(type))})
          .getResult();
  // The runtime has said why.
  leaveUnless(isNotNull(memory),
              i32(int32_t(rt::statusCodeOf(rt::FailureReason::outOfMemory))),
              [&] {
                access().store(i32(operation), offsetof(NNHalExecutionContext,
                                                        failedOperation));
              });
  return access().toMemRef(memory, type, extents);
}

void RuntimeLowering::lowerDeliver(runtime::DeliverOp op) {
  auto type = cast<MemRefType>(op.getValue().getType());
  Value outputs =
      access().loadPointer(offsetof(NNHalExecutionContext, outputs));
  Value argument =
      access().advance(outputs, op.getOutput() * sizeof(NNHalTensorArgument));
  SmallVector<Value> extents = extentsOf(op.getValue());
  Value needed = i64(elementBytes(type));
  for (Value extent : extents)
    needed = arith::MulIOp::create(builder, loc, needed, extent);
  Value suffices = access().reportOutput(argument, extents, needed);
  Value copied =
      arith::SelectOp::create(builder, loc, suffices, needed, i64(0));
  Value data =
      access().loadPointer(argument, offsetof(NNHalTensorArgument, data));
  LLVM::MemcpyOp::create(builder, loc, data, pointerOf(op.getValue()), copied,
                         /*isVolatile=*/false);
}

//===----------------------------------------------------------------------===//
// Routines of the runtime
//===----------------------------------------------------------------------===//

/// An array of NNHalRoutineTensor for \p buffers, extents filled in.
Value RuntimeLowering::describe(ValueRange buffers) {
  constexpr size_t words = sizeof(NNHalRoutineTensor) / sizeof(int64_t);
  Value list = stackSlot(builder.getI64Type(),
                         std::max<int64_t>(words * buffers.size(), 1));
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    size_t base = index * sizeof(NNHalRoutineTensor);
    SmallVector<Value> extents = extentsOf(buffer);
    Value shape =
        stackSlot(builder.getI64Type(), std::max<int64_t>(extents.size(), 1));
    for (auto [i, extent] : llvm::enumerate(extents))
      access().store(extent, shape, i * sizeof(int64_t));
    access().store(pointerOf(buffer), list,
                   base + offsetof(NNHalRoutineTensor, data));
    access().store(shape, list, base + offsetof(NNHalRoutineTensor, extents));
    access().store(i32(extents.size()), list,
                   base + offsetof(NNHalRoutineTensor, rank));
  }
  return list;
}

/// The address of \p bytes among the constants of the code.
Value RuntimeLowering::constantText(ArrayRef<int8_t> bytes) {
  auto module = func->getParentOfType<ModuleOp>();
  OpBuilder moduleBuilder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  StringRef text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  auto global = LLVM::GlobalOp::create(
      moduleBuilder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
      "signature_" + std::to_string(nextSignature++),
      builder.getStringAttr(text));
  // Another symbol may have that name.
  symbols.insert(global);
  return LLVM::AddressOfOp::create(builder, loc, global);
}

SmallVector<Value>
RuntimeLowering::lowerCallRoutine(runtime::CallRoutineOp op) {
  auto pointer = access().pointerType();
  auto i32Type = builder.getI32Type(), i64Type = builder.getI64Type();
  Value inputs = describe(op.getInputs());
  size_t outputCount = op->getNumResults();
  Value outputs = stackSlot(i64Type, sizeof(NNHalRoutineTensor) /
                                         sizeof(int64_t) * outputCount);
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    auto type = cast<MemRefType>(result.getType());
    size_t base = index * sizeof(NNHalRoutineTensor);
    access().store(stackSlot(i64Type, std::max<int64_t>(type.getRank(), 1)),
                   outputs, base + offsetof(NNHalRoutineTensor, extents));
    access().store(i32(type.getRank()), outputs,
                   base + offsetof(NNHalRoutineTensor, rank));
  }
  Value text = constantText(op.getSignature());
  Value table = access().loadPointer(offsetof(NNHalExecutionContext, routines));
  Value list =
      access().loadPointer(table, offsetof(NNHalRoutineTable, routines));
  Value kernel = access().loadPointer(list, op.getSlot() * sizeof(void *));
  auto type = LLVM::LLVMFunctionType::get(
      i32Type, {pointer, pointer, i64Type, pointer, i32Type, pointer, i32Type});
  Value status =
      LLVM::CallOp::create(builder, loc, type,
                           ValueRange{kernel, context, text,
                                      i64(op.getSignature().size()), inputs,
                                      i32(op.getInputs().size()), outputs,
                                      i32(outputCount)})
          .getResult();
  leaveUnless(compare(arith::CmpIPredicate::eq, status, i32(0)), status, [&] {
    access().store(i32(operation),
                   offsetof(NNHalExecutionContext, failedOperation));
  });
  SmallVector<Value> results;
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    auto bufferType = cast<MemRefType>(result.getType());
    size_t base = index * sizeof(NNHalRoutineTensor);
    Value shape = access().loadPointer(
        outputs, base + offsetof(NNHalRoutineTensor, extents));
    SmallVector<Value> extents;
    for (int64_t i = 0; i < bufferType.getRank(); ++i) {
      Value extent = access().loadInteger(shape, i * sizeof(int64_t), i64Type);
      extents.push_back(extent);
      if (bufferType.isDynamicDim(i))
        continue;
      Value stated = i64(bufferType.getDimSize(i));
      leaveUnless(compare(arith::CmpIPredicate::eq, extent, stated),
                  rt::FailureReason::statedExtentDiffers, extent, stated);
    }
    Value data = access().loadPointer(
        outputs, base + offsetof(NNHalRoutineTensor, data));
    results.push_back(access().toMemRef(data, bufferType, extents));
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

void RuntimeLowering::lower(Operation *op) {
  builder.setInsertionPoint(op);
  loc = op->getLoc();
  operation = operationIndexOf(op).value_or(UINT32_MAX);
  SmallVector<Value> results;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](runtime::AllocateOp allocate) {
        results = {lowerAllocate(allocate)};
      })
      .Case([&](runtime::CallRoutineOp call) {
        results = lowerCallRoutine(call);
      })
      .Case([&](runtime::CheckOp check) { lowerCheck(check); })
      .Case([&](runtime::DeliverOp deliver) { lowerDeliver(deliver); })
      .Case([&](runtime::IsPresentOp isPresent) {
        results = {lowerIsPresent(isPresent)};
      })
      .Case([&](runtime::LoopBeginOp) { results = {readClock()}; })
      .Case([&](runtime::LoopCheckOp check) { lowerLoopCheck(check); });
  op->replaceAllUsesWith(results);
  op->erase();
}

/// Why the runtime cannot be told what an operand or result of \p op of type
/// \p type is; empty when it can. A test for presence looks at the pointer
/// alone.
static StringRef whyNotDescribed(Operation *op, Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  return buffer && !isa<runtime::IsPresentOp>(op) ? whyNotPlain(buffer)
                                                  : StringRef();
}

/// Fails unless \p op, which asks the runtime, can be lowered where it stands.
static LogicalResult checkOperation(Operation *op, func::FuncOp entry) {
  if (!isa<runtime::RuntimeDialect>(op->getDialect()))
    return op->emitOpError("asks nothing of the runtime: it must be lowered "
                           "before");
  if (op->getParentOp() != entry)
    return op->emitOpError("is inside of '")
           << op->getParentOp()->getName()
           << "': control flow must be lowered to blocks before";
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (isa<TensorType>(type))
      return op->emitOpError("has an operand or result of type ")
             << type << ": it must be bufferized before";
    if (StringRef why = whyNotDescribed(op, type); !why.empty())
      return op->emitOpError("has a buffer of type ") << type << ": " << why;
  }
  if (auto allocate = dyn_cast<runtime::AllocateOp>(op)) {
    auto type = dyn_cast<MemRefType>(allocate.getMemory().getType());
    size_t open = type ? size_t(type.getNumDynamicDims()) : 0;
    if (!type || open != allocate.getExtents().size())
      return op->emitOpError("has ")
             << allocate.getExtents().size() << " extents for a result of type "
             << allocate.getMemory().getType();
  }
  if (auto call = dyn_cast<runtime::CallRoutineOp>(op);
      call && (call.getSlot() > INT32_MAX / uint32_t(sizeof(void *))))
    return op->emitOpError("calls routine ")
           << call.getSlot() << ", expected 0 to "
           << INT32_MAX / int32_t(sizeof(void *));
  if (auto deliver = dyn_cast<runtime::DeliverOp>(op);
      deliver &&
      deliver.getOutput() > uint64_t(INT32_MAX / sizeof(NNHalTensorArgument)))
    return op->emitOpError("delivers output ")
           << deliver.getOutput() << ", expected 0 to "
           << INT32_MAX / sizeof(NNHalTensorArgument);
  return success();
}

/// What of \p entry asks the runtime; failure when some of it cannot be
/// lowered.
FailureOr<SmallVector<Operation *>>
LowerRuntimeOperationsPass::collect(func::FuncOp entry) {
  SmallVector<Operation *> ops;
  WalkResult result = entry.walk([&](Operation *op) {
    if (!isa_and_present<kernel::KernelDialect, runtime::RuntimeDialect>(
            op->getDialect()))
      return WalkResult::advance();
    ops.push_back(op);
    return failed(checkOperation(op, entry)) ? WalkResult::interrupt()
                                             : WalkResult::advance();
  });
  if (result.wasInterrupted() ||
      (!ops.empty() && failed(checkHasContext(entry))))
    return failure();
  bool returnsStatus = entry.getResultTypes().size() == 1 &&
                       entry.getResultTypes().front().isInteger(32);
  if (!ops.empty() && !returnsStatus)
    return entry.emitError("the entry function does not return a status of "
                           "i32: nnhal-emit-entry must run before");
  return ops;
}

void LowerRuntimeOperationsPass::runOnOperation() {
  FailureOr<func::FuncOp> entry = findEntryFunction(getOperation());
  if (failed(entry))
    return signalPassFailure();
  func::FuncOp func = *entry;
  if (!func)
    return;
  FailureOr<SmallVector<Operation *>> found = collect(func);
  if (failed(found))
    return signalPassFailure();
  ArrayRef<Operation *> ops = *found;
  std::set<int32_t> slots;
  for (Operation *op : ops)
    if (auto call = dyn_cast<runtime::CallRoutineOp>(op))
      slots.insert(int32_t(call.getSlot()));
  OpBuilder builder(func.getContext());
  getOperation()->setAttr(routineSlotsAttrName,
                          builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                              slots.begin(), slots.end())));
  if (ops.empty())
    return;
  SymbolTable symbols(getOperation());
  RuntimeLowering lowering(func, symbols, builder);
  for (Operation *op : ops)
    lowering.lower(op);
  numLowered += ops.size();
}

} // namespace nnhal
