//===- ExtensionUse.cpp - Extensions that devices list --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionUse.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Extensions.h"

#include <algorithm>

using namespace nnhal::rt;

static bool isExtensionName(std::string_view name) {
  return name.find('.') != std::string_view::npos &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.';
         });
}

Status nnhal::rt::checkDescription(const Extension &extension) {
  if (!isExtensionName(extension.name))
    return badData("the extension name '{}' is not of lower-case letters, "
                   "digits, '_' and at least one '.'",
                   extension.name);
  std::set<uint16_t> types;
  for (const Extension::OperandTypeInfo &info : extension.operandTypes) {
    if (!types.insert(info.type).second)
      return badData("extension '{}' lists type {} twice", extension.name,
                     info.type);
    if (info.byteSize == 0)
      return badData("type {} of extension '{}' has elements of 0 bytes",
                     info.type, extension.name);
    if (info.kind != ElementKind::opaque && sizeOf(info.kind) != info.byteSize)
      return badData(
          "type {} of extension '{}' has elements of {} bytes, those "
          "of its kind have {}",
          info.type, extension.name, info.byteSize, sizeOf(info.kind));
  }
  return Status::ok();
}

/// Whether two extensions of one name have the same types, whatever they say of
/// the kinds of their elements: a device of an older version says nothing.
static bool haveSameTypes(const Extension &a, const Extension &b) {
  return std::ranges::equal(
      a.operandTypes, b.operandTypes, [](const auto &one, const auto &other) {
        return one.type == other.type && one.isTensor == other.isTensor &&
               one.byteSize == other.byteSize;
      });
}

const Extension *
nnhal::rt::lookUpExtension(std::span<const Extension> extensions,
                           std::string_view name) {
  const Extension *first = nullptr;
  for (const Extension &extension : extensions) {
    if (extension.name != name)
      continue;
    if (first && !haveSameTypes(*first, extension))
      return nullptr;
    first = first ? first : &extension;
  }
  return first;
}

std::vector<Extension>
nnhal::rt::enabledExtensions(std::span<const Extension> extensions) {
  std::vector<Extension> enabled;
  for (const Extension &extension : extensions)
    if (lookUpExtension(extensions, extension.name) == &extension)
      enabled.push_back(extension);
  return enabled;
}

std::vector<Extension>
nnhal::rt::extensionsOf(std::span<const Device *const> devices) {
  std::vector<Extension> all;
  for (const Device *device : devices)
    all.insert(all.end(), device->extensions().begin(),
               device->extensions().end());
  return all;
}

std::optional<std::string_view> nnhal::rt::extensionNameOf(const Model &model,
                                                           uint32_t code) {
  auto entry = std::ranges::find(model.extensionNameToPrefix, code >> 16,
                                 &ExtensionNameAndPrefix::prefix);
  if (code <= 0xFFFF || entry == model.extensionNameToPrefix.end())
    return std::nullopt;
  return entry->name;
}

/// Calls \p visit with all subgraphs and what messages call them, until it
/// fails.
template <typename Visit>
static Status visitSubgraphs(const Model &model, Visit visit) {
  for (size_t i = 0; i <= model.referenced.size(); ++i) {
    Status status = visit(i == 0 ? model.main : model.referenced[i - 1]);
    if (!status.isOk())
      return std::move(status).withContext(
          i == 0 ? "main" : fmt::format("referenced {}", i - 1));
  }
  return Status::ok();
}

std::set<uint32_t> nnhal::rt::usedPrefixes(const Model &model) {
  std::set<uint32_t> prefixes;
  auto collect = [&](const Subgraph &subgraph) {
    for (const Operand &operand : subgraph.operands)
      prefixes.insert(uint32_t(operand.type) >> 16);
    for (const Operation &operation : subgraph.operations)
      prefixes.insert(uint32_t(operation.type) >> 16);
  };
  collect(model.main);
  std::ranges::for_each(model.referenced, collect);
  prefixes.erase(0);
  return prefixes;
}

std::vector<ExtensionNameAndPrefix>
nnhal::rt::usedExtensions(const Model &model) {
  const std::set<uint32_t> prefixes = usedPrefixes(model);
  std::vector<ExtensionNameAndPrefix> used = model.extensionNameToPrefix;
  std::erase_if(used, [&](const ExtensionNameAndPrefix &entry) {
    return !prefixes.contains(entry.prefix);
  });
  return used;
}

/// Both kinds of codes have the same form.
template <typename Type>
static std::string nameInModel(const Model &model, Type type) {
  auto name = extensionNameOf(model, uint32_t(type));
  return name ? fmt::format("{}:{}", *name, uint16_t(type)) : nameOf(type);
}

std::string nnhal::rt::nameOf(const Model &model, OperandType type) {
  return nameInModel(model, type);
}

std::string nnhal::rt::nameOf(const Model &model, OperationType type) {
  return nameInModel(model, type);
}

Status nnhal::rt::checkNoExtensions(const Model &model) {
  return visitSubgraphs(model, [&](const Subgraph &subgraph) {
    for (size_t i = 0; i < subgraph.operations.size(); ++i)
      if (OperationType type = subgraph.operations[i].type; isExtension(type))
        return badData("operation {} is {}, of an extension", i,
                       nameOf(model, type));
    for (size_t i = 0; i < subgraph.operands.size(); ++i)
      if (OperandType type = subgraph.operands[i].type; isExtension(type))
        return badData("operand {} is of type {}, of an extension", i,
                       nameOf(model, type));
    return Status::ok();
  });
}

std::optional<Extension::OperandTypeInfo>
nnhal::rt::describeType(const Model &model,
                        std::span<const Extension> extensions,
                        OperandType type) {
  auto name = extensionNameOf(model, uint32_t(type));
  const Extension *extension =
      name ? lookUpExtension(extensions, *name) : nullptr;
  if (!extension)
    return std::nullopt;
  auto row = std::ranges::find(extension->operandTypes, uint16_t(type),
                               &Extension::OperandTypeInfo::type);
  if (row == extension->operandTypes.end())
    return std::nullopt;
  return *row;
}

/// Checks that the extension of \p code, an operand type or operation, is there
/// and enabled.
static Status checkExtension(const Model &model, uint32_t code,
                             std::span<const Extension> extensions) {
  auto name = extensionNameOf(model, code);
  if (!name)
    return badData("extension prefix {} has no name", code >> 16);
  if (lookUpExtension(extensions, *name))
    return Status::ok();
  bool isListed = std::ranges::find(extensions, *name, &Extension::name) !=
                  extensions.end();
  return isListed ? badData("extension '{}' is disabled: its types are "
                            "described in two ways",
                            *name)
                  : badData("the device does not have extension '{}'", *name);
}

static Status checkType(const Model &model, const Operand &operand,
                        std::span<const Extension> extensions) {
  if (!isExtension(operand.type))
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(
      checkExtension(model, uint32_t(operand.type), extensions));
  std::string_view name =
      extensionNameOf(model, uint32_t(operand.type)).value_or("");
  auto number = uint16_t(operand.type);
  auto info = describeType(model, extensions, operand.type);
  if (!info)
    return badData("extension '{}' has no type {}", name, number);
  // A scalar has no extents (H-016).
  if (!info->isTensor && !operand.dimensions.empty())
    return badData("scalar {} must not have dimensions, found {}",
                   nameOf(model, operand.type), operand.dimensions.size());
  // Unknown dimensions do not count, as in the HAL's own types.
  uint64_t size = info->byteSize;
  for (uint32_t extent : operand.dimensions) {
    size *= extent ? extent : 1;
    if (size > UINT32_MAX)
      return badData("dimensions [{}] of {} exceed {} bytes",
                     fmt::join(operand.dimensions, ", "),
                     nameOf(model, operand.type), UINT32_MAX);
  }
  return Status::ok();
}

static Status checkOperand(const Model &model, const Subgraph &subgraph,
                           uint32_t index,
                           std::span<const Extension> extensions) {
  Status status = checkType(model, subgraph.operands[index], extensions);
  return status.isOk()
             ? Status::ok()
             : std::move(status).withContext(fmt::format("operand {}", index));
}

Status nnhal::rt::checkExtensionUse(const Model &model,
                                    const Subgraph &subgraph,
                                    const Operation &operation,
                                    std::span<const Extension> extensions) {
  if (isExtension(operation.type))
    NNHAL_RETURN_IF_ERROR(
        checkExtension(model, uint32_t(operation.type), extensions));
  for (uint32_t operand : operation.inputs)
    NNHAL_RETURN_IF_ERROR(checkOperand(model, subgraph, operand, extensions));
  for (uint32_t operand : operation.outputs)
    NNHAL_RETURN_IF_ERROR(checkOperand(model, subgraph, operand, extensions));
  return Status::ok();
}

static Status checkSubgraph(const Model &model, const Subgraph &subgraph,
                            std::span<const Extension> extensions) {
  for (size_t i = 0; i < subgraph.operations.size(); ++i) {
    uint32_t type = uint32_t(subgraph.operations[i].type);
    Status status =
        type > 0xFFFF ? checkExtension(model, type, extensions) : Status::ok();
    if (!status.isOk())
      return std::move(status).withContext(fmt::format("operation {}", i));
  }
  for (size_t i = 0; i < subgraph.operands.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        checkOperand(model, subgraph, uint32_t(i), extensions));
  return Status::ok();
}

Status nnhal::rt::checkExtensionUse(const Model &model,
                                    std::span<const Extension> extensions) {
  if (model.extensionNameToPrefix.empty())
    return Status::ok();
  return visitSubgraphs(model, [&](const Subgraph &subgraph) {
    return checkSubgraph(model, subgraph, extensions);
  });
}

void nnhal::rt::refuseForeign(const Model &model,
                              std::span<const Extension> extensions,
                              std::vector<Status> &answers) {
  if (model.extensionNameToPrefix.empty())
    return;
  const std::vector<Operation> &operations = model.main.operations;
  for (size_t i = 0; i < std::min(operations.size(), answers.size()); ++i) {
    Status status =
        checkExtensionUse(model, model.main, operations[i], extensions);
    if (!status.isOk())
      answers[i] = std::move(status);
  }
}
