//===- Reader.cpp - Checks and unpacks a model cache ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "ModelCache_generated.h"
#include "Sha256.h"

#include "ModelCache.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

Digest nnhal::rt::cache::digestOfModelCache(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes.first(offsetof(ModelCacheHeader, digest)));
  hash.update(bytes.subspan(sizeof(ModelCacheHeader)));
  return hash.finish();
}

std::string_view nnhal::rt::toString(TargetKind target) {
  switch (target) {
  case TargetKind::x86_64Elf:
    return "x86_64-elf";
  case TargetKind::aarch64Elf:
    return "aarch64-elf";
  case TargetKind::spirv:
    return "spirv";
  case TargetKind::ptx:
    return "ptx";
  }
  return "unknown";
}

static Result<ModelCacheHeader> readHeader(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(ModelCacheHeader))
    return badData("model cache of {} bytes is shorter than its header of {}",
                   bytes.size(), sizeof(ModelCacheHeader));
  auto header = loadHeader<ModelCacheHeader>(bytes);
  if (header.magic != modelCacheMagic)
    return badData(
        "not a model cache: the first 8 bytes are not \"NNHALMC\\x1a\"");
  if (header.major != formatMajor)
    return badData(
        "model cache has format version {}.{}, this version reads {}.x",
        header.major, header.minor, formatMajor);
  if (header.headerSize != sizeof(ModelCacheHeader))
    return badData("model cache header states a size of {} instead of {}",
                   header.headerSize, sizeof(ModelCacheHeader));
  if (header.totalSize != bytes.size())
    return badData("model cache states a size of {} bytes and has {}",
                   header.totalSize, bytes.size());
  if (header.manifestOffset != sizeof(ModelCacheHeader) ||
      header.manifestSize > bytes.size() - sizeof(ModelCacheHeader))
    return badData("manifest at {} with {} bytes leaves the model cache of {}",
                   header.manifestOffset, header.manifestSize, bytes.size());
  if (header.digest != digestOfModelCache(bytes))
    return badData("model cache is damaged: its SHA-256 differs from the one "
                   "that it states");
  return header;
}

namespace {
// A manifest that passed the digest may still have been written by somebody
// else: every number is checked before it is used.
class ManifestReader {
public:
  ManifestReader(const Manifest &manifest, std::span<const std::byte> file,
                 uint64_t codeBegin)
      : manifest(manifest), file(file), codeBegin(codeBegin) {}

  Result<Artifact> read() {
    NNHAL_RETURN_IF_ERROR(
        readTensors("input", manifest.inputs(), artifact.inputs));
    NNHAL_RETURN_IF_ERROR(
        readTensors("output", manifest.outputs(), artifact.outputs));
    NNHAL_RETURN_IF_ERROR(readStatePairs());
    NNHAL_RETURN_IF_ERROR(readCode());
    NNHAL_RETURN_IF_ERROR(readEntries());
    NNHAL_RETURN_IF_ERROR(readConstants());
    NNHAL_RETURN_IF_ERROR(readIdentity());
    return std::move(artifact);
  }

private:
  template <typename Vector>
  static Status checkCount(const char *what, const Vector *list, uint64_t max) {
    if (list && list->size() > max)
      return badData("model cache has {} {}, more than {}", list->size(), what,
                     max);
    return Status::ok();
  }

  static std::string toText(const flatbuffers::String *text) {
    return text ? text->str() : std::string();
  }

  static std::vector<uint32_t>
  toDimensions(const flatbuffers::Vector<uint32_t> *dimensions) {
    if (!dimensions)
      return {};
    return {dimensions->begin(), dimensions->end()};
  }

  static Status checkShape(const std::string &what, uint32_t elementSize,
                           std::span<const uint32_t> dimensions) {
    if (dimensions.size() > maxRank)
      return badData("{} has rank {}, more than {}", what, dimensions.size(),
                     maxRank);
    uint64_t bytes = elementSize;
    for (uint32_t dimension : dimensions) {
      bytes *= std::max<uint32_t>(dimension, 1);
      if (bytes > maxTensorBytes)
        return badData("{} exceeds {} bytes", what, maxTensorBytes);
    }
    return Status::ok();
  }

  /// None is missing where there are any.
  static Status readChannels(const std::string &what, const Tensor &row,
                             InterfaceTensor &tensor) {
    const auto *scales = row.channel_scales();
    if (!scales || scales->size() == 0)
      return Status::ok();
    uint32_t dimension = row.channel_dim();
    if (dimension >= tensor.dimensions.size() ||
        scales->size() != tensor.dimensions[dimension])
      return badData("{} of shape [{}] has {} scales of dimension {}", what,
                     fmt::join(tensor.dimensions, ","), scales->size(),
                     dimension);
    tensor.channelQuant = {{scales->begin(), scales->end()}, dimension};
    return Status::ok();
  }

  template <typename Vector>
  Status readTensors(const char *what, const Vector *list,
                     std::vector<InterfaceTensor> &result) {
    NNHAL_RETURN_IF_ERROR(
        checkCount(fmt::format("{}s", what).c_str(), list, maxTensors));
    for (uint32_t i = 0; list && i < list->size(); ++i) {
      const Tensor &row = *list->Get(i);
      std::string label = fmt::format("{} {}", what, i);
      InterfaceTensor tensor;
      tensor.name = toText(row.name());
      tensor.type = OperandType(row.type());
      if (isExtension(tensor.type))
        tensor.extension = {uint16_t(row.type()), row.extension_is_tensor(),
                            row.extension_element_size(),
                            elementKindOf(row.extension_element_kind(),
                                          row.extension_element_size())};
      uint32_t elementSize = elementSizeOf(tensor);
      if (elementSize == 0)
        return badData("{} has operand type {}, which has no size", label,
                       row.type());
      tensor.dimensions = toDimensions(row.dimensions());
      NNHAL_RETURN_IF_ERROR(checkShape(label, elementSize, tensor.dimensions));
      tensor.scale = row.scale();
      tensor.zeroPoint = row.zero_point();
      NNHAL_RETURN_IF_ERROR(readChannels(label, row, tensor));
      result.push_back(std::move(tensor));
    }
    return Status::ok();
  }

  Status readStatePairs() {
    NNHAL_RETURN_IF_ERROR(
        checkCount("state pairs", manifest.state_pairs(), maxTensors));
    for (uint32_t i = 0;
         manifest.state_pairs() && i < manifest.state_pairs()->size(); ++i) {
      const cache::StatePair &row = *manifest.state_pairs()->Get(i);
      if (row.output_index() >= artifact.outputs.size() ||
          row.input_index() >= artifact.inputs.size())
        return badData("state pair {} joins output {} of {} to input {} of {}",
                       i, row.output_index(), artifact.outputs.size(),
                       row.input_index(), artifact.inputs.size());
      const InterfaceTensor &from = artifact.outputs[row.output_index()];
      const InterfaceTensor &to = artifact.inputs[row.input_index()];
      if (from.type != to.type || from.dimensions != to.dimensions)
        return badData("state pair {} joins {} [{}] to {} [{}]", i,
                       nameOf(from.type), fmt::join(from.dimensions, ","),
                       nameOf(to.type), fmt::join(to.dimensions, ","));
      artifact.statePairs.push_back({row.output_index(), row.input_index()});
    }
    return Status::ok();
  }

  Status readCode() {
    const auto *list = manifest.code();
    NNHAL_RETURN_IF_ERROR(checkCount("code sections", list, maxCodeSections));
    if (!list || list->size() == 0)
      return badData("model cache has no code section");
    uint64_t end = codeBegin;
    for (uint32_t i = 0; i < list->size(); ++i) {
      const Code &row = *list->Get(i);
      if (row.target() > uint32_t(TargetKind::ptx))
        return badData("code section {} has target {}, more than {}", i,
                       row.target(), uint32_t(TargetKind::ptx));
      if (row.offset() % sectionAlignment != 0 || row.offset() < end ||
          row.offset() > file.size() || row.size() == 0 ||
          row.size() > file.size() - row.offset())
        return badData("code section {} at {} with {} bytes does not fit "
                       "between {} and {} at a multiple of {}",
                       i, row.offset(), row.size(), end, file.size(),
                       sectionAlignment);
      end = row.offset() + row.size();
      artifact.code.push_back({TargetKind(row.target()), toText(row.cpu()),
                               toText(row.features()),
                               file.subspan(row.offset(), row.size())});
      if (const cache::Range *constants = row.constants())
        artifact.code.back().constants = {constants->offset(),
                                          constants->size()};
    }
    if (end != file.size())
      return badData("code ends at {}, the model cache at {}", end,
                     file.size());
    return Status::ok();
  }

  Status readEntries() {
    const auto *list = manifest.entries();
    NNHAL_RETURN_IF_ERROR(checkCount("entries", list, maxEntries));
    if (!list || list->size() == 0)
      return badData("model cache has no entry");
    for (uint32_t i = 0; i < list->size(); ++i)
      NNHAL_RETURN_IF_ERROR(readEntry(i, *list->Get(i)));
    return Status::ok();
  }

  Status readEntry(uint32_t index, const Entry &row) {
    ArtifactEntry entry;
    entry.symbol = toText(row.symbol());
    if (entry.symbol.empty() || entry.symbol.size() > maxSymbolLength ||
        entry.symbol.find('\0') != std::string::npos)
      return badData("entry {} has a symbol of {} characters, not 1 to {} "
                     "without a zero byte",
                     index, entry.symbol.size(), maxSymbolLength);
    entry.codeIndex = row.code_index();
    if (entry.codeIndex >= artifact.code.size())
      return badData("entry {} is in code section {} of {}", index,
                     entry.codeIndex, artifact.code.size());
    entry.arenaSize = row.arena_size();
    if (entry.arenaSize > maxMemorySize)
      return badData("entry {} needs an arena of {} bytes, more than {}", index,
                     entry.arenaSize, maxMemorySize);
    entry.arenaLowerBound = row.arena_lower_bound();
    if (entry.arenaLowerBound > entry.arenaSize)
      return badData("entry {} states {} bytes as the least of its arena of {}",
                     index, entry.arenaLowerBound, entry.arenaSize);
    NNHAL_RETURN_IF_ERROR(readPresence(index, row, entry));
    NNHAL_RETURN_IF_ERROR(readShapes(index, row, entry));
    artifact.entries.push_back(std::move(entry));
    return Status::ok();
  }

  Status readPresence(uint32_t index, const Entry &row, ArtifactEntry &entry) {
    const auto *words = row.present_inputs();
    if (!words || words->size() == 0)
      return Status::ok();
    size_t inputCount = artifact.inputs.size();
    if (words->size() != (inputCount + 63) / 64)
      return badData("entry {} has {} words of presence bits for {} inputs",
                     index, words->size(), inputCount);
    // The verifier lets elements of 8 bytes lie at multiples of 4.
    entry.presentInputs.resize(words->size());
    std::memcpy(entry.presentInputs.data(), words->Data(),
                words->size() * sizeof(uint64_t));
    if (inputCount % 64 != 0 &&
        entry.presentInputs.back() >> (inputCount % 64) != 0)
      return badData("entry {} has presence bits beyond its {} inputs", index,
                     inputCount);
    return Status::ok();
  }

  Status readShapes(uint32_t index, const Entry &row, ArtifactEntry &entry) {
    const auto *shapes = row.input_shapes();
    if (!shapes || shapes->size() == 0)
      return Status::ok();
    if (shapes->size() != artifact.inputs.size())
      return badData("entry {} has {} shapes for {} inputs", index,
                     shapes->size(), artifact.inputs.size());
    for (uint32_t i = 0; i < shapes->size(); ++i) {
      const InterfaceTensor &input = artifact.inputs[i];
      std::vector<uint32_t> shape = toDimensions(shapes->Get(i)->dimensions());
      bool fits =
          std::equal(shape.begin(), shape.end(), input.dimensions.begin(),
                     input.dimensions.end(), [](uint32_t own, uint32_t any) {
                       return any == 0 || own == any;
                     });
      if (!fits)
        return badData("entry {} has shape [{}] for input {} of shape [{}]",
                       index, fmt::join(shape, ","), i,
                       fmt::join(input.dimensions, ","));
      NNHAL_RETURN_IF_ERROR(
          checkShape(fmt::format("entry {} input {}", index, i),
                     elementSizeOf(input), shape));
      entry.inputShapes.push_back(std::move(shape));
    }
    return Status::ok();
  }

  Status readConstants() {
    artifact.dataCacheSize = manifest.data_cache_size();
    if (artifact.dataCacheSize > maxMemorySize)
      return badData("data cache size {} is more than {}",
                     artifact.dataCacheSize, maxMemorySize);
    const auto *list = manifest.constants();
    NNHAL_RETURN_IF_ERROR(checkCount("constant regions", list, maxRegions));
    for (uint32_t i = 0; list && i < list->size(); ++i) {
      const Region &row = *list->Get(i);
      if (row.offset() % constantAlignment != 0 ||
          row.offset() > artifact.dataCacheSize ||
          row.size() > artifact.dataCacheSize - row.offset())
        return badData("constant region {} at {} with {} bytes does not fit a "
                       "data cache of {} at a multiple of {}",
                       i, row.offset(), row.size(), artifact.dataCacheSize,
                       constantAlignment);
      artifact.constants.push_back(
          {row.offset(), row.size(), toText(row.description())});
    }
    return checkRanges();
  }

  /// Checks where the constants of each code section lie.
  Status checkRanges() const {
    for (size_t i = 0; i < artifact.code.size(); ++i)
      if (const std::optional<DataRange> &range = artifact.code[i].constants;
          range && (range->offset % constantAlignment != 0 ||
                    range->offset > artifact.dataCacheSize ||
                    range->size > artifact.dataCacheSize - range->offset))
        return badData("code section {} has constants of {} bytes at {}, which "
                       "do not fit a data cache of {} at a multiple of {}",
                       i, range->size, range->offset, artifact.dataCacheSize,
                       constantAlignment);
    return Status::ok();
  }

  Status readIdentity() {
    const auto *slots = manifest.routine_slots();
    NNHAL_RETURN_IF_ERROR(checkCount("routine slots", slots, maxRoutineSlots));
    for (uint32_t i = 0; slots && i < slots->size(); ++i) {
      if (slots->Get(i) >= maxRoutineSlots)
        return badData("routine slot {} is not below {}", slots->Get(i),
                       maxRoutineSlots);
      artifact.routineSlots.push_back(slots->Get(i));
    }
    const auto *key = manifest.content_key();
    size_t keySize = key ? key->size() : 0;
    if (keySize != artifact.contentKey.size())
      return badData("content key has {} bytes, not {}", keySize,
                     artifact.contentKey.size());
    std::copy(key->begin(), key->end(), artifact.contentKey.begin());
    artifact.buildIdentity = toText(manifest.build_identity());
    artifact.rounding = toText(manifest.rounding());
    if (artifact.rounding != "double" && artifact.rounding != "single" &&
        artifact.rounding != "float")
      return badData("rounding is \"{}\", not double, single or float",
                     artifact.rounding);
    return readExtensions();
  }

  Status readExtensions() {
    const auto *extensions = manifest.extensions();
    NNHAL_RETURN_IF_ERROR(checkCount("extensions", extensions, maxExtensions));
    for (uint32_t i = 0; extensions && i < extensions->size(); ++i) {
      const cache::Extension &row = *extensions->Get(i);
      artifact.extensions.push_back(
          {toText(row.name()), toText(row.build_identity())});
    }
    return Status::ok();
  }

  const Manifest &manifest;
  std::span<const std::byte> file;
  uint64_t codeBegin;
  Artifact artifact;
};
} // namespace

Result<Artifact> nnhal::rt::readModelCache(std::span<const std::byte> bytes) {
  NNHAL_ASSIGN_OR_RETURN(ModelCacheHeader header, readHeader(bytes));
  // A copy at a known alignment: the verifier checks alignment against the
  // buffer's own address, and a view into a file may lie anywhere.
  std::vector<uint64_t> aligned((header.manifestSize + 7) / 8);
  if (header.manifestSize > 0)
    std::memcpy(aligned.data(), bytes.data() + header.manifestOffset,
                header.manifestSize);
  const auto *begin = reinterpret_cast<const uint8_t *>(aligned.data());
  flatbuffers::Verifier verifier(begin, header.manifestSize,
                                 /*max_depth=*/8);
  if (!VerifyManifestBuffer(verifier))
    return badData("manifest of {} bytes is not a well-formed FlatBuffer",
                   header.manifestSize);
  return ManifestReader(*GetManifest(begin), bytes,
                        header.manifestOffset + header.manifestSize)
      .read();
}
