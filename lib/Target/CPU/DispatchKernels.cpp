//===- DispatchKernels.cpp - Kernels shared by threads --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/CPU/Passes.h"

#include "nnhal/Codegen/EntryFunction.h"

#include "Codegen/CallConvention.h"
#include "Codegen/ContextAccess.h"
#include "Codegen/Preconditions.h"
#include "KernelSplit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstddef>

namespace nnhal {
#define GEN_PASS_DEF_DISPATCHKERNELS
#include "nnhal/Target/CPU/Passes.h.inc"

using namespace mlir;

namespace {

struct DispatchKernelsPass : impl::DispatchKernelsBase<DispatchKernelsPass> {
  void runOnOperation() override;
};

/// Where the arguments of a kernel are while its pieces run: in a structure on
/// the stack of the thread that waits for them.
struct ArgumentFrame {
  /// Offsets of the arguments behind the range.
  SmallVector<int64_t> offsets;
  int64_t size = 0;

  explicit ArgumentFrame(func::FuncOp kernel) {
    for (Type type : kernel.getArgumentTypes().drop_front(2)) {
      offsets.push_back(size);
      auto vector = dyn_cast<VectorType>(type);
      int64_t bits =
          vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
                 : fieldBytes * 8;
      size += llvm::alignTo(llvm::divideCeil(bits, 8), fieldBytes);
    }
  }

  static constexpr int64_t fieldBytes = 8;
};

/// Replaces the calls of one entry function.
class Dispatcher {
public:
  Dispatcher(func::FuncOp entry, SymbolTable &symbols)
      : entry(entry), symbols(symbols), builder(entry.getContext()),
        loc(entry.getLoc()) {}

  void run(ArrayRef<func::CallOp> calls);

private:
  void prepareEntry();
  void dispatch(func::CallOp call);
  func::FuncOp pieceOf(func::FuncOp kernel);
  Value codeOf(func::FuncOp function);
  Value addressOf(Value buffer);
  Value toField(Value value);
  Value fromField(ContextAccess &access, Value field, int64_t offset,
                  Type type);
  func::FuncOp kernelOf(func::CallOp call) {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }

  func::FuncOp entry;
  SymbolTable &symbols;
  OpBuilder builder;
  Location loc;
  int64_t frameSize = 0;
  /// The frame of the whole entry, which runs one loop at a time.
  Value frame;
  Value parallelFor;
  Value parallelForContext;
  Value isParallel;
  DenseMap<func::FuncOp, func::FuncOp> pieces;
  /// Addresses of buffers of the entry.
  DenseMap<Value, Value> bases;
};

} // namespace

void Dispatcher::run(ArrayRef<func::CallOp> calls) {
  for (func::CallOp call : calls)
    frameSize = std::max(frameSize, ArgumentFrame(kernelOf(call)).size);
  prepareEntry();
  for (func::CallOp call : calls)
    dispatch(call);
  for (Block &block : llvm::reverse(entry.getBody()))
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

void Dispatcher::prepareEntry() {
  builder.setInsertionPointToStart(&entry.getBody().front());
  ContextAccess access(builder, loc, entry.getArguments().back());
  Value size = access.integer(std::max<int64_t>(frameSize, 1), /*width=*/64);
  frame = LLVM::AllocaOp::create(builder, loc, access.pointerType(),
                                 builder.getI8Type(), size,
                                 ArgumentFrame::fieldBytes);
  parallelFor =
      access.loadPointer(offsetof(NNHalExecutionContext, parallelFor));
  parallelForContext =
      access.loadPointer(offsetof(NNHalExecutionContext, parallelForContext));
  Value null = LLVM::ZeroOp::create(builder, loc, access.pointerType());
  isParallel = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne,
                                    parallelFor, null);
}

/// The aligned address of \p buffer as an integer of 64 bits.
/// Views at constant positions are added up: as buffers they would become
/// structures of five and more fields, which are most of the entry of a large
/// network.
Value Dispatcher::addressOf(Value buffer) {
  int64_t position = 0;
  while (auto view = buffer.getDefiningOp<memref::ViewOp>()) {
    std::optional<int64_t> shift = getConstantIntValue(view.getByteShift());
    if (!shift)
      break;
    position += *shift;
    buffer = view.getSource();
  }
  Value &base = bases[buffer];
  if (!base) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(buffer);
    Value pointer =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    base =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), pointer);
  }
  if (position == 0)
    return base;
  return arith::AddIOp::create(
      builder, loc, base,
      arith::ConstantIntOp::create(builder, loc, position, /*width=*/64));
}

/// What is stored for \p value: an integer of 64 bits for a buffer or an index.
Value Dispatcher::toField(Value value) {
  if (isa<MemRefType>(value.getType()))
    return addressOf(value);
  if (!value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
}

Value Dispatcher::fromField(ContextAccess &access, Value base, int64_t offset,
                            Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  Type stored = type;
  if (buffer)
    stored = access.pointerType();
  else if (type.isIndex())
    stored = builder.getI64Type();
  Value field = LLVM::LoadOp::create(builder, loc, stored,
                                     access.advance(base, size_t(offset)),
                                     /*alignment=*/ArgumentFrame::fieldBytes);
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, field);
  if (!buffer)
    return field;
  if (buffer.getLayout().isIdentity())
    return access.toMemRef(field, buffer);
  auto [strides, start] = buffer.getStridesAndOffset();
  Value flat =
      access.toMemRef(field, MemRefType::get({1}, buffer.getElementType(),
                                             MemRefLayoutAttrInterface(),
                                             buffer.getMemorySpace()));
  return memref::ReinterpretCastOp::create(builder, loc, buffer, flat, start,
                                           buffer.getShape(), strides);
}

/// An NNHalParallelBody that runs \p kernel on a range.
func::FuncOp Dispatcher::pieceOf(func::FuncOp kernel) {
  func::FuncOp &piece = pieces[kernel];
  if (piece)
    return piece;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(kernel);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto i64 = builder.getI64Type();
  piece =
      func::FuncOp::create(builder, loc, (kernel.getName() + pieceSuffix).str(),
                           builder.getFunctionType({pointer, i64, i64}, {}));
  piece.setPrivate();
  // Another symbol may have that name.
  symbols.insert(piece, Block::iterator(piece));
  // The code of a kernel that is kept has this function, too.
  if (kernel.isExternal())
    return piece;
  piece->setAttr(linkageAttrName,
                 LLVM::LinkageAttr::get(builder.getContext(),
                                        LLVM::linkage::Linkage::Internal));
  builder.setInsertionPointToStart(piece.addEntryBlock());
  ContextAccess access(builder, loc, piece.getArgument(0));
  SmallVector<Value> arguments;
  for (Value bound : piece.getArguments().drop_front())
    arguments.push_back(arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), bound));
  ArgumentFrame layout(kernel);
  for (auto [type, offset] :
       llvm::zip_equal(kernel.getArgumentTypes().drop_front(2), layout.offsets))
    arguments.push_back(fromField(access, piece.getArgument(0), offset, type));
  func::CallOp::create(builder, loc, kernel, arguments);
  func::ReturnOp::create(builder, loc);
  return piece;
}

Value Dispatcher::codeOf(func::FuncOp function) {
  Value constant = func::ConstantOp::create(
      builder, loc, function.getFunctionType(),
      SymbolRefAttr::get(builder.getContext(), function.getName()));
  return UnrealizedConversionCastOp::create(
             builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
             constant)
      .getResult(0);
}

void Dispatcher::dispatch(func::CallOp call) {
  func::FuncOp kernel = kernelOf(call);
  auto grain = call->getAttrOfType<IntegerAttr>(grainAttrName);
  call->removeAttr(grainAttrName);
  loc = call.getLoc();
  builder.setInsertionPoint(call);
  ContextAccess access(builder, loc, entry.getArguments().back());
  ArgumentFrame layout(kernel);
  for (auto [value, offset] :
       llvm::zip_equal(call.getOperands().drop_front(2), layout.offsets))
    LLVM::StoreOp::create(builder, loc, toField(value),
                          access.advance(frame, size_t(offset)),
                          /*alignment=*/ArgumentFrame::fieldBytes);
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()),
      {access.pointerType(), access.pointerType(), access.pointerType(),
       builder.getI64Type(), builder.getI64Type()});
  func::FuncOp piece = pieceOf(kernel);
  Value count = toField(call.getOperand(1));
  auto branch = scf::IfOp::create(builder, loc, isParallel,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.elseBlock());
  func::CallOp::create(builder, loc, piece,
                       {frame, access.integer(0, /*width=*/64), count});
  builder.setInsertionPointToStart(branch.thenBlock());
  Value body = codeOf(piece);
  LLVM::CallOp::create(
      builder, loc, type,
      ValueRange{parallelFor, parallelForContext, body, frame, count,
                 access.integer(grain.getInt(), /*width=*/64)});
  call.erase();
}

/// Whether \p kernel is a declaration of what has been compiled before, with a
/// function that runs pieces of it, whose name nothing else has.
static bool isKept(func::FuncOp kernel, const SymbolTable &symbols) {
  return kernel.isExternal() && kernel->hasAttr(isSplitAttrName) &&
         !symbols.lookup((kernel.getName() + pieceSuffix).str());
}

/// Fails unless pieces of what \p call calls can run on a range each.
static LogicalResult checkCall(func::CallOp call, const SymbolTable &symbols) {
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  bool isCode = kernel && (!kernel.isExternal() || isKept(kernel, symbols));
  if (!isCode || kernel.getNumResults() != 0) {
    InFlightDiagnostic error =
        call.emitOpError("cannot be split: '")
        << call.getCallee()
        << "' must be a function without results, with a body or with pieces "
           "that are compiled";
    if (kernel)
      error.attachNote(kernel.getLoc()) << "the function is here";
    return error;
  }
  TypeRange types = call.getOperandTypes();
  if (types.size() < 2 || !types[0].isIndex() || !types[1].isIndex())
    return call.emitOpError("cannot be split: '")
           << call.getCallee()
           << "' must begin with two arguments of type index, the range";
  for (Type type : types.drop_front(2))
    if (!isPassedToPieces(type))
      return call.emitOpError("cannot be split: threads cannot be passed an "
                              "argument of type ")
             << type;
  return success();
}

void DispatchKernelsPass::runOnOperation() {
  FailureOr<func::FuncOp> found = findEntryFunction(getOperation());
  if (failed(found))
    return signalPassFailure();
  func::FuncOp entry = *found;
  if (!entry)
    return;
  SmallVector<func::CallOp> calls;
  entry.walk([&](func::CallOp call) {
    if (call->hasAttr(grainAttrName))
      calls.push_back(call);
  });
  if (calls.empty())
    return;
  SymbolTable symbols(getOperation());
  if (failed(checkHasContext(entry)) ||
      llvm::any_of(calls, [&](func::CallOp call) {
        return failed(checkCall(call, symbols));
      }))
    return signalPassFailure();
  numDispatched += calls.size();
  Dispatcher(entry, symbols).run(calls);
}

} // namespace nnhal
