//===- Elf.cpp - Checks native code before it is loaded -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elf.h"

#include "ElfSegments.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string_view>

using namespace nnhal::rt;

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
    {DT_INIT_ARRAYSZ, "has an initializer"},
    {DT_FINI, "has a finalizer"},
    {DT_FINI_ARRAY, "has a finalizer"},
    {DT_FINI_ARRAYSZ, "has a finalizer"},
    {DT_PREINIT_ARRAY, "has an initializer"},
    {DT_TEXTREL, "has relocations in its code"},
};

// DT_AARCH64_BTI_PLT is newer than the headers of some systems.
constexpr int64_t tagBtiPlt = 0x70000001;
constexpr int64_t tagPacPlt = 0x70000003;
constexpr int64_t tagVariantPcs = 0x70000005;

/// The relocation types that may occur, by what they do.
struct RelocationTypes {
  uint32_t relative;
  uint32_t absolute;
  uint32_t globalData;
  uint32_t jumpSlot;
};
constexpr RelocationTypes x86Relocations = {
    R_X86_64_RELATIVE, R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
constexpr RelocationTypes armRelocations = {R_AARCH64_RELATIVE, R_AARCH64_ABS64,
                                            R_AARCH64_GLOB_DAT,
                                            R_AARCH64_JUMP_SLOT};

/// Part of the image: what its name is in messages, and where it is.
struct Table {
  std::string_view name;
  uint64_t address = 0;
  uint64_t size = 0;
};

class ElfChecker {
public:
  explicit ElfChecker(const ElfSegments &segments) : segments(segments) {}

  Result<std::vector<std::string>> check() {
    NNHAL_RETURN_IF_ERROR(readDynamic());
    NNHAL_RETURN_IF_ERROR(checkTagValues());
    NNHAL_RETURN_IF_ERROR(checkStrings());
    NNHAL_RETURN_IF_ERROR(countSymbols());
    NNHAL_RETURN_IF_ERROR(checkSymbols());
    NNHAL_RETURN_IF_ERROR(checkRelocations());
    return std::move(functions);
  }

private:
  // Dynamic section.
  Status readDynamic();
  bool isAllowed(int64_t tag) const;
  Status checkTagValues() const;
  bool has(int64_t tag) const { return tags.contains(tag); }
  uint64_t valueOf(int64_t tag) const {
    auto found = tags.find(tag);
    return found == tags.end() ? 0 : found->second;
  }
  Status checkTable(const Table &table) const;

  // Symbols.
  Status checkStrings();
  Status countSymbols();
  Status countHashed();
  Status countGnuHashed();
  Status checkChains(uint64_t table, uint32_t buckets, uint32_t chains) const;
  Result<uint64_t> endOfGnuChains(uint64_t table, uint32_t buckets,
                                  uint32_t firstSymbol) const;
  Status checkSymbols();
  Status checkSymbol(uint64_t index, const Elf64_Sym &symbol);
  /// The symbol at \p index, which is below symbolCount.
  Elf64_Sym symbolAt(uint64_t index) const {
    return *segments.load<Elf64_Sym>(symbolTable + index * sizeof(Elf64_Sym));
  }
  std::string_view nameOf(const Elf64_Sym &symbol) const;

  // Relocations.
  Status checkRelocations() const;
  Status checkRelocationTable(const Table &table) const;
  const RelocationTypes &relocationTypes() const;
  Status checkRelocation(uint64_t index, const Elf64_Rela &relocation) const;
  Status checkRelocationSymbol(uint64_t index, uint64_t symbolIndex) const;
  Status checkRelativeCount(const Table &table) const;

  const ElfSegments &segments;
  std::map<int64_t, uint64_t> tags;
  std::span<const std::byte> strings;
  uint64_t symbolTable = 0;
  uint64_t symbolCount = 0;
  std::vector<std::string> functions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Dynamic section
//===----------------------------------------------------------------------===//

Status ElfChecker::readDynamic() {
  const Elf64_Phdr &dynamic = segments.dynamic();
  if (dynamic.p_vaddr % alignof(Elf64_Dyn) != 0)
    return badData("dynamic segment at address {:#x} is not at a multiple of "
                   "{}",
                   dynamic.p_vaddr, alignof(Elf64_Dyn));
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz;
       at += sizeof(Elf64_Dyn)) {
    auto entry = segments.load<Elf64_Dyn>(dynamic.p_vaddr + at);
    if (!entry || entry->d_tag == DT_NULL)
      return Status::ok();
    for (const ForbiddenTag &forbidden : forbiddenTags)
      if (entry->d_tag == forbidden.tag)
        return badData("code {}", forbidden.meaning);
    if (!isAllowed(entry->d_tag))
      return badData("code has dynamic tag {:#x}, which is not allowed",
                     entry->d_tag);
    if (!tags.emplace(entry->d_tag, entry->d_un.d_val).second)
      return badData("code has dynamic tag {:#x} twice", entry->d_tag);
  }
  return badData("dynamic segment of {} bytes has no end mark",
                 dynamic.p_filesz);
}

bool ElfChecker::isAllowed(int64_t tag) const {
  switch (tag) {
  case DT_HASH:
  case DT_GNU_HASH:
  case DT_STRTAB:
  case DT_STRSZ:
  case DT_SYMTAB:
  case DT_SYMENT:
  case DT_RELA:
  case DT_RELASZ:
  case DT_RELAENT:
  case DT_RELACOUNT:
  case DT_JMPREL:
  case DT_PLTREL:
  case DT_PLTRELSZ:
  case DT_PLTGOT:
  case DT_BIND_NOW:
  case DT_FLAGS:
  case DT_FLAGS_1:
    return true;
  case tagBtiPlt:
  case tagPacPlt:
  case tagVariantPcs:
    return segments.machine() == EM_AARCH64;
  default:
    return false;
  }
}

Status ElfChecker::checkTagValues() const {
  struct Fixed {
    int64_t tag;
    uint64_t value;
  };
  constexpr Fixed fixed[] = {{DT_SYMENT, sizeof(Elf64_Sym)},
                             {DT_RELAENT, sizeof(Elf64_Rela)},
                             {DT_PLTREL, DT_RELA}};
  for (const Fixed &each : fixed)
    if (has(each.tag) && valueOf(each.tag) != each.value)
      return badData("dynamic tag {:#x} is {}, not {}", each.tag,
                     valueOf(each.tag), each.value);
  // The dynamic linker reads all of a group when one is there.
  constexpr int64_t groups[][3] = {{DT_RELA, DT_RELASZ, DT_RELAENT},
                                   {DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}};
  for (const auto &group : groups)
    for (int64_t tag : group)
      for (int64_t other : group)
        if (has(tag) && !has(other))
          return badData("code has dynamic tag {:#x} without {:#x}", tag,
                         other);
  constexpr Fixed flags[] = {{DT_FLAGS, DF_BIND_NOW | DF_SYMBOLIC},
                             {DT_FLAGS_1, DF_1_NOW}};
  for (const Fixed &each : flags)
    if (valueOf(each.tag) & ~each.value)
      return badData("dynamic tag {:#x} has flags {:#x}, only {:#x} are "
                     "allowed",
                     each.tag, valueOf(each.tag), each.value);
  // The dynamic linker may store two addresses behind the first one.
  constexpr uint64_t gotHeader = 3 * sizeof(uint64_t);
  const Elf64_Phdr *got = segments.findInMemory(valueOf(DT_PLTGOT), gotHeader);
  if (has(DT_PLTGOT) && (!got || !(got->p_flags & PF_W)))
    return badData("global offset table at {:#x} with {} bytes is not inside "
                   "of a writable segment",
                   valueOf(DT_PLTGOT), gotHeader);
  return Status::ok();
}

/// Bytes that are written while they are read could not be checked: tables lie
/// in segments that are only read.
Status ElfChecker::checkTable(const Table &table) const {
  const Elf64_Phdr *segment = segments.findInFile(table.address, table.size);
  if (!segment || (segment->p_flags & PF_W))
    return badData("{} at address {:#x} with {} bytes is not inside of a "
                   "segment that is only read",
                   table.name, table.address, table.size);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

Status ElfChecker::checkStrings() {
  for (auto [tag, name] : {std::pair(DT_STRTAB, "string table"),
                           std::pair(DT_SYMTAB, "symbol table")})
    if (!has(tag))
      return badData("code has no {}", name);
  Table table{"string table", valueOf(DT_STRTAB), valueOf(DT_STRSZ)};
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  strings = segments.bytesAt(table.address, table.size);
  if (strings.empty() || strings.back() != std::byte(0))
    return badData("string table of {} bytes does not end with a zero byte",
                   strings.size());
  return Status::ok();
}

/// Only the hash tables tell how many symbols there are.
Status ElfChecker::countSymbols() {
  if (!has(DT_HASH) && !has(DT_GNU_HASH))
    return badData("code has no hash table");
  if (has(DT_HASH))
    NNHAL_RETURN_IF_ERROR(countHashed());
  if (has(DT_GNU_HASH))
    NNHAL_RETURN_IF_ERROR(countGnuHashed());
  symbolTable = valueOf(DT_SYMTAB);
  if (symbolTable % alignof(Elf64_Sym) != 0)
    return badData("symbol table at address {:#x} is not at a multiple of {}",
                   symbolTable, alignof(Elf64_Sym));
  return checkTable(
      {"symbol table", symbolTable, symbolCount * sizeof(Elf64_Sym)});
}

/// DT_HASH: two counts, the buckets, and for each symbol the next one.
Status ElfChecker::countHashed() {
  Table table{"hash table", valueOf(DT_HASH), 2 * sizeof(uint32_t)};
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  auto [buckets, chains] =
      *segments.load<std::array<uint32_t, 2>>(table.address);
  table.size += (uint64_t(buckets) + chains) * sizeof(uint32_t);
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  if (buckets == 0)
    return badData("hash table has no buckets");
  symbolCount = chains;
  return checkChains(table.address + 2 * sizeof(uint32_t), buckets, chains);
}

Status ElfChecker::checkChains(uint64_t table, uint32_t buckets,
                               uint32_t chains) const {
  auto wordAt = [&](uint64_t index) {
    return *segments.load<uint32_t>(table + index * sizeof(uint32_t));
  };
  // A symbol has one hash value, so that it is in one chain only.
  std::vector<bool> isVisited(chains);
  for (uint32_t bucket = 0; bucket < buckets; ++bucket)
    for (uint32_t symbol = wordAt(bucket); symbol != STN_UNDEF;
         symbol = wordAt(uint64_t(buckets) + symbol)) {
      if (symbol >= chains)
        return badData("hash bucket {} has symbol {}, not below {}", bucket,
                       symbol, chains);
      if (isVisited[symbol])
        return badData("hash bucket {} has symbol {}, which a chain had before",
                       bucket, symbol);
      isVisited[symbol] = true;
    }
  return Status::ok();
}

/// DT_GNU_HASH: four numbers, a bloom filter, the buckets, and for each symbol
/// from the first hashed one on its hash value, the lowest bit of which ends a
/// chain.
Status ElfChecker::countGnuHashed() {
  Table table{"hash table", valueOf(DT_GNU_HASH), 4 * sizeof(uint32_t)};
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  if (table.address % alignof(uint64_t) != 0)
    return badData("hash table at address {:#x} is not at a multiple of {}",
                   table.address, alignof(uint64_t));
  auto [buckets, firstSymbol, bloomWords, bloomShift] =
      *segments.load<std::array<uint32_t, 4>>(table.address);
  if (buckets == 0)
    return badData("hash table has no buckets");
  if (!std::has_single_bit(bloomWords) || bloomShift >= 32)
    return badData("hash table has {} words of bloom filter shifted by {}, not "
                   "a power of two by less than 32",
                   bloomWords, bloomShift);
  uint64_t bucketTable =
      table.address + table.size + uint64_t(bloomWords) * sizeof(uint64_t);
  table.size = bucketTable - table.address + buckets * sizeof(uint32_t);
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  NNHAL_ASSIGN_OR_RETURN(uint64_t end,
                         endOfGnuChains(bucketTable, buckets, firstSymbol));
  symbolCount = std::max(symbolCount, end);
  return Status::ok();
}

/// The number behind the last hashed symbol. Chains lie one behind the other:
/// where the last one ends all others do.
Result<uint64_t> ElfChecker::endOfGnuChains(uint64_t table, uint32_t buckets,
                                            uint32_t firstSymbol) const {
  uint32_t last = 0;
  for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
    uint32_t symbol =
        *segments.load<uint32_t>(table + uint64_t(bucket) * sizeof(uint32_t));
    if (symbol != STN_UNDEF && symbol < firstSymbol)
      return badData("hash bucket {} has symbol {}, below the first hashed one "
                     "{}",
                     bucket, symbol, firstSymbol);
    last = std::max(last, symbol);
  }
  if (last == STN_UNDEF)
    return uint64_t(firstSymbol);
  uint64_t chains = table + uint64_t(buckets) * sizeof(uint32_t);
  for (uint64_t symbol = last;; ++symbol) {
    uint64_t address = chains + (symbol - firstSymbol) * sizeof(uint32_t);
    if (!checkTable({"hash table", address, sizeof(uint32_t)}).isOk())
      return badData("hash chain from symbol {} on does not end", last);
    if (*segments.load<uint32_t>(address) & 1)
      return symbol + 1;
  }
}

Status ElfChecker::checkSymbols() {
  // The first one is reserved and stands for none.
  for (uint64_t i = 1; i < symbolCount; ++i)
    NNHAL_RETURN_IF_ERROR(checkSymbol(i, symbolAt(i)));
  return Status::ok();
}

Status ElfChecker::checkSymbol(uint64_t index, const Elf64_Sym &symbol) {
  if (symbol.st_name >= strings.size())
    return badData("symbol {} has its name at {} of a string table of {} bytes",
                   index, symbol.st_name, strings.size());
  // The linker calls functions of some types, and keeps code loaded for names
  // of some bindings.
  uint32_t type = ELF64_ST_TYPE(symbol.st_info);
  uint32_t binding = ELF64_ST_BIND(symbol.st_info);
  if (type > STT_FILE || binding > STB_WEAK)
    return badData("symbol {} has type {} and binding {}, above {} and {}",
                   index, type, binding, STT_FILE, STB_WEAK);
  if (symbol.st_shndx == SHN_UNDEF)
    return Status::ok();
  if (symbol.st_shndx >= SHN_LORESERVE)
    return badData("symbol {} is in section {:#x}, not below {:#x}", index,
                   symbol.st_shndx, SHN_LORESERVE);
  const Elf64_Phdr *segment =
      segments.findInMemory(symbol.st_value, symbol.st_size);
  bool isFunction = type == STT_FUNC;
  // A function without bytes would be the beginning of whatever follows.
  bool hasCode = segment && (segment->p_flags & PF_X) &&
                 segments.findInFile(symbol.st_value,
                                     std::max<uint64_t>(symbol.st_size, 1));
  if (!segment || (isFunction && !hasCode))
    return badData("symbol {} at address {:#x} with {} bytes is not inside of "
                   "{} segment",
                   index, symbol.st_value, symbol.st_size,
                   isFunction ? "an executable" : "a loaded");
  if (isFunction && binding != STB_LOCAL)
    functions.emplace_back(nameOf(symbol));
  return Status::ok();
}

std::string_view ElfChecker::nameOf(const Elf64_Sym &symbol) const {
  // The table ends with a zero byte.
  return reinterpret_cast<const char *>(strings.data()) + symbol.st_name;
}

//===----------------------------------------------------------------------===//
// Relocations
//===----------------------------------------------------------------------===//

Status ElfChecker::checkRelocations() const {
  Table data{"relocation table", valueOf(DT_RELA), valueOf(DT_RELASZ)};
  Table jumps{"jump relocation table", valueOf(DT_JMPREL),
              valueOf(DT_PLTRELSZ)};
  if (data.size > 0 && jumps.size > 0 &&
      data.address < jumps.address + jumps.size &&
      jumps.address < data.address + data.size)
    return badData("{} at address {:#x} with {} bytes overlaps the {} at "
                   "{:#x} with {}",
                   data.name, data.address, data.size, jumps.name,
                   jumps.address, jumps.size);
  NNHAL_RETURN_IF_ERROR(checkRelocationTable(data));
  NNHAL_RETURN_IF_ERROR(checkRelocationTable(jumps));
  return checkRelativeCount(data);
}

Status ElfChecker::checkRelocationTable(const Table &table) const {
  if (table.size == 0)
    return Status::ok();
  NNHAL_RETURN_IF_ERROR(checkTable(table));
  if (table.size % sizeof(Elf64_Rela) != 0 ||
      table.address % alignof(Elf64_Rela) != 0)
    return badData("{} at address {:#x} with {} bytes does not consist of "
                   "{} bytes each at multiples of {}",
                   table.name, table.address, table.size, sizeof(Elf64_Rela),
                   alignof(Elf64_Rela));
  for (uint64_t i = 0; i < table.size / sizeof(Elf64_Rela); ++i)
    NNHAL_RETURN_IF_ERROR(checkRelocation(
        i, *segments.load<Elf64_Rela>(table.address + i * sizeof(Elf64_Rela))));
  return Status::ok();
}

const RelocationTypes &ElfChecker::relocationTypes() const {
  return segments.machine() == EM_X86_64 ? x86Relocations : armRelocations;
}

Status ElfChecker::checkRelocation(uint64_t index,
                                   const Elf64_Rela &relocation) const {
  const RelocationTypes &types = relocationTypes();
  auto type = uint32_t(ELF64_R_TYPE(relocation.r_info));
  if (type != types.relative && type != types.absolute &&
      type != types.globalData && type != types.jumpSlot)
    return badData("relocation {} has type {}, which is not allowed for ELF "
                   "machine {}",
                   index, type, segments.machine());
  uint64_t place = relocation.r_offset;
  const Elf64_Phdr *segment = segments.findInMemory(place, sizeof(uint64_t));
  if (!segment || !(segment->p_flags & PF_W))
    return badData("relocation {} changes address {:#x}, which is not inside "
                   "of a writable segment",
                   index, place);
  const Elf64_Phdr &dynamic = segments.dynamic();
  if (place < dynamic.p_vaddr + dynamic.p_memsz &&
      dynamic.p_vaddr < place + sizeof(uint64_t))
    return badData("relocation {} changes address {:#x} of the dynamic segment",
                   index, place);
  uint64_t symbolIndex = ELF64_R_SYM(relocation.r_info);
  if (type != types.relative)
    return checkRelocationSymbol(index, symbolIndex);
  if (symbolIndex != STN_UNDEF ||
      !segments.findInMemory(uint64_t(relocation.r_addend), 0))
    return badData("relocation {} is relative to address {:#x} and symbol {}, "
                   "not to a loaded segment and 0",
                   index, relocation.r_addend, symbolIndex);
  return Status::ok();
}

/// The code imports the symbols that its relocations ask for.
Status ElfChecker::checkRelocationSymbol(uint64_t index,
                                         uint64_t symbolIndex) const {
  if (symbolIndex == STN_UNDEF || symbolIndex >= symbolCount)
    return badData("relocation {} uses symbol {}, not from 1 to below {}",
                   index, symbolIndex, symbolCount);
  Elf64_Sym symbol = symbolAt(symbolIndex);
  if (symbol.st_shndx != SHN_UNDEF)
    return Status::ok();
  std::string_view name = nameOf(symbol);
  if (std::ranges::find(allowedImports, name) == allowedImports.end())
    return badData("code imports '{}', only {} may be imported", name,
                   fmt::join(allowedImports, ", "));
  return Status::ok();
}

/// The linker does not look at the types of those that are counted as relative.
Status ElfChecker::checkRelativeCount(const Table &table) const {
  uint64_t count = valueOf(DT_RELACOUNT);
  uint64_t total = table.size / sizeof(Elf64_Rela);
  if (count > total)
    return badData("{} of {} relocations are counted as relative", count,
                   total);
  for (uint64_t i = 0; i < count; ++i) {
    auto relocation =
        segments.load<Elf64_Rela>(table.address + i * sizeof(Elf64_Rela));
    if (ELF64_R_TYPE(relocation->r_info) != relocationTypes().relative)
      return badData("relocation {} has type {}, but {} are counted as "
                     "relative",
                     i, ELF64_R_TYPE(relocation->r_info), count);
  }
  return Status::ok();
}

Result<std::vector<std::string>>
nnhal::rt::checkElf(std::span<const std::byte> bytes, TargetKind target) {
  NNHAL_ASSIGN_OR_RETURN(ElfSegments segments,
                         ElfSegments::read(bytes, target));
  return ElfChecker(segments).check();
}
