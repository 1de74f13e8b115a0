//===- OperationLocation.h - Which operation code was made from -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_OPERATIONLOCATION_H
#define NNHAL_LIB_CODEGEN_OPERATIONLOCATION_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace nnhal {

/// Numbers of operations of the main graph.
using OperationNumbers = llvm::SmallSetVector<uint32_t, 4>;

/// Adds the operations that \p location names, as the import of a model made
/// it (lib/ModelIR). What lies in a graph of IF or WHILE belongs to those.
void collectOperations(mlir::Location location, OperationNumbers &numbers);

/// The first operation that \p location names, as "operation 3 SLICE"; empty
/// where it names none.
llvm::StringRef findOperationText(mlir::Location location);

/// The operation of the model that \p op was made from; of fused ones, the
/// first.
std::optional<uint32_t> operationIndexOf(mlir::Operation *op);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_OPERATIONLOCATION_H
