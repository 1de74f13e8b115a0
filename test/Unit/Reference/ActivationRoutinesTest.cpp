//===- ActivationRoutinesTest.cpp - What activations compute --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoutineRunner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

namespace {

using enum OperationType;
using Values = std::vector<double>;

Values run(const OperationBuilder &builder) {
  return runForValues(reference::activationRoutines(), builder);
}

Values unary(OperationType operation, const TensorType &input,
             const Values &values, const TensorType &output) {
  return run(OperationBuilder(operation).tensor(input, values).output(output));
}
Values unary(OperationType operation, const TensorType &type,
             const Values &values) {
  return unary(operation, type, values, type);
}

/// 0 to 255.
Values allBytes() {
  Values values(256);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = double(i);
  return values;
}

/// The largest distance, in steps, between quantized \p found and \p function
/// of the real values of all bytes.
double distance(const Values &found, const TensorType &input,
                const TensorType &output,
                const std::function<double(double)> &function) {
  double result = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double real = (double(i) - input.zeroPoint) * input.scale;
    double expected = std::clamp(
        function(real) / output.scale + output.zeroPoint, 0.0, 255.0);
    result = std::max(result, std::abs(found[i] - expected));
  }
  return result;
}

// M-050, M-051.
TEST(ActivationRoutinesTest, Rectifiers) {
  Values values = {-9, -0.5, 0.5, 9};
  EXPECT_EQ(unary(RELU, floatTensor({4}), values), (Values{0, 0, 0.5, 9}));
  EXPECT_EQ(unary(RELU1, floatTensor({4}), values), (Values{-1, -0.5, 0.5, 1}));
  EXPECT_EQ(unary(RELU6, floatTensor({4}), values), (Values{0, 0, 0.5, 6}));
  TensorType quantized = quantTensor({3}, 0.5f, 100);
  EXPECT_EQ(unary(RELU, quantized, {0, 101, 255}), (Values{100, 101, 255}));
  EXPECT_EQ(unary(RELU1, quantized, {0, 101, 255}), (Values{98, 101, 102}));
  EXPECT_EQ(unary(RELU6, quantized, {0, 101, 255}), (Values{100, 101, 112}));
  EXPECT_EQ(unary(RELU, floatTensor({0}), {}), Values());
}

// M-052, M-053, M-054: within a step of the real function, and saturated at
// both ends.
TEST(ActivationRoutinesTest, QuantizedLogisticAndTanh) {
  TensorType logisticType = quantTensor({256}, 1.0f / 256, 0);
  TensorType tanhType = quantTensor({256}, 1.0f / 128, 128);
  for (float scale : {1e-12f, 0.01f, 0.1f, 1.0f, 1e30f}) {
    TensorType input = quantTensor({256}, scale, 128);
    EXPECT_LE(distance(unary(LOGISTIC, input, allBytes(), logisticType), input,
                       logisticType,
                       [](double x) { return 1.0 / (1.0 + std::exp(-x)); }),
              1.0)
        << scale;
    EXPECT_LE(distance(unary(TANH, input, allBytes(), tanhType), input,
                       tanhType, [](double x) { return std::tanh(x); }),
              1.0)
        << scale;
  }
  EXPECT_EQ(unary(LOGISTIC, signedQuantTensor({3}, 1.0f, 0), {-128, 0, 127},
                  signedQuantTensor({3}, 1.0f / 256, -128)),
            (Values{-128, 0, 127}));
  EXPECT_EQ(unary(TANH, signedQuantTensor({3}, 1.0f, 0), {-128, 0, 127},
                  signedQuantTensor({3}, 1.0f / 128, 0)),
            (Values{-128, 0, 127}));
}

// M-055.
TEST(ActivationRoutinesTest, Elu) {
  EXPECT_EQ(run(OperationBuilder(ELU)
                    .tensor(floatTensor({3}), {2, 0, -100})
                    .float32(0.5f)
                    .output(floatTensor({3}))),
            (Values{2, 0, -0.5}));
  EXPECT_EQ(run(OperationBuilder(ELU)
                    .tensor(halfTensor({1}), {-100})
                    .float16(2.0f)
                    .output(halfTensor({1}))),
            Values{-2});
}

double realHardSwish(double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }

// M-056, M-057.
TEST(ActivationRoutinesTest, HardSwish) {
  EXPECT_EQ(unary(HARD_SWISH, floatTensor({4}), {-4, -1.5, 3, 9}),
            (Values{0, -0.375, 3, 9}));
  for (float scale : {0.01f, 0.03f, 0.2f, 3.0f}) {
    TensorType input = quantTensor({256}, scale, 128);
    for (float ratio : {0.5f, 1.0f, 2.0f}) {
      TensorType output = quantTensor({256}, scale * ratio, 5);
      EXPECT_LE(distance(unary(HARD_SWISH, input, allBytes(), output), input,
                         output, realHardSwish),
                2.0)
          << scale << " " << ratio;
    }
  }
  // A result that is 1000 times finer saturates.
  EXPECT_EQ(unary(HARD_SWISH, quantTensor({2}, 1.0f, 128), {128, 255},
                  quantTensor({2}, 0.001f, 5)),
            (Values{5, 255}));
}

// M-145: -2 * 0.25 and 2, in units of 0.5.
TEST(ActivationRoutinesTest, Prelu) {
  EXPECT_EQ(run(OperationBuilder(PRELU)
                    .tensor(floatTensor({2, 1}), {-2, 2})
                    .tensor(floatTensor({2}), {0.25, 3})
                    .output(floatTensor({2, 2}))),
            (Values{-0.5, -6, 2, 2}));
  EXPECT_EQ(run(OperationBuilder(PRELU)
                    .tensor(quantTensor({2}, 1.0f, 10), {8, 12})
                    .tensor(quantTensor({1}, 0.25f, 0), {1})
                    .output(quantTensor({2}, 0.5f, 50))),
            (Values{49, 54}));
}

Values softmax(const TensorType &type, const Values &values, float beta,
               int32_t axis, const TensorType &output) {
  return run(OperationBuilder(SOFTMAX)
                 .tensor(type, values)
                 .float32(beta)
                 .int32(axis)
                 .output(output));
}

// M-058, M-062: no overflow, along any axis.
TEST(ActivationRoutinesTest, Softmax) {
  TensorType type = floatTensor({2, 2});
  EXPECT_EQ(softmax(type, {1000, 1000, -1000, 1000}, 1.0f, 1, type),
            (Values{0.5, 0.5, 0, 1}));
  EXPECT_EQ(softmax(type, {1000, 1000, -1000, 1000}, 1.0f, -2, type),
            (Values{1, 0.5, 0, 0.5}));
  EXPECT_EQ(softmax(floatTensor({2, 0}), {}, 1.0f, 1, floatTensor({2, 0})),
            Values());
}

// M-060: without an axis the last dimension is normalized.
TEST(ActivationRoutinesTest, SoftmaxOfChannels) {
  TensorType type = floatTensor({1, 2, 1, 2});
  EXPECT_EQ(run(OperationBuilder(SOFTMAX)
                    .tensor(type, {1000, 1000, -1000, 1000})
                    .float32(1.0f)
                    .output(type)),
            (Values{0.5, 0.5, 0, 1}));
}

// M-061: the shares of e^0, e^-1 and e^-2.
TEST(ActivationRoutinesTest, QuantizedSoftmax) {
  EXPECT_EQ(softmax(quantTensor({3}, 0.5f, 7), {14, 12, 10}, 1.0f, 0,
                    quantTensor({3}, 1.0f / 256, 0)),
            (Values{170, 63, 23}));
  EXPECT_EQ(softmax(signedQuantTensor({3}, 0.5f, 7), {14, 12, 10}, 1.0f, 0,
                    signedQuantTensor({3}, 1.0f / 256, -128)),
            (Values{42, -65, -105}));
  EXPECT_EQ(softmax(quantTensor({2}, 1e30f, 0), {255, 254}, 1e30f, 0,
                    quantTensor({2}, 1.0f / 256, 0)),
            (Values{255, 0}));
}

// Equal shares, down to those that round to nothing and beyond what 32 bits
// sum up.
TEST(ActivationRoutinesTest, QuantizedSoftmaxOfManyElements) {
  auto share = [](int64_t count) {
    TensorType input = quantTensor({count}, 0.5f, 0);
    return softmax(input, Values(size_t(count), 9), 1.0f, 0,
                   quantTensor({count}, 1.0f / 256, 0))[0];
  };
  EXPECT_EQ(share(256), 1);
  EXPECT_EQ(share(500), 1);
  EXPECT_EQ(share(513), 0);
  EXPECT_EQ(share(10000), 0);
}

// M-063.
TEST(ActivationRoutinesTest, LogSoftmax) {
  Values found = run(OperationBuilder(LOG_SOFTMAX)
                         .tensor(floatTensor({2}), {2000, 1000})
                         .float32(2.0f)
                         .int32(0)
                         .output(floatTensor({2})));
  EXPECT_EQ(found, (Values{0, -2000}));
}

} // namespace
