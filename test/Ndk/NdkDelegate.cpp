//===- NdkDelegate.cpp - The calls of an NNAPI delegate -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern of calls of TensorFlow Lite's NNAPI delegate: all devices but
// nnapi-reference, constants from memory over a file, inputs and outputs in one
// memory each, a new execution object for each inference. The same model runs
// on the device itself, in turn; outputs have to be equal, and the times of
// both are printed.
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"

#include "Tools/Process/Process.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/WorkPool.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <random>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;

namespace {

struct Flags {
  std::string model;
  std::string cacheFolder;
  unsigned repeat = 100;
};

/// The arguments of one direction, one after the other in shared memory.
struct ArgumentPool {
  std::shared_ptr<rt::SharedMemory> pool;
  std::span<std::byte> bytes;
  NdkMemory memory;
  std::vector<size_t> offsets;
  std::vector<size_t> sizes;
};

/// The library's part of a start and of inferences.
class Delegate {
public:
  /// Compiles \p model and prepares \p inputs and \p outputs.
  Status start(const rt::Model &model, const Flags &flags);
  Status infer();

  ArgumentPool inputs;
  ArgumentPool outputs;

private:
  Status chooseDevices();
  Status compile(const Flags &flags);

  std::vector<const ANeuralNetworksDevice *> devices;
  FedModel fed;
  NdkCompilation compilation;
};

} // namespace

static Result<ArgumentPool> makePool(const rt::Model &model,
                                     const std::vector<uint32_t> &operands) {
  constexpr size_t alignment = 64;
  ArgumentPool made;
  size_t size = 0;
  for (uint32_t index : operands) {
    auto bytes = rt::byteSizeOf(model.main.operands[index]);
    if (!bytes)
      return rt::badData("operand {} has an unknown size", index);
    made.offsets.push_back(size);
    made.sizes.push_back(*bytes);
    size += (*bytes + alignment - 1) / alignment * alignment;
  }
  NNHAL_ASSIGN_OR_RETURN(made.pool, rt::SharedMemory::createAshmem(size));
  NNHAL_ASSIGN_OR_RETURN(made.bytes, made.pool->mapForWriting());
  return made;
}

static Status adopt(ArgumentPool &pool) {
  ANeuralNetworksMemory *memory = nullptr;
  NNHAL_NDK(ANeuralNetworksMemory_createFromFd, pool.pool->size(),
            PROT_READ | PROT_WRITE, pool.pool->fd(), 0, &memory);
  pool.memory.reset(memory);
  return Status::ok();
}

Status Delegate::chooseDevices() {
  uint32_t count = 0;
  NNHAL_NDK(ANeuralNetworks_getDeviceCount, &count);
  for (uint32_t i = 0; i < count; ++i) {
    ANeuralNetworksDevice *device = nullptr;
    const char *name = nullptr;
    NNHAL_NDK(ANeuralNetworks_getDevice, i, &device);
    NNHAL_NDK(ANeuralNetworksDevice_getName, device, &name);
    if (std::strcmp(name, "nnapi-reference") != 0)
      devices.push_back(device);
  }
  return Status::ok();
}

Status Delegate::compile(const Flags &flags) {
  ANeuralNetworksCompilation *made = nullptr;
  NNHAL_NDK(ANeuralNetworksCompilation_createForDevices, fed.model.get(),
            devices.data(), uint32_t(devices.size()), &made);
  compilation.reset(made);
  NNHAL_NDK(ANeuralNetworksCompilation_setPreference, made,
            ANEURALNETWORKS_PREFER_SUSTAINED_SPEED);
  if (!flags.cacheFolder.empty()) {
    uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
    std::hash<std::string> hash;
    size_t digest = hash(flags.model);
    std::memcpy(token, &digest, sizeof(digest));
    NNHAL_NDK(ANeuralNetworksCompilation_setCaching, made,
              flags.cacheFolder.c_str(), token);
  }
  NNHAL_NDK(ANeuralNetworksCompilation_finish, made);
  return Status::ok();
}

Status Delegate::start(const rt::Model &model, const Flags &flags) {
  NNHAL_RETURN_IF_ERROR(chooseDevices());
  NNHAL_ASSIGN_OR_RETURN(fed, feedModel(model));
  auto supported = std::make_unique<bool[]>(model.main.operations.size());
  NNHAL_NDK(ANeuralNetworksModel_getSupportedOperationsForDevices,
            fed.model.get(), devices.data(), uint32_t(devices.size()),
            supported.get());
  for (size_t i = 0; i < model.main.operations.size(); ++i)
    if (!supported[i])
      return rt::failure("operation {} is not supported", i);
  NNHAL_RETURN_IF_ERROR(compile(flags));
  NNHAL_RETURN_IF_ERROR(adopt(inputs));
  return adopt(outputs);
}

Status Delegate::infer() {
  ANeuralNetworksExecution *made = nullptr;
  NNHAL_NDK(ANeuralNetworksExecution_create, compilation.get(), &made);
  NdkExecution execution(made);
  for (size_t i = 0; i < inputs.offsets.size(); ++i)
    NNHAL_NDK(ANeuralNetworksExecution_setInputFromMemory, made, int32_t(i),
              nullptr, inputs.memory.get(), inputs.offsets[i], inputs.sizes[i]);
  for (size_t i = 0; i < outputs.offsets.size(); ++i)
    NNHAL_NDK(ANeuralNetworksExecution_setOutputFromMemory, made, int32_t(i),
              nullptr, outputs.memory.get(), outputs.offsets[i],
              outputs.sizes[i]);
  NNHAL_NDK(ANeuralNetworksExecution_compute, made);
  return Status::ok();
}

static double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

static double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// A request with the same arguments as \p delegate, whose outputs are
/// \p outputs.
static rt::Request requestLike(const Delegate &delegate,
                               const ArgumentPool &outputs) {
  rt::Request request;
  for (size_t i = 0; i < delegate.inputs.offsets.size(); ++i)
    request.inputs.emplace_back().memory =
        rt::Memory::region(delegate.inputs.pool, delegate.inputs.offsets[i],
                           delegate.inputs.sizes[i]);
  for (size_t i = 0; i < outputs.offsets.size(); ++i)
    request.outputs.emplace_back().memory = rt::OutputMemory::region(
        outputs.pool, outputs.offsets[i], outputs.sizes[i]);
  return request;
}

static Status compare(const Delegate &delegate, const ArgumentPool &outputs) {
  for (size_t i = 0; i < outputs.offsets.size(); ++i)
    if (std::memcmp(delegate.outputs.bytes.data() + outputs.offsets[i],
                    outputs.bytes.data() + outputs.offsets[i],
                    outputs.sizes[i]) != 0)
      return rt::failure("output {} differs from that of the device", i);
  return Status::ok();
}

static Status run(const Flags &flags) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(flags.model));
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model, rt::importTFLite(file));
  const rt::Subgraph &main = model.model.main;
  Delegate delegate;
  NNHAL_ASSIGN_OR_RETURN(delegate.inputs,
                         makePool(model.model, main.inputIndexes));
  NNHAL_ASSIGN_OR_RETURN(delegate.outputs,
                         makePool(model.model, main.outputIndexes));
  NNHAL_ASSIGN_OR_RETURN(ArgumentPool outputs,
                         makePool(model.model, main.outputIndexes));
  std::minstd_rand random(1);
  for (std::byte &byte : delegate.inputs.bytes)
    byte = std::byte(random() % 64); // Small floats, if they are floats.

  auto begin = std::chrono::steady_clock::now();
  NNHAL_RETURN_IF_ERROR(delegate.start(model.model, flags));
  double start = since(begin);
  begin = std::chrono::steady_clock::now();
  NNHAL_RETURN_IF_ERROR(delegate.infer());
  double first = since(begin);

  // The library has as many threads.
  rt::CpuDeviceOptions options;
  NNHAL_ASSIGN_OR_RETURN(options.services.workers, rt::WorkPool::create(0));
  auto device = rt::createCpuDevice(std::move(options));
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared,
                         device->prepareModel(model));
  rt::Request request = requestLike(delegate, outputs);
  rt::ExecutionResult result;
  std::vector<double> inferences, executions;
  for (unsigned i = 0; i < flags.repeat; ++i) {
    begin = std::chrono::steady_clock::now();
    NNHAL_RETURN_IF_ERROR(delegate.infer());
    inferences.push_back(since(begin));
    begin = std::chrono::steady_clock::now();
    NNHAL_RETURN_IF_ERROR(prepared->execute(request, result));
    executions.push_back(since(begin));
  }
  fmt::print("{{\"start_us\":{:.1f},\"first_us\":{:.1f},"
             "\"inference_us\":{:.2f},\"execute_us\":{:.2f},"
             "\"difference_us\":{:.2f}}}\n",
             start, first, median(inferences), median(executions),
             median(inferences) - median(executions));
  return compare(delegate, outputs);
}

static Result<Flags> parse(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--cache=")) {
      flags.cacheFolder = argument.substr(8);
    } else if (argument.starts_with("--repeat=")) {
      std::string_view count = argument.substr(9);
      auto [end, error] = std::from_chars(
          count.data(), count.data() + count.size(), flags.repeat);
      if (error != std::errc() || end != count.data() + count.size() ||
          flags.repeat == 0)
        return rt::badData("'{}' is not a positive number", count);
    } else {
      flags.model = argument;
    }
  }
  if (flags.model.empty())
    return rt::badData("usage: NdkDelegate MODEL.tflite [--cache=DIR] "
                       "[--repeat=N]");
  return flags;
}

static int runTool(std::span<const std::string_view> arguments) {
  auto flags = parse(arguments);
  if (!flags.isOk())
    return tools::fail(flags.status(), tools::exitUsage);
  return tools::finish(run(*flags));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
