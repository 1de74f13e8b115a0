//===- ElfTest.cpp - What the dynamic linker shall not believe ------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Cpu/Elf.h"
#include "ElfImage.h"
#include "Runtime/Devices/Cpu/CodeImage.h"
#include "TestArtifact.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

using namespace nnhal::rt;
using nnhal::rt::testing::ElfImage;

namespace {

/// Tables are checked for both machines on either; only one can be loaded.
class ElfTest : public ::testing::TestWithParam<TargetKind> {
protected:
  /// What is said of an image that \p damage has changed.
  template <typename Damage> std::string messageOf(Damage damage) {
    ElfImage image(GetParam());
    damage(image);
    auto functions = checkElf(image.bytes(), image.target);
    return functions.isOk() ? "fine" : functions.status().message();
  }
  std::string withTag(int64_t tag, uint64_t value) {
    return messageOf(
        [&](ElfImage &image) { image.dynamicEntry(tag).d_un.d_val = value; });
  }
  /// The number of another type of relocation.
  uint64_t relocationType(bool isJump) {
    ElfImage image(GetParam());
    return ELF64_R_TYPE(isJump ? image.jumps[0].r_info
                               : image.relocations[1].r_info);
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, ElfTest,
                         ::testing::Values(TargetKind::x86_64Elf,
                                           TargetKind::aarch64Elf),
                         [](const auto &info) {
                           return info.param == TargetKind::x86_64Elf
                                      ? "x86"
                                      : "AArch64";
                         });

/// Calls code of the image. The check of clang's -fsanitize=function reads the
/// bytes before a function, and the image's begins with its segment.
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
static int32_t call(NNHalEntry entry) {
  return entry(nullptr);
}

TEST_P(ElfTest, TakesWhatIsRight) {
  ElfImage image(GetParam());
  auto functions = checkElf(image.bytes(), image.target);
  ASSERT_TRUE(functions.isOk()) << functions.status().message();
  EXPECT_EQ(*functions, std::vector<std::string>{"entry"});
  CodeSection host = scaleAndAddArtifact().code[0];
  if (host.target != image.target)
    return;
  std::vector<std::byte> bytes = image.bytes();
  host.bytes = bytes;
  auto loaded = CodeImage::load(host);
  ASSERT_TRUE(loaded.isOk()) << loaded.status().message();
  auto entry = loaded->find("entry");
  ASSERT_TRUE(entry.isOk()) << entry.status().message();
  EXPECT_EQ(call(*entry), 0);
  // A variable is not an entry.
  EXPECT_EQ(loaded->find("table").status().message(),
            "code does not export the entry 'table'");
  EXPECT_EQ(loaded->find("memcpy").status().message(),
            "code does not export the entry 'memcpy'");
}

TEST_P(ElfTest, EitherHashTableIsEnough) {
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.dynamicEntry(DT_HASH).d_tag = DT_BIND_NOW;
            }),
            "fine");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.dynamicEntry(DT_GNU_HASH).d_tag = DT_BIND_NOW;
            }),
            "fine");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.dynamicEntry(DT_GNU_HASH).d_tag = DT_NULL;
              image.dynamicEntry(DT_HASH).d_tag = DT_BIND_NOW;
            }),
            "code has no hash table");
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

TEST_P(ElfTest, SegmentTypes) {
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_NOTE).p_type = PT_TLS;
            }),
            "segment 7 has type 0x7, which is not allowed");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_NOTE).p_type = PT_LOPROC;
            }),
            "segment 7 has type 0x70000000, which is not allowed");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_GNU_STACK).p_flags |= PF_X;
            }),
            "code asks for an executable stack");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_GNU_STACK).p_type = PT_NULL;
            }),
            "code does not say that its stack is not executable");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_GNU_RELRO) = image.segment(PT_DYNAMIC);
            }),
            "code has 2 dynamic segments, not 1");
}

TEST_P(ElfTest, LoadedSegments) {
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segments[3].p_vaddr = uint64_t(1) << 32;
            }),
            "segment 3 at address 0x100000000 with 640 bytes ends beyond "
            "0x100000000");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segments[3].p_memsz = UINT64_MAX;
            }),
            "segment 3 at address 0x20000 with 18446744073709551615 bytes ends "
            "beyond 0x100000000");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.segments[1].p_flags = 0; }),
            "segment 1 with flags 0 is not readable");
  EXPECT_EQ(
      messageOf([](ElfImage &image) { image.segments[2].p_align = 12288; }),
      "segment 2 has alignment 12288, not a power of two from 4096 to 2097152");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.segments[2].p_align = 8; }),
            "segment 2 has alignment 8, not a power of two from 4096 to "
            "2097152");
  EXPECT_EQ(
      messageOf([](ElfImage &image) { image.segments[2].p_offset += 16; }),
      "segment 2 at address 0x10000 and offset 0x10010 does not agree with its "
      "alignment of 65536");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segments[2].p_filesz = image.segments[2].p_memsz = 0;
            }),
            "segment 2 is empty");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.segments[2].p_vaddr = 0; }),
            "segment 2 with pages from 0x0 on begins before the previous one "
            "ends at 0x740");
}

TEST_P(ElfTest, SegmentsInsideOfOthers) {
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_NOTE).p_vaddr = 0x730;
            }),
            "segment 7 of type 0x4 at address 0x730 with 32 bytes is not "
            "inside of a loaded segment");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              Elf64_Phdr &dynamic = image.segment(PT_DYNAMIC);
              dynamic.p_vaddr = dynamic.p_offset = 0x100;
            }),
            "segment 4 of type 0x2 at address 0x100 with 272 bytes is not "
            "inside of a writable segment");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_GNU_RELRO).p_memsz = 0x281;
            }),
            "segment 5 of type 0x6474e552 at address 0x20000 with 641 bytes is "
            "not inside of a writable segment");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_DYNAMIC).p_offset += 16;
            }),
            "segment 4 of type 0x2 has offset 0x20010, its address 0x20000 is "
            "at 0x20000 of the file");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.segment(PT_PHDR).p_memsz -= 56;
              image.segment(PT_PHDR).p_filesz -= 56;
            }),
            "segment 0 says that program headers are at 64 with 392 bytes, the "
            "header says 64 with 448");
}

TEST_P(ElfTest, Notes) {
  EXPECT_EQ(messageOf([](ElfImage &image) { image.note[1] = 17; }),
            "a note of 40 bytes does not fit the 32 that are left of segment "
            "7");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.note[0] = 0xFFFFFFFF; }),
            "a note of 4294967328 bytes does not fit the 32 that are left of "
            "segment 7");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.note[5] = 9; }),
            "a property of 24 bytes does not fit the 16 that are left of a "
            "note in segment 7");
}

//===----------------------------------------------------------------------===//
// Dynamic section
//===----------------------------------------------------------------------===//

TEST_P(ElfTest, DynamicTags) {
  auto withOtherTag = [this](int64_t tag) {
    return messageOf(
        [&](ElfImage &image) { image.dynamicEntry(DT_PLTGOT).d_tag = tag; });
  };
  for (int64_t tag :
       {DT_INIT, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_PREINIT_ARRAY})
    EXPECT_EQ(withOtherTag(tag), "code has an initializer");
  for (int64_t tag : {DT_FINI, DT_FINI_ARRAY, DT_FINI_ARRAYSZ})
    EXPECT_EQ(withOtherTag(tag), "code has a finalizer");
  EXPECT_EQ(withOtherTag(DT_NEEDED), "code needs another library");
  EXPECT_EQ(withOtherTag(DT_TEXTREL), "code has relocations in its code");
  for (int64_t tag :
       {DT_SONAME, DT_RPATH, DT_RUNPATH, DT_REL, DT_SYMBOLIC, DT_DEBUG,
        DT_VERSYM, DT_VERNEED, DT_AUDIT, DT_FILTER, 36 /* DT_RELR */})
    EXPECT_EQ(
        withOtherTag(tag),
        fmt::format("code has dynamic tag {:#x}, which is not allowed", tag));
  EXPECT_EQ(withOtherTag(0x70000001),
            GetParam() == TargetKind::aarch64Elf
                ? "fine"
                : "code has dynamic tag 0x70000001, which is not allowed");
  EXPECT_EQ(withOtherTag(DT_RELA), "code has dynamic tag 0x7 twice");
  for (auto [tag, text] : {std::pair(DT_RELASZ, "0x7 without 0x8"),
                           std::pair(DT_RELAENT, "0x7 without 0x9"),
                           std::pair(DT_RELA, "0x8 without 0x7"),
                           std::pair(DT_PLTRELSZ, "0x17 without 0x2"),
                           std::pair(DT_PLTREL, "0x17 without 0x14"),
                           std::pair(DT_JMPREL, "0x2 without 0x17")})
    EXPECT_EQ(messageOf([&](ElfImage &image) {
                image.dynamicEntry(tag).d_tag = DT_BIND_NOW;
              }),
              fmt::format("code has dynamic tag {}", text));
  EXPECT_EQ(withTag(DT_SYMENT, 16), "dynamic tag 0xb is 16, not 24");
  EXPECT_EQ(withTag(DT_RELAENT, 0), "dynamic tag 0x9 is 0, not 24");
  EXPECT_EQ(withTag(DT_PLTREL, DT_REL), "dynamic tag 0x14 is 17, not 7");
  EXPECT_EQ(withTag(DT_FLAGS, DF_STATIC_TLS | DF_BIND_NOW),
            "dynamic tag 0x1e has flags 0x18, only 0xa are allowed");
  EXPECT_EQ(withTag(DT_FLAGS_1, DF_1_NODELETE),
            "dynamic tag 0x6ffffffb has flags 0x8, only 0x1 are allowed");
  EXPECT_EQ(withTag(DT_PLTGOT, ElfImage::textAt),
            "global offset table at 0x10000 with 24 bytes is not inside of a "
            "writable segment");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              for (uint32_t type : {PT_DYNAMIC, PT_GNU_RELRO})
                image.segment(type).p_vaddr = image.segment(type).p_offset += 4;
            }),
            "dynamic segment at address 0x20004 is not at a multiple of 8");
}

TEST_P(ElfTest, TablesOutside) {
  EXPECT_EQ(withTag(DT_STRTAB, 0x730),
            "string table at address 0x730 with 20 bytes is not inside of a "
            "segment that is only read");
  EXPECT_EQ(withTag(DT_STRTAB, ElfImage::tableAt),
            "string table at address 0x20240 with 20 bytes is not inside of a "
            "segment that is only read");
  EXPECT_EQ(withTag(DT_STRSZ, 19),
            "string table of 19 bytes does not end with a zero byte");
  EXPECT_EQ(withTag(DT_STRSZ, 0),
            "string table of 0 bytes does not end with a zero byte");
  EXPECT_EQ(withTag(DT_SYMTAB, 0x6F0),
            "symbol table at address 0x6f0 with 96 bytes is not inside of a "
            "segment that is only read");
  EXPECT_EQ(withTag(DT_SYMTAB, ElfImage::symbolsAt + 4),
            "symbol table at address 0x384 is not at a multiple of 8");
  EXPECT_EQ(withTag(DT_RELASZ, UINT64_MAX),
            "relocation table at address 0x600 with 18446744073709551615 bytes "
            "is not inside of a segment that is only read");
  EXPECT_EQ(withTag(DT_JMPREL, ElfImage::gotAt),
            "jump relocation table at address 0x20200 with 24 bytes is not "
            "inside of a segment that is only read");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.dynamicEntry(DT_STRTAB).d_tag = DT_BIND_NOW;
            }),
            "code has no string table");
  EXPECT_EQ(messageOf([](ElfImage &image) {
              image.dynamicEntry(DT_SYMTAB).d_tag = DT_BIND_NOW;
            }),
            "code has no symbol table");
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

TEST_P(ElfTest, HashTables) {
  auto withHash = [this](size_t word, uint32_t value) {
    return messageOf([&](ElfImage &image) { image.hash[word] = value; });
  };
  EXPECT_EQ(withHash(0, 0), "hash table has no buckets");
  EXPECT_EQ(withHash(1, 0xFFFFFFFF),
            "hash table at address 0x480 with 17179869192 bytes is not inside "
            "of a segment that is only read");
  EXPECT_EQ(withHash(2, 4), "hash bucket 0 has symbol 4, not below 4");
  EXPECT_EQ(withHash(6, 9), "hash bucket 0 has symbol 9, not below 4");
  EXPECT_EQ(withHash(5, 3),
            "hash bucket 0 has symbol 3, which a chain had before");
  EXPECT_EQ(withTag(DT_HASH, 0x73C),
            "hash table at address 0x73c with 8 bytes is not inside of a "
            "segment that is only read");
}

TEST_P(ElfTest, GnuHashTables) {
  auto withHash = [this](size_t word, uint32_t value) {
    return messageOf([&](ElfImage &image) { image.gnuHash[word] = value; });
  };
  EXPECT_EQ(withHash(0, 0), "hash table has no buckets");
  EXPECT_EQ(withHash(2, 3),
            "hash table has 3 words of bloom filter shifted by 6, not a power "
            "of two by less than 32");
  EXPECT_EQ(withHash(3, 32),
            "hash table has 1 words of bloom filter shifted by 32, not a power "
            "of two by less than 32");
  EXPECT_EQ(withHash(0, 0x40000000),
            "hash table at address 0x500 with 4294967320 bytes is not inside "
            "of a segment that is only read");
  EXPECT_EQ(withHash(6, 1),
            "hash bucket 0 has symbol 1, below the first hashed one 2");
  EXPECT_EQ(withHash(6, 0x1000), "hash chain from symbol 4096 on does not end");
  EXPECT_EQ(withTag(DT_GNU_HASH, ElfImage::gnuHashAt + 4),
            "hash table at address 0x504 is not at a multiple of 8");
}

TEST_P(ElfTest, Symbols) {
  auto withEntry = [this](auto damage) {
    return messageOf([&](ElfImage &image) { damage(image.symbols[2]); });
  };
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) { symbol.st_name = 20; }),
            "symbol 2 has its name at 20 of a string table of 20 bytes");
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) {
              symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
            }),
            "symbol 2 has type 10 and binding 1, above 4 and 2");
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) {
              symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_TLS);
            }),
            "symbol 2 has type 6 and binding 1, above 4 and 2");
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) {
              symbol.st_info = ELF64_ST_INFO(STB_GNU_UNIQUE, STT_OBJECT);
            }),
            "symbol 2 has type 1 and binding 10, above 4 and 2");
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) { symbol.st_shndx = SHN_ABS; }),
            "symbol 2 is in section 0xfff1, not below 0xff00");
  EXPECT_EQ(
      withEntry([](Elf64_Sym &symbol) { symbol.st_value = ElfImage::tableAt; }),
      "symbol 2 at address 0x20240 with 16 bytes is not inside of an "
      "executable segment");
  EXPECT_EQ(withEntry([](Elf64_Sym &symbol) {
              symbol.st_value = ElfImage::textAt + ElfImage::textSize;
              symbol.st_size = 0;
            }),
            "symbol 2 at address 0x10040 with 0 bytes is not inside of an "
            "executable segment");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.symbols[3].st_size = 65; }),
            "symbol 3 at address 0x20240 with 65 bytes is not inside of a "
            "loaded segment");
}

//===----------------------------------------------------------------------===//
// Relocations
//===----------------------------------------------------------------------===//

TEST_P(ElfTest, Relocations) {
  auto with = [this](size_t index, auto damage) {
    return messageOf(
        [&](ElfImage &image) { damage(image.relocations[index]); });
  };
  bool isX86 = GetParam() == TargetKind::x86_64Elf;
  EXPECT_EQ(with(1, [](Elf64_Rela &r) { r.r_info = ELF64_R_INFO(2ull, 37); }),
            fmt::format("relocation 1 has type 37, which is not allowed for "
                        "ELF machine {}",
                        isX86 ? 62 : 183));
  EXPECT_EQ(with(1, [](Elf64_Rela &r) { r.r_offset = ElfImage::textAt; }),
            "relocation 1 changes address 0x10000, which is not inside of a "
            "writable segment");
  EXPECT_EQ(with(1, [](Elf64_Rela &r) { r.r_offset = 0x2027C; }),
            "relocation 1 changes address 0x2027c, which is not inside of a "
            "writable segment");
  EXPECT_EQ(with(1, [](Elf64_Rela &r) { r.r_offset = ElfImage::dynamicAt; }),
            "relocation 1 changes address 0x20000 of the dynamic segment");
  uint64_t type = relocationType(/*isJump=*/false);
  for (uint64_t symbol : {0, 4, 70000})
    EXPECT_EQ(
        with(1, [&](Elf64_Rela &r) { r.r_info = ELF64_R_INFO(symbol, type); }),
        fmt::format("relocation 1 uses symbol {}, not from 1 to below 4",
                    symbol));
  EXPECT_EQ(with(0, [](Elf64_Rela &r) { r.r_addend = 0x5000; }),
            "relocation 0 is relative to address 0x5000 and symbol 0, not to a "
            "loaded segment and 0");
  EXPECT_EQ(with(0, [](Elf64_Rela &r) { r.r_info |= uint64_t(1) << 32; }),
            "relocation 0 is relative to address 0x20240 and symbol 1, not to "
            "a loaded segment and 0");
  EXPECT_EQ(messageOf([](ElfImage &image) { image.strings[1] = 'n'; }),
            "code imports 'nemcpy', only memcpy, memmove, memset may be "
            "imported");
}

TEST_P(ElfTest, RelocationTables) {
  EXPECT_EQ(withTag(DT_RELASZ, 71),
            "relocation table at address 0x600 with 71 bytes does not consist "
            "of 24 bytes each at multiples of 8");
  EXPECT_EQ(withTag(DT_RELA, ElfImage::relocationsAt + 4),
            "relocation table at address 0x604 with 72 bytes does not consist "
            "of 24 bytes each at multiples of 8");
  EXPECT_EQ(withTag(DT_JMPREL, ElfImage::relocationsAt + 48),
            "relocation table at address 0x600 with 72 bytes overlaps the jump "
            "relocation table at 0x630 with 24");
  EXPECT_EQ(withTag(DT_RELACOUNT, 4),
            "4 of 3 relocations are counted as relative");
  EXPECT_EQ(withTag(DT_RELACOUNT, 2),
            fmt::format("relocation 1 has type {}, but 2 are counted as "
                        "relative",
                        relocationType(/*isJump=*/false)));
}

} // namespace
