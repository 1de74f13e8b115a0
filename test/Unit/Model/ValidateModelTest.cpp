//===- ValidateModelTest.cpp - Rules of the whole model -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

#include <fmt/format.h>

#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

TEST(ValidateModelTest, acceptsInEveryVersion) { // B-001
  for (HalVersion version :
       {HalVersion::V1_0, HalVersion::V1_1, HalVersion::V1_2, HalVersion::V1_3})
    expectValid(addTwice(), [](Model &) {}, version);
  expectValid(
      addTwice(), // B-006
      [](Model &m) { m.relaxComputationFloat32toFloat16 = true; },
      HalVersion::V1_0);
}

TEST(ValidateModelTest, emptyModel) { // B-002
  EXPECT_EQ(validateStructure(Model()).message(),
            "main: there are no operands");
  expectInvalid(addTwice(), "main: there are no operations",
                [](Model &m) { m.main.operations.clear(); });
}

TEST(ValidateModelTest, extensionNames) { // B-007
  auto with = [](std::vector<ExtensionNameAndPrefix> entries) {
    return [=](Model &m) { m.extensionNameToPrefix = entries; };
  };
  expectValid(addTwice(), with({{"a", 1}, {"b", 2}}));
  expectInvalid(addTwice(), "extension 1: name 'a' is used twice",
                with({{"a", 1}, {"a", 2}}));
  expectInvalid(addTwice(), "extension 1: prefix 1 of 'b' is used twice",
                with({{"a", 1}, {"b", 1}}));
  expectInvalid(addTwice(), "extension 0: prefix 0 of 'a' must be positive",
                with({{"a", 0}}));
  expectInvalid(addTwice(), "extension 0: the name must not be empty",
                with({{"", 1}}));
}

TEST(ValidateModelTest, pools) { // B-074 to B-078
  auto with = [](std::string name, Memory memory) {
    return [=](Model &m) { m.pools = {{name, memory, {}, 0, false}}; };
  };
  Memory memory = Memory::adopt(std::vector<std::byte>(4));
  for (const char *name : {"ashmem", "mmap_fd"})
    expectValid(addTwice(), with(name, memory), HalVersion::V1_0);
  for (const char *name : {"hardware_buffer_blob", "hardware_buffer"}) {
    expectValid(addTwice(), with(name, memory), HalVersion::V1_2);
    expectInvalid(addTwice(),
                  fmt::format("pool 0: {} needs HAL 1.2, the model is "
                              "validated as 1.1",
                              name),
                  with(name, memory), HalVersion::V1_1);
  }
  expectInvalid(addTwice(), "pool 0: 'heap' is not a kind of memory",
                with("heap", memory));
  expectInvalid(addTwice(), "pool 0: there is no memory",
                with("ashmem", Memory()));
  expectInvalid(addTwice(), "pool 0: a device token cannot hold constants",
                with("ashmem", Memory::device(1)));
  expectValid(addTwice(), with("ashmem", Memory::copy({})));
}

/// B-010: random changes of any field give an answer.
TEST(ValidateModelTest, totalOnRandomMutations) {
  std::mt19937 random(42);
  auto number = [&]() -> uint32_t {
    static constexpr uint32_t interesting[] = {
        0, 1, 2, 3, 4, 5, 6, 7, 15, 96, 97, 255, 65536, 0x7FFFFFFF, UINT32_MAX};
    return random() % 4 ? interesting[random() % std::size(interesting)]
                        : random();
  };
  size_t valid = 0;
  for (int round = 0; round < 20000; ++round) {
    Model model = addTwice();
    model.referenced.push_back(addTwice().main);
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      Subgraph &subgraph = random() % 4 ? model.main : model.referenced[0];
      Operand &o = subgraph.operands[random() % subgraph.operands.size()];
      Operation &op = subgraph.operations[random() % 2];
      switch (random() % 12) {
      case 0:
        o.type = OperandType(number());
        break;
      case 1:
        o.dimensions.assign(random() % 4, number());
        break;
      case 2:
        o.lifetime = OperandLifeTime(number());
        break;
      case 3:
        o.location.offset = number();
        break;
      case 4:
        o.location.length = number();
        break;
      case 5:
        o.location.poolIndex = number();
        break;
      case 6:
        op.type = OperationType(number());
        break;
      case 7:
        op.inputs.assign(random() % 5, number());
        break;
      case 8:
        op.outputs.assign(random() % 3, number());
        break;
      case 9:
        subgraph.inputIndexes.assign(random() % 3, number());
        break;
      case 10:
        subgraph.outputIndexes.assign(random() % 3, number());
        break;
      case 11:
        o.numberOfConsumers = number();
        break;
      }
    }
    if (random() % 2) {
      computeConsumers(model.main);
      computeConsumers(model.referenced[0]);
    }
    Status status = validateStructure(model, HalVersion(random() % 4));
    valid += status.isOk();
    if (!status.isOk())
      EXPECT_EQ(status.code(), StatusCode::invalidArgument);
  }
  EXPECT_LT(valid, 10000u);
}

} // namespace
