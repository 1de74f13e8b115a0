//===- Token.cpp - Names of compilations and their files ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/CacheToken.h"

#include "Runtime/Artifact/Sha256.h"

#include <charconv>
#include <fmt/format.h>

using namespace nnhal::rt;

CacheTokenBuilder::CacheTokenBuilder(
    const std::optional<CacheToken> &application) {
  if (!application)
    return;
  hash = std::make_unique<cache::Sha256>();
  addBytes(std::as_bytes(std::span(*application)));
}

CacheTokenBuilder::~CacheTokenBuilder() = default;

/// Whether anything can be added. A token that was made before somebody tries
/// is of no use: it does not say what he wanted it to.
bool CacheTokenBuilder::isOpen() {
  if (isFinished)
    result.reset();
  return hash && !isFinished;
}

bool CacheTokenBuilder::addBytes(std::span<const std::byte> bytes) {
  if (!isOpen())
    return false;
  hash->update(bytes);
  return true;
}

bool CacheTokenBuilder::addText(std::string_view text) {
  return addBytes(std::as_bytes(std::span(text)));
}

bool CacheTokenBuilder::addOperation(uint32_t sourceModel, uint32_t operation) {
  uint32_t pair[] = {sourceModel, operation};
  return addBytes(std::as_bytes(std::span(pair)));
}

bool CacheTokenBuilder::addDevice(std::string_view name,
                                  std::string_view version, int32_t preference,
                                  int32_t priority) {
  int32_t numbers[] = {preference, priority};
  return addText(name) && addText(version) &&
         addBytes(std::as_bytes(std::span(numbers)));
}

bool CacheTokenBuilder::finish() {
  bool isFirst = isOpen();
  isFinished = true;
  if (isFirst)
    result = hash->finish();
  return isFirst;
}

std::optional<CacheToken> CacheTokenBuilder::token() const { return result; }

std::string nnhal::rt::cacheFileName(const CacheToken &token,
                                     CacheFileKind kind, uint32_t index) {
  std::string name;
  for (uint8_t byte : token) {
    name += char('A' + (byte & 0xF));
    name += char('A' + (byte >> 4));
  }
  return fmt::format("{}{}{}", name, int(kind), index);
}

std::optional<CacheFileNameParts>
nnhal::rt::parseCacheFileName(std::string_view name) {
  CacheFileNameParts parts;
  constexpr size_t letters = 2 * std::tuple_size_v<CacheToken>;
  if (name.size() < letters + 2)
    return std::nullopt;
  for (size_t i = 0; i < letters; ++i) {
    if (name[i] < 'A' || name[i] > 'P')
      return std::nullopt;
    parts.token[i / 2] |= uint8_t((name[i] - 'A') << (i % 2 ? 4 : 0));
  }
  char kind = name[letters];
  if (kind != '1' && kind != '2')
    return std::nullopt;
  parts.kind = CacheFileKind(kind - '0');
  name.remove_prefix(letters + 1);
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), parts.index);
  if (error != std::errc() || end != name.data() + name.size() ||
      (name.size() > 1 && name[0] == '0'))
    return std::nullopt;
  return parts;
}

uint64_t nnhal::rt::cacheLockPlace(const CacheToken &token) {
  uint64_t place = 0;
  for (size_t i = 0; i < 8; ++i)
    place |= uint64_t(token[i]) << (8 * i);
  return place >> 2; // Offsets are signed.
}
