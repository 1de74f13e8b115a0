//===- Bundle.cpp - Model cache and data cache in one file ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"

#include "ModelCache.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;
using namespace nnhal::rt::cache;

std::vector<std::byte>
nnhal::rt::writeBundle(std::span<const std::byte> modelCache,
                       std::span<const std::byte> dataCache) {
  BundleHeader header = {};
  header.magic = bundleMagic;
  header.major = formatMajor;
  header.minor = formatMinor;
  header.modelCacheOffset = constantAlignment;
  header.modelCacheSize = modelCache.size();
  header.dataCacheOffset =
      alignTo(header.modelCacheOffset + modelCache.size(), sectionAlignment);
  header.dataCacheSize = dataCache.size();

  std::vector<std::byte> file(header.dataCacheOffset + dataCache.size());
  std::memcpy(file.data(), &header, sizeof(header));
  if (!modelCache.empty())
    std::memcpy(file.data() + header.modelCacheOffset, modelCache.data(),
                modelCache.size());
  if (!dataCache.empty())
    std::memcpy(file.data() + header.dataCacheOffset, dataCache.data(),
                dataCache.size());
  return file;
}

bool nnhal::rt::isBundle(std::span<const std::byte> bytes) {
  return bytes.size() >= bundleMagic.size() &&
         std::memcmp(bytes.data(), bundleMagic.data(), bundleMagic.size()) == 0;
}

Result<Bundle> nnhal::rt::readBundle(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(BundleHeader))
    return badData("bundle of {} bytes is shorter than its header of {}",
                   bytes.size(), sizeof(BundleHeader));
  if (!isBundle(bytes))
    return badData("not a bundle: the first 8 bytes are not \"NNHALBN\\x1a\"");
  auto header = loadHeader<BundleHeader>(bytes);
  if (header.major != formatMajor)
    return badData("bundle has format version {}.{}, this version reads {}.x",
                   header.major, header.minor, formatMajor);
  if (header.modelCacheOffset < sizeof(BundleHeader) ||
      header.modelCacheOffset > bytes.size() ||
      header.modelCacheSize > bytes.size() - header.modelCacheOffset)
    return badData("model cache at {} with {} bytes leaves the bundle of {}",
                   header.modelCacheOffset, header.modelCacheSize,
                   bytes.size());
  if (header.dataCacheOffset % sectionAlignment != 0)
    return badData("data cache at {} is not aligned to {}",
                   header.dataCacheOffset, sectionAlignment);
  if (header.dataCacheOffset <
          header.modelCacheOffset + header.modelCacheSize ||
      header.dataCacheOffset > bytes.size() ||
      header.dataCacheSize != bytes.size() - header.dataCacheOffset)
    return badData("data cache at {} with {} bytes does not end the bundle of "
                   "{} bytes after its model cache",
                   header.dataCacheOffset, header.dataCacheSize, bytes.size());
  return Bundle{bytes.subspan(header.modelCacheOffset, header.modelCacheSize),
                bytes.subspan(header.dataCacheOffset)};
}
