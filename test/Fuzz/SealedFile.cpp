//===- SealedFile.cpp - Model caches whose digest is right ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SealedFile.h"

#include "Runtime/Artifact/Format.h"

#include "ModelCache_generated.h"

#include <algorithm>

namespace nnhal::rt::fuzz {

using cache::ModelCacheHeader;

bool hasManifest(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(ModelCacheHeader))
    return false;
  auto header = cache::loadHeader<ModelCacheHeader>(bytes);
  return header.manifestOffset == sizeof(ModelCacheHeader) &&
         header.manifestSize <= bytes.size() - sizeof(ModelCacheHeader);
}

std::span<const std::byte> manifestOf(std::span<const std::byte> bytes) {
  auto header = cache::loadHeader<ModelCacheHeader>(bytes);
  return bytes.subspan(header.manifestOffset, header.manifestSize);
}

std::vector<std::byte> withManifest(std::span<const std::byte> file,
                                    std::span<const std::byte> manifest) {
  auto header = cache::loadHeader<ModelCacheHeader>(file);
  size_t codeAt = std::min<size_t>(
      cache::alignTo(header.manifestOffset + header.manifestSize,
                     cache::sectionAlignment),
      file.size());
  header.manifestSize = manifest.size();
  std::vector<std::byte> bytes(sizeof(header));
  bytes.insert(bytes.end(), manifest.begin(), manifest.end());
  bytes.resize(cache::alignTo(bytes.size(), cache::sectionAlignment));
  bytes.insert(bytes.end(), file.begin() + ptrdiff_t(codeAt), file.end());
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

void sealModelCache(std::span<std::byte> bytes) {
  if (bytes.size() < sizeof(ModelCacheHeader))
    return;
  auto header = cache::loadHeader<ModelCacheHeader>(bytes);
  header.totalSize = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.digest = cache::digestOfModelCache(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
}

void overwriteNumber(std::span<std::byte> bytes, Random &random) {
  if (bytes.empty())
    return;
  size_t width = size_t(1) << random.below(4);
  size_t at = random.below(bytes.size());
  if (!random.oneOf(4))
    at = at / width * width;
  uint64_t number = uint64_t(unusualNumber(random));
  std::memcpy(bytes.data() + at, &number, std::min(width, bytes.size() - at));
}

static bool isManifest(std::span<const std::byte> bytes) {
  flatbuffers::Verifier verifier(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  return cache::VerifyManifestBuffer(verifier);
}

std::optional<std::vector<std::byte>>
mutateModelCache(std::span<const std::byte> file, Random &random) {
  static FlatBufferMutator manifests(
      NNHAL_SOURCE_ROOT "/lib/Runtime/Artifact/ModelCache.fbs", isManifest);
  if (!hasManifest(file))
    return std::nullopt;
  std::vector<std::byte> bytes(file.begin(), file.end());
  switch (random.below(5)) {
  case 0:
  case 1:
    if (auto manifest = manifests.mutate(manifestOf(file), random))
      bytes = withManifest(file, *manifest);
    break;
  case 2: {
    size_t end = sizeof(ModelCacheHeader) + manifestOf(file).size();
    overwriteNumber(std::span(bytes).subspan(sizeof(ModelCacheHeader),
                                             end - sizeof(ModelCacheHeader)),
                    random);
    break;
  }
  case 3:
    // A shared object has its tables in front of, and behind, its code.
    for (size_t count = 1 + random.below(3);
         count > 0 && bytes.size() > cache::sectionAlignment; --count)
      overwriteNumber(std::span(bytes).subspan(cache::sectionAlignment),
                      random);
    break;
  default:
    overwriteNumber(bytes, random);
    break;
  }
  if (!random.oneOf(12))
    sealModelCache(bytes);
  return bytes;
}

} // namespace nnhal::rt::fuzz
