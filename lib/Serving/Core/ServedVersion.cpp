//===- ServedVersion.cpp - A loaded version of a model --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServedVersion.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"

using namespace nnhal;
using namespace nnhal::serving;
using rt::Status;

static constexpr int64_t nanosecondsPerMicrosecond = 1000;

ServedVersion::ServedVersion(std::string name, uint64_t version,
                             ModelConfig config, Signature tensors,
                             rt::PreparedModelRef prepared,
                             const LoadContext &context)
    : name(std::move(name)), number(std::to_string(version)),
      config(std::move(config)), tensors(std::move(tensors)),
      engine(context.engine), counters(context.metrics.of(this->name, number)),
      memory(prepared->memoryUse()),
      executable(std::move(prepared), this->tensors, counters->copiedBytes),
      queue({.model = this->name,
             .maxWaiting = this->config.maxQueueSize,
             .maxBatchSize = this->config.maxBatchSize,
             .maxDelay = int64_t(this->config.maxQueueDelayMicroseconds) *
                         nanosecondsPerMicrosecond},
            context.executions, executable, *counters, context.tracer) {
  counters->artifactBytes.Increment(double(memory.artifact));
  counters->arenaBytes.Increment(double(memory.arena));
}

ServedVersion::~ServedVersion() {
  counters->artifactBytes.Decrement(double(memory.artifact));
  counters->arenaBytes.Decrement(double(memory.arena));
}

/// Whether the tensors of \p signature can be those of batches.
static Status checkBatches(const ModelConfig &config,
                           const Signature &signature) {
  if (config.maxBatchSize == 0)
    return Status::ok();
  if (!signature.isBatched)
    return rt::badData("max_batch_size {}: the first dimension of inputs and "
                       "outputs is not the same for all of them",
                       config.maxBatchSize);
  if (signature.batchExtent > 0 && config.maxBatchSize > signature.batchExtent)
    return rt::badData("max_batch_size {} is more than the {} samples of the "
                       "model",
                       config.maxBatchSize, signature.batchExtent);
  return Status::ok();
}

rt::Result<std::shared_ptr<ServedVersion>>
ServedVersion::load(const std::string &model, uint64_t version,
                    const std::string &path, const ModelConfig &config,
                    const LoadContext &context) {
  NNHAL_ASSIGN_OR_RETURN(tools::ModelFile file, tools::openModel(path));
  tools::LoadRequest request = context.engine->request();
  request.preparation.priority = config.priority;
  request.shapes = config.shapes;
  request.signature = config.signature;
  tools::LoadObserver observer;
  observer.warning = [&](std::string_view text) {
    rt::writeLog(*context.log, rt::LogTag::manager, "{}: {}", path, text);
  };
  NNHAL_ASSIGN_OR_RETURN(tools::LoadOutcome loaded,
                         context.engine->load(request, file, observer));
  NNHAL_ASSIGN_OR_RETURN(Signature signature,
                         signatureOf(loaded.prepared->interface()));
  NNHAL_RETURN_IF_ERROR(checkBatches(config, signature));
  return std::shared_ptr<ServedVersion>(
      new ServedVersion(model, version, config, std::move(signature),
                        std::move(loaded.prepared), context));
}

Outcome ServedVersion::infer(const InferenceRequest &request,
                             InferenceResponse &response) {
  response.model = name;
  response.version = number;
  ArgumentRules rules{name, tensors, config.maxBatchSize};
  Arguments arguments;
  if (Outcome wrong = bindArguments(rules, request, arguments); !wrong.isOk())
    return wrong;
  Outcome outcome =
      queue.run(arguments,
                {.priority = request.priority.value_or(config.priority),
                 .deadline = request.deadline,
                 .isAbandoned = request.isAbandoned},
                response);
  uint64_t inputBytes = 0;
  for (const Arguments::Input &input : arguments.inputs)
    inputBytes += input.data.size();
  uint64_t outputBytes = 0;
  for (const ResponseTensor &output : response.outputs)
    outputBytes += output.data.size();
  counters->inputBytes.Increment(double(inputBytes));
  counters->outputBytes.Increment(double(outputBytes));
  return outcome;
}
