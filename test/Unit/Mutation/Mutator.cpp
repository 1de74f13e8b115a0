//===- Mutator.cpp - Test cases, damaged ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

uint32_t Mutator::extent() {
  static constexpr uint32_t unusual[] = {0, 1, 255, 65536, 1u << 31, ~0u};
  return below(4) ? below(9) : unusual[below(std::size(unusual))];
}

int32_t Mutator::number() {
  static constexpr int32_t unusual[] = {std::numeric_limits<int32_t>::min(),
                                        std::numeric_limits<int32_t>::max(),
                                        -1,
                                        0,
                                        1,
                                        256,
                                        65536};
  return below(2) ? int32_t(below(13)) - 4 : unusual[below(std::size(unusual))];
}

float Mutator::scale() {
  static constexpr float unusual[] = {0.0f,
                                      -1.0f,
                                      1.0f,
                                      1e-38f,
                                      1e38f,
                                      1.0f / 128,
                                      1.0f / 256,
                                      std::numeric_limits<float>::infinity(),
                                      std::numeric_limits<float>::quiet_NaN()};
  return unusual[below(std::size(unusual))];
}

void Mutator::mutateDimensions(Operand &operand) {
  std::vector<uint32_t> &dimensions = operand.dimensions;
  switch (below(4)) {
  case 0:
    dimensions.push_back(extent());
    return;
  case 1:
    if (!dimensions.empty())
      dimensions.pop_back();
    return;
  case 2:
    if (dimensions.size() > 1)
      std::swap(pick(dimensions), pick(dimensions));
    return;
  default:
    if (!dimensions.empty())
      pick(dimensions) = extent();
    return;
  }
}

void Mutator::mutateOperand(TestCase &test, Subgraph &subgraph) {
  if (subgraph.operands.empty())
    return;
  Operand &operand = pick(subgraph.operands);
  switch (below(6)) {
  case 0:
    operand.type = allOperandTypes()[below(allOperandTypes().size())].type;
    return;
  case 1:
    operand.lifetime = OperandLifeTime(below(8));
    return;
  case 2:
    operand.scale = scale();
    return;
  case 3:
    operand.zeroPoint = number();
    return;
  case 4:
    operand.location = {below(2), below(test.model.operandValues.size() + 2),
                        below(40)};
    return;
  default:
    return mutateDimensions(operand);
  }
}

void Mutator::mutateOperation(Subgraph &subgraph) {
  if (subgraph.operations.empty())
    return;
  Operation &operation = pick(subgraph.operations);
  std::vector<uint32_t> &list = below(4) ? operation.inputs : operation.outputs;
  uint32_t index = below(subgraph.operands.size() + 1);
  switch (below(5)) {
  case 0:
    operation.type = allOperations()[below(allOperations().size())].type;
    return;
  case 1:
    list.push_back(index);
    return;
  case 2:
    if (!list.empty())
      list.pop_back();
    return;
  case 3:
    if (!list.empty())
      std::swap(pick(list), pick(list));
    return;
  default:
    if (!list.empty())
      pick(list) = index;
    return;
  }
}

void Mutator::mutateInterface(Subgraph &subgraph) {
  std::vector<uint32_t> &list =
      below(2) ? subgraph.inputIndexes : subgraph.outputIndexes;
  if (below(2))
    list.push_back(below(subgraph.operands.size() + 1));
  else if (!list.empty())
    list.pop_back();
}

/// Overwrites an element of a constant, so that parameters become illegal.
void Mutator::mutateValues(TestCase &test) {
  std::vector<uint8_t> &values = test.model.operandValues;
  if (values.size() < 4)
    return;
  size_t at = below(values.size() / 4) * 4;
  if (below(4) == 0) {
    values[below(values.size())] = uint8_t(random());
    return;
  }
  int32_t integer = number();
  float real = scale();
  if (below(2))
    std::memcpy(values.data() + at, &integer, 4);
  else
    std::memcpy(values.data() + at, &real, 4);
}

void Mutator::mutateExample(TestCase &test) {
  if (test.examples.empty() || test.examples[0].inputs.empty())
    return;
  TestTensor &input = pick(test.examples[0].inputs);
  switch (below(4)) {
  case 0:
    input.isAbsent = !input.isAbsent;
    return;
  case 1:
    if (!input.dimensions.empty())
      pick(input.dimensions) = extent();
    return;
  case 2:
    input.bytes.resize(below(input.bytes.size() + 8));
    return;
  default:
    if (!input.bytes.empty())
      pick(input.bytes) = uint8_t(random());
    return;
  }
}

void Mutator::mutateExtensions(Model &model) {
  if (model.main.operands.empty())
    return;
  ExtensionNameAndPrefix &entry = pick(model.extensionNameToPrefix);
  Operand &operand = pick(model.main.operands);
  // A number of the extension, or of any other one.
  uint32_t prefix = below(4) == 0 ? uint32_t(number()) : entry.prefix;
  uint32_t within = below(4) == 0 ? uint32_t(number()) & 0xFFFF : below(3);
  uint32_t code = prefix << 16 | within;
  switch (below(6)) {
  case 0:
    entry.prefix = uint16_t(number());
    break;
  case 1:
    entry.name.resize(below(entry.name.size() + 2), '.');
    break;
  case 2:
    model.extensionNameToPrefix.push_back(entry);
    break;
  case 3: {
    std::vector<uint8_t> bytes(below(3) == 0 ? below(40) : 16);
    std::ranges::generate(bytes, [&] { return uint8_t(below(256)); });
    operand.extraParams = ExtensionParams{std::move(bytes)};
    break;
  }
  case 4:
    operand.type = OperandType(code);
    break;
  default:
    if (!model.main.operations.empty())
      pick(model.main.operations).type = OperationType(code);
    break;
  }
}

void Mutator::mutate(TestCase &test) {
  for (uint32_t count = 1 + below(3); count > 0; --count) {
    size_t target = below(test.model.referenced.size() + 1);
    Subgraph &subgraph =
        target == 0 ? test.model.main : test.model.referenced[target - 1];
    switch (below(8)) {
    case 0:
    case 1:
    case 2:
      mutateOperand(test, subgraph);
      break;
    case 3:
    case 4:
      mutateOperation(subgraph);
      break;
    case 5:
      mutateInterface(subgraph);
      break;
    case 6:
      mutateValues(test);
      break;
    default:
      mutateExample(test);
      break;
    }
    if (!test.model.extensionNameToPrefix.empty() && below(3) == 0)
      mutateExtensions(test.model);
    computeConsumers(subgraph);
  }
}
