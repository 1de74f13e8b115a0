//===- Assignment.h - Chooses a device for each operation -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_PARTITION_ASSIGNMENT_H
#define NNHAL_LIB_RUNTIME_PARTITION_ASSIGNMENT_H

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace nnhal::rt {
struct Subgraph;
}

namespace nnhal::rt::partition {

/// The place of an operation in a list of assignments that the runtime executes
/// by itself: an interpreted IF or WHILE (I-020).
inline constexpr uint32_t interpreted = std::numeric_limits<uint32_t>::max();

/// The cost of an operation on a device that does not support it.
inline constexpr double impossible = std::numeric_limits<double>::infinity();

/// The cost of what fails later: a value of unknown size that crosses from one
/// device to another (I-029). It is above that of any operation on a device
/// that does not list the type.
inline constexpr double discouraged = 1e60;

/// The graph of one subgraph with numbers, free of models and devices.
struct CostGraph {
  struct Operation {
    /// One per device; `impossible` for those that do not support it.
    std::vector<double> costs;
    /// The cost of interpreting it, on top of which nothing crosses;
    /// `impossible` for all but IF and WHILE.
    double interpretedCost = impossible;
    /// Indices into `values`.
    std::vector<uint32_t> reads;
    std::vector<uint32_t> writes;
  };
  /// A temporary or output. Values from outside cost nothing.
  struct Value {
    uint32_t producer = 0;
    /// Ascending, each once.
    std::vector<uint32_t> consumers;
    double bytes = 0;
    /// A value of unknown size cannot leave a step.
    bool isUnknown = false;
  };
  std::vector<Operation> operations;
  std::vector<Value> values;
  /// One per device.
  std::vector<double> stepCosts;
  std::vector<double> byteCosts;
};

/// A run of operations on one device; `interpreted` ones stand alone.
struct Group {
  uint32_t device = 0;
  std::vector<uint32_t> operations;
};

/// The groups in an order of execution: the operations of one device that are
/// ready are taken until none of that device is (I-023).
std::vector<Group> groupsOf(const CostGraph &graph,
                            std::span<const uint32_t> devices);

/// The two parts of estimate(): operations and bytes that cross, and starts of
/// steps.
double costOfWork(const CostGraph &graph, std::span<const uint32_t> devices);
double costOfSteps(const CostGraph &graph, std::span<const uint32_t> devices);

/// The estimated cost of the groups of \p devices: operations, starts of steps,
/// and bytes that cross.
double estimate(const CostGraph &graph, std::span<const uint32_t> devices);

/// The cost of \p operation at \p device, which may be `interpreted`.
double operationCost(const CostGraph::Operation &operation, uint32_t device);

/// The cost of handing \p value to the devices of its consumers.
double crossingCost(const CostGraph &graph, std::span<const uint32_t> devices,
                    const CostGraph::Value &value);

/// The assignment with the least estimate: exact where the combinations of
/// devices are at most `exactLimit`, otherwise the best that was found from
/// \p greedy, from each device alone and from the cheapest path through the
/// operations in order. Each operation has a device with a finite cost.
inline constexpr uint64_t exactLimit = 1 << 14;
std::vector<uint32_t> leastCostAssignment(const CostGraph &graph,
                                          std::vector<uint32_t> greedy);

} // namespace nnhal::rt::partition

#endif // NNHAL_LIB_RUNTIME_PARTITION_ASSIGNMENT_H
