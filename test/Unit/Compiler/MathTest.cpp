//===- MathTest.cpp - How far transcendental functions are off ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled functions against those of libm in double, over the whole range of
// floats: the bound on errors of f32 results holds everywhere.
//
//===----------------------------------------------------------------------===//

#include "CompilerTesting.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace nnhal::rt {
namespace {

constexpr size_t count = 1 << 20;
constexpr float infinity = std::numeric_limits<float>::infinity();

/// A model of one operation of \p inputs tensors of `count` floats. \p scalars
/// are further operands, defined by \p constants.
std::string modelOf(std::string_view operation, int inputs,
                    std::string_view constants = "",
                    std::string_view scalars = "",
                    std::string_view scalarTypes = "") {
  std::string type = fmt::format("tensor<{}xf32>", count);
  std::string parameters = "%a: " + type, operands = "%a", types = type;
  if (inputs == 2) {
    parameters += ", %b: " + type;
    operands += ", %b";
    types += ", " + type;
  }
  return fmt::format(
      "nnhal.model @model attributes {{hal_version = \"1.3\"}} {{\n"
      "  nnhal.graph @main({}) -> {} {{\n    {}\n"
      "    %0 = nnhal.operation \"{}\"({}{}) : ({}{}) -> {}\n"
      "    nnhal.return %0 : {}\n  }}\n}}\n",
      parameters, type, constants, operation, operands, scalars, types,
      scalarTypes, type, type);
}

/// What the compiled model makes of \p inputs; empty where it fails.
std::vector<float> execute(const std::string &text,
                           const std::vector<std::vector<float>> &inputs) {
  Result<std::shared_ptr<const Compiler>> compiler = Compiler::open();
  EXPECT_TRUE(compiler.isOk());
  if (!compiler.isOk())
    return {};
  Result<CompiledModel> compiled =
      (*compiler)->compileMlir(std::as_bytes(std::span(text)), "math", {});
  EXPECT_TRUE(compiled.isOk()) << compiled.status().message();
  if (!compiled.isOk())
    return {};
  Result<std::shared_ptr<PreparedModel>> prepared =
      createCpuDevice()->prepareModelFromArtifact(compiled->modelCache,
                                                  compiled->dataCache);
  EXPECT_TRUE(prepared.isOk()) << prepared.status().message();
  if (!prepared.isOk())
    return {};
  Arguments arguments(**prepared);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(arguments.inputs[i].data(), inputs[i].data(),
                inputs[i].size() * sizeof(float));
  ExecutionResult result;
  Status status = (*prepared)->execute(arguments.request, result);
  EXPECT_TRUE(status.isOk()) << status.message();
  std::vector<float> output(count);
  std::memcpy(output.data(), arguments.outputs[0].data(),
              count * sizeof(float));
  return output;
}

/// The error as a multiple of what is tolerated.
double errorRatio(float actual, double expected) {
  auto rounded = float(expected);
  if (rounded != rounded)
    return actual != actual ? 0.0 : infinity;
  if (actual == rounded)
    return 0.0;
  double error = std::abs(actual - expected);
  double tolerance = 1e-5 + 5 * 0x1p-23 * std::abs(expected);
  return error == error ? error / tolerance : infinity;
}

/// The error in units of the last place of \p expected.
double ulpError(float actual, double expected) {
  auto rounded = float(expected);
  if (actual == rounded || !std::isfinite(rounded))
    return 0.0;
  int exponent = std::max(std::ilogb(rounded), -126);
  return std::abs(actual - expected) / std::ldexp(1.0, exponent - 23);
}

/// Compares each element with \p expected of its index and prints the largest
/// errors.
template <typename Expected>
void compare(const char *name, const std::vector<float> &actual,
             const std::vector<std::vector<float>> &inputs, Expected expected) {
  ASSERT_EQ(actual.size(), count) << name;
  double worstRatio = 0, worstUlp = 0;
  size_t worst = 0;
  for (size_t i = 0; i < count; ++i) {
    double wanted = expected(i);
    double ratio = errorRatio(actual[i], wanted);
    if (ratio > worstRatio)
      worst = i;
    worstRatio = std::max(worstRatio, ratio);
    // Units mean little where the absolute part of the tolerance decides.
    if (std::abs(wanted) >= 1.0)
      worstUlp = std::max(worstUlp, ulpError(actual[i], wanted));
  }
  std::string arguments;
  for (const std::vector<float> &input : inputs)
    arguments += fmt::format(" {}", input[worst]);
  fmt::print("{:12} {:7.3f} of the tolerance at{}; {:.2f} ulp from 1 on\n",
             name, worstRatio, arguments, worstUlp);
  EXPECT_LE(worstRatio, 1.0)
      << name << " of" << arguments << " is " << actual[worst] << ", expected "
      << expected(worst);
}

/// Floats of every sign and exponent, spread over the mantissas, and special
/// ones.
std::vector<float> sweep() {
  std::vector<float> values = {0.0f,
                               -0.0f,
                               infinity,
                               -infinity,
                               NAN,
                               -NAN,
                               1.0f,
                               -1.0f,
                               0x1p-149f,
                               -0x1p-149f,
                               0x1p-126f,
                               -0x1p-126f,
                               88.72283f,
                               88.72284f,
                               -87.33654f,
                               -103.97f,
                               709.0f,
                               3.1415927f,
                               1.5707964f,
                               0x1.921fb6p+22f,
                               0x1.fffffep127f,
                               -0x1.fffffep127f,
                               16367173.0f * 0x1p72f};
  uint32_t state = 1;
  for (size_t i = values.size(); i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(std::bit_cast<float>(uint32_t(i) << 12 | (state >> 20)));
  }
  return values;
}

using Function = double (*)(double);
void checkFunction(const char *name, Function function) {
  std::vector<float> input = sweep();
  std::vector<float> actual = execute(modelOf(name, 1), {input});
  compare(name, actual, {input},
          [&](size_t i) { return function(double(input[i])); });
}

TEST(MathTest, exp) { checkFunction("EXP", std::exp); }
TEST(MathTest, log) { checkFunction("LOG", std::log); }
TEST(MathTest, sin) { checkFunction("SIN", std::sin); }
TEST(MathTest, sqrt) { checkFunction("SQRT", std::sqrt); }
TEST(MathTest, rsqrt) {
  checkFunction("RSQRT", [](double x) { return 1 / std::sqrt(x); });
}
TEST(MathTest, tanh) { checkFunction("TANH", std::tanh); }
TEST(MathTest, logistic) {
  checkFunction("LOGISTIC", [](double x) { return 1 / (1 + std::exp(-x)); });
}

TEST(MathTest, elu) {
  std::vector<float> input = sweep();
  std::vector<float> actual =
      execute(modelOf("ELU", 1, "%alpha = nnhal.constant_copy 1.5 : f32 -> f32",
                      ", %alpha", ", f32"),
              {input});
  compare("ELU", actual, {input}, [&](size_t i) {
    double x = input[i];
    return x < 0 ? 1.5 * std::expm1(x) : x;
  });
}

/// Bases and exponents of every magnitude; then bases near 1 with large
/// exponents, and whole exponents.
TEST(MathTest, pow) {
  constexpr size_t side = 1024;
  std::vector<float> special = {
      0.0f,           -0.0f,        infinity, -infinity,      NAN,
      1.0f,           -1.0f,        2.0f,     -2.0f,          0.5f,
      -0.5f,          3.0f,         -3.0f,    0x1p-149f,      0x1p24f,
      0x1p23f + 1,    -0x1p23f - 1, 1.5f,     0x1.fffffep-1f, 0x1.000002p0f,
      -0x1.000002p0f, 1e10f,        -1e10f};
  std::vector<float> bases = special, exponents = special;
  uint32_t state = 7;
  auto random = [&] { return state = state * 1664525u + 1013904223u; };
  for (size_t i = special.size(); i < side; ++i) {
    auto any = std::bit_cast<float>(uint32_t(i) << 22 | (random() >> 10));
    float near1 = std::bit_cast<float>(0x3f000000u + (random() >> 8));
    float nearest1 = 1.0f + float(int32_t(random()) >> 18) * 0x1p-23f;
    bases.push_back(i % 4 == 0 ? any : i % 4 == 1 ? nearest1 : near1);
    auto whole = float(int32_t(random()) >> 24);
    auto medium = float(int32_t(random())) * 0x1p-24f;
    auto large = float(int32_t(random())) * 0x1p-8f;
    exponents.push_back(i % 8 == 0   ? any
                        : i % 8 == 1 ? whole
                        : i % 8 < 4  ? large
                                     : medium);
  }
  std::vector<float> lhs(count), rhs(count);
  for (size_t i = 0; i < count; ++i) {
    lhs[i] = bases[i / side];
    rhs[i] = exponents[i % side];
  }
  std::vector<float> actual = execute(modelOf("POW", 2), {lhs, rhs});
  compare("POW", actual, {lhs, rhs},
          [&](size_t i) { return std::pow(double(lhs[i]), double(rhs[i])); });
}

} // namespace
} // namespace nnhal::rt
