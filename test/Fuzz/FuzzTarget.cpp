//===- FuzzTarget.cpp - What fuzz targets share ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuzzTarget.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <limits>

namespace nnhal::rt::fuzz {

void require(bool holds, std::string_view what) {
  if (holds)
    return;
  fmt::print(stderr, "finding: {}\n", what);
  std::abort();
}

void requireReason(const Status &status) {
  require(status.isOk() || !status.message().empty(), "a failure says nothing");
}

int64_t unusualNumber(Random &random) {
  static constexpr int64_t bounds[] = {0,
                                       1,
                                       4,
                                       8,
                                       64,
                                       127,
                                       128,
                                       255,
                                       256,
                                       4096,
                                       65535,
                                       65536,
                                       1 << 20,
                                       1 << 24,
                                       1 << 30,
                                       std::numeric_limits<int32_t>::max(),
                                       int64_t(1) << 31,
                                       std::numeric_limits<uint32_t>::max(),
                                       int64_t(1) << 32,
                                       int64_t(1) << 40,
                                       int64_t(1) << 53,
                                       std::numeric_limits<int64_t>::max() - 1};
  int64_t bound = bounds[random.below(std::size(bounds))];
  switch (random.below(4)) {
  case 0:
    return bound;
  case 1:
    return bound - 1 + int64_t(random.below(3));
  case 2:
    return -bound - int64_t(random.below(2));
  default:
    return int64_t(random.below(16)) - 4;
  }
}

} // namespace nnhal::rt::fuzz
