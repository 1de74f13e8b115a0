//===- SplitAtCommas.h - The parts of a list in a text ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_SPLITATCOMMAS_H
#define NNHAL_LIB_RUNTIME_SUPPORT_SPLITATCOMMAS_H

#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Returns the parts of \p text between commas, which are views of it; one
/// empty part for an empty text. Threads: pure function.
inline std::vector<std::string_view> splitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos)
      return parts;
    text.remove_prefix(comma + 1);
  }
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_SPLITATCOMMAS_H
