//===- ContentKeyTest.cpp - Every field counts, nothing else does ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/ModelCache.h"

#include "Runtime/Artifact/Sha256.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <functional>

using namespace nnhal::rt;

namespace {

AnnotatedModel sampleModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Operand input;
  input.type = OperandType::TENSOR_FLOAT32;
  input.dimensions = {1, 2};
  input.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  Operand constant = input;
  constant.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  constant.location = {0, 0, 8};
  Operand channels;
  channels.type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
  channels.extraParams = SymmPerChannelQuantParams{{0.5f, 0.25f}, 0};
  Operand extension;
  extension.extraParams = ExtensionParams{{1, 2, 3}};
  model.main.operands = {input, constant, channels, extension, input};
  model.main.operations = {{OperationType::ADD, {0, 1}, {4}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {4};
  model.referenced.resize(1);
  model.operandValues = {1, 2, 3, 4};
  model.pools.resize(1);
  model.pools[0].name = "mmap_fd";
  model.pools[0].memory = Memory::adopt(std::vector<std::byte>(8));
  model.extensionNameToPrefix = {{"com.example", 3}};
  annotated.inputNames = {"x"};
  annotated.outputNames = {"y"};
  annotated.statePairs = {{0, 0}};
  return annotated;
}

std::array<uint8_t, 32> keyOf(const AnnotatedModel &model,
                              std::string_view options = "o") {
  auto key = contentKeyOf(model, options);
  EXPECT_TRUE(key.isOk()) << key.status().message();
  return key.isOk() ? *key : std::array<uint8_t, 32>();
}

/// True when \p change gives the sample model another key.
bool changesKey(const std::function<void(AnnotatedModel &)> &change) {
  AnnotatedModel model = sampleModel();
  change(model);
  return keyOf(model) != keyOf(sampleModel());
}

// E-022.
TEST(ContentKeyTest, KnownVector) {
  cache::Sha256 hash;
  hash.update(std::as_bytes(std::span("abc", 3)));
  std::array<uint8_t, 32> digest = hash.finish();
  EXPECT_EQ(fmt::format("{:02x}", fmt::join(digest, "")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// E-020.
TEST(ContentKeyTest, EqualModelsHaveEqualKeys) {
  EXPECT_EQ(keyOf(sampleModel()), keyOf(sampleModel()));
  EXPECT_NE(keyOf(sampleModel(), "o"), keyOf(sampleModel(), "p"));
}

TEST(ContentKeyTest, EveryFieldCounts) {
  using M = AnnotatedModel;
  const std::pair<const char *, std::function<void(M &)>> changes[] = {
      {"version", [](M &m) { m.model.halVersion = HalVersion::V1_2; }},
      {"relaxed",
       [](M &m) { m.model.relaxComputationFloat32toFloat16 = true; }},
      {"type",
       [](M &m) { m.model.main.operands[0].type = OperandType::INT32; }},
      {"dimension", [](M &m) { m.model.main.operands[0].dimensions[1] = 3; }},
      {"rank", [](M &m) { m.model.main.operands[0].dimensions = {1, 2, 1}; }},
      {"scale", [](M &m) { m.model.main.operands[0].scale = 1.0f; }},
      {"zero point", [](M &m) { m.model.main.operands[0].zeroPoint = -1; }},
      {"lifetime",
       [](M &m) {
         m.model.main.operands[0].lifetime = OperandLifeTime::NO_VALUE;
       }},
      {"pool", [](M &m) { m.model.main.operands[1].location.poolIndex = 1; }},
      {"offset", [](M &m) { m.model.main.operands[1].location.offset = 4; }},
      {"length", [](M &m) { m.model.main.operands[1].location.length = 4; }},
      {"channel scale",
       [](M &m) {
         m.model.main.operands[2].extraParams =
             SymmPerChannelQuantParams{{0.5f, 0.5f}, 0};
       }},
      {"channel",
       [](M &m) {
         m.model.main.operands[2].extraParams =
             SymmPerChannelQuantParams{{0.5f, 0.25f}, 1};
       }},
      {"extension bytes",
       [](M &m) {
         m.model.main.operands[3].extraParams = ExtensionParams{{1, 2, 4}};
       }},
      {"operation",
       [](M &m) { m.model.main.operations[0].type = OperationType::MUL; }},
      {"operation inputs",
       [](M &m) { m.model.main.operations[0].inputs = {1, 0}; }},
      {"operation outputs",
       [](M &m) { m.model.main.operations[0].outputs = {3}; }},
      {"main inputs", [](M &m) { m.model.main.inputIndexes = {}; }},
      {"main outputs", [](M &m) { m.model.main.outputIndexes = {3}; }},
      {"referenced", [](M &m) { m.model.referenced.clear(); }},
      {"operand values", [](M &m) { m.model.operandValues[3] = 5; }},
      {"pool bytes",
       [](M &m) {
         m.model.pools[0].memory =
             Memory::adopt(std::vector<std::byte>(8, std::byte(1)));
       }},
      {"extension", [](M &m) { m.model.extensionNameToPrefix[0].prefix = 4; }},
      {"extension name",
       [](M &m) { m.model.extensionNameToPrefix[0].name = "com.other"; }},
      {"input name", [](M &m) { m.inputNames[0] = "z"; }},
      {"output name", [](M &m) { m.outputNames[0] = "z"; }},
      {"state pair", [](M &m) { m.statePairs.clear(); }},
  };
  for (const auto &[name, change] : changes)
    EXPECT_TRUE(changesKey(change)) << name;
}

TEST(ContentKeyTest, NeighboursCannotTradeBytes) {
  AnnotatedModel left = sampleModel(), right = sampleModel();
  left.inputNames = {"ab", "c"};
  right.inputNames = {"a", "bc"};
  EXPECT_NE(keyOf(left), keyOf(right));
}

TEST(ContentKeyTest, WhereBytesCameFromDoesNotCount) {
  EXPECT_FALSE(changesKey([](AnnotatedModel &m) {
    m.model.pools[0].file = "weights.bin";
    m.model.pools[0].isSynthetic = true;
    m.model.main.operands[0].numberOfConsumers = 9;
  }));
}

TEST(ContentKeyTest, UnreadablePool) {
  AnnotatedModel model = sampleModel();
  model.model.pools[0].memory = Memory::fromDescriptor(UniqueFd(), 0, 8, 0);
  auto key = contentKeyOf(model, "");
  ASSERT_FALSE(key.isOk());
  EXPECT_EQ(key.status().message(),
            "pool 0 has no readable bytes: memory behind a descriptor has not "
            "been materialized");
}

} // namespace
