//===- PoolLifetimeTest.cpp - Pools that others change and let go of ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include <atomic>
#include <dirent.h>
#include <fstream>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

using PoolLifetimeTest = ModeTest;
NNHAL_ALL_MODES(PoolLifetimeTest);

// D-103, F-007, F-085: what a holder of the file takes away before it is used.
TEST_P(PoolLifetimeTest, failsWhenItWasShortened) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  for (PoolSource source : {PoolSource::unsealed, PoolSource::file}) {
    SharedPool shared = createPool(source, 64);
    ASSERT_TRUE(shared.isValid());
    Request request = requestIn(shared.pool, 0, 16, 32);
    EXPECT_EQ(executeIn(GetParam(), *prepared, request).status.message(), "");
    ASSERT_EQ(::ftruncate(shared.peer.get(), 20), 0);
    Executed executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(executed.status.message(),
              "input 0: memory at offset 0 of size 64 exceeds its file of 20 "
              "bytes");
    FloatArguments arguments(*prepared);
    request.inputs = arguments.request.inputs;
    executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(executed.status.message(),
              "output 0: memory at offset 0 of size 64 exceeds its file of 20 "
              "bytes");
    // The output does not make the file longer, and a later one is read again.
    ASSERT_EQ(::ftruncate(shared.peer.get(), 64), 0);
    EXPECT_EQ(executeIn(GetParam(), *prepared, request).status.message(), "");
    EXPECT_EQ(readFloats(*shared.pool, 32, 4), flowOfCounts(4));
  }
}

// F-007.
TEST_P(PoolLifetimeTest, needsADescriptor) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  auto closed = SharedMemory::adoptUnchecked(PoolKind::ashmem, UniqueFd(), 64,
                                             PROT_READ | PROT_WRITE);
  Executed executed =
      executeIn(GetParam(), *prepared, requestIn(closed, 0, 16, 32));
  EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
  EXPECT_EQ(executed.status.message(),
            "input 0: the descriptor of a memory is not open");
}

// F-085: what a holder takes away while executions are under way.
TEST_P(PoolLifetimeTest, survivesAPeerThatShortens) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({64, 64}));
  constexpr uint64_t size = 64 * 64 * sizeof(float);
  SharedPool shared = createPool(PoolSource::unsealed, 3 * size);
  ASSERT_TRUE(shared.isValid());
  Request request;
  request.inputs = {{Memory::region(shared.pool, 0, size), {}},
                    {Memory::region(shared.pool, size, size), {}}};
  request.outputs = {{OutputMemory::region(shared.pool, 2 * size, size), {}}};
  std::atomic<bool> isOver = false;
  std::thread peer([&] {
    while (!isOver) {
      EXPECT_EQ(::ftruncate(shared.peer.get(), 100), 0);
      EXPECT_EQ(::ftruncate(shared.peer.get(), 3 * size), 0);
    }
  });
  for (int i = 0; i < 200; ++i) {
    Executed executed = executeIn(GetParam(), *prepared, request);
    if (!executed.status.isOk())
      EXPECT_EQ(executed.status.code(), StatusCode::generalFailure)
          << executed.status.message();
  }
  isOver = true;
  peer.join();
  EXPECT_EQ(executeIn(GetParam(), *prepared, request).status.message(), "");
}

size_t countDescriptors() {
  DIR *directory = ::opendir("/proc/self/fd");
  size_t count = 0;
  while (directory && ::readdir(directory))
    ++count;
  if (directory)
    ::closedir(directory);
  return count;
}

/// Mappings of pools; those of the allocators come and go.
size_t countMappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("/memfd:") != std::string::npos;
  return count;
}

// F-020, F-088.
TEST_P(PoolLifetimeTest, leavesNothingBehind) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  auto execute = [&](int round) {
    PoolSource source =
        round % 2 == 0 ? PoolSource::ashmem : PoolSource::unsealed;
    SharedPool shared = createPool(source, 64);
    ASSERT_TRUE(shared.isValid());
    Request request = requestIn(shared.pool, 0, 16, 32);
    if (round % 5 == 0) // Failures leave nothing either.
      request.inputs[1].memory = Memory::region(shared.pool, 60, tensorSize);
    (void)executeIn(GetParam(), *prepared, request);
  };
  for (int i = 0; i < 20; ++i)
    execute(i);
  size_t descriptors = 0, mappings = 0;
  // The thread of the last execution lets go a moment after it has told.
  for (int i = 0; i < 200; ++i) {
    descriptors = countDescriptors();
    mappings = countMappings();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (descriptors == countDescriptors() && mappings == countMappings())
      break;
  }
  for (int i = 0; i < 1000; ++i)
    execute(i);
  for (int i = 0; i < 1000 && (countDescriptors() > descriptors ||
                               countMappings() > mappings);
       ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(countDescriptors(), descriptors);
  EXPECT_LE(countMappings(), mappings);
}

} // namespace
