//===- HostCpu.cpp - What this machine can execute ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCpu.h"

#include <optional>

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
#endif
  return std::nullopt;
}

Status nnhal::rt::checkHostFeatures(std::string_view cpu,
                                    std::string_view features) {
  while (!features.empty()) {
    size_t comma = features.find(',');
    std::string_view feature = features.substr(0, comma);
    features.remove_prefix(comma == std::string_view::npos ? features.size()
                                                           : comma + 1);
    if (!feature.starts_with('+'))
      continue;
    if (hostHas(feature.substr(1)) == false)
      return Status(StatusCode::deviceUnavailable,
                    fmt::format("code for cpu '{}' needs the feature '{}', "
                                "which this machine does not have",
                                cpu, feature.substr(1)));
  }
  return Status::ok();
}
