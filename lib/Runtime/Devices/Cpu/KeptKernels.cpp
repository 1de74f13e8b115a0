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

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>

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
/// The kernels that one compilation finds in the store and keeps there, in
/// transactions of several, which take longer than what is in them. Counts
/// them, not the records of operations that call them, and logs both numbers
/// when the compilation ends.
///
/// Threads: any.
class KernelUse {
public:
  KernelUse(std::shared_ptr<KernelStore> store, std::shared_ptr<const Log> log)
      : store(std::move(store)), log(std::move(log)) {}
  ~KernelUse() {
    write();
    if (log)
      writeLog(*log, LogTag::compilation,
               "nnhal-cpu: {} kernels were found, {} are kept", found.load(),
               kept);
  }

  bool find(std::string_view key, std::vector<std::byte> &object);
  void keep(std::string_view key, std::span<const std::byte> object);

private:
  /// A process that ends loses what it has made in so much time at most.
  static constexpr std::chrono::milliseconds longestWait{250};

  struct Kernel {
    std::string key;
    std::vector<std::byte> object;
  };

  // Both return whether there was memory for it.
  bool add(std::string_view key, std::span<const std::byte> object);
  bool write();

  std::shared_ptr<KernelStore> store;
  std::shared_ptr<const Log> log;
  std::atomic<uint32_t> found{0};
  std::mutex mutex;
  std::vector<Kernel> waiting;
  /// When kernels were last written, or else the compilation began.
  std::chrono::steady_clock::time_point lastWrite =
      std::chrono::steady_clock::now();
  uint32_t kept = 0;
};
} // namespace

bool KernelUse::find(std::string_view key, std::vector<std::byte> &object) {
  std::optional<std::vector<std::byte>> known = store->find(key);
  if (!known)
    return false;
  object = *std::move(known);
  found += !key.starts_with(operationKeyPrefix);
  return true;
}

bool KernelUse::add(std::string_view key,
                    std::span<const std::byte> object) try {
  waiting.push_back({std::string(key), {object.begin(), object.end()}});
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

void KernelUse::keep(std::string_view key, std::span<const std::byte> object) {
  std::lock_guard lock(mutex);
  // The compilation goes on without a kernel for which memory is lacking, and
  // what could not be written waits for the next transaction.
  if (add(key, object) &&
      std::chrono::steady_clock::now() - lastWrite >= longestWait && write())
    lastWrite = std::chrono::steady_clock::now();
}

bool KernelUse::write() try {
  if (waiting.empty())
    return true;
  std::vector<KernelStore::Entry> entries;
  entries.reserve(waiting.size());
  for (const Kernel &kernel : waiting)
    entries.push_back({kernel.key, kernel.object});
  // The next compilation makes kernels again that could not be kept.
  if (store->keep(entries).isOk())
    kept += uint32_t(std::ranges::count_if(entries, [](const auto &entry) {
      return !entry.key.starts_with(operationKeyPrefix);
    }));
  waiting.clear();
  return true;
} catch (const std::bad_alloc &) {
  return false;
}

CompileObserver KeptKernels::observe(CompileObserver observer) {
  if (directory.empty())
    return observer;
  std::call_once(once, [this] { open(); });
  if (!store)
    return observer;
  auto use = std::make_shared<KernelUse>(store, log);
  observer.findKernel = [use](std::string_view key,
                              std::vector<std::byte> &object) {
    return use->find(key, object);
  };
  observer.keepKernel = [use](std::string_view key,
                              std::span<const std::byte> object) {
    use->keep(key, object);
  };
  return observer;
}
