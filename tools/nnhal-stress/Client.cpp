//===- Client.cpp - The work of one client --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

#include "Generator.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Execution/Execute.h"
#include "Tools/Execution/Load.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::stress;
using rt::Status;
using Clock = std::chrono::steady_clock;

namespace {
/// The outputs of one execution.
using Bytes = std::vector<std::vector<std::byte>>;

/// The pages of this process in memory, in KiB; 0 where nobody says.
uint64_t residentKib() {
  std::ifstream stream("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  stream >> size >> resident;
  return resident * (uint64_t(sysconf(_SC_PAGESIZE)) / 1024);
}

class Client {
public:
  explicit Client(const Options &options)
      : options(options),
        deadline(Clock::now() + std::chrono::seconds(options.seconds)) {}

  Status run();

private:
  Status connect();
  rt::Result<rt::PreparedModelRef> prepare(const tools::ModelFile &model);
  rt::Result<Bytes> execute(const rt::PreparedModelRef &prepared,
                            uint64_t seed) const;
  Status compileMapped(const std::string &path) const;
  /// Calls \p work with the number of a model again and again on \p threads
  /// threads until the time is over or it fails.
  template <typename Work> Status repeat(uint64_t threads, Work work);

  Status infer();
  Status compile();
  Status compileFromMappings();
  Status measureSlowdown();
  Status runRandomGraphs();
  Status probe();
  rt::Result<double> meanTime(const rt::PreparedModelRef &prepared,
                              Clock::duration length) const;
  Status measureBeside(const tools::ModelFile &model);
  /// What the memory of a process does that repeats itself.
  Status checkMemory(uint64_t halfway) const;

  const Options &options;
  Clock::time_point deadline;
  tools::DevicesRequest request;
  std::unique_ptr<rt::DeviceRegistry> registry;
  std::vector<rt::InstalledExtension> extensions;
  tools::SelectedDevice selected;
  const rt::Device *device = nullptr;
  std::vector<tools::ModelFile> models;
  std::atomic<uint64_t> count = 0;
  /// An inference beside compilations, in percent of one alone; 0 where that is
  /// not measured.
  double slowest = 0.0;
};
} // namespace

Status Client::connect() {
  const char *compiler = std::getenv("NNHAL_COMPILER");
  request.compiler = std::make_shared<rt::LazyCompiler>(
      compiler ? compiler : "", options.plugins);
  request.service = options.service;
  request.plugins = options.plugins;
  registry = std::make_unique<rt::DeviceRegistry>(request.services.log);
  auto registered = tools::registerDevices(request, *registry);
  // A service that cannot be reached is a driver that has died.
  if (!registered.isOk() && !options.service.empty())
    return Status(rt::StatusCode::deadObject, registered.status().message());
  if (!registered.isOk())
    return registered.status();
  extensions = std::move(registered->installed);
  // The drivers of GPUs are loaded for tests of one alone.
  if (options.service.empty() && rt::isGpuDevice(options.devices.front()))
    NNHAL_RETURN_IF_ERROR(
        tools::registerGpus(request, *registry, /*absent=*/{}));
  tools::DeviceSelection selection;
  selection.device = options.devices.front();
  NNHAL_ASSIGN_OR_RETURN(
      selected,
      tools::selectDevice(*registry, selection, request.services, nullptr));
  device = selected.device;
  for (const std::string &path : options.models) {
    NNHAL_ASSIGN_OR_RETURN(tools::ModelFile model, tools::openModel(path));
    if (model.kind != tools::ModelKind::tflite &&
        model.kind != tools::ModelKind::json)
      return rt::badData("'{}' is not a .tflite or .json model", path);
    models.push_back(std::move(model));
  }
  return Status::ok();
}

rt::Result<rt::PreparedModelRef>
Client::prepare(const tools::ModelFile &model) {
  tools::LoadRequest load;
  load.extensions = extensions;
  NNHAL_ASSIGN_OR_RETURN(
      tools::LoadOutcome outcome,
      tools::loadModel(load, model, *device, *request.compiler, {}));
  return outcome.prepared;
}

rt::Result<Bytes> Client::execute(const rt::PreparedModelRef &prepared,
                                  uint64_t seed) const {
  tools::InputRequest wanted;
  wanted.randomSeed = seed;
  NNHAL_ASSIGN_OR_RETURN(tools::Inputs inputs,
                         tools::buildInputs(wanted, prepared->interface()));
  NNHAL_ASSIGN_OR_RETURN(tools::Executed executed,
                         tools::executeModel({}, tools::ExecutionMode::sync,
                                             *device, prepared, inputs));
  Bytes bytes;
  for (const tools::OutputTensor &output : executed.outputs)
    bytes.emplace_back(output.bytes.begin(), output.bytes.end());
  return bytes;
}

template <typename Work> Status Client::repeat(uint64_t threads, Work work) {
  std::mutex mutex;
  Status first;
  std::atomic<bool> hasFailed = false;
  {
    std::vector<std::jthread> running;
    running.reserve(threads);
    for (uint64_t thread = 0; thread < threads; ++thread)
      running.emplace_back([&, thread] {
        for (uint64_t i = thread; !hasFailed; ++i) {
          Status status = work(size_t(i % models.size()));
          ++count;
          if (!status.isOk()) {
            std::lock_guard lock(mutex);
            hasFailed = true;
            if (first.isOk())
              first = std::move(status);
          }
          if (Clock::now() >= deadline)
            return;
        }
      });
  }
  return first;
}

/// Parallel inference: every result is that of the first execution.
Status Client::infer() {
  std::vector<Bytes> expected;
  for (const tools::ModelFile &model : models) {
    NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared, prepare(model));
    NNHAL_ASSIGN_OR_RETURN(Bytes bytes, execute(prepared, options.seed));
    expected.push_back(std::move(bytes));
  }
  return repeat(options.threads, [&](size_t index) -> Status {
    constexpr int executions = 20;
    NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared,
                           prepare(models[index]));
    for (int i = 0; i < executions && Clock::now() < deadline; ++i) {
      NNHAL_ASSIGN_OR_RETURN(Bytes bytes, execute(prepared, options.seed));
      if (bytes != expected[index])
        return rt::failure("{}: the outputs are not those of the first "
                           "execution",
                           models[index].path);
    }
    return Status::ok();
  });
}

Status Client::compile() {
  return repeat(options.threads,
                [&](size_t index) { return prepare(models[index]).status(); });
}

Status Client::compileMapped(const std::string &path) const {
  rt::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts = {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0)
    return rt::failure("cannot map '{}'", path);
  rt::Memory mapped = rt::Memory::fromDescriptor(
      std::move(file), 0, uint64_t(facts.st_size), PROT_READ);
  rt::TFLiteImportOptions importing;
  importing.extensions = extensions;
  NNHAL_ASSIGN_OR_RETURN(rt::AnnotatedModel model,
                         rt::importTFLite(mapped, importing));
  return device->prepareModel(model).status();
}

Status Client::compileFromMappings() {
  return repeat(options.threads, [&](size_t index) {
    const tools::ModelFile &model = models[index];
    return model.kind == tools::ModelKind::tflite ? compileMapped(model.path)
                                                  : prepare(model).status();
  });
}

rt::Result<double> Client::meanTime(const rt::PreparedModelRef &prepared,
                                    Clock::duration length) const {
  uint64_t executions = 0;
  std::chrono::duration<double, std::milli> sum(0);
  auto end = Clock::now() + length;
  do {
    auto begin = Clock::now();
    NNHAL_ASSIGN_OR_RETURN(Bytes bytes, execute(prepared, options.seed));
    sum += Clock::now() - begin;
    ++executions;
    std::this_thread::sleep_for(
        std::min<Clock::duration>(std::chrono::milliseconds(500), length / 20));
  } while (Clock::now() < end);
  return sum.count() / double(executions);
}

/// The inference of \p model alone, and beside threads that compile.
Status Client::measureBeside(const tools::ModelFile &model) {
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared, prepare(model));
  // A warm-up of 0.3 shares, then a share alone and a share beside the others:
  // 3 s, 10 s and 10 s of 23 s.
  auto share = std::chrono::milliseconds(options.seconds * 10'000 /
                                         (models.size() * 23));
  NNHAL_ASSIGN_OR_RETURN(double warm, meanTime(prepared, share * 3 / 10));
  (void)warm;
  NNHAL_ASSIGN_OR_RETURN(double alone, meanTime(prepared, share));
  Status failed;
  std::mutex mutex;
  rt::Result<double> beside = 0.0;
  {
    std::vector<std::jthread> compiling;
    compiling.reserve(options.compileThreads);
    for (uint64_t i = 0; i < options.compileThreads; ++i)
      compiling.emplace_back([&](const std::stop_token &stop) {
        while (!stop.stop_requested()) {
          Status status = prepare(model).status();
          ++count;
          if (!status.isOk()) {
            std::lock_guard lock(mutex);
            failed = std::move(status);
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      });
    beside = meanTime(prepared, share);
  }
  NNHAL_RETURN_IF_ERROR(std::move(failed));
  if (!beside.isOk())
    return beside.status();
  double percent = *beside / alone * 100.0;
  fmt::print("{}: {:.3f} ms alone, {:.3f} ms beside {} compilations\n",
             model.path, alone, *beside, options.compileThreads);
  slowest = std::max(slowest, percent);
  if (percent <= double(options.slowdown))
    return Status::ok();
  return rt::failure("{}: an inference takes {:.3f} ms beside {} threads that "
                     "compile, {:.0f} % of {:.3f} ms alone, at most {} % are "
                     "wanted",
                     model.path, *beside, options.compileThreads, percent,
                     alone, options.slowdown);
}

Status Client::measureSlowdown() {
  for (const tools::ModelFile &model : models)
    NNHAL_RETURN_IF_ERROR(measureBeside(model));
  return Status::ok();
}

Status Client::runRandomGraphs() {
  auto reference = rt::createReferenceDevice();
  uint64_t seed = options.seed;
  for (; Clock::now() < deadline; ++seed) {
    // Where the process dies, this was the last line.
    fmt::print("seed {}\n", seed);
    (void)std::fflush(stdout);
    NNHAL_ASSIGN_OR_RETURN(rt::TestCase test,
                           randomgraph::generateGraph(*reference, seed));
    rt::AnnotatedModel model;
    model.model = std::move(test.model);
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           device->supportedOperations(model));
    bool isSupported = std::ranges::all_of(answers, &Status::isOk);
    auto prepared = device->prepareModel(model);
    ++count;
    if (isSupported && !prepared.isOk())
      return rt::failure("seed {}: all operations are supported, but: {}", seed,
                         prepared.status().message());
  }
  return Status::ok();
}

/// One model, once: whether the driver answers.
Status Client::probe() {
  ++count;
  NNHAL_ASSIGN_OR_RETURN(rt::PreparedModelRef prepared, prepare(models[0]));
  return execute(prepared, options.seed).status();
}

Status Client::checkMemory(uint64_t halfway) const {
  // Allocators keep what threads give back; a leak does not stop there.
  constexpr uint64_t allowance = 64 << 10;
  uint64_t now = residentKib();
  if (halfway == 0 || now <= halfway + halfway / 2 + allowance)
    return Status::ok();
  return rt::failure("memory has grown from {} KiB to {} KiB in the second "
                     "half of the test",
                     halfway, now);
}

Status Client::run() {
  struct Row {
    std::string_view test;
    Status (Client::*work)();
  };
  static constexpr Row rows[] = {
      {"parallel-inference", &Client::infer},
      {"inference-of-processes", &Client::infer},
      {"early-death", &Client::compile},
      {"compilation", &Client::compile},
      {"compilation-of-processes", &Client::compile},
      {"mapped-models", &Client::compileFromMappings},
      {"slowdown", &Client::measureSlowdown},
      {"random-graphs", &Client::runRandomGraphs},
      {"probe", &Client::probe}};
  const auto *row = std::ranges::find(rows, options.client, &Row::test);
  if (row == std::end(rows))
    return rt::badData("there is no test '{}'", options.client);
  NNHAL_RETURN_IF_ERROR(connect());
  std::atomic<uint64_t> halfway = 0;
  std::jthread observer([&](const std::stop_token &stop) {
    // Half of the time that is left: connecting has taken some.
    auto half = Clock::now() + (deadline - Clock::now()) / 2;
    // What is loaded once, such as the compiler, has been after one repetition
    // of each model.
    while (!stop.stop_requested() &&
           (Clock::now() < half || count < models.size()))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (!stop.stop_requested())
      halfway = residentKib();
  });
  Status status = (this->*row->work)();
  observer.request_stop();
  observer.join();
  NNHAL_RETURN_IF_ERROR(std::move(status));
  NNHAL_RETURN_IF_ERROR(checkMemory(halfway));
  fmt::print("{} repetitions{}\n", count.load(),
             slowest > 0.0 ? fmt::format("; an inference takes up to {:.0f} % "
                                         "of what it takes alone",
                                         slowest)
                           : "");
  return Status::ok();
}

Status stress::runClient(const Options &options) {
  return Client(options).run();
}
