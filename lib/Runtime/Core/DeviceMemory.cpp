//===- DeviceMemory.cpp - Memory behind the buffers of a device -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/DeviceMemory.h"

#include "Runtime/Support/BudgetedBuffer.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <cstring>

using namespace nnhal::rt;

Status DeviceMemory::copyTo(const SharedMemory &target) const {
  if (const std::byte *bytes = hostPointer())
    return target.write(0, {bytes, target.size()});
  NNHAL_ASSIGN_OR_RETURN(AlignedBuffer copy,
                         AlignedBuffer::allocate(target.size()));
  NNHAL_RETURN_IF_ERROR(read(copy.bytes()));
  return target.write(0, copy.bytes());
}

Status DeviceMemory::copyFrom(const SharedMemory &source) {
  if (std::byte *bytes = hostPointer())
    return source.read(0, {bytes, source.size()});
  NNHAL_ASSIGN_OR_RETURN(AlignedBuffer copy,
                         AlignedBuffer::allocate(source.size()));
  NNHAL_RETURN_IF_ERROR(source.read(0, copy.bytes()));
  return write(copy.bytes());
}

namespace {
class HostMemory final : public DeviceMemory {
public:
  explicit HostMemory(std::shared_ptr<MemoryBudget> budget)
      : budget(std::move(budget)) {}

  Status resize(std::span<const uint32_t>, uint64_t size) override {
    if (size <= storage.bytes.size())
      return Status::ok();
    storage = {};
    NNHAL_ASSIGN_OR_RETURN(storage,
                           BudgetedBuffer::allocate(size, budget.get()));
    return Status::ok();
  }
  Status read(std::span<std::byte> target) const override {
    std::memcpy(target.data(), storage.bytes.data(), target.size());
    return Status::ok();
  }
  Status write(std::span<const std::byte> source) override {
    std::memcpy(storage.bytes.data(), source.data(), source.size());
    return Status::ok();
  }
  std::byte *hostPointer() const override { return storage.bytes.data(); }

private:
  std::shared_ptr<MemoryBudget> budget;
  /// Last, so that it goes first: it gives back what it reserved.
  BudgetedBuffer storage;
};
} // namespace

std::unique_ptr<DeviceMemory>
nnhal::rt::createHostMemory(std::shared_ptr<MemoryBudget> budget) {
  return std::make_unique<HostMemory>(std::move(budget));
}
