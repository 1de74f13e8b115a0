//===- ExtensionUse.h - Extensions that devices list ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every list of extensions here is that of one device, or those of several
// devices one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_MODEL_EXTENSIONUSE_H
#define NNHAL_LIB_RUNTIME_MODEL_EXTENSIONUSE_H

#include "nnhal/Runtime/Interface.h"

#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

namespace nnhal::rt {

class Device;

/// Checks the name of \p extension (H-008), and that it says of each of its
/// types once how large an element is (C-014).
Status checkDescription(const Extension &extension);

/// Returns the extension \p name; null where nobody lists it, and where entries
/// of that name describe types differently: such an extension is disabled
/// (H-009, H-013). Equal entries are one (H-014).
const Extension *lookUpExtension(std::span<const Extension> extensions,
                                 std::string_view name);

/// Returns the extensions that are not disabled, each once, in the order of
/// their first entries.
std::vector<Extension> enabledExtensions(std::span<const Extension> extensions);

/// Returns the extensions of \p devices, one device after the other.
std::vector<Extension> extensionsOf(std::span<const Device *const> devices);

/// Returns the name that the prefix of \p code, an extension's operand type or
/// operation, stands for in \p model; nothing for a prefix that it does not
/// list.
std::optional<std::string_view> extensionNameOf(const Model &model,
                                                uint32_t code);

/// Returns the prefixes of the types and operations that \p model uses.
std::set<uint32_t> usedPrefixes(const Model &model);

/// Returns what \p model lists of extensions and uses (H-019).
std::vector<ExtensionNameAndPrefix> usedExtensions(const Model &model);

/// Returns the description of \p type in \p model; nothing when it is not an
/// extension's, or of one that is not listed or disabled.
std::optional<Extension::OperandTypeInfo>
describeType(const Model &model, std::span<const Extension> extensions,
             OperandType type);

/// Fails with invalidArgument when \p operation, or the type of one of its
/// operands, is of an extension that \p extensions do not have, and when an
/// operand contradicts the description of its type (H-016, H-022). The rules of
/// the operation itself are known to its device alone (H-024).
Status checkExtensionUse(const Model &model, const Subgraph &subgraph,
                         const Operation &operation,
                         std::span<const Extension> extensions);

/// Fails with invalidArgument when an operation or an operand of any subgraph
/// of
/// \p model contradicts \p extensions.
Status checkExtensionUse(const Model &model,
                         std::span<const Extension> extensions);

/// Refuses in \p answers, one per operation of the main subgraph of \p model,
/// the operations that fail checkExtensionUse(). The reason replaces that of
/// the device, which knows less.
void refuseForeign(const Model &model, std::span<const Extension> extensions,
                   std::vector<Status> &answers);

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_MODEL_EXTENSIONUSE_H
