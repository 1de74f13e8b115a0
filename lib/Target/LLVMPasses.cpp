//===- LLVMPasses.cpp - LLVM's passes on code of a target -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LLVMPasses.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

void nnhal::runLLVMPasses(
    Module &module, TargetMachine &machine, Cancellation &cancellation,
    ArrayRef<LibFunc> callable,
    function_ref<ModulePassManager(PassBuilder &)> makePasses) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](StringRef, const Any &) { return !cancellation.poll(); });
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt,
                      &callbacks);
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  for (LibFunc function : callable)
    library.setAvailable(function);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  makePasses(builder).run(module, modules);
}
