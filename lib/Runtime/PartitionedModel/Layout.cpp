//===- Layout.cpp - Where the values between steps are --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"

#include "Runtime/Partition/Plan.h"
#include "Runtime/Support/Errors.h"

#include <algorithm>

using namespace nnhal::rt;
using namespace nnhal::rt::partition;

namespace {
/// Gives places to the values of each frame, in the order of the steps: a step
/// that enters a frame comes before the steps in it.
class LayoutMaker {
public:
  LayoutMaker(const AnnotatedModel &annotated, const PartitionPlan &plan,
              std::span<const Device *const> devices)
      : model(annotated.model), plan(plan), devices(devices) {}

  Result<Layout> run() {
    enter(0, 0);
    for (uint32_t i = 0; i < model.main.inputIndexes.size(); ++i)
      setArgument(model.main.inputIndexes[i], Place::Kind::input, i);
    for (uint32_t i = 0; i < model.main.outputIndexes.size(); ++i)
      setArgument(model.main.outputIndexes[i], Place::Kind::output, i);
    for (const PartitionStep &step : plan.steps)
      NNHAL_RETURN_IF_ERROR(add(step));
    return std::move(layout);
  }

private:
  using Kind = Place::Kind;
  using Places = std::vector<Place>;

  const Subgraph &graphOf(const PartitionStep &step) const {
    return subgraphOf(model, step.subgraph);
  }

  Places &enter(uint32_t frame, uint32_t subgraph) {
    if (frames.size() <= frame)
      frames.resize(frame + 1);
    frames[frame].assign(subgraphOf(model, subgraph).operands.size(), {});
    return frames[frame];
  }

  void setArgument(uint32_t operand, Kind kind, uint32_t index) {
    Place &place = frames[0][operand];
    place.kind = kind;
    place.index = index;
    place.size =
        sizeOf(model, model.main.operands[operand], devices).value_or(0);
  }

  Place newTemporary(uint64_t size) {
    Place place;
    place.kind = Kind::temporary;
    place.offset = layout.size;
    place.size = size;
    constexpr uint64_t alignment = AlignedBuffer::minimumAlignment;
    layout.size += (size + alignment - 1) / alignment * alignment;
    return place;
  }

  /// The place of a value that \p step writes.
  Result<Place> written(const PartitionStep &step, uint32_t operand) {
    Place &place = frames[step.frame][operand];
    if (place.kind != Kind::none)
      return place;
    const Operand &stated = graphOf(step).operands[operand];
    std::optional<uint64_t> size = sizeOf(model, stated, devices);
    if (!size)
      return failure("operand {} leaves its step, and its size is not known",
                     operand);
    return place = newTemporary(*size);
  }

  /// The place of a value that \p step reads.
  Result<Place> read(const PartitionStep &step, uint32_t operand) {
    const Operand &stated = graphOf(step).operands[operand];
    Place &place = frames[step.frame][operand];
    if (isConstant(stated.lifetime) && place.kind == Kind::none)
      NNHAL_RETURN_IF_ERROR(addConstant(stated, place));
    if (place.kind == Kind::output && place.size == 0)
      return failure("operand {} is an output that another step reads, and its "
                     "size is not known",
                     operand);
    return place;
  }

  Status addConstant(const Operand &stated, Place &place) {
    if (stated.lifetime == OperandLifeTime::CONSTANT_COPY) {
      NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                             constantBytes(model, stated));
      place = newTemporary(bytes.size());
      layout.copies.push_back({place.offset, {bytes.begin(), bytes.end()}});
      return Status::ok();
    }
    place.kind = Kind::constant;
    place.index = uint32_t(layout.constants.size());
    place.size = stated.location.length;
    const DataLocation &location = stated.location;
    const Memory &pool = model.pools[location.poolIndex].memory;
    if (const auto *region = std::get_if<Memory::Descriptor>(&pool.kind())) {
      layout.constants.push_back(Memory::region(
          region->pool, region->offset + location.offset, location.length));
      return Status::ok();
    }
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes,
                           constantBytes(model, stated));
    layout.constants.push_back(Memory::copy(bytes));
    return Status::ok();
  }

  Status add(const PartitionStep &step) {
    StepLayout &made = layout.steps.emplace_back();
    switch (step.kind) {
    case PartitionStep::Kind::execute:
      return addExecution(step, made);
    case PartitionStep::Kind::branch:
      return addBranch(step, made);
    case PartitionStep::Kind::loop:
      return addLoop(step, made);
    case PartitionStep::Kind::jump:
      break;
    }
    return Status::ok();
  }

  Status addExecution(const PartitionStep &step, StepLayout &made) {
    // A model that is not divided keeps the order of its arguments (I-036).
    if (plan.isSimple())
      made.boundary = {model.main.inputIndexes, model.main.outputIndexes};
    else
      made.boundary = boundaryOf(graphOf(step), step.operations);
    for (uint32_t input : made.boundary.inputs) {
      NNHAL_ASSIGN_OR_RETURN(Place place, read(step, input));
      made.inputs.push_back(place);
    }
    for (uint32_t output : made.boundary.outputs) {
      NNHAL_ASSIGN_OR_RETURN(Place place, written(step, output));
      made.outputs.push_back(place);
    }
    return Status::ok();
  }

  /// The inputs of an IF or WHILE behind those that name subgraphs.
  Result<Places> passedTo(const PartitionStep &step, size_t skip) {
    const Operation &operation =
        graphOf(step).operations[step.operations.front()];
    Places places;
    for (size_t i = skip; i < operation.inputs.size(); ++i) {
      NNHAL_ASSIGN_OR_RETURN(Place place, read(step, operation.inputs[i]));
      places.push_back(place);
    }
    return places;
  }

  Result<Places> resultsOf(const PartitionStep &step) {
    const Operation &operation =
        graphOf(step).operations[step.operations.front()];
    Places places;
    for (uint32_t output : operation.outputs) {
      NNHAL_ASSIGN_OR_RETURN(Place place, written(step, output));
      places.push_back(place);
    }
    return places;
  }

  /// Makes the operands of \p indexes in a frame stand for \p places.
  void bind(Places &frame, const std::vector<uint32_t> &indexes,
            const Places &places) {
    for (size_t i = 0; i < std::min(indexes.size(), places.size()); ++i)
      frame[indexes[i]] = places[i];
  }

  /// Branches read what is passed and write the results where they belong.
  Status addBranch(const PartitionStep &step, StepLayout &made) {
    const Subgraph &graph = graphOf(step);
    const Operation &operation = graph.operations[step.operations.front()];
    NNHAL_ASSIGN_OR_RETURN(made.condition, read(step, operation.inputs[0]));
    NNHAL_ASSIGN_OR_RETURN(Places passed, passedTo(step, 3));
    NNHAL_ASSIGN_OR_RETURN(Places results, resultsOf(step));
    Callees callees = calleesOf(graph, operation);
    const std::array<uint32_t, 2> branches = {callees.first, callees.second};
    for (size_t i = 0; i < branches.size(); ++i) {
      const Subgraph &branch = subgraphOf(model, branches[i]);
      Places &frame = enter(step.frames[i], branches[i]);
      bind(frame, branch.inputIndexes, passed);
      bind(frame, branch.outputIndexes, results);
    }
    return Status::ok();
  }

  Status addLoop(const PartitionStep &step, StepLayout &made) {
    const Subgraph &graph = graphOf(step);
    const Operation &operation = graph.operations[step.operations.front()];
    Callees callees = calleesOf(graph, operation);
    const Subgraph &condition = subgraphOf(model, callees.first);
    const Subgraph &body = subgraphOf(model, callees.second);
    NNHAL_ASSIGN_OR_RETURN(Places passed, passedTo(step, 2));
    LoopLayout loop;
    NNHAL_ASSIGN_OR_RETURN(loop.results, resultsOf(step));
    made.loop = uint32_t(layout.loops.size());
    Places next;
    for (uint32_t i = 0; i < body.outputIndexes.size(); ++i) {
      const Operand &stated = body.operands[body.outputIndexes[i]];
      // Control flow of unknown sizes is not interpreted (I-019).
      uint64_t size = sizeOf(model, stated, devices).value_or(0);
      loop.initial.push_back(passed[i]);
      loop.carried.push_back({newTemporary(size), newTemporary(size)});
      passed[i] = {Kind::loopValue, made.loop, i, 0, size};
      next.push_back({Kind::loopNext, made.loop, i, 0, size});
    }
    // A byte for the decision, which no place outside has.
    made.condition = newTemporary(1);
    bind(enter(step.frames[0], callees.first), condition.inputIndexes, passed);
    bind(frames[step.frames[0]], condition.outputIndexes, {made.condition});
    bind(enter(step.frames[1], callees.second), body.inputIndexes, passed);
    bind(frames[step.frames[1]], body.outputIndexes, next);
    layout.loops.push_back(std::move(loop));
    return Status::ok();
  }

  const Model &model;
  const PartitionPlan &plan;
  std::span<const Device *const> devices;
  std::vector<Places> frames;
  Layout layout;
};
} // namespace

Result<Layout>
nnhal::rt::partition::layOut(const AnnotatedModel &model,
                             const PartitionPlan &plan,
                             std::span<const Device *const> devices) {
  return LayoutMaker(model, plan, devices).run();
}
