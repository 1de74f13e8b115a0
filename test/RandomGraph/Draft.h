//===- Draft.h - A graph that grows by one operation ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_RANDOMGRAPH_DRAFT_H
#define NNHAL_TEST_RANDOMGRAPH_DRAFT_H

#include "Tools/Verify/Interpreter.h"

#include <optional>

namespace nnhal::randomgraph {

using namespace verify;

/// How a graph is made, drawn once per graph. Chances are in percent.
struct Profile {
  unsigned operationCount = 1;
  /// Types that first operands may have; empty: any.
  std::vector<rt::OperandType> types;
  /// An axis, a padding, a weight: a model input instead of a constant.
  unsigned parameterInputs = 0;
  /// An existing value is used where one fits.
  unsigned reuse = 70;
  /// What may be omitted is.
  unsigned omissions = 40;
  /// A tensor without elements is made on purpose.
  unsigned emptyTensors = 0;
  /// IF or WHILE instead of another operation.
  unsigned controlFlow = 0;
  /// All intermediate values are outputs.
  bool exposesAll = false;
  /// Extents of model inputs are unknown.
  bool isDynamic = false;
};

/// One graph under construction: its operands with the values that they have
/// for the inputs that were drawn with it.
struct Scope {
  rt::Subgraph subgraph;
  /// One per operand.
  Tensors values;
  /// With what else an input can be filled for a second execution; absent for
  /// parameters. One per operand.
  std::vector<std::optional<Values>> refills;
  /// Only the main graph can take further inputs.
  bool isMain = true;
};

/// Scale and zero point.
struct Quantization {
  float scale = 0.0f;
  int32_t zeroPoint = 0;
};

/// Draws one operation, its operands included, into a scope. Recipes are
/// written with it: what they ask for is found among the values of the graph
/// or made. Whether the result is legal is for the rules to say; whoever owns
/// the draft takes back what they reject.
///
/// What members return is an operand index unless stated otherwise.
class Draft {
public:
  Draft(rt::Model &model, Scope &scope, Random &random, const Profile &profile,
        rt::OperandType type)
      : random(random), type(type), model(model), scope(scope),
        profile(profile) {}

  Random &random;
  /// What the operation works on: one of the types of its recipe.
  const rt::OperandType type;

  /// An operand of a type and a number of dimensions, of any shape.
  uint32_t data(rt::OperandType of, unsigned lowRank, unsigned highRank,
                const Values &values = {});
  uint32_t data(unsigned lowRank, unsigned highRank,
                const Values &values = {}) {
    return data(type, lowRank, highRank, values);
  }
  /// An operand of exactly this shape.
  uint32_t tensor(rt::OperandType of, const Shape &shape,
                  const Values &values = {});
  /// The same, with a quantization that is prescribed.
  uint32_t tensor(rt::OperandType of, const Shape &shape, Quantization stated,
                  const Values &values = {});
  /// A tensor that no operation has computed: weights, constants in most
  /// cases.
  uint32_t weights(rt::OperandType of, const Shape &shape, Quantization stated,
                   const Values &values = {});
  /// Weights with a scale per channel.
  uint32_t channelWeights(const Shape &shape, uint32_t channelDim, float scale);
  /// A parameter of these elements.
  uint32_t list(rt::OperandType of, const Shape &shape,
                const std::vector<double> &elements);
  uint32_t ints(const std::vector<int64_t> &elements);
  uint32_t scalar(int64_t value);
  uint32_t boolean(bool value);
  /// FLOAT32, or FLOAT16 beside TENSOR_FLOAT16.
  uint32_t real(double value) { return real(value, type); }
  uint32_t real(double value, rt::OperandType like);
  /// An operand that has no value: NO_VALUE, or a model input that the request
  /// omits.
  uint32_t omitted(rt::OperandType of, const Shape &shape,
                   Quantization stated = {});
  /// A reference to a graph of the model.
  uint32_t subgraph(uint32_t index);
  /// Whether to omit what may be omitted.
  bool omits() { return random.chance(profile.omissions); }
  bool makesEmpty() { return random.chance(profile.emptyTensors); }

  const Shape &shape(uint32_t operand) const {
    return scope.values[operand].dimensions;
  }
  const TestTensor &value(uint32_t operand) const {
    return scope.values[operand];
  }
  float scale(uint32_t operand) const {
    return scope.subgraph.operands[operand].scale;
  }
  Quantization quantization(uint32_t operand) const {
    const rt::Operand &stated = scope.subgraph.operands[operand];
    return {stated.scale, stated.zeroPoint};
  }
  /// One that is common for \p of; nothing for types that have none.
  Quantization drawQuantization(rt::OperandType of);
  /// Draws a quantization with this scale.
  Quantization withScale(rt::OperandType of, float scale);
  Shape drawShape(unsigned lowRank, unsigned highRank);

  void inputs(std::initializer_list<uint32_t> operands) {
    arguments.insert(arguments.end(), operands);
  }
  void input(uint32_t operand) { arguments.push_back(operand); }
  /// States a result. Extents are those that the rules and the execution find.
  void output(rt::OperandType of, Quantization stated);
  /// One of the draft's type, quantized like an input, or anyhow.
  void output() { output(type, drawQuantization(type)); }
  void outputLike(uint32_t operand) {
    output(scope.subgraph.operands[operand].type, quantization(operand));
  }
  void output(rt::OperandType of) { output(of, drawQuantization(of)); }

  /// Says that no use can be made of what was drawn so far.
  void fail() { hasFailed = true; }
  bool isFailed() const { return hasFailed; }

  const std::vector<uint32_t> &drawnInputs() const { return arguments; }
  const std::vector<uint32_t> &drawnOutputs() const { return results; }

  /// Puts an operand with a value into the scope.
  uint32_t add(rt::Operand operand, TestTensor value,
               std::optional<Values> refill = std::nullopt);
  uint32_t addConstant(rt::OperandType of, TestTensor value,
                       Quantization stated);
  uint32_t addInput(rt::OperandType of, TestTensor value, Quantization stated,
                    std::optional<Values> refill);

  /// An input that keeps its value in every execution; a constant where the
  /// scope takes no inputs.
  uint32_t addParameterInput(rt::OperandType of, TestTensor value,
                             Quantization stated);

private:
  /// A value of the graph that \p fits, or nothing.
  template <typename Predicate>
  std::optional<uint32_t> existing(Predicate fits);
  uint32_t fresh(rt::OperandType of, const Shape &shape, Quantization stated,
                 const Values &values, unsigned inputChance);
  uint32_t parameter(rt::OperandType of, TestTensor value);

  rt::Model &model;
  Scope &scope;
  const Profile &profile;
  std::vector<uint32_t> arguments;
  std::vector<uint32_t> results;
  bool hasFailed = false;
};

} // namespace nnhal::randomgraph

#endif // NNHAL_TEST_RANDOMGRAPH_DRAFT_H
