//===- FramePoolTest.cpp - Frames that nobody uses ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Core/Frame.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/Scheduler.h"

#include "AdditionModel.h"
#include "FakeEngine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

constexpr uint64_t arenaSize = FramePool::smallestArena;

/// An addition with an arena and a temporary buffer.
class ArenaModel final : public AdditionModel {
public:
  explicit ArenaModel(const AnnotatedModel &model, uint64_t size = ::arenaSize)
      : AdditionModel(model, size) {}
  Status call(NNHalExecutionContext &context) const override {
    int64_t extent = 1000;
    void *temporary = context.allocate(context.allocateContext, &extent, 1, 1);
    EXPECT_NE(temporary, nullptr);
    return AdditionModel::call(context);
  }
};

class FramePoolTest : public ::testing::Test {
protected:
  FramePoolTest() {
    services.clock = [this] { return now.load(); };
    services.memory = budget;
    services = completeServices(std::move(services));
  }

  /// Lets \p periods pass, and all that is due happen.
  void pass(double periods) {
    now += int64_t(periods * double(FramePool::periodLength));
    // The second function runs after all timers that the first has woken.
    for (int i = 0; i < 2; ++i) {
      std::promise<void> hasRun;
      ASSERT_TRUE(services.reactor->at(0, [&] { hasRun.set_value(); }).isOk());
      hasRun.get_future().wait();
    }
  }
  uint64_t frames() const { return budget->inUse() / arenaSize; }
  /// The first execution of a model, whose frame is not kept.
  void warmUp(FramePool &pool) {
    take(pool);
    EXPECT_EQ(frames(), 0u);
  }
  FramePool::Lease take(FramePool &pool) {
    auto lease = pool.take();
    EXPECT_TRUE(lease.isOk()) << lease.status().message();
    return *std::move(lease);
  }

  std::atomic<int64_t> now = 1'000'000'000'000;
  std::shared_ptr<MemoryBudget> budget =
      std::make_shared<MemoryBudget>(uint64_t(1) << 30);
  DeviceServices services;
  const AnnotatedModel relu = reluModel(1, 1);
};

size_t threadCount() {
  std::filesystem::directory_iterator tasks("/proc/self/task");
  return size_t(std::distance(begin(tasks), end(tasks)));
}

// D-010: a model that is executed once takes no thread to release its arena.
TEST_F(FramePoolTest, keepsNothingOfTheFirstExecution) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  size_t before = threadCount();
  {
    FramePool::Lease lease = take(pool);
    EXPECT_EQ(frames(), 1u);
  }
  EXPECT_EQ(frames(), 0u);
  EXPECT_EQ(threadCount(), before);
  take(pool);
  EXPECT_EQ(frames(), 1u);
  EXPECT_EQ(threadCount(), before + 1);
}

// D-010: the frame of a first execution that has not ended when another one
// begins is kept, and then it is looked at.
TEST_F(FramePoolTest, looksAtFramesAlsoWithoutMemoryForMore) {
  ArenaModel model(relu);
  DeviceServices few = services;
  few.memory = std::make_shared<MemoryBudget>(arenaSize * 3 / 2);
  FramePool pool(model, few);
  {
    FramePool::Lease lease = take(pool);
    EXPECT_EQ(pool.take().status().code(),
              StatusCode::resourceExhaustedTransient);
  }
  EXPECT_GT(few.memory->inUse(), 0u);
  for (int i = 0; i < 2; ++i)
    pass(1.01);
  EXPECT_EQ(few.memory->inUse(), 0u);
}

// A request that is checked on one thread and executed on another takes two
// frames in turn.
TEST_F(FramePoolTest, keepsWhatIsTakenAgainSoon) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  const Frame *first = nullptr;
  {
    auto lease = pool.take(/*isSoonTakenAgain=*/true);
    ASSERT_TRUE(lease.isOk()) << lease.status().message();
    first = lease->get();
  }
  EXPECT_EQ(take(pool).get(), first);
  for (int i = 0; i < 2; ++i)
    pass(1.01);
  EXPECT_EQ(frames(), 0u);
}

// D-010.
TEST_F(FramePoolTest, releasesWhatIsNotUsed) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  warmUp(pool);
  for (int round = 0; round < 3; ++round) {
    take(pool);
    EXPECT_EQ(frames(), 1u);
    pass(0.9);
    EXPECT_EQ(frames(), 1u);
    pass(0.2); // The period of the last use ends.
    EXPECT_EQ(frames(), 1u);
    pass(0.9);
    EXPECT_EQ(frames(), 1u);
    pass(0.2); // A period without a use ends, too.
    EXPECT_EQ(frames(), 0u);
    pass(10);
  }
}

// D-010: an execution now and then keeps its frame.
TEST_F(FramePoolTest, keepsWhatIsUsed) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  warmUp(pool);
  const Frame *first = nullptr;
  {
    FramePool::Lease lease = take(pool);
    first = lease.get();
  }
  for (int round = 0; round < 5; ++round) {
    pass(1.01);
    FramePool::Lease lease = take(pool);
    EXPECT_EQ(lease.get(), first);
  }
  EXPECT_EQ(frames(), 1u);
}

// D-010: those that were needed for a peak go.
TEST_F(FramePoolTest, keepsAsManyAsAreUsed) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  {
    FramePool::Lease a = take(pool), b = take(pool), c = take(pool);
    EXPECT_EQ(frames(), 3u);
  }
  pass(1.01);
  take(pool);
  EXPECT_EQ(frames(), 3u);
  pass(1.01);
  EXPECT_EQ(frames(), 1u);
}

// D-010: a frame in use is nobody else's to release.
TEST_F(FramePoolTest, leavesFramesInUse) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  warmUp(pool);
  FramePool::Lease lease = take(pool);
  for (int i = 0; i < 5; ++i)
    pass(1.01);
  EXPECT_EQ(frames(), 1u);
  lease.reset();
  pass(1.01);
  EXPECT_EQ(frames(), 1u);
  pass(1.01);
  EXPECT_EQ(frames(), 0u);
}

// The first frame goes from thread to thread without a lock, and the end of a
// period looks at it, too.
TEST_F(FramePoolTest, givesAFrameToOneThreadAtATime) {
  ArenaModel model(relu);
  FramePool pool(model, services);
  warmUp(pool);
  constexpr int rounds = 2000;
  auto use = [&] {
    for (int i = 0; i < rounds; ++i) {
      FramePool::Lease lease = take(pool);
      EXPECT_EQ(lease->copiedBytes, 0u); // Not atomic: tsan looks at it.
      lease->copiedBytes = 1;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(use);
  for (int i = 0; i < 20; ++i)
    pass(1.01);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_LE(frames(), threads.size());
  pass(1.01);
  pass(1.01);
  EXPECT_EQ(frames(), 0u);
}

// A slot that was taken while there was none is the right to a frame. Others
// have frames of their own, as have models with large arenas.
TEST_F(FramePoolTest, givesAFrameToTheFirstSlot) {
  ArenaModel model(relu, FramePool::smallestArena - 1);
  FramePool pool(model, services);
  auto takeFor = [](FramePool &from, const Slot &slot) {
    auto lease = from.takeFor(slot);
    EXPECT_TRUE(lease.isOk()) << lease.status().message();
    return *std::move(lease);
  };
  Scheduler scheduler({.slots = 2});
  const Frame *undisturbed = nullptr;
  {
    std::optional<Slot> slot = scheduler.tryTake();
    FramePool::Lease lease = takeFor(pool, *slot);
    undisturbed = lease.get();
    std::optional<Slot> beside = scheduler.tryTake();
    EXPECT_NE(takeFor(pool, *beside).get(), undisturbed);
    lease.reset();
    slot.reset();
    // There is still a slot.
    slot = scheduler.tryTake();
    EXPECT_NE(takeFor(pool, *slot).get(), undisturbed);
  }
  std::optional<Slot> slot = scheduler.tryTake();
  EXPECT_EQ(takeFor(pool, *slot).get(), undisturbed);
  EXPECT_NE(take(pool).get(), undisturbed);

  ArenaModel large(relu);
  FramePool largePool(large, services);
  uint64_t before = budget->inUse();
  takeFor(largePool, *slot);
  EXPECT_EQ(budget->inUse(), before);
}

TEST_F(FramePoolTest, givesTheFrameOfFirstSlotsToOneThreadAtATime) {
  ArenaModel model(relu, FramePool::smallestArena - 1);
  FramePool pool(model, services);
  Scheduler scheduler({.slots = 2});
  std::atomic<int> firsts = 0;
  auto use = [&] {
    for (int i = 0; i < 3000; ++i) {
      auto slot = scheduler.enter({});
      ASSERT_TRUE(slot.isOk()) << slot.status().message();
      firsts += slot->wasFirst();
      auto lease = pool.takeFor(*slot);
      ASSERT_TRUE(lease.isOk()) << lease.status().message();
      EXPECT_EQ((*lease)->copiedBytes, 0u); // Not atomic: tsan looks at it.
      (*lease)->copiedBytes = 1;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(use);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_GT(firsts, 0);
}

TEST_F(FramePoolTest, keepsSmallArenas) {
  ArenaModel model(relu, FramePool::smallestArena - 1);
  FramePool pool(model, services);
  take(pool);
  pass(5);
  EXPECT_GT(budget->inUse(), 0u);
}

TEST_F(FramePoolTest, endsWithItsModel) {
  {
    ArenaModel model(relu);
    FramePool pool(model, services);
    take(pool);
  }
  EXPECT_EQ(frames(), 0u);
  pass(5);
}

// D-010: through the device; the next execution makes its arena anew.
TEST_F(FramePoolTest, isThatOfPreparedModels) {
  auto device =
      createDevice(std::make_unique<OneModelBackend<ArenaModel>>(), services);
  auto model = device->prepareModel(relu);
  ASSERT_TRUE(model.isOk()) << model.status().message();
  float input = 4, output = 0;
  Request request;
  request.inputs = {{Memory::borrow(std::as_bytes(std::span(&input, 1))), {}}};
  request.outputs = {
      {OutputMemory::borrow(std::as_writable_bytes(std::span(&output, 1))),
       {}}};
  for (int round = 0; round < 3; ++round) {
    ExecutionResult result;
    output = 0;
    EXPECT_EQ((*model)->execute(request, result).message(), "");
    EXPECT_EQ(output, 5);
    EXPECT_EQ(budget->inUse(), round == 0 ? 0 : arenaSize);
    for (int i = 0; i < 2; ++i)
      pass(1.01);
    EXPECT_EQ(budget->inUse(), 0u);
  }
}

} // namespace
