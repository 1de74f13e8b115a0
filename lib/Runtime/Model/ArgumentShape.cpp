//===- ArgumentShape.cpp - Shapes that requests state ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentShape.h"

#include "Runtime/Support/Errors.h"

using namespace nnhal::rt;

std::string nnhal::rt::argumentLabel(bool isInput, size_t index,
                                     const InterfaceTensor &tensor) {
  const char *what = isInput ? "input" : "output";
  if (tensor.name.empty())
    return fmt::format("{} {}", what, index);
  return fmt::format("{} {} ('{}')", what, index, tensor.name);
}

Status nnhal::rt::checkStatedShape(const Argument &argument,
                                   std::span<const uint32_t> stated) {
  const std::vector<uint32_t> &known = argument.tensor.dimensions;
  if (stated.empty() || hasUnknownRank(argument.tensor))
    return Status::ok();
  if (stated.size() != known.size())
    return badData("{} has rank {} in the request and {} in the model",
                   argument.label(), stated.size(), known.size());
  for (size_t i = 0; i < known.size(); ++i) {
    bool isStated = stated[i] != 0 || argument.isInput;
    if (known[i] != 0 && isStated && stated[i] != known[i])
      return badData("{} has extent {} in dimension {} of the request and {} "
                     "in the model",
                     argument.label(), stated[i], i, known[i]);
  }
  return Status::ok();
}
