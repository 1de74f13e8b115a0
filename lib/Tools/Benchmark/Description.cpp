//===- Description.cpp - What is to be measured ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"

#include "Runtime/Formats/Json/JsonNode.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Execution/ModelFile.h"
#include "Tools/Options/Values.h"
#include "nnhal/Runtime/TestCase.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;
namespace fs = std::filesystem;

std::string BenchmarkWay::name() const {
  if (!isService)
    return std::string(nameOf(mode));
  return mode == ExecutionMode::sync ? "service"
                                     : fmt::format("service-{}", nameOf(mode));
}

rt::Result<std::unique_ptr<DataSet>>
tools::openDataSet(const DataEntry &entry, const NamedShapes &shapes) {
  switch (entry.kind) {
  case DataKind::photos:
    return openPhotos(entry.photos);
  case DataKind::tensors:
    return openTensors(entry.tensors);
  case DataKind::random:
    return randomData(entry.seed, shapes);
  case DataKind::examples:
    break;
  }
  return badData("the examples of '{}' are those of a test case", entry.name);
}

rt::Result<BenchmarkWay> tools::parseBenchmarkWay(std::string_view text) {
  static constexpr Choice<ExecutionMode> modes[] = {
      {"sync", ExecutionMode::sync},
      {"async", ExecutionMode::async},
      {"fenced", ExecutionMode::fenced},
      {"burst", ExecutionMode::burst}};
  for (bool isService : {false, true})
    for (const auto &[word, mode] : modes)
      if (BenchmarkWay way = {mode, isService}; way.name() == text)
        return way;
  return badData("'{}' is not sync, async, fenced, burst or service, nor one "
                 "of service-async, service-fenced and service-burst",
                 text);
}

static ModelEntry modelOf(const std::string &file) {
  ModelEntry model;
  model.file = file;
  model.name = fs::path(file).stem().string();
  return model;
}

rt::Result<std::vector<ModelEntry>>
tools::findModels(std::span<const std::string> paths) {
  std::vector<ModelEntry> models;
  for (const std::string &path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      auto kind = kindOfName(path);
      if (kind != ModelKind::tflite && kind != ModelKind::json)
        return badData("'{}' is not a .tflite or .json file, and no folder",
                       path);
      models.push_back(modelOf(path));
      continue;
    }
    std::vector<ModelEntry> found;
    for (fs::directory_iterator files(path, error);
         !error && files != fs::directory_iterator(); files.increment(error))
      if (files->path().extension() == ".tflite")
        found.push_back(modelOf(files->path().string()));
    if (error)
      return badData("cannot list '{}': {}", path, error.message());
    if (found.empty())
      return badData("there is no .tflite file in '{}'", path);
    std::ranges::sort(found, {}, &ModelEntry::file);
    std::ranges::move(found, std::back_inserter(models));
  }
  return models;
}

/// The names of the cases in a file of test cases; nothing for another file.
static rt::Result<std::vector<std::string>> casesOf(const std::string &path) {
  std::vector<std::string> names;
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document,
                         rt::parseJson(text, "the model"));
  if (!document.is_object() || !document.contains("cases"))
    return names;
  NNHAL_RETURN_IF_ERROR(rt::readTestCases(
      text,
      [&](const rt::TestCase &test) {
        names.push_back(test.name);
        return Status::ok();
      },
      fs::path(path).parent_path().string()));
  if (names.empty())
    return badData("there is no test case");
  return names;
}

Status tools::expandTestCases(std::vector<ModelEntry> &models) {
  std::vector<ModelEntry> expanded;
  for (const ModelEntry &model : models) {
    std::vector<std::string> cases;
    // A file that is not there is a run that fails.
    if (model.file.ends_with(".json") && fs::exists(model.file)) {
      auto found = casesOf(model.file);
      if (!found.isOk())
        return std::move(found).takeStatus().withContext(
            fmt::format("'{}'", model.file));
      cases = *std::move(found);
    }
    if (cases.empty())
      expanded.push_back(model);
    for (size_t i = 0; i < cases.size(); ++i) {
      ModelEntry one = model;
      one.testCase = i;
      if (cases.size() > 1)
        one.name += fmt::format(" {}", cases[i]);
      expanded.push_back(std::move(one));
    }
  }
  models = std::move(expanded);
  return Status::ok();
}
