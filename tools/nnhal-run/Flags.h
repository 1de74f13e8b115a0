//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_FLAGS_H
#define NNHAL_TOOLS_NNHAL_RUN_FLAGS_H

#include "Tools/Check/Check.h"
#include "Tools/Execution/Devices.h"
#include "Tools/Execution/Execute.h"
#include "Tools/Execution/Load.h"
#include "Tools/Report/Explanation.h"
#include "Tools/Report/Report.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::run {

/// The statements of the command line: the requests to the library lib/Tools,
/// and what the program does with the answers.
struct Flags {
  /// Names of the options on the command line, in order.
  std::vector<std::string_view> given;
  /// A file, or tools::standardInput.
  std::string model;
  tools::InputRequest inputs;
  tools::LoadRequest load;
  tools::RunRequest run;
  /// One after the other.
  std::vector<tools::ExecutionMode> modes = {tools::ExecutionMode::sync};
  tools::DeviceSelection devices;
  /// A file of recorded settings; empty for none.
  std::string settings;
  /// The socket of the service whose devices replace those of the project.
  std::string service;
  /// Files of plug-ins.
  std::vector<std::string> plugins;
  std::string outputDir;
  std::optional<uint64_t> printOutputs;
  /// The number of highest values to print of each output.
  std::optional<uint64_t> top;
  /// The file with labels; empty for those of the model.
  std::string labels;
  std::vector<tools::NamedFile> expects;
  tools::Tolerance tolerance;
  tools::TimeFormat time = tools::TimeFormat::none;
  bool noCache = false;
  bool noExtensions = false;
  /// Cache in a folder that is removed at the end.
  bool cachesForNow = false;
  bool listDevices = false;
  /// Measure the device instead of running a model.
  bool calibrate = false;
  tools::ExplainFormat explain = tools::ExplainFormat::none;
  /// The targets that --emit compiles for; empty for that of the device.
  std::string target;
  /// The paths of the trace and the graph; empty for neither.
  std::string trace;
  std::string dumpGraph;
  /// The file that executions are recorded in; empty for none.
  std::string record;
  uint64_t recordedExecutions = 10;
  /// The recording that is repeated in place of a model; empty for none.
  std::string replay;
  /// Compare each operation with the reference device.
  bool verify = false;
  std::string verifyCase = "nnhal-verify.json";
  /// True when a flag asks for an execution or something about one.
  bool wantsExecution = false;
  /// Run test cases instead of a model.
  bool check = false;
  tools::CheckRequest cases;
  bool help = false;
  bool version = false;
};

inline bool isExplained(const Flags &flags) {
  return flags.explain != tools::ExplainFormat::none;
}

/// Whether nothing is asked for but a graph of the model.
inline bool isOnlyDrawn(const Flags &flags) {
  return !flags.dumpGraph.empty() && !flags.wantsExecution &&
         flags.load.emit.empty() && !isExplained(flags);
}

/// Whether nothing is asked for but an artifact.
inline bool isOnlyEmitted(const Flags &flags) {
  return !flags.load.emit.empty() && !flags.wantsExecution;
}

/// Reads \p arguments, the program's name not among them. Fails with
/// invalidArgument, which names the argument that is wrong.
rt::Result<Flags> parseFlags(std::span<const std::string_view> arguments);

/// Returns the text that --help prints.
std::string helpText();

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_FLAGS_H
