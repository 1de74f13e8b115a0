//===- Wrapper.h - A client's C++ over the C functions ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_NEURALNETWORKS_WRAPPER_H
#define NNHAL_TEST_UNIT_NEURALNETWORKS_WRAPPER_H

// The classes that NDK programs bring with them: header only, over the C
// functions alone, with result codes for errors. Tests are written with them,
// so that the pattern of use is tested with everything else.

#include <android/NeuralNetworks.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace client {

enum class Type {
  FLOAT32 = ANEURALNETWORKS_FLOAT32,
  INT32 = ANEURALNETWORKS_INT32,
  UINT32 = ANEURALNETWORKS_UINT32,
  TENSOR_FLOAT32 = ANEURALNETWORKS_TENSOR_FLOAT32,
  TENSOR_INT32 = ANEURALNETWORKS_TENSOR_INT32,
  TENSOR_QUANT8_ASYMM = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
  BOOL = ANEURALNETWORKS_BOOL,
  TENSOR_QUANT16_SYMM = ANEURALNETWORKS_TENSOR_QUANT16_SYMM,
  TENSOR_FLOAT16 = ANEURALNETWORKS_TENSOR_FLOAT16,
  TENSOR_BOOL8 = ANEURALNETWORKS_TENSOR_BOOL8,
  FLOAT16 = ANEURALNETWORKS_FLOAT16,
  TENSOR_QUANT8_SYMM_PER_CHANNEL =
      ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
  TENSOR_QUANT16_ASYMM = ANEURALNETWORKS_TENSOR_QUANT16_ASYMM,
  TENSOR_QUANT8_SYMM = ANEURALNETWORKS_TENSOR_QUANT8_SYMM,
  TENSOR_QUANT8_ASYMM_SIGNED = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
  MODEL = ANEURALNETWORKS_MODEL,
};

enum class Result {
  NO_ERROR = ANEURALNETWORKS_NO_ERROR,
  OUT_OF_MEMORY = ANEURALNETWORKS_OUT_OF_MEMORY,
  INCOMPLETE = ANEURALNETWORKS_INCOMPLETE,
  UNEXPECTED_NULL = ANEURALNETWORKS_UNEXPECTED_NULL,
  BAD_DATA = ANEURALNETWORKS_BAD_DATA,
  OP_FAILED = ANEURALNETWORKS_OP_FAILED,
  BAD_STATE = ANEURALNETWORKS_BAD_STATE,
  UNMAPPABLE = ANEURALNETWORKS_UNMAPPABLE,
  OUTPUT_INSUFFICIENT_SIZE = ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE,
  UNAVAILABLE_DEVICE = ANEURALNETWORKS_UNAVAILABLE_DEVICE,
  MISSED_DEADLINE_TRANSIENT = ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT,
  MISSED_DEADLINE_PERSISTENT = ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT,
  RESOURCE_EXHAUSTED_TRANSIENT = ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT,
  RESOURCE_EXHAUSTED_PERSISTENT = ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT,
  DEAD_OBJECT = ANEURALNETWORKS_DEAD_OBJECT,
};

struct SymmPerChannelQuantParams {
  SymmPerChannelQuantParams(std::vector<float> values, uint32_t channelDim)
      : scales(std::move(values)),
        params{channelDim, uint32_t(scales.size()), scales.data()} {}

  std::vector<float> scales;
  ANeuralNetworksSymmPerChannelQuantParams params;
};

struct OperandType {
  OperandType(Type type, std::vector<uint32_t> extents = {}, float scale = 0,
              int32_t zeroPoint = 0)
      : dimensions(std::move(extents)),
        operandType{int32_t(type), uint32_t(dimensions.size()),
                    dimensions.empty() ? nullptr : dimensions.data(), scale,
                    zeroPoint} {}
  OperandType(const OperandType &) = delete;
  OperandType &operator=(const OperandType &) = delete;

  std::vector<uint32_t> dimensions;
  ANeuralNetworksOperandType operandType;
};

class Memory {
public:
  Memory(size_t size, int protect, int fd, size_t offset) {
    valid = ANeuralNetworksMemory_createFromFd(
                size, protect, fd, offset, &memory) == ANEURALNETWORKS_NO_ERROR;
  }
  explicit Memory(ANeuralNetworksMemory *made) : memory(made), valid(made) {}
  ~Memory() { ANeuralNetworksMemory_free(memory); }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  ANeuralNetworksMemory *get() const { return memory; }
  bool isValid() const { return valid; }

private:
  ANeuralNetworksMemory *memory = nullptr;
  bool valid = false;
};

class Event {
public:
  Event() = default;
  ~Event() { ANeuralNetworksEvent_free(event); }
  Event(Event &&other) noexcept : event(std::exchange(other.event, nullptr)) {}
  Event &operator=(Event &&other) noexcept {
    std::swap(event, other.event);
    return *this;
  }

  Result wait() { return Result(ANeuralNetworksEvent_wait(event)); }
  ANeuralNetworksEvent *get() const { return event; }
  void set(ANeuralNetworksEvent *made) {
    ANeuralNetworksEvent_free(event);
    event = made;
  }

private:
  ANeuralNetworksEvent *event = nullptr;
};

class Model {
public:
  Model() {
    if (ANeuralNetworksModel_create(&model) != ANEURALNETWORKS_NO_ERROR)
      valid = false;
  }
  ~Model() { ANeuralNetworksModel_free(model); }
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  Result finish() { return Result(ANeuralNetworksModel_finish(model)); }

  uint32_t addOperand(const OperandType &type) {
    check(ANeuralNetworksModel_addOperand(model, &type.operandType));
    return next++;
  }

  template <typename T> uint32_t addScalar(Type type, T value) {
    uint32_t index = addOperand(OperandType(type));
    setOperandValue(index, &value, sizeof(value));
    return index;
  }

  template <typename T>
  uint32_t addConstant(const OperandType &type, const std::vector<T> &values) {
    uint32_t index = addOperand(type);
    setOperandValue(index, values.data(), values.size() * sizeof(T));
    return index;
  }

  void setOperandValue(uint32_t index, const void *buffer, size_t length) {
    check(ANeuralNetworksModel_setOperandValue(model, int32_t(index), buffer,
                                               length));
  }

  void setOperandValueFromMemory(uint32_t index, const Memory &memory,
                                 uint32_t offset, size_t length) {
    check(ANeuralNetworksModel_setOperandValueFromMemory(
        model, int32_t(index), memory.get(), offset, length));
  }

  void setOperandValueFromModel(uint32_t index, const Model &value) {
    check(ANeuralNetworksModel_setOperandValueFromModel(model, int32_t(index),
                                                        value.get()));
  }

  void setSymmPerChannelQuantParams(uint32_t index,
                                    const SymmPerChannelQuantParams &params) {
    check(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
        model, int32_t(index), &params.params));
  }

  void addOperation(ANeuralNetworksOperationType type,
                    const std::vector<uint32_t> &inputs,
                    const std::vector<uint32_t> &outputs) {
    check(ANeuralNetworksModel_addOperation(
        model, type, uint32_t(inputs.size()), inputs.data(),
        uint32_t(outputs.size()), outputs.data()));
  }

  void identifyInputsAndOutputs(const std::vector<uint32_t> &inputs,
                                const std::vector<uint32_t> &outputs) {
    check(ANeuralNetworksModel_identifyInputsAndOutputs(
        model, uint32_t(inputs.size()), inputs.data(), uint32_t(outputs.size()),
        outputs.data()));
  }

  void relaxComputationFloat32toFloat16(bool relaxed) {
    check(
        ANeuralNetworksModel_relaxComputationFloat32toFloat16(model, relaxed));
  }

  ANeuralNetworksModel *get() const { return model; }
  bool isValid() const { return valid; }

private:
  void check(int code) {
    if (code != ANEURALNETWORKS_NO_ERROR)
      valid = false;
  }

  ANeuralNetworksModel *model = nullptr;
  uint32_t next = 0;
  bool valid = true;
};

class Compilation {
public:
  explicit Compilation(const Model &model) {
    created =
        Result(ANeuralNetworksCompilation_create(model.get(), &compilation));
  }
  Compilation(const Model &model,
              const std::vector<const ANeuralNetworksDevice *> &devices) {
    created = Result(ANeuralNetworksCompilation_createForDevices(
        model.get(), devices.data(), uint32_t(devices.size()), &compilation));
  }
  ~Compilation() { ANeuralNetworksCompilation_free(compilation); }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  Result setPreference(int32_t preference) {
    return Result(
        ANeuralNetworksCompilation_setPreference(compilation, preference));
  }
  Result setPriority(int32_t priority) {
    return Result(
        ANeuralNetworksCompilation_setPriority(compilation, priority));
  }
  Result setCaching(const std::string &directory,
                    const std::vector<uint8_t> &token) {
    return Result(ANeuralNetworksCompilation_setCaching(
        compilation, directory.c_str(), token.data()));
  }
  Result finish() {
    return Result(ANeuralNetworksCompilation_finish(compilation));
  }

  Result creation() const { return created; }
  ANeuralNetworksCompilation *get() const { return compilation; }

private:
  ANeuralNetworksCompilation *compilation = nullptr;
  Result created = Result::NO_ERROR;
};

class Execution {
public:
  explicit Execution(const Compilation &compilation) {
    created =
        Result(ANeuralNetworksExecution_create(compilation.get(), &execution));
  }
  ~Execution() { ANeuralNetworksExecution_free(execution); }
  Execution(const Execution &) = delete;
  Execution &operator=(const Execution &) = delete;

  Result setInput(uint32_t index, const void *buffer, size_t length,
                  const ANeuralNetworksOperandType *type = nullptr) {
    return Result(ANeuralNetworksExecution_setInput(execution, int32_t(index),
                                                    type, buffer, length));
  }
  Result setInputFromMemory(uint32_t index, const Memory &memory,
                            uint32_t offset, uint32_t length,
                            const ANeuralNetworksOperandType *type = nullptr) {
    return Result(ANeuralNetworksExecution_setInputFromMemory(
        execution, int32_t(index), type, memory.get(), offset, length));
  }
  Result setOutput(uint32_t index, void *buffer, size_t length,
                   const ANeuralNetworksOperandType *type = nullptr) {
    return Result(ANeuralNetworksExecution_setOutput(execution, int32_t(index),
                                                     type, buffer, length));
  }
  Result setOutputFromMemory(uint32_t index, const Memory &memory,
                             uint32_t offset, uint32_t length,
                             const ANeuralNetworksOperandType *type = nullptr) {
    return Result(ANeuralNetworksExecution_setOutputFromMemory(
        execution, int32_t(index), type, memory.get(), offset, length));
  }

  Result startCompute(Event *event) {
    ANeuralNetworksEvent *made = nullptr;
    Result result =
        Result(ANeuralNetworksExecution_startCompute(execution, &made));
    event->set(made);
    return result;
  }
  Result
  startComputeWithDependencies(const std::vector<const Event *> &dependencies,
                               uint64_t duration, Event *event) {
    std::vector<const ANeuralNetworksEvent *> events;
    events.reserve(dependencies.size());
    for (const Event *each : dependencies)
      events.push_back(each->get());
    ANeuralNetworksEvent *made = nullptr;
    Result result =
        Result(ANeuralNetworksExecution_startComputeWithDependencies(
            execution, events.data(), uint32_t(events.size()), duration,
            &made));
    event->set(made);
    return result;
  }
  Result compute() {
    return Result(ANeuralNetworksExecution_compute(execution));
  }

  Result getOutputOperandDimensions(uint32_t index,
                                    std::vector<uint32_t> *dimensions) {
    uint32_t rank = 0;
    auto result = Result(ANeuralNetworksExecution_getOutputOperandRank(
        execution, int32_t(index), &rank));
    dimensions->resize(rank);
    if ((result != Result::NO_ERROR &&
         result != Result::OUTPUT_INSUFFICIENT_SIZE) ||
        rank == 0)
      return result;
    return Result(ANeuralNetworksExecution_getOutputOperandDimensions(
        execution, int32_t(index), dimensions->data()));
  }

  Result creation() const { return created; }
  ANeuralNetworksExecution *get() const { return execution; }

private:
  ANeuralNetworksExecution *execution = nullptr;
  Result created = Result::NO_ERROR;
};

} // namespace client

#endif // NNHAL_TEST_UNIT_NEURALNETWORKS_WRAPPER_H
