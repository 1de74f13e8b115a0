//===- ModelMetadata.cpp - What a file says for programs ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelMetadata.h"

#include "TFLiteMetadata_generated.h"

#include "Runtime/Formats/TFLite/Root.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Memory.h"

#include <algorithm>
#include <cmath>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
namespace schema = rt::tflite::schema;

static std::vector<std::string> splitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

rt::Result<std::vector<std::string>> tools::readLines(const std::string &path) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  return splitLines(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

/// The bytes of the metadata of \p model; empty where it has none.
static std::span<const uint8_t> findMetadata(const schema::Model &model) {
  if (!model.metadata() || !model.buffers())
    return {};
  for (const schema::Metadata *entry : *model.metadata())
    if (entry->name() && entry->name()->string_view() == "TFLITE_METADATA" &&
        entry->buffer() < model.buffers()->size())
      if (const auto *data = model.buffers()->Get(entry->buffer())->data())
        return {data->data(), data->size()};
  return {};
}

/// One number for all colors, or one for each.
static rt::Result<std::array<double, 3>>
readColors(std::string_view what, const flatbuffers::Vector<float> *numbers) {
  size_t count = numbers ? numbers->size() : 0;
  if (count != 1 && count != 3)
    return badData("the metadata has {} numbers as {}, and not 1 or 3", count,
                   what);
  std::array<double, 3> colors = {};
  for (uint32_t i = 0; i < 3; ++i)
    colors[i] = numbers->Get(count == 1 ? 0 : i);
  return colors;
}

static rt::Result<std::optional<Normalization>>
readNormalization(const metadata::TensorMetadata &tensor) {
  if (!tensor.process_units())
    return std::optional<Normalization>();
  for (const metadata::ProcessUnit *unit : *tensor.process_units()) {
    const auto *options = unit->options_as_NormalizationOptions();
    if (!options)
      continue;
    Normalization result;
    NNHAL_ASSIGN_OR_RETURN(result.mean, readColors("mean", options->mean()));
    NNHAL_ASSIGN_OR_RETURN(result.deviation, readColors("std", options->std()));
    if (!std::ranges::all_of(result.deviation, [](double value) {
          return std::isfinite(value) && value > 0;
        }))
      return badData("the metadata has a std of {}, which is not above 0",
                     *std::ranges::min_element(result.deviation));
    return std::optional(result);
  }
  return std::optional<Normalization>();
}

static rt::Result<std::vector<std::string>>
readPackedLabels(std::span<const std::byte> file,
                 const metadata::TensorMetadata &tensor,
                 metadata::AssociatedFileType type) {
  if (tensor.associated_files())
    for (const metadata::AssociatedFile *packed : *tensor.associated_files())
      // A file in several languages begins with the one that all understand.
      if (packed->type() == type && packed->name()) {
        NNHAL_ASSIGN_OR_RETURN(std::string text,
                               readPackedFile(file, packed->name()->str()));
        return splitLines(text);
      }
  return std::vector<std::string>();
}

rt::Result<ModelMetadata>
tools::readModelMetadata(std::span<const std::byte> file) {
  NNHAL_ASSIGN_OR_RETURN(const schema::Model *model,
                         rt::tflite::readRoot(file));
  ModelMetadata result;
  std::span<const uint8_t> bytes = findMetadata(*model);
  if (bytes.empty())
    return result;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!metadata::VerifyModelMetadataBuffer(verifier))
    return badData("the metadata of the model, {} bytes, is damaged",
                   bytes.size());
  const auto *graphs =
      metadata::GetModelMetadata(bytes.data())->subgraph_metadata();
  if (!graphs || graphs->size() == 0)
    return result;
  const metadata::SubGraphMetadata &main = *graphs->Get(0);
  if (main.input_tensor_metadata())
    for (const metadata::TensorMetadata *input :
         *main.input_tensor_metadata()) {
      NNHAL_ASSIGN_OR_RETURN(auto normalization, readNormalization(*input));
      result.normalizations.push_back(normalization);
    }
  if (main.output_tensor_metadata())
    for (const metadata::TensorMetadata *output :
         *main.output_tensor_metadata()) {
      using enum metadata::AssociatedFileType;
      NNHAL_ASSIGN_OR_RETURN(
          std::vector<std::string> labels,
          readPackedLabels(file, *output, TENSOR_AXIS_LABELS));
      result.labels.push_back(std::move(labels));
      NNHAL_ASSIGN_OR_RETURN(
          labels, readPackedLabels(file, *output, TENSOR_VALUE_LABELS));
      result.valueLabels.push_back(std::move(labels));
    }
  return result;
}
