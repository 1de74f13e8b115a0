//===- Ranking.h - The highest values of an output --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_TENSORS_RANKING_H
#define NNHAL_LIB_TOOLS_TENSORS_RANKING_H

#include "Outputs.h"

#include "nnhal/Runtime/Interface.h"

#include <cstdint>
#include <vector>

namespace nnhal::tools {

/// An element of an output, by its place.
struct Ranked {
  uint64_t index = 0;
  /// The real number that it stands for.
  double value = 0.0;
};

/// The number of elements of \p output.
uint64_t countElements(const OutputTensor &output);

/// The real numbers that the elements of \p output, that of \p tensor, stand
/// for, by their places: the first \p count of them.
std::vector<Ranked> loadElements(const OutputTensor &output,
                                 const rt::InterfaceTensor &tensor,
                                 uint64_t count);

/// The \p count highest elements of \p output, that of \p tensor; of equal ones
/// the first in their order. What is no number is the lowest.
std::vector<Ranked> rankElements(const OutputTensor &output,
                                 const rt::InterfaceTensor &tensor,
                                 uint64_t count);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_TENSORS_RANKING_H
