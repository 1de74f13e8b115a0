//===- HardwareBuffer.h - The buffer behind the C functions -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_NATIVEWINDOW_HARDWAREBUFFER_H
#define NNHAL_LIB_NATIVEWINDOW_HARDWAREBUFFER_H

#include "nnhal/Runtime/SharedMemory.h"

#include <vndk/hardware_buffer.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

/// The exported name of a C function.
#define NATIVEWINDOW_API extern "C" __attribute__((visibility("default")))

/// A buffer with its references. The C functions are its only users, and C
/// gives it its name.
///
/// Threads: any.
struct AHardwareBuffer {
  /// Makes a buffer of \p pool, which is not null, with one reference.
  AHardwareBuffer(const AHardwareBuffer_Desc &desc, uint64_t id,
                  std::shared_ptr<nnhal::rt::SharedMemory> pool);

  const AHardwareBuffer_Desc &description() const { return desc; }
  uint64_t id() const { return number; }
  int descriptor() const { return pool->fd(); }
  const native_handle_t *handle() const;

  void acquire();
  /// Ends the buffer with the last reference.
  void release();

  /// Maps the bytes and begins a use of them. Returns 0 or a negative errno,
  /// and the first byte in \p address.
  int lock(uint64_t usage, void *&address);
  /// Ends one use. Returns 0 or a negative errno.
  int unlock();

private:
  ~AHardwareBuffer() = default;

  std::atomic<uint64_t> references = 1;
  AHardwareBuffer_Desc desc;
  uint64_t number;
  std::shared_ptr<nnhal::rt::SharedMemory> pool;
  /// The handle with its one descriptor, which ends in an array without size.
  alignas(native_handle_t) std::byte
      handleBytes[sizeof(native_handle_t) + sizeof(int)];
  std::mutex mutex;
  std::vector<nnhal::rt::SharedMemory::Access> accesses;
};

namespace nnhal::nativewindow {

/// Returns 0 for a description that a buffer may have, and -EINVAL for one that
/// contradicts itself.
int checkDescription(const AHardwareBuffer_Desc &desc);

/// Whether the buffer is bytes, which are all that is mapped here.
inline bool isBlob(const AHardwareBuffer_Desc &desc) {
  return desc.format == AHARDWAREBUFFER_FORMAT_BLOB;
}

} // namespace nnhal::nativewindow

#endif // NNHAL_LIB_NATIVEWINDOW_HARDWAREBUFFER_H
