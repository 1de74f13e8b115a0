//===- Calibrate.cpp - The answer to --calibrate --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"

#include "CalibrationModels.h"
#include "Tools/Tensors/Inputs.h"

#include "Runtime/Support/Float16.h"
#include "nnhal/Runtime/AlignedBuffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

using namespace nnhal;
using namespace nnhal::tools;
using rt::OperandType;
using rt::PerformanceInfo;
using rt::Status;

static int64_t processCpuTime() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Element \p i of any input: small and positive, so that nothing overflows,
/// and 0 first, where loops begin.
template <typename Element>
static void fillWith(std::span<std::byte> bytes, Element (*element)(size_t)) {
  for (size_t i = 0; i < bytes.size() / sizeof(Element); ++i) {
    Element value = element(i);
    std::memcpy(bytes.data() + i * sizeof(Element), &value, sizeof(Element));
  }
}

static void fill(std::span<std::byte> bytes, OperandType type) {
  switch (type) {
  case OperandType::TENSOR_FLOAT32:
    return fillWith<float>(bytes, [](size_t i) { return float(i % 64) / 64; });
  case OperandType::TENSOR_FLOAT16:
    return fillWith<uint16_t>(bytes, [](size_t i) {
      return rt::float16FromDouble(double(i % 64) / 64);
    });
  case OperandType::TENSOR_INT32:
    return fillWith<int32_t>(bytes, [](size_t i) { return int32_t(i % 64); });
  case OperandType::TENSOR_BOOL8:
    return fillWith<uint8_t>(bytes, [](size_t i) { return uint8_t(i % 2); });
  default:
    return fillWith<uint8_t>(bytes, [](size_t i) { return uint8_t(i); });
  }
}

namespace {
/// The cost of one execution, in nanoseconds.
struct Cost {
  double wall = 0.0;
  double cpu = 0.0;
};

/// A request with its memory, and the clocks that look at it.
class Meter {
public:
  Meter(const rt::PreparedModel &model, const CalibrationOptions &options)
      : model(model), options(options) {}

  rt::Result<Cost> measure() {
    NNHAL_RETURN_IF_ERROR(prepare());
    NNHAL_RETURN_IF_ERROR(model.execute(request, result)); // Warms up.
    std::vector<double> times;
    int64_t cpuBegin = options.cpuClock();
    int64_t begin = options.wallClock();
    int64_t now = begin;
    do {
      int64_t before = now;
      NNHAL_RETURN_IF_ERROR(model.execute(request, result));
      now = options.wallClock();
      times.push_back(double(now - before));
    } while (
        now - begin < options.maxDuration &&
        (times.size() < options.minRuns || now - begin < options.minDuration));
    double cpu = double(options.cpuClock() - cpuBegin) / double(times.size());
    auto median = times.begin() + ptrdiff_t(times.size() / 2);
    std::ranges::nth_element(times, median);
    // A clock may not have moved.
    return Cost{std::max(*median, 1.0), std::max(cpu, 1.0)};
  }

private:
  Status prepare() {
    for (const rt::InterfaceTensor &tensor : model.interface().inputs) {
      NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> bytes, allocate(tensor));
      fill(bytes, tensor.type);
      request.inputs.push_back({rt::Memory::borrow(bytes), {}});
    }
    for (const rt::InterfaceTensor &tensor : model.interface().outputs) {
      NNHAL_ASSIGN_OR_RETURN(std::span<std::byte> bytes, allocate(tensor));
      request.outputs.push_back({rt::OutputMemory::borrow(bytes), {}});
    }
    return Status::ok();
  }

  rt::Result<std::span<std::byte>> allocate(const rt::InterfaceTensor &tensor) {
    NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                           byteSizeOf(tensor, tensor.dimensions));
    NNHAL_ASSIGN_OR_RETURN(rt::AlignedBuffer buffer,
                           rt::AlignedBuffer::allocate(size));
    return buffers.emplace_back(std::move(buffer)).bytes();
  }

  const rt::PreparedModel &model;
  const CalibrationOptions &options;
  std::vector<rt::AlignedBuffer> buffers;
  rt::Request request;
  rt::ExecutionResult result;
};

/// One calibration, with what its steps share.
class Calibration {
public:
  Calibration(const rt::Device &device, const rt::Device &cpu,
              CalibrationOptions given)
      : device(device), cpu(cpu), options(std::move(given)) {
    if (!options.wallClock)
      options.wallClock = rt::steadyNow;
    if (!options.cpuClock)
      options.cpuClock = processCpuTime;
  }

  rt::Result<rt::Capabilities> run() {
    for (const CalibrationGroup &group : calibrationGroups()) {
      NNHAL_ASSIGN_OR_RETURN(std::optional<PerformanceInfo> info, rate(group));
      if (info)
        store(group, *info);
    }
    std::ranges::sort(capabilities.operandPerformance, {},
                      &rt::OperandPerformance::type);
    NNHAL_RETURN_IF_ERROR(rt::validateCapabilities(capabilities));
    return std::move(capabilities);
  }

private:
  /// nullopt when the device supports none of the models.
  rt::Result<std::optional<PerformanceInfo>>
  rate(const CalibrationGroup &group) {
    double wall = 0.0;
    double power = 0.0;
    size_t count = 0;
    for (const rt::AnnotatedModel &model : group.models) {
      NNHAL_ASSIGN_OR_RETURN(bool isSupported, supports(model));
      if (!isSupported)
        continue;
      ++count;
      NNHAL_ASSIGN_OR_RETURN(Cost own, costOn(device, model));
      NNHAL_ASSIGN_OR_RETURN(Cost reference, costOn(cpu, model));
      wall += std::log(own.wall / reference.wall);
      power += std::log(own.cpu / reference.cpu);
    }
    if (count == 0)
      return std::optional<PerformanceInfo>();
    return std::optional(PerformanceInfo{rounded(std::exp(wall / count)),
                                         rounded(std::exp(power / count))});
  }

  /// Rounds to the four digits that a measurement deserves at most.
  static float rounded(double ratio) {
    return std::strtof(fmt::format("{:.4g}", ratio).c_str(), nullptr);
  }

  rt::Result<bool> supports(const rt::AnnotatedModel &model) {
    NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                           device.supportedOperations(model));
    return std::ranges::all_of(answers, &Status::isOk);
  }

  rt::Result<Cost> costOn(const rt::Device &target,
                          const rt::AnnotatedModel &model) {
    NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<rt::PreparedModel> prepared,
                           target.prepareModel(model));
    return Meter(*prepared, options).measure();
  }

  void store(const CalibrationGroup &group, PerformanceInfo info) {
    switch (group.subject) {
    case CalibrationGroup::Subject::operandTypes:
      for (OperandType type : group.types)
        capabilities.operandPerformance.push_back({type, info});
      return;
    case CalibrationGroup::Subject::relaxed:
      capabilities.relaxedFloat32toFloat16PerformanceScalar = info;
      capabilities.relaxedFloat32toFloat16PerformanceTensor = info;
      return;
    case CalibrationGroup::Subject::ifOperation:
      capabilities.ifPerformance = info;
      return;
    case CalibrationGroup::Subject::whileOperation:
      capabilities.whilePerformance = info;
      return;
    }
  }

  const rt::Device &device;
  const rt::Device &cpu;
  CalibrationOptions options;
  rt::Capabilities capabilities;
};
} // namespace

rt::Result<rt::Capabilities>
tools::calibrate(const rt::Device &device, const rt::Device &cpu,
                 const CalibrationOptions &options) {
  return Calibration(device, cpu, options).run();
}

std::string tools::describeCapabilities(const rt::Capabilities &capabilities) {
  auto line = [](std::string_view name, auto execTime, auto powerUsage) {
    return fmt::format("  {:<32} {:>10} {:>10}\n", name, execTime, powerUsage);
  };
  std::string text = line("relative to the CPU", "execTime", "powerUsage");
  auto add = [&](std::string_view name, const PerformanceInfo &info) {
    if (info != PerformanceInfo())
      text += line(name, info.execTime, info.powerUsage);
  };
  for (const rt::OperandPerformance &entry : capabilities.operandPerformance)
    add(rt::nameOf(entry.type), entry.info);
  add("relaxed FLOAT32", capabilities.relaxedFloat32toFloat16PerformanceScalar);
  add("relaxed TENSOR_FLOAT32",
      capabilities.relaxedFloat32toFloat16PerformanceTensor);
  add("IF", capabilities.ifPerformance);
  add("WHILE", capabilities.whilePerformance);
  return text;
}
