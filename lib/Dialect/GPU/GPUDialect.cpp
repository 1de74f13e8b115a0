//===- GPUDialect.cpp - What a GPU executes of a model --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/GPU/GPUOps.h"

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace nnhal::nngpu;

#include "nnhal/Dialect/GPU/GPUDialect.cpp.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/GPU/GPUOps.cpp.inc"

void GPUDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "nnhal/Dialect/GPU/GPUOps.cpp.inc"
      >();
}

std::optional<int64_t> nnhal::nngpu::byteSizeOf(Type buffer) {
  auto type = dyn_cast<MemRefType>(buffer);
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  int64_t elements = type.getNumElements();
  Type element = type.getElementType();
  if (auto vector = dyn_cast<VectorType>(element)) {
    elements *= vector.getNumElements();
    element = vector.getElementType();
  }
  if (!element.isIntOrFloat())
    return std::nullopt;
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits != 1 && bits % 8 != 0)
    return std::nullopt;
  return elements * (bits == 1 ? 1 : bits / 8);
}

//===----------------------------------------------------------------------===//
// Dispatches
//===----------------------------------------------------------------------===//

/// Most workgroups along a dimension, as GpuProgram.h has it.
static constexpr int32_t maxGroups = 65535;

LogicalResult DispatchOp::verify() {
  if (getGroups().size() != 3)
    return emitOpError("has ")
           << getGroups().size() << " numbers of workgroups, expected 3";
  for (int32_t groups : getGroups())
    if (groups < 1 || groups > maxGroups)
      return emitOpError("has ")
             << groups << " workgroups along a dimension, expected 1 to "
             << maxGroups;
  if (getWrites().size() != getBuffers().size())
    return emitOpError("tells of ")
           << getWrites().size() << " buffers whether they are written, it has "
           << getBuffers().size();
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *kernel = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("names ") << getKernel() << ", which there is not";
  auto function = dyn_cast<FunctionOpInterface>(kernel);
  if (!function)
    return emitOpError("names ") << getKernel() << ", which is no function";
  // The interface of a shader consists of variables, not of arguments.
  if (function.getNumArguments() == 0)
    return success();
  if (function.getNumArguments() != getBuffers().size())
    return emitOpError("passes ")
           << getBuffers().size() << " buffers to a kernel of "
           << function.getNumArguments();
  for (auto [index, buffer] : llvm::enumerate(getBuffers()))
    // Addresses do not tell how much is there.
    if (isa<BaseMemRefType>(function.getArgumentTypes()[index]) &&
        byteSizeOf(buffer.getType()) !=
            byteSizeOf(function.getArgumentTypes()[index]))
      return emitOpError("passes ")
             << buffer.getType() << " as buffer " << index << " of a kernel "
             << "that expects " << function.getArgumentTypes()[index];
  return success();
}

void DispatchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (auto [operand, isWritten] :
       llvm::zip_equal(getBuffersMutable(), getWrites())) {
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isWritten)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

LogicalResult CopyOp::verify() {
  std::optional<int64_t> source = byteSizeOf(getSource().getType());
  std::optional<int64_t> target = byteSizeOf(getTarget().getType());
  if (!source || source != target)
    return emitOpError("copies ")
           << getSource().getType() << " to " << getTarget().getType()
           << ", which are not contiguous buffers of as many bytes";
  return success();
}

LogicalResult FillOp::verify() {
  std::optional<int64_t> size = byteSizeOf(getTarget().getType());
  if (!size || *size % 4 != 0)
    return emitOpError("fills ")
           << getTarget().getType()
           << ", which is not a contiguous buffer of whole words";
  return success();
}
