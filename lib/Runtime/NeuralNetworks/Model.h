//===- Model.h - A model that a client builds -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_MODEL_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_MODEL_H

#include "Memory.h"

#include "nnhal/Runtime/Model.h"

#include <android/NeuralNetworks.h>

#include <map>
#include <memory>
#include <span>
#include <vector>

/// A model of the C interface. Until it is finished it is built in place, in
/// the form of the HAL; a failing call changes nothing but what finish() says
/// (J-080).
///
/// Threads: one at a time until it is finished, then any (J-105).
struct ANeuralNetworksModel {
  ANeuralNetworksModel();

  int addOperand(const ANeuralNetworksOperandType &type);
  int setOperandValue(int32_t index, const void *buffer, size_t length);
  int setOperandValueFromMemory(int32_t index,
                                const ANeuralNetworksMemory &memory,
                                size_t offset, size_t length);
  int setOperandValueFromModel(int32_t index,
                               const ANeuralNetworksModel &value);
  int setChannelQuant(int32_t index,
                      const ANeuralNetworksSymmPerChannelQuantParams &params);
  int setExtensionData(int32_t index, const void *data, size_t length);
  int addOperation(int32_t type, std::span<const uint32_t> inputs,
                   std::span<const uint32_t> outputs);
  int identifyInputsAndOutputs(std::span<const uint32_t> inputs,
                               std::span<const uint32_t> outputs);
  int relax(bool allow);
  int finish();

  /// Whether finish() has succeeded.
  bool isFinished() const { return state == State::finished; }

  /// The finished model; its operations are in an order of execution.
  const std::shared_ptr<const nnhal::rt::AnnotatedModel> &annotated() const {
    return shared;
  }
  /// The place, in that order, of each operation in the order in which they
  /// were added (J-008).
  const std::vector<uint32_t> &placesOfOperations() const { return places; }

private:
  enum class State { building, finished, invalid };

  /// A value that is referred to until finish() copies it (B-112).
  struct LargeValue {
    const void *data = nullptr;
    uint32_t length = 0;
  };

  nnhal::rt::Operand *operandAt(int32_t index);
  void storeInline(nnhal::rt::Operand &operand, const void *buffer,
                   uint32_t length);
  uint32_t addReferenced(const ANeuralNetworksModel &value);
  int checkNewOperation(const nnhal::rt::Operation &operation);
  nnhal::rt::Status copyLargeValues();
  bool sortOperations();
  nnhal::rt::Status nameExtensions();
  nnhal::rt::Status complete();

  State state = State::building;
  std::shared_ptr<nnhal::rt::AnnotatedModel> built;
  std::shared_ptr<const nnhal::rt::AnnotatedModel> shared;
  std::map<uint32_t, LargeValue> largeValues; // By operand.
  std::map<const nnhal::rt::SharedMemory *, uint32_t> poolIndices;
  std::map<const ANeuralNetworksModel *, uint32_t> referencedIndices;
  std::vector<uint32_t> places;
};

namespace nnhal::ndk {
using Model = ::ANeuralNetworksModel;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_MODEL_H
