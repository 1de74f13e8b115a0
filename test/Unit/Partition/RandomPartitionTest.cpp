//===- RandomPartitionTest.cpp - Random graphs on random devices ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NNHAL_PARTITION_GRAPHS is the number of graphs; NNHAL_PARTITION_FIRST the
// first seed.
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Generator.h"
#include "Tools/Verify/Rewrite.h"

#include <algorithm>
#include <cstdlib>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;
using nnhal::randomgraph::Tensors;

namespace {

uint64_t setting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Executes over a burst.
class OverBurst final : public PreparedModel {
public:
  explicit OverBurst(const PartitionedModel &model)
      : model(model), burst(model.createBurst({})) {}

  const Interface &interface() const override { return model.interface(); }
  Status execute(const Request &request,
                 ExecutionResult &result) const override {
    return burst.isOk() ? (*burst)->execute(request, result) : burst.status();
  }
  Status executeAsync(Request request,
                      ExecutionCallback callback) const override {
    return model.executeAsync(std::move(request), std::move(callback));
  }
  Result<std::shared_ptr<FencedExecution>>
  executeFenced(Request request, std::vector<FenceRef> waitFor,
                std::optional<uint64_t> duration) const override {
    return model.executeFenced(std::move(request), std::move(waitFor),
                               duration);
  }

private:
  const PartitionedModel &model;
  Result<std::unique_ptr<Burst>> burst;
};

/// How devices fail.
enum class Fault { none, preparation, execution, later, death };

struct Tally {
  uint64_t graphs = 0;
  uint64_t divided = 0;
  uint64_t threeSteps = 0;
  /// Graphs of eight operations or more, which leave room for several steps,
  /// and those of them that have three.
  uint64_t large = 0;
  uint64_t largeInThreeSteps = 0;
  uint64_t interpreted = 0;
  uint64_t fallbacks = 0;
};

class RandomPartitionTest : public PartitionTesting {
protected:
  /// Whether an output of \p model is one whose contents mean nothing.
  static bool isUnspecified(const Model &model, size_t output) {
    uint32_t operand = model.main.outputIndexes[output];
    for (const Operation &operation : model.main.operations) {
      auto place = std::ranges::find(operation.outputs, operand);
      if (place != operation.outputs.end())
        return nnhal::verify::isUnspecified(
            operation.type, size_t(place - operation.outputs.begin()));
    }
    return false;
  }

  /// Whether the devices speak versions of the HAL that seeds draw.
  bool areOlder = false;

  static void inject(Fault fault, SyntheticState &state) {
    switch (fault) {
    case Fault::none:
    case Fault::preparation: // Set before.
      break;
    case Fault::execution:
      state.failExecutions = StatusCode::generalFailure;
      break;
    case Fault::later:
      state.failExecutions = StatusCode::resourceExhaustedTransient;
      state.failFrom = state.executions + 1;
      state.failCount = 1;
      break;
    case Fault::death:
      state.isDead = true;
      break;
    }
  }

  void expectSame(const Model &model, const Result<Tensors> &expected,
                  const Result<Tensors> &actual) {
    ASSERT_EQ(actual.isOk(), expected.isOk())
        << actual.status().message() << " / " << expected.status().message();
    if (!expected.isOk())
      return;
    for (size_t i = 0; i < expected->size(); ++i) {
      EXPECT_EQ((*actual)[i].dimensions, (*expected)[i].dimensions);
      if (!isUnspecified(model, i))
        EXPECT_EQ((*actual)[i].bytes, (*expected)[i].bytes) << "output " << i;
    }
  }

  void runSeed(uint64_t seed, Fault fault, Tally &tally) {
    auto test = nnhal::randomgraph::generateGraph(*reference, seed);
    ASSERT_TRUE(test.isOk()) << test.status().message();
    AnnotatedModel model;
    model.model = test->model;
    // Small graphs have nothing to divide.
    if (model.model.main.operations.size() < 3)
      return;
    synthetic.clear();
    older.clear();
    devices = {reference.get()};
    std::vector<SyntheticDevice *> added;
    for (unsigned i = 0; i < 3; ++i) {
      SyntheticOptions drawn =
          drawDevice(seed, i, 30 + unsigned(seed % 5) * 15);
      added.push_back(&(areOlder
                            ? addOlder(drawn, HalVersion((seed / 3 + i) % 4))
                            : add(drawn)));
    }
    if (fault == Fault::preparation)
      added[seed % 3]->state->failPreparations = StatusCode::generalFailure;
    options.planner = seed % 2 ? Planner::greedy : Planner::leastCost;
    // Three in four of the cheapest plans are for steps that cost next to
    // nothing: the operations of random graphs are too small to be moved
    // otherwise.
    options.stepCost.reset();
    if (seed % 8 != 6)
      options.stepCost = 1.0;
    auto divided = prepare(model);
    ASSERT_TRUE(divided.isOk()) << divided.status().message();
    auto whole = reference->prepareModel(model);
    ASSERT_TRUE(whole.isOk()) << whole.status().message();
    const PartitionPlan &plan = (*divided)->plan();
    if (options.planner == Planner::leastCost && fault == Fault::none)
      EXPECT_LE(plan.estimate, plan.singleDeviceEstimate);
    OverBurst burst(**divided);
    const PreparedModel &executed =
        seed % 3 == 0 ? static_cast<const PreparedModel &>(burst) : **divided;
    for (const auto &example : test->examples)
      for (int repetition = 0; repetition < 2; ++repetition) {
        inject(fault, *added[(seed + 1) % 3]->state);
        expectSame(model.model,
                   nnhal::randomgraph::execute(**whole, example.inputs),
                   nnhal::randomgraph::execute(executed, example.inputs));
      }
    FallbackReport report = (*divided)->fallbacks();
    tally.graphs += 1;
    tally.divided += !plan.isSimple();
    bool hasThree = plan.steps.size() >= 3;
    tally.threeSteps += hasThree;
    bool isLarge = model.model.main.operations.size() >= 8;
    tally.large += isLarge;
    tally.largeInThreeSteps += isLarge && hasThree;
    tally.interpreted += std::ranges::any_of(plan.steps, [](const auto &step) {
      return step.kind != PartitionStep::Kind::execute;
    });
    tally.fallbacks +=
        report.atPreparation || report.steps > 0 || report.models > 0;
  }

  Tally runAll(Fault fault, uint64_t share) {
    uint64_t first = setting("NNHAL_PARTITION_FIRST", 0);
    uint64_t count = setting("NNHAL_PARTITION_GRAPHS", 200) / share;
    Tally tally;
    for (uint64_t seed = first; tally.graphs < count; ++seed) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed);
      runSeed(seed, fault, tally);
      if (HasFatalFailure())
        break;
    }
    std::printf(
        "%llu graphs, %llu divided, %llu in 3 steps or more (%llu of "
        "%llu with 8 operations or more), %llu with interpreted "
        "control flow, %llu fell back\n",
        (unsigned long long)tally.graphs, (unsigned long long)tally.divided,
        (unsigned long long)tally.threeSteps,
        (unsigned long long)tally.largeInThreeSteps,
        (unsigned long long)tally.large, (unsigned long long)tally.interpreted,
        (unsigned long long)tally.fallbacks);
    return tally;
  }
};

// I-089
TEST_F(RandomPartitionTest, DividedModelsComputeWhatOneDeviceComputes) {
  Tally tally = runAll(Fault::none, 1);
  EXPECT_GT(2 * tally.divided, tally.graphs);
  EXPECT_GT(2 * tally.largeInThreeSteps, tally.large);
}

// I-050
TEST_F(RandomPartitionTest, DevicesThatFailEveryExecution) {
  EXPECT_GT(runAll(Fault::execution, 2).fallbacks, 0u);
}

// I-064, I-073: every step complies with the version of its device.
TEST_F(RandomPartitionTest, DevicesOfOlderVersions) {
  areOlder = true;
  Tally tally = runAll(Fault::none, 1);
  EXPECT_GT(2 * tally.divided, tally.graphs);
  runAll(Fault::later, 4);
  runAll(Fault::death, 4);
}

TEST_F(RandomPartitionTest, DevicesThatFailOneExecution) {
  EXPECT_GT(runAll(Fault::later, 2).fallbacks, 0u);
}

TEST_F(RandomPartitionTest, DevicesThatPrepareNothing) {
  EXPECT_GT(runAll(Fault::preparation, 2).fallbacks, 0u);
}

// I-054
TEST_F(RandomPartitionTest, DevicesThatDie) {
  EXPECT_GT(runAll(Fault::death, 2).fallbacks, 0u);
}

} // namespace
