//===- SanitizerNeeds.h - The sandbox under sanitizers ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtimes of the sanitizers read /proc/self/maps whenever a thread starts
// or a report is made, and change limits and signal stacks. Builds with a
// sanitizer allow that, and builds without one do not.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_SANDBOX_SANITIZERNEEDS_H
#define NNHAL_LIB_SERVICE_SANDBOX_SANITIZERNEEDS_H

#include <array>
#include <string_view>

namespace nnhal::service {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NNHAL_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NNHAL_HAS_SANITIZER 1
#endif
#endif

#ifdef NNHAL_HAS_SANITIZER
inline constexpr bool hasSanitizer = true;
inline constexpr std::array<const char *, 1> sanitizerFiles = {"/proc"};
inline constexpr std::array<std::string_view, 3> sanitizerCalls = {
    "getpriority", "personality", "setrlimit"};
#else
inline constexpr bool hasSanitizer = false;
inline constexpr std::array<const char *, 0> sanitizerFiles = {};
inline constexpr std::array<std::string_view, 0> sanitizerCalls = {};
#endif

} // namespace nnhal::service

#endif // NNHAL_LIB_SERVICE_SANDBOX_SANITIZERNEEDS_H
