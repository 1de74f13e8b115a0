//===- MemoryEntries.cpp - The C functions about memories -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Library.h"
#include "Memory.h"
#include "MemoryDesc.h"

using namespace nnhal;
using namespace nnhal::ndk;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd,
                                       size_t offset,
                                       ANeuralNetworksMemory **memory) {
  if (!memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *memory = nullptr;
  return guarded(
      [&] { return createFromFd(size, protect, fd, offset, memory); });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(
    const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory) {
  if (memory)
    *memory = nullptr;
  if (!ahwb || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return createFromHardwareBuffer(ahwb, memory); });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory) {
  if (memory)
    *memory = nullptr;
  if (!desc || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return desc->createMemory(memory); });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                               const ANeuralNetworksMemory *dst) {
  if (!src || !dst)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  if (Library::isForked())
    return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
  return guardedWithFiles([&] { return copy(*src, *dst); });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory) {
  // Memory of a device belongs to the parent.
  if (!Library::isForked())
    delete memory;
}

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc) {
  return desc ? create(desc) : ANEURALNETWORKS_UNEXPECTED_NULL;
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc) {
  // The description may be the last that holds what a device has prepared.
  if (!Library::isForked())
    delete desc;
}

/// Both kinds of roles.
static int addRole(ANeuralNetworksMemoryDesc *desc,
                   const ANeuralNetworksCompilation *compilation, bool isInput,
                   uint32_t index, float frequency) {
  if (!desc || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return desc->addRole(*compilation, isInput, index, frequency); });
}

int ANeuralNetworksMemoryDesc_addInputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency) {
  return addRole(desc, compilation, true, index, frequency);
}

int ANeuralNetworksMemoryDesc_addOutputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency) {
  return addRole(desc, compilation, false, index, frequency);
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
                                            uint32_t rank,
                                            const uint32_t *dimensions) {
  if (!desc || (!dimensions && rank != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return desc->setDimensions({dimensions, rank}); });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc) {
  return desc ? desc->finish() : ANEURALNETWORKS_UNEXPECTED_NULL;
}
