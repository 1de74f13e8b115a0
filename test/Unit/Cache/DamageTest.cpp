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

#include <flatbuffers/flatbuffers.h>
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

/// The vector in field \p field of \p table, copied to the end of the manifest
/// of \p bytes, 4 bytes behind a multiple of 8, where the verifier lets it be.
void moveVector(std::vector<std::byte> &bytes, const flatbuffers::Table &table,
                flatbuffers::voffset_t field) {
  const auto *vector =
      table.GetPointer<const flatbuffers::Vector<uint64_t> *>(field);
  ASSERT_NE(vector, nullptr);
  size_t size = sizeof(uint32_t) + vector->size() * sizeof(uint64_t);
  const auto *first = reinterpret_cast<const std::byte *>(vector);
  std::vector<std::byte> copy(first, first + size);
  size_t fieldAt =
      size_t(reinterpret_cast<const std::byte *>(table.GetAddressOf(field)) -
             bytes.data());
  auto header = loadHeader<ModelCacheHeader>(bytes);
  size_t at = alignTo(header.manifestOffset + header.manifestSize, 8);
  ASSERT_LE(at + size, sectionAlignment);
  std::memcpy(bytes.data() + at, copy.data(), size);
  auto distance = uint32_t(at - fieldAt);
  std::memcpy(bytes.data() + fieldAt, &distance, sizeof(distance));
  header.manifestSize = at + size - header.manifestOffset;
  std::memcpy(bytes.data(), &header, sizeof(header));
}

TEST(DamageTest, MisalignedPresenceBits) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  const auto *manifest = flatbuffers::GetRoot<flatbuffers::Table>(
      bytes.data() + sizeof(ModelCacheHeader));
  // Fields have their numbers in ModelCache.fbs, from 0, times 2, plus 4.
  const auto *entries = manifest->GetPointer<
      const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>> *>(10);
  ASSERT_NE(entries, nullptr);
  ASSERT_NO_FATAL_FAILURE(moveVector(bytes, *entries->Get(0), 8));
  reseal(bytes);
  auto artifact = readModelCache(bytes);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  EXPECT_TRUE(isSame(*artifact, sampleArtifact()));
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
