//===- TokenTest.cpp - Names of compilations and their files --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Runtime/CacheToken.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

/// What the token of a step depends on.
struct Step {
  std::optional<CacheToken> application = CacheToken{1, 2, 3};
  std::vector<std::pair<uint32_t, uint32_t>> operations;
  std::string device = "vendor-device";
  std::string version = "1.0";
  int32_t preference = 1;
  int32_t priority = 1;

  std::optional<CacheToken> token() const {
    CacheTokenBuilder builder(application);
    for (auto [model, operation] : operations)
      builder.addOperation(model, operation);
    builder.addDevice(device, version, preference, priority);
    builder.finish();
    return builder.token();
  }
};

Step simpleStep() { return {}; }

Step compoundStep() {
  Step step;
  step.operations = {{0, 0}, {0, 2}, {1, 1}};
  return step;
}

std::string hex(const Sha256Digest &digest) {
  std::string text;
  for (uint8_t byte : digest)
    text += fmt::format("{:02x}", byte);
  return text;
}

// E-022: the test vectors of FIPS 180-4.
TEST(TokenTest, E022_KnownVectors) {
  EXPECT_EQ(hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb924"
                             "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256(std::as_bytes(std::span("abc", 3)))),
            "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad");
}

// E-001, E-013 to E-016, K-050: a token begins with the application's 32 bytes
// and goes on with numbers and strings, byte for byte.
TEST(TokenTest, HashesTheseBytes) {
  static_assert(sizeof(CacheToken) == 32);
  std::string bytes(32, '\0');
  bytes[0] = 1, bytes[1] = 2, bytes[2] = 3;
  auto addNumber = [&](uint32_t number) {
    for (int i = 0; i < 4; ++i)
      bytes += char(number >> (8 * i));
  };
  for (uint32_t number : {0u, 0u, 0u, 2u, 1u, 1u})
    addNumber(number);
  bytes += "vendor-device1.0";
  addNumber(1);
  addNumber(1);
  EXPECT_EQ(compoundStep().token(), sha256(std::as_bytes(std::span(bytes))));
}

// E-015, E-019: seven inputs, for a device that has the whole model and for
// one of several; and the two differ.
TEST(TokenTest, E019_EveryInputCounts) {
  for (const Step &base : {simpleStep(), compoundStep()}) {
    std::vector<Step> changed(5, base);
    changed[0].device = "vendor-devicf";
    changed[1].version = "1.1";
    changed[2].preference = 2;
    changed[3].priority = 2;
    changed[4].application = CacheToken{1, 2, 4};
    for (const Step &step : changed)
      EXPECT_NE(step.token(), base.token());
  }
  Step partition = compoundStep();
  partition.operations[1].second = 3;
  EXPECT_NE(partition.token(), compoundStep().token());
  Step referenced = compoundStep();
  referenced.operations[2].first = 2;
  EXPECT_NE(referenced.token(), compoundStep().token());
  EXPECT_NE(simpleStep().token(), compoundStep().token());
}

// E-005, E-020: a value that depends on nothing else, in every process.
TEST(TokenTest, E020_EqualInputsGiveEqualTokens) {
  EXPECT_EQ(simpleStep().token(), simpleStep().token());
  EXPECT_EQ(hex(*simpleStep().token()),
            "a58e93fbb9635357a6e9868ee6f282b497f042b48542b82bfbe4bde1e5f0c2eb");
}

// E-018, K-050: without a token to begin with there is nothing to add to.
TEST(TokenTest, NoTokenWithoutApplication) {
  Step step;
  step.application.reset();
  EXPECT_EQ(step.token(), std::nullopt);
  CacheTokenBuilder builder(std::nullopt);
  EXPECT_FALSE(builder.addText("a"));
  EXPECT_FALSE(builder.finish());
  EXPECT_EQ(builder.token(), std::nullopt);
}

// K-050: bytes and strings may be added in any pieces.
TEST(TokenTest, TakesBytesAndStrings) {
  CacheTokenBuilder whole(CacheToken{1}), pieces(CacheToken{1}),
      other(CacheToken{1});
  EXPECT_TRUE(whole.addText("weights and shapes"));
  EXPECT_TRUE(pieces.addBytes(std::as_bytes(std::span("weights ", 8))));
  EXPECT_TRUE(pieces.addText(""));
  EXPECT_TRUE(pieces.addBytes({}));
  EXPECT_TRUE(pieces.addText("and shapes"));
  EXPECT_TRUE(other.addText("weights and shape"));
  for (CacheTokenBuilder *builder : {&whole, &pieces, &other})
    EXPECT_TRUE(builder->finish());
  ASSERT_NE(whole.token(), std::nullopt);
  EXPECT_EQ(whole.token(), pieces.token());
  EXPECT_NE(whole.token(), other.token());
}

// E-017, K-050: a finished hash takes no bytes, numbers and strings and cannot
// be finished again: each attempt returns false, and takes the token away.
TEST(TokenTest, FinishedOnlyOnce) {
  using Attempt = bool (*)(CacheTokenBuilder &);
  for (Attempt attempt : std::initializer_list<Attempt>{
           [](auto &builder) { return builder.addBytes({}); },
           [](auto &builder) { return builder.addText("late"); },
           [](auto &builder) { return builder.addOperation(0, 0); },
           [](auto &builder) {
             return builder.addDevice("vendor-device", "1.0", 1, 1);
           },
           [](auto &builder) { return builder.finish(); }}) {
    CacheTokenBuilder builder(CacheToken{});
    EXPECT_EQ(builder.token(), std::nullopt);
    EXPECT_TRUE(builder.addOperation(0, 0));
    EXPECT_TRUE(builder.addDevice("vendor-device", "1.0", 1, 1));
    EXPECT_TRUE(builder.finish());
    EXPECT_NE(builder.token(), std::nullopt);
    EXPECT_FALSE(attempt(builder));
    EXPECT_EQ(builder.token(), std::nullopt);
    EXPECT_FALSE(attempt(builder));
  }
}

// E-023, E-024.
TEST(TokenTest, FileNames) {
  CacheToken token = {0x10, 0xF2};
  std::string zeros(60, 'A');
  EXPECT_EQ(cacheFileName(token, CacheFileKind::model, 0),
            "ABCP" + zeros + "10");
  EXPECT_EQ(cacheFileName(token, CacheFileKind::data, 31),
            "ABCP" + zeros + "231");
}

TEST(TokenTest, FileNamesAreReadBack) {
  CacheToken token = *simpleStep().token();
  auto parts =
      parseCacheFileName(cacheFileName(token, CacheFileKind::data, 12));
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->token, token);
  EXPECT_EQ(parts->kind, CacheFileKind::data);
  EXPECT_EQ(parts->index, 12u);
  std::string name = cacheFileName(token, CacheFileKind::model, 0);
  for (std::string wrong :
       {std::string(), name.substr(0, 65), name + "x", "a" + name.substr(1),
        "Q" + name.substr(1), name.substr(0, 64) + "30",
        name.substr(0, 64) + "100", name.substr(0, 64) + "1-1"})
    EXPECT_FALSE(parseCacheFileName(wrong).has_value()) << wrong;
}

} // namespace
