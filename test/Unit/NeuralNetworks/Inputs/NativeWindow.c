/*===- NativeWindow.c - A libnativewindow of the tests --------------------===*
 *
 * Part of the NNHal project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* The two functions that libneuralnetworks asks, over descriptors that the test
 * brings, and the function that makes a buffer of one. */

#include <stdint.h>
#include <stdlib.h>

struct Handle {
  int version, fdCount, intCount;
  int fds[1];
};

struct AHardwareBuffer {
  struct Handle handle;
  uint32_t width, format;
};

struct Description {
  uint32_t width, height, layers, format;
  uint64_t usage;
  uint32_t stride, rfu0;
  uint64_t rfu1;
};

struct AHardwareBuffer *nnhalTestMakeBuffer(int fd, uint32_t width,
                                            uint32_t format);
void AHardwareBuffer_describe(const struct AHardwareBuffer *buffer,
                              struct Description *description);
const struct Handle *
AHardwareBuffer_getNativeHandle(const struct AHardwareBuffer *buffer);

struct AHardwareBuffer *nnhalTestMakeBuffer(int fd, uint32_t width,
                                            uint32_t format) {
  struct AHardwareBuffer *buffer = malloc(sizeof(*buffer));
  if (!buffer)
    abort();
  buffer->handle.version = 12;
  buffer->handle.fdCount = fd >= 0;
  buffer->handle.intCount = 0;
  buffer->handle.fds[0] = fd;
  buffer->width = width;
  buffer->format = format;
  return buffer;
}

void AHardwareBuffer_describe(const struct AHardwareBuffer *buffer,
                              struct Description *description) {
  description->width = description->stride = buffer->width;
  description->height = description->layers = 1;
  description->format = buffer->format;
  description->usage = 0x33;
  description->rfu0 = 0;
  description->rfu1 = 0;
}

const struct Handle *
AHardwareBuffer_getNativeHandle(const struct AHardwareBuffer *buffer) {
  return &buffer->handle;
}
