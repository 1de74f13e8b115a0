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
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  nnhal::registerCompilerDialects(registry);
  // The help lists the passes that are registered.
  if (!asksForHelp({argv, size_t(argc)}))
    registerAllPasses();
  nnhal::registerAllPasses();
  nnhal::registerNNHalModelIRPasses();
  nnhal::registerReduceModel();
  MLIRContext context(registry);
  if (failed(checkInput(findInput({argv, size_t(argc)}), context)))
    return 1;
  return failed(mlirReduceMain(argc, argv, context));
}
