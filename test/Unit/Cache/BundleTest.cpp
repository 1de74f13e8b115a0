//===- BundleTest.cpp - Both parts in one file ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/Format.h"
#include "SampleArtifact.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {

std::vector<std::byte> sampleBundle() {
  return writeBundle(std::vector<std::byte>(100, std::byte(1)),
                     std::vector<std::byte>(200, std::byte(2)));
}

template <typename Damage> std::string messageOf(Damage damage) {
  std::vector<std::byte> bytes = sampleBundle();
  auto header = loadHeader<BundleHeader>(bytes);
  damage(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  auto result = readBundle(bytes);
  return result.isOk() ? "accepted" : result.status().message();
}

TEST(BundleTest, RoundTrip) {
  std::vector<std::byte> bytes = sampleBundle();
  EXPECT_TRUE(isBundle(bytes));
  auto bundle = readBundle(bytes);
  ASSERT_TRUE(bundle.isOk()) << bundle.status().message();
  EXPECT_EQ(bundle->modelCache.size(), 100u);
  EXPECT_EQ(bundle->modelCache[99], std::byte(1));
  EXPECT_EQ(bundle->dataCache.size(), 200u);
  EXPECT_EQ(bundle->dataCache[0], std::byte(2));
  EXPECT_EQ((bundle->dataCache.data() - bytes.data()) % 4096, 0);
}

TEST(BundleTest, EmptyDataCache) {
  std::vector<std::byte> bytes =
      writeBundle(std::vector<std::byte>(100, std::byte(1)), {});
  auto bundle = readBundle(bytes);
  ASSERT_TRUE(bundle.isOk()) << bundle.status().message();
  EXPECT_TRUE(bundle->dataCache.empty());
}

TEST(BundleTest, OtherFilesAreNoBundles) {
  EXPECT_FALSE(isBundle({}));
  EXPECT_FALSE(isBundle(writeModelCache(sampleArtifact())));
}

TEST(BundleTest, Diagnostics) {
  EXPECT_EQ(readBundle(std::vector<std::byte>(47)).status().message(),
            "bundle of 47 bytes is shorter than its header of 48");
  EXPECT_EQ(readBundle(std::vector<std::byte>(48)).status().message(),
            "not a bundle: the first 8 bytes are not \"NNHALBN\\x1a\"");
  EXPECT_EQ(messageOf([](auto &header) { header.major = 3; }),
            "bundle has format version 3.0, this version reads 1.x");
  EXPECT_EQ(messageOf([](auto &header) { header.modelCacheSize = 5000; }),
            "model cache at 64 with 5000 bytes leaves the bundle of 4296");
  EXPECT_EQ(messageOf([](auto &header) { header.modelCacheOffset = 8; }),
            "model cache at 8 with 100 bytes leaves the bundle of 4296");
  EXPECT_EQ(messageOf([](auto &header) { header.dataCacheOffset = 4097; }),
            "data cache at 4097 is not aligned to 4096");
  EXPECT_EQ(messageOf([](auto &header) { header.dataCacheSize = 201; }),
            "data cache at 4096 with 201 bytes does not end the bundle of 4296 "
            "bytes after its model cache");
  EXPECT_EQ(messageOf([](auto &header) { header.dataCacheOffset = 0; }),
            "data cache at 0 with 200 bytes does not end the bundle of 4296 "
            "bytes after its model cache");
  EXPECT_EQ(messageOf([](auto &header) { header.minor = 4; }), "accepted");
}

} // namespace
