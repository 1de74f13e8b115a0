//===- nnhal-run.cpp - Compiles and executes a model ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Standard output carries results only, everything else goes to standard
// error. Exit status: 0 success, 1 the work failed, 2 wrong usage.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Check.h"
#include "Diagnostics.h"
#include "Execute.h"
#include "Flags.h"
#include "Inputs.h"
#include "Load.h"
#include "OptionTable.h"
#include "Report.h"

#include "Support/Process.h"

#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/WorkPool.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;
using tools::exitFailure;
using tools::exitUsage;
using tools::fail;
using tools::finish;
using tools::flushOutput;

/// What the device rules out, whatever it executes.
static Status checkDevice(const Flags &flags, const rt::Device &device) {
  rt::DeviceTraits traits = device.traits();
  if (!traits.usesThreads && flags.threads != 1)
    return badData("device {} executes on one thread: --threads has no effect",
                   device.name());
  if (traits.compiles)
    return Status::ok();
  for (std::string_view name : flags.given)
    if (lookUpOption(name)->isForCompilers)
      return badData("option '--{}' does not go with device {}, which compiles "
                     "nothing",
                     name, device.name());
  return Status::ok();
}

/// What the kind of the model and the device rule out.
static Status checkModelKind(const Flags &flags, ModelKind kind,
                             const rt::Device &device) {
  if (!device.traits().compiles &&
      (kind == ModelKind::mlir || kind == ModelKind::artifact))
    return badData("device {} compiles nothing: it takes .tflite and .json "
                   "models",
                   device.name());
  return checkOptions(flags, workOn(flags, kind));
}

static Status writeOutputs(const Flags &flags, const Executed &executed) {
  if (flags.outputDir.empty())
    return Status::ok();
  std::error_code error;
  std::filesystem::create_directories(flags.outputDir, error);
  if (error)
    return rt::failure("cannot create '{}': {}", flags.outputDir,
                       error.message());
  for (size_t i = 0; i < executed.outputs.size(); ++i) {
    const OutputTensor &output = executed.outputs[i];
    NNHAL_RETURN_IF_ERROR(writeFileAtomically(
        fmt::format("{}/output_{}.npy", flags.outputDir, i),
        writeNpy(formatOf(output.type), output.dimensions, output.bytes)));
  }
  return Status::ok();
}

/// Every output is compared before the first mismatch is returned.
static Status compareOutputs(const Flags &flags, const LoadedModel &loaded,
                             const Executed &executed) {
  Status first;
  for (const NamedFile &expect : flags.expects) {
    NNHAL_ASSIGN_OR_RETURN(
        size_t index,
        findTensor("output", loaded.prepared->interface().outputs, expect.key));
    auto sentence = compareWithFile(
        executed.outputs[index], index, expect.file, flags.tolerance,
        loaded.source && isRelaxed(loaded.source->model));
    if (sentence.isOk()) {
      fmt::print("{}\n", *sentence);
      continue;
    }
    if (!first.isOk())
      fail(first, exitFailure);
    first = std::move(sentence).takeStatus();
  }
  return first;
}

/// Lets a compilation in the background end that has begun: what it makes is
/// for the cache and for the trace.
static void finishCompilation(const Flags &flags, LoadedModel &loaded) {
  uint64_t runs = flags.modes.size() * (flags.warmup + flags.repeat);
  if (!flags.compileAfter || runs < *flags.compileAfter ||
      !loaded.compilation.valid())
    return;
  if (Status status = loaded.compilation.get(); !status.isOk())
    fmt::print(stderr, "warning: the model was not compiled: {}\n",
               status.message());
}

static Status runModel(const Flags &flags, const ModelFile &model,
                       const rt::Device &device, rt::LazyCompiler &compiler,
                       const LoadServices &services) {
  rt::Tracer *tracer = services.tracer.get();
  rt::TraceSection section(tracer, applicationPhase(rt::TracePhase::overall),
                           "nnhal-run");
  Explanation explanation;
  LoadObserver observer;
  observer.source = [&](const rt::AnnotatedModel &source) -> Status {
    NNHAL_RETURN_IF_ERROR(drawModel(flags, source, device, {}));
    if (!flags.explain)
      return Status::ok();
    NNHAL_ASSIGN_OR_RETURN(explanation, Explanation::create(source, device));
    return Status::ok();
  };
  if (flags.explain)
    observer.remark = [&](uint32_t operation, std::string_view text) {
      explanation.addRemark(operation, text);
    };
  auto outcome = loadModel(flags, model, device, compiler, observer, services);
  fmt::print("{}", explanation.text()); // Above all when it failed.
  NNHAL_ASSIGN_OR_RETURN(LoadedModel loaded, std::move(outcome));
  if (!loaded.prepared)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(Inputs inputs,
                         buildInputs(flags, loaded.prepared->interface()));
  std::vector<Executed> executions;
  for (ExecutionMode mode : flags.modes) {
    NNHAL_ASSIGN_OR_RETURN(
        Executed executed,
        executeModel(flags, mode, *loaded.prepared, inputs, tracer));
    executions.push_back(std::move(executed));
  }
  const Executed &executed = executions.back();
  // Again, with the times.
  if (loaded.source)
    NNHAL_RETURN_IF_ERROR(
        drawModel(flags, *loaded.source, device, executed.operationTimes));
  // Something must come of an execution that nothing was asked about.
  bool isPlain = flags.expects.empty() && flags.outputDir.empty() &&
                 flags.time == TimeFormat::none && !flags.explain;
  if (flags.printOutputs || isPlain)
    for (size_t i = 0; i < executed.outputs.size(); ++i)
      fmt::print("{}\n", describeOutput(executed.outputs[i], i,
                                        flags.printOutputs.value_or(10)));
  NNHAL_RETURN_IF_ERROR(writeOutputs(flags, executed));
  if (flags.time != TimeFormat::none)
    fmt::print("{}", describeTimes(loaded, executions, flags.time));
  // Whoever waits for it need not wait for megabytes to be given back.
  NNHAL_RETURN_IF_ERROR(flushOutput());
  finishCompilation(flags, loaded);
  for (const Executed &each : executions)
    NNHAL_RETURN_IF_ERROR(compareOutputs(flags, loaded, each));
  return Status::ok();
}

/// The trace is written also of work that failed.
static Status runTraced(const Flags &flags, const ModelFile &model,
                        const rt::Device &device, rt::LazyCompiler &compiler,
                        const LoadServices &services) {
  Status status = runModel(flags, model, device, compiler, services);
  Status written;
  if (services.tracer)
    written = writeTraceFile(*services.tracer, flags.trace);
  return status.isOk() ? written : status;
}

static Status checkCases(const Flags &flags, const rt::Device &device,
                         rt::LazyCompiler &compiler) {
  NNHAL_ASSIGN_OR_RETURN(bool hasPassed, runCheck(flags, device, compiler));
  return hasPassed ? Status::ok() : rt::failure("test cases failed");
}

/// Where the calibration of \p device is kept.
static rt::Result<std::string> statePath(const rt::Device &device) {
  NNHAL_ASSIGN_OR_RETURN(std::string directory, rt::stateDirectory(getenv));
  return rt::capabilitiesPath(directory, device.name());
}

static Status calibrateDevice(const rt::Device &device, const rt::Device &cpu) {
  if (&device == &cpu) {
    fmt::print("{}", describeDevice(device));
    fmt::print(stderr, "note: {} is 1 by definition: nothing is measured\n",
               device.name());
    return Status::ok();
  }
  NNHAL_ASSIGN_OR_RETURN(std::string path, statePath(device));
  NNHAL_ASSIGN_OR_RETURN(rt::Capabilities capabilities, calibrate(device, cpu));
  fmt::print("{}:\n{}", device.name(), describeCapabilities(capabilities));
  NNHAL_RETURN_IF_ERROR(rt::writeCapabilities(path, device.name(),
                                              device.version(), capabilities));
  fmt::print("kept in '{}'\n", path);
  return Status::ok();
}

/// What a calibration has kept about \p device. A file that cannot be used is
/// as good as none, but worth a word.
static std::optional<rt::Capabilities>
keptCapabilities(const rt::Device &device) {
  auto path = statePath(device);
  if (!path.isOk())
    return std::nullopt;
  auto kept = rt::readCapabilities(*path, device.name(), device.version());
  if (kept.isOk())
    return *std::move(kept);
  fmt::print(stderr,
             "warning: {}; {} keeps its built-in capabilities until it is "
             "calibrated again\n",
             kept.status().message(), device.name());
  return std::nullopt;
}

/// The devices of this program.
static Status registerDevices(rt::DeviceRegistry &registry,
                              rt::CpuDeviceOptions options) {
  rt::ReferenceDeviceOptions reference;
  reference.services = options.services;
  options.baseline = rt::createReferenceBackend(reference);
  NNHAL_RETURN_IF_ERROR(registry.add(rt::createCpuDevice(std::move(options))));
  return registry.add(rt::createReferenceDevice(std::move(reference)));
}

static Status unknownDevice(const rt::DeviceRegistry &registry,
                            std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(registry.devices().size());
  for (const auto &device : registry.devices())
    names.push_back(device->name());
  return badData("unknown device '{}'; known devices: {}", name,
                 fmt::join(names, ", "));
}

static int runTool(std::span<const std::string_view> arguments) {
  auto flags = parseFlags(arguments);
  if (!flags.isOk())
    return fail(flags.status(), exitUsage);
  if (flags->help) {
    fmt::print("{}", helpText());
    return finish(Status::ok());
  }
  if (flags->version) {
    fmt::print("nnhal-run {}\n", NNHAL_VERSION);
    return finish(Status::ok());
  }
  auto workers = rt::WorkPool::create(unsigned(flags->threads));
  if (!workers.isOk())
    return fail(workers.status(), exitFailure);
  flags->threads = (*workers)->threads();
  const char *path = std::getenv("NNHAL_COMPILER");
  rt::CpuDeviceOptions options;
  options.compiler = std::make_shared<rt::LazyCompiler>(path ? path : "");
  if (flags->listDevices) // Nothing else asks how fast a device is.
    options.capabilities = keptCapabilities(*rt::createCpuDevice(options));
  options.services = makeServices(*flags, std::getenv("NNHAL_VLOG"));
  options.services.workers = *std::move(workers);
  rt::DeviceRegistry registry(options.services.log);
  if (Status status = registerDevices(registry, options); !status.isOk())
    return fail(status, exitFailure);
  if (flags->listDevices) {
    for (const auto &device : registry.devices())
      fmt::print("{}", describeDevice(*device));
    return finish(Status::ok());
  }
  const rt::Device *device = registry.find(flags->device);
  if (!device)
    return fail(unknownDevice(registry, flags->device), exitUsage);
  if (Status status = checkDevice(*flags, *device); !status.isOk())
    return fail(status, exitUsage);
  if (flags->calibrate)
    return finish(calibrateDevice(
        *device, *rt::createReferenceDevice({.services = options.services})));
  if (flags->check)
    return finish(checkCases(*flags, *device, *options.compiler));
  auto model = openModel(flags->model);
  if (!model.isOk())
    return fail(model.status(), exitFailure);
  if (Status status = checkModelKind(*flags, model->kind, *device);
      !status.isOk())
    return fail(status, exitUsage);
  return finish(runTraced(*flags, *model, *device, *options.compiler,
                          {options.services.log, options.services.tracer}));
}

int main(int argc, char **argv) {
  tools::prepareProcess();
  try {
    std::vector<std::string_view> arguments(argv + 1, argv + argc);
    return runTool(arguments);
  } catch (const std::bad_alloc &) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception &error) {
    // std::system_error is what {fmt} raises when standard output cannot be
    // written.
    std::fprintf(stderr, "error: %s\n", error.what());
  }
  return exitFailure;
}
