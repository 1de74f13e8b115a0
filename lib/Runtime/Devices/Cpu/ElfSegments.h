//===- ElfSegments.h - Segments of a shared object --------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_DEVICES_CPU_ELFSEGMENTS_H
#define NNHAL_LIB_RUNTIME_DEVICES_CPU_ELFSEGMENTS_H

#include "Runtime/Artifact/ModelCache.h"

#include <cstring>
#include <elf.h>
#include <optional>
#include <span>
#include <vector>

namespace nnhal::rt {

/// The segments of a shared object, checked: each lies inside the file, they
/// do not share pages, none is writable and executable, and what the dynamic
/// linker reads or protects besides them lies within them.
///
/// Addresses are those of the file, before the linker relocates it.
/// Ownership: a view of the bytes.
class ElfSegments {
public:
  /// Reads the program headers. Fails with invalidArgument, which names what
  /// was found.
  static Result<ElfSegments> read(std::span<const std::byte> bytes,
                                  TargetKind target);

  uint16_t machine() const { return header.e_machine; }
  const Elf64_Phdr &dynamic() const { return dynamicSegment; }

  /// The loaded segment that holds \p size bytes from \p address on, in the
  /// file and in memory; null when there is none.
  const Elf64_Phdr *findInFile(uint64_t address, uint64_t size) const;
  /// Finds bytes that may be in memory alone, unlike those of the function
  /// above.
  const Elf64_Phdr *findInMemory(uint64_t address, uint64_t size) const;

  /// The object at \p address; nothing where no segment holds it.
  template <typename T> std::optional<T> load(uint64_t address) const {
    const Elf64_Phdr *segment = findInFile(address, sizeof(T));
    if (!segment)
      return std::nullopt;
    return loadAt<T>(segment->p_offset + (address - segment->p_vaddr));
  }

  /// The bytes at \p address, which findInFile() has found.
  std::span<const std::byte> bytesAt(uint64_t address, uint64_t size) const;

private:
  ElfSegments(std::span<const std::byte> bytes) : bytes(bytes) {}

  template <typename T> std::optional<T> loadAt(uint64_t offset) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  Status readHeader(TargetKind target);
  Status readSegments();
  Status checkSegment(uint32_t index, const Elf64_Phdr &segment) const;
  Status addLoaded(uint32_t index, const Elf64_Phdr &segment);
  Status checkPlaces() const;
  Status checkPlace(uint32_t index, const Elf64_Phdr &segment) const;
  Status checkNotes(uint32_t index, const Elf64_Phdr &segment) const;

  std::span<const std::byte> bytes;
  Elf64_Ehdr header = {};
  /// All of them, in the order of the file.
  std::vector<Elf64_Phdr> segments;
  /// The loaded ones, by address.
  std::vector<Elf64_Phdr> loads;
  Elf64_Phdr dynamicSegment = {};
};

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_DEVICES_CPU_ELFSEGMENTS_H
