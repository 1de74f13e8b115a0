//===- ControlFlowOperands.h - The operands of IF and WHILE -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_CONTROLFLOWOPERANDS_H
#define NNHAL_LIB_RUNTIME_MODEL_CONTROLFLOWOPERANDS_H

#include "nnhal/Runtime/Model.h"

#include <cstddef>

namespace nnhal::rt::validation {

// The operands that precede the arguments of the graphs.
inline constexpr size_t ifOperands = 3;    // condition, then, else
inline constexpr size_t whileOperands = 2; // condition, body

/// Returns whether \p body yields the value of input \p position of a WHILE for
/// the next iteration. There has to be a value before the first one, since the
/// loop may end without any.
inline bool isYielded(const Subgraph &body, size_t position) {
  return position >= whileOperands &&
         position - whileOperands < body.outputIndexes.size();
}

} // namespace nnhal::rt::validation

#endif // NNHAL_LIB_RUNTIME_MODEL_CONTROLFLOWOPERANDS_H
