//===- ArgumentPlaces.cpp - Where arguments lie ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentPlaces.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::tools;
using rt::SharedMemory;
using rt::Status;

rt::Result<ArgumentPlace> tools::parseArgumentPlace(std::string_view text) {
  if (text == "memfd")
    return ArgumentPlace::memfd;
  if (text == "file")
    return ArgumentPlace::file;
  if (text == "buffers")
    return ArgumentPlace::buffers;
  return rt::badData("'{}' is not memfd, file or buffers", text);
}

static Status systemFailure(std::string_view what) {
  return rt::failure("cannot {}: {}", what,
                     std::generic_category().message(errno));
}

/// A pool of \p size bytes in a file without a name.
static rt::Result<std::shared_ptr<SharedMemory>> createFilePool(uint64_t size) {
  std::error_code error;
  std::string path =
      (std::filesystem::temp_directory_path(error) / "nnhal-pool-XXXXXX")
          .string();
  if (error)
    return rt::failure("cannot find a folder for temporary files: {}",
                       error.message());
  rt::UniqueFd fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd.isValid())
    return systemFailure(fmt::format("create '{}'", path));
  (void)::unlink(path.c_str());
  if (::ftruncate(fd.get(), off_t(size)) != 0)
    return systemFailure(fmt::format("make a pool of {} bytes", size));
  return SharedMemory::adopt(rt::PoolKind::mmapFd, std::move(fd), size,
                             PROT_READ | PROT_WRITE);
}

ArgumentPlaces::ArgumentPlaces(ArgumentPlace place, const rt::Device &device,
                               rt::PreparedModelRef model)
    : place(place), device(device), model(std::move(model)),
      inputs(this->model->interface().inputs.size()),
      outputs(this->model->interface().outputs.size()) {}

Status ArgumentPlaces::makePool(Slot &slot, uint64_t size) const {
  // No pool is empty; an argument without bytes is none of the bytes of one.
  size = std::max<uint64_t>(size, 1);
  if (slot.pool && slot.pool->size() == size)
    return Status::ok();
  auto pool = place == ArgumentPlace::file ? createFilePool(size)
                                           : SharedMemory::createAshmem(size);
  NNHAL_ASSIGN_OR_RETURN(slot.pool, std::move(pool));
  return Status::ok();
}

Status
ArgumentPlaces::makeBuffer(Slot &slot, std::span<const uint32_t> dimensions,
                           std::span<const rt::BufferRole> inputRoles,
                           std::span<const rt::BufferRole> outputRoles) const {
  if (slot.buffer && std::ranges::equal(slot.dimensions, dimensions))
    return Status::ok();
  slot.dimensions.assign(dimensions.begin(), dimensions.end());
  NNHAL_ASSIGN_OR_RETURN(
      slot.buffer,
      device.allocate({slot.dimensions}, {&model, 1}, inputRoles, outputRoles));
  return Status::ok();
}

rt::Result<rt::Memory>
ArgumentPlaces::placeInput(size_t index, std::span<const std::byte> bytes,
                           std::span<const uint32_t> dimensions) {
  Slot &slot = inputs[index];
  NNHAL_RETURN_IF_ERROR(makePool(slot, bytes.size()));
  NNHAL_RETURN_IF_ERROR(slot.pool->write(0, bytes));
  if (place != ArgumentPlace::buffers)
    return rt::Memory::region(slot.pool, 0, bytes.size());
  rt::BufferRole role = {0, uint32_t(index)};
  NNHAL_RETURN_IF_ERROR(makeBuffer(slot, dimensions, {&role, 1}, {}));
  NNHAL_RETURN_IF_ERROR(slot.buffer->copyFrom(*slot.pool, dimensions));
  return rt::Memory::device(slot.buffer->token());
}

rt::Result<rt::OutputMemory>
ArgumentPlaces::placeOutput(size_t index, uint64_t size,
                            std::span<const uint32_t> dimensions) {
  Slot &slot = outputs[index];
  if (place != ArgumentPlace::buffers) {
    NNHAL_RETURN_IF_ERROR(makePool(slot, size));
    return rt::OutputMemory::region(slot.pool, 0, size);
  }
  rt::BufferRole role = {0, uint32_t(index)};
  NNHAL_RETURN_IF_ERROR(makeBuffer(slot, dimensions, {}, {&role, 1}));
  return rt::OutputMemory::device(slot.buffer->token());
}

Status ArgumentPlaces::fetchOutput(size_t index,
                                   std::span<std::byte> target) const {
  const Slot &slot = outputs[index];
  if (place != ArgumentPlace::buffers)
    return slot.pool->read(0, target);
  NNHAL_ASSIGN_OR_RETURN(
      std::shared_ptr<SharedMemory> pool,
      SharedMemory::createAshmem(std::max<uint64_t>(target.size(), 1)));
  NNHAL_RETURN_IF_ERROR(slot.buffer->copyTo(*pool));
  return pool->read(0, target);
}
