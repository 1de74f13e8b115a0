//===- ModelRun.cpp - Measures one model in one way -----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelRun.h"

#include "OpenedDevice.h"
#include "SampleRunner.h"
#include "Work.h"

#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "Tools/Execution/Load.h"
#include "Tools/Process/PeakMemory.h"
#include "nnhal/Runtime/Extensions.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/TestCase.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
using rt::Status;

/// Case \p index of the file of test cases \p path.
static rt::Result<rt::TestCase> readCase(const std::string &path,
                                         uint64_t index) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory file, rt::Memory::readFile(path));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, file.bytes());
  std::optional<rt::TestCase> found;
  uint64_t seen = 0;
  NNHAL_RETURN_IF_ERROR(rt::readTestCases(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      [&](rt::TestCase test) {
        if (seen++ == index)
          found = std::move(test);
        return Status::ok();
      },
      std::filesystem::path(path).parent_path().string()));
  if (!found)
    return badData("'{}' has {} test cases, none of number {}", path, seen,
                   index);
  return *std::move(found);
}

namespace {

/// A model on the way from its file to its results.
class Measurement {
public:
  explicit Measurement(const RunPlan &plan) : plan(plan) {}

  /// \p needsSource: the model is read even if it comes from a cache.
  Status load(bool needsSource);
  rt::Result<RunResult> measure();
  /// The start of what load() has loaded, with its first execution.
  rt::Result<StartTimes> measureStart();
  const LoadOutcome &outcome() const { return loaded; }

private:
  Status openData();
  Status measureSamples(RunResult &run);
  Status measureOperations(RunResult &run);
  void describe(RunResult &run) const;

  const RunPlan &plan;
  OpenedDevice opened;
  LoadOutcome loaded;
  std::optional<rt::TestCase> test;
  std::unique_ptr<DataSet> data;
};

} // namespace

Status Measurement::load(bool needsSource) {
  NNHAL_ASSIGN_OR_RETURN(opened, openDevice(plan));
  std::string path = plan.model.file;
  if (plan.model.testCase) {
    NNHAL_ASSIGN_OR_RETURN(test, readCase(path, *plan.model.testCase));
    NNHAL_ASSIGN_OR_RETURN(std::string text, rt::writeJsonModel(test->model));
    path = plan.folder + "/model.json";
    NNHAL_RETURN_IF_ERROR(
        rt::writeFileAtomically(path, std::as_bytes(std::span(text))));
  }
  NNHAL_ASSIGN_OR_RETURN(ModelFile file, openModel(path));
  LoadRequest request;
  request.preparation.compile.extensions = opened.extensions.compiled;
  request.extensions = opened.extensions.installed;
  request.shapes = plan.model.shapes;
  request.cacheDirectory = plan.folder + "/cache";
  request.stateDirectory = plan.folder + "/state";
  request.needsSource = needsSource;
  request.threads = plan.name.threads;
  NNHAL_ASSIGN_OR_RETURN(loaded,
                         loadModel(request, file, opened.device(),
                                   *opened.request.compiler, {},
                                   {opened.request.services.log, nullptr}));
  return openData();
}

Status Measurement::openData() {
  if (plan.data.kind == DataKind::examples) {
    if (!test || test->examples.empty())
      return badData("'{}' has no examples, which only test cases have",
                     plan.model.file);
    data = openExamples(*test);
    return Status::ok();
  }
  DataEntry entry = plan.data;
  entry.photos.preprocessing.scale = plan.model.inputScale;
  entry.photos.preprocessing.zeroPoint = plan.model.inputZeroPoint;
  NNHAL_ASSIGN_OR_RETURN(data, openDataSet(entry, plan.model.shapes));
  return Status::ok();
}

rt::Result<StartTimes> Measurement::measureStart() {
  NNHAL_ASSIGN_OR_RETURN(Sample sample,
                         data->load(0, loaded.prepared->interface()));
  SampleRunner runner(plan.way.mode, opened.device(), loaded.prepared);
  NNHAL_ASSIGN_OR_RETURN(double first, runner.runFirst(sample));
  return StartTimes{double(loaded.loadMicroseconds),
                    double(loaded.compileMicroseconds), first};
}

Status Measurement::measureSamples(RunResult &run) {
  std::vector<std::unique_ptr<Evaluator>> evaluators;
  evaluators.push_back(makeErrorEvaluator());
  for (EvaluatorRequest request : plan.data.evaluators) {
    if (plan.model.expectedTop1)
      request.expectedTop1 = plan.model.expectedTop1;
    NNHAL_ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator,
                           makeEvaluator(request));
    evaluators.push_back(std::move(evaluator));
  }
  SampleRunner runner(plan.way.mode, opened.device(), loaded.prepared);
  auto begin = std::chrono::steady_clock::now();
  auto isEnough = [&] {
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    return run.latencies.size() >= plan.effort.iterations &&
           taken.count() >= plan.effort.seconds;
  };
  run.testSetSize = data->size();
  for (uint64_t i = 0; i < data->size() || !isEnough(); ++i) {
    NNHAL_ASSIGN_OR_RETURN(
        Sample sample,
        data->load(i % data->size(), loaded.prepared->interface()));
    if (i == 0) {
      NNHAL_ASSIGN_OR_RETURN(run.cold.first, runner.runFirst(sample));
      for (uint64_t j = 1; j < plan.effort.warmup; ++j)
        NNHAL_RETURN_IF_ERROR(runner.run(sample, nullptr));
      begin = std::chrono::steady_clock::now();
    }
    // A set of one sample need not be read again and again.
    do {
      NNHAL_RETURN_IF_ERROR(runner.run(sample, &run.latencies));
      bool isNew = i == 0 ? run.latencies.size() <= sample.inputs.frameCount
                          : i < data->size();
      for (auto &evaluator : evaluators)
        if (isNew)
          NNHAL_RETURN_IF_ERROR(evaluate(*evaluator, sample, runner.outputs()));
    } while (data->size() == 1 && !isEnough());
  }
  for (auto &evaluator : evaluators)
    evaluator->finish(run);
  return Status::ok();
}

void Measurement::describe(RunResult &run) const {
  const auto *divided =
      dynamic_cast<const rt::PartitionedModel *>(loaded.prepared.get());
  rt::MemoryUse memory = loaded.prepared->memoryUse();
  run.arena = memory.arena;
  run.artifact = memory.artifact;
  if (!loaded.source)
    return;
  const rt::Model &model = loaded.source->model;
  Work work = workOf(model);
  run.arithmetic = work.arithmetic;
  run.traffic = work.traffic;
  run.isQuantized = work.isQuantized;
  for (size_t i = 0; i < model.main.operations.size(); ++i) {
    OperationResult &operation = run.operations.emplace_back();
    operation.type = rt::nameOf(model, model.main.operations[i].type);
    operation.device = opened.device().name();
    if (!divided || i >= divided->plan().assignments.size())
      continue;
    const rt::Assignment &assignment = divided->plan().assignments[i];
    operation.device = divided->plan().candidates[assignment.device].name;
    operation.step = assignment.step;
  }
}

/// The fastest of some executions, for each operation.
Status Measurement::measureOperations(RunResult &run) {
  if (opened.device().traits().isRemote)
    return Status::ok();
  NNHAL_ASSIGN_OR_RETURN(Sample sample,
                         data->load(0, loaded.prepared->interface()));
  SampleRunner runner(ExecutionMode::sync, opened.device(), loaded.prepared,
                      /*measureOperations=*/true);
  constexpr int repetitions = 5;
  for (int i = 0; i < repetitions; ++i) {
    NNHAL_RETURN_IF_ERROR(runner.run(sample, nullptr));
    const std::vector<uint64_t> &times = runner.operationTimes();
    if (times.size() != run.operations.size())
      return Status::ok();
    for (size_t j = 0; j < times.size(); ++j) {
      std::optional<uint64_t> &best = run.operations[j].nanoseconds;
      best = std::min(best.value_or(times[j]), times[j]);
    }
  }
  return Status::ok();
}

rt::Result<RunResult> Measurement::measure() {
  RunResult run;
  run.name = plan.name;
  run.cold.load = double(loaded.loadMicroseconds);
  run.cold.prepare = double(loaded.compileMicroseconds);
  NNHAL_RETURN_IF_ERROR(measureSamples(run));
  run.peakMemory = peakResidentBytes();
  describe(run);
  NNHAL_RETURN_IF_ERROR(measureOperations(run));
  return run;
}

rt::Result<RunResult> tools::measureRun(const RunPlan &plan) {
  Measurement measurement(plan);
  NNHAL_RETURN_IF_ERROR(measurement.load(/*needsSource=*/true));
  return measurement.measure();
}

rt::Result<std::optional<StartTimes>>
tools::measureWarmStart(const RunPlan &plan) {
  Measurement measurement(plan);
  NNHAL_RETURN_IF_ERROR(measurement.load(/*needsSource=*/false));
  if (measurement.outcome().cache.outcome != rt::CacheOutcome::hit)
    return std::optional<StartTimes>();
  NNHAL_ASSIGN_OR_RETURN(StartTimes times, measurement.measureStart());
  return std::optional(times);
}
