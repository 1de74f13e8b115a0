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
// on the device itself, in turn; outputs have to be equal.
//
// The times are printed. `start_us` and `device_start_us` are those of the
// first start in the process, through the library and without it. The others
// are those that a tenth of all runs undercut: other work on the machine
// prolongs the rest. `difference_us` is what an inference takes, from the
// creation of its object to the end of the computation, beyond an execution by
// the device; `noise_us` is how much two halves of the latter differ. With a
// cache, `share_us` is what a start takes beyond the device's loading.
//
//===----------------------------------------------------------------------===//

#include "FeedModel.h"

#include "Tools/Options/OptionRows.h"
#include "Tools/Options/Values.h"
#include "Tools/Process/Process.h"

#include "Runtime/Caching/CacheDirectory.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/SharedMemory.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/WorkPool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::test;
using rt::Result;
using rt::Status;
using tools::Takes;

namespace {

struct Flags {
  std::string model;
  std::string cacheFolder;
  unsigned repeat = 100;
  /// Bounds, in microseconds; none is infinite.
  double maxDifference = HUGE_VAL;
  double maxShare = HUGE_VAL;
  bool help = false;
};

/// What is printed, in microseconds.
struct Times {
  double start = 0;
  double deviceStart = 0;
  double first = 0;
  double inference = 0;
  double execute = 0;
  double difference = 0;
  double noise = 0;
  double cachedStart = 0;
  double deviceLoad = 0;
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
  /// Returns the microseconds until the outputs are there.
  Result<double> infer();

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

static double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now() - begin)
      .count();
}

/// The name under which a client keeps what is compiled of the model.
static rt::CacheToken tokenOf(const Flags &flags) {
  rt::CacheToken token = {};
  size_t digest = std::hash<std::string>()(flags.model);
  std::memcpy(token.data(), &digest, sizeof(digest));
  return token;
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
  if (!flags.cacheFolder.empty())
    NNHAL_NDK(ANeuralNetworksCompilation_setCaching, made,
              flags.cacheFolder.c_str(), tokenOf(flags).data());
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

Result<double> Delegate::infer() {
  auto begin = std::chrono::steady_clock::now();
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
  return since(begin);
}

/// The time that a tenth of \p times undercut.
static double typical(std::vector<double> times) {
  auto place = times.begin() + std::ptrdiff_t(times.size() / 10);
  std::ranges::nth_element(times, place);
  return *place;
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

/// Makes a private folder of the device in that of the cache.
static Result<std::string> folderOfDevice(const Flags &flags,
                                          const char *name) {
  std::filesystem::path folder =
      std::filesystem::path(flags.cacheFolder) / name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all,
                               error);
  if (error)
    return rt::failure("cannot make '{}': {}", folder.string(),
                       error.message());
  return folder.string() + '/';
}

/// The device that the library has, in the same process.
static Result<std::unique_ptr<rt::Device>> makeDevice(const Flags &flags) {
  rt::CpuDeviceOptions options;
  if (const char *compiler = std::getenv("NNHAL_COMPILER"))
    options.compiler = std::make_shared<rt::LazyCompiler>(compiler);
  // The library has as many threads.
  NNHAL_ASSIGN_OR_RETURN(options.services.workers, rt::WorkPool::create(0));
  options.services.extensions = rt::installedExtensions({});
  // What another build of the device has written is forgotten where both have
  // one folder for digests: the library is another build.
  if (!flags.cacheFolder.empty()) {
    NNHAL_ASSIGN_OR_RETURN(options.services.stateDirectory,
                           folderOfDevice(flags, "digests"));
  }
  return rt::createCpuDevice(std::move(options));
}

/// Executes through the library and by the device, some times each in turn:
/// both have constants of their own, which the first time brings to the
/// processor's caches.
static Status timeInferences(Delegate &delegate,
                             const rt::PreparedModel &prepared,
                             const rt::Request &request, unsigned repeat,
                             Times &times) {
  rt::ExecutionResult result;
  auto execute = [&]() -> Result<double> {
    auto begin = std::chrono::steady_clock::now();
    NNHAL_RETURN_IF_ERROR(prepared.execute(request, result));
    return since(begin);
  };
  constexpr unsigned block = 10;
  std::vector<double> inferences, executions, halves[2];
  for (unsigned done = 0; done < repeat; done += block)
    for (bool isInference : {true, false})
      for (unsigned i = done; i < std::min(done + block, repeat); ++i) {
        NNHAL_ASSIGN_OR_RETURN(double time,
                               isInference ? delegate.infer() : execute());
        (isInference ? inferences : executions).push_back(time);
        if (!isInference)
          halves[done / block % 2].push_back(time);
      }
  times.inference = typical(std::move(inferences));
  times.execute = typical(std::move(executions));
  times.difference = times.inference - times.execute;
  if (repeat > block)
    times.noise = std::abs(typical(halves[0]) - typical(halves[1]));
  return Status::ok();
}

/// The options of what is prepared without the library.
static rt::PrepareOptions optionsOfDevice() {
  rt::PrepareOptions options;
  options.preference = rt::ExecutionPreference::sustainedSpeed;
  return options;
}

/// Prepares \p model without the library, in a cache of its own if there is
/// one.
static Result<rt::PreparedModelRef> prepare(const rt::AnnotatedModel &model,
                                            const rt::Device &device,
                                            const Flags &flags) {
  if (flags.cacheFolder.empty())
    return device.prepareModel(model, optionsOfDevice());
  rt::CompilationCache::Options options;
  NNHAL_ASSIGN_OR_RETURN(options.directory, folderOfDevice(flags, "device"));
  rt::CacheReport report;
  return rt::CompilationCache(std::move(options))
      .prepare(
          device, tokenOf(flags), {},
          [&]() -> Result<const rt::AnnotatedModel *> { return &model; },
          optionsOfDevice(), report);
}

/// Starts again and again from the cache, in turn through the library and by
/// the device, each from an entry of its own.
static Status timeStarts(const rt::AnnotatedModel &model,
                         const rt::Device &device, const Flags &flags,
                         Times &times) {
  constexpr unsigned repeat = 20;
  rt::PrepareOptions options = optionsOfDevice();
  auto token =
      rt::CompilationCache::tokenFor(device, tokenOf(flags), {}, options);
  if (!token)
    return rt::failure("the device keeps no cache");
  NNHAL_ASSIGN_OR_RETURN(std::string folder, folderOfDevice(flags, "device"));
  rt::EntryNames names(folder, *token, device.cacheFiles());
  std::vector<double> starts, loads;
  for (unsigned i = 0; i < repeat; ++i) {
    auto begin = std::chrono::steady_clock::now();
    Delegate delegate;
    NNHAL_ASSIGN_OR_RETURN(
        delegate.inputs, makePool(model.model, model.model.main.inputIndexes));
    NNHAL_ASSIGN_OR_RETURN(
        delegate.outputs,
        makePool(model.model, model.model.main.outputIndexes));
    NNHAL_RETURN_IF_ERROR(delegate.start(model.model, flags));
    starts.push_back(since(begin));
    auto files = names.open();
    if (!files)
      return rt::failure("the device has left nothing in its cache");
    begin = std::chrono::steady_clock::now();
    NNHAL_RETURN_IF_ERROR(
        device.prepareModelFromCache(files->handles(), *token, options)
            .status());
    loads.push_back(since(begin));
  }
  times.cachedStart = typical(std::move(starts));
  times.deviceLoad = typical(std::move(loads));
  return Status::ok();
}

static void print(const Times &times, const Flags &flags) {
  fmt::print("{{\"start_us\":{:.1f},\"device_start_us\":{:.1f},"
             "\"first_us\":{:.1f},"
             "\"inference_us\":{:.2f},\"execute_us\":{:.2f},"
             "\"difference_us\":{:.2f},\"noise_us\":{:.2f}",
             times.start, times.deviceStart, times.first, times.inference,
             times.execute, times.difference, times.noise);
  if (!flags.cacheFolder.empty())
    fmt::print(",\"cached_start_us\":{:.1f},\"device_load_us\":{:.1f},"
               "\"share_us\":{:.1f}",
               times.cachedStart, times.deviceLoad,
               times.cachedStart - times.deviceLoad);
  fmt::print("}}\n");
}

/// Times that cannot be told from the bound are within it.
static Status checkBounds(const Times &times, const Flags &flags) {
  if (times.difference - times.noise > flags.maxDifference)
    return rt::failure("an inference takes {:.2f} us, with a noise of {:.2f} "
                       "us, beyond the execution, more than {:.2f} us",
                       times.difference, times.noise, flags.maxDifference);
  double share = times.cachedStart - times.deviceLoad;
  if (share > flags.maxShare)
    return rt::failure("a start takes {:.0f} us beyond the device's, more than "
                       "{:.0f} us",
                       share, flags.maxShare);
  return Status::ok();
}

static Status run(const Flags &flags) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(flags.model));
  rt::TFLiteImportOptions options;
  options.extensions = rt::installedExtensions({});
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model,
                         rt::importTFLite(file, options));
  NNHAL_RETURN_IF_ERROR(adoptExtensionCodes(model.model));
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

  Times times;
  auto begin = std::chrono::steady_clock::now();
  NNHAL_RETURN_IF_ERROR(delegate.start(model.model, flags));
  times.start = since(begin);
  NNHAL_ASSIGN_OR_RETURN(times.first, delegate.infer());
  begin = std::chrono::steady_clock::now();
  NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<rt::Device> device, makeDevice(flags));
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared,
                         prepare(model, *device, flags));
  times.deviceStart = since(begin);
  NNHAL_RETURN_IF_ERROR(timeInferences(delegate, *prepared,
                                       requestLike(delegate, outputs),
                                       flags.repeat, times));
  if (!flags.cacheFolder.empty())
    NNHAL_RETURN_IF_ERROR(timeStarts(model, *device, flags, times));
  print(times, flags);
  NNHAL_RETURN_IF_ERROR(compare(delegate, outputs));
  return checkBounds(times, flags);
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

namespace {
struct Option {
  std::string_view name;
  Takes takes;
  std::string_view valueName;
  std::string_view help;
  Status (*apply)(Flags &flags, std::string_view value);
};
} // namespace

static Status setCache(Flags &flags, std::string_view value) {
  flags.cacheFolder = value;
  return Status::ok();
}

static Status setRepeat(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(uint64_t count,
                         tools::parseCount(value, 1, 1'000'000));
  flags.repeat = unsigned(count);
  return Status::ok();
}

/// Most microseconds that a bound may be.
static constexpr double maxBound = 1e9;

static Status setMaxDifference(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.maxDifference,
                         tools::parseReal(value, 0, maxBound));
  return Status::ok();
}

static Status setMaxShare(Flags &flags, std::string_view value) {
  NNHAL_ASSIGN_OR_RETURN(flags.maxShare, tools::parseReal(value, 0, maxBound));
  return Status::ok();
}

static Status setHelp(Flags &flags, std::string_view) {
  flags.help = true;
  return Status::ok();
}

static constexpr Option options[] = {
    {"cache", Takes::value, "DIR", "keep the compiled model in DIR", setCache},
    {"repeat", Takes::value, "N", "infer N times (default: 100)", setRepeat},
    {"max-difference-us", Takes::value, "X",
     "fail where an inference takes longer beyond the device's execution",
     setMaxDifference},
    {"max-share-us", Takes::value, "X",
     "fail where a start takes longer beyond the device's loading",
     setMaxShare},
    {"help", Takes::nothing, "", "print this text", setHelp},
};

static Result<Flags> parse(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments)
    if (argument.starts_with("--"))
      NNHAL_RETURN_IF_ERROR(
          tools::applyOption(std::span<const Option>(options), flags, argument)
              .status());
    else if (flags.model.empty())
      flags.model = argument;
    else
      return rt::badData("'{}' is a second model after '{}'", argument,
                         flags.model);
  if (flags.model.empty() && !flags.help)
    return rt::badData("no model");
  return flags;
}

static int printHelp() {
  fmt::print(
      "usage: NdkDelegate MODEL.tflite [options]\n"
      "\n"
      "makes the calls of TensorFlow Lite's NNAPI delegate, and compares "
      "times and outputs with the device's\n"
      "\n"
      "options:\n{}"
      "\n"
      "exit status: 0 outputs are equal and times within the bounds, 1 "
      "not or an error, 2 wrong usage\n",
      tools::optionHelp(tools::textsOf(std::span<const Option>(options)), 24));
  return tools::finish(Status::ok());
}

static int runTool(std::span<const std::string_view> arguments) {
  auto flags = parse(arguments);
  if (!flags.isOk())
    return tools::fail(flags.status(), tools::exitUsage);
  if (flags->help)
    return printHelp();
  return tools::finish(run(*flags));
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
