//===- Partition.h - One model on several devices ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is divided among devices in two parts: a plan, which is plain values
// and is made without preparing or compiling anything, and a prepared model
// over the prepared models of the plan's steps.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_PARTITION_H
#define NNHAL_RUNTIME_PARTITION_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/Status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::rt {

class Log;
class Reactor;
class Scheduler;
class Tracer;

/// Whether models are divided, and whether the CPU device steps in (I-001).
/// The values are those of the property debug.nn.partition.
enum class PartitionMode : uint32_t {
  /// The fallback device executes the whole model (I-003).
  no = 0,
  withFallback = 1,
  withoutFallback = 2
};

/// How operations are assigned to devices.
enum class Planner : uint32_t {
  /// Each operation goes to the device with the best performance for it, and a
  /// ready queue makes the steps as long as possible (I-009, I-023).
  greedy,
  /// The assignment with the least estimated cost, which counts the bytes that
  /// cross from one device to another and the start of each step: exact for
  /// small graphs, a heuristic beyond. The estimate is never worse than that of
  /// the best device that executes the whole model.
  leastCost
};

/// The reason why an operation is executed where it is.
enum class AssignmentReason : uint32_t {
  /// The estimated cost decided.
  cost,
  /// No other device supports the operation on these operand types.
  type,
  /// No other device supports the ranks of its operands.
  rank,
  /// No other device supports its parameters.
  parameter,
  /// No other device executes it while extents are unknown.
  dynamic,
  /// The mode or a list of devices left no choice.
  policy,
  /// No other device supports it; findReasons() says what is in the way.
  support,
};
NNHAL_API std::string_view toString(AssignmentReason reason);

/// A device as the planner sees it: values only, so that a plan can be made
/// where the device is not (decisions 2).
struct PartitionCandidate {
  std::string name;
  Capabilities capabilities;
  /// The newest HAL version that the device speaks. Operations that it does
  /// not have are not asked about (I-064).
  HalVersion halVersion = HalVersion::V1_3;
  /// The costs that Planner::leastCost adds for each step, and for each byte
  /// that crosses to or from another device, in nanoseconds of the fallback
  /// device.
  double stepCost = 2000;
  double byteCost = 0.05;
  /// The device that interprets control flow, wins ties and steps in for
  /// others: nnapi-reference (I-014, I-020).
  bool isFallback = false;
};

/// The operations of one subgraph that one device executes at once.
struct PartitionStep {
  /// The work of a step of a plan (I-032, I-033).
  enum class Kind : uint32_t { execute, branch, loop, jump };
  Kind kind = Kind::execute;
  /// The index into the candidates; of an execute step only.
  uint32_t device = 0;
  /// The subgraph of the model: 0 is the main one, i the one number i - 1 of
  /// Model::referenced.
  uint32_t subgraph = 0;
  /// The use of the subgraph: one that is entered from two places has two
  /// frames, in which its operands have values of their own (I-034). The main
  /// subgraph is frame 0.
  uint32_t frame = 0;
  /// The operations of that subgraph in an order of execution; the IF or WHILE
  /// of a branch or loop step.
  std::vector<uint32_t> operations;
  /// Branch and loop steps: the steps that the condition chooses, first the one
  /// for true; a loop step begins with the condition's first step, which is
  /// `targets[2]`. Jump steps: the next step in `targets[0]`. The number of
  /// steps stands for the end.
  std::vector<uint32_t> targets;
  /// Branch and loop steps: the frames of the subgraphs in the order of the
  /// operation's inputs, which are then and else, condition and body.
  std::vector<uint32_t> frames;
};

/// The decision for one operation of the main subgraph.
struct Assignment {
  uint32_t device = 0;
  uint32_t step = 0;
  AssignmentReason reason = AssignmentReason::cost;
  /// A sentence that names what decided: the message of a device that does not
  /// support the operation, or the compared costs.
  std::string detail;
};

/// A division of a model.
struct PartitionPlan {
  std::vector<PartitionCandidate> candidates;
  std::vector<PartitionStep> steps;
  /// One per operation of the main subgraph.
  std::vector<Assignment> assignments;
  /// The estimated cost of the plan, and of the best candidate that executes
  /// the whole model (infinity when there is none), in the unit of the
  /// capabilities.
  double estimate = 0;
  double singleDeviceEstimate = 0;
  /// Whether one device executes the undivided model (I-022).
  bool isSimple() const {
    return steps.size() == 1 &&
           steps.front().kind == PartitionStep::Kind::execute;
  }
};

struct PartitionOptions {
  PartitionMode mode = PartitionMode::withFallback;
  Planner planner = Planner::leastCost;
  /// Preference, priority and deadline of every step (I-030, I-085).
  PrepareOptions prepare;
  /// Hears of the preparation of one step after another; the operations that it
  /// is told of are those of the step's model. Reports about caching are in
  /// PartitionedModel::cacheReports().
  PrepareObserver observer;
  /// Prepares steps through this cache, with a token of each, when it and the
  /// application's token are given. Borrowed for the length of the call.
  const CompilationCache *cache = nullptr;
  std::optional<CacheToken> token;
  /// Devices were listed by the application: control flow is interpreted and
  /// executions fall back only as \p mode says, and a candidate steps in only
  /// if it is in the list (I-016).
  bool isExplicit = false;
  /// Verifies that slices for older devices hold exactly the compliant
  /// operations (I-005).
  bool strictSlicing = false;
  /// Replace PartitionCandidate::stepCost and byteCost of every candidate.
  std::optional<double> stepCost;
  std::optional<double> byteCost;
  std::shared_ptr<const Log> log;
  std::shared_ptr<Tracer> tracer;
  /// The threads of asynchronous and fenced executions, and the wait for
  /// fences. Without them a prepared model makes its own when it needs them.
  /// They are not those of a device: an execution that holds a slot here waits
  /// for slots there.
  std::shared_ptr<Scheduler> executions;
  std::shared_ptr<Reactor> reactor;
  /// The steady clock in nanoseconds, for deadlines and loops; the system's
  /// when it is empty.
  std::function<int64_t()> clock;
  /// Returns the buffer of \p device with \p token, or null. Fallback and
  /// interpreted control flow copy from and to it where another device needs
  /// its bytes (I-053, F-081); without it they fail there. Any thread calls it
  /// during an execution.
  std::function<std::shared_ptr<Buffer>(const Device &device, uint32_t token)>
      findBuffer;
};

/// The events since preparation that a user has to know of (never silent).
struct FallbackReport {
  /// The preparation failed on the devices of the plan, and the fallback device
  /// has the whole model (I-037).
  bool atPreparation = false;
  /// Executions of single steps, and of whole models, that the fallback device
  /// repeated (I-042, I-043).
  uint64_t steps = 0;
  uint64_t models = 0;
  /// The first failure that led to any of these.
  Status firstCause;
};

/// A prepared model over the steps of a plan.
class NNHAL_API PartitionedModel : public PreparedModel {
public:
  /// A step's input or output that an argument of the model is (I-084).
  struct Role {
    const Device *device = nullptr;
    PreparedModelRef model;
    uint32_t index = 0;
    bool isInput = true;
  };

  virtual const PartitionPlan &plan() const = 0;
  virtual FallbackReport fallbacks() const = 0;
  /// The reports of caching, one per prepared step.
  virtual std::vector<CacheReport> cacheReports() const = 0;

  /// The roles of an input are inputs of steps; those of an output are one
  /// output and the inputs of steps that read it (I-084).
  virtual std::vector<Role> rolesOfInput(uint32_t index) const = 0;
  virtual std::vector<Role> rolesOfOutput(uint32_t index) const = 0;

  /// Bursts over the prepared model of every step on a device of another
  /// process, one each (G-004, G-068). Steps of this process need none: they
  /// are called. The result executes like execute(), one execution at a time.
  virtual Result<std::unique_ptr<Burst>>
  createBurst(const BurstOptions &options) const = 0;
};

/// Divides \p model, which is valid, among \p devices, whose order decides
/// ties (I-014), and asks each once what it supports (I-008). The last one may
/// be the fallback device: the one called \p fallback, or null for none.
///
/// Fails with invalidArgument when no device supports an operation, which the
/// message names with the reason of each device (I-017, I-018).
NNHAL_API Result<PartitionPlan>
planPartition(const AnnotatedModel &model,
              std::span<const Device *const> devices, const Device *fallback,
              const PartitionOptions &options);

/// Finds out why devices do not support operations of \p plan, which was made
/// for \p model and \p devices: replaces AssignmentReason::support by type,
/// rank, parameter or dynamic. A device is asked about the operation alone with
/// other extents, types, ranks and parameters; what it then supports was in the
/// way. An operation that it supports in none of these forms counts as dynamic
/// where extents are unknown, otherwise as type. Operations of one form are
/// asked about once.
NNHAL_API void findReasons(PartitionPlan &plan, const AnnotatedModel &model,
                           std::span<const Device *const> devices);

/// The parts of a plan by device, in the order of the candidates.
struct PlanExplanation {
  struct Because {
    AssignmentReason reason = AssignmentReason::cost;
    uint32_t operations = 0;
    /// The names of the types of these operations, each once.
    std::vector<std::string> types;
    /// The detail of the first of them.
    std::string detail;
  };
  struct Part {
    std::string device;
    uint32_t operations = 0;
    /// The execute steps of the device, those of interpreted subgraphs
    /// included.
    uint32_t steps = 0;
    std::vector<Because> reasons;
  };
  uint32_t operations = 0;
  std::vector<Part> parts;
  double estimate = 0;
  double singleDeviceEstimate = 0;
};
NNHAL_API PlanExplanation explainPlan(const PartitionPlan &plan,
                                      const AnnotatedModel &model);

/// One line per device with operations, each ending with a newline:
/// "N of M operations on DEVICE, K steps, because REASON (N: TYPES; DETAIL)".
NNHAL_API std::string toString(const PlanExplanation &explanation);

/// Plans, and prepares every step. A plan that fails with invalidArgument is an
/// error of the caller. Any other failure, and every one of a device that
/// prepares a step, leaves the whole model to the fallback device where the
/// mode allows it and the model has no OEM and extension operations (I-037,
/// I-038).
///
/// The devices, and memory that the model borrows, outlive the result: the
/// fallback device prepares from it when something fails.
NNHAL_API Result<std::shared_ptr<PartitionedModel>>
preparePartitioned(std::shared_ptr<const AnnotatedModel> model,
                   std::span<const Device *const> devices,
                   const Device *fallback, const PartitionOptions &options);

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_PARTITION_H
