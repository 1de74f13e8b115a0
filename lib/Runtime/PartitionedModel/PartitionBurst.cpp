//===- PartitionBurst.cpp - Bursts over the steps of a plan ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DividedModel.h"

#include "Runtime/Support/Errors.h"

#include <atomic>
#include <map>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

namespace {
/// Steps of other processes go over bursts, those of this one are called.
class PartitionBurst final : public Burst, private StepExecutor {
public:
  static Result<std::unique_ptr<Burst>>
  create(std::shared_ptr<const DividedModel> model,
         const BurstOptions &options) {
    auto burst = std::make_unique<PartitionBurst>(std::move(model));
    std::map<const PreparedModel *, Burst *> known;
    for (const PreparedStep &step : burst->model->steps()) {
      Burst *&own = known[step.model.get()];
      if (step.isRemote && !own) {
        NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Burst> made,
                               Burst::create(step.model, options));
        own = made.get();
        burst->bursts.push_back(std::move(made));
      }
      burst->ofSteps.push_back(own);
    }
    return std::unique_ptr<Burst>(std::move(burst));
  }

  explicit PartitionBurst(std::shared_ptr<const DividedModel> model)
      : model(std::move(model)) {}

  Status execute(const Request &request, ExecutionResult &result) override {
    if (isInvalid.load(std::memory_order_relaxed))
      return Status(StatusCode::deadObject, "the burst is invalidated");
    if (isBusy.exchange(true, std::memory_order_acquire))
      return failure("another execution of the burst runs");
    Status status = model->executeWith(*this, request, result);
    isBusy.store(false, std::memory_order_release);
    return status;
  }
  void freeMemory(const SharedMemory &memory) override {
    for (const std::unique_ptr<Burst> &burst : bursts)
      burst->freeMemory(memory);
  }
  void invalidate() override {
    isInvalid.store(true, std::memory_order_relaxed);
    for (const std::unique_ptr<Burst> &burst : bursts)
      burst->invalidate();
  }
  uint64_t ordinaryExecutions() const override {
    uint64_t sum = called.load(std::memory_order_relaxed);
    for (const std::unique_ptr<Burst> &burst : bursts)
      sum += burst->ordinaryExecutions();
    return sum;
  }

private:
  Status execute(uint32_t step, const Request &request,
                 ExecutionResult &result) override {
    if (Burst *burst = ofSteps[step])
      return burst->execute(request, result);
    called.fetch_add(1, std::memory_order_relaxed);
    return model->steps()[step].model->execute(request, result);
  }

  std::shared_ptr<const DividedModel> model;
  std::vector<std::unique_ptr<Burst>> bursts;
  /// One per step, null for those that are called.
  std::vector<Burst *> ofSteps;
  std::atomic<bool> isBusy = false;
  std::atomic<bool> isInvalid = false;
  std::atomic<uint64_t> called = 0;
};
} // namespace

Result<std::unique_ptr<Burst>>
DividedModel::createBurst(const BurstOptions &options) const {
  return PartitionBurst::create(shared_from_this(), options);
}
