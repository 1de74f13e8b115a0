//===- KeptKernels.cpp - Kernels of earlier compilations ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptKernels.h"

#include "Runtime/Caching/KernelStore.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/Log.h"

#include <atomic>

using namespace nnhal::rt;
using cache::KernelStore;

KeptKernels::KeptKernels(const DeviceServices &services,
                         std::shared_ptr<LazyCompiler> compiler)
    : directory(services.stateDirectory), log(services.log),
      compiler(std::move(compiler)) {}

KeptKernels::~KeptKernels() = default;

Status KeptKernels::openStore() {
  NNHAL_ASSIGN_OR_RETURN(std::string identity, compiler->identity());
  KernelStore::Options options;
  options.directory = directory;
  options.compiler = std::move(identity);
  NNHAL_ASSIGN_OR_RETURN(store, KernelStore::open(std::move(options)));
  return Status();
}

void KeptKernels::open() {
  Status opened = openStore();
  if (!opened.isOk() && log)
    writeLog(*log, LogTag::compilation, "nnhal-cpu: no kernels are kept: {}",
             opened.message());
}

namespace {
/// Counts the kernels that one compilation finds in the store and keeps there,
/// not the records of operations that call them, and logs both numbers when the
/// compilation ends.
struct KernelUse {
  KernelUse(std::shared_ptr<KernelStore> store, std::shared_ptr<const Log> log)
      : store(std::move(store)), log(std::move(log)) {}
  ~KernelUse() {
    if (log)
      writeLog(*log, LogTag::compilation,
               "nnhal-cpu: {} kernels were found, {} are kept", found.load(),
               kept.load());
  }

  std::shared_ptr<KernelStore> store;
  std::shared_ptr<const Log> log;
  std::atomic<uint32_t> found{0};
  std::atomic<uint32_t> kept{0};
};
} // namespace

CompileObserver KeptKernels::observe(CompileObserver observer) {
  if (directory.empty())
    return observer;
  std::call_once(once, [this] { open(); });
  if (!store)
    return observer;
  auto use = std::make_shared<KernelUse>(store, log);
  observer.findKernel = [use](std::string_view key,
                              std::vector<std::byte> &object) {
    std::optional<std::vector<std::byte>> found = use->store->find(key);
    if (!found)
      return false;
    object = *std::move(found);
    use->found += !key.starts_with(operationKeyPrefix);
    return true;
  };
  observer.keepKernel = [use](std::string_view key,
                              std::span<const std::byte> object) {
    // The next compilation makes a kernel again that could not be kept.
    if (use->store->keep(key, object).isOk())
      use->kept += !key.starts_with(operationKeyPrefix);
  };
  return observer;
}
