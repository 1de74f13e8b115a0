//===- IndependentRounds.cpp - Loops whose rounds are invocations ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's affine analyses need affine loops and accesses, which what the
// bufferization of scf leaves are not.
//
//===----------------------------------------------------------------------===//

#include "IndependentRounds.h"

#include "Kernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nnhal;
using namespace nnhal::nngpu;

int64_t ParallelLoops::rounds() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

/// Rounds of a loop of constant bounds.
static int64_t countRounds(int64_t lower, int64_t upper, int64_t step) {
  return upper > lower ? llvm::divideCeilSigned(upper - lower, step) : 0;
}

std::optional<ParallelLoops> nngpu::parallelLoopsOf(scf::ForallOp op) {
  std::optional<SmallVector<int64_t>> lower =
      getConstantIntValues(op.getMixedLowerBound());
  std::optional<SmallVector<int64_t>> upper =
      getConstantIntValues(op.getMixedUpperBound());
  std::optional<SmallVector<int64_t>> steps =
      getConstantIntValues(op.getMixedStep());
  if (!lower || !upper || !steps || op.getNumResults() != 0)
    return std::nullopt;
  ParallelLoops loops;
  loops.variables = llvm::to_vector(op.getInductionVars());
  loops.lower = *lower;
  loops.steps = *steps;
  for (auto [low, high, step] : llvm::zip_equal(*lower, *upper, *steps))
    loops.extents.push_back(countRounds(low, high, step));
  loops.body = op.getBody();
  return loops;
}

//===----------------------------------------------------------------------===//
// Independence
//===----------------------------------------------------------------------===//

namespace {
/// Where an operation accesses a buffer.
struct Place {
  Value buffer;
  SmallVector<Value> indices;
  bool isWrite = false;
};
} // namespace

/// The place of \p op; nothing for what accesses no element, or many.
static std::optional<Place> placeOf(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return Place{load.getMemRef(), llvm::to_vector(load.getIndices()), false};
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return Place{store.getMemRef(), llvm::to_vector(store.getIndices()), true};
  return std::nullopt;
}

/// The accesses inside \p body by buffer; nothing where one of them is unknown.
static std::optional<llvm::MapVector<Value, SmallVector<Place>>>
collectPlaces(Block *body) {
  llvm::MapVector<Value, SmallVector<Place>> places;
  WalkResult result = body->walk([&](Operation *op) {
    if (std::optional<Place> place = placeOf(op)) {
      places[rootOf(place->buffer)].push_back(*place);
      return WalkResult::advance();
    }
    // The operations inside of control flow are looked at.
    bool touchesNothing =
        isPure(op) ||
        isa<arith::ArithDialect, scf::SCFDialect>(op->getDialect());
    return touchesNothing ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return places;
}

/// Whether rounds of loops over \p variables access different elements in all
/// of \p places.
static bool areApart(ArrayRef<Place> places, ArrayRef<Value> variables) {
  const Place &first = places.front();
  return llvm::all_of(places,
                      [&](const Place &place) {
                        return place.buffer == first.buffer &&
                               place.indices == first.indices;
                      }) &&
         llvm::all_of(variables, [&](Value variable) {
           return llvm::is_contained(first.indices, variable);
         });
}

static bool isIndependent(const ParallelLoops &loops) {
  auto places = collectPlaces(loops.body);
  return places && llvm::all_of(*places, [&](const auto &entry) {
           bool isWritten = llvm::any_of(
               entry.second, [](const Place &place) { return place.isWrite; });
           return !isWritten || areApart(entry.second, loops.variables);
         });
}

std::optional<ParallelLoops> nngpu::independentLoopsOf(scf::ForOp loop) {
  std::optional<ParallelLoops> best;
  ParallelLoops loops;
  while (loop && loop.getNumResults() == 0) {
    std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
    std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (!lower || !upper || !step || *step <= 0)
      break;
    loops.variables.push_back(loop.getInductionVar());
    loops.lower.push_back(*lower);
    loops.steps.push_back(*step);
    loops.extents.push_back(countRounds(*lower, *upper, *step));
    loops.body = loop.getBody();
    if (isIndependent(loops))
      best = loops;
    auto inside = loops.body->without_terminator();
    loop = llvm::hasSingleElement(inside)
               ? dyn_cast<scf::ForOp>(*inside.begin())
               : scf::ForOp();
  }
  return best;
}
