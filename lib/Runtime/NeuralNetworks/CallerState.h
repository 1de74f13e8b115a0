//===- CallerState.h - What calls keep from their thread --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls run on the threads of programs, which may have asked the processor and
// the kernel to end the process where an inference goes on.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_NEURALNETWORKS_CALLERSTATE_H
#define NNHAL_LIB_RUNTIME_NEURALNETWORKS_CALLERSTATE_H

#include <cerrno>
#include <cstdint>
#include <ctime>
#include <signal.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

namespace nnhal::ndk {

/// While one of these lives, no floating-point operation of this thread traps:
/// infinities and NaNs are values of tensors. Rounding and the flushing of
/// subnormal numbers stay as the program has chosen them, and afterwards all is
/// as it was. Threads that are made meanwhile do not trap either.
class WithoutFloatTraps {
public:
#if defined(__x86_64__)
  WithoutFloatTraps() {
    before = _mm_getcsr();
    constexpr uint32_t masks = 0x1F80;
    isChanged = (before & masks) != masks;
    if (isChanged) [[unlikely]]
      _mm_setcsr(before | masks);
  }
  ~WithoutFloatTraps() {
    if (isChanged) [[unlikely]]
      _mm_setcsr(before);
  }
#else
  WithoutFloatTraps() : before(::fegetexcept()), isChanged(before > 0) {
    if (isChanged) [[unlikely]]
      ::fedisableexcept(FE_ALL_EXCEPT);
  }
  ~WithoutFloatTraps() {
    if (isChanged) [[unlikely]]
      ::feenableexcept(before);
  }
#endif
  WithoutFloatTraps(const WithoutFloatTraps &) = delete;
  WithoutFloatTraps &operator=(const WithoutFloatTraps &) = delete;

private:
#if defined(__x86_64__)
  uint32_t before = 0;
#else
  int before = 0;
#endif
  bool isChanged = false;
};

/// While one of these lives, a file that this thread makes longer than the
/// limit of the process (RLIMIT_FSIZE) is one that cannot be written, as on a
/// full disk; the signal that would end the process does not come.
class WithoutFileSizeSignal {
public:
  WithoutFileSizeSignal() {
    ::sigemptyset(&signal);
    ::sigaddset(&signal, SIGXFSZ);
    isHeld = ::pthread_sigmask(SIG_BLOCK, &signal, &before) == 0 &&
             ::sigismember(&before, SIGXFSZ) == 0;
  }
  ~WithoutFileSizeSignal() {
    if (!isHeld)
      return;
    const int error = errno;
    const timespec now = {};
    while (::sigtimedwait(&signal, nullptr, &now) < 0 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal &) = delete;
  WithoutFileSizeSignal &operator=(const WithoutFileSizeSignal &) = delete;

private:
  sigset_t signal;
  sigset_t before;
  bool isHeld = false;
};

} // namespace nnhal::ndk

#endif // NNHAL_LIB_RUNTIME_NEURALNETWORKS_CALLERSTATE_H
