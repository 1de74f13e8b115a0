//===- OptionTable.h - The options of nnhal-run as data ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_RUN_OPTIONTABLE_H
#define NNHAL_TOOLS_NNHAL_RUN_OPTIONTABLE_H

#include "Flags.h"

#include "Tools/Options/OptionRows.h"

namespace nnhal::run {

/// The work of a call of the program. Every option says in which of these it
/// means something; in all others it is refused.
enum class Work : uint32_t {
  executeTFLite = 1 << 0,
  executeJson = 1 << 1,
  executeMlir = 1 << 2,
  executeArtifact = 1 << 3,
  /// --emit without an option that asks for an execution.
  emitTFLite = 1 << 4,
  emitJson = 1 << 5,
  emitMlir = 1 << 6,
  /// --dump-graph and nothing else.
  drawTFLite = 1 << 7,
  drawJson = 1 << 8,
  check = 1 << 9,
  checkEmit = 1 << 10,
  checkArtifacts = 1 << 11,
  calibrate = 1 << 12,
  listDevices = 1 << 13,
  replay = 1 << 14,
};

/// A set of Work.
using WorkSet = uint32_t;

/// A row of the table of options.
struct Option {
  std::string_view name;
  tools::Takes takes = tools::Takes::nothing;
  std::string_view valueName = {};
  /// Lines of the help.
  std::string_view help;
  /// The work in which the option means something.
  WorkSet works = 0;
  /// Stores the value.
  rt::Status (*apply)(Flags &flags, std::string_view value) = nullptr;
  /// A model is executed where the option is given, also with --emit.
  bool asksForExecution = false;
  /// Means nothing to a device that does not compile.
  bool isForCompilers = false;
  /// The option without which this one has no effect; may be empty.
  std::string_view needs = {};
  /// The option that leaves this one without effect; may be empty.
  std::string_view excludes = {};
};

/// All options, in the order of the help.
std::span<const Option> allOptions();

/// Returns null when there is no option \p name.
const Option *lookUpOption(std::string_view name);

/// Returns the work of a call with \p flags, where that does not depend on a
/// model; otherwise nothing.
std::optional<Work> workWithoutModel(const Flags &flags);

/// Returns the work of a call with \p flags and a model of \p kind.
Work workOn(const Flags &flags, tools::ModelKind kind);

/// Fails with invalidArgument, which names the first option of \p flags that
/// means nothing in \p work, and the work.
rt::Status checkOptions(const Flags &flags, Work work);

} // namespace nnhal::run

#endif // NNHAL_TOOLS_NNHAL_RUN_OPTIONTABLE_H
