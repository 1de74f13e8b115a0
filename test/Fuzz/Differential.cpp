//===- Differential.cpp - Compiled code against the reference device ------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is the seed of a random graph with its inputs, in the numbers that
// test/RandomGraph knows: nnhal-cpu compiles it, and its outputs are judged
// against those of nnhal-reference. NNHAL_FUZZ_COMPILER names the compiler's
// library, which is not instrumented.
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "CompilingDevice.h"
#include "FuzzTarget.h"
#include "Seed.h"

#include "nnhal/Runtime/ReferenceDevice.h"

#include <fmt/format.h>

#include <cstdlib>

using namespace nnhal;
using namespace nnhal::rt::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const rt::Device &reference = *rt::createReferenceDevice().release();
  const char *folder = std::getenv("NNHAL_FUZZ_FAILURES");
  auto seed = ByteReader(bytesOf(data, size)).number<uint64_t>();
  randomgraph::SeedReport report = randomgraph::runSeed(
      compilingDevice(), reference, seed, {.failures = folder ? folder : "."});
  if (report.failure)
    require(false, fmt::format("seed {} fails at {}: {} (case {})", seed,
                               report.failure->stage, report.failure->message,
                               report.failure->file));
  return 0;
}

/// Any seed is as good as any other.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  (void)size;
  uint64_t number = Random(seed).number();
  if (maxSize < sizeof(number))
    return 0;
  std::memcpy(data, &number, sizeof(number));
  return sizeof(number);
}
