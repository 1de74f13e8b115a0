//===- HostCpu.cpp - Features of this machine -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCpu.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"

#include <fmt/format.h>

#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

using namespace nnhal::rt;

bool nnhal::rt::isHostTarget(TargetKind target) {
#if defined(__x86_64__)
  return target == TargetKind::x86_64Elf;
#elif defined(__aarch64__)
  return target == TargetKind::aarch64Elf;
#else
  return false;
#endif
}

#if defined(__aarch64__)
namespace {
/// A feature under LLVM's name, and how the kernel reports it.
struct Capability {
  std::string_view feature;
  unsigned long word;
  unsigned long bits;
};
} // namespace

// The features that change which instructions a code generator selects.
static constexpr Capability capabilities[] = {
    {"fp-armv8", AT_HWCAP, HWCAP_FP},
    {"neon", AT_HWCAP, HWCAP_ASIMD},
    {"aes", AT_HWCAP, HWCAP_AES | HWCAP_PMULL},
    {"sha2", AT_HWCAP, HWCAP_SHA1 | HWCAP_SHA2},
    {"crc", AT_HWCAP, HWCAP_CRC32},
    {"lse", AT_HWCAP, HWCAP_ATOMICS},
    {"rdm", AT_HWCAP, HWCAP_ASIMDRDM},
    {"fullfp16", AT_HWCAP, HWCAP_FPHP | HWCAP_ASIMDHP},
    {"fp16fml", AT_HWCAP, HWCAP_ASIMDFHM},
    {"dotprod", AT_HWCAP, HWCAP_ASIMDDP},
    {"complxnum", AT_HWCAP, HWCAP_FCMA},
    {"jsconv", AT_HWCAP, HWCAP_JSCVT},
    {"rcpc", AT_HWCAP, HWCAP_LRCPC},
    {"rcpc-immo", AT_HWCAP, HWCAP_ILRCPC},
    {"flagm", AT_HWCAP, HWCAP_FLAGM},
    {"altnzcv", AT_HWCAP2, HWCAP2_FLAGM2},
    {"fptoint", AT_HWCAP2, HWCAP2_FRINT},
    {"i8mm", AT_HWCAP2, HWCAP2_I8MM},
    {"bf16", AT_HWCAP2, HWCAP2_BF16},
    {"sve", AT_HWCAP, HWCAP_SVE},
    {"sve2", AT_HWCAP2, HWCAP2_SVE2},
};
#endif

/// Whether the machine has \p feature; nothing where that cannot be asked.
static std::optional<bool> hostHas(std::string_view feature) {
#if defined(__x86_64__)
// The builtin takes nothing but a literal. These are the features that change
// which instructions a code generator selects.
#define NNHAL_ASK(NAME)                                                        \
  if (feature == NAME)                                                         \
    return __builtin_cpu_supports(NAME) != 0;
  NNHAL_ASK("sse3")
  NNHAL_ASK("ssse3")
  NNHAL_ASK("sse4.1")
  NNHAL_ASK("sse4.2")
  NNHAL_ASK("sse4a")
  NNHAL_ASK("popcnt")
  NNHAL_ASK("avx")
  NNHAL_ASK("avx2")
  NNHAL_ASK("fma")
  NNHAL_ASK("fma4")
  NNHAL_ASK("xop")
  NNHAL_ASK("f16c")
  NNHAL_ASK("bmi")
  NNHAL_ASK("bmi2")
  NNHAL_ASK("lzcnt")
  NNHAL_ASK("movbe")
  NNHAL_ASK("gfni")
  NNHAL_ASK("avxvnni")
  NNHAL_ASK("avx512f")
  NNHAL_ASK("avx512bw")
  NNHAL_ASK("avx512cd")
  NNHAL_ASK("avx512dq")
  NNHAL_ASK("avx512vl")
  NNHAL_ASK("avx512ifma")
  NNHAL_ASK("avx512vbmi")
  NNHAL_ASK("avx512vbmi2")
  NNHAL_ASK("avx512vnni")
  NNHAL_ASK("avx512bitalg")
  NNHAL_ASK("avx512vpopcntdq")
  NNHAL_ASK("avx512bf16")
  NNHAL_ASK("avx512fp16")
  NNHAL_ASK("amx-tile")
  NNHAL_ASK("amx-int8")
  NNHAL_ASK("amx-bf16")
#undef NNHAL_ASK
#elif defined(__aarch64__)
  for (const Capability &known : capabilities)
    if (known.feature == feature)
      return (getauxval(known.word) & known.bits) == known.bits;
#endif
  return std::nullopt;
}

Status nnhal::rt::checkHostFeatures(std::string_view cpu,
                                    std::string_view features) {
  for (std::string_view feature : splitAt(features, ',')) {
    if (!feature.starts_with('+'))
      continue;
    if (hostHas(feature.substr(1)) == false)
      return deviceUnavailable("code for cpu '{}' needs the feature '{}', "
                               "which this machine does not have",
                               cpu, feature.substr(1));
  }
  return Status::ok();
}

#if defined(__x86_64__)
/// The state that the system saves: without it wide registers are there in
/// vain.
static uint32_t enabledState() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

std::string nnhal::rt::hostCpuIdentity() {
  std::string text = "x86_64";
  auto ask = [&](uint32_t leaf, uint32_t subleaf, auto use) {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d))
      use(a, b, c, d);
  };
  ask(0, 0, [&](uint32_t, uint32_t b, uint32_t c, uint32_t d) {
    text += fmt::format(" vendor {:08x}{:08x}{:08x}", b, d, c);
  });
  // Register b of leaf 1 is left out, because it differs from core to core.
  constexpr uint32_t osxsave = 1u << 27;
  ask(1, 0, [&](uint32_t a, uint32_t, uint32_t c, uint32_t d) {
    text += fmt::format(" model {:08x} features {:08x} {:08x}", a, c, d);
    if (c & osxsave)
      text += fmt::format(" state {:08x}", enabledState());
  });
  for (uint32_t subleaf : {0u, 1u})
    ask(7, subleaf, [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
      text += fmt::format(" {:08x} {:08x} {:08x} {:08x}", a, b, c, d);
    });
  ask(0x80000001u, 0, [&](uint32_t, uint32_t, uint32_t c, uint32_t d) {
    text += fmt::format(" {:08x} {:08x}", c, d);
  });
  return text;
}
#else
std::string nnhal::rt::hostCpuIdentity() {
  return fmt::format("{} {:x} {:x}",
                     getauxval(AT_PLATFORM) ? reinterpret_cast<const char *>(
                                                  getauxval(AT_PLATFORM))
                                            : "",
                     getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}
#endif
