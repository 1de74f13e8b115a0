//===- Activation.cpp - Activations in HAL form ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Activation.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

// TANH (M-293) and PRELU (M-336), which is of 1.2 itself.
static constexpr TypeRow tanhTypes[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_2},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
};

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

using UnaryRule = Result<TensorType> (*)(const TensorType &input);

static Result<OperationFacts> unaryFacts(const OperationView &operation,
                                         std::span<const TypeRow> rows,
                                         UnaryRule rule) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({1}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  requireForType(reader, rows, reader.inputType(0));
  return shapeFactsOf(reader, rule(reader.input(0)));
}

static Result<OperationFacts> rectifierFacts(const OperationView &operation) {
  return unaryFacts(operation, sinceFirst, rectifier);
}
static Result<OperationFacts> logisticFacts(const OperationView &operation) {
  return unaryFacts(operation, sinceFirst, logistic);
}
static Result<OperationFacts> tanhFacts(const OperationView &operation) {
  return unaryFacts(operation, tanhTypes, hyperbolicTangent);
}

static Result<OperationFacts> hardSwishFacts(const OperationView &operation) {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts,
                         unaryFacts(operation, {}, hardSwish));
  // HARD_SWISH came with HAL 1.3, for all of its types (M-364).
  facts.since = HalVersion::V1_3;
  return facts;
}

Result<float> nnhal::rt::decodeElu(const OperationView &operation) {
  return Reader(operation).real(1, "alpha", operation.inputs[0].type.type);
}

static Result<OperationFacts> eluFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({2}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  // ELU came with HAL 1.3 (M-363).
  reader.require(HalVersion::V1_3);
  Result<TensorType> result = elu(reader.input(0));
  if (result.isOk())
    NNHAL_RETURN_IF_ERROR(decodeElu(operation).status());
  return shapeFactsOf(reader, std::move(result));
}

static Result<OperationFacts> preluFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({2}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // PRELU came with HAL 1.2 (M-336).
  reader.require(HalVersion::V1_2);
  requireForType(reader, tanhTypes, reader.inputType(0));
  return shapeFactsOf(reader, prelu(reader.input(0), reader.input(1)));
}

//===----------------------------------------------------------------------===//
// SOFTMAX, LOG_SOFTMAX
//===----------------------------------------------------------------------===//

Result<SoftmaxForm> nnhal::rt::decodeSoftmax(const OperationView &operation) {
  Reader reader(operation);
  SoftmaxForm form;
  NNHAL_ASSIGN_OR_RETURN(form.beta,
                         reader.real(1, "beta", operation.inputs[0].type.type));
  if (reader.inputCount() > 2) {
    NNHAL_ASSIGN_OR_RETURN(form.axis, reader.int32(2, "axis", /*fallback=*/-1));
  }
  return form;
}

static Result<OperationFacts> softmaxFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({2, 3}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(operation));
  const TensorType &input = reader.input(0);
  requireForType(reader, sinceFirst, input.type);
  // An axis, and ranks other than 2 and 4, came with HAL 1.2 (M-059).
  if (reader.inputCount() > 2 || (input.rank() != 2 && input.rank() != 4))
    reader.require(HalVersion::V1_2);
  return shapeFactsOf(reader, softmax(input, form.beta, form.axis));
}

static Result<OperationFacts> logSoftmaxFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // LOG_SOFTMAX came with HAL 1.2 (M-329).
  reader.require(HalVersion::V1_2);
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, decodeSoftmax(operation));
  return shapeFactsOf(reader, logSoftmax(reader.input(0), form.axis));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const Row> signatures::activationRows() {
  using enum OperationType;
  static constexpr Row rows[] = {
      {RELU, rectifierFacts},
      {RELU1, rectifierFacts},
      {RELU6, rectifierFacts},
      {LOGISTIC, logisticFacts},
      {TANH, tanhFacts},
      {ELU, eluFacts},
      {HARD_SWISH, hardSwishFacts},
      {PRELU, preluFacts},
      {SOFTMAX, softmaxFacts},
      {LOG_SOFTMAX, logSoftmaxFacts},
  };
  return rows;
}
