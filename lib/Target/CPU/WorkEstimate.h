//===- WorkEstimate.h - How long a loop nest runs ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_CPU_WORKESTIMATE_H
#define NNHAL_LIB_TARGET_CPU_WORKESTIMATE_H

#include "CostModel.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

#include <cstdint>
#include <optional>

namespace nnhal {

/// Rounds of \p loop; nothing where its bounds are not constants, or it counts
/// in several dimensions.
std::optional<int64_t> constantTrips(mlir::LoopLikeOpInterface loop);

/// About how many nanoseconds \p loop, an scf.for or scf.forall, runs on one
/// thread, all its rounds, on a core with the clock and the registers of the
/// estimates in \p costs whose data is in the caches.
///
/// Counted are, per block, operations on registers: two computations, two loads
/// and one store begin in a cycle, and the slowest of the three counts; a
/// division or a function of the math dialect takes some cycles more. Addresses
/// and constants are free. A loop adds a cycle per round. Where bounds are
/// computed, as those of windows at the border, the inner part counts:
/// minima and maxima are taken to be their constant operand.
///
/// It is there to tell what is worth sharing among threads, some microseconds,
/// from what is not; on the multiply-add loops of convolutions it is within
/// 30 %, and too low for what waits for memory.
double estimateNanoseconds(mlir::LoopLikeOpInterface loop,
                           const kernel::CostModel &costs);

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_CPU_WORKESTIMATE_H
