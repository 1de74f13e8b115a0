//===- RecurrentUses.h - Uses of recurrent operations for tests -*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legal uses with up to 61 inputs, for tests to change one input or two. All
// weights and states are 0 unless a test says otherwise, so that a gate is
// sigmoid(bias), and omitted where they are optional.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_RULES_RECURRENTUSES_H
#define NNHAL_TEST_UNIT_RULES_RECURRENTUSES_H

#include "OperationBuilder.h"

#include <optional>

namespace nnhal::rt::testing {

struct RecurrentUse {
  struct Input {
    TensorType type;
    /// Absent for a model's input.
    std::optional<std::vector<double>> values = std::nullopt;
    bool isOmitted = false;
  };

  OperationType type;
  std::vector<Input> inputs = {};
  std::vector<TensorType> outputs = {};

  Input &at(size_t index) { return inputs[index]; }
  void omit(size_t index) { inputs[index].isOmitted = true; }
  void set(size_t index, std::vector<double> values) {
    inputs[index].values = std::move(values);
    inputs[index].isOmitted = false;
  }
  void set(size_t index, TensorType newType, std::vector<double> values) {
    inputs[index].type = std::move(newType);
    set(index, std::move(values));
  }
  /// Makes input \p index a given tensor of zeros.
  void zeros(size_t index, TensorType newType) {
    size_t count = 1;
    for (int64_t extent : newType.dimensions)
      count *= size_t(extent);
    set(index, std::move(newType), std::vector<double>(count, 0.0));
  }
  void scalar(size_t index, OperandType scalarType, double value) {
    set(index, tensorType(scalarType, {}), {value});
  }
  /// Makes all inputs a model's: nothing is known about their values.
  void forgetValues() {
    for (Input &input : inputs)
      input.values.reset();
  }

  OperationBuilder build() const {
    OperationBuilder builder(type);
    for (const Input &input : inputs)
      if (input.isOmitted)
        builder.omitted(input.type);
      else if (input.values)
        builder.tensor(input.type, *input.values);
      else
        builder.tensor(input.type);
    for (const TensorType &output : outputs)
      builder.output(output);
    return builder;
  }
  std::string message() const { return build().message(); }
  std::string shapes() const { return build().shapes(); }
  std::string since() const { return build().since(); }
};

struct LstmExtents {
  int64_t input = 2;
  int64_t units = 2;
  int64_t output = 2;
};

/// The operand types of a cell.
struct LstmElements {
  TensorType weights, recurrentWeights, bias, outputState, cellState;
};
inline LstmElements floatElements(OperandType type) {
  TensorType element = tensorType(type, {});
  return {element, element, element, element, element};
}

inline TensorType shaped(TensorType type, std::vector<int64_t> dimensions) {
  type.dimensions = std::move(dimensions);
  return type;
}

/// The 17 operands of a cell from \p first on (M-165).
inline void addLstmCell(RecurrentUse &use, size_t first, LstmExtents extents,
                        const LstmElements &types) {
  for (size_t gate = 0; gate < 4; ++gate) {
    use.zeros(first + gate,
              shaped(types.weights, {extents.units, extents.input}));
    use.zeros(first + 4 + gate,
              shaped(types.recurrentWeights, {extents.units, extents.output}));
    use.zeros(first + 11 + gate, shaped(types.bias, {extents.units}));
  }
  for (size_t optional : {8, 9, 10, 15, 16}) {
    use.at(first + optional).type = shaped(types.bias, {extents.units});
    use.omit(first + optional);
  }
}

/// LSTM of one batch: no peephole, projection or norm; no activation.
inline RecurrentUse lstmUse(OperandType type = OperandType::TENSOR_FLOAT32,
                            LstmExtents extents = {}) {
  OperandType scalar = type == OperandType::TENSOR_FLOAT16
                           ? OperandType::FLOAT16
                           : OperandType::FLOAT32;
  RecurrentUse use{OperationType::LSTM};
  use.inputs.resize(23);
  use.zeros(0, tensorType(type, {1, extents.input}));
  addLstmCell(use, 1, extents, floatElements(type));
  use.zeros(18, tensorType(type, {1, extents.output}));
  use.zeros(19, tensorType(type, {1, extents.units}));
  use.scalar(20, OperandType::INT32, 0);
  use.scalar(21, scalar, 0);
  use.scalar(22, scalar, 0);
  for (int64_t size :
       {4 * extents.units, extents.output, extents.units, extents.output})
    use.outputs.push_back(tensorType(type, {1, size}));
  return use;
}

/// With layer norm operands, all omitted.
inline RecurrentUse lstmUse27() {
  RecurrentUse use = lstmUse();
  use.inputs.resize(27);
  for (size_t i = 23; i < 27; ++i) {
    use.at(i).type = floatTensor({2});
    use.omit(i);
  }
  return use;
}

/// UNIDIRECTIONAL_SEQUENCE_LSTM, two steps of one batch, batch major.
inline RecurrentUse sequenceLstmUse() {
  RecurrentUse use = lstmUse();
  use.type = OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM;
  use.inputs.resize(28);
  use.zeros(0, floatTensor({1, 2, 2}));
  use.scalar(23, OperandType::BOOL, 0);
  for (size_t i = 24; i < 28; ++i) {
    use.at(i).type = floatTensor({2});
    use.omit(i);
  }
  use.outputs = {floatTensor({1, 2, 2})};
  return use;
}

/// BIDIRECTIONAL_SEQUENCE_LSTM, two steps of one batch, batch major, unmerged.
inline RecurrentUse bidirectionalLstmUse() {
  RecurrentUse use{OperationType::BIDIRECTIONAL_SEQUENCE_LSTM};
  use.inputs.resize(61);
  use.zeros(0, floatTensor({1, 2, 2}));
  LstmElements types = floatElements(OperandType::TENSOR_FLOAT32);
  addLstmCell(use, 1, {}, types);
  addLstmCell(use, 18, {}, types);
  for (size_t i = 35; i < 39; ++i)
    use.zeros(i, floatTensor({1, 2}));
  for (size_t i = 39; i < 61; ++i) {
    use.at(i).type = floatTensor({2});
    use.omit(i);
  }
  use.scalar(48, OperandType::INT32, 0);
  use.scalar(49, OperandType::FLOAT32, 0);
  use.scalar(50, OperandType::FLOAT32, 0);
  use.scalar(51, OperandType::BOOL, 0);
  use.scalar(52, OperandType::BOOL, 0);
  use.outputs = {floatTensor({1, 2, 2}), floatTensor({1, 2, 2})};
  return use;
}

/// RNN with an input size and units of 1 and no activation.
inline RecurrentUse rnnUse(OperandType type = OperandType::TENSOR_FLOAT32) {
  RecurrentUse use{OperationType::RNN};
  use.inputs.resize(6);
  for (size_t i : {0, 1, 2, 4})
    use.zeros(i, tensorType(type, {1, 1}));
  use.zeros(3, tensorType(type, {1}));
  use.scalar(5, OperandType::INT32, 0);
  use.outputs = {tensorType(type, {1, 1}), tensorType(type, {1, 1})};
  return use;
}

/// UNIDIRECTIONAL_SEQUENCE_RNN, two steps, batch major.
inline RecurrentUse sequenceRnnUse() {
  RecurrentUse use = rnnUse();
  use.type = OperationType::UNIDIRECTIONAL_SEQUENCE_RNN;
  use.inputs.resize(7);
  use.zeros(0, floatTensor({1, 2, 1}));
  use.scalar(6, OperandType::INT32, 0);
  use.outputs = {floatTensor({1, 2, 1})};
  return use;
}

/// BIDIRECTIONAL_SEQUENCE_RNN, two steps, batch major, unmerged.
inline RecurrentUse bidirectionalRnnUse() {
  RecurrentUse use{OperationType::BIDIRECTIONAL_SEQUENCE_RNN};
  use.inputs.resize(15);
  use.zeros(0, floatTensor({1, 2, 1}));
  for (size_t i : {1, 2, 4, 5, 6, 8})
    use.zeros(i, floatTensor({1, 1}));
  use.zeros(3, floatTensor({1}));
  use.zeros(7, floatTensor({1}));
  for (size_t i : {9, 10, 11}) {
    use.at(i).type = floatTensor({1});
    use.omit(i);
  }
  use.scalar(12, OperandType::INT32, 0);
  use.scalar(13, OperandType::BOOL, 0);
  use.scalar(14, OperandType::BOOL, 0);
  use.outputs = {floatTensor({1, 2, 1}), floatTensor({1, 2, 1})};
  return use;
}

/// SVDF of one unit with two filters and a memory of two; no bias.
inline RecurrentUse svdfUse(OperandType type = OperandType::TENSOR_FLOAT32) {
  RecurrentUse use{OperationType::SVDF};
  use.inputs.resize(7);
  use.zeros(0, tensorType(type, {1, 1}));
  use.zeros(1, tensorType(type, {2, 1}));
  use.zeros(2, tensorType(type, {2, 2}));
  use.at(3).type = tensorType(type, {1});
  use.omit(3);
  use.zeros(4, tensorType(type, {1, 4}));
  use.scalar(5, OperandType::INT32, 2);
  use.scalar(6, OperandType::INT32, 0);
  use.outputs = {tensorType(type, {1, 4}), tensorType(type, {1, 1})};
  return use;
}

/// QUANTIZED_16BIT_LSTM; weights are at their zero point, 0.
inline RecurrentUse quantized16BitLstmUse() {
  RecurrentUse use{OperationType::QUANTIZED_16BIT_LSTM};
  use.inputs.resize(15);
  TensorType state = quantTensor({1, 2}, 1.0f / 128, 128);
  use.set(0, quantTensor({1, 3}, 1.0f / 128, 128), {128, 128, 128});
  for (size_t gate = 0; gate < 4; ++gate) {
    use.zeros(1 + gate, quantTensor({2, 3}, 0.5f, 0));
    use.zeros(5 + gate, quantTensor({2, 2}, 0.5f, 0));
    TensorType bias = int32Tensor({2});
    bias.scale = 0.5f / 128;
    use.zeros(9 + gate, bias);
  }
  TensorType cell =
      tensorType(OperandType::TENSOR_QUANT16_SYMM, {1, 2}, 1.0f / 2048);
  use.zeros(13, cell);
  use.set(14, state, {128, 128});
  use.outputs = {cell, state};
  return use;
}

/// QUANTIZED_LSTM without peephole, projection or norm.
inline RecurrentUse quantizedLstmUse() {
  RecurrentUse use{OperationType::QUANTIZED_LSTM};
  use.inputs.resize(32);
  TensorType weights = tensorType(OperandType::TENSOR_QUANT8_SYMM, {}, 0.01f);
  TensorType state = signedQuantTensor({1, 2}, 0.01f, 0);
  TensorType cell =
      tensorType(OperandType::TENSOR_QUANT16_SYMM, {1, 2}, 1.0f / 2048);
  use.zeros(0, signedQuantTensor({1, 3}, 0.01f, 0));
  addLstmCell(use, 1, {3, 2, 2},
              {weights, weights, int32Tensor({}), state, cell});
  for (size_t i : {9, 10, 11, 20, 21, 22, 23})
    use.at(i).type = shaped(cell, {2});
  use.at(16).type = shaped(weights, {2, 2});
  for (size_t i = 20; i < 24; ++i)
    use.omit(i);
  use.zeros(18, state);
  use.zeros(19, cell);
  for (size_t i = 24; i < 30; ++i)
    use.scalar(i, OperandType::FLOAT32, i < 26 ? 0.0 : 0.001);
  use.scalar(30, OperandType::INT32, 0);
  use.scalar(31, OperandType::FLOAT32, 0.01);
  use.outputs = {state, cell, state};
  return use;
}

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_RULES_RECURRENTUSES_H
