//===- ReduceModel.cpp - Smaller models with the same fault ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that no change makes smaller is found in four steps. Each changes a
// copy of the smallest module so far, which the test replaces if it accepts it:
//
//   1. the main graph returns the results of one operation, the first that
//      will do;
//   2. what the operations before one compute becomes an input, the last that
//      will do;
//   3. the results of each operation that is left become inputs, one operation
//      after the other;
//   4. constants become zeros, or ones.
//
// The first two search by bisection, because a fault in one operation is there
// in every graph that has the operation.
//
//===----------------------------------------------------------------------===//

#include "ReduceModel.h"

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/Dialect/NNHal/IR/OperandTypes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Reducer/Tester.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Changes of a module
//===----------------------------------------------------------------------===//

static ModelOp modelOf(ModuleOp module) {
  auto models = module.getOps<ModelOp>();
  return models.empty() ? ModelOp() : *models.begin();
}

static bool isConstant(Operation *op) {
  return isa<NoValueOp, SubgraphReferenceOp, ConstantCopyOp,
             ConstantReferenceOp, ConstantOp>(op);
}

/// What the main graph of \p module computes, in order.
static SmallVector<Operation *> computationsOf(ModuleOp module) {
  SmallVector<Operation *> computations;
  for (Operation &op : modelOf(module).getMainGraph().getBody().front())
    if (!isConstant(&op) && !op.hasTrait<OpTrait::IsTerminator>())
      computations.push_back(&op);
  return computations;
}

static SmallVector<Operation *> constantsOf(ModuleOp module) {
  SmallVector<Operation *> constants;
  for (Operation &op : modelOf(module).getMainGraph().getBody().front())
    if (isa<ConstantCopyOp, ConstantReferenceOp>(op))
      constants.push_back(&op);
  return constants;
}

/// Erases what nothing needs: operations, inputs, pools and graphs. Names and
/// numbers of inputs and outputs go, because a writer chooses others.
static void cleanUp(ModuleOp module) {
  ModelOp model = modelOf(module);
  GraphOp graph = model.getMainGraph();
  Block &body = graph.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  body.eraseArguments(
      [](BlockArgument argument) { return argument.use_empty(); });
  graph.setFunctionType(
      FunctionType::get(module.getContext(), body.getArgumentTypes(),
                        body.getTerminator()->getOperandTypes()));
  for (StringAttr name :
       {graph.getArgAttrsAttrName(), graph.getResAttrsAttrName(),
        graph.getInputOperandsAttrName(), graph.getInputNamesAttrName(),
        graph.getOutputNamesAttrName(), graph.getStatePairsAttrName()})
    graph->removeAttr(name);
  auto symbols =
      llvm::to_vector(model.getBody().front().getOps<SymbolOpInterface>());
  for (SymbolOpInterface symbol : symbols)
    if (symbol != graph && symbol.symbolKnownUseEmpty(model))
      symbol.erase();
}

/// Lets inputs stand for the results of \p op where users are not of \p except.
static void makeInputs(Operation *op,
                       const DenseSet<Operation *> &except = {}) {
  for (OpResult result : op->getResults()) {
    auto isOther = [&](OpOperand &use) {
      return !except.contains(use.getOwner());
    };
    if (llvm::none_of(result.getUses(), isOther))
      continue;
    Value input = op->getBlock()->addArgument(result.getType(), op->getLoc());
    result.replaceUsesWithIf(input, isOther);
  }
}

/// Lets the main graph return what computation \p index yields.
static void endAfter(ModuleOp module, size_t index) {
  Operation *last = computationsOf(module)[index];
  last->getBlock()->getTerminator()->setOperands(last->getResults());
}

/// Lets inputs stand for what the computations before \p index yield.
static void beginAt(ModuleOp module, size_t index) {
  SmallVector<Operation *> before = computationsOf(module);
  before.truncate(index);
  DenseSet<Operation *> erased(before.begin(), before.end());
  for (Operation *op : before)
    makeInputs(op, erased);
}

/// Replaces constant \p index by one of which every element is \p element.
static bool makeSplat(ModuleOp module, size_t index, int element) {
  Operation *constant = constantsOf(module)[index];
  Type type = constant->getResult(0).getType();
  auto storage = dyn_cast_or_null<RankedTensorType>(storageTypeOf(type));
  if (!storage || !storage.hasStaticShape() || storage.getNumElements() < 2)
    return false;
  if (auto copy = dyn_cast<ConstantCopyOp>(constant))
    if (auto value = dyn_cast<DenseElementsAttr>(copy.getValue());
        value && value.isSplat())
      return false;
  OpBuilder builder(constant);
  TypedAttr one = element ? builder.getOneAttr(storage.getElementType())
                          : builder.getZeroAttr(storage.getElementType());
  if (!one)
    return false;
  auto splat =
      ConstantCopyOp::create(builder, constant->getLoc(), type,
                             DenseElementsAttr::get(storage, Attribute(one)),
                             IntegerAttr(), IntegerAttr());
  constant->replaceAllUsesWith(splat);
  return true;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
class Search {
public:
  Search(ModuleOp module, const Tester &tester)
      : smallest(module.clone()), tester(tester) {}

  bool isInteresting(ModuleOp module) const {
    return tester.isInteresting(module).first == Tester::Interestingness::True;
  }
  /// Changes a copy of \p base, and keeps it where it is valid and interesting.
  bool accepts(ModuleOp base, llvm::function_ref<bool(ModuleOp)> change);
  void run();
  ModuleOp result() { return *smallest; }

private:
  void bisectEnd();
  void bisectBeginning();
  void removeEach();
  void simplifyConstants();

  OwningOpRef<ModuleOp> smallest;
  const Tester &tester;
};
} // namespace

bool Search::accepts(ModuleOp base, llvm::function_ref<bool(ModuleOp)> change) {
  OwningOpRef<ModuleOp> candidate = base.clone();
  if (!change(*candidate))
    return false;
  cleanUp(*candidate);
  // A change that is not valid is one that is not made.
  ScopedDiagnosticHandler silence(candidate->getContext(),
                                  [](Diagnostic &) { return success(); });
  if (failed(verify(*candidate)) || !isInteresting(*candidate))
    return false;
  smallest = std::move(candidate);
  return true;
}

void Search::bisectEnd() {
  OwningOpRef<ModuleOp> base = smallest->clone();
  size_t low = 0, high = computationsOf(*base).size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    bool isEnough = accepts(*base, [&](ModuleOp module) {
      endAfter(module, middle);
      return true;
    });
    (isEnough ? high : low) = isEnough ? middle : middle + 1;
  }
}

void Search::bisectBeginning() {
  OwningOpRef<ModuleOp> base = smallest->clone();
  // Nothing is before 0, and something must be left.
  size_t low = 0, high = computationsOf(*base).size();
  while (low + 1 < high) {
    size_t middle = (low + high) / 2;
    bool isEnough = accepts(*base, [&](ModuleOp module) {
      beginAt(module, middle);
      return true;
    });
    (isEnough ? low : high) = middle;
  }
}

void Search::removeEach() {
  for (size_t index = computationsOf(*smallest).size(); index-- > 0;) {
    // What only a removed operation needed is gone with it.
    index = std::min(index, computationsOf(*smallest).size() - 1);
    accepts(*smallest, [&](ModuleOp module) {
      SmallVector<Operation *> computations = computationsOf(module);
      if (computations.size() == 1)
        return false;
      makeInputs(computations[index]);
      return true;
    });
  }
}

void Search::simplifyConstants() {
  for (size_t index = constantsOf(*smallest).size(); index-- > 0;)
    for (int element : {0, 1})
      if (accepts(*smallest, [&](ModuleOp module) {
            return makeSplat(module, index, element);
          }))
        break;
}

void Search::run() {
  accepts(*smallest, [](ModuleOp) { return true; });
  bisectEnd();
  bisectBeginning();
  removeEach();
  simplifyConstants();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
class ReduceModel final
    : public PassWrapper<ReduceModel, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceModel)

  ReduceModel() = default;
  ReduceModel(const ReduceModel &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "nnhal-reduce-model"; }
  StringRef getDescription() const override {
    return "Reduce a model to the operations that a test wants";
  }
  void runOnOperation() override;

private:
  Option<std::string> test{
      *this, "test",
      llvm::cl::desc("The program that gets the file of a module, and exits "
                     "with 0 if it is not interesting, with 2 if it was called "
                     "wrongly, and with another status if it is")};
  ListOption<std::string> testArguments{
      *this, "test-arg", llvm::cl::desc("Arguments of it, before the file")};
};
} // namespace

/// The exit status of \p program with \p arguments and the file of \p module;
/// below 0 if there is none.
static int statusOf(const std::string &program, ArrayRef<std::string> arguments,
                    ModuleOp module) {
  SmallString<128> path;
  int descriptor = -1;
  if (llvm::sys::fs::createTemporaryFile("nnhal-reduce", "mlir", descriptor,
                                         path))
    return -1;
  llvm::FileRemover remover(path);
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  module.print(file);
  file.close();
  SmallVector<StringRef> call = {program};
  call.append(arguments.begin(), arguments.end());
  call.push_back(path);
  return llvm::sys::ExecuteAndWait(program, call);
}

void ReduceModel::runOnOperation() {
  ModuleOp module = getOperation();
  if (!modelOf(module)) {
    module.emitError("there is no nnhal.model to reduce; --reduction-tree "
                     "reduces other operations");
    return signalPassFailure();
  }
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(test);
  if (!program) {
    module.emitError("there is no program '")
        << test << "' to ask (option test)";
    return signalPassFailure();
  }
  SmallVector<std::string> arguments(testArguments.begin(),
                                     testArguments.end());
  // A smaller module does not mend a call.
  constexpr int wrongUsage = 2;
  int status = statusOf(*program, arguments, module);
  if (status == wrongUsage) {
    module.emitError("'") << test
                          << "' was called wrongly, says its exit status of "
                          << status;
    return signalPassFailure();
  }
  if (status == 0) {
    module.emitError("the module is not interesting to '") << test << "'";
    return signalPassFailure();
  }
  Tester tester(*program, arguments);
  Search search(module, tester);
  search.run();
  module.getBodyRegion().takeBody(search.result().getBodyRegion());
}

void nnhal::registerReduceModel() { PassRegistration<ReduceModel>(); }
