//===- MemoryDesc.cpp - Descriptions of memories --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryDesc.h"

#include "Library.h"

#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/SharedMemory.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;

static bool isSameType(const rt::InterfaceTensor &one,
                       const rt::InterfaceTensor &other) {
  return one.type == other.type && one.scale == other.scale &&
         one.zeroPoint == other.zeroPoint &&
         one.channelQuant == other.channelQuant;
}

int ANeuralNetworksMemoryDesc::addRole(
    const ANeuralNetworksCompilation &compilation, bool isInput, uint32_t index,
    float frequency) {
  if (isFinished)
    return ANEURALNETWORKS_BAD_STATE;
  Role role = {compilation.number, isInput, index};
  if (std::ranges::find(uses, role, &Use::role) != uses.end() ||
      !compilation.isFinished())
    return ANEURALNETWORKS_BAD_DATA;
  const std::vector<ArgumentInfo> &arguments =
      isInput ? compilation.inputs() : compilation.outputs();
  if (index >= arguments.size())
    return ANEURALNETWORKS_BAD_DATA;
  const ArgumentInfo &argument = arguments[index];
  if (type && !isSameType(*type, argument.tensor))
    return ANEURALNETWORKS_BAD_DATA;
  if (!argument.isTensor && !dimensions.empty())
    return ANEURALNETWORKS_BAD_DATA;
  auto combined = combine(dimensions, argument.tensor.dimensions);
  if (!combined || !(frequency > 0 && frequency <= 1))
    return ANEURALNETWORKS_BAD_DATA;
  uses.push_back(
      {role, frequency, compilation.isListed(), compilation.preparedModel()});
  dimensions = *std::move(combined);
  type = argument.tensor;
  isTensor = argument.isTensor;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc::setDimensions(std::span<const uint32_t> given) {
  if (isFinished)
    return ANEURALNETWORKS_BAD_STATE;
  if (type && !isTensor && !given.empty())
    return ANEURALNETWORKS_BAD_DATA;
  // A contradiction is found before a rank that is not true leads far away.
  if (!dimensions.empty() && !given.empty() &&
      dimensions.size() != given.size())
    return ANEURALNETWORKS_BAD_DATA;
  auto combined = combine(dimensions, {given.begin(), given.end()});
  if (!combined)
    return ANEURALNETWORKS_BAD_DATA;
  dimensions = *std::move(combined);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksMemoryDesc::finish() {
  if (isFinished)
    return ANEURALNETWORKS_BAD_STATE;
  if (uses.empty())
    return ANEURALNETWORKS_BAD_DATA;
  isFinished = true;
  return ANEURALNETWORKS_NO_ERROR;
}

Description ANeuralNetworksMemoryDesc::describe() const {
  Description description;
  for (const Use &use : uses)
    description.roles.push_back(use.role);
  description.type = *type;
  description.type.dimensions = dimensions;
  return description;
}

/// Asks the device that has all roles; null where there is none, or it does not
/// give memory.
std::shared_ptr<rt::Buffer>
ANeuralNetworksMemoryDesc::allocate(const rt::Device **device) const {
  std::vector<rt::PreparedModelRef> models;
  std::vector<rt::BufferRole> inputRoles, outputRoles;
  *device = nullptr;
  for (const Use &use : uses) {
    auto roles = use.role.isInput ? use.model->rolesOfInput(use.role.index)
                                  : use.model->rolesOfOutput(use.role.index);
    if (roles.empty())
      return nullptr;
    for (const rt::PartitionedModel::Role &role : roles) {
      if (!role.device || (*device && *device != role.device))
        return nullptr;
      *device = role.device;
      auto place = std::ranges::find(models, role.model);
      auto model = uint32_t(place - models.begin());
      if (place == models.end())
        models.push_back(role.model);
      auto &list = role.isInput ? inputRoles : outputRoles;
      bool isThere = std::ranges::any_of(list, [&](const auto &each) {
        return each.modelIndex == model && each.ioIndex == role.index;
      });
      if (!isThere)
        list.push_back({model, role.index, use.frequency});
    }
  }
  if (!*device)
    return nullptr;
  auto buffer =
      (*device)->allocate({dimensions}, models, inputRoles, outputRoles);
  // A device need not have memory of its own (F-070, F-073).
  if (!buffer.isOk() || !*buffer || (*buffer)->token() == 0) {
    if (Library *library = Library::find())
      rt::writeLog(library->log(), rt::LogTag::memory, "{} gives no memory: {}",
                   (*device)->name(), buffer.status().message());
    return nullptr;
  }
  return *std::move(buffer);
}

int ANeuralNetworksMemoryDesc::createMemory(
    ANeuralNetworksMemory **memory) const {
  if (!isFinished)
    return ANEURALNETWORKS_BAD_STATE;
  Library *library = Library::find();
  if (!library)
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  const rt::Device *device = nullptr;
  if (std::shared_ptr<rt::Buffer> buffer = allocate(&device)) {
    library->addBuffer(*device, buffer);
    *memory = new Memory(std::make_shared<DescribedMemory>(describe(), *device,
                                                           std::move(buffer)));
    return ANEURALNETWORKS_NO_ERROR;
  }
  // A client that lists devices wants memory of theirs (F-070).
  bool isListed = std::ranges::any_of(uses, &Use::isListed);
  rt::InterfaceTensor whole = *type;
  whole.dimensions = dimensions;
  uint64_t size = rt::byteSizeOf(whole).value_or(0);
  if (isListed || size == 0)
    return ANEURALNETWORKS_OP_FAILED;
  bool hasBlobs = std::ranges::all_of(uses, [](const Use &use) {
    return std::ranges::all_of(
        use.model->plan().candidates, [](const auto &candidate) {
          return candidate.halVersion >= rt::HalVersion::V1_3;
        });
  });
  auto pool = hasBlobs ? rt::SharedMemory::createBlob(size)
                       : rt::SharedMemory::createAshmem(size);
  if (!pool.isOk())
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  *memory = new Memory(
      std::make_shared<DescribedMemory>(describe(), *std::move(pool)));
  return ANEURALNETWORKS_NO_ERROR;
}
