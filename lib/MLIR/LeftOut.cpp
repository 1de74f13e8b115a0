//===- LeftOut.cpp - Parts of LLVM that are not linked --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// lld and some passes of MLIR register every target that LLVM was built with.
// Those that the library has register themselves; the definitions here stand
// for all others. They are weak, and a linker takes a member of an archive for
// the sake of a symbol that has no definition at all: code for a dozen
// processors stays where it is.
//
//===----------------------------------------------------------------------===//

#include "llvm/Plugins/PassPlugin.h"

extern "C" {
#define LLVM_TARGET(Name)                                                      \
  [[gnu::weak]] void LLVMInitialize##Name##TargetInfo();                       \
  void LLVMInitialize##Name##TargetInfo() {}                                   \
  [[gnu::weak]] void LLVMInitialize##Name##Target();                           \
  void LLVMInitialize##Name##Target() {}                                       \
  [[gnu::weak]] void LLVMInitialize##Name##TargetMC();                         \
  void LLVMInitialize##Name##TargetMC() {}
#include "llvm/Config/Targets.def"

#define LLVM_ASM_PRINTER(Name)                                                 \
  [[gnu::weak]] void LLVMInitialize##Name##AsmPrinter();                       \
  void LLVMInitialize##Name##AsmPrinter() {}
#include "llvm/Config/AsmPrinters.def"

#define LLVM_ASM_PARSER(Name)                                                  \
  [[gnu::weak]] void LLVMInitialize##Name##AsmParser();                        \
  void LLVMInitialize##Name##AsmParser() {}
#include "llvm/Config/AsmParsers.def"
}

/// Link-time optimization, which lld contains and nothing asks for, registers
/// the passes of Polly where LLVM was built with them. They lie in a package of
/// their own.
llvm::PassPluginLibraryInfo getPollyPluginInfo();
llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "", "", [](llvm::PassBuilder &) {}};
}
