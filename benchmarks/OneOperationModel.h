//===- OneOperationModel.h - The smallest model -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_ONEOPERATIONMODEL_H
#define NNHAL_BENCHMARKS_ONEOPERATIONMODEL_H

#include "nnhal/Runtime/Model.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace nnhal::rt {

/// x + y on four floats.
inline AnnotatedModel oneOperationModel(uint32_t elements = 4) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  Operand tensor;
  tensor.type = OperandType::TENSOR_FLOAT32;
  tensor.dimensions = {elements};
  tensor.lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  model.main.operands = {tensor, tensor};
  Operand activation;
  activation.type = OperandType::INT32;
  activation.lifetime = OperandLifeTime::CONSTANT_COPY;
  activation.location = {0, 0, 4};
  model.operandValues.resize(4);
  model.main.operands.push_back(activation);
  tensor.lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  model.main.operands.push_back(tensor);
  model.main.operations.push_back({OperationType::ADD, {0, 1, 2}, {3}});
  model.main.inputIndexes = {0, 1};
  model.main.outputIndexes = {3};
  computeConsumers(model.main);
  return annotated;
}

/// The value of \p result; ends the benchmark with its message where it has
/// none.
template <typename T> T unwrap(Result<T> result) {
  if (!result.isOk()) {
    fmt::print(stderr, "error: {}\n", result.status().message());
    std::exit(1);
  }
  return *std::move(result);
}

} // namespace nnhal::rt

#endif // NNHAL_BENCHMARKS_ONEOPERATIONMODEL_H
