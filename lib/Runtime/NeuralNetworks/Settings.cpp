//===- Settings.cpp - What the environment says ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string_view>

using namespace nnhal;
using namespace nnhal::ndk;

namespace {
/// Reads variables and complains about their values.
class Reader {
public:
  Reader(const std::function<const char *(const char *)> &environment,
         const rt::LogSink &complain)
      : environment(environment), complain(complain) {}

  std::string text(const char *name) const {
    const char *value = environment(name);
    return value ? value : "";
  }

  /// Returns the place of the value in \p values; nothing for a variable that
  /// is not set, is empty, or has another value.
  std::optional<size_t> choice(const char *name,
                               std::initializer_list<std::string_view> values) {
    std::string value = text(name);
    if (value.empty())
      return std::nullopt;
    size_t place = 0;
    for (std::string_view each : values) {
      if (value == each)
        return place;
      ++place;
    }
    complain(fmt::format("{}='{}' is ignored, it is one of: {}", name, value,
                         fmt::join(values, ", ")));
    return std::nullopt;
  }

  void readFlag(const char *name, bool &flag) {
    if (auto value = choice(name, {"0", "1"}))
      flag = *value == 1;
  }

private:
  const std::function<const char *(const char *)> &environment;
  const rt::LogSink &complain;
};
} // namespace

Settings
Settings::read(const std::function<const char *(const char *)> &environment,
               const rt::LogSink &complain) {
  Reader reader(environment, complain);
  Settings settings;
  if (auto mode = reader.choice("NNHAL_PARTITION", {"0", "1", "2"}))
    settings.partition = rt::PartitionMode(*mode);
  if (auto planner = reader.choice("NNHAL_PLANNER", {"greedy", "least-cost"}))
    settings.planner = rt::Planner(*planner);
  reader.readFlag("NNHAL_CPUONLY", settings.isCpuOnly);
  reader.readFlag("NNHAL_STRICT_SLICING", settings.strictSlicing);
  reader.readFlag("NNHAL_SYNCEXEC_CPU", settings.isCpuSynchronous);
  reader.readFlag("NNHAL_SYNCEXEC_HAL", settings.isHalSynchronous);
  reader.readFlag("NNHAL_SYNCEXEC_RUNTIME", settings.isStartSynchronous);
  settings.logMask = rt::parseLogMask(reader.text("NNHAL_VLOG"), complain);
  settings.cacheDirectory = reader.text("NNHAL_CACHE_DIR");
  settings.traceFile = reader.text("NNHAL_TRACE");
  settings.compiler = reader.text("NNHAL_COMPILER");
  settings.service = reader.text("NNHAL_SERVICE");
  settings.plugins = reader.text("NNHAL_PLUGINS");
  settings.allowList = reader.text("NNHAL_EXTENSIONS_ALLOWLIST");
  return settings;
}
