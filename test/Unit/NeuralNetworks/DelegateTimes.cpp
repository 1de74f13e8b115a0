//===- DelegateTimes.cpp - The time that a delegate's calls take ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A program with the pattern of calls of TensorFlow Lite's delegate: one model,
// compiled with a cache, and an execution object per invocation. It prints the
// times of the calls beside those of PreparedModel::execute() on the same
// device: what the C library adds.
//
// usage: NNHalDelegateTimes [OPERATIONS [INVOCATIONS]]

#include "Wrapper.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

using namespace client;
using namespace nnhal;

using Clock = std::chrono::steady_clock;

static double microseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin)
      .count();
}

static double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// A chain of RELU over four floats.
static void build(Model &model, int operations) {
  OperandType tensor(Type::TENSOR_FLOAT32, {4});
  uint32_t input = model.addOperand(tensor), last = input;
  for (int i = 0; i < operations; ++i) {
    uint32_t next = model.addOperand(tensor);
    model.addOperation(ANEURALNETWORKS_RELU, {last}, {next});
    last = next;
  }
  model.identifyInputsAndOutputs({input}, {last});
}

static rt::AnnotatedModel modelOf(int operations) {
  rt::AnnotatedModel annotated;
  rt::Subgraph &main = annotated.model.main;
  rt::Operand tensor;
  tensor.type = rt::OperandType::TENSOR_FLOAT32;
  tensor.dimensions = {4};
  main.operands.assign(size_t(operations) + 1, tensor);
  main.operands.front().lifetime = rt::OperandLifeTime::SUBGRAPH_INPUT;
  main.operands.back().lifetime = rt::OperandLifeTime::SUBGRAPH_OUTPUT;
  for (uint32_t i = 0; i < uint32_t(operations); ++i)
    main.operations.push_back({rt::OperationType::RELU, {i}, {i + 1}});
  main.inputIndexes = {0};
  main.outputIndexes = {uint32_t(operations)};
  rt::computeConsumers(main);
  return annotated;
}

/// The device nnapi-reference, which is the last one.
static const ANeuralNetworksDevice *lastDevice() {
  uint32_t count = 0;
  ANeuralNetworksDevice *device = nullptr;
  if (ANeuralNetworks_getDeviceCount(&count) == ANEURALNETWORKS_NO_ERROR)
    (void)ANeuralNetworks_getDevice(count - 1, &device);
  return device;
}

static bool measureInvocations(int operations, int invocations) {
  alignas(64) float from[4] = {1, 2, 3, 4}, to[4] = {};
  Model model;
  build(model, operations);
  if (model.finish() != Result::NO_ERROR)
    return false;
  Compilation listed(model, {lastDevice()});
  if (listed.finish() != Result::NO_ERROR)
    return false;
  std::vector<double> calls, executions;
  for (int i = 0; i < invocations; ++i) {
    Clock::time_point begin = Clock::now();
    Execution execution(listed);
    bool isSet =
        execution.setInput(0, from, sizeof(from)) == Result::NO_ERROR &&
        execution.setOutput(0, to, sizeof(to)) == Result::NO_ERROR;
    if (!isSet || execution.compute() != Result::NO_ERROR)
      return false;
    calls.push_back(microseconds(begin));
  }
  auto prepared =
      rt::createReferenceDevice()->prepareModel(modelOf(operations));
  if (!prepared.isOk())
    return false;
  rt::Request request;
  request.inputs.resize(1);
  request.outputs.resize(1);
  request.inputs[0].memory = rt::Memory::borrow(std::as_bytes(std::span(from)));
  request.outputs[0].memory =
      rt::OutputMemory::borrow(std::as_writable_bytes(std::span(to)));
  rt::ExecutionResult result;
  for (int i = 0; i < invocations; ++i) {
    Clock::time_point begin = Clock::now();
    if (!(*prepared)->execute(request, result).isOk())
      return false;
    executions.push_back(microseconds(begin));
  }
  std::printf("invocation: %.2f us by calls, %.2f us by execute()\n",
              median(calls), median(executions));
  return true;
}

static bool measureStart(int operations, const std::string &folder,
                         const char *what) {
  Clock::time_point begin = Clock::now();
  Model model;
  build(model, operations);
  if (model.finish() != Result::NO_ERROR)
    return false;
  double built = microseconds(begin);
  Compilation compilation(model);
  std::vector<uint8_t> token(32, 1);
  bool isReady = compilation.setCaching(folder, token) == Result::NO_ERROR &&
                 compilation.finish() == Result::NO_ERROR;
  std::printf("%s start: %.2f ms, of which the model is %.2f ms\n", what,
              microseconds(begin) / 1000, built / 1000);
  return isReady;
}

static int measure(int argc, char **argv) {
  int operations = argc > 1 ? int(std::strtol(argv[1], nullptr, 10)) : 100;
  int invocations = argc > 2 ? int(std::strtol(argv[2], nullptr, 10)) : 10000;
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("nnhal-delegate-" +
       std::to_string(Clock::now().time_since_epoch().count()));
  std::filesystem::create_directory(folder);
  bool isOk = measureStart(operations, folder, "first") &&
              measureStart(operations, folder, "cached") &&
              measureInvocations(1, invocations);
  std::filesystem::remove_all(folder);
  return isOk ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  try {
    return measure(argc, argv);
  } catch (const std::exception &error) {
    (void)std::fputs(error.what(), stderr);
    return EXIT_FAILURE;
  }
}
