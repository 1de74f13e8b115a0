//===- Memories.cpp - Pools and buffers for the tests ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "Runtime/Support/Errors.h"

#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

std::string conformance::toString(PoolSource source) {
  switch (source) {
  case PoolSource::ashmem:
    return "ashmem";
  case PoolSource::blob:
    return "blob";
  case PoolSource::unsealed:
    return "unsealed";
  case PoolSource::file:
    return "file";
  case PoolSource::distantFile:
    return "distantFile";
  }
  return "";
}

static UniqueFd openTemporaryFile() {
  std::FILE *file = std::tmpfile();
  if (!file)
    return UniqueFd();
  UniqueFd fd(::dup(::fileno(file)));
  (void)std::fclose(file);
  return fd;
}

static Result<SharedPool> adoptFile(PoolKind kind, UniqueFd fd, uint64_t size,
                                    uint64_t offset) {
  if (::ftruncate(fd.get(), off_t(offset + size)) != 0)
    return failure("cannot make a file of {} bytes", offset + size);
  NNHAL_ASSIGN_OR_RETURN(UniqueFd peer, duplicate(fd.get()));
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> pool,
                         SharedMemory::adopt(kind, std::move(fd), size,
                                             PROT_READ | PROT_WRITE, offset));
  return SharedPool{std::move(pool), std::move(peer)};
}

static Result<SharedPool> tryCreatePool(PoolSource source, uint64_t size) {
  SharedPool shared;
  switch (source) {
  case PoolSource::ashmem: {
    NNHAL_ASSIGN_OR_RETURN(shared.pool, SharedMemory::createAshmem(size));
    break;
  }
  case PoolSource::blob: {
    NNHAL_ASSIGN_OR_RETURN(shared.pool, SharedMemory::createBlob(size));
    break;
  }
  case PoolSource::unsealed:
    return adoptFile(PoolKind::ashmem,
                     UniqueFd(::memfd_create("conformance", MFD_CLOEXEC)), size,
                     /*offset=*/0);
  case PoolSource::file:
    return adoptFile(PoolKind::mmapFd, openTemporaryFile(), size, /*offset=*/0);
  case PoolSource::distantFile:
    return adoptFile(PoolKind::mmapFd, openTemporaryFile(), size,
                     (uint64_t(5) << 30) + 100);
  }
  NNHAL_ASSIGN_OR_RETURN(shared.peer, duplicate(shared.pool->fd()));
  return shared;
}

SharedPool conformance::createPool(PoolSource source, uint64_t size) {
  Result<SharedPool> created = tryCreatePool(source, size);
  EXPECT_TRUE(created.isOk()) << created.status().message();
  return created.isOk() ? std::move(*created) : SharedPool();
}

std::shared_ptr<SharedMemory> conformance::reopened(const SharedPool &shared,
                                                    int protection) {
  auto fd = duplicate(shared.peer.get());
  EXPECT_TRUE(fd.isOk()) << fd.status().message();
  return SharedMemory::adoptUnchecked(
      shared.pool->kind(), fd.isOk() ? std::move(*fd) : UniqueFd(),
      shared.pool->size(), protection, shared.pool->fileOffset());
}

std::shared_ptr<SharedMemory> conformance::createOpaquePool(uint64_t size) {
  return SharedMemory::adoptUnchecked(
      PoolKind::hardwareBuffer,
      UniqueFd(::memfd_create("conformance", MFD_CLOEXEC)), size,
      PROT_READ | PROT_WRITE);
}

Request conformance::requestIn(const std::shared_ptr<SharedMemory> &pool,
                               uint64_t first, uint64_t second,
                               uint64_t output) {
  Request request;
  request.inputs = {{Memory::region(pool, first, tensorSize), {}},
                    {Memory::region(pool, second, tensorSize), {}}};
  request.outputs = {{OutputMemory::region(pool, output, tensorSize), {}}};
  return request;
}

void conformance::writeFloats(const SharedMemory &pool, uint64_t offset,
                              const std::vector<float> &values) {
  EXPECT_EQ(pool.write(offset, std::as_bytes(std::span(values))).message(), "");
}

std::vector<float> conformance::readFloats(const SharedMemory &pool,
                                           uint64_t offset, size_t count) {
  std::vector<float> values(count);
  Status read = pool.read(offset, std::as_writable_bytes(std::span(values)));
  EXPECT_EQ(read.message(), "");
  return values;
}

std::shared_ptr<SharedMemory>
conformance::poolOf(const std::vector<float> &values) {
  auto created = SharedMemory::createAshmem(values.size() * sizeof(float));
  EXPECT_TRUE(created.isOk()) << created.status().message();
  if (!created.isOk())
    return nullptr;
  writeFloats(**created, 0, values);
  return *created;
}

Result<std::shared_ptr<Buffer>>
conformance::allocateBuffer(const Device &device, const PreparedModelRef &model,
                            const std::vector<uint32_t> &inputs,
                            const std::vector<uint32_t> &outputs,
                            const Dimensions &dimensions) {
  std::vector<BufferRole> inputRoles, outputRoles;
  inputRoles.reserve(inputs.size());
  outputRoles.reserve(outputs.size());
  for (uint32_t index : inputs)
    inputRoles.push_back({0, index, 1.0f});
  for (uint32_t index : outputs)
    outputRoles.push_back({0, index, 0.5f});
  return device.allocate({dimensions}, std::span(&model, 1), inputRoles,
                         outputRoles);
}

Status conformance::copyFloatsTo(Buffer &buffer,
                                 const std::vector<float> &values,
                                 const Dimensions &dimensions) {
  std::shared_ptr<SharedMemory> pool = poolOf(values);
  return pool ? buffer.copyFrom(*pool, dimensions) : failure("no pool");
}

std::vector<float> conformance::floatsOf(const Buffer &buffer, size_t count) {
  std::shared_ptr<SharedMemory> pool = poolOf(std::vector<float>(count));
  Status copied = buffer.copyTo(*pool);
  EXPECT_EQ(copied.message(), "");
  return copied.isOk() ? readFloats(*pool, 0, count) : std::vector<float>();
}

Status conformance::readabilityOf(const Buffer &buffer, size_t count) {
  return buffer.copyTo(*poolOf(std::vector<float>(count)));
}

InputArgument conformance::inputFrom(const Buffer &buffer,
                                     Dimensions dimensions) {
  return {Memory::device(buffer.token()), std::move(dimensions)};
}

OutputArgument conformance::outputTo(const Buffer &buffer,
                                     Dimensions dimensions) {
  return {OutputMemory::device(buffer.token()), std::move(dimensions)};
}
