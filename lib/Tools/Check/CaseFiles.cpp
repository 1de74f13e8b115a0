//===- CaseFiles.cpp - Which test cases of which files run ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaseFiles.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

rt::Result<std::vector<std::string>>
tools::findCaseFiles(const std::vector<std::string> &paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const std::string &path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (fs::recursive_directory_iterator it(path, error), end;
         !error && it != end; it.increment(error))
      if (it->path().extension() == ".json")
        found.push_back(it->path().string());
    if (error)
      return badData("cannot search '{}': {}", path, error.message());
    if (found.empty())
      return badData("no .json file in '{}'", path);
    std::ranges::sort(found);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

static std::string directoryOf(const std::string &path) {
  std::string directory = std::filesystem::path(path).parent_path().string();
  return directory.empty() ? "." : directory;
}

Status tools::visitCases(const std::string &path,
                         const std::function<Status(rt::TestCase)> &visit) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  return rt::readTestCases(
             {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
             visit, directoryOf(path))
      .withContext(fmt::format("'{}'", path));
}

/// A number that depends on nothing but \p name (FNV-1a), so that a sample is
/// the same everywhere.
static uint64_t rankOf(std::string_view name) {
  uint64_t rank = 0xcbf29ce484222325;
  for (char c : name)
    rank = (rank ^ uint8_t(c)) * 0x100000001b3;
  return rank;
}

Status CaseSelection::prepare(const std::vector<std::string> &files) {
  if (!pattern.empty())
    try {
      filter.emplace(pattern, std::regex::optimize);
    } catch (const std::regex_error &error) {
      return badData("--filter: '{}': {}", pattern, error.what());
    }
  return sample ? takeSample(files) : Status::ok();
}

bool CaseSelection::contains(const rt::TestCase &test) const {
  return matches(test) && (!sample || rankOf(test.name) <= highestRank);
}

bool CaseSelection::matches(const rt::TestCase &test) const {
  return !filter || std::regex_search(test.spec + "/" + test.name, *filter);
}

/// The sample is of the lowest ranks.
Status CaseSelection::takeSample(const std::vector<std::string> &files) {
  std::vector<uint64_t> ranks;
  for (const std::string &file : files)
    NNHAL_RETURN_IF_ERROR(visitCases(file, [&](const rt::TestCase &test) {
      if (matches(test))
        ranks.push_back(rankOf(test.name));
      return Status::ok();
    }));
  std::ranges::sort(ranks);
  if (!ranks.empty())
    highestRank = ranks[std::min<size_t>(*sample, ranks.size()) - 1];
  return Status::ok();
}
