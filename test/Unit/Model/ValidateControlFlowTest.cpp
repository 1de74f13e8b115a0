//===- ValidateControlFlowTest.cpp - Rules of IF and WHILE ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestModels.h"

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {

constexpr OperandType floats = OperandType::TENSOR_FLOAT32;
constexpr OperandType bools = OperandType::TENSOR_BOOL8;

Operand reference(uint32_t subgraph) {
  Operand result =
      operand(OperandType::SUBGRAPH, {}, OperandLifeTime::SUBGRAPH);
  result.location.offset = subgraph;
  return result;
}

/// \p type of one input and one output of \p outputType.
Subgraph unary(OperationType type, OperandType outputType,
               std::vector<uint32_t> dimensions) {
  Subgraph result;
  result.operands = {input(floats, {2}),
                     output(outputType, std::move(dimensions))};
  result.operations = {{type, {0}, {1}}};
  result.inputIndexes = {0};
  result.outputIndexes = {1};
  computeConsumers(result);
  return result;
}

/// out4 = if in0 then ABS(in3) else NEG(in3).
Model ifModel() {
  Model model;
  model.main.operands = {input(bools, {1}), reference(0), reference(1),
                         input(floats, {2}), output(floats, {2})};
  model.main.operations = {{OperationType::IF, {0, 1, 2, 3}, {4}}};
  model.main.inputIndexes = {0, 3};
  model.main.outputIndexes = {4};
  computeConsumers(model.main);
  model.referenced = {unary(OperationType::ABS, floats, {2}),
                      unary(OperationType::NEG, floats, {2})};
  return model;
}

/// out3 = in2, while LOGICAL_NOT(...) do ABS.
Model whileModel() {
  Model model;
  model.main.operands = {reference(0), reference(1), input(floats, {2}),
                         output(floats, {2})};
  model.main.operations = {{OperationType::WHILE, {0, 1, 2}, {3}}};
  model.main.inputIndexes = {2};
  model.main.outputIndexes = {3};
  computeConsumers(model.main);
  model.referenced = {unary(OperationType::LOGICAL_NOT, bools, {1}),
                      unary(OperationType::ABS, floats, {2})};
  return model;
}

template <typename Mutate> auto counted(Mutate mutate) {
  return [=](Model &model) {
    mutate(model);
    computeConsumers(model.main);
  };
}

/// Adds an unread input of \p type to \p subgraph.
void addInput(Subgraph &subgraph, OperandType type = floats) {
  subgraph.inputIndexes.push_back(subgraph.operands.size());
  subgraph.operands.push_back(input(type, {2}));
}

/// Adds an output, written by one more ABS of operand 0.
void addOutput(Subgraph &subgraph) {
  uint32_t index = subgraph.operands.size();
  subgraph.operands.push_back(output(floats, {2}));
  subgraph.operations.push_back({OperationType::ABS, {0}, {index}});
  subgraph.outputIndexes.push_back(index);
  computeConsumers(subgraph);
}

TEST(ValidateControlFlowTest, needsVersion) { // B-073
  Model model = ifModel();
  EXPECT_EQ(validateStructure(model, HalVersion::V1_2).message(),
            "2 referenced subgraphs need HAL 1.3, the model is validated as "
            "1.2");
  model.referenced.clear();
  EXPECT_EQ(validateStructure(model, HalVersion::V1_2).message(),
            "main: operand 1: type SUBGRAPH needs HAL 1.3, the model is "
            "validated as 1.2");
}

TEST(ValidateControlFlowTest, counts) { // B-061, B-065
  expectInvalid(
      ifModel(),
      "main: operation 0 (IF): the operation needs at least 3 "
      "inputs, found 2",
      counted([](Model &m) { m.main.operations[0].inputs = {0, 1}; }));
  expectInvalid(
      whileModel(),
      "main: operation 0 (WHILE): the operation needs at least 3 "
      "inputs, found 2",
      counted([](Model &m) { m.main.operations[0].inputs = {0, 1}; }));
}

TEST(ValidateControlFlowTest, condition) { // B-062
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 0 must have dimensions [1], "
                "found [2]",
                [](Model &m) { m.main.operands[0].dimensions = {2}; });
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 0 must have dimensions [1], "
                "found []",
                [](Model &m) { m.main.operands[0].dimensions = {}; });
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 0 of type TENSOR_FLOAT32 must "
                "be a TENSOR_BOOL8",
                [](Model &m) { m.main.operands[0].type = floats; });
}

TEST(ValidateControlFlowTest, branchesAreSubgraphs) { // B-063, M-238
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 2 of type TENSOR_FLOAT32 must "
                "be a SUBGRAPH",
                counted([](Model &m) { m.main.operations[0].inputs[2] = 3; }));
  expectInvalid(ifModel(),
                "main: operation 0 (IF): the else subgraph has 2 inputs, must "
                "have 1",
                [](Model &m) { addInput(m.referenced[1]); });
  expectInvalid(ifModel(),
                "main: operation 0 (IF): the then subgraph has 2 outputs, must "
                "have 1",
                [](Model &m) { addOutput(m.referenced[0]); });
}

TEST(ValidateControlFlowTest, branchOperandsAreCompatible) {
  // B-064, B-069, and M-260: unknown extents are legal.
  auto setInner = [](auto set) {
    return [=](Model &m) { set(m.referenced[0].operands[0]); };
  };
  std::string prefix = "main: operation 0 (IF): input 3 and input 0 of the "
                       "then subgraph differ in ";
  expectInvalid(
      ifModel(), prefix + "type TENSOR_FLOAT32 and TENSOR_INT32",
      setInner([](Operand &o) { o.type = OperandType::TENSOR_INT32; }));
  expectInvalid(ifModel(), prefix + "dimensions [2] and [3]",
                setInner([](Operand &o) { o.dimensions = {3}; }));
  expectInvalid(ifModel(), prefix + "dimensions [2] and [0, 2]",
                setInner([](Operand &o) { o.dimensions = {0, 2}; }));
  expectValid(ifModel(), setInner([](Operand &o) { o.dimensions = {0}; }));
  expectValid(ifModel(), setInner([](Operand &o) { o.dimensions = {}; }));
  expectInvalid(ifModel(),
                "main: operation 0 (IF): output 0 and output 0 of the else "
                "subgraph differ in dimensions [2] and [5]",
                [](Model &m) { m.referenced[1].operands[1].dimensions = {5}; });
}

TEST(ValidateControlFlowTest, quantizationIsCompatible) { // B-069
  auto quantized = [](float outer, float inner, int32_t outerZero,
                      int32_t innerZero) {
    return [=](Model &m) {
      Operand &out = m.main.operands[3], &in = m.referenced[0].operands[0];
      for (Subgraph *branch : {&m.referenced[0], &m.referenced[1]}) {
        branch->operands[0].type = OperandType::TENSOR_QUANT8_ASYMM;
        branch->operands[0].scale = outer;
      }
      out.type = OperandType::TENSOR_QUANT8_ASYMM;
      out.scale = outer;
      in.scale = inner;
      out.zeroPoint = outerZero;
      in.zeroPoint = innerZero;
      m.referenced[1].operands[0].zeroPoint = outerZero;
    };
  };
  std::string prefix = "main: operation 0 (IF): input 3 and input 0 of the "
                       "then subgraph differ in ";
  expectValid(ifModel(), quantized(0.5f, 0.5f, 3, 3));
  expectInvalid(ifModel(), prefix + "scale 0.5 and 0.25",
                quantized(0.5f, 0.25f, 3, 3));
  expectInvalid(ifModel(), prefix + "zero point 3 and 4",
                quantized(0.5f, 0.5f, 3, 4));
  expectInvalid(ifModel(), prefix + "extra parameters", [](Model &m) {
    for (Operand *o : {&m.main.operands[3], &m.referenced[0].operands[0]}) {
      o->type = OperandType::TENSOR_QUANT8_SYMM_PER_CHANNEL;
      o->extraParams = SymmPerChannelQuantParams{{1.0f, 2.0f}, 0};
    }
    m.referenced[0].operands[0].extraParams =
        SymmPerChannelQuantParams{{1.0f, 3.0f}, 0};
  });
}

TEST(ValidateControlFlowTest, whileCondition) { // B-066
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the condition subgraph has 2 "
                "inputs, must have 1",
                [](Model &m) { addInput(m.referenced[0]); });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the condition subgraph has 2 "
                "outputs, must have 1",
                [](Model &m) { addOutput(m.referenced[0]); });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the output of the condition "
                "subgraph must have dimensions [1], found [2]",
                [](Model &m) { m.referenced[0].operands[1].dimensions = {2}; });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the output of the condition "
                "subgraph of type TENSOR_FLOAT32 must be a TENSOR_BOOL8",
                [](Model &m) { m.referenced[0].operands[1].type = floats; });
}

TEST(ValidateControlFlowTest, whileBody) { // B-067, B-068, M-240
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the body subgraph has 2 outputs, "
                "must have at most 1",
                [](Model &m) { addOutput(m.referenced[1]); });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): the body subgraph has 1 outputs, "
                "must have at least 2",
                [](Model &m) {
                  m.main.operations[0].outputs.push_back(4);
                  m.main.operands.push_back(temporary(floats, {2}));
                });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): input 2 and output 0 of the body "
                "subgraph differ in dimensions [2] and [3]",
                [](Model &m) { m.referenced[1].operands[1].dimensions = {3}; });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): output 0 and output 0 of the body "
                "subgraph differ in dimensions [3] and [2]",
                [](Model &m) { m.main.operands[3].dimensions = {3}; });
  // A loop state that is no output, and an input that stays as it is.
  expectValid(whileModel(), counted([](Model &m) {
                addInput(m.main);
                addInput(m.main);
                m.main.operations[0].inputs = {0, 1, 2, 4, 5};
                addInput(m.referenced[0]);
                addInput(m.referenced[0]);
                addInput(m.referenced[1]);
                addInput(m.referenced[1]);
                addOutput(m.referenced[1]);
              }));
}

TEST(ValidateControlFlowTest, everySubgraphIsChecked) { // B-057, B-060
  expectInvalid(ifModel(), "referenced[1]: there are no operations",
                [](Model &m) { m.referenced[1].operations.clear(); });
  expectInvalid(ifModel(), "referenced[2]: there are no operands",
                [](Model &m) { m.referenced.emplace_back(); });
}

TEST(ValidateControlFlowTest, sharedSubgraph) { // B-059
  expectValid(ifModel(),
              [](Model &m) { m.main.operands[2].location.offset = 0; });
}

/// The operand that a model leaves without a value.
void omit(Model &model, uint32_t index) {
  model.main.operands[index].lifetime = OperandLifeTime::NO_VALUE;
  std::erase(model.main.inputIndexes, index);
}

// C-032: no device could prepare what a graph cannot do without.
TEST(ValidateControlFlowTest, omittedArguments) {
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 3 is omitted, and the then "
                "subgraph needs it",
                [](Model &m) { omit(m, 3); });
  expectInvalid(ifModel(),
                "main: operation 0 (IF): input 3 is omitted, and the else "
                "subgraph needs it",
                [](Model &m) {
                  omit(m, 3);
                  addInput(m.referenced[0]);
                  m.referenced[0].operations[0].inputs[0] = 2;
                  // Only the operation of the first branch has another input.
                  m.main.operands.push_back(input(floats, {2}));
                  m.main.inputIndexes.push_back(5);
                  m.main.operations[0].inputs.push_back(5);
                  addInput(m.referenced[1]);
                  computeConsumers(m.main);
                  computeConsumers(m.referenced[0]);
                });
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): input 2 is omitted, and the body "
                "subgraph yields it",
                [](Model &m) { omit(m, 2); });
  auto passOnAlone = [](Model &m) {
    // A second value, which the graphs pass on as it is.
    m.main.operands.push_back(operand(floats, {2}, OperandLifeTime::NO_VALUE));
    m.main.operations[0].inputs.push_back(4);
    addInput(m.referenced[0]);
    addInput(m.referenced[1]);
    computeConsumers(m.main);
  };
  expectValid(whileModel(), passOnAlone);
  expectInvalid(whileModel(),
                "main: operation 0 (WHILE): input 3 is omitted, and the "
                "condition subgraph needs it",
                [&](Model &m) {
                  passOnAlone(m);
                  m.referenced[0].operations[0].inputs[0] = 2;
                  computeConsumers(m.referenced[0]);
                });
}

/// out4 = if in0 then referenced[0](in3, none) else the same, which is a loop
/// with the omitted argument at \p position, whose graphs read the other one.
Model nestedLoop(size_t position) {
  Model model;
  model.main = ifModel().main;
  model.main.operands[2].location.offset = 0;
  model.main.operations[0].inputs.push_back(
      uint32_t(model.main.operands.size()));
  model.main.operands.push_back(
      operand(floats, {2}, OperandLifeTime::NO_VALUE));
  Subgraph loop = unary(OperationType::ABS, floats, {2});
  addInput(loop);
  loop.operands.insert(loop.operands.end(), {reference(1), reference(2)});
  std::vector<uint32_t> passed = {0, 2};
  if (position == 0)
    std::swap(passed[0], passed[1]);
  loop.operations[0] = {
      OperationType::WHILE, {3, 4, passed[0], passed[1]}, {1}};
  Subgraph condition = unary(OperationType::LOGICAL_NOT, bools, {1}),
           body = unary(OperationType::ABS, floats, {2});
  for (Subgraph *graph : {&condition, &body}) {
    addInput(*graph);
    graph->operations[0].inputs[0] = graph->inputIndexes[1 - position];
  }
  model.referenced = {std::move(loop), std::move(condition), std::move(body)};
  computeConsumers(model.main);
  for (Subgraph &graph : model.referenced)
    computeConsumers(graph);
  return model;
}

// A loop that ends at once has the value as its result with which it begins.
TEST(ValidateControlFlowTest, omittedValueOfANestedLoop) {
  EXPECT_EQ(validateStructure(nestedLoop(1)).message(), "");
  EXPECT_EQ(validateStructure(nestedLoop(0)).message(),
            "main: operation 0 (IF): input 4 is omitted, and the then subgraph "
            "needs it");
}

/// out4 = if in0 then referenced[0](arguments) else the same, where the model
/// omits the last \p omitted arguments. Besides, the graph has operations on
/// its first input, as many, and hands the others on to referenced[1].
Model omittingModel(uint32_t omitted) {
  Model model;
  model.main = ifModel().main;
  model.main.operands[2].location.offset = 0;
  Subgraph inner = unary(OperationType::ABS, floats, {2}), graph = inner;
  uint32_t missing = uint32_t(model.main.operands.size());
  model.main.operands.push_back(
      operand(floats, {2}, OperandLifeTime::NO_VALUE));
  for (uint32_t i = 0; i < omitted; ++i) {
    model.main.operations[0].inputs.push_back(missing);
    addInput(inner);
    addInput(graph);
  }
  for (uint32_t i = 0; i < omitted; ++i) {
    graph.operations.push_back(
        {OperationType::ABS, {0}, {uint32_t(graph.operands.size())}});
    graph.operands.push_back(temporary(floats, {2}));
  }
  auto condition = uint32_t(graph.operands.size());
  graph.operands.push_back(temporary(bools, {1}));
  graph.operands.push_back(reference(1));
  Operation nested = {OperationType::IF,
                      {condition, condition + 1, condition + 1},
                      {uint32_t(graph.operands.size())}};
  graph.operands.push_back(temporary(floats, {2}));
  nested.inputs.insert(nested.inputs.end(), graph.inputIndexes.begin(),
                       graph.inputIndexes.end());
  graph.operations.push_back({OperationType::LESS, {0, 0}, {condition}});
  graph.operations.push_back(std::move(nested));
  model.referenced = {std::move(graph), std::move(inner)};
  for (Subgraph *subgraph :
       {&model.main, &model.referenced[0], &model.referenced[1]})
    computeConsumers(*subgraph);
  return model;
}

// An argument that a graph passes on to another graph is needed if that graph
// needs it. Each operation is looked at once, and not once for each argument: a
// model that has many of both would take minutes.
TEST(ValidateControlFlowTest, manyOmittedArguments) {
  expectValid(omittingModel(2), [](Model &) {});
  expectInvalid(omittingModel(2),
                "main: operation 0 (IF): input 5 is omitted, and the then "
                "subgraph needs it",
                [](Model &m) {
                  Subgraph &inner = m.referenced[1];
                  inner.operations[0].inputs[0] = inner.inputIndexes[2];
                  computeConsumers(inner);
                });
  EXPECT_EQ(validateStructure(omittingModel(100000)).message(), "");
}

/// One reference per subgraph, from \p i to \p next(i).
template <typename Next> Model chain(uint32_t length, Next next) {
  Model model = addTwice();
  Model plain = addTwice();
  for (uint32_t index = 0; index < length; ++index) {
    Subgraph subgraph = plain.main;
    if (std::optional<uint32_t> target = next(index))
      subgraph.operands.push_back(reference(*target));
    model.referenced.push_back(std::move(subgraph));
  }
  return model;
}

TEST(ValidateControlFlowTest, referenceCycles) { // B-058
  EXPECT_EQ(validateStructure(
                chain(1, [](uint32_t) { return std::optional<uint32_t>(0); }))
                .message(),
            "referenced[0]: the reference to referenced[0] closes a cycle");
  EXPECT_EQ(validateStructure(chain(3,
                                    [](uint32_t index) {
                                      return std::optional<uint32_t>(
                                          (index + 1) % 3);
                                    }))
                .message(),
            "referenced[2]: the reference to referenced[0] closes a cycle");
}

TEST(ValidateControlFlowTest, longChain) { // B-010
  constexpr uint32_t length = 100000;
  auto next = [](uint32_t index) {
    return index + 1 < length ? std::optional(index + 1) : std::nullopt;
  };
  EXPECT_EQ(validateStructure(chain(length, next)).message(), "");
}

} // namespace
