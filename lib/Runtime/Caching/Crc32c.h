//===- Crc32c.h - The checksum of a blob cache's file -----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CACHING_CRC32C_H
#define NNHAL_LIB_RUNTIME_CACHING_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnhal::rt {

/// The remainder of \p bytes for the reflected Castagnoli polynomial, with
/// neither an initial value nor a final inversion (E-095). Finds accidents,
/// not attacks.
uint32_t crc32c(std::span<const std::byte> bytes);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CACHING_CRC32C_H
