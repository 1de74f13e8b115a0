//===- Mutation.h - One mistake in a model ----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mutations of Android's functional tests of drivers, derived from a valid
// model in order and not at random, with what the documents demand of each.
// What is demanded is stated here by the mutation and by lists of what each
// operation takes, which come from the HAL's documentation: nothing here asks
// the validation of the project.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_VALIDATION_MUTATION_H
#define NNHAL_TEST_VALIDATION_MUTATION_H

#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/PrepareOptions.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace nnhal::mutations {

/// What is wrong with a model or a request. The order is that of VTS, then of
/// what this project adds.
enum class Kind : uint8_t {
  executionOrder,
  operandType,
  operandRank,
  operandScale,
  operandZeroPoint,
  operandLifetime,
  operandInputOutput,
  operandConsumers,
  operandAddWriter,
  operationOperandType,
  operationType,
  operationInputIndex,
  operationOutputIndex,
  operationRemoveWrite,
  removeOperand,
  removeOperation,
  removeOperationInput,
  removeOperationOutput,
  addOperationInput,
  addOperationOutput,
  preference,
  priority,
  operandExtents,
  operandLocation,
  constantRegion,
  channelScales,
  modelInputs,
  modelOutputs,
  emptyGraph,
  subgraphReference,
  pools,
  extensionNames,
  legalOperandType,
  legalRemoval,
  legalAddition,
  requestInputRemoved,
  requestInputAdded,
  requestInputOmitted,
  requestInputShape,
  requestInputLength,
  requestInputRegion,
  requestOutputRemoved,
  requestOutputAdded,
  requestOutputOmitted,
  requestOutputShape,
  requestOutputLength,
  requestOutputRegion,
  requestOverlap,
  requestDeadline,
};
inline constexpr size_t kindCount = size_t(Kind::requestDeadline) + 1;

std::string_view nameOf(Kind kind);

enum class Expected : uint8_t {
  /// INVALID_ARGUMENT from every call that takes the model.
  invalid,
  /// The mutation keeps the model legal, and it has to be accepted.
  valid,
  /// The documents leave it open, or the answer depends on what a list cannot
  /// say: the calls have to agree, and nothing may crash.
  either,
};

struct ModelMutation {
  Kind kind;
  /// What was changed: "main: operand 3: scale -1".
  std::string text;
  Expected expected;
  const rt::AnnotatedModel &model;
  rt::PrepareOptions options;
};

/// Calls \p visit with every mutation of \p model, which is valid. The mutated
/// model lives until \p visit returns.
void forEachModelMutation(
    const rt::Model &model,
    const std::function<void(const ModelMutation &)> &visit);

} // namespace nnhal::mutations

#endif // NNHAL_TEST_VALIDATION_MUTATION_H
