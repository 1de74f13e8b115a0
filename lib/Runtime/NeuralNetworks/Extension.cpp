//===- Extension.cpp - Extensions of the process's devices ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extension.h"

#include "Runtime/Model/ExtensionUse.h"

using namespace nnhal;
using namespace nnhal::ndk;

// Codes are positive as int32_t (H-006).
static constexpr size_t maxPrefixes = 0x7FFF;

void Extensions::add(const rt::Device &device) {
  known.insert(known.end(), device.extensions().begin(),
               device.extensions().end());
}

std::optional<uint32_t> Extensions::codeOf(const std::string &name,
                                           uint16_t type) {
  std::lock_guard lock(mutex);
  auto found = prefixes.find(name);
  if (found == prefixes.end()) {
    if (names.size() == maxPrefixes)
      return std::nullopt;
    names.push_back(name);
    found = prefixes.emplace(name, uint32_t(names.size())).first;
  }
  return found->second << 16 | type;
}

std::optional<std::string> Extensions::nameOf(uint32_t code) const {
  std::lock_guard lock(mutex);
  size_t prefix = code >> 16;
  if (prefix == 0 || prefix > names.size())
    return std::nullopt;
  return names[prefix - 1];
}

std::optional<rt::Extension::OperandTypeInfo>
Extensions::find(uint32_t code) const {
  std::optional<std::string> name = nameOf(code);
  if (!name || isForbidden)
    return std::nullopt;
  const rt::Extension *extension = rt::lookUpExtension(known, *name);
  if (!extension)
    return std::nullopt;
  for (const auto &info : extension->operandTypes)
    if (info.type == uint16_t(code))
      return info;
  return std::nullopt;
}

bool Extensions::mayHaveOperation(uint32_t code) const {
  return !isForbidden && nameOf(code).has_value();
}
