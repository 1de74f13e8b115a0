//===- ModelCompiler.cpp - A model in, an artifact out --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelCompiler.h"

#include "CompileThreads.h"
#include "CrashReproducer.h"
#include "Interface.h"
#include "Runtime/Support/Errors.h"
#include "Target/CPU/CodeEmission.h"
#include "Target/Cancellation.h"
#include "nnhal/Codegen/Passes.h"
#include "nnhal/Compiler/FatalErrors.h"
#include "nnhal/Compiler/Pipelines.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/ModelIR/Nesting.h"
#include "nnhal/Target/CPU/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace nnhal {

using namespace mlir;

namespace {

/// One compilation: a context, the diagnostics that it produced, and the steps.
class Compilation {
public:
  explicit Compilation(const CompilerOptions &options);

  MLIRContext *context() { return &mlirContext; }
  rt::Result<CompiledArtifact> run(OwningOpRef<ModuleOp> module,
                                   std::array<uint8_t, 32> contentKey);
  /// The first error that was diagnosed, as a status.
  rt::Status diagnosedFailure() const;
  /// Begins \p phase, unless the compilation has been cancelled.
  rt::Status begin(std::string_view phase);
  /// The failure of a compilation that has been cancelled in the last phase.
  rt::Status checkCancelled() const;

private:
  rt::Status runPhases(ModuleOp module, const Target &target);
  void addParts(PassManager &manager,
                const CompilePipelineOptions &pipelineOptions);
  void takeConstants(ModuleOp module, rt::Artifact &artifact,
                     std::vector<std::byte> &dataCache);
  void describeEntry(ModuleOp module, rt::Artifact &artifact);
  void handleDiagnostic(Diagnostic &diagnostic);

  const CompilerOptions &options;
  /// The context uses it and the threads, and therefore ends first.
  Cancellation cancellation;
  CrashReproducer reproducer;
  CompileThreads threads;
  MLIRContext mlirContext;
  std::optional<ScopedDiagnosticHandler> handler;
  std::string firstError;
  std::string phaseNow;
  uint32_t phasesDone = 0;
  /// As ArtifactEntry::presentInputs.
  std::vector<uint64_t> requiredInputs;
};

} // namespace

static MLIRContext::Threading noThreads() {
  return MLIRContext::Threading::DISABLED;
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  return registry;
}

namespace {
/// Takes the remarks of nnhal-report-operations apart.
class RemarkForwarder final : public remark::detail::MLIRRemarkStreamerBase {
public:
  using Sink = std::function<void(uint32_t, std::string_view)>;
  explicit RemarkForwarder(const Sink &sink) : sink(sink) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    uint32_t operation = 0;
    StringRef text;
    for (const auto &argument : remark.getArgs()) {
      if (StringRef(argument.key) != "operation")
        text = argument.val;
      else if (StringRef(argument.val).getAsInteger(10, operation))
        return;
    }
    sink(operation, std::string_view(text.data(), text.size()));
  }

private:
  const Sink &sink;
};
} // namespace

/// Of the compiler's own remarks: upstream's categories are not for users.
static LogicalResult forwardRemarks(MLIRContext &context,
                                    const RemarkForwarder::Sink &sink) {
  remark::RemarkCategories categories;
  categories.passed = "nnhal";
  return remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkForwarder>(sink),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

Compilation::Compilation(const CompilerOptions &options)
    : options(options), cancellation(options.isCancelled),
      reproducer(options.crashReproducer, cancellation),
      threads(options.threads, cancellation),
      mlirContext(makeRegistry(), noThreads()) {
  mlirContext.loadAllAvailableDialects();
  handler.emplace(&mlirContext, [this](Diagnostic &diagnostic) {
    handleDiagnostic(diagnostic);
    return success();
  });
  cancellation.watch(mlirContext);
  // Fails only where remarks are reported already: this context is new.
  if (options.remark)
    (void)forwardRemarks(mlirContext, options.remark);
}

void Compilation::handleDiagnostic(Diagnostic &diagnostic) {
  // A conversion says what it lacks when its patterns are not run any more.
  if (cancellation.isRequested())
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto position =
          diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    stream << position.getFilename().getValue() << ':' << position.getLine()
           << ':' << position.getColumn() << ": ";
  stream << diagnostic;
  if (reproducer.isAccount(diagnostic)) {
    // The status has the place, also where the pass has told the reason.
    if (firstError.empty())
      firstError = CrashReproducer::reasonOf(diagnostic);
    return;
  }
  bool isError = diagnostic.getSeverity() == DiagnosticSeverity::Error;
  if (isError && firstError.empty())
    firstError = text;
  if (options.diagnostic &&
      diagnostic.getSeverity() != DiagnosticSeverity::Note)
    options.diagnostic(isError, text);
}

rt::Status Compilation::diagnosedFailure() const {
  if (firstError.empty())
    return rt::badData("phase {} failed and did not say why", phaseNow);
  return rt::badData("{}{}", firstError, reproducer.place());
}

/// Import, the phases of the pipeline, code and link.
static uint32_t totalPhases() { return allPhases().size() + 2; }

rt::Status Compilation::begin(std::string_view phase) {
  // The artifact of a compilation that was cancelled in a phase is incomplete,
  // even if nobody has noticed.
  NNHAL_RETURN_IF_ERROR(checkCancelled());
  phaseNow = phase;
  cancellation.ask();
  NNHAL_RETURN_IF_ERROR(checkCancelled());
  if (options.progress)
    options.progress(phase, phasesDone, totalPhases());
  ++phasesDone;
  return rt::Status();
}

rt::Status Compilation::checkCancelled() const {
  if (cancellation.isRequested())
    return rt::failure("the compilation was cancelled in phase {}", phaseNow);
  return rt::Status();
}

static std::string_view toString(Rounding rounding) {
  switch (rounding) {
  case Rounding::doubleRounding:
    return "double";
  case Rounding::singleRounding:
    return "single";
  case Rounding::floatRounding:
    return "float";
  }
  return "double";
}

/// The last phase, for each part of the module at once. What comes before works
/// on the one function that has everything.
void Compilation::addParts(PassManager &manager,
                           const CompilePipelineOptions &pipelineOptions) {
  manager.addPass(createPartitionKernels());
  addPhase(manager.nest<ModuleOp>(), Phase::llvm, pipelineOptions);
  if (threads.getMaxConcurrency() > 1)
    mlirContext.setThreadPool(threads);
}

rt::Status Compilation::runPhases(ModuleOp module, const Target &target) {
  CompilePipelineOptions pipelineOptions;
  pipelineOptions.vectorBits = target.vectorBits();
  pipelineOptions.vectorRegisters = target.vectorRegisters();
  pipelineOptions.dotProduct = target.dotProduct();
  pipelineOptions.rounding = options.rounding;
  pipelineOptions.constantsOffset = int64_t(options.constantsOffset);
  for (Phase phase : allPhases()) {
    NNHAL_RETURN_IF_ERROR(begin(std::string_view(toString(phase))));
    PassManager manager(&mlirContext, ModuleOp::getOperationName());
#ifdef NDEBUG
    // Each verification costs as much as a pass; tests run with assertions.
    manager.enableVerifier(false);
#endif
    if (!options.crashReproducer.empty())
      reproducer.watch(manager);
    if (phase == Phase::llvm)
      addParts(manager, pipelineOptions);
    else
      addPhase(manager, phase, pipelineOptions);
    LogicalResult result = manager.run(module);
    NNHAL_RETURN_IF_ERROR(checkCancelled());
    if (failed(result))
      return diagnosedFailure();
  }
  return rt::Status();
}

/// Moves the data cache out of \p module.
void Compilation::takeConstants(ModuleOp module, rt::Artifact &artifact,
                                std::vector<std::byte> &dataCache) {
  auto blob =
      module->getAttrOfType<DenseResourceElementsAttr>(dataCacheAttrName);
  assert(blob && blob.getRawHandle().getBlob() &&
         "phase plan leaves the data cache in the module");
  ArrayRef<char> bytes = blob.getRawHandle().getBlob()->getData();
  auto *data = reinterpret_cast<const std::byte *>(bytes.data());
  dataCache.assign(data, data + bytes.size());
  artifact.dataCacheSize = dataCache.size();
  artifact.constants.push_back({0, dataCache.size(), "packed constants"});
  module->removeAttr(dataCacheAttrName);
}

/// The entry's arena is the last argument of the function that it calls.
void Compilation::describeEntry(ModuleOp module, rt::Artifact &artifact) {
  auto arenaSize = module->getAttrOfType<IntegerAttr>(arenaSizeAttrName);
  assert(arenaSize && "phase outline leaves an entry in the module");
  rt::ArtifactEntry entry;
  entry.symbol = entrySymbolName.str();
  entry.arenaSize = arenaSize.getInt();
  if (auto bound = module->getAttrOfType<IntegerAttr>(arenaLowerBoundAttrName))
    entry.arenaLowerBound = bound.getInt();
  entry.presentInputs = requiredInputs;
  artifact.entries.push_back(std::move(entry));
  // The part with the entry alone calls routines of the runtime.
  for (ModuleOp part : module.getOps<ModuleOp>())
    if (auto slots =
            part->getAttrOfType<DenseI32ArrayAttr>(routineSlotsAttrName))
      artifact.routineSlots.assign(slots.asArrayRef().begin(),
                                   slots.asArrayRef().end());
}

rt::Result<CompiledArtifact>
Compilation::run(OwningOpRef<ModuleOp> module,
                 std::array<uint8_t, 32> contentKey) {
  NNHAL_ASSIGN_OR_RETURN(Target target, Target::create(options.target));
  auto models = llvm::to_vector(module->getOps<ModelOp>());
  if (std::optional<Phase> phase = findPhase(*module); models.empty() && phase)
    return rt::badData(
        "the module is the IR after phase '{}' of the compiler, not a model: "
        "continue with 'nnhal-opt --nnhal-compile=from={}'",
        std::string_view(toString(*phase)), std::string_view(toString(*phase)));
  if (models.size() != 1)
    return rt::badData("found {} nnhal.model operations, expected 1",
                       models.size());

  rt::Artifact artifact;
  artifact.contentKey = contentKey;
  artifact.buildIdentity = buildIdentity();
  artifact.rounding = toString(options.rounding);
  NNHAL_RETURN_IF_ERROR(describeInterface(models.front(), artifact));
  requiredInputs = findRequiredInputs(models.front());
  NNHAL_RETURN_IF_ERROR(runPhases(*module, target));

  CompiledArtifact result;
  takeConstants(*module, artifact, result.dataCache);
  describeEntry(*module, artifact);
  NNHAL_RETURN_IF_ERROR(begin("codegen"));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Object> objects,
                         emitObjects(*module, target, cancellation));
  NNHAL_RETURN_IF_ERROR(checkCancelled());
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::byte> linked, linkObjects(objects));
  rt::CodeSection code;
  code.target = target.kind();
  code.cpu = target.cpu();
  code.features = target.enabledFeatures();
  code.bytes = linked;
  artifact.code.push_back(std::move(code));
  result.modelCache = rt::writeModelCache(artifact);
  return result;
}

/// What of \p options decides the artifact, for the content key.
static std::string describeOptions(const CompilerOptions &options) {
  std::string text(toString(options.rounding));
  for (const std::string *field :
       {&options.target.triple, &options.target.cpu, &options.target.features})
    text.append(1, '\n').append(*field);
  return text;
}

rt::Result<CompiledArtifact> compileModel(const rt::AnnotatedModel &model,
                                          const CompilerOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(auto contentKey,
                         rt::contentKeyOf(model, describeOptions(options)));
  FatalErrorScope scope("compiling the model");
  Compilation compilation(options);
  NNHAL_RETURN_IF_ERROR(compilation.begin("import"));
  ModelImportOptions importOptions;
  importOptions.borrow = true; // The context ends before the call returns.
  OwningOpRef<ModuleOp> module =
      importModel(model, compilation.context(), importOptions);
  if (!module)
    return compilation.diagnosedFailure();
  return compilation.run(std::move(module), contentKey);
}

rt::Result<CompiledArtifact> compileMlir(std::string_view text,
                                         std::string_view name,
                                         const CompilerOptions &options) {
  // The parser wants text with an end. What is too large is an error here; the
  // compiler itself cannot go on without memory.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
          text.size(), StringRef(name.data(), name.size()),
          llvm::Align(sourceAlignment));
  if (!buffer)
    return rt::outOfResources("no memory for the {} bytes of '{}'", text.size(),
                              name);
  std::copy(text.begin(), text.end(), buffer->getBufferStart());
  std::string doing = "compiling '" + std::string(name) + "'";
  FatalErrorScope scope(doing);
  Compilation compilation(options);
  NNHAL_RETURN_IF_ERROR(compilation.begin("import"));
  NNHAL_RETURN_IF_ERROR(checkNesting(*buffer, *compilation.context()));
  ParserConfig config(compilation.context());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module)
    return compilation.diagnosedFailure();
  // The key of what the text says; canonical operations have no HAL form, so
  // that a module with them is known by its text.
  rt::Result<rt::AnnotatedModel> model = exportModel(*module);
  rt::AnnotatedModel keyed;
  if (model.isOk())
    keyed = *std::move(model);
  else
    keyed.model.operandValues.assign(text.begin(), text.end());
  NNHAL_ASSIGN_OR_RETURN(auto contentKey,
                         rt::contentKeyOf(keyed, describeOptions(options)));
  return compilation.run(std::move(module), contentKey);
}

std::string_view buildIdentity() { return NNHAL_BUILD_IDENTITY; }

} // namespace nnhal
