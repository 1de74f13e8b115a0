//===- Ranking.cpp - The highest values of an output ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranking.h"

#include "Npy.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace nnhal;
using namespace nnhal::tools;

uint64_t tools::countElements(const OutputTensor &output) {
  return output.bytes.size() / formatOf(output.type, output.kind).size;
}

std::vector<Ranked> tools::loadElements(const OutputTensor &output,
                                        const rt::InterfaceTensor &tensor,
                                        uint64_t count) {
  const ElementFormat &format = formatOf(output.type, output.kind);
  double scale = tensor.scale != 0.0f ? double(tensor.scale) : 1.0;
  std::vector<Ranked> elements(std::min(count, countElements(output)));
  for (uint64_t i = 0; i < elements.size(); ++i) {
    double stored = format.load(output.bytes.data() + i * format.size);
    elements[i] = {i, scale * (stored - double(tensor.zeroPoint))};
  }
  return elements;
}

std::vector<Ranked> tools::rankElements(const OutputTensor &output,
                                        const rt::InterfaceTensor &tensor,
                                        uint64_t count) {
  std::vector<Ranked> elements =
      loadElements(output, tensor, countElements(output));
  auto key = [](const Ranked &element) {
    double value = std::isnan(element.value)
                       ? -std::numeric_limits<double>::infinity()
                       : element.value;
    return std::pair(-value, element.index);
  };
  count = std::min<uint64_t>(count, elements.size());
  std::ranges::partial_sort(elements, elements.begin() + ptrdiff_t(count), {},
                            key);
  elements.resize(count);
  return elements;
}
