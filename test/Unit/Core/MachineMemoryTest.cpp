//===- MachineMemoryTest.cpp - How much memory there may be ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Core/MachineMemory.h"
#include "nnhal/Runtime/DeviceServices.h"
#include "nnhal/Runtime/MemoryBudget.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/resource.h>

using namespace nnhal::rt;
namespace fs = std::filesystem;

namespace {

class MachineMemoryTest : public ::testing::Test {
protected:
  void SetUp() override {
    root = fs::path(::testing::TempDir()) /
           ("nnhal-groups-" + std::to_string(getpid()));
    fs::remove_all(root);
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string &file, const std::string &text) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text;
  }
  uint64_t limitOf(const std::string &membership) {
    write("membership", membership);
    return controlGroupMemory(root / "membership", root);
  }

  fs::path root;
};

TEST_F(MachineMemoryTest, TakesTheLowestLimitOnTheWayUp) {
  write("a/b/memory.max", "max\n");
  write("a/memory.max", "5000000\n");
  write("memory.max", "7000000\n");
  EXPECT_EQ(limitOf("0::/a/b\n"), 5000000u);
  EXPECT_EQ(limitOf("0::/\n"), 7000000u);
  // A path that only the host has.
  EXPECT_EQ(limitOf("0::/elsewhere/c\n"), 7000000u);
  EXPECT_EQ(limitOf("0::/../../c\n"), 7000000u);
}

TEST_F(MachineMemoryTest, ReadsSeparateHierarchies) {
  write("memory/a/memory.limit_in_bytes", "3000000\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(limitOf("7:cpu,cpuacct:/x\n4:rdma,memory:/a\n"), 3000000u);
  EXPECT_EQ(limitOf("7:memoryless:/a\n"), UINT64_MAX);
}

TEST_F(MachineMemoryTest, HasNoLimitWhereNothingSaysSo) {
  EXPECT_EQ(limitOf(""), UINT64_MAX);
  EXPECT_EQ(limitOf("nonsense\n"), UINT64_MAX);
  EXPECT_EQ(controlGroupMemory(root / "absent", root), UINT64_MAX);
}

TEST_F(MachineMemoryTest, RespectsResourceLimits) {
  uint64_t before = machineMemory();
  EXPECT_GT(before, uint64_t(1) << 20);
  rlimit old = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
  // Nothing is allocated in between that would not fit.
  rlimit lower = old;
  lower.rlim_cur = before - 4096;
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  uint64_t limited = machineMemory();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &old), 0);
  EXPECT_EQ(limited, before - 4096);
}

TEST_F(MachineMemoryTest, LimitsDevicesWithoutABudgetOfTheirOwn) {
  DeviceServices services = completeServices({});
  EXPECT_EQ(services.memory->limit(), machineMemory());
  EXPECT_EQ(services.memory->reserve(UINT64_MAX).status().code(),
            StatusCode::resourceExhaustedPersistent);
}

} // namespace
