//===- Lookup.cpp - The Lookup operations ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routine.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/Philox.h"
#include "nnhal/Backend/Signatures/Lookup.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <farmhash.h>
#include <random>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

//===----------------------------------------------------------------------===//
// EMBEDDING_LOOKUP and HASHTABLE_LOOKUP
//===----------------------------------------------------------------------===//

/// A tensor's bytes by its first dimension.
namespace {
struct Rows {
  std::span<const std::byte> bytes;
  size_t count;
  size_t size;

  Rows(const RoutineContext &context, size_t index)
      : bytes(context.bytes(index)),
        count(size_t(context.inputShape(index)[0])),
        size(bytes.size() / count) {}

  std::span<const std::byte> operator[](size_t row) const {
    return bytes.subspan(row * size, size);
  }
};
} // namespace

static Status embeddingLookupRoutine(RoutineContext &context) {
  Rows values(context, 1);
  Elements<std::byte> result;
  for (int32_t index : context.integers(0)) {
    if (index < 0 || size_t(index) >= values.count) // embedding_lookup C3
      return failure("lookup {} is outside [0, {})", index, values.count);
    std::span<const std::byte> row = values[size_t(index)];
    result.insert(result.end(), row.begin(), row.end());
  }
  context.storeBytes(0, std::move(result));
  return Status::ok();
}

static Status hashtableLookupRoutine(RoutineContext &context) {
  Elements<int32_t> keys = context.integers(1);
  Rows values(context, 2);
  Elements<std::byte> result;
  Elements<int32_t> hits;
  for (int32_t key : context.integers(0)) {
    auto at = std::ranges::lower_bound(keys, key);
    bool isHit = at != keys.end() && *at == key;
    hits.push_back(isHit);
    if (isHit) {
      std::span<const std::byte> row = values[size_t(at - keys.begin())];
      result.insert(result.end(), row.begin(), row.end());
    } else {
      // Zero bytes even where the zero point is another (M-156).
      result.resize(result.size() + values.size);
    }
  }
  context.storeBytes(0, std::move(result));
  context.storeIntegers(1, hits);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// LSH_PROJECTION
//===----------------------------------------------------------------------===//

/// Whether the weighted sum of the rows' fingerprints under \p seed is positive
/// (M-161).
static bool signatureBit(float seed, const Rows &input,
                         const Elements<float> &weights) {
  Elements<char> key(sizeof seed + input.size);
  std::memcpy(key.data(), &seed, sizeof seed);
  double sum = 0.0;
  for (size_t row = 0; row < input.count; ++row) {
    std::memcpy(key.data() + sizeof seed, input[row].data(), input.size);
    auto fingerprint = int64_t(util::Fingerprint64(key.data(), key.size()));
    sum += (weights.empty() ? 1.0 : double(weights[row])) * double(fingerprint);
  }
  return sum > 0.0;
}

static Status lshProjectionRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(LshProjectionForm form,
                         decodeLshProjection(context.operation()));
  Elements<float> seeds = context.floats(0);
  size_t bitCount = size_t(context.inputShape(0)[1]);
  Rows input(context, 1);
  Elements<float> weights;
  if (form.hasWeights)
    weights = context.floats(2);
  Elements<int32_t> result;
  for (size_t first = 0; first < seeds.size(); first += bitCount) {
    // The first seed's bit is the most significant one.
    uint32_t signature = 0;
    for (size_t bit = 0; bit < bitCount; ++bit) {
      bool isSet = signatureBit(seeds[first + bit], input, weights);
      if (form.kind == LshKind::dense)
        result.push_back(isSet);
      signature = (signature << 1) | uint32_t(isSet);
    }
    // The shift is in 64 bits: a shift by 32 is legal for a single function of
    // 32 bits.
    if (form.kind == LshKind::sparse)
      signature += uint32_t(uint64_t(first / bitCount) << bitCount);
    if (form.kind != LshKind::dense)
      result.push_back(int32_t(signature));
  }
  context.storeIntegers(0, result);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// RANDOM_MULTINOMIAL
//===----------------------------------------------------------------------===//

/// Returns running sums of exp(logit - largest logit); infinite logits and NaNs
/// weigh nothing (M-236). The result is empty when there is no finite logit.
static Elements<double> runningWeights(std::span<const float> logits) {
  double largest = -INFINITY;
  for (float logit : logits)
    if (std::isfinite(logit))
      largest = std::max(largest, double(logit));
  if (std::isinf(largest))
    return {};
  Elements<double> sums;
  double sum = 0.0;
  for (float logit : logits) {
    if (std::isfinite(logit))
      sum += std::exp(double(logit) - largest);
    sums.push_back(sum);
  }
  return sums;
}

/// Number \p index of the sequence of \p key, uniform in [0, 1).
static double philoxUniform(uint64_t index, std::array<uint32_t, 2> key) {
  std::array<uint32_t, 4> bits =
      philox4x32({uint32_t(index), uint32_t(index >> 32), 0, 0}, key);
  uint64_t mantissa = ((uint64_t(bits[1]) << 32) | bits[0]) >> 11;
  return double(mantissa) * 0x1p-53;
}

static Status randomMultinomialRoutine(RoutineContext &context) {
  NNHAL_ASSIGN_OR_RETURN(RandomMultinomialForm form,
                         decodeRandomMultinomial(context.operation()));
  Elements<float> logits = context.floats(0);
  size_t classes = size_t(context.inputShape(0)[1]);
  Elements<int32_t> seeds = context.integers(2);
  std::array<uint32_t, 2> key = {uint32_t(seeds[0]), uint32_t(seeds[1])};
  // Two seeds of 0 ask for random ones (M-236).
  if (key[0] == 0 && key[1] == 0) {
    std::random_device device;
    key = {device(), device()};
  }
  Elements<int32_t> result;
  for (size_t first = 0; first < logits.size(); first += classes) {
    Elements<double> sums =
        runningWeights(std::span(logits).subspan(first, classes));
    if (sums.empty()) // random_multinomial C5
      return failure("logits of batch {} are {} values, none of them finite",
                     first / classes, classes);
    for (int64_t sample = 0; sample < form.sampleCount; ++sample) {
      double at = philoxUniform(result.size(), key) * sums.back();
      // The first class whose running sum exceeds the point; rounding cannot
      // make a point that none exceeds.
      auto chosen = std::ranges::upper_bound(sums, at);
      result.push_back(int32_t(chosen - sums.begin()));
    }
  }
  context.storeIntegers(0, result);
  return Status::ok();
}

std::span<const RoutineRow> reference::lookupRoutines() {
  static constexpr RoutineRow rows[] = {
      {OperationType::EMBEDDING_LOOKUP, embeddingLookupRoutine},
      {OperationType::HASHTABLE_LOOKUP, hashtableLookupRoutine},
      {OperationType::LSH_PROJECTION, lshProjectionRoutine},
      {OperationType::RANDOM_MULTINOMIAL, randomMultinomialRoutine},
  };
  return rows;
}
