//===- PartitionModels.cpp - Both planners on models of files -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionModels.h"

#include "SyntheticDevice.h"

#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

using namespace nnhal;
using namespace nnhal::rt;
using namespace nnhal::rt::partitiontest;

namespace {

/// Devices among which models are divided, nnhal-reference the last of them.
struct DeviceSet {
  std::string_view name;
  std::vector<std::unique_ptr<SyntheticDevice>> synthetic;
  std::vector<const Device *> list;

  void add(const Device &reference, SyntheticOptions options) {
    synthetic.push_back(
        std::make_unique<SyntheticDevice>(reference, std::move(options)));
    list.push_back(synthetic.back().get());
  }
};

/// The plan that one planner makes for one model, in numbers.
struct Planned {
  size_t steps = 0;
  double estimate = 0;
  double single = 0;
  /// The median, in milliseconds of the processor.
  double time = 0;
};

} // namespace

/// Three devices that take 70 percent of the operations each.
static DeviceSet randomDevices(const Device &reference) {
  DeviceSet set{"random", {}, {}};
  for (unsigned i = 0; i < 3; ++i)
    set.add(reference, drawDevice(1, i, 70));
  set.list.push_back(&reference);
  return set;
}

/// A fast device for convolutions and additions, and one for everything that is
/// a quarter as fast.
static DeviceSet acceleratorAndProcessor(const Device &reference) {
  DeviceSet set{"accelerator", {}, {}};
  SyntheticOptions accelerator;
  accelerator.name = "accelerator";
  accelerator.capabilities = uniformCapabilities({0.05f, 0.05f});
  accelerator.supports = [](const Model &, const Subgraph &,
                            const Operation &operation) -> Status {
    using enum OperationType;
    for (OperationType type : {CONV_2D, DEPTHWISE_CONV_2D, ADD})
      if (operation.type == type)
        return Status::ok();
    return {StatusCode::invalidArgument, "it takes convolutions and ADD"};
  };
  set.add(reference, std::move(accelerator));
  SyntheticOptions processor;
  processor.name = "processor";
  processor.capabilities = uniformCapabilities({0.2f, 0.2f});
  set.add(reference, std::move(processor));
  set.list.push_back(&reference);
  return set;
}

/// The time that this thread has had the processor, in milliseconds.
static double processorTime() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

static Result<Planned> plan(const AnnotatedModel &model, const DeviceSet &set,
                            Planner planner) {
  PartitionOptions options;
  options.planner = planner;
  Planned planned;
  std::vector<double> times(11);
  for (double &time : times) {
    double begin = processorTime();
    auto made = planPartition(model, set.list, set.list.back(), options);
    time = processorTime() - begin;
    if (!made.isOk())
      return std::move(made).takeStatus();
    planned.steps = made->steps.size();
    planned.estimate = made->estimate;
    planned.single = made->singleDeviceEstimate;
  }
  std::ranges::nth_element(times, times.begin() + 5);
  planned.time = times[5];
  return planned;
}

static Status printRow(const std::string &name, const AnnotatedModel &model,
                       const DeviceSet &set) {
  Planned planned[2];
  for (auto [index, planner] :
       {std::pair(0, Planner::greedy), std::pair(1, Planner::leastCost)}) {
    Result<Planned> result = plan(model, set, planner);
    if (!result.isOk())
      return std::move(result).takeStatus();
    planned[index] = *result;
  }
  const auto &[greedy, leastCost] = planned;
  std::printf("| %s | %zu | %.3f | %.3f (%zu) | %.3f (%zu) | %.2f | %.2f |\n",
              name.c_str(), model.model.main.operations.size(),
              leastCost.single / 1e6, greedy.estimate / 1e6, greedy.steps,
              leastCost.estimate / 1e6, leastCost.steps, greedy.time,
              leastCost.time);
  return Status::ok();
}

static Status compareFile(const std::string &path, const DeviceSet &set) {
  auto file = Memory::readFile(path, uint64_t(1) << 30);
  if (!file.isOk())
    return std::move(file).takeStatus();
  auto model = importTFLite(*file);
  if (!model.isOk())
    return std::move(model).takeStatus();
  return printRow(std::filesystem::path(path).stem().string(), *model, set);
}

int benchmarks::comparePlanners(std::span<const std::string_view> paths) {
  auto reference = createReferenceDevice();
  const DeviceSet sets[] = {randomDevices(*reference),
                            acceleratorAndProcessor(*reference)};
  for (const DeviceSet &set : sets) {
    std::printf("\ndevices: %.*s; estimates in ms of nnhal-reference (steps), "
                "ms of planning\n\n"
                "| model | operations | best device | greedy | least-cost | "
                "greedy plans | least-cost plans |\n"
                "|---|---|---|---|---|---|---|\n",
                int(set.name.size()), set.name.data());
    for (std::string_view path : paths)
      if (Status status = compareFile(std::string(path), set); !status.isOk()) {
        std::fprintf(stderr, "error: %.*s: %s\n", int(path.size()), path.data(),
                     status.message().c_str());
        return 1;
      }
  }
  return 0;
}
