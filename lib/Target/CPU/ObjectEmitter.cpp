//===- ObjectEmitter.cpp - LLVM dialect to machine code -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmission.h"
#include "CostModel.h"
#include "ExpandMissing.h"

#include "Codegen/OperationLocation.h"

#include "Runtime/Support/Errors.h"
#include "Target/InterruptibleEmission.h"
#include "Target/LLVMPasses.h"
#include "nnhal/Codegen/EntryFunction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

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
/// unrolling spills accumulators. A long entry needs less: what it reads of the
/// descriptors of buffers is known, and the descriptors go.
static void optimize(Module &module, TargetMachine &machine, bool isEntry,
                     const MissingInstructions &missing,
                     Cancellation &cancellation) {
  constexpr LibFunc callable[] = {LibFunc_memcpy, LibFunc_memmove,
                                  LibFunc_memset};
  runLLVMPasses(module, machine, cancellation, callable, [&](PassBuilder &) {
    FunctionPassManager passes;
    if (isEntry) {
      passes.addPass(EarlyCSEPass());
      passes.addPass(DCEPass());
    } else {
      passes.addPass(SimplifyCFGPass());
      passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
      passes.addPass(InstCombinePass());
      passes.addPass(SimplifyCFGPass());
    }
    if (missing.any())
      passes.addPass(ExpandMissingPass(missing));
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

/// Whether \p module has the entry of a large model: a function that is long,
/// and none with loops. It calls kernels, and takes microseconds where they
/// take milliseconds, so that code for it is made quickly rather than well.
static bool hasLongEntry(const Module &module, const kernel::CostModel &costs) {
  bool isLong = false;
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    isLong |= int64_t(function.getInstructionCount()) >= costs.longEntry;
    SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> backEdges;
    FindFunctionBackedges(function, backEdges);
    if (!backEdges.empty())
      return false;
  }
  return isLong;
}

/// Whether a round of some loop of \p module accesses memory so often that it
/// is the same how the addresses come about. What strength reduction weighs
/// grows faster than the number of addresses: it was two thirds of the time of
/// convolutions of 3x3.
static bool hasLongRounds(const Module &module,
                          const kernel::CostModel &costs) {
  return llvm::any_of(module, [&](const Function &function) {
    return llvm::any_of(function, [&](const BasicBlock &block) {
      return llvm::count_if(block, [](const Instruction &instruction) {
               return isa<LoadInst, StoreInst>(instruction);
             }) >= costs.longRound;
    });
  });
}

namespace {
/// LLVM's code generation for one module after another. To set up its passes,
/// and what it makes of a processor's features, takes as long as the code of a
/// small kernel.
///
/// Threads: one at a time.
class CodeGenerator {
public:
  /// Both outlive this object.
  CodeGenerator(const Machine &target, Cancellation &cancellation)
      : target(target), cancellation(cancellation) {
    // Remarks of passes are none of the user's business; errors come back as
    // failures.
    context.setDiagnosticHandlerCallBack([](const DiagnosticInfo *, void *) {});
  }

  /// Machine code for \p module (LLVM dialect). Only the first module may have
  /// the entry of a large model, and is the last one then: what has selected
  /// instructions quickly goes on doing so.
  rt::Result<Object> emit(mlir::ModuleOp module,
                          const kernel::CostModel &costs);

private:
  void makeMachine(bool isEntry);
  rt::Status makePasses(std::optional<InterruptibleEmission> &passes,
                        ArrayRef<StringRef> leftOut);

  const Machine &target;
  Cancellation &cancellation;
  LLVMContext context;
  std::unique_ptr<TargetMachine> machine;
  Object object;
  raw_svector_ostream stream{object};
  std::optional<InterruptibleEmission> allPasses, passesOfLongRounds;
};
} // namespace

void CodeGenerator::makeMachine(bool isEntry) {
  // The passes of `Default` that `Less` leaves out take a fortieth of a
  // compilation, and executions are as fast without them.
  machine = target.createMachine(isEntry ? CodeGenOptLevel::None
                                         : CodeGenOptLevel::Less);
  // AArch64 would select by GlobalISel where code is made quickly, which no
  // other code here is selected by.
  machine->setGlobalISel(false);
}

/// Makes \p passes, without those that have the names \p leftOut.
rt::Status
CodeGenerator::makePasses(std::optional<InterruptibleEmission> &passes,
                          ArrayRef<StringRef> leftOut) {
  passes.emplace(cancellation, leftOut);
  if (machine->addPassesToEmitFile(*passes, stream, /*DwoOut=*/nullptr,
                                   CodeGenFileType::ObjectFile))
    return rt::failure("target '{}' cannot emit object files",
                       machine->getTargetTriple().str());
  return rt::Status();
}

/// LLVM's loop strength reduction, and what runs for it alone. Its analyses
/// would take their time even if it were told to do nothing.
static constexpr StringRef strengthReduction[] = {
    "Canonicalize Freeze Instructions in Loops", "Loop Strength Reduction"};

rt::Result<Object> CodeGenerator::emit(mlir::ModuleOp module,
                                       const kernel::CostModel &costs) {
#ifdef NDEBUG
  constexpr bool isTrusted = true;
#else
  constexpr bool isTrusted = false;
#endif
  std::unique_ptr<Module> llvmModule = mlir::translateModuleToLLVMIR(
      module, context, "nnhal", /*disableVerification=*/isTrusted);
  if (!llvmModule)
    return rt::failure("translation to LLVM IR failed");
  bool isEntry =
      !module->hasAttr(kernelAttrName) && hasLongEntry(*llvmModule, costs);
  assert((!machine || !isEntry) && "an entry needs a generator of its own");
  if (!machine)
    makeMachine(isEntry);
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setPICLevel(PICLevel::BigPIC);
  setTargetAttributes(*llvmModule, target);
  hideInternals(*llvmModule);
  optimize(*llvmModule, *machine, isEntry, target.missing(), cancellation);
  bool isLong = hasLongRounds(*llvmModule, costs);
  auto &passes = isLong ? passesOfLongRounds : allPasses;
  if (!passes)
    NNHAL_RETURN_IF_ERROR(makePasses(
        passes, isLong ? ArrayRef(strengthReduction) : ArrayRef<StringRef>()));
  object.clear();
  passes->run(*llvmModule);
  return std::move(object);
}

namespace {
/// Generators for kernels, as many as work at once.
///
/// Threads: any.
class CodeGenerators {
public:
  CodeGenerators(const Machine &target, Cancellation &cancellation)
      : target(target), cancellation(cancellation) {}

  rt::Result<Object> emit(mlir::ModuleOp module,
                          const kernel::CostModel &costs) {
    auto generator = module->hasAttr(kernelAttrName) ? take() : create();
    rt::Result<Object> object = generator->emit(module, costs);
    if (object.isOk() && module->hasAttr(kernelAttrName))
      giveBack(std::move(generator));
    return object;
  }

private:
  std::unique_ptr<CodeGenerator> create() const {
    return std::make_unique<CodeGenerator>(target, cancellation);
  }
  std::unique_ptr<CodeGenerator> take() {
    std::lock_guard lock(mutex);
    return idle.empty() ? create() : idle.pop_back_val();
  }
  void giveBack(std::unique_ptr<CodeGenerator> generator) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(generator));
  }

  const Machine &target;
  Cancellation &cancellation;
  std::mutex mutex;
  SmallVector<std::unique_ptr<CodeGenerator>> idle;
};
} // namespace

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

bool definesFunctions(ArrayRef<char> object, ArrayRef<StringRef> names) {
  MemoryBufferRef buffer(StringRef(object.data(), object.size()), "object");
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(buffer);
  if (!file) {
    consumeError(file.takeError());
    return false;
  }
  StringSet<> defined;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    Expected<uint32_t> flags = symbol.getFlags();
    if (name && flags && !(*flags & object::SymbolRef::SF_Undefined))
      defined.insert(*name);
    consumeError(name.takeError());
    consumeError(flags.takeError());
  }
  return llvm::all_of(names,
                      [&](StringRef name) { return defined.contains(name); });
}

namespace {
/// A module to make an object of, and the place of that among all objects.
struct Work {
  mlir::ModuleOp module;
  size_t place;
  int64_t size = 0;
};
} // namespace

/// The work that \p module leaves to do, what takes longest first. Other places
/// of \p objects are filled from \p library.
static std::vector<Work> planWork(mlir::ModuleOp module, KernelLibrary &library,
                                  std::vector<Object> &objects) {
  std::vector<Work> work;
  StringMap<mlir::ModuleOp> kernels;
  for (auto part : module.getOps<mlir::ModuleOp>()) {
    if (auto key = part->getAttrOfType<mlir::StringAttr>(kernelAttrName))
      kernels[key] = part;
    else
      work.push_back({part, work.size()});
  }
  objects.resize(work.size());
  if (auto keys = module->getAttrOfType<mlir::ArrayAttr>(kernelsAttrName))
    for (auto key : keys.getAsRange<mlir::StringAttr>()) {
      auto kernel = kernels.find(key);
      if (kernel != kernels.end())
        work.push_back({kernel->second, objects.size()});
      objects.push_back(kernel == kernels.end() ? library.take(key) : Object());
    }
  for (Work &item : work)
    item.module.walk([&](mlir::Operation *) { ++item.size; });
  llvm::sort(work, [](const Work &a, const Work &b) {
    return std::pair(-a.size, a.place) < std::pair(-b.size, b.place);
  });
  return work;
}

/// The first function that \p module defines stands for it, with the first
/// operation of the model that it was made from.
static std::string nameOf(mlir::ModuleOp module) {
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>()) {
    if (function.isExternal())
      continue;
    std::string name = function.getName().str();
    if (std::optional<uint32_t> operation = operationIndexOf(function))
      name += " of operation " + std::to_string(*operation);
    return name;
  }
  return "code";
}

rt::Result<std::vector<Object>> emitObjects(mlir::ModuleOp module,
                                            const Machine &target,
                                            KernelLibrary &library,
                                            Cancellation &cancellation,
                                            const PartObserver &part) {
  std::optional<kernel::KernelTarget> costs = kernel::KernelTarget::of(module);
  assert(costs && "the passes before have read the target");
  separateKernels(module);
  std::vector<Object> objects;
  std::vector<Work> work = planWork(module, library, objects);
  std::vector<rt::Status> statuses(work.size());
  CodeGenerators generators(target, cancellation);
  mlir::parallelFor(module.getContext(), 0, work.size(), [&](size_t i) {
    if (cancellation.poll())
      return;
    TimedPart timed(part, part ? nameOf(work[i].module) : std::string());
    rt::Result<Object> object = generators.emit(work[i].module, costs->costs());
    statuses[i] = object.status();
    if (!object.isOk() || cancellation.poll())
      return;
    if (auto key =
            work[i].module->getAttrOfType<mlir::StringAttr>(kernelAttrName))
      library.keep(key, *object);
    objects[work[i].place] = *std::move(object);
  });
  for (const rt::Status &status : statuses)
    NNHAL_RETURN_IF_ERROR(status);
  if (cancellation.isRequested())
    return objects;
  NNHAL_RETURN_IF_ERROR(checkImports(objects));
  return objects;
}

} // namespace nnhal
