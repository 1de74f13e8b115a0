//===- nnhal-lsp-server.cpp - IR in editors -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR's server of the Language Server Protocol with the compiler's dialects:
// errors, definitions, uses and descriptions in .mlir files of every phase.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/Pipelines.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  nnhal::registerCompilerDialects(registry);
  // The help is about the server's own options.
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (!option->ArgStr.starts_with("help") && option->ArgStr != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
