//===- Interface.cpp - What a compiled model takes and gives --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interface.h"

#include "nnhal/Dialect/NNHal/IR/HalForm.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

namespace nnhal {

using namespace mlir;

namespace {
/// The extensions of a model, and what is known of them.
struct ModelExtensions {
  std::span<const rt::ExtensionNameAndPrefix> stated;
  std::span<const rt::CompiledExtension> described;

  rt::ElementKind kindOf(ExtensionType type) const {
    for (const rt::CompiledExtension &extension : described) {
      if (extension.description.name != type.getName())
        continue;
      for (const auto &info : extension.description.operandTypes)
        if (info.type == type.getNumber())
          return info.kind;
    }
    return rt::ElementKind::opaque;
  }
};
} // namespace

static rt::Result<rt::InterfaceTensor>
describeTensor(Type type, StringRef name, const ModelExtensions &extensions) {
  NNHAL_ASSIGN_OR_RETURN(rt::Operand operand,
                         operandOfType(type, extensions.stated));
  rt::InterfaceTensor tensor;
  tensor.name = name.str();
  tensor.type = operand.type;
  tensor.dimensions = std::move(operand.dimensions);
  tensor.scale = operand.scale;
  tensor.zeroPoint = operand.zeroPoint;
  if (auto *channels =
          std::get_if<rt::SymmPerChannelQuantParams>(&operand.extraParams))
    tensor.channelQuant = std::move(*channels);
  if (auto extension = dyn_cast<ExtensionType>(getElementTypeOrSelf(type)))
    tensor.extension = {uint16_t(extension.getNumber()), isa<TensorType>(type),
                        extension.getElementSize(),
                        extensions.kindOf(extension)};
  return tensor;
}

static rt::Status describeTensors(TypeRange types,
                                  std::optional<ArrayAttr> names,
                                  const ModelExtensions &extensions,
                                  std::vector<rt::InterfaceTensor> &tensors) {
  for (auto [index, type] : llvm::enumerate(types)) {
    StringRef name;
    if (names && index < names->size())
      name = cast<StringAttr>((*names)[index]).getValue();
    NNHAL_ASSIGN_OR_RETURN(rt::InterfaceTensor tensor,
                           describeTensor(type, name, extensions));
    tensors.push_back(std::move(tensor));
  }
  return rt::Status();
}

rt::Status describeInterface(ModelOp model,
                             std::span<const rt::CompiledExtension> described,
                             rt::Artifact &artifact) {
  GraphOp graph = model.getMainGraph();
  const auto stated = model.getExtensions();
  const ModelExtensions extensions = {stated, described};
  NNHAL_RETURN_IF_ERROR(describeTensors(graph.getArgumentTypes(),
                                        graph.getInputNames(), extensions,
                                        artifact.inputs));
  NNHAL_RETURN_IF_ERROR(describeTensors(graph.getResultTypes(),
                                        graph.getOutputNames(), extensions,
                                        artifact.outputs));
  if (std::optional<ArrayRef<int32_t>> pairs = graph.getStatePairs())
    for (size_t i = 0; i + 1 < pairs->size(); i += 2)
      artifact.statePairs.push_back(
          {uint32_t((*pairs)[i]), uint32_t((*pairs)[i + 1])});
  return rt::Status();
}

/// Whether what \p use reads may be missing when the model runs. Numbers may
/// not, nor what graphs take, which read it without asking.
static bool mayBeOmitted(OpOperand &use) {
  const rt::InputRow *row = inputRowOf(use);
  return row && row->isOmittable && row->kind != rt::InputKind::real &&
         row->presence != rt::InputPresence::repeated;
}

std::vector<uint64_t> findRequiredInputs(ModelOp model) {
  Block &body = model.getMainGraph().getBody().front();
  std::vector<uint64_t> mask((body.getNumArguments() + 63) / 64);
  for (BlockArgument input : body.getArguments())
    if (!llvm::all_of(input.getUses(), mayBeOmitted))
      mask[input.getArgNumber() / 64] |= uint64_t(1)
                                         << (input.getArgNumber() % 64);
  return mask;
}

} // namespace nnhal
