//===- PeakMemory.h - What a process has taken ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_PROCESS_PEAKMEMORY_H
#define NNHAL_LIB_TOOLS_PROCESS_PEAKMEMORY_H

#include <cstdint>

namespace nnhal::tools {

/// Returns the most bytes of this process that were in memory at once since it
/// began: getrusage() would count those of the program which has started it. 0
/// where the system does not say.
uint64_t peakResidentBytes();

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_PROCESS_PEAKMEMORY_H
