//===- RuntimeOps.h - What compiled code asks of the runtime ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect nnrt. Threads: as MLIR's.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_DIALECT_RUNTIME_RUNTIMEOPS_H
#define NNHAL_DIALECT_RUNTIME_RUNTIMEOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "nnhal/Dialect/Runtime/RuntimeDialect.h.inc"

#define GET_OP_CLASSES
#include "nnhal/Dialect/Runtime/RuntimeOps.h.inc"

namespace nnhal::runtime {

/// Attaches the models with which one-shot bufferization handles the dialect.
void registerRuntimeBufferizationModels(mlir::DialectRegistry &registry);

} // namespace nnhal::runtime

#endif // NNHAL_DIALECT_RUNTIME_RUNTIMEOPS_H
