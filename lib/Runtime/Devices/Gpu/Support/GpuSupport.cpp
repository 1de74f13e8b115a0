//===- GpuSupport.cpp - Operations that GPUs take -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuSupport.h"

#include "Runtime/OpenShapes/OpenShapes.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/GraphCopies.h"
#include "nnhal/Backend/Signatures.h"
#include "nnhal/Backend/Signatures/Detection.h"
#include "nnhal/Runtime/Extensions.h"

#include <algorithm>
#include <optional>

using namespace nnhal::rt;

using enum OperationType;

/// The range of a storage buffer that every desktop implementation allows.
static constexpr uint32_t maxBytes = 128u << 20;

/// Most rounds of a loop of one invocation: Mesa's software driver ends loops
/// after 65,535, without a word.
static constexpr int64_t maxRounds = 32768;

/// Most steps of the one invocation that suppresses boxes: some seconds at
/// worst, after which drivers take a GPU for hung.
static constexpr int64_t maxSteps = int64_t(1) << 22;

namespace {
/// An operation that is not compiled, and what stands in its way.
struct RefusedOperation {
  OperationType type;
  const char *reason;
};
} // namespace

static constexpr const char *isIrregular =
    "it is a routine of the runtime, which GPUs do not call";

static constexpr RefusedOperation refusedOperations[] = {
    {GENERATE_PROPOSALS, isIrregular},
    {RANDOM_MULTINOMIAL, isIrregular},
    {OEM_OPERATION, "it is not compiled for GPUs"},
};

/// Whether \p operand is an input of the model whose extents the model leaves
/// open.
static bool isOpenInput(const Operand &operand) {
  return operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT &&
         hasOpenExtents(operand);
}

/// Whether requests may omit input \p index of an operation with \p places.
static bool isOmittable(const InputPlaces &places, size_t index) {
  return index < places.rows().size() && places.rows()[index]->isOmittable;
}

/// The compiler reads scalars, and lists of numbers such as axes.
static bool isParameter(const Operand &operand, const InputPlaces &places,
                        size_t index) {
  if (isScalar(operand.type))
    return true;
  if (index >= places.rows().size())
    return false;
  InputKind kind = places.rows()[index]->kind;
  return kind == InputKind::int32List || kind == InputKind::int32Pairs;
}

/// Whether the kernels are those of requests that omit \p operand, which is
/// input \p index. The host looks at each request for a parameter.
static bool isLeftOut(const Operand &operand, const InputPlaces &places,
                      size_t index) {
  return isOmittable(places, index) && isOpenInput(operand) &&
         !isParameter(operand, places, index);
}

/// Whether extents of the outputs follow from more than those of the inputs:
/// from their values, or, as those of the scratch output of LSTM, from which
/// inputs a request omits.
static bool hasComputedExtents(const Subgraph &subgraph,
                               const Operation &operation) {
  constexpr size_t inputToInputWeights = 1;
  return operation.type == BOX_WITH_NMS_LIMIT ||
         (operation.type == LSTM &&
          subgraph.operands[operation.inputs[inputToInputWeights]].lifetime ==
              OperandLifeTime::SUBGRAPH_INPUT);
}

static Status checkOperand(const Model &model, const Operand &operand,
                           OpenExtents extents) {
  if (operand.lifetime == OperandLifeTime::NO_VALUE)
    return Status::ok();
  if (isExtension(operand.type) || operand.type == OperandType::OEM ||
      operand.type == OperandType::TENSOR_OEM_BYTE)
    return badData("is {}, which is not compiled for GPUs",
                   nameOf(model, operand.type));
  if (hasOpenExtents(operand) && extents != OpenExtents::refused)
    return Status::ok();
  if (!isScalar(operand.type) && operand.dimensions.empty())
    return badData("has a rank that only an execution knows");
  std::optional<uint32_t> bytes = byteSizeOf(operand);
  // Results may be empty, and 0 says that, too.
  if (!bytes)
    return badData("of shape [{}] has {}extents that only an execution knows",
                   fmt::join(operand.dimensions, ","),
                   operand.lifetime == OperandLifeTime::SUBGRAPH_INPUT
                       ? ""
                       : "no elements, or ");
  if (*bytes > maxBytes)
    return badData("has {} bytes, buffers of GPUs up to {}", *bytes, maxBytes);
  return Status::ok();
}

/// The failure of \p status about the operand \p index of a list.
static Status about(Status status, const char *what, size_t index) {
  if (status.isOk())
    return status;
  return badData("{} {} {}", what, index, status.message());
}

/// Whether \p operand, which is input \p index, is a parameter whose value
/// only an execution knows.
static bool isOpenParameter(const Operand &operand, const InputPlaces &places,
                            size_t index) {
  return !isConstant(operand.lifetime) &&
         operand.lifetime != OperandLifeTime::NO_VALUE &&
         operand.lifetime != OperandLifeTime::SUBGRAPH &&
         isParameter(operand, places, index);
}

static bool isControl(const Operation &operation) {
  return operation.type == IF || operation.type == WHILE;
}

std::vector<uint32_t> nnhal::rt::openParametersOf(const Model &model,
                                                  const Subgraph &subgraph,
                                                  const Operation &operation) {
  std::vector<uint32_t> found;
  if (isExtension(operation.type))
    return found;
  InputPlaces places(OperationView::of(model, subgraph, operation));
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (isOpenParameter(subgraph.operands[operation.inputs[i]], places, i))
      found.push_back(operation.inputs[i]);
  return found;
}

OpenParameters nnhal::rt::openParametersOf(const Model &model) {
  OpenParameters found = OpenParameters::none;
  for (const Operation &operation : model.main.operations)
    for (uint32_t index : openParametersOf(model, model.main, operation)) {
      bool isInput = model.main.operands[index].lifetime ==
                     OperandLifeTime::SUBGRAPH_INPUT;
      found = std::max(found, isInput && !isControl(operation)
                                  ? OpenParameters::inputs
                                  : OpenParameters::computed);
    }
  for (const Subgraph &graph : model.referenced)
    for (const Operation &operation : graph.operations)
      if (!openParametersOf(model, graph, operation).empty())
        return OpenParameters::computed;
  return found;
}

std::vector<bool> nnhal::rt::parameterInputsOf(const Model &model) {
  const Subgraph &main = model.main;
  std::vector<bool> result(main.inputIndexes.size());
  for (const Operation &operation : main.operations)
    for (uint32_t index : openParametersOf(model, main, operation))
      for (size_t i = 0; i < result.size(); ++i)
        if (main.inputIndexes[i] == index)
          result[i] = true;
  return result;
}

static Status checkParameters(const Subgraph &subgraph,
                              const Operation &operation,
                              const InputPlaces &places, OpenExtents extents) {
  if (extents != OpenExtents::refused)
    return Status::ok();
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (const Operand &operand = subgraph.operands[operation.inputs[i]];
        isOpenParameter(operand, places, i))
      return badData("input {} is not a constant but a {}", i,
                     toString(operand.lifetime));
  return Status::ok();
}

static Status checkOperands(const Model &model, const Subgraph &subgraph,
                            const Operation &operation, OpenExtents extents) {
  InputPlaces places(OperationView::of(model, subgraph, operation));
  for (size_t i = 0; i < operation.inputs.size(); ++i)
    if (const Operand &operand = subgraph.operands[operation.inputs[i]];
        !isLeftOut(operand, places, i))
      NNHAL_RETURN_IF_ERROR(
          about(checkOperand(model, operand, extents), "input", i));
  OpenExtents ofResults =
      hasComputedExtents(subgraph, operation) ? OpenExtents::refused : extents;
  for (size_t i = 0; i < operation.outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(about(
        checkOperand(model, subgraph.operands[operation.outputs[i]], ofResults),
        "output", i));
  return checkParameters(subgraph, operation, places, extents);
}

//===----------------------------------------------------------------------===//
// Bounds of work
//===----------------------------------------------------------------------===//

static Status checkRounds(std::string_view what, int64_t rounds) {
  if (rounds <= maxRounds)
    return Status::ok();
  return badData("one invocation would go through {} {}, GPUs take up to {}",
                 rounds, what, maxRounds);
}

/// Non-maximum suppression of \p boxes takes the best one \p takes times in
/// each of \p classes.
static Status checkSuppression(int64_t boxes, int64_t takes, int64_t classes) {
  NNHAL_RETURN_IF_ERROR(checkRounds("boxes", boxes));
  NNHAL_RETURN_IF_ERROR(checkRounds("classes", classes));
  // Three factors below 2^16.
  int64_t steps = boxes * std::min(boxes, takes) * classes;
  if (steps <= maxSteps)
    return Status::ok();
  return badData("suppressing {} boxes in {} classes takes {} steps of one "
                 "invocation, GPUs take up to {}",
                 boxes, classes, steps, maxSteps);
}

static Status checkPostprocessing(const OperationView &view) {
  const std::vector<int64_t> &scores = view.inputs[0].type.dimensions;
  if (scores.size() != 3)
    return Status::ok(); // Validation says that.
  NNHAL_ASSIGN_OR_RETURN(DetectionPostprocessingForm form,
                         decodeDetectionPostprocessing(view));
  const PostprocessingParams &params = form.params;
  // The images are below each other.
  int64_t boxes = scores[0] * scores[1];
  NNHAL_RETURN_IF_ERROR(checkRounds("classes", scores[2]));
  if (!params.isRegularNms)
    return checkSuppression(boxes, scores[0] * params.maxDetections, 1);
  return checkSuppression(boxes, scores[0] * params.maxDetectionsPerClass,
                          scores[2]);
}

static Status checkHashing(const OperationView &view) {
  const std::vector<int64_t> &input = view.inputs[1].type.dimensions;
  NNHAL_RETURN_IF_ERROR(checkRounds("rows", input[0]));
  int64_t elements = 1;
  for (size_t i = 1; i < input.size(); ++i)
    elements *= input[i];
  // 64 bytes a round, elements of 4 bytes at most.
  return checkRounds("parts of a row", (elements + 15) / 16);
}

/// Whether the work of \p view, whose operands have been checked, suits one
/// invocation.
static Status checkWork(const OperationView &view) {
  const std::vector<int64_t> &extents = view.inputs[0].type.dimensions;
  switch (view.type) {
  case TOPK_V2:
    return checkRounds("elements", extents.back());
  case BOX_WITH_NMS_LIMIT:
    return checkSuppression(extents[0], extents[0], extents[1]);
  case DETECTION_POSTPROCESSING:
    return checkPostprocessing(view);
  case LSH_PROJECTION:
    return checkHashing(view);
  default:
    return Status::ok();
  }
}

//===----------------------------------------------------------------------===//
// IF and WHILE
//===----------------------------------------------------------------------===//

/// An operand of IF or WHILE, or an input or output of their graphs, has to be
/// a tensor, whose buffer commands name, or a constant: other scalars are
/// parameters of operations, which the host has to know.
static Status checkPassed(const Model &model, const Operand &operand,
                          OpenExtents extents) {
  if (operand.lifetime == OperandLifeTime::SUBGRAPH)
    return Status::ok();
  if (isScalar(operand.type) && !isConstant(operand.lifetime) &&
      extents == OpenExtents::refused)
    return badData("is not a constant but a {}", toString(operand.lifetime));
  return checkOperand(model, operand, extents);
}

static Status checkPassed(const Model &model, const Subgraph &subgraph,
                          const std::vector<uint32_t> &indexes,
                          OpenExtents extents, const char *what) {
  for (size_t i = 0; i < indexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(about(
        checkPassed(model, subgraph.operands[indexes[i]], extents), what, i));
  return Status::ok();
}

static Status checkControlFlow(const Model &model, CalledGraphs &graphs,
                               const Subgraph &subgraph,
                               const Operation &operation,
                               OpenExtents extents) {
  NNHAL_RETURN_IF_ERROR(
      checkPassed(model, subgraph, operation.inputs, extents, "input"));
  NNHAL_RETURN_IF_ERROR(
      checkPassed(model, subgraph, operation.outputs, extents, "output"));
  for (uint32_t index : operation.inputs) {
    const Operand &operand = subgraph.operands[index];
    if (operand.lifetime != OperandLifeTime::SUBGRAPH)
      continue;
    uint32_t number = operand.location.offset;
    const Subgraph &graph = model.referenced[number];
    Status status =
        checkPassed(model, graph, graph.inputIndexes, extents, "input");
    if (status.isOk())
      status =
          checkPassed(model, graph, graph.outputIndexes, extents, "output");
    NNHAL_RETURN_IF_ERROR(
        std::move(status).withContext(fmt::format("referenced[{}]", number)));
  }
  return graphs.check(subgraph, operation,
                      [&](const Subgraph &inner, const Operation &called) {
                        return refusalOf(model, graphs, inner, called, extents);
                      });
}

Status nnhal::rt::refusalOf(const Model &model, CalledGraphs &graphs,
                            const Subgraph &subgraph,
                            const Operation &operation, OpenExtents extents) {
  if (isControl(operation))
    return checkControlFlow(model, graphs, subgraph, operation, extents)
        .withContext(nameOf(operation.type));
  if (isExtension(operation.type))
    return badData("{} is of an extension, which is not compiled for GPUs",
                   nameOf(model, operation.type));
  for (const RefusedOperation &refused : refusedOperations)
    if (refused.type == operation.type)
      return badData("{}: {}", nameOf(operation.type), refused.reason);
  Status status = checkOperands(model, subgraph, operation, extents);
  // Open extents and parameters are compared with the bounds when they are
  // known.
  auto isOpenAt = [&](uint32_t index) {
    return hasOpenExtents(subgraph.operands[index]);
  };
  bool isPostponed = extents != OpenExtents::refused &&
                     (std::ranges::any_of(operation.inputs, isOpenAt) ||
                      !openParametersOf(model, subgraph, operation).empty());
  if (status.isOk() && !isPostponed)
    status = checkWork(OperationView::of(model, subgraph, operation));
  return std::move(status).withContext(nameOf(operation.type));
}

/// Whether operand \p index of the main subgraph is read, and every request may
/// omit it. What is passed to a graph is there.
static bool isEverywhereOmittable(const Model &model, uint32_t index) {
  bool isRead = false;
  for (const Operation &operation : model.main.operations) {
    if (std::ranges::count(operation.inputs, index) == 0)
      continue;
    if (isControl(operation))
      return false;
    isRead = true;
    InputPlaces places(OperationView::of(model, model.main, operation));
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      if (operation.inputs[i] == index && !isOmittable(places, i))
        return false;
  }
  return isRead;
}

OpenParts nnhal::rt::openPartsOf(const Model &model) {
  const Subgraph &main = model.main;
  OpenParts found = OpenParts::none;
  for (size_t i = 0; i < main.operands.size(); ++i) {
    if (!hasOpenExtents(main.operands[i]))
      continue;
    if (main.operands[i].lifetime != OperandLifeTime::SUBGRAPH_INPUT)
      found = std::max(found, OpenParts::results);
    else if (!isEverywhereOmittable(model, uint32_t(i)))
      found = OpenParts::inputs;
  }
  for (const Subgraph &graph : model.referenced)
    if (std::ranges::any_of(graph.operands, hasOpenExtents))
      found = std::max(found, OpenParts::results);
  return found;
}

Status nnhal::rt::checkGpuInterface(const Model &model, OpenExtents extents) {
  const Subgraph &main = model.main;
  for (size_t i = 0; i < main.inputIndexes.size(); ++i) {
    uint32_t index = main.inputIndexes[i];
    const Operand &operand = main.operands[index];
    if (isOpenInput(operand) && isEverywhereOmittable(model, index))
      continue;
    NNHAL_RETURN_IF_ERROR(
        about(checkOperand(model, operand, extents), "input", i)
            .withContext("the model"));
  }
  for (size_t i = 0; i < main.outputIndexes.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        about(
            checkOperand(model, main.operands[main.outputIndexes[i]], extents),
            "output", i)
            .withContext("the model"));
  return Status::ok();
}

std::vector<Status> nnhal::rt::refusalsOf(const Model &model,
                                          OpenExtents extents) {
  std::vector<Status> refusals;
  refusals.reserve(model.main.operations.size());
  CalledGraphs graphs(model);
  GraphCopies copies(model);
  for (const Operation &operation : model.main.operations) {
    refusals.push_back(
        refusalOf(model, graphs, model.main, operation, extents));
    if (refusals.back().isOk())
      refusals.back() = copies.add(operation);
  }
  return refusals;
}

Status nnhal::rt::checkGpuModel(const Model &model, OpenExtents extents) {
  std::vector<Status> refusals = refusalsOf(model, extents);
  for (size_t i = 0; i < refusals.size(); ++i)
    NNHAL_RETURN_IF_ERROR(about(std::move(refusals[i]), "operation", i));
  return checkGpuInterface(model, extents);
}
