//===- DamageTest.cpp - No damage to a file goes unnoticed ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Every damaged file is answered with an error or is an equal artifact; under
// the sanitizers this also shows that nothing outside the file is read.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/Format.h"
#include "SampleArtifact.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {

/// A buffer of its own for every attempt, so that a sanitizer sees its ends.
void expectErrorOrEqual(const std::vector<std::byte> &bytes,
                        const std::string &what) {
  auto result = readModelCache(bytes);
  if (result.isOk()) {
    EXPECT_TRUE(isSame(*result, sampleArtifact())) << what;
  } else {
    EXPECT_FALSE(result.status().message().empty()) << what;
  }
}

void reseal(std::vector<std::byte> &bytes) {
  auto header = loadHeader<ModelCacheHeader>(bytes);
  header.totalSize = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.digest = digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
}

TEST(DamageTest, EveryHeaderByte) {
  const std::vector<std::byte> good = writeModelCache(sampleArtifact());
  for (size_t i = 0; i < sizeof(ModelCacheHeader); ++i)
    for (uint8_t mask : {0x01, 0x80, 0xFF}) {
      std::vector<std::byte> bytes = good;
      bytes[i] ^= std::byte(mask);
      EXPECT_FALSE(readModelCache(bytes).isOk()) << i;
    }
}

TEST(DamageTest, Truncations) {
  const std::vector<std::byte> good = writeModelCache(sampleArtifact());
  for (size_t size = 0; size < 800; ++size) {
    std::vector<std::byte> bytes(good.begin(), good.begin() + size);
    EXPECT_FALSE(readModelCache(bytes).isOk()) << size;
    // Consistent about its size, so that the manifest is what stops it.
    if (size >= sizeof(ModelCacheHeader)) {
      reseal(bytes);
      EXPECT_FALSE(readModelCache(bytes).isOk()) << size;
    }
  }
}

TEST(DamageTest, FlippedBits) {
  const std::vector<std::byte> good = writeModelCache(sampleArtifact());
  std::mt19937 random(1);
  for (int i = 0; i < 600; ++i) {
    std::vector<std::byte> bytes = good;
    size_t bit = random() % (bytes.size() * 8);
    bytes[bit / 8] ^= std::byte(1 << (bit % 8));
    EXPECT_FALSE(readModelCache(bytes).isOk()) << bit;
  }
}

/// What the digest would catch, were it not written by the same hand.
TEST(DamageTest, ResealedManifests) {
  const std::vector<std::byte> good = writeModelCache(sampleArtifact());
  auto header = loadHeader<ModelCacheHeader>(good);
  std::mt19937 random(2);
  size_t accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes = good;
    for (uint32_t n = 0; n <= random() % 3; ++n)
      bytes[header.manifestOffset + random() % header.manifestSize] =
          std::byte(random());
    reseal(bytes);
    accepted += readModelCache(bytes).isOk();
  }
  // Names, scales and sizes may change into other valid ones.
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, 3000u);
}

TEST(DamageTest, RandomBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 600; ++i) {
    std::vector<std::byte> bytes(random() % 6000);
    for (std::byte &byte : bytes)
      byte = std::byte(random());
    if (bytes.size() >= modelCacheMagic.size() && i % 2 == 0)
      std::memcpy(bytes.data(), modelCacheMagic.data(), modelCacheMagic.size());
    expectErrorOrEqual(bytes, fmt::format("random file {}", i));
  }
}

TEST(DamageTest, Bundles) {
  const std::vector<std::byte> modelCache = writeModelCache(sampleArtifact());
  const std::vector<std::byte> good =
      writeBundle(modelCache, std::vector<std::byte>(132, std::byte(5)));
  std::mt19937 random(4);
  for (int i = 0; i < 600; ++i) {
    std::vector<std::byte> bytes = good;
    if (i % 2 == 0)
      bytes.resize(random() % bytes.size());
    else
      bytes[random() % sizeof(BundleHeader)] ^= std::byte(1 << random() % 8);
    auto bundle = readBundle(bytes);
    if (!bundle.isOk())
      continue;
    auto artifact = readModelCache(bundle->modelCache);
    EXPECT_TRUE(!artifact.isOk() || isSame(*artifact, sampleArtifact()));
  }
}

} // namespace
