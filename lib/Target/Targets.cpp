//===- Targets.cpp - The targets of this compiler -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"

#include "Runtime/Support/Errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace nnhal;

namespace nnhal {
// CMake writes Targets.def, a line for each target NAME of a folder, which
// defines getNAMETarget().
#define NNHAL_TARGET(NAME) const TargetBackend &get##NAME##Target();
#include "Targets.def"
#undef NNHAL_TARGET
} // namespace nnhal

llvm::ArrayRef<const TargetBackend *> nnhal::builtInTargets() {
  static const TargetBackend *const targets[] = {
#define NNHAL_TARGET(NAME) &get##NAME##Target(),
#include "Targets.def"
#undef NNHAL_TARGET
  };
  return targets;
}

rt::Result<const TargetBackend *>
nnhal::findTargetByName(llvm::ArrayRef<const TargetBackend *> targets,
                        llvm::StringRef name) {
  for (const TargetBackend *target : targets)
    if (target->getName() == name)
      return target;
  std::string known =
      llvm::join(llvm::map_range(targets,
                                 [](const TargetBackend *target) {
                                   return target->getName();
                                 }),
                 ", ");
  return rt::badData("there is no target '{}': the targets are {}", name.str(),
                     known);
}
