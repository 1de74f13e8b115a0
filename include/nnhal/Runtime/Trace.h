//===- Trace.h - What ran when, by layer and phase --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Sections are named as the HAL names them, "[NN_<layer>_<phase>]<detail>"
// (K-006 to K-008), so that what reads such traces can read these. A trace must
// keep the contract of K-010: sections of a thread nest, and the sub-phases of
// an execution stand only inside one.
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

/// Who does the work (K-007).
enum class TraceLayer : uint8_t {
  application, // LA
  runtime,     // LR
  ipc,         // LI
  driver,      // LD
  cpu,         // LC
  other,       // LO
  utility,     // LU
};

/// What the work is for (K-008). The last four are sub-phases: they stand
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
  /// "[SW]": ends the phase that ran so far in the same scope.
  switched,
  /// "[SUB]": its time is not that of the section around it.
  subtracted,
};

/// "LA" to "LU", "PO" to "PR".
NNHAL_API std::string_view toString(TraceLayer layer);
NNHAL_API std::string_view toString(TracePhase phase);

constexpr bool isSubphase(TracePhase phase) {
  return phase >= TracePhase::inputOutput;
}

/// What a section is named after.
struct TraceName {
  TraceLayer layer = TraceLayer::other;
  TracePhase phase = TracePhase::unspecified;
  TraceRelation relation = TraceRelation::nested;
};

/// One entry of a trace.
struct NNHAL_API TraceEvent {
  enum class Kind : uint8_t {
    /// Begins and ends on one thread, nested.
    section,
    /// May end on another thread and overlap anything (K-011).
    span,
    /// A value at a point in time; `detail` is the counter's name.
    counter,
  };
  static constexpr int64_t notEnded = -1;

  Kind kind = Kind::section;
  TraceName name;
  std::string detail;
  /// Nanoseconds of the tracer's clock; end is notEnded while the work runs.
  int64_t begin = 0;
  int64_t end = notEnded;
  /// The kernel's thread ids.
  uint32_t beginThread = 0;
  uint32_t endThread = 0;
  int64_t value = 0;

  /// "[SW][NN_LR_PE]detail" for example; of a counter its name alone.
  std::string text() const;
};

/// Collects events in memory. See TraceFile.h for how to write them.
///
/// Ownership: of the events. Sections and spans refer to the tracer, which
///            lives longer.
/// Threads:   every member may be called from any thread at once.
/// Failures:  none reach the caller; an event for which there is no room is
///            dropped and counted.
class NNHAL_API Tracer {
public:
  struct Options {
    /// Events that are kept; later ones are dropped.
    size_t maxEvents = size_t(1) << 18;
    /// Bytes of a detail that are kept.
    size_t maxDetail = 256;
    /// Nanoseconds, never going back; empty: the system's steady clock.
    std::function<int64_t()> clock;
  };

  Tracer() : Tracer(Options()) {}
  explicit Tracer(Options options);
  Tracer(const Tracer &) = delete;
  Tracer &operator=(const Tracer &) = delete;

  /// Now, by the tracer's clock.
  int64_t now() const;

  /// Starts a section of the calling thread and returns what end() takes; 0
  /// for one that was dropped. TraceSection does both.
  uint64_t beginSection(TraceName name, std::string_view detail) noexcept;
  /// The same for work that another thread may end, see TraceSpan.
  uint64_t beginSpan(TraceName name, std::string_view detail) noexcept;
  /// Ends what \p id stands for, once; 0 is nothing.
  void end(uint64_t id) noexcept;

  /// A section of the calling thread that somebody else has timed, with now()
  /// or on the same clock.
  void addSection(TraceName name, std::string_view detail, int64_t begin,
                  int64_t end) noexcept;
  void addCounter(std::string_view counter, int64_t value) noexcept;
  /// How the calling thread is shown.
  void nameThread(std::string_view name) noexcept;

  /// A copy of the events so far, in the order in which they were added.
  std::vector<TraceEvent> events() const;
  /// Thread ids and what they are named.
  std::map<uint32_t, std::string> threadNames() const;
  uint64_t droppedEvents() const;

private:
  uint64_t add(TraceEvent::Kind kind, TraceName name, std::string_view detail,
               int64_t begin, int64_t end, int64_t value = 0) noexcept;

  const Options options;
  mutable std::mutex mutex;
  // A deque: growing moves nothing while other threads wait.
  std::deque<TraceEvent> stored;
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
/// execution from its start to the end of the wait for it (K-011). Move-only;
/// ends with end() or the object.
class [[nodiscard]] NNHAL_API TraceSpan {
public:
  /// Nothing.
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

/// NNTRACE_RT.
template <typename Detail>
TraceSection traceRuntime(Tracer *tracer, TracePhase phase,
                          const Detail &detail) {
  return TraceSection(tracer, TraceLayer::runtime, phase, detail);
}

/// NNTRACE_DRIVER.
template <typename Detail>
TraceSection traceDriver(Tracer *tracer, TracePhase phase,
                         const Detail &detail) {
  return TraceSection(tracer, TraceLayer::driver, phase, detail);
}

/// NNTRACE_CPU.
template <typename Detail>
TraceSection traceCpu(Tracer *tracer, TracePhase phase, const Detail &detail) {
  return TraceSection(tracer, TraceLayer::cpu, phase, detail);
}

/// NNTRACE_TRANS: data changes its form.
template <typename Detail>
TraceSection traceTransformation(Tracer *tracer, const Detail &detail) {
  return traceCpu(tracer, TracePhase::transformation, detail);
}

/// NNTRACE_COMP: the arithmetic of an operation.
template <typename Detail>
TraceSection traceComputation(Tracer *tracer, const Detail &detail) {
  return traceCpu(tracer, TracePhase::computation, detail);
}

/// NNTRACE_COMP_SWITCH: the arithmetic begins where something else ran so far.
template <typename Detail>
TraceSection traceComputationSwitch(Tracer *tracer, const Detail &detail) {
  return TraceSection(tracer,
                      TraceName{TraceLayer::cpu, TracePhase::computation,
                                TraceRelation::switched},
                      detail);
}

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_TRACE_H
