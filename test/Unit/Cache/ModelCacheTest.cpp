//===- ModelCacheTest.cpp - Round trip and diagnostics of the reader ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/ModelCache.h"

#include "Runtime/Artifact/Format.h"
#include "SampleArtifact.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {

std::string messageOf(std::span<const std::byte> bytes) {
  auto result = readModelCache(bytes);
  if (result.isOk())
    return "accepted";
  EXPECT_EQ(result.status().code(), StatusCode::invalidArgument);
  return result.status().message();
}

/// The message after \p damage to a header that states its own digest again.
template <typename Damage> std::string headerMessage(Damage damage) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  auto header = loadHeader<ModelCacheHeader>(bytes);
  damage(header, bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return messageOf(bytes);
}

/// The message for a well-sealed artifact with wrong content.
std::string contentMessage(const std::function<void(Artifact &)> &damage) {
  Artifact artifact = sampleArtifact();
  damage(artifact);
  return messageOf(writeModelCache(artifact));
}

TEST(ModelCacheTest, RoundTrip) {
  Artifact artifact = sampleArtifact();
  std::vector<std::byte> bytes = writeModelCache(artifact);
  auto read = readModelCache(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(isSame(*read, artifact));
  EXPECT_EQ(writeModelCache(*read), bytes);
}

TEST(ModelCacheTest, KeepsTheLeastThatAnArenaCouldBe) {
  Artifact artifact = sampleArtifact();
  artifact.entries[1].arenaLowerBound = artifact.entries[1].arenaSize;
  std::vector<std::byte> bytes = writeModelCache(artifact);
  auto read = readModelCache(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(isSame(*read, artifact));
}

TEST(ModelCacheTest, KeepsTheScalesOfChannels) {
  Artifact artifact = sampleArtifact();
  InterfaceTensor &weights = artifact.inputs.emplace_back();
  weights.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  weights.dimensions = {3, 2};
  weights.channelQuant = {{0.5f, 0.25f}, 1};
  artifact.entries[0].inputShapes.push_back({3, 2});
  std::vector<std::byte> bytes = writeModelCache(artifact);
  auto read = readModelCache(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(isSame(*read, artifact));
}

TEST(ModelCacheTest, ReadsFromAnyAddress) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  bytes.insert(bytes.begin(), std::byte(0));
  auto read = readModelCache(std::span(bytes).subspan(1));
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(isSame(*read, sampleArtifact()));
}

TEST(ModelCacheTest, HeaderLayoutIsThatOfTheDocument) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  auto at = [&](size_t offset) { return uint8_t(bytes[offset]); };
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(bytes.data()), 8),
            "NNHALMC\x1a");
  EXPECT_EQ(at(8), 1);   // major
  EXPECT_EQ(at(12), 0);  // minor
  EXPECT_EQ(at(16), 80); // header size
  EXPECT_EQ(at(20), 0);  // reserved
  EXPECT_EQ(at(24) | at(25) << 8 | at(26) << 16, bytes.size());
  EXPECT_EQ(at(32), 80); // manifest offset
  EXPECT_EQ(at(4096 * 2 - 4096), 7);
}

TEST(ModelCacheTest, HeaderDiagnostics) {
  EXPECT_EQ(messageOf(std::vector<std::byte>(79)),
            "model cache of 79 bytes is shorter than its header of 80");
  EXPECT_EQ(messageOf(std::vector<std::byte>(80)),
            "not a model cache: the first 8 bytes are not \"NNHALMC\\x1a\"");
  EXPECT_EQ(headerMessage([](auto &header, auto &) { header.major = 2; }),
            "model cache has format version 2.0, this version reads 1.x");
  EXPECT_EQ(headerMessage([](auto &header, auto &) { header.headerSize = 81; }),
            "model cache header states a size of 81 instead of 80");
  EXPECT_EQ(headerMessage([](auto &header, auto &bytes) {
              bytes.resize(100);
              header.totalSize = 90;
            }),
            "model cache states a size of 90 bytes and has 100");
  EXPECT_EQ(headerMessage([](auto &header, auto &bytes) {
              bytes.resize(100);
              header.totalSize = 100;
              header.manifestSize = 21;
            }),
            "manifest at 80 with 21 bytes leaves the model cache of 100");
  EXPECT_EQ(headerMessage([](auto &header, auto &) { header.minor = 1; }),
            "model cache is damaged: its SHA-256 differs from the one that it "
            "states");
}

TEST(ModelCacheTest, NewerMinorVersionIsRead) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  auto header = loadHeader<ModelCacheHeader>(bytes);
  header.minor = 7;
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.digest = digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(messageOf(bytes), "accepted");
}

TEST(ModelCacheTest, ShortContentKey) {
  Artifact artifact = sampleArtifact();
  artifact.contentKey.fill(0xA7);
  std::vector<std::byte> bytes = writeModelCache(artifact);
  // A vector begins with its length.
  auto key =
      std::ranges::search(bytes, std::as_bytes(std::span(artifact.contentKey)));
  ASSERT_FALSE(key.empty());
  uint32_t length = 31;
  std::memcpy(&key.front() - sizeof(length), &length, sizeof(length));
  auto header = loadHeader<ModelCacheHeader>(bytes);
  header.digest = digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(messageOf(bytes), "content key has 31 bytes, not 32");
}

TEST(ModelCacheTest, ManifestThatIsNoFlatBuffer) {
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  auto header = loadHeader<ModelCacheHeader>(bytes);
  bytes[header.manifestOffset + 2] = std::byte(0xFF);
  header.digest = digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(messageOf(bytes),
            fmt::format("manifest of {} bytes is not a well-formed FlatBuffer",
                        header.manifestSize));
}

TEST(ModelCacheTest, TensorDiagnostics) {
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.inputs[0].type = OperandType(4711); }),
      "input 0 has operand type 4711, which has no size");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.outputs[0].type = OperandType::OEM; }),
      "output 0 has operand type 10000, which has no size");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.outputs[0].dimensions.resize(257); }),
      "output 0 has rank 257, more than 256");
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.outputs[0].dimensions = {1u << 20, 1u << 10};
            }),
            "output 0 exceeds 4294967295 bytes");
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.inputs[0].channelQuant = {{0.5f, 0.25f}, 1};
            }),
            "input 0 of shape [0,4,4,3] has 2 scales of dimension 1");
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.inputs[0].channelQuant = {{0.5f, 0.25f, 1.0f}, 4};
            }),
            "input 0 of shape [0,4,4,3] has 3 scales of dimension 4");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.inputs.resize(65537); }),
            "model cache has 65537 inputs, more than 65536");
}

TEST(ModelCacheTest, StatePairDiagnostics) {
  EXPECT_EQ(contentMessage([](Artifact &a) { a.statePairs = {{2, 1}}; }),
            "state pair 0 joins output 2 of 2 to input 1 of 2");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.statePairs = {{0, 1}}; }),
            "state pair 0 joins TENSOR_INT32 [] to TENSOR_QUANT8_ASYMM [1,8]");
}

TEST(ModelCacheTest, CodeDiagnostics) {
  EXPECT_EQ(contentMessage([](Artifact &a) { a.code.clear(); }),
            "model cache has no code section");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.code[0].target = TargetKind(4); }),
      "code section 0 has target 4, more than 3");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.code[1].bytes = {}; }),
            "code section 1 at 12288 with 0 bytes does not fit between 9096 "
            "and 12288 at a multiple of 4096");
  static constexpr std::byte one[] = {std::byte(1)};
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.code.resize(257, {TargetKind::ptx, "", "", one});
            }),
            "model cache has 257 code sections, more than 256");
  std::vector<std::byte> bytes = writeModelCache(sampleArtifact());
  bytes.push_back(std::byte(0));
  auto header = loadHeader<ModelCacheHeader>(bytes);
  header.totalSize = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.digest = digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(messageOf(bytes), "code ends at 12298, the model cache at 12299");
}

TEST(ModelCacheTest, EntryDiagnostics) {
  EXPECT_EQ(contentMessage([](Artifact &a) { a.entries.clear(); }),
            "model cache has no entry");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.entries.resize(4097); }),
            "model cache has 4097 entries, more than 4096");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.entries[1].symbol = ""; }),
            "entry 1 has a symbol of 0 characters, not 1 to 255 without a zero "
            "byte");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.entries[1].codeIndex = 2; }),
            "entry 1 is in code section 2 of 2");
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.entries[0].arenaSize = uint64_t(1) << 41;
            }),
            "entry 0 needs an arena of 2199023255552 bytes, more than "
            "1099511627776");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.entries[0].arenaLowerBound = 129; }),
      "entry 0 states 129 bytes as the least of its arena of 128");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.entries[0].presentInputs = {1, 0}; }),
      "entry 0 has 2 words of presence bits for 2 inputs");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.entries[0].presentInputs = {4}; }),
      "entry 0 has presence bits beyond its 2 inputs");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.entries[0].inputShapes.resize(1); }),
      "entry 0 has 1 shapes for 2 inputs");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.entries[0].inputShapes[1] = {1, 9}; }),
      "entry 0 has shape [1,9] for input 1 of shape [1,8]");
  EXPECT_EQ(contentMessage([](Artifact &a) {
              a.entries[0].inputShapes[0] = {1u << 31, 4, 4, 3};
            }),
            "entry 0 input 0 exceeds 4294967295 bytes");
}

TEST(ModelCacheTest, ConstantDiagnostics) {
  EXPECT_EQ(contentMessage(
                [](Artifact &a) { a.dataCacheSize = (uint64_t(1) << 40) + 1; }),
            "data cache size 1099511627777 is more than 1099511627776");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.constants[1].offset = 4; }),
            "constant region 1 at 4 with 4 bytes does not fit a data cache of "
            "132 at a multiple of 64");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.constants[1].size = 5; }),
            "constant region 1 at 128 with 5 bytes does not fit a data cache "
            "of 132 at a multiple of 64");
  EXPECT_EQ(
      contentMessage([](Artifact &a) { a.code[1].constants->offset = 4; }),
      "code section 1 has constants of 4 bytes at 4, which do not fit a "
      "data cache of 132 at a multiple of 64");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.code[1].constants->size = 5; }),
            "code section 1 has constants of 5 bytes at 128, which do not fit "
            "a data cache of 132 at a multiple of 64");
}

TEST(ModelCacheTest, IdentityDiagnostics) {
  EXPECT_EQ(contentMessage([](Artifact &a) { a.routineSlots = {4096}; }),
            "routine slot 4096 is not below 4096");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.routineSlots.resize(4097); }),
            "model cache has 4097 routine slots, more than 4096");
  EXPECT_EQ(contentMessage([](Artifact &a) { a.rounding = "up"; }),
            "rounding is \"up\", not double, single or float");
}

} // namespace
