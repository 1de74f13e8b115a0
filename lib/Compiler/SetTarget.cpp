//===- SetTarget.cpp - Stating what a module is compiled for --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SetTarget.h"

#include "Target/Targets.h"
#include "nnhal/Conversion/SharedOptions.h"

using namespace mlir;
using namespace nnhal;

namespace {
struct SetTargetPass : PassWrapper<SetTargetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetPass)

  SetTargetPass() = default;
  SetTargetPass(const SetTargetPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "nnhal-set-target"; }
  StringRef getDescription() const override {
    return "State in a module what it is compiled for (nnhal.target)";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<NNHalDialect>();
  }
  void runOnOperation() override;

  /// Whether an option says anything. Those that have their defaults do not:
  /// reproducers state all.
  bool isGiven() const {
    return !name.getValue().empty() || !triple.getValue().empty() ||
           !cpu.getValue().empty() || !features.getValue().empty() ||
           !parameters.empty() ||
           rounding.getValue() != rt::Rounding::doubleRounding;
  }

  Option<std::string> name{*this, "name",
                           llvm::cl::desc("The target (default cpu)")};
  Option<std::string> triple{*this, "triple",
                             llvm::cl::desc("LLVM's triple of the machine")};
  Option<std::string> cpu{*this, "cpu",
                          llvm::cl::desc("LLVM's name of the processor, or "
                                         "host for that of this machine")};
  Option<std::string> features{
      *this, "features",
      llvm::cl::desc("Features that are added to those of the processor")};
  ListOption<std::string> parameters{
      *this, "parameters",
      llvm::cl::desc("Parameters of the target, each as name=value")};
  Option<rt::Rounding> rounding{
      *this, "rounding", llvm::cl::desc("Of quantized results (decisions 17)"),
      llvm::cl::init(rt::Rounding::doubleRounding), roundingValues()};
};
} // namespace

void SetTargetPass::runOnOperation() {
  ModuleOp module = getOperation();
  // IR of a later phase says what it was made for.
  if (!isGiven() && module->hasAttr(targetAttrName))
    return;
  rt::Result<const TargetBackend *> target = findTargetByName(
      builtInTargets(),
      name.getValue().empty() ? defaultTargetName.str() : name.getValue());
  if (!target.isOk()) {
    module.emitError(target.status().message());
    return signalPassFailure();
  }
  TargetOptions options{triple.getValue(), cpu.getValue(), features.getValue()};
  options.parameters.assign(parameters.begin(), parameters.end());
  options.isOfNoMachine = true;
  rt::Result<TargetAttr> attribute =
      (*target)->describe(getContext(), options, rounding);
  if (!attribute.isOk()) {
    module.emitError(attribute.status().message());
    return signalPassFailure();
  }
  module->setAttr(targetAttrName, *attribute);
}

std::unique_ptr<Pass>
nnhal::createSetTarget(const CompilePipelineOptions &options) {
  auto pass = std::make_unique<SetTargetPass>();
  if (options.target.hasValue())
    pass->name = options.target.getValue();
  if (options.targetTriple.hasValue())
    pass->triple = options.targetTriple.getValue();
  if (options.targetCpu.hasValue())
    pass->cpu = options.targetCpu.getValue();
  if (options.targetFeatures.hasValue())
    pass->features = options.targetFeatures.getValue();
  if (options.targetParameters.hasValue())
    pass->parameters =
        llvm::to_vector_of<std::string>(options.targetParameters);
  if (options.rounding.hasValue())
    pass->rounding = options.rounding.getValue();
  return pass;
}

void nnhal::registerSetTargetPass() { PassRegistration<SetTargetPass>(); }
