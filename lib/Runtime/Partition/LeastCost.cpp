//===- LeastCost.cpp - The assignment with the least estimate -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assignment.h"

#include <algorithm>
#include <utility>

using namespace nnhal::rt::partition;

namespace {

using Devices = std::vector<uint32_t>;

/// The visits of operations that all improvements together may take, so that a
/// plan for hundreds of operations takes milliseconds.
constexpr uint64_t improvementLimit = 80'000;

/// The places at which each operation can be, the cheapest first.
class Choices {
public:
  explicit Choices(const CostGraph &graph) {
    for (const CostGraph::Operation &operation : graph.operations) {
      std::vector<Choice> &list = lists.emplace_back();
      for (uint32_t d = 0; d < operation.costs.size(); ++d)
        if (operation.costs[d] < impossible)
          list.push_back({d, operation.costs[d]});
      if (operation.interpretedCost < impossible)
        list.push_back({interpreted, operation.interpretedCost});
      std::ranges::sort(list, {}, [](const Choice &choice) {
        return std::pair(choice.cost, choice.device);
      });
    }
  }

  struct Choice {
    uint32_t device;
    double cost;
  };
  const std::vector<Choice> &of(size_t operation) const {
    return lists[operation];
  }
  bool has(size_t operation, uint32_t device) const {
    return std::ranges::count(lists[operation], device, &Choice::device) != 0;
  }
  /// The number of assignments; at most \p limit + 1.
  uint64_t combinations(uint64_t limit) const {
    uint64_t count = 1;
    for (const auto &list : lists) {
      count *= list.size();
      if (count > limit)
        return limit + 1;
    }
    return count;
  }

private:
  std::vector<std::vector<Choice>> lists;
};

/// The bytes that operation \p index, at \p device, makes cross when the
/// operations before it are assigned and it is the next.
double arrival(const CostGraph &graph, const Devices &devices, uint32_t index,
               uint32_t device) {
  double cost = 0;
  for (uint32_t read : graph.operations[index].reads) {
    const CostGraph::Value &value = graph.values[read];
    uint32_t from = devices[value.producer];
    if (from == device)
      continue;
    if (value.isUnknown) {
      cost += discouraged;
      continue;
    }
    bool isThere = false;
    for (uint32_t other : value.consumers)
      isThere = isThere || (other < index && devices[other] == device);
    if (isThere)
      continue;
    double perByte = 0;
    for (uint32_t side : {from, device})
      if (side != interpreted)
        perByte = std::max(perByte, graph.byteCosts[side]);
    cost += value.bytes * perByte;
  }
  return cost;
}

/// Tries all assignments that can still be better than the best one known.
class ExactSearch {
public:
  ExactSearch(const CostGraph &graph, const Choices &choices, Devices best)
      : graph(graph), choices(choices), best(std::move(best)),
        bestCost(estimate(graph, this->best)), devices(this->best.size()),
        rest(devices.size() + 1), uses(graph.stepCosts.size()) {
    for (size_t i = devices.size(); i-- > 0;)
      rest[i] = rest[i + 1] + choices.of(i).front().cost;
  }

  Devices run() {
    descend(0, 0);
    return std::move(best);
  }

private:
  void descend(uint32_t index, double cost) {
    if (index == devices.size()) {
      double total = estimate(graph, devices);
      if (total < bestCost) {
        bestCost = total;
        best = devices;
      }
      return;
    }
    for (const Choices::Choice &choice : choices.of(index)) {
      double next =
          cost + choice.cost + arrival(graph, devices, index, choice.device);
      bool isDevice = choice.device != interpreted;
      // Each device that is used has a step at least.
      if (isDevice && uses[choice.device] == 0)
        next += graph.stepCosts[choice.device];
      if (next + rest[index + 1] >= bestCost)
        continue;
      devices[index] = choice.device;
      if (isDevice)
        ++uses[choice.device];
      descend(index + 1, next);
      if (isDevice)
        --uses[choice.device];
    }
  }

  const CostGraph &graph;
  const Choices &choices;
  Devices best;
  double bestCost;
  Devices devices;
  /// The least costs of the operations from each one on.
  std::vector<double> rest;
  std::vector<uint32_t> uses;
};

/// The cheapest path through the operations in order, where a state is the
/// place of the last one.
Devices cheapestPath(const CostGraph &graph, const Choices &choices) {
  struct State {
    Devices devices;
    double cost = 0;
  };
  std::vector<State> states = {{}};
  for (uint32_t i = 0; i < graph.operations.size(); ++i) {
    std::vector<State> next;
    for (const Choices::Choice &choice : choices.of(i)) {
      const State *from = &states.front();
      double least = impossible;
      for (const State &state : states) {
        double cost = state.cost + choice.cost +
                      arrival(graph, state.devices, i, choice.device);
        if (choice.device != interpreted &&
            (i == 0 || state.devices.back() != choice.device))
          cost += graph.stepCosts[choice.device];
        if (cost < least) {
          from = &state;
          least = cost;
        }
      }
      State &state = next.emplace_back(State{from->devices, least});
      state.devices.push_back(choice.device);
    }
    states = std::move(next);
  }
  return std::ranges::min(states, {}, &State::cost).devices;
}

/// Everything at \p device that can be there, the rest where it is cheapest.
Devices preferring(const CostGraph &graph, const Choices &choices,
                   uint32_t device) {
  Devices devices;
  for (size_t i = 0; i < graph.operations.size(); ++i)
    devices.push_back(choices.has(i, device) ? device
                                             : choices.of(i).front().device);
  return devices;
}

/// Moves whole groups, then single operations, to other devices as long as that
/// makes the plan cheaper.
class Improvement {
public:
  /// Takes its visits from \p budget.
  Improvement(const CostGraph &graph, const Choices &choices, Devices devices,
              uint64_t &budget)
      : graph(graph), choices(choices), devices(std::move(devices)),
        cost(estimate(graph, this->devices)),
        steps(costOfSteps(graph, this->devices)), budget(budget) {
    for (double step : graph.stepCosts)
      dearestStep = std::max(dearestStep, step);
  }

  void run() {
    while (moveGroups() || moveOperations()) {
    }
  }
  double reached() const { return cost; }
  Devices take() { return std::move(devices); }

private:
  bool hasBudget() const { return budget > 0; }
  void spend(uint64_t visits) { budget -= std::min(budget, visits); }

  /// The costs of \p operations and of the values that they read and write.
  double costAround(std::span<const uint32_t> operations) {
    double sum = 0;
    touched.clear();
    for (uint32_t operation : operations) {
      const CostGraph::Operation &stated = graph.operations[operation];
      sum += operationCost(stated, devices[operation]);
      for (const auto *values : {&stated.reads, &stated.writes})
        touched.insert(touched.end(), values->begin(), values->end());
    }
    std::ranges::sort(touched);
    auto repeated = std::ranges::unique(touched);
    touched.erase(repeated.begin(), repeated.end());
    for (uint32_t value : touched)
      sum += crossingCost(graph, devices, graph.values[value]);
    return sum;
  }

  bool tryMove(std::span<const uint32_t> operations, uint32_t device) {
    for (uint32_t operation : operations)
      if (!choices.has(operation, device))
        return false;
    spend(operations.size() + 1);
    double before = costAround(operations);
    left.clear();
    for (uint32_t operation : operations)
      left.push_back(std::exchange(devices[operation], device));
    if (isBetter(costAround(operations) - before))
      return true;
    for (size_t i = 0; i < operations.size(); ++i)
      devices[operations[i]] = left[i];
    return false;
  }

  /// Whether the assignment, which costs \p loss more for its operations and
  /// bytes than the last one that was taken, is cheaper. It is taken then.
  bool isBetter(double loss) {
    // A loss in bytes and operations can be won back by the steps before
    // and behind that become one with this.
    if (loss > 3 * dearestStep)
      return false;
    spend(devices.size());
    double stepsNow = costOfSteps(graph, devices);
    if (loss + stepsNow >= steps)
      return false;
    // Summed anew, so that the moves leave no rounding behind.
    double reached = costOfWork(graph, devices) + stepsNow;
    if (reached >= cost)
      return false;
    cost = reached;
    steps = stepsNow;
    return true;
  }

  bool moveGroups() {
    bool hasMoved = false;
    for (const Group &group : groupsOf(graph, devices))
      for (uint32_t d = 0; d < graph.stepCosts.size() && hasBudget(); ++d)
        // The groups are those before the first move; their operations can be
        // moved whatever has become of the others.
        hasMoved =
            (d != group.device && tryMove(group.operations, d)) || hasMoved;
    return hasMoved && hasBudget();
  }

  bool moveOperations() {
    bool hasMoved = false;
    for (uint32_t i = 0; i < devices.size() && hasBudget(); ++i)
      for (const Choices::Choice &choice : choices.of(i))
        if (choice.device != devices[i] && hasBudget())
          hasMoved = tryMove(std::span(&i, 1), choice.device) || hasMoved;
    return hasMoved && hasBudget();
  }

  const CostGraph &graph;
  const Choices &choices;
  Devices devices;
  double cost;
  /// The part of the cost that is of steps.
  double steps;
  double dearestStep = 0;
  uint64_t &budget;
  /// Kept for the next attempt: the values around a move, and where its
  /// operations were.
  std::vector<uint32_t> touched;
  Devices left;
};

} // namespace

std::vector<uint32_t>
nnhal::rt::partition::leastCostAssignment(const CostGraph &graph,
                                          std::vector<uint32_t> greedy) {
  if (graph.operations.empty())
    return greedy;
  Choices choices(graph);
  std::vector<Devices> starts = {std::move(greedy)};
  for (uint32_t d = 0; d < graph.stepCosts.size(); ++d)
    starts.push_back(preferring(graph, choices, d));
  starts.push_back(cheapestPath(graph, choices));
  auto cost = [&](const Devices &devices) { return estimate(graph, devices); };
  Devices best = std::ranges::min(starts, {}, cost);
  if (choices.combinations(exactLimit) <= exactLimit)
    return ExactSearch(graph, choices, std::move(best)).run();
  double bestCost = cost(best);
  std::ranges::sort(starts);
  auto repeated = std::ranges::unique(starts);
  starts.erase(repeated.begin(), repeated.end());
  std::ranges::sort(starts, {}, cost);
  uint64_t budget = improvementLimit;
  for (Devices &start : starts) {
    Improvement improvement(graph, choices, std::move(start), budget);
    improvement.run();
    if (improvement.reached() < bestCost) {
      bestCost = improvement.reached();
      best = improvement.take();
    }
  }
  return best;
}
