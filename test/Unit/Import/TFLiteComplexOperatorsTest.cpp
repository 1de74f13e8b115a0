//===- TFLiteComplexOperatorsTest.cpp - Operators on complex numbers ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

using namespace nnhal;
using namespace nnhal::rt;

namespace {

std::vector<Numbers> runComplex(const std::vector<std::byte> &bytes,
                                const std::vector<Numbers> &inputs) {
  static const std::vector<InstalledExtension> extensions = {
      {nnhal::tflite::createTFLiteExtension(), "test"}};
  return runFile(bytes, inputs, extensions);
}

TensorSpec complexes(std::vector<int32_t> shape) {
  return {std::move(shape), Type::COMPLEX64};
}

/// A constant of complex numbers: \p parts are the real and the imaginary part
/// of each.
TestInput complexConstant(std::vector<int32_t> shape, Numbers parts) {
  return {complexes(std::move(shape)), std::move(parts), true};
}

/// A file of one operator on complex numbers.
std::vector<std::byte> complexFile(Code code,
                                   const std::vector<TestInput> &inputs,
                                   const std::vector<TensorSpec> &outputs,
                                   const Options &made = {}) {
  return operatorFile(code, inputs, outputs, made);
}

/// The first output of one operator.
Numbers computed(Code code, const std::vector<TestInput> &inputs,
                 const TensorSpec &output, const Options &made = {}) {
  std::vector<Numbers> given;
  for (const TestInput &input : inputs)
    if (!input.isConstant)
      given.push_back(input.values);
  return runComplex(complexFile(code, inputs, {output}, made), given).at(0);
}

TEST(TFLiteComplexOperatorsTest, arithmetic) {
  const TestInput x = {complexes({2}), {1, 2, -3, 0.5}},
                  y = {complexes({1}), {2, -1}};
  EXPECT_EQ(computed(Code::ADD, {x, y}, complexes({2})),
            (Numbers{3, 1, -1, -0.5}));
  EXPECT_EQ(computed(Code::SUB, {x, y}, complexes({2})),
            (Numbers{-1, 3, -5, 1.5}));
  EXPECT_EQ(computed(Code::MUL, {x, y}, complexes({2})),
            (Numbers{4, 3, -5.5, 4}));
  EXPECT_EQ(computed(Code::NEG, {x}, complexes({2})),
            (Numbers{-1, -2, 3, -0.5}));
  EXPECT_EQ(computed(Code::ADD_N, {x, x, x}, complexes({2})),
            (Numbers{3, 6, -9, 1.5}));
  EXPECT_EQ(computed(Code::SUM, {x, integersInput({0})}, complexes({})),
            (Numbers{-2, 2.5}));
}

TEST(TFLiteComplexOperatorsTest, constants) {
  const TestInput x = {complexes({2}), {1, 2, -3, 0.5}},
                  i = complexConstant({2}, {0, 1, 0, -1});
  EXPECT_EQ(computed(Code::MUL, {x, i}, complexes({2})),
            (Numbers{-2, 1, 0.5, 3}));
  EXPECT_EQ(computed(Code::ADD, {i, x}, complexes({2})),
            (Numbers{1, 3, -3, -0.5}));
  EXPECT_EQ(computed(Code::COMPLEX_ABS, {i}, {{2}}), (Numbers{1, 1}));
  EXPECT_EQ(computed(Code::CONCATENATION, {x, i}, complexes({4})),
            (Numbers{1, 2, -3, 0.5, 0, 1, 0, -1}));
  EXPECT_EQ(
      computed(Code::PADV2,
               {x, integersInput({1, 0}, {1, 2}), complexConstant({}, {7, 8})},
               complexes({3})),
      (Numbers{7, 8, 1, 2, -3, 0.5}));
  TFLiteWriter file;
  int32_t c = file.constant<float>(complexes({1}), {3, -4}),
          imaginary = file.tensor({{1}});
  file.add(Code::IMAG, {c}, {imaginary});
  EXPECT_EQ(runComplex(file.finish({}, {c, imaginary}), {}),
            (std::vector<Numbers>{{3, -4}, {-4}}));
}

TEST(TFLiteComplexOperatorsTest, casts) {
  const TestInput x = {complexes({2}), {1.5, 2, -3, 0.5}};
  auto cast = [](Type from, Type to) {
    return options([=](Builder &builder) {
      return schema::CreateCastOptions(builder, from, to);
    });
  };
  EXPECT_EQ(
      computed(Code::CAST, {x}, {{2}}, cast(Type::COMPLEX64, Type::FLOAT32)),
      (Numbers{1.5, -3}));
  EXPECT_EQ(computed(Code::CAST, {x}, {{2}, Type::INT32},
                     cast(Type::COMPLEX64, Type::INT32)),
            (Numbers{1, -3}));
  EXPECT_EQ(computed(Code::CAST, {x}, complexes({2}),
                     cast(Type::COMPLEX64, Type::COMPLEX64)),
            x.values);
  EXPECT_EQ(computed(Code::CAST, {{{{2}}, {4, -1.5}}}, complexes({2}),
                     cast(Type::FLOAT32, Type::COMPLEX64)),
            (Numbers{4, 0, -1.5, 0}));
  EXPECT_EQ(computed(Code::CAST, {{{{2}, Type::INT32}, {4, -1}}},
                     complexes({2}), cast(Type::INT32, Type::COMPLEX64)),
            (Numbers{4, 0, -1, 0}));
}

TEST(TFLiteComplexOperatorsTest, movesInBothForms) {
  const TestInput x = {complexes({2, 2}), {1, 2, 3, 4, 5, 6, 7, 8}};
  EXPECT_EQ(computed(Code::PACK, {x, x}, complexes({2, 2, 2}),
                     options([](Builder &builder) {
                       return schema::CreatePackOptions(builder, 2, 0);
                     })),
            (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
  std::vector<Numbers> parts = runComplex(
      complexFile(Code::UNPACK, {x}, {complexes({2}), complexes({2})},
                  options([](Builder &builder) {
                    return schema::CreateUnpackOptions(builder, 2, 1);
                  })),
      {x.values});
  EXPECT_EQ(parts, (std::vector<Numbers>{{1, 2, 5, 6}, {3, 4, 7, 8}}));
  EXPECT_EQ(computed(Code::SELECT_V2, {{{{2}, Type::BOOL}, {1, 0}}, x, x},
                     complexes({2, 2})),
            x.values);
  // The HAL turns around four dimensions at most, and has no such reversal.
  EXPECT_EQ(computed(Code::TRANSPOSE,
                     {{complexes({1, 1, 1, 2, 2}), x.values},
                      integersInput({0, 1, 2, 4, 3})},
                     complexes({1, 1, 1, 2, 2})),
            (Numbers{1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(computed(Code::REVERSE_SEQUENCE, {x, integersInput({1, 2})},
                     complexes({2, 2}), options([](Builder &builder) {
                       return schema::CreateReverseSequenceOptions(builder, 1,
                                                                   0);
                     })),
            (Numbers{1, 2, 3, 4, 7, 8, 5, 6}));
}

//===----------------------------------------------------------------------===//
// Calls of subgraphs
//===----------------------------------------------------------------------===//

/// A subgraph that yields its input of complex numbers times \p factor.
void addTimes(TFLiteWriter &file, std::vector<float> factor) {
  int32_t x = file.tensor(complexes({2})), y = file.tensor(complexes({2}));
  file.add(Code::MUL, {x, file.constant<float>(complexes({1}), factor)}, {y});
  file.endSubgraph({x}, {y});
}

/// A subgraph that yields a constant.
void addConstantBranch(TFLiteWriter &file) {
  int32_t x = file.tensor(complexes({2}));
  file.endSubgraph({x}, {file.constant<float>(complexes({2}), {1, 2, 3, 4})});
}

TEST(TFLiteComplexOperatorsTest, calls) {
  TFLiteWriter file;
  int32_t x = file.tensor(complexes({2})), y = file.tensor(complexes({2})),
          z = file.tensor(complexes({2}));
  file.add(Code::CALL, {x}, {y}, schema::CreateCallOptions(file.builder, 1));
  file.add(Code::CALL, {file.constant<float>(complexes({2}), {0, 1, 1, 0})},
           {z}, schema::CreateCallOptions(file.builder, 1));
  file.endSubgraph({x}, {y, z});
  addTimes(file, {0, 1});
  EXPECT_EQ(runComplex(file.finish({}, {}), {{1, 2, 3, -4}}),
            (std::vector<Numbers>{{-2, 1, 4, 3}, {-1, 0, 0, 1}}));
}

/// The called subgraph takes the constant apart for itself, too.
TEST(TFLiteComplexOperatorsTest, constantsOfCalledSubgraphs) {
  TFLiteWriter file;
  int32_t y = file.tensor(complexes({1})), z = file.tensor({{1}}),
          given = file.tensor({{1}}), negative = file.tensor({{1}});
  file.add(Code::NEG, {given}, {negative});
  file.add(Code::CALL, {}, {y, z}, schema::CreateCallOptions(file.builder, 1));
  file.endSubgraph({given}, {y, z});
  int32_t constant = file.constant<float>(complexes({1}), {3, -4}),
          real = file.tensor({{1}});
  file.add(Code::REAL, {constant}, {real});
  file.endSubgraph({}, {constant, real});
  EXPECT_EQ(runComplex(file.finish({}, {}), {{7}}),
            (std::vector<Numbers>{{3, -4}, {3}}));
}

TEST(TFLiteComplexOperatorsTest, branches) {
  TFLiteWriter file;
  int32_t condition = file.tensor({{}, Type::BOOL}),
          x = file.tensor(complexes({2})), y = file.tensor(complexes({2}));
  file.add(Code::IF, {condition, x}, {y},
           schema::CreateIfOptions(file.builder, 1, 2));
  file.endSubgraph({condition, x}, {y});
  addTimes(file, {0, 1});
  addConstantBranch(file);
  std::vector<std::byte> bytes = file.finish({}, {});
  EXPECT_EQ(runComplex(bytes, {{1}, {1, 2, 3, -4}}).at(0),
            (Numbers{-2, 1, 4, 3}));
  EXPECT_EQ(runComplex(bytes, {{0}, {1, 2, 3, -4}}).at(0),
            (Numbers{1, 2, 3, 4}));
}

TEST(TFLiteComplexOperatorsTest, cases) {
  TFLiteWriter file;
  int32_t index = file.tensor({{}, Type::INT32}),
          x = file.tensor(complexes({2})), y = file.tensor(complexes({2}));
  OperatorExtras extras;
  extras.options2 = [](Builder &builder) {
    auto branches = builder.CreateVector(std::vector<int32_t>{1, 2, 3});
    return std::pair(
        schema::BuiltinOptions2::StablehloCaseOptions,
        schema::CreateStablehloCaseOptions(builder, branches).Union());
  };
  file.add(Code::STABLEHLO_CASE, {index, x}, {y}, schema::BuiltinOptions::NONE,
           0, extras);
  file.endSubgraph({index, x}, {y});
  addTimes(file, {0, 1});
  addConstantBranch(file);
  addTimes(file, {2, 0});
  std::vector<std::byte> bytes = file.finish({}, {});
  EXPECT_EQ(runComplex(bytes, {{0}, {1, 2, 3, -4}}).at(0),
            (Numbers{-2, 1, 4, 3}));
  EXPECT_EQ(runComplex(bytes, {{1}, {1, 2, 3, -4}}).at(0),
            (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(runComplex(bytes, {{2}, {1, 2, 3, -4}}).at(0),
            (Numbers{2, 4, 6, -8}));
}

/// A loop whose values are a count, a number that turns by i as often, and a
/// constant that it keeps.
TEST(TFLiteComplexOperatorsTest, loops) {
  TFLiteWriter file;
  auto addValues = [&](int32_t &count, int32_t &x, int32_t &kept) {
    count = file.tensor({{1}, Type::INT32});
    x = file.tensor(complexes({1}));
    kept = file.tensor(complexes({1}));
  };
  int32_t count = 0, x = 0, kept = 0, least = 0, y = 0, other = 0;
  addValues(count, x, kept);
  addValues(least, y, other);
  int32_t initial = file.constant<float>(complexes({1}), {1, 0}),
          i = file.constant<float>(complexes({1}), {0, 1});
  file.add(Code::WHILE, {count, initial, i}, {least, y, other},
           schema::CreateWhileOptions(file.builder, 1, 2));
  file.endSubgraph({count}, {y, other});
  addValues(count, x, kept);
  int32_t isMore = file.tensor({{1}, Type::BOOL});
  file.add(Code::GREATER, {count, file.integers({0})}, {isMore});
  file.endSubgraph({count, x, kept}, {isMore});
  addValues(count, x, kept);
  int32_t next = file.tensor({{1}, Type::INT32}),
          turned = file.tensor(complexes({1}));
  file.add(Code::SUB, {count, file.integers({1})}, {next});
  file.add(Code::MUL, {x, kept}, {turned});
  file.endSubgraph({count, x, kept}, {next, turned, kept});
  std::vector<std::byte> bytes = file.finish({}, {});
  EXPECT_EQ(runComplex(bytes, {{3}}), (std::vector<Numbers>{{0, -1}, {0, 1}}));
  EXPECT_EQ(runComplex(bytes, {{0}}).at(0), (Numbers{1, 0}));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(TFLiteComplexOperatorsTest, errors) {
  const TestInput x = {complexes({2}), {}}, c = complexConstant({1}, {1, 2});
  auto error = [](Code code, const std::vector<TestInput> &inputs,
                  const std::vector<TensorSpec> &outputs,
                  const Options &made = {}) {
    return importError(complexFile(code, inputs, outputs, made));
  };
  EXPECT_EQ(
      error(Code::ADD, {x, c}, {complexes({2})}, options([](Builder &builder) {
              return schema::CreateAddOptions(builder,
                                              schema::Activation::RELU);
            })),
      "operator 0 (ADD): has activation RELU, but complex numbers have "
      "none");
  EXPECT_EQ(error(Code::MUL, {x, c}, {{{2}}}),
            "operator 0 (MUL): output 0 has type FLOAT32, expected COMPLEX64");
  EXPECT_EQ(
      error(Code::ADD, {x, {{{2}}, {}}}, {complexes({2})}),
      "operator 0 (ADD): input 1 has type FLOAT32 beside complex numbers");
  EXPECT_EQ(error(Code::COMPLEX_ABS, {x}, {{{2}, Type::INT32}}),
            "operator 0 (COMPLEX_ABS): output 0 has type INT32, expected "
            "FLOAT32");
  EXPECT_EQ(error(Code::DIV, {x, c}, {complexes({2})}),
            "operator 0 (DIV): tensor 0 't0' has type COMPLEX64, which the HAL "
            "does not have");
  TFLiteWriter file;
  int32_t whole = file.tensor(complexes({2})),
          part = file.tensor(complexes({}));
  file.add(Code::UNPACK, {whole}, {part, part},
           schema::CreateUnpackOptions(file.builder, 2, 0));
  EXPECT_EQ(importError(file.finish({whole}, {part})),
            "operator 0 (UNPACK): computes tensor 1 't1', which is listed "
            "twice");
}

} // namespace
