//===- PlantedFaults.cpp - Passes with faults in some operations ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plug-in of nnhal-opt, for tests of what finds faults. Each pass has an
// option `operation`, and does nothing to models without that operation of the
// HAL.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <csignal>

using namespace mlir;

namespace {
template <typename Fault>
class PlantedFault final
    : public PassWrapper<PlantedFault<Fault>, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlantedFault)

  PlantedFault() = default;
  PlantedFault(const PlantedFault &other)
      : PassWrapper<PlantedFault<Fault>, OperationPass<ModuleOp>>(other) {}

  StringRef getArgument() const override { return Fault::argument; }
  StringRef getDescription() const override { return Fault::description; }
  void runOnOperation() override {
    this->getOperation().walk([&](nnhal::OperationOp op) {
      if (op.getHalName() == operation && failed(Fault::happen(op)))
        this->signalPassFailure();
    });
  }

private:
  Pass::Option<std::string> operation{
      *this, "operation", llvm::cl::desc("The HAL's name of the operation")};
};

struct Failure {
  static constexpr llvm::StringLiteral argument = "planted-failure";
  static constexpr llvm::StringLiteral description = "Fail at an operation";
  static LogicalResult happen(nnhal::OperationOp op) {
    return op.emitOpError("has a planted fault");
  }
};

struct Crash {
  static constexpr llvm::StringLiteral argument = "planted-crash";
  static constexpr llvm::StringLiteral description =
      "End the process at an operation, as a bad pointer does";
  static LogicalResult happen(nnhal::OperationOp) {
    return success(std::raise(SIGSEGV) == 0);
  }
};
} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "PlantedFaults", "1.0", [] {
            PassRegistration<PlantedFault<Failure>>();
            PassRegistration<PlantedFault<Crash>>();
          }};
}
