//===- GraphDumpTest.cpp - Models as Graphviz graphs ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/GraphDump.h"

#include "nnhal/Runtime/TestCase.h"

#include "TestModels.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace nnhal::rt;
using namespace nnhal::rt::test;
using testing::IsNotSubstring;
using testing::IsSubstring;

// K-016, K-017, K-018, K-019, K-020
TEST(GraphDump, DrawsOperandsAndOperations) {
  EXPECT_EQ(graphDump("two additions", addTwice()),
            R"(digraph {
  graph [label="two additions" labelloc=t]
  d0 [label="0: TF32\n2\n= input[0]" style=filled fillcolor=black fontcolor=white]
  d1 [label="1: TF32 COPY\n2"]
  d2 [label="2: I32 COPY = 0"]
  d3 [label="3: TF32\n2"]
  d4 [label="4: TF32\n2\n= output[0]" style=filled fillcolor=black fontcolor=white]
  n0 [shape=box ordering=in label="0: ADD"]
  d0 -> n0 [label="0"]
  d1 -> n0 [label="1"]
  d2 -> n0 [label="2"]
  n0 -> d3
  n1 [shape=box ordering=in label="1: ADD"]
  d3 -> n1 [label="0"]
  d1 -> n1 [label="1"]
  d2 -> n1 [label="2"]
  n1 -> d4
}
)");
}

// K-017
TEST(GraphDump, HasShortTypeNames) {
  EXPECT_EQ(shortNameOf(OperandType::FLOAT32), "F32");
  EXPECT_EQ(shortNameOf(OperandType::INT32), "I32");
  EXPECT_EQ(shortNameOf(OperandType::UINT32), "U32");
  EXPECT_EQ(shortNameOf(OperandType::TENSOR_FLOAT32), "TF32");
  EXPECT_EQ(shortNameOf(OperandType::TENSOR_INT32), "TI32");
  EXPECT_EQ(shortNameOf(OperandType::TENSOR_QUANT8_ASYMM), "TQ8A");
  EXPECT_EQ(shortNameOf(OperandType::TENSOR_QUANT16_SYMM), "TQ16S");
  EXPECT_EQ(shortNameOf(OperandType::OEM), "OEM");
  EXPECT_EQ(shortNameOf(OperandType::TENSOR_OEM_BYTE), "TOEMB");
  EXPECT_EQ(shortNameOf(OperandType(0x10002)), "code 65538");
  std::vector<std::string> names;
  for (const OperandTypeInfo &info : allOperandTypes())
    names.push_back(shortNameOf(info.type));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

// K-017: where values come from.
TEST(GraphDump, NamesTheKindOfOperands) {
  Model model = addTwice();
  model.main.operands[1].lifetime = OperandLifeTime::CONSTANT_REFERENCE;
  model.main.operands[2].lifetime = OperandLifeTime::NO_VALUE;
  model.main.operands[3].lifetime = OperandLifeTime::SUBGRAPH;
  model.main.operands[3].type = OperandType::SUBGRAPH;
  model.main.operands[3].dimensions.clear();
  std::string text = graphDump("", model);
  EXPECT_PRED_FORMAT2(IsSubstring, "d1 [label=\"1: TF32 REF\\n2\"]", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "d2 [label=\"2: I32 NO\"]", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "d3 [label=\"3: SUBGRAPH = referenced 0\"]",
                      text);
  EXPECT_PRED_FORMAT2(IsNotSubstring, "graph [", text);
}

// K-019
TEST(GraphDump, ShowsScalars) {
  Model model;
  auto add = [&model](OperandType type, auto value) {
    Operand operand = zeros(model, type, {}, sizeof(value));
    std::memcpy(&model.operandValues[operand.location.offset], &value,
                sizeof(value));
    model.main.operands.push_back(operand);
  };
  add(OperandType::FLOAT32, 0.1f);
  add(OperandType::INT32, int32_t(-7));
  add(OperandType::UINT32, uint32_t(4'000'000'000));
  add(OperandType::BOOL, uint8_t(2));
  add(OperandType::FLOAT16, uint16_t(0x3E00));
  std::string text = graphDump("", model);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"0: F32 COPY = 0.1\"", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"1: I32 COPY = -7\"", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"2: U32 COPY = 4000000000\"", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"3: B8 COPY = true\"", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"4: F16 COPY = 1.5\"", text);
}

// K-020
TEST(GraphDump, NumbersSeveralOutputs) {
  Model model;
  model.main.operands.resize(3);
  model.main.operations = {{OperationType::SPLIT, {0}, {1, 2}}};
  std::string text = graphDump("", model);
  EXPECT_PRED_FORMAT2(IsSubstring, "n0 [shape=box ordering=out label", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "d0 -> n0\n", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "n0 -> d1 [label=\"0\"]\n", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "n0 -> d2 [label=\"1\"]\n", text);
}

// K-021
TEST(GraphDump, NotesSubgraphs) {
  Model model = addTwice();
  EXPECT_PRED_FORMAT2(IsNotSubstring, "note", graphDump("", model));
  model.referenced.resize(1);
  EXPECT_PRED_FORMAT2(
      IsSubstring,
      "note [shape=note label=\"1 referenced subgraph not shown\"]",
      graphDump("", model));
  model.referenced.resize(2);
  EXPECT_PRED_FORMAT2(IsSubstring, "label=\"2 referenced subgraphs not shown\"",
                      graphDump("", model));
}

// K-023
TEST(GraphDump, TextBecomesNoSyntax) {
  std::vector<std::string> names = {"\"] evil [label=\"\\N\\"};
  GraphNotes notes;
  notes.inputNames = names;
  std::string text = graphDump("a\"; b\\\n\x1b}", addTwice(), notes);
  EXPECT_PRED_FORMAT2(IsSubstring, R"(graph [label="a\"; b\\\n }" labelloc=t])",
                      text);
  EXPECT_PRED_FORMAT2(IsSubstring,
                      R"(= input[0] \"] evil [label=\"\\N\\" style)", text);
}

TEST(GraphDump, BoundsLabelsBetweenCharacters) {
  std::string title(1023, 'x');
  EXPECT_PRED_FORMAT2(IsSubstring, "label=\"" + title + "...\"",
                      graphDump(title + "\xC3\xA9", Model()));
  EXPECT_PRED_FORMAT2(IsSubstring, "label=\"" + title + "y\"",
                      graphDump(title + "y", Model()));
}

TEST(GraphDump, TakesInvalidModels) {
  Model model = addTwice();
  model.main.inputIndexes = {99};
  model.main.operations[0].inputs = {77};
  model.main.operands[2].location.offset = 1u << 30;
  model.main.operands[3].dimensions = {0, 4};
  std::string text = graphDump("", model);
  EXPECT_PRED_FORMAT2(IsSubstring, "d77 -> n0", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"2: I32 COPY\"", text);
  EXPECT_PRED_FORMAT2(IsSubstring, "\"3: TF32\\n?x4\"", text);
}

TEST(GraphDump, ShowsDevicesAndTimes) {
  GraphNotes notes;
  notes.operations = {{"nnhal-cpu", "", 12.34}, {"", "no such type", {}}};
  std::string text = graphDump("", addTwice(), notes);
  EXPECT_PRED_FORMAT2(
      IsSubstring,
      "n0 [shape=box ordering=in label=\"0: ADD\\nnnhal-cpu\\n12.3 "
      "us\"]",
      text);
  EXPECT_PRED_FORMAT2(IsSubstring,
                      "label=\"1: ADD\\nno device: no such type\" "
                      "style=filled fillcolor=orange]",
                      text);
}

// K-022, K-023: Graphviz reads the drawing of every test model, and of models
// whose names would end a label.
TEST(GraphDump, IsReadByGraphviz) {
  if (std::system("dot -V 2> /dev/null") != 0)
    GTEST_SKIP() << "there is no program 'dot'";
  std::string text = graphDump("\\\"]}\n-> d0 [label=\"\\", addTwice());
  int count = 1;
  auto file = Memory::readFile(NNHAL_TEST_DATA "/Cases/basic.json");
  ASSERT_TRUE(file.isOk()) << file.status().message();
  std::span<const std::byte> bytes = *file->bytes();
  Status read = readTestCases(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()},
      [&](const TestCase &each) {
        text += graphDump(each.name, each.model);
        ++count;
        return Status::ok();
      });
  ASSERT_EQ(read.message(), "");
  EXPECT_GT(count, 10);
  std::string path = testing::TempDir() + "nnhal-graphs.dot";
  std::ofstream(path) << text;
  // Layout is not the question, and takes seconds.
  std::string command =
      "dot -Tcanon " + path + " | grep -c '^digraph' > " + path + ".count";
  EXPECT_EQ(std::system(command.c_str()), 0);
  int drawn = 0;
  std::ifstream(path + ".count") >> drawn;
  EXPECT_EQ(drawn, count);
  std::remove(path.c_str());
  std::remove((path + ".count").c_str());
}

// K-024
TEST(GraphDump, GoesToTheLog) {
  std::vector<std::string> lines;
  Log log(maskOf(LogTag::model),
          [&](std::string_view line) { lines.emplace_back(line); });
  graphDump("t", addTwice(), log, LogTag::compilation);
  EXPECT_TRUE(lines.empty());
  graphDump("t", addTwice(), log);
  ASSERT_EQ(lines.size(), 18u);
  EXPECT_EQ(lines.front(), "model: digraph {");
  EXPECT_EQ(lines.back(), "model: }");
}
