//===- Axis.cpp - Where numbers lie in a plot -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Axis.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;

// A little room at both ends, as a factor.
static constexpr double room = 1.12;

void LogAxis::include(double value) {
  if (!(value > 0.0) || std::isinf(value))
    return;
  low = isEmpty() ? value / room : std::min(low, value / room);
  high = std::max(high, value * room);
}

double LogAxis::place(double value) const {
  if (isEmpty() || !(value > low))
    return 0.0;
  double part = std::log(value / low) / std::log(high / low);
  return 100.0 * std::min(part, 1.0);
}

std::vector<double> LogAxis::ticks(size_t most) const {
  std::vector<double> best;
  if (isEmpty())
    return best;
  // Ever more of the numbers in each power of ten, as long as there is room.
  static const std::vector<std::vector<double>> mantissas = {
      {1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}};
  for (const std::vector<double> &chosen : mantissas) {
    std::vector<double> ticks;
    for (double power = std::floor(std::log10(low));
         power <= std::ceil(std::log10(high)); ++power)
      for (double mantissa : chosen)
        if (double tick = mantissa * std::pow(10.0, power);
            tick >= low && tick <= high)
          ticks.push_back(tick);
    if (ticks.size() > most)
      break;
    best = std::move(ticks);
  }
  return best;
}
