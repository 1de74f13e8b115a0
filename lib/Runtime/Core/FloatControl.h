//===- FloatControl.h - How a thread rounds and flushes ---------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_CORE_FLOATCONTROL_H
#define NNHAL_LIB_RUNTIME_CORE_FLOATCONTROL_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace nnhal::rt {

/// Rounding mode, flushing of subnormal numbers and exception masks of this
/// thread; not which exceptions have occurred.
inline uint64_t readFloatControl() {
#if defined(__x86_64__)
  constexpr uint32_t exceptions = 0x3F;
  return _mm_getcsr() & ~exceptions;
#elif defined(__aarch64__)
  uint64_t value = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

/// Makes this thread compute as the one does that has read \p control.
inline void adoptFloatControl(uint64_t control) {
  if (readFloatControl() == control)
    return;
#if defined(__x86_64__)
  _mm_setcsr(uint32_t(control));
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

} // namespace nnhal::rt

#endif // NNHAL_LIB_RUNTIME_CORE_FLOATCONTROL_H
