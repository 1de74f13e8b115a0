//===- NdkBuffer.cpp - Buffers by memory descriptions ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkPreparedModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <atomic>
#include <map>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;

namespace {

/// The memories of living buffers by their tokens.
struct Tokens {
  std::mutex mutex;
  std::map<uint32_t, NdkBufferMemory> memories;
  uint32_t last = 0;
};

Tokens &tokens() {
  static Tokens all;
  return all;
}

std::atomic<uint64_t> sharedCount = 0;

/// Memory of a memory description as a buffer, or shared memory of \p length
/// bytes.
class NdkBuffer final : public rt::Buffer {
public:
  explicit NdkBuffer(NdkMemory memory, size_t length = 0)
      : memory(std::move(memory)) {
    std::scoped_lock lock(tokens().mutex);
    number = ++tokens().last;
    tokens().memories[number] = {this->memory.get(), length};
  }
  ~NdkBuffer() override {
    std::scoped_lock lock(tokens().mutex);
    tokens().memories.erase(number);
  }

  uint32_t token() const override { return number; }
  Status copyTo(const rt::SharedMemory &target) const override {
    NNHAL_ASSIGN_OR_RETURN(NdkMemory other, adopt(target));
    NNHAL_NDK(ANeuralNetworksMemory_copy, memory.get(), other.get());
    return Status::ok();
  }
  Status copyFrom(const rt::SharedMemory &source,
                  std::span<const uint32_t>) override {
    NNHAL_ASSIGN_OR_RETURN(NdkMemory other, adopt(source));
    NNHAL_NDK(ANeuralNetworksMemory_copy, other.get(), memory.get());
    return Status::ok();
  }

private:
  static Result<NdkMemory> adopt(const rt::SharedMemory &pool) {
    ANeuralNetworksMemory *made = nullptr;
    NNHAL_NDK(ANeuralNetworksMemory_createFromFd, pool.size(),
              pool.protection(), pool.fd(), pool.fileOffset(), &made);
    return NdkMemory(made);
  }

  NdkMemory memory;
  uint32_t number = 0;
};

} // namespace

NdkBufferMemory test::memoryOfToken(uint32_t token) {
  std::scoped_lock lock(tokens().mutex);
  auto found = tokens().memories.find(token);
  return found == tokens().memories.end() ? NdkBufferMemory() : found->second;
}

uint64_t test::sharedBuffers() { return sharedCount; }

/// Shared memory for \p tensor, whose extents \p desc may state.
static Result<std::shared_ptr<rt::Buffer>>
allocateShared(const rt::BufferDesc &desc, rt::InterfaceTensor tensor) {
  if (!desc.dimensions.empty())
    tensor.dimensions = desc.dimensions;
  size_t size = rt::byteSizeOf(tensor).value_or(0);
  NNHAL_ASSIGN_OR_RETURN(auto pool, rt::SharedMemory::createAshmem(size));
  ANeuralNetworksMemory *memory = nullptr;
  NNHAL_NDK(ANeuralNetworksMemory_createFromFd, size, PROT_READ | PROT_WRITE,
            pool->fd(), 0, &memory);
  ++sharedCount;
  return std::shared_ptr<rt::Buffer>(
      std::make_shared<NdkBuffer>(NdkMemory(memory), size));
}

Result<std::shared_ptr<rt::Buffer>>
test::allocateFromDesc(const rt::BufferDesc &desc,
                       std::span<const rt::PreparedModelRef> models,
                       std::span<const rt::BufferRole> inputRoles,
                       std::span<const rt::BufferRole> outputRoles) {
  auto modelOf = [&](uint32_t index) -> const NdkPreparedModel & {
    return static_cast<const NdkPreparedModel &>(*models[index]);
  };
  auto handleOf = [&](const rt::BufferRole &role) {
    return modelOf(role.modelIndex).handle();
  };
  ANeuralNetworksMemoryDesc *made = nullptr;
  NNHAL_NDK(ANeuralNetworksMemoryDesc_create, &made);
  NdkMemoryDesc description(made);
  for (const rt::BufferRole &role : inputRoles)
    NNHAL_NDK(ANeuralNetworksMemoryDesc_addInputRole, made, handleOf(role),
              role.ioIndex, role.frequency);
  for (const rt::BufferRole &role : outputRoles)
    NNHAL_NDK(ANeuralNetworksMemoryDesc_addOutputRole, made, handleOf(role),
              role.ioIndex, role.frequency);
  if (!desc.dimensions.empty())
    NNHAL_NDK(ANeuralNetworksMemoryDesc_setDimensions, made,
              uint32_t(desc.dimensions.size()), desc.dimensions.data());
  NNHAL_NDK(ANeuralNetworksMemoryDesc_finish, made);
  ANeuralNetworksMemory *memory = nullptr;
  int code = ANeuralNetworksMemory_createFromDesc(made, &memory);
  // A client has other memory where no device has all of the roles.
  if (code == ANEURALNETWORKS_OP_FAILED && !models.empty() &&
      !modelOf(0).hasOneDevice()) {
    const rt::Interface &interface = models[0]->interface();
    return allocateShared(desc, inputRoles.empty()
                                    ? interface.outputs[outputRoles[0].ioIndex]
                                    : interface.inputs[inputRoles[0].ioIndex]);
  }
  NNHAL_RETURN_IF_ERROR(statusOf(code, "ANeuralNetworksMemory_createFromDesc"));
  return std::shared_ptr<rt::Buffer>(
      std::make_shared<NdkBuffer>(NdkMemory(memory)));
}
