//===- KernelDialect.cpp - The micro-kernel dialect -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/Kernel/Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nnhal::kernel;

#include "nnhal/Dialect/Kernel/KernelDialect.cpp.inc"
#include "nnhal/Dialect/Kernel/KernelEnums.cpp.inc"
#include "nnhal/Dialect/Kernel/KernelInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "nnhal/Dialect/Kernel/KernelAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/Kernel/KernelOps.cpp.inc"

void KernelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "nnhal/Dialect/Kernel/KernelAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "nnhal/Dialect/Kernel/KernelOps.cpp.inc"
      >();
  // Which target the loops are for is not known here.
  declarePromisedInterfaces<KernelLoweringInterface, Conv2DOp,
                            DepthwiseConv2DOp, Pool2DOp>();
}

//===----------------------------------------------------------------------===//
// Mapping of loops
//===----------------------------------------------------------------------===//

// There is one kind of pieces, which are numbered by the range that they run.
int64_t PieceAttr::getMappingId() const { return 0; }
bool PieceAttr::isLinearMapping() const { return true; }
int64_t PieceAttr::getRelativeIndex() const { return 0; }

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

/// Result types of a kernel that writes `init`: none on memrefs.
static SmallVector<Type> resultTypes(Value init) {
  if (isa<TensorType>(init.getType()))
    return {init.getType()};
  return {};
}

void Conv2DOp::build(OpBuilder &builder, OperationState &state, Value input,
                     Value filter, Value bias, Value init,
                     ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                     ArrayRef<int64_t> pads) {
  build(builder, state, resultTypes(init), input, filter, bias,
        /*extras=*/ValueRange(), init, strides, dilations, pads,
        /*unsigned_input=*/false);
}

void Conv2DFhwcOp::build(OpBuilder &builder, OperationState &state, Value input,
                         Value filter, Value bias, Value init,
                         ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations,
                         ArrayRef<int64_t> pads) {
  build(builder, state, resultTypes(init), input, filter, bias,
        /*extras=*/ValueRange(), init, strides, dilations, pads,
        /*unsigned_input=*/false, /*unsigned_filter=*/false);
}

void DepthwiseConv2DOp::build(OpBuilder &builder, OperationState &state,
                              Value input, Value filter, Value bias, Value init,
                              ArrayRef<int64_t> strides,
                              ArrayRef<int64_t> dilations,
                              ArrayRef<int64_t> pads, int64_t depthMultiplier) {
  build(builder, state, resultTypes(init), input, filter, bias,
        /*extras=*/ValueRange(), init, strides, dilations, pads,
        depthMultiplier);
}

void Pool2DOp::build(OpBuilder &builder, OperationState &state, PoolKind kind,
                     Value input, Value init, ArrayRef<int64_t> window,
                     ArrayRef<int64_t> strides, ArrayRef<int64_t> pads) {
  build(builder, state, resultTypes(init), input, /*extras=*/ValueRange(), init,
        kind, window, strides, pads);
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

static Type elementTypeOf(Value value) {
  return cast<ShapedType>(value.getType()).getElementType();
}

Type Conv2DOp::getAccumulatorType() { return elementTypeOf(getBias()); }
Type Conv2DFhwcOp::getAccumulatorType() { return elementTypeOf(getBias()); }
Type DepthwiseConv2DOp::getAccumulatorType() {
  return elementTypeOf(getBias());
}
Type Pool2DOp::getAccumulatorType() { return Float32Type::get(getContext()); }

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The rows of \p conv, whose filter has \p taps rows.
template <typename OpTy>
static std::optional<RowWindow> rowWindowOf(OpTy conv, int64_t taps) {
  auto input = dyn_cast<MemRefType>(conv.getInput().getType());
  auto output = dyn_cast<MemRefType>(conv.getInit().getType());
  if (!input || !output || !input.hasStaticShape() ||
      !output.hasStaticShape() || input.getDimSize(0) != 1)
    return std::nullopt;
  int64_t window = (taps - 1) * conv.getDilations()[0] + 1;
  return RowWindow{input.getDimSize(1), output.getDimSize(1), window,
                   conv.getStrides()[0], conv.getPads()[0]};
}

static int64_t extentOf(Value value, unsigned dimension) {
  return cast<ShapedType>(value.getType()).getDimSize(dimension);
}

std::optional<RowWindow> Conv2DOp::getRowWindow() {
  return rowWindowOf(*this, extentOf(getFilter(), 1));
}

std::optional<RowWindow> DepthwiseConv2DOp::getRowWindow() {
  return rowWindowOf(*this, extentOf(getFilter(), 0));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

Operation *KernelDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult DoublingHighMulOp::fold(FoldAdaptor adaptor) {
  auto lhs = dyn_cast_or_null<IntegerAttr>(adaptor.getLhs());
  auto rhs = dyn_cast_or_null<IntegerAttr>(adaptor.getRhs());
  if (!getType().isInteger(32) || !lhs || !rhs)
    return {};
  int64_t product =
      lhs.getValue().getSExtValue() * rhs.getValue().getSExtValue();
  auto high = static_cast<int32_t>((product + (int64_t(1) << 30)) >> 31);
  return IntegerAttr::get(getType(), high);
}

//===----------------------------------------------------------------------===//
// Memory effects
//===----------------------------------------------------------------------===//

/// On memrefs a kernel reads its inputs and extras and only writes its
/// destination.
static void
addEffects(DestinationStyleOpInterface op,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    MemoryEffects::Effect *effect =
        op.isDpsInit(&operand)
            ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
            : MemoryEffects::Read::get();
    effects.emplace_back(effect, &operand, /*stage=*/0,
                         /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
}

void Conv2DOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

void Conv2DFhwcOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

void DepthwiseConv2DOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}

void Pool2DOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(cast<DestinationStyleOpInterface>(getOperation()), effects);
}
