//===- Device.cpp - The device nnhal-reference ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/BuiltInDevices.h"
#include "nnhal/Runtime/ReferenceDevice.h"

#include "Executor.h"

#include "Runtime/Model/ExtensionCalls.h"
#include "Runtime/Model/NeededArguments.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Backend/CalledGraphs.h"
#include "nnhal/Backend/HostCodeModel.h"
#include "nnhal/Backend/ModelCopy.h"
#include "nnhal/Runtime/Version.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::reference;

namespace {
class ReferenceModel final : public HostCodeModel {
public:
  ReferenceModel(const AnnotatedModel &source, Model owned,
                 const ReferenceDeviceOptions &options)
      : model(std::move(owned)),
        face(interfaceOf(source, descriptionsOf(options.services.extensions))),
        needed(validation::neededInputs(model)), options(options) {}

  const Interface &interface() const override { return face; }
  uint64_t arenaSize() const override { return 0; }
  Status call(NNHalExecutionContext &context) const override;

private:
  std::vector<Value> inputsOf(const NNHalExecutionContext &context) const;
  Status checkPresence(const NNHalExecutionContext &context) const;

  Model model;
  Interface face;
  std::vector<bool> needed;
  ReferenceDeviceOptions options;
};
} // namespace

std::vector<Value>
ReferenceModel::inputsOf(const NNHalExecutionContext &context) const {
  std::vector<Value> values;
  for (size_t i = 0; i < context.inputCount; ++i) {
    const NNHalTensorArgument &argument = context.inputs[i];
    const Operand &operand = model.main.operands[model.main.inputIndexes[i]];
    Value &value = values.emplace_back();
    value.type = OperandView::of(model, operand).type;
    value.isOmitted = !argument.isPresent;
    if (value.isOmitted)
      continue;
    value.type.isRanked = true;
    value.type.dimensions.assign(argument.shape,
                                 argument.shape + argument.rank);
    value.bytes = {static_cast<const std::byte *>(argument.data),
                   argument.size};
  }
  return values;
}

/// A valid model omits nothing that an operation needs, so that the request
/// has, and is what is not valid, whichever graphs would be executed (D-013).
Status
ReferenceModel::checkPresence(const NNHalExecutionContext &context) const {
  for (size_t i = 0; i < context.inputCount; ++i)
    if (!context.inputs[i].isPresent && needed[i])
      return badData("input {} is omitted, and the model needs it", i);
  return Status::ok();
}

/// Gives an output of unknown rank, for which the request states none either,
/// the rank of \p value.
static Status setRank(size_t index, const Value &value,
                      NNHalTensorArgument &argument) {
  size_t rank = value.type.dimensions.size();
  if (rank > maxOpenRank)
    return failure("output {} has rank {}, above {}", index, rank, maxOpenRank);
  argument.rank = uint32_t(rank);
  std::fill_n(argument.shape, rank, 0);
  return Status::ok();
}

/// Hands \p value to the caller; notes when it does not fit.
static Status deliver(size_t index, const Value &value,
                      const InterfaceTensor &tensor,
                      NNHalTensorArgument &argument) {
  if (hasUnknownRank(tensor) && argument.rank == 0)
    NNHAL_RETURN_IF_ERROR(setRank(index, value, argument));
  if (value.type.dimensions.size() != argument.rank)
    return failure("output {} has rank {}, the {} states {}", index,
                   value.type.dimensions.size(),
                   hasUnknownRank(tensor) ? "request" : "model", argument.rank);
  for (size_t d = 0; d < argument.rank; ++d) {
    int64_t expected = argument.shape[d];
    if (expected != 0 && expected != value.type.dimensions[d])
      return failure("output {} has extent {} in dimension {}, the request "
                     "states {}",
                     index, value.type.dimensions[d], d, expected);
    argument.shape[d] = value.type.dimensions[d];
  }
  argument.isSufficient = argument.size >= value.bytes.size();
  if (argument.isSufficient && !value.bytes.empty())
    std::memcpy(argument.data, value.bytes.data(), value.bytes.size());
  return Status::ok();
}

Status ReferenceModel::call(NNHalExecutionContext &context) const {
  NNHAL_RETURN_IF_ERROR(checkPresence(context));
  Executor executor(model, {.deadline = context.deadline,
                            .loopTimeout = context.loopTimeout,
                            .clock = options.services.clock,
                            .tensorLimit = options.tensorLimit,
                            .cancelFlag = context.cancelFlag,
                            .traceHook = context.traceHook,
                            .traceContext = context.traceContext,
                            .budget = options.services.memory.get(),
                            .extensions = options.services.extensions,
                            .log = options.services.log.get()});
  NNHAL_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                         executor.run(inputsOf(context)));
  for (size_t i = 0; i < outputs.size(); ++i)
    NNHAL_RETURN_IF_ERROR(
        deliver(i, outputs[i], face.outputs[i], context.outputs[i]));
  return Status::ok();
}

namespace {
class ReferenceBackend final : public Backend {
public:
  explicit ReferenceBackend(ReferenceDeviceOptions given)
      : options(std::move(given)) {
    description.name = "nnhal-reference";
    description.version = NNHAL_VERSION;
    description.type = DeviceType::cpu;
    // The performance of other devices is relative to this one (C-020).
    description.capabilities = uniformCapabilities({1.0f, 1.0f});
    description.extensions = descriptionsOf(options.services.extensions);
  }

  const DeviceInfo &info() const override { return description; }

  Result<std::vector<Status>>
  supportedOperations(const AnnotatedModel &annotated) const override {
    const Model &model = annotated.model;
    std::vector<Status> answers;
    answers.reserve(model.main.operations.size());
    CalledGraphs graphs(model);
    for (const Operation &operation : model.main.operations)
      answers.push_back(checkSupport(graphs, model, model.main, operation));
    return answers;
  }

  Result<std::unique_ptr<LoadedModel>>
  load(const AnnotatedModel &annotated, const PrepareOptions &,
       const LoadObserver &) const override {
    const Model &model = annotated.model;
    CalledGraphs graphs(model);
    for (const Operation &operation : model.main.operations)
      NNHAL_RETURN_IF_ERROR(checkSupport(graphs, model, model.main, operation));
    NNHAL_ASSIGN_OR_RETURN(Model owned, ownedCopy(model));
    return std::unique_ptr<LoadedModel>(
        std::make_unique<ReferenceModel>(annotated, std::move(owned), options));
  }

private:
  /// An IF or WHILE is supported when all that it can execute is (C-030).
  Status checkSupport(CalledGraphs &graphs, const Model &model,
                      const Subgraph &subgraph,
                      const Operation &operation) const;

  ReferenceDeviceOptions options;
  DeviceInfo description;
};
} // namespace

Status ReferenceBackend::checkSupport(CalledGraphs &graphs, const Model &model,
                                      const Subgraph &subgraph,
                                      const Operation &operation) const {
  if (isExtension(operation.type))
    return checkExtensionOperation(model, subgraph, operation,
                                   options.services.extensions)
        .takeStatus();
  if (operation.type != OperationType::IF &&
      operation.type != OperationType::WHILE) {
    if (lookUpRoutine(operation.type))
      return Status::ok();
    return badData("nnhal-reference has no routine for {}",
                   nameOf(operation.type));
  }
  return graphs.check(subgraph, operation,
                      [&](const Subgraph &callee, const Operation &inner) {
                        return checkSupport(graphs, model, callee, inner);
                      });
}

std::unique_ptr<Backend>
nnhal::rt::createReferenceBackend(ReferenceDeviceOptions options) {
  DeviceServices complete = completeServices(std::move(options.services));
  // The threads are not kept: they are a device's, and one of them may release
  // this.
  options.services = {};
  options.services.clock = std::move(complete.clock);
  options.services.memory = std::move(complete.memory);
  options.services.log = std::move(complete.log);
  options.services.extensions = std::move(complete.extensions);
  return std::make_unique<ReferenceBackend>(std::move(options));
}

std::unique_ptr<Device>
nnhal::rt::createReferenceDevice(ReferenceDeviceOptions options) {
  options.services = completeServices(std::move(options.services));
  DeviceServices services = options.services;
  return createDevice(createReferenceBackend(std::move(options)),
                      std::move(services));
}

namespace nnhal::rt {
std::unique_ptr<Device>
createBuiltInReference(const BuiltInDevicesOptions &options) {
  ReferenceDeviceOptions reference;
  reference.services = options.services;
  return createReferenceDevice(std::move(reference));
}
} // namespace nnhal::rt
