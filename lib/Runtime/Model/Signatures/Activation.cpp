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

//===----------------------------------------------------------------------===//
// Functions of one element
//===----------------------------------------------------------------------===//

using UnaryRule = Result<TensorType> (*)(const TensorType &input);

template <UnaryRule rule>
static Result<OperationFacts> unaryFacts(Reader &reader) {
  return shapeFactsOf(reader, rule(reader.input(0)));
}

Result<float> nnhal::rt::decodeElu(const OperationView &operation) {
  return Reader(operation).real("alpha");
}

static Result<OperationFacts> eluFacts(Reader &reader) {
  Result<TensorType> result = elu(reader.input(0));
  if (result.isOk())
    NNHAL_RETURN_IF_ERROR(reader.real("alpha").status());
  return shapeFactsOf(reader, std::move(result));
}

static Result<OperationFacts> preluFacts(Reader &reader) {
  return shapeFactsOf(reader, prelu(reader.input(0), reader.input(1)));
}

//===----------------------------------------------------------------------===//
// SOFTMAX, LOG_SOFTMAX
//===----------------------------------------------------------------------===//

static Result<SoftmaxForm> readSoftmax(Reader &reader) {
  SoftmaxForm form;
  NNHAL_ASSIGN_OR_RETURN(form.beta, reader.real("beta"));
  NNHAL_ASSIGN_OR_RETURN(form.axis, reader.int32("axis", /*fallback=*/-1));
  return form;
}

Result<SoftmaxForm> nnhal::rt::decodeSoftmax(const OperationView &operation) {
  Reader reader(operation);
  return readSoftmax(reader);
}

static Result<OperationFacts> softmaxFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, readSoftmax(reader));
  const TensorType &input = reader.input(0);
  // Ranks other than 2 and 4 came with HAL 1.2 (M-059).
  if (input.rank() != 2 && input.rank() != 4)
    reader.require(HalVersion::V1_2);
  return shapeFactsOf(reader, softmax(input, form.beta, form.axis));
}

static Result<OperationFacts> logSoftmaxFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(SoftmaxForm form, readSoftmax(reader));
  return shapeFactsOf(reader, logSoftmax(reader.input(0), form.axis));
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

std::span<const Row> signatures::activationRows() {
  using enum OperationType;
  static constexpr Row rows[] = {
      {RELU, unaryFacts<rectifier>},
      {RELU1, unaryFacts<rectifier>},
      {RELU6, unaryFacts<rectifier>},
      {LOGISTIC, unaryFacts<logistic>},
      {TANH, unaryFacts<hyperbolicTangent>},
      {ELU, eluFacts},
      {HARD_SWISH, unaryFacts<hardSwish>},
      {PRELU, preluFacts},
      {SOFTMAX, softmaxFacts},
      {LOG_SOFTMAX, logSoftmaxFacts},
  };
  return rows;
}
