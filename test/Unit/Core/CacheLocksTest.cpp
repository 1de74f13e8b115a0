//===- CacheLocksTest.cpp - Who compiles while others wait ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFlow.h"

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using CacheLocksTest = CacheFlow;

// Who comes second waits, and loads.
TEST_F(CacheLocksTest, ThreadsCompileOnce) {
  device.whilePreparing = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  };
  cache.directory = directory;
  std::vector<std::thread> threads;
  std::atomic<int> hits = 0, waits = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      CacheReport own;
      auto prepared = CompilationCache(cache).prepare(
          device, application, {},
          [&]() -> Result<const AnnotatedModel *> { return &model; }, {}, own);
      hits += prepared.isOk() && own.outcome == CacheOutcome::hit;
      waits += own.hasWaited;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(device.prepared.size(), 1u);
  EXPECT_EQ(hits, 7);
  EXPECT_GT(waits, 0);
}

TEST_F(CacheLocksTest, WaitsAreBounded) {
  auto lock = EntryLock::open(directory + "/");
  ASSERT_TRUE(lock && lock->tryLock(token()));
  cache.lockTimeout = 20'000'000;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::missLocked);
  EXPECT_EQ(report.saveDetail,
            "somebody else is compiling the same for too long");
  EXPECT_TRUE(report.hasWaited);
  EXPECT_EQ(calls(), "prepare 0+0 ");
  cache.lockTimeout = 3'600'000'000'000;
  options.deadline = steadyNow() + 20'000'000;
  EXPECT_EQ(prepare().message(), "");
  EXPECT_EQ(report.outcome, CacheOutcome::missLocked);
}

// Another user who can open the lock file may hold it for no reason.
TEST_F(CacheLocksTest, LocksThatOthersCanHoldAreNotWaitedForLong) {
  auto lock = EntryLock::open(directory + "/");
  ASSERT_TRUE(lock && lock->tryLock(token()));
  EXPECT_TRUE(lock->isPrivate());
  cache.foreignLockTimeout = 20'000'000;
  std::string path = directory + "/" + cacheLockName;
  auto expectShortWait = [&] {
    lines.clear();
    auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(prepare().message(), "");
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(10));
    EXPECT_EQ(report.outcome, CacheOutcome::missLocked);
    EXPECT_EQ(report.saveDetail, "the lock of '" + directory +
                                     "/' is held, which other users can open: "
                                     "nobody waits for it for long");
    EXPECT_NE(lines.find("cache: somebody else holds the lock of '" +
                         directory +
                         "/', which other users can open: waiting 20 ms at "
                         "most"),
              std::string::npos)
        << lines;
  };
  ASSERT_EQ(::chmod(path.c_str(), 0644), 0);
  expectShortWait();
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  if (::chown(path.c_str(), 12345, 12345) == 0)
    expectShortWait();
}

TEST_F(CacheLocksTest, LocksAreRegularFiles) {
  ASSERT_EQ(::mkfifo((directory + "/" + cacheLockName).c_str(), 0600), 0);
  EXPECT_FALSE(EntryLock::open(directory + "/"));
}

// A process that dies gives its lock up.
TEST_F(CacheLocksTest, LocksOfTheDeadAreFree) {
  CacheToken own = token();
  pid_t child = ::fork();
  if (child == 0) {
    auto lock = EntryLock::open(directory + "/");
    _exit(lock && lock->tryLock(own) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(prepare().message(), "");
  EXPECT_FALSE(report.hasWaited);
  EXPECT_EQ(report.saveProblem, CacheOutcome::off);
}

} // namespace
