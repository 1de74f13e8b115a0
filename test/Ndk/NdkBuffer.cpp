//===- NdkBuffer.cpp - Buffers by memory descriptions ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NdkPreparedModel.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <map>

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;

namespace {

/// The memories of living buffers by their tokens.
struct Tokens {
  std::mutex mutex;
  std::map<uint32_t, ANeuralNetworksMemory *> memories;
  uint32_t last = 0;
};

Tokens &tokens() {
  static Tokens all;
  return all;
}

/// Memory of a memory description as a buffer.
class NdkBuffer final : public rt::Buffer {
public:
  explicit NdkBuffer(NdkMemory memory) : memory(std::move(memory)) {
    std::scoped_lock lock(tokens().mutex);
    number = ++tokens().last;
    tokens().memories[number] = this->memory.get();
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

ANeuralNetworksMemory *test::memoryOfToken(uint32_t token) {
  std::scoped_lock lock(tokens().mutex);
  auto found = tokens().memories.find(token);
  return found == tokens().memories.end() ? nullptr : found->second;
}

Result<std::shared_ptr<rt::Buffer>>
test::allocateFromDesc(const rt::BufferDesc &desc,
                       std::span<const rt::PreparedModelRef> models,
                       std::span<const rt::BufferRole> inputRoles,
                       std::span<const rt::BufferRole> outputRoles) {
  auto handleOf = [&](const rt::BufferRole &role) {
    return static_cast<const NdkPreparedModel &>(*models[role.modelIndex])
        .handle();
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
  NNHAL_NDK(ANeuralNetworksMemory_createFromDesc, made, &memory);
  return std::shared_ptr<rt::Buffer>(
      std::make_shared<NdkBuffer>(NdkMemory(memory)));
}
