//===- HostileTest.cpp - Calls that no client should make -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileTesting.h"
#include "TestModels.h"

#include <android/NeuralNetworksExtensions.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace client;

namespace {

/// Calls the C functions with arguments at random: null, objects in any state,
/// and numbers that are far too large. Objects are alive where they are not
/// null, and lists as long as their counts say: nothing else can be told by a
/// library in C.
class HostileClient {
public:
  /// Lists \p device before nnapi-reference.
  HostileClient(uint32_t seed, const ANeuralNetworksDevice *device)
      : random(seed), device(device) {}
  ~HostileClient() { freeAll(); }

  /// How many computations have succeeded.
  uint64_t computations() const { return computed; }

  void step() {
    switch (random() % 14) {
    case 0:
      makeModel();
      break;
    case 1:
    case 2:
    case 3:
      changeModel();
      break;
    case 4:
      finishModel();
      break;
    case 5:
      makeCompilation();
      break;
    case 6:
      changeCompilation();
      break;
    case 7:
      makeExecution();
      break;
    case 8:
    case 9:
      changeExecution();
      break;
    case 10:
    case 11:
    case 12:
      compute();
      break;
    default:
      describe();
      break;
    }
    ++calls;
    if (calls % 1000 == 0)
      freeAll();
  }

private:
  template <typename T> T *any(const std::vector<T *> &list) {
    if (list.empty() || random() % 16 == 0)
      return nullptr;
    return random() % 4 ? list.back() : list[random() % list.size()];
  }
  int32_t number() {
    constexpr std::array<int32_t, 10> numbers = {
        0,  1,   2,      3,       4,
        -1, 100, 0xFFFF, 0x10000, std::numeric_limits<int32_t>::max()};
    return numbers[random() % numbers.size()];
  }
  size_t length() {
    constexpr std::array<size_t, 8> lengths = {0,  4,  8,           16,
                                               32, 64, 0x100000000, SIZE_MAX};
    return lengths[random() % lengths.size()];
  }
  ANeuralNetworksOperandType type() {
    uint32_t rank = random() % 4;
    for (uint32_t &extent : extents)
      extent = random() % 8 == 0 ? uint32_t(number()) : random() % 5;
    bool isNull = random() % 8 == 0 || rank == 0;
    return {random() % 4 == 0 ? number() : ANEURALNETWORKS_TENSOR_FLOAT32,
            isNull ? 0 : rank, isNull ? nullptr : extents.data(),
            random() % 4 == 0 ? 0.5f : 0.0f, random() % 8 == 0 ? number() : 0};
  }
  void keep(int code) {
    EXPECT_GE(code, 0);
    EXPECT_LE(code, ANEURALNETWORKS_DEAD_OBJECT);
    EXPECT_NE(code, ANEURALNETWORKS_INCOMPLETE); // J-113
  }

  void makeModel() {
    ANeuralNetworksModel *model = nullptr;
    keep(ANeuralNetworksModel_create(random() % 8 == 0 ? nullptr : &model));
    if (!model)
      return;
    models.push_back(model);
    // Half of the models are valid but for what comes later.
    if (random() % 2 == 0)
      return;
    const uint32_t four = 4;
    ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1,
                                         &four, 0, 0};
    keep(ANeuralNetworksModel_addOperand(model, &tensor));
    keep(ANeuralNetworksModel_addOperand(model, &tensor));
    const uint32_t input = 0, output = 1;
    keep(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_RELU, 1,
                                           &input, 1, &output));
    keep(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1,
                                                       &output));
    if (random() % 2 == 0)
      keep(ANeuralNetworksModel_finish(model));
  }

  void changeModel() {
    ANeuralNetworksModel *model = any(models);
    ANeuralNetworksOperandType operand = type();
    uint32_t indices[4];
    for (uint32_t &index : indices)
      index = uint32_t(number());
    ANeuralNetworksSymmPerChannelQuantParams params = {uint32_t(number()), 4,
                                                       scales};
    size_t size = length();
    switch (random() % 9) {
    case 0:
      return keep(ANeuralNetworksModel_addOperand(model, &operand));
    case 1:
      // A length that is not true is one that no operand has.
      return keep(ANeuralNetworksModel_setOperandValue(
          model, number(), random() % 4 ? bytes : nullptr,
          size <= sizeof(bytes) ? size : 0x100000000));
    case 2:
      return keep(ANeuralNetworksModel_setOperandValueFromMemory(
          model, number(), any(memories), length(), length()));
    case 3:
      return keep(ANeuralNetworksModel_setOperandValueFromModel(model, number(),
                                                                any(models)));
    case 4:
      return keep(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
          model, number(), &params));
    case 5:
      return keep(ANeuralNetworksModel_addOperation(
          model, number(), random() % 5, indices, random() % 5, indices));
    case 6:
      return keep(ANeuralNetworksModel_identifyInputsAndOutputs(
          model, random() % 5, indices, random() % 5, indices + 1 - 1));
    case 7:
      return keep(ANeuralNetworksModel_setOperandExtensionData(
          model, number(), bytes, sizeof(bytes)));
    default:
      return keep(ANeuralNetworksModel_relaxComputationFloat32toFloat16(
          model, random() % 2));
    }
  }

  void finishModel() { keep(ANeuralNetworksModel_finish(any(models))); }

  void makeCompilation() {
    ANeuralNetworksCompilation *compilation = nullptr;
    const ANeuralNetworksDevice *devices[] = {device, reference(), nullptr};
    ANeuralNetworksModel *model = any(models);
    uint32_t first = random() % 3;
    keep(ANeuralNetworksCompilation_createForDevices(
        model, devices + first, random() % 4 == 0 ? 3 - first : 1,
        &compilation));
    if (!compilation)
      return;
    compilations.push_back(compilation);
    if (random() % 2 == 0)
      keep(ANeuralNetworksCompilation_finish(compilation));
  }

  void changeCompilation() {
    ANeuralNetworksCompilation *compilation = any(compilations);
    uint32_t value = 0;
    switch (random() % 6) {
    case 0:
      return keep(
          ANeuralNetworksCompilation_setPreference(compilation, number()));
    case 1:
      return keep(
          ANeuralNetworksCompilation_setPriority(compilation, number()));
    case 2:
      return keep(
          ANeuralNetworksCompilation_setTimeout(compilation, random() % 2));
    case 3:
      return keep(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
          compilation, uint32_t(number()), &value));
    default:
      return keep(ANeuralNetworksCompilation_finish(compilation));
    }
  }

  void makeExecution() {
    ANeuralNetworksExecution *execution = nullptr;
    ANeuralNetworksBurst *burst = nullptr;
    keep(ANeuralNetworksExecution_create(any(compilations), &execution));
    if (execution) {
      executions.push_back(execution);
      if (random() % 2) {
        keep(ANeuralNetworksExecution_setInput(execution, 0, nullptr, bytes,
                                               16));
        keep(ANeuralNetworksExecution_setOutput(execution, 0, nullptr,
                                                bytes + 64, 16));
      }
    }
    keep(ANeuralNetworksBurst_create(any(compilations), &burst));
    if (burst)
      bursts.push_back(burst);
  }

  void changeExecution() {
    ANeuralNetworksExecution *execution = any(executions);
    ANeuralNetworksOperandType given = type();
    const auto *operand = random() % 2 ? &given : nullptr;
    size_t size = length();
    switch (random() % 7) {
    case 0:
      return keep(ANeuralNetworksExecution_setInput(execution, number(),
                                                    operand, bytes, 16));
    case 1:
      return keep(ANeuralNetworksExecution_setInput(
          execution, number(), operand, random() % 2 ? bytes : nullptr,
          size <= sizeof(bytes) ? size : 0x100000000));
    case 2:
      return keep(ANeuralNetworksExecution_setOutput(execution, number(),
                                                     operand, bytes + 64, 16));
    case 3:
      return keep(ANeuralNetworksExecution_setInputFromMemory(
          execution, number(), operand, any(memories), length(), length()));
    case 4:
      return keep(ANeuralNetworksExecution_setOutputFromMemory(
          execution, number(), operand, any(memories), length(), length()));
    case 5:
      return keep(
          ANeuralNetworksExecution_setMeasureTiming(execution, random() % 2));
    default:
      return keep(
          ANeuralNetworksExecution_setReusable(execution, random() % 2));
    }
  }

  void compute() {
    ANeuralNetworksExecution *execution = any(executions);
    ANeuralNetworksEvent *event = nullptr;
    std::array<uint32_t, 16> dimensions = {};
    uint64_t duration = 0;
    const ANeuralNetworksEvent *dependency = any(events);
    switch (random() % 7) {
    case 0:
      computed += ANeuralNetworksExecution_compute(execution) ==
                  ANEURALNETWORKS_NO_ERROR;
      return;
    case 1:
      keep(ANeuralNetworksExecution_startCompute(execution, &event));
      break;
    case 2:
      keep(ANeuralNetworksExecution_startComputeWithDependencies(
          execution, &dependency, 1, random() % 2, &event));
      break;
    case 3:
      return keep(
          ANeuralNetworksExecution_burstCompute(execution, any(bursts)));
    case 4:
      return keep(ANeuralNetworksExecution_getOutputOperandDimensions(
          execution, number(), dimensions.data()));
    case 5:
      return keep(
          ANeuralNetworksExecution_getDuration(execution, number(), &duration));
    default:
      return keep(ANeuralNetworksEvent_wait(any(events)));
    }
    if (event)
      events.push_back(event);
  }

  void describe() {
    ANeuralNetworksMemoryDesc *desc = nullptr;
    keep(ANeuralNetworksMemoryDesc_create(&desc));
    for (uint32_t i = 0; i < 3; ++i) {
      keep(ANeuralNetworksMemoryDesc_addInputRole(desc, any(compilations),
                                                  uint32_t(number()), 0.5f));
      keep(ANeuralNetworksMemoryDesc_addOutputRole(desc, any(compilations),
                                                   random() % 2, 1.0f));
    }
    keep(ANeuralNetworksMemoryDesc_setDimensions(desc, random() % 4,
                                                 extents.data()));
    keep(ANeuralNetworksMemoryDesc_finish(desc));
    ANeuralNetworksMemory *memory = nullptr;
    keep(ANeuralNetworksMemory_createFromDesc(desc, &memory));
    ANeuralNetworksMemoryDesc_free(desc);
    if (memory)
      memories.push_back(memory);
    int fd = ::memfd_create("hostile", MFD_CLOEXEC);
    EXPECT_EQ(::ftruncate(fd, 64), 0);
    memory = nullptr;
    keep(ANeuralNetworksMemory_createFromFd(length(), number(), fd, length(),
                                            &memory));
    if (memory)
      memories.push_back(memory);
    ::close(fd);
    ANeuralNetworksMemory *from = any(memories), *to = any(memories);
    keep(ANeuralNetworksMemory_copy(from, to));
  }

  void freeAll() {
    for (auto *event : events)
      ANeuralNetworksEvent_free(event);
    for (auto *burst : bursts)
      ANeuralNetworksBurst_free(burst);
    for (auto *execution : executions)
      ANeuralNetworksExecution_free(execution);
    for (auto *compilation : compilations)
      ANeuralNetworksCompilation_free(compilation);
    // Models refer to models that were finished before.
    for (auto *model : models)
      ANeuralNetworksModel_free(model);
    for (auto *memory : memories)
      ANeuralNetworksMemory_free(memory);
    events.clear(), bursts.clear(), executions.clear(), compilations.clear();
    models.clear(), memories.clear();
  }

  std::mt19937 random;
  const ANeuralNetworksDevice *device;
  uint64_t calls = 0;
  uint64_t computed = 0;
  std::array<uint32_t, 4> extents = {};
  float scales[4] = {1, 2, 3, 4};
  alignas(64) char bytes[256] = {};
  std::vector<ANeuralNetworksModel *> models;
  std::vector<ANeuralNetworksCompilation *> compilations;
  std::vector<ANeuralNetworksExecution *> executions;
  std::vector<ANeuralNetworksBurst *> bursts;
  std::vector<ANeuralNetworksEvent *> events;
  std::vector<ANeuralNetworksMemory *> memories;
};

// J-110, J-113: no sequence of calls throws or ends the process. For as long as
// NNHAL_HOSTILE_SECONDS says, clients follow each other; every other of them
// then computes on nnhal-cpu, too, which compiles.
TEST(NeuralNetworksHostile, GetsCodes) {
  bool isLong = std::getenv("NNHAL_HOSTILE_SECONDS") != nullptr;
  uint64_t computations = 0;
  uint64_t clients = nnhal::test::repeat(10, [&](uint64_t number) {
    bool compiles = isLong && number % 2 == 1;
    HostileClient client(uint32_t(number + 1),
                         compiles ? findDevice("nnhal-cpu") : reference());
    for (int i = 0; i < 2000; ++i)
      client.step();
    computations += client.computations();
  });
  // Not everything is refused at the first step.
  EXPECT_GT(computations, 10u);
  std::printf("%llu clients, %llu computations\n",
              static_cast<unsigned long long>(clients),
              static_cast<unsigned long long>(computations));
}

} // namespace
