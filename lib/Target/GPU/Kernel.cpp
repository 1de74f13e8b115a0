//===- Kernel.cpp - A kernel under construction ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

/// Most workgroups along a dimension.
static constexpr int64_t maxGroups = 65535;

Value nngpu::rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

bool nngpu::isBuffer(Value root) {
  return isa<BlockArgument>(root) ||
         isa<memref::AllocOp, memref::GetGlobalOp>(root.getDefiningOp());
}

bool nngpu::mayWrite(Operation *op, Value root) {
  WalkResult result = op->walk([&](MemoryEffectOpInterface effecting) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    effecting.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      if (!isa<MemoryEffects::Write>(effect.getEffect()))
        continue;
      Value value = effect.getValue();
      if (value && rootOf(value) == root)
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

bool nngpu::isUnchanged(Value root, Operation *op, Operation *user) {
  Operation *last = op->getBlock()->findAncestorOpInBlock(*user);
  for (Operation *next = op->getNextNode(); next && next != last;
       next = next->getNextNode())
    if (mayWrite(next, root))
      return false;
  return last && (last == user || !mayWrite(last, root));
}

bool nngpu::isRepeatable(Operation *op) {
  // Divisions are not pure: not all of them may be computed too early.
  if (isa_and_present<arith::ArithDialect>(op->getDialect()))
    return true;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return effects &&
         llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &one) {
           return isa<MemoryEffects::Read>(one.getEffect());
         });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

SmallVector<int32_t, 3> Kernel::groups() const {
  int64_t total = llvm::divideCeil(invocations, workgroupSize);
  int64_t x = std::min(total, maxGroups);
  return {int32_t(x), int32_t(llvm::divideCeil(total, x)), 1};
}

Kernel::Kernel(gpu::GPUModuleOp module, Location loc, int64_t invocations,
               int64_t workgroupSize)
    : Kernel(module, loc, invocations, workgroupSize, /*isOfGroups=*/false) {}

Kernel Kernel::ofGroups(gpu::GPUModuleOp module, Location loc, int64_t groups,
                        int64_t workgroupSize) {
  return {module, loc, groups * workgroupSize, workgroupSize,
          /*isOfGroups=*/true};
}

static Value number(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value multiplyAdd(OpBuilder &builder, Location loc, Value a, int64_t b,
                         Value c) {
  Value product =
      arith::MulIOp::create(builder, loc, a, number(builder, loc, b));
  return arith::AddIOp::create(builder, loc, product, c);
}

/// The number of the workgroup of rows along x.
Value Kernel::linearGroup() {
  SmallVector<int32_t, 3> counts = groups();
  Value group = gpu::BlockIdOp::create(before, loc, gpu::Dimension::x);
  if (counts[1] == 1)
    return group;
  return multiplyAdd(before, loc,
                     gpu::BlockIdOp::create(before, loc, gpu::Dimension::y),
                     counts[0], group);
}

Kernel::Kernel(gpu::GPUModuleOp module, Location loc, int64_t invocations,
               int64_t workgroupSize, bool isOfGroups)
    : loc(loc), invocations(invocations), workgroupSize(workgroupSize),
      before(module.getContext()), inside(module.getContext()) {
  before.setInsertionPointToEnd(module.getBody());
  function = gpu::GPUFuncOp::create(before, loc, "kernel",
                                    before.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    before.getUnitAttr());
  function->setAttr(spirv::getEntryPointABIAttrName(),
                    spirv::getEntryPointABIAttr(
                        module.getContext(), {int32_t(workgroupSize), 1, 1}));
  before.setInsertionPointToStart(&function.getBody().front());
  Value thread = gpu::ThreadIdOp::create(before, loc, gpu::Dimension::x);
  SmallVector<int32_t, 3> counts = groups();
  auto isBelow = [&](Value value, int64_t bound) -> Value {
    return arith::CmpIOp::create(before, loc, arith::CmpIPredicate::ult, value,
                                 number(before, loc, bound));
  };
  Value isWanted;
  if (isOfGroups) {
    id = thread;
    groupId = linearGroup();
    int64_t count = invocations / workgroupSize;
    if (int64_t(counts[0]) * counts[1] != count)
      isWanted = isBelow(groupId, count);
  } else if (invocations == 1) {
    id = number(before, loc, 0);
    isWanted = isBelow(thread, 1);
  } else {
    id = multiplyAdd(before, loc, linearGroup(), workgroupSize, thread);
    if (int64_t(counts[0]) * counts[1] * workgroupSize != invocations)
      isWanted = isBelow(id, invocations);
  }
  if (!isWanted)
    isWanted = arith::ConstantIntOp::create(before, loc, 1, 1);
  auto work = scf::IfOp::create(before, loc, isWanted,
                                /*withElseRegion=*/false);
  gpu::ReturnOp::create(before, loc);
  before.setInsertionPoint(work);
  inside = work.getThenBodyBuilder();
}

gpu::GPUFuncOp Kernel::finish(SmallVectorImpl<bool> &writes) {
  Block &body = function.getBody().front();
  ArrayRef<BlockArgument> arguments =
      body.getArguments().take_front(roots.size());
  for (BlockArgument argument : arguments)
    writes.push_back(mayWrite(function, argument));
  return function;
}

Value Kernel::constant(int64_t value) {
  return arith::ConstantIndexOp::create(inside, loc, value);
}

SmallVector<Value> Kernel::delinearize(Value number,
                                       ArrayRef<int64_t> extents) {
  SmallVector<Value> parts(extents.size());
  // Extents of 1 have the part 0; the first of the others takes what is left.
  size_t left =
      llvm::count_if(extents, [](int64_t extent) { return extent != 1; });
  for (size_t i = extents.size(); i-- > 0;) {
    if (extents[i] == 1) {
      parts[i] = constant(0);
      continue;
    }
    if (--left == 0) {
      parts[i] = number;
      continue;
    }
    Value extent = constant(extents[i]);
    parts[i] = arith::RemUIOp::create(inside, loc, number, extent);
    number = arith::DivUIOp::create(inside, loc, number, extent);
  }
  return parts;
}

SmallVector<Value> Kernel::loop(Value first, Value end, int64_t step,
                                ValueRange sums, LoopBody body) {
  auto loop = scf::ForOp::create(inside, loc, first, end, constant(step), sums);
  OpBuilder::InsertionGuard guard(inside);
  inside.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // A loop that carries nothing is built with its terminator.
  if (!sums.empty())
    scf::YieldOp::create(inside, loc, next);
  return SmallVector<Value>(loop.getResults());
}

//===----------------------------------------------------------------------===//
// What is brought
//===----------------------------------------------------------------------===//

Value Kernel::addArgument(MemRefType type, Value root) {
  roots.push_back(root);
  // Arrays that a workgroup shares come after the arguments.
  unsigned index = roots.size() - 1;
  Value argument = function.getBody().front().insertArgument(index, type, loc);
  SmallVector<Type> types(function.getFunctionType().getInputs());
  types.push_back(type);
  function.setFunctionType(before.getFunctionType(types, TypeRange()));
  return argument;
}

Value Kernel::bindAs(Value root, Type element) {
  auto type = cast<MemRefType>(root.getType());
  auto [known, isNew] = bound.try_emplace({root, element});
  if (isNew) {
    auto lanes = dyn_cast<VectorType>(element);
    Type single = lanes ? lanes.getElementType() : element;
    int64_t size = (lanes ? lanes.getNumElements() : 1) *
                   int64_t(single.getIntOrFloatBitWidth()) / 8;
    known->second =
        addArgument(MemRefType::get({*byteSizeOf(type) / size}, element), root);
  }
  return known->second;
}

Value Kernel::shared(MemRefType type, int64_t alignment) {
  auto space = gpu::AddressSpaceAttr::get(
      type.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  BlockArgument array = function.addWorkgroupAttribution(
      MemRefType::get(type.getShape(), type.getElementType(),
                      MemRefLayoutAttrInterface(), space),
      loc);
  if (alignment != 0)
    function.setWorkgroupAttributionAttr(
        function.getNumWorkgroupAttributions() - 1,
        LLVM::LLVMDialect::getAlignAttrName(),
        before.getI64IntegerAttr(alignment));
  return array;
}

Value Kernel::status(MemRefType type) {
  if (Value known = map.lookupOrNull(Value()))
    return known;
  Value words = addArgument(type, Value());
  map.map(Value(), words);
  return words;
}

LogicalResult nngpu::refuseOpenExtents(Operation *op, MemRefType type) {
  InFlightDiagnostic error = op->emitError("a value of shape [");
  llvm::interleaveComma(type.getShape(), error, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      error << "?";
    else
      error << extent;
  });
  return error << "] has extents that only an execution knows, GPUs need all "
                  "of them: their devices compile when they execute";
}

/// Whether what \p op loads may be loaded again at \p user.
static LogicalResult checkUnchanged(Operation *op, Operation *user) {
  if (!op->getBlock()->findAncestorOpInBlock(*user))
    return success();
  WalkResult result = op->walk([&](memref::LoadOp load) {
    return isUnchanged(rootOf(load.getMemRef()), op, user)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return user->emitOpError("needs a scalar whose buffer is overwritten "
                             "before it: no GPU command keeps scalars");
  return success();
}

FailureOr<Value> Kernel::bring(Value value, Operation *user) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *definition = value.getDefiningOp();
  auto type = dyn_cast<MemRefType>(value.getType());
  // There is one, whichever operation gives it.
  if (isa_and_present<StatusOp>(definition)) {
    map.map(value, status(type));
    return map.lookup(value);
  }
  if (type && isBuffer(value)) {
    std::optional<int64_t> size = byteSizeOf(type);
    if (!type.hasStaticShape())
      return refuseOpenExtents(user, type);
    if (!size || *size == 0)
      return user->emitOpError("uses a buffer of ")
             << type << ", which a GPU has no binding for";
    Value argument = addArgument(type, value);
    map.map(value, argument);
    return argument;
  }
  bool isView = isa_and_present<ViewLikeOpInterface>(definition);
  if (!definition || (!isView && (isa<BaseMemRefType>(value.getType()) ||
                                  !isRepeatable(definition))))
    return user->emitOpError("uses a value that a kernel cannot compute, of ")
           << value.getType();
  if (failed(checkUnchanged(definition, user)))
    return failure();
  if (failed(bringCaptures(definition, user)))
    return failure();
  before.clone(*definition, map);
  return map.lookup(value);
}

LogicalResult Kernel::bringCaptures(Operation *op, Operation *user) {
  WalkResult result = op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands()) {
      if (op->isProperAncestor(operand.getParentBlock()->getParentOp()) ||
          operand.getParentBlock()->getParentOp() == op)
        continue;
      if (failed(bring(operand, user)))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
