//===- TestFolder.h - A folder of models for tests --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_SERVING_TESTFOLDER_H
#define NNHAL_TEST_UNIT_SERVING_TESTFOLDER_H

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace nnhal::serving {

/// A folder that goes with the object.
class TestFolder {
public:
  TestFolder() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "nnhal-serving-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;
  ~TestFolder() { std::filesystem::remove_all(path); }

  std::string at(const std::string &name) const { return path / name; }

  /// Writes a file, and the folders that it is in, in one step.
  void write(const std::string &name, const std::string &text) const {
    std::filesystem::path file = path / name;
    std::filesystem::create_directories(file.parent_path());
    std::string made = at(".made");
    std::ofstream(made, std::ios::binary) << text;
    std::filesystem::rename(made, file);
  }
  void remove(const std::string &name) const {
    std::filesystem::remove_all(path / name);
  }

  std::filesystem::path path;
};

/// A model that adds \p addend to rows of two numbers, of which there are
/// \p rows, 0 for as many as a request has.
inline std::string addModel(double addend, int rows = 0) {
  return fmt::format(
      R"({{"halVersion": "1.3", "main": {{"operands": [
        {{"type": "TENSOR_FLOAT32", "dimensions": [{0}, 2],
          "lifetime": "SUBGRAPH_INPUT"}},
        {{"type": "TENSOR_FLOAT32", "dimensions": [1],
          "lifetime": "CONSTANT_COPY", "value": [{1}]}},
        {{"type": "INT32", "dimensions": [], "lifetime": "CONSTANT_COPY",
          "value": [0]}},
        {{"type": "TENSOR_FLOAT32", "dimensions": [{0}, 2],
          "lifetime": "SUBGRAPH_OUTPUT"}}],
        "operations": [{{"type": "ADD", "inputs": [0, 1, 2], "outputs": [3]}}],
        "inputIndexes": [0], "outputIndexes": [3]}}, "referenced": []}})",
      rows, addend);
}

} // namespace nnhal::serving

#endif // NNHAL_TEST_UNIT_SERVING_TESTFOLDER_H
