//===- TargetsTest.cpp - Artifacts for several targets --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include "Runtime/Artifact/Targets.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace nnhal::rt;

namespace {

/// The sample with code for \p target alone, and \p size bytes of constants.
Artifact artifactFor(TargetKind target, uint64_t size) {
  Artifact artifact = sampleArtifact();
  artifact.code.pop_back();
  artifact.code[0].target = target;
  artifact.entries = {{"run", 0, {}, {}, 4096}};
  artifact.constants = {{0, size, "weights"}};
  artifact.dataCacheSize = size;
  if (target == TargetKind::spirv || target == TargetKind::ptx)
    artifact.routineSlots.clear();
  return artifact;
}

CompiledModel compiledFor(const Artifact &artifact, char filler) {
  std::vector<std::byte> data(artifact.dataCacheSize, std::byte(filler));
  return {writeModelCache(artifact), Memory::adopt(std::move(data))};
}

/// Code for a processor, Vulkan and CUDA, with 100, 10 and 0 bytes.
CompiledModel threeTargets() {
  CompiledModel compiled =
      compiledFor(artifactFor(TargetKind::x86_64Elf, 100), 'c');
  for (auto [target, size, filler] :
       {std::tuple(TargetKind::spirv, 10, 'v'), {TargetKind::ptx, 0, 'p'}}) {
    auto joined =
        addTarget(compiled, compiledFor(artifactFor(target, size), filler));
    EXPECT_TRUE(joined.isOk()) << joined.status().message();
    if (joined.isOk())
      compiled = *std::move(joined);
  }
  return compiled;
}

auto isFor(TargetKind target) {
  return
      [target](const CodeSection &section) { return section.target == target; };
}

TEST(TargetsTest, EachTargetHasItsConstants) {
  CompiledModel compiled = threeTargets();
  auto artifact = readModelCache(compiled.modelCache);
  ASSERT_TRUE(artifact.isOk()) << artifact.status().message();
  ASSERT_EQ(artifact->code.size(), 3u);
  EXPECT_EQ(artifact->code[0].constants, (DataRange{0, 100}));
  EXPECT_EQ(artifact->code[1].constants, (DataRange{128, 10}));
  EXPECT_EQ(artifact->code[2].constants, (DataRange{192, 0}));
  EXPECT_EQ(artifact->dataCacheSize, 192u);
  EXPECT_EQ(artifact->constants[1].offset, 128u);
  EXPECT_EQ(artifact->entries[2].codeIndex, 2u);
  EXPECT_EQ(artifact->routineSlots, (std::vector<uint32_t>{3, 5}));
  EXPECT_NE(artifact->contentKey, sampleArtifact().contentKey);
  auto data = *compiled.dataCache.bytes();
  ASSERT_EQ(data.size(), 192u);
  EXPECT_EQ(data[99], std::byte('c'));
  EXPECT_EQ(data[100], std::byte(0));
  EXPECT_EQ(data[128], std::byte('v'));
  EXPECT_EQ(data[138], std::byte(0));
}

TEST(TargetsTest, DevicesSelectTheirCode) {
  CompiledModel compiled = threeTargets();
  for (TargetKind target :
       {TargetKind::x86_64Elf, TargetKind::spirv, TargetKind::ptx}) {
    auto artifact = readModelCache(compiled.modelCache);
    ASSERT_TRUE(artifact.isOk());
    auto range = selectTarget(*artifact, 192, isFor(target));
    ASSERT_TRUE(range.isOk()) << range.status().message();
    ASSERT_EQ(artifact->code.size(), 1u);
    EXPECT_EQ(artifact->code[0].target, target);
    EXPECT_EQ(*range, artifact->code[0].constants);
    EXPECT_EQ(artifact->dataCacheSize, range->size);
    ASSERT_EQ(artifact->entries.size(), 1u);
    EXPECT_EQ(artifact->entries[0].codeIndex, 0u);
    EXPECT_EQ(artifact->routineSlots.empty(), target != TargetKind::x86_64Elf);
  }
}

TEST(TargetsTest, SpecializedEntriesStayWithTheirTarget) {
  Artifact artifact = artifactFor(TargetKind::x86_64Elf, 128);
  artifact.code.push_back(artifact.code[0]);
  artifact.entries.insert(artifact.entries.begin(),
                          {"run_small", 1, {}, {{1, 4, 4, 3}, {1, 8}}, 64});
  auto joined = addTarget(compiledFor(artifactFor(TargetKind::spirv, 64), 'v'),
                          compiledFor(artifact, 'c'));
  ASSERT_TRUE(joined.isOk()) << joined.status().message();
  auto read = readModelCache(joined->modelCache);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  auto range = selectTarget(*read, 192, isFor(TargetKind::x86_64Elf));
  ASSERT_TRUE(range.isOk());
  EXPECT_EQ(*range, (DataRange{64, 128}));
  ASSERT_EQ(read->entries.size(), 2u);
  EXPECT_EQ(read->entries[0].symbol, "run_small");
  EXPECT_EQ(read->entries[0].codeIndex, 1u);
  EXPECT_EQ(read->entries[1].codeIndex, 0u);
}

TEST(TargetsTest, WithoutCodeForADeviceAllStays) {
  Artifact artifact = artifactFor(TargetKind::x86_64Elf, 100);
  auto range = selectTarget(artifact, 100, isFor(TargetKind::ptx));
  ASSERT_TRUE(range.isOk());
  EXPECT_EQ(*range, (DataRange{0, 100}));
  EXPECT_EQ(artifact.code.size(), 1u);
  EXPECT_EQ(artifact.routineSlots.size(), 2u);
}

TEST(TargetsTest, OfSeveralTargetsWithoutCodeForADeviceAllStays) {
  CompiledModel compiled = threeTargets();
  auto artifact = readModelCache(compiled.modelCache);
  ASSERT_TRUE(artifact.isOk());
  auto range = selectTarget(*artifact, 192, isFor(TargetKind::aarch64Elf));
  ASSERT_TRUE(range.isOk()) << range.status().message();
  EXPECT_EQ(*range, (DataRange{0, 192}));
  EXPECT_EQ(artifact->code.size(), 3u);
}

TEST(TargetsTest, SelectionDiagnostics) {
  Artifact artifact = artifactFor(TargetKind::x86_64Elf, 100);
  auto accepts = isFor(TargetKind::x86_64Elf);
  EXPECT_EQ(selectTarget(artifact, 99, accepts).status().message(),
            "data cache has 99 bytes, the model cache needs 100");
  artifact.code.push_back(artifact.code[0]);
  artifact.code[1].constants = DataRange{64, 4};
  EXPECT_EQ(selectTarget(artifact, 100, accepts).status().message(),
            "code sections of one target have constants of 100 bytes at 0 and "
            "of 4 at 64");
}

std::string refusal(const Artifact &added) {
  auto joined = addTarget(compiledFor(artifactFor(TargetKind::spirv, 64), 'v'),
                          compiledFor(added, 'x'));
  EXPECT_EQ(joined.status().code(), StatusCode::invalidArgument);
  return joined.status().message();
}

TEST(TargetsTest, StrangersAreRejected) {
  const Artifact good = artifactFor(TargetKind::ptx, 64);
  EXPECT_EQ(refusal(artifactFor(TargetKind::spirv, 64)),
            "the artifact has code for spirv already");
  Artifact added = good;
  added.outputs.pop_back();
  added.statePairs.clear();
  EXPECT_EQ(refusal(added), "the code for another target is of another model");
  added = good;
  added.buildIdentity = "other";
  EXPECT_EQ(
      refusal(added),
      "the code for another target is of compiler 'other', not 'nnhal 0.1.0'");
  added = good;
  added.rounding = "float";
  EXPECT_EQ(refusal(added), "the code for another target rounds by policy "
                            "'float', not 'double'");
}

} // namespace
