//===- BufferTest.cpp - Allocating buffers for roles ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memories.h"

#include "nnhal/Runtime/MemoryBudget.h"

#include <cmath>
#include <set>

using namespace nnhal::rt;
using namespace nnhal::rt::conformance;

namespace {

class BufferTest : public ConformanceTest {
protected:
  /// C-072, C-073, B-103: no buffer, and why.
  void expectRejected(const BufferDesc &desc,
                      const std::vector<PreparedModelRef> &models,
                      const std::vector<BufferRole> &inputs,
                      const std::vector<BufferRole> &outputs,
                      std::string_view message) {
    auto allocated = device->allocate(desc, models, inputs, outputs);
    ASSERT_FALSE(allocated.isOk());
    EXPECT_EQ(allocated.status().code(), StatusCode::invalidArgument);
    EXPECT_EQ(allocated.status().message(), message);
  }
};

// B-093, B-094, B-097.
TEST_F(BufferTest, needsModelsAndRoles) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  expectRejected({}, {}, {{0, 0, 1}}, {}, "a buffer needs a prepared model");
  expectRejected({}, {prepared}, {}, {}, "a buffer needs a role");
  // Models without a role have to be the device's, too.
  expectRejected({}, {prepared, nullptr}, {{0, 0, 1}}, {},
                 "model 1 was not prepared by this device");
  std::unique_ptr<Device> otherDevice = createDeviceUnderTest();
  NNHAL_PREPARE_OR_SKIP(foreign, *otherDevice, addModel());
  expectRejected({}, {foreign}, {{0, 0, 1}}, {},
                 "model 0 was not prepared by this device");
}

// B-095, B-096.
TEST_F(BufferTest, checksEachRole) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  expectRejected({}, {prepared}, {{1, 0, 1}}, {},
                 "role 0 (input 0 of model 1): there are 1 prepared models");
  expectRejected({}, {prepared}, {{0, 2, 1}}, {},
                 "role 0 (input 2 of model 0): the model has 2 inputs");
  expectRejected({}, {prepared}, {{0, 0, 1}}, {{0, 1, 1}},
                 "role 1 (output 1 of model 0): the model has 1 outputs");
  expectRejected({}, {prepared}, {{0, UINT32_MAX, 1}}, {},
                 "role 0 (input 4294967295 of model 0): the model has 2 "
                 "inputs");
  expectRejected({}, {prepared}, {{0, 0, 10}}, {},
                 "role 0 (input 0 of model 0): the frequency 10 is not in "
                 "(0, 1]");
  expectRejected({}, {prepared}, {}, {{0, 0, 0}},
                 "role 0 (output 0 of model 0): the frequency 0 is not in "
                 "(0, 1]");
  expectRejected({}, {prepared}, {{0, 0, 1}, {0, 1, -0.5f}}, {},
                 "role 1 (input 1 of model 0): the frequency -0.5 is not in "
                 "(0, 1]");
  expectRejected({}, {prepared}, {{0, 0, std::nanf("")}}, {},
                 "role 0 (input 0 of model 0): the frequency nan is not in "
                 "(0, 1]");
}

// B-098.
TEST_F(BufferTest, takesEachRoleOnce) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  expectRejected({}, {prepared}, {{0, 0, 1}, {0, 0, 1}}, {},
                 "role 1 (input 0 of model 0): the role is stated twice");
  expectRejected({}, {prepared}, {}, {{0, 0, 1}, {0, 0, 0.5f}},
                 "role 1 (output 0 of model 0): the role is stated twice");
  // The model counts, not its place in the list.
  expectRejected({}, {prepared, prepared}, {{0, 0, 1}, {1, 0, 1}}, {},
                 "role 1 (input 0 of model 1): the role is stated twice");
  auto allocated =
      device->allocate({}, std::vector<PreparedModelRef>{prepared, prepared},
                       std::vector<BufferRole>{{0, 0, 1}, {1, 1, 0.1f}},
                       std::vector<BufferRole>{{1, 0, 1}});
  EXPECT_EQ(allocated.status().message(), "");
}

// B-099.
TEST_F(BufferTest, hasOneType) {
  NNHAL_PREPARE_OR_SKIP(floats, *device, addModel());
  auto quantized = [](float scale, int32_t zeroPoint) {
    return addQuantizedModel(OperandType::TENSOR_QUANT8_ASYMM, {2, 2}, scale,
                             zeroPoint);
  };
  NNHAL_PREPARE_OR_SKIP(first, *device, quantized(0.25f, 3));
  NNHAL_PREPARE_OR_SKIP(otherScale, *device, quantized(0.5f, 3));
  NNHAL_PREPARE_OR_SKIP(otherZeroPoint, *device, quantized(0.25f, 4));
  expectRejected({}, {floats, first}, {{0, 0, 1}, {1, 0, 1}}, {},
                 "role 1 (input 0 of model 1): type TENSOR_QUANT8_ASYMM "
                 "differs from TENSOR_FLOAT32 of the roles before");
  expectRejected({}, {first, otherScale}, {{0, 0, 1}}, {{1, 0, 1}},
                 "role 1 (output 0 of model 1): scale 0.5 and zero point 3 "
                 "differ from 0.25 and 3 of the roles before");
  expectRejected({}, {first, otherZeroPoint}, {{0, 0, 1}, {1, 1, 1}}, {},
                 "role 1 (input 1 of model 1): scale 0.25 and zero point 4 "
                 "differ from 0.25 and 3 of the roles before");
  EXPECT_EQ(allocateBuffer(*device, first, {0, 1}, {0}).status().message(), "");
}

/// Two outputs: the inputs, which have \p scales along dimension
/// \p channelDim, as floats.
AnnotatedModel dequantizeChannelsModel(const std::vector<float> &scales,
                                       uint32_t channelDim,
                                       const Dimensions &dimensions) {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  for (int i = 0; i < 2; ++i) {
    uint32_t input =
        main.input(OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL, dimensions);
    main.operand(input).extraParams =
        SymmPerChannelQuantParams{scales, channelDim};
    uint32_t output = main.output(OperandType::TENSOR_FLOAT32, dimensions);
    main.operation(OperationType::DEQUANTIZE, {input}, {output});
  }
  annotated.model.main = main.finish();
  return annotated;
}

// B-099: the scales of channels have to agree, too.
TEST_F(BufferTest, hasOneSetOfChannelScales) {
  auto model = [](std::vector<float> scales, uint32_t channelDim,
                  Dimensions dimensions = {2, 2}) {
    return dequantizeChannelsModel(scales, channelDim, dimensions);
  };
  NNHAL_PREPARE_OR_SKIP(first, *device, model({0.5f, 2}, 0));
  NNHAL_PREPARE_OR_SKIP(same, *device, model({0.5f, 2}, 0, {2, 0}));
  NNHAL_PREPARE_OR_SKIP(otherScale, *device, model({0.5f, 4}, 0));
  NNHAL_PREPARE_OR_SKIP(otherDimension, *device, model({0.5f, 2}, 1));
  NNHAL_PREPARE_OR_SKIP(otherCount, *device, model({0.5f, 2, 1}, 0, {3, 2}));
  std::vector<BufferRole> both = {{0, 0, 1}, {1, 1, 1}};
  expectRejected({}, {first, otherScale}, both, {},
                 "role 1 (input 1 of model 1): scale 4 of channel 1 differs "
                 "from 2 of the roles before");
  expectRejected({}, {first, otherDimension}, both, {},
                 "role 1 (input 1 of model 1): the scales are those of "
                 "dimension 1, in the roles before of dimension 0");
  expectRejected({}, {first, otherCount}, both, {},
                 "role 1 (input 1 of model 1): there are 3 scales, in the "
                 "roles before 2");

  std::vector<PreparedModelRef> models = {first, same};
  both.push_back({0, 1, 1});
  auto buffer = device->allocate({}, models, both, {});
  ASSERT_TRUE(buffer.isOk()) << buffer.status().message();
  SharedPool pool = createPool(PoolSource::ashmem, 4);
  ASSERT_TRUE(pool.isValid());
  std::vector<int8_t> bytes = {1, -2, 3, -4};
  ASSERT_EQ(pool.pool->write(0, std::as_bytes(std::span(bytes))).message(), "");
  ASSERT_EQ((*buffer)->copyFrom(*pool.pool, {}).message(), "");
  FloatArguments arguments({}, {{2, 2}, {2, 2}});
  arguments.request.inputs = {inputFrom(**buffer), inputFrom(**buffer)};
  Executed executed = executeIn(Mode::sync, *first, arguments.request);
  EXPECT_EQ(executed.status.message(), "");
  for (const std::vector<float> &output : arguments.outputs)
    EXPECT_EQ(output, (std::vector<float>{0.5f, -1, 6, -8}));
}

// B-100.
TEST_F(BufferTest, hasOneShape) {
  NNHAL_PREPARE_OR_SKIP(first, *device, addModel({2, 2}));
  NNHAL_PREPARE_OR_SKIP(second, *device, addModel({3, 2}));
  NNHAL_PREPARE_OR_SKIP(third, *device, addModel({4}));
  expectRejected({}, {first, second}, {{0, 0, 1}, {1, 0, 1}}, {},
                 "role 1 (input 0 of model 1): shape [3,2] contradicts [2,2] "
                 "of the roles before");
  expectRejected({}, {first, third}, {}, {{0, 0, 1}, {1, 0, 1}},
                 "role 1 (output 0 of model 1): shape [4] contradicts [2,2] "
                 "of the roles before");
  expectRejected({{4}}, {first}, {{0, 0, 1}}, {},
                 "the shape [4] of the description contradicts the roles' "
                 "[2,2]");
  expectRejected({{2, 3}}, {first}, {{0, 0, 1}}, {},
                 "the shape [2,3] of the description contradicts the roles' "
                 "[2,2]");
  for (const Dimensions &fitting : {Dimensions{2, 2}, {0, 2}, {0, 0}, {}}) {
    auto buffer = allocateBuffer(*device, first, {0}, {}, fitting);
    ASSERT_EQ(buffer.status().message(), "");
    EXPECT_EQ(copyFloatsTo(**buffer, {1, 2, 3, 4}).message(), "");
  }
}

// B-100, B-102, F-045: what one leaves open another states.
TEST_F(BufferTest, mergesShapes) {
  NNHAL_PREPARE_OR_SKIP(rows, *device, addModel({0, 3}));
  NNHAL_PREPARE_OR_SKIP(columns, *device, addModel({2, 0}));
  auto allocated = device->allocate(
      {}, std::vector<PreparedModelRef>{rows, columns},
      std::vector<BufferRole>{{0, 0, 1}}, std::vector<BufferRole>{{1, 0, 1}});
  ASSERT_EQ(allocated.status().message(), "");
  EXPECT_EQ(copyFloatsTo(**allocated, {1, 2, 3, 4, 5, 6}).message(), "");
  EXPECT_EQ(floatsOf(**allocated, 6), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  auto described = allocateBuffer(*device, rows, {0}, {}, {4, 0});
  ASSERT_EQ(described.status().message(), "");
  EXPECT_EQ(copyFloatsTo(**described, {1, 2, 3, 4, 5, 6}).message(),
            "the source has 24 bytes, the shape [4,3] needs 48");
  expectRejected({{3, 0}}, {rows, columns}, {{0, 0, 1}, {1, 0, 1}}, {},
                 "the shape [3,0] of the description contradicts the roles' "
                 "[2,3]");
}

/// ADD whose activation is an input of the model.
AnnotatedModel scalarInputModel() {
  AnnotatedModel annotated;
  SubgraphBuilder main(annotated.model);
  uint32_t lhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t rhs = main.input(OperandType::TENSOR_FLOAT32, {2});
  uint32_t activation = main.input(OperandType::INT32, {});
  uint32_t sum = main.output(OperandType::TENSOR_FLOAT32, {2});
  main.operation(OperationType::ADD, {lhs, rhs, activation}, {sum});
  annotated.model.main = main.finish();
  return annotated;
}

// B-101.
TEST_F(BufferTest, holdsScalarsWithoutShape) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, scalarInputModel());
  expectRejected({{1}}, {prepared}, {{0, 2, 1}}, {},
                 "a buffer for a scalar has the shape [1]");
  EXPECT_EQ(allocateBuffer(*device, prepared, {2}, {}).status().message(), "");
}

// B-088, C-075.
TEST_F(BufferTest, hasASizeOf32Bits) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({0, 0}));
  expectRejected({{65536, 65536}}, {prepared}, {{0, 0, 1}}, {},
                 "a buffer of shape [65536,65536] exceeds 4294967295 bytes");
  expectRejected({{UINT32_MAX, UINT32_MAX}}, {prepared}, {{0, 0, 1}}, {},
                 "a buffer of shape [4294967295,4294967295] exceeds "
                 "4294967295 bytes");
}

// C-075.
TEST_F(BufferTest, hasARank) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel(Dimensions{}));
  auto allocated = allocateBuffer(*device, prepared, {0}, {});
  ASSERT_FALSE(allocated.isOk());
  EXPECT_EQ(allocated.status().code(), StatusCode::generalFailure);
  EXPECT_EQ(allocated.status().message(),
            "buffers of unknown rank are not supported");
}

// C-070, C-071, F-047, L-034.
TEST_F(BufferTest, hasATokenOfItsOwn) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  std::vector<std::shared_ptr<Buffer>> living;
  living.reserve(100);
  std::set<uint32_t> tokens;
  for (int i = 0; i < 100; ++i) {
    NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {0});
    EXPECT_NE(buffer->token(), 0u);
    EXPECT_TRUE(tokens.insert(buffer->token()).second);
    if (i % 3 != 0) {
      living.push_back(buffer);
      continue;
    }
    tokens.erase(buffer->token());
  }
}

// F-048: neither device nor model has to live.
TEST_F(BufferTest, outlivesItsDevice) {
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel());
  NNHAL_ALLOCATE(buffer, *device, prepared, {0}, {});
  device.reset();
  prepared.reset();
  EXPECT_EQ(copyFloatsTo(*buffer, {1, 2, 3, 4}).message(), "");
  EXPECT_EQ(floatsOf(*buffer, 4), (std::vector<float>{1, 2, 3, 4}));
}

// C-073, F-088: the memory of buffers is limited and given back.
TEST_F(BufferTest, countsItsMemory) {
  NNHAL_SKIP_REMOTE(*device);
  auto budget = std::make_shared<MemoryBudget>(uint64_t(1) << 20);
  DeviceServices services;
  services.memory = budget;
  device = createDeviceUnderTest(services);
  NNHAL_PREPARE_OR_SKIP(prepared, *device, addModel({256, 256}));
  NNHAL_PREPARE_OR_SKIP(large, *device, addModel({1024, 1024}));
  uint64_t before = budget->inUse();
  {
    NNHAL_ALLOCATE(first, *device, prepared, {0}, {});
    EXPECT_EQ(budget->inUse(), before + 256 * 1024);
    std::vector<std::shared_ptr<Buffer>> more;
    more.reserve(8);
    auto last = allocateBuffer(*device, prepared, {0}, {});
    for (int i = 0; i < 8 && last.isOk(); ++i) {
      more.push_back(*last);
      last = allocateBuffer(*device, prepared, {0}, {});
    }
    ASSERT_FALSE(last.isOk());
    EXPECT_EQ(last.status().code(), StatusCode::resourceExhaustedTransient);
  }
  EXPECT_EQ(budget->inUse(), before);
  auto tooLarge = allocateBuffer(*device, large, {0}, {});
  ASSERT_FALSE(tooLarge.isOk());
  EXPECT_EQ(tooLarge.status().code(), StatusCode::resourceExhaustedPersistent);
}

} // namespace
