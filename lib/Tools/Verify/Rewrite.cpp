//===- Rewrite.cpp - Changes graphs and keeps them valid ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rewrite.h"

#include <algorithm>
#include <map>

using namespace nnhal;
using namespace nnhal::verify;
using rt::OperandLifeTime;
using rt::Result;

bool verify::isUnspecified(rt::OperationType operation, size_t output) {
  return operation == rt::OperationType::LSTM && output == 0;
}

Result<Traces> verify::traceReference(const rt::Device &reference,
                                      const rt::TestCase &test) {
  Traces traces;
  for (const rt::TestExample &example : test.examples) {
    Interpreter interpreter(reference, test.model);
    NNHAL_ASSIGN_OR_RETURN(Tensors values,
                           interpreter.trace(test.model.main, example.inputs));
    traces.push_back(std::move(values));
  }
  return traces;
}

std::optional<size_t> verify::writerOf(const rt::Subgraph &subgraph,
                                       uint32_t operand) {
  for (size_t i = 0; i < subgraph.operations.size(); ++i)
    if (std::ranges::count(subgraph.operations[i].outputs, operand) != 0)
      return i;
  return std::nullopt;
}

/// Whether the contents of \p operand mean something.
static bool isMeaningful(const rt::Subgraph &subgraph, uint32_t operand) {
  auto writer = writerOf(subgraph, operand);
  if (!writer)
    return false;
  const rt::Operation &operation = subgraph.operations[*writer];
  auto at = std::ranges::find(operation.outputs, operand);
  return !isUnspecified(operation.type, size_t(at - operation.outputs.begin()));
}

/// The outputs that \p subgraph states, as lifetimes say, with their expected
/// values.
static void setOutputs(rt::TestCase &test, const Traces &traces,
                       std::vector<uint32_t> outputs) {
  rt::Subgraph &main = test.model.main;
  for (rt::Operand &operand : main.operands)
    if (operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT)
      operand.lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
  for (size_t i = 0; i < test.examples.size(); ++i) {
    test.examples[i].outputs.clear();
    for (uint32_t index : outputs)
      test.examples[i].outputs.push_back(traces[i][index]);
  }
  for (uint32_t index : outputs)
    main.operands[index].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  main.outputIndexes = std::move(outputs);
}

//===----------------------------------------------------------------------===//
// Parts of graphs
//===----------------------------------------------------------------------===//

rt::TestCase verify::extract(const rt::TestCase &test, const Traces &traces,
                             const std::vector<bool> &isKept) {
  rt::TestCase part = test;
  rt::Subgraph &main = part.model.main;
  std::vector<bool> isWritten(main.operands.size()),
      isRead(main.operands.size());
  main.operations.clear();
  for (size_t i = 0; i < isKept.size(); ++i) {
    if (!isKept[i])
      continue;
    const rt::Operation &operation = test.model.main.operations[i];
    main.operations.push_back(operation);
    for (uint32_t index : operation.inputs)
      isRead[index] = true;
    for (uint32_t index : operation.outputs)
      isWritten[index] = true;
  }
  for (uint32_t index = 0; index < main.operands.size(); ++index) {
    rt::Operand &operand = main.operands[index];
    bool isVariable = operand.lifetime == OperandLifeTime::TEMPORARY_VARIABLE ||
                      operand.lifetime == OperandLifeTime::SUBGRAPH_OUTPUT;
    if (!isVariable || isWritten[index] || !isRead[index])
      continue;
    operand.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
    main.inputIndexes.push_back(index);
    for (size_t i = 0; i < part.examples.size(); ++i)
      part.examples[i].inputs.push_back(traces[i][index]);
  }
  // Outputs that are still written, and what is not read any more.
  std::vector<uint32_t> outputs;
  for (uint32_t index = 0; index < main.operands.size(); ++index) {
    bool wasOutput =
        std::ranges::count(test.model.main.outputIndexes, index) != 0;
    if (isWritten[index] && (wasOutput || !isRead[index]) &&
        isMeaningful(main, index))
      outputs.push_back(index);
  }
  setOutputs(part, traces, std::move(outputs));
  compact(part, /*removesInputs=*/true);
  return part;
}

rt::TestCase verify::extractResults(const rt::TestCase &test,
                                    const Traces &traces, size_t operation) {
  const rt::Subgraph &main = test.model.main;
  std::vector<bool> isNeeded(main.operands.size());
  std::vector<uint32_t> outputs;
  for (uint32_t index : main.operations[operation].outputs) {
    isNeeded[index] = true;
    if (isMeaningful(main, index))
      outputs.push_back(index);
  }
  rt::TestCase part = test;
  part.model.main.operations.clear();
  for (size_t i = operation + 1; i-- > 0;) {
    const rt::Operation &candidate = main.operations[i];
    if (std::ranges::none_of(candidate.outputs, [&](uint32_t index) {
          return bool(isNeeded[index]);
        }))
      continue;
    for (uint32_t index : candidate.inputs)
      isNeeded[index] = true;
    part.model.main.operations.push_back(candidate);
  }
  std::ranges::reverse(part.model.main.operations);
  setOutputs(part, traces, std::move(outputs));
  compact(part, /*removesInputs=*/true);
  return part;
}

rt::TestCase verify::keepOutputs(const rt::TestCase &test,
                                 const std::vector<bool> &isKept) {
  rt::TestCase part = test;
  rt::Subgraph &main = part.model.main;
  main.outputIndexes.clear();
  for (rt::TestExample &example : part.examples)
    example.outputs.clear();
  for (size_t k = 0; k < isKept.size(); ++k) {
    uint32_t index = test.model.main.outputIndexes[k];
    if (!isKept[k]) {
      main.operands[index].lifetime = OperandLifeTime::TEMPORARY_VARIABLE;
      continue;
    }
    main.outputIndexes.push_back(index);
    for (size_t i = 0; i < part.examples.size(); ++i)
      if (k < test.examples[i].outputs.size())
        part.examples[i].outputs.push_back(test.examples[i].outputs[k]);
  }
  rt::computeConsumers(main);
  return part;
}

Exposed verify::expose(const rt::TestCase &test, const Traces &traces) {
  Exposed exposed{test, {}};
  const rt::Subgraph &main = test.model.main;
  for (uint32_t index = 0; index < main.operands.size(); ++index)
    if (isMeaningful(main, index))
      exposed.operands.push_back(index);
  setOutputs(exposed.test, traces, exposed.operands);
  return exposed;
}

bool verify::makeStatic(rt::TestCase &test, const Traces &traces) {
  rt::Subgraph &main = test.model.main;
  auto isStated = [&](uint32_t index) {
    return !traces[0][index].isAbsent &&
           rt::isTensor(main.operands[index].type);
  };
  for (uint32_t index = 0; index < main.operands.size(); ++index)
    for (const Tensors &trace : traces)
      if (isStated(index) &&
          trace[index].dimensions != traces[0][index].dimensions)
        return false;
  bool isChanged = false;
  for (uint32_t index = 0; index < main.operands.size(); ++index) {
    if (!isStated(index))
      continue;
    rt::Operand &operand = main.operands[index];
    const TestTensor &value = traces[0][index];
    isChanged = isChanged || operand.dimensions != value.dimensions;
    operand.dimensions = value.dimensions;
  }
  return isChanged;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void verify::setConstant(rt::Model &model, rt::Operand &operand,
                         std::span<const uint8_t> bytes) {
  std::vector<uint8_t> &values = model.operandValues;
  values.resize((values.size() + 3) / 4 * 4);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  operand.location = {0, uint32_t(values.size()), uint32_t(bytes.size())};
  values.insert(values.end(), bytes.begin(), bytes.end());
}

bool verify::makeConstant(rt::TestCase &test, size_t position) {
  rt::Subgraph &main = test.model.main;
  uint32_t index = main.inputIndexes[position];
  const TestTensor value = test.examples[0].inputs[position];
  for (const rt::TestExample &example : test.examples)
    if (const TestTensor &other = example.inputs[position];
        other.isAbsent || other.bytes.empty() || other.bytes != value.bytes ||
        other.dimensions != value.dimensions)
      return false;
  main.operands[index].dimensions = value.dimensions;
  setConstant(test.model, main.operands[index], value.bytes);
  main.inputIndexes.erase(main.inputIndexes.begin() + ptrdiff_t(position));
  for (rt::TestExample &example : test.examples)
    example.inputs.erase(example.inputs.begin() + ptrdiff_t(position));
  return true;
}

//===----------------------------------------------------------------------===//
// Compaction
//===----------------------------------------------------------------------===//

namespace {

/// Copies what is referred to, graph by graph.
class Compaction {
public:
  Compaction(const rt::Model &model, Random *random)
      : model(model), random(random) {}

  /// Numbers of the operands of \p subgraph that stay.
  rt::Subgraph copy(const rt::Subgraph &subgraph);

  std::vector<rt::Subgraph> graphs;
  std::vector<uint8_t> values;
  std::vector<std::byte> pool;

private:
  uint32_t graphNumber(uint32_t old);
  void copyConstant(rt::Operand &operand);

  const rt::Model &model;
  Random *random;
  std::map<uint32_t, uint32_t> graphNumbers;
};

} // namespace

uint32_t Compaction::graphNumber(uint32_t old) {
  if (auto known = graphNumbers.find(old); known != graphNumbers.end())
    return known->second;
  rt::Subgraph graph = copy(model.referenced[old]);
  graphs.push_back(std::move(graph));
  return graphNumbers[old] = uint32_t(graphs.size() - 1);
}

void Compaction::copyConstant(rt::Operand &operand) {
  auto bytes = rt::constantBytes(model, operand);
  if (!bytes.isOk())
    return;
  bool isPooled = random
                      ? random->chance(40)
                      : operand.lifetime == OperandLifeTime::CONSTANT_REFERENCE;
  operand.location = {0, 0, uint32_t(bytes->size())};
  if (isPooled) {
    pool.resize((pool.size() + 3) / 4 * 4);
    operand.lifetime = OperandLifeTime::CONSTANT_REFERENCE;
    operand.location.offset = uint32_t(pool.size());
    pool.insert(pool.end(), bytes->begin(), bytes->end());
    return;
  }
  values.resize((values.size() + 3) / 4 * 4);
  operand.lifetime = OperandLifeTime::CONSTANT_COPY;
  operand.location.offset = uint32_t(values.size());
  const auto *data = reinterpret_cast<const uint8_t *>(bytes->data());
  values.insert(values.end(), data, data + bytes->size());
}

rt::Subgraph Compaction::copy(const rt::Subgraph &subgraph) {
  std::vector<bool> isUsed(subgraph.operands.size());
  auto use = [&](const std::vector<uint32_t> &indexes) {
    for (uint32_t index : indexes)
      isUsed[index] = true;
  };
  use(subgraph.inputIndexes);
  use(subgraph.outputIndexes);
  for (const rt::Operation &operation : subgraph.operations) {
    use(operation.inputs);
    use(operation.outputs);
  }
  rt::Subgraph result;
  std::vector<uint32_t> numbers(subgraph.operands.size());
  for (uint32_t index = 0; index < subgraph.operands.size(); ++index) {
    if (!isUsed[index])
      continue;
    numbers[index] = uint32_t(result.operands.size());
    rt::Operand operand = subgraph.operands[index];
    if (operand.lifetime == OperandLifeTime::SUBGRAPH)
      operand.location.offset = graphNumber(operand.location.offset);
    else if (rt::isConstant(operand.lifetime))
      copyConstant(operand);
    result.operands.push_back(std::move(operand));
  }
  auto renumber = [&](const std::vector<uint32_t> &indexes) {
    std::vector<uint32_t> renumbered;
    renumbered.reserve(indexes.size());
    for (uint32_t index : indexes)
      renumbered.push_back(numbers[index]);
    return renumbered;
  };
  result.inputIndexes = renumber(subgraph.inputIndexes);
  result.outputIndexes = renumber(subgraph.outputIndexes);
  for (const rt::Operation &operation : subgraph.operations)
    result.operations.push_back({operation.type, renumber(operation.inputs),
                                 renumber(operation.outputs)});
  rt::computeConsumers(result);
  return result;
}

static void removeUnreadInputs(rt::TestCase &test) {
  rt::Subgraph &main = test.model.main;
  std::vector<bool> isRead(main.operands.size());
  for (const rt::Operation &operation : main.operations)
    for (uint32_t index : operation.inputs)
      isRead[index] = true;
  for (size_t position = main.inputIndexes.size(); position-- > 0;) {
    if (isRead[main.inputIndexes[position]])
      continue;
    main.inputIndexes.erase(main.inputIndexes.begin() + ptrdiff_t(position));
    for (rt::TestExample &example : test.examples)
      example.inputs.erase(example.inputs.begin() + ptrdiff_t(position));
  }
}

void verify::compact(rt::TestCase &test, bool removesInputs, Random *random) {
  if (removesInputs)
    removeUnreadInputs(test);
  rt::Model &model = test.model;
  Compaction compaction(model, random);
  rt::Subgraph main = compaction.copy(model.main);
  model.main = std::move(main);
  model.referenced = std::move(compaction.graphs);
  model.operandValues = std::move(compaction.values);
  model.pools.clear();
  if (compaction.pool.empty())
    return;
  rt::Pool &pool = model.pools.emplace_back();
  pool.name = "mmap_fd";
  pool.isSynthetic = true;
  pool.memory = rt::Memory::adopt(std::move(compaction.pool));
}
