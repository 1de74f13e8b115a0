//===- Buffer.h - Memory that a device manages ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_BUFFER_H
#define NNHAL_RUNTIME_BUFFER_H

#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nnhal::rt {

class SharedMemory;

/// The HAL's BufferDesc: extents that the roles leave open; 0 or no dimensions
/// where this does too.
struct BufferDesc {
  std::vector<uint32_t> dimensions;
};

/// The HAL's BufferRole: input or output number \p ioIndex of the prepared
/// model number \p modelIndex.
struct BufferRole {
  uint32_t modelIndex = 0;
  uint32_t ioIndex = 0;
  /// How likely it is used so, in (0, 1]. Only a hint (F-046).
  float frequency = 1.0f;
};

/// The HAL's IBuffer: memory of a device with its token.
///
/// Ownership: shared. The token is valid until the last reference is gone
///            (C-074); executions under way keep the bytes (F-048).
/// Threads:   every member may be called from any thread at once. Executions
///            and copies that read one buffer run beside each other; one that
///            writes it waits for them and they for it (F-049).
class NNHAL_API Buffer {
public:
  virtual ~Buffer() = default;

  /// Names the buffer in Memory::device() and OutputMemory::device(). Never 0,
  /// and of no other living buffer of the device (C-071).
  virtual uint32_t token() const = 0;

  /// Writes all bytes to \p target. generalFailure when that cannot be written
  /// or the buffer is uninitialized, invalidArgument when the sizes differ;
  /// checked are, in this order, access, size and initialization (F-052).
  virtual Status copyTo(const SharedMemory &target) const = 0;

  /// Reads all bytes from \p source, which have the shape \p dimensions; none
  /// for the shape of the allocation. generalFailure when it cannot be read,
  /// invalidArgument when the size or the shape does not fit (F-054 to F-057).
  /// A failure leaves the buffer uninitialized (F-053).
  virtual Status copyFrom(const SharedMemory &source,
                          std::span<const uint32_t> dimensions) = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BUFFER_H
