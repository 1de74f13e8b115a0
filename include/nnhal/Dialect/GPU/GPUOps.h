//===- GPUOps.h - What a GPU executes of a model ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect nngpu. Threads: as MLIR's.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_GPU_GPUOPS_H
#define NNHAL_DIALECT_GPU_GPUOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "nnhal/Dialect/GPU/GPUDialect.h.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/GPU/GPUOps.h.inc"

namespace nnhal::nngpu {

/// Bytes of a buffer whose elements lie side by side, an i1 being one;
/// nothing where an extent is unknown or the elements are of no whole bytes.
std::optional<int64_t> byteSizeOf(mlir::Type buffer);

} // namespace nnhal::nngpu

#endif // NNHAL_DIALECT_GPU_GPUOPS_H
