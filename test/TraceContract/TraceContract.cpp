//===- TraceContract.cpp - What a trace promises --------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceContract.h"

#include "Runtime/Support/Errors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using nlohmann::json;

namespace {
/// Walks the sections of one thread in the order of their beginnings.
class ThreadWalk {
public:
  explicit ThreadWalk(TraceReport &report) : report(report) {}

  void add(const TraceEvent &event) {
    while (!open.empty() && isOver(*open.back(), event))
      open.pop_back();
    std::string text = event.text();
    if (!open.empty() && event.end > open.back()->end)
      report.problems.push_back(
          fmt::format("'{}' overlaps '{}'", text, open.back()->text()));
    bool isInExecution = std::ranges::any_of(open, [](const TraceEvent *outer) {
      return outer->name.phase == TracePhase::execution;
    });
    if (isSubphase(event.name.phase) && !isInExecution)
      report.problems.push_back(
          fmt::format("'{}' is not within an execution", text));
    if (event.name.relation != TraceRelation::nested && open.empty())
      report.problems.push_back(
          fmt::format("'{}' is not within a section", text));
    int64_t time = event.end - event.begin;
    TraceStatistics &own =
        report.sections[{event.name.layer, event.name.phase}];
    ++own.count;
    own.selfTime += time;
    if (!open.empty()) {
      const TraceName &outer = open.back()->name;
      report.sections[{outer.layer, outer.phase}].selfTime -= time;
    }
    open.push_back(&event);
  }

private:
  /// An event without duration at the very end of another stands within it.
  static bool isOver(const TraceEvent &outer, const TraceEvent &next) {
    return outer.end < next.begin ||
           (outer.end == next.begin && next.end > next.begin);
  }

  TraceReport &report;
  std::vector<const TraceEvent *> open;
};
} // namespace

TraceReport test::checkTrace(const std::vector<TraceEvent> &events) {
  TraceReport report;
  std::map<uint32_t, std::vector<const TraceEvent *>> threads;
  for (const TraceEvent &event : events) {
    if (event.kind == TraceEvent::Kind::counter)
      continue;
    if (event.end == TraceEvent::notEnded) {
      report.problems.push_back(fmt::format("'{}' has no end", event.text()));
      continue;
    }
    if (event.kind == TraceEvent::Kind::span) {
      TraceStatistics &own = report.spans[{event.name.layer, event.name.phase}];
      ++own.count;
      own.selfTime += event.end - event.begin;
      continue;
    }
    if (event.beginThread != event.endThread)
      report.problems.push_back(
          fmt::format("'{}' ends on another thread", event.text()));
    threads[event.beginThread].push_back(&event);
  }
  for (auto &[thread, sections] : threads) {
    // The longest of sections that begin at once is around the others.
    std::ranges::sort(sections, [](const TraceEvent *a, const TraceEvent *b) {
      return std::tuple(a->begin, b->end, a) < std::tuple(b->begin, a->end, b);
    });
    ThreadWalk walk(report);
    for (const TraceEvent *section : sections)
      walk.add(*section);
  }
  return report;
}

std::optional<std::pair<TraceName, std::string>>
test::parseTraceText(std::string_view text) {
  auto take = [&](std::string_view prefix) {
    bool has = text.starts_with(prefix);
    text.remove_prefix(has ? prefix.size() : 0);
    return has;
  };
  TraceName name;
  if (take("[SW]"))
    name.relation = TraceRelation::switched;
  else if (take("[SUB]"))
    name.relation = TraceRelation::subtracted;
  if (!take("[NN_"))
    return std::nullopt;
  for (auto layer = uint8_t(TraceLayer::application);
       layer <= uint8_t(TraceLayer::utility); ++layer)
    for (auto phase = uint8_t(TracePhase::overall);
         phase <= uint8_t(TracePhase::results); ++phase)
      if (take(fmt::format("{}_{}]", toString(TraceLayer(layer)),
                           toString(TracePhase(phase))))) {
        name.layer = TraceLayer(layer);
        name.phase = TracePhase(phase);
        return std::pair(name, std::string(text));
      }
  return std::nullopt;
}

static int64_t nanoseconds(const json &microseconds) {
  return std::llround(microseconds.get<double>() * 1000.0);
}

Result<std::vector<TraceEvent>> test::readTrace(std::string_view text) {
  std::vector<TraceEvent> events;
  std::map<uint64_t, size_t> spans;
  try {
    const json document = json::parse(text);
    for (const json &object : document.at("traceEvents")) {
      std::string type = object.at("ph");
      if (type == "M" || type == "C")
        continue;
      if (type == "e") {
        TraceEvent &span = events[spans.at(object.at("id"))];
        span.end = nanoseconds(object.at("ts"));
        span.endThread = object.at("tid");
        continue;
      }
      auto name = parseTraceText(object.at("name").get<std::string>());
      if (!name)
        return badData("event '{}' names no layer and phase",
                       object.at("name").get<std::string>());
      TraceEvent event;
      event.name = name->first;
      event.detail = name->second;
      event.begin = nanoseconds(object.at("ts"));
      event.beginThread = event.endThread = object.at("tid");
      if (type == "X") {
        event.end = event.begin + nanoseconds(object.at("dur"));
      } else if (type == "b") {
        event.kind = TraceEvent::Kind::span;
        spans[object.at("id")] = events.size();
      } else if (type != "B") {
        return badData("event of unknown type '{}'", type);
      }
      events.push_back(std::move(event));
    }
  } catch (const json::exception &error) {
    return badData("no trace: {}", error.what());
  } catch (const std::out_of_range &) {
    return badData("a span ends that did not begin");
  }
  return events;
}

static std::string
describeRows(std::string_view kind,
             const std::map<TracePlace, TraceStatistics> &rows) {
  int64_t total = 0;
  for (const auto &[place, row] : rows)
    total += row.selfTime;
  std::string text;
  for (const auto &[place, row] : rows)
    text += fmt::format(
        "{} {} {:<3} {:>8} times {:>12.1f} us {:>10.1f} us mean {:>6.1f} %\n",
        kind, toString(place.first), toString(place.second), row.count,
        double(row.selfTime) / 1e3,
        double(row.selfTime) / 1e3 / double(row.count),
        total == 0 ? 0.0 : 100.0 * double(row.selfTime) / double(total));
  return text;
}

std::string test::describe(const TraceReport &report) {
  return describeRows("section", report.sections) +
         describeRows("span   ", report.spans);
}
