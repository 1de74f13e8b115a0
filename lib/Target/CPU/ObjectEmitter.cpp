//===- ObjectEmitter.cpp - LLVM dialect to machine code -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmission.h"

#include "Runtime/Support/Errors.h"
#include "Target/InterruptibleEmission.h"
#include "Target/LLVMPasses.h"
#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace nnhal {

using namespace llvm;

/// Marks every function for the target: without "prefer-vector-width", LLVM
/// splits 512-bit operations on CPUs that lower their clock for them.
static void setTargetAttributes(Module &module, const Machine &machine) {
  std::string width = std::to_string(machine.vectorBits());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.cpu());
    function.addFnAttr("target-features", machine.featureString());
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

/// What pays of O1, once: MLIR leaves straight-line vector code in loops that
/// are as they should be, and the code generator has passes of its own. The
/// rest of O1 costs a fifth of a compilation and gains nothing that can be
/// measured (docs/Internals/Measurements/CompileTime.md); O3's runtime
/// unrolling spills accumulators.
static void optimize(Module &module, TargetMachine &machine,
                     Cancellation &cancellation) {
  constexpr LibFunc callable[] = {LibFunc_memcpy, LibFunc_memmove,
                                  LibFunc_memset};
  runLLVMPasses(module, machine, cancellation, callable, [](PassBuilder &) {
    FunctionPassManager passes;
    passes.addPass(SimplifyCFGPass());
    passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    ModulePassManager all;
    all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
    return all;
  });
}

static bool isImportable(StringRef name) {
  return name == "memcpy" || name == "memmove" || name == "memset";
}

/// What the parts of the code have of each other is seen by nobody else, and
/// so is referred to without a table.
static void hideInternals(Module &module) {
  for (Function &function : module)
    if (!function.hasLocalLinkage() && !function.isIntrinsic() &&
        !isImportable(function.getName()) &&
        function.getName() != entrySymbolName) {
      function.setVisibility(GlobalValue::HiddenVisibility);
      function.setDSOLocal(true);
    }
}

/// Machine code for \p module (LLVM dialect).
static rt::Result<Object> emitObject(mlir::ModuleOp module,
                                     const Machine &target,
                                     Cancellation &cancellation) {
  LLVMContext context;
  // Remarks of passes are none of the user's business; errors come back as
  // failures.
  context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  std::unique_ptr<Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "nnhal");
  if (!llvmModule)
    return rt::failure("translation to LLVM IR failed");
  std::unique_ptr<TargetMachine> machine = target.createMachine();
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setPICLevel(PICLevel::BigPIC);
  setTargetAttributes(*llvmModule, target);
  hideInternals(*llvmModule);
  optimize(*llvmModule, *machine, cancellation);

  Object object;
  raw_svector_ostream stream(object);
  InterruptibleEmission passes(cancellation);
  if (machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                   CodeGenFileType::ObjectFile))
    return rt::failure("target '{}' cannot emit object files",
                       machine->getTargetTriple().str());
  passes.run(*llvmModule);
  return object;
}

namespace {
/// The symbols of objects that belong together.
struct Symbols {
  StringSet<> defined;
  /// In the order of the objects.
  std::vector<std::string> undefined;

  void add(ArrayRef<char> object);
};
} // namespace

/// The object is what LLVM has just written, so that it is readable.
void Symbols::add(ArrayRef<char> object) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  std::unique_ptr<object::ObjectFile> file =
      cantFail(object::ObjectFile::createObjectFile(buffer));
  for (const object::SymbolRef &symbol : file->symbols()) {
    uint32_t flags = cantFail(symbol.getFlags());
    StringRef name = cantFail(symbol.getName());
    if (flags & object::SymbolRef::SF_Undefined)
      undefined.push_back(name.str());
    else if (flags & object::SymbolRef::SF_Global)
      defined.insert(name);
  }
}

static rt::Status checkImports(ArrayRef<Object> objects) {
  Symbols symbols;
  for (const Object &object : objects)
    symbols.add(object);
  for (const std::string &name : symbols.undefined)
    if (!name.empty() && !isImportable(name) &&
        name != "_GLOBAL_OFFSET_TABLE_" && !symbols.defined.contains(name))
      return rt::failure("generated code would import '{}', and an artifact "
                         "may import only memcpy, memmove and memset",
                         name);
  return rt::Status();
}

rt::Result<std::vector<Object>> emitObjects(mlir::ModuleOp module,
                                            const Machine &target,
                                            Cancellation &cancellation) {
  SmallVector<mlir::ModuleOp> parts(module.getOps<mlir::ModuleOp>());
  std::vector<Object> objects(parts.size());
  std::vector<rt::Status> statuses(parts.size());
  mlir::parallelFor(module.getContext(), 0, parts.size(), [&](size_t i) {
    if (cancellation.poll())
      return;
    rt::Result<Object> object = emitObject(parts[i], target, cancellation);
    statuses[i] = object.status();
    if (object.isOk())
      objects[i] = *std::move(object);
  });
  for (const rt::Status &status : statuses)
    NNHAL_RETURN_IF_ERROR(status);
  if (cancellation.isRequested())
    return objects;
  NNHAL_RETURN_IF_ERROR(checkImports(objects));
  return objects;
}

} // namespace nnhal
