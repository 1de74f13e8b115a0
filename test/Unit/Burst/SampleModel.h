//===- SampleModel.h - A model that bursts execute --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_BURST_SAMPLEMODEL_H
#define NNHAL_TEST_UNIT_BURST_SAMPLEMODEL_H

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace nnhal::rt::test {

/// out = a + b, all of TENSOR_FLOAT32 [2, 3].
inline AnnotatedModel sumModel() {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  auto operand = [&](OperandType type, std::vector<uint32_t> dimensions,
                     OperandLifeTime lifetime) {
    Operand &made = model.main.operands.emplace_back();
    made.type = type;
    made.dimensions = std::move(dimensions);
    made.lifetime = lifetime;
  };
  operand(OperandType::TENSOR_FLOAT32, {2, 3}, OperandLifeTime::SUBGRAPH_INPUT);
  operand(OperandType::TENSOR_FLOAT32, {2, 3}, OperandLifeTime::SUBGRAPH_INPUT);
  operand(OperandType::INT32, {}, OperandLifeTime::CONSTANT_COPY);
  model.main.operands.back().location = {0, 0, 4};
  model.operandValues.resize(4);
  operand(OperandType::TENSOR_FLOAT32, {2, 3},
          OperandLifeTime::SUBGRAPH_OUTPUT);
  model.main.operations = {{OperationType::ADD, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {3};
  computeConsumers(model.main);
  return annotated;
}

/// sumModel(), prepared by nnhal-reference.
inline PreparedModelRef prepareSum() {
  auto made = createReferenceDevice()->prepareModel(sumModel());
  EXPECT_TRUE(made.isOk()) << made.status().message();
  return made.isOk() ? *made : nullptr;
}

inline constexpr size_t sumBytes = 6 * sizeof(float);

/// A pool with the inputs at 0 and 64 and room for the output at 128.
class SumPool {
public:
  explicit SumPool(float first = 1)
      : pool(*SharedMemory::createAshmem(4096)), bytes(*pool->mapForWriting()) {
    fill(first);
  }

  void fill(float first) {
    for (int i = 0; i < 6; ++i) {
      at(0)[i] = first + float(i);
      at(64)[i] = 10 * float(i);
      at(128)[i] = -1;
    }
  }
  float *at(size_t offset) {
    return reinterpret_cast<float *>(bytes.data() + offset);
  }
  bool hasSum(float first = 1) {
    for (int i = 0; i < 6; ++i)
      if (at(128)[i] != first + 11 * float(i))
        return false;
    return true;
  }
  Request request() const {
    Request request;
    request.inputs.resize(2);
    request.outputs.resize(1);
    request.inputs[0].memory = Memory::region(pool, 0, sumBytes);
    request.inputs[1].memory = Memory::region(pool, 64, sumBytes);
    request.outputs[0].memory = OutputMemory::region(pool, 128, sumBytes);
    return request;
  }

  std::shared_ptr<SharedMemory> pool;
  std::span<std::byte> bytes;
};

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_BURST_SAMPLEMODEL_H
