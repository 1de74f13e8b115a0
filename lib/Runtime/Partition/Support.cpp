//===- Support.cpp - The operations that each device takes ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Model/Slice.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Extensions.h"

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

/// Refuses what is of an extension that \p device does not list, or that the
/// devices describe in two ways (H-013).
void Support::refuseForeign(const Model &model, const Device &device,
                            Answers &answers) const {
  if (model.extensionNameToPrefix.empty())
    return;
  const std::vector<Extension> all = extensionsOf(devices);
  for (size_t i = 0; i < answers.size(); ++i) {
    const Operation &operation = model.main.operations[i];
    if (answers[i].isOk())
      answers[i] = checkExtensionUse(model, model.main, operation, all);
    if (answers[i].isOk())
      answers[i] =
          checkExtensionUse(model, model.main, operation, device.extensions());
  }
}

/// Refuses what is nested too deep for those that plan and take steps out,
/// whatever devices say of it (D-093).
void Support::refuseDeep(const Subgraph &subgraph, Answers &answers) {
  auto isFine = [](const Subgraph &, const Operation &) {
    return Status::ok();
  };
  for (size_t i = 0; i < answers.size(); ++i)
    if (answers[i].isOk())
      answers[i] = graphs.check(subgraph, subgraph.operations[i], isFine);
}

Answers Support::ask(const Device &device, const Slices &asked) {
  const std::vector<Operation> &operations =
      asked.model().model.main.operations;
  Result<Answers> answers = supportedOperations(device, asked, strictSlicing);
  // A device that cannot answer is one that supports nothing.
  if (!answers.isOk())
    return Answers(operations.size(), answers.status());
  if (answers->size() != operations.size())
    return Answers(operations.size(),
                   failure("the device answered for {} of {} operations",
                           answers->size(), operations.size()));
  // Extension and OEM operations are never those of the fallback device
  // (I-018).
  for (size_t i = 0; &device == fallback && i < operations.size(); ++i)
    if ((*answers)[i].isOk() && !lookUp(operations[i].type))
      (*answers)[i] = badData("the fallback device has no {}",
                              nameOf(asked.model().model, operations[i].type));
  refuseForeign(asked.model().model, device, *answers);
  refuseDeep(asked.model().model.main, *answers);
  return *std::move(answers);
}

const std::vector<Answers> &Support::of(uint32_t subgraph) {
  auto [place, isNew] = known.try_emplace(subgraph);
  if (!isNew)
    return place->second;
  // A referenced subgraph is asked about as the main one of the same model.
  AnnotatedModel inner;
  if (subgraph != 0) {
    inner.model = model.model;
    inner.model.main = model.model.referenced[subgraph - 1];
  }
  Slices slices(subgraph == 0 ? model : inner);
  for (const Device *device : devices)
    place->second.push_back(ask(*device, slices));
  return place->second;
}
