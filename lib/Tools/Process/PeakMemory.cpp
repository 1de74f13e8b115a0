//===- PeakMemory.cpp - What a process has taken --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakMemory.h"

#include <fstream>
#include <string>

using namespace nnhal;

uint64_t tools::peakResidentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes)
      return kilobytes * 1024;
  }
  return 0;
}
