//===- Report.cpp - Standard output ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Percentile.h"

#include "Tools/Calibration/Calibrate.h"
#include "Tools/Process/PeakMemory.h"
#include "Tools/Tensors/Npy.h"
#include "Tools/Tensors/Ranking.h"
#include "nnhal/Runtime/Partition.h"

#include <fmt/format.h>

#include <algorithm>

using namespace nnhal;
using namespace nnhal::tools;

/// "output 0 ('y')".
static std::string titleOf(const OutputTensor &output, size_t index) {
  return output.name.empty()
             ? fmt::format("output {}", index)
             : fmt::format("output {} ('{}')", index, output.name);
}

std::string tools::describeOutput(const OutputTensor &output, size_t index,
                                  uint64_t count) {
  std::string text = fmt::format("{} {} [{}]:", titleOf(output, index),
                                 typeName(output.type, output.kind),
                                 fmt::join(output.dimensions, ","));
  const ElementFormat &format = formatOf(output.type, output.kind);
  uint64_t total = output.bytes.size() / format.size;
  for (uint64_t i = 0; i < std::min(count, total); ++i)
    text += " " + format.print(output.bytes.data() + i * format.size);
  if (count < total)
    text += " ...";
  return text;
}

std::string tools::describeTop(const OutputTensor &output, size_t index,
                               const rt::InterfaceTensor &tensor,
                               uint64_t count,
                               std::span<const std::string> labels) {
  if (!labels.empty() &&
      (output.dimensions.empty() || output.dimensions.back() != labels.size()))
    return {};
  std::string text = titleOf(output, index) + ", highest values:\n";
  for (const Ranked &ranked : rankElements(output, tensor, count))
    text +=
        fmt::format("{:>10.4g}  [{}]{}{}\n", ranked.value, ranked.index,
                    labels.empty() ? "" : " ",
                    labels.empty() ? "" : labels[ranked.index % labels.size()]);
  return text;
}

std::string tools::describeClasses(const OutputTensor &output, size_t index,
                                   const rt::InterfaceTensor &tensor,
                                   uint64_t count,
                                   std::span<const std::string> labels) {
  std::string text = titleOf(output, index) + ", first values:\n";
  for (const Ranked &element : loadElements(output, tensor, count)) {
    // NaN is in no range.
    bool isClass = element.value >= 0 && element.value < double(labels.size());
    text +=
        fmt::format("{:>10.4g}  [{}]{}{}\n", element.value, element.index,
                    isClass ? " " : "",
                    isClass ? labels[size_t(element.value)] : std::string());
  }
  return text;
}

namespace {
struct TimeSummary {
  double median = 0.0;
  double min = 0.0;
  double p99 = 0.0;
  double device = 0.0;
  double driver = 0.0;
};
} // namespace

template <typename Field>
static std::vector<double> sortedBy(const std::vector<Duration> &durations,
                                    Field field) {
  std::vector<double> values;
  values.reserve(durations.size());
  for (const Duration &duration : durations)
    values.push_back(field(duration));
  std::ranges::sort(values);
  return values;
}

/// A duration that was not measured is -1.
static double toNumber(uint64_t microseconds) {
  return microseconds == rt::noTiming ? -1.0 : double(microseconds);
}

static TimeSummary summarize(const std::vector<Duration> &durations) {
  auto totals = sortedBy(durations, [](const Duration &d) { return d.total; });
  auto device = sortedBy(durations, [](const Duration &d) {
    return toNumber(d.timing.timeOnDevice);
  });
  auto driver = sortedBy(durations, [](const Duration &d) {
    return toNumber(d.timing.timeInDriver);
  });
  return {percentile(totals, 0.5), totals.front(), percentile(totals, 0.99),
          percentile(device, 0.5), percentile(driver, 0.5)};
}

static rt::MemoryUse memoryUse(const LoadOutcome &loaded) {
  return loaded.prepared ? loaded.prepared->memoryUse() : rt::MemoryUse();
}

/// Returns the bytes of \p tensors, as far as their shapes are known.
static uint64_t bytesOf(const std::vector<rt::InterfaceTensor> &tensors) {
  uint64_t total = 0;
  for (const rt::InterfaceTensor &tensor : tensors)
    total += rt::byteSizeOf(tensor).value_or(0);
  return total;
}

/// "hit", "miss" or "off".
static std::string_view cacheState(const rt::CacheReport &report) {
  return rt::isMiss(report.outcome) ? "miss" : rt::toString(report.outcome);
}

/// The fallbacks of a divided model; nothing for a model of one device.
static std::optional<rt::FallbackReport> fallbacks(const LoadOutcome &loaded) {
  if (const auto *divided =
          dynamic_cast<const rt::PartitionedModel *>(loaded.prepared.get()))
    return divided->fallbacks();
  return std::nullopt;
}

static std::string fallbacksAsJson(const LoadOutcome &loaded) {
  auto report = fallbacks(loaded);
  if (!report)
    return {};
  return fmt::format("\"fallback_at_preparation\":{},\"fallback_steps\":{},"
                     "\"fallback_models\":{},",
                     report->atPreparation, report->steps, report->models);
}

static std::string describeFallbacks(const LoadOutcome &loaded) {
  auto report = fallbacks(loaded);
  if (!report)
    return {};
  std::string text =
      fmt::format("fallbacks   {:>10}", report->steps + report->models +
                                            (report->atPreparation ? 1 : 0));
  if (report->atPreparation)
    text += " at preparation";
  if (report->steps + report->models > 0)
    text += fmt::format(" {} of steps, {} of the model", report->steps,
                        report->models);
  if (!report->firstCause.isOk())
    text += fmt::format(": {}", report->firstCause.message());
  return text + "\n";
}

static std::string phasesAsText(const LoadOutcome &loaded) {
  std::string text;
  for (const CompilePhase &phase : loaded.compilePhases)
    text += fmt::format("  {:<10}{:>10} us\n", phase.name, phase.microseconds);
  return text;
}

static std::string phasesAsJson(const LoadOutcome &loaded) {
  std::string text;
  for (const CompilePhase &phase : loaded.compilePhases)
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", phase.name,
                        phase.microseconds);
  if (text.empty())
    return text;
  return "\"compile_phases_us\":{" + text + "},";
}

static std::string timesAsJson(const LoadOutcome &loaded,
                               const Executed &executed) {
  TimeSummary summary = summarize(executed.measured);
  rt::MemoryUse memory = memoryUse(loaded);
  rt::Interface interface;
  if (loaded.prepared)
    interface = loaded.prepared->interface();
  std::string reason;
  if (rt::isMiss(loaded.cache.outcome))
    reason = fmt::format("\"cache_reason\":\"{}\",",
                         rt::toString(loaded.cache.outcome));
  return fmt::format(
      "{{\"load_us\":{},\"compile_us\":{},{}\"cache\":\"{}\",{}{}"
      "\"first_us\":{:.1f},\"median_us\":{:.1f},\"min_us\":{:.1f},\"p99_us\":{:"
      ".1f},\"runs\":{},"
      "\"threads\":{},\"peak_rss_bytes\":{},\"arena_bytes\":{},"
      "\"arena_lower_bound_bytes\":{},\"artifact_bytes\":{},"
      "\"input_bytes\":{},\"output_bytes\":{},"
      "\"device_us\":{},\"driver_us\":{},"
      "\"mode\":\"{}\",\"copied_bytes\":{}}}\n",
      loaded.loadMicroseconds, loaded.compileMicroseconds, phasesAsJson(loaded),
      cacheState(loaded.cache), reason, fallbacksAsJson(loaded),
      executed.first.total, summary.median, summary.min, summary.p99,
      executed.measured.size(), loaded.threads, peakResidentBytes(),
      memory.arena, memory.arenaLowerBound, memory.artifact,
      bytesOf(interface.inputs), bytesOf(interface.outputs), summary.device,
      summary.driver, nameOf(executed.mode), executed.copiedBytes);
}

/// A cell for a duration of the HAL, which may not be measured.
static std::string cell(double microseconds) {
  return microseconds < 0.0 ? "-" : fmt::format("{:.0f}", microseconds);
}

std::string tools::describeTimes(const LoadOutcome &loaded,
                                 std::span<const Executed> executions,
                                 TimeFormat format) {
  std::string text;
  if (format == TimeFormat::json) {
    for (const Executed &executed : executions)
      text += timesAsJson(loaded, executed);
    return text;
  }
  rt::MemoryUse memory = memoryUse(loaded);
  std::string cache;
  if (rt::isMiss(loaded.cache.outcome))
    cache = fmt::format("cache             miss ({})\n",
                        rt::toString(loaded.cache.outcome));
  else if (loaded.cache.outcome == rt::CacheOutcome::hit)
    cache = "cache              hit\n";
  text = fmt::format("load        {:>10} us\n"
                     "compile     {:>10} us\n"
                     "{}{}{}"
                     "threads     {:>10}\n"
                     "peak memory {:>10.1f} MB\n"
                     "arena       {:>10} bytes\n"
                     "  at least  {:>10} bytes\n"
                     "artifact    {:>10} bytes\n"
                     "mode    runs   first us  median us     min us     p99 us"
                     "  device us  driver us  copied bytes\n",
                     loaded.loadMicroseconds, loaded.compileMicroseconds,
                     phasesAsText(loaded), cache, describeFallbacks(loaded),
                     loaded.threads, double(peakResidentBytes()) / 1e6,
                     memory.arena, memory.arenaLowerBound, memory.artifact);
  for (const Executed &executed : executions) {
    TimeSummary summary = summarize(executed.measured);
    text += fmt::format("{:<6}{:>6}{:>11.1f}{:>11.1f}{:>11.1f}{:>11.1f}{:>11}"
                        "{:>11}{:>14}\n",
                        nameOf(executed.mode), executed.measured.size(),
                        executed.first.total, summary.median, summary.min,
                        summary.p99, cell(summary.device), cell(summary.driver),
                        executed.copiedBytes);
  }
  return text;
}

std::string tools::describeDevice(const rt::Device &device) {
  std::vector<std::string_view> extensions;
  for (const rt::Extension &extension : device.extensions())
    extensions.push_back(extension.name);
  return fmt::format("{}: type {}, version {}, feature level {}, extensions "
                     "{}\n{}",
                     device.name(), rt::toString(device.type()),
                     device.version(), rt::featureLevel(device.halVersion()),
                     extensions.empty()
                         ? "none"
                         : fmt::format("{}", fmt::join(extensions, ", ")),
                     describeCapabilities(device.capabilities()));
}
