//===- ConstantPools.h - Constants that nobody can read ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_CONSTANTPOOLS_H
#define NNHAL_LIB_RUNTIME_CORE_CONSTANTPOOLS_H

#include "nnhal/Backend/Backend.h"

namespace nnhal::rt {

/// generalFailure, naming the first pool of \p model that cannot be read: its
/// descriptor is closed or not open for reading, its file is too short, or only
/// its maker knows its layout (F-007). Pools that \p backend imports are its
/// own affair. Reads at most one byte of each pool.
Status checkPools(const Backend &backend, const Model &model);

/// Refuses in \p answers, one per operation of the main subgraph of \p model,
/// those operations that read a constant from a pool that cannot be read, as
/// checkPools() has it (F-013).
void refuseUnreadable(const Backend &backend, const Model &model,
                      std::vector<Status> &answers);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_CONSTANTPOOLS_H
