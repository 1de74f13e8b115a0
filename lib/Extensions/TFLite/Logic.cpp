//===- Logic.cpp - Operators of truths ------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Families.h"

using namespace nnhal;
using namespace nnhal::tflite;

namespace {

constexpr ElementSet truthsOnly = elementSet(Element::boolean);

Result<Types> checkBinary(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, truthsOnly));
  NNHAL_ASSIGN_OR_RETURN(Extents extents, checkBroadcast(use, 0, 1));
  return onlyResult(use, std::move(extents));
}

template <typename Function> Status combine(Run &run, Function function) {
  const Use &use = run.use;
  NNHAL_ASSIGN_OR_RETURN(uint8_t *to, run.allocate<uint8_t>(0));
  mapBinary(
      to, run.types[0].dimensions, use.data<uint8_t>(0),
      use.input(0).dimensions, use.data<uint8_t>(1), use.input(1).dimensions,
      [=](uint8_t a, uint8_t b) { return uint8_t(function(a != 0, b != 0)); });
  return Status::ok();
}

Status runAnd(Run &run) { return combine(run, std::logical_and<>()); }
Status runOr(Run &run) { return combine(run, std::logical_or<>()); }

Result<Types> checkNot(const Use &use) {
  NNHAL_RETURN_IF_ERROR(use.checkResultElement(0, truthsOnly));
  return onlyResult(use, use.input(0).dimensions);
}

Status runNot(Run &run) {
  NNHAL_ASSIGN_OR_RETURN(uint8_t *to, run.allocate<uint8_t>(0));
  const auto *from = run.use.data<uint8_t>(0);
  for (int64_t index = 0; index < elementCount(run.types[0]); ++index)
    to[index] = uint8_t(from[index] == 0);
  return Status::ok();
}

constexpr OperatorRow rows[] = {
    {84, "LOGICAL_OR", "a b ", 0, truthsOnly, {}, 1, checkBinary, runOr},
    {86, "LOGICAL_AND", "a b ", 0, truthsOnly, {}, 1, checkBinary, runAnd},
    {87, "LOGICAL_NOT", "input ", 0, truthsOnly, {}, 1, checkNot, runNot},
};

} // namespace

Rows tflite::logicRows() { return rows; }
