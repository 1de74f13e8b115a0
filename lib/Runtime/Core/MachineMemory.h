//===- MachineMemory.h - How much memory there may be -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_MACHINEMEMORY_H
#define NNHAL_LIB_RUNTIME_CORE_MACHINEMEMORY_H

#include <cstdint>
#include <string>

namespace nnhal::rt {

/// The most bytes that this process can have: those of the machine, of its
/// control groups and of its resource limits, whichever are fewest. UINT64_MAX
/// when nothing says so.
uint64_t machineMemory();

/// Bytes that no process has to ask for whether it can have them: about as many
/// as the runtime itself. Finding machineMemory() takes a process that executes
/// a small model once some percent of its time.
inline constexpr uint64_t smallMemory = uint64_t(16) << 20;

/// The lowest limit of the control groups that the file \p membership (as
/// /proc/self/cgroup) names and of those above them, in the hierarchy mounted
/// at \p root. UINT64_MAX when there is none.
uint64_t controlGroupMemory(const std::string &membership,
                            const std::string &root);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_MACHINEMEMORY_H
