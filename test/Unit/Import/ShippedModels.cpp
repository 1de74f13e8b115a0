//===- ShippedModels.cpp - The models that the project ships --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteWriter.h"

namespace nnhal::rt {

namespace {
/// Multiples of 1/1024 in [-bound, bound): exact in every step, so that the
/// file does not depend on a compiler's arithmetic.
class Weights {
public:
  std::vector<float> next(size_t count, int32_t bound) {
    std::vector<float> values;
    for (size_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      values.push_back(float(int32_t(state >> 8) % (2 * bound) - bound) /
                       1024.0f);
    }
    return values;
  }

private:
  uint32_t state = 2024;
};
} // namespace

std::vector<std::byte> writeSmallCnn() {
  using schema::Activation;
  using schema::BuiltinOperator;
  using schema::Padding;
  TFLiteWriter file;
  Weights weights;
  auto constant = [&](const char *name, std::vector<int32_t> shape,
                      int32_t bound) {
    size_t count = 1;
    for (int32_t dimension : shape)
      count *= dimension;
    TensorSpec spec;
    spec.shape = shape;
    spec.name = name;
    return file.constant<float>(spec, weights.next(count, bound));
  };
  auto tensor = [&](const char *name, std::vector<int32_t> shape) {
    TensorSpec spec;
    spec.shape = shape;
    spec.name = name;
    return file.tensor(spec);
  };
  // One statement per constant: compilers evaluate arguments in different
  // orders, and the order is that of the weights' generator.
  int32_t image = tensor("image", {1, 32, 32, 3});
  int32_t stem = tensor("stem", {1, 16, 16, 16});
  int32_t stemWeights = constant("stem/weights", {16, 3, 3, 3}, 320);
  int32_t stemBias = constant("stem/bias", {16}, 64);
  file.add(BuiltinOperator::CONV_2D, {image, stemWeights, stemBias}, {stem},
           schema::CreateConv2DOptions(file.builder, Padding::SAME, 2, 2,
                                       Activation::RELU6));
  int32_t depthwise = tensor("depthwise", {1, 16, 16, 16});
  int32_t depthwiseWeights = constant("depthwise/weights", {1, 3, 3, 16}, 480);
  int32_t depthwiseBias = constant("depthwise/bias", {16}, 64);
  file.add(BuiltinOperator::DEPTHWISE_CONV_2D,
           {stem, depthwiseWeights, depthwiseBias}, {depthwise},
           schema::CreateDepthwiseConv2DOptions(file.builder, Padding::SAME, 1,
                                                1, 1, Activation::RELU6));
  int32_t pointwise = tensor("pointwise", {1, 16, 16, 32});
  int32_t pointwiseWeights = constant("pointwise/weights", {32, 1, 1, 16}, 384);
  int32_t pointwiseBias = constant("pointwise/bias", {32}, 64);
  file.add(BuiltinOperator::CONV_2D,
           {depthwise, pointwiseWeights, pointwiseBias}, {pointwise},
           schema::CreateConv2DOptions(file.builder, Padding::SAME, 1, 1,
                                       Activation::RELU6));
  int32_t pooled = tensor("pooled", {1, 4, 4, 32});
  file.add(
      BuiltinOperator::AVERAGE_POOL_2D, {pointwise}, {pooled},
      schema::CreatePool2DOptions(file.builder, Padding::VALID, 4, 4, 4, 4));
  int32_t flat = tensor("flat", {1, 512});
  int32_t shape = file.integers({1, 512});
  file.add(BuiltinOperator::RESHAPE, {pooled, shape}, {flat});
  int32_t logits = tensor("logits", {1, 10});
  int32_t classWeights = constant("classes/weights", {10, 512}, 128);
  int32_t classBias = constant("classes/bias", {10}, 64);
  file.add(BuiltinOperator::FULLY_CONNECTED, {flat, classWeights, classBias},
           {logits}, schema::CreateFullyConnectedOptions(file.builder));
  int32_t probabilities = tensor("probabilities", {1, 10});
  file.add(BuiltinOperator::SOFTMAX, {logits}, {probabilities},
           schema::CreateSoftmaxOptions(file.builder, 1.0f));
  return file.finish({image}, {probabilities});
}

std::vector<std::byte> writeFloor() {
  TFLiteWriter file;
  TensorSpec spec;
  spec.shape = {1, 4};
  int32_t input = file.tensor(spec), output = file.tensor(spec);
  file.add(schema::BuiltinOperator::FLOOR, {input}, {output});
  return file.finish({input}, {output});
}

std::vector<std::byte> writeAddInt16() {
  TFLiteWriter file;
  TensorSpec spec = {{1, 4}, schema::TensorType::INT16, {0.5f}, {0}};
  int32_t lhs = file.tensor(spec), rhs = file.tensor(spec),
          sum = file.tensor(spec);
  file.add(schema::BuiltinOperator::ADD, {lhs, rhs}, {sum});
  return file.finish({lhs, rhs}, {sum});
}

std::vector<std::byte> writeComplex() {
  using enum schema::BuiltinOperator;
  TFLiteWriter file;
  auto tensor = [&](const char *name, std::vector<int32_t> shape,
                    schema::TensorType type) {
    TensorSpec spec;
    spec.shape = std::move(shape);
    spec.type = type;
    spec.name = name;
    return file.tensor(spec);
  };
  constexpr auto complex = schema::TensorType::COMPLEX64,
                 real = schema::TensorType::FLOAT32;
  int32_t samples = tensor("samples", {1, 8}, real),
          points = tensor("points", {2, 3}, complex),
          spectrum = tensor("spectrum", {1, 5}, complex),
          turned = tensor("turned", {3, 2}, complex),
          x = tensor("x", {2, 3}, real), y = tensor("y", {2, 3}, real),
          magnitude = tensor("magnitude", {2, 3}, real);
  int32_t lengths = file.integers({1, 8}), order = file.integers({1, 0});
  file.add(RFFT2D, {samples, lengths}, {spectrum});
  file.add(TRANSPOSE, {points, order}, {turned});
  file.add(REAL, {points}, {x});
  file.add(IMAG, {points}, {y});
  file.add(COMPLEX_ABS, {points}, {magnitude});
  return file.finish({samples, points}, {spectrum, turned, x, y, magnitude});
}

std::vector<std::byte> writeSignatures() {
  TFLiteWriter file;
  auto entry = [&](schema::BuiltinOperator code, const char *prefix) {
    TensorSpec spec = {{1, 2}};
    spec.name = std::string(prefix) + "_x:0";
    int32_t x = file.tensor(spec);
    spec.name = std::string(prefix) + "_y:0";
    int32_t y = file.tensor(spec);
    file.add(code, {x}, {y});
    return std::pair(x, y);
  };
  auto [x, y] = entry(schema::BuiltinOperator::NEG, "negate");
  file.endSubgraph({x}, {y});
  auto [a, b] = entry(schema::BuiltinOperator::SQRT, "root");
  file.sign("negate", 0, {{"x", uint32_t(x)}}, {{"y", uint32_t(y)}});
  file.sign("root", 1, {{"a", uint32_t(a)}}, {{"b", uint32_t(b)}});
  return file.finish({a}, {b});
}

std::vector<std::byte> writeFibonacci() {
  TFLiteWriter file;
  int32_t count = file.tensor({{1}}), numbers = file.tensor({{10}});
  file.add(schema::BuiltinOperator::CUSTOM, {count}, {numbers},
           schema::BuiltinOptions::NONE, 0, {.custom = "Fibonacci"});
  return file.finish({count}, {numbers});
}

} // namespace nnhal::rt
