//===- Elf.cpp - Checks native code before it is loaded -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elf.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <map>
#include <optional>
#include <string_view>

using namespace nnhal::rt;

static constexpr uint64_t maxProgramHeaders = 64;
static constexpr uint64_t maxAddress = uint64_t(1) << 40;
static constexpr std::array<std::string_view, 3> allowedImports = {
    "memcpy", "memmove", "memset"};

namespace {
/// Dynamic tags whose effect at load time is not wanted.
struct ForbiddenTag {
  int64_t tag;
  std::string_view meaning;
};
constexpr ForbiddenTag forbiddenTags[] = {
    {DT_NEEDED, "needs another library"},
    {DT_INIT, "has an initializer"},
    {DT_INIT_ARRAY, "has an initializer"},
    {DT_FINI, "has a finalizer"},
    {DT_FINI_ARRAY, "has a finalizer"},
    {DT_PREINIT_ARRAY, "has an initializer"},
    {DT_TEXTREL, "has relocations in its code"},
};

class ElfChecker {
public:
  ElfChecker(std::span<const std::byte> bytes, TargetKind target)
      : bytes(bytes), target(target) {}

  Status check() {
    NNHAL_RETURN_IF_ERROR(checkHeader());
    NNHAL_RETURN_IF_ERROR(checkSegments());
    NNHAL_RETURN_IF_ERROR(checkDynamic());
    NNHAL_RETURN_IF_ERROR(checkImports(DT_RELA, DT_RELASZ));
    return checkImports(DT_JMPREL, DT_PLTRELSZ);
  }

private:
  template <typename T> std::optional<T> load(uint64_t offset) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  Status checkHeader() {
    auto loaded = load<Elf64_Ehdr>(0);
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
    return Status::ok();
  }

  Status checkSegments() {
    for (uint32_t i = 0; i < header.e_phnum; ++i) {
      if (header.e_phoff > bytes.size())
        return badData("program headers at {} leave the code of {} bytes",
                       header.e_phoff, bytes.size());
      auto segment =
          load<Elf64_Phdr>(header.e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
      if (!segment)
        return badData("program header {} leaves the code of {} bytes", i,
                       bytes.size());
      if (segment->p_offset > bytes.size() ||
          segment->p_filesz > bytes.size() - segment->p_offset ||
          segment->p_vaddr > maxAddress || segment->p_memsz > maxAddress)
        return badData("segment {} at {} with {} bytes leaves the code of {}",
                       i, segment->p_offset, segment->p_filesz, bytes.size());
      if (segment->p_type == PT_INTERP)
        return badData("code is a program, not a shared object");
      if (segment->p_type == PT_DYNAMIC)
        dynamic = *segment;
      if (segment->p_type != PT_LOAD)
        continue;
      if ((segment->p_flags & PF_W) && (segment->p_flags & PF_X))
        return badData("segment {} is writable and executable", i);
      if (segment->p_memsz < segment->p_filesz)
        return badData("segment {} has {} bytes in the file and {} in memory",
                       i, segment->p_filesz, segment->p_memsz);
      loads.push_back(*segment);
    }
    if (loads.empty() || !dynamic)
      return badData("code has no loadable or no dynamic segment");
    return Status::ok();
  }

  Status checkDynamic() {
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic->p_filesz;
         at += sizeof(Elf64_Dyn)) {
      auto entry = load<Elf64_Dyn>(dynamic->p_offset + at);
      if (!entry || entry->d_tag == DT_NULL)
        return Status::ok();
      for (const ForbiddenTag &forbidden : forbiddenTags)
        if (entry->d_tag == forbidden.tag)
          return badData("code {}", forbidden.meaning);
      tags[entry->d_tag] = entry->d_un.d_val;
    }
    return badData("dynamic segment of {} bytes has no end mark",
                   dynamic->p_filesz);
  }

  /// Where the file has what memory has at \p address.
  std::optional<uint64_t> toOffset(uint64_t address) const {
    for (const Elf64_Phdr &segment : loads)
      if (address >= segment.p_vaddr &&
          address - segment.p_vaddr < segment.p_filesz)
        return segment.p_offset + (address - segment.p_vaddr);
    return std::nullopt;
  }

  std::optional<uint64_t> tableOffset(int64_t tag) const {
    auto found = tags.find(tag);
    return found == tags.end() ? std::nullopt : toOffset(found->second);
  }

  std::string_view textAt(uint64_t offset) const {
    if (offset >= bytes.size())
      return {};
    const char *begin = reinterpret_cast<const char *>(bytes.data()) + offset;
    return {begin, strnlen(begin, bytes.size() - offset)};
  }

  /// What is imported is what a relocation asks for.
  Status checkImports(int64_t tableTag, int64_t sizeTag) {
    if (!tags.contains(tableTag))
      return Status::ok();
    auto table = tableOffset(tableTag);
    auto symbols = tableOffset(DT_SYMTAB);
    auto strings = tableOffset(DT_STRTAB);
    if (!table || !symbols || !strings)
      return badData("code has relocations outside its segments");
    uint64_t count = tags[sizeTag] / sizeof(Elf64_Rela);
    for (uint64_t i = 0; i < count; ++i) {
      auto relocation =
          load<Elf64_Rela>(*table + i * uint64_t(sizeof(Elf64_Rela)));
      if (!relocation)
        return badData("relocation {} leaves the code of {} bytes", i,
                       bytes.size());
      uint64_t symbolIndex = ELF64_R_SYM(relocation->r_info);
      auto symbol = load<Elf64_Sym>(*symbols + symbolIndex * sizeof(Elf64_Sym));
      if (!symbol)
        return badData("relocation {} uses symbol {} outside the code", i,
                       symbolIndex);
      if (symbolIndex == 0 || symbol->st_shndx != SHN_UNDEF)
        continue;
      std::string_view name = textAt(*strings + symbol->st_name);
      if (std::ranges::find(allowedImports, name) == allowedImports.end())
        return badData("code imports '{}', only {} may be imported", name,
                       fmt::join(allowedImports, ", "));
    }
    return Status::ok();
  }

  std::span<const std::byte> bytes;
  TargetKind target;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Phdr> loads;
  std::optional<Elf64_Phdr> dynamic;
  std::map<int64_t, uint64_t> tags;
};
} // namespace

Status nnhal::rt::checkElf(std::span<const std::byte> bytes,
                           TargetKind target) {
  return ElfChecker(bytes, target).check();
}
