//===- Markup.cpp - HTML and SVG with every element closed ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Markup.h"

#include <fmt/format.h>

#include <iterator>

using namespace nnhal;
using namespace nnhal::tools;

std::string tools::escapeMarkup(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  }
  return escaped;
}

std::string tools::attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escapeMarkup(value));
}

Markup &Markup::open(std::string_view tag, std::string_view attributes) {
  fmt::format_to(std::back_inserter(written), "<{}{}>", tag, attributes);
  opened.emplace_back(tag);
  return *this;
}

Markup &Markup::close() {
  fmt::format_to(std::back_inserter(written), "</{}>\n", opened.back());
  opened.pop_back();
  return *this;
}

Markup &Markup::text(std::string_view content) {
  written += escapeMarkup(content);
  return *this;
}

Markup &Markup::element(std::string_view tag, std::string_view content,
                        std::string_view attributes) {
  return open(tag, attributes).text(content).close();
}

Markup &Markup::shape(std::string_view tag, std::string_view attributes) {
  fmt::format_to(std::back_inserter(written), "<{}{}/>", tag, attributes);
  return *this;
}

Markup &Markup::raw(std::string_view markup) {
  written += markup;
  return *this;
}

std::string Markup::take() {
  while (!opened.empty())
    close();
  return std::move(written);
}
