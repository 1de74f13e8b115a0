//===- DelegateOperationsTest.cpp - What a delegate passes on -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that TensorFlow Lite's NNAPI delegate passes on at feature
// level 4, with the element types that it does so for, in the forms that it
// gives them. nnhal-cpu takes all of them.
//
//===----------------------------------------------------------------------===//

#include "OneOperation.h"

#include "NeuralNetworks/TestModels.h"

#include <gtest/gtest.h>

#include <functional>

using namespace client;
using nnhal::test::OneOperation;

namespace {

constexpr Type f32 = Type::TENSOR_FLOAT32, f16 = Type::TENSOR_FLOAT16;
constexpr Type u8 = Type::TENSOR_QUANT8_ASYMM;
constexpr Type i8 = Type::TENSOR_QUANT8_ASYMM_SIGNED;
constexpr Type i32 = Type::TENSOR_INT32, b8 = Type::TENSOR_BOOL8;

const std::vector<Type> onlyFloats = {f32};
const std::vector<Type> quantized = {f32, u8, i8};
const std::vector<Type> numbers = {f32, i32, u8, i8};

struct Row {
  const char *name;
  ANeuralNetworksOperationType operation;
  std::vector<Type> types;
  std::function<void(OneOperation &)> operands;
};

void unary(OneOperation &op) { op.in({2, 3}).out({2, 3}); }
void predicate(OneOperation &op) { op.in({2, 3}).in({2, 3}).out(b8, {2, 3}); }
void arithmetic(OneOperation &op) {
  // There is no fused activation of integers.
  op.in({2, 3}).in({3}).scalar(op.is(i32) ? 0 : 1).out({2, 3});
}
void pair(OneOperation &op) { op.in({2, 3}).in({2, 3}).out({2, 3}); }
void pool(OneOperation &op) {
  op.in({1, 4, 4, 3});
  op.scalar(1).scalar(2).scalar(2).scalar(2).scalar(2).scalar(0);
  op.out({1, 2, 2, 3});
}
void resize(OneOperation &op) {
  op.in({1, 4, 4, 3}).scalar(8).scalar(8);
  op.flag(false).flag(false).flag(true).out({1, 8, 8, 3});
}
void reduction(OneOperation &op) {
  op.in({2, 3}).ints({1}).flag(true).out({2, 1});
}
void argument(OneOperation &op) { op.in({2, 3}).scalar(1).out(i32, {2}); }

std::vector<Row> elementwise() {
  return {
      {"ADD", ANEURALNETWORKS_ADD, numbers, arithmetic},
      {"SUB", ANEURALNETWORKS_SUB, numbers, arithmetic},
      {"MUL", ANEURALNETWORKS_MUL, numbers, arithmetic},
      {"DIV", ANEURALNETWORKS_DIV, {f32, i32}, arithmetic},
      {"MAXIMUM", ANEURALNETWORKS_MAXIMUM, numbers, pair},
      {"MINIMUM", ANEURALNETWORKS_MINIMUM, numbers, pair},
      {"POW", ANEURALNETWORKS_POW, onlyFloats, pair},
      {"ABS", ANEURALNETWORKS_ABS, {f32, i32}, unary},
      {"EXP", ANEURALNETWORKS_EXP, onlyFloats, unary},
      {"FLOOR", ANEURALNETWORKS_FLOOR, onlyFloats, unary},
      {"LOG", ANEURALNETWORKS_LOG, onlyFloats, unary},
      {"NEG", ANEURALNETWORKS_NEG, {f32, i32}, unary},
      {"RSQRT", ANEURALNETWORKS_RSQRT, onlyFloats, unary},
      {"SIN", ANEURALNETWORKS_SIN, onlyFloats, unary},
      {"SQRT", ANEURALNETWORKS_SQRT, onlyFloats, unary},
      {"LESS", ANEURALNETWORKS_LESS, numbers, predicate},
      {"LESS_EQUAL", ANEURALNETWORKS_LESS_EQUAL, numbers, predicate},
      {"GREATER", ANEURALNETWORKS_GREATER, numbers, predicate},
      {"GREATER_EQUAL", ANEURALNETWORKS_GREATER_EQUAL, numbers, predicate},
      {"EQUAL", ANEURALNETWORKS_EQUAL, {f32, i32, u8, i8, b8}, predicate},
      {"NOT_EQUAL",
       ANEURALNETWORKS_NOT_EQUAL,
       {f32, i32, u8, i8, b8},
       predicate},
      {"LOGICAL_AND", ANEURALNETWORKS_LOGICAL_AND, {b8}, predicate},
      {"LOGICAL_OR", ANEURALNETWORKS_LOGICAL_OR, {b8}, predicate},
      {"LOGICAL_NOT", ANEURALNETWORKS_LOGICAL_NOT, {b8}, unary},
      {"SELECT", ANEURALNETWORKS_SELECT, numbers,
       [](OneOperation &op) {
         op.in(b8, {2, 3}).in({2, 3}).in({2, 3}).out({2, 3});
       }},
      {"CAST",
       ANEURALNETWORKS_CAST,
       {f32, f16, i32, u8},
       [](OneOperation &op) { op.in({2, 3}).out(f32, {2, 3}); }},
      {"CAST to integers",
       ANEURALNETWORKS_CAST,
       {f32, u8},
       [](OneOperation &op) { op.in({2, 3}).out(i32, {2, 3}); }},
      {"QUANTIZE",
       ANEURALNETWORKS_QUANTIZE,
       {u8, i8},
       [](OneOperation &op) { op.in(f32, {2, 3}).out({2, 3}); }},
      {"DEQUANTIZE",
       ANEURALNETWORKS_DEQUANTIZE,
       {u8, i8, Type::TENSOR_QUANT8_SYMM},
       [](OneOperation &op) { op.in({2, 3}).out(f32, {2, 3}); }},
      {"FILL",
       ANEURALNETWORKS_FILL,
       {f32, i32},
       [](OneOperation &op) {
         op.ints({2, 3}, /*isConstant=*/false);
         op.element(1).out({2, 3});
       }},
  };
}

std::vector<Row> activations() {
  auto bounded = [](float scale, int32_t unsignedZero, int32_t signedZero) {
    return [=](OneOperation &op) {
      op.in({2, 3});
      op.out({2, 3}, scale, op.is(i8) ? signedZero : unsignedZero);
    };
  };
  return {
      {"RELU", ANEURALNETWORKS_RELU, quantized, unary},
      {"RELU1", ANEURALNETWORKS_RELU1, quantized, unary},
      {"RELU6", ANEURALNETWORKS_RELU6, quantized, unary},
      {"ELU", ANEURALNETWORKS_ELU, onlyFloats,
       [](OneOperation &op) { op.in({2, 3}).number(1).out({2, 3}); }},
      {"HARD_SWISH", ANEURALNETWORKS_HARD_SWISH, quantized, unary},
      {"LOGISTIC", ANEURALNETWORKS_LOGISTIC, quantized,
       bounded(1.0f / 256, 0, -128)},
      {"TANH", ANEURALNETWORKS_TANH, quantized, bounded(1.0f / 128, 128, 0)},
      {"PRELU", ANEURALNETWORKS_PRELU, quantized,
       [](OneOperation &op) { op.in({2, 3}).constant({3}).out({2, 3}); }},
      {"SOFTMAX", ANEURALNETWORKS_SOFTMAX, quantized,
       [](OneOperation &op) {
         op.in({2, 3}).number(1);
         op.out({2, 3}, 1.0f / 256, op.is(i8) ? -128 : 0);
       }},
      {"LOG_SOFTMAX", ANEURALNETWORKS_LOG_SOFTMAX, onlyFloats,
       [](OneOperation &op) { op.in({2, 3}).number(1).scalar(1).out({2, 3}); }},
      {"L2_NORMALIZATION", ANEURALNETWORKS_L2_NORMALIZATION, quantized,
       [](OneOperation &op) {
         op.in({1, 4, 4, 3}).out({1, 4, 4, 3}, 1.0f / 128, op.is(i8) ? 0 : 128);
       }},
      {"LOCAL_RESPONSE_NORMALIZATION",
       ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION, onlyFloats,
       [](OneOperation &op) {
         op.in({1, 4, 4, 3}).scalar(1).number(1).number(1).number(1);
         op.out({1, 4, 4, 3});
       }},
  };
}

std::vector<Row> contractions() {
  auto strides = [](OneOperation &op) { op.scalar(1).scalar(1).scalar(1); };
  return {
      {"CONV_2D", ANEURALNETWORKS_CONV_2D, quantized,
       [=](OneOperation &op) {
         op.in({1, 4, 4, 3}).constant({2, 3, 3, 3}).bias(2);
         strides(op);
         op.scalar(1).out({1, 4, 4, 2});
       }},
      {"CONV_2D with dilation", ANEURALNETWORKS_CONV_2D, quantized,
       [=](OneOperation &op) {
         op.in({1, 8, 8, 3}).constant({2, 3, 3, 3}).bias(2);
         strides(op);
         op.scalar(0).flag(false).scalar(2).scalar(2).out({1, 8, 8, 2});
       }},
      {"CONV_2D with a scale a channel",
       ANEURALNETWORKS_CONV_2D,
       {u8, i8},
       [=](OneOperation &op) {
         op.in({1, 4, 4, 3}).channels({2, 3, 3, 3}, 0).channelBias(2);
         strides(op);
         op.scalar(1).out({1, 4, 4, 2});
       }},
      {"DEPTHWISE_CONV_2D", ANEURALNETWORKS_DEPTHWISE_CONV_2D, quantized,
       [=](OneOperation &op) {
         op.in({1, 4, 4, 3}).constant({1, 3, 3, 6}).bias(6);
         strides(op);
         op.scalar(2).scalar(1).out({1, 4, 4, 6});
       }},
      {"DEPTHWISE_CONV_2D with dilation", ANEURALNETWORKS_DEPTHWISE_CONV_2D,
       quantized,
       [=](OneOperation &op) {
         op.in({1, 8, 8, 3}).constant({1, 3, 3, 3}).bias(3);
         strides(op);
         op.scalar(1).scalar(0).flag(false).scalar(2).scalar(2);
         op.out({1, 8, 8, 3});
       }},
      {"DEPTHWISE_CONV_2D with a scale a channel",
       ANEURALNETWORKS_DEPTHWISE_CONV_2D,
       {u8, i8},
       [=](OneOperation &op) {
         op.in({1, 4, 4, 3}).channels({1, 3, 3, 3}, 3).channelBias(3);
         strides(op);
         op.scalar(1).scalar(1).out({1, 4, 4, 3});
       }},
      {"TRANSPOSE_CONV_2D", ANEURALNETWORKS_TRANSPOSE_CONV_2D, quantized,
       [](OneOperation &op) {
         op.in({1, 4, 4, 3}).constant({2, 3, 3, 3}).bias(2);
         op.ints({1, 8, 8, 2}).scalar(1).scalar(2).scalar(2).scalar(0);
         op.flag(false).out({1, 8, 8, 2});
       }},
      {"FULLY_CONNECTED", ANEURALNETWORKS_FULLY_CONNECTED, quantized,
       [](OneOperation &op) {
         op.in({2, 3}).constant({4, 3}).bias(4).scalar(0).out({2, 4});
       }},
      {"AVERAGE_POOL_2D", ANEURALNETWORKS_AVERAGE_POOL_2D, quantized, pool},
      {"MAX_POOL_2D", ANEURALNETWORKS_MAX_POOL_2D, quantized, pool},
      {"L2_POOL_2D", ANEURALNETWORKS_L2_POOL_2D, onlyFloats, pool},
      {"RESIZE_BILINEAR", ANEURALNETWORKS_RESIZE_BILINEAR, quantized, resize},
      {"RESIZE_NEAREST_NEIGHBOR", ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR,
       quantized, resize},
      {"MEAN", ANEURALNETWORKS_MEAN, quantized,
       [](OneOperation &op) { op.in({2, 3}).ints({1}).scalar(1).out({2, 1}); }},
      {"REDUCE_ANY", ANEURALNETWORKS_REDUCE_ANY, {b8}, reduction},
      {"REDUCE_MAX", ANEURALNETWORKS_REDUCE_MAX, quantized, reduction},
      {"REDUCE_MIN", ANEURALNETWORKS_REDUCE_MIN, quantized, reduction},
      {"REDUCE_PROD", ANEURALNETWORKS_REDUCE_PROD, onlyFloats, reduction},
      {"REDUCE_SUM", ANEURALNETWORKS_REDUCE_SUM, onlyFloats, reduction},
      {"ARGMAX", ANEURALNETWORKS_ARGMAX, {f16, f32, i32, u8, i8}, argument},
      {"ARGMIN", ANEURALNETWORKS_ARGMIN, {f16, f32, i32, u8, i8}, argument},
      {"TOPK_V2", ANEURALNETWORKS_TOPK_V2, numbers,
       [](OneOperation &op) {
         op.in({2, 3}).scalar(2).out({2, 2}).out(i32, {2, 2});
       }},
  };
}

std::vector<Row> dataMovement() {
  const std::vector<Type> all = {f16, f32, i32, u8, i8};
  return {
      {"RESHAPE", ANEURALNETWORKS_RESHAPE, quantized,
       [](OneOperation &op) { op.in({2, 3}).ints({3, 2}).out({3, 2}); }},
      {"SQUEEZE", ANEURALNETWORKS_SQUEEZE, quantized,
       [](OneOperation &op) { op.in({2, 1, 3}).ints({1}).out({2, 3}); }},
      {"EXPAND_DIMS", ANEURALNETWORKS_EXPAND_DIMS, all,
       [](OneOperation &op) { op.in({2, 3}).scalar(1).out({2, 1, 3}); }},
      {"CONCATENATION",
       ANEURALNETWORKS_CONCATENATION,
       {f16, f32, u8, i8},
       [](OneOperation &op) {
         op.in({2, 3}).in({2, 1}).scalar(1).out({2, 4});
       }},
      {"SPLIT", ANEURALNETWORKS_SPLIT, numbers,
       [](OneOperation &op) {
         op.in({2, 4}).scalar(1).scalar(2).out({2, 2}).out({2, 2});
       }},
      {"SLICE", ANEURALNETWORKS_SLICE, numbers,
       [](OneOperation &op) {
         op.in({2, 3}).ints({0, 1}).ints({2, 2}).out({2, 2});
       }},
      {"STRIDED_SLICE", ANEURALNETWORKS_STRIDED_SLICE, quantized,
       [](OneOperation &op) {
         op.in({2, 4}).ints({0, 0}).ints({2, 4}).ints({1, 2});
         op.scalar(0).scalar(0).scalar(0).out({2, 2});
       }},
      {"GATHER", ANEURALNETWORKS_GATHER, all,
       [](OneOperation &op) {
         op.in({2, 3}).scalar(1).ints({0, 2}, false).out({2, 2});
       }},
      {"TRANSPOSE", ANEURALNETWORKS_TRANSPOSE, quantized,
       [](OneOperation &op) { op.in({2, 3}).ints({1, 0}).out({3, 2}); }},
      {"PAD", ANEURALNETWORKS_PAD, quantized,
       [](OneOperation &op) { op.in({2, 3}).table({0, 1, 1, 0}).out({3, 4}); }},
      {"PAD_V2", ANEURALNETWORKS_PAD_V2, quantized,
       [](OneOperation &op) {
         op.in({2, 3}).table({0, 1, 1, 0}).element(0).out({3, 4});
       }},
      {"SPACE_TO_BATCH_ND", ANEURALNETWORKS_SPACE_TO_BATCH_ND, quantized,
       [](OneOperation &op) {
         op.in({1, 4, 4, 3}).ints({2, 2}).table({0, 0, 0, 0});
         op.out({4, 2, 2, 3});
       }},
      {"BATCH_TO_SPACE_ND", ANEURALNETWORKS_BATCH_TO_SPACE_ND, quantized,
       [](OneOperation &op) {
         op.in({4, 2, 2, 3}).ints({2, 2}).out({1, 4, 4, 3});
       }},
      {"SPACE_TO_DEPTH", ANEURALNETWORKS_SPACE_TO_DEPTH, quantized,
       [](OneOperation &op) {
         op.in({1, 4, 4, 3}).scalar(2).out({1, 2, 2, 12});
       }},
      {"DEPTH_TO_SPACE", ANEURALNETWORKS_DEPTH_TO_SPACE, quantized,
       [](OneOperation &op) {
         op.in({1, 2, 2, 12}).scalar(2).out({1, 4, 4, 3});
       }},
      {"EMBEDDING_LOOKUP",
       ANEURALNETWORKS_EMBEDDING_LOOKUP,
       {f32, u8},
       [](OneOperation &op) {
         op.ints({0, 2}, false).constant({3, 4}).out({2, 4});
       }},
      {"HASHTABLE_LOOKUP", ANEURALNETWORKS_HASHTABLE_LOOKUP, onlyFloats,
       [](OneOperation &op) {
         op.ints({0, 2}, false).ints({0, 1, 2}).constant({3, 4});
         op.out({2, 4}).typed(u8, {2}, 1, 0);
       }},
  };
}

/// The weights and biases of an LSTM of 3 inputs and 4 units, without
/// projection, CIFG, peepholes: 17 operands.
void lstmWeights(OneOperation &op) {
  for (int i = 0; i < 4; ++i)
    op.constant({4, 3});
  for (int i = 0; i < 4; ++i)
    op.constant({4, 4});
  op.none().none().none();
  for (int i = 0; i < 4; ++i)
    op.constant({4});
  op.none().none();
}

void lstm(OneOperation &op) {
  op.in({2, 3});
  lstmWeights(op);
  op.in({2, 4}).in({2, 4}).scalar(4).number(0).number(0);
  op.none().none().none().none();
  op.out({2, 16}).out({2, 4}).out({2, 4}).out({2, 4});
}

void sequenceLstm(OneOperation &op) {
  op.in({2, 5, 3});
  lstmWeights(op);
  op.in({2, 4}).in({2, 4}).scalar(4).number(0).number(0).flag(false);
  op.none().none().none().none().out({2, 5, 4});
}

void bidirectionalLstm(OneOperation &op) {
  op.in({2, 5, 3});
  lstmWeights(op);
  lstmWeights(op);
  op.in({2, 4}).in({2, 4}).in({2, 4}).in({2, 4});
  for (int i = 0; i < 9; ++i)
    op.none(); // The auxiliary input and its weights.
  op.scalar(4).number(0).number(0).flag(false).flag(false);
  for (int i = 0; i < 8; ++i)
    op.none(); // The weights of layer normalization.
  op.out({2, 5, 4}).out({2, 5, 4});
}

void quantizedLstm(OneOperation &op) {
  constexpr Type state = Type::TENSOR_QUANT16_SYMM;
  op.input(u8, {2, 3}, 1.0f / 128, 128);
  for (int i = 0; i < 4; ++i)
    op.constant({4, 3});
  for (int i = 0; i < 4; ++i)
    op.constant({4, 4});
  for (int i = 0; i < 4; ++i)
    op.zeros(i32, {4}, OneOperation::scale / 128, 0);
  op.input(state, {2, 4}, 1.0f / 2048, 0).input(u8, {2, 4}, 1.0f / 128, 128);
  op.typed(state, {2, 4}, 1.0f / 2048, 0).typed(u8, {2, 4}, 1.0f / 128, 128);
}

std::vector<Row> recurrent() {
  return {
      {"RNN", ANEURALNETWORKS_RNN, onlyFloats,
       [](OneOperation &op) {
         op.in({2, 3}).constant({4, 3}).constant({4, 4}).constant({4});
         op.in({2, 4}).scalar(1).out({2, 4}).out({2, 4});
       }},
      {"SVDF", ANEURALNETWORKS_SVDF, onlyFloats,
       [](OneOperation &op) {
         op.in({2, 3}).constant({4, 3}).constant({4, 5}).constant({4});
         op.in({2, 20}).scalar(1).scalar(0).out({2, 20}).out({2, 4});
       }},
      {"LSTM", ANEURALNETWORKS_LSTM, onlyFloats, lstm},
      {"QUANTIZED_16BIT_LSTM",
       ANEURALNETWORKS_QUANTIZED_16BIT_LSTM,
       {u8},
       quantizedLstm},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM",
       ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, onlyFloats, sequenceLstm},
      {"BIDIRECTIONAL_SEQUENCE_LSTM",
       ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, onlyFloats,
       bidirectionalLstm},
  };
}

void expectSupported(const std::vector<Row> &rows) {
  const ANeuralNetworksDevice *device = findDevice("nnhal-cpu");
  ASSERT_NE(device, nullptr);
  for (const Row &row : rows)
    for (Type type : row.types) {
      SCOPED_TRACE(testing::Message() << row.name << " of type " << int(type));
      OneOperation operation(type);
      row.operands(operation);
      ASSERT_TRUE(operation.finish(row.operation));
      bool isSupported = false;
      ASSERT_EQ(ANeuralNetworksModel_getSupportedOperationsForDevices(
                    operation.model(), &device, 1, &isSupported),
                ANEURALNETWORKS_NO_ERROR);
      EXPECT_TRUE(isSupported);
    }
}

/// The code of an execution of \p operation without input \p omitted.
Result computeWithout(const OneOperation &operation,
                      const Compilation &compilation, size_t omitted) {
  std::vector<std::vector<char>> buffers;
  Execution execution(compilation);
  for (size_t i = 0; i < operation.inputSizes().size(); ++i) {
    size_t size = i == omitted ? 0 : operation.inputSizes()[i];
    void *bytes = i == omitted ? nullptr : buffers.emplace_back(size).data();
    EXPECT_EQ(execution.setInput(uint32_t(i), bytes, size), Result::NO_ERROR);
  }
  for (size_t i = 0; i < operation.outputSizes().size(); ++i) {
    size_t size = operation.outputSizes()[i];
    EXPECT_EQ(execution.setOutput(uint32_t(i),
                                  buffers.emplace_back(size).data(), size),
              Result::NO_ERROR);
  }
  return execution.compute();
}

/// Requests that omit an input of \p rows are refused alike by nnhal-cpu and
/// nnapi-reference.
void expectOmittedRefused(const std::vector<Row> &rows) {
  for (const Row &row : rows) {
    OneOperation operation(row.types.front());
    row.operands(operation);
    ASSERT_TRUE(operation.finish(row.operation));
    for (const char *name : {"nnhal-cpu", "nnapi-reference"}) {
      Compilation compilation(
          operation.wrapped(),
          std::vector<const ANeuralNetworksDevice *>{findDevice(name)});
      ASSERT_EQ(compilation.finish(), Result::NO_ERROR);
      for (size_t i = 0; i < operation.inputSizes().size(); ++i)
        EXPECT_EQ(computeWithout(operation, compilation, i), Result::BAD_DATA)
            << row.name << " without input " << i << " on " << name;
    }
  }
}

// D-013, D-096: an input that the operation needs is a part of the request.
TEST(DelegateOperations, NeedTheirInputs) {
  for (const std::vector<Row> &rows :
       {elementwise(), activations(), contractions(), dataMovement(),
        recurrent()})
    expectOmittedRefused(rows);
}

TEST(DelegateOperations, ElementwiseAreTaken) {
  expectSupported(elementwise());
}

TEST(DelegateOperations, ActivationsAreTaken) {
  expectSupported(activations());
}

TEST(DelegateOperations, ContractionsAndReductionsAreTaken) {
  expectSupported(contractions());
}

TEST(DelegateOperations, DataMovementIsTaken) {
  expectSupported(dataMovement());
}

TEST(DelegateOperations, RecurrentAreTaken) { expectSupported(recurrent()); }

} // namespace
