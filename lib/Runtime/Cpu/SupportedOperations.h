//===- SupportedOperations.h - What nnhal-cpu can execute -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CPU_SUPPORTEDOPERATIONS_H
#define NNHAL_LIB_RUNTIME_CPU_SUPPORTEDOPERATIONS_H

#include "nnhal/Runtime/Model.h"

#include <vector>

namespace nnhal::rt {

/// One per operation of \p model.main, which must be valid: whether the
/// compiler has code for it (decisions 3).
std::vector<bool> cpuSupportedOperations(const Model &model);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CPU_SUPPORTEDOPERATIONS_H
