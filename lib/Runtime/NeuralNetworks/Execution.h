//===- Execution.h - Arguments of a model and its computation ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXECUTION_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXECUTION_H

#include "Burst.h"
#include "Compilation.h"
#include "Event.h"
#include "Memory.h"

#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/Recorder.h"

#include <android/NeuralNetworks.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// An execution of the C interface.
///
/// The request is filled while arguments are set, so that a computation only
/// passes it on. Pointers of the client are passed as they are where they are
/// aligned and an output shares no bytes with an input; otherwise they are
/// copied, which the interface of the NDK allows for and devices do not.
///
/// Threads: one at a time.
struct ANeuralNetworksExecution {
  explicit ANeuralNetworksExecution(
      const ANeuralNetworksCompilation &compilation);

  int setInput(int32_t index, const ANeuralNetworksOperandType *type,
               const void *buffer, size_t length);
  int setInputFromMemory(int32_t index, const ANeuralNetworksOperandType *type,
                         const ANeuralNetworksMemory &memory, size_t offset,
                         size_t length);
  int setOutput(int32_t index, const ANeuralNetworksOperandType *type,
                void *buffer, size_t length);
  int setOutputFromMemory(int32_t index, const ANeuralNetworksOperandType *type,
                          const ANeuralNetworksMemory &memory, size_t offset,
                          size_t length);
  int setMeasureTiming(bool measure);
  int setTimeout(uint64_t duration);
  int setLoopTimeout(uint64_t duration);
  int enablePadding(bool enable);
  int setReusable(bool reusable);

  int compute();
  int computeInBurst(ANeuralNetworksBurst &burst);
  int start(ANeuralNetworksEvent **event);
  int startAfter(std::span<const ANeuralNetworksEvent *const> dependencies,
                 uint64_t duration, ANeuralNetworksEvent **event);

  int rankOfOutput(int32_t index, uint32_t *rank);
  int dimensionsOfOutput(int32_t index, uint32_t *dimensions);
  int duration(int32_t code, uint64_t *nanoseconds);

  /// Whether the execution runs; one with a fence that has signaled does not.
  bool isComputing();

private:
  enum class State : uint32_t { preparation, computing, completed };

  /// The facts about one argument beside the request.
  struct Argument {
    bool isSet = false;
    /// The client's memory, where the request cannot have it as it is.
    const void *source = nullptr;
    void *target = nullptr;
    size_t length = 0;
    nnhal::rt::AlignedBuffer copy;
    /// The memory of a description, if any.
    std::shared_ptr<nnhal::ndk::DescribedMemory> described;
  };

  /// The shape and the bytes of an argument that is being set.
  struct Setting {
    const nnhal::ndk::ArgumentInfo *info = nullptr;
    Argument *argument = nullptr;
    /// Empty for those of the model.
    std::vector<uint32_t> dimensions;
    /// The bytes, 0 where they are not known.
    uint32_t size = 0;
  };

  int beginSetting(bool isInput, int32_t index,
                   const ANeuralNetworksOperandType *type, bool isOmitted,
                   Setting &setting);
  int readType(const ANeuralNetworksOperandType &type, bool isInput,
               bool isOmitted, Setting &setting) const;
  /// Whether \p length suits what is set; it then is the length to pass on.
  bool fitLength(const Setting &setting, size_t &length, size_t &padding) const;
  int checkPlace(const Setting &setting, nnhal::ndk::Role role,
                 const ANeuralNetworksMemory &memory, size_t offset,
                 size_t &length, size_t &padding) const;
  void endSetting(Setting &setting);

  int begin(nnhal::rt::RecordedWay way);
  int prepareMemories();
  bool isReady(size_t index) const;
  bool sharesBytes(const nnhal::rt::OutputMemory::Borrowed &output) const;
  int copyArguments();
  int end(const nnhal::rt::Status &status);
  /// Ends the computation with the status that \p work returns, or with what it
  /// throws.
  template <typename Work> int conclude(Work &&work) noexcept;
  void fail(int why);
  void markOutputs(bool isOk);
  void settle();
  int outputState(int32_t index) const;
  std::span<const uint32_t> shapeOfOutput(size_t index) const;
  nnhal::rt::Status executeElsewhere();
  bool hasPointerOutput() const;

  const ANeuralNetworksCompilation &compilation;
  nnhal::rt::Request request;
  nnhal::rt::ExecutionResult result;
  std::vector<Argument> arguments; // Inputs, then outputs.
  size_t unset;
  uint64_t timeout = 0;
  std::shared_ptr<nnhal::rt::FencedExecution> fenced;
  nnhal::rt::Timing fencedTiming;
  /// The call of the computation, where it is recorded.
  nnhal::rt::RequestCall call;
  int code = ANEURALNETWORKS_NO_ERROR;
  std::atomic<State> state = State::preparation;
  bool hasStarted = false;
  bool isReusable = false;
  bool isPadded = false;
};

namespace nnhal::ndk {
using Execution = ::ANeuralNetworksExecution;
} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_EXECUTION_H
