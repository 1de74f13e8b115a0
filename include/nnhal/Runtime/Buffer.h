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

/// The HAL's BufferDesc: extents for a buffer whose roles leave them open. An
/// extent that is 0 here too, or an empty list, stays open.
struct BufferDesc {
  std::vector<uint32_t> dimensions;
};

/// The HAL's BufferRole: input or output number \p ioIndex of the prepared
/// model number \p modelIndex.
struct BufferRole {
  uint32_t modelIndex = 0;
  uint32_t ioIndex = 0;
  /// How likely the buffer is used in this role, in (0, 1]. This is only a hint
  /// (F-046).
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

  /// Returns the token that names the buffer in Memory::device() and
  /// OutputMemory::device(). It is never 0 and differs from the tokens of all
  /// other living buffers of the device (C-071).
  virtual uint32_t token() const = 0;

  /// Writes all bytes to \p target. Fails with generalFailure when the target
  /// cannot be written or the buffer is uninitialized, and with invalidArgument
  /// when the sizes differ. The checks come in this order: access, size,
  /// initialization (F-052).
  virtual Status copyTo(const SharedMemory &target) const = 0;

  /// Reads all bytes from \p source, which have the shape \p dimensions, or the
  /// shape of the allocation where that is empty. Fails with generalFailure
  /// when the source cannot be read, and with invalidArgument when the size or
  /// the shape does not fit (F-054 to F-057). A failure leaves the buffer
  /// uninitialized (F-053).
  virtual Status copyFrom(const SharedMemory &source,
                          std::span<const uint32_t> dimensions) = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_BUFFER_H
