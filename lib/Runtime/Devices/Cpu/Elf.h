//===- Elf.h - Checks native code before it is loaded -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_ELF_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_ELF_H

#include "Runtime/Artifact/ModelCache.h"

#include <span>
#include <string>
#include <vector>

namespace nnhal::rt {

/// Checks that \p bytes are a shared object for \p target that the dynamic
/// linker can load without side effects: segments inside the file, none both
/// writable and executable, no other library needed, nothing run at load time,
/// nothing imported but memcpy, memmove and memset (decisions 6). The linker
/// believes the tables that it walks through, so that all of their addresses,
/// indices and ends are checked, too. Machine code is not looked at.
///
/// Returns the names of the functions that the code exports. Fails with
/// invalidArgument, which names what was found.
Result<std::vector<std::string>> checkElf(std::span<const std::byte> bytes,
                                          TargetKind target);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_ELF_H
