//===- PassTimes.h - How long each pass takes -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_COMPILER_PASSTIMES_H
#define NNHAL_LIB_COMPILER_PASSTIMES_H

#include "Target/TimedPart.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <memory>

namespace nnhal {

/// Makes an instrumentation that tells \p observer, which is not empty and
/// outlives the pass manager, of every run of a pass by the name with which a
/// pipeline states it. It has each run by itself with the thread that it was
/// on, where MLIR's TimingManager gives sums.
std::unique_ptr<mlir::PassInstrumentation>
createPassTimes(const PartObserver &observer);

} // namespace nnhal

#endif // NNHAL_LIB_COMPILER_PASSTIMES_H
