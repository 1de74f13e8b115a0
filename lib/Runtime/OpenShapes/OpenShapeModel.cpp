//===- OpenShapeModel.cpp - Code for the shapes that are used -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenShapeModel.h"

#include "Runtime/Artifact/Specialization.h"
#include "Runtime/Model/NeededArguments.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Backend/ModelCopy.h"
#include "nnhal/Runtime/Log.h"

#include <algorithm>
#include <chrono>
#include <new>

using namespace nnhal::rt;

/// The number of sets of ranks and shapes that have code at once, beside those
/// that were asked for; another one takes the place of the one that was used
/// least recently.
static constexpr size_t maxVariants = 16;

/// The bytes of code and constants that these have together, unless one alone
/// has more.
static constexpr uint64_t maxVariantBytes = uint64_t(1) << 30;

/// The workspace of the code that was used last.
class OpenShapeModel::VariantWorkspace final : public Workspace {
public:
  explicit VariantWorkspace(std::shared_ptr<MemoryBudget> budget)
      : budget(std::move(budget)) {}

  Result<Workspace *> take(const VariantRef &variant) {
    if (owner != variant) {
      inner.reset();
      owner = nullptr;
      NNHAL_ASSIGN_OR_RETURN(inner, variant->code->createWorkspace(budget));
      owner = variant;
    }
    return inner.get();
  }

private:
  const std::shared_ptr<MemoryBudget> budget;
  VariantRef owner;
  std::unique_ptr<Workspace> inner;
};

OpenShapeModel::OpenShapeModel(AnnotatedModel owned, Interface face,
                               CodeMaker maker)
    : model(std::move(owned)), face(std::move(face)), maker(std::move(maker)),
      isParameter(this->maker.parametersOf
                      ? this->maker.parametersOf(model.model)
                      : std::vector<bool>(this->face.inputs.size())),
      isNeeded(validation::neededInputs(model.model)) {}

Result<std::unique_ptr<OpenShapeModel>>
OpenShapeModel::create(const AnnotatedModel &model,
                       const std::vector<InputShapes> &specializations,
                       CodeMaker maker, const LoadObserver &observer) {
  if (observer.keepArtifact)
    return badData("a model whose shapes or parameters only an execution knows "
                   "is compiled when it is executed: there is no artifact");
  AnnotatedModel owned = model;
  NNHAL_ASSIGN_OR_RETURN(owned.model, ownedCopy(model.model));
  std::unique_ptr<OpenShapeModel> created(new OpenShapeModel(
      std::move(owned), interfaceOf(model), std::move(maker)));
  for (const InputShapes &stated : specializations) {
    NNHAL_RETURN_IF_ERROR(withInputShapes(model, stated).status());
    KnownShapes shapes;
    for (const std::vector<uint32_t> &shape : stated)
      shapes.push_back(shape.empty() ? std::nullopt : std::optional(shape));
    auto known = withKnownShapes(model, shapes, created->maker.need);
    NNHAL_ASSIGN_OR_RETURN(VariantRef variant,
                           created->make(std::move(shapes), /*values=*/{},
                                         known, observer.compile));
    variant->isKept = true;
    created->variants.push_back(std::move(variant));
  }
  return created;
}

MemoryUse OpenShapeModel::memoryUse() const {
  std::lock_guard lock(mutex);
  MemoryUse sum;
  for (const VariantRef &variant : variants) {
    MemoryUse use = variant->code->memoryUse();
    sum.arena = std::max(sum.arena, use.arena);
    sum.arenaLowerBound = std::max(sum.arenaLowerBound, use.arenaLowerBound);
    sum.artifact += use.artifact;
  }
  return sum;
}

Result<std::unique_ptr<Workspace>> OpenShapeModel::createWorkspace(
    const std::shared_ptr<MemoryBudget> &budget) const {
  return std::unique_ptr<Workspace>(std::make_unique<VariantWorkspace>(budget));
}

//===----------------------------------------------------------------------===//
// Code for an invocation
//===----------------------------------------------------------------------===//

static bool fits(const KnownShapes &shapes, const Invocation &invocation) {
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i])
      continue;
    const InvocationArgument &input = invocation.inputs[i];
    auto agrees = [](uint32_t known, int64_t extent) {
      return known == 0 || known == extent;
    };
    if (input.isPresent == shapes[i]->empty() ||
        (input.isPresent &&
         !std::ranges::equal(*shapes[i], input.shape(), agrees)))
      return false;
  }
  return true;
}

/// Whether \p tensor leaves open what code needs.
static bool isOpen(const InterfaceTensor &tensor, ShapeNeed need) {
  return hasUnknownRank(tensor) ||
         (need == ShapeNeed::extents &&
          std::ranges::count(tensor.dimensions, 0u) > 0);
}

Result<KnownValues>
OpenShapeModel::valuesOf(const Invocation &invocation) const {
  KnownValues values;
  if (std::ranges::count(isParameter, true) == 0)
    return values;
  for (size_t i = 0; i < isParameter.size(); ++i) {
    const InvocationArgument &input = invocation.inputs[i];
    values.emplace_back();
    if (!isParameter[i] || !input.isPresent)
      continue;
    values.back().emplace(input.size);
    if (input.size > 0)
      NNHAL_RETURN_IF_ERROR(maker.read(input, *values.back()));
  }
  return values;
}

bool OpenShapeModel::isLeftOut(const Invocation &invocation, size_t input,
                               ShapeNeed need) const {
  return !invocation.inputs[input].isPresent &&
         (isParameter[input] || isOpen(face.inputs[input], need));
}

KnownShapes OpenShapeModel::shapesOf(const Invocation &invocation,
                                     ShapeNeed need) const {
  KnownShapes shapes;
  for (size_t i = 0; i < face.inputs.size(); ++i) {
    const InvocationArgument &input = invocation.inputs[i];
    std::optional<std::vector<uint32_t>> &shape = shapes.emplace_back();
    if (isLeftOut(invocation, i, need))
      shape.emplace();
    else if (input.isPresent && need == ShapeNeed::extents && input.rank > 0)
      shape.emplace(input.extents, input.extents + input.rank);
    else if (hasUnknownRank(face.inputs[i]))
      shape.emplace(input.rank, 0);
  }
  return shapes;
}

static std::string textOf(const KnownShapes &shapes,
                          const KnownValues &values) {
  std::string text;
  for (const auto &shape : shapes) {
    if (!text.empty())
      text += " ";
    text += shape ? fmt::format("[{}]", fmt::join(*shape, ",")) : "as stated";
  }
  auto count = std::ranges::count_if(
      values, [](const auto &value) { return value.has_value(); });
  if (count > 0)
    text += fmt::format(" with {} parameters", count);
  return text;
}

static bool lacksResources(const Status &status) {
  return status.code() == StatusCode::resourceExhaustedTransient ||
         status.code() == StatusCode::resourceExhaustedPersistent;
}

Result<OpenShapeModel::VariantRef>
OpenShapeModel::make(KnownShapes shapes, KnownValues values,
                     const Result<AnnotatedModel> &known,
                     const CompileObserver &observer) const {
  NNHAL_RETURN_IF_ERROR(known.status());
  Result<std::unique_ptr<LoadedModel>> code = maker.compile(*known, observer);
  // Memory that code for other shapes holds, on a GPU for example.
  if (lacksResources(code.status()) && dropReplaceable())
    code = maker.compile(*known, observer);
  NNHAL_RETURN_IF_ERROR(code.status());
  return std::make_shared<Variant>(
      Variant{std::move(shapes), std::move(values), *std::move(code)});
}

Result<OpenShapeModel::VariantRef>
OpenShapeModel::makeFor(const Invocation &invocation,
                        const KnownValues &values) const {
  CompileObserver observer;
  observer.isCancelled = [&] { return invocation.isCancelled(); };
  KnownShapes shapes = shapesOf(invocation, maker.need);
  // Ranks may follow from extents, as those of the result of RESHAPE do.
  Result<AnnotatedModel> known =
      withKnownShapes(model, shapes, maker.need, values);
  if (!known.isOk()) {
    shapes = shapesOf(invocation, ShapeNeed::extents);
    known = withKnownShapes(model, shapes, maker.need, values);
  }
  const Log *log = invocation.services->log.get();
  if (log)
    writeLog(*log, LogTag::compilation, "{}: compiles for the shapes {}",
             maker.device, textOf(shapes, values));
  KnownShapes tried = shapes;
  auto made = make(std::move(shapes), values, known, observer);
  if (made.isOk() && !invocation.isCancelled())
    return made;
  if (invocation.isCancelled())
    return Status(StatusCode::missedDeadlineTransient,
                  "the deadline passed while the model was compiled for the "
                  "shapes of the inputs");
  Status status = std::move(made).takeStatus();
  // An execution finds out which shapes the model's operations do not take.
  if (status.code() == StatusCode::invalidArgument)
    status = Status(StatusCode::generalFailure, status.message());
  return std::move(status).withContext(fmt::format(
      "no code for inputs of the shapes {}", textOf(tried, values)));
}

OpenShapeModel::VariantRef
OpenShapeModel::lookUp(const Invocation &invocation,
                       const KnownValues &values) const {
  auto found = std::ranges::find_if(variants, [&](const VariantRef &variant) {
    return fits(variant->shapes, invocation) && variant->values == values;
  });
  if (found == variants.end())
    return nullptr;
  (*found)->lastUse = ++uses;
  return *found;
}

bool OpenShapeModel::dropReplaceable() const {
  std::lock_guard lock(mutex);
  return std::erase_if(variants, [](const VariantRef &variant) {
           return !variant->isKept;
         }) != 0;
}

void OpenShapeModel::add(VariantRef variant) const {
  auto isTooMuch = [&] {
    size_t count = 0;
    uint64_t bytes = variant->code->memoryUse().artifact;
    for (const VariantRef &other : variants)
      if (!other->isKept) {
        ++count;
        bytes += other->code->memoryUse().artifact;
      }
    return count >= maxVariants || (count > 0 && bytes > maxVariantBytes);
  };
  auto age = [](const VariantRef &other) {
    return other->isKept ? UINT64_MAX : other->lastUse;
  };
  while (isTooMuch())
    variants.erase(std::ranges::min_element(variants, {}, age));
  variant->lastUse = ++uses;
  variants.push_back(std::move(variant));
}

Result<OpenShapeModel::VariantRef>
OpenShapeModel::tryToMakeFor(const Invocation &invocation,
                             const KnownValues &values) const try {
  return makeFor(invocation, values);
} catch (const std::bad_alloc &) {
  return outOfResources("no memory to compile the model");
}

Result<OpenShapeModel::VariantRef>
OpenShapeModel::find(const Invocation &invocation) const {
  for (size_t i = 0; i < isNeeded.size(); ++i)
    if (isNeeded[i] && isLeftOut(invocation, i, maker.need))
      return badData("input {} is omitted, and the model needs it", i);
  NNHAL_ASSIGN_OR_RETURN(KnownValues values, valuesOf(invocation));
  std::unique_lock lock(mutex);
  while (true) {
    if (VariantRef variant = lookUp(invocation, values))
      return variant;
    if (!isCompiling)
      break;
    // Nobody notifies of a deadline that passes.
    compiled.wait_for(lock, std::chrono::milliseconds(1));
    if (invocation.isCancelled())
      return Status(StatusCode::missedDeadlineTransient,
                    "the deadline passed while the model was compiled for "
                    "other shapes");
  }
  isCompiling = true;
  lock.unlock();
  Result<VariantRef> made = tryToMakeFor(invocation, values);
  lock.lock();
  isCompiling = false;
  compiled.notify_all();
  if (made.isOk())
    add(*made);
  return made;
}

//===----------------------------------------------------------------------===//
// Executions
//===----------------------------------------------------------------------===//

/// Fails where the request states another extent than the code writes.
static Status checkStatedExtents(const InvocationArgument &output, size_t index,
                                 std::span<const uint32_t> known) {
  for (size_t d = 0; d < known.size(); ++d)
    if (known[d] != 0 && output.extents[d] != 0 &&
        output.extents[d] != known[d])
      return failure("output {} has extent {} in dimension {}, the request "
                     "states {}",
                     index, known[d], d, output.extents[d]);
  return Status::ok();
}

/// Gives outputs of unknown rank the rank that the code writes.
static Status bindRanks(const Interface &face, const Interface &known,
                        std::span<InvocationArgument> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t rank = known.outputs[i].dimensions.size();
    if (!hasUnknownRank(face.outputs[i]) || outputs[i].rank == rank) {
      NNHAL_RETURN_IF_ERROR(
          checkStatedExtents(outputs[i], i, known.outputs[i].dimensions));
      continue;
    }
    if (outputs[i].rank != 0)
      return failure("output {} has rank {}, the request states {}", i, rank,
                     outputs[i].rank);
    outputs[i].rank = uint32_t(rank);
    std::fill_n(outputs[i].extents, rank, 0);
  }
  return Status::ok();
}

Result<std::vector<InterfaceTensor>>
OpenShapeModel::resultsFor(const Invocation &invocation) const {
  NNHAL_ASSIGN_OR_RETURN(VariantRef variant, find(invocation));
  return variant->code->interface().outputs;
}

Status OpenShapeModel::run(Invocation &invocation) const {
  NNHAL_ASSIGN_OR_RETURN(VariantRef variant, find(invocation));
  NNHAL_RETURN_IF_ERROR(
      bindRanks(face, variant->code->interface(), invocation.outputs));
  auto &workspace = static_cast<VariantWorkspace &>(*invocation.workspace);
  // Omitted inputs of unknown rank are none of the code's, nor are parameters.
  std::vector<InvocationArgument> inputs;
  for (size_t i = 0; i < variant->shapes.size(); ++i)
    if ((!variant->shapes[i] || !variant->shapes[i]->empty()) &&
        !isParameter[i])
      inputs.push_back(invocation.inputs[i]);
  Invocation inner = invocation;
  inner.inputs = inputs;
  NNHAL_ASSIGN_OR_RETURN(inner.workspace, workspace.take(variant));
  Status status = variant->code->run(inner);
  invocation.copiedBytes = inner.copiedBytes;
  return status;
}
