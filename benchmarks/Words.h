//===- Words.h - Command lines of benchmarks without options ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BENCHMARKS_WORDS_H
#define NNHAL_BENCHMARKS_WORDS_H

#include "nnhal/Runtime/Version.h"

#include <fmt/format.h>

#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal {

/// The text of --help, and how many words a command line has.
struct WordsUsage {
  std::string_view program = {};
  /// The words behind the name of the program.
  std::string_view words = {};
  std::string_view purpose = {};
  size_t least = 0;
  size_t most = 0;
  /// How many words are the program's own: options behind them are those of
  /// another program.
  size_t own = SIZE_MAX;
};

/// Ends the program with the status of a wrong usage.
[[noreturn]] inline void misuse(std::string_view message) {
  fmt::print(stderr, "error: {}; try --help\n", message);
  std::exit(2);
}

/// Prints \p text and ends the program.
[[noreturn]] inline void printText(std::string_view text) {
  bool isWritten =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      std::fflush(stdout) == 0;
  if (!isWritten)
    std::perror("error: cannot write to standard output");
  std::exit(isWritten ? 0 : 1);
}

/// Prints the version of \p program and ends the program.
[[noreturn]] inline void printVersion(std::string_view program) {
  printText(fmt::format("{} {}\n", program, NNHAL_VERSION));
}

/// Prints the text of --help or --version and ends the program where \p word is
/// one of these; refuses other options.
inline void checkWord(const WordsUsage &usage, std::string_view word) {
  if (!word.starts_with("--"))
    return;
  if (word == "--help")
    printText(fmt::format("usage: {}{}{}\n\n{}\n\noptions:\n"
                          "  --help     print this text\n"
                          "  --version  print the version\n",
                          usage.program, usage.words.empty() ? "" : " ",
                          usage.words, usage.purpose));
  if (word == "--version")
    printVersion(usage.program);
  misuse(fmt::format("unknown option '{}'", word));
}

/// The words of a command line; ends the program where it asks for a text or is
/// wrong.
inline std::vector<std::string> readWords(const WordsUsage &usage, int argc,
                                          char **argv) {
  std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  for (size_t i = 0; i < words.size() && i < usage.own; ++i)
    checkWord(usage, words[i]);
  if (words.size() < usage.least)
    misuse(
        fmt::format("found {} words, expected {}", words.size(), usage.words));
  if (words.size() > usage.most)
    misuse(fmt::format("unexpected '{}'", words[usage.most]));
  return words;
}

} // namespace nnhal

#endif // NNHAL_BENCHMARKS_WORDS_H
