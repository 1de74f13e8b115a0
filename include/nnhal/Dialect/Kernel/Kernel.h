//===- Kernel.h - The micro-kernel dialect ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_KERNEL_KERNEL_H
#define NNHAL_DIALECT_KERNEL_KERNEL_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace nnhal::kernel {

struct KernelTarget;

/// A window that moves over the rows of an image: how rows of an output come
/// from rows of its input.
struct RowWindow {
  int64_t inputRows, outputRows;
  /// Rows of the window, those between its taps included.
  int64_t window;
  int64_t stride, padHead;
};

} // namespace nnhal::kernel

#include "nnhal/Dialect/Kernel/KernelDialect.h.inc"
#include "nnhal/Dialect/Kernel/KernelEnums.h.inc"
#include "nnhal/Dialect/Kernel/KernelInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "nnhal/Dialect/Kernel/KernelAttrs.h.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/Kernel/KernelOps.h.inc"

namespace nnhal::kernel {

/// Attaches the models with which one-shot bufferization handles the dialect.
/// A kernel writes its destination only after the reads that it needs for that
/// element, but reads inputs in any order: no input may share memory with the
/// destination, and the models say so.
void registerKernelBufferizationModels(mlir::DialectRegistry &registry);

/// Output extent of a window (M-006): (in - effFilter + stride + padHead +
/// padTail) / stride, with effFilter = (filter - 1) * dilation + 1.
int64_t outputExtent(int64_t in, int64_t filter, int64_t stride,
                     int64_t dilation, int64_t padHead, int64_t padTail);

} // namespace nnhal::kernel

#endif // NNHAL_DIALECT_KERNEL_KERNEL_H
