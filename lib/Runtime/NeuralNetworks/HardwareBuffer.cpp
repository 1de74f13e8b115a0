//===- HardwareBuffer.cpp - Hardware buffers of libnativewindow -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

#include <dlfcn.h>
#include <sys/mman.h>

using namespace nnhal;
using namespace nnhal::ndk;

// Parts of the ABI of libnativewindow.so, which a client that has a hardware
// buffer has loaded. It is not linked: clients without hardware buffers need no
// such library.

namespace {
struct BufferDescription {
  uint32_t width, height, layers, format;
  uint64_t usage;
  uint32_t stride, rfu0;
  uint64_t rfu1;
};

struct NativeHandle {
  int version, fdCount, intCount;
  // The descriptors follow.
};

using Describe = void (*)(const AHardwareBuffer *, BufferDescription *);
using GetHandle = const NativeHandle *(*)(const AHardwareBuffer *);

struct WindowLibrary {
  Describe describe = nullptr;
  GetHandle getHandle = nullptr;
};
} // namespace

static constexpr uint32_t blobFormat = 0x21;

static WindowLibrary openWindowLibrary() {
  // Loaded by the client, whether its names are for everybody or not.
  void *library =
      ::dlopen("libnativewindow.so", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  void *scope = library ? library : RTLD_DEFAULT;
  WindowLibrary functions;
  functions.describe =
      reinterpret_cast<Describe>(::dlsym(scope, "AHardwareBuffer_describe"));
  functions.getHandle = reinterpret_cast<GetHandle>(
      ::dlsym(scope, "AHardwareBuffer_getNativeHandle"));
  // The reference to the library stays: its buffers may be anywhere.
  return functions;
}

// The names of the structures are not those of the other library, which is all
// that the sanitizer compares.
#ifdef __clang__
[[clang::no_sanitize("function")]]
#endif
int ndk::createFromHardwareBuffer(const AHardwareBuffer *buffer,
                                  Memory **memory) {
  WindowLibrary library = openWindowLibrary();
  if (!library.describe || !library.getHandle)
    return ANEURALNETWORKS_OP_FAILED;
  BufferDescription description = {};
  library.describe(buffer, &description);
  const NativeHandle *handle = library.getHandle(buffer);
  if (!handle || handle->fdCount < 1)
    return ANEURALNETWORKS_BAD_DATA;
  const int *descriptors = reinterpret_cast<const int *>(handle + 1);
  auto fd = rt::duplicate(descriptors[0]);
  if (!fd.isOk())
    return ANEURALNETWORKS_OUT_OF_MEMORY;
  if (description.format != blobFormat) {
    // Nobody but its maker knows the layout (F-004).
    *memory = new Memory(rt::SharedMemory::adoptUnchecked(
        rt::PoolKind::hardwareBuffer, *std::move(fd), 0,
        PROT_READ | PROT_WRITE));
    return ANEURALNETWORKS_NO_ERROR;
  }
  auto pool =
      rt::SharedMemory::adopt(rt::PoolKind::hardwareBufferBlob, *std::move(fd),
                              description.width, PROT_READ | PROT_WRITE);
  if (!pool.isOk())
    return ANEURALNETWORKS_BAD_DATA;
  *memory = new Memory(*std::move(pool));
  return ANEURALNETWORKS_NO_ERROR;
}
