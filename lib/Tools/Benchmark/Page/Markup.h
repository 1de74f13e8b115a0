//===- Markup.h - HTML and SVG with every element closed --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_PAGE_MARKUP_H
#define NNHAL_LIB_TOOLS_BENCHMARK_PAGE_MARKUP_H

#include <string>
#include <string_view>
#include <vector>

namespace nnhal::tools {

/// \p text with the characters of markup as entities.
std::string escapeMarkup(std::string_view text);

/// ` name="value"`, escaped, to be put into a start tag.
std::string attribute(std::string_view name, std::string_view value);

/// Writes elements in order. Texts are escaped, and nothing stays open.
class Markup {
public:
  /// Opens an element; \p attributes are those of attribute(), one after the
  /// other.
  Markup &open(std::string_view tag, std::string_view attributes = {});
  /// Closes the last element that is open.
  Markup &close();
  Markup &text(std::string_view content);
  /// An element with nothing but a text.
  Markup &element(std::string_view tag, std::string_view content,
                  std::string_view attributes = {});
  /// An element of SVG without content.
  Markup &shape(std::string_view tag, std::string_view attributes);

  /// Markup that has been written elsewhere.
  Markup &raw(std::string_view markup);

  /// Closes what is open and returns everything.
  std::string take();

private:
  std::string written;
  std::vector<std::string> opened;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_PAGE_MARKUP_H
