//===- Assignment.cpp - Chooses a device for each operation ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"

#include <algorithm>

using namespace nnhal::rt::partition;

namespace {
/// The ready operations of each device, in order of readiness.
class ReadyQueue {
public:
  ReadyQueue(const CostGraph &graph, std::span<const uint32_t> devices)
      : graph(graph), devices(devices), missing(graph.operations.size()),
        queues(graph.stepCosts.size() + 1) {
    for (Queue &queue : queues)
      queue.operations.reserve(missing.size());
    for (uint32_t i = 0; i < missing.size(); ++i) {
      missing[i] = uint32_t(graph.operations[i].reads.size());
      if (missing[i] == 0)
        enqueue(i);
    }
  }

  /// The first device with ready operations; the number of queues at the end.
  size_t next() const {
    size_t queue = 0;
    while (queue < queues.size() && isEmpty(queue))
      ++queue;
    return queue;
  }
  size_t size() const { return queues.size(); }
  bool isEmpty(size_t queue) const {
    return queues[queue].first == queues[queue].operations.size();
  }

  /// Takes the first operation of a queue, which makes others ready.
  uint32_t take(size_t queue) {
    uint32_t operation = queues[queue].operations[queues[queue].first++];
    for (uint32_t value : graph.operations[operation].writes)
      for (uint32_t consumer : graph.values[value].consumers)
        if (--missing[consumer] == 0)
          enqueue(consumer);
    return operation;
  }

private:
  void enqueue(uint32_t operation) {
    size_t queue = std::min<size_t>(devices[operation], queues.size() - 1);
    queues[queue].operations.push_back(operation);
  }

  struct Queue {
    std::vector<uint32_t> operations;
    size_t first = 0;
  };
  const CostGraph &graph;
  std::span<const uint32_t> devices;
  /// The values that each operation still waits for.
  std::vector<uint32_t> missing;
  /// One per device, and one for what is interpreted.
  std::vector<Queue> queues;
};
} // namespace

std::vector<Group>
nnhal::rt::partition::groupsOf(const CostGraph &graph,
                               std::span<const uint32_t> devices) {
  std::vector<Group> groups;
  ReadyQueue ready(graph, devices);
  while (true) {
    size_t queue = ready.next();
    if (queue == ready.size())
      return groups;
    bool isInterpreted = queue + 1 == ready.size();
    Group &group = groups.emplace_back();
    group.device = isInterpreted ? interpreted : uint32_t(queue);
    do
      group.operations.push_back(ready.take(queue));
    while (!isInterpreted && !ready.isEmpty(queue));
  }
}

double nnhal::rt::partition::crossingCost(const CostGraph &graph,
                                          std::span<const uint32_t> devices,
                                          const CostGraph::Value &value) {
  uint32_t from = devices[value.producer];
  double cost = 0;
  // Devices are few: a mask tells which have it already.
  uint64_t seen = 0;
  for (uint32_t consumer : value.consumers) {
    uint32_t to = devices[consumer];
    if (to == from)
      continue;
    if (value.isUnknown)
      return discouraged;
    uint64_t bit = uint64_t(1) << std::min(to, 63u);
    if (seen & bit)
      continue;
    seen |= bit;
    double perByte = 0;
    for (uint32_t device : {from, to})
      if (device != interpreted)
        perByte = std::max(perByte, graph.byteCosts[device]);
    cost += value.bytes * perByte;
  }
  return cost;
}

double
nnhal::rt::partition::operationCost(const CostGraph::Operation &operation,
                                    uint32_t device) {
  return device == interpreted ? operation.interpretedCost
                               : operation.costs[device];
}

double nnhal::rt::partition::costOfSteps(const CostGraph &graph,
                                         std::span<const uint32_t> devices) {
  double cost = 0;
  ReadyQueue ready(graph, devices);
  while (true) {
    size_t queue = ready.next();
    if (queue == ready.size())
      return cost;
    bool isInterpreted = queue + 1 == ready.size();
    if (!isInterpreted)
      cost += graph.stepCosts[queue];
    do
      ready.take(queue);
    while (!isInterpreted && !ready.isEmpty(queue));
  }
}

double nnhal::rt::partition::costOfWork(const CostGraph &graph,
                                        std::span<const uint32_t> devices) {
  double cost = 0;
  for (size_t i = 0; i < devices.size(); ++i)
    cost += operationCost(graph.operations[i], devices[i]);
  for (const CostGraph::Value &value : graph.values)
    cost += crossingCost(graph, devices, value);
  return cost;
}

double nnhal::rt::partition::estimate(const CostGraph &graph,
                                      std::span<const uint32_t> devices) {
  return costOfWork(graph, devices) + costOfSteps(graph, devices);
}
