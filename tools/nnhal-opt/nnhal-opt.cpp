//===- nnhal-opt.cpp - Pass driver ----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/FatalErrors.h"
#include "nnhal/Compiler/Pipelines.h"
#include "nnhal/ModelIR/Nesting.h"
#include "nnhal/ModelIR/Passes.h"

#include "mlir/IR/AsmState.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

namespace {
enum class Help { none, own, all };
} // namespace

/// Finds the help that is asked for. `--help-all` becomes the name that LLVM
/// has for it.
static Help findHelp(MutableArrayRef<const char *> arguments) {
  for (const char *&argument : arguments) {
    StringRef text = argument;
    if (!text.consume_front("-"))
      continue;
    text.consume_front("-");
    if (text == "help" || text == "h" || text == "help-list")
      return Help::own;
    if (text == "help-all")
      argument = "--help-hidden";
    if (text == "help-all" || text == "help-hidden" ||
        text == "help-list-hidden")
      return Help::all;
  }
  return Help::none;
}

/// Leaves in the help what is of use with the project's passes.
static void hideOtherOptions() {
  static const llvm::StringSet<> shown = {
      "allow-unregistered-dialect",
      "emit-bytecode",
      "help",
      "help-hidden",
      "list-passes",
      "load-dialect-plugin",
      "load-pass-plugin",
      "mlir-disable-threading",
      "mlir-elide-elementsattrs-if-larger",
      "mlir-elide-resource-strings-if-larger",
      "mlir-print-debuginfo",
      "mlir-print-ir-after-all",
      "mlir-print-ir-after-failure",
      "mlir-pass-pipeline-crash-reproducer",
      "mlir-pass-pipeline-local-reproducer",
      "mlir-print-ir-before-all",
      "mlir-pass-statistics",
      "mlir-timing",
      "o",
      "pass-pipeline",
      "remark-format",
      "remarks-filter",
      "run-reproducer",
      "split-input-file",
      "verify-diagnostics",
      "verify-each",
      "version"};
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    // The passes are the values of an option without a name.
    if (!option->ArgStr.empty() && !shown.contains(option->ArgStr) &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden)
      option->setHiddenFlag(llvm::cl::Hidden);
}

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "error: " << message << '\n';
  return failure();
}

static LogicalResult run(StringRef input, StringRef output,
                         DialectRegistry &registry) {
  std::string doing = ("processing '" + input + "'").str();
  nnhal::FatalErrorScope scope(doing);
  std::string problem;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(input, llvm::Align(nnhal::sourceAlignment), &problem);
  if (!buffer)
    return fail(problem);
  {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    nnhal::rt::Status status = nnhal::checkNesting(*buffer, context);
    if (!status.isOk())
      return fail(status.message());
  }
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &problem);
  if (!file)
    return fail(problem);
  if (failed(MlirOptMain(file->os(), std::move(buffer), registry,
                         MlirOptMainConfig::createFromCLOptions())))
    return failure();
  // A file that is kept stays, whatever its last bytes meet on their way.
  file->os().flush();
  if (std::error_code error = file->os().error()) {
    file->os().clear_error();
    StringRef target = output == "-" ? "standard output" : output;
    return fail("cannot write to " + target + ": " + error.message());
  }
  file->keep();
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  SmallVector<const char *> arguments(argv, argv + argc);
  Help help = findHelp(arguments);

  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  nnhal::registerCompilerDialects(registry);
  nnhal::registerAllPasses();
  nnhal::registerNNHalModelIRPasses();
  // The help lists the passes that are registered.
  if (help != Help::own)
    registerAllPasses();
  std::string overview = registerCLIOptions("nnhal-opt", registry);
  if (help == Help::own) {
    hideOtherOptions();
    overview = "nnhal-opt runs passes and the pipeline nnhal-compile on a "
               "module.\n\n"
               "  nnhal-opt model.mlir --nnhal-compile=until=lower\n"
               "  nnhal-opt lower.mlir --nnhal-compile=from=lower\n\n"
               "Below are the options of use with the project's passes; "
               "--help-all also lists\nthe passes and options of MLIR.\n";
  }
  auto [input, output] =
      parseCLIOptions(argc, const_cast<char **>(arguments.data()), overview);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(run(input, output, registry));
}
