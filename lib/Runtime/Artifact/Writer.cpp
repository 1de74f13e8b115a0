//===- Writer.cpp - Serializes a model cache ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "ModelCache_generated.h"
#include "Sha256.h"

#include "ModelCache.h"

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

namespace {
/// Builds the manifest; code sections lie at \p offsets.
class ManifestWriter {
public:
  ManifestWriter(const Artifact &artifact,
                 std::span<const uint64_t> codeOffsets)
      : artifact(artifact), codeOffsets(codeOffsets) {}

  std::span<const uint8_t> build() {
    auto inputs = tensors(artifact.inputs);
    auto outputs = tensors(artifact.outputs);
    std::vector<cache::StatePair> pairs;
    pairs.reserve(artifact.statePairs.size());
    for (const nnhal::rt::StatePair &pair : artifact.statePairs)
      pairs.emplace_back(pair.outputIndex, pair.inputIndex);
    auto statePairs = builder.CreateVectorOfStructs(pairs);
    auto entryTable = entries();
    auto codeTable = code();
    auto constants = regions();
    auto routineSlots = builder.CreateVector(artifact.routineSlots);
    auto contentKey = builder.CreateVector(artifact.contentKey.data(),
                                           artifact.contentKey.size());
    auto buildIdentity = builder.CreateString(artifact.buildIdentity);
    auto rounding = builder.CreateString(artifact.rounding);
    auto extensionTable = extensions();
    FinishManifestBuffer(
        builder, CreateManifest(
                     builder, inputs, outputs, statePairs, entryTable,
                     codeTable, constants, artifact.dataCacheSize, routineSlots,
                     contentKey, buildIdentity, rounding, extensionTable));
    return {builder.GetBufferPointer(), builder.GetSize()};
  }

private:
  template <typename T>
  using Table =
      flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>>;

  Table<Tensor> tensors(const std::vector<InterfaceTensor> &list) {
    std::vector<flatbuffers::Offset<Tensor>> rows;
    for (const InterfaceTensor &tensor : list) {
      auto name = builder.CreateString(tensor.name);
      auto dimensions = builder.CreateVector(tensor.dimensions);
      const SymmPerChannelQuantParams &channels = tensor.channelQuant;
      flatbuffers::Offset<flatbuffers::Vector<float>> scales;
      if (!channels.scales.empty())
        scales = builder.CreateVector(channels.scales);
      rows.push_back(CreateTensor(
          builder, name, uint32_t(tensor.type), dimensions, tensor.scale,
          tensor.zeroPoint, scales, channels.channelDim,
          tensor.extension ? tensor.extension->byteSize : 0,
          tensor.extension && tensor.extension->isTensor,
          tensor.extension ? uint32_t(tensor.extension->kind) : 0));
    }
    return builder.CreateVector(rows);
  }

  Table<Entry> entries() {
    std::vector<flatbuffers::Offset<Entry>> rows;
    for (const ArtifactEntry &entry : artifact.entries) {
      std::vector<flatbuffers::Offset<Shape>> shapes;
      shapes.reserve(entry.inputShapes.size());
      for (const std::vector<uint32_t> &shape : entry.inputShapes)
        shapes.push_back(CreateShape(builder, builder.CreateVector(shape)));
      auto symbol = builder.CreateString(entry.symbol);
      auto presentInputs = builder.CreateVector(entry.presentInputs);
      auto inputShapes = builder.CreateVector(shapes);
      rows.push_back(CreateEntry(builder, symbol, entry.codeIndex,
                                 presentInputs, inputShapes, entry.arenaSize,
                                 entry.arenaLowerBound));
    }
    return builder.CreateVector(rows);
  }

  /// No table for a model of the HAL's own operations.
  Table<cache::Extension> extensions() {
    std::vector<flatbuffers::Offset<cache::Extension>> rows;
    for (const ArtifactExtension &extension : artifact.extensions) {
      auto name = builder.CreateString(extension.name);
      auto identity = builder.CreateString(extension.buildIdentity);
      rows.push_back(cache::CreateExtension(builder, name, identity));
    }
    return rows.empty() ? Table<cache::Extension>()
                        : builder.CreateVector(rows);
  }

  Table<Code> code() {
    std::vector<flatbuffers::Offset<Code>> rows;
    for (size_t i = 0; i < artifact.code.size(); ++i) {
      const CodeSection &section = artifact.code[i];
      auto cpu = builder.CreateString(section.cpu);
      auto features = builder.CreateString(section.features);
      cache::Range constants;
      if (section.constants)
        constants = {section.constants->offset, section.constants->size};
      rows.push_back(CreateCode(builder, uint32_t(section.target), cpu,
                                features, codeOffsets[i], section.bytes.size(),
                                section.constants ? &constants : nullptr));
    }
    return builder.CreateVector(rows);
  }

  Table<Region> regions() {
    std::vector<flatbuffers::Offset<Region>> rows;
    for (const ConstantRegion &region : artifact.constants) {
      auto description = builder.CreateString(region.description);
      rows.push_back(
          CreateRegion(builder, region.offset, region.size, description));
    }
    return builder.CreateVector(rows);
  }

  const Artifact &artifact;
  std::span<const uint64_t> codeOffsets;
  flatbuffers::FlatBufferBuilder builder;
};
} // namespace

/// Code sections in order, each on its own pages, the first at \p begin.
static std::vector<uint64_t> placeCode(const Artifact &artifact,
                                       uint64_t begin) {
  std::vector<uint64_t> offsets;
  uint64_t end = begin;
  for (const CodeSection &section : artifact.code) {
    offsets.push_back(alignTo(end, sectionAlignment));
    end = offsets.back() + section.bytes.size();
  }
  return offsets;
}

std::vector<std::byte> nnhal::rt::writeModelCache(const Artifact &artifact) {
  // The manifest states where the code lies, which depends on the manifest's
  // size. FlatBuffers leaves out a zero, so the first offsets must not be.
  std::vector<uint64_t> offsets = placeCode(artifact, sectionAlignment);
  uint64_t manifestSize = ManifestWriter(artifact, offsets).build().size();
  offsets = placeCode(artifact, sizeof(ModelCacheHeader) + manifestSize);
  ManifestWriter manifestWriter(artifact, offsets);
  std::span<const uint8_t> manifest = manifestWriter.build();

  ModelCacheHeader header = {};
  header.magic = modelCacheMagic;
  header.major = formatMajor;
  header.minor = formatMinor;
  header.headerSize = sizeof(header);
  header.manifestOffset = sizeof(header);
  header.manifestSize = manifest.size();
  header.totalSize = sizeof(header) + manifest.size();
  if (!artifact.code.empty())
    header.totalSize = offsets.back() + artifact.code.back().bytes.size();

  std::vector<std::byte> file(header.totalSize);
  std::memcpy(file.data() + header.manifestOffset, manifest.data(),
              manifest.size());
  for (size_t i = 0; i < offsets.size(); ++i)
    if (const auto &bytes = artifact.code[i].bytes; !bytes.empty())
      std::memcpy(file.data() + offsets[i], bytes.data(), bytes.size());
  std::memcpy(file.data(), &header, sizeof(header));
  header.digest = digestOfModelCache(file);
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}
