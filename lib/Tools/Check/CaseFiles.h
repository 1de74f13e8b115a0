//===- CaseFiles.h - Which test cases of which files run --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_CHECK_CASEFILES_H
#define NNHAL_LIB_TOOLS_CHECK_CASEFILES_H

#include "nnhal/Runtime/TestCase.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace nnhal::tools {

/// Returns all .json files of \p paths, in order; folders are searched. Fails
/// with invalidArgument for a folder that has none or cannot be read.
rt::Result<std::vector<std::string>>
findCaseFiles(const std::vector<std::string> &paths);

/// Calls \p visit with each case of the file \p path, like readTestCases().
rt::Status visitCases(const std::string &path,
                      const std::function<rt::Status(rt::TestCase)> &visit);

/// Decides which cases run: those that a regular expression matches, and of
/// these a sample, which is the same everywhere.
class CaseSelection {
public:
  /// An empty \p pattern matches every case; all cases run without \p sample.
  CaseSelection(std::string pattern, std::optional<uint64_t> sample)
      : pattern(std::move(pattern)), sample(sample) {}

  /// Reads \p files for the sample. Fails with invalidArgument for a pattern
  /// that is not a regular expression, and like visitCases().
  rt::Status prepare(const std::vector<std::string> &files);

  bool contains(const rt::TestCase &test) const;

private:
  bool matches(const rt::TestCase &test) const;
  rt::Status takeSample(const std::vector<std::string> &files);

  std::string pattern;
  std::optional<uint64_t> sample;
  std::optional<std::regex> filter;
  uint64_t highestRank = UINT64_MAX;
};

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_CHECK_CASEFILES_H
