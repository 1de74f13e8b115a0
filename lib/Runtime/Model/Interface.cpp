//===- Interface.cpp - Inputs and outputs of a model ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/PreparedModel.h"

#include "ExtensionUse.h"

using namespace nnhal::rt;

static std::vector<InterfaceTensor>
describeTensors(const Model &model, const std::vector<uint32_t> &indexes,
                const std::vector<std::string> &names,
                std::span<const Extension> extensions) {
  std::vector<InterfaceTensor> tensors;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const Operand &operand = model.main.operands[indexes[i]];
    InterfaceTensor &tensor = tensors.emplace_back();
    if (i < names.size())
      tensor.name = names[i];
    tensor.type = operand.type;
    tensor.extension = describeType(model, extensions, operand.type);
    bool isPlain =
        tensor.extension ? !tensor.extension->isTensor : isScalar(operand.type);
    if (!isPlain)
      tensor.dimensions = operand.dimensions;
    tensor.scale = operand.scale;
    tensor.zeroPoint = operand.zeroPoint;
    if (const auto *channels =
            std::get_if<SymmPerChannelQuantParams>(&operand.extraParams))
      tensor.channelQuant = *channels;
  }
  return tensors;
}

uint32_t nnhal::rt::elementSizeOf(const InterfaceTensor &tensor) {
  if (tensor.extension)
    return tensor.extension->byteSize;
  const OperandTypeInfo *info = lookUp(tensor.type);
  return info ? info->elementSize : 0;
}

std::optional<uint32_t> nnhal::rt::byteSizeOf(const InterfaceTensor &tensor) {
  uint64_t size = elementSizeOf(tensor);
  if (size == 0 || hasUnknownRank(tensor))
    return std::nullopt;
  for (uint32_t extent : tensor.dimensions) {
    // Both factors are below 2^32, so the product fits.
    size *= extent;
    if (size == 0 || size > UINT32_MAX)
      return std::nullopt;
  }
  return uint32_t(size);
}

Interface nnhal::rt::interfaceOf(const AnnotatedModel &annotated,
                                 std::span<const Extension> extensions) {
  const Model &model = annotated.model;
  return {describeTensors(model, model.main.inputIndexes, annotated.inputNames,
                          extensions),
          describeTensors(model, model.main.outputIndexes,
                          annotated.outputNames, extensions),
          annotated.statePairs};
}
