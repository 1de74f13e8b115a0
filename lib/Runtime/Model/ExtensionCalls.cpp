//===- ExtensionCalls.cpp - Operations for extension backends -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExtensionCalls.h"

#include "ExtensionUse.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Extensions.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

using namespace nnhal::rt;

ExtensionBackend::~ExtensionBackend() = default;
Result<std::vector<TensorType>>
ExtensionBackend::states(const OperationView &) const {
  return std::vector<TensorType>();
}
ExtensionOutputs::~ExtensionOutputs() = default;

std::vector<Extension>
nnhal::rt::descriptionsOf(std::span<const InstalledExtension> installed) {
  std::vector<Extension> descriptions;
  for (const InstalledExtension &one : installed)
    descriptions.push_back(one.backend->extension());
  return descriptions;
}

std::vector<CompiledExtension>
nnhal::rt::compiledExtensions(std::span<const InstalledExtension> extensions) {
  std::vector<CompiledExtension> result;
  for (const InstalledExtension &one : extensions) {
    const Extension &description = one.backend->extension();
    if (findInstalled(extensions, description.name) == &one)
      result.push_back({description, one.buildIdentity});
  }
  return result;
}

const InstalledExtension *
nnhal::rt::findInstalled(std::span<const InstalledExtension> installed,
                         std::string_view name) {
  auto found = std::ranges::find_if(installed, [&](const auto &one) {
    return one.backend->extension().name == name;
  });
  return found == installed.end() ? nullptr : &*found;
}

Status
nnhal::rt::checkCustomOperators(std::string_view name,
                                std::span<const CustomOperator> customs) {
  std::set<std::string_view> names;
  for (const CustomOperator &custom : customs) {
    if (custom.name.empty())
      return badData("extension '{}' claims a custom operator without a name",
                     name);
    if (!names.insert(custom.name).second)
      return badData("extension '{}' claims the custom operator '{}' twice",
                     name, custom.name);
  }
  return Status::ok();
}

static const Extension::OperandTypeInfo *describe(const Extension &extension,
                                                  OperandType type) {
  auto row = std::ranges::find(extension.operandTypes, uint16_t(type),
                               &Extension::OperandTypeInfo::type);
  return row == extension.operandTypes.end() ? nullptr : &*row;
}

uint32_t nnhal::rt::elementSizeIn(const Extension &extension,
                                  OperandType type) {
  if (!isExtension(type)) {
    const OperandTypeInfo *info = lookUp(type);
    return info ? info->elementSize : 0;
  }
  const Extension::OperandTypeInfo *info = describe(extension, type);
  return info ? info->byteSize : 0;
}

bool nnhal::rt::isScalarIn(const Extension &extension, OperandType type) {
  if (!isExtension(type))
    return isScalar(type);
  const Extension::OperandTypeInfo *info = describe(extension, type);
  return info && !info->isTensor;
}

Status nnhal::rt::adoptType(const Extension &extension,
                            std::span<const InstalledExtension> installed,
                            std::string_view other, uint16_t number,
                            OperandView &operand) {
  const InstalledExtension *found = findInstalled(installed, other);
  if (!found)
    return badData("is of type {}:{}, but extension '{}' is not installed",
                   other, number, other);
  const Extension::OperandTypeInfo *stated =
      describe(found->backend->extension(), OperandType(number));
  if (!stated)
    return badData("is of type {}:{}, which extension '{}' does not describe",
                   other, number, other);
  if (!stated->isTensor)
    return badData("is of type {}:{}, a scalar, and extension '{}' takes only "
                   "tensors of other extensions",
                   other, number, extension.name);
  if (!operand.extensionData.empty())
    return badData("is of type {}:{} with {} bytes of extension data, and "
                   "extension '{}' takes none of other extensions",
                   other, number, operand.extensionData.size(), extension.name);
  const Extension::OperandTypeInfo *own = tensorOfKind(extension, stated->kind);
  if (!own)
    return badData("is of type {}:{}, and extension '{}' has no tensor type "
                   "with elements of that kind",
                   other, number, extension.name);
  operand.type.type = ownOperandType(own->type);
  return Status::ok();
}

static Status translate(const Model &model, const Extension &extension,
                        std::span<const InstalledExtension> installed,
                        OperandView &operand) {
  OperandType &type = operand.type.type;
  if (!isExtension(type))
    return Status::ok();
  std::string_view name = extensionNameOf(model, uint32_t(type)).value_or("");
  if (name != extension.name)
    return adoptType(extension, installed, name, uint16_t(type), operand);
  type = ownOperandType(uint16_t(type));
  // Nobody but the description says that it is a scalar.
  if (isScalarIn(extension, type))
    operand.type.isRanked = true;
  return Status::ok();
}

static Status translate(const Model &model, const Extension &extension,
                        std::span<const InstalledExtension> installed,
                        std::string_view role,
                        std::vector<OperandView> &operands) {
  for (size_t i = 0; i < operands.size(); ++i)
    NNHAL_RETURN_IF_ERROR(translate(model, extension, installed, operands[i])
                              .withContext(fmt::format("{} {}", role, i)));
  return Status::ok();
}

Result<ExtensionCall>
nnhal::rt::makeExtensionCall(const Model &model, OperationView view,
                             std::span<const InstalledExtension> installed) {
  std::string_view name =
      extensionNameOf(model, uint32_t(view.type)).value_or("");
  const InstalledExtension *found = findInstalled(installed, name);
  if (!found)
    return badData("the device does not have extension '{}'", name);
  const Extension &extension = found->backend->extension();
  NNHAL_RETURN_IF_ERROR(
      translate(model, extension, installed, "input", view.inputs));
  NNHAL_RETURN_IF_ERROR(
      translate(model, extension, installed, "output", view.outputs));
  view.type = ownOperation(uint16_t(view.type));
  return ExtensionCall{found, std::move(view)};
}

Result<OperationFacts> nnhal::rt::checkCall(const ExtensionBackend &backend,
                                            const OperationView &view) {
  NNHAL_ASSIGN_OR_RETURN(OperationFacts facts, backend.check(view));
  if (facts.results.size() != view.outputs.size())
    return badData("has {} outputs, expected {}", view.outputs.size(),
                   facts.results.size());
  return facts;
}

Result<OperationFacts> nnhal::rt::checkExtensionOperation(
    const Model &model, const Subgraph &subgraph, const Operation &operation,
    std::span<const InstalledExtension> installed) {
  NNHAL_ASSIGN_OR_RETURN(
      ExtensionCall call,
      makeExtensionCall(model, OperationView::of(model, subgraph, operation),
                        installed));
  Result<OperationFacts> facts = checkCall(*call.installed->backend, call.view);
  if (!facts.isOk())
    return std::move(facts).takeStatus().withContext(
        nameOf(model, operation.type));
  return facts;
}

static Status checkExtents(size_t index, const TensorType &inferred,
                           std::span<const int64_t> extents) {
  if (int64_t(extents.size()) != inferred.rank())
    return failure("output {} has rank {}, expected {}", index, extents.size(),
                   inferred.rank());
  for (size_t d = 0; d < extents.size(); ++d) {
    int64_t expected = inferred.dimensions[d];
    if (extents[d] < 0 || (expected != unknownExtent && expected != extents[d]))
      return failure("output {} has extents [{}], expected {}", index,
                     fmt::join(extents, ", "), shapeText(inferred));
  }
  return Status::ok();
}

Result<std::span<std::byte>>
CheckedOutputs::allocate(size_t index, std::span<const int64_t> extents) {
  if (index >= results.size())
    return failure("there is no output {}, only {}", index, results.size());
  TensorType &type = results[index];
  NNHAL_RETURN_IF_ERROR(checkExtents(index, type, extents));
  type.dimensions.assign(extents.begin(), extents.end());
  NNHAL_ASSIGN_OR_RETURN(
      std::span<std::byte> elements,
      allocateElements(index, elementSizeIn(extension, type.type)));
  isAllocated[index] = true;
  return elements;
}

Status CheckedOutputs::checkComplete() const {
  auto missing = std::ranges::find(isAllocated, false);
  if (missing == isAllocated.end())
    return Status::ok();
  return failure("output {} was not computed", missing - isAllocated.begin());
}
