//===- ModelCompiler.cpp - A model in, an artifact out --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelCompiler.h"

#include "CompileThreads.h"
#include "CrashReproducer.h"
#include "ExtensionHalves.h"
#include "Interface.h"
#include "Linker.h"
#include "PassTimes.h"

#include "Codegen/OperationLocation.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Compiler/FatalErrors.h"
#include "nnhal/Compiler/Pipelines.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/ModelIR/Nesting.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
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
  /// Lets the code call the backends of the extensions, and states that it
  /// needs them.
  void callExtensions(ModuleOp module, rt::Artifact &artifact) const;
  rt::Status runPhases(ModuleOp module, const TargetBackend &target);
  void handleDiagnostic(Diagnostic &diagnostic);

  const CompilerOptions &options;
  /// The context uses it and the threads, and therefore ends first.
  Cancellation cancellation;
  CrashReproducer reproducer;
  CompileThreads threads;
  KernelLibrary kernels;
  /// Why halves of extensions are left out.
  std::vector<std::string> problems;
  /// Whether the dialect of an extension is among those of the context.
  bool hasHalves = false;
  MLIRContext mlirContext;
  std::optional<ScopedDiagnosticHandler> handler;
  std::string firstError;
  std::string phaseNow;
  uint32_t phasesDone = 0;
};

} // namespace

static MLIRContext::Threading noThreads() {
  return MLIRContext::Threading::DISABLED;
}

/// Adds to \p problems why halves of extensions are left out, and sets
/// \p hasHalves where one is not.
static DialectRegistry makeRegistry(const CompilerOptions &options,
                                    std::vector<std::string> &problems,
                                    bool &hasHalves) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  for (const rt::CompiledExtension &extension : options.extensions) {
    rt::Result<bool> isAdded = addExtensionHalf(extension.description.name,
                                                options.halfFolders, registry);
    if (isAdded.isOk())
      hasHalves |= *isAdded;
    else
      problems.push_back("the half of an extension for the compiler is left "
                         "out: " +
                         isAdded.status().message());
  }
  for (const TargetBackend *target : options.targets)
    registerTarget(registry, *target);
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

/// Forwards the compiler's own remarks: upstream's categories are not for
/// users.
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
      kernels(options.findKernel, options.keepKernel),
      mlirContext(makeRegistry(options, problems, hasHalves), noThreads()) {
  // Importers and passes load what else they make; all dialects that there are
  // take some 3 ms. Nobody else knows what a half makes.
  if (hasHalves)
    mlirContext.loadAllAvailableDialects();
  else
    mlirContext.loadDialect<NNHalDialect>();
  handler.emplace(&mlirContext, [this](Diagnostic &diagnostic) {
    handleDiagnostic(diagnostic);
    return success();
  });
  if (options.warning)
    for (const std::string &problem : problems)
      options.warning(problem);
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
  else if (StringRef operation = findOperationText(diagnostic.getLocation());
           !operation.empty())
    stream << operation << ": ";
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
  StringRef name = stringifyRounding(rounding);
  return {name.data(), name.size()};
}

rt::Status Compilation::runPhases(ModuleOp module,
                                  const TargetBackend &target) {
  for (Phase phase : allPhases()) {
    NNHAL_RETURN_IF_ERROR(begin(std::string_view(toString(phase))));
    PassManager manager(&mlirContext, ModuleOp::getOperationName());
#ifdef NDEBUG
    // Each verification costs as much as a pass; tests run with assertions.
    manager.enableVerifier(false);
#endif
    if (!options.crashReproducer.empty())
      reproducer.watch(manager);
    if (options.part)
      manager.addInstrumentation(createPassTimes(options.part));
    bool isLast = phase == Phase::llvm;
    addPhase(manager, phase, target,
             {int64_t(options.constantsOffset), /*inParts=*/isLast, &kernels});
    // Passes before the last phase work on the one function that has
    // everything, so that threads have nothing to share there.
    if (isLast && threads.getMaxConcurrency() > 1)
      mlirContext.setThreadPool(threads);
    LogicalResult result = manager.run(module);
    NNHAL_RETURN_IF_ERROR(checkCancelled());
    if (failed(result))
      return diagnosedFailure();
  }
  return rt::Status();
}

void Compilation::callExtensions(ModuleOp module,
                                 rt::Artifact &artifact) const {
  if (options.extensions.empty())
    return;
  SmallVector<Attribute> names;
  for (const rt::CompiledExtension &extension : options.extensions) {
    const std::string &name = extension.description.name;
    names.push_back(StringAttr::get(module.getContext(), name));
    artifact.extensions.push_back({name, extension.buildIdentity});
  }
  module->setAttr(calledExtensionsAttrName,
                  ArrayAttr::get(module.getContext(), names));
}

/// Refuses inputs that every request gives and whose extents only an execution
/// knows, for a target that has to know them.
static rt::Status checkKnownExtents(const TargetBackend &target,
                                    const rt::Artifact &artifact,
                                    std::vector<uint64_t> requiredInputs) {
  if (!target.needsKnownExtents())
    return rt::Status::ok();
  rt::ArtifactEntry entry;
  entry.presentInputs = std::move(requiredInputs);
  for (const auto &[i, input] : llvm::enumerate(artifact.inputs))
    if (entry.requiresInput(i) && !rt::byteSizeOf(input))
      return rt::badData(
          "input {} of shape [{}] has extents that only an execution knows, "
          "target '{}' needs all of them: its device compiles when it executes",
          i, fmt::join(input.dimensions, ","),
          std::string_view(target.getName()));
  return rt::Status::ok();
}

rt::Result<CompiledArtifact>
Compilation::run(OwningOpRef<ModuleOp> module,
                 std::array<uint8_t, 32> contentKey) {
  NNHAL_ASSIGN_OR_RETURN(const TargetBackend *target,
                         findTargetByName(options.targets, options.targetName));
  NNHAL_ASSIGN_OR_RETURN(
      TargetAttr stated,
      target->describe(mlirContext, options.target, options.rounding));
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
  NNHAL_RETURN_IF_ERROR(
      describeInterface(models.front(), options.extensions, artifact));
  std::vector<uint64_t> requiredInputs = findRequiredInputs(models.front());
  NNHAL_RETURN_IF_ERROR(checkKnownExtents(*target, artifact, requiredInputs));
  if (failed(target->checkSupported(models.front())))
    return diagnosedFailure();
  (*module)->setAttr(targetAttrName, stated);
  callExtensions(*module, artifact);
  NNHAL_RETURN_IF_ERROR(runPhases(*module, *target));

  NNHAL_RETURN_IF_ERROR(begin("codegen"));
  NNHAL_ASSIGN_OR_RETURN(EmittedCode emitted,
                         target->emit(*module, {cancellation, linkObjects,
                                                kernels, options.part}));
  NNHAL_RETURN_IF_ERROR(checkCancelled());
  artifact.entries = std::move(emitted.entries);
  for (rt::ArtifactEntry &entry : artifact.entries)
    entry.presentInputs = requiredInputs;
  artifact.code.push_back(
      {emitted.kind, emitted.cpu, emitted.features, emitted.code});
  artifact.constants = std::move(emitted.constants);
  artifact.routineSlots = std::move(emitted.routineSlots);
  CompiledArtifact result;
  result.dataCache = std::move(emitted.dataCache);
  artifact.dataCacheSize = result.dataCache.size();
  result.modelCache = rt::writeModelCache(artifact);
  return result;
}

/// Returns the part of \p options that decides the artifact, for the content
/// key. The halves of extensions are for the identity of the compiler
/// (LazyCompiler::identity()), which caches compare beside the key.
static std::string describeOptions(const CompilerOptions &options) {
  std::string text(toString(options.rounding));
  if (options.targetName != defaultTargetName)
    text.append(1, '\n').append(options.targetName);
  for (const std::string *field :
       {&options.target.triple, &options.target.cpu, &options.target.features})
    text.append(1, '\n').append(*field);
  for (const std::string &parameter : options.target.parameters)
    text.append(1, '\n').append(parameter);
  for (const rt::CompiledExtension &extension : options.extensions)
    text.append(1, '\n')
        .append(extension.description.name)
        .append(1, '\n')
        .append(extension.buildIdentity);
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
  std::vector<rt::Extension> described;
  described.reserve(options.extensions.size());
  for (const rt::CompiledExtension &extension : options.extensions)
    described.push_back(extension.description);
  importOptions.extensions = described;
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
