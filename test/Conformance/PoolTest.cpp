//===- PoolTest.cpp - Requests over shared memory -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

class PoolTest
    : public ConformanceTest,
      public testing::WithParamInterface<std::tuple<Mode, PoolSource>> {
protected:
  Mode mode() const { return std::get<0>(GetParam()); }
  PoolSource source() const { return std::get<1>(GetParam()); }

  /// Fenced executions do not say what they copied.
  void expectCopied(const Executed &executed, uint64_t bytes) const {
    if (mode() != Mode::fenced)
      EXPECT_EQ(executed.result.copiedBytes, bytes);
  }
};
INSTANTIATE_TEST_SUITE_P(
    All, PoolTest,
    testing::Combine(testing::Values(Mode::sync, Mode::async, Mode::fenced),
                     testing::ValuesIn(allPoolSources)),
    [](const auto &info) {
      return toString(std::get<0>(info.param)) + "_" +
             toString(std::get<1>(info.param));
    });

// F-001, F-002, F-005, F-009, F-011, F-012, F-015, F-016: arguments in every
// kind of pool.
TEST_P(PoolTest, holdsArguments) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool shared = createPool(source(), 64);
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 0, {1, 2, 3, 4, 10, 20, 30, 40});
  Request request = requestIn(shared.pool, 0, 16, 48);
  Executed executed = executeIn(mode(), *prepared, request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(readFloats(*shared.pool, 32, 4), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(readFloats(*shared.pool, 48, 4),
            flow({1, 2, 3, 4}, {10, 20, 30, 40}));
  // Only what nobody can take away is used where it is.
  expectCopied(executed, shared.pool->isStable() ? 0 : 3 * tensorSize);
}

// F-025, F-028: nothing is assumed of the offsets.
TEST_P(PoolTest, maybeMisaligned) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool shared = createPool(source(), 64);
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 1, {1, 2, 3, 4});
  writeFloats(*shared.pool, 18, {5, 6, 7, 8});
  std::vector<std::byte> guard(64 - 35, std::byte(0x5a));
  ASSERT_EQ(shared.pool->write(35, guard).message(), "");
  Executed executed =
      executeIn(mode(), *prepared, requestIn(shared.pool, 1, 18, 39));
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(readFloats(*shared.pool, 39, 4), flow({1, 2, 3, 4}, {5, 6, 7, 8}));
  std::vector<std::byte> around(64 - 35);
  ASSERT_EQ(shared.pool->read(35, around).message(), "");
  EXPECT_EQ(around[3], std::byte(0x5a));
  EXPECT_EQ(around[4 + tensorSize], std::byte(0x5a));
  expectCopied(executed, 3 * tensorSize);
}

// F-010: one pool, one region, several arguments.
TEST_P(PoolTest, isUsedSeveralTimes) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool shared = createPool(source(), 32);
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 0, {1, 2, 3, 4});
  Executed executed =
      executeIn(mode(), *prepared, requestIn(shared.pool, 0, 0, 16));
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(readFloats(*shared.pool, 16, 4), flowOfCounts(4));
}

// D-095: 0 and 0 are the whole pool.
TEST_P(PoolTest, isTakenAsAWhole) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool input = createPool(source(), 16),
             output = createPool(source(), 64);
  ASSERT_TRUE(input.isValid() && output.isValid());
  writeFloats(*input.pool, 0, {1, 2, 3, 4});
  Request request;
  request.inputs = {{Memory::region(input.pool, 0, 0), {}},
                    {Memory::region(input.pool, 0, 16), {}}};
  request.outputs = {{OutputMemory::region(output.pool, 0, 0), {}}};
  Executed executed = executeIn(mode(), *prepared, request);
  EXPECT_EQ(executed.status.message(), "");
  EXPECT_EQ(readFloats(*output.pool, 0, 4), flowOfCounts(4));
  EXPECT_EQ(readFloats(*output.pool, 16, 1), (std::vector<float>{0}));
  request.inputs[0].memory = Memory::region(output.pool, 0, 0);
  executed = executeIn(mode(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 0 has 64 bytes, its shape and type need 16");
}

// B-081, F-022, F-023.
TEST_P(PoolTest, hasBounds) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool shared = createPool(source(), 64);
  ASSERT_TRUE(shared.isValid());
  const Request valid = requestIn(shared.pool, 0, 16, 32);
  auto expectRejected = [&](const Request &request, std::string_view message) {
    Executed executed = executeIn(mode(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(executed.status.message(), message);
    EXPECT_TRUE(executed.result.outputShapes.empty());
  };
  Request request = valid;
  request.inputs[1].memory = Memory::region(shared.pool, 52, 16);
  expectRejected(request, "input 1: 16 bytes with 0 of padding at offset 52 "
                          "exceed a pool of 64 bytes");
  request.inputs[1].memory = Memory::region(shared.pool, UINT64_MAX - 7, 16);
  expectRejected(request, "input 1: 16 bytes with 0 of padding at offset "
                          "18446744073709551608 exceed a pool of 64 bytes");
  request.inputs[1].memory = Memory::region(shared.pool, 40, 16, 9);
  expectRejected(request, "input 1: 16 bytes with 9 of padding at offset 40 "
                          "exceed a pool of 64 bytes");
  request.inputs[1].memory = Memory::region(shared.pool, 40, 16, UINT64_MAX);
  expectRejected(request,
                 "input 1: 16 bytes with 18446744073709551615 of padding at "
                 "offset 40 exceed a pool of 64 bytes");
  request.inputs[1].memory = Memory::region(shared.pool, 0, 12);
  expectRejected(request, "input 1 has 12 bytes, its shape and type need 16");
  request = valid;
  request.outputs[0].memory = OutputMemory::region(shared.pool, 32, 33);
  expectRejected(request, "output 0: 33 bytes with 0 of padding at offset 32 "
                          "exceed a pool of 64 bytes");
  request.outputs[0].memory = OutputMemory::region(shared.pool, 8, UINT64_MAX);
  expectRejected(request,
                 "output 0: 18446744073709551615 bytes with 0 of padding at "
                 "offset 8 exceed a pool of 64 bytes");
  // Padding that fits is fine.
  request.outputs[0].memory = OutputMemory::region(shared.pool, 32, 16, 16);
  EXPECT_EQ(executeIn(mode(), *prepared, request).status.message(), "");
}

// F-002, F-008.
TEST_P(PoolTest, isProtected) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  SharedPool shared = createPool(source(), 64);
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 0, {1, 2, 3, 4, 1, 2, 3, 4, 9, 9, 9, 9});
  Request request = requestIn(shared.pool, 0, 16, 32);
  auto readOnly = reopened(shared, PROT_READ);
  request.outputs[0].memory = OutputMemory::region(readOnly, 32, tensorSize);
  Executed executed = executeIn(mode(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "output 0: the pool is not open for writing");
  EXPECT_EQ(readFloats(*shared.pool, 32, 4), (std::vector<float>{9, 9, 9, 9}));
  // It can be read, and what can only be written cannot.
  request = requestIn(shared.pool, 0, 16, 32);
  request.inputs[0].memory = Memory::region(readOnly, 0, tensorSize);
  auto writeOnly = reopened(shared, PROT_WRITE);
  request.outputs[0].memory = OutputMemory::region(writeOnly, 32, tensorSize);
  EXPECT_EQ(executeIn(mode(), *prepared, request).status.message(), "");
  EXPECT_EQ(readFloats(*shared.pool, 32, 4), flowOfCounts(4));
  request.inputs[1].memory = Memory::region(writeOnly, 16, tensorSize);
  executed = executeIn(mode(), *prepared, request);
  EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
  EXPECT_EQ(executed.status.message(),
            "input 1: the pool is not open for reading");
}

using PoolModeTest = ModeTest;
NNHAL_ALL_MODES(PoolModeTest);

// F-004, F-006, F-013: a layout that nobody knows.
TEST_P(PoolModeTest, cannotBeOpaque) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  FloatArguments arguments(*prepared);
  for (uint64_t size : {0, 16}) {
    std::shared_ptr<SharedMemory> opaque = createOpaquePool(size);
    Request request = arguments.request;
    request.inputs[0].memory = Memory::region(opaque, 0, 0);
    Executed executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(executed.status.message(),
              "input 0 is in a pool of kind hardware_buffer, whose layout only "
              "its maker knows");
    request = arguments.request;
    request.outputs[0].memory = OutputMemory::region(opaque, 0, 0);
    executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::generalFailure);
    EXPECT_EQ(executed.status.message(),
              "output 0 is in a pool of kind hardware_buffer, whose layout "
              "only its maker knows");
    request.outputs[0].memory = OutputMemory::region(opaque, 0, 16);
    executed = executeIn(GetParam(), *prepared, request);
    EXPECT_EQ(executed.status.code(), StatusCode::invalidArgument);
    EXPECT_EQ(executed.status.message(),
              "output 0 states offset 0 and size 16 of a pool of kind "
              "hardware_buffer, which must be 0");
  }
}

class ConstantPoolTest : public ConformanceTest,
                         public testing::WithParamInterface<PoolSource> {};
INSTANTIATE_TEST_SUITE_P(All, ConstantPoolTest,
                         testing::ValuesIn(allPoolSources),
                         [](const auto &info) { return toString(info.param); });

// B-026: two constants overlap, and neither is written.
TEST_P(ConstantPoolTest, holdsOverlappingConstants) {
  SharedPool shared = createPool(GetParam(), tensorSize + sizeof(float));
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 0, {10, 20, 30, 40, 50});
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t input = main.input(OperandType::TENSOR_FLOAT32, {2, 2});
  uint32_t value = input;
  for (uint32_t offset : {0u, uint32_t(sizeof(float))}) {
    uint32_t constant =
        main.constant<float>(OperandType::TENSOR_FLOAT32, {2, 2}, {0, 0, 0, 0});
    main.operand(constant).lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    main.operand(constant).location = {0, offset, uint32_t(tensorSize)};
    uint32_t none = main.scalar(0);
    uint32_t result = offset == 0
                          ? main.temporary(OperandType::TENSOR_FLOAT32, {2, 2})
                          : main.output(OperandType::TENSOR_FLOAT32, {2, 2});
    main.operation(flowOperation(), {value, constant, none}, {result});
    value = result;
  }
  annotated.model.pools.push_back(
      {"ashmem",
       Memory::region(shared.pool, 0, tensorSize + sizeof(float)),
       {},
       0,
       false});
  annotated.model.main = main.finish();
  NNHAL_PREPARE_OR_SKIP(prepared, *device, annotated);
  for (int round = 0; round < 2; ++round) {
    FloatArguments arguments(*prepared);
    ExecutionResult result;
    EXPECT_EQ(prepared->execute(arguments.request, result).message(), "");
    EXPECT_EQ(arguments.outputs[0],
              flow(flow({1, 2, 3, 4}, {10, 20, 30, 40}), {20, 30, 40, 50}));
  }
  EXPECT_EQ(readFloats(*shared.pool, 0, 5),
            (std::vector<float>{10, 20, 30, 40, 50}));
}

// F-014, F-021: what was prepared does not change with its pool.
TEST_P(ConstantPoolTest, holdsConstants) {
  SharedPool shared = createPool(GetParam(), tensorSize);
  ASSERT_TRUE(shared.isValid());
  writeFloats(*shared.pool, 0, {10, 20, 30, 40});
  NNHAL_PREPARE_OR_SKIP(
      prepared, *device,
      addConstantModel({2, 2}, Memory::region(shared.pool, 0, tensorSize)));
  for (int round = 0; round < 2; ++round) {
    FloatArguments arguments(*prepared);
    ExecutionResult result;
    EXPECT_EQ(prepared->execute(arguments.request, result).message(), "");
    EXPECT_EQ(arguments.outputs[0], flow({1, 2, 3, 4}, {10, 20, 30, 40}));
    writeFloats(*shared.pool, 0, {0, 0, 0, 0});
    if (!shared.pool->isStable())
      ASSERT_EQ(::ftruncate(shared.peer.get(), 0), 0);
    shared.pool.reset();
    if (round == 0)
      shared.pool = poolOf({0, 0, 0, 0});
  }
}

// F-007, F-013.
TEST_P(ConstantPoolTest, cannotBePreparedWhenShort) {
  SharedPool shared = createPool(GetParam(), tensorSize);
  ASSERT_TRUE(shared.isValid());
  if (shared.pool->isStable())
    GTEST_SKIP() << "a sealed pool cannot be shortened";
  AnnotatedModel model =
      addConstantModel({2, 2}, Memory::region(shared.pool, 0, tensorSize));
  if (auto reason = unsupportedReason(*device, model))
    GTEST_SKIP() << *reason;
  ASSERT_EQ(::ftruncate(shared.peer.get(), 3), 0);
  auto prepared = device->prepareModel(model);
  ASSERT_FALSE(prepared.isOk());
  EXPECT_EQ(prepared.status().code(), StatusCode::generalFailure);
  EXPECT_NE(prepared.status().message().find("exceeds its file of 3 bytes"),
            std::string::npos)
      << prepared.status().message();
}

using PoolConstantsTest = ConformanceTest;

// F-006, F-013, F-021.
TEST_F(PoolConstantsTest, areNeverOpaque) {
  if (auto reason = unsupportedReason(*device, addConstantModel({2, 2})))
    GTEST_SKIP() << *reason;
  AnnotatedModel model = addConstantModel(
      {2, 2}, Memory::region(createOpaquePool(tensorSize), 0, tensorSize));
  model.model.pools[0].name = "hardware_buffer";
  auto prepared = device->prepareModel(model);
  ASSERT_FALSE(prepared.isOk());
  EXPECT_NE(prepared.status().message().find("hardware_buffer"),
            std::string::npos)
      << prepared.status().message();
}

/// Pools that cannot be read, by the reason that is given.
struct UnreadablePool {
  const char *reason;
  const char *name;
  std::shared_ptr<const SharedMemory> pool;
  /// Keeps the file.
  UniqueFd peer = {};
};

std::vector<UnreadablePool> unreadablePools() {
  std::vector<UnreadablePool> pools;
  pools.push_back({"the descriptor of a memory is not open", "mmap_fd",
                   SharedMemory::adoptUnchecked(PoolKind::mmapFd, UniqueFd(),
                                                tensorSize, PROT_READ, 0)});
  SharedPool written = createPool(PoolSource::unsealed, tensorSize);
  pools.push_back({"memory of protection 2 cannot be read", "mmap_fd",
                   reopened(written, PROT_WRITE), std::move(written.peer)});
  SharedPool shortened = createPool(PoolSource::unsealed, tensorSize);
  EXPECT_EQ(::ftruncate(shortened.peer.get(), 3), 0);
  pools.push_back({"memory at offset 0 of size 16 exceeds its file of 3 bytes",
                   "ashmem", shortened.pool, std::move(shortened.peer)});
  pools.push_back({"memory of kind hardware_buffer is opaque: it is not "
                   "mapped, read or written",
                   "hardware_buffer", createOpaquePool(tensorSize)});
  return pools;
}

/// Two outputs: a + c, with the constant c in the pool \p constants, and a + a;
/// then, in the branches of an IF, the same sums again.
AnnotatedModel partlyConstantModel(const Memory &constants, const char *name) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  model.pools = {{name, constants, {}, 0, false}};
  auto addSums = [&](SubgraphBuilder &graph, uint32_t input, bool readsPool,
                     uint32_t output) {
    uint32_t other = input;
    if (readsPool) {
      other = graph.constant<float>(OperandType::TENSOR_FLOAT32, {2, 2}, {});
      graph.operand(other).lifetime = OperandLifeTime::CONSTANT_REFERENCE;
      graph.operand(other).location = {0, 0, uint32_t(tensorSize)};
    }
    graph.operation(OperationType::ADD, {input, other, graph.scalar(0)},
                    {output});
  };
  Dimensions shape = {2, 2};
  OperandType type = OperandType::TENSOR_FLOAT32;
  for (bool readsPool : {true, false}) {
    SubgraphBuilder branch(model);
    uint32_t input = branch.input(type, shape);
    addSums(branch, input, readsPool, branch.output(type, shape));
    model.referenced.push_back(branch.finish());
  }
  SubgraphBuilder main(model);
  uint32_t input = main.input(type, shape);
  uint32_t condition = main.input(OperandType::TENSOR_BOOL8, {1});
  addSums(main, input, true, main.output(type, shape));
  addSums(main, input, false, main.output(type, shape));
  for (uint32_t second : {0u, 1u})
    main.operation(OperationType::IF,
                   {condition, main.subgraphReference(1),
                    main.subgraphReference(second), input},
                   {main.output(type, shape)});
  model.main = main.finish();
  return annotated;
}

// C-032, F-007, F-013: operations that read a pool which cannot be read are not
// supported, the others are; and the model cannot be prepared.
TEST_F(PoolConstantsTest, thatCannotBeReadAreNotSupported) {
  NNHAL_PREPARE_OR_SKIP(
      readable, *device,
      partlyConstantModel(Memory::region(poolOf({1, 2, 3, 4}), 0, tensorSize),
                          "ashmem"));
  for (const UnreadablePool &unreadable : unreadablePools()) {
    ASSERT_TRUE(unreadable.pool);
    // Nothing can be sent of a pool without a descriptor.
    if (device->traits().isRemote && unreadable.pool->fd() < 0)
      continue;
    AnnotatedModel model = partlyConstantModel(
        Memory::region(unreadable.pool, 0, tensorSize), unreadable.name);
    for (int round = 0; round < 2; ++round) {
      auto supported = device->supportedOperations(model);
      ASSERT_TRUE(supported.isOk()) << supported.status().message();
      ASSERT_EQ(supported->size(), 4u);
      // The first operation reads the pool, the first IF in one branch.
      const std::string fault =
          std::string("pool 0 cannot be read: ") + unreadable.reason;
      EXPECT_EQ((*supported)[0].code(), StatusCode::generalFailure);
      EXPECT_EQ((*supported)[0].message(), fault);
      EXPECT_EQ((*supported)[2].code(), StatusCode::generalFailure);
      EXPECT_EQ((*supported)[2].message(), "referenced[0]: " + fault);
      for (size_t i : {1, 3})
        EXPECT_EQ((*supported)[i].message(), "");
    }
    auto prepared = device->prepareModel(model);
    EXPECT_EQ(prepared.status().code(), StatusCode::generalFailure);
    EXPECT_EQ(prepared.status().message(),
              std::string("pool 0 cannot be read: ") + unreadable.reason);
  }
}

} // namespace
