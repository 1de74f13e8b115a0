//===- Signatures.cpp - Named entries into a file -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signatures.h"

#include "Runtime/Support/Errors.h"

#include <fmt/ranges.h>

namespace nnhal::rt::tflite {

static std::string nameOf(const schema::SignatureDef &signature) {
  return signature.signature_key() ? signature.signature_key()->str() : "";
}

Result<const schema::SignatureDef *> findSignature(const schema::Model &model,
                                                   const std::string &name) {
  if (name.empty())
    return static_cast<const schema::SignatureDef *>(nullptr);
  std::vector<std::string> known;
  for (const schema::SignatureDef *signature :
       tablesOf(model.signature_defs())) {
    known.push_back(fmt::format("'{}'", nameOf(*signature)));
    if (nameOf(*signature) != name)
      continue;
    if (signature->subgraph_index() >= model.subgraphs()->size())
      return badData("signature '{}' refers to subgraph {} of {}", name,
                     signature->subgraph_index(), model.subgraphs()->size());
    return signature;
  }
  if (known.empty())
    return badData("the file has no signature '{}', and no other", name);
  return badData("the file has no signature '{}', only {}", name,
                 fmt::join(known, ", "));
}

Status nameTensors(
    const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>> *names,
    std::vector<Tensor> &tensors) {
  for (const schema::TensorMap *name : tablesOf(names)) {
    if (name->tensor_index() >= tensors.size())
      return badData("the signature refers to tensor {} of {}",
                     name->tensor_index(), tensors.size());
    if (name->name())
      tensors[name->tensor_index()].name = name->name()->str();
  }
  return Status();
}

} // namespace nnhal::rt::tflite
