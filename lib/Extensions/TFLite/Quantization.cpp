//===- Quantization.cpp - Quantized numbers and back ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// QUANTIZE and DEQUANTIZE.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FixedPoint.h"

#include <cmath>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

/// UINT16 is INT16 with a zero point, whose numbers are 32768 above.
constexpr ElementSet integers =
    elementSet(Element::int8, Element::uint8, Element::int16, Element::int32,
               Element::uint16);
constexpr ElementSet quantizable = integers | elementSet(Element::float32);
constexpr ElementSet dequantizable =
    elementSet(Element::int8, Element::uint8, Element::int16, Element::uint16,
               Element::float16);

Result<Types> checkQuantize(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, integers));
  NNHAL_RETURN_IF_ERROR(use.checkScale(use.output(0), "output 0"));
  if (use.element(0) != Element::float32)
    NNHAL_RETURN_IF_ERROR(use.checkScale(use.input(0), use.nameOf(0)));
  else if (use.resultElement(0) == Element::int32)
    return refuse("FLOAT32 does not become INT32");
  return onlyResult(use, use.input(0).dimensions);
}

/// The scale and zero point of a result.
struct Steps {
  float scale, zeroPoint;
};

template <typename T>
NNHAL_KERNEL_PART void quantizeAll(T *to, const float *from, int64_t count,
                                   Steps steps) {
  constexpr auto least = float(std::numeric_limits<T>::min());
  constexpr auto most = float(std::numeric_limits<T>::max());
  for (int64_t index = 0; index < count; ++index) {
    float value = std::round(from[index] / steps.scale) + steps.zeroPoint;
    // Not a number becomes the least one.
    value = value > least ? value : least;
    to[index] = T(int32_t(value < most ? value : most));
  }
}
NNHAL_TARGET_CLONES void quantizeRow(int16_t *to, const float *from,
                                     int64_t count, const Steps &steps) {
  quantizeAll(to, from, count, steps);
}
NNHAL_TARGET_CLONES void quantizeRow(int8_t *to, const float *from,
                                     int64_t count, const Steps &steps) {
  quantizeAll(to, from, count, steps);
}
NNHAL_TARGET_CLONES void quantizeRow(uint8_t *to, const float *from,
                                     int64_t count, const Steps &steps) {
  quantizeAll(to, from, count, steps);
}
NNHAL_TARGET_CLONES void quantizeRow(uint16_t *to, const float *from,
                                     int64_t count, const Steps &steps) {
  quantizeAll(to, from, count, steps);
}

template <typename T> Status quantize(Run &run) {
  if constexpr (sizeof(T) < 4) {
    NNHAL_ASSIGN_OR_RETURN(T * to, run.allocate<T>(0));
    quantizeRow(to, run.use.data<float>(0), elementCount(run.types[0]),
                {run.use.output(0).scale, float(run.use.output(0).zeroPoint)});
  }
  return Status::ok();
}

struct Requantization {
  Factor factor;
  int32_t from = 0, to = 0;
  Bounds bounds;
};

template <typename To, typename From>
NNHAL_KERNEL_PART void requantizeAll(To *to, const From *from, int64_t count,
                                     Requantization p) {
  for (int64_t index = 0; index < count; ++index) {
    int32_t value = wrappingAdd(from[index], -p.from);
    to[index] = To(p.bounds(wrappingAdd(scale(value, p.factor), p.to)));
  }
}

NNHAL_TARGET_CLONES void requantizeRow(int16_t *to, const int16_t *from,
                                       int64_t count, const Requantization &p) {
  requantizeAll(to, from, count, p);
}
NNHAL_TARGET_CLONES void requantizeRow(int8_t *to, const int16_t *from,
                                       int64_t count, const Requantization &p) {
  requantizeAll(to, from, count, p);
}
NNHAL_TARGET_CLONES void requantizeRow(int16_t *to, const int8_t *from,
                                       int64_t count, const Requantization &p) {
  requantizeAll(to, from, count, p);
}
template <typename To, typename From>
void requantizeRow(To *to, const From *from, int64_t count,
                   const Requantization &p) {
  requantizeAll(to, from, count, p);
}

Status runQuantize(Run &run) {
  const Use &use = run.use;
  return withNumber<integers>(use.resultElement(0), [&](auto result) -> Status {
    using To = decltype(result);
    if (use.element(0) == Element::float32)
      return quantize<To>(run);
    return withNumber<integers>(use.element(0), [&](auto input) -> Status {
      using From = decltype(input);
      NNHAL_ASSIGN_OR_RETURN(To * to, run.allocate<To>(0));
      double factor = double(use.input(0).scale) / double(use.output(0).scale);
      requantizeRow(to, use.data<From>(0), elementCount(run.types[0]),
                    {factorOf(factor), use.input(0).zeroPoint,
                     use.output(0).zeroPoint, boundsOf<To>()});
      return Status::ok();
    });
  });
}

Result<Types> checkDequantize(const Use &use) {
  NNHAL_RETURN_IF_ERROR(
      use.checkResultElement(0, elementSet(Element::float32)));
  if (use.element(0) != Element::float16)
    NNHAL_RETURN_IF_ERROR(use.checkScale(use.input(0), use.nameOf(0)));
  const rt::SymmPerChannelQuantParams &channels = use.input(0).channelQuant;
  if (!channels.scales.empty()) {
    if (channels.channelDim >= use.input(0).dimensions.size())
      return refuse(use.nameOf(0), " has scales of dimension ",
                    channels.channelDim, ", but rank ", use.rank(0));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(0, channels.channelDim,
                                          int64_t(channels.scales.size())));
  }
  return onlyResult(use, use.input(0).dimensions);
}

Status runDequantize(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(float *to, run.allocate<float>(0));
  int64_t count = elementCount(run.types[0]);
  if (use.element(0) == Element::float16) {
    for (int64_t index = 0; index < count; ++index)
      to[index] = floatOfHalf(use.data<uint16_t>(0)[index]);
    return Status::ok();
  }
  return withNumber<integers>(use.element(0), [&](auto zero) {
    const auto *from = use.data<decltype(zero)>(0);
    int32_t zeroPoint = use.input(0).zeroPoint;
    const rt::SymmPerChannelQuantParams &channels = use.input(0).channelQuant;
    if (channels.scales.empty()) {
      float scale = use.input(0).scale;
      for (int64_t index = 0; index < count; ++index)
        to[index] = scale * float(from[index] - zeroPoint);
      return Status::ok();
    }
    int64_t inner = 1;
    for (int64_t axis = channels.channelDim + 1; axis < use.rank(0); ++axis)
      inner *= use.extent(0, axis);
    for (int64_t index = 0; index < count; ++index)
      to[index] =
          channels.scales[size_t(index / inner) % channels.scales.size()] *
          float(from[index]);
    return Status::ok();
  });
}

constexpr OperatorRow rows[] = {
    {6,
     "DEQUANTIZE",
     "input ",
     0,
     dequantizable,
     {},
     1,
     checkDequantize,
     runDequantize},
    {114,
     "QUANTIZE",
     "input ",
     0,
     quantizable,
     {},
     1,
     checkQuantize,
     runQuantize},
};

} // namespace

Rows tflite::quantizationRows() { return rows; }
