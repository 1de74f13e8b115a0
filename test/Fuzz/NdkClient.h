//===- NdkClient.h - A client of the NDK that reads its calls ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A client makes the calls that a sequence of bytes says. Objects are alive
// where they are not null, and lists as long as their counts say: nothing else
// can be told by a library in C. docs/Internals/Fuzzing.md has the sequence.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_NDKCLIENT_H
#define NNHAL_TEST_FUZZ_NDKCLIENT_H

#include "ByteReader.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>

#include <deque>
#include <memory>

namespace nnhal::rt::fuzz {

/// What the first byte of a call says.
enum class NdkCall : uint8_t {
  createModel,
  addOperand,         // type, rank, extents, scale, zero point
  setValue,           // operand, length, bytes
  setValueFromMemory, // operand, offset, length
  setValueFromModel,  // operand, model
  setChannels,        // operand, dimension, count, scales
  addOperation,       // type, counts, indexes
  identify,           // counts, indexes
  relax,              // 0 or 1
  setExtensionData,   // operand, length, bytes
  nameExtension,      // type within the extension
  finishModel,
  supportedOperations,
  createCompilation, // 0 to 2
  changeCompilation, // what, number
  finishCompilation,
  createExecution,
  setInput,            // input, has type, type, length, bytes
  setOutput,           // output, has type, type, length
  setInputFromMemory,  // input, offset, length
  setOutputFromMemory, // output, offset, length
  changeExecution,     // what, number
  compute,             // how
  askExecution,        // what, number
  createMemory,        // what, size, protection, offset
  describeMemory,      // roles
  copyMemory,
  useEvent, // what
  count,
};

/// A type of an operand in a sequence: the extents are as many as the rank.
struct NdkType {
  int32_t code = 0;
  std::vector<uint32_t> dimensions;
  bool hasDimensions = true;
  float scale = 0;
  int32_t zeroPoint = 0;

  /// Refers to the extents.
  ANeuralNetworksOperandType view() const {
    return {code, uint32_t(dimensions.size()),
            hasDimensions && !dimensions.empty() ? dimensions.data() : nullptr,
            scale, zeroPoint};
  }
};

class NdkClient {
public:
  explicit NdkClient(std::span<const std::byte> calls) : in(calls) {}
  ~NdkClient();
  NdkClient(const NdkClient &) = delete;
  NdkClient &operator=(const NdkClient &) = delete;

  /// Makes all calls; every code is one of those that there are (J-113).
  void run();

private:
  void step(NdkCall call);
  bool stepModel(NdkCall call);
  void createModel();
  void addOperand();
  void setValue();
  void setChannels();
  void addOperation();
  void identify();
  void setExtensionData();
  void nameExtension();
  void supportedOperations();
  bool stepCompilation(NdkCall call);
  void createCompilation();
  void changeCompilation();
  void describeCompilation(uint32_t number);
  bool stepExecution(NdkCall call);
  void createExecution();
  void setArgument(bool isOutput);
  void setArgumentFromMemory(bool isOutput);
  void changeExecution();
  void compute();
  void askExecution();
  void stepMemory(NdkCall call);
  void createMemory();
  void describeMemory();
  void useEvent();

  NdkType type();
  /// Bytes that live as long as this.
  std::span<std::byte> keep(std::span<const std::byte> bytes, size_t size);
  template <typename T> T *pick(const std::vector<T *> &list);

  ByteReader in;
  std::deque<std::vector<std::byte>> kept;
  std::vector<ANeuralNetworksModel *> models;
  std::vector<ANeuralNetworksCompilation *> compilations;
  std::vector<ANeuralNetworksExecution *> executions;
  std::vector<ANeuralNetworksBurst *> bursts;
  std::vector<ANeuralNetworksEvent *> events;
  std::vector<ANeuralNetworksMemory *> memories;
};

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_NDKCLIENT_H
