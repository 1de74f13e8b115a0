//===- PipelineCacheTest.cpp - What drivers have compiled, kept -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeVulkanTest.h"
#include "TestProgram.h"

#include "Runtime/Devices/Gpu/Vulkan/PipelineCache.h"
#include "Runtime/Devices/Gpu/Vulkan/VulkanDriver.h"
#include "Runtime/Support/Errors.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using vulkan::DriverIdentity;
using vulkan::Engine;
using vulkan::PipelineCache;

namespace {

std::vector<std::byte> someData() {
  std::vector<std::byte> data(100);
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = std::byte(i * 3);
  return data;
}

TEST(PipelineDataTest, ComesBack) {
  DriverIdentity driver = {0x10de, 7, 3, {1, 2, 3}};
  std::vector<std::byte> data = someData();
  std::vector<std::byte> bytes = vulkan::sealPipelineData(driver, data);
  auto opened = vulkan::openPipelineData(driver, bytes);
  ASSERT_TRUE(opened.isOk()) << opened.status().message();
  EXPECT_TRUE(std::ranges::equal(*opened, data));
  EXPECT_TRUE(vulkan::sealPipelineData(driver, {}).empty());
}

TEST(PipelineDataTest, BelongsToADriver) {
  DriverIdentity driver = {0x10de, 7, 3, {1, 2, 3}};
  std::vector<std::byte> bytes = vulkan::sealPipelineData(driver, someData());
  std::vector<DriverIdentity> others(4, driver);
  others[0].vendor = 0x1002;
  others[1].device = 8;
  others[2].version = 4;
  others[3].cacheUuid[15] = 1;
  for (const DriverIdentity &other : others)
    EXPECT_EQ(vulkan::openPipelineData(other, bytes).status().code(),
              StatusCode::deviceUnavailable);
  EXPECT_EQ(vulkan::openPipelineData(others[2], bytes).status().message(),
            "the pipelines are not those of driver 4 for device 0x10de:0x7");
}

TEST(PipelineDataTest, RefusesDamage) {
  DriverIdentity driver = {0x10de, 7, 3, {1, 2, 3}};
  std::vector<std::byte> bytes = vulkan::sealPipelineData(driver, someData());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(
        vulkan::openPipelineData(driver, std::span(bytes).first(size)).isOk());
  EXPECT_EQ(vulkan::openPipelineData(driver, std::span(bytes).first(64))
                .status()
                .message(),
            "64 bytes of pipelines, more than 64 are needed");
  for (std::byte &byte : bytes) {
    byte ^= std::byte(16);
    EXPECT_FALSE(vulkan::openPipelineData(driver, bytes).isOk());
    byte ^= std::byte(16);
  }
  bytes.back() ^= std::byte(1);
  EXPECT_EQ(vulkan::openPipelineData(driver, bytes).status().message(),
            "the 100 bytes of pipelines do not have their digest");
}

/// A driver that says what it got.
class PipelineCacheTest : public FakeVulkanTest {
protected:
  void SetUp() override {
    FakeVulkanTest::SetUp();
    ASSERT_FALSE(HasFatalFailure());
    kept = PipelineCache::create(open()).data();
    ASSERT_EQ(kept.size(), 64u + 40u);
  }

  static vulkan::EngineRef open() {
    auto opened = Engine::open(NNHAL_FAKE_VULKAN);
    EXPECT_TRUE(opened.isOk()) << opened.status().message();
    return *opened;
  }

  std::vector<std::byte> kept;
};

TEST_F(PipelineCacheTest, GivesTheDriverWhatItKept) {
  PipelineCache cache = PipelineCache::create(open(), kept);
  EXPECT_TRUE(cache.isWarm());
  EXPECT_EQ(fake->pipelineBytes, 40u);
  EXPECT_EQ(cache.data(), kept);
}

TEST_F(PipelineCacheTest, BeginsAnewWithAnotherDriver) {
  fake->driverVersion = 1;
  PipelineCache cache = PipelineCache::create(open(), kept);
  EXPECT_FALSE(cache.isWarm());
  EXPECT_NE(cache.handle(), VkPipelineCache(VK_NULL_HANDLE));
  EXPECT_EQ(fake->pipelineBytes, 0u);
  EXPECT_NE(cache.data(), kept);
}

TEST_F(PipelineCacheTest, BeginsAnewWhereTheDriverRefuses) {
  fake->createPipelineCache = VK_ERROR_OUT_OF_HOST_MEMORY;
  PipelineCache cache = PipelineCache::create(open(), kept);
  EXPECT_FALSE(cache.isWarm());
  EXPECT_NE(cache.handle(), VkPipelineCache(VK_NULL_HANDLE));
  EXPECT_EQ(fake->pipelineBytes, 0u);
}

TEST(PipelineEntryTest, EntriesHaveThreeFiles) {
  NNHAL_NEEDS_VULKAN();
  auto backend =
      createGpuBackend(vulkan::createDriver(testEngine()), scaleCompiler());
  EXPECT_EQ(backend->info().cacheFiles.modelCache, 2u);
  EXPECT_EQ(backend->info().cacheFiles.dataCache, 1u);
  std::vector<std::byte> parts[3];
  LoadObserver observer;
  observer.keepEntry = [&](const CacheContents &contents) {
    ASSERT_EQ(contents.modelCache.size(), 2u);
    ASSERT_EQ(contents.dataCache.size(), 1u);
    auto copy = [](const Memory &memory, std::vector<std::byte> &part) {
      auto bytes = memory.bytes();
      ASSERT_TRUE(bytes.isOk());
      part.assign(bytes->begin(), bytes->end());
    };
    copy(contents.modelCache[0], parts[0]);
    copy(contents.modelCache[1], parts[1]);
    copy(contents.dataCache[0], parts[2]);
  };
  auto loaded = backend->load({}, {}, observer);
  ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
  EXPECT_TRUE(
      vulkan::openPipelineData(testEngine()->driver(), parts[1]).isOk());
  EXPECT_TRUE(PipelineCache::create(testEngine(), parts[1]).isWarm());
  // The data are those that were kept, then damaged, then empty.
  for (int round = 0; round < 3; ++round) {
    CacheContents contents;
    contents.modelCache = {Memory::borrow(parts[0]), Memory::borrow(parts[1])};
    contents.dataCache = {Memory::copy(parts[2])};
    auto again = backend->loadFromCache(contents);
    ASSERT_TRUE(again.isOk()) << again.status().message();
    EXPECT_EQ((*again)->interface().inputs.size(), 2u);
    if (round == 0)
      parts[1].back() ^= std::byte(1);
    else
      parts[1].clear();
  }
  CacheContents contents;
  contents.modelCache = {Memory::borrow(parts[0])};
  contents.dataCache = {Memory::copy(parts[2])};
  EXPECT_EQ(backend->loadFromCache(contents).status().message(),
            "1 model-cache and 1 data-cache files, an entry has 2 and 1");
}

} // namespace
