//===- EpilogueCost.h - What epilogues of kernels cost ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_EPILOGUECOST_H
#define NNHAL_LIB_CODEGEN_EPILOGUECOST_H

namespace mlir {
class Block;
} // namespace mlir

namespace nnhal::kernel {

/// True if `body` computes functions, which expand to some 25 instructions
/// each.
bool hasFunctions(mlir::Block &body);

} // namespace nnhal::kernel

#endif // NNHAL_LIB_CODEGEN_EPILOGUECOST_H
