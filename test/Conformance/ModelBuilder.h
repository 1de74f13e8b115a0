//===- ModelBuilder.h - Models of the conformance suite ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_CONFORMANCE_MODELBUILDER_H
#define NNHAL_TEST_CONFORMANCE_MODELBUILDER_H

#include "nnhal/Runtime/Model.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

namespace nnhal::rt::conformance {

using Dimensions = std::vector<uint32_t>;

/// Builds one subgraph operand by operand. What a member returns is an operand
/// index.
class SubgraphBuilder {
public:
  explicit SubgraphBuilder(Model &model) : model(model) {}

  uint32_t input(OperandType type, Dimensions dimensions);
  uint32_t temporary(OperandType type, Dimensions dimensions);
  uint32_t output(OperandType type, Dimensions dimensions);
  /// With its value in the model.
  template <typename T>
  uint32_t constant(OperandType type, Dimensions dimensions,
                    std::vector<T> values) {
    return constantBytes(type, std::move(dimensions),
                         std::as_bytes(std::span(values)));
  }
  uint32_t scalar(int32_t value) {
    return constant<int32_t>(OperandType::INT32, {}, {value});
  }
  uint32_t constantBytes(OperandType type, Dimensions dimensions,
                         std::span<const std::byte> bytes);
  uint32_t subgraphReference(uint32_t index);
  void operation(OperationType type, std::vector<uint32_t> inputs,
                 std::vector<uint32_t> outputs);
  Operand &operand(uint32_t index) { return subgraph.operands[index]; }

  Subgraph finish();

private:
  uint32_t add(OperandType type, Dimensions dimensions,
               OperandLifeTime lifetime);

  Model &model;
  Subgraph subgraph;
};

/// The operation of the models that test everything but arithmetic and whose
/// comments say a + b: the first of ADD, MUL and SUB of float32 that the device
/// under test supports; ADD where it supports none, so that the tests are
/// skipped with what the device says of that.
OperationType flowOperation();
/// The result of that operation for two numbers, and for the elements of two
/// vectors.
float flow(float lhs, float rhs);
std::vector<float> flow(const std::vector<float> &lhs,
                        const std::vector<float> &rhs);
/// The result of \p length operations in a chain for two inputs that hold 1, 2,
/// 3 and so on, as those of FloatArguments do.
std::vector<float> flowOfCounts(size_t count, unsigned length = 1);

/// out = a + b, float32; extents may be 0.
AnnotatedModel addModel(const Dimensions &dimensions = {2, 2});
/// out = (...((a + b) + b) ... + b), \p length additions.
AnnotatedModel addChainModel(const Dimensions &dimensions, unsigned length);
/// out = a + b with an output whose extents are unknown in the model.
AnnotatedModel addModelWithUnknownOutput(const Dimensions &dimensions = {2, 2});
/// out = a + c, the constant c all ones in the model (CONSTANT_COPY), or in a
/// pool when \p pool is not none (CONSTANT_REFERENCE).
AnnotatedModel addConstantModel(const Dimensions &dimensions,
                                const Memory &pool = Memory());
/// out = a + b for a quantized type.
AnnotatedModel addQuantizedModel(OperandType type, const Dimensions &dimensions,
                                 float scale, int32_t zeroPoint);
/// A WHILE without end over one INT32 value.
AnnotatedModel endlessLoopModel();
/// A WHILE that counts its INT32 input up to \p limit.
AnnotatedModel countingLoopModel(int32_t limit);
/// out = condition ? a + b : a * b.
AnnotatedModel ifModel(const Dimensions &dimensions = {2, 2});

} // namespace nnhal::rt::conformance

#endif // NNHAL_TEST_CONFORMANCE_MODELBUILDER_H
