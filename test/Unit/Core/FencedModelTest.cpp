//===- FencedModelTest.cpp - Executions that end with a fence -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/GpuLoader/FencedModel.h"

#include "Faults/Allocations.h"
#include "nnhal/Runtime/Fence.h"
#include "nnhal/Runtime/Reactor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <unistd.h>

using namespace nnhal::rt;

namespace {

/// Code whose executions end when the test closes the other end of a pipe, and
/// which counts those that were concluded.
class PipeCode final : public GpuCode {
public:
  explicit PipeCode(std::atomic<int> &concluded) : concluded(concluded) {}

  const Interface &interface() const override { return face; }
  Status run(Invocation &) const override { return Status::ok(); }
  bool hasSyncFiles() const override { return true; }
  Result<GpuLaunch> launch(Invocation &) const override {
    int ends[2];
    if (::pipe(ends) != 0)
      return Status(StatusCode::generalFailure, "no pipe");
    GpuLaunch launched;
    launched.syncFile = UniqueFd(ends[0]);
    launched.isWhole = true;
    running = UniqueFd(ends[1]);
    return launched;
  }
  Status conclude(Invocation &) const override {
    ++concluded;
    return Status::ok();
  }

  mutable UniqueFd running;

private:
  Interface face;
  std::atomic<int> &concluded;
};

struct CountedCompletion final : Completion {
  void complete(Status status) noexcept override {
    EXPECT_TRUE(status.isOk()) << status.message();
    told = true;
    told.notify_all();
  }
  std::atomic<bool> told{false};
};

// Arguments are in use until the GPU has finished: an execution that has begun
// is concluded, whatever allocation fails after that.
TEST(FencedModelTest, ConcludesWithoutMemory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "operator new is another library's";
  DeviceServices services;
  services.reactor = Reactor::create();
  std::atomic<int> concluded{0};
  auto owned = std::make_unique<PipeCode>(concluded);
  PipeCode &code = *owned;
  std::unique_ptr<LoadedModel> model = createFencedModel(std::move(owned));
  bool hasFailed = true;
  int count = 0;
  for (; hasFailed; ++count) {
    Invocation invocation;
    invocation.services = &services;
    invocation.wantsFence = true;
    CountedCompletion completion;
    {
      AllocationFailure failure{size_t(count)};
      Status status;
      EXPECT_NO_THROW(status = model->submit(invocation, completion));
      EXPECT_TRUE(status.isOk()) << status.message();
      hasFailed = failure.hasFailed();
    }
    EXPECT_EQ(concluded, hasFailed ? count + 1 : count);
    if (!hasFailed)
      code.running = UniqueFd();
    completion.told.wait(false);
    EXPECT_EQ(concluded, count + 1);
  }
  EXPECT_GT(count, 1);
}

} // namespace
