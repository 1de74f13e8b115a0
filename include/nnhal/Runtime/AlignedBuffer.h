//===- AlignedBuffer.h - Owned bytes at a fixed alignment -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_ALIGNEDBUFFER_H
#define NNHAL_RUNTIME_ALIGNEDBUFFER_H

#include "nnhal/Runtime/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace nnhal::rt {

/// Uninitialized bytes at a multiple of `minimumAlignment`. The buffer is
/// move-only; a default one is empty, with a null pointer.
class NNHAL_API AlignedBuffer {
public:
  /// The alignment that the entry ABI promises for arenas, constants and
  /// tensors.
  static constexpr size_t minimumAlignment = 64;

  AlignedBuffer() = default;

  /// Allocates \p size bytes. Fails with resourceExhaustedTransient when the
  /// system does not give them.
  static Result<AlignedBuffer> allocate(uint64_t size) {
    return allocate(size, minimumAlignment);
  }

  /// Allocates like allocate(), with memory behind all bytes at once, and in
  /// large pages where the system has them. This is for buffers that are used
  /// as a whole, because a fault for each page would take as long as a copy.
  static Result<AlignedBuffer> allocateResident(uint64_t size);

  std::byte *data() const { return storage.get(); }
  uint64_t size() const { return byteCount; }
  std::span<std::byte> bytes() const { return {storage.get(), byteCount}; }

private:
  struct Deleter {
    Deleter() : alignment(minimumAlignment) {}
    void operator()(std::byte *data) const {
      ::operator delete(data, std::align_val_t(alignment));
    }
    size_t alignment;
  };

  static Result<AlignedBuffer> allocate(uint64_t size, size_t alignment);

  std::unique_ptr<std::byte, Deleter> storage;
  uint64_t byteCount = 0;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_ALIGNEDBUFFER_H
