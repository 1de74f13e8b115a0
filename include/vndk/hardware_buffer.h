//===- hardware_buffer.h - What is behind a hardware buffer -----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For devices and runtimes, which need the memory behind a buffer. C and C++.
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_VNDK_NATIVEWINDOW_AHARDWAREBUFFER_H
#define ANDROID_VNDK_NATIVEWINDOW_AHARDWAREBUFFER_H

#include <android/hardware_buffer.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Descriptors and numbers, of which only the maker knows the meaning.
typedef struct native_handle {
  /// sizeof(native_handle_t).
  int version;
  int numFds;
  int numInts;
  /// The descriptors, then the numbers.
  __extension__ int data[0];
} native_handle_t;

/// Returns the descriptors behind a buffer, which keeps them: of a blob one, at
/// which `width` bytes begin with the first, a dma-buf or a memfd that nobody
/// can shorten. Null for null.
const native_handle_t *
AHardwareBuffer_getNativeHandle(const AHardwareBuffer *buffer);

#ifdef __cplusplus
}
#endif

#endif // ANDROID_VNDK_NATIVEWINDOW_AHARDWAREBUFFER_H
