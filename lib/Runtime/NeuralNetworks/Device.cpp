//===- Device.cpp - A handle of a device ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace nnhal;
using namespace nnhal::rt;

/// Devices from before HAL 1.2 do not tell their type (C-085).
static int32_t typeOf(const Device &device) {
  return device.halVersion() < HalVersion::V1_2
             ? int32_t(ANEURALNETWORKS_DEVICE_UNKNOWN)
             : int32_t(device.type());
}

ANeuralNetworksDevice::ANeuralNetworksDevice(const Device &device)
    : device(device), name(device.name()), version(device.version()),
      type(typeOf(device)),
      featureLevel(rt::featureLevel(device.halVersion())) {}

int ANeuralNetworksDevice::tellType(int32_t *code) const {
  if (type < ANEURALNETWORKS_DEVICE_UNKNOWN ||
      type > ANEURALNETWORKS_DEVICE_ACCELERATOR)
    return ANEURALNETWORKS_OP_FAILED;
  *code = type;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice::tellFeatureLevel(int64_t *level) const {
  if (featureLevel < rt::featureLevel(HalVersion::V1_0) ||
      featureLevel > rt::featureLevel(HalVersion::V1_3))
    return ANEURALNETWORKS_BAD_STATE;
  *level = featureLevel;
  return ANEURALNETWORKS_NO_ERROR;
}

/// A model that every device can be asked about.
static AnnotatedModel makeQuestion() {
  AnnotatedModel question;
  Operand tensor;
  tensor.type = OperandType::TENSOR_FLOAT32;
  tensor.dimensions = {1};
  Subgraph &main = question.model.main;
  main.operands = {tensor, tensor};
  main.operands[0].lifetime = OperandLifeTime::SUBGRAPH_INPUT;
  main.operands[1].lifetime = OperandLifeTime::SUBGRAPH_OUTPUT;
  main.operations = {{OperationType::FLOOR, {0}, {1}}};
  main.inputIndexes = {0};
  main.outputIndexes = {1};
  computeConsumers(main);
  return question;
}

bool ANeuralNetworksDevice::wait() const {
  if (!device.traits().isRemote)
    return true;
  StatusCode code = device.supportedOperations(makeQuestion()).status().code();
  return code != StatusCode::deadObject &&
         code != StatusCode::deviceUnavailable;
}
