//===- ElfSegments.cpp - Segments of a shared object ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfSegments.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <bit>

using namespace nnhal::rt;

static constexpr uint64_t maxProgramHeaders = 64;
/// Code is compiled to reach its data with displacements of 32 bits.
static constexpr uint64_t maxAddress = uint64_t(1) << 32;
/// The smallest page size of the processors that code is compiled for.
static constexpr uint64_t minAlignment = 4096;
static constexpr uint64_t maxAlignment = uint64_t(2) << 20;

Result<ElfSegments> ElfSegments::read(std::span<const std::byte> bytes,
                                      TargetKind target) {
  ElfSegments segments(bytes);
  NNHAL_RETURN_IF_ERROR(segments.readHeader(target));
  NNHAL_RETURN_IF_ERROR(segments.readSegments());
  NNHAL_RETURN_IF_ERROR(segments.checkPlaces());
  return segments;
}

//===----------------------------------------------------------------------===//
// Header and program headers
//===----------------------------------------------------------------------===//

Status ElfSegments::readHeader(TargetKind target) {
  auto loaded = loadAt<Elf64_Ehdr>(0);
  if (!loaded)
    return badData("code of {} bytes is shorter than an ELF header of {}",
                   bytes.size(), sizeof(Elf64_Ehdr));
  header = *loaded;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return badData("code is not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return badData("code is not a 64-bit little-endian ELF file");
  if (header.e_type != ET_DYN)
    return badData("code has ELF type {}, not {} (shared object)",
                   header.e_type, ET_DYN);
  uint16_t machine = target == TargetKind::x86_64Elf ? EM_X86_64 : EM_AARCH64;
  if (header.e_machine != machine)
    return badData("code is for ELF machine {}, its section says {}",
                   header.e_machine, machine);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0 ||
      header.e_phnum > maxProgramHeaders)
    return badData("code has {} program headers of {} bytes, not 1 to {} of "
                   "{}",
                   header.e_phnum, header.e_phentsize, maxProgramHeaders,
                   sizeof(Elf64_Phdr));
  if (header.e_phoff > bytes.size())
    return badData("program headers at {} leave the code of {} bytes",
                   header.e_phoff, bytes.size());
  return Status::ok();
}

Status ElfSegments::readSegments() {
  size_t dynamicCount = 0;
  bool hasStack = false;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    auto segment =
        loadAt<Elf64_Phdr>(header.e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment)
      return badData("program header {} leaves the code of {} bytes", i,
                     bytes.size());
    NNHAL_RETURN_IF_ERROR(checkSegment(i, *segment));
    segments.push_back(*segment);
    if (segment->p_type == PT_LOAD)
      NNHAL_RETURN_IF_ERROR(addLoaded(i, *segment));
    hasStack |= segment->p_type == PT_GNU_STACK;
    if (segment->p_type == PT_DYNAMIC) {
      dynamicSegment = *segment;
      ++dynamicCount;
    }
  }
  if (loads.empty() || dynamicCount == 0)
    return badData("code has no loadable or no dynamic segment");
  if (dynamicCount > 1)
    return badData("code has {} dynamic segments, not 1", dynamicCount);
  if (!hasStack) // The dynamic linker takes that for the wish for one.
    return badData("code does not say that its stack is not executable");
  return Status::ok();
}

static bool isAllowed(uint32_t segmentType) {
  switch (segmentType) {
  case PT_NULL:
  case PT_LOAD:
  case PT_DYNAMIC:
  case PT_NOTE:
  case PT_PHDR:
  case PT_GNU_EH_FRAME:
  case PT_GNU_STACK:
  case PT_GNU_RELRO:
  case PT_GNU_PROPERTY:
    return true;
  default:
    return false;
  }
}

/// Checks the rules for a segment of any type.
Status ElfSegments::checkSegment(uint32_t index,
                                 const Elf64_Phdr &segment) const {
  if (segment.p_type == PT_INTERP)
    return badData("code is a program, not a shared object");
  if (!isAllowed(segment.p_type))
    return badData("segment {} has type {:#x}, which is not allowed", index,
                   segment.p_type);
  if (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X))
    return badData("code asks for an executable stack");
  if (segment.p_offset > bytes.size() ||
      segment.p_filesz > bytes.size() - segment.p_offset)
    return badData("segment {} at {} with {} bytes leaves the code of {}",
                   index, segment.p_offset, segment.p_filesz, bytes.size());
  if (segment.p_vaddr > maxAddress ||
      segment.p_memsz > maxAddress - segment.p_vaddr)
    return badData("segment {} at address {:#x} with {} bytes ends beyond "
                   "{:#x}",
                   index, segment.p_vaddr, segment.p_memsz, maxAddress);
  if (segment.p_memsz < segment.p_filesz)
    return badData("segment {} has {} bytes in the file and {} in memory",
                   index, segment.p_filesz, segment.p_memsz);
  return Status::ok();
}

Status ElfSegments::addLoaded(uint32_t index, const Elf64_Phdr &segment) {
  if ((segment.p_flags & PF_W) && (segment.p_flags & PF_X))
    return badData("segment {} is writable and executable", index);
  if (!(segment.p_flags & PF_R))
    return badData("segment {} with flags {} is not readable", index,
                   segment.p_flags);
  uint64_t alignment = segment.p_align;
  if (!std::has_single_bit(alignment) || alignment < minAlignment ||
      alignment > maxAlignment)
    return badData("segment {} has alignment {}, not a power of two from {} to "
                   "{}",
                   index, alignment, minAlignment, maxAlignment);
  if (segment.p_vaddr % alignment != segment.p_offset % alignment)
    return badData("segment {} at address {:#x} and offset {:#x} does not "
                   "agree with its alignment of {}",
                   index, segment.p_vaddr, segment.p_offset, alignment);
  if (segment.p_memsz == 0)
    return badData("segment {} is empty", index);
  if (!loads.empty()) {
    // Whole pages are mapped, those of the later segment over the others.
    const Elf64_Phdr &last = loads.back();
    uint64_t end = last.p_vaddr + last.p_memsz;
    uint64_t begin = segment.p_vaddr / alignment * alignment;
    if (begin < end)
      return badData("segment {} with pages from {:#x} on begins before the "
                     "previous one ends at {:#x}",
                     index, begin, end);
  }
  loads.push_back(segment);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Segments inside of loaded ones
//===----------------------------------------------------------------------===//

const Elf64_Phdr *ElfSegments::findInFile(uint64_t address,
                                          uint64_t size) const {
  for (const Elf64_Phdr &segment : loads)
    if (address >= segment.p_vaddr &&
        address - segment.p_vaddr <= segment.p_filesz &&
        size <= segment.p_filesz - (address - segment.p_vaddr))
      return &segment;
  return nullptr;
}

const Elf64_Phdr *ElfSegments::findInMemory(uint64_t address,
                                            uint64_t size) const {
  for (const Elf64_Phdr &segment : loads)
    if (address >= segment.p_vaddr &&
        address - segment.p_vaddr <= segment.p_memsz &&
        size <= segment.p_memsz - (address - segment.p_vaddr))
      return &segment;
  return nullptr;
}

std::span<const std::byte> ElfSegments::bytesAt(uint64_t address,
                                                uint64_t size) const {
  const Elf64_Phdr *segment = findInFile(address, size);
  if (!segment)
    return {};
  return bytes.subspan(segment->p_offset + (address - segment->p_vaddr), size);
}

Status ElfSegments::checkPlaces() const {
  for (uint32_t i = 0; i < segments.size(); ++i) {
    uint32_t type = segments[i].p_type;
    if (type == PT_NULL || type == PT_LOAD || type == PT_GNU_STACK)
      continue;
    NNHAL_RETURN_IF_ERROR(checkPlace(i, segments[i]));
    if (type == PT_NOTE || type == PT_GNU_PROPERTY)
      NNHAL_RETURN_IF_ERROR(checkNotes(i, segments[i]));
  }
  return Status::ok();
}

/// The dynamic linker looks for these in memory, writes to the dynamic segment,
/// and takes the right to write from the pages of a PT_GNU_RELRO.
Status ElfSegments::checkPlace(uint32_t index,
                               const Elf64_Phdr &segment) const {
  bool isRelro = segment.p_type == PT_GNU_RELRO;
  const Elf64_Phdr *outer = isRelro
                                ? findInMemory(segment.p_vaddr, segment.p_memsz)
                                : findInFile(segment.p_vaddr, segment.p_memsz);
  bool isWritten = isRelro || segment.p_type == PT_DYNAMIC;
  if (!outer || (isWritten && !(outer->p_flags & PF_W)))
    return badData("segment {} of type {:#x} at address {:#x} with {} bytes "
                   "is not inside of a {} segment",
                   index, segment.p_type, segment.p_vaddr, segment.p_memsz,
                   isWritten ? "writable" : "loaded");
  uint64_t offset = outer->p_offset + (segment.p_vaddr - outer->p_vaddr);
  if (segment.p_offset != offset)
    return badData("segment {} of type {:#x} has offset {:#x}, its address "
                   "{:#x} is at {:#x} of the file",
                   index, segment.p_type, segment.p_offset, segment.p_vaddr,
                   offset);
  if (segment.p_type == PT_PHDR &&
      (segment.p_offset != header.e_phoff ||
       segment.p_memsz != header.e_phnum * sizeof(Elf64_Phdr)))
    return badData("segment {} says that program headers are at {} with {} "
                   "bytes, the header says {} with {}",
                   index, segment.p_offset, segment.p_memsz, header.e_phoff,
                   header.e_phnum * sizeof(Elf64_Phdr));
  return Status::ok();
}

/// The properties in a note's \p description: type, size, value of a multiple
/// of eight bytes.
static Status checkProperties(uint32_t index,
                              std::span<const std::byte> description) {
  while (!description.empty()) {
    uint32_t words[2] = {};
    if (description.size() >= sizeof(words))
      std::memcpy(words, description.data(), sizeof(words));
    uint64_t size = sizeof(words) + (uint64_t(words[1]) + 7) / 8 * 8;
    if (size > description.size())
      return badData("a property of {} bytes does not fit the {} that are left "
                     "of a note in segment {}",
                     size, description.size(), index);
    description = description.subspan(size);
  }
  return Status::ok();
}

/// The linker walks through notes and believes their sizes.
Status ElfSegments::checkNotes(uint32_t index,
                               const Elf64_Phdr &segment) const {
  uint64_t alignment = segment.p_align == 8 ? 8 : 4;
  auto rest = bytes.subspan(segment.p_offset, segment.p_filesz);
  while (!rest.empty()) {
    Elf64_Nhdr note = {};
    if (rest.size() >= sizeof(note))
      std::memcpy(&note, rest.data(), sizeof(note));
    uint64_t begin = (sizeof(note) + uint64_t(note.n_namesz) + alignment - 1) /
                     alignment * alignment;
    uint64_t size =
        (begin + note.n_descsz + alignment - 1) / alignment * alignment;
    if (rest.size() < sizeof(note) || begin + note.n_descsz > rest.size())
      return badData("a note of {} bytes does not fit the {} that are left of "
                     "segment {}",
                     size, rest.size(), index);
    if (note.n_type == NT_GNU_PROPERTY_TYPE_0)
      NNHAL_RETURN_IF_ERROR(
          checkProperties(index, rest.subspan(begin, note.n_descsz)));
    rest = rest.subspan(std::min<uint64_t>(size, rest.size()));
  }
  return Status::ok();
}
