//===- KernelMemory.cpp - Buffers of kernels as SPIR-V has them -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {

/// Where the elements of a buffer lie in the memory that it is a view of.
struct View {
  Value root;
  OpFoldResult offset;
  SmallVector<OpFoldResult> strides;
};

Value materialize(ImplicitLocOpBuilder &builder, OpFoldResult number) {
  return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), number);
}

OpFoldResult multiply(ImplicitLocOpBuilder &builder, OpFoldResult a,
                      OpFoldResult b) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right)
    return builder.getIndexAttr(*left * *right);
  if (left == 0 || right == 0)
    return builder.getIndexAttr(0);
  if (left == 1)
    return b;
  if (right == 1)
    return a;
  return arith::MulIOp::create(builder, materialize(builder, a),
                               materialize(builder, b))
      .getResult();
}

OpFoldResult add(ImplicitLocOpBuilder &builder, OpFoldResult a,
                 OpFoldResult b) {
  std::optional<int64_t> left = getConstantIntValue(a);
  std::optional<int64_t> right = getConstantIntValue(b);
  if (left && right)
    return builder.getIndexAttr(*left + *right);
  if (left == 0)
    return b;
  if (right == 0)
    return a;
  return arith::AddIOp::create(builder, materialize(builder, a),
                               materialize(builder, b))
      .getResult();
}

/// Indices as a number of elements, outer ones first: what the rounds of an
/// inner loop share is one value.
OpFoldResult linearize(ImplicitLocOpBuilder &builder, const View &view,
                       ArrayRef<OpFoldResult> indices) {
  OpFoldResult sum = view.offset;
  for (auto [index, stride] : llvm::zip_equal(indices, view.strides))
    sum = add(builder, sum, multiply(builder, index, stride));
  return sum;
}

/// \p buffer, where it is a whole memory: an argument or an allocation.
std::optional<View> wholeOf(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  Builder builder(buffer.getContext());
  View view{buffer, builder.getIndexAttr(0), {}};
  for (int64_t stride : type.getStridesAndOffset().first)
    view.strides.push_back(builder.getIndexAttr(stride));
  return view;
}

std::optional<View> viewOf(ImplicitLocOpBuilder &builder, Value buffer);

std::optional<View> viewOf(ImplicitLocOpBuilder &builder,
                           memref::SubViewOp op) {
  std::optional<View> source = viewOf(builder, op.getSource());
  if (!source)
    return std::nullopt;
  View view{
      source->root, linearize(builder, *source, op.getMixedOffsets()), {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [i, step] : llvm::enumerate(op.getMixedStrides()))
    if (!dropped.test(i))
      view.strides.push_back(multiply(builder, source->strides[i], step));
  return view;
}

/// The view that a reshape of \p sourceBuffer is, whose strides are numbers of
/// its type.
std::optional<View> reshapedView(ImplicitLocOpBuilder &builder,
                                 Value sourceBuffer, MemRefType type) {
  std::optional<View> source = viewOf(builder, sourceBuffer);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (!source || failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  View view{source->root, source->offset, {}};
  for (int64_t stride : strides)
    view.strides.push_back(builder.getIndexAttr(stride));
  return view;
}

std::optional<View> viewOf(ImplicitLocOpBuilder &builder, Value buffer) {
  Operation *op = buffer.getDefiningOp();
  if (!op || isa<memref::AllocaOp>(op))
    return wholeOf(buffer);
  // What a view is made of is available where it is.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  if (auto subview = dyn_cast<memref::SubViewOp>(op))
    return viewOf(builder, subview);
  if (auto cast = dyn_cast<memref::CastOp>(op))
    return viewOf(builder, cast.getSource());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return reshapedView(builder, expand.getSrc(), expand.getResultType());
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return reshapedView(builder, collapse.getSrc(), collapse.getResultType());
  if (auto reinterpret = dyn_cast<memref::ReinterpretCastOp>(op)) {
    // The offset is one in the memory, not in the source.
    std::optional<View> source = viewOf(builder, reinterpret.getSource());
    if (!source)
      return std::nullopt;
    return View{source->root, reinterpret.getMixedOffsets().front(),
                reinterpret.getMixedStrides()};
  }
  return std::nullopt;
}

/// The memory that \p type is in, with one dimension.
MemRefType flatType(MemRefType type, spirv::StorageClass storage) {
  return MemRefType::get(
      {type.getNumElements()}, type.getElementType(),
      MemRefLayoutAttrInterface(),
      spirv::StorageClassAttr::get(type.getContext(), storage));
}

bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::CastOp, memref::ExpandShapeOp,
             memref::CollapseShapeOp, memref::ReinterpretCastOp>(op);
}

LogicalResult refuse(Operation *op) {
  return op->emitOpError("on a buffer has no form in kernels of GPUs");
}

/// Loops over the elements of \p op, whose buffers have one static shape.
LogicalResult expandCopy(memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !type.hasStaticShape())
    return refuse(op);
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantIndexOp::create(builder, number);
  };
  SmallVector<Value> lower, upper, steps;
  for (int64_t extent : type.getShape()) {
    lower.push_back(constant(0));
    upper.push_back(constant(extent));
    steps.push_back(constant(1));
  }
  scf::buildLoopNest(
      builder, op.getLoc(), lower, upper, steps,
      [&](OpBuilder &nested, Location location, ValueRange indices) {
        Value element =
            memref::LoadOp::create(nested, location, op.getSource(), indices);
        memref::StoreOp::create(nested, location, element, op.getTarget(),
                                indices);
      });
  op.erase();
  return success();
}

/// Makes \p op access the memory of its buffer.
LogicalResult flattenAccess(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto flatten = [&](Value buffer, ValueRange indices, Value &root) -> Value {
    std::optional<View> view = viewOf(builder, buffer);
    if (!view)
      return Value();
    root = view->root;
    SmallVector<OpFoldResult> numbers = getAsOpFoldResult(indices);
    return materialize(builder, linearize(builder, *view, numbers));
  };
  Value root;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Value index = flatten(load.getMemRef(), load.getIndices(), root);
    if (!index)
      return refuse(op);
    load.getMemrefMutable().assign(root);
    load.getIndicesMutable().assign(index);
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value index = flatten(store.getMemRef(), store.getIndices(), root);
    if (!index)
      return refuse(op);
    store.getMemrefMutable().assign(root);
    store.getIndicesMutable().assign(index);
    return success();
  }
  // Matrices are loaded from arrays of one dimension, and stored there.
  if (auto load = dyn_cast<gpu::SubgroupMmaLoadMatrixOp>(op))
    return load.getIndices().size() == 1 ? success() : refuse(op);
  if (auto store = dyn_cast<gpu::SubgroupMmaStoreMatrixOp>(op))
    return store.getIndices().size() == 1 ? success() : refuse(op);
  auto atomic = dyn_cast<memref::AtomicRMWOp>(op);
  if (!atomic)
    return refuse(op);
  Value index = flatten(atomic.getMemref(), atomic.getIndices(), root);
  if (!index)
    return refuse(op);
  atomic.getMemrefMutable().assign(root);
  atomic.getIndicesMutable().assign(index);
  return success();
}

} // namespace

LogicalResult nnhal::flattenBuffers(gpu::GPUFuncOp kernel) {
  SmallVector<memref::CopyOp> copies;
  SmallVector<memref::AllocaOp> variables;
  kernel.walk([&](memref::CopyOp op) { copies.push_back(op); });
  kernel.walk([&](memref::AllocaOp op) { variables.push_back(op); });
  for (memref::CopyOp copy : copies)
    if (failed(expandCopy(copy)))
      return failure();
  // SPIR-V has variables at the beginning of functions alone.
  Block &entry = kernel.getBody().front();
  for (memref::AllocaOp variable : variables) {
    if (!wholeOf(variable))
      return refuse(variable);
    variable->moveBefore(&entry, entry.begin());
  }

  SmallVector<Operation *> accesses, views;
  kernel.walk([&](Operation *op) {
    if (isView(op))
      views.push_back(op);
    else if (!isa<memref::AllocaOp>(op) &&
             llvm::any_of(op->getOperandTypes(), llvm::IsaPred<BaseMemRefType>))
      accesses.push_back(op);
  });
  for (Operation *access : accesses)
    if (failed(flattenAccess(access)))
      return failure();
  for (Operation *view : llvm::reverse(views)) {
    assert(view->use_empty() && "accesses have left their views");
    view->erase();
  }

  // Nothing but accesses uses memory now, and those know one dimension only.
  for (memref::AllocaOp variable : variables)
    variable.getResult().setType(
        flatType(variable.getType(), spirv::StorageClass::Function));
  for (BlockArgument array : kernel.getWorkgroupAttributions())
    array.setType(flatType(cast<MemRefType>(array.getType()),
                           spirv::StorageClass::Workgroup));
  auto arguments =
      entry.getArguments().take_front(kernel.getFunctionType().getNumInputs());
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !wholeOf(argument))
      return kernel.emitOpError("has argument ")
             << index << " of type " << argument.getType()
             << ": kernels take buffers of static shape and identity layout";
    argument.setType(flatType(type, spirv::StorageClass::StorageBuffer));
  }
  kernel.setFunctionType(FunctionType::get(
      kernel.getContext(), TypeRange(ValueRange(arguments)), TypeRange()));
  return success();
}
