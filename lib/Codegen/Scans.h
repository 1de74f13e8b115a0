//===- Scans.h - Results that rounds of a reduction write -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction usually joins what its rounds compute to elements that stay the
// same. linalg allows for more, and the half of an extension for the compiler
// may build it: a scan, each round of which writes an element of its own.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_CODEGEN_SCANS_H
#define NNHAL_LIB_CODEGEN_SCANS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace nnhal {

/// Whether \p output of \p op moves along a loop that is a reduction, so that
/// its element does not stay in a register from round to round.
bool isScanned(mlir::linalg::LinalgOp op, mlir::OpOperand &output);

/// Whether an output of \p op does.
bool isScan(mlir::linalg::LinalgOp op);

/// Whether \p op, which is on buffers, reads one that it writes otherwise than
/// as that output: the body loads from it, or an input shows it by another map.
/// Each round must then see what the rounds before have stored. Buffers that
/// overlap without being the same do not count: bufferization makes none where
/// a round would see what another one stores.
bool readsOutputs(mlir::linalg::LinalgOp op);

} // namespace nnhal

#endif // NNHAL_LIB_CODEGEN_SCANS_H
