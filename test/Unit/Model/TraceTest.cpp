//===- TraceTest.cpp - Tracing by layer and phase -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Trace.h"

#include "TraceContract.h"

#include "Faults/Allocations.h"

#include "nnhal/Runtime/TraceFile.h"

#include <fmt/format.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <thread>

using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace {
/// A clock that a test sets.
struct Clock {
  int64_t time = 0;
  Tracer::Options options() {
    Tracer::Options options;
    options.clock = [this] { return time; };
    return options;
  }
};

constexpr TraceName name(TraceLayer layer, TracePhase phase) {
  return {layer, phase, TraceRelation::nested};
}
constexpr TraceName runtimeExecution =
    name(TraceLayer::runtime, TracePhase::execution);

TraceEvent section(TraceName name, int64_t begin, int64_t end,
                   std::string detail = "s") {
  TraceEvent event;
  event.name = name;
  event.detail = std::move(detail);
  event.begin = begin;
  event.end = end;
  event.beginThread = event.endThread = 1;
  return event;
}

std::vector<std::string> problemsOf(const std::vector<TraceEvent> &events) {
  return checkTrace(events).problems;
}
} // namespace

// K-006, K-007, K-008
TEST(Trace, NamesSectionsAsTheHal) {
  constexpr std::string_view layers[] = {"LA", "LR", "LI", "LD",
                                         "LC", "LO", "LU"};
  constexpr std::string_view phases[] = {"PO",  "PWU", "PBM", "PI", "PP",
                                         "PC",  "PE",  "PT",  "PU", "PIO",
                                         "PTR", "PCO", "PR"};
  for (uint8_t i = 0; i < std::size(layers); ++i)
    EXPECT_EQ(toString(TraceLayer(i)), layers[i]);
  for (uint8_t i = 0; i < std::size(phases); ++i) {
    EXPECT_EQ(toString(TracePhase(i)), phases[i]);
    EXPECT_EQ(isSubphase(TracePhase(i)), i >= 9);
  }
  TraceEvent event;
  event.name = runtimeExecution;
  event.detail = "startCompute";
  EXPECT_EQ(event.text(), "[NN_LR_PE]startCompute");
  event.name.relation = TraceRelation::switched;
  EXPECT_EQ(event.text(), "[SW][NN_LR_PE]startCompute");
  event.name.relation = TraceRelation::subtracted;
  EXPECT_EQ(event.text(), "[SUB][NN_LR_PE]startCompute");
}

TEST(Trace, GivesAwayWhatHasEnded) {
  Clock clock;
  Tracer tracer(clock.options());
  uint64_t first = tracer.beginSection(runtimeExecution, "first");
  uint64_t second = tracer.beginSection(runtimeExecution, "second");
  uint64_t third = tracer.beginSection(runtimeExecution, "third");
  EXPECT_TRUE(tracer.take(10).empty());
  tracer.end(third);
  tracer.end(first);
  std::vector<TraceEvent> taken = tracer.take(10);
  ASSERT_EQ(taken.size(), 1u); // The third waits for the second.
  EXPECT_EQ(taken[0].detail, "first");
  clock.time = 7;
  tracer.end(first); // It is gone.
  tracer.end(second);
  taken = tracer.take(1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].detail, "second");
  EXPECT_EQ(taken[0].end, 7);
  taken = tracer.take(10);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].end, 0);
  // Later events have numbers of their own.
  uint64_t fourth = tracer.beginSection(runtimeExecution, "fourth");
  tracer.end(fourth);
  EXPECT_EQ(tracer.take(10).size(), 1u);
  EXPECT_TRUE(tracer.events().empty());
}

TEST(Trace, CollectsNestedSections) {
  Clock clock;
  Tracer tracer(clock.options());
  {
    TraceSection outer(&tracer, runtimeExecution, "execute");
    clock.time = 10;
    {
      TraceSection inner = traceComputation(&tracer, "ADD");
      clock.time = 30;
    }
    clock.time = 40;
  }
  auto events = tracer.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].text(), "[NN_LR_PE]execute");
  EXPECT_EQ(events[0].begin, 0);
  EXPECT_EQ(events[0].end, 40);
  EXPECT_EQ(events[1].text(), "[NN_LC_PCO]ADD");
  EXPECT_EQ(events[1].begin, 10);
  EXPECT_EQ(events[1].end, 30);
  EXPECT_TRUE(problemsOf(events).empty());
}

// K-009
TEST(Trace, HasTheUsualSectionsInShort) {
  Tracer tracer;
  {
    auto a = traceRuntime(&tracer, TracePhase::execution, "a");
    auto b = traceDriver(&tracer, TracePhase::execution, "b");
    auto c = traceCpu(&tracer, TracePhase::execution, std::string("c"));
    auto d = traceTransformation(&tracer, [] { return std::string("d"); });
    auto e = traceComputationSwitch(&tracer, "e");
  }
  std::vector<std::string> texts;
  for (const TraceEvent &event : tracer.events())
    texts.push_back(event.text());
  EXPECT_EQ(texts, (std::vector<std::string>{"[NN_LR_PE]a", "[NN_LD_PE]b",
                                             "[NN_LC_PE]c", "[NN_LC_PTR]d",
                                             "[SW][NN_LC_PCO]e"}));
  EXPECT_TRUE(problemsOf(tracer.events()).empty());
}

// K-013
TEST(Trace, MakesNoTextWithoutTracer) {
  bool isCalled = false;
  auto detail = [&] {
    isCalled = true;
    return std::string("text");
  };
  {
    TraceSection section(nullptr, runtimeExecution, detail);
    TraceSpan span(nullptr, runtimeExecution, detail);
    TraceSpan moved = std::move(span);
  }
  EXPECT_FALSE(isCalled);
  Tracer tracer;
  {
    TraceSection section(&tracer, runtimeExecution, detail);
  }
  EXPECT_TRUE(isCalled);
}

// K-011
TEST(Trace, SpansEndOnAnotherThread) {
  Tracer tracer;
  TraceSpan span(&tracer, TraceLayer::runtime, TracePhase::execution, "async");
  std::thread([span = std::move(span)]() mutable { span.end(); }).join();
  span = TraceSpan();
  auto events = tracer.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_NE(events[0].beginThread, events[0].endThread);
  EXPECT_NE(events[0].end, TraceEvent::notEnded);
  EXPECT_TRUE(problemsOf(events).empty());
}

TEST(Trace, SpansEndOnce) {
  Clock clock;
  Tracer tracer(clock.options());
  TraceSpan span(&tracer, runtimeExecution, "a");
  clock.time = 5;
  span.end();
  clock.time = 9;
  span.end();
  span = TraceSpan(&tracer, runtimeExecution, "b");
  clock.time = 12;
  span = TraceSpan();
  auto events = tracer.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].end, 5);
  EXPECT_EQ(events[1].end, 12);
}

TEST(Trace, IsBounded) {
  Tracer::Options options;
  options.maxEvents = 2;
  options.maxDetail = 3;
  Tracer tracer(options);
  {
    TraceSection first(&tracer, runtimeExecution, "first");
    TraceSpan second(&tracer, runtimeExecution, "second");
    TraceSection third(&tracer, runtimeExecution, "third");
    tracer.addCounter("fourth", 1);
  }
  auto events = tracer.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].detail, "fir");
  EXPECT_NE(events[0].end, TraceEvent::notEnded);
  EXPECT_NE(events[1].end, TraceEvent::notEnded);
  EXPECT_EQ(tracer.droppedEvents(), 2u);
}

// Tracing never fails the work that it follows.
TEST(Trace, CountsWhatIsLostWithoutMemory) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations are those of a sanitizer";
  Tracer tracer;
  const std::string text(100, 'x');
  {
    AllocationFailure failure(0);
    tracer.end(tracer.beginSection(runtimeExecution, text));
  }
  EXPECT_EQ(tracer.droppedEvents(), 1u);
  EXPECT_TRUE(tracer.events().empty());
  // Behind the memory of its text, the list grows now and then.
  uint64_t lost = 0;
  for (int64_t i = 0; i < 200; ++i) {
    AllocationFailure failure(1);
    tracer.addCounter(text, i);
    lost += failure.hasFailed();
  }
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(tracer.droppedEvents(), 1 + lost);
  EXPECT_EQ(tracer.events().size(), 200 - lost);
  {
    AllocationFailure failure(0);
    tracer.nameThread(7, text);
  }
  EXPECT_EQ(tracer.droppedEvents(), 2 + lost);
  EXPECT_TRUE(tracer.threadNames().empty());
}

TEST(Trace, TakesEventsOfManyThreads) {
  Tracer tracer;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&tracer, thread] {
      tracer.nameThread(fmt::format("worker {}", thread));
      for (int i = 0; i < 100; ++i) {
        TraceSection outer(&tracer, runtimeExecution, "execute");
        TraceSection inner = traceComputation(&tracer, "ADD");
        tracer.addCounter("queue", i);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(tracer.events().size(), 1200u);
  EXPECT_EQ(tracer.threadNames().size(), 4u);
  TraceReport report = checkTrace(tracer.events());
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
  EXPECT_EQ(
      report.sections.at({TraceLayer::cpu, TracePhase::computation}).count,
      400u);
}

TEST(Tracer, KeepsEventsOfOtherProcesses) { // K-006, K-012
  Tracer::Options options;
  options.maxDetail = 4;
  Tracer tracer(options);
  TraceEvent event;
  event.name = {TraceLayer::driver, TracePhase::computation};
  event.detail = "detail";
  event.begin = 20;
  event.end = TraceEvent::notEnded;
  event.beginThread = 7;
  event.endThread = 8;
  tracer.addEvent(event);
  tracer.nameThread(7, "host");
  std::vector<TraceEvent> events = tracer.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].text(), "[NN_LD_PCO]deta");
  EXPECT_EQ(events[0].end, 20);
  EXPECT_EQ(events[0].beginThread, 7u);
  EXPECT_EQ(events[0].endThread, 8u);
  EXPECT_EQ(tracer.threadNames().at(7), "host");
}

// K-012
TEST(TraceFile, HasTheFormThatPerfettoReads) {
  Clock clock;
  clock.time = 1500;
  Tracer tracer(clock.options());
  tracer.nameThread("main");
  TraceSection running(&tracer, runtimeExecution, "running");
  {
    TraceSection section = traceDriver(&tracer, TracePhase::preparation, "a");
    TraceSpan span(&tracer, runtimeExecution, "b");
    clock.time = 4750;
  }
  tracer.addCounter("queue", 7);
  auto document = nlohmann::json::parse(writeTrace(tracer));
  EXPECT_EQ(document["otherData"]["droppedEvents"], 0);
  auto &events = document["traceEvents"];
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[0]["ph"], "M");
  EXPECT_EQ(events[0]["name"], "thread_name");
  EXPECT_EQ(events[0]["args"]["name"], "main");
  EXPECT_EQ(events[1]["ph"], "B");
  EXPECT_EQ(events[1]["name"], "[NN_LR_PE]running");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "[NN_LD_PP]a");
  EXPECT_EQ(events[2]["cat"], "LD");
  EXPECT_EQ(events[2]["ts"], 1.5);
  EXPECT_EQ(events[2]["dur"], 3.25);
  EXPECT_EQ(events[3]["ph"], "b");
  EXPECT_EQ(events[4]["ph"], "e");
  EXPECT_EQ(events[4]["ts"], 4.75);
  EXPECT_EQ(events[3]["id"], events[4]["id"]);
  EXPECT_EQ(events[5]["ph"], "C");
  EXPECT_EQ(events[5]["args"]["value"], 7);
}

TEST(TraceFile, SaysHowManyEventsWereDropped) {
  Tracer::Options options;
  options.maxEvents = 0;
  Tracer tracer(options);
  tracer.addCounter("a", 1);
  tracer.nameThread("b");
  auto document = nlohmann::json::parse(writeTrace(tracer));
  EXPECT_EQ(document["otherData"]["droppedEvents"], 2);
  EXPECT_TRUE(document["traceEvents"].empty());
}

TEST(TraceFile, EscapesDetails) {
  Tracer tracer;
  {
    TraceSection section(&tracer, runtimeExecution, "\"\\\n\x01\xFF");
  }
  auto document = nlohmann::json::parse(writeTrace(tracer));
  EXPECT_EQ(document["traceEvents"][0]["name"],
            "[NN_LR_PE]\"\\\n\x01\xEF\xBF\xBD");
}

TEST(TraceFile, ReadsBack) {
  Clock clock;
  clock.time = 123'456'789'012'345;
  Tracer tracer(clock.options());
  {
    TraceSection section(&tracer, runtimeExecution, "a");
    TraceSpan span(&tracer, runtimeExecution, "b");
    clock.time += 1;
  }
  auto events = readTrace(writeTrace(tracer));
  ASSERT_TRUE(events.isOk()) << events.status().message();
  ASSERT_EQ(events->size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*events)[i].text(), tracer.events()[i].text());
    EXPECT_EQ((*events)[i].kind, tracer.events()[i].kind);
    EXPECT_EQ((*events)[i].begin, 123'456'789'012'345);
    EXPECT_EQ((*events)[i].end, 123'456'789'012'346);
  }
}

// K-010
TEST(TraceContract, FindsWhatBreaksIt) {
  constexpr TraceName computation =
      name(TraceLayer::cpu, TracePhase::computation);
  using Problems = std::vector<std::string>;
  EXPECT_EQ(problemsOf({section(computation, 0, 1)}),
            Problems{"'[NN_LC_PCO]s' is not within an execution"});
  EXPECT_EQ(problemsOf({section(runtimeExecution, 0, 10, "a"),
                        section(runtimeExecution, 5, 12, "b")}),
            Problems{"'[NN_LR_PE]b' overlaps '[NN_LR_PE]a'"});
  EXPECT_EQ(problemsOf({section(runtimeExecution, 0, TraceEvent::notEnded)}),
            Problems{"'[NN_LR_PE]s' has no end"});
  TraceName switched = runtimeExecution;
  switched.relation = TraceRelation::switched;
  EXPECT_EQ(problemsOf({section(switched, 0, 1)}),
            Problems{"'[SW][NN_LR_PE]s' is not within a section"});
  TraceEvent moved = section(runtimeExecution, 0, 1);
  moved.endThread = 2;
  EXPECT_EQ(problemsOf({moved}),
            Problems{"'[NN_LR_PE]s' ends on another thread"});
  EXPECT_EQ(readTrace(R"({"traceEvents":[{"ph":"X","name":"execute"}]})")
                .status()
                .message(),
            "event 'execute' names no layer and phase");
}

// K-010: the time of a driver is not the runtime's.
TEST(TraceContract, CountsTheOwnTimeOfLayers) {
  constexpr TraceName driver = name(TraceLayer::driver, TracePhase::execution);
  TraceReport report =
      checkTrace({section(runtimeExecution, 0, 100), section(driver, 10, 40),
                  section(driver, 40, 50)});
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.sections.at({TraceLayer::runtime, TracePhase::execution}),
            (TraceStatistics{1, 60}));
  EXPECT_EQ(report.sections.at({TraceLayer::driver, TracePhase::execution}),
            (TraceStatistics{2, 40}));
  EXPECT_EQ(describe(report),
            "section LR PE         1 times          0.1 us        0.1 us mean  "
            " 60.0 %\n"
            "section LD PE         2 times          0.0 us        0.0 us mean  "
            " 40.0 %\n");
}
