//===- PtxModule.cpp - PTX of kernels -------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxModule.h"

#include "Runtime/Support/Errors.h"
#include "Target/InterruptibleEmission.h"
#include "Target/LLVMPasses.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

namespace nnhal {

using namespace llvm;

static std::unique_ptr<TargetMachine> createMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  assert(target && "Debian's LLVM has the target");
  TargetOptions options;
  // The driver fuses products and sums that do not say how they round.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, ptxArchitecture, ptxFeatures, options, std::nullopt, std::nullopt,
      CodeGenOptLevel::Default));
}

/// Loops are unrolled and values kept in registers here, since PTX is all that
/// the driver gets.
static void optimize(Module &module, TargetMachine &machine,
                     Cancellation &cancellation) {
  runLLVMPasses(module, machine, cancellation, {}, [](PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  });
}

/// A kernel has nothing beside it that it could call.
static rt::Status checkCalls(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic())
      return rt::failure("kernels would call '{}', and PTX has no library",
                         function.getName().str());
  return rt::Status();
}

rt::Result<std::string> emitPtx(mlir::gpu::GPUModuleOp kernels,
                                Cancellation &cancellation) {
  LLVMContext context;
  std::string problem;
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *text) {
        auto &problem = *static_cast<std::string *>(text);
        if (info->getSeverity() != DS_Error || !problem.empty())
          return;
        raw_string_ostream stream(problem);
        DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &problem);
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(kernels, context, "nnhal");
  if (!module)
    return rt::failure("translation of kernels to LLVM IR failed");
  std::unique_ptr<TargetMachine> machine = createMachine();
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  optimize(*module, *machine, cancellation);
  NNHAL_RETURN_IF_ERROR(checkCalls(*module));

  SmallString<0> text;
  raw_svector_ostream stream(text);
  InterruptibleEmission passes(cancellation);
  bool isImpossible = machine->addPassesToEmitFile(
      passes, stream, /*DwoOut=*/nullptr, CodeGenFileType::AssemblyFile);
  assert(!isImpossible && "PTX is text");
  (void)isImpossible;
  passes.run(*module);
  if (!problem.empty())
    return rt::failure("LLVM cannot emit PTX: {}", problem);
  return std::string(text);
}

} // namespace nnhal
