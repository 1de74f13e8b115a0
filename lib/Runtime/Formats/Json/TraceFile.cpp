//===- TraceFile.cpp - Traces as Chrome and Perfetto read them ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/TraceFile.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

using namespace nnhal;
using namespace nnhal::rt;
using nlohmann::ordered_json;

static double toMicroseconds(int64_t nanoseconds) {
  return double(nanoseconds) / 1000.0;
}

namespace {
/// Builds the text event by event: a document of a million objects would take
/// far more memory than the events.
class Writer {
public:
  std::string write(const Tracer &tracer) {
    text = "{\"displayTimeUnit\":\"ns\",\"otherData\":";
    append({{"droppedEvents", tracer.droppedEvents()}});
    text += ",\"traceEvents\":[";
    for (const auto &[thread, name] : tracer.threadNames()) {
      beginEvent();
      append({{"name", "thread_name"},
              {"ph", "M"},
              {"pid", process},
              {"tid", thread},
              {"args", {{"name", name}}}});
    }
    uint64_t id = 0;
    for (const TraceEvent &event : tracer.events())
      add(event, ++id);
    text += "\n]}\n";
    return std::move(text);
  }

private:
  void add(const TraceEvent &event, uint64_t id) {
    bool hasEnded = event.end != TraceEvent::notEnded;
    switch (event.kind) {
    case TraceEvent::Kind::section: {
      ordered_json object = head(event, hasEnded ? "X" : "B");
      if (hasEnded)
        object["dur"] = toMicroseconds(event.end - event.begin);
      append(object);
      return;
    }
    case TraceEvent::Kind::span: {
      ordered_json object = head(event, "b");
      object["id"] = id;
      append(object);
      if (!hasEnded)
        return;
      object = head(event, "e");
      object["id"] = id;
      object["ts"] = toMicroseconds(event.end);
      object["tid"] = event.endThread;
      append(object);
      return;
    }
    case TraceEvent::Kind::counter: {
      ordered_json object = head(event, "C");
      object["args"] = {{"value", event.value}};
      append(object);
      return;
    }
    }
  }

  ordered_json head(const TraceEvent &event, const char *type) {
    beginEvent();
    return {{"name", event.text()}, {"cat", toString(event.name.layer)},
            {"ph", type},           {"ts", toMicroseconds(event.begin)},
            {"pid", process},       {"tid", event.beginThread}};
  }

  void beginEvent() {
    text += isFirst ? "\n" : ",\n";
    isFirst = false;
  }

  void append(const ordered_json &object) {
    text += object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  const int process = ::getpid();
  std::string text;
  bool isFirst = true;
};
} // namespace

std::string rt::writeTrace(const Tracer &tracer) {
  return Writer().write(tracer);
}
