//===- FormDispatches.cpp - Kernels and a command list --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of the entry function is walked once, in order, and so are those of
// IF and WHILE in it. An operation that touches memory becomes a command in its
// place; views and scalars stay until the end of their body, where nothing uses
// them any more. Stores of scalars, checks and
// loops that follow each other become one kernel of one invocation. So does the
// store of a condition, before IF and WHILE become commands around the lists of
// commands that their bodies become.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Target/GPU/Passes.h"

#include "ElementKernel.h"
#include "HostControl.h"
#include "IndependentRounds.h"
#include "MicroKernels.h"
#include "StatusWords.h"

#include "Codegen/OperationLocation.h"
#include "Codegen/Scans.h"
#include "Runtime/Artifact/GpuProgram.h"
#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/GPU/GPUOps.h"
#include "nnhal/Dialect/Runtime/RuntimeOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nnhal {
#define GEN_PASS_DEF_FORMDISPATCHES
#include "nnhal/Target/GPU/Passes.h.inc"

using namespace mlir;
using nngpu::Kernel;

namespace {

struct FormDispatchesPass : impl::FormDispatchesBase<FormDispatchesPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult formBlock(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult storeCondition(Value condition, Operation *before);
  LogicalResult formBranch(scf::IfOp op);
  LogicalResult formLoop(scf::WhileOp op);
  LogicalResult formElements(linalg::LinalgOp op);
  bool isShared(linalg::LinalgOp op, int64_t elements);
  LogicalResult formMicroKernel(kernel::KernelOpInterface op);
  LogicalResult formRounds(Operation *op, const nngpu::ParallelLoops &loops);
  LogicalResult formCopy(memref::CopyOp op);
  bool formFill(linalg::FillOp op);
  /// Ends the kernel of one invocation that collects operations.
  LogicalResult closeSerial();
  LogicalResult addToSerial(Operation *op);
  bool readsFromSerial(Operation &op);
  void emitCheck(Kernel &kernel, runtime::CheckOp check);
  void dispatch(Kernel &kernel, Operation *before, Location loc);
  gpu::GPUFuncOp share(gpu::GPUFuncOp function);
  void findFirstValues(Block &body);

  gpu::GPUModuleOp kernels;
  nngpu::DeviceClass device;
  MemRefType statusType;
  /// Kernels by their type, among which an equal one is looked for.
  llvm::DenseMap<Type, SmallVector<gpu::GPUFuncOp>> known;
  /// Fills that are the first values of sums, by the operation and the output.
  llvm::DenseMap<std::pair<Operation *, unsigned>, Value> filled;
  SmallVector<Operation *> serial;
  unsigned nextKernel = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

/// The kernel that is equal to \p function, which is erased then, or
/// \p function with a name.
gpu::GPUFuncOp FormDispatchesPass::share(gpu::GPUFuncOp function) {
  SmallVector<gpu::GPUFuncOp> &candidates = known[function.getFunctionType()];
  for (gpu::GPUFuncOp candidate : candidates)
    if (OperationEquivalence::isRegionEquivalentTo(
            &candidate.getBody(), &function.getBody(),
            OperationEquivalence::IgnoreLocations)) {
      function.erase();
      return candidate;
    }
  ++numKernels;
  function.setName("kernel_" + std::to_string(nextKernel++));
  candidates.push_back(function);
  return function;
}

void FormDispatchesPass::dispatch(Kernel &kernel, Operation *before,
                                  Location loc) {
  SmallVector<bool> writes;
  gpu::GPUFuncOp function = kernel.finish(writes);
  OpBuilder builder(before);
  SmallVector<Value> buffers;
  for (Value root : kernel.buffers())
    buffers.push_back(root ? root
                           : nngpu::StatusOp::create(builder, loc, statusType));
  function = share(function);
  auto symbol = SymbolRefAttr::get(
      kernels.getNameAttr(), {FlatSymbolRefAttr::get(function.getNameAttr())});
  nngpu::DispatchOp::create(builder, loc, symbol, kernel.groups(), buffers,
                            writes);
  ++numDispatches;
}

/// Where a fill with a constant is all that has been written to the output of
/// a reduction, notes its value and erases it.
void FormDispatchesPass::findFirstValues(Block &body) {
  for (auto op : body.getOps<linalg::LinalgOp>()) {
    // Rounds of a scan may come back to what others of them have stored.
    if (op.getNumReductionLoops() == 0 || !nngpu::hasElementKernel(op) ||
        isScan(op))
      continue;
    for (auto [index, output] : llvm::enumerate(op.getDpsInitsMutable())) {
      Operation *previous = op->getPrevNode();
      Value root = nngpu::rootOf(output.get());
      auto touches = [&](Operation *other) {
        return llvm::any_of(other->getOperands(), [&](Value operand) {
          return isa<MemRefType>(operand.getType()) &&
                 nngpu::rootOf(operand) == root &&
                 !isa<ViewLikeOpInterface>(other);
        });
      };
      while (previous && previous->getNumRegions() == 0 && !touches(previous))
        previous = previous->getPrevNode();
      auto fill = dyn_cast_or_null<linalg::FillOp>(previous);
      bool readsItself = llvm::any_of(op.getDpsInputs(), [&](Value input) {
        return isa<MemRefType>(input.getType()) && nngpu::rootOf(input) == root;
      });
      if (!fill || fill.getOutputs().front() != output.get() || readsItself ||
          !matchPattern(fill.getInputs().front(), m_Constant()))
        continue;
      filled[{op, unsigned(index)}] = fill.getInputs().front();
      fill.erase();
    }
  }
}

/// Whether a workgroup computes each of the \p elements elements of \p op:
/// where these are few, and long sums.
bool FormDispatchesPass::isShared(linalg::LinalgOp op, int64_t elements) {
  constexpr int64_t mostAlone = 64;
  return device.slices > 1 && nngpu::countReduced(op) > mostAlone &&
         elements * mostAlone < device.invocations && nngpu::canShareSums(op);
}

LogicalResult FormDispatchesPass::formElements(linalg::LinalgOp op) {
  if (!nngpu::hasElementKernel(op))
    return addToSerial(op);
  if (failed(closeSerial()))
    return failure();
  int64_t elements = nngpu::countElements(op);
  if (elements > 0) {
    nngpu::FirstValues firstValues;
    for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i)
      firstValues.push_back(filled.lookup({op, i}));
    if (isShared(op, elements)) {
      Kernel kernel = Kernel::ofGroups(kernels, op.getLoc(), elements,
                                       device.workgroupSize);
      if (failed(
              nngpu::emitShared(kernel, op, firstValues, device.workgroupSize)))
        return failure();
      dispatch(kernel, op, op.getLoc());
    } else {
      Kernel kernel(kernels, op.getLoc(), elements, workgroupSize);
      if (failed(nngpu::emitElement(kernel, op, firstValues)))
        return failure();
      dispatch(kernel, op, op.getLoc());
    }
  }
  op->erase();
  return success();
}

LogicalResult
FormDispatchesPass::formMicroKernel(kernel::KernelOpInterface op) {
  if (failed(closeSerial()))
    return failure();
  FailureOr<Kernel> made =
      llvm::TypeSwitch<Operation *, FailureOr<Kernel>>(op)
          .Case([&](kernel::Conv2DOp conv) {
            return nngpu::emitConvolution(kernels, device, conv);
          })
          .Case([&](kernel::DepthwiseConv2DOp conv) {
            return nngpu::emitDepthwise(kernels, device, conv);
          })
          .Case([&](kernel::Pool2DOp pool) {
            return nngpu::emitPool(kernels, device, pool);
          });
  if (failed(made))
    return failure();
  dispatch(*made, op, op.getLoc());
  op->erase();
  return success();
}

/// Rounds of \p loops, which are those of \p op, are invocations.
LogicalResult
FormDispatchesPass::formRounds(Operation *op,
                               const nngpu::ParallelLoops &loops) {
  bool allocates = false;
  op->walk([&](memref::AllocOp) { allocates = true; });
  if (allocates)
    return addToSerial(op);
  if (failed(closeSerial()))
    return failure();
  if (loops.rounds() > 0) {
    Kernel kernel(kernels, op->getLoc(), loops.rounds(), workgroupSize);
    if (failed(kernel.bringCaptures(op, op)))
      return failure();
    SmallVector<Value> rounds =
        kernel.delinearize(kernel.invocation(), loops.extents);
    OpBuilder &builder = kernel.builder();
    for (auto [variable, round, lower, step] :
         llvm::zip_equal(loops.variables, rounds, loops.lower, loops.steps)) {
      Value scaled = arith::MulIOp::create(builder, op->getLoc(), round,
                                           kernel.constant(step));
      kernel.mapping().map(variable,
                           arith::AddIOp::create(builder, op->getLoc(), scaled,
                                                 kernel.constant(lower)));
    }
    for (Operation &inner : loops.body->without_terminator())
      kernel.clone(&inner);
    dispatch(kernel, op, op->getLoc());
  }
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Whether \p buffer is all of what is allocated for it.
static bool isWhole(Value buffer) {
  Value root = nngpu::rootOf(buffer);
  std::optional<int64_t> size = nngpu::byteSizeOf(buffer.getType());
  return size && *size > 0 && nngpu::isBuffer(root) &&
         size == nngpu::byteSizeOf(root.getType());
}

/// Whether nothing has been written to the memory behind \p buffer when \p user
/// reads it, as bufferization leaves copies of `tensor.empty`.
static bool isUndefined(Value buffer, Operation *user) {
  auto alloc = nngpu::rootOf(buffer).getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != user->getBlock())
    return false;
  for (Operation *op = alloc->getNextNode(); op != user; op = op->getNextNode())
    if (nngpu::mayWrite(op, alloc))
      return false;
  return true;
}

LogicalResult FormDispatchesPass::formCopy(memref::CopyOp op) {
  if (isUndefined(op.getSource(), op)) {
    op.erase();
    return success();
  }
  if (isWhole(op.getSource()) && isWhole(op.getTarget())) {
    if (failed(closeSerial()))
      return failure();
    OpBuilder builder(op);
    nngpu::CopyOp::create(builder, op.getLoc(), nngpu::rootOf(op.getSource()),
                          nngpu::rootOf(op.getTarget()));
    op.erase();
    return success();
  }
  IRRewriter rewriter(op.getContext());
  rewriter.setInsertionPoint(op);
  linalg::GenericOp copy = linalg::makeMemRefCopyOp(
      rewriter, op.getLoc(), op.getSource(), op.getTarget());
  op.erase();
  return formElements(copy);
}

/// True when \p op is a command now.
bool FormDispatchesPass::formFill(linalg::FillOp op) {
  Value target = op.getOutputs().front();
  Attribute value;
  if (!isWhole(target) || *nngpu::byteSizeOf(target.getType()) % 4 != 0 ||
      !matchPattern(op.getInputs().front(), m_Constant(&value)))
    return false;
  APInt bits;
  if (auto real = dyn_cast<FloatAttr>(value))
    bits = real.getValue().bitcastToAPInt();
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    bits = integer.getValue();
  else
    return false;
  if (bits.getBitWidth() > 32)
    return false;
  // An i1 is a byte.
  if (bits.getBitWidth() < 8)
    bits = bits.zext(8);
  APInt word = APInt::getSplat(32, bits);
  OpBuilder builder(op);
  nngpu::FillOp::create(builder, op.getLoc(), nngpu::rootOf(target),
                        int32_t(word.getSExtValue()));
  op.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Kernels of one invocation
//===----------------------------------------------------------------------===//

/// Reports a failed check: the first one says what it found.
void FormDispatchesPass::emitCheck(Kernel &kernel, runtime::CheckOp check) {
  OpBuilder &builder = kernel.builder();
  Location loc = check.getLoc();
  Value status = kernel.status(statusType);
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  auto holds = kernel.mapping().lookup(check.getCondition());
  Value fails = arith::XOrIOp::create(
      builder, loc, holds, arith::ConstantIntOp::create(builder, loc, 1, 1));
  OpBuilder::InsertionGuard guard(builder);
  auto failed = scf::IfOp::create(builder, loc, fails, false);
  builder.setInsertionPointToStart(failed.thenBlock());
  Value before = memref::AtomicRMWOp::create(
      builder, loc, arith::AtomicRMWKind::addi, word(1), status,
      ValueRange{kernel.constant(0)});
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        before, word(0));
  auto first = scf::IfOp::create(builder, loc, isFirst, false);
  builder.setInsertionPointToStart(first.thenBlock());
  auto store = [&](int64_t position, Value value) {
    memref::StoreOp::create(builder, loc, value, status,
                            ValueRange{kernel.constant(position)});
  };
  auto storeLong = [&](int64_t position, Value value) {
    Value half = arith::ConstantIntOp::create(builder, loc, 32, 64);
    Value high = arith::ShRUIOp::create(builder, loc, value, half);
    store(position,
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), value));
    store(position + 1,
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), high));
  };
  store(1, word(int64_t(check.getReason())));
  store(2, word(operationIndexOf(check).value_or(UINT32_MAX)));
  storeLong(4, kernel.mapping().lookup(check.getFound()));
  storeLong(6, kernel.mapping().lookup(check.getBound()));
}

/// Makes memory that \p op allocates inside the program's, and copies inside
/// operations that become loops.
static void prepareSerial(Operation *op) {
  IRRewriter rewriter(op->getContext());
  op->walk([&](Operation *inner) {
    if (inner == op)
      return;
    if (auto alloc = dyn_cast<memref::AllocOp>(inner)) {
      if (alloc.getType().hasStaticShape())
        alloc->moveBefore(op);
    } else if (auto copy = dyn_cast<memref::CopyOp>(inner)) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      copy.erase();
    }
  });
}

LogicalResult FormDispatchesPass::addToSerial(Operation *op) {
  if (!op->use_empty())
    return op->emitOpError(
        "writes to buffers and has results that are used: no "
        "GPU command keeps scalars");
  prepareSerial(op);
  serial.push_back(op);
  return success();
}

LogicalResult FormDispatchesPass::closeSerial() {
  if (serial.empty())
    return success();
  Operation *last = serial.back();
  SmallVector<Location> locations;
  for (Operation *op : serial)
    locations.push_back(op->getLoc());
  Location loc = FusedLoc::get(&getContext(), locations);
  Kernel kernel(kernels, loc, /*invocations=*/1, workgroupSize);
  for (Operation *op : serial) {
    if (failed(kernel.bringCaptures(op, op)))
      return failure();
    if (auto check = dyn_cast<runtime::CheckOp>(op))
      emitCheck(kernel, check);
    else
      kernel.clone(op);
  }
  dispatch(kernel, last, loc);
  ++numSerial;
  for (Operation *op : llvm::reverse(serial))
    op->erase();
  serial.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// IF and WHILE
//===----------------------------------------------------------------------===//

/// Erases views and scalars, which kernels have instead.
static void removeDead(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
        (!isa<nngpu::GPUDialect>(op.getDialect()) || isa<nngpu::StatusOp>(op)))
      op.erase();
}

/// Lets a kernel store \p condition, which the host reads at \p before.
LogicalResult FormDispatchesPass::storeCondition(Value condition,
                                                 Operation *before) {
  OpBuilder builder(before);
  Location loc = before->getLoc();
  Value word =
      arith::ExtUIOp::create(builder, loc, builder.getI32Type(), condition);
  Value status = nngpu::StatusOp::create(builder, loc, statusType);
  Value place =
      arith::ConstantIndexOp::create(builder, loc, rt::gpuConditionWord);
  auto store = memref::StoreOp::create(builder, loc, word, status, place);
  if (failed(addToSerial(store)))
    return failure();
  return closeSerial();
}

static LogicalResult checkNoResults(Operation *op) {
  if (op->getNumResults() == 0)
    return success();
  for (Type type : op->getResultTypes())
    if (auto buffer = dyn_cast<MemRefType>(type);
        buffer && !buffer.hasStaticShape())
      return nngpu::refuseOpenExtents(op, buffer);
  return op->emitOpError("has a result of ")
         << op->getResult(0).getType()
         << ", which has no buffer: no GPU command keeps values";
}

LogicalResult FormDispatchesPass::formBranch(scf::IfOp op) {
  if (failed(checkNoResults(op)) ||
      failed(storeCondition(op.getCondition(), op)))
    return failure();
  OpBuilder builder(op);
  auto branch = nngpu::IfOp::create(builder, op.getLoc());
  for (auto [source, target] :
       llvm::zip_equal(op->getRegions(), branch->getRegions())) {
    if (source.empty()) {
      target.emplaceBlock();
      continue;
    }
    target.takeBody(source);
    target.front().getTerminator()->erase();
  }
  op.erase();
  for (Region &region : branch->getRegions())
    if (failed(formBlock(region.front())))
      return failure();
  return success();
}

LogicalResult FormDispatchesPass::formLoop(scf::WhileOp op) {
  if (failed(checkNoResults(op)) || failed(closeSerial()))
    return failure();
  OpBuilder builder(op);
  auto loop = nngpu::WhileOp::create(builder, op.getLoc());
  scf::ConditionOp condition = op.getConditionOp();
  loop.getCondition().takeBody(op.getBefore());
  loop.getBody().takeBody(op.getAfter());
  op.erase();
  Block &body = loop.getBody().front();
  body.getTerminator()->erase();
  // An `nngpu.while` has a time-out.
  for (auto check :
       llvm::make_early_inc_range(body.getOps<runtime::LoopCheckOp>()))
    check.erase();
  Block &decision = loop.getCondition().front();
  if (failed(formBlock(decision)) ||
      failed(storeCondition(condition.getCondition(), condition)))
    return failure();
  condition.erase();
  removeDead(decision);
  return formBlock(body);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Whether every operation inside \p op has a form in a kernel.
static LogicalResult checkInside(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (isa_and_present<runtime::RuntimeDialect>(inner->getDialect()) &&
        !(inner == op && isa<runtime::CheckOp>(inner))) {
      inner->emitOpError("has no form in a GPU program");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether \p op loads what an operation of the open kernel writes.
bool FormDispatchesPass::readsFromSerial(Operation &op) {
  WalkResult result = op.walk([&](memref::LoadOp load) {
    Value root = nngpu::rootOf(load.getMemRef());
    bool isWritten = llvm::any_of(serial, [&](Operation *earlier) {
      return nngpu::mayWrite(earlier, root);
    });
    return isWritten ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult FormDispatchesPass::visit(Operation &op) {
  if (op.hasTrait<OpTrait::IsTerminator>())
    return closeSerial();
  if (isa<memref::DeallocOp>(op)) {
    op.erase();
    return success();
  }
  if (isa<memref::AllocOp, memref::GetGlobalOp, ViewLikeOpInterface,
          runtime::LoopBeginOp>(op))
    return success();
  if (nngpu::isHostControl(&op)) {
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return formLoop(loop);
    return formBranch(cast<scf::IfOp>(op));
  }
  if (nngpu::isRepeatable(&op))
    return readsFromSerial(op) ? closeSerial() : success();
  if (auto check = dyn_cast<runtime::CheckOp>(op);
      check && matchPattern(check.getCondition(), m_One())) {
    check.erase();
    return success();
  }
  if (failed(checkInside(&op)))
    return failure();
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    if (failed(closeSerial()))
      return failure();
    if (formFill(fill))
      return success();
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return formCopy(copy);
  if (auto micro = dyn_cast<kernel::KernelOpInterface>(op))
    return formMicroKernel(micro);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return formElements(structured);
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    if (auto loops = nngpu::parallelLoopsOf(loop))
      return formRounds(loop, *loops);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    if (auto loops = nngpu::independentLoopsOf(loop))
      return formRounds(loop, *loops);
  if (isa<memref::StoreOp, runtime::CheckOp, scf::ForallOp, scf::ForOp,
          scf::IfOp, scf::WhileOp>(op))
    return addToSerial(&op);
  return op.emitOpError("has no form in a GPU program");
}

/// Makes commands of the operations of \p block.
LogicalResult FormDispatchesPass::formBlock(Block &block) {
  findFirstValues(block);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(op)))
      return failure();
  if (failed(closeSerial()))
    return failure();
  removeDead(block);
  return success();
}

void FormDispatchesPass::runOnOperation() {
  FailureOr<func::FuncOp> entry = findEntryFunction(getOperation());
  if (failed(entry))
    return signalPassFailure();
  if (!*entry)
    return;
  if (!llvm::hasSingleElement(entry->getBody())) {
    entry->emitError("GPU programs need a function of one block");
    return signalPassFailure();
  }
  TargetAttr target = findTarget(getOperation());
  device = nngpu::deviceClassOf(target);
  OpBuilder builder(&getContext());
  builder.setInsertionPointToEnd(getOperation().getBody());
  kernels = gpu::GPUModuleOp::create(builder, entry->getLoc(), "kernels");
  statusType = nngpu::statusTypeOf(*entry);
  if (failed(formBlock(entry->getBody().front())))
    return signalPassFailure();
}

} // namespace nnhal
