//===- Buffers.h - Buffers that end by themselves ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NATIVEWINDOW_BUFFERS_H
#define NNHAL_TEST_UNIT_NATIVEWINDOW_BUFFERS_H

#include <vndk/hardware_buffer.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>

namespace nnhal::nativewindow::test {

struct Release {
  void operator()(AHardwareBuffer *buffer) const {
    AHardwareBuffer_release(buffer);
  }
};
using Buffer = std::unique_ptr<AHardwareBuffer, Release>;

constexpr uint64_t readOften = AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN;
constexpr uint64_t writeOften = AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN;

inline AHardwareBuffer_Desc blob(uint32_t size) {
  AHardwareBuffer_Desc desc = {};
  desc.width = size;
  desc.height = 1;
  desc.layers = 1;
  desc.format = AHARDWAREBUFFER_FORMAT_BLOB;
  desc.usage = readOften | writeOften;
  return desc;
}

/// Null when there is none.
inline Buffer allocate(const AHardwareBuffer_Desc &desc) {
  AHardwareBuffer *buffer = nullptr;
  int error = AHardwareBuffer_allocate(&desc, &buffer);
  return Buffer(error == 0 ? buffer : nullptr);
}

/// The bytes of \p buffer, locked; null when that fails.
inline uint8_t *lock(AHardwareBuffer *buffer, uint64_t usage) {
  void *address = nullptr;
  int error = AHardwareBuffer_lock(buffer, usage, -1, nullptr, &address);
  return error == 0 ? static_cast<uint8_t *>(address) : nullptr;
}

/// The descriptors that this process has open.
inline long openDescriptors() {
  std::filesystem::directory_iterator files("/proc/self/fd");
  return std::distance(begin(files), end(files));
}

} // namespace nnhal::nativewindow::test

#endif // NNHAL_TEST_UNIT_NATIVEWINDOW_BUFFERS_H
