//===- TFLiteModelsTest.cpp - Published models ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportTesting.h"

#include "Extensions/TFLiteCustom/CustomExtension.h"
#include "Runtime/Formats/TFLite/Extension.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

namespace nnhal::rt {
namespace {

/// The files are what the project ships, and the writer is how they are made.
void expectReproducible(const char *name,
                        const std::vector<std::byte> &expected) {
  std::string path = std::string(NNHAL_TEST_DATA "/") + name;
  if (std::getenv("NNHAL_UPDATE_TEST_DATA"))
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(expected.data()),
               std::streamsize(expected.size()));
  Result<Memory> file = Memory::readFile(path);
  ASSERT_TRUE(file.isOk()) << file.status().message();
  auto bytes = file->bytes();
  ASSERT_TRUE(bytes.isOk());
  EXPECT_TRUE(std::equal(bytes->begin(), bytes->end(), expected.begin(),
                         expected.end()))
      << "run with NNHAL_UPDATE_TEST_DATA=1 to write it again";
}

TEST(TFLiteModelsTest, floorIsReproducible) {
  std::vector<std::byte> expected = writeFloor();
  expectReproducible("Models/floor.tflite", expected);
  EXPECT_EQ(toText(importBytes(expected)), "FLOOR(i1x4) -> o1x4\n");
}

TEST(TFLiteModelsTest, addInt16IsReproducible) {
  std::vector<std::byte> expected = writeAddInt16();
  expectReproducible("Models/add_int16.tflite", expected);
  EXPECT_EQ(toText(importBytes(expected)),
            "tflite:ADD(i1x4, i1x4, 0) -> o1x4\n");
}

TEST(TFLiteModelsTest, complexIsReproducible) {
  expectReproducible("lit/Tools/nnhal-run/Inputs/complex.tflite",
                     writeComplex());
}

TEST(TFLiteModelsTest, fibonacciIsReproducible) {
  std::vector<std::byte> expected = writeFibonacci();
  expectReproducible("lit/Tools/nnhal-run/Inputs/fibonacci.tflite", expected);
  EXPECT_EQ(importError(expected),
            "operator 0 (CUSTOM 'Fibonacci'): no extension claims this custom "
            "operator");
}

TEST(TFLiteModelsTest, signaturesAreReproducible) {
  expectReproducible("lit/Tools/nnhal-run/Inputs/signatures.tflite",
                     writeSignatures());
}

TEST(TFLiteModelsTest, soundFrontEndIsReproducible) {
  expectReproducible("lit/Tools/nnhal-run/Inputs/sound_front_end.tflite",
                     writeSoundFrontEnd());
}

TEST(TFLiteModelsTest, smallCnnIsReproducible) {
  std::vector<std::byte> expected = writeSmallCnn();
  expectReproducible("Models/small_cnn.tflite", expected);
  EXPECT_LT(expected.size(), 40'000u);
  EXPECT_EQ(toText(importBytes(expected)),
            "CONV_2D(i1x32x32x3, c16x3x3x3, c16, 1, 2, 2, 3) -> t1x16x16x16\n"
            "DEPTHWISE_CONV_2D(t1x16x16x16, c1x3x3x16, c16, 1, 1, 1, 1, 3) -> "
            "t1x16x16x16\n"
            "CONV_2D(t1x16x16x16, c32x1x1x16, c32, 1, 1, 1, 3) -> t1x16x16x32\n"
            "AVERAGE_POOL_2D(t1x16x16x32, 2, 4, 4, 4, 4, 0) -> t1x4x4x32\n"
            "RESHAPE(t1x4x4x32, {1 512}) -> t1x512\n"
            "FULLY_CONNECTED(t1x512, c10x512, c10, 0) -> t1x10\n"
            "SOFTMAX(t1x10, 1f) -> o1x10\n");
}

constexpr const char *page = NNHAL_TEST_DATA "/../docs/Using/TFLiteImport.md";

std::string readPage() {
  Result<Memory> file = Memory::readFile(page);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  auto bytes = file->bytes();
  return {reinterpret_cast<const char *>(bytes->data()), bytes->size()};
}

/// The table of all operators as the tables of the importer have them.
std::string tableOfOperators() {
  std::string table = "| Number | Operator | HAL | nnhal.tflite | Why not |\n"
                      "|---|---|---|---|---|\n";
  for (Code code : schema::EnumValuesBuiltinOperator()) {
    bool isCustom = code == Code::CUSTOM;
    bool hasRow = isCustom || tflite::findOperator(code, "");
    bool hasExtension = tflite::findExtension(code);
    auto mark = [](bool isThere) { return isThere ? "yes" : ""; };
    table +=
        fmt::format("| {} | {} | {} | {} | {} |\n", int(code),
                    schema::EnumNameBuiltinOperator(code),
                    isCustom ? "one of them" : mark(hasRow), mark(hasExtension),
                    hasRow || hasExtension ? "" : tflite::whyUnsupported(code));
  }
  return table;
}

TEST(TFLiteModelsTest, pageListsAllOperators) {
  std::string text = readPage(), table = tableOfOperators();
  size_t begin = text.find("| Number |");
  ASSERT_NE(begin, std::string::npos);
  size_t end = text.find("|\n\n", begin) + 2;
  if (std::getenv("NNHAL_UPDATE_TEST_DATA"))
    std::ofstream(page) << text.replace(begin, end - begin, table);
  else
    EXPECT_EQ(text.substr(begin, end - begin), table)
        << "run with NNHAL_UPDATE_TEST_DATA=1 to write it again";
}

/// Words of capital letters, digits and underscores that name an operator.
std::set<std::string> operatorNames(const std::string &text) {
  std::set<std::string> known, found;
  for (Code code : schema::EnumValuesBuiltinOperator())
    known.insert(schema::EnumNameBuiltinOperator(code));
  const std::regex word("[A-Z][A-Z0-9_]+");
  for (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end;
       ++i)
    if (known.contains(i->str()))
      found.insert(i->str());
  return found;
}

/// What docs/Using/TFLiteImport.md says becomes operations of the HAL.
std::set<std::string> documentedOperators() {
  std::string text = readPage();
  auto begin = text.find("## One operation"),
       end = text.find("## The extension");
  EXPECT_NE(end, std::string::npos);
  text = text.substr(begin, end - begin);
  // The column of the tables with what an operator becomes names none that is
  // imported; nor does the HAL's name behind a name.
  text =
      std::regex_replace(text, std::regex("\\n(\\|[^|\n]*\\|)[^\n]*"), "\n$1");
  text = std::regex_replace(text, std::regex("\\([A-Z0-9_]+\\)"), "");
  return operatorNames(text);
}

TEST(TFLiteModelsTest, documentedOperatorsAreImported) {
  std::set<std::string> imported;
  for (Code code : schema::EnumValuesBuiltinOperator())
    if (tflite::findOperator(code, ""))
      imported.insert(schema::EnumNameBuiltinOperator(code));
  EXPECT_EQ(documentedOperators(), imported);
}

/// Options with the extension of custom operators, which some models have.
TFLiteImportOptions withCustomExtension() {
  TFLiteImportOptions options;
  options.extensions = {{tflite_custom::createCustomExtension(), "test"}};
  return options;
}

TEST(TFLiteModelsTest, publishedModels) {
  std::filesystem::path folder = NNHAL_SHARED_DATA "/models";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "no models in " << folder;
  size_t imported = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite")
      continue;
    std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    Result<Memory> file = Memory::readFile(entry.path());
    ASSERT_TRUE(file.isOk()) << file.status().message();
    Result<AnnotatedModel> model = importTFLite(*file, withCustomExtension());
    EXPECT_EQ(model.status().message(), "");
    imported += model.isOk();
  }
  EXPECT_GE(imported, 19u);
}

// Models of 16-bit activations, and others that the HAL alone cannot express.
TEST(TFLiteModelsTest, publishedModelsBeyondTheHal) {
  std::filesystem::path folder = NNHAL_SHARED_DATA "/models-beyond";
  if (!std::filesystem::exists(folder))
    GTEST_SKIP() << "no models in " << folder;
  size_t extended = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite")
      continue;
    SCOPED_TRACE(entry.path().filename().string());
    Result<Memory> file = Memory::readFile(entry.path());
    ASSERT_TRUE(file.isOk()) << file.status().message();
    Result<AnnotatedModel> model = importTFLite(*file, withCustomExtension());
    EXPECT_EQ(model.status().message(), "");
    extended += model.isOk() && !model->model.extensionNameToPrefix.empty();
  }
  EXPECT_GE(extended, 8u);
}

} // namespace
} // namespace nnhal::rt
