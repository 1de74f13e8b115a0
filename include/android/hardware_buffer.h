//===- hardware_buffer.h - Memory that processes share ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NDK's hardware buffers on Linux, for programs in C and C++. Names,
// values and layouts are those of the NDK's ABI; libnativewindow.so has the
// functions.
//
// Buffers of AHARDWAREBUFFER_FORMAT_BLOB are made here: bytes behind a
// descriptor, which is a dma-buf where the machine has /dev/udmabuf or a dma
// heap and a sealed memfd elsewhere. Buffers of other formats come from nobody
// but other processes; they are passed on and never mapped.
//
// Ownership: a buffer has references; allocate and recvHandleFromUnixSocket
//            make the first one, release() takes one away. The memory lives as
//            long as one process has a reference.
// Threads:   every function may be called from any thread at once.
// Failures:  functions that return int return 0 or a negative number of
//            errno.h.
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_HARDWARE_BUFFER_H
#define ANDROID_HARDWARE_BUFFER_H

#include <android/rect.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The formats of pixels.
enum AHardwareBuffer_Format {
  AHARDWAREBUFFER_FORMAT_R8G8B8A8_UNORM = 1,
  AHARDWAREBUFFER_FORMAT_R8G8B8X8_UNORM = 2,
  AHARDWAREBUFFER_FORMAT_R8G8B8_UNORM = 3,
  AHARDWAREBUFFER_FORMAT_R5G6B5_UNORM = 4,
  AHARDWAREBUFFER_FORMAT_R16G16B16A16_FLOAT = 0x16,
  AHARDWAREBUFFER_FORMAT_R10G10B10A2_UNORM = 0x2b,
  /// Bytes: the width is their number, the height is 1.
  AHARDWAREBUFFER_FORMAT_BLOB = 0x21,
  AHARDWAREBUFFER_FORMAT_Y8Cb8Cr8_420 = 0x23,
  AHARDWAREBUFFER_FORMAT_D16_UNORM = 0x30,
  AHARDWAREBUFFER_FORMAT_D24_UNORM = 0x31,
  AHARDWAREBUFFER_FORMAT_D24_UNORM_S8_UINT = 0x32,
  AHARDWAREBUFFER_FORMAT_D32_FLOAT = 0x33,
  AHARDWAREBUFFER_FORMAT_D32_FLOAT_S8_UINT = 0x34,
  AHARDWAREBUFFER_FORMAT_S8_UINT = 0x35,
  AHARDWAREBUFFER_FORMAT_YCbCr_P010 = 0x36,
  AHARDWAREBUFFER_FORMAT_R8_UNORM = 0x38
};

/// The uses of a buffer, a set of bits. They have 64 bits, which an enum of C
/// does not hold.
#define AHARDWAREBUFFER_USAGE_CPU_READ_NEVER UINT64_C(0)
#define AHARDWAREBUFFER_USAGE_CPU_READ_RARELY UINT64_C(2)
#define AHARDWAREBUFFER_USAGE_CPU_READ_OFTEN UINT64_C(3)
#define AHARDWAREBUFFER_USAGE_CPU_READ_MASK UINT64_C(0xf)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_NEVER UINT64_C(0)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_RARELY (UINT64_C(2) << 4)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_OFTEN (UINT64_C(3) << 4)
#define AHARDWAREBUFFER_USAGE_CPU_WRITE_MASK (UINT64_C(0xf) << 4)
#define AHARDWAREBUFFER_USAGE_GPU_SAMPLED_IMAGE (UINT64_C(1) << 8)
#define AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER (UINT64_C(1) << 9)
#define AHARDWAREBUFFER_USAGE_GPU_COLOR_OUTPUT                                 \
  AHARDWAREBUFFER_USAGE_GPU_FRAMEBUFFER
#define AHARDWAREBUFFER_USAGE_COMPOSER_OVERLAY (UINT64_C(1) << 11)
#define AHARDWAREBUFFER_USAGE_PROTECTED_CONTENT (UINT64_C(1) << 14)
#define AHARDWAREBUFFER_USAGE_VIDEO_ENCODE (UINT64_C(1) << 16)
#define AHARDWAREBUFFER_USAGE_SENSOR_DIRECT_DATA (UINT64_C(1) << 23)
#define AHARDWAREBUFFER_USAGE_GPU_DATA_BUFFER (UINT64_C(1) << 24)
#define AHARDWAREBUFFER_USAGE_GPU_CUBE_MAP (UINT64_C(1) << 25)
#define AHARDWAREBUFFER_USAGE_GPU_MIPMAP_COMPLETE (UINT64_C(1) << 26)
#define AHARDWAREBUFFER_USAGE_VENDOR_0 (UINT64_C(1) << 28)
#define AHARDWAREBUFFER_USAGE_VENDOR_1 (UINT64_C(1) << 29)
#define AHARDWAREBUFFER_USAGE_VENDOR_2 (UINT64_C(1) << 30)
#define AHARDWAREBUFFER_USAGE_VENDOR_3 (UINT64_C(1) << 31)
#define AHARDWAREBUFFER_USAGE_FRONT_BUFFER (UINT64_C(1) << 32)
#define AHARDWAREBUFFER_USAGE_VENDOR_4 (UINT64_C(1) << 48)
#define AHARDWAREBUFFER_USAGE_VENDOR_5 (UINT64_C(1) << 49)
#define AHARDWAREBUFFER_USAGE_VENDOR_6 (UINT64_C(1) << 50)
#define AHARDWAREBUFFER_USAGE_VENDOR_7 (UINT64_C(1) << 51)
#define AHARDWAREBUFFER_USAGE_VENDOR_8 (UINT64_C(1) << 52)
#define AHARDWAREBUFFER_USAGE_VENDOR_9 (UINT64_C(1) << 53)
#define AHARDWAREBUFFER_USAGE_VENDOR_10 (UINT64_C(1) << 54)
#define AHARDWAREBUFFER_USAGE_VENDOR_11 (UINT64_C(1) << 55)
#define AHARDWAREBUFFER_USAGE_VENDOR_12 (UINT64_C(1) << 56)
#define AHARDWAREBUFFER_USAGE_VENDOR_13 (UINT64_C(1) << 57)
#define AHARDWAREBUFFER_USAGE_VENDOR_14 (UINT64_C(1) << 58)
#define AHARDWAREBUFFER_USAGE_VENDOR_15 (UINT64_C(1) << 59)
#define AHARDWAREBUFFER_USAGE_VENDOR_16 (UINT64_C(1) << 60)
#define AHARDWAREBUFFER_USAGE_VENDOR_17 (UINT64_C(1) << 61)
#define AHARDWAREBUFFER_USAGE_VENDOR_18 (UINT64_C(1) << 62)
#define AHARDWAREBUFFER_USAGE_VENDOR_19 (UINT64_C(1) << 63)

typedef struct AHardwareBuffer_Desc {
  /// Pixels; of a blob the number of bytes and 1.
  uint32_t width;
  uint32_t height;
  /// Images; 1 for a blob.
  uint32_t layers;
  /// An AHardwareBuffer_Format.
  uint32_t format;
  uint64_t usage;
  /// Pixels from one row to the next. allocate() does not look at it.
  uint32_t stride;
  /// These two are 0.
  uint32_t rfu0;
  uint64_t rfu1;
} AHardwareBuffer_Desc;

typedef struct AHardwareBuffer_Plane {
  void *data;
  uint32_t pixelStride;
  uint32_t rowStride;
} AHardwareBuffer_Plane;

typedef struct AHardwareBuffer_Planes {
  uint32_t planeCount;
  AHardwareBuffer_Plane planes[4];
} AHardwareBuffer_Planes;

typedef struct AHardwareBuffer AHardwareBuffer;

/// Allocates a zeroed buffer with one reference. Fails with -EINVAL for null
/// pointers and for a description that contradicts itself, with -ENOTSUP for
/// formats other than blobs, for protected content and for usages without a
/// name here, with -ENOMEM without memory. The pointer is then null.
int AHardwareBuffer_allocate(const AHardwareBuffer_Desc *desc,
                             AHardwareBuffer **outBuffer);

/// Adds a reference.
void AHardwareBuffer_acquire(AHardwareBuffer *buffer);

/// Takes a reference away; null is nothing.
void AHardwareBuffer_release(AHardwareBuffer *buffer);

/// Tells the description; a blob's stride is its width.
void AHardwareBuffer_describe(const AHardwareBuffer *buffer,
                              AHardwareBuffer_Desc *outDesc);

/// Waits for `fence`, a descriptor that is readable when it has signaled, or
/// -1, and gives the first byte of the buffer; `rect`, or null, is the part
/// that will be used. The fence is closed, also on failure. Bytes are read and
/// written as `usage` says until unlock(); locks may be nested and shared among
/// threads.
///
/// Fails with -EINVAL for null pointers, for usages other than those of the
/// CPU, for a part outside of the buffer and for more than one layer; with
/// -ENOTSUP for formats other than blobs, whose layout nobody knows here; with
/// -EACCES where the buffer is read-only; with -EIO when fence or mapping
/// fails. The address is then null.
int AHardwareBuffer_lock(AHardwareBuffer *buffer, uint64_t usage, int32_t fence,
                         const ARect *rect, void **outVirtualAddress);

/// Locks like lock(), and tells that a pixel of a blob is 1 byte, and its one
/// row all bytes; numbers beyond INT32_MAX are -1. The last two may be null.
int AHardwareBuffer_lockAndGetInfo(AHardwareBuffer *buffer, uint64_t usage,
                                   int32_t fence, const ARect *rect,
                                   void **outVirtualAddress,
                                   int32_t *outBytesPerPixel,
                                   int32_t *outBytesPerStride);

/// Locks like lock(); a blob is one plane.
int AHardwareBuffer_lockPlanes(AHardwareBuffer *buffer, uint64_t usage,
                               int32_t fence, const ARect *rect,
                               AHardwareBuffer_Planes *outPlanes);

/// Ends a lock; the bytes are written when it returns. `fence`, or null,
/// becomes -1, because nothing is left to wait for. Fails with -EINVAL for null
/// and for a buffer that is not locked, with -EIO when the kernel refuses.
int AHardwareBuffer_unlock(AHardwareBuffer *buffer, int32_t *fence);

/// Sends the buffer through a connected Unix socket, of type stream, seqpacket
/// or datagram, to a process that calls recvHandleFromUnixSocket(). Fails with
/// -EINVAL for null and with the number that the system gives.
int AHardwareBuffer_sendHandleToUnixSocket(const AHardwareBuffer *buffer,
                                           int socketFd);

/// Receives a buffer with one reference. The sender is not trusted: a message
/// that is none, that is cut off or whose memory does not hold what it
/// describes fails with -EBADMSG, and memory that its sender could take away
/// while it is used, with -EPERM. Fails further with -EINVAL for null and with
/// the number that the system gives. The pointer is then null, and descriptors
/// that came along are closed.
int AHardwareBuffer_recvHandleFromUnixSocket(int socketFd,
                                             AHardwareBuffer **outBuffer);

/// Returns 1 when allocate() takes the description, as far as there is memory;
/// otherwise 0.
int AHardwareBuffer_isSupported(const AHardwareBuffer_Desc *desc);

/// Tells a number that no other buffer has while its maker lives; a buffer that
/// was sent keeps it. Fails with -EINVAL for null.
int AHardwareBuffer_getId(const AHardwareBuffer *buffer, uint64_t *outId);

#ifdef __cplusplus
}
#endif

#endif // ANDROID_HARDWARE_BUFFER_H
