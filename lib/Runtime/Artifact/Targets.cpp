//===- Targets.cpp - Artifacts for several targets ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "Format.h"
#include "Sha256.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;

//===----------------------------------------------------------------------===//
// Joining
//===----------------------------------------------------------------------===//

static bool areOfOneModel(const std::vector<InterfaceTensor> &lhs,
                          const std::vector<InterfaceTensor> &rhs) {
  return std::ranges::equal(lhs, rhs, [](const auto &left, const auto &right) {
    return left.name == right.name && left.type == right.type &&
           left.scale == right.scale && left.zeroPoint == right.zeroPoint &&
           left.channelQuant == right.channelQuant;
  });
}

Status nnhal::rt::checkSameModel(const Artifact &first, const Artifact &second,
                                 std::string_view what) {
  if (!areOfOneModel(first.inputs, second.inputs) ||
      !areOfOneModel(first.outputs, second.outputs))
    return badData("the {} is of another model", what);
  if (first.buildIdentity != second.buildIdentity)
    return badData("the {} is of compiler '{}', not '{}'", what,
                   second.buildIdentity, first.buildIdentity);
  if (first.rounding != second.rounding)
    return badData("the {} rounds by policy '{}', not '{}'", what,
                   second.rounding, first.rounding);
  return Status::ok();
}

static Status checkOtherTargets(const Artifact &artifact,
                                const Artifact &added) {
  for (const CodeSection &section : added.code)
    for (const CodeSection &there : artifact.code)
      if (there.target == section.target)
        return badData("the artifact has code for {} already",
                       toString(section.target));
  return Status::ok();
}

/// States the part of the data cache that the code of \p artifact knows, which
/// begins at \p offset.
static void placeConstants(Artifact &artifact, uint64_t offset) {
  for (CodeSection &section : artifact.code)
    if (!section.constants)
      section.constants = {0, artifact.dataCacheSize};
  for (CodeSection &section : artifact.code)
    section.constants->offset += offset;
  for (ConstantRegion &region : artifact.constants)
    region.offset += offset;
}

std::vector<uint32_t>
nnhal::rt::unionOfSlots(const std::vector<uint32_t> &first,
                        const std::vector<uint32_t> &second) {
  std::vector<uint32_t> slots;
  std::ranges::set_union(first, second, std::back_inserter(slots));
  return slots;
}

/// A key for both, whose order decides the code that is found first.
static std::array<uint8_t, 32> joinKeys(const std::array<uint8_t, 32> &first,
                                        const std::array<uint8_t, 32> &second) {
  cache::Sha256 hash;
  hash.update(std::as_bytes(std::span(first)));
  hash.update(std::as_bytes(std::span(second)));
  return hash.finish();
}

static void join(Artifact &artifact, Artifact added) {
  placeConstants(artifact, 0);
  uint64_t offset = cache::alignTo(artifact.dataCacheSize, constantAlignment);
  placeConstants(added, offset);
  for (ArtifactEntry &entry : added.entries) {
    entry.codeIndex += uint32_t(artifact.code.size());
    artifact.entries.push_back(std::move(entry));
  }
  std::ranges::move(added.code, std::back_inserter(artifact.code));
  std::ranges::move(added.constants, std::back_inserter(artifact.constants));
  artifact.dataCacheSize = offset + added.dataCacheSize;
  artifact.routineSlots =
      unionOfSlots(artifact.routineSlots, added.routineSlots);
  for (ArtifactExtension &extension : added.extensions)
    if (std::ranges::find(artifact.extensions, extension) ==
        artifact.extensions.end())
      artifact.extensions.push_back(std::move(extension));
  artifact.contentKey = joinKeys(artifact.contentKey, added.contentKey);
}

Result<CompiledModel> nnhal::rt::addTarget(const CompiledModel &compiled,
                                           const CompiledModel &added) {
  NNHAL_ASSIGN_OR_RETURN(Artifact artifact,
                         readModelCache(compiled.modelCache));
  NNHAL_ASSIGN_OR_RETURN(Artifact other, readModelCache(added.modelCache));
  NNHAL_RETURN_IF_ERROR(
      checkSameModel(artifact, other, "code for another target"));
  NNHAL_RETURN_IF_ERROR(checkOtherTargets(artifact, other));
  NNHAL_ASSIGN_OR_RETURN(auto first, compiled.dataCache.bytes());
  NNHAL_ASSIGN_OR_RETURN(auto second, added.dataCache.bytes());
  join(artifact, std::move(other));
  std::vector<std::byte> data(artifact.dataCacheSize - second.size());
  std::ranges::copy(first, data.begin());
  data.insert(data.end(), second.begin(), second.end());
  return CompiledModel{writeModelCache(artifact),
                       Memory::adopt(std::move(data))};
}

//===----------------------------------------------------------------------===//
// Selecting
//===----------------------------------------------------------------------===//

static bool isHostCode(const CodeSection &section) {
  return section.target == TargetKind::x86_64Elf ||
         section.target == TargetKind::aarch64Elf;
}

/// The part that all of \p code states.
static Result<DataRange> constantsOf(std::span<const CodeSection> code,
                                     uint64_t dataCacheSize) {
  auto rangeOf = [&](const CodeSection &section) {
    return section.constants.value_or(DataRange{0, dataCacheSize});
  };
  DataRange range = rangeOf(code.front());
  for (const CodeSection &section : code)
    if (DataRange other = rangeOf(section); other != range)
      return badData("code sections of one target have constants of {} bytes "
                     "at {} and of {} at {}",
                     range.size, range.offset, other.size, other.offset);
  return range;
}

static void keepCode(Artifact &artifact,
                     const std::function<bool(const CodeSection &)> &executes) {
  // The new index of each code section that is kept.
  std::vector<std::optional<uint32_t>> places;
  std::vector<CodeSection> kept;
  for (const CodeSection &section : artifact.code) {
    bool isKept = executes(section);
    places.push_back(isKept ? std::optional(uint32_t(kept.size()))
                            : std::nullopt);
    if (isKept)
      kept.push_back(section);
  }
  std::erase_if(artifact.entries,
                [&](ArtifactEntry &entry) { return !places[entry.codeIndex]; });
  for (ArtifactEntry &entry : artifact.entries)
    entry.codeIndex = *places[entry.codeIndex];
  // Code for processors alone calls routines: the slots are those of the code
  // that is left out, if that is code for a processor.
  if (std::ranges::any_of(artifact.code, isHostCode) &&
      std::ranges::none_of(kept, isHostCode))
    artifact.routineSlots.clear();
  artifact.code = std::move(kept);
}

Result<DataRange> nnhal::rt::selectTarget(
    Artifact &artifact, uint64_t dataCacheSize,
    const std::function<bool(const CodeSection &)> &executes) {
  if (dataCacheSize != artifact.dataCacheSize)
    return badData("data cache has {} bytes, the model cache needs {}",
                   dataCacheSize, artifact.dataCacheSize);
  if (std::ranges::none_of(artifact.code, executes))
    return DataRange{0, dataCacheSize};
  keepCode(artifact, executes);
  NNHAL_ASSIGN_OR_RETURN(DataRange range,
                         constantsOf(artifact.code, dataCacheSize));
  artifact.dataCacheSize = range.size;
  return range;
}
