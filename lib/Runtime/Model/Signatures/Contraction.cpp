//===- Contraction.cpp - Forms of the Contraction operations ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace nnhal::rt;
using namespace nnhal::rt::signatures;

std::span<const Row> signatures::contractionRows() { return {}; }
