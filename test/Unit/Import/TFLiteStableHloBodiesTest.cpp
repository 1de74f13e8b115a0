//===- TFLiteStableHloBodiesTest.cpp - Operators that name subgraphs ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CASE, SORT and SCATTER of StableHLO, and the operators that the extension
// has for others. Numbers of SCATTER are those of TensorFlow Lite's own tests.
//
//===----------------------------------------------------------------------===//

#include "StableHloTesting.h"

#include "Extensions/TFLite/TFLiteExtension.h"

#include <numeric>

namespace nnhal::rt {
namespace {

/// Writes operators of a subgraph that an operator names, and ends it.
using Body = std::function<void(TFLiteWriter &)>;

/// The message about \p bytes, less the operator's name.
std::string errorOf(const std::vector<std::byte> &bytes) {
  std::string message = importError(bytes);
  size_t begin = message.find("): ");
  return begin == std::string::npos ? message : message.substr(begin + 3);
}

/// The results of \p bytes on a device that has the extension.
std::vector<Numbers> resultsOf(const std::vector<std::byte> &bytes,
                               const std::vector<Numbers> &inputs) {
  return runFile(bytes, inputs,
                 {{nnhal::tflite::createTFLiteExtension(), "test"}});
}

//===----------------------------------------------------------------------===//
// CASE
//===----------------------------------------------------------------------===//

OperatorExtras casesOf(std::vector<int32_t> branches) {
  return options2([branches = std::move(branches)](Builder &b) {
    return schema::CreateStablehloCaseOptionsDirect(b, &branches);
  });
}

/// y = x + value.
Body adding(float value, const std::vector<int32_t> &shape = {2}) {
  return [=](TFLiteWriter &file) {
    int32_t x = file.tensor({shape}), y = file.tensor({shape});
    file.add(Code::ADD, {x, file.floats({1}, value)}, {y});
    file.endSubgraph({x}, {y});
  };
}

std::vector<std::byte> caseFile(const std::vector<Body> &bodies,
                                const std::vector<int32_t> &branches,
                                const TensorSpec &indexSpec = {{}, Type::INT32},
                                std::optional<int32_t> constant = {}) {
  TFLiteWriter file;
  int32_t index = constant ? file.constant<int32_t>(indexSpec, {*constant})
                           : file.tensor(indexSpec),
          x = file.tensor({{2}}), y = file.tensor({{2}});
  file.add(Code::STABLEHLO_CASE, {index, x}, {y}, schema::BuiltinOptions::NONE,
           0, casesOf(branches));
  file.endSubgraph(constant ? std::vector{x} : std::vector{index, x}, {y});
  for (const Body &body : bodies)
    body(file);
  return file.finish({}, {});
}

TEST(TFLiteStableHloBodiesTest, casesAreTreesOfBranches) {
  std::vector<Body> bodies;
  for (float value : {10.0f, 20.0f, 30.0f, 40.0f, 50.0f})
    bodies.push_back(adding(value));
  std::vector<std::byte> bytes = caseFile(bodies, {1, 2, 3, 4, 5});
  EXPECT_EQ(operationsOf(bytes),
            (std::vector<std::string>{"LESS", "SELECT", "LESS", "IF"}));
  // Five branches, and three choices among them beside the main one.
  EXPECT_EQ(importBytes(bytes).model.referenced.size(), 8u);
  for (int index = 0; index < 5; ++index)
    EXPECT_EQ(resultsOf(bytes, {{double(index)}, {1, 2}}),
              (std::vector<Numbers>{{11.0 + 10 * index, 12.0 + 10 * index}}))
        << index;
  // An index without a branch executes the last branch.
  for (double index : {-1.0, 5.0, double(INT32_MIN), double(INT32_MAX)})
    EXPECT_EQ(resultsOf(bytes, {{index}, {1, 2}}),
              (std::vector<Numbers>{{51, 52}}))
        << index;
}

TEST(TFLiteStableHloBodiesTest, knownCasesAreInlined) {
  std::vector<Body> bodies = {adding(10), adding(20)};
  for (auto [index, expected] : {std::pair(0, 11.0), {1, 21.0}, {-7, 21.0}}) {
    std::vector<std::byte> bytes =
        caseFile(bodies, {1, 2}, {{}, Type::INT32}, index);
    EXPECT_EQ(operationsOf(bytes), (std::vector<std::string>{"ADD"}));
    EXPECT_EQ(resultsOf(bytes, {{1, 1}}),
              (std::vector<Numbers>{{expected, expected}}));
  }
  EXPECT_EQ(operationsOf(caseFile({adding(10)}, {1})),
            (std::vector<std::string>{"ADD"}));
}

TEST(TFLiteStableHloBodiesTest, caseErrors) {
  std::vector<Body> bodies = {adding(10), adding(20)};
  EXPECT_EQ(errorOf(caseFile(bodies, {})), "has no branches");
  EXPECT_EQ(errorOf(caseFile(bodies, {1, 4})), "calls subgraph 4 of 4");
  EXPECT_EQ(errorOf(caseFile(bodies, {1, -1})), "calls subgraph -1 of 4");
  EXPECT_EQ(errorOf(caseFile(bodies, {1, 0})), "subgraph 0 calls itself");
  EXPECT_EQ(errorOf(caseFile(bodies, std::vector<int32_t>(1001, 1))),
            "subgraphs are called more than 1000 times");
  EXPECT_EQ(errorOf(caseFile(bodies, {1, 2}, {{}})),
            "the index, tensor 0 't0', has type FLOAT32, expected INT32");
  EXPECT_EQ(errorOf(caseFile(bodies, {1, 2}, {{2}, Type::INT32})),
            "the index, tensor 0 't0', has shape 2, expected one element");
  Body other = [](TFLiteWriter &file) {
    int32_t x = file.tensor({{2}});
    file.endSubgraph({x}, {file.floats({3}, 7)});
  };
  EXPECT_EQ(errorOf(caseFile({adding(10), other}, {1, 2})),
            "output 0 has shape 2 from branch 0 and 3 from branch 1");
  Body silent = [](TFLiteWriter &file) {
    file.endSubgraph({file.tensor({{2}})}, {});
  };
  EXPECT_EQ(errorOf(caseFile({adding(10), silent}, {1, 2})),
            "has 1 outputs, but its subgraph has 0");
}

//===----------------------------------------------------------------------===//
// SORT
//===----------------------------------------------------------------------===//

struct SortForm {
  int64_t dimension = 0;
  int32_t subgraph = 1;
  /// The inputs of the comparator that it compares.
  std::vector<int32_t> compared = {0, 1};
  schema::ComparisonDirection direction = schema::ComparisonDirection::LT;
  schema::ComparisonType type = schema::ComparisonType::FLOAT;
  Code code = Code::STABLEHLO_COMPARE;
  int comparatorInputs = -1;
};

std::vector<std::byte> sortFile(const std::vector<TensorSpec> &specs,
                                const SortForm &form = {}) {
  TFLiteWriter file;
  std::vector<int32_t> inputs, outputs, elements;
  for (const TensorSpec &spec : specs)
    inputs.push_back(file.tensor(spec));
  for (const TensorSpec &spec : specs)
    outputs.push_back(file.tensor(spec));
  file.add(Code::STABLEHLO_SORT, inputs, outputs, schema::BuiltinOptions::NONE,
           0, options2([&](Builder &b) {
             return schema::CreateStablehloSortOptions(b, form.dimension, true,
                                                       form.subgraph);
           }));
  file.endSubgraph(inputs, outputs);
  size_t count = form.comparatorInputs < 0 ? 2 * specs.size()
                                           : size_t(form.comparatorInputs);
  for (size_t i = 0; i < count; ++i)
    elements.push_back(file.tensor({{}, specs[i / 2].type}));
  int32_t isBefore = file.tensor({{}, Type::BOOL});
  std::vector<int32_t> compared;
  for (int32_t place : form.compared)
    compared.push_back(elements[size_t(place)]);
  file.add(form.code, compared, {isBefore}, schema::BuiltinOptions::NONE, 0,
           form.code == Code::STABLEHLO_COMPARE
               ? compareBy(form.direction, form.type)
               : OperatorExtras());
  return file.finish(elements, {isBefore});
}

TEST(TFLiteStableHloBodiesTest, sorts) {
  using schema::ComparisonDirection;
  TensorSpec reals = {{5}}, whole = {{5}, Type::INT32};
  EXPECT_EQ(resultsOf(sortFile({reals}), {{3, -1, 4, -1, 5}}),
            (std::vector<Numbers>{{-1, -1, 3, 4, 5}}));
  EXPECT_EQ(resultsOf(sortFile({whole}, {.direction = ComparisonDirection::GT}),
                      {{3, INT32_MIN, 4, -1, INT32_MAX}}),
            (std::vector<Numbers>{{INT32_MAX, 4, 3, -1, INT32_MIN}}));
  // Operands the other way round order the other way round.
  EXPECT_EQ(
      resultsOf(sortFile({whole}, {.compared = {1, 0}}), {{3, 1, 4, 1, 5}}),
      (std::vector<Numbers>{{5, 4, 3, 1, 1}}));
  EXPECT_EQ(
      resultsOf(sortFile({whole}, {.code = Code::LESS}), {{3, 1, 4, 1, 5}}),
      (std::vector<Numbers>{{1, 1, 3, 4, 5}}));
  EXPECT_EQ(
      resultsOf(sortFile({whole}, {.code = Code::GREATER}), {{3, 1, 4, 1, 5}}),
      (std::vector<Numbers>{{5, 4, 3, 1, 1}}));
}

// Equal elements keep their order, which the values that follow show.
TEST(TFLiteStableHloBodiesTest, valuesFollowTheKey) {
  TensorSpec reals = {{5}}, whole = {{5}, Type::INT32};
  std::vector<Numbers> given = {{0, 1, 2, 3, 4}, {7, 5, 7, 5, 6}};
  SortForm form = {.compared = {2, 3}};
  EXPECT_EQ(resultsOf(sortFile({whole, reals}, form), given),
            (std::vector<Numbers>{{1, 3, 4, 0, 2}, {5, 5, 6, 7, 7}}));
  form.direction = schema::ComparisonDirection::GT;
  EXPECT_EQ(resultsOf(sortFile({whole, reals}, form), given),
            (std::vector<Numbers>{{0, 2, 4, 1, 3}, {7, 7, 6, 5, 5}}));
}

TEST(TFLiteStableHloBodiesTest, sortsOfSeveralDimensions) {
  TensorSpec key = {{2, 3}}, value = {{2, 3}, Type::INT32};
  std::vector<Numbers> given = {{6, 2, 9, 1, 5, 3}, {0, 1, 2, 3, 4, 5}};
  EXPECT_EQ(resultsOf(sortFile({key, value}, {.dimension = -1}), given),
            (std::vector<Numbers>{{2, 6, 9, 1, 3, 5}, {1, 0, 2, 3, 5, 4}}));
  EXPECT_EQ(resultsOf(sortFile({key, value}, {.dimension = 0}), given),
            (std::vector<Numbers>{{1, 2, 3, 6, 5, 9}, {3, 1, 5, 0, 4, 2}}));
}

TEST(TFLiteStableHloBodiesTest, sortErrors) {
  using schema::ComparisonDirection;
  TensorSpec line = {{5}}, other = {{4}};
  EXPECT_EQ(errorOf(sortFile({line}, {.dimension = 1})),
            "axis 1 is not in -1..0");
  EXPECT_EQ(errorOf(sortFile({line}, {.dimension = -2})),
            "axis -2 is not in -1..0");
  EXPECT_EQ(errorOf(sortFile({line, other})),
            "input 1 has shape 4, but input 0 has 5");
  EXPECT_EQ(errorOf(sortFile({line}, {.subgraph = 2})),
            "orders by subgraph 2 of 2");
  EXPECT_EQ(errorOf(sortFile({line, line}, {.comparatorInputs = 2})),
            "orders 2 inputs by subgraph 1 with 2 inputs, expected 4");
  EXPECT_EQ(errorOf(sortFile(
                {line}, {.type = schema::ComparisonType::FLOAT_TOTAL_ORDER})),
            "no operator compares by the total order of reals");
  EXPECT_EQ(halImportError(sortFile({line, line})),
            "operator 0 (STABLEHLO_SORT): the HAL does not sort 2 inputs by "
            "one of them; the extension nnhal.tflite takes it");
  EXPECT_EQ(halImportError(sortFile({line})), "imported");
  constexpr std::string_view unknown =
      "orders by subgraph 1, which is not whether an element of one input is "
      "less or greater than another";
  EXPECT_EQ(errorOf(sortFile({line}, {.direction = ComparisonDirection::LE})),
            unknown);
  EXPECT_EQ(errorOf(sortFile({line}, {.code = Code::EQUAL})), unknown);
  EXPECT_EQ(errorOf(sortFile({line, line}, {.compared = {0, 2}})), unknown);
  EXPECT_EQ(errorOf(sortFile({line}, {.compared = {0}})), unknown);
  TFLiteWriter file;
  int32_t x = file.tensor({{5}}), y = file.tensor({{5}}),
          z = file.tensor({{5}});
  file.add(Code::STABLEHLO_SORT, {x}, {y, z}, schema::BuiltinOptions::NONE, 0,
           options2([](Builder &b) {
             return schema::CreateStablehloSortOptions(b, 0, true, 0);
           }));
  EXPECT_EQ(errorOf(file.finish({x}, {y, z})), "has 2 outputs, expected 1");
}

//===----------------------------------------------------------------------===//
// SCATTER
//===----------------------------------------------------------------------===//

struct ScatterForm {
  Longs box = {2, 3}, inserted = {0}, counted = {1, 0};
  int64_t vectorDimension = 2;
  int32_t subgraph = 1;
};

OperatorExtras scatterBy(const ScatterForm &form) {
  return options2([form](Builder &b) {
    return schema::CreateStablehloScatterOptionsDirect(
        b, false, &form.box, &form.inserted, &form.counted,
        form.vectorDimension, false, form.subgraph);
  });
}

/// A file whose subgraph 1 is \p body, or yields its second input.
std::vector<std::byte> scatterFile(const std::vector<TestInput> &inputs,
                                   const ScatterForm &form,
                                   std::optional<Code> body) {
  TFLiteWriter file;
  std::vector<int32_t> operands, fed;
  for (const TestInput &input : inputs) {
    std::vector<int64_t> places(input.values.begin(), input.values.end());
    operands.push_back(input.isConstant ? file.constant(input.spec, places)
                                        : file.tensor(input.spec));
    if (!input.isConstant)
      fed.push_back(operands.back());
  }
  int32_t result = file.tensor(inputs[0].spec);
  file.add(Code::STABLEHLO_SCATTER, operands, {result},
           schema::BuiltinOptions::NONE, 0, scatterBy(form));
  file.endSubgraph(fed, {result});
  TensorSpec scalar = {{}, inputs[0].spec.type};
  int32_t a = file.tensor(scalar), b = file.tensor(scalar);
  if (!body)
    return file.finish({a, b}, {b});
  int32_t combined = file.tensor(scalar);
  file.add(*body, {a, b}, {combined});
  return file.finish({a, b}, {combined});
}

const Longs places = {0, 2, 1, 0, 2, 1, 0, 1, 1, 0, 0, 9};

std::vector<TestInput> scatterInputs() {
  Numbers values(24);
  std::iota(values.begin(), values.end(), 1);
  return {{{{3, 4, 2}}, values},
          {{{2, 3, 2}, Type::INT64}, {places.begin(), places.end()}, true},
          {{{2, 3, 2, 2}}, Numbers(24, 2)}};
}

Numbers scattered(std::optional<Code> body) {
  std::vector<TestInput> inputs = scatterInputs();
  return resultsOf(scatterFile(inputs, {}, body),
                   {inputs[0].values, inputs[2].values})[0];
}

TEST(TFLiteStableHloBodiesTest, scatters) {
  EXPECT_EQ(scattered(Code::STABLEHLO_ADD),
            (Numbers{1,  2,  7,  8,  9,  10, 7,  8,  11, 12, 13, 14,
                     15, 16, 17, 18, 19, 20, 21, 22, 21, 22, 23, 24}));
  EXPECT_EQ(scattered(Code::STABLEHLO_MULTIPLY),
            (Numbers{1,  2,  12, 16, 20, 24, 7,  8,  18, 20, 22, 24,
                     26, 28, 30, 32, 34, 36, 38, 40, 21, 22, 23, 24}));
  EXPECT_EQ(scattered(Code::STABLEHLO_MAXIMUM),
            (Numbers{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                     13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}));
  const Numbers least = {1, 2, 2, 2, 2, 2, 7, 8, 2,  2,  2,  2,
                         2, 2, 2, 2, 2, 2, 2, 2, 21, 22, 23, 24};
  EXPECT_EQ(scattered(Code::STABLEHLO_MINIMUM), least);
  EXPECT_EQ(scattered(std::nullopt), least);
}

// Columns are replaced where each place is one number.
TEST(TFLiteStableHloBodiesTest, scattersOfColumns) {
  std::vector<TestInput> inputs = {
      {{{2, 3}}, {}}, {{{2}, Type::INT32}, {}}, {{{2, 2}}, {}}};
  ScatterForm form = {
      .box = {0}, .inserted = {1}, .counted = {1}, .vectorDimension = 1};
  EXPECT_EQ(resultsOf(scatterFile(inputs, form, std::nullopt),
                      {{1, 2, 3, 4, 5, 6}, {2, 0}, {10, 20, 30, 40}})[0],
            (Numbers{20, 2, 10, 40, 5, 30}));
  // One place without a list: the box is the whole of the updates.
  inputs = {{{{4}}, {}}, {{{1}, Type::INT32}, {}}, {{{2}}, {}}};
  form = {.box = {0}, .inserted = {}, .counted = {0}, .vectorDimension = 0};
  EXPECT_EQ(resultsOf(scatterFile(inputs, form, Code::STABLEHLO_ADD),
                      {{1, 2, 3, 4}, {3}, {10, 20}})[0],
            (Numbers{1, 2, 3, 14}));
}

TEST(TFLiteStableHloBodiesTest, scatterErrors) {
  auto error = [](const ScatterForm &form, std::optional<Code> body = {}) {
    return errorOf(scatterFile(scatterInputs(), form, body));
  };
  EXPECT_EQ(error({.subgraph = 5}), "updates by subgraph 5 of 2");
  EXPECT_EQ(error({}, Code::STABLEHLO_POWER),
            "updates by subgraph 1, which is neither its second input nor a "
            "sum, product, maximum, minimum, conjunction or disjunction of "
            "both");
  EXPECT_EQ(error({.vectorDimension = 4}),
            "index_vector_dim has the value 4, which is not in 0..3");
  EXPECT_EQ(error({.vectorDimension = -1}),
            "index_vector_dim has the value -1, which is not in 0..3");
  EXPECT_EQ(error({.counted = {0}}),
            "places have 2 numbers, but scatter_dims_to_operand_dims names 1 "
            "dimensions");
  EXPECT_EQ(error({.vectorDimension = 3}),
            "places have 1 numbers, but scatter_dims_to_operand_dims names 2 "
            "dimensions");
  EXPECT_EQ(error({.box = {3, 2}}), "update_window_dims does not ascend");
  EXPECT_EQ(error({.box = {3}}),
            "the updates are for places of shape 2x3x2, but the indices have "
            "2x3");
  EXPECT_EQ(error({.inserted = {0, 1}}),
            "update_window_dims names 2 dimensions, expected 1");
  EXPECT_EQ(error({.inserted = {3}}),
            "inserted_window_dims has the value 3, which is not in 0..2");
  std::vector<TestInput> inputs = scatterInputs();
  inputs[0].spec.shape = {};
  EXPECT_EQ(errorOf(scatterFile(inputs, {}, {})),
            "input 0 has shape scalar, expected rank 1 to 7");
  inputs = scatterInputs();
  inputs[0].spec.type = Type::FLOAT16;
  EXPECT_EQ(errorOf(scatterFile(inputs, {}, {})),
            "nnhal.tflite's STABLEHLO_SCATTER does not take input 0 of type "
            "FLOAT16");
  inputs = scatterInputs();
  inputs[2].spec.type = Type::INT32;
  EXPECT_EQ(errorOf(scatterFile(inputs, {}, {})),
            "the updates have type INT32, but input 0 has type FLOAT32");
  inputs = scatterInputs();
  inputs[1] = {{{2, 3, 2}}, {}};
  EXPECT_EQ(errorOf(scatterFile(inputs, {}, {})),
            "the indices have type FLOAT32, expected INT32 or INT64");
  EXPECT_EQ(halImportError(scatterFile(scatterInputs(), {}, {})),
            "operator 0 (STABLEHLO_SCATTER): the HAL has no such operation, "
            "and no composition is known; the extension nnhal.tflite takes "
            "it");
}

//===----------------------------------------------------------------------===//
// Operators of the extension
//===----------------------------------------------------------------------===//

TEST(TFLiteStableHloBodiesTest, elementByElement) {
  TensorSpec whole = {{4}, Type::INT32};
  TestInput a = {whole, {7, -7, 7, -7}}, b = {whole, {3, 3, -3, -3}};
  auto run = [](Code code, const std::vector<TestInput> &inputs,
                const TensorSpec &output) {
    std::vector<Numbers> given;
    for (const TestInput &input : inputs)
      given.push_back(input.values);
    return resultsOf(operatorFile(code, inputs, {output}), given)[0];
  };
  EXPECT_EQ(run(Code::STABLEHLO_REMAINDER, {a, b}, whole),
            (Numbers{1, -1, 1, -1}));
  EXPECT_EQ(run(Code::STABLEHLO_SHIFT_LEFT, {a, {whole, {0, 1, 2, 32}}}, whole),
            (Numbers{7, -14, 28, 0}));
  EXPECT_EQ(run(Code::STABLEHLO_CBRT, {reals({3}, {27, -8, 0})}, {{3}}),
            (Numbers{3, -2, 0}));
}

OperatorExtras reducingBy(schema::ReduceWindowFunction function) {
  return options2([function](Builder &b) {
    return schema::CreateReduceWindowOptions(b, function);
  });
}

/// The inputs of windows over 3x4 elements.
std::vector<TestInput> windowInputs(Numbers extents, Numbers strides,
                                    Numbers dilations) {
  Numbers values(12);
  std::iota(values.begin(), values.end(), 1);
  std::vector<TestInput> inputs = {{{{3, 4}}, values}, {{{}}, {100}}};
  for (Numbers *list : {&extents, &strides, &dilations})
    inputs.push_back(
        {{{int32_t(list->size())}, Type::INT64}, std::move(*list), true});
  return inputs;
}

TEST(TFLiteStableHloBodiesTest, windows) {
  using schema::ReduceWindowFunction;
  auto reduce = [](const std::vector<TestInput> &inputs,
                   std::vector<int32_t> shape, ReduceWindowFunction function) {
    return resultsOf(operatorFile(Code::REDUCE_WINDOW, inputs,
                                  {{std::move(shape)}}, {},
                                  reducingBy(function)),
                     {inputs[0].values, inputs[1].values})[0];
  };
  std::vector<TestInput> inputs = windowInputs({2, 2}, {1, 2}, {1, 1});
  EXPECT_EQ(reduce(inputs, {2, 2}, ReduceWindowFunction::ADD),
            (Numbers{114, 122, 130, 138}));
  EXPECT_EQ(reduce(inputs, {2, 2}, ReduceWindowFunction::MAXIMUM),
            (Numbers{100, 100, 100, 100}));
  // Shapes of results are inferred, whatever the file states.
  EXPECT_EQ(reduce(windowInputs({2, 2}, {1, 1}, {2, 3}), {7, 7},
                   ReduceWindowFunction::MINIMUM),
            (Numbers{1}));
}

/// The attributes of STABLEHLO_REDUCE_WINDOW, of which all but the first may be
/// absent.
struct HloWindow {
  Longs extents, strides = {}, padding = {}, dilations = {}, baseDilations = {};
};

/// The result of windows over a tensor of \p type and shape \p from.
Numbers reduceWindows(const HloWindow &window, std::vector<int32_t> from,
                      Numbers values, double first, Code body,
                      Type type = Type::FLOAT32) {
  OperatorExtras extras = options2([&](Builder &b) {
    auto list = [&](const Longs &longs) {
      return longs.empty() ? flatbuffers::Offset<flatbuffers::Vector<int64_t>>()
                           : b.CreateVector(longs);
    };
    auto extents = list(window.extents), strides = list(window.strides);
    auto base = list(window.baseDilations), other = list(window.dilations);
    auto padding = list(window.padding);
    return schema::CreateStablehloReduceWindowOptions(b, extents, strides, base,
                                                      other, padding, 1);
  });
  TestInput data = {{std::move(from), type}, values}, start = {{{}, type}, {}};
  return resultsOf(reducingFile(Code::STABLEHLO_REDUCE_WINDOW, {data, start},
                                {{}, type}, extras, body),
                   {values, {first}})[0];
}

// A window begins with any first value, and its elements may have gaps.
TEST(TFLiteStableHloBodiesTest, hloWindows) {
  const Numbers five = {1, 2, 3, 4, 5};
  EXPECT_EQ(reduceWindows({{2}}, {5}, five, 10, Code::STABLEHLO_ADD),
            (Numbers{13, 15, 17, 19}));
  EXPECT_EQ(reduceWindows({{2}, {3}}, {5}, five, 0, Code::ADD),
            (Numbers{3, 9}));
  EXPECT_EQ(
      reduceWindows({{2}, {}, {}, {3}}, {5}, five, 1, Code::STABLEHLO_MULTIPLY),
      (Numbers{4, 10}));
  // Elements that are added have the first value.
  EXPECT_EQ(
      reduceWindows({{2}, {2}, {1, 2}}, {5}, five, 2, Code::STABLEHLO_MULTIPLY),
      (Numbers{4, 12, 40, 8}));
  // A pool would add nothing for them.
  EXPECT_EQ(
      reduceWindows({{1, 2, 2, 1}, {1, 1, 2, 1}, {0, 0, 1, 0, 0, 1, 0, 0}},
                    {1, 3, 3, 1}, {-1, -2, -3, -4, -5, -6, -7, -8, -9}, 1,
                    Code::STABLEHLO_ADD),
      (Numbers{0, 1, -11, -6, -23, -12}));
  EXPECT_EQ(reduceWindows({{2}, {}, {}, {}, {2}}, {3}, {1, 2, 3}, 0,
                          Code::STABLEHLO_ADD),
            (Numbers{1, 2, 2, 3}));
  EXPECT_EQ(
      reduceWindows({{2}, {}, {-1, -2}}, {5}, five, 0, Code::STABLEHLO_ADD),
      Numbers{5});
}

TEST(TFLiteStableHloBodiesTest, hloWindowsOfOtherTypes) {
  Numbers values(12);
  std::iota(values.begin(), values.end(), -3);
  EXPECT_EQ(reduceWindows({{2, 1, 2}}, {2, 3, 2}, values, 1,
                          Code::STABLEHLO_MINIMUM, Type::INT32),
            (Numbers{-3, -1, 1}));
  EXPECT_EQ(reduceWindows({{1, 3, 1}}, {2, 3, 2}, values, -100,
                          Code::STABLEHLO_MAXIMUM, Type::INT64),
            (Numbers{1, 2, 7, 8}));
  EXPECT_EQ(reduceWindows({{2}}, {4}, {1, 1, 0, 0}, 1, Code::STABLEHLO_AND,
                          Type::BOOL),
            (Numbers{1, 0, 0}));
  EXPECT_EQ(reduceWindows({{2}}, {4}, {1, 1, 0, 0}, 0, Code::STABLEHLO_OR,
                          Type::BOOL),
            (Numbers{1, 1, 0}));
  // Channels of pictures, which pools of the HAL keep apart.
  EXPECT_EQ(reduceWindows({{1, 1, 2, 2}}, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}, 0,
                          Code::STABLEHLO_ADD),
            (Numbers{12, 16}));
}

// The file format's operators reduce as those of StableHLO do, but not beside a
// fused activation.
TEST(TFLiteStableHloBodiesTest, reducersHaveNoActivation) {
  auto error = [](schema::Activation activation) {
    TFLiteWriter file;
    int32_t input = file.tensor({{4}}), output = file.tensor({{}});
    file.add(Code::STABLEHLO_REDUCE, {input, file.floats({}, 0)}, {output},
             schema::BuiltinOptions::NONE, 0, reduceOver({0}));
    file.endSubgraph({input}, {output});
    int32_t a = file.tensor({{}}), b = file.tensor({{}}), c = file.tensor({{}});
    file.add(Code::ADD, {a, b}, {c},
             schema::CreateAddOptions(file.builder, activation));
    return errorOf(file.finish({a, b}, {c}));
  };
  EXPECT_EQ(error(schema::Activation::NONE), "imported");
  EXPECT_EQ(error(schema::Activation::RELU),
            "reduces by subgraph 1, which is not a sum, product, maximum, "
            "minimum, conjunction or disjunction of its inputs");
}

TEST(TFLiteStableHloBodiesTest, windowErrors) {
  using schema::ReduceWindowFunction;
  auto error = [](const std::vector<TestInput> &inputs,
                  ReduceWindowFunction function = ReduceWindowFunction::ADD) {
    return errorOf(operatorFile(Code::REDUCE_WINDOW, inputs, {{{2, 2}}}, {},
                                reducingBy(function)));
  };
  EXPECT_EQ(error(windowInputs({2, 2}, {1, 1}, {1, 1}),
                  ReduceWindowFunction::UNSUPPORTED),
            "reduce_function is 0, which is not in 1..6");
  EXPECT_EQ(
      error(windowInputs({2, 2}, {1, 1}, {1, 1}), ReduceWindowFunction(7)),
      "reduce_function is 7, which is not in 1..6");
  EXPECT_EQ(error(windowInputs({2, 2}, {1, 0}, {1, 1})),
            "input 3 has the value 0, which is below 1");
  EXPECT_EQ(error(windowInputs({2, 3}, {1, 1}, {1, 2})),
            "a window of 5 elements exceeds extent 4 of dimension 1");
  EXPECT_EQ(error(windowInputs({2, INT32_MAX}, {1, 1}, {1, INT32_MAX})),
            "a window of 4611686011984936963 elements exceeds extent 4 of "
            "dimension 1");
  EXPECT_EQ(error(windowInputs({2}, {1, 1}, {1, 1})),
            "input 2 has 1 values, expected 2");
  std::vector<TestInput> inputs = windowInputs({2, 2}, {1, 1}, {1, 1});
  inputs[4].isConstant = false;
  EXPECT_EQ(error(inputs), "input 4 must be a constant");
}

} // namespace
} // namespace nnhal::rt
