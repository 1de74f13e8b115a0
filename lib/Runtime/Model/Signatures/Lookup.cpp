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

static Result<OperationFacts> embeddingLookupFacts(Reader &reader) {
  return factsOf(reader, embeddingLookup(reader.input(0), reader.input(1)));
}

static Result<OperationFacts> hashtableLookupFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(
      std::vector<TensorType> results,
      hashtableLookup(reader.input(0), reader.input(1), reader.input(2)));
  return factsOf(reader, std::move(results));
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

static Result<LshProjectionForm> readLshProjection(Reader &reader) {
  LshProjectionForm form;
  NNHAL_ASSIGN_OR_RETURN(
      int32_t kind, reader.int32("projection type", int32_t(LshKind::dense)));
  form.kind = LshKind(kind);
  form.hasWeights = reader.states("weights");
  return form;
}

Result<LshProjectionForm>
nnhal::rt::decodeLshProjection(const OperationView &operation) {
  Reader reader(operation);
  return readLshProjection(reader);
}

static Result<OperationFacts> lshProjectionFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(LshProjectionForm form, readLshProjection(reader));
  return factsOf(reader,
                 lshProjection(reader.input(0), reader.input(1),
                               form.hasWeights ? &reader.input(2) : nullptr,
                               form.kind));
}

//===----------------------------------------------------------------------===//
// RANDOM_MULTINOMIAL
//===----------------------------------------------------------------------===//

static Result<RandomMultinomialForm> readRandomMultinomial(Reader &reader) {
  RandomMultinomialForm form;
  NNHAL_ASSIGN_OR_RETURN(form.sampleCount, reader.int32("sample count"));
  return form;
}

Result<RandomMultinomialForm>
nnhal::rt::decodeRandomMultinomial(const OperationView &operation) {
  Reader reader(operation);
  return readRandomMultinomial(reader);
}

static Result<OperationFacts> randomMultinomialFacts(Reader &reader) {
  NNHAL_ASSIGN_OR_RETURN(RandomMultinomialForm form,
                         readRandomMultinomial(reader));
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
