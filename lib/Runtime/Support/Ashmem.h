//===- Ashmem.h - Android's shared memory device ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_ASHMEM_H
#define NNHAL_LIB_RUNTIME_SUPPORT_ASHMEM_H

#include "nnhal/Runtime/Memory.h"

namespace nnhal::rt {

/// Whether \p fd is a descriptor of the device /dev/ashmem. No other device is
/// sent the device's requests: it could take them for its own.
bool isAshmemDevice(int fd);

/// The size of the region behind such a descriptor, 0 when it has none yet.
/// Mapping a region fixes its size.
uint64_t ashmemSize(int fd);

/// A region of \p size bytes of the device at \p path; empty when that is
/// missing, is not the device or has no room.
UniqueFd openAshmem(const char *path, uint64_t size);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_ASHMEM_H
