//===- nnhal-check-passes.cpp - Every pass on every IR --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs each pass of the project, and the pipeline from each phase, on each
// module that it is given and on what the phases of the compiler make of it.
// Each pair is a process of its own, forked where the module is already in
// memory. A pass either leaves valid IR, or fails after an error: what crashes,
// hangs, takes too much memory, fails without a word or leaves invalid IR is
// printed.
//
//===----------------------------------------------------------------------===//

#include "Planted.h"

#include "nnhal/Compiler/Pipelines.h"
#include "nnhal/ModelIR/Model.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <csignal>
#include <map>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace nnhal;

namespace {
namespace cl = llvm::cl;

// Set once, by the command line.
unsigned jobs = 1;
/// That a pass may take.
unsigned seconds = 20;
/// Address space of a process.
unsigned mebibytes = 4096;
/// Whether what the phases make of a module is left out.
bool asItIs = false;
bool isVerbose = false;

/// How a process ends that ran a pass; other statuses are faults, too.
enum Outcome : int {
  leftValidIR = 0,
  refused = 1,
  failedSilently = 2,
  leftInvalidIR = 3,
  unknownPass = 4,
};

/// Ends the process as soon as a pass has left invalid IR. Where that is a pass
/// of upstream's in a pipeline, the verifier's error is what users get to see.
struct VerifyAfterPass : PassInstrumentation {
  void runAfterPass(Pass *pass, Operation *op) override {
    if (succeeded(verify(op)))
      return;
    StringRef name = pass->getArgument();
    bool isOwn = name.starts_with("nnhal-") || name.starts_with("nnk-") ||
                 name.starts_with("planted-") || name.starts_with("convert-nn");
    _exit(isOwn || name.empty() ? leftInvalidIR : refused);
  }
};

/// Starts processes, and says what became of them.
class Runner {
public:
  /// Runs \p pass on \p module, which \p name stands for.
  void start(ModuleOp module, const std::string &pass, const std::string &name);
  void waitForAll() {
    while (!running.empty())
      waitForOne();
  }
  /// Prints what was done; the exit status.
  int summarize() const;

private:
  struct Pair {
    std::string pass, module;
  };
  void waitForOne();

  std::map<pid_t, Pair> running;
  size_t pairs = 0, valid = 0, rejected = 0, faults = 0;
};
} // namespace

static LogicalResult runPass(ModuleOp module, StringRef pass, bool verifies) {
  // Passes on functions run on those of the module, as in nnhal-opt.
  PassManager manager(module.getContext(), ModuleOp::getOperationName(),
                      OpPassManager::Nesting::Implicit);
  manager.enableVerifier(false);
  if (verifies)
    manager.addInstrumentation(std::make_unique<VerifyAfterPass>());
  auto [name, options] = pass.split('{');
  options.consume_back("}");
  const PassRegistryEntry *entry = PassInfo::lookup(name);
  if (!entry)
    entry = PassPipelineInfo::lookup(name);
  auto report = [](const Twine &message) {
    llvm::errs() << "error: " << message << '\n';
    return failure();
  };
  if (!entry || failed(entry->addToPipeline(manager, options, report)))
    _exit(unknownPass);
  return manager.run(module);
}

/// What the process of one pair does.
[[noreturn]] static void runPair(ModuleOp module, StringRef pass) {
  // Core dumps of thousands of pairs are of no use.
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  rlim_t bytes = rlim_t(mebibytes) << 20;
  rlimit space = {bytes, bytes};
  setrlimit(RLIMIT_AS, &space);
  alarm(seconds);
  bool hasError = false;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        hasError |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return success(!isVerbose);
      });
  bool isDone = succeeded(runPass(module, pass, /*verifies=*/true));
  if (!isDone)
    _exit(hasError ? refused : failedSilently);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  _exit(failed(verify(module)) ? leftInvalidIR : leftValidIR);
}

/// An exception of a pass ends its process; it is no business of this program.
[[noreturn]] static void runPairOrAbort(ModuleOp module, StringRef pass) {
  try {
    runPair(module, pass);
  } catch (...) {
    abort();
  }
}

void Runner::start(ModuleOp module, const std::string &pass,
                   const std::string &name) {
  while (running.size() >= jobs)
    waitForOne();
  pid_t process = fork();
  if (process < 0) {
    llvm::errs() << "error: cannot start a process\n";
    exit(1);
  }
  if (process == 0)
    runPairOrAbort(module, pass);
  running[process] = {pass, name};
}

/// Why \p status is a fault; empty if it is not.
static std::string describeFault(int status) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return ("took more than " + Twine(seconds) + " s").str();
  if (WIFSIGNALED(status))
    return (Twine("ended by signal ") + Twine(WTERMSIG(status)) + " (" +
            strsignal(WTERMSIG(status)) + ")")
        .str();
  switch (WEXITSTATUS(status)) {
  case leftValidIR:
  case refused:
    return {};
  case failedSilently:
    return "failed without an error";
  case leftInvalidIR:
    return "left invalid IR";
  case unknownPass:
    return "is not a pass or pipeline";
  default:
    return ("ended with status " + Twine(WEXITSTATUS(status))).str();
  }
}

void Runner::waitForOne() {
  int status = 0;
  pid_t process = waitpid(-1, &status, 0);
  auto found = running.find(process);
  if (found == running.end())
    return;
  Pair pair = std::move(found->second);
  running.erase(found);
  ++pairs;
  std::string fault = describeFault(status);
  if (!fault.empty()) {
    ++faults;
    llvm::outs() << "FAULT: " << pair.pass << " on " << pair.module << ' '
                 << fault << '\n';
  } else if (WEXITSTATUS(status) == leftValidIR) {
    ++valid;
  } else {
    ++rejected;
  }
  if (isVerbose && fault.empty())
    llvm::outs() << (WEXITSTATUS(status) == refused ? "refused: " : "valid: ")
                 << pair.pass << " on " << pair.module << '\n';
  llvm::outs().flush();
}

int Runner::summarize() const {
  llvm::outs() << pairs << " pairs of a pass and IR: " << valid
               << " left valid IR, " << rejected << " were refused, " << faults
               << " faults\n";
  return faults == 0 && pairs != 0 ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

/// The names of the passes that are registered so far: upstream's register
/// offers no list but what it prints.
static std::vector<std::string> registeredPasses() {
  int memory = memfd_create("passes", MFD_CLOEXEC);
  llvm::outs().flush();
  int out = dup(STDOUT_FILENO);
  dup2(memory, STDOUT_FILENO);
  printRegisteredPasses();
  llvm::outs().flush();
  dup2(out, STDOUT_FILENO);
  close(out);
  std::string text(size_t(lseek(memory, 0, SEEK_END)), '\0');
  ssize_t size = pread(memory, text.data(), text.size(), 0);
  close(memory);
  std::vector<std::string> names;
  SmallVector<StringRef> lines;
  StringRef(text).take_front(size_t(size)).split(lines, '\n');
  for (StringRef line : lines)
    // Options of passes are indented by more.
    if (line.consume_front("  --"))
      names.push_back(
          line.take_until([](char c) { return c == ' '; }).rtrim('-').str());
  return names;
}

static std::vector<std::string> allPasses() {
  std::vector<std::string> passes = registeredPasses();
  passes.push_back("nnhal-compile");
  for (Phase phase : allPhases()) {
    passes.push_back("nnhal-compile{from=" + toString(phase).str() + "}");
    passes.push_back("nnhal-compile{until=" + toString(phase).str() + "}");
  }
  return passes;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

namespace {
/// Checks modules, each in a context of its own: a dialect that one pass has
/// loaded may not hide that another one forgets to.
class Checker {
public:
  Checker(ArrayRef<std::string> passes, Runner &runner)
      : passes(passes), runner(runner) {
    registerAllDialects(registry);
    registerAllExtensions(registry);
    registerCompilerDialects(registry);
  }

  /// Runs all passes on \p text, and on what the phases make of it. Fails when
  /// it is not a module.
  LogicalResult checkText(std::string text, const std::string &name);
  LogicalResult checkFile(const std::string &path);

private:
  FailureOr<std::string> readTFLite(const std::string &path);
  /// What \p phase makes of \p module; empty when it does not take it.
  std::string runPhase(ModuleOp module, Phase phase);

  ArrayRef<std::string> passes;
  Runner &runner;
  DialectRegistry registry;
};
} // namespace

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

std::string Checker::runPhase(ModuleOp module, Phase phase) {
  std::string pipeline = "nnhal-compile{until=" + toString(phase).str();
  if (phase != Phase::legalize)
    pipeline += " from=" + toString(Phase(int(phase) - 1)).str();
  pipeline += "}";
  // What a phase does not take would end this process.
  pid_t process = fork();
  if (process == 0)
    runPairOrAbort(module, pipeline);
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) < 0 || !WIFEXITED(status) ||
      WEXITSTATUS(status) != leftValidIR ||
      failed(runPass(module, pipeline, /*verifies=*/false)))
    return {};
  // The pipeline would refuse to do a phase again; passes have to.
  module->removeAttr(phaseAttrName);
  return print(module);
}

LogicalResult Checker::checkText(std::string text, const std::string &name) {
  std::string stage = name;
  for (size_t next = 0; !text.empty(); ++next) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.allowUnregisteredDialects();
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context), stage);
    if (!module)
      return failure();
    for (const std::string &pass : passes)
      runner.start(*module, pass, stage);
    runner.waitForAll();
    if (asItIs || next == allPhases().size())
      return success();
    text = runPhase(*module, allPhases()[next]);
    stage = name + " after " + toString(allPhases()[next]).str();
  }
  return success();
}

FailureOr<std::string> Checker::readTFLite(const std::string &path) {
  rt::Result<rt::Memory> file = rt::Memory::readFile(path);
  if (!file.isOk()) {
    llvm::errs() << "error: " << file.status().message() << '\n';
    return failure();
  }
  rt::Result<rt::AnnotatedModel> model = rt::importTFLite(*file);
  if (!model.isOk()) {
    llvm::errs() << "error: " << path << ": " << model.status().message()
                 << '\n';
    return failure();
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = importModel(*model, &context);
  if (!module)
    return failure();
  return print(*module);
}

/// A model, or a file of modules that are divided as `--split-input-file`
/// divides them.
LogicalResult Checker::checkFile(const std::string &path) {
  std::string name = llvm::sys::path::filename(path).str();
  if (StringRef(path).ends_with(".tflite")) {
    FailureOr<std::string> text = readTFLite(path);
    return failed(text) ? failure() : checkText(std::move(*text), name);
  }
  std::string problem;
  auto buffer = openInputFile(path, &problem);
  if (!buffer) {
    llvm::errs() << "error: " << problem << '\n';
    return failure();
  }
  SmallVector<StringRef> parts;
  buffer->getBuffer().split(parts, "// -----\n");
  if (parts.size() == 1)
    return checkText(parts.front().str(), name);
  bool areModules = true;
  for (auto [index, text] : llvm::enumerate(parts))
    areModules &= succeeded(
        checkText(text.str(), name + "#" + std::to_string(index + 1)));
  return success(areModules);
}

static int checkAll(int argc, char **argv) {
  cl::list<std::string> files(cl::Positional, cl::desc("FILE..."));
  cl::list<std::string> only(
      "pass", cl::desc("Run this pass or pipeline, with its options in braces, "
                       "instead of all"));
  cl::opt<unsigned, true> jobsOption("jobs", cl::location(jobs),
                                     cl::desc("Processes at once"));
  cl::opt<unsigned, true> timeOption("time", cl::location(seconds),
                                     cl::desc("Seconds that a pass may take"));
  cl::opt<unsigned, true> memoryOption(
      "memory", cl::location(mebibytes),
      cl::desc("Address space of a process, in MiB"));
  cl::opt<bool, true> asItIsOption("as-it-is", cl::location(asItIs),
                                   cl::desc("Not what the phases make of it"));
  cl::opt<bool, true> verboseOption("v", cl::location(isVerbose),
                                    cl::desc("Print every pair"));
  registerAllPasses();
  std::vector<std::string> passes = allPasses();
  registerPlantedPasses();
  cl::ParseCommandLineOptions(
      argc, argv, "Runs every pass of the project on every IR of FILEs\n");
  if (files.empty()) {
    llvm::errs() << "error: no file to check; try --help\n";
    return 2;
  }
  if (!only.empty())
    passes.assign(only.begin(), only.end());
  Runner runner;
  Checker checker(passes, runner);
  bool isRead = true;
  for (const std::string &path : files)
    isRead &= succeeded(checker.checkFile(path));
  int status = runner.summarize();
  return isRead ? status : 1;
}

int main(int argc, char **argv) {
  try {
    return checkAll(argc, argv);
  } catch (const std::exception &error) {
    llvm::errs() << "error: " << error.what() << '\n';
    return 1;
  }
}
