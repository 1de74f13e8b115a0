//===- FakeKernel.h - Allocators of dma-bufs that are not there -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_DMABUF_FAKEKERNEL_H
#define NNHAL_TEST_UNIT_DMABUF_FAKEKERNEL_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace nnhal::rt::testing {

/// The kernel's udmabuf device and dma-buf heap, for machines without them.
/// The linker hands the calls of this program to the fake, which passes on what
/// is not about its buffers.
///
/// A buffer is as incoherent as hardware can be. The processor and a device see
/// memory of their own: the processor sees what the device wrote once it has
/// begun to read (DMA_BUF_SYNC_START with READ), the device sees what the
/// processor wrote once that has ended (DMA_BUF_SYNC_END with WRITE). As of a
/// real dma-buf, its descriptor is not that of a regular file, cannot be read
/// or written, and has a size by lseek() alone.
///
/// Threads: one at a time. One kernel lives at a time.
class FakeKernel {
public:
  FakeKernel();
  ~FakeKernel();
  FakeKernel(const FakeKernel &) = delete;
  FakeKernel &operator=(const FakeKernel &) = delete;

  /// Files that stand for the two devices; allocating opens them.
  const char *udmabuf() const { return udmabufPath.c_str(); }
  const char *dmaHeap() const { return dmaHeapPath.c_str(); }

  /// The bytes of the buffer of \p fd as a device reads and writes them.
  std::string deviceText(int fd, size_t offset, size_t size) const;
  void writeOnDevice(int fd, size_t offset, const std::string &text);

  /// The answer of the next DMA_BUF_IOCTL_SYNC calls, 0 being success; the
  /// calls after them succeed.
  std::deque<int> syncErrors;
  /// Errors of the allocators; 0 for none.
  int udmabufError = 0;
  int dmaHeapError = 0;
  /// The flags of all DMA_BUF_IOCTL_SYNC calls that succeeded.
  std::vector<uint64_t> syncs;
  /// Bytes that were asked for.
  std::vector<uint64_t> udmabufSizes;
  std::vector<uint64_t> dmaHeapSizes;

private:
  std::string udmabufPath;
  std::string dmaHeapPath;
};

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_DMABUF_FAKEKERNEL_H
