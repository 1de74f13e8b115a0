//===- Ways.h - The ways in which cases are executed ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_WAYS_H
#define NNHAL_LIB_TOOLS_CHECK_WAYS_H

#include "nnhal/Runtime/Status.h"

#include <string_view>
#include <vector>

namespace nnhal::tools {

/// A way to execute a test case.
enum class Way {
  sync,
  async,
  fenced,
  /// The case runs over the queues of a burst.
  burst,
  /// The case runs synchronously, with all arguments in buffers of the device.
  buffers,
  /// The case runs synchronously, as prepared from a compilation cache.
  cached,
  /// The case runs synchronously, at first with outputs that are one element
  /// too small.
  insufficient
};

std::string_view nameOf(Way way);

/// Ways that follow each other.
struct Ways {
  /// The list is empty where nobody asked for a way: then Way::sync is used,
  /// and no message names it.
  std::vector<Way> list;
  /// All ways were asked for, and so none in particular.
  bool isAll = false;

  bool contains(Way way) const;
};

/// Reads ways separated by commas, or "all". Fails with invalidArgument, which
/// names the one that does not exist.
rt::Result<Ways> parseWays(std::string_view text);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_WAYS_H
