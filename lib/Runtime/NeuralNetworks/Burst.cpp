//===- Burst.cpp - A burst of executions ----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Burst.h"

#include "Boundary.h"

#include <cstdlib>

using namespace nnhal;
using namespace nnhal::ndk;

int ndk::createBurst(const Compilation &compilation, Burst **burst) {
  if (!compilation.isFinished())
    return ANEURALNETWORKS_BAD_STATE;
  auto made = compilation.prepared().createBurst(
      rt::burstOptions(compilation.executionPreference(), getenv));
  if (!made.isOk())
    return resultCodeOf(made.status());
  *burst = new Burst(compilation, *std::move(made));
  return ANEURALNETWORKS_NO_ERROR;
}
