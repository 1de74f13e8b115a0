//===- ArgumentPools.cpp - Shared memory as arguments ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentMemory.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <sys/mman.h>

using namespace nnhal::rt;

/// The mapped bytes of \p region; null when they have to be copied.
static Result<std::byte *> mappedBytes(const Argument &which,
                                       const PoolRegion &region) {
  if (!region.pool->isStable())
    return static_cast<std::byte *>(nullptr);
  std::byte *base = nullptr;
  if (which.isInput) {
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           region.pool->mapForReading());
    base = const_cast<std::byte *>(bytes.data());
  } else {
    NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> bytes,
                           region.pool->mapForWriting());
    base = bytes.data();
  }
  std::byte *data = base + region.offset;
  bool isAligned =
      reinterpret_cast<uintptr_t>(data) % alignmentOf(which.tensor) == 0;
  return isAligned ? data : nullptr;
}

Status nnhal::rt::checkReach(const Argument &which, const PoolRegion &region,
                             const BufferScope &scope) {
  if (!isOpaque(*region.pool))
    return Status::ok();
  if (!isWholePool(region.offset, region.size))
    return badData("{} states offset {} and size {} of a pool of kind "
                   "hardware_buffer, which must be 0",
                   which.label(), region.offset, region.size);
  if (scope.backend.importsPool(*region.pool))
    return Status::ok();
  return failure("{} is in a pool of kind hardware_buffer, whose layout only "
                 "its maker knows",
                 which.label());
}

static Status checkRegion(const Argument &which, const PoolRegion &region) {
  const SharedMemory &pool = *region.pool;
  if (isOpaque(pool))
    return pool.check();
  NNHAL_RETURN_IF_ERROR(
      pool.checkRange(region.offset, region.size, region.padding));
  // An execution asks the system about the descriptor of a pool only while that
  // is not mapped: each question is a system call for each argument, which
  // costs more than a small model. A closed descriptor explains more than the
  // protection does.
  Status usable = pool.isMapped() ? Status::ok() : pool.check();
  int needed = which.isInput ? PROT_READ : PROT_WRITE;
  // An output in a pool that may not be written is an error (F-008).
  if (usable.isOk() && (pool.protection() & needed) == 0)
    return badData("the pool is not open for {}",
                   which.isInput ? "reading" : "writing");
  return usable;
}

/// Notes that \p argument is \p region, where it is.
static void usePool(const Argument &which, const PoolRegion &region,
                    Frame &frame, InvocationArgument &argument) {
  argument.pool = region.pool;
  frame.pools.push_back({&argument, !which.isInput});
}

Status nnhal::rt::bindPool(const Argument &which, const PoolRegion &region,
                           const BufferScope &scope, Frame &frame,
                           InvocationArgument &argument) {
  Status status = checkRegion(which, region);
  if (!status.isOk())
    return std::move(status).withContext(which.label());
  argument.size = region.size;
  argument.offset = region.offset;
  if (scope.backend.importsPool(*region.pool)) {
    argument.data = nullptr;
    usePool(which, region, frame, argument);
    return Status::ok();
  }
  Result<std::byte *> mapped = mappedBytes(which, region);
  if (!mapped.isOk())
    return std::move(mapped).takeStatus().withContext(which.label());
  argument.data = *mapped;
  if (*mapped) {
    usePool(which, region, frame, argument);
    return Status::ok();
  }
  auto allocated = BudgetedBuffer::allocate(region.size, scope.budget);
  if (!allocated.isOk())
    return std::move(allocated).takeStatus().withContext(which.label());
  BudgetedBuffer copy = std::move(*allocated);
  argument.data = copy.bytes.data();
  auto &copies = which.isInput ? frame.loads : frame.stores;
  copies.push_back({region.pool, region.offset, std::move(copy), which.index});
  return Status::ok();
}

Status nnhal::rt::beginArguments(const Interface &interface, Frame &frame) {
  for (const Frame::PoolUse &use : frame.pools)
    // The processor does not touch what the backend imports.
    if (use.argument->data && use.argument->pool->isDmaBuf()) {
      auto mode = use.isWritten ? SharedMemory::Access::Mode::write
                                : SharedMemory::Access::Mode::read;
      NNHAL_ASSIGN_OR_RETURN(
          SharedMemory::Access access,
          SharedMemory::Access::begin(use.argument->pool, mode));
      frame.accesses.push_back(std::move(access));
    }
  for (Frame::PoolCopy &load : frame.loads) {
    Status read = load.pool->read(load.offset, load.copy.bytes.bytes());
    if (!read.isOk())
      return std::move(read).withContext(
          argumentLabel(true, load.index, interface.inputs[load.index]));
    frame.copiedBytes += load.copy.bytes.size();
  }
  return Status::ok();
}

/// Bytes that the code has written to an output.
static uint64_t writtenSize(const InvocationArgument &output,
                            const InterfaceTensor &tensor) {
  uint64_t bytes = elementSizeOf(tensor);
  if (bytes == 0) // Nobody here knows.
    return output.size;
  for (uint32_t i = 0; i < output.rank; ++i)
    bytes *= uint64_t(output.extents[i]);
  return std::min(bytes, output.size);
}

Status nnhal::rt::endArguments(const Interface &interface, Frame &frame,
                               bool isComplete) {
  for (const Frame::PoolCopy &store : frame.stores) {
    if (!isComplete)
      break;
    uint64_t size =
        writtenSize(frame.outputs[store.index], interface.outputs[store.index]);
    Status written =
        store.pool->write(store.offset, store.copy.bytes.bytes().first(size));
    if (!written.isOk())
      return std::move(written).withContext(
          argumentLabel(false, store.index, interface.outputs[store.index]));
    frame.copiedBytes += size;
  }
  for (SharedMemory::Access &access : frame.accesses)
    NNHAL_RETURN_IF_ERROR(access.end());
  return Status::ok();
}
