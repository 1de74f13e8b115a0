//===- EnduranceTest.cpp - What must not grow -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Short by default. With NNHAL_TEST_ALL set: 8 threads with 10,000 executions
// each, 10,000 preparations (200 where each compiles) and 10,000 from the
// cache; scripts/soak-runtime runs that.
//
//===----------------------------------------------------------------------===//

#include "Conformance.h"

#include "nnhal/Runtime/Compiler.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NNHAL_SANITIZED 1
#endif
#endif

namespace {

bool isThorough() { return std::getenv("NNHAL_TEST_ALL") != nullptr; }

/// What a process may run out of.
struct Resources {
  size_t descriptors = 0;
  size_t mappings = 0;
  size_t residentBytes = 0;

  static Resources now() {
    Resources resources;
    for ([[maybe_unused]] const auto &entry :
         std::filesystem::directory_iterator("/proc/self/fd"))
      ++resources.descriptors;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      ++resources.mappings;
    std::ifstream statm("/proc/self/statm");
    size_t pages = 0;
    statm >> pages >> resources.residentBytes;
    resources.residentBytes *= size_t(sysconf(_SC_PAGESIZE));
    return resources;
  }

  /// The allocator may keep a little; a leak per cycle would be more.
  void expectNoGrowthSince(const Resources &before, size_t cycles) const {
    EXPECT_LE(descriptors, before.descriptors);
    EXPECT_LE(mappings, before.mappings + 16);
#ifndef NNHAL_SANITIZED // Sanitizers keep freed memory on purpose.
    size_t allowed = before.residentBytes + (size_t(4) << 20) + cycles * 16;
    EXPECT_LE(residentBytes, allowed);
#endif
  }
};

class EnduranceTest : public ConformanceTest {};

// C-006, D-005, D-008, D-009, F-088.
TEST_F(EnduranceTest, threadsShareOnePreparedModel) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  const int executions = isThorough() ? 10000 : 300;
  std::atomic<int> wrong = 0;
  auto run = [&](int thread, int count) {
    FloatArguments arguments(*prepared);
    ExecutionResult result;
    for (int i = 0; i < count; ++i) {
      float value = float(thread * 100000 + i);
      arguments.inputs[0][3] = value;
      if (!prepared->execute(arguments.request, result).isOk() ||
          arguments.outputs[0][3] != flow(value, 4))
        ++wrong;
    }
  };
  auto runOnThreads = [&](int count) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
      threads.emplace_back(run, thread, count);
    for (std::thread &thread : threads)
      thread.join();
  };
  runOnThreads(50);
  Resources before = Resources::now();
  runOnThreads(executions);
  Resources::now().expectNoGrowthSince(before, 0);
  EXPECT_EQ(wrong, 0);
}

// D-014, D-018: what is queued is executed once each, and nothing stays.
TEST_F(EnduranceTest, asynchronousExecutionsAllEnd) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  const int rounds = isThorough() ? 200 : 10;
  auto runRound = [&] {
    // Fewer than the queue holds.
    constexpr int count = 50;
    std::vector<FloatArguments> all;
    all.reserve(count); // Requests point into their arguments.
    std::vector<Notified<Executed>> ends(count);
    for (int i = 0; i < count; ++i) {
      all.emplace_back(*prepared);
      Status launched = prepared->executeAsync(
          all[size_t(i)].request,
          [&, i](Status status, const ExecutionResult &result) {
            ends[size_t(i)].notify({std::move(status), result});
          });
      ASSERT_EQ(launched.message(), "");
    }
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(ends[size_t(i)].wait().status.message(), "");
      EXPECT_EQ(ends[size_t(i)].count(), 1);
      EXPECT_EQ(all[size_t(i)].outputs[0], flowOfCounts(4));
    }
  };
  runRound();
  Resources before = Resources::now();
  // A device of another process keeps some memories for arguments, as many as
  // it has needed.
  if (device->traits().isRemote)
    before.descriptors += 8;
  for (int round = 0; round < rounds; ++round)
    runRound();
  Resources::now().expectNoGrowthSince(before, 0);
}

// C-057: everything that a prepared model held is given back.
TEST_F(EnduranceTest, preparationsLeaveNothing) {
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  bool compiles = false;
  PrepareObserver observer;
  observer.keepArtifact = [&](const CompiledModel &) {
    compiles = true;
    return Status::ok();
  };
  auto cycle = [&] {
    auto prepared = device->prepareModel(model, {}, observer);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    FloatArguments arguments(**prepared);
    ExecutionResult result;
    ASSERT_EQ((*prepared)->execute(arguments.request, result).message(), "");
  };
  for (int i = 0; i < 20; ++i)
    cycle();
  int cycles = compiles ? 10 : 500;
  if (isThorough())
    cycles = compiles ? 200 : 10000;
  Resources before = Resources::now();
  for (int i = 0; i < cycles; ++i)
    cycle();
  // A compiler's own tables grow a little with each model.
  Resources::now().expectNoGrowthSince(before,
                                       compiles ? size_t(cycles) * 2000 : 0);
}

// C-069: the same from what a preparation kept.
TEST_F(EnduranceTest, preparationsFromCacheLeaveNothing) {
  AnnotatedModel model = addModel();
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  std::optional<CompiledModel> kept;
  PrepareObserver observer;
  observer.keepArtifact = [&](const CompiledModel &compiled) {
    kept = compiled;
    return Status::ok();
  };
  ASSERT_TRUE(device->prepareModel(model, {}, observer).isOk());
  if (!kept)
    GTEST_SKIP() << "the device keeps no artifacts";
  auto cycle = [&] {
    auto prepared =
        device->prepareModelFromArtifact(kept->modelCache, kept->dataCache);
    ASSERT_TRUE(prepared.isOk()) << prepared.status().message();
    FloatArguments arguments(**prepared);
    ExecutionResult result;
    ASSERT_EQ((*prepared)->execute(arguments.request, result).message(), "");
    EXPECT_EQ(arguments.outputs[0], flowOfCounts(4));
  };
  for (int i = 0; i < 20; ++i)
    cycle();
  const int cycles = isThorough() ? 10000 : 200;
  Resources before = Resources::now();
  for (int i = 0; i < cycles; ++i)
    cycle();
  Resources::now().expectNoGrowthSince(before, 0);
}

} // namespace
