//===- Trace.h - Sections of work by layer and phase ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Sections are named as the HAL names them, "[NN_<layer>_<phase>]<detail>"
// (K-006 to K-008), so that programs for such traces can read these. A trace
// must keep the contract of K-010: sections of a thread nest, and the
// sub-phases of an execution stand only inside one.
//
// A null Tracer pointer is tracing that is off: it costs one test (K-013). Text
// that is costly to make is passed as a callable, which is then not called:
//
//   TraceSection section(tracer, TraceLayer::driver, TracePhase::preparation,
//                        [&] { return fmt::format("prepare {}", name); });
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_TRACE_H
#define NNHAL_RUNTIME_TRACE_H

#include "nnhal/Runtime/Api.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nnhal::rt {

/// The layer that does the work (K-007).
enum class TraceLayer : uint8_t {
  application, // LA
  runtime,     // LR
  ipc,         // LI
  driver,      // LD
  cpu,         // LC
  other,       // LO
  utility,     // LU
};

/// The purpose of the work (K-008). The last four are sub-phases: they stand
/// inside a section of the phase execution.
enum class TracePhase : uint8_t {
  overall,        // PO
  warmup,         // PWU
  benchmark,      // PBM
  initialization, // PI
  preparation,    // PP
  compilation,    // PC
  execution,      // PE
  termination,    // PT
  unspecified,    // PU
  inputOutput,    // PIO
  transformation, // PTR
  computation,    // PCO
  results,        // PR
};

/// How a section counts against the one around it (K-006).
enum class TraceRelation : uint8_t {
  nested,
  /// "[SW]": the section ends the phase that ran so far in the same scope.
  switched,
  /// "[SUB]": the section's time does not count for the section around it.
  subtracted,
};

/// Returns "LA" to "LU", "PO" to "PR".
NNHAL_API std::string_view toString(TraceLayer layer);
NNHAL_API std::string_view toString(TracePhase phase);

constexpr bool isSubphase(TracePhase phase) {
  return phase >= TracePhase::inputOutput;
}

/// The parts of a section's name.
struct TraceName {
  TraceLayer layer = TraceLayer::other;
  TracePhase phase = TracePhase::unspecified;
  TraceRelation relation = TraceRelation::nested;
};

/// One entry of a trace.
struct NNHAL_API TraceEvent {
  enum class Kind : uint8_t {
    /// The entry begins and ends on one thread, nested in others.
    section,
    /// The entry may end on another thread and overlap anything (K-011).
    span,
    /// The entry is a value at a point in time; `detail` is the counter's name.
    counter,
  };
  static constexpr int64_t notEnded = -1;

  Kind kind = Kind::section;
  TraceName name;
  std::string detail;
  /// The nanoseconds of the tracer's clock; end is notEnded while the work
  /// runs.
  int64_t begin = 0;
  int64_t end = notEnded;
  /// The kernel's thread ids.
  uint32_t beginThread = 0;
  uint32_t endThread = 0;
  int64_t value = 0;

  /// Returns "[SW][NN_LR_PE]detail" for example; for a counter its name alone.
  std::string text() const;
};

/// Collects events in memory. See TraceFile.h for how to write them.
///
/// Ownership: the tracer owns the events. Sections and spans refer to the
///            tracer, which lives longer.
/// Threads:   every member may be called from any thread at once.
/// Failures:  none reach the caller; an event for which there is no room is
///            dropped and counted.
class NNHAL_API Tracer {
public:
  struct Options {
    /// The number of events that are kept; later ones are dropped.
    size_t maxEvents = size_t(1) << 18;
    /// The number of bytes of a detail that are kept.
    size_t maxDetail = 256;
    /// A clock in nanoseconds that never goes back; the system's steady clock
    /// when it is empty.
    std::function<int64_t()> clock;
  };

  Tracer() : Tracer(Options()) {}
  explicit Tracer(Options options);
  Tracer(const Tracer &) = delete;
  Tracer &operator=(const Tracer &) = delete;

  /// Reads the tracer's clock.
  int64_t now() const;

  /// Starts a section of the calling thread and returns the id that end()
  /// takes; 0 for a section that was dropped. TraceSection does both.
  uint64_t beginSection(TraceName name, std::string_view detail) noexcept;
  /// Starts work that another thread may end, see TraceSpan, and returns the id
  /// that end() takes.
  uint64_t beginSpan(TraceName name, std::string_view detail) noexcept;
  /// Ends the section or span of \p id, once; 0 is ignored.
  void end(uint64_t id) noexcept;

  /// Adds a section of the calling thread that somebody else has timed, with
  /// now() or on the same clock.
  void addSection(TraceName name, std::string_view detail, int64_t begin,
                  int64_t end) noexcept;
  void addCounter(std::string_view counter, int64_t value) noexcept;
  /// Adds an event of another process as it is, thread ids included. It was
  /// timed on the same clock.
  void addEvent(TraceEvent event) noexcept;
  /// Sets the name under which the calling thread is shown.
  void nameThread(std::string_view name) noexcept;
  /// Names a thread by its id: one of another process, for example.
  void nameThread(uint32_t thread, std::string_view name) noexcept;

  /// Returns a copy of the events so far, in the order in which they were
  /// added.
  std::vector<TraceEvent> events() const;
  /// Removes and returns the first \p most events, and no more than those
  /// before the first one that has not ended.
  std::vector<TraceEvent> take(size_t most);
  /// Returns the thread ids and their names.
  std::map<uint32_t, std::string> threadNames() const;
  uint64_t droppedEvents() const;

private:
  uint64_t add(TraceEvent::Kind kind, TraceName name, std::string_view detail,
               int64_t begin, int64_t end, int64_t value = 0) noexcept;
  uint64_t keep(TraceEvent event) noexcept;

  const Options options;
  mutable std::mutex mutex;
  // The events are in a deque, because its growth moves nothing while other
  // threads wait.
  std::deque<TraceEvent> stored;
  uint64_t taken = 0;
  std::map<uint32_t, std::string> names;
  uint64_t dropped = 0;
};

/// A section for as long as the object lives, on one thread.
class [[nodiscard]] NNHAL_API TraceSection {
public:
  /// \p detail is copied.
  TraceSection(Tracer *tracer, TraceName name, std::string_view detail)
      : tracer(tracer) {
    if (tracer)
      id = tracer->beginSection(name, detail);
  }
  /// \p detail returns the text and is called when \p tracer is not null.
  template <std::invocable Detail>
  TraceSection(Tracer *tracer, TraceName name, const Detail &detail)
      : tracer(tracer) {
    if (tracer)
      id = tracer->beginSection(name, detail());
  }
  template <typename Detail>
  TraceSection(Tracer *tracer, TraceLayer layer, TracePhase phase,
               const Detail &detail)
      : TraceSection(tracer, TraceName{layer, phase}, detail) {}
  TraceSection(const TraceSection &) = delete;
  TraceSection &operator=(const TraceSection &) = delete;
  ~TraceSection() {
    if (tracer)
      tracer->end(id);
  }

private:
  Tracer *tracer;
  uint64_t id = 0;
};

/// Work that may end on another thread than it began on: an asynchronous
/// execution from its start to the end of the wait for it (K-011). A span is
/// move-only; it ends with end() or with the object.
class [[nodiscard]] NNHAL_API TraceSpan {
public:
  /// Makes a span of nothing.
  TraceSpan() = default;
  TraceSpan(Tracer *tracer, TraceName name, std::string_view detail)
      : tracer(tracer) {
    if (tracer)
      id = tracer->beginSpan(name, detail);
  }
  template <std::invocable Detail>
  TraceSpan(Tracer *tracer, TraceName name, const Detail &detail)
      : tracer(tracer) {
    if (tracer)
      id = tracer->beginSpan(name, detail());
  }
  template <typename Detail>
  TraceSpan(Tracer *tracer, TraceLayer layer, TracePhase phase,
            const Detail &detail)
      : TraceSpan(tracer, TraceName{layer, phase}, detail) {}
  TraceSpan(TraceSpan &&other) noexcept
      : tracer(std::exchange(other.tracer, nullptr)), id(other.id) {}
  TraceSpan &operator=(TraceSpan &&other) noexcept {
    if (this != &other) {
      end();
      tracer = std::exchange(other.tracer, nullptr);
      id = other.id;
    }
    return *this;
  }
  ~TraceSpan() { end(); }

  void end() {
    if (Tracer *ended = std::exchange(tracer, nullptr))
      ended->end(id);
  }

private:
  Tracer *tracer = nullptr;
  uint64_t id = 0;
};

// The usual sections in short (K-009).

/// The HAL's NNTRACE_RT.
template <typename Detail>
TraceSection traceRuntime(Tracer *tracer, TracePhase phase,
                          const Detail &detail) {
  return TraceSection(tracer, TraceLayer::runtime, phase, detail);
}

/// The HAL's NNTRACE_DRIVER.
template <typename Detail>
TraceSection traceDriver(Tracer *tracer, TracePhase phase,
                         const Detail &detail) {
  return TraceSection(tracer, TraceLayer::driver, phase, detail);
}

/// The HAL's NNTRACE_CPU.
template <typename Detail>
TraceSection traceCpu(Tracer *tracer, TracePhase phase, const Detail &detail) {
  return TraceSection(tracer, TraceLayer::cpu, phase, detail);
}

/// The HAL's NNTRACE_TRANS: data changes its form.
template <typename Detail>
TraceSection traceTransformation(Tracer *tracer, const Detail &detail) {
  return traceCpu(tracer, TracePhase::transformation, detail);
}

/// The HAL's NNTRACE_COMP: the arithmetic of an operation.
template <typename Detail>
TraceSection traceComputation(Tracer *tracer, const Detail &detail) {
  return traceCpu(tracer, TracePhase::computation, detail);
}

/// The HAL's NNTRACE_COMP_SWITCH: the arithmetic begins where something else
/// ran so far.
template <typename Detail>
TraceSection traceComputationSwitch(Tracer *tracer, const Detail &detail) {
  return TraceSection(tracer,
                      TraceName{TraceLayer::cpu, TracePhase::computation,
                                TraceRelation::switched},
                      detail);
}

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_TRACE_H
