//===- ExecutionArguments.cpp - Arguments of an execution -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "OperandTypes.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::ndk;

ANeuralNetworksExecution::ANeuralNetworksExecution(
    const ANeuralNetworksCompilation &compilation)
    : compilation(compilation),
      arguments(compilation.inputs().size() + compilation.outputs().size()),
      unset(arguments.size()) {
  request.inputs.resize(compilation.inputs().size());
  request.outputs.resize(compilation.outputs().size());
}

/// Merges \p type into what the model says (J-084, J-085, J-089).
int ANeuralNetworksExecution::readType(const ANeuralNetworksOperandType &type,
                                       bool isInput, bool isOmitted,
                                       Setting &setting) const {
  const std::vector<uint32_t> &known = setting.info->tensor.dimensions;
  bool mayBeOpen = !isInput || isOmitted;
  rt::Operand given;
  if (!makeOperand(type, mayBeOpen ? Openness::allowed : Openness::refused,
                   given))
    return ANEURALNETWORKS_BAD_DATA;
  // The dimensions of what is not there do not matter (J-086).
  if (isOmitted)
    return ANEURALNETWORKS_NO_ERROR;
  if (!setting.info->isTensor && !given.dimensions.empty())
    return ANEURALNETWORKS_BAD_DATA;
  auto combined = combine(known, given.dimensions);
  if (!combined)
    return ANEURALNETWORKS_BAD_DATA;
  bool isOpen = setting.info->isTensor &&
                (combined->empty() || std::ranges::count(*combined, 0u) != 0);
  if (isOpen && isInput)
    return ANEURALNETWORKS_BAD_DATA;
  uint64_t size = setting.info->elementSize;
  for (uint32_t extent : *combined) {
    size *= extent ? extent : 1;
    if (size > UINT32_MAX)
      return ANEURALNETWORKS_BAD_DATA;
  }
  setting.size = isOpen ? 0 : uint32_t(size);
  if (*combined != known)
    setting.dimensions = *std::move(combined);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::beginSetting(
    bool isInput, int32_t index, const ANeuralNetworksOperandType *type,
    bool isOmitted, Setting &setting) {
  if (hasStarted)
    return ANEURALNETWORKS_BAD_STATE;
  const auto &infos = isInput ? compilation.inputs() : compilation.outputs();
  if (index < 0 || size_t(index) >= infos.size())
    return ANEURALNETWORKS_BAD_DATA;
  size_t place = size_t(index) + (isInput ? 0 : compilation.inputs().size());
  setting.info = &infos[size_t(index)];
  setting.argument = &arguments[place];
  setting.size = setting.info->size;
  if (setting.argument->isSet)
    return ANEURALNETWORKS_BAD_STATE;
  if (type)
    return readType(*type, isInput, isOmitted, setting);
  // Only the request can say what the model leaves open (J-083).
  if (isInput && !isOmitted && setting.info->isOpen)
    return ANEURALNETWORKS_BAD_DATA;
  return ANEURALNETWORKS_NO_ERROR;
}

bool ANeuralNetworksExecution::fitLength(const Setting &setting, size_t &length,
                                         size_t &padding) const {
  if (length > UINT32_MAX)
    return false;
  padding = 0;
  if (setting.size == 0 || setting.info->hasAnySize)
    return true;
  if (length < setting.size || (length > setting.size && !isPadded))
    return false;
  padding = length - setting.size;
  length = setting.size;
  return true;
}

void ANeuralNetworksExecution::endSetting(Setting &setting) {
  setting.argument->isSet = true;
  --unset;
}

int ANeuralNetworksExecution::setInput(int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       const void *buffer, size_t length) {
  Setting setting;
  if (int code = beginSetting(true, index, type, !buffer, setting))
    return code;
  size_t padding = 0;
  if (buffer && !fitLength(setting, length, padding))
    return ANEURALNETWORKS_BAD_DATA;
  rt::InputArgument &input = request.inputs[size_t(index)];
  if (buffer) {
    input.memory =
        rt::Memory::borrow({static_cast<const std::byte *>(buffer), length});
    input.dimensions = std::move(setting.dimensions);
    if (reinterpret_cast<uintptr_t>(buffer) % setting.info->alignment != 0) {
      setting.argument->source = buffer;
      setting.argument->length = length;
    }
  }
  endSetting(setting);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setOutput(int32_t index,
                                        const ANeuralNetworksOperandType *type,
                                        void *buffer, size_t length) {
  Setting setting;
  if (int code = beginSetting(false, index, type, !buffer, setting))
    return code;
  size_t padding = 0;
  if (buffer && !fitLength(setting, length, padding))
    return ANEURALNETWORKS_BAD_DATA;
  rt::OutputArgument &output = request.outputs[size_t(index)];
  if (buffer) {
    output.memory =
        rt::OutputMemory::borrow({static_cast<std::byte *>(buffer), length});
    output.dimensions = std::move(setting.dimensions);
    if (reinterpret_cast<uintptr_t>(buffer) % setting.info->alignment != 0) {
      setting.argument->target = buffer;
      setting.argument->length = length;
    }
  }
  endSetting(setting);
  return ANEURALNETWORKS_NO_ERROR;
}

/// Checks the place of an argument in a memory (J-090, F-022 to F-024, F-072).
int ANeuralNetworksExecution::checkPlace(const Setting &setting, Role role,
                                         const ANeuralNetworksMemory &memory,
                                         size_t offset, size_t &length,
                                         size_t &padding) const {
  padding = 0;
  bool isWhole = offset == 0 && length == 0;
  if (const DescribedMemory *described = memory.described.get()) {
    role.compilation = compilation.number;
    bool fits =
        combine(described->type().dimensions, setting.dimensions).has_value();
    return isWhole && fits && described->hasRole(role)
               ? ANEURALNETWORKS_NO_ERROR
               : ANEURALNETWORKS_BAD_DATA;
  }
  std::shared_ptr<rt::SharedMemory> pool = memory.linearPool();
  if (!pool)
    return isWhole ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_BAD_DATA;
  if (isWhole || !pool->checkRange(offset, length).isOk() ||
      !fitLength(setting, length, padding))
    return ANEURALNETWORKS_BAD_DATA;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setInputFromMemory(
    int32_t index, const ANeuralNetworksOperandType *type,
    const ANeuralNetworksMemory &memory, size_t offset, size_t length) {
  Setting setting;
  if (int code = beginSetting(true, index, type, false, setting))
    return code;
  size_t padding = 0;
  if (int code = checkPlace(setting, {0, true, uint32_t(index)}, memory, offset,
                            length, padding))
    return code;
  const DescribedMemory *described = memory.described.get();
  rt::InputArgument &input = request.inputs[size_t(index)];
  if (described && described->buffer)
    input.memory = rt::Memory::device(described->buffer->token());
  else if (described)
    input.memory = rt::Memory::region(described->pool, 0, setting.size);
  else
    input.memory = rt::Memory::region(memory.pool, offset, length, padding);
  input.dimensions = std::move(setting.dimensions);
  setting.argument->described = memory.described;
  endSetting(setting);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setOutputFromMemory(
    int32_t index, const ANeuralNetworksOperandType *type,
    const ANeuralNetworksMemory &memory, size_t offset, size_t length) {
  Setting setting;
  if (int code = beginSetting(false, index, type, false, setting))
    return code;
  size_t padding = 0;
  if (int code = checkPlace(setting, {0, false, uint32_t(index)}, memory,
                            offset, length, padding))
    return code;
  const DescribedMemory *described = memory.described.get();
  rt::OutputArgument &output = request.outputs[size_t(index)];
  if (described && described->buffer)
    output.memory = rt::OutputMemory::device(described->buffer->token());
  else if (described)
    output.memory =
        rt::OutputMemory::region(described->pool, 0, described->pool->size());
  else
    output.memory =
        rt::OutputMemory::region(memory.pool, offset, length, padding);
  output.dimensions = std::move(setting.dimensions);
  setting.argument->described = memory.described;
  endSetting(setting);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setMeasureTiming(bool measure) {
  if (!compilation.hasOneListedDevice())
    return ANEURALNETWORKS_BAD_DATA;
  if (hasStarted)
    return ANEURALNETWORKS_BAD_STATE;
  request.measureTiming = measure;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setTimeout(uint64_t duration) {
  if (!compilation.hasOneListedDevice())
    return ANEURALNETWORKS_BAD_DATA;
  if (hasStarted)
    return ANEURALNETWORKS_BAD_STATE;
  timeout = duration;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setLoopTimeout(uint64_t duration) {
  if (hasStarted)
    return ANEURALNETWORKS_BAD_STATE;
  request.loopTimeout =
      std::min(duration, ANeuralNetworks_getMaximumLoopTimeout());
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::enablePadding(bool enable) {
  // Arguments that are there were checked without it.
  if (hasStarted || unset != arguments.size())
    return ANEURALNETWORKS_BAD_STATE;
  isPadded = enable;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksExecution::setReusable(bool reusable) {
  if (hasStarted)
    return ANEURALNETWORKS_BAD_STATE;
  isReusable = reusable;
  return ANEURALNETWORKS_NO_ERROR;
}
