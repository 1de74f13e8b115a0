//===- Repository.cpp - The folder of the models --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Repository.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <vector>

using namespace nnhal;
using namespace nnhal::serving;
namespace fs = std::filesystem;

/// In the order in which they are preferred: an artifact is what a compiler has
/// made of one of the others.
static constexpr std::string_view extensions[] = {".nncache", ".tflite",
                                                  ".json"};

static bool isHidden(const fs::path &path) {
  return path.filename().native().starts_with('.');
}

/// When \p path and its permissions were written and what it is; empty where
/// there is nothing.
static std::string stampOf(const std::string &path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0)
    return {};
  return fmt::format("{}:{}.{}:{}.{}:{}:{}", found.st_ino, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec, found.st_ctim.tv_sec,
                     found.st_ctim.tv_nsec, found.st_size, path);
}

static std::optional<uint64_t> versionOf(std::string_view name) {
  uint64_t number = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number == 0 ||
      name.starts_with('0') || number > uint64_t(INT64_MAX))
    return std::nullopt;
  return number;
}

/// Whether \p error says more than that a file or folder has gone.
static bool isProblem(const std::error_code &error) {
  return error && error != std::errc::no_such_file_or_directory &&
         error != std::errc::not_a_directory;
}

/// The file of the model in the folder of a version; empty for none, and where
/// \p problem is set.
static std::string modelFileIn(const fs::path &folder,
                               std::error_code &problem) {
  for (std::string_view extension : extensions) {
    std::error_code error;
    fs::path path = folder / ("model" + std::string(extension));
    if (fs::is_regular_file(path, error))
      return path.string();
    if (isProblem(error))
      problem = error;
  }
  return {};
}

static void addVersions(const fs::path &folder, FoundModel &model) {
  std::error_code error;
  std::error_code problem;
  std::string config = (folder / "config.json").string();
  for (fs::directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    std::optional<uint64_t> number =
        versionOf(entry->path().filename().native());
    if (!number)
      continue;
    std::string path = modelFileIn(entry->path(), problem);
    if (!path.empty())
      model.versions[*number] = {path, stampOf(path) + "|" + stampOf(config)};
  }
  if (isProblem(error))
    problem = error;
  // A link to settings that are not there is a failure to read them.
  if (fs::exists(fs::symlink_status(config, error)))
    model.config = config;
  if (problem)
    model.problem = rt::failure("cannot read the folder '{}': {}",
                                folder.string(), problem.message());
}

/// A model that is a single file. One that has a folder with a version 1, too,
/// or an artifact, is that.
static void addFile(const fs::path &path, FoundModels &models) {
  auto rank = [](const fs::path &of) {
    return std::ranges::find(extensions, of.extension().native()) -
           std::begin(extensions);
  };
  if (rank(path) == std::ssize(extensions))
    return;
  FoundModel &model = models[path.stem().string()];
  auto [found, isNew] = model.versions.try_emplace(1);
  bool isFile =
      isNew || fs::path(found->second.path).parent_path() == path.parent_path();
  if (isNew || (isFile && rank(path) < rank(found->second.path)))
    found->second = {path.string(), stampOf(path.string())};
}

rt::Result<FoundModels> serving::scanRepository(const std::string &directory) {
  FoundModels models;
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(directory, error), end;
       !error && entry != end; entry.increment(error)) {
    if (isHidden(entry->path()))
      continue;
    std::error_code unknown;
    fs::file_status status = entry->status(unknown);
    std::string name = entry->path().filename().string();
    if (isProblem(unknown))
      models[name].problem = rt::failure(
          "cannot read '{}': {}", entry->path().string(), unknown.message());
    else if (fs::is_directory(status))
      addVersions(entry->path(), models[name]);
    else if (fs::is_regular_file(status))
      files.push_back(entry->path());
  }
  if (error)
    return rt::failure("cannot read the folder of models '{}': {}", directory,
                       error.message());
  for (const fs::path &file : files)
    addFile(file, models);
  std::erase_if(models, [](const auto &entry) {
    return entry.second.versions.empty() && entry.second.problem.isOk();
  });
  return models;
}
