//===- Roofs.h - What this core can do at most ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds that kernels are measured against, measured themselves, on the
// calling thread. All are the best of many short repetitions: what disturbs a
// measurement only ever makes it slower. Rates count two operations for a
// multiplication and an addition. On processors other than those of x86-64
// there is none of these measurements: the rates are 0.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_ROOFS_ROOFS_H
#define NNHAL_LIB_TOOLS_ROOFS_ROOFS_H

#include <cstddef>

namespace nnhal {

/// Single-precision fused multiply-adds in 256-bit registers (x86-64-v3):
/// twelve independent accumulators, nothing loaded. In GFLOP/s. \p seconds
/// bounds the time that this takes.
double measureFmaPeak(double seconds);

/// The FMA peak in 512-bit registers, in GFLOP/s; 0 where the CPU has none.
double measureWideFmaPeak(double seconds);

/// Exact products of 16-bit pairs (vpmaddwd, vpaddd) with twelve accumulators
/// in 256-bit registers, in GOP/s.
double measurePairPeak(double seconds);

/// Products of quads of bytes, added to 32 bits (vpdpbusd), with twelve
/// accumulators in 512-bit registers, in GOP/s; 0 where the CPU has none.
double measureQuadPeak(double seconds);

/// Reading \p bytes again and again in 256-bit registers, in GB/s (1e9).
double measureReadBandwidth(size_t bytes, double seconds);

/// Sizes to read for each level of the memory hierarchy: well within a cache,
/// and well beyond the next smaller one.
struct MemoryLevels {
  size_t l1;
  size_t l2;
  size_t l3;
  size_t dram;
};
MemoryLevels memoryLevels();

} // namespace nnhal

#endif // NNHAL_LIB_TOOLS_ROOFS_ROOFS_H
