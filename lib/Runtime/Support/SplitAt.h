//===- SplitAt.h - The parts of a list in a text ----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_SUPPORT_SPLITAT_H
#define NNHAL_LIB_RUNTIME_SUPPORT_SPLITAT_H

#include <string_view>
#include <vector>

namespace nnhal::rt {

/// Returns the parts of \p text between characters \p separator, which are
/// views of it; one empty part for an empty text. Threads: pure function.
inline std::vector<std::string_view> splitAt(std::string_view text,
                                             char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_SUPPORT_SPLITAT_H
