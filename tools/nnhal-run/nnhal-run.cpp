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

#include "Flags.h"
#include "OptionTable.h"
#include "Settings.h"

#include "Tools/Calibration/Calibrate.h"
#include "Tools/Calibration/KeptCapabilities.h"
#include "Tools/Check/TemporaryFolder.h"
#include "Tools/Execution/Cache.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Execution/Phases.h"
#include "Tools/Images/ModelMetadata.h"
#include "Tools/Process/Process.h"
#include "Tools/Replay/ExecutionRecorder.h"
#include "Tools/Replay/Replay.h"
#include "Tools/Report/Diagnostics.h"
#include "Tools/Verify/Verify.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/CapabilitiesFile.h"
#include "nnhal/Runtime/DevicePlugins.h"
#include "nnhal/Runtime/Extensions.h"
#include "nnhal/Runtime/GpuDevice.h"
#include "nnhal/Runtime/Version.h"
#include "nnhal/Runtime/WorkPool.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::run;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;
using tools::exitFailure;
using tools::exitUsage;
using tools::fail;
using tools::finish;
using tools::flushOutput;

/// Whether the options about compilation mean something to \p selected.
static bool compiles(const SelectedDevice &selected) {
  if (!selected.members)
    return selected.device->traits().compiles;
  return std::ranges::any_of(
      selected.members->devices,
      [](const rt::Device *device) { return device->traits().compiles; });
}

/// Refuses the options that several devices rule out.
static Status checkSeveral(const Flags &flags) {
  for (std::string_view name :
       {"emit", "calibrate", "artifacts", "deferred", "stages", "specialize"})
    if (std::ranges::find(flags.given, name) != flags.given.end())
      return badData("option '--{}' does not go with several devices", name);
  return Status::ok();
}

/// Refuses the options that the device rules out, whatever it executes.
static Status checkDevice(const Flags &flags, const SelectedDevice &selected) {
  const rt::Device &device = *selected.device;
  rt::DeviceTraits traits = device.traits();
  if (selected.members)
    NNHAL_RETURN_IF_ERROR(checkSeveral(flags));
  if (traits.isRemote && flags.load.threads != 1)
    return badData("device {} executes on the threads of its service: "
                   "--threads has no effect",
                   device.name());
  if (!traits.usesThreads && flags.load.threads != 1)
    return badData("device {} executes on one thread: --threads has no effect",
                   device.name());
  if (compiles(selected))
    return Status::ok();
  for (std::string_view name : flags.given)
    if (lookUpOption(name)->isForCompilers)
      return badData("option '--{}' does not go with device {}, which compiles "
                     "nothing",
                     name, device.name());
  return Status::ok();
}

/// Refuses the options that the kind of the model and the device rule out.
static Status checkModelKind(const Flags &flags, ModelKind kind,
                             const SelectedDevice &selected) {
  if (kind == ModelKind::mlir || kind == ModelKind::artifact) {
    if (selected.members)
      return badData("several devices take .tflite and .json models only");
    if (!selected.device->traits().compiles)
      return badData("device {} compiles nothing: it takes .tflite and .json "
                     "models",
                     selected.device->name());
  }
  return run::checkOptions(flags, workOn(flags, kind));
}

/// Every output is compared before the first mismatch is returned.
static Status compareOutputs(const Flags &flags, const LoadOutcome &loaded,
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
static void finishCompilation(const Flags &flags, LoadOutcome &loaded) {
  uint64_t runs = flags.modes.size() * (flags.run.warmup + flags.run.repeat);
  if (!flags.load.compileAfter || runs < *flags.load.compileAfter ||
      !loaded.compilation.valid())
    return;
  if (Status status = loaded.compilation.get(); !status.isOk())
    fmt::print(stderr, "warning: the model was not compiled: {}\n",
               status.message());
}

/// How several devices divide \p source; nothing for one device.
static rt::Result<std::optional<rt::PartitionPlan>>
planFor(const rt::AnnotatedModel &source, const Flags &flags,
        const SelectedDevice &selected) {
  if (!selected.members)
    return std::optional<rt::PartitionPlan>();
  rt::PartitionOptions options;
  options.mode = selected.members->mode;
  options.planner = selected.members->planner;
  options.prepare = prepareOptions(flags.load.preparation);
  NNHAL_ASSIGN_OR_RETURN(rt::PartitionPlan plan,
                         rt::planPartition(source, selected.members->devices,
                                           selected.members->fallback,
                                           options));
  rt::findReasons(plan, source, selected.members->devices);
  return std::optional(std::move(plan));
}

/// Reads the metadata of \p model when pictures or labels need it.
static rt::Result<ModelMetadata> metadataFor(const Flags &flags,
                                             const ModelFile &model) {
  bool hasPictures =
      std::ranges::any_of(flags.inputs.files, [](const NamedFile &input) {
        return isImageFile(input.file);
      });
  bool needsLabels = flags.top && flags.labels.empty();
  if (!hasPictures && !needsLabels)
    return ModelMetadata();
  return metadataOf(model);
}

/// Prints the highest values of \p outputs.
static Status printTop(const Flags &flags, const ModelMetadata &metadata,
                       const rt::Interface &interface,
                       std::span<const OutputTensor> outputs) {
  std::vector<std::string> labels;
  if (!flags.labels.empty()) {
    NNHAL_ASSIGN_OR_RETURN(labels, readLines(flags.labels));
  }
  std::string text;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string described;
    if (i < metadata.valueLabels.size() && !metadata.valueLabels[i].empty())
      described = describeClasses(outputs[i], i, interface.outputs[i],
                                  *flags.top, metadata.valueLabels[i]);
    else if (flags.labels.empty() && i < metadata.labels.size())
      described = describeTop(outputs[i], i, interface.outputs[i], *flags.top,
                              metadata.labels[i]);
    // Packed labels that fit no output are left out: nobody has asked for them.
    text += described.empty() ? describeTop(outputs[i], i, interface.outputs[i],
                                            *flags.top, labels)
                              : described;
  }
  if (text.empty() && !outputs.empty())
    return badData("there are {} labels, and no output has that last extent: "
                   "output 0 has shape [{}]",
                   labels.size(), fmt::join(outputs[0].dimensions, ","));
  fmt::print("{}", text);
  return Status::ok();
}

/// Prints and writes the results of \p executions that \p flags ask for, and
/// fails with the first output that is not as expected.
static Status reportExecutions(const Flags &flags,
                               const ModelMetadata &metadata,
                               LoadOutcome &loaded,
                               const std::vector<Executed> &executions) {
  const Executed &executed = executions.back();
  // Something must come of an execution that nothing was asked about.
  bool isPlain = flags.expects.empty() && flags.outputDir.empty() &&
                 flags.time == TimeFormat::none && !isExplained(flags) &&
                 flags.record.empty() && !flags.verify && !flags.top;
  if (flags.printOutputs || isPlain)
    for (size_t i = 0; i < executed.outputs.size(); ++i)
      fmt::print("{}\n", describeOutput(executed.outputs[i], i,
                                        flags.printOutputs.value_or(10)));
  if (flags.top)
    NNHAL_RETURN_IF_ERROR(printTop(
        flags, metadata, loaded.prepared->interface(), executed.outputs));
  if (!flags.outputDir.empty())
    NNHAL_RETURN_IF_ERROR(writeOutputs(flags.outputDir, executed.outputs));
  if (flags.time != TimeFormat::none)
    fmt::print("{}", describeTimes(loaded, executions, flags.time));
  // A program that waits for this one need not wait for megabytes to be given
  // back.
  NNHAL_RETURN_IF_ERROR(flushOutput());
  finishCompilation(flags, loaded);
  for (const Executed &each : executions)
    NNHAL_RETURN_IF_ERROR(compareOutputs(flags, loaded, each));
  return Status::ok();
}

static Status runModel(const Flags &flags, const ModelFile &model,
                       const SelectedDevice &selected,
                       rt::LazyCompiler &compiler, const LoadServices &services,
                       ExecutionRecorder *recorder) {
  const rt::Device &device = *selected.device;
  rt::Tracer *tracer = services.tracer.get();
  rt::TraceSection section(tracer, applicationPhase(rt::TracePhase::overall),
                           "nnhal-run");
  Explanation explanation;
  std::optional<rt::PartitionPlan> plan;
  LoadObserver observer;
  observer.source = [&](const rt::AnnotatedModel &source) -> Status {
    if (flags.noExtensions)
      NNHAL_RETURN_IF_ERROR(rt::checkNoExtensions(source.model));
    if (recorder)
      NNHAL_RETURN_IF_ERROR(recorder->beginPreparation(source));
    if (flags.dumpGraph.empty() && !isExplained(flags))
      return Status::ok();
    NNHAL_ASSIGN_OR_RETURN(plan, planFor(source, flags, selected));
    if (!flags.dumpGraph.empty())
      NNHAL_RETURN_IF_ERROR(
          drawModel(flags.dumpGraph, flags.model, source, device, plan, {}));
    if (!isExplained(flags))
      return Status::ok();
    if (plan) {
      explanation = Explanation::create(source, *plan);
      return Status::ok();
    }
    NNHAL_ASSIGN_OR_RETURN(explanation, Explanation::create(source, device));
    return Status::ok();
  };
  if (isExplained(flags))
    observer.remark = [&](uint32_t operation, std::string_view text) {
      // Steps number their operations each by itself.
      if (!plan || plan->isSimple())
        explanation.addRemark(operation, text);
    };
  auto outcome =
      loadModel(flags.load, model, device, compiler, observer, services);
  if (recorder)
    recorder->endPreparation(outcome.status());
  // Above all when it failed.
  fmt::print("{}", explanation.text(flags.explain));
  NNHAL_ASSIGN_OR_RETURN(LoadOutcome loaded, std::move(outcome));
  if (!loaded.prepared)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(ModelMetadata metadata, metadataFor(flags, model));
  InputRequest request = flags.inputs;
  request.normalizations = metadata.normalizations;
  NNHAL_ASSIGN_OR_RETURN(Inputs inputs,
                         buildInputs(request, loaded.prepared->interface()));
  auto revive = [&](const Status &death) -> rt::Result<rt::PreparedModelRef> {
    fmt::print(stderr, "warning: {}; the model is prepared anew\n",
               death.message());
    NNHAL_ASSIGN_OR_RETURN(
        loaded, loadModel(flags.load, model, device, compiler, {}, services));
    return loaded.prepared;
  };
  RunRequest run = flags.run;
  if (recorder)
    run.observer = [&](const ObservedExecution &seen) { recorder->add(seen); };
  NNHAL_ASSIGN_OR_RETURN(std::vector<Executed> executions,
                         executeModes(run, flags.modes, device, loaded.prepared,
                                      inputs, revive, tracer));
  // Again, with the times.
  if (loaded.source && !flags.dumpGraph.empty())
    NNHAL_RETURN_IF_ERROR(drawModel(flags.dumpGraph, flags.model,
                                    *loaded.source, device, plan,
                                    executions.back().operationTimes));
  return reportExecutions(flags, metadata, loaded, executions);
}

/// Writes the recording of work whose outcome is \p status, if it came as far
/// as a model, and returns the first failure.
static Status writeRecording(const Flags &flags,
                             const ExecutionRecorder &recorder, Status status) {
  if (!recorder.hasModel())
    return status;
  Status written = recorder.write(flags.record);
  if (recorder.executions() > recorder.kept())
    fmt::print(stderr, "note: {} of {} executions are recorded\n",
               recorder.kept(), recorder.executions());
  return status.isOk() ? written : status;
}

/// Holds the executions of \p recorder against the reference device.
static Status verifyExecutions(const Flags &flags, const rt::Device &device,
                               const rt::DeviceRegistry &registry,
                               const ExecutionRecorder &recorder) {
  const rt::Device *reference = registry.find("nnhal-reference");
  if (!reference)
    return rt::failure("there is no nnhal-reference to compare with");
  NNHAL_ASSIGN_OR_RETURN(
      std::string sentence,
      verify::verifyCase({flags.load.preparation, flags.verifyCase}, device,
                         *reference, recorder.recorded()));
  fmt::print("{}\n", sentence);
  return Status::ok();
}

/// The trace and the recording are written also of work that failed.
static Status runTraced(const Flags &flags, const ModelFile &model,
                        const SelectedDevice &device,
                        const rt::DeviceRegistry &registry,
                        rt::LazyCompiler &compiler,
                        const LoadServices &services) {
  std::optional<ExecutionRecorder> recorder;
  if (!flags.record.empty() || flags.verify)
    recorder.emplace(recordedSettings(flags), flags.recordedExecutions);
  Status status = runModel(flags, model, device, compiler, services,
                           recorder ? &*recorder : nullptr);
  if (!flags.record.empty())
    status = writeRecording(flags, *recorder, std::move(status));
  if (flags.verify && status.isOk())
    status = verifyExecutions(flags, *device.device, registry, *recorder);
  Status written;
  if (services.tracer)
    written = writeTraceFile(*services.tracer, flags.trace);
  return status.isOk() ? written : status;
}

static Status replayRecording(const Flags &flags,
                              const std::vector<rt::TestCase> &recording,
                              const rt::Device &device) {
  ReplayRequest request;
  request.preparation = flags.load.preparation;
  request.timeLimit = flags.run.timeLimit;
  ReplayOutcome outcome =
      replay(request, recording, device,
             [](std::string_view line) { fmt::print("{}\n", line); });
  if (outcome.differences > 0)
    return rt::failure("the replay on {} differs from the recording",
                       device.name());
  fmt::print("{} executions gave the recorded bytes\n", outcome.executions);
  return Status::ok();
}

static Status checkCases(const Flags &flags, const rt::Device &device,
                         rt::LazyCompiler &compiler) {
  NNHAL_ASSIGN_OR_RETURN(bool hasPassed,
                         runCheck(flags.cases, device, compiler));
  return hasPassed ? Status::ok() : rt::failure("test cases failed");
}

static Status calibrateDevice(const rt::Device &device, const rt::Device &cpu) {
  if (&device == &cpu) {
    fmt::print("{}", describeDevice(device));
    fmt::print(stderr, "note: {} is 1 by definition: nothing is measured\n",
               device.name());
    return Status::ok();
  }
  return calibrateAndKeep(device, cpu);
}

/// The folder of NNHAL_STATE_DIR and the like where a cache is wanted.
static std::string stateDirectoryFor(const Flags &flags) {
  return flags.load.cacheDirectory.empty() ? std::string()
                                           : cacheStateDirectory(flags.load);
}

/// Completes the requests from which the devices are made. Caches for the time
/// being, and what devices remember of them, are in \p folder.
static Status completeRequests(Flags &flags, DevicesRequest &devices,
                               TemporaryFolder &folder) {
  if (flags.cachesForNow && !flags.check) {
    NNHAL_ASSIGN_OR_RETURN(folder, TemporaryFolder::create());
    flags.load.cacheDirectory = folder.path() + "/cache";
    flags.load.stateDirectory = folder.path() + "/state";
  }
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<rt::WorkPool> workers,
                         rt::WorkPool::create(unsigned(flags.load.threads)));
  flags.load.threads = workers->threads();
  devices.services =
      makeServices({std::getenv("NNHAL_VLOG"), !flags.trace.empty()});
  devices.services.workers = std::move(workers);
  devices.services.measuredCapabilities = rt::keptCapabilities(getenv);
  devices.services.stateDirectory = stateDirectoryFor(flags);
  if (flags.check && flags.cases.ways.contains(Way::cached)) {
    NNHAL_ASSIGN_OR_RETURN(folder, TemporaryFolder::create());
    devices.services.stateDirectory = folder.path() + "/state";
    flags.cases.cacheFolder = folder.path();
  }
  flags.run.burst = rt::burstOptions(flags.load.preparation.preference, getenv);
  const char *plugins = std::getenv("NNHAL_PLUGINS");
  devices.service = flags.service;
  devices.plugins = rt::pluginPaths(plugins ? plugins : "");
  devices.plugins.insert(devices.plugins.end(), flags.plugins.begin(),
                         flags.plugins.end());
  const char *path = std::getenv("NNHAL_COMPILER");
  devices.compiler =
      std::make_shared<rt::LazyCompiler>(path ? path : "", devices.plugins);
  return Status::ok();
}

/// The drivers of GPUs are loaded when somebody asks for one by name, or what
/// there is.
static Status addGpus(const Flags &flags, const DevicesRequest &devices,
                      rt::DeviceRegistry &registry) {
  const DeviceSelection &selection = flags.devices;
  std::vector<std::string> named = selection.several;
  named.push_back(selection.device);
  bool isNamed = std::ranges::any_of(named, rt::isGpuDevice);
  if (!devices.service.empty() || !(isNamed || flags.listDevices))
    return Status::ok();
  Status missing;
  Status status = registerGpus(
      devices, registry, [&](std::string_view name, const Status &reason) {
        if (std::ranges::find(named, name) != named.end())
          missing = reason;
        else if (flags.listDevices)
          fmt::print(stderr, "note: no {}: {}\n", name, reason.message());
      });
  if (!missing.isOk())
    return missing;
  if (isNamed || status.isOk())
    return status;
  // Why there is none is no failure of a list.
  fmt::print(stderr, "note: no GPU: {}\n", status.message());
  return Status::ok();
}

/// The cache of the steps of divided models; null where nothing is cached.
static std::shared_ptr<const rt::CompilationCache>
stepCache(const Flags &flags, const rt::DeviceServices &services) {
  if (flags.load.cacheDirectory.empty())
    return nullptr;
  rt::CompilationCache::Options options;
  options.directory = flags.load.cacheDirectory;
  options.log = services.log;
  options.tracer = services.tracer;
  return std::make_shared<rt::CompilationCache>(std::move(options));
}

/// Fails, before work that may take long, for files that \p flags ask for and
/// that cannot be written.
static Status checkOutputFiles(const Flags &flags) {
  // With --check it is a folder, which is created before the first case.
  std::string emit = flags.check ? "" : flags.load.emit;
  // The usual file is written where an operation differs, and only then.
  bool isNamed =
      std::ranges::find(flags.given, "verify-case") != flags.given.end();
  std::string verifyCase = isNamed ? flags.verifyCase : "";
  for (const std::string &path :
       {emit, flags.dumpGraph, flags.record, verifyCase, flags.trace,
        flags.cases.report, flags.load.preparation.compile.crashReproducer})
    if (!path.empty())
      NNHAL_RETURN_IF_ERROR(rt::checkWritable(path));
  return flags.outputDir.empty() ? Status::ok()
                                 : rt::checkWritableFolder(flags.outputDir);
}

static int runOnModel(const Flags &flags, const SelectedDevice &device,
                      const rt::DeviceRegistry &registry,
                      const DevicesRequest &devices) {
  auto model = openModel(flags.model);
  if (!model.isOk())
    return fail(model.status(), exitFailure);
  if (Status status = checkModelKind(flags, model->kind, device);
      !status.isOk())
    return fail(status, exitUsage);
  return finish(runTraced(flags, *model, device, registry, *devices.compiler,
                          {devices.services.log, devices.services.tracer}));
}

/// States the target \p name, or that of \p device where it is empty, for what
/// is compiled here: models in MLIR and --emit alone. A device states its own
/// for the models that it compiles.
static void compileFor(const std::string &name, const rt::Device &device,
                       rt::CompileOptions &options) {
  options.target = name.empty() ? rt::gpuTargetOf(device.name()) : name;
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
  std::vector<rt::TestCase> recording;
  if (!flags->replay.empty()) {
    auto read = readRecordingFile(flags->replay);
    if (!read.isOk())
      return fail(read.status(), exitFailure);
    recording = *std::move(read);
    applyRecorded(*flags, recording.front().recording->settings);
  }
  // Destroyed after the devices, which write to it.
  TemporaryFolder folder;
  DevicesRequest devices;
  if (Status status = applySettings(*flags); !status.isOk())
    return fail(status, exitFailure);
  if (Status status = completeRequests(*flags, devices, folder); !status.isOk())
    return fail(status, exitFailure);
  rt::DeviceRegistry registry(devices.services.log);
  auto extensions = registerDevices(devices, registry);
  if (!extensions.isOk())
    return fail(extensions.status(), exitFailure);
  if (Status status = addGpus(*flags, devices, registry); !status.isOk())
    return fail(status, exitFailure);
  flags->load.preparation.compile.extensions = extensions->compiled;
  flags->load.extensions = std::move(extensions->installed);
  flags->cases.preparation.compile.extensions = std::move(extensions->compiled);
  if (flags->listDevices) {
    for (const auto &device : registry.devices())
      fmt::print("{}", describeDevice(*device));
    return finish(Status::ok());
  }
  auto selected = selectDevice(registry, flags->devices, devices.services,
                               stepCache(*flags, devices.services));
  if (!selected.isOk())
    return fail(selected.status(), exitUsage);
  if (Status status = checkDevice(*flags, *selected); !status.isOk())
    return fail(status, exitUsage);
  if (Status status = checkOutputFiles(*flags); !status.isOk())
    return fail(status, exitFailure);
  const rt::Device &device = *selected->device;
  compileFor(flags->target, device, flags->load.preparation.compile);
  compileFor(flags->target, device, flags->cases.preparation.compile);
  if (flags->calibrate)
    return finish(calibrateDevice(device, *registry.find("nnhal-reference")));
  if (!flags->replay.empty())
    return finish(replayRecording(*flags, recording, device));
  if (flags->check)
    return finish(checkCases(*flags, device, *devices.compiler));
  return runOnModel(*flags, *selected, registry, devices);
}

int main(int argc, char **argv) {
  return tools::runProcess(argc, argv, runTool);
}
