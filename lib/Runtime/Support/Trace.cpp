//===- Trace.cpp - Sections of work by layer and phase --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <new>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::rt;

std::string_view rt::toString(TraceLayer layer) {
  constexpr std::string_view codes[] = {"LA", "LR", "LI", "LD",
                                        "LC", "LO", "LU"};
  return codes[uint8_t(layer)];
}

std::string_view rt::toString(TracePhase phase) {
  constexpr std::string_view codes[] = {"PO",  "PWU", "PBM", "PI", "PP",
                                        "PC",  "PE",  "PT",  "PU", "PIO",
                                        "PTR", "PCO", "PR"};
  return codes[uint8_t(phase)];
}

static std::string_view prefixOf(TraceRelation relation) {
  constexpr std::string_view prefixes[] = {"", "[SW]", "[SUB]"};
  return prefixes[uint8_t(relation)];
}

std::string TraceEvent::text() const {
  if (kind == Kind::counter)
    return detail;
  return fmt::format("{}[NN_{}_{}]{}", prefixOf(name.relation),
                     toString(name.layer), toString(name.phase), detail);
}

static uint32_t currentThread() { return uint32_t(::gettid()); }

Tracer::Tracer(Options options) : options(std::move(options)) {}

int64_t Tracer::now() const {
  if (options.clock)
    return options.clock();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

uint64_t Tracer::add(TraceEvent::Kind kind, TraceName name,
                     std::string_view detail, int64_t begin, int64_t end,
                     int64_t value) noexcept {
  uint32_t thread = currentThread();
  TraceEvent event = {kind, name, {}, begin, end, thread, thread, value};
  try {
    event.detail = detail.substr(0, options.maxDetail);
  } catch (const std::bad_alloc &) {
    std::scoped_lock lock(mutex);
    ++dropped;
    return 0;
  }
  return keep(std::move(event));
}

uint64_t Tracer::keep(TraceEvent event) noexcept {
  std::scoped_lock lock(mutex);
  try {
    if (stored.size() < options.maxEvents) {
      stored.push_back(std::move(event));
      return taken + stored.size();
    }
  } catch (const std::bad_alloc &) {
    // The event counts as dropped for want of room: tracing never fails the
    // work that it follows.
    ++dropped;
    return 0;
  }
  ++dropped;
  return 0;
}

uint64_t Tracer::beginSection(TraceName name,
                              std::string_view detail) noexcept {
  return add(TraceEvent::Kind::section, name, detail, now(),
             TraceEvent::notEnded);
}

uint64_t Tracer::beginSpan(TraceName name, std::string_view detail) noexcept {
  return add(TraceEvent::Kind::span, name, detail, now(), TraceEvent::notEnded);
}

void Tracer::end(uint64_t id) noexcept {
  if (id == 0)
    return;
  int64_t time = now();
  uint32_t thread = currentThread();
  std::scoped_lock lock(mutex);
  if (id <= taken)
    return; // It had ended.
  TraceEvent &event = stored[id - taken - 1];
  if (event.end != TraceEvent::notEnded)
    return;
  event.end = std::max(time, event.begin);
  event.endThread = thread;
}

void Tracer::addSection(TraceName name, std::string_view detail, int64_t begin,
                        int64_t end) noexcept {
  add(TraceEvent::Kind::section, name, detail, begin, std::max(begin, end));
}

void Tracer::addCounter(std::string_view counter, int64_t value) noexcept {
  int64_t time = now();
  add(TraceEvent::Kind::counter, {}, counter, time, time, value);
}

void Tracer::addEvent(TraceEvent event) noexcept {
  if (event.detail.size() > options.maxDetail)
    event.detail.resize(options.maxDetail);
  // A span that has not ended there never ends here.
  event.end = std::max(event.begin, event.end);
  keep(std::move(event));
}

void Tracer::nameThread(std::string_view name) noexcept {
  nameThread(currentThread(), name);
}

void Tracer::nameThread(uint32_t thread, std::string_view name) noexcept {
  std::scoped_lock lock(mutex);
  try {
    if (names.size() < options.maxEvents || names.contains(thread)) {
      names[thread] = name.substr(0, options.maxDetail);
      return;
    }
  } catch (const std::bad_alloc &) {
    // The event counts as dropped, like in add().
    ++dropped;
    return;
  }
  ++dropped;
}

std::vector<TraceEvent> Tracer::events() const {
  std::scoped_lock lock(mutex);
  return {stored.begin(), stored.end()};
}

std::vector<TraceEvent> Tracer::take(size_t most) {
  std::scoped_lock lock(mutex);
  auto end = stored.begin();
  while (end != stored.end() && most-- > 0 && end->end != TraceEvent::notEnded)
    ++end;
  std::vector<TraceEvent> events(std::make_move_iterator(stored.begin()),
                                 std::make_move_iterator(end));
  stored.erase(stored.begin(), end);
  taken += events.size();
  return events;
}

std::map<uint32_t, std::string> Tracer::threadNames() const {
  std::scoped_lock lock(mutex);
  return names;
}

uint64_t Tracer::droppedEvents() const {
  std::scoped_lock lock(mutex);
  return dropped;
}
