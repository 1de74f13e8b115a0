//===- DescriptionFile.cpp - Descriptions of benchmarks as JSON -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Description.h"

#include "Runtime/Formats/Json/JsonNode.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::JsonNode;
using rt::Status;
namespace fs = std::filesystem;

namespace {

/// Reads members of objects into what they are for. A member that is absent
/// leaves its place as it is.
class Reader {
public:
  explicit Reader(fs::path folder) : folder(std::move(folder)) {}

  rt::Result<Description> read(const nlohmann::json &document);
  Status readData(const std::string &name, const JsonNode &node,
                  const nlohmann::json &raw, std::vector<DataEntry> &entries);
  rt::Result<EvaluatorRequest> readEvaluator(const JsonNode &node);

private:
  Status text(const JsonNode &node, std::string_view key, std::string &value);
  /// A path, relative to the folder of the file.
  Status file(const JsonNode &node, std::string_view key, std::string &value);
  template <typename Number>
  Status count(const JsonNode &node, std::string_view key, uint64_t least,
               uint64_t most, Number &value);
  template <typename Number>
  Status real(const JsonNode &node, std::string_view key, double least,
              double most, Number &value);
  Status colors(const JsonNode &node, std::string_view key, double least,
                std::array<double, 3> &values);
  /// Calls \p each with every element of an array.
  Status elements(const JsonNode &node, std::string_view key,
                  const std::function<Status(const JsonNode &)> &each);
  /// Calls \p each with the name and the value of every member of an object.
  Status
  members(const JsonNode &node, std::string_view key, const nlohmann::json &raw,
          const std::function<Status(const std::string &, const JsonNode &,
                                     const nlohmann::json &)> &each);

  rt::Result<ModelEntry> readModel(const JsonNode &node,
                                   const nlohmann::json &raw);
  Status readPhotos(const JsonNode &node, DataEntry entry,
                    std::vector<DataEntry> &entries);
  Status readTensors(const JsonNode &node, const nlohmann::json &raw,
                     DataEntry &entry);
  Status readFiles(const JsonNode &node, std::string_view key,
                   const nlohmann::json &raw, std::vector<NamedFile> &files);
  Status readSettings(const JsonNode &root, Description &description);

  fs::path folder;
};

} // namespace

Status Reader::text(const JsonNode &node, std::string_view key,
                    std::string &value) {
  if (auto member = node.find(key)) {
    NNHAL_ASSIGN_OR_RETURN(value, member->toString());
    if (value.empty())
      return member->error("expected a text, found an empty one");
  }
  return Status::ok();
}

Status Reader::file(const JsonNode &node, std::string_view key,
                    std::string &value) {
  std::string path;
  NNHAL_RETURN_IF_ERROR(text(node, key, path));
  if (!path.empty())
    value = (folder / path).lexically_normal().string();
  return Status::ok();
}

template <typename Number>
Status Reader::count(const JsonNode &node, std::string_view key, uint64_t least,
                     uint64_t most, Number &value) {
  if (auto member = node.find(key)) {
    NNHAL_ASSIGN_OR_RETURN(int64_t found,
                           member->toInteger(int64_t(least), int64_t(most)));
    value = uint64_t(found);
  }
  return Status::ok();
}

template <typename Number>
Status Reader::real(const JsonNode &node, std::string_view key, double least,
                    double most, Number &value) {
  if (auto member = node.find(key)) {
    NNHAL_ASSIGN_OR_RETURN(double found, member->toDouble());
    if (!(found >= least && found <= most))
      return member->error(fmt::format(
          "expected a number from {} to {}, found {}", least, most, found));
    value = found;
  }
  return Status::ok();
}

Status Reader::colors(const JsonNode &node, std::string_view key, double least,
                      std::array<double, 3> &values) {
  constexpr double most = 1e6;
  auto member = node.find(key);
  if (!member)
    return Status::ok();
  if (!member->checkArray().isOk()) {
    NNHAL_RETURN_IF_ERROR(real(node, key, least, most, values[0]));
    values.fill(values[0]);
    return Status::ok();
  }
  if (member->size() != values.size())
    return member->error(fmt::format(
        "expected a number, or 3 of them, found {}", member->size()));
  for (size_t i = 0; i < values.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(values[i], (*member)[i].toDouble());
    if (!(values[i] >= least && values[i] <= most))
      return (*member)[i].error(fmt::format(
          "expected a number from {} to {}, found {}", least, most, values[i]));
  }
  return Status::ok();
}

Status Reader::elements(const JsonNode &node, std::string_view key,
                        const std::function<Status(const JsonNode &)> &each) {
  auto member = node.find(key);
  if (!member)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(member->checkArray());
  if (member->size() == 0)
    return member->error("expected at least one element, found none");
  for (size_t i = 0; i < member->size(); ++i)
    NNHAL_RETURN_IF_ERROR(each((*member)[i]));
  return Status::ok();
}

Status Reader::members(
    const JsonNode &node, std::string_view key, const nlohmann::json &raw,
    const std::function<Status(const std::string &, const JsonNode &,
                               const nlohmann::json &)> &each) {
  auto member = node.find(key);
  if (!member)
    return Status::ok();
  const nlohmann::json &object = raw.at(std::string(key));
  if (!object.is_object())
    return member->error("expected an object");
  for (const auto &[name, value] : object.items()) {
    NNHAL_ASSIGN_OR_RETURN(JsonNode one, member->require(name));
    NNHAL_RETURN_IF_ERROR(each(name, one, value));
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

rt::Result<ModelEntry> Reader::readModel(const JsonNode &node,
                                         const nlohmann::json &raw) {
  ModelEntry model;
  if (raw.is_string()) {
    NNHAL_ASSIGN_OR_RETURN(std::string path, node.toString());
    model.file = (folder / path).lexically_normal().string();
  } else {
    NNHAL_RETURN_IF_ERROR(
        node.checkObject({"file", "name", "data", "expected_top1",
                          "input_scale", "input_zero_point", "shapes"}));
    NNHAL_RETURN_IF_ERROR(node.require("file").status());
    NNHAL_RETURN_IF_ERROR(file(node, "file", model.file));
    NNHAL_RETURN_IF_ERROR(text(node, "name", model.name));
    NNHAL_RETURN_IF_ERROR(elements(node, "data", [&](const JsonNode &name) {
      NNHAL_ASSIGN_OR_RETURN(std::string found, name.toString());
      model.data.push_back(std::move(found));
      return Status::ok();
    }));
    NNHAL_RETURN_IF_ERROR(
        real(node, "expected_top1", 0, 1, model.expectedTop1));
    NNHAL_RETURN_IF_ERROR(
        real(node, "input_scale", 1e-9, 1e9, model.inputScale));
    NNHAL_RETURN_IF_ERROR(
        real(node, "input_zero_point", -256, 256, model.inputZeroPoint));
    NNHAL_RETURN_IF_ERROR(members(
        node, "shapes", raw,
        [&](const std::string &name, const JsonNode &shape,
            const nlohmann::json &) {
          NNHAL_RETURN_IF_ERROR(shape.checkArray());
          for (size_t i = 0; i < shape.size(); ++i) {
            NNHAL_ASSIGN_OR_RETURN(uint32_t extent, shape[i].toUInt32());
            model.shapes[name].push_back(extent);
          }
          return Status::ok();
        }));
  }
  if (model.name.empty())
    model.name = fs::path(model.file).stem().string();
  std::string_view file = model.file;
  if (!file.ends_with(".tflite") && !file.ends_with(".json"))
    return node.error(fmt::format("expected a .tflite or .json file, found "
                                  "\"{}\"",
                                  file));
  return model;
}

//===----------------------------------------------------------------------===//
// Data sets
//===----------------------------------------------------------------------===//

rt::Result<EvaluatorRequest> Reader::readEvaluator(const JsonNode &node) {
  NNHAL_RETURN_IF_ERROR(node.checkObject(
      {"kind", "expected_top1", "top1_tolerance", "mean_and_deviation",
       "mel_cep_limit", "log_f0_limit", "phone_error_limit"}));
  EvaluatorRequest request;
  NNHAL_ASSIGN_OR_RETURN(JsonNode kind, node.require("kind"));
  NNHAL_ASSIGN_OR_RETURN(std::string word, kind.toString());
  auto found = std::ranges::find(evaluatorKinds, word,
                                 [](EvaluatorKind one) { return nameOf(one); });
  if (found == std::end(evaluatorKinds))
    return kind.error(fmt::format(
        "expected top-k, mel-cep-log-f0 or phone-error-rate, found \"{}\"",
        word));
  request.kind = *found;
  NNHAL_RETURN_IF_ERROR(
      real(node, "expected_top1", 0, 1, request.expectedTop1));
  NNHAL_RETURN_IF_ERROR(
      real(node, "top1_tolerance", 0, 1, request.top1Tolerance));
  NNHAL_RETURN_IF_ERROR(
      file(node, "mean_and_deviation", request.meanAndDeviation));
  constexpr double most = 1e9;
  NNHAL_RETURN_IF_ERROR(
      real(node, "mel_cep_limit", 0, most, request.melCepLimit));
  NNHAL_RETURN_IF_ERROR(
      real(node, "log_f0_limit", 0, most, request.logF0Limit));
  NNHAL_RETURN_IF_ERROR(
      real(node, "phone_error_limit", 0, most, request.phoneErrorLimit));
  return request;
}

Status Reader::readPhotos(const JsonNode &node, DataEntry entry,
                          std::vector<DataEntry> &entries) {
  NNHAL_RETURN_IF_ERROR(node.checkObject(
      {"kind", "directory", "ground_truth", "labels", "preprocessing", "crop",
       "mean", "deviation", "limit", "class_offset", "evaluators"}));
  PhotosRequest &photos = entry.photos;
  NNHAL_RETURN_IF_ERROR(node.require("directory").status());
  NNHAL_RETURN_IF_ERROR(file(node, "directory", photos.directory));
  NNHAL_RETURN_IF_ERROR(file(node, "ground_truth", photos.groundTruth));
  NNHAL_RETURN_IF_ERROR(file(node, "labels", photos.labels));
  NNHAL_RETURN_IF_ERROR(
      real(node, "crop", 1e-3, 1, *photos.preprocessing.crop));
  constexpr double most = 1e6;
  NNHAL_RETURN_IF_ERROR(
      colors(node, "mean", -most, photos.preprocessing.normalization.mean));
  NNHAL_RETURN_IF_ERROR(colors(node, "deviation", 1e-6,
                               photos.preprocessing.normalization.deviation));
  NNHAL_RETURN_IF_ERROR(count(node, "limit", 1, UINT32_MAX, photos.limit));
  if (auto offset = node.find("class_offset")) {
    NNHAL_ASSIGN_OR_RETURN(photos.classOffset,
                           offset->toInteger(-1000000, 1000000));
  }
  if (entry.evaluators.empty() && !photos.groundTruth.empty())
    entry.evaluators.push_back({});
  std::vector<Quantizing> ways = {Quantizing::correct};
  if (node.find("preprocessing"))
    ways.clear();
  NNHAL_RETURN_IF_ERROR(
      elements(node, "preprocessing", [&](const JsonNode &word) {
        NNHAL_ASSIGN_OR_RETURN(std::string found, word.toString());
        for (Quantizing way : {Quantizing::correct, Quantizing::asPublished})
          if (nameOf(way) == found) {
            ways.push_back(way);
            return Status::ok();
          }
        return word.error(fmt::format(
            "expected correct or as-published, found \"{}\"", found));
      }));
  std::string name = entry.name;
  for (Quantizing way : ways) {
    entry.name = fmt::format("{} {}", name, nameOf(way));
    entry.photos.preprocessing.quantizing = way;
    entries.push_back(entry);
  }
  return Status::ok();
}

Status Reader::readFiles(const JsonNode &node, std::string_view key,
                         const nlohmann::json &raw,
                         std::vector<NamedFile> &files) {
  return members(node, key, raw,
                 [&](const std::string &name, const JsonNode &path,
                     const nlohmann::json &) {
                   NNHAL_ASSIGN_OR_RETURN(std::string found, path.toString());
                   files.push_back(
                       {name, (folder / found).lexically_normal().string()});
                   return Status::ok();
                 });
}

Status Reader::readTensors(const JsonNode &node, const nlohmann::json &raw,
                           DataEntry &entry) {
  NNHAL_RETURN_IF_ERROR(
      node.checkObject({"kind", "directory", "input_suffix", "output_suffix",
                        "inputs", "outputs", "frames", "limit", "evaluators"}));
  TensorsRequest &tensors = entry.tensors;
  NNHAL_RETURN_IF_ERROR(file(node, "directory", tensors.directory));
  NNHAL_RETURN_IF_ERROR(text(node, "input_suffix", tensors.inputSuffix));
  NNHAL_RETURN_IF_ERROR(text(node, "output_suffix", tensors.outputSuffix));
  NNHAL_RETURN_IF_ERROR(readFiles(node, "inputs", raw, tensors.inputs));
  NNHAL_RETURN_IF_ERROR(readFiles(node, "outputs", raw, tensors.outputs));
  NNHAL_RETURN_IF_ERROR(count(node, "limit", 1, UINT32_MAX, tensors.limit));
  if (auto frames = node.find("frames")) {
    NNHAL_ASSIGN_OR_RETURN(tensors.frames, frames->toBool());
  }
  if (tensors.directory.empty() == tensors.inputs.empty())
    return node.error("expected either directory or inputs");
  return Status::ok();
}

Status Reader::readData(const std::string &name, const JsonNode &node,
                        const nlohmann::json &raw,
                        std::vector<DataEntry> &entries) {
  NNHAL_ASSIGN_OR_RETURN(JsonNode kind, node.require("kind"));
  NNHAL_ASSIGN_OR_RETURN(std::string word, kind.toString());
  DataEntry entry;
  entry.name = name;
  NNHAL_RETURN_IF_ERROR(
      elements(node, "evaluators", [&](const JsonNode &evaluator) {
        NNHAL_ASSIGN_OR_RETURN(EvaluatorRequest request,
                               readEvaluator(evaluator));
        entry.evaluators.push_back(std::move(request));
        return Status::ok();
      }));
  if (word == "photos") {
    entry.kind = DataKind::photos;
    return readPhotos(node, std::move(entry), entries);
  }
  if (word == "tensors") {
    entry.kind = DataKind::tensors;
    NNHAL_RETURN_IF_ERROR(readTensors(node, raw, entry));
  } else if (word == "random") {
    NNHAL_RETURN_IF_ERROR(node.checkObject({"kind", "seed"}));
    NNHAL_RETURN_IF_ERROR(count(node, "seed", 0, UINT32_MAX, entry.seed));
  } else {
    return kind.error(
        fmt::format("expected photos, tensors or random, found \"{}\"", word));
  }
  entries.push_back(std::move(entry));
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

Status Reader::readSettings(const JsonNode &root, Description &description) {
  auto texts = [&](std::string_view key, std::vector<std::string> &values) {
    if (root.find(key))
      values.clear();
    return elements(root, key, [&](const JsonNode &node) {
      NNHAL_ASSIGN_OR_RETURN(std::string value, node.toString());
      values.push_back(std::move(value));
      return Status::ok();
    });
  };
  NNHAL_RETURN_IF_ERROR(texts("devices", description.devices));
  NNHAL_RETURN_IF_ERROR(text(root, "baseline", description.baseline));
  NNHAL_RETURN_IF_ERROR(texts("plugins", description.plugins));
  for (std::string &plugin : description.plugins)
    plugin = (folder / plugin).lexically_normal().string();
  if (root.find("ways"))
    description.ways.clear();
  NNHAL_RETURN_IF_ERROR(elements(root, "ways", [&](const JsonNode &node) {
    NNHAL_ASSIGN_OR_RETURN(std::string word, node.toString());
    auto way = parseBenchmarkWay(word);
    if (!way.isOk())
      return node.error(way.status().message());
    description.ways.push_back(*way);
    return Status::ok();
  }));
  if (root.find("threads"))
    description.threads.clear();
  NNHAL_RETURN_IF_ERROR(elements(root, "threads", [&](const JsonNode &node) {
    NNHAL_ASSIGN_OR_RETURN(int64_t threads,
                           node.toInteger(1, int64_t(maxThreads)));
    description.threads.push_back(uint64_t(threads));
    return Status::ok();
  }));
  Effort &effort = description.effort;
  NNHAL_RETURN_IF_ERROR(count(root, "warmup", 0, maxIterations, effort.warmup));
  NNHAL_RETURN_IF_ERROR(
      count(root, "iterations", 1, maxIterations, effort.iterations));
  NNHAL_RETURN_IF_ERROR(real(root, "seconds", 0, maxSeconds, effort.seconds));
  NNHAL_RETURN_IF_ERROR(real(root, "time_limit_seconds", 0.001, maxSeconds,
                             effort.timeLimitSeconds));
  if (auto roofs = root.find("roofs")) {
    NNHAL_ASSIGN_OR_RETURN(description.roofs, roofs->toBool());
  }
  return Status::ok();
}

/// A name of data stands for its preprocessings, too.
static Status resolveData(const JsonNode &root, Description &description) {
  for (ModelEntry &model : description.models) {
    std::vector<std::string> resolved;
    for (const std::string &name : model.data) {
      size_t before = resolved.size();
      for (const DataEntry &entry : description.data)
        if (entry.name == name || (entry.kind == DataKind::photos &&
                                   entry.name.starts_with(name + " ")))
          resolved.push_back(entry.name);
      if (resolved.size() == before)
        return root.error(fmt::format(
            "model '{}' names data '{}', and there is no such key in data",
            model.name, name));
    }
    model.data = std::move(resolved);
  }
  return Status::ok();
}

rt::Result<Description> Reader::read(const nlohmann::json &document) {
  JsonNode root(document, "the description");
  NNHAL_RETURN_IF_ERROR(root.checkObject(
      {"models", "data", "devices", "baseline", "ways", "threads", "warmup",
       "iterations", "seconds", "time_limit_seconds", "roofs", "plugins"}));
  Description description;
  NNHAL_ASSIGN_OR_RETURN(JsonNode models, root.require("models"));
  NNHAL_RETURN_IF_ERROR(models.checkArray());
  if (models.size() == 0)
    return models.error("expected at least one element, found none");
  for (size_t i = 0; i < models.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(ModelEntry model,
                           readModel(models[i], document.at("models")[i]));
    if (std::ranges::find(description.models, model.name, &ModelEntry::name) !=
        description.models.end())
      return models[i].error(
          fmt::format("there are two models called \"{}\"", model.name));
    description.models.push_back(std::move(model));
  }
  NNHAL_RETURN_IF_ERROR(
      members(root, "data", document,
              [&](const std::string &name, const JsonNode &node,
                  const nlohmann::json &raw) {
                return readData(name, node, raw, description.data);
              }));
  NNHAL_RETURN_IF_ERROR(readSettings(root, description));
  NNHAL_RETURN_IF_ERROR(resolveData(root, description));
  return description;
}

rt::Result<Description> tools::readDescription(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  auto read = [&]() -> rt::Result<Description> {
    NNHAL_ASSIGN_OR_RETURN(
        nlohmann::json document,
        rt::parseJson(
            {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
            "the description"));
    return Reader(fs::path(path).parent_path()).read(document);
  };
  auto description = read();
  if (!description.isOk())
    return std::move(description)
        .takeStatus()
        .withContext(fmt::format("'{}'", path));
  return description;
}

rt::Result<std::vector<DataEntry>>
tools::readDataEntries(const std::string &name, std::string_view text,
                       const std::string &folder) {
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document,
                         rt::parseJson(text, "the data set"));
  JsonNode root(document, "the data set");
  std::vector<DataEntry> entries;
  NNHAL_RETURN_IF_ERROR(Reader(folder).readData(name, root, document, entries));
  return entries;
}

rt::Result<EvaluatorRequest>
tools::readEvaluatorRequest(std::string_view text, const std::string &folder) {
  NNHAL_ASSIGN_OR_RETURN(nlohmann::json document,
                         rt::parseJson(text, "the evaluator"));
  return Reader(folder).readEvaluator(JsonNode(document, "the evaluator"));
}
