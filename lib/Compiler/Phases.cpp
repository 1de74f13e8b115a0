//===- Phases.cpp - The phases of a compilation ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Compiler/Phases.h"

#include "nnhal/Codegen/EntryFunction.h"
#include "nnhal/Dialect/Kernel/Kernel.h"
#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nnhal;

static constexpr Phase phases[] = {
    Phase::legalize, Phase::lower,     Phase::fuse,    Phase::bufferize,
    Phase::plan,     Phase::vectorize, Phase::outline, Phase::llvm};

llvm::ArrayRef<Phase> nnhal::allPhases() { return phases; }

StringRef nnhal::toString(Phase phase) {
  switch (phase) {
  case Phase::legalize:
    return "legalize";
  case Phase::lower:
    return "lower";
  case Phase::fuse:
    return "fuse";
  case Phase::bufferize:
    return "bufferize";
  case Phase::plan:
    return "plan";
  case Phase::vectorize:
    return "vectorize";
  case Phase::outline:
    return "outline";
  case Phase::llvm:
    return "llvm";
  }
  llvm_unreachable("closed list");
}

std::string nnhal::listPhases() {
  return llvm::join(
      llvm::map_range(phases, [](Phase phase) { return toString(phase); }),
      ", ");
}

static std::optional<Phase> phaseOfName(StringRef name) {
  for (Phase phase : phases)
    if (toString(phase) == name)
      return phase;
  return std::nullopt;
}

bool PhaseParser::parse(llvm::cl::Option &option, StringRef name,
                        StringRef text, Phase &phase) {
  std::optional<Phase> found = phaseOfName(text);
  if (!found)
    return option.error("there is no phase '" + text + "': the phases are " +
                        listPhases());
  phase = *found;
  return false;
}

void PhaseParser::print(llvm::raw_ostream &stream, Phase phase) {
  stream << toString(phase);
}

//===----------------------------------------------------------------------===//
// Telling the phase
//===----------------------------------------------------------------------===//

static std::optional<Phase> statedPhase(ModuleOp module) {
  auto stated = module->getAttrOfType<StringAttr>(phaseAttrName);
  return stated ? phaseOfName(stated.getValue()) : std::nullopt;
}

/// What the entry function \p entry consists of.
static Phase phaseOfEntry(func::FuncOp entry) {
  bool hasTensors = false, isHighLevel = false;
  entry.walk([&](Operation *op) {
    hasTensors |=
        llvm::any_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
    isHighLevel |= isa<linalg::LinalgOp, kernel::KernelOpInterface>(op);
  });
  if (hasTensors)
    return Phase::lower;
  if (!entry->hasAttr(arenaLowerBoundAttrName))
    return Phase::bufferize;
  return isHighLevel ? Phase::plan : Phase::vectorize;
}

std::optional<Phase> nnhal::findPhase(ModuleOp module) {
  if (std::optional<Phase> stated = statedPhase(module))
    return stated;
  if (!module.getOps<ModelOp>().empty())
    return std::nullopt;
  if (module.lookupSymbol<LLVM::LLVMFuncOp>(entrySymbolName))
    return Phase::llvm;
  if (module.lookupSymbol<func::FuncOp>(entrySymbolName))
    return Phase::outline;
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(entryAttrName))
      return phaseOfEntry(function);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct CheckPhasePass : PassWrapper<CheckPhasePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckPhasePass)

  CheckPhasePass() = default;
  CheckPhasePass(const CheckPhasePass &other) : PassWrapper(other) {}
  explicit CheckPhasePass(std::optional<Phase> previous) {
    if (previous)
      phase = *previous;
  }

  StringRef getArgument() const override { return "nnhal-check-phase"; }
  StringRef getDescription() const override {
    return "Fail unless a module is as a phase of nnhal-compile leaves it";
  }
  void runOnOperation() override;

  Option<Phase, PhaseParser> phase{
      *this, "phase",
      llvm::cl::desc("The phase; without one, no phase may have been run")};
};

struct MarkPhasePass : PassWrapper<MarkPhasePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkPhasePass)

  MarkPhasePass() = default;
  MarkPhasePass(const MarkPhasePass &other) : PassWrapper(other) {}
  explicit MarkPhasePass(Phase phase) { this->phase = phase; }

  StringRef getArgument() const override { return "nnhal-mark-phase"; }
  StringRef getDescription() const override {
    return "State after which phase of nnhal-compile a module is";
  }
  void runOnOperation() override {
    getOperation()->setAttr(phaseAttrName,
                            StringAttr::get(&getContext(), toString(phase)));
  }

  Option<Phase, PhaseParser> phase{*this, "phase", llvm::cl::desc("The phase"),
                                   llvm::cl::init(Phase::llvm)};
};
} // namespace

/// Whether IR after \p found, which was told from its operations, may as well
/// be after \p wanted.
static bool lookAlike(Phase found, Phase wanted) {
  return found == wanted || (found == Phase::lower && wanted == Phase::fuse) ||
         (found == Phase::vectorize && wanted == Phase::plan);
}

void CheckPhasePass::runOnOperation() {
  ModuleOp module = getOperation();
  std::optional<Phase> stated = statedPhase(module);
  auto name = module->getAttrOfType<StringAttr>(phaseAttrName);
  if (name && !stated) {
    module.emitError("'") << phaseAttrName << "' is " << name
                          << ", which is no phase: the phases are "
                          << listPhases();
    return signalPassFailure();
  }
  if (!phase.hasValue()) {
    if (!stated)
      return;
    module.emitError("the module is after phase '")
        << toString(*stated) << "': continue with from=" << toString(*stated);
    return signalPassFailure();
  }
  if (!stated && phase != Phase::legalize &&
      !module.getOps<ModelOp>().empty()) {
    module.emitError("the module has an nnhal.model, which phase '")
        << toString(phase) << "' leaves none of: from=" << toString(phase)
        << " continues after that phase";
    return signalPassFailure();
  }
  std::optional<Phase> found = findPhase(module);
  if (!found || (stated ? *found == phase : lookAlike(*found, phase)))
    return;
  module.emitError("the module is after phase '")
      << toString(*found) << "', but from=" << toString(phase)
      << " continues after phase '" << toString(phase) << "'";
  signalPassFailure();
}

std::unique_ptr<Pass> nnhal::createCheckPhase(std::optional<Phase> previous) {
  return std::make_unique<CheckPhasePass>(previous);
}

std::unique_ptr<Pass> nnhal::createMarkPhase(Phase phase) {
  return std::make_unique<MarkPhasePass>(phase);
}

void nnhal::registerPhasePasses() {
  PassRegistration<CheckPhasePass>();
  PassRegistration<MarkPhasePass>();
}
