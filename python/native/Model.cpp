//===- Model.cpp - A loaded model -----------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Exceptions.h"

#include "Tools/Report/Diagnostics.h"
#include "Tools/Report/Explanation.h"
#include "Tools/Tensors/Npy.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Partition.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace nnhal;
using namespace nnhal::python;
using rt::Status;

rt::Result<std::shared_ptr<Model>>
Model::load(const tools::EngineOptions &options, bool isTraced,
            tools::ModelFile file, std::vector<std::string> &warnings) {
  auto model = std::make_shared<Model>();
  model->source = std::move(file);
  NNHAL_ASSIGN_OR_RETURN(
      model->owner,
      tools::Engine::create(
          options, tools::makeServices({std::getenv("NNHAL_VLOG"), isTraced})));
  tools::LoadObserver observer;
  observer.warning = [&](std::string_view text) {
    warnings.emplace_back(text);
  };
  observer.remark = [&](uint32_t operation, std::string_view text) {
    model->remarks.emplace_back(operation, text);
  };
  NNHAL_ASSIGN_OR_RETURN(
      tools::LoadOutcome loaded,
      model->owner->load(model->owner->request(), model->source, observer));
  model->prepared = std::move(loaded.prepared);
  model->loadTime = loaded.loadMicroseconds;
  model->compileTime = loaded.compileMicroseconds;
  model->fromCache = loaded.cache.outcome == rt::CacheOutcome::hit;
  NNHAL_ASSIGN_OR_RETURN(model->initial, model->initialStates());
  return model;
}

const rt::Result<tools::ModelMetadata> &Model::metadata() const {
  std::call_once(metadataOnce,
                 [this] { readMetadata = tools::metadataOf(source); });
  return *readMetadata;
}

/// Fills \p bytes with the value 0 of \p tensor.
static void fillZeros(const rt::InterfaceTensor &tensor,
                      std::span<std::byte> bytes) {
  std::ranges::fill(bytes, std::byte());
  if (tensor.zeroPoint == 0)
    return;
  if (rt::elementSizeOf(tensor) == 1) {
    std::ranges::fill(bytes, std::byte(tensor.zeroPoint));
    return;
  }
  auto value = uint16_t(tensor.zeroPoint);
  for (size_t i = 0; i + sizeof(value) <= bytes.size(); i += sizeof(value))
    std::memcpy(bytes.data() + i, &value, sizeof(value));
}

rt::Result<std::vector<rt::AlignedBuffer>> Model::initialStates() const {
  std::vector<rt::AlignedBuffer> states;
  for (const rt::StatePair &pair : interface().statePairs) {
    const rt::InterfaceTensor &tensor = interface().inputs[pair.inputIndex];
    NNHAL_ASSIGN_OR_RETURN(uint64_t size,
                           tools::byteSizeOf(tensor, tensor.dimensions));
    NNHAL_ASSIGN_OR_RETURN(rt::AlignedBuffer buffer,
                           rt::AlignedBuffer::allocate(size));
    fillZeros(tensor, buffer.bytes());
    states.push_back(std::move(buffer));
  }
  return states;
}

py::array Model::stateArray(const States &states, size_t index) const {
  const rt::InterfaceTensor &tensor =
      interface().inputs[interface().statePairs[index].inputIndex];
  std::vector<py::ssize_t> shape(tensor.dimensions.begin(),
                                 tensor.dimensions.end());
  if (hasElementsOfBytes(tensor))
    shape.push_back(tensor.extension->byteSize);
  return py::array(typeOf(tensor), std::move(shape),
                   states.current[index].data());
}

py::dtype Model::typeOf(const rt::InterfaceTensor &tensor) {
  return py::dtype(std::string(tools::formatOf(tensor).descr));
}

bool Model::hasElementsOfBytes(const rt::InterfaceTensor &tensor) {
  return tensor.extension && tensor.extension->kind == rt::ElementKind::opaque;
}

py::tuple Model::shapeOf(const rt::InterfaceTensor &tensor) const {
  py::list shape;
  for (uint32_t extent : tensor.dimensions)
    shape.append(extent == 0 ? py::object(py::none()) : py::int_(extent));
  if (hasElementsOfBytes(tensor))
    shape.append(tensor.extension->byteSize);
  return py::tuple(shape);
}

Model::Slot Model::slotOf(const rt::InterfaceTensor &tensor) const {
  Slot slot;
  slot.type = typeOf(tensor);
  slot.number = slot.type.num();
  slot.isBytes = hasElementsOfBytes(tensor);
  slot.isFixed = !rt::hasUnknownRank(tensor) &&
                 std::ranges::count(tensor.dimensions, 0u) == 0;
  return slot;
}

void Model::findTypes() {
  for (const rt::InterfaceTensor &tensor : interface().inputs)
    inputs.push_back(slotOf(tensor));
  for (const rt::InterfaceTensor &tensor : interface().outputs)
    outputs.push_back(slotOf(tensor));
  const auto &pairs = interface().statePairs;
  for (size_t i = 0; i < pairs.size(); ++i) {
    inputs[pairs[i].inputIndex].state = int(i);
    outputs[pairs[i].outputIndex].state = int(i);
  }
  lastShapes.resize(outputs.size());
}

rt::Result<std::string> Model::explain(bool asJson) const {
  using tools::ModelKind;
  if (source.kind == ModelKind::mlir || source.kind == ModelKind::artifact)
    return rt::badData("{} has no operations of the HAL to explain: load the "
                       ".tflite or .json model",
                       source.label());
  tools::LoadRequest reading = owner->request();
  reading.goal = tools::LoadGoal::source;
  tools::LoadObserver silent;
  silent.warning = [](std::string_view) {};
  NNHAL_ASSIGN_OR_RETURN(tools::LoadOutcome read,
                         owner->load(reading, source, silent));
  NNHAL_ASSIGN_OR_RETURN(std::optional<rt::PartitionPlan> plan,
                         owner->plan(*read.source));
  tools::Explanation explanation;
  if (plan) {
    explanation = tools::Explanation::create(*read.source, *plan);
  } else {
    NNHAL_ASSIGN_OR_RETURN(
        explanation, tools::Explanation::create(*read.source, owner->device()));
  }
  // Steps number their operations each by itself.
  if (!plan || plan->isSimple())
    for (const auto &[operation, text] : remarks)
      explanation.addRemark(operation, text);
  return explanation.text(asJson ? tools::ExplainFormat::json
                                 : tools::ExplainFormat::text);
}
