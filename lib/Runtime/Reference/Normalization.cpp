//===- Normalization.cpp - What the Normalization operations compute ----*- C++
//-*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

std::span<const KernelRow> reference::normalizationKernels() { return {}; }
