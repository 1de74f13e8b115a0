//===- ReluModel.h - A model of one operation -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_RELUMODEL_H
#define NNHAL_TEST_UNIT_CORE_RELUMODEL_H

#include "nnhal/Runtime/Model.h"

namespace nnhal::rt::test {

/// output = \p type(input), float; an extent of 0 is unknown.
inline AnnotatedModel unaryModel(OperationType type, uint32_t inputExtent,
                                 uint32_t outputExtent) {
  AnnotatedModel annotated;
  Subgraph &main = annotated.model.main;
  main.operands.resize(2);
  for (Operand &operand : main.operands)
    operand.type = OperandType::TENSOR_FLOAT32;
  main.operands[0].dimensions = {inputExtent};
  main.operands[0].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[1].dimensions = {outputExtent};
  main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  main.operations = {{type, {0}, {1}}};
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  computeConsumers(main);
  return annotated;
}

inline AnnotatedModel reluModel(uint32_t inputExtent = 2,
                                uint32_t outputExtent = 2) {
  return unaryModel(OperationType::RELU, inputExtent, outputExtent);
}

} // namespace nnhal::rt::test

#endif // NNHAL_TEST_UNIT_CORE_RELUMODEL_H
