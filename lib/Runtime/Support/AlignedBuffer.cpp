//===- AlignedBuffer.cpp - Owned bytes at a fixed alignment ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/AlignedBuffer.h"

#include "Errors.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;

/// The size of large pages on all processors; where they are larger the system
/// takes small ones.
static constexpr uint64_t largePage = 2u << 20;

// MADV_POPULATE_WRITE is of Linux 5.14, and newer than the headers of some
// systems.
static constexpr int populateWrite = 23;

/// Finds memory for the pages that are \p bytes and nothing else. Only a wish.
static void populate(std::span<std::byte> bytes) {
  static const auto page = uintptr_t(::sysconf(_SC_PAGESIZE));
  uintptr_t begin = reinterpret_cast<uintptr_t>(bytes.data());
  uintptr_t first = (begin + page - 1) & ~(page - 1);
  uintptr_t last = (begin + bytes.size()) & ~(page - 1);
  if (first < last)
    ::madvise(bytes.data() + (first - begin), last - first, populateWrite);
}

Result<AlignedBuffer> AlignedBuffer::allocate(uint64_t size, size_t alignment) {
  AlignedBuffer buffer;
  if (size == 0)
    return buffer;
  buffer.storage.reset(static_cast<std::byte *>(
      ::operator new(size, std::align_val_t(alignment), std::nothrow)));
  if (!buffer.storage)
    return outOfResources("cannot allocate {} bytes", size);
  buffer.storage.get_deleter().alignment = alignment;
  buffer.byteCount = size;
  return buffer;
}

Result<AlignedBuffer> AlignedBuffer::allocateResident(uint64_t size) {
  // Below that it is memory that the process has already, or a few faults.
  constexpr uint64_t least = 128u << 10;
  if (size < least)
    return allocate(size);
  uint64_t large = size / largePage * largePage;
  NNHAL_ASSIGN_OR_RETURN(
      AlignedBuffer buffer,
      allocate(size, large > 0 ? largePage : minimumAlignment));
  // Large pages are asked for only where they are filled wholly: the process
  // would otherwise get more than it asked for.
  if (large > 0)
    ::madvise(buffer.data(), large, MADV_HUGEPAGE);
  populate(buffer.bytes());
  return buffer;
}
