//===- TFLiteSignaturesTest.cpp - Named entries into a file ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

namespace nnhal::rt {
namespace {

/// Subgraph 0 takes the root of what subgraph 1 negates. Both are signatures,
/// and a third one refers to \p last.
std::vector<std::byte> twoEntries(uint32_t last = 1, uint32_t tensor = 0) {
  TFLiteWriter file;
  int32_t x = file.tensor({.shape = {-1, 2}, .name = "root_x:0"}),
          y = file.tensor({.shape = {-1, 2}, .name = "root_y:0"});
  file.add(Code::SQRT, {x}, {y});
  file.endSubgraph({x}, {y});
  int32_t a = file.tensor({.shape = {-1, 2}, .name = "negate_a:0"}),
          b = file.tensor({.shape = {-1, 2}, .name = "negate_b:0"});
  file.add(Code::NEG, {a}, {b});
  file.sign("root", 0, {{"x", uint32_t(x)}}, {{"y", uint32_t(y)}});
  file.sign("negate", 1, {{"a", uint32_t(a)}}, {{"b", uint32_t(b)}});
  file.sign("last", last, {{"a", tensor}}, {});
  return file.finish({a}, {b});
}

TFLiteImportOptions named(std::string name) {
  TFLiteImportOptions options;
  options.signature = std::move(name);
  return options;
}

TEST(TFLiteSignaturesTest, sayWhichSubgraphIsImported) {
  AnnotatedModel model = importBytes(twoEntries(), named("negate"));
  EXPECT_EQ(toText(model), "NEG(i1x2) -> o1x2\n");
  EXPECT_EQ(model.inputNames, std::vector<std::string>{"a"});
  EXPECT_EQ(model.outputNames, std::vector<std::string>{"b"});
  model = importBytes(twoEntries(), named("root"));
  EXPECT_EQ(toText(model), "SQRT(i1x2) -> o1x2\n");
  EXPECT_EQ(model.inputNames, std::vector<std::string>{"x"});
  EXPECT_EQ(model.outputNames, std::vector<std::string>{"y"});
}

TEST(TFLiteSignaturesTest, areNotAskedFor) {
  AnnotatedModel model = importBytes(twoEntries());
  EXPECT_EQ(toText(model), "SQRT(i1x2) -> o1x2\n");
  EXPECT_EQ(model.inputNames, std::vector<std::string>{"root_x:0"});
  EXPECT_EQ(model.outputNames, std::vector<std::string>{"root_y:0"});
}

TEST(TFLiteSignaturesTest, nameTheInputsOfShapes) {
  TFLiteImportOptions options = named("negate");
  options.inputShapes = {{"a", {5, 2}}};
  EXPECT_EQ(toText(importBytes(twoEntries(), options)), "NEG(i5x2) -> o5x2\n");
}

// The first subgraph may be called by another one, and that not by itself.
TEST(TFLiteSignaturesTest, callTheFirstSubgraph) {
  auto write = [](int32_t called) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
    file.add(Code::NEG, {x}, {y});
    file.endSubgraph({x}, {y});
    int32_t condition = file.tensor({{1}, Type::BOOL});
    x = file.tensor({{2}});
    y = file.tensor({{2}});
    file.add(Code::IF, {condition, x}, {y},
             schema::CreateIfOptions(file.builder, called, called));
    file.sign("choose", 1, {}, {});
    return file.finish({condition, x}, {y});
  };
  AnnotatedModel model = importBytes(write(0), named("choose"));
  EXPECT_EQ(toText(model), "IF(i1, t, t, i2) -> o2\n");
  EXPECT_EQ(model.model.referenced.at(0).operations.at(0).type,
            OperationType::NEG);
  EXPECT_EQ(importError(write(1), named("choose")),
            "operator 0 (IF): subgraph 1 calls itself");
}

// States belong to the subgraph that is imported.
TEST(TFLiteSignaturesTest, haveStates) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
  file.add(Code::NEG, {x}, {y});
  file.endSubgraph({x}, {y});
  int32_t input = file.tensor({{1, 1}}),
          state = file.tensor({.shape = {1, 1}, .isVariable = true}),
          output = file.tensor({{1, 1}});
  file.add(Code::SVDF,
           {input, file.floats({1, 1}), file.floats({1, 1}), -1, state},
           {output}, schema::CreateSVDFOptions(file.builder, 1));
  file.sign("step", 1, {}, {});
  AnnotatedModel model =
      importBytes(file.finish({input}, {output}), named("step"));
  EXPECT_EQ(model.statePairs.size(), 1u);
}

TEST(TFLiteSignaturesTest, errors) {
  EXPECT_EQ(importError(twoEntries(), named("decode")),
            "the file has no signature 'decode', only 'root', 'negate', "
            "'last'");
  EXPECT_EQ(importError(writeFloor(), named("decode")),
            "the file has no signature 'decode', and no other");
  EXPECT_EQ(importError(twoEntries(2), named("last")),
            "signature 'last' refers to subgraph 2 of 2");
  EXPECT_EQ(importError(twoEntries(1, 7), named("last")),
            "the signature refers to tensor 7 of 2");
}

} // namespace
} // namespace nnhal::rt
