//===- BurstExecutor.cpp - Executes requests of a burst -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BurstExecutor.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <unordered_map>

using namespace nnhal::rt;

namespace {
class PreparedModelExecutor final : public BurstExecutor {
public:
  PreparedModelExecutor(std::shared_ptr<const PreparedModel> model,
                        BurstCache cache)
      : model(std::move(model)), cache(cache) {}

  void addCacheEntry(int32_t slot,
                     std::shared_ptr<SharedMemory> memory) override {
    memories.insert_or_assign(slot, std::move(memory));
  }
  void removeCacheEntry(int32_t slot) override {
    memories.erase(slot);
    unbind(); // The last request may refer to it.
  }
  bool isCacheEntryPresent(int32_t slot) const override {
    return memories.contains(slot);
  }
  Status bind(const BurstRequest &request) override;
  bool isBound() const override { return hasArguments; }
  Status execute(ExecutionResult &result) override;

private:
  using Pools = std::vector<std::shared_ptr<SharedMemory>>;

  Status collectPools(std::span<const int32_t> slots);
  Status bindArguments(const BurstRequest &request);
  void unbind();

  const std::shared_ptr<const PreparedModel> model;
  const BurstCache cache;
  std::unordered_map<int32_t, std::shared_ptr<SharedMemory>> memories;
  // Kept for their memory from one execution to the next.
  Pools pools;
  Request bound;
  bool hasArguments = false;
};
} // namespace

void PreparedModelExecutor::unbind() {
  pools.clear();
  bound = {};
  hasArguments = false;
}

Status PreparedModelExecutor::collectPools(std::span<const int32_t> slots) {
  pools.clear();
  for (int32_t slot : slots) {
    auto found = memories.find(slot);
    if (found == memories.end())
      return badData("slot {} of a burst has no memory", slot);
    pools.push_back(found->second);
  }
  return Status::ok();
}

static Status checkPool(const char *name, size_t index,
                        const BurstRequest::Operand &operand, size_t pools) {
  if (operand.poolIndex >= pools)
    return badData("{} {} is in pool {} of a packet, which has {}", name, index,
                   operand.poolIndex, pools);
  return Status::ok();
}

Status PreparedModelExecutor::bindArguments(const BurstRequest &request) {
  NNHAL_RETURN_IF_ERROR(collectPools(request.slots));
  bound.measureTiming = request.measureTiming;
  bound.inputs.resize(request.inputs.size());
  bound.outputs.resize(request.outputs.size());
  for (size_t i = 0; i < request.inputs.size(); ++i) {
    const BurstRequest::Operand &operand = request.inputs[i];
    bound.inputs[i].dimensions = operand.dimensions;
    if (operand.hasNoValue) {
      bound.inputs[i].memory = Memory();
      continue;
    }
    NNHAL_RETURN_IF_ERROR(checkPool("input", i, operand, pools.size()));
    bound.inputs[i].memory = Memory::region(pools[operand.poolIndex],
                                            operand.offset, operand.length);
  }
  for (size_t i = 0; i < request.outputs.size(); ++i) {
    const BurstRequest::Operand &operand = request.outputs[i];
    bound.outputs[i].dimensions = operand.dimensions;
    if (operand.hasNoValue)
      return badData("output {} of a packet has no value", i);
    NNHAL_RETURN_IF_ERROR(checkPool("output", i, operand, pools.size()));
    bound.outputs[i].memory = OutputMemory::region(
        pools[operand.poolIndex], operand.offset, operand.length);
  }
  return Status::ok();
}

Status PreparedModelExecutor::bind(const BurstRequest &request) {
  hasArguments = false;
  Status status = bindArguments(request);
  hasArguments = status.isOk();
  if (cache == BurstCache::none && !hasArguments) {
    memories.clear();
    unbind();
  }
  return status;
}

Status PreparedModelExecutor::execute(ExecutionResult &result) {
  Status status = model->execute(bound, result);
  if (cache == BurstCache::none) {
    memories.clear();
    unbind();
  }
  return status;
}

std::unique_ptr<BurstExecutor>
nnhal::rt::createBurstExecutor(std::shared_ptr<const PreparedModel> model,
                               BurstCache cache) {
  return std::make_unique<PreparedModelExecutor>(std::move(model), cache);
}
