//===- InterruptibleEmission.cpp - Code generation that can stop ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterruptibleEmission.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Pass.h"

using namespace nnhal;
using namespace llvm;

namespace {
/// Empties functions once a compilation shall stop.
class EmptyFunctions final : public FunctionPass {
public:
  explicit EmptyFunctions(Cancellation &cancellation)
      : FunctionPass(id), cancellation(cancellation) {}

  StringRef getPassName() const override {
    return "Empty functions of a cancelled compilation";
  }
  bool runOnFunction(Function &function) override;

private:
  static char id;
  Cancellation &cancellation;
};
} // namespace

char EmptyFunctions::id = 0;

bool EmptyFunctions::runOnFunction(Function &function) {
  if (!cancellation.poll())
    return false;
  // Machine code refers to the blocks that it was made of.
  auto *machine = getAnalysisIfAvailable<MachineModuleInfoWrapperPass>();
  if (machine && machine->getMMI().getMachineFunction(function))
    return false;
  for (BasicBlock &block : function)
    block.dropAllReferences();
  while (!function.empty())
    function.back().eraseFromParent();
  auto *block = BasicBlock::Create(function.getContext(), "", &function);
  IRBuilder<>(block).CreateUnreachable();
  return true;
}

void InterruptibleEmission::add(Pass *pass) {
  std::unique_ptr<Pass> owned(pass);
  if (llvm::is_contained(leftOut, pass->getPassName()))
    return;
  // Adjacent passes on functions run on one function after another, so that
  // the first of them runs just before the code of a function is begun.
  bool isOfFunction = pass->getPassKind() == PT_Function;
  if (isOfFunction && !isInFunctions)
    passes.add(std::make_unique<EmptyFunctions>(cancellation).release());
  isInFunctions = isOfFunction;
  passes.add(owned.release());
}
