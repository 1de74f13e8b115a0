//===- GpuMemory.cpp - Buffers of the HAL on a GPU ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuMemory.h"

#include "Upload.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

Status GpuMemory::resize(std::span<const uint32_t>, uint64_t size) {
  if (bytes && size <= bytes->buffer.size())
    return Status::ok();
  bytes.reset();
  NNHAL_ASSIGN_OR_RETURN(CountedBuffer made,
                         CountedBuffer::allocate(engine,
                                                 std::max<uint64_t>(size, 1),
                                                 Place::device, budget.get()));
  bytes = std::make_shared<CountedBuffer>(std::move(made));
  return Status::ok();
}

Status GpuMemory::read(std::span<std::byte> target) const {
  if (!hostPointer())
    return downloadParts(engine, bytes->buffer, target, uploadPart);
  std::memcpy(target.data(), hostPointer(), target.size());
  return Status::ok();
}

Status GpuMemory::write(std::span<const std::byte> source) {
  if (!hostPointer())
    return uploadParts(engine, source, bytes->buffer, uploadPart);
  std::memcpy(hostPointer(), source.data(), source.size());
  return Status::ok();
}
