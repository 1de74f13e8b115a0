//===- ModelEntries.cpp - The C functions about models --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Compilation.h"
#include "Library.h"
#include "Model.h"

#include <android/NeuralNetworksExtensions.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;

int ANeuralNetworksModel_create(ANeuralNetworksModel **model) {
  return model ? create(model) : ANEURALNETWORKS_UNEXPECTED_NULL;
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model) { delete model; }

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
  if (!model)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->finish(); });
}

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type) {
  if (!model || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->addOperand(*type); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model,
                                         int32_t index, const void *buffer,
                                         size_t length) {
  if (!model || (!buffer && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->setOperandValue(index, buffer, length); });
}

int ANeuralNetworksModel_setOperandValueFromMemory(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
  if (!model || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->setOperandValueFromMemory(index, *memory, offset, length);
  });
}

int ANeuralNetworksModel_setOperandValueFromModel(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksModel *value) {
  if (!model || !value)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return model->setOperandValueFromModel(index, *value); });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant) {
  if (!model || !channelQuant)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->setChannelQuant(index, *channelQuant); });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model,
                                                 int32_t index,
                                                 const void *data,
                                                 size_t length) {
  if (!model || (!data && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->setExtensionData(index, data, length); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type,
                                      uint32_t inputCount,
                                      const uint32_t *inputs,
                                      uint32_t outputCount,
                                      const uint32_t *outputs) {
  if (!model || !inputs || !outputs)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->addOperation(type, {inputs, inputCount},
                               {outputs, outputCount});
  });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                  uint32_t inputCount,
                                                  const uint32_t *inputs,
                                                  uint32_t outputCount,
                                                  const uint32_t *outputs) {
  if (!model || !inputs || !outputs)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->identifyInputsAndOutputs({inputs, inputCount},
                                           {outputs, outputCount});
  });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(
    ANeuralNetworksModel *model, bool allow) {
  return model ? model->relax(allow) : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model,
    const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
    bool *supportedOps) {
  if (!model || !devices || !supportedOps)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&]() -> int {
    Library *library = Library::find();
    if (!library)
      return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    // A count above that of the devices is not the length of a list.
    std::span handles(devices, numDevices);
    if (numDevices <= library->devices().size() &&
        std::ranges::count(handles, nullptr) != 0)
      return ANEURALNETWORKS_UNEXPECTED_NULL;
    if (numDevices == 0)
      return ANEURALNETWORKS_BAD_DATA;
    if (!model->isFinished())
      return ANEURALNETWORKS_BAD_STATE;
    std::vector<const Device *> list;
    if (int code = lookUpDevices(*library, handles, list))
      return code;
    return supportedOperations(*library, *model, list, supportedOps);
  });
}

/// Gives the code in models of \p type of an extension (H-012).
static int extensionCode(const char *name, uint16_t type, int32_t *code) {
  return guarded([&]() -> int {
    Library *library = Library::find();
    if (!library)
      return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
    auto found = library->extensions().codeOf(name, type);
    if (!found)
      return ANEURALNETWORKS_BAD_DATA;
    *code = int32_t(*found);
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksModel_getExtensionOperandType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operandCodeWithinExtension, int32_t *type) {
  if (!model || !extensionName || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return extensionCode(extensionName, operandCodeWithinExtension, type);
}

int ANeuralNetworksModel_getExtensionOperationType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType *type) {
  if (!model || !extensionName || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return extensionCode(extensionName, operationCodeWithinExtension, type);
}
