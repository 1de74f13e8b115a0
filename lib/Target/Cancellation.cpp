//===- Cancellation.cpp - Whether a compilation shall stop ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cancellation.h"

#include "mlir/IR/Action.h"
#include "mlir/Pass/Pass.h"

using namespace nnhal;

using Clock = std::chrono::steady_clock;

/// Far below the 50 ms in which a compilation stops.
static constexpr Clock::duration questionInterval =
    std::chrono::milliseconds(1);

Cancellation::Cancellation(std::function<bool()> question)
    : question(std::move(question)), owner(std::this_thread::get_id()) {}

bool Cancellation::ask() {
  if (isRequested() || !mayAsk())
    return isRequested();
  if (question())
    requested.store(true, std::memory_order_relaxed);
  nextQuestion = Clock::now() + questionInterval;
  return isRequested();
}

bool Cancellation::poll() {
  if (isRequested() || !mayAsk() || Clock::now() < nextQuestion)
    return isRequested();
  return ask();
}

void Cancellation::watch(mlir::MLIRContext &context) {
  if (!question)
    return;
  // MLIR hands passes, iterations of rewriting and applications of patterns to
  // the handler, which runs them or not. One that is not run has not failed.
  context.registerActionHandler([this](llvm::function_ref<void()> run,
                                       const mlir::tracing::Action &action) {
    bool isPass = llvm::isa<mlir::PassExecutionAction>(action);
    if (isPass ? !ask() : !poll())
      run();
  });
}
