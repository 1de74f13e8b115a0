//===- LogTest.cpp - The verbose log --------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Log.h"

#include "Runtime/Support/LogFormat.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <new>
#include <string>
#include <thread>
#include <vector>

using namespace nnhal::rt;

namespace {
/// Keeps lines.
struct Lines {
  std::vector<std::string> lines;
  LogSink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

/// The mask of a text that is free of errors.
uint32_t maskFor(std::string_view text) {
  Lines errors;
  uint32_t mask = parseLogMask(text, errors.sink());
  EXPECT_TRUE(errors.lines.empty()) << errors.lines.front();
  return mask;
}

/// Counts how often it is formatted.
struct Costly {
  int *count;
};
} // namespace

template <> struct fmt::formatter<Costly> : fmt::formatter<int> {
  auto format(const Costly &value, format_context &context) const {
    return formatter<int>::format(++*value.count, context);
  }
};

// K-002
TEST(LogMask, TagsAreTheBitsOfTheHal) {
  constexpr std::string_view names[] = {"model",  "compilation", "execution",
                                        "cpuexe", "manager",     "driver",
                                        "memory"};
  for (uint32_t bit = 0; bit < std::size(names); ++bit) {
    EXPECT_EQ(maskFor(names[bit]), 1u << bit);
    EXPECT_EQ(toString(LogTag(bit)), names[bit]);
  }
  EXPECT_EQ(maskFor("1"), 0x7Fu);
  EXPECT_EQ(maskFor("all"), 0x7Fu);
}

// K-001
TEST(LogMask, TagsAreSeparatedBySpaceCommaOrColon) {
  uint32_t both = maskOf(LogTag::model) | maskOf(LogTag::driver);
  EXPECT_EQ(maskFor("model driver"), both);
  EXPECT_EQ(maskFor("model,driver"), both);
  EXPECT_EQ(maskFor("driver:model"), both);
  EXPECT_EQ(maskFor(" ,model:: driver,"), both);
  EXPECT_EQ(maskFor("model,all"), logEverything);
}

// K-003
TEST(LogMask, NothingAndZeroAreOff) {
  EXPECT_EQ(maskFor(""), 0u);
  EXPECT_EQ(maskFor("0"), 0u);
  EXPECT_EQ(maskFor(" : "), 0u);
}

// K-003
TEST(LogMask, UnknownTagsAreReportedAndIgnored) {
  Lines errors;
  EXPECT_EQ(parseLogMask("model,Driver,memory,2", errors.sink()),
            maskOf(LogTag::model) | maskOf(LogTag::memory));
  ASSERT_EQ(errors.lines.size(), 2u);
  EXPECT_EQ(errors.lines[0],
            "error: unknown log tag 'Driver'; known tags: all, model, "
            "compilation, execution, cpuexe, manager, driver, memory");
  EXPECT_EQ(parseLogMask("nothing", nullptr), 0u);
}

// K-015
TEST(Log, WritesWhatIsOn) {
  Lines lines;
  Log log(maskOf(LogTag::driver), lines.sink());
  EXPECT_TRUE(log.isOn(LogTag::driver));
  EXPECT_FALSE(log.isOn(LogTag::model));
  writeLog(log, LogTag::driver, "prepared {} in {} us", "m", 12);
  log.write(LogTag::model, "no line");
  writeError(log, "cannot open '{}'", "f");
  EXPECT_EQ(lines.lines,
            (std::vector<std::string>{"driver: prepared m in 12 us",
                                      "error: cannot open 'f'"}));
}

// K-004
TEST(Log, FormatsNothingWhenOff) {
  int formatted = 0;
  Lines lines;
  Log log(maskOf(LogTag::driver), lines.sink());
  Costly costly{&formatted};
  writeLog(log, LogTag::model, "{}", costly);
  EXPECT_EQ(formatted, 0);
  writeLog(log, LogTag::driver, "{}", costly);
  EXPECT_EQ(formatted, 1);
}

// K-004: no output by default.
TEST(Log, IsOffByDefaultAndWithoutSink) {
  Log off;
  Log noSink(logEverything, nullptr);
  for (const Log *log : {&off, &noSink}) {
    EXPECT_FALSE(log->isOn(LogTag::model));
    log->write(LogTag::model, "no line");
    log->writeLines(LogTag::model, "no\nline");
    log->error("no line");
  }
}

// K-005
TEST(Log, PreservesErrno) {
  Log log(logEverything, [](std::string_view) { errno = EIO; });
  errno = ENOENT;
  log.write(LogTag::model, "a");
  EXPECT_EQ(errno, ENOENT);
  log.writeLines(LogTag::model, "a\nb");
  EXPECT_EQ(errno, ENOENT);
  log.error("a");
  EXPECT_EQ(errno, ENOENT);
}

TEST(Log, ANameCannotPretendToBeALine) {
  Lines lines;
  Log log(logEverything, lines.sink());
  log.write(LogTag::model, "model 'a\nerror: b\x1b[31m\x7F'");
  EXPECT_EQ(lines.lines,
            std::vector<std::string>{"model: model 'a error: b [31m '"});
}

TEST(Log, WritesTextLineByLine) {
  Lines lines;
  Log log(logEverything, lines.sink());
  log.writeLines(LogTag::model, "digraph {\n\n}\n");
  EXPECT_EQ(lines.lines, (std::vector<std::string>{"model: digraph {",
                                                   "model: ", "model: }"}));
}

TEST(Log, SaysThatALineWasLost) {
  Lines lines;
  bool isOut = true;
  Log log(logEverything, [&](std::string_view line) {
    if (std::exchange(isOut, false))
      throw std::bad_alloc();
    lines.lines.emplace_back(line);
  });
  log.write(LogTag::model, "a");
  isOut = true;
  log.writeLines(LogTag::model, "a\nb");
  EXPECT_EQ(lines.lines, (std::vector<std::string>(
                             2, "error: no memory for a line of the log")));
}

TEST(Log, SinkIsCalledByOneThreadAtATime) {
  Lines lines;
  Log log(logEverything, lines.sink());
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&log] {
      for (int i = 0; i < 200; ++i)
        log.writeLines(LogTag::execution, "first\nsecond");
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(lines.lines.size(), 1600u);
  for (size_t i = 0; i < lines.lines.size(); i += 2) {
    EXPECT_EQ(lines.lines[i], "execution: first");
    EXPECT_EQ(lines.lines[i + 1], "execution: second");
  }
}
