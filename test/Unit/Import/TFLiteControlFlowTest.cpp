//===- TFLiteControlFlowTest.cpp - CALL, IF and WHILE ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTesting.h"

#include <functional>

using namespace nnhal;
using namespace nnhal::rt;

namespace {

/// Writes the operators of a called subgraph and ends it.
using Body = std::function<void(TFLiteWriter &)>;

/// y = code(x, value), both of \p shape.
Body binary(Code code, float value, std::vector<int32_t> shape = {2}) {
  return [=](TFLiteWriter &file) {
    int32_t x = file.tensor({shape}), y = file.tensor({shape});
    file.add(code, {x, file.floats({1}, value)}, {y});
    file.endSubgraph({x}, {y});
  };
}

/// The called subgraphs follow the main one; the last has ended already.
std::vector<std::byte> finish(TFLiteWriter &file,
                              const std::vector<Body> &bodies) {
  for (const Body &body : bodies)
    body(file);
  return file.finish({}, {});
}

void addCall(TFLiteWriter &file, std::vector<int32_t> inputs,
             std::vector<int32_t> outputs, uint32_t subgraph) {
  file.add(Code::CALL, std::move(inputs), std::move(outputs),
           schema::CreateCallOptions(file.builder, subgraph));
}

void addIf(TFLiteWriter &file, std::vector<int32_t> inputs,
           std::vector<int32_t> outputs, int32_t then = 1, int32_t other = 2) {
  file.add(Code::IF, std::move(inputs), std::move(outputs),
           schema::CreateIfOptions(file.builder, then, other));
}

void addWhile(TFLiteWriter &file, std::vector<int32_t> inputs,
              std::vector<int32_t> outputs, int32_t condition = 1,
              int32_t body = 2) {
  file.add(Code::WHILE, std::move(inputs), std::move(outputs),
           schema::CreateWhileOptions(file.builder, condition, body));
}

//===----------------------------------------------------------------------===//
// CALL
//===----------------------------------------------------------------------===//

TEST(TFLiteControlFlowTest, callsAreInlined) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), y = file.tensor({{2}}),
          z = file.tensor({{2}});
  addCall(file, {x}, {y}, 1);
  addCall(file, {y}, {z}, 1);
  file.endSubgraph({x}, {z});
  std::vector<std::byte> bytes = finish(file, {binary(Code::MUL, 3)});
  EXPECT_EQ(operationsOf(bytes), (std::vector<std::string>{"MUL", "MUL"}));
  EXPECT_EQ(runFile(bytes, {{1, -2}}), (std::vector<Numbers>{{9, -18}}));
}

TEST(TFLiteControlFlowTest, constantsGoThroughCalls) {
  TFLiteWriter file;
  int32_t x = file.tensor({{2, 2}}), shape = file.tensor({{1}, Type::INT32}),
          y = file.tensor({{4}});
  addCall(file, {file.integers({4})}, {shape}, 1);
  file.add(Code::RESHAPE, {x, shape}, {y});
  file.endSubgraph({x}, {y});
  std::vector<std::byte> bytes = finish(file, {[](TFLiteWriter &called) {
                                          int32_t given =
                                              called.tensor({{1}, Type::INT32});
                                          called.endSubgraph({given}, {given});
                                        }});
  EXPECT_EQ(toText(importBytes(bytes)), "RESHAPE(i2x2, {4}) -> o4\n");
}

//===----------------------------------------------------------------------===//
// IF
//===----------------------------------------------------------------------===//

std::vector<std::byte> branches(const Body &then, const Body &other) {
  TFLiteWriter file;
  int32_t condition = file.tensor({{}, Type::BOOL}), x = file.tensor({{2}}),
          y = file.tensor({{2}});
  addIf(file, {condition, x}, {y});
  file.endSubgraph({condition, x}, {y});
  return finish(file, {then, other});
}

TEST(TFLiteControlFlowTest, branchesBecomeSubgraphs) {
  std::vector<std::byte> bytes =
      branches(binary(Code::ADD, 1), binary(Code::MUL, 10));
  EXPECT_EQ(importBytes(bytes).model.referenced.size(), 2u);
  EXPECT_EQ(runFile(bytes, {{1}, {1, 2}}), (std::vector<Numbers>{{2, 3}}));
  EXPECT_EQ(runFile(bytes, {{0}, {1, 2}}), (std::vector<Numbers>{{10, 20}}));
}

TEST(TFLiteControlFlowTest, branchesMayYieldWhatTheyAreGivenAndConstants) {
  std::vector<std::byte> bytes = branches(
      [](TFLiteWriter &file) {
        int32_t x = file.tensor({{2}});
        file.endSubgraph({x}, {x});
      },
      [](TFLiteWriter &file) {
        int32_t x = file.tensor({{2}});
        file.endSubgraph({x}, {file.floats({2}, 7)});
      });
  EXPECT_EQ(runFile(bytes, {{1}, {1, 2}}), (std::vector<Numbers>{{1, 2}}));
  EXPECT_EQ(runFile(bytes, {{0}, {1, 2}}), (std::vector<Numbers>{{7, 7}}));
}

TEST(TFLiteControlFlowTest, constantsStayConstantsInBranches) {
  TFLiteWriter file;
  int32_t condition = file.tensor({{}, Type::BOOL}), x = file.tensor({{2, 2}}),
          y = file.tensor({{4}});
  addIf(file, {condition, x, file.integers({4})}, {y});
  file.endSubgraph({condition, x}, {y});
  auto reshape = [](TFLiteWriter &branch) {
    int32_t from = branch.tensor({{2, 2}}),
            shape = branch.tensor({{1}, Type::INT32}),
            to = branch.tensor({{4}});
    branch.add(Code::RESHAPE, {from, shape}, {to});
    branch.endSubgraph({from, shape}, {to});
  };
  std::vector<std::byte> bytes = finish(file, {reshape, reshape});
  EXPECT_EQ(importBytes(bytes).model.main.operations[0].inputs.size(), 4u);
  EXPECT_EQ(runFile(bytes, {{1}, {1, 2, 3, 4}}),
            (std::vector<Numbers>{{1, 2, 3, 4}}));
}

TEST(TFLiteControlFlowTest, branchesNest) {
  std::vector<std::byte> bytes = branches(
      [](TFLiteWriter &file) {
        int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
        addCall(file, {x}, {y}, 3);
        file.endSubgraph({x}, {y});
      },
      [](TFLiteWriter &file) {
        int32_t x = file.tensor({{2}}), y = file.tensor({{2}}),
                yes = file.constant<uint8_t>({{1}, Type::BOOL}, {1});
        addIf(file, {yes, x}, {y}, 3, 3);
        file.endSubgraph({x}, {y});
        binary(Code::SUB, 5)(file);
      });
  for (double condition : {0, 1})
    EXPECT_EQ(runFile(bytes, {{condition}, {1, 2}}),
              (std::vector<Numbers>{{-4, -3}}));
}

//===----------------------------------------------------------------------===//
// WHILE
//===----------------------------------------------------------------------===//

/// Doubles x until a counter reaches the constant 5; the limit and the factor
/// are values of the loop that stay.
TEST(TFLiteControlFlowTest, loops) {
  TFLiteWriter file;
  const TensorSpec count = {{1}, Type::INT32};
  int32_t x = file.tensor({{2}}), y = file.tensor({{2}}),
          start = file.integers({0}), limit = file.integers({5}),
          factor = file.floats({1}, 2), end = file.tensor(count),
          sameLimit = file.tensor(count), sameFactor = file.tensor({{1}});
  addWhile(file, {start, limit, x, factor}, {end, sameLimit, y, sameFactor});
  file.endSubgraph({x}, {y, end, sameLimit});
  std::vector<std::byte> bytes = finish(
      file, {[&](TFLiteWriter &condition) {
               int32_t i = condition.tensor(count), n = condition.tensor(count),
                       v = condition.tensor({{2}}), f = condition.tensor({{1}}),
                       less = condition.tensor({{1}, Type::BOOL});
               condition.add(Code::LESS, {i, n}, {less});
               condition.endSubgraph({i, n, v, f}, {less});
             },
             [&](TFLiteWriter &body) {
               int32_t i = body.tensor(count), n = body.tensor(count),
                       v = body.tensor({{2}}), f = body.tensor({{1}}),
                       next = body.tensor(count), product = body.tensor({{2}});
               body.add(Code::ADD, {i, body.integers({1})}, {next});
               body.add(Code::MUL, {v, f}, {product});
               body.endSubgraph({i, n, v, f}, {next, n, product, f});
             }});
  EXPECT_EQ(runFile(bytes, {{1, 3}}),
            (std::vector<Numbers>{{32, 96}, {5}, {5}}));
  // Two subgraphs, the counter and x.
  EXPECT_EQ(importBytes(bytes).model.main.operations[0].inputs.size(), 4u);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(TFLiteControlFlowTest, errorsOfCalls) {
  auto error = [](uint32_t subgraph, const std::vector<Body> &bodies) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
    addCall(file, {x}, {y}, subgraph);
    file.endSubgraph({x}, {y});
    return importError(finish(file, bodies));
  };
  EXPECT_EQ(error(7, {}), "operator 0 (CALL): calls subgraph 7 of 2");
  EXPECT_EQ(error(0, {}), "operator 0 (CALL): subgraph 0 calls itself");
  EXPECT_EQ(
      error(1, {[](TFLiteWriter &file) {
              int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
              addCall(file, {x}, {y}, 1);
              file.endSubgraph({x}, {y});
            }}),
      "operator 0 (CALL): subgraph 1: operator 0 (CALL): subgraph 1 calls "
      "itself");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) { file.endSubgraph({}, {}); }}),
            "operator 0 (CALL): subgraph 1: takes 0 inputs, but 1 are given");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) {
                    file.endSubgraph({file.tensor({{2}})}, {});
                  }}),
            "operator 0 (CALL): has 1 outputs, but its subgraph has 0");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) { file.endSubgraph({3}, {}); }}),
            "operator 0 (CALL): subgraph 1: an input refers to tensor 3 of 0");
  EXPECT_EQ(
      error(1, {[](TFLiteWriter &file) { file.endSubgraph({}, {-1}); }}),
      "operator 0 (CALL): subgraph 1: an output refers to tensor -1 of 0");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) {
                    int32_t x = file.tensor({{2}, Type::INT32});
                    file.endSubgraph({x}, {x});
                  }}),
            "operator 0 (CALL): subgraph 1: tensor 0 't0' has another type, "
            "scale or zero point than its argument");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) {
                    int32_t x = file.tensor({{2}});
                    file.endSubgraph({x}, {file.integers({1})});
                  }}),
            "operator 0 (CALL): tensor 1 't1' has another type, scale or zero "
            "point than its value, tensor 1 't1'");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) {
                    int32_t x = file.tensor({{2}}),
                            handle = file.tensor({{}, Type::RESOURCE});
                    file.add(Code::VAR_HANDLE, {}, {handle});
                    file.add(Code::ASSIGN_VARIABLE, {handle, x}, {});
                    file.endSubgraph({x}, {x});
                  }}),
            "operator 0 (CALL): subgraph 1: operator 1 (ASSIGN_VARIABLE): "
            "variables are imported in the main subgraph only");
  EXPECT_EQ(error(1, {[](TFLiteWriter &file) {
                    int32_t x = file.tensor({{2}}), y = file.tensor({{}}),
                            row = file.tensor({{1, 2}}),
                            state = file.tensor(
                                {.shape = {1, 4}, .isVariable = true});
                    file.add(Code::EXPAND_DIMS, {x, file.integers({0})}, {row});
                    file.add(Code::RNN,
                             {row, file.floats({4, 2}), file.floats({4, 4}),
                              file.floats({4}), state},
                             {y},
                             schema::CreateRNNOptions(
                                 file.builder, schema::Activation::TANH));
                    file.endSubgraph({x}, {y});
                  }}),
            "operator 0 (CALL): subgraph 1: operator 1 (RNN): tensor 3 't3' is "
            "a state, which only the main subgraph can have");
}

TEST(TFLiteControlFlowTest, callsAreBounded) {
  // Subgraphs of which each calls the next one so often.
  auto error = [](int depth, int times) {
    TFLiteWriter file;
    for (int i = 0; i < depth; ++i) {
      int32_t x = file.tensor({{2}}), from = x;
      for (int j = 0; j < times; ++j) {
        int32_t to = file.tensor({{2}});
        addCall(file, {from}, {to}, uint32_t(i) + 1);
        from = to;
      }
      file.endSubgraph({x}, {from});
    }
    std::string message = importError(finish(file, {binary(Code::ADD, 1)}));
    return message.substr(message.rfind(": ") + 2);
  };
  EXPECT_EQ(error(12, 2), "subgraphs are called more than 1000 times");
  EXPECT_EQ(error(40, 1), "subgraphs are nested more than 32 deep");
}

TEST(TFLiteControlFlowTest, errorsOfBranches) {
  EXPECT_EQ(importError(branches(binary(Code::ADD, 1),
                                 [](TFLiteWriter &file) {
                                   int32_t x = file.tensor({{2}});
                                   file.endSubgraph({x}, {file.floats({3})});
                                 })),
            "operator 0 (IF): output 0 has shape 2 from one branch and 3 from "
            "the other");
  TFLiteWriter file;
  int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
  addIf(file, {x, x}, {y});
  EXPECT_EQ(importError(file.finish({x}, {y})),
            "operator 0 (IF): the condition, tensor 0 't0', has type FLOAT32, "
            "expected BOOL");
  TFLiteWriter stateful;
  int32_t condition = stateful.tensor({{}, Type::BOOL}),
          state = stateful.tensor({.shape = {2}, .isVariable = true}),
          z = stateful.tensor({{2}});
  addIf(stateful, {condition, state}, {z});
  EXPECT_EQ(importError(stateful.finish({condition}, {z})),
            "operator 0 (IF): input 1, tensor 1 't1', is a variable");
}

TEST(TFLiteControlFlowTest, errorsOfLoops) {
  auto error = [](const Body &condition, const Body &body) {
    TFLiteWriter file;
    int32_t x = file.tensor({{2}}), y = file.tensor({{2}});
    addWhile(file, {x}, {y});
    file.endSubgraph({x}, {y});
    return importError(finish(file, {condition, body}));
  };
  auto yields = [](const TensorSpec &spec, int times) {
    return [=](TFLiteWriter &file) {
      int32_t x = file.tensor({{2}});
      std::vector<int32_t> outputs;
      for (int i = 0; i < times; ++i)
        outputs.push_back(file.constant<uint8_t>(spec, {1}));
      file.endSubgraph({x}, outputs);
    };
  };
  const TensorSpec boolean = {{1}, Type::BOOL};
  EXPECT_EQ(error(yields(boolean, 2), binary(Code::ADD, 1)),
            "operator 0 (WHILE): the condition has 2 outputs, expected 1");
  EXPECT_EQ(error(binary(Code::ADD, 1), binary(Code::ADD, 1)),
            "operator 0 (WHILE): the condition, tensor 1 't1', has type "
            "FLOAT32, expected BOOL");
  EXPECT_EQ(error(yields(boolean, 1),
                  [](TFLiteWriter &file) {
                    int32_t x = file.tensor({{2}});
                    file.endSubgraph({x}, {file.floats({3})});
                  }),
            "operator 0 (WHILE): value 0 has shape 2 before and 3 after an "
            "iteration");
}

} // namespace
