//===- OneOperation.h - A model of one operation ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_NDK_ONEOPERATION_H
#define NNHAL_TEST_NDK_ONEOPERATION_H

#include "NeuralNetworks/Wrapper.h"

#include <cstdint>
#include <vector>

namespace nnhal::test {

/// A model of one operation, written operand by operand in the order of the
/// operation. Tensors without a type of their own have that of the operation,
/// and constants are zeros.
class OneOperation {
public:
  using Type = client::Type;
  using Extents = std::vector<uint32_t>;

  /// The scale of quantized operands that state none.
  static constexpr float scale = 0.5f;

  explicit OneOperation(Type type) : type(type) {}

  bool is(Type other) const { return type == other; }

  // Inputs of the model.
  OneOperation &in(Extents extents) { return in(type, std::move(extents)); }
  OneOperation &in(Type other, Extents extents) {
    return input(other, std::move(extents), scaleOf(other), 0);
  }
  OneOperation &input(Type other, Extents extents, float scale, int32_t zero);

  // Constants.
  OneOperation &constant(Extents extents) {
    return zeros(type, std::move(extents), scaleOf(type), 0);
  }
  OneOperation &zeros(Type other, Extents extents, float scale, int32_t zero);
  /// A bias of \p count values for an input and weights of the usual scale.
  OneOperation &bias(uint32_t count);
  /// Weights with a scale for each index of \p dimension, and their bias.
  OneOperation &channels(Extents extents, uint32_t dimension);
  OneOperation &channelBias(uint32_t count);
  /// A vector of TENSOR_INT32, or an input of as many values.
  OneOperation &ints(std::vector<int32_t> values, bool isConstant = true);
  /// Pairs of TENSOR_INT32.
  OneOperation &table(std::vector<int32_t> values);
  OneOperation &scalar(int32_t value);
  OneOperation &number(float value);
  OneOperation &flag(bool value);
  /// A scalar of the kind of elements that tensors of the operation have.
  OneOperation &element(int32_t value);
  /// An operand that is left out.
  OneOperation &none();

  // Outputs.
  OneOperation &out(Extents extents) { return out(type, std::move(extents)); }
  OneOperation &out(Type other, Extents extents) {
    return typed(other, std::move(extents), scaleOf(other), 0);
  }
  OneOperation &out(Extents extents, float scale, int32_t zero) {
    bool isQuantized = scaleOf(type) != 0;
    return typed(type, std::move(extents), isQuantized ? scale : 0,
                 isQuantized ? zero : 0);
  }
  OneOperation &typed(Type other, Extents extents, float scale, int32_t zero);

  /// Whether the model of \p operation is valid.
  bool finish(ANeuralNetworksOperationType operation);
  ANeuralNetworksModel *model() const { return made.get(); }
  const client::Model &wrapped() const { return made; }
  /// The number of bytes of each input of the model, and of each output.
  const std::vector<size_t> &inputSizes() const { return sizesOfInputs; }
  const std::vector<size_t> &outputSizes() const { return sizesOfOutputs; }

private:
  static float scaleOf(Type type);
  OneOperation &add(std::vector<uint32_t> &list, uint32_t operand);
  const Type type;
  client::Model made;
  std::vector<uint32_t> inputs, outputs, modelInputs;
  std::vector<size_t> sizesOfInputs, sizesOfOutputs;
  /// Longer constants, which the model refers to.
  std::vector<std::vector<char>> bytes;
};

} // namespace nnhal::test

#endif // NNHAL_TEST_NDK_ONEOPERATION_H
