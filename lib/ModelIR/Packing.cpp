//===- Packing.cpp - Canonical layout of operandValues --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packing.h"

#include <algorithm>

using namespace nnhal;

PackingDifference nnhal::comparePacking(const rt::Model &model) {
  PackingDifference difference;
  Packer packer;
  std::vector<bool> isGap(model.operandValues.size(), true);
  auto visit = [&](const rt::Subgraph &subgraph) {
    for (const rt::Operand &operand : subgraph.operands) {
      if (operand.lifetime != rt::OperandLifeTime::CONSTANT_COPY)
        continue;
      if (packer.place(operand.location.length) != operand.location.offset)
        difference.offsetsDiffer = true;
      size_t begin = std::min<size_t>(operand.location.offset, isGap.size());
      size_t length =
          std::min<size_t>(operand.location.length, isGap.size() - begin);
      std::fill_n(isGap.begin() + begin, length, false);
    }
  };
  visit(model.main);
  for (const rt::Subgraph &subgraph : model.referenced)
    visit(subgraph);
  if (packer.size() != model.operandValues.size())
    difference.offsetsDiffer = true;
  for (size_t i = 0; i < isGap.size(); ++i)
    if (isGap[i] && model.operandValues[i] != 0)
      difference.gapsAreUsed = difference.offsetsDiffer = true;
  return difference;
}
