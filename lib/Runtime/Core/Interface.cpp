//===- Interface.cpp - Inputs and outputs of a model ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/PreparedModel.h"

using namespace nnhal::rt;

static std::vector<InterfaceTensor>
describeTensors(const Subgraph &subgraph, const std::vector<uint32_t> &indexes,
                const std::vector<std::string> &names) {
  std::vector<InterfaceTensor> tensors;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const Operand &operand = subgraph.operands[indexes[i]];
    InterfaceTensor &tensor = tensors.emplace_back();
    if (i < names.size())
      tensor.name = names[i];
    tensor.type = operand.type;
    if (!isScalar(operand.type))
      tensor.dimensions = operand.dimensions;
    tensor.scale = operand.scale;
    tensor.zeroPoint = operand.zeroPoint;
  }
  return tensors;
}

std::optional<uint32_t> nnhal::rt::byteSizeOf(const InterfaceTensor &tensor) {
  Operand operand;
  operand.type = tensor.type;
  operand.dimensions = tensor.dimensions;
  return byteSizeOf(operand);
}

Interface nnhal::rt::interfaceOf(const AnnotatedModel &annotated) {
  const Subgraph &main = annotated.model.main;
  return {describeTensors(main, main.inputIndexes, annotated.inputNames),
          describeTensors(main, main.outputIndexes, annotated.outputNames),
          annotated.statePairs};
}
