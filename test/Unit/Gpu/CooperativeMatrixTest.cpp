//===- CooperativeMatrixTest.cpp - Devices that multiply matrices ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkanTest.h"
#include "TestProgram.h"

#include "Runtime/Devices/Gpu/Vulkan/Kernels.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using vulkan::Engine;
using vulkan::MatrixComponent;
using vulkan::MatrixScope;

namespace {

constexpr vulkan::CooperativeMatrixProperties halves = {
    vulkan::cooperativeMatrixPropertiesType,
    nullptr,
    16,
    16,
    16,
    MatrixComponent::float16,
    MatrixComponent::float16,
    MatrixComponent::float32,
    MatrixComponent::float32,
    VK_FALSE,
    MatrixScope::subgroup};

constexpr vulkan::CooperativeMatrixProperties bytes = {
    vulkan::cooperativeMatrixPropertiesType,
    nullptr,
    16,
    16,
    16,
    MatrixComponent::sint8,
    MatrixComponent::sint8,
    MatrixComponent::sint32,
    MatrixComponent::sint32,
    VK_FALSE,
    MatrixScope::subgroup};

/// A device with all that matrices need, unless a test takes some of it away.
class CooperativeMatrixTest : public FakeVulkanTest {
protected:
  void SetUp() override {
    FakeVulkanTest::SetUp();
    ASSERT_FALSE(HasFatalFailure());
    reset();
  }

  void reset() {
    *fake = {};
    fake->extension = "VK_KHR_cooperative_matrix";
    fake->hasFeatures = true;
    fake->matrixCount = 2;
    fake->matrices[0] = bytes;
    fake->matrices[1] = halves;
  }

  static vulkan::EngineRef open() {
    auto opened = Engine::open(NNHAL_FAKE_VULKAN);
    EXPECT_TRUE(opened.isOk()) << opened.status().message();
    return opened.isOk() ? *std::move(opened) : nullptr;
  }

  static std::string openedClass() {
    return std::string(open()->deviceClass());
  }
};

TEST_F(CooperativeMatrixTest, ChoosesTheClass) {
  EXPECT_EQ(openedClass(), "cooperative-matrices");
  EXPECT_EQ(fake->extensionCount, 1u);
  EXPECT_TRUE(fake->enablesMatrices);
  EXPECT_TRUE(fake->enablesMemoryModel);
  EXPECT_TRUE(fake->enablesSubgroupSize);
  EXPECT_TRUE(fake->enablesFullSubgroups);
  fake->matrices[0].kSize = 32;
  EXPECT_EQ(openedClass(), "cooperative-halves");
  // Subgroups that may have 32 invocations can be made to.
  fake->leastSubgroup = 8;
  fake->mostSubgroup = 64;
  EXPECT_EQ(openedClass(), "cooperative-halves");
}

TEST_F(CooperativeMatrixTest, NeedsTheExtension) {
  fake->extension = nullptr;
  EXPECT_EQ(openedClass(), "discrete");
  EXPECT_EQ(fake->extensionCount, 0u);
  EXPECT_FALSE(fake->enablesMatrices);
  reset();
  fake->missing = "GetPhysicalDeviceCooperativeMatrixPropertiesKHR";
  EXPECT_EQ(openedClass(), "discrete");
  EXPECT_EQ(fake->extensionCount, 0u);
}

TEST_F(CooperativeMatrixTest, NeedsTheScopeOfTheDevice) {
  fake->hasDeviceScope = false;
  EXPECT_EQ(openedClass(), "discrete");
  EXPECT_FALSE(fake->enablesMemoryModel);
  EXPECT_FALSE(fake->enablesHalfMemoryModel);
}

TEST_F(CooperativeMatrixTest, NeedsTheProducts) {
  fake->getMatrices = VK_ERROR_OUT_OF_HOST_MEMORY;
  EXPECT_EQ(openedClass(), "discrete");
  reset();
  fake->matrixCount = 1;
  EXPECT_EQ(openedClass(), "discrete");
  reset();
  fake->matrices[1].scope = MatrixScope::workgroup;
  EXPECT_EQ(openedClass(), "discrete");
  reset();
  fake->matrices[1].result = MatrixComponent::float16;
  EXPECT_EQ(openedClass(), "discrete");
  EXPECT_FALSE(fake->enablesMatrices);
}

TEST_F(CooperativeMatrixTest, NeedsSubgroupsOf32) {
  fake->leastSubgroup = fake->mostSubgroup = 64;
  EXPECT_EQ(openedClass(), "discrete");
  EXPECT_FALSE(fake->enablesSubgroupSize);
  EXPECT_FALSE(fake->enablesFullSubgroups);
  reset();
  fake->subgroupSizeStages = VK_SHADER_STAGE_FRAGMENT_BIT;
  EXPECT_EQ(openedClass(), "discrete");
  reset();
  fake->subgroupStages = VK_SHADER_STAGE_FRAGMENT_BIT;
  EXPECT_EQ(openedClass(), "discrete");
  reset();
  fake->subgroupOperations = VK_SUBGROUP_FEATURE_VOTE_BIT;
  EXPECT_EQ(openedClass(), "discrete");
}

// Kernels of the class without matrices share less.
TEST_F(CooperativeMatrixTest, NeedsSharedMemory) {
  fake->sharedBytes = maxGpuMatrixSharedSize - 1;
  EXPECT_EQ(openedClass(), "discrete");
  fake->sharedBytes = maxGpuMatrixSharedSize;
  EXPECT_EQ(openedClass(), "cooperative-matrices");
}

// Kernels of the class without matrices do not tell subgroups apart.
TEST_F(CooperativeMatrixTest, NeedsFourSubgroups) {
  fake->subgroupsPerWorkgroup = gpuMatrixSubgroups - 1;
  EXPECT_EQ(openedClass(), "discrete");
  fake->subgroupsPerWorkgroup = gpuMatrixSubgroups;
  EXPECT_EQ(openedClass(), "cooperative-matrices");
}

TEST_F(CooperativeMatrixTest, AsksForSubgroupsOf32) {
  std::vector<std::byte> module = assembledModule("Subgroups");
  GpuProgram program;
  program.module = module;
  program.kernels = {{"subgroups", 128, {1}}};
  vulkan::EngineRef engine = open();
  auto kernels = vulkan::Kernels::create(engine, program);
  ASSERT_TRUE(kernels.isOk()) << kernels.status().message();
  EXPECT_EQ(fake->subgroupSize, 32u);
  EXPECT_EQ(
      fake->stageFlags,
      VkFlags(VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT));

  auto needs = vulkan::checkSpirv(program, engine->features());
  ASSERT_TRUE(needs.isOk()) << needs.status().message();
  ASSERT_EQ(needs->size(), 1u);
  EXPECT_TRUE(needs->front().hasSubgroups);
  EXPECT_EQ(needs->front().sharedBytes, 64u * 4 + 16 * 16);

  // Kernels that do not tell subgroups apart have those that the driver likes.
  fake->subgroupSize = 1;
  ASSERT_TRUE(vulkan::Kernels::create(engine, scaleProgram()).isOk());
  EXPECT_EQ(fake->subgroupSize, 0u);
  EXPECT_EQ(fake->stageFlags, 0u);

  fake->sharedBytes = 511;
  EXPECT_EQ(vulkan::Kernels::create(open(), program).status().message(),
            "kernel 'subgroups' shares 512 bytes in a workgroup, the GPU "
            "allows 511");
}

TEST_F(CooperativeMatrixTest, RefusesSubgroups) {
  GpuKernel kernel = {"k", 48, {}};
  vulkan::KernelNeeds needs;
  needs.hasSubgroups = true;
  vulkan::Limits limits;
  limits.subgroups = 4;
  EXPECT_EQ(vulkan::checkNeeds(kernel, needs, limits).message(),
            "kernel 'k' has workgroups of 48, not of whole subgroups of 32");
  kernel.workgroupSize = 160;
  EXPECT_EQ(vulkan::checkNeeds(kernel, needs, limits).message(),
            "kernel 'k' has workgroups of 5 subgroups, the GPU allows 4");
  kernel.workgroupSize = 128;
  EXPECT_TRUE(vulkan::checkNeeds(kernel, needs, limits).isOk());
}

} // namespace
