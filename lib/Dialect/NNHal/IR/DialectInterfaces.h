//===- DialectInterfaces.h - Interfaces of the nnhal dialect ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_IR_DIALECTINTERFACES_H
#define NNHAL_LIB_DIALECT_NNHAL_IR_DIALECTINTERFACES_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/Support/LLVM.h"

#include <memory>

namespace nnhal {

class NNHalDialect;
class TargetAttr;

/// Aliases in the text of IR.
std::unique_ptr<mlir::DialectInterface>
createAsmInterface(NNHalDialect *dialect);

/// The version of the dialect in bytecode, and what older versions become.
std::unique_ptr<mlir::DialectInterface>
createBytecodeInterface(NNHalDialect *dialect);

/// Checks \p target, which \p op states, by the target that it names where the
/// context has that.
llvm::LogicalResult verifyTarget(mlir::Operation *op, TargetAttr target);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_IR_DIALECTINTERFACES_H
