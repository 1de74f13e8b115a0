//===- MlirText.cpp - Fuzzes the compiler with MLIR -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is MLIR, textual or bytecode, that the compiler takes through all of
// its phases. The compiler is not instrumented: libFuzzer sees none of its
// coverage, and a finding is what ends the process, takes too long, or leaves
// an artifact that cannot be read.
//
//===----------------------------------------------------------------------===//

#include "CompilingDevice.h"
#include "FuzzTarget.h"

#include "Runtime/Artifact/ModelCache.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/PrepareOptions.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <vector>

using namespace nnhal::rt;
using namespace nnhal::rt::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  CompileOptions options;
  options.targetCpu = "x86-64-v3";
  auto compiled =
      otherCompiler().compileMlir(bytesOf(data, size), "fuzz", options);
  requireReason(compiled.status());
  if (!compiled.isOk())
    return 0;
  auto artifact = readModelCache(compiled->modelCache);
  require(artifact.isOk(), artifact.status().message());
  return 0;
}

namespace {
/// A number, a name or one other character of text.
struct Token {
  size_t begin;
  size_t size;
};
} // namespace

static std::vector<Token> tokensOf(std::string_view text) {
  auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '.' || c == '%' || c == '@' || c == '#' || c == '!';
  };
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (isWord(text[at]))
      while (end < text.size() && isWord(text[end]))
        ++end;
    if (!std::isspace(static_cast<unsigned char>(text[at])))
      tokens.push_back({at, end - at});
    at = end;
  }
  return tokens;
}

/// Replaces a number by an unusual one, a token by another one of the text, or
/// leaves out or repeats a line.
static std::string mutateText(std::string_view text, Random &random) {
  std::vector<Token> tokens = tokensOf(text);
  std::string changed(text);
  if (tokens.empty())
    return changed;
  Token token = tokens[random.below(tokens.size())];
  std::string_view word = text.substr(token.begin, token.size);
  if (std::isdigit(static_cast<unsigned char>(word[0])) && !random.oneOf(4)) {
    // An extent of a shape ends with an x.
    size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
    return changed.replace(token.begin, digits,
                           std::to_string(unusualNumber(random)));
  }
  size_t line = text.rfind('\n', token.begin);
  line = line == text.npos ? 0 : line + 1;
  size_t end = std::min(text.find('\n', token.begin), text.size() - 1) + 1;
  switch (random.below(4)) {
  case 0:
    return changed.erase(line, end - line);
  case 1:
    return changed.insert(line, std::string(text.substr(line, end - line)));
  default: {
    Token other = tokens[random.below(tokens.size())];
    return changed.replace(token.begin, token.size,
                           std::string(text.substr(other.begin, other.size)));
  }
  }
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  Random random(seed);
  bool isBytecode = textOf(data, size).starts_with("ML\xefR");
  if (isBytecode || random.oneOf(8))
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(textOf(data, size));
  for (size_t count = 1 + random.below(3); count > 0; --count)
    text = mutateText(text, random);
  if (text.size() > maxSize)
    return size;
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
