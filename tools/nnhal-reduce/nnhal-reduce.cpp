//===- nnhal-reduce.cpp - Smaller IR with the same fault ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceModel.h"
#include "nnhal/Compiler/Pipelines.h"
#include "nnhal/ModelIR/Nesting.h"
#include "nnhal/ModelIR/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

/// The file that is reduced: the one argument that is no option and no value of
/// one.
static StringRef findInput(ArrayRef<char *> arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "-o" || argument == "--o")
      ++i;
    else if (!argument.starts_with("-"))
      return argument;
  }
  return "";
}

static bool asksForHelp(ArrayRef<char *> arguments) {
  return llvm::any_of(arguments, [](StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  });
}

/// Whether an option asks for a text about the program, and for no work.
static bool asksForText(ArrayRef<char *> arguments) {
  return asksForHelp(arguments) ||
         llvm::any_of(arguments, [](StringRef argument) {
           StringRef name = argument.ltrim('-');
           return name.starts_with("help-") || name == "version";
         });
}

/// The exit status of wrong usage is that of the other tools.
static constexpr int exitUsage = 2;

static const char usage[] =
    "error: no file to reduce; try --help\n"
    "usage: nnhal-reduce FILE --nnhal-reduce-model='test=PROGRAM' [options]\n"
    "       nnhal-reduce FILE --reduction-tree='test=PROGRAM' [options]\n";

/// Refuses what would overflow the parser's stack. What else is wrong with the
/// file is told by who reads it.
static LogicalResult checkInput(StringRef input, MLIRContext &context) {
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      input.empty() ? nullptr
                    : openInputFile(input, llvm::Align(nnhal::sourceAlignment));
  if (!buffer)
    return success();
  nnhal::rt::Status status = nnhal::checkNesting(*buffer, context);
  if (status.isOk())
    return success();
  llvm::errs() << "error: " << status.message() << '\n';
  return failure();
}

int main(int argc, char **argv) {
  ArrayRef<char *> arguments(argv, size_t(argc));
  StringRef input = findInput(arguments);
  if (input.empty() && !asksForText(arguments)) {
    llvm::errs() << usage;
    return exitUsage;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  nnhal::registerCompilerDialects(registry);
  // The help lists the passes that are registered.
  if (!asksForHelp(arguments))
    registerAllPasses();
  nnhal::registerAllPasses();
  nnhal::registerNNHalModelIRPasses();
  nnhal::registerReduceModel();
  MLIRContext context(registry);
  if (failed(checkInput(input, context)))
    return 1;
  return failed(mlirReduceMain(argc, argv, context));
}
