//===- CubinCache.cpp - Machine code that a driver has made ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CubinCache.h"

#include "Runtime/Artifact/Sha256.h"

#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::cuda;

using Digest = std::array<uint8_t, 32>;

/// Other bytes when anything below changes.
static constexpr std::string_view formatName = "nnhal-cuda cubin 1";

/// The digest of driver, PTX and machine code; then the machine code.
static constexpr size_t headerSize = sizeof(Digest);

static Digest digestOf(const DriverIdentity &driver,
                       std::span<const std::byte> ptx,
                       std::span<const std::byte> cubin) {
  cache::Sha256 hash;
  hash.text(formatName);
  hash.number(driver.version);
  hash.number(driver.major);
  hash.number(driver.minor);
  hash.blob(ptx);
  hash.blob(cubin);
  return hash.finish();
}

std::optional<std::span<const std::byte>>
CubinCache::find(std::span<const std::byte> ptx) const {
  if (sealed.size() <= headerSize)
    return std::nullopt;
  std::span<const std::byte> cubin = std::span(sealed).subspan(headerSize);
  Digest digest = digestOf(driver, ptx, cubin);
  if (std::memcmp(sealed.data(), digest.data(), digest.size()) != 0)
    return std::nullopt;
  return cubin;
}

void CubinCache::keep(std::span<const std::byte> ptx,
                      std::span<const std::byte> cubin) {
  Digest digest = digestOf(driver, ptx, cubin);
  sealed.resize(headerSize + cubin.size());
  std::memcpy(sealed.data(), digest.data(), digest.size());
  if (!cubin.empty())
    std::memcpy(&sealed[headerSize], cubin.data(), cubin.size());
}
