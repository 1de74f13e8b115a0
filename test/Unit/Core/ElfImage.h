//===- ElfImage.h - Shared objects, field by field --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_CORE_ELFIMAGE_H
#define NNHAL_TEST_UNIT_CORE_ELFIMAGE_H

#include "Runtime/Artifact/ModelCache.h"

#include <cstddef>
#include <elf.h>
#include <string>
#include <vector>

namespace nnhal::rt::testing {

/// A shared object that exports the function "entry" and the variable "table"
/// and imports memcpy, with all tables that may occur. As it is made it can be
/// loaded; tests change fields.
struct ElfImage {
  explicit ElfImage(TargetKind target);

  /// The first dynamic entry with \p tag.
  Elf64_Dyn &dynamicEntry(int64_t tag);
  /// The first segment of \p type.
  Elf64_Phdr &segment(uint32_t type);
  std::vector<std::byte> bytes() const;

  // Where the file has its parts; addresses are the same.
  static constexpr uint64_t segmentsAt = 0x40;
  static constexpr uint64_t stringsAt = 0x300;
  static constexpr uint64_t symbolsAt = 0x380;
  static constexpr uint64_t hashAt = 0x480;
  static constexpr uint64_t gnuHashAt = 0x500;
  static constexpr uint64_t relocationsAt = 0x600;
  static constexpr uint64_t jumpsAt = 0x680;
  static constexpr uint64_t noteAt = 0x700;
  static constexpr uint64_t textAt = 0x10000;
  static constexpr uint64_t textSize = 0x40;
  static constexpr uint64_t dynamicAt = 0x20000;
  static constexpr uint64_t gotAt = 0x20200;
  static constexpr uint64_t tableAt = 0x20240;
  static constexpr uint64_t dataSize = 0x280;

  TargetKind target;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> segments;
  std::string strings;
  std::vector<Elf64_Sym> symbols;
  /// Counts of buckets and chains, then those.
  std::vector<uint32_t> hash;
  /// Counts, the bloom filter, buckets and hash values.
  std::vector<uint32_t> gnuHash;
  std::vector<Elf64_Rela> relocations;
  std::vector<Elf64_Rela> jumps;
  /// A header, "GNU", and one property of 4 bytes.
  std::vector<uint32_t> note;
  std::vector<Elf64_Dyn> dynamic;
};

} // namespace nnhal::rt::testing

#endif // NNHAL_TEST_UNIT_CORE_ELFIMAGE_H
