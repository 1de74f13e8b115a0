//===- Normalization.cpp - Normalizations in HAL form ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Normalization.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

// The lowest version per type: M-276, M-278.
static constexpr TypeRow types[] = {
    {OperandType::TENSOR_FLOAT32, HalVersion::V1_0},
    {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_2},
    {OperandType::TENSOR_FLOAT16, HalVersion::V1_2},
    {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
};

/// The axis at \p index; the last one where it is not stated.
static Result<int64_t> optionalAxis(Reader &reader, size_t index) {
  if (reader.inputCount() <= index)
    return int64_t(-1);
  NNHAL_ASSIGN_OR_RETURN(int32_t axis,
                         reader.int32(index, "axis", /*fallback=*/-1));
  return int64_t(axis);
}

/// Reads the common part of normalizations along an axis: \p count inputs and
/// perhaps an axis. Stating one is of 1.2, and so are ranks other than 4.
static Status readAlongAxis(Reader &reader, size_t count) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({count, count + 1}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  requireForType(reader, types, reader.inputType(0));
  // An axis, and ranks below 4, came with HAL 1.2 (M-064, M-067).
  if (reader.inputCount() > count || reader.input(0).rank() != 4)
    reader.require(HalVersion::V1_2);
  return Status::ok();
}

Result<int64_t>
nnhal::rt::decodeL2Normalization(const OperationView &operation) {
  Reader reader(operation);
  return optionalAxis(reader, 1);
}

static Result<OperationFacts> l2Facts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(readAlongAxis(reader, 1));
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, decodeL2Normalization(operation));
  return shapeFactsOf(reader, l2Normalization(reader.input(0), axis));
}

Result<LocalResponseForm>
nnhal::rt::decodeLocalResponseNormalization(const OperationView &operation) {
  Reader reader(operation);
  OperandType type = operation.inputs[0].type.type;
  LocalResponseForm form;
  NNHAL_ASSIGN_OR_RETURN(form.radius, reader.int32(1, "radius"));
  NNHAL_ASSIGN_OR_RETURN(form.bias, reader.real(2, "bias", type));
  NNHAL_ASSIGN_OR_RETURN(form.alpha, reader.real(3, "alpha", type));
  NNHAL_ASSIGN_OR_RETURN(form.beta, reader.real(4, "beta", type));
  NNHAL_ASSIGN_OR_RETURN(form.axis, optionalAxis(reader, 5));
  return form;
}

static Result<OperationFacts>
localResponseFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(readAlongAxis(reader, 5));
  NNHAL_ASSIGN_OR_RETURN(LocalResponseForm form,
                         decodeLocalResponseNormalization(operation));
  return shapeFactsOf(reader,
                      localResponseNormalization(reader.input(0), form.radius,
                                                 form.bias, form.axis));
}

Result<InstanceNormalizationForm>
nnhal::rt::decodeInstanceNormalization(const OperationView &operation) {
  Reader reader(operation);
  OperandType type = operation.inputs[0].type.type;
  InstanceNormalizationForm form;
  NNHAL_ASSIGN_OR_RETURN(form.gamma, reader.real(1, "gamma", type));
  NNHAL_ASSIGN_OR_RETURN(form.beta, reader.real(2, "beta", type));
  NNHAL_ASSIGN_OR_RETURN(form.epsilon, reader.real(3, "epsilon", type));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout(4));
  return form;
}

static Result<OperationFacts> instanceFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({5}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  // INSTANCE_NORMALIZATION came with HAL 1.2 (M-322).
  reader.require(HalVersion::V1_2);
  // The layout moves no extent from input to result.
  Result<TensorType> result = instanceNormalization(reader.input(0));
  if (result.isOk())
    NNHAL_RETURN_IF_ERROR(decodeInstanceNormalization(operation).status());
  return shapeFactsOf(reader, std::move(result));
}

std::span<const Row> signatures::normalizationRows() {
  using enum OperationType;
  static constexpr Row rows[] = {
      {L2_NORMALIZATION, l2Facts},
      {LOCAL_RESPONSE_NORMALIZATION, localResponseFacts},
      {INSTANCE_NORMALIZATION, instanceFacts},
  };
  return rows;
}
