//===- NoRoofs.cpp - No roofs without the instructions of x86-64 ----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Roofs.h"

using namespace nnhal;

double nnhal::measureFmaPeak(double /*seconds*/) { return 0; }
double nnhal::measureWideFmaPeak(double /*seconds*/) { return 0; }
double nnhal::measurePairPeak(double /*seconds*/) { return 0; }
double nnhal::measureQuadPeak(double /*seconds*/) { return 0; }
double nnhal::measureReadBandwidth(size_t /*bytes*/, double /*seconds*/) {
  return 0;
}
MemoryLevels nnhal::memoryLevels() { return {}; }
