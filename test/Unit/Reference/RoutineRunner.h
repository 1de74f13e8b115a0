//===- RoutineRunner.h - Runs one routine on numbers ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_REFERENCE_ROUTINERUNNER_H
#define NNHAL_TEST_UNIT_REFERENCE_ROUTINERUNNER_H

#include "../Rules/OperationBuilder.h"
#include "Runtime/Routines/Routine.h"

#include "Runtime/Support/Errors.h"

#include <span>
#include <string>
#include <vector>

namespace nnhal::rt::testing {

/// The numbers that a routine stored, in the storage type, or why it did not.
struct RoutineOutcome {
  Status status;
  std::vector<std::vector<double>> values;
  std::vector<std::vector<int64_t>> shapes;
};

/// Checks the use of an operation and runs its routine, one of \p routines.
inline RoutineOutcome
runRoutine(std::span<const reference::RoutineRow> routines,
           const OperationBuilder &builder) {
  RoutineOutcome outcome;
  Result<OperationFacts> facts = builder.check();
  if (!facts.isOk()) {
    outcome.status = facts.status();
    return outcome;
  }
  for (const reference::RoutineRow &row : routines) {
    if (row.type != builder.operation().type)
      continue;
    reference::RoutineContext context(builder.operation(), *facts);
    outcome.status = row.routine(context);
    for (size_t i = 0; outcome.status.isOk() && i < context.outputCount();
         ++i) {
      outcome.values.push_back(
          fromBytes(context.outputType(i).type, context.takeOutput(i)));
      outcome.shapes.push_back(context.outputShape(i));
    }
    return outcome;
  }
  outcome.status =
      failure("no routine for {}", nameOf(builder.operation().type));
  return outcome;
}

/// The values of the only output; empty when the routine failed.
inline std::vector<double>
runForValues(std::span<const reference::RoutineRow> routines,
             const OperationBuilder &builder) {
  RoutineOutcome outcome = runRoutine(routines, builder);
  return outcome.status.isOk() ? outcome.values.front() : std::vector<double>();
}

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_REFERENCE_ROUTINERUNNER_H
