//===- Legal.cpp - What operations take according to the HAL --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Legal.h"

#include <algorithm>
#include <initializer_list>

using namespace nnhal;
using rt::OperandType;
using rt::OperationType;
using enum rt::OperandType;

static constexpr std::initializer_list<OperandType> anyTensor = {
    TENSOR_FLOAT32,
    TENSOR_INT32,
    TENSOR_QUANT8_ASYMM,
    TENSOR_QUANT16_SYMM,
    TENSOR_FLOAT16,
    TENSOR_BOOL8,
    TENSOR_QUANT8_SYMM_PER_CHANNEL,
    TENSOR_QUANT16_ASYMM,
    TENSOR_QUANT8_SYMM,
    TENSOR_QUANT8_ASYMM_SIGNED};
static constexpr std::initializer_list<OperandType> floats = {TENSOR_FLOAT16,
                                                              TENSOR_FLOAT32};
static constexpr std::initializer_list<OperandType> bytes = {
    TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED};
static constexpr std::initializer_list<OperandType> castable = {
    TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM};
// The document has no restriction, its implementation these (M-280).
static constexpr std::initializer_list<OperandType> hashable = castable;
static constexpr std::initializer_list<OperandType> numbers = {
    TENSOR_FLOAT16, TENSOR_FLOAT32, TENSOR_INT32, TENSOR_QUANT8_ASYMM,
    TENSOR_QUANT8_ASYMM_SIGNED};

std::vector<OperandType>
mutations::freeInputTypes(const rt::Operation &operation, size_t index) {
  switch (operation.type) {
  case OperationType::LSH_PROJECTION:
    return index == 1 ? hashable : std::vector<OperandType>();
  case OperationType::RANK:
    return anyTensor;
  case OperationType::CAST:
    return castable;
  case OperationType::ARGMAX:
  case OperationType::ARGMIN:
    return index == 0 ? numbers : std::vector<OperandType>();
  case OperationType::QUANTIZE:
    return floats;
  case OperationType::RANDOM_MULTINOMIAL:
    return index == 0 ? floats : std::vector<OperandType>();
  case OperationType::DEQUANTIZE:
    return {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED, TENSOR_QUANT8_SYMM,
            TENSOR_QUANT8_SYMM_PER_CHANNEL};
  default:
    return {};
  }
}

std::vector<OperandType>
mutations::freeOutputTypes(const rt::Operation &operation, size_t index) {
  if (index != 0)
    return {};
  switch (operation.type) {
  case OperationType::CAST:
    return castable;
  case OperationType::QUANTIZE:
    return bytes;
  case OperationType::DEQUANTIZE:
    return floats;
  default:
    return {};
  }
}

/// Types that stay legal if the other operands are of the right ones.
static std::vector<OperandType> dependentTypes(const rt::Operation &operation,
                                               size_t index) {
  switch (operation.type) {
  case OperationType::CONV_2D:
  case OperationType::DEPTHWISE_CONV_2D:
  case OperationType::GROUPED_CONV_2D:
  case OperationType::TRANSPOSE_CONV_2D:
    if (index == 1)
      return {TENSOR_QUANT8_ASYMM, TENSOR_QUANT8_ASYMM_SIGNED,
              TENSOR_QUANT8_SYMM_PER_CHANNEL};
    return {};
  case OperationType::AXIS_ALIGNED_BBOX_TRANSFORM:
    return index == 1 ? bytes : std::vector<OperandType>();
  // A cast of a type to itself takes more types, if both sides are of it.
  case OperationType::CAST:
    return anyTensor;
  default:
    return {};
  }
}

static bool contains(const std::vector<OperandType> &types, OperandType type) {
  return std::ranges::find(types, type) != types.end();
}

bool mutations::mayHaveType(const rt::Subgraph &graph, uint32_t operand,
                            OperandType type) {
  bool isUsed = false;
  // What has no value only says of which type it would be.
  if (graph.operands[operand].lifetime == rt::OperandLifeTime::NO_VALUE &&
      rt::isTensor(graph.operands[operand].type))
    return true;
  for (const rt::Operation &operation : graph.operations) {
    for (size_t i = 0; i < operation.inputs.size(); ++i) {
      if (operation.inputs[i] != operand)
        continue;
      isUsed = true;
      if (contains(freeInputTypes(operation, i), type) ||
          contains(dependentTypes(operation, i), type))
        return true;
    }
    for (size_t i = 0; i < operation.outputs.size(); ++i) {
      if (operation.outputs[i] != operand)
        continue;
      isUsed = true;
      if (contains(freeOutputTypes(operation, i), type))
        return true;
    }
  }
  return !isUsed;
}

namespace {
/// An optional input: it is left out together with those behind it.
struct OptionalInput {
  OperationType type;
  /// How many inputs there are when it is the last one.
  size_t count;
  std::optional<int32_t> value;
};
} // namespace

/// Layouts are NHWC where they are left out, axes the last one.
static const OptionalInput optionalInputs[] = {
    {OperationType::CONV_2D, 11, 0},
    {OperationType::CONV_2D, 8, 0},
    {OperationType::DEPTHWISE_CONV_2D, 12, 0},
    {OperationType::DEPTHWISE_CONV_2D, 9, 0},
    {OperationType::AVERAGE_POOL_2D, 11, 0},
    {OperationType::AVERAGE_POOL_2D, 8, 0},
    {OperationType::MAX_POOL_2D, 11, 0},
    {OperationType::MAX_POOL_2D, 8, 0},
    {OperationType::L2_POOL_2D, 11, 0},
    {OperationType::L2_POOL_2D, 8, 0},
    {OperationType::RESIZE_BILINEAR, 4, 0},
    {OperationType::RESIZE_BILINEAR, 5, {}},
    {OperationType::RESIZE_BILINEAR, 6, {}},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, 5, {}},
    {OperationType::RESIZE_NEAREST_NEIGHBOR, 6, {}},
    {OperationType::SPACE_TO_DEPTH, 3, 0},
    {OperationType::DEPTH_TO_SPACE, 3, 0},
    {OperationType::BATCH_TO_SPACE_ND, 3, 0},
    {OperationType::SPACE_TO_BATCH_ND, 4, 0},
    {OperationType::L2_NORMALIZATION, 2, -1},
    {OperationType::LOCAL_RESPONSE_NORMALIZATION, 6, -1},
    {OperationType::SOFTMAX, 3, -1},
};

bool mutations::mayLoseInput(const rt::Operation &operation, size_t index) {
  size_t count = operation.inputs.size();
  switch (operation.type) {
  case OperationType::CONCATENATION:
    return count > 2 && index != count - 1;
  // One flag is as good as another for the one that is left out.
  case OperationType::RESIZE_BILINEAR:
    return count >= 4 && index >= 3;
  case OperationType::RESIZE_NEAREST_NEIGHBOR:
    return count >= 5 && index >= 3;
  default:
    return index == count - 1 &&
           std::ranges::any_of(optionalInputs, [&](const OptionalInput &input) {
             return input.type == operation.type && input.count == count;
           });
  }
}

std::optional<int32_t> mutations::defaultOf(const rt::Operation &operation,
                                            size_t index) {
  for (const OptionalInput &input : optionalInputs)
    if (input.type == operation.type && input.count == index + 1 &&
        input.count == operation.inputs.size())
      return input.value;
  return std::nullopt;
}

bool mutations::mayGainInput(const rt::Operation &operation) {
  size_t count = operation.inputs.size();
  switch (operation.type) {
  case OperationType::L2_NORMALIZATION:
    return count == 1;
  case OperationType::LOCAL_RESPONSE_NORMALIZATION:
    return count == 5;
  case OperationType::SOFTMAX:
    return count == 2;
  default:
    return false;
  }
}

bool mutations::mayLoseOutput(OperationType type) {
  switch (type) {
  case OperationType::SPLIT:
  case OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM:
  case OperationType::UNIDIRECTIONAL_SEQUENCE_RNN:
  case OperationType::BIDIRECTIONAL_SEQUENCE_LSTM:
  case OperationType::BIDIRECTIONAL_SEQUENCE_RNN:
  // A WHILE may yield less than its body does (B-067).
  case OperationType::WHILE:
    return true;
  default:
    return false;
  }
}

bool mutations::hasOptionalInputs(OperationType type) {
  switch (type) {
  case OperationType::LSTM:
  case OperationType::UNIDIRECTIONAL_SEQUENCE_LSTM:
  case OperationType::BIDIRECTIONAL_SEQUENCE_LSTM:
  case OperationType::BIDIRECTIONAL_SEQUENCE_RNN:
  case OperationType::QUANTIZED_LSTM:
  case OperationType::SVDF:
  case OperationType::LSH_PROJECTION:
  case OperationType::TRANSPOSE:
  case OperationType::SQUEEZE:
  // What the graphs of control flow do with their inputs is their matter.
  case OperationType::IF:
  case OperationType::WHILE:
    return true;
  default:
    return false;
  }
}
