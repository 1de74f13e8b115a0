//===- Lookup.cpp - Forms of the Lookup operations ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/Signatures/Lookup.h"

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

//===----------------------------------------------------------------------===//
// EMBEDDING_LOOKUP and HASHTABLE_LOOKUP
//===----------------------------------------------------------------------===//

static Result<OperationFacts>
embeddingLookupFacts(const OperationView &operation) {
  // The version follows from the type of the values (M-153).
  static constexpr TypeRow types[] = {
      {OperandType::TENSOR_INT32, HalVersion::V1_2},
      {OperandType::TENSOR_QUANT8_ASYMM, HalVersion::V1_2},
      {OperandType::TENSOR_FLOAT16, HalVersion::V1_3},
      {OperandType::TENSOR_QUANT8_ASYMM_SIGNED, HalVersion::V1_3},
  };
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({2}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  requireForType(reader, types, reader.inputType(1));
  return factsOf(reader, embeddingLookup(reader.input(0), reader.input(1)));
}

static Result<OperationFacts>
hashtableLookupFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3}, 2));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<TensorType> results,
      hashtableLookup(reader.input(0), reader.input(1), reader.input(2)));
  return factsOf(reader, std::move(results));
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

static Result<LshProjectionForm> readLshProjection(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({4}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent({2}));
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  LshProjectionForm form;
  NNHAL_ASSIGN_OR_RETURN(int32_t kind, reader.int32(3, "projection type",
                                                    int32_t(LshKind::dense)));
  form.kind = LshKind(kind);
  form.hasWeights = reader.hasInput(2);
  return form;
}

Result<LshProjectionForm>
nnhal::rt::decodeLshProjection(const OperationView &operation) {
  Reader reader(operation);
  return readLshProjection(reader);
}

static Result<OperationFacts>
lshProjectionFacts(const OperationView &operation) {
  // Hashes of half floats came with HAL 1.2 (M-157).
  static constexpr TypeRow types[] = {
      {OperandType::TENSOR_FLOAT16, HalVersion::V1_2}};
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(LshProjectionForm form, readLshProjection(reader));
  requireForType(reader, types, reader.inputType(0));
  requireForType(reader, types, reader.inputType(1));
  return factsOf(reader,
                 lshProjection(reader.input(0), reader.input(1),
                               form.hasWeights ? &reader.input(2) : nullptr,
                               form.kind));
}

//===----------------------------------------------------------------------===//
// RANDOM_MULTINOMIAL
//===----------------------------------------------------------------------===//

static Result<RandomMultinomialForm> readRandomMultinomial(Reader &reader) {
  NNHAL_RETURN_IF_ERROR(reader.expectCounts({3}));
  NNHAL_RETURN_IF_ERROR(reader.expectPresent());
  NNHAL_RETURN_IF_ERROR(reader.expectNonEmpty());
  RandomMultinomialForm form;
  NNHAL_ASSIGN_OR_RETURN(form.sampleCount, reader.int32(1, "sample count"));
  return form;
}

Result<RandomMultinomialForm>
nnhal::rt::decodeRandomMultinomial(const OperationView &operation) {
  Reader reader(operation);
  return readRandomMultinomial(reader);
}

static Result<OperationFacts>
randomMultinomialFacts(const OperationView &operation) {
  Reader reader(operation);
  NNHAL_ASSIGN_OR_RETURN(RandomMultinomialForm form,
                         readRandomMultinomial(reader));
  // RANDOM_MULTINOMIAL came with HAL 1.2 (M-235).
  reader.require(HalVersion::V1_2);
  return factsOf(reader, randomMultinomial(reader.input(0), form.sampleCount,
                                           reader.input(2)));
}

std::span<const Row> signatures::lookupRows() {
  static constexpr Row rows[] = {
      {OperationType::EMBEDDING_LOOKUP, embeddingLookupFacts},
      {OperationType::HASHTABLE_LOOKUP, hashtableLookupFacts},
      {OperationType::LSH_PROJECTION, lshProjectionFacts},
      {OperationType::RANDOM_MULTINOMIAL, randomMultinomialFacts},
  };
  return rows;
}
