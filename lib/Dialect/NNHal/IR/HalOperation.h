//===- HalOperation.h - Operations of the HAL as an attribute ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_DIALECT_NNHAL_IR_HALOPERATION_H
#define NNHAL_LIB_DIALECT_NNHAL_IR_HALOPERATION_H

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

namespace nnhal {

/// The name alone, as nnhal.operation has it.
mlir::ParseResult parseHalOperation(mlir::AsmParser &parser,
                                    HalOperationAttr &operation);
void printHalOperation(mlir::OpAsmPrinter &printer, OperationOp,
                       HalOperationAttr operation);

} // namespace nnhal

#endif // NNHAL_LIB_DIALECT_NNHAL_IR_HALOPERATION_H
