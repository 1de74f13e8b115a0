//===- Softmax.cpp - SOFTMAX ----------------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SOFTMAX of floats, and of 16-bit numbers and of bytes with 16-bit results by
// the tables and the fixed-point arithmetic of TensorFlow Lite's reference
// kernels.
//
//===----------------------------------------------------------------------===//

#include "ByteExponential.h"
#include "Families.h"

#include <bit>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

Result<Types> checkSoftmax(const Use &use) {
  if (float beta = use.real("beta"); !(beta > 0.0f) || !std::isfinite(beta))
    return refuse("option beta is ", beta, ", but must be positive");
  NNHAL_RETURN_IF_ERROR(use.checkRank(0, 1, 8));
  if (use.element(0) == Element::float32) {
    NNHAL_RETURN_IF_ERROR(
        use.checkResultElement(0, elementSet(Element::float32)));
    return onlyResult(use, use.input(0).dimensions);
  }
  NNHAL_RETURN_IF_ERROR(use.checkScales(1));
  // Bytes give fractions of 16 bits, which have no sign.
  bool isByte = use.element(0) == Element::int8;
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(
      0, elementSet(isByte ? Element::uint16 : Element::int16)));
  int32_t exponent = 0, expected = isByte ? -16 : -15;
  if (!isPowerOfTwo(use.output(0).scale, exponent) || exponent != expected)
    return refuse("output 0 has scale ", use.output(0).scale,
                  ", but must have 2^", expected);
  if (use.output(0).zeroPoint != 0)
    return refuse("output 0 has zero point ", use.output(0).zeroPoint,
                  ", but must have 0");
  return onlyResult(use, use.input(0).dimensions);
}

/// Computes the places of a row in the table of exponentials.
NNHAL_TARGET_CLONES void placeRow(int16_t *to, const int16_t *from,
                                  int64_t depth, const Factor &given) {
  const Factor factor = given;
  int16_t most = std::numeric_limits<int16_t>::min();
  for (int64_t index = 0; index < depth; ++index)
    most = std::max(most, from[index]);
  for (int64_t index = 0; index < depth; ++index)
    to[index] = softmaxPlace(int32_t(from[index]) - most, factor);
}

/// Multiplies a row by \p factor * 2^-right. The exponentials are not negative,
/// and their products have 30 bits.
NNHAL_TARGET_CLONES void multiplyRow(int16_t *row, int64_t depth,
                                     int32_t factor, int32_t right) {
  auto half = int32_t(uint32_t(1) << (right - 1));
  for (int64_t index = 0; index < depth; ++index) {
    int32_t value = (int32_t(row[index]) * factor + half) >> right;
    row[index] = int16_t(std::clamp(value, 0, 32767));
  }
}

void softmaxRow(int16_t *to, const int16_t *from, int64_t depth,
                Factor factor) {
  const SoftmaxTables &tables = softmaxTables();
  placeRow(to, from, depth, factor);
  uint32_t sum = 0;
  for (int64_t index = 0; index < depth; ++index) {
    to[index] = lookUp(tables.exponential, to[index]);
    sum += uint32_t(to[index]);
  }
  // The largest element makes the sum at least 1/2 in 15 bits.
  const int32_t zeros = std::countl_zero(sum);
  const uint32_t left = zeros > 0 ? uint32_t(zeros) - 1 : 0;
  auto shifted = int32_t(((int64_t(int32_t(sum)) << left) + (1 << 13)) >> 14);
  int32_t place = boundsOf<int16_t>()(shifted - ((1 << 15) + (1 << 16)));
  int32_t reciprocal = lookUp(tables.reciprocal, int16_t(place));
  multiplyRow(to, depth, reciprocal, zeros < 31 ? 31 - zeros : 1);
}

//===----------------------------------------------------------------------===//
// SOFTMAX of bytes
//===----------------------------------------------------------------------===//

void softmaxByteRow(uint16_t *to, const int8_t *from, int64_t depth,
                    const ByteExponential &exponential) {
  int8_t most = *std::max_element(from, from + depth);
  uint32_t sum = 0;
  for (int64_t index = 0; index < depth; ++index)
    sum +=
        uint32_t(roundingShift(exponential(most - from[index]), byteSumBits));
  int32_t zeros = std::countl_zero(sum);
  int32_t reciprocal =
      reciprocalOfOnePlus(int32_t((sum << zeros) - (uint32_t(1) << 31)));
  int32_t right = std::clamp(byteSumBits - zeros + 31 - 16, 0, 31);
  for (int64_t index = 0; index < depth; ++index) {
    int32_t product =
        doublingHighMultiply(reciprocal, exponential(most - from[index]));
    to[index] = uint16_t(std::clamp(roundingShift(product, right), 0, 65535));
  }
}

Status runByteSoftmax(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(uint16_t *to, run.allocate<uint16_t>(0));
  int64_t depth = use.extent(0, use.rank(0) - 1);
  if (depth > mostBytesOfSoftmax)
    return fail("depth ", depth, " must be at most ", mostBytesOfSoftmax);
  std::optional<ByteExponential> exponential =
      ByteExponential::of(use.input(0).scale, use.real("beta"));
  if (!exponential)
    return fail("scale ", use.input(0).scale, " times beta is below 2^-27");
  for (int64_t done = 0, count = elementCount(use.input(0)); done < count;
       done += depth)
    softmaxByteRow(to + done, use.data<int8_t>(0) + done, depth, *exponential);
  return Status::ok();
}

Status runFloatSoftmax(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  const auto *from = use.data<float>(0);
  float beta = use.real("beta");
  int64_t depth = use.extent(0, use.rank(0) - 1);
  for (int64_t count = elementCount(use.input(0)); count > 0;
       count -= depth, to += depth, from += depth) {
    float most = *std::max_element(from, from + depth), sum = 0.0f;
    for (int64_t index = 0; index < depth; ++index)
      sum += to[index] = std::exp((from[index] - most) * beta);
    for (int64_t index = 0; index < depth; ++index)
      to[index] /= sum;
  }
  return Status::ok();
}

Status runSoftmax(Run &run) {
  const Use &use = run.use;
  if (use.element(0) == Element::float32)
    return runFloatSoftmax(run);
  if (use.element(0) == Element::int8)
    return runByteSoftmax(run);
  NNHAL_ASSIGN_OR_RETURN(int16_t *to, run.allocate<int16_t>(0));
  int64_t depth = use.extent(0, use.rank(0) - 1);
  // The sum of as many exponentials as this has 31 bits.
  if (depth > 65536)
    return fail("depth ", depth, " must be at most 65536");
  Factor factor = softmaxFactor(use.input(0).scale, use.real("beta"));
  for (int64_t done = 0, count = elementCount(use.input(0)); done < count;
       done += depth)
    softmaxRow(to + done, use.data<int16_t>(0) + done, depth, factor);
  return Status::ok();
}

constexpr OptionRow options[] = {{"beta", OptionKind::real}};
constexpr ElementSet elements =
    elementSet(Element::float32, Element::int8, Element::int16);

constexpr OperatorRow rows[] = {
    {25, "SOFTMAX", "input ", 0, elements, options, 1, checkSoftmax,
     runSoftmax},
};

} // namespace

Rows tflite::softmaxRows() { return rows; }
