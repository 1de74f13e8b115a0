//===- Recurrent.cpp - Recurrent operators --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SVDF with 16-bit state. A state is an input and, behind the results, an
// output.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "FixedPoint.h"

#include <cstring>

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet int8Only = elementSet(Element::int8);
constexpr ElementSet int16Only = elementSet(Element::int16);

enum SvdfTensor : size_t { svdfInput, feature, timeWeights, bias, state };

Result<Types> checkSvdf(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkElement(feature, int8Only));
  NNHAL_RETURN_IF_ERROR(
      use.checkElement(timeWeights, elementSet(Element::int8, Element::int16)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(bias, elementSet(Element::int32)));
  NNHAL_RETURN_IF_ERROR(use.checkElement(state, int16Only));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, int8Only));
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(1, int16Only));
  for (size_t tensor :
       {size_t(svdfInput), size_t(feature), size_t(timeWeights), size_t(state)})
    NNHAL_RETURN_IF_ERROR(use.checkRank(tensor, 2, 2));
  NNHAL_RETURN_IF_ERROR(use.checkScales(bias));
  NNHAL_RETURN_IF_ERROR(use.checkScale(use.input(state), use.nameOf(state)));
  int64_t filters = use.extent(feature, 0), rank = use.integer("rank");
  int64_t memory = use.extent(timeWeights, 1);
  NNHAL_RETURN_IF_ERROR(use.checkExtent(feature, 1, use.extent(svdfInput, 1)));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(timeWeights, 0, filters));
  NNHAL_RETURN_IF_ERROR(use.checkExtent(state, 0, use.extent(svdfInput, 0)));
  if (filters == unknownExtent || memory == unknownExtent || memory < 1)
    return refuse("the weights have ", filters, " filters of ", memory,
                  " elements, but must have known numbers of at least 1");
  if (filters % rank != 0)
    return refuse("option rank is ", rank, ", but must divide the ", filters,
                  " filters");
  NNHAL_RETURN_IF_ERROR(use.checkExtent(state, 1, filters * memory));
  int64_t units = filters / rank;
  if (use.has(bias)) {
    NNHAL_RETURN_IF_ERROR(use.checkRank(bias, 1, 1));
    NNHAL_RETURN_IF_ERROR(use.checkExtent(bias, 0, units));
  }
  int64_t batches = use.extent(svdfInput, 0);
  return Types{resultType(use, 0, {batches, units}),
               resultType(use, 1, {batches, filters * memory})};
}

/// Moves each filter's memory by one, and appends what the features of this
/// step give.
void updateMemory(const Use &use, int16_t *to, Factor factor) {
  int64_t filters = use.extent(feature, 0), inputs = use.extent(svdfInput, 1);
  int64_t memory = use.extent(timeWeights, 1);
  int32_t zeroPoint = use.input(svdfInput).zeroPoint;
  const auto *old = use.data<int16_t>(state);
  for (int64_t batch = 0; batch < use.extent(svdfInput, 0); ++batch) {
    const auto *x = use.data<int8_t>(svdfInput) + batch * inputs;
    const auto *weights = use.data<int8_t>(feature);
    for (int64_t filter = 0; filter < filters;
         ++filter, to += memory, old += memory, weights += inputs) {
      std::copy_n(old + 1, memory - 1, to);
      uint32_t sum = 0;
      for (int64_t index = 0; index < inputs; ++index)
        sum += uint32_t(weights[index] * (x[index] - zeroPoint));
      to[memory - 1] =
          int16_t(boundsOf<int16_t>()(scale(int32_t(sum), factor)));
    }
  }
}

/// Returns the product of a filter's memory and its weights over time.
template <typename T>
uint32_t overTime(const T *weights, const int16_t *memory, int64_t count) {
  uint32_t sum = 0;
  for (int64_t index = 0; index < count; ++index)
    sum += uint32_t(int32_t(weights[index]) * memory[index]);
  return sum;
}

Status runSvdf(Run &run) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(int8_t *to, run.allocate<int8_t>(0));
  NNHAL_ASSIGN_OR_RETURN(int16_t *memories, run.allocate<int16_t>(1));
  // TensorFlow Lite computes both factors in single precision.
  float stateScale = use.input(state).scale;
  updateMemory(use, memories,
               factorOf(use.input(svdfInput).scale * use.input(feature).scale /
                        stateScale));
  Factor factor =
      factorOf(stateScale * use.input(timeWeights).scale / use.output(0).scale);
  int64_t memory = use.extent(timeWeights, 1), rank = use.integer("rank");
  int64_t units = run.types[0].dimensions[1];
  for (int64_t batch = 0; batch < run.types[0].dimensions[0]; ++batch)
    for (int64_t unit = 0; unit < units; ++unit, ++to) {
      uint32_t sum =
          use.has(bias) ? uint32_t(use.data<int32_t>(bias)[unit]) : 0;
      for (int64_t filter = unit * rank; filter < (unit + 1) * rank;
           ++filter, memories += memory)
        sum += use.element(timeWeights) == Element::int16
                   ? overTime(use.data<int16_t>(timeWeights) + filter * memory,
                              memories, memory)
                   : overTime(use.data<int8_t>(timeWeights) + filter * memory,
                              memories, memory);
      int32_t value =
          wrappingAdd(scale(int32_t(sum), factor), use.output(0).zeroPoint);
      *to = int8_t(boundsOf<int8_t>()(value));
    }
  return Status::ok();
}

constexpr OptionRow svdfOptions[] = {{"rank", OptionKind::integer, 1, 65535},
                                     activationOption};

constexpr OperatorRow rows[] = {
    {27, "SVDF", "input feature_weights time_weights bias? state ", 0, int8Only,
     svdfOptions, 2, checkSvdf, runSvdf},
};

} // namespace

Rows tflite::recurrentRows() { return rows; }
