//===- DamagedCodeTest.cpp - Code that lies about itself ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Shared objects and model caches are damaged anywhere but in their machine
// code, the digest is computed again, and the result is loaded: the loader
// refuses it with a message or loads it, and nothing ends the process. Machine
// code is trusted, so that nothing is executed. NNHAL_TEST_MUTATIONS says how
// many mutants there are of each kind.
//
//===----------------------------------------------------------------------===//

#include "ElfImage.h"
#include "Runtime/Devices/Cpu/CodeImage.h"
#include "TestArtifact.h"

#include "Runtime/Caching/CacheEntry.h"
#include "nnhal/Runtime/CpuDevice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace nnhal::rt;
using nnhal::rt::testing::ElfImage;

namespace {

size_t mutantCount() {
  const char *text = std::getenv("NNHAL_TEST_MUTATIONS");
  return text ? std::strtoul(text, nullptr, 10) : 5000;
}

/// The bytes of \p code that are not machine code, as offsets.
std::vector<size_t> offsetsOfTables(std::span<const std::byte> code) {
  std::vector<size_t> offsets;
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof(header));
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  std::memcpy(segments.data(), code.data() + header.e_phoff,
              segments.size() * sizeof(Elf64_Phdr));
  for (size_t at = 0; at < code.size(); ++at) {
    bool isMachineCode =
        std::ranges::any_of(segments, [&](const Elf64_Phdr &segment) {
          return segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
                 at >= segment.p_offset &&
                 at - segment.p_offset < segment.p_filesz;
        });
    // Long runs of padding are not interesting.
    bool isPadding =
        at >= 64 && at % 64 == 0 && at + 64 <= code.size() &&
        std::ranges::all_of(code.subspan(at - 64, 128), [](std::byte byte) {
          return byte == std::byte(0);
        });
    if (isPadding)
      at += 63;
    else if (!isMachineCode)
      offsets.push_back(at);
  }
  return offsets;
}

class Damager {
public:
  explicit Damager(uint32_t seed) : random(seed) {}

  /// Changes one to three numbers of \p bytes at \p offsets: flips a bit, or
  /// writes bytes of a number that is likely to be a bound.
  void damage(std::vector<std::byte> &bytes, std::span<const size_t> offsets) {
    for (size_t count = 1 + below(3); count > 0; --count) {
      size_t at = offsets[below(offsets.size())];
      static constexpr uint64_t bounds[] = {0,
                                            1,
                                            7,
                                            8,
                                            0xFF,
                                            0xFFF,
                                            0x1000,
                                            0x10000,
                                            0x7FFFFFFF,
                                            0xFFFFFFFF,
                                            uint64_t(1) << 40,
                                            INT64_MAX,
                                            UINT64_MAX};
      uint64_t number = bounds[below(std::size(bounds))];
      size_t width = size_t(1) << below(4);
      switch (below(3)) {
      case 0:
        bytes[at] ^= std::byte(1 << below(8));
        break;
      case 1:
        bytes[at] = std::byte(below(256));
        break;
      default:
        at = at / width * width;
        std::memcpy(bytes.data() + at, &number,
                    std::min(width, bytes.size() - at));
        break;
      }
    }
  }

private:
  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  }
  std::mt19937 random;
};

/// Loads mutants of \p good; returns how many were not refused.
size_t loadMutantsOf(const CodeSection &good) {
  std::vector<size_t> offsets = offsetsOfTables(good.bytes);
  size_t loaded = 0;
  for (size_t i = 0; i < mutantCount(); ++i) {
    std::vector<std::byte> bytes(good.bytes.begin(), good.bytes.end());
    Damager(uint32_t(i)).damage(bytes, offsets);
    CodeSection section = good;
    section.bytes = bytes;
    auto image = CodeImage::load(section);
    if (!image.isOk()) {
      EXPECT_FALSE(image.status().message().empty());
      continue;
    }
    ++loaded;
    for (const char *name : {"entry", "scaleAndAdd", "computedRows", "absent"})
      if (auto entry = image->find(name); !entry.isOk())
        EXPECT_FALSE(entry.status().message().empty());
  }
  return loaded;
}

TEST(DamagedCodeTest, TablesOfEveryKind) {
  CodeSection section = scaleAndAddArtifact().code[0];
  std::vector<std::byte> bytes = ElfImage(section.target).bytes();
  section.bytes = bytes;
  size_t loaded = loadMutantsOf(section);
  // Names, sizes of symbols and fields that nobody reads may change.
  EXPECT_GT(loaded, 0u);
  EXPECT_LT(loaded, mutantCount());
}

TEST(DamagedCodeTest, TablesOfALinker) {
  size_t loaded = loadMutantsOf(scaleAndAddArtifact().code[0]);
  EXPECT_GT(loaded, 0u);
  EXPECT_LT(loaded, mutantCount());
}

/// Makes the digest of a model cache fit again
/// (docs/Internals/ModelCacheFormat.md).
void sign(std::vector<std::byte> &cache) {
  constexpr size_t digestOffset = 48, digestEnd = 80;
  std::vector<std::byte> covered(cache.begin(), cache.begin() + digestOffset);
  covered.insert(covered.end(), cache.begin() + digestEnd, cache.end());
  Sha256Digest digest = sha256(covered);
  std::memcpy(cache.data() + digestOffset, digest.data(), digest.size());
}

TEST(DamagedCodeTest, WholeModelCaches) {
  const std::vector<std::byte> good = writeModelCache(scaleAndAddArtifact());
  // Code sections begin at the first page and end the file.
  constexpr size_t codeAt = 4096, headerSize = 80;
  std::vector<size_t> offsets;
  for (size_t at = 8; at < codeAt; ++at)
    if (at < headerSize || good[at] != std::byte(0))
      offsets.push_back(at);
  size_t manifestCount = offsets.size();
  for (size_t at : offsetsOfTables(std::span(good).subspan(codeAt)))
    offsets.push_back(codeAt + at);
  const std::vector<std::byte> constants = scaleAndAddConstants();
  auto device = createCpuDevice();
  size_t loaded = 0;
  for (size_t i = 0; i < mutantCount(); ++i) {
    std::vector<std::byte> bytes = good;
    // Half of them in the manifest, which is small beside the code.
    std::span<const size_t> where(offsets);
    Damager(uint32_t(i))
        .damage(bytes, i % 2 ? where : where.first(manifestCount));
    sign(bytes);
    auto model =
        device->prepareModelFromArtifact(bytes, Memory::copy(constants));
    loaded += model.isOk();
    if (!model.isOk())
      EXPECT_FALSE(model.status().message().empty());
  }
  EXPECT_GT(loaded, 0u);
  EXPECT_LT(loaded, mutantCount());
}

} // namespace
