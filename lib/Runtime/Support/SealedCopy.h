//===- SealedCopy.h - Bytes that nobody can change --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_SEALEDCOPY_H
#define NNHAL_LIB_RUNTIME_SUPPORT_SEALEDCOPY_H

#include "nnhal/Runtime/Memory.h"
#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnhal::rt {

/// The purpose of a sealed file: only code can be mapped as such where the
/// system forbids that by default (vm.memfd_noexec).
enum class SealedContent : uint32_t { code, message };

/// An anonymous file with \p bytes that nobody can change any more, its writer
/// included: whoever gets it need not copy it before looking at it. Fails with
/// resourceExhaustedTransient when there is no memory or descriptor, with
/// generalFailure when the system does not seal it.
Result<UniqueFd> sealedCopy(std::span<const std::byte> bytes,
                            SealedContent content);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_SEALEDCOPY_H
