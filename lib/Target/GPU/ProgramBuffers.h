//===- ProgramBuffers.h - Where the buffers of commands are -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_GPU_PROGRAMBUFFERS_H
#define NNHAL_LIB_TARGET_GPU_PROGRAMBUFFERS_H

#include "Runtime/Artifact/GpuProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nnhal::nngpu {

/// Finds the bytes of buffers once memory is planned.
class ProgramBuffers {
public:
  /// Returns those of the entry function \p entry, whose arguments are inputs,
  /// outputs, the constants and the arena. Fails after an error where they are
  /// not.
  static llvm::FailureOr<ProgramBuffers> of(mlir::func::FuncOp entry);

  /// The bytes of \p buffer, an operand of \p command. Fails after an error at
  /// \p command where they are not all of an argument or a view at a constant
  /// place.
  llvm::FailureOr<rt::GpuBinding> find(mlir::Value buffer,
                                       mlir::Operation *command) const;

  int64_t arenaSize() const;

private:
  explicit ProgramBuffers(mlir::Block *body) : body(body) {}

  mlir::Block *body;
  unsigned inputs = 0;
  unsigned outputs = 0;
};

} // namespace nnhal::nngpu

#endif // NNHAL_LIB_TARGET_GPU_PROGRAMBUFFERS_H
