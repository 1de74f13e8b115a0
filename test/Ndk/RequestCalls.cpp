//===- RequestCalls.cpp - Mistakes in the calls of an execution -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestCalls.h"

#include "FeedModel.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::test;
using mutations::Kind;

static constexpr std::initializer_list<int> badData = {
    ANEURALNETWORKS_BAD_DATA};

static const ANeuralNetworksDevice *findReference() {
  uint32_t count = 0;
  (void)ANeuralNetworks_getDeviceCount(&count);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    const char *name = nullptr;
    if (ANeuralNetworks_getDevice(i, &device) == ANEURALNETWORKS_NO_ERROR &&
        ANeuralNetworksDevice_getName(device, &name) ==
            ANEURALNETWORKS_NO_ERROR &&
        std::string_view(name) == "nnapi-reference")
      return device;
  }
  return nullptr;
}

int RequestCalls::compile() {
  static const ANeuralNetworksDevice *device = findReference();
  ANeuralNetworksCompilation *made = nullptr;
  int code =
      ANeuralNetworksCompilation_createForDevices(model, &device, 1, &made);
  compilation.reset(made);
  return code == ANEURALNETWORKS_NO_ERROR
             ? ANeuralNetworksCompilation_finish(made)
             : code;
}

NdkExecution RequestCalls::begin() const {
  ANeuralNetworksExecution *made = nullptr;
  (void)ANeuralNetworksExecution_create(compilation.get(), &made);
  return NdkExecution(made);
}

const rt::Operand &RequestCalls::input(size_t index) const {
  return test.model.main.operands[test.model.main.inputIndexes[index]];
}

/// The type of \p operand with another shape.
static ANeuralNetworksOperandType
typeOf(const rt::Operand &operand, const std::vector<uint32_t> &dimensions) {
  ANeuralNetworksOperandType type = operandTypeOf(operand);
  type.dimensionCount = uint32_t(dimensions.size());
  type.dimensions = dimensions.empty() ? nullptr : dimensions.data();
  return type;
}

int RequestCalls::setInput(ANeuralNetworksExecution *execution,
                           const rt::TestExample &example, size_t index) const {
  const rt::TestTensor &tensor = example.inputs[index];
  ANeuralNetworksOperandType type = typeOf(input(index), tensor.dimensions);
  // A tensor without elements has bytes that are not null, too.
  static constexpr std::byte nothing{};
  const void *bytes = tensor.bytes.empty() ? static_cast<const void *>(&nothing)
                                           : tensor.bytes.data();
  return ANeuralNetworksExecution_setInput(
      execution, int32_t(index), tensor.isAbsent ? nullptr : &type,
      tensor.isAbsent ? nullptr : bytes, tensor.bytes.size());
}

void RequestCalls::mutateInput(const rt::TestExample &example, size_t index,
                               const Visit &visit) {
  const rt::TestTensor &tensor = example.inputs[index];
  if (tensor.isAbsent)
    return;
  std::vector<std::byte> longer(tensor.bytes.size() + 1);
  auto call = [&](Kind kind, std::string text,
                  const std::vector<uint32_t> &dimensions, int32_t place,
                  size_t size) {
    visit({kind, fmt::format("input {}: {}", index, text),
           [&, place, size] {
             NdkExecution execution = begin();
             ANeuralNetworksOperandType type = typeOf(input(index), dimensions);
             return ANeuralNetworksExecution_setInput(
                 execution.get(), place, &type, longer.data(), size);
           },
           badData});
  };
  std::vector<uint32_t> shape = tensor.dimensions;
  const size_t size = tensor.bytes.size();
  const auto count = int32_t(example.inputs.size());
  for (int32_t place : {-1, count, INT32_MAX})
    call(Kind::requestInputAdded, fmt::format("as number {}", place), shape,
         place, size);
  call(Kind::requestInputLength, "a byte more", shape, int32_t(index),
       size + 1);
  if (size > 0)
    call(Kind::requestInputLength, "a byte less", shape, int32_t(index),
         size - 1);
  auto pool = rt::SharedMemory::createAshmem(size + 16);
  if (pool.isOk() && size > 0)
    for (size_t offset : {size_t(32), SIZE_MAX - size + 1})
      visit({Kind::requestInputRegion,
             fmt::format("input {}: offset {}", index, offset),
             [&, offset] {
               ANeuralNetworksMemory *made = nullptr;
               (void)ANeuralNetworksMemory_createFromFd(
                   size + 16, PROT_READ, (*pool)->fd(), 0, &made);
               NdkMemory memory(made);
               NdkExecution execution = begin();
               ANeuralNetworksOperandType type = typeOf(input(index), shape);
               return ANeuralNetworksExecution_setInputFromMemory(
                   execution.get(), int32_t(index), &type, made, offset, size);
             },
             badData});
  const rt::Operand &operand = input(index);
  if (!rt::isTensor(operand.type) || operand.dimensions.empty())
    return;
  for (size_t d = 0; d < shape.size(); ++d)
    for (uint32_t wrong : {shape[d] + 1, UINT32_MAX, 0u}) {
      if (size == 0)
        break;
      std::vector<uint32_t> changed = shape;
      changed[d] = wrong;
      call(Kind::requestInputShape,
           fmt::format("[{}]", fmt::join(changed, ",")), changed,
           int32_t(index), size);
    }
  std::vector<uint32_t> deeper = shape;
  deeper.push_back(1);
  call(Kind::requestInputShape, "another rank", deeper, int32_t(index), size);
}

void RequestCalls::mutateOutput(const rt::TestExample &example, size_t index,
                                const Visit &visit) {
  const rt::Operand &operand =
      test.model.main.operands[test.model.main.outputIndexes[index]];
  std::vector<std::byte> bytes(example.outputs[index].bytes.size() + 64);
  auto call = [&](Kind kind, std::string text,
                  const std::vector<uint32_t> &dimensions, int32_t place) {
    visit({kind, fmt::format("output {}: {}", index, text),
           [&, place] {
             NdkExecution execution = begin();
             ANeuralNetworksOperandType type = typeOf(operand, dimensions);
             return ANeuralNetworksExecution_setOutput(
                 execution.get(), place, &type, bytes.data(), bytes.size());
           },
           badData});
  };
  const auto count = int32_t(example.outputs.size());
  for (int32_t place : {-1, count, INT32_MAX})
    call(Kind::requestOutputAdded, fmt::format("as number {}", place),
         operand.dimensions, place);
  if (!rt::isTensor(operand.type) || operand.dimensions.empty())
    return;
  std::vector<uint32_t> changed = operand.dimensions;
  changed.push_back(1);
  call(Kind::requestOutputShape, "another rank", changed, int32_t(index));
  changed.pop_back();
  for (uint32_t &extent : changed)
    if (uint32_t before = extent; before != 0) {
      extent = before + 1;
      call(Kind::requestOutputShape,
           fmt::format("[{}]", fmt::join(changed, ",")), changed,
           int32_t(index));
      extent = before;
    }
}

/// Computes with all arguments but one.
void RequestCalls::leaveOut(const rt::TestExample &example,
                            const Visit &visit) {
  size_t inputs = example.inputs.size(), outputs = example.outputs.size();
  for (size_t left = 0; left < inputs + outputs; ++left) {
    bool isInput = left < inputs;
    visit({isInput ? Kind::requestInputRemoved : Kind::requestOutputRemoved,
           fmt::format("argument {}", left),
           [&, left] {
             NdkExecution execution = begin();
             for (size_t i = 0; i < inputs; ++i)
               if (i != left)
                 if (int code = setInput(execution.get(), example, i))
                   return code == ANEURALNETWORKS_BAD_DATA ? -1 : code;
             std::vector<std::vector<std::byte>> memory(outputs);
             for (size_t i = 0; i < outputs; ++i) {
               memory[i].resize(example.outputs[i].bytes.size() + 4096);
               if (inputs + i != left)
                 (void)ANeuralNetworksExecution_setOutput(
                     execution.get(), int32_t(i), nullptr, memory[i].data(),
                     memory[i].size());
             }
             return ANeuralNetworksExecution_compute(execution.get());
           },
           badData});
  }
}

void RequestCalls::mutate(const rt::TestExample &example, const Visit &visit) {
  for (size_t i = 0; i < example.inputs.size(); ++i)
    mutateInput(example, i, visit);
  for (size_t i = 0; i < example.outputs.size(); ++i)
    mutateOutput(example, i, visit);
  leaveOut(example, visit);
}
