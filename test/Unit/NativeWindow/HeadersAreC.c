/*===- HeadersAreC.c - The headers compiled as C99 ------------------------===*
 *
 * Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <android/hardware_buffer.h>
#include <android/rect.h>
#include <vndk/hardware_buffer.h>

#include <stddef.h>

/* The numbers below are those of the ABI. */
#define HOLDS(NAME, CONDITION) typedef char NAME[(CONDITION) ? 1 : -1]

HOLDS(descriptionHas40Bytes, sizeof(AHardwareBuffer_Desc) == 40);
HOLDS(usageIsAt16, offsetof(AHardwareBuffer_Desc, usage) == 16);
HOLDS(strideIsAt24, offsetof(AHardwareBuffer_Desc, stride) == 24);
HOLDS(lastIsAt32, offsetof(AHardwareBuffer_Desc, rfu1) == 32);
HOLDS(planesFollow, offsetof(AHardwareBuffer_Planes, planes) == 8);
HOLDS(planesHave72Bytes, sizeof(AHardwareBuffer_Planes) == 72);
HOLDS(handleHas12Bytes, sizeof(native_handle_t) == 12);
HOLDS(rectHas16Bytes, sizeof(ARect) == 16);
HOLDS(blobIs33, AHARDWAREBUFFER_FORMAT_BLOB == 33);
HOLDS(writeOftenIs48, AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN == 48);

int sizeOfBlobInC(const AHardwareBuffer *buffer);

int sizeOfBlobInC(const AHardwareBuffer *buffer) {
  AHardwareBuffer_Desc desc;
  AHardwareBuffer_describe(buffer, &desc);
  return (int)desc.width + AHardwareBuffer_getNativeHandle(buffer)->numInts;
}
