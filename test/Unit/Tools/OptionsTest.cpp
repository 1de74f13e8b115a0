//===- OptionsTest.cpp - Tables of options and their page -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal-benchmark/Options.h"
#include "Tools/Options/OptionRows.h"
#include "Tools/Options/Values.h"
#include "nnhal-cache/Options.h"
#include "nnhal-conformance/Options.h"
#include "nnhal-run/OptionTable.h"
#include "nnhal-serve/Options.h"
#include "nnhal-service/Options.h"
#include "nnhal-stress/Options.h"

#include "Runtime/Support/SplitAt.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

using namespace nnhal;
using namespace nnhal::tools;

namespace {

struct Row {
  std::string_view name;
  Takes takes = Takes::nothing;
  std::string_view valueName = {};
  std::string_view help;
  rt::Status (*apply)(std::string &flags, std::string_view value) = nullptr;
};

rt::Status keep(std::string &flags, std::string_view value) {
  flags = value;
  return value == "bad" ? notAmong(value, std::vector<std::string_view>{"good"})
                        : rt::Status::ok();
}

constexpr Row rows[] = {
    {"plain", Takes::nothing, {}, "one", keep},
    {"value", Takes::value, "N", "two\nlines <of> a|b", keep},
    {"maybe", Takes::optionalValue, "N", "three", keep}};

std::string apply(std::string_view argument) {
  std::string flags = "untouched";
  auto row = applyOption(std::span<const Row>(rows), flags, argument);
  return row.isOk() ? std::string((*row)->name) + ":" + flags
                    : row.status().message();
}

TEST(OptionsTest, ArgumentsAreHeldAgainstTheirRow) {
  EXPECT_EQ(apply("--plain"), "plain:");
  EXPECT_EQ(apply("--value=a=b"), "value:a=b");
  EXPECT_EQ(apply("--maybe"), "maybe:");
  EXPECT_EQ(apply("--maybe=x"), "maybe:x");
  EXPECT_EQ(apply("--other=x"), "unknown option '--other'; try --help");
  EXPECT_EQ(apply("--plain="), "option '--plain' takes no value");
  EXPECT_EQ(apply("--value="), "option '--value' needs a value: --value=N");
  EXPECT_EQ(apply("--value"), "option '--value' needs a value: --value=N");
  EXPECT_EQ(apply("--value=bad"), "option '--value': 'bad' is not good");
}

TEST(OptionsTest, HelpAndMarkdownShowEveryRow) {
  auto texts = textsOf(std::span<const Row>(rows));
  EXPECT_EQ(optionHelp(texts, 14), "  --plain     one\n"
                                   "  --value=N   two\n"
                                   "              lines <of> a|b\n"
                                   "  --maybe[=N] three\n");
  EXPECT_EQ(optionMarkdown(texts),
            "| option | meaning |\n|---|---|\n"
            "| `--plain` | one |\n"
            "| `--value=N` | two lines \\<of\\> a\\|b |\n"
            "| `--maybe[=N]` | three |\n");
}

TEST(OptionsTest, Values) {
  EXPECT_EQ(*parseCount("7", 1, 7), 7u);
  EXPECT_EQ(parseCount("8", 1, 7).status().message(),
            "'8' is not a number from 1 to 7");
  EXPECT_EQ(rt::splitAt("a,,b", ','),
            (std::vector<std::string_view>{"a", "", "b"}));
  static constexpr Choice<int> choices[] = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(*parseChoice<int>("two", choices), 2);
  EXPECT_EQ(parseChoice<int>("three", choices).status().message(),
            "'three' is not one or two");
}

template <typename Row> void expectUsable(std::span<const Row> table) {
  std::set<std::string_view> names;
  for (const Row &row : table) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_NE(row.apply, nullptr) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.takes == Takes::nothing, row.valueName.empty()) << row.name;
  }
}

TEST(OptionsTest, TablesAreWhole) {
  expectUsable(run::allOptions());
  expectUsable(cachetool::allOptions());
  expectUsable(conformancetool::allOptions());
  expectUsable(benchmark::allOptions());
  expectUsable(servetool::allOptions());
  expectUsable(servicetool::allOptions());
  expectUsable(stress::allOptions());
}

// What to do when this fails: copy the file that the message names.
TEST(OptionsTest, PageIsThatOfTheTables) {
  std::string expected =
      "# Options\n\n"
      "The options of the programs, as `--help` prints them. This page is "
      "written from the tables that the programs parse\ntheir command lines "
      "with; a unit test compares it with them.\n\n## nnhal-run\n\n" +
      optionMarkdown(textsOf(run::allOptions())) +
      "\n## nnhal-cache\n\n`--state-dir` and `--rounding` belong to "
      "`nnhal-cache warm`, those before them to `nnhal-cache prune`.\n\n" +
      optionMarkdown(textsOf(cachetool::allOptions())) +
      "\n## nnhal-serve\n\n" +
      optionMarkdown(textsOf(servetool::allOptions())) +
      "\n## nnhal-service\n\n" +
      optionMarkdown(textsOf(servicetool::allOptions())) +
      "\n## nnhal-conformance\n\nOptions that begin with `--gtest_` are those "
      "of GoogleTest.\n\n" +
      optionMarkdown(textsOf(conformancetool::allOptions())) +
      "\n## nnhal-benchmark\n\n" +
      optionMarkdown(textsOf(benchmark::allOptions())) +
      "\n## nnhal-stress\n\n" + optionMarkdown(textsOf(stress::allOptions()));
  std::ifstream stream(NNHAL_TEST_DATA "/../docs/Using/Options.md");
  std::stringstream page;
  page << stream.rdbuf();
  if (page.str() == expected)
    return;
  std::string written = testing::TempDir() + "Options.md";
  std::ofstream(written) << expected;
  ADD_FAILURE() << "docs/Using/Options.md is not that of the tables, which is '"
                << written << "'";
}

} // namespace
