//===- ElfImage.cpp - Shared objects, field by field ----------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElfImage.h"

#include <algorithm>
#include <cstring>

using namespace nnhal::rt;
using namespace nnhal::rt::testing;

static uint32_t gnuHashOf(std::string_view name) {
  uint32_t hash = 5381;
  for (char c : name)
    hash = hash * 33 + uint8_t(c);
  return hash;
}

static Elf64_Phdr makeSegment(uint32_t type, uint32_t flags, uint64_t at,
                              uint64_t size, uint64_t alignment) {
  return {type, flags, at, at, at, size, size, alignment};
}

static Elf64_Sym makeSymbol(uint32_t name, uint8_t type, uint16_t section,
                            uint64_t value, uint64_t size) {
  return {name, uint8_t(ELF64_ST_INFO(STB_GLOBAL, type)), 0, section, value,
          size};
}

ElfImage::ElfImage(TargetKind target) : target(target) {
  bool isX86 = target == TargetKind::x86_64Elf;
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = isX86 ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_phoff = segmentsAt;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);

  constexpr uint64_t page = 0x10000; // The largest that AArch64 has.
  segments = {
      makeSegment(PT_PHDR, PF_R, segmentsAt, 0, 8),
      makeSegment(PT_LOAD, PF_R, 0, 0x740, page),
      makeSegment(PT_LOAD, PF_R | PF_X, textAt, textSize, page),
      makeSegment(PT_LOAD, PF_R | PF_W, dynamicAt, dataSize, page),
      makeSegment(PT_DYNAMIC, PF_R | PF_W, dynamicAt, 0, 8),
      makeSegment(PT_GNU_RELRO, PF_R, dynamicAt, 0x200, 1),
      makeSegment(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0),
      makeSegment(PT_NOTE, PF_R, noteAt, 32, 8),
  };
  segments[0].p_filesz = segments[0].p_memsz =
      segments.size() * sizeof(Elf64_Phdr);
  header.e_phnum = uint16_t(segments.size());

  strings = std::string("\0memcpy\0entry\0table\0", 20);
  symbols = {{},
             makeSymbol(1, STT_FUNC, SHN_UNDEF, 0, 0),
             makeSymbol(8, STT_FUNC, 1, textAt, 16),
             makeSymbol(14, STT_OBJECT, 2, tableAt, 8)};
  // One bucket: table, entry, memcpy.
  hash = {1, 4, 3, 0, 0, 1, 2};
  // One bucket from symbol 2 on, behind a filter that lets all pass.
  gnuHash = {1,
             2,
             1,
             6,
             ~0u,
             ~0u,
             2,
             gnuHashOf("entry") & ~1u,
             gnuHashOf("table") | 1u};

  uint64_t relative = isX86 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
  uint64_t absolute = isX86 ? R_X86_64_64 : R_AARCH64_ABS64;
  uint64_t globalData = isX86 ? R_X86_64_GLOB_DAT : R_AARCH64_GLOB_DAT;
  uint64_t jumpSlot = isX86 ? R_X86_64_JUMP_SLOT : R_AARCH64_JUMP_SLOT;
  relocations = {{gotAt, ELF64_R_INFO(0, relative), int64_t(tableAt)},
                 {gotAt + 8, ELF64_R_INFO(uint64_t(2), globalData), 0},
                 {gotAt + 16, ELF64_R_INFO(uint64_t(3), absolute), 0}};
  jumps = {{gotAt + 48, ELF64_R_INFO(uint64_t(1), jumpSlot), 0}};
  uint32_t gnu = 0;
  std::memcpy(&gnu, "GNU", 4);
  note = {4, 16, NT_GNU_PROPERTY_TYPE_0, gnu, 0xB0000000, 4, 0, 0};

  auto entry = [this](int64_t tag, uint64_t value) {
    Elf64_Dyn &added = dynamic.emplace_back();
    added.d_tag = tag;
    added.d_un.d_val = value;
  };
  entry(DT_SYMTAB, symbolsAt);
  entry(DT_SYMENT, sizeof(Elf64_Sym));
  entry(DT_STRTAB, stringsAt);
  entry(DT_STRSZ, strings.size());
  entry(DT_HASH, hashAt);
  entry(DT_GNU_HASH, gnuHashAt);
  entry(DT_RELA, relocationsAt);
  entry(DT_RELASZ, relocations.size() * sizeof(Elf64_Rela));
  entry(DT_RELAENT, sizeof(Elf64_Rela));
  entry(DT_RELACOUNT, 1);
  entry(DT_JMPREL, jumpsAt);
  entry(DT_PLTRELSZ, jumps.size() * sizeof(Elf64_Rela));
  entry(DT_PLTREL, DT_RELA);
  entry(DT_PLTGOT, gotAt + 24);
  entry(DT_FLAGS, DF_BIND_NOW);
  entry(DT_FLAGS_1, DF_1_NOW);
  entry(DT_NULL, 0);
  segment(PT_DYNAMIC).p_filesz = segment(PT_DYNAMIC).p_memsz =
      dynamic.size() * sizeof(Elf64_Dyn);
}

Elf64_Dyn &ElfImage::dynamicEntry(int64_t tag) {
  return *std::ranges::find(dynamic, tag, &Elf64_Dyn::d_tag);
}

Elf64_Phdr &ElfImage::segment(uint32_t type) {
  return *std::ranges::find(segments, type, &Elf64_Phdr::p_type);
}

template <typename T>
static void put(std::vector<std::byte> &file, uint64_t at,
                const std::vector<T> &values) {
  std::memcpy(file.data() + at, values.data(), values.size() * sizeof(T));
}

std::vector<std::byte> ElfImage::bytes() const {
  std::vector<std::byte> file(dynamicAt + dataSize);
  std::memcpy(file.data(), &header, sizeof(header));
  put(file, segmentsAt, segments);
  std::memcpy(file.data() + stringsAt, strings.data(), strings.size());
  put(file, symbolsAt, symbols);
  put(file, hashAt, hash);
  put(file, gnuHashAt, gnuHash);
  put(file, relocationsAt, relocations);
  put(file, jumpsAt, jumps);
  put(file, noteAt, note);
  // The function returns 0.
  if (target == TargetKind::x86_64Elf)
    put<uint8_t>(file, textAt, {0x31, 0xC0, 0xC3});
  else
    put<uint32_t>(file, textAt, {0x52800000, 0xD65F03C0});
  put(file, dynamicAt, dynamic);
  return file;
}
