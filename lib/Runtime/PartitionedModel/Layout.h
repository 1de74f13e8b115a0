//===- Layout.h - Where the values between steps are ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_LAYOUT_H
#define NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_LAYOUT_H

#include "Runtime/Partition/StepModel.h"
#include "nnhal/Runtime/Partition.h"

#include <array>

namespace nnhal::rt::partition {

/// Where a value is during an execution.
struct Place {
  enum class Kind : uint8_t {
    /// Nowhere: an omitted operand.
    none,
    /// An input or output of the request, number `index`.
    input,
    output,
    /// `size` bytes of the memory of the execution, from `offset` on.
    temporary,
    /// A constant in a pool, number `index` of Layout::constants.
    constant,
    /// The value number `position` of loop number `index`: the initial one, or
    /// what the last iteration wrote.
    loopValue,
    /// The present iteration of the loop writes it there.
    loopNext,
  };
  Kind kind = Kind::none;
  uint32_t index = 0;
  uint32_t position = 0;
  uint64_t offset = 0;
  /// 0 while it is unknown.
  uint64_t size = 0;
};

/// The arguments of the model of an execute step, and what a branch or loop
/// step reads.
struct StepLayout {
  Boundary boundary;
  std::vector<Place> inputs;
  std::vector<Place> outputs;
  /// Branch and loop steps: the condition.
  Place condition;
  /// Loop steps: the index into Layout::loops.
  uint32_t loop = 0;
};

/// The values that a WHILE carries from one iteration to the next.
struct LoopLayout {
  std::vector<Place> initial;
  /// Two temporaries each, which iterations write in turn (I-056).
  std::vector<std::array<Place, 2>> carried;
  /// Where the first values go at the end.
  std::vector<Place> results;
};

/// A constant that is copied into the memory of each execution (I-035).
struct CopiedConstant {
  uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

struct Layout {
  std::vector<StepLayout> steps;
  std::vector<LoopLayout> loops;
  std::vector<Memory> constants;
  std::vector<CopiedConstant> copies;
  /// The bytes of the memory of one execution (I-055).
  uint64_t size = 0;
};

/// Returns where the values of \p plan are, which does not refer to \p model:
/// constants are copies, or regions of pools that have descriptors. Fails
/// with generalFailure when a value of unknown size leaves a step (I-029,
/// I-058, I-090). \p devices describe extension types.
Result<Layout> layOut(const AnnotatedModel &model, const PartitionPlan &plan,
                      std::span<const Device *const> devices);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITIONEDMODEL_LAYOUT_H
