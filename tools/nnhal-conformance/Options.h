//===- Options.h - The command line of nnhal-conformance --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TOOLS_NNHAL_CONFORMANCE_OPTIONS_H
#define NNHAL_TOOLS_NNHAL_CONFORMANCE_OPTIONS_H

#include "Tools/Options/OptionRows.h"

namespace nnhal::conformancetool {

struct Options {
  /// The file of the plug-in, or the socket of the service.
  std::string plugin;
  std::string service;
  /// The only device of the plug-in or the service without a name.
  std::string device;
  /// The arguments that GoogleTest reads.
  std::vector<std::string> testing;
  bool help = false;
  bool version = false;
};

using Option = tools::OptionRow<Options>;

/// All options, in the order of the help.
std::span<const Option> allOptions();

/// Reads \p arguments, the program's name not among them. invalidArgument names
/// the argument that is wrong.
rt::Result<Options> parseOptions(std::span<const std::string_view> arguments);

/// The text that --help prints.
std::string helpText();

} // namespace nnhal::conformancetool

#endif // NNHAL_TOOLS_NNHAL_CONFORMANCE_OPTIONS_H
