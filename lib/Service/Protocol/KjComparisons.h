//===- KjComparisons.h - Comparisons that kj leaves to C++20 ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers of Cap'n Proto 0.9 compare a `const char *` with a kj::StringPtr, and
// expect C++20 to turn the two around. Clang does not where an operator != is
// declared beside (P2468), and includes this before everything else.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_PROTOCOL_KJCOMPARISONS_H
#define NNHAL_LIB_SERVICE_PROTOCOL_KJCOMPARISONS_H

#include <kj/string.h>

#if __cpp_impl_three_way_comparison
namespace kj {
inline bool operator==(const char *a, const StringPtr &b) {
  return b.operator==(StringPtr(a));
}
inline bool operator!=(const char *a, const StringPtr &b) {
  return b.operator!=(StringPtr(a));
}
} // namespace kj
#endif

#endif // NNHAL_LIB_SERVICE_PROTOCOL_KJCOMPARISONS_H
