//===- Lookup.cpp - Rules of lookups and sampling -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "Runtime/Support/Errors.h"

#include <bit>

using namespace nnhal::rt;
using namespace nnhal::rt::rules;

static constexpr RankBounds rank1{1, 1};
static constexpr RankBounds rank2{2, 2};
static constexpr RankBounds fromRank2{2};

/// The extent of dimension \p index where the rank is known.
static int64_t extentOf(const TensorType &type, size_t index) {
  return type.isRanked ? type.dimensions[index] : unknownExtent;
}

/// Rows of \p values, one for each of \p lookups.
static TensorType rowsOf(const TensorType &values, const TensorType &lookups) {
  if (!values.isRanked)
    return values;
  TensorType result = values;
  result.dimensions[0] = extentOf(lookups, 0);
  return result;
}

Result<TensorType> nnhal::rt::embeddingLookup(const TensorType &lookups,
                                              const TensorType &values) {
  NNHAL_RETURN_IF_ERROR(checkOperand("lookups", lookups, integers,
                                     rank1)); // embedding_lookup C1
  NNHAL_RETURN_IF_ERROR(checkOperand("values", values, numbers,
                                     fromRank2)); // embedding_lookup C2
  return rowsOf(values, lookups);
}

Result<std::vector<TensorType>>
nnhal::rt::hashtableLookup(const TensorType &lookups, const TensorType &keys,
                           const TensorType &values) {
  static constexpr OperandType types[] = {OperandType::TENSOR_FLOAT32,
                                          OperandType::TENSOR_INT32,
                                          OperandType::TENSOR_QUANT8_ASYMM};
  NNHAL_RETURN_IF_ERROR(checkOperand("lookups", lookups, integers,
                                     rank1)); // hashtable_lookup C1
  NNHAL_RETURN_IF_ERROR(
      checkOperand("keys", keys, integers, rank1)); // hashtable_lookup C2
  NNHAL_RETURN_IF_ERROR(
      checkOperand("values", values, types, fromRank2)); // hashtable_lookup C3
  NNHAL_RETURN_IF_ERROR(
      checkSameExtent("number of keys", extentOf(keys, 0), "number of rows",
                      extentOf(values, 0))); // hashtable_lookup C4
  TensorType hits;                           // hashtable_lookup C5
  hits.type = OperandType::TENSOR_QUANT8_ASYMM;
  hits.scale = 1.0f;
  hits.dimensions = {extentOf(lookups, 0)};
  return std::vector<TensorType>{rowsOf(values, lookups), std::move(hits)};
}

/// A signature and, where they share one space, the number of the hash function
/// fit 32 bits (M-160).
static Status checkSignatureBits(const TensorType &hash, LshKind kind) {
  int64_t functions = extentOf(hash, 0), bits = extentOf(hash, 1);
  if (isKnown(bits) && bits > 32) // lsh_projection C6
    return badData("hash has {} bits, above 32", bits);
  if (kind != LshKind::sparse || !isKnown(functions) || !isKnown(bits) ||
      functions < 1)
    return Status::ok();
  int64_t numberBits = std::bit_width(uint64_t(functions - 1));
  if (bits + numberBits > 32) // lsh_projection C7
    return badData("{} hash functions of {} bits need {} bits, above 32",
                   functions, bits, bits + numberBits);
  return Status::ok();
}

Result<TensorType> nnhal::rt::lshProjection(const TensorType &hash,
                                            const TensorType &input,
                                            const TensorType *weights,
                                            LshKind kind) {
  static constexpr OperandType types[] = {
      OperandType::TENSOR_FLOAT32, OperandType::TENSOR_FLOAT16,
      OperandType::TENSOR_INT32, OperandType::TENSOR_QUANT8_ASYMM};
  NNHAL_RETURN_IF_ERROR(
      checkOperand("hash", hash, floats, rank2)); // lsh_projection C1
  NNHAL_RETURN_IF_ERROR(
      checkOperand("input", input, types)); // lsh_projection C2
  if (weights) {
    NNHAL_RETURN_IF_ERROR(checkOperand("weights", *weights,
                                       std::span(&hash.type, 1),
                                       rank1)); // lsh_projection C3
    NNHAL_RETURN_IF_ERROR(checkSameExtent(
        "number of weights", extentOf(*weights, 0), "number of input rows",
        extentOf(input, 0))); // lsh_projection C4
  }
  if (kind < LshKind::sparseDeprecated ||
      kind > LshKind::sparse) // lsh_projection C5
    return badData("projection type is {}, expected 1 to 3", int32_t(kind));
  NNHAL_RETURN_IF_ERROR(checkSignatureBits(hash, kind));
  TensorType result;
  result.type = OperandType::TENSOR_INT32;
  int64_t extent = extentOf(hash, 0);
  if (kind == LshKind::dense) {
    NNHAL_ASSIGN_OR_RETURN(extent, multiplyExtents(extent, extentOf(hash, 1)));
  }
  result.dimensions = {extent};
  return result;
}

Result<TensorType> nnhal::rt::randomMultinomial(const TensorType &logits,
                                                int64_t sampleCount,
                                                const TensorType &seeds) {
  NNHAL_RETURN_IF_ERROR(
      checkOperand("logits", logits, floats, rank2)); // random_multinomial C1
  if (sampleCount < 1)                                // random_multinomial C2
    return badData("sample count {} must be positive", sampleCount);
  NNHAL_RETURN_IF_ERROR(
      checkOperand("seeds", seeds, integers, rank1)); // random_multinomial C3
  NNHAL_RETURN_IF_ERROR(checkSameExtent("number of seeds", extentOf(seeds, 0),
                                        "the expected",
                                        2)); // random_multinomial C4
  TensorType result;
  result.type = OperandType::TENSOR_INT32;
  result.dimensions = {extentOf(logits, 0), sampleCount};
  return result;
}
