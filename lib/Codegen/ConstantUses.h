//===- ConstantUses.h - What constants are used for -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_CONSTANTUSES_H
#define NNHAL_LIB_CODEGEN_CONSTANTUSES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace nnhal {

/// Whether an element of \p constant becomes an index, an offset or an extent
/// that nothing bounds on both sides on its way there. Follows values through
/// loops and the bodies of linalg operations, not through other memory:
/// nnhal-verify-addresses finds what is left.
bool addressesMemory(mlir::memref::GetGlobalOp constant);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_CONSTANTUSES_H
