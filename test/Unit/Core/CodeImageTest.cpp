//===- CodeImageTest.cpp - What is loaded and what is not -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Devices/Cpu/CodeImage.h"
#include "Runtime/Devices/Cpu/Elf.h"
#include "Runtime/Devices/Cpu/HostCpu.h"
#include "TestArtifact.h"

#include "Faults/SystemCalls.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cstring>
#include <elf.h>
#include <random>
#include <sys/resource.h>
#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

using namespace nnhal::rt;

namespace {

CodeSection kernels() { return scaleAndAddArtifact().code[0]; }

std::string loadMessage(const CodeSection &section) {
  auto image = CodeImage::load(section);
  return image.isOk() ? "loaded" : image.status().message();
}

std::vector<std::byte> copyOf(const CodeSection &section) {
  return {section.bytes.begin(), section.bytes.end()};
}

std::string loadMessage(std::span<const std::byte> code) {
  CodeSection section = kernels();
  section.bytes = code;
  return loadMessage(section);
}

template <typename Damage> std::string headerMessage(Damage damage) {
  std::vector<std::byte> code = copyOf(kernels());
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof(header));
  damage(header);
  std::memcpy(code.data(), &header, sizeof(header));
  return loadMessage(code);
}

template <typename Damage>
std::string segmentMessage(uint32_t type, Damage damage) {
  std::vector<std::byte> code = copyOf(kernels());
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof(header));
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    std::byte *at = code.data() + header.e_phoff + i * 56;
    Elf64_Phdr segment;
    std::memcpy(&segment, at, sizeof(segment));
    if (segment.p_type != type)
      continue;
    damage(segment);
    std::memcpy(at, &segment, sizeof(segment));
    return loadMessage(code);
  }
  return "no such segment";
}

TEST(CodeImageTest, LoadsManyAtOnce) {
  std::vector<CodeImage> images;
  for (int i = 0; i < 20; ++i) {
    auto image = CodeImage::load(kernels());
    ASSERT_TRUE(image.isOk()) << image.status().message();
    images.push_back(*std::move(image));
  }
  // Each has its own code: unloading one must not take another's away.
  auto first = images.front().find("scaleAndAdd");
  auto last = images.back().find("scaleAndAdd");
  ASSERT_TRUE(first.isOk() && last.isOk());
  EXPECT_NE(*first, *last);
  EXPECT_EQ(images[0].find("missing").status().message(),
            "code does not export the entry 'missing'");
}

TEST(CodeImageTest, TargetDiagnostics) {
  CodeSection section = kernels();
  section.target = TargetKind::spirv;
  EXPECT_EQ(loadMessage(section),
            "code for target spirv cannot execute on this machine");
  bool isX86 = kernels().target == TargetKind::x86_64Elf;
  section.target = isX86 ? TargetKind::aarch64Elf : TargetKind::x86_64Elf;
  EXPECT_EQ(loadMessage(section),
            fmt::format("code for target {} cannot execute on this machine",
                        isX86 ? "aarch64-elf" : "x86_64-elf"));
}

TEST(CodeImageTest, FeatureDiagnostics) {
#if defined(__aarch64__)
  EXPECT_TRUE(checkHostFeatures("generic", "+fp-armv8,+neon,-sve").isOk());
  EXPECT_TRUE(checkHostFeatures("generic", "+fuse-aes").isOk());
  bool hasDotProduct = getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
  Status status = checkHostFeatures("neoverse-n1", "+neon,+dotprod");
  if (hasDotProduct) {
    EXPECT_TRUE(status.isOk());
  } else {
    EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
    EXPECT_EQ(status.message(),
              "code for cpu 'neoverse-n1' needs the feature 'dotprod', which "
              "this machine does not have");
  }
#elif !defined(__x86_64__)
  GTEST_SKIP() << "asks an x86-64 or AArch64 machine";
#else
  EXPECT_TRUE(checkHostFeatures("x86-64", "+sse3,-sse4a").isOk());
  EXPECT_TRUE(checkHostFeatures("x86-64", "+prefer-256-bit").isOk());
  // No machine that is still made has this one.
  bool hasXop = __builtin_cpu_supports("xop");
  Status status = checkHostFeatures("bdver1", "+sse3,+xop");
  if (hasXop) {
    EXPECT_TRUE(status.isOk());
  } else {
    EXPECT_EQ(status.code(), StatusCode::deviceUnavailable);
    EXPECT_EQ(status.message(), "code for cpu 'bdver1' needs the feature "
                                "'xop', which this machine does not have");
  }
#endif
}

TEST(CodeImageTest, HeaderDiagnostics) {
  EXPECT_EQ(loadMessage(kernels().bytes.first(63)),
            "code of 63 bytes is shorter than an ELF header of 64");
  EXPECT_EQ(headerMessage([](auto &h) { h.e_ident[0] = 0; }),
            "code is not an ELF file");
  EXPECT_EQ(headerMessage([](auto &h) { h.e_ident[EI_CLASS] = 1; }),
            "code is not a 64-bit little-endian ELF file");
  EXPECT_EQ(headerMessage([](auto &h) { h.e_type = ET_REL; }),
            "code has ELF type 1, not 3 (shared object)");
  EXPECT_EQ(
      headerMessage([](auto &h) { h.e_machine = EM_RISCV; }).substr(0, 27),
      "code is for ELF machine 243");
  EXPECT_EQ(headerMessage([](auto &h) { h.e_phnum = 65; }),
            "code has 65 program headers of 56 bytes, not 1 to 64 of 56");
  size_t size = kernels().bytes.size();
  EXPECT_EQ(headerMessage([&](auto &h) { h.e_phoff = size + 1; }),
            fmt::format("program headers at {} leave the code of {} bytes",
                        size + 1, size));
  EXPECT_EQ(headerMessage([&](auto &h) { h.e_phoff = size - 8; }),
            fmt::format("program header 0 leaves the code of {} bytes", size));
}

TEST(CodeImageTest, SegmentDiagnostics) {
  EXPECT_EQ(segmentMessage(PT_LOAD, [](auto &s) { s.p_flags = PF_W | PF_X; })
                .substr(0, 8),
            "segment ");
  EXPECT_NE(segmentMessage(PT_LOAD, [](auto &s) { s.p_flags = PF_W | PF_X; })
                .find("is writable and executable"),
            std::string::npos);
  EXPECT_NE(segmentMessage(PT_LOAD, [](auto &s) { s.p_filesz = 1 << 30; })
                .find("with 1073741824 bytes leaves the code of"),
            std::string::npos);
  EXPECT_NE(segmentMessage(PT_LOAD, [](auto &s) { s.p_memsz = 1; })
                .find("bytes in the file and 1 in memory"),
            std::string::npos);
  EXPECT_EQ(segmentMessage(PT_DYNAMIC, [](auto &s) { s.p_type = PT_INTERP; }),
            "code is a program, not a shared object");
  EXPECT_EQ(segmentMessage(PT_DYNAMIC, [](auto &s) { s.p_type = PT_NULL; }),
            "code has no loadable or no dynamic segment");
  EXPECT_EQ(segmentMessage(PT_DYNAMIC, [](auto &s) { s.p_filesz = 16; }),
            "dynamic segment of 16 bytes has no end mark");
}

TEST(CodeImageTest, ImportDiagnostics) {
  EXPECT_EQ(loadMessage(readTestLibrary("NNHalTestImportingKernel")),
            "code imports 'getpid', only memcpy, memmove, memset may be "
            "imported");
  EXPECT_EQ(loadMessage(readTestLibrary("NNHalTestInitializedKernel")),
            "code has an initializer");
  EXPECT_EQ(loadMessage(readTestLibrary("NNHalFakeCompiler")),
            "code needs another library");
}

/// Only the check: what it lets through need not be loadable.
TEST(CodeImageTest, DamagedCodeIsAnswered) {
  const CodeSection good = kernels();
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bytes = copyOf(good);
    if (i % 4 == 0)
      bytes.resize(random() % bytes.size());
    for (int n = 0; n < 4 && !bytes.empty(); ++n)
      bytes[random() % std::min<size_t>(bytes.size(), 1024)] =
          std::byte(random());
    Status status = checkElf(bytes, good.target).status();
    EXPECT_EQ(status.isOk(), status.message().empty());
  }
}

TEST(CodeImageTest, SystemDiagnostics) {
  auto messageWithout = [](SystemCall call, int error) {
    SystemCallFailure failure(call, error);
    return loadMessage(kernels());
  };
  EXPECT_EQ(messageWithout(SystemCall::memfdCreate, EMFILE),
            "cannot create a memory file for code: Too many open files");
  EXPECT_EQ(messageWithout(SystemCall::write, ENOSPC),
            fmt::format("cannot copy {} bytes of code: No space left on device",
                        kernels().bytes.size()));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string limited = loadMessage(kernels());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(limited, fmt::format("cannot copy {} bytes of code: File too large",
                                 kernels().bytes.size()));
  EXPECT_EQ(messageWithout(SystemCall::addSeals, EPERM),
            "cannot seal code in memory: Operation not permitted");
  EXPECT_EQ(messageWithout(SystemCall::dlopen, ENOMEM),
            "cannot load the code: unknown reason");
  EXPECT_EQ(loadMessage(kernels()), "loaded");
}

} // namespace
