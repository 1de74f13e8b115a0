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

/// Ranks other than 4 came with HAL 1.2 (M-064, M-067).
static void requireForRank(Reader &reader) {
  if (reader.input(0).rank() != 4)
    reader.require(HalVersion::V1_2);
}

static Result<int64_t> readAxis(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(int32_t axis, reader.int32("axis", /*fallback=*/-1));
  return int64_t(axis);
}

Result<int64_t>
nnhal::rt::decodeL2Normalization(const OperationView &operation) {
  Reader reader(operation);
  return readAxis(reader);
}

static Result<OperationFacts> l2Facts(Reader &reader) {
  requireForRank(reader);
  NNHAL_ASSIGN_OR_RETURN(int64_t axis, readAxis(reader));
  return shapeFactsOf(reader, l2Normalization(reader.input(0), axis));
}

static Result<LocalResponseForm> readLocalResponse(Reader &reader) {
  LocalResponseForm form;
  NNHAL_ASSIGN_OR_RETURN(form.radius, reader.int32("radius"));
  NNHAL_ASSIGN_OR_RETURN(form.bias, reader.real("bias"));
  NNHAL_ASSIGN_OR_RETURN(form.alpha, reader.real("alpha"));
  NNHAL_ASSIGN_OR_RETURN(form.beta, reader.real("beta"));
  NNHAL_ASSIGN_OR_RETURN(form.axis, readAxis(reader));
  return form;
}

Result<LocalResponseForm>
nnhal::rt::decodeLocalResponseNormalization(const OperationView &operation) {
  Reader reader(operation);
  return readLocalResponse(reader);
}

static Result<OperationFacts> localResponseFacts(Reader &reader) {
  requireForRank(reader);
  NNHAL_ASSIGN_OR_RETURN(LocalResponseForm form, readLocalResponse(reader));
  return shapeFactsOf(reader,
                      localResponseNormalization(reader.input(0), form.radius,
                                                 form.bias, form.axis));
}

static Result<InstanceNormalizationForm> readInstance(Reader &reader) {
  InstanceNormalizationForm form;
  NNHAL_ASSIGN_OR_RETURN(form.gamma, reader.real("gamma"));
  NNHAL_ASSIGN_OR_RETURN(form.beta, reader.real("beta"));
  NNHAL_ASSIGN_OR_RETURN(form.epsilon, reader.real("epsilon"));
  NNHAL_ASSIGN_OR_RETURN(form.isNchw, reader.layout());
  return form;
}

Result<InstanceNormalizationForm>
nnhal::rt::decodeInstanceNormalization(const OperationView &operation) {
  Reader reader(operation);
  return readInstance(reader);
}

static Result<OperationFacts> instanceFacts(Reader &reader) {
  // The layout moves no extent from input to result.
  Result<TensorType> result = instanceNormalization(reader.input(0));
  if (result.isOk())
    NNHAL_RETURN_IF_ERROR(readInstance(reader).status());
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
