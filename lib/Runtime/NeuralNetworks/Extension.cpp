//===- Extension.cpp - Extensions of the process's devices ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;

// Codes are positive as int32_t (H-006).
static constexpr size_t maxPrefixes = 0x7FFF;

void Extensions::add(const rt::Device &device) {
  for (const rt::Extension &extension : device.extensions()) {
    auto [place, isNew] =
        known.try_emplace(extension.name, Description{extension});
    if (!isNew &&
        place->second.extension.operandTypes != extension.operandTypes)
      place->second.isEnabled = false;
  }
}

std::optional<uint32_t> Extensions::codeOf(const std::string &name,
                                           uint16_t type) {
  std::lock_guard lock(mutex);
  auto found = std::ranges::find(prefixes, name);
  size_t index = size_t(found - prefixes.begin());
  if (found == prefixes.end()) {
    if (prefixes.size() == maxPrefixes)
      return std::nullopt;
    prefixes.push_back(name);
  }
  return uint32_t(index + 1) << 16 | type;
}

std::optional<std::string> Extensions::nameOf(uint32_t code) const {
  std::lock_guard lock(mutex);
  size_t prefix = code >> 16;
  if (prefix == 0 || prefix > prefixes.size())
    return std::nullopt;
  return prefixes[prefix - 1];
}

std::optional<rt::Extension::OperandTypeInfo>
Extensions::find(uint32_t code) const {
  std::optional<std::string> name = nameOf(code);
  if (!name)
    return std::nullopt;
  auto description = known.find(*name);
  if (description == known.end() || !description->second.isEnabled)
    return std::nullopt;
  for (const auto &info : description->second.extension.operandTypes)
    if (info.type == uint16_t(code))
      return info;
  return std::nullopt;
}
