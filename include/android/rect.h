//===- rect.h - Rectangles --------------------------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_RECT_H
#define ANDROID_RECT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A rectangle of pixels; right and bottom are outside of it.
typedef struct ARect {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} ARect;

#ifdef __cplusplus
}
#endif

#endif // ANDROID_RECT_H
