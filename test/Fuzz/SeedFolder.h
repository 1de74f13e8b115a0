//===- SeedFolder.h - Where seeds are written -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_SEEDFOLDER_H
#define NNHAL_TEST_FUZZ_SEEDFOLDER_H

#include <filesystem>
#include <span>
#include <string>

namespace nnhal::rt::fuzz {

/// A folder with one folder for each target.
class SeedFolder {
public:
  explicit SeedFolder(std::filesystem::path root) : root(std::move(root)) {}

  /// Writes the seed \p name of \p target. Ends the process when it cannot.
  void write(const std::string &target, const std::string &name,
             std::span<const std::byte> bytes);

  const std::filesystem::path root;
};

/// Messages and calls of the service.
void writeServiceSeeds(SeedFolder &seeds);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_SEEDFOLDER_H
