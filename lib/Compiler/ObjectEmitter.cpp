//===- ObjectEmitter.cpp - LLVM dialect to machine code ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

namespace nnhal {

using namespace llvm;

/// Marks every function for the target: without "prefer-vector-width", LLVM
/// splits 512-bit operations on CPUs that lower their clock for them.
static void setTargetAttributes(Module &module, const Target &target) {
  std::string width = std::to_string(target.vectorBits());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu());
    function.addFnAttr("target-features", target.featureString());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

/// O1 without vectorizers: the loops are vectorized already, and O3's runtime
/// unrolling spills accumulators (codegen measurements in docs/Rationale.md).
static void optimize(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&machine, tuning);
  // No C library stands behind the code: nothing may be turned into a call.
  TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  for (LibFunc function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    library.setAvailable(function);
  functions.registerPass([&] { return TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(module, modules);
}

/// Fails when \p object refers to a symbol other than the three that the ABI
/// allows.
static rt::Status checkImports(ArrayRef<char> object) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return rt::failure("generated object is not readable: {}",
                       toString(file.takeError()));
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return rt::failure("generated object has an unreadable symbol");
    }
    if (!(*flags & object::SymbolRef::SF_Undefined) || name->empty() ||
        *name == "memcpy" || *name == "memmove" || *name == "memset" ||
        *name == "_GLOBAL_OFFSET_TABLE_")
      continue;
    return rt::failure("generated code would import '{}', and an artifact may "
                       "import only memcpy, memmove and memset",
                       name->str());
  }
  return rt::Status();
}

rt::Result<SmallVector<char, 0>> emitObject(mlir::ModuleOp module,
                                            const Target &target) {
  LLVMContext context;
  // Remarks of passes are none of the user's business; errors come back as
  // failures.
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  std::unique_ptr<Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "nnhal");
  if (!llvmModule)
    return rt::failure("translation to LLVM IR failed");
  TargetMachine &machine = target.machine();
  llvmModule->setTargetTriple(machine.getTargetTriple());
  llvmModule->setDataLayout(machine.createDataLayout());
  llvmModule->setPICLevel(PICLevel::BigPIC);
  setTargetAttributes(*llvmModule, target);
  optimize(*llvmModule, machine);

  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                  CodeGenFileType::ObjectFile))
    return rt::failure("target '{}' cannot emit object files",
                       machine.getTargetTriple().str());
  passes.run(*llvmModule);
  NNHAL_RETURN_IF_ERROR(checkImports(object));
  return object;
}

} // namespace nnhal
