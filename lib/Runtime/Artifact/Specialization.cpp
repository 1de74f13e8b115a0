//===- Specialization.cpp - Code for the shapes that are used -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialization.h"

#include "Targets.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Writes \p shape into \p operand; whether that said anything new.
static Result<bool> stateExtents(Operand &operand,
                                 const std::vector<uint32_t> &shape,
                                 size_t index) {
  bool isOpen = isTensor(operand.type) && operand.dimensions.empty();
  if (isOpen && shape.empty())
    return badData("input {} has unknown rank, the specialization states no "
                   "shape",
                   index);
  if (isOpen)
    operand.dimensions.assign(shape.size(), 0);
  if (shape.size() != operand.dimensions.size())
    return badData("input {} has rank {}, the specialization states {}", index,
                   operand.dimensions.size(), shape.size());
  bool isNew = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    uint32_t &extent = operand.dimensions[i];
    if (shape[i] == 0)
      return badData("the specialization leaves dimension {} of input {} open",
                     i, index);
    if (extent != 0 && extent != shape[i])
      return badData("input {} has extent {} in dimension {}, the "
                     "specialization states {}",
                     index, extent, i, shape[i]);
    isNew |= extent == 0;
    extent = shape[i];
  }
  return isNew;
}

Result<AnnotatedModel> nnhal::rt::withInputShapes(const AnnotatedModel &model,
                                                  const InputShapes &shapes) {
  AnnotatedModel result = model;
  Subgraph &main = result.model.main;
  if (shapes.size() != main.inputIndexes.size())
    return badData("the specialization has {} shapes, the model {} inputs",
                   shapes.size(), main.inputIndexes.size());
  bool isNew = false;
  for (size_t i = 0; i < shapes.size(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        bool stated,
        stateExtents(main.operands[main.inputIndexes[i]], shapes[i], i));
    isNew |= stated;
  }
  if (!isNew)
    return badData("the model leaves no extent of its inputs open");
  return result;
}

//===----------------------------------------------------------------------===//
// Artifacts
//===----------------------------------------------------------------------===//

static Status checkOrigins(const Artifact &general, const Artifact &special) {
  NNHAL_RETURN_IF_ERROR(checkSameModel(general, special, "specialization"));
  if (general.dataCacheSize % constantAlignment != 0)
    return badData("a data cache of {} bytes, no multiple of {}, cannot be "
                   "appended to",
                   general.dataCacheSize, constantAlignment);
  return Status::ok();
}

Status nnhal::rt::addSpecialization(Artifact &general, Artifact special,
                                    const InputShapes &shapes) {
  NNHAL_RETURN_IF_ERROR(checkOrigins(general, special));
  auto isGeneral = [](const ArtifactEntry &entry) {
    return entry.inputShapes.empty();
  };
  auto place = std::ranges::find_if(general.entries, isGeneral);
  for (ArtifactEntry &entry : special.entries) {
    entry.codeIndex += uint32_t(general.code.size());
    entry.inputShapes = shapes;
    place = std::next(general.entries.insert(place, std::move(entry)));
  }
  std::ranges::move(special.code, std::back_inserter(general.code));
  for (ConstantRegion &region : special.constants) {
    region.offset += general.dataCacheSize;
    general.constants.push_back(std::move(region));
  }
  general.dataCacheSize += special.dataCacheSize;
  general.routineSlots =
      unionOfSlots(general.routineSlots, special.routineSlots);
  return Status::ok();
}

Result<CompiledModel> nnhal::rt::addSpecialization(const CompiledModel &general,
                                                   const CompiledModel &special,
                                                   const InputShapes &shapes) {
  NNHAL_ASSIGN_OR_RETURN(Artifact artifact, readModelCache(general.modelCache));
  NNHAL_ASSIGN_OR_RETURN(Artifact added, readModelCache(special.modelCache));
  NNHAL_RETURN_IF_ERROR(addSpecialization(artifact, std::move(added), shapes));
  NNHAL_ASSIGN_OR_RETURN(auto first, general.dataCache.bytes());
  NNHAL_ASSIGN_OR_RETURN(auto second, special.dataCache.bytes());
  std::vector<std::byte> data(first.begin(), first.end());
  data.insert(data.end(), second.begin(), second.end());
  return CompiledModel{writeModelCache(artifact),
                       Memory::adopt(std::move(data))};
}
