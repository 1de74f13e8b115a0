//===- SharingChoiceTest.cpp - Whether sharing loops pays -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Core/SharingChoice.h"

#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Runtime/MemoryBudget.h"
#include "nnhal/Runtime/WorkPool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

using namespace nnhal::rt;

namespace {

// Nanoseconds that a line of the caches takes from core to core.
constexpr int64_t near = 40;
constexpr int64_t far = 210;

/// A model as it was measured with near and with far cores: threads divide what
/// it takes on one, and wait for so many lines one after the other.
struct SimulatedModel {
  int64_t alone;
  int64_t lines;

  int64_t shared(int64_t line, int64_t threads = 2) const {
    return alone / threads + lines * line;
  }
};
constexpr SimulatedModel selfieSegmentation = {401'000, 1170};
constexpr SimulatedModel faceDetection = {311'000, 1000};
constexpr SimulatedModel cocoSsd = {2'344'000, 2400};
constexpr SimulatedModel keywordSpotting = {14'000, 45};

/// The sum of some executions.
struct Sum {
  int64_t executions = 0;
  int64_t shared = 0;
  int64_t timed = 0;
  int64_t time = 0;
};

/// \p sharedTime and \p aloneTime say what the next execution takes.
Sum execute(SharingChoice &choice, int64_t executions,
            const std::function<int64_t()> &sharedTime,
            const std::function<int64_t()> &aloneTime) {
  Sum sum;
  sum.executions = executions;
  for (int64_t i = 0; i < executions; ++i) {
    int64_t time = choice.sharesNext() ? sharedTime() : aloneTime();
    sum.shared += choice.sharesNext();
    sum.timed += choice.timesNext();
    sum.time += time;
    choice.ended(choice.timesNext() ? time : 0);
  }
  return sum;
}

Sum execute(SharingChoice &choice, int64_t executions,
            const SimulatedModel &model, int64_t line) {
  return execute(
      choice, executions, [&] { return model.shared(line); },
      [&] { return model.alone; });
}

} // namespace

TEST(SharingChoiceTest, SharesAtFirst) {
  SharingChoice choice(2);
  Sum sum = execute(choice, 300, selfieSegmentation, far);
  EXPECT_EQ(sum.shared, 300);
  EXPECT_EQ(sum.timed, 0);
}

TEST(SharingChoiceTest, LosesLittleWhereCoresAreNear) {
  for (const SimulatedModel &model :
       {selfieSegmentation, faceDetection, cocoSsd, keywordSpotting}) {
    for (int64_t executions : {400, 1000, 20'000}) {
      SharingChoice choice(2);
      Sum sum = execute(choice, executions, model, near);
      EXPECT_LE(double(sum.time),
                1.01 * double(executions * model.shared(near)))
          << model.alone << ' ' << executions;
    }
  }
}

TEST(SharingChoiceTest, IsNotSlowerThanOneThreadWhereCoresAreFar) {
  for (const SimulatedModel &model :
       {selfieSegmentation, faceDetection, keywordSpotting}) {
    ASSERT_GT(model.shared(far), model.alone);
    SharingChoice choice(2);
    execute(choice, 400, model, far);
    Sum sum = execute(choice, 10'000, model, far);
    EXPECT_LE(double(sum.time), 1.01 * double(10'000 * model.alone))
        << model.alone;
  }
}

TEST(SharingChoiceTest, SharesAmongFarCoresWhereThatPays) {
  ASSERT_LT(cocoSsd.shared(far), cocoSsd.alone);
  SharingChoice choice(2);
  Sum sum = execute(choice, 10'000, cocoSsd, far);
  EXPECT_LE(double(sum.time), 1.01 * double(10'000 * cocoSsd.shared(far)));
}

TEST(SharingChoiceTest, FollowsCoresThatMove) {
  SharingChoice choice(2);
  for (int i = 0; i < 3; ++i) {
    execute(choice, 1000, selfieSegmentation, near);
    EXPECT_GE(execute(choice, 1000, selfieSegmentation, near).shared, 980);
    execute(choice, 1000, selfieSegmentation, far);
    EXPECT_LE(execute(choice, 1000, selfieSegmentation, far).shared, 60);
  }
}

TEST(SharingChoiceTest, IsNotMisledByInterruptions) {
  std::minstd_rand random(7);
  auto interrupted = [&](int64_t time) {
    return time + int64_t(random() % (uint64_t(time) / 20)) +
           (random() % 20 == 0 ? 3'000'000 : 0);
  };
  for (int64_t line : {near, far}) {
    SharingChoice choice(2);
    auto sharedTime = [&] {
      return interrupted(selfieSegmentation.shared(line));
    };
    auto aloneTime = [&] { return interrupted(selfieSegmentation.alone); };
    execute(choice, 2000, sharedTime, aloneTime);
    Sum sum = execute(choice, 50'000, sharedTime, aloneTime);
    int64_t wrong = line == near ? sum.executions - sum.shared : sum.shared;
    EXPECT_LT(wrong, sum.executions / 20) << line;
  }
}

TEST(SharingChoiceTest, KeepsItsWayWhereBothAreTheSame) {
  for (int64_t time : {0, 1, 1000}) {
    SharingChoice choice(2);
    Sum sum =
        execute(choice, 10'000, [&] { return time; }, [&] { return time; });
    EXPECT_GT(sum.shared, 9400);
    EXPECT_LT(sum.timed, 1000);
  }
}

TEST(SharingChoiceTest, TriesLessOftenWhatCostsMore) {
  auto aloneOf = [](unsigned threads) {
    SharingChoice choice(threads);
    Sum sum = execute(
        choice, 100'000,
        [&] { return selfieSegmentation.shared(near, threads); },
        [] { return selfieSegmentation.alone; });
    EXPECT_LE(double(sum.time),
              1.01 * 100'000 *
                  double(selfieSegmentation.shared(near, threads)));
    return sum.executions - sum.shared;
  };
  EXPECT_GT(aloneOf(16), 0);
  EXPECT_LT(aloneOf(16), aloneOf(2) / 3);
}

namespace {

/// Takes so many microseconds with workers, and without them.
class SpinningModel final : public HostCodeModel {
public:
  SpinningModel(int shared, int alone, bool hasLoop = true)
      : shared(shared), alone(alone), hasLoop(hasLoop) {}
  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 0; }
  Status call(NNHalExecutionContext &context) const override {
    auto nothing = [](void *, int64_t, int64_t) {};
    wasShared = context.parallelFor;
    if (wasShared && hasLoop)
      context.parallelFor(context.parallelForContext, nothing, nullptr,
                          /*count=*/1, /*grain=*/1);
    auto end = std::chrono::steady_clock::now() +
               std::chrono::microseconds(wasShared ? shared : alone);
    while (std::chrono::steady_clock::now() < end) {
    }
    return status;
  }

  Status status = Status::ok();
  mutable bool wasShared = false;

private:
  Interface face;
  int shared, alone;
  bool hasLoop;
};

/// Executes models on a pool of threads.
class SharingTest : public testing::Test {
protected:
  void SetUp() override {
    auto workers = WorkPool::create(2);
    ASSERT_TRUE(workers.isOk());
    services.workers = *std::move(workers);
    services.memory = std::make_shared<MemoryBudget>(uint64_t(1) << 20);
  }
  /// Executes \p model so often; the most executions in a row without workers.
  int longestAlone(const SpinningModel &model, int most, int enough) {
    auto workspace = model.createWorkspace(services.memory);
    EXPECT_TRUE(workspace.isOk());
    std::atomic<uint32_t> cancelFlag = 0;
    Invocation invocation;
    invocation.workspace = workspace->get();
    invocation.services = &services;
    invocation.cancelFlag = &cancelFlag;
    int alone = 0, longest = 0;
    for (int i = 0; i < most && longest < enough; ++i) {
      EXPECT_EQ(model.run(invocation).code(), model.status.code());
      alone = model.wasShared ? 0 : alone + 1;
      longest = std::max(longest, alone);
    }
    return longest;
  }
  DeviceServices services;
};

} // namespace

TEST_F(SharingTest, LeavesWorkersAloneThatMakeAModelSlower) {
  EXPECT_EQ(longestAlone(SpinningModel(200, 10), 20'000, 50), 50);
}

TEST_F(SharingTest, KeepsWorkersThatMakeAModelFaster) {
  int longest = longestAlone(SpinningModel(5, 200), 2000, 50);
  EXPECT_GT(longest, 0);
  EXPECT_LT(longest, 50);
}

TEST_F(SharingTest, TriesNothingForModelsWithoutLoops) {
  EXPECT_EQ(longestAlone(SpinningModel(0, 0, /*hasLoop=*/false), 2000, 50), 0);
}

TEST_F(SharingTest, TriesNothingWhereExecutionsFail) {
  SpinningModel model(0, 0);
  model.status = Status(StatusCode::missedDeadlineTransient, "late");
  EXPECT_EQ(longestAlone(model, 2000, 50), 0);
}

TEST_F(SharingTest, HasNoChoiceOnOneThread) {
  services.workers = *WorkPool::create(1);
  EXPECT_EQ(longestAlone(SpinningModel(0, 0), 1000, 1000), 1000);
  services.workers = nullptr;
  EXPECT_EQ(longestAlone(SpinningModel(0, 0), 1000, 1000), 1000);
}
