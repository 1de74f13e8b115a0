//===- SpecializationTest.cpp - Artifacts for the shapes that are used ----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleArtifact.h"

#include "Runtime/Artifact/Specialization.h"

#include <gtest/gtest.h>

using namespace nnhal::rt;

namespace {

AnnotatedModel openModel() {
  AnnotatedModel model;
  Operand tensor;
  tensor.type = OperandType::TENSOR_FLOAT32;
  tensor.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  tensor.dimensions = {2, 0};
  Operand scalar;
  scalar.type = OperandType::INT32;
  scalar.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  model.model.main.operands = {scalar, tensor};
  model.model.main.inputIndexes = {1, 0};
  return model;
}

TEST(SpecializationTest, ModelGetsItsExtents) {
  auto special = withInputShapes(openModel(), {{2, 5}, {}});
  ASSERT_TRUE(special.isOk()) << special.status().message();
  EXPECT_EQ(special->model.main.operands[1].dimensions,
            (std::vector<uint32_t>{2, 5}));
  EXPECT_TRUE(special->model.main.operands[0].dimensions.empty());
}

std::string errorOf(const AnnotatedModel &model, const InputShapes &shapes) {
  auto special = withInputShapes(model, shapes);
  EXPECT_EQ(special.status().code(), StatusCode::invalidArgument);
  return special.status().message();
}

TEST(SpecializationTest, ContradictionsAreNamed) {
  AnnotatedModel model = openModel();
  EXPECT_EQ(errorOf(model, {{2, 5}}),
            "the specialization has 1 shapes, the model 2 inputs");
  EXPECT_EQ(errorOf(model, {{2, 5, 1}, {}}),
            "input 0 has rank 2, the specialization states 3");
  EXPECT_EQ(errorOf(model, {{2, 5}, {1}}),
            "input 1 has rank 0, the specialization states 1");
  EXPECT_EQ(errorOf(model, {{3, 5}, {}}),
            "input 0 has extent 2 in dimension 0, the specialization states 3");
  EXPECT_EQ(errorOf(model, {{2, 0}, {}}),
            "the specialization leaves dimension 1 of input 0 open");
  model.model.main.operands[1].dimensions = {2, 5};
  EXPECT_EQ(errorOf(model, {{2, 5}, {}}),
            "the model leaves no extent of its inputs open");
  model.model.main.operands[1].dimensions = {};
  EXPECT_EQ(errorOf(model, {{}, {}}),
            "input 0 has unknown rank, the specialization states no shape");
  EXPECT_EQ(withInputShapes(model, {{2, 5, 7}, {}})
                ->model.main.operands[1]
                .dimensions,
            (std::vector<uint32_t>{2, 5, 7}));
}

/// One code section, one entry, as a compiler makes it.
Artifact generalArtifact() {
  Artifact artifact = sampleArtifact();
  artifact.code.pop_back();
  artifact.entries = {{"run", 0, {}, {}, 4096}};
  artifact.constants = {{0, 128, "packed constants"}};
  artifact.dataCacheSize = 128;
  artifact.routineSlots = {1, 5};
  return artifact;
}

TEST(SpecializationTest, EntryStandsBeforeTheGeneralOne) {
  Artifact artifact = generalArtifact();
  InputShapes small = {{1, 4, 4, 3}, {1, 8}}, large = {{2, 4, 4, 3}, {1, 8}};
  for (const InputShapes &shapes : {small, large}) {
    Artifact special = generalArtifact();
    special.inputs[0].dimensions = shapes[0];
    special.entries[0].arenaSize = 64;
    special.routineSlots = {3, 5};
    Status status = addSpecialization(artifact, special, shapes);
    ASSERT_TRUE(status.isOk()) << status.message();
  }
  ASSERT_EQ(artifact.entries.size(), 3u);
  EXPECT_EQ(artifact.entries[0].inputShapes, small);
  EXPECT_EQ(artifact.entries[0].codeIndex, 1u);
  EXPECT_EQ(artifact.entries[0].arenaSize, 64u);
  EXPECT_EQ(artifact.entries[1].inputShapes, large);
  EXPECT_EQ(artifact.entries[1].codeIndex, 2u);
  EXPECT_TRUE(artifact.entries[2].inputShapes.empty());
  EXPECT_EQ(artifact.entries[2].codeIndex, 0u);
  EXPECT_EQ(artifact.code.size(), 3u);
  EXPECT_EQ(artifact.dataCacheSize, 384u);
  EXPECT_EQ(artifact.constants.back().offset, 256u);
  EXPECT_EQ(artifact.routineSlots, (std::vector<uint32_t>{1, 3, 5}));
  std::vector<std::byte> bytes = writeModelCache(artifact);
  auto read = readModelCache(bytes);
  ASSERT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(isSame(*read, artifact));
}

TEST(SpecializationTest, DataCachesAreJoined) {
  std::vector<std::byte> bytes = writeModelCache(generalArtifact());
  CompiledModel general{
      bytes, Memory::adopt(std::vector<std::byte>(128, std::byte(1)))};
  CompiledModel special{
      bytes, Memory::adopt(std::vector<std::byte>(128, std::byte(2)))};
  auto joined = addSpecialization(general, special, {{1, 4, 4, 3}, {1, 8}});
  ASSERT_TRUE(joined.isOk()) << joined.status().message();
  auto data = *joined->dataCache.bytes();
  ASSERT_EQ(data.size(), 256u);
  EXPECT_EQ(data[127], std::byte(1));
  EXPECT_EQ(data[128], std::byte(2));
}

TEST(SpecializationTest, StrangersAreRejected) {
  InputShapes shapes = {{1, 4, 4, 3}, {1, 8}};
  auto messageOf = [&](auto change) {
    Artifact general = generalArtifact(), special = generalArtifact();
    change(general, special);
    return addSpecialization(general, special, shapes).message();
  };
  EXPECT_EQ(messageOf([](Artifact &, Artifact &special) {
              special.outputs.pop_back();
            }),
            "the specialization is of another model");
  EXPECT_EQ(messageOf([](Artifact &, Artifact &special) {
              special.buildIdentity = "other";
            }),
            "the specialization is of compiler 'other', not 'nnhal 0.1.0'");
  EXPECT_EQ(messageOf([](Artifact &, Artifact &special) {
              special.rounding = "float";
            }),
            "the specialization rounds by policy 'float', not 'double'");
  EXPECT_EQ(messageOf([](Artifact &general, Artifact &) {
              general.dataCacheSize = 132;
            }),
            "a data cache of 132 bytes, no multiple of 64, cannot be appended "
            "to");
}

} // namespace
