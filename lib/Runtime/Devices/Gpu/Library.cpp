//===- Library.cpp - The entry of libNNHalGpu -----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cuda/CudaDriver.h"
#include "Vulkan/VulkanDriver.h"

#include "Runtime/GpuLoader/GpuApi.h"
#include "nnhal/Backend/DevicePlugin.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <utility>

using namespace nnhal::rt;

/// Never null after openDrivers(), without which nothing here is called.
static std::atomic<const GpuRuntime *> lastOpener = nullptr;

// The definition that this library has in place of the one of Fmt.cpp, whose
// functions for numbers of all kinds would be a fifth of it.
FMT_BEGIN_NAMESPACE
std::string vformat(string_view format, format_args args) {
  return lastOpener.load(std::memory_order_acquire)->format(format, args);
}
FMT_END_NAMESPACE

// In place of those of OpenSSL, which have a form for each kind of processor.
extern "C" {
int SHA256_Init(SHA256_CTX *context) {
  return lastOpener.load(std::memory_order_acquire)->beginDigest(context);
}
int SHA256_Update(SHA256_CTX *context, const void *data, size_t size) {
  return lastOpener.load(std::memory_order_acquire)
      ->updateDigest(context, data, size);
}
int SHA256_Final(unsigned char *digest, SHA256_CTX *context) {
  return lastOpener.load(std::memory_order_acquire)
      ->finishDigest(digest, context);
}
}

/// The driver over \p engine, or why that was not opened.
template <typename Engine>
static Result<std::unique_ptr<GpuDriver>>
driverOf(Result<Engine> engine,
         std::unique_ptr<GpuDriver> (*createDriver)(Engine)) {
  NNHAL_RETURN_IF_ERROR(engine.status());
  return createDriver(*std::move(engine));
}

/// Nothing may be thrown through a function of C.
static void openDrivers(const void *opener, void *offers) {
  lastOpener.store(static_cast<const GpuRuntime *>(opener),
                   std::memory_order_release);
  auto &result = *static_cast<Result<GpuOffers> *>(offers);
  try {
    GpuOffers found;
    found.push_back(
        {"nnhal-cuda", driverOf(cuda::Engine::open(), &cuda::createDriver)});
    found.push_back({"nnhal-vulkan",
                     driverOf(vulkan::Engine::open(), &vulkan::createDriver)});
    result = std::move(found);
  } catch (const std::exception &error) {
    result = Status(StatusCode::generalFailure, error.what());
  }
}

extern "C" [[gnu::visibility("default")]] const NNHalGpuApi *nnhalGetGpuApi() {
  static const NNHalGpuApi api = {NNHAL_GPU_API_VERSION, sizeof(NNHalGpuApi),
                                  NNHAL_PLUGIN_SDK, &openDrivers};
  return &api;
}
