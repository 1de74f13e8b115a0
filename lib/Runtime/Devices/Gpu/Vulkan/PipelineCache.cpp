//===- PipelineCache.cpp - What a driver has compiled ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineCache.h"

#include "Runtime/Artifact/Sha256.h"
#include "Runtime/Support/Errors.h"

#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::vulkan;

using Digest = std::array<uint8_t, 32>;

/// Other bytes when anything below changes.
static constexpr std::string_view formatName = "nnhal-vulkan pipelines 1";

/// The file is the digest of the driver, the digest of the data, the data.
static constexpr size_t headerSize = 2 * sizeof(Digest);

static Digest digestOf(const DriverIdentity &driver) {
  cache::Sha256 hash;
  hash.text(formatName);
  hash.number(driver.vendor);
  hash.number(driver.device);
  hash.number(driver.version);
  hash.blob(std::as_bytes(std::span(driver.cacheUuid)));
  return hash.finish();
}

static Digest digestOf(std::span<const std::byte> data) {
  cache::Sha256 hash;
  hash.text(formatName);
  hash.blob(data);
  return hash.finish();
}

static bool isAt(std::span<const std::byte> bytes, size_t offset,
                 const Digest &digest) {
  return std::memcmp(&bytes[offset], digest.data(), digest.size()) == 0;
}

std::vector<std::byte>
vulkan::sealPipelineData(const DriverIdentity &driver,
                         std::span<const std::byte> data) {
  if (data.empty())
    return {};
  std::vector<std::byte> bytes(headerSize + data.size());
  Digest digests[] = {digestOf(driver), digestOf(data)};
  std::memcpy(bytes.data(), digests, headerSize);
  std::memcpy(&bytes[headerSize], data.data(), data.size());
  return bytes;
}

Result<std::span<const std::byte>>
vulkan::openPipelineData(const DriverIdentity &driver,
                         std::span<const std::byte> bytes) {
  if (bytes.size() <= headerSize)
    return badData("{} bytes of pipelines, more than {} are needed",
                   bytes.size(), headerSize);
  if (!isAt(bytes, 0, digestOf(driver)))
    return deviceUnavailable("the pipelines are not those of driver {} for "
                             "device {:#x}:{:#x}",
                             driver.version, driver.vendor, driver.device);
  std::span<const std::byte> data = bytes.subspan(headerSize);
  if (!isAt(bytes, sizeof(Digest), digestOf(data)))
    return badData("the {} bytes of pipelines do not have their digest",
                   data.size());
  return data;
}

bool PipelineCache::make(const EngineRef &owner,
                         std::span<const std::byte> data) {
  VkPipelineCacheCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = data.size();
  info.pInitialData = data.data();
  VkPipelineCache made = VK_NULL_HANDLE;
  Status status = owner->check(owner->functions().CreatePipelineCache(
                                   owner->device(), &info, nullptr, &made),
                               "vkCreatePipelineCache");
  if (!status.isOk())
    return false;
  cache = {owner, made};
  return true;
}

PipelineCache PipelineCache::create(const EngineRef &engine,
                                    std::span<const std::byte> kept) {
  PipelineCache result;
  result.engine = engine;
  auto data = openPipelineData(engine->driver(), kept);
  result.warm = data.isOk() && result.make(engine, *data);
  if (!result.warm)
    (void)result.make(engine, {});
  return result;
}

std::vector<std::byte> PipelineCache::data() const {
  if (!handle())
    return {};
  const Functions &call = engine->functions();
  size_t size = 0;
  if (call.GetPipelineCacheData(engine->device(), handle(), &size, nullptr) !=
      VK_SUCCESS)
    return {};
  std::vector<std::byte> bytes(size);
  if (call.GetPipelineCacheData(engine->device(), handle(), &size,
                                bytes.data()) != VK_SUCCESS)
    return {};
  return sealPipelineData(engine->driver(), std::span(bytes).first(size));
}
