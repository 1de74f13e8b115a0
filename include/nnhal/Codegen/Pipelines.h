//===- Pipelines.h - Sequences of passes that targets share -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_CODEGEN_PIPELINES_H
#define NNHAL_CODEGEN_PIPELINES_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace nnhal {

/// Adds the passes from tensors to buffers, each of which is contiguous, to
/// \p pm, which runs on modules.
void addBufferization(mlir::OpPassManager &pm);

} // namespace nnhal

#endif // NNHAL_CODEGEN_PIPELINES_H
