//===- SealedFile.h - Model caches whose digest is right --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_FUZZ_SEALEDFILE_H
#define NNHAL_TEST_FUZZ_SEALEDFILE_H

#include "FlatBufferMutator.h"

namespace nnhal::rt::fuzz {

/// Whether \p bytes hold a whole header whose manifest lies inside.
bool hasManifest(std::span<const std::byte> bytes);

/// The bytes of the manifest of a file that has one.
std::span<const std::byte> manifestOf(std::span<const std::byte> bytes);

/// \p file with another manifest. Code sections stay where they are as long as
/// the manifest fits before them.
std::vector<std::byte> withManifest(std::span<const std::byte> file,
                                    std::span<const std::byte> manifest);

/// States the size of \p bytes in its header, and a digest that is right.
/// Nothing happens to what is shorter than a header.
void sealModelCache(std::span<std::byte> bytes);

/// Changes the manifest by its fields, or the tables of the code by their
/// words, or the header, and seals the file mostly. nullopt where \p file has
/// no manifest.
std::optional<std::vector<std::byte>>
mutateModelCache(std::span<const std::byte> file, Random &random);

/// Overwrites a number somewhere in \p bytes with an unusual one.
void overwriteNumber(std::span<std::byte> bytes, Random &random);

} // namespace nnhal::rt::fuzz

#endif // NNHAL_TEST_FUZZ_SEALEDFILE_H
