//===- MemoryTest.cpp - The memory between steps --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionTesting.h"

#include "Faults/Allocations.h"
#include "Faults/SystemCalls.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <barrier>
#include <cerrno>
#include <filesystem>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

using enum OperationType;

namespace {

/// The chain over two devices, the second of which may be in another process.
class MemoryTest : public PartitionTesting {
protected:
  std::shared_ptr<PartitionedModel> chain(bool isRemote = false) {
    first = &add("a", {ADD, MUL});
    SyntheticOptions made;
    made.name = "b";
    made.supports = supportsOnly({ABS, FLOOR});
    made.isRemote = isRemote;
    made.cacheFiles = {1, 0};
    second = &add(made);
    auto model = prepare(chainModel());
    EXPECT_EQ(model.status().message(), "");
    return *model;
  }

  SyntheticDevice *first = nullptr;
  SyntheticDevice *second = nullptr;
};

/// The address of the temporary that a step reads.
const std::byte *temporaryOf(const Request &request, size_t input) {
  auto bytes = request.inputs[input].memory.bytes();
  return bytes.isOk() ? bytes->data() : nullptr;
}

// I-055: one memory, each value aligned; kept for the next execution.
TEST_F(MemoryTest, ValuesBetweenStepsLieInOneMemory) {
  auto model = chain();
  std::vector<const std::byte *> places;
  first->state->onExecution = [&](const Request &request) {
    places.push_back(
        std::get<OutputMemory::Borrowed>(request.outputs[0].memory.kind())
            .data);
  };
  second->state->onExecution = [&](const Request &request) {
    places.push_back(temporaryOf(request, 0));
  };
  ChainArguments arguments;
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(model->execute(arguments.request, arguments.result).message(),
              "");
  ASSERT_EQ(places.size(), 8u);
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[2] - places[0], 2 * 64);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(places[0]) % 64, 0u);
  EXPECT_TRUE(
      std::equal(places.begin(), places.begin() + 4, places.begin() + 4));
  EXPECT_GE(model->memoryUse().arena, 3 * 64u);
}

// G-068, I-055: a device of another process shares the memory by its
// descriptor.
TEST_F(MemoryTest, RemoteStepsShareTheMemory) {
  auto model = chain(/*isRemote=*/true);
  std::shared_ptr<const SharedMemory> pool;
  second->state->onExecution = [&](const Request &request) {
    const auto *region =
        std::get_if<Memory::Descriptor>(&request.inputs[0].memory.kind());
    ASSERT_NE(region, nullptr);
    EXPECT_TRUE(!pool || pool == region->pool);
    pool = region->pool;
  };
  for (int i = 0; i < 2; ++i) {
    auto result = run(*model, chainInputs());
    ASSERT_TRUE(result.isOk()) << result.status().message();
    EXPECT_EQ(*result, chainResult());
  }
  EXPECT_TRUE(pool);
  auto burst = model->createBurst({});
  ASSERT_TRUE(burst.isOk()) << burst.status().message();
  ChainArguments arguments;
  EXPECT_EQ((*burst)->execute(arguments.request, arguments.result).message(),
            "");
  EXPECT_EQ(arguments.output, chainResult());
  // The steps of this process are called, the others go over the queues.
  EXPECT_EQ((*burst)->ordinaryExecutions(), 2u);
}

// I-057
TEST_F(MemoryTest, ExecutionsAtTheSameTimeHaveTheirOwn) {
  auto model = chain();
  std::barrier together(2);
  std::vector<const std::byte *> places;
  std::mutex mutex;
  second->state->onExecution = [&](const Request &request) {
    std::lock_guard lock(mutex);
    places.push_back(temporaryOf(request, 0));
  };
  auto work = [&](float scale) {
    std::vector<std::vector<float>> inputs = chainInputs();
    for (float &value : inputs[0])
      value *= scale;
    auto whole = reference->prepareModel(chainModel());
    for (int i = 0; i < 200; ++i) {
      if (i == 0)
        together.arrive_and_wait();
      EXPECT_EQ(*run(*model, inputs), *run(**whole, inputs));
    }
  };
  std::thread other(work, 3.0f);
  work(5.0f);
  other.join();
}

// I-055: executions in a row allocate nothing beside what devices do.
TEST_F(MemoryTest, ExecutionsInARowAllocateNothingOfTheirOwn) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are not counted";
  auto whole = reference->prepareModel(chainModel());
  ASSERT_TRUE(whole.isOk());
  auto model = chain();
  // Each step by itself, for what the reference device allocates in it.
  size_t inSteps = 0;
  ChainArguments arguments;
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(model->execute(arguments.request, arguments.result).message(),
              "");
  size_t begin = allocationsOfThisThread();
  ASSERT_EQ(model->execute(arguments.request, arguments.result).message(), "");
  size_t divided = allocationsOfThisThread() - begin;
  for (const auto &role :
       {model->rolesOfInput(0)[0], model->rolesOfOutput(0)[0]}) {
    std::vector<float> in(4), out(4);
    Request request;
    request.inputs.assign(role.model->interface().inputs.size(),
                          {Memory::borrow(std::as_bytes(std::span(in))), {}});
    request.outputs = {
        {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}}};
    ExecutionResult result;
    for (int i = 0; i < 2; ++i) {
      begin = allocationsOfThisThread();
      ASSERT_EQ(role.model->execute(request, result).message(), "");
    }
    inSteps += allocationsOfThisThread() - begin;
  }
  // ADD and FLOOR of the four steps were counted; MUL costs what ADD does and
  // ABS what FLOOR does.
  EXPECT_EQ(divided, 2 * inSteps);
}

// I-059
TEST_F(MemoryTest, WithoutMemoryTheWholeModelFallsBack) {
  auto model = chain(/*isRemote=*/true);
  ChainArguments arguments;
  {
    SystemCallFailure failure(SystemCall::memfdCreate, ENOMEM);
    EXPECT_EQ(model->execute(arguments.request, arguments.result).message(),
              "");
  }
  EXPECT_EQ(arguments.output, chainResult());
  EXPECT_EQ(model->fallbacks().models, 1u);
  EXPECT_EQ(model->fallbacks().firstCause.code(),
            StatusCode::resourceExhaustedTransient);
  options.mode = PartitionMode::withoutFallback;
  auto alone = prepare(chainModel());
  ASSERT_TRUE(alone.isOk());
  SystemCallFailure failure(SystemCall::memfdCreate, ENOMEM);
  EXPECT_EQ((*alone)->execute(arguments.request, arguments.result).code(),
            StatusCode::resourceExhaustedTransient);
}

TEST_F(MemoryTest, AllocationsThatFailAreReported) {
  options.mode = PartitionMode::withoutFallback;
  auto model = chain();
  ChainArguments arguments;
  auto failures = failuresWithoutMemory(
      [&] { return model->execute(arguments.request, arguments.result); });
  for (const std::string &failure : failures)
    EXPECT_TRUE(failure.starts_with("RESOURCE_EXHAUSTED_TRANSIENT: "))
        << failure;
  if (AllocationFailure::isPossible())
    EXPECT_TRUE(failures.contains("RESOURCE_EXHAUSTED_TRANSIENT: no memory to "
                                  "execute the steps of the model"));
  auto made = std::make_shared<AnnotatedModel>(chainModel());
  failures = failuresWithoutMemory([&] {
    return preparePartitioned(made, devices, reference.get(), options).status();
  });
  for (const std::string &failure : failures)
    EXPECT_TRUE(failure.find("RESOURCE_EXHAUSTED_TRANSIENT: ") == 0) << failure;
  if (AllocationFailure::isPossible())
    EXPECT_TRUE(failures.contains("RESOURCE_EXHAUSTED_TRANSIENT: no memory to "
                                  "divide the model"));
}

// E-035, I-030: each step has a token of its own, made from its operations.
TEST_F(MemoryTest, StepsHaveTokens) {
  auto directory = std::filesystem::temp_directory_path() /
                   ("partition-" + std::to_string(::getpid()));
  std::filesystem::create_directory(directory);
  CompilationCache::Options cacheOptions;
  cacheOptions.directory = directory.string();
  CompilationCache cache(cacheOptions);
  CacheToken token = {};
  token[0] = 7;
  options.cache = &cache;
  options.token = token;
  auto model = chain();
  auto reports = model->cacheReports();
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports[0].outcome, CacheOutcome::off); // "a" keeps no caches.
  EXPECT_EQ(reports[1].outcome, CacheOutcome::missAbsent);
  ASSERT_EQ(second->state->options.size(), 2u);
  for (uint32_t i : {0u, 1u}) {
    SourceOperation source{0, i == 0 ? 1u : 3u};
    auto expected = CompilationCache::tokenFor(
        *second, token, std::span(&source, 1), options.prepare);
    ASSERT_TRUE(expected.has_value());
    EXPECT_EQ(second->state->options[i].token, *expected);
  }
  // A simple plan adds no operations.
  SyntheticOptions all;
  all.name = "all";
  all.cacheFiles = {1, 0};
  all.capabilities = uniformCapabilities({0.1f, 0.1f});
  SyntheticDevice &single = add(all);
  ASSERT_TRUE(prepare(chainModel()).isOk());
  EXPECT_EQ(single.state->options[0].token,
            *CompilationCache::tokenFor(single, token, {}, options.prepare));
  std::filesystem::remove_all(directory);
}

} // namespace
