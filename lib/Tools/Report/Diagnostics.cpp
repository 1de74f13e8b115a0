//===- Diagnostics.cpp - Log and trace of a run ---------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

#include "Runtime/Support/AtomicFile.h"
#include "nnhal/Runtime/GraphDump.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/TraceFile.h"

#include <fmt/format.h>

#include <cstdio>

using namespace nnhal;
using namespace nnhal::tools;
using rt::Status;

static void writeLogLine(std::string_view line) {
  // This does not call fmt::print, which throws when standard error is closed.
  std::string text = fmt::format("{}\n", line);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

rt::DeviceServices tools::makeServices(const DiagnosticsRequest &request) {
  rt::DeviceServices services;
  uint32_t mask =
      rt::parseLogMask(request.logTags ? request.logTags : "", writeLogLine);
  services.log = std::make_shared<rt::Log>(mask, writeLogLine);
  if (request.isTraced) {
    services.tracer = std::make_shared<rt::Tracer>();
    services.tracer->nameThread("main");
  }
  return services;
}

Status tools::writeTraceFile(const rt::Tracer &tracer,
                             const std::string &path) {
  std::string text = rt::writeTrace(tracer);
  return rt::writeFileAtomically(path, std::as_bytes(std::span(text)));
}

Status tools::drawModel(const std::string &path, std::string_view name,
                        const rt::AnnotatedModel &model,
                        const rt::Device &device,
                        const std::optional<rt::PartitionPlan> &plan,
                        std::span<const uint64_t> operationTimes) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Status> supported,
                         device.supportedOperations(model));
  rt::GraphNotes notes;
  notes.inputNames = model.inputNames;
  notes.outputNames = model.outputNames;
  for (size_t i = 0; i < supported.size(); ++i) {
    rt::OperationNote &note = notes.operations.emplace_back();
    if (plan)
      note.device = plan->candidates[plan->assignments[i].device].name;
    else if (supported[i].isOk())
      note.device = device.name();
    else
      note.obstacle = supported[i].message();
    if (i < operationTimes.size())
      note.microseconds = double(operationTimes[i]) / 1000.0;
  }
  std::string graph = rt::graphDump(name, model.model, notes);
  return rt::writeFileAtomically(path, std::as_bytes(std::span(graph)));
}
