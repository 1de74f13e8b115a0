//===- ModelFinish.cpp - From what was built to a valid model -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Library.h"

#include "Runtime/Model/ExtensionUse.h"
#include "Runtime/Model/TrailingDefaults.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/AlignedBuffer.h"
#include "nnhal/Runtime/GraphDump.h"
#include "nnhal/Runtime/Trace.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <set>

using namespace nnhal;
using namespace nnhal::ndk;
using rt::Operand;
using rt::Status;

/// Copies the values that were referred to into pools (B-112). A location has
/// 32 bits, and so has a pool.
Status ANeuralNetworksModel::copyLargeValues() {
  constexpr uint64_t alignment = rt::AlignedBuffer::minimumAlignment;
  auto place = largeValues.begin();
  while (place != largeValues.end()) {
    uint64_t size = 0;
    auto first = place;
    for (; place != largeValues.end(); ++place) {
      uint64_t end = size + place->second.length;
      if (end > UINT32_MAX)
        break;
      size = std::min<uint64_t>((end + alignment - 1) & ~(alignment - 1),
                                UINT32_MAX);
    }
    NNHAL_ASSIGN_OR_RETURN(rt::AlignedBuffer bytes,
                           rt::AlignedBuffer::allocate(size));
    auto pool = uint32_t(built->model.pools.size());
    uint64_t offset = 0;
    for (auto each = first; each != place; ++each) {
      const auto &[data, length] = each->second;
      std::memcpy(bytes.data() + offset, data, length);
      built->model.main.operands[each->first].location = {
          pool, uint32_t(offset), length};
      offset = (offset + length + alignment - 1) & ~(alignment - 1);
    }
    built->model.pools.push_back({"ashmem", rt::Memory::adopt(std::move(bytes)),
                                  /*file=*/"",
                                  /*fileOffset=*/0, /*isSynthetic=*/true});
  }
  largeValues.clear();
  return Status::ok();
}

/// Puts the operations into an order of execution, the earliest possible one by
/// their numbers (B-109). False when there is none (B-111).
bool ANeuralNetworksModel::sortOperations() {
  rt::Subgraph &main = built->model.main;
  std::vector<rt::Operation> &operations = main.operations;
  // Operations that write an operand before others may read it.
  std::vector<uint32_t> missing(operations.size());
  std::vector<std::vector<uint32_t>> readers(main.operands.size());
  std::vector<uint32_t> writers(main.operands.size());
  for (const rt::Operation &operation : operations)
    for (uint32_t output : operation.outputs)
      ++writers[output];
  for (uint32_t i = 0; i < operations.size(); ++i)
    for (uint32_t input : operations[i].inputs)
      if (writers[input] != 0) {
        missing[i] += writers[input];
        readers[input].push_back(i);
      }
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t i = 0; i < operations.size(); ++i)
    if (missing[i] == 0)
      ready.push(i);
  places.assign(operations.size(), 0);
  std::vector<rt::Operation> sorted;
  sorted.reserve(operations.size());
  while (!ready.empty()) {
    uint32_t next = ready.top();
    ready.pop();
    places[next] = uint32_t(sorted.size());
    for (uint32_t output : operations[next].outputs)
      for (uint32_t reader : readers[output])
        if (--missing[reader] == 0)
          ready.push(reader);
    sorted.push_back(operations[next]);
  }
  if (sorted.size() != operations.size())
    return false;
  operations = std::move(sorted);
  return true;
}

/// Names the extensions that the model uses, and no others (H-019).
Status ANeuralNetworksModel::nameExtensions() {
  const std::set<uint32_t> prefixes = rt::usedPrefixes(built->model);
  if (prefixes.empty())
    return Status::ok();
  Library *library = Library::find();
  if (!library)
    return Status::ok(); // A child has no extensions: the model is not valid.
  for (uint32_t prefix : prefixes)
    if (auto name = library->extensions().nameOf(prefix << 16))
      built->model.extensionNameToPrefix.push_back(
          {*std::move(name), uint16_t(prefix)});
  return Status::ok();
}

Status ANeuralNetworksModel::complete() {
  rt::Model &model = built->model;
  NNHAL_RETURN_IF_ERROR(copyLargeValues());
  NNHAL_RETURN_IF_ERROR(nameExtensions());
  if (!sortOperations())
    return rt::badData("the operations depend on each other in a cycle");
  rt::computeConsumers(model.main);
  rt::removeTrailingDefaults(model);
  return rt::validateModel(model);
}

/// OEM types and operations are deprecated (H-048).
static bool usesOem(const rt::Subgraph &graph) {
  return std::ranges::any_of(graph.operands,
                             [](const Operand &operand) {
                               return operand.type == rt::OperandType::OEM ||
                                      operand.type ==
                                          rt::OperandType::TENSOR_OEM_BYTE;
                             }) ||
         std::ranges::count(graph.operations, rt::OperationType::OEM_OPERATION,
                            &rt::Operation::type) != 0;
}

int ANeuralNetworksModel::finish() {
  if (state != State::building)
    return ANEURALNETWORKS_BAD_STATE;
  Library *library = Library::find();
  rt::TraceSection section(library ? library->tracer() : nullptr,
                           rt::TraceLayer::runtime, rt::TracePhase::preparation,
                           "ANeuralNetworksModel_finish");
  // Whatever happens here, nothing can be done with the model afterwards
  // (J-071).
  state = State::invalid;
  Status status = complete();
  if (library && !status.isOk())
    rt::writeLog(library->log(), rt::LogTag::model, "finish: {}",
                 status.message());
  if (!status.isOk())
    return status.code() == rt::StatusCode::resourceExhaustedTransient
               ? ANEURALNETWORKS_OUT_OF_MEMORY
               : ANEURALNETWORKS_BAD_DATA;
  if (library && usesOem(built->model.main))
    rt::writeLog(library->log(), rt::LogTag::model,
                 "finish: OEM types and operations are deprecated, extensions "
                 "take their place");
  if (library && library->log().isOn(rt::LogTag::model))
    library->log().writeLines(
        rt::LogTag::model,
        rt::graphDump("model", built->model, rt::GraphNotes()));
  state = State::finished;
  shared = std::move(built);
  return ANEURALNETWORKS_NO_ERROR;
}
