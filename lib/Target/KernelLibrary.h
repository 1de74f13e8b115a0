//===- KernelLibrary.h - Objects of kernels by content ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TARGET_KERNELLIBRARY_H
#define NNHAL_LIB_TARGET_KERNELLIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <mutex>
#include <utility>

namespace nnhal {

/// Machine code as LLVM writes it: an ELF object.
using Object = llvm::SmallVector<char, 0>;

/// The objects of kernels that one compilation finds in the store that its
/// caller has, by the digests of their content, and those that it leaves there.
///
/// Threads: any member at once.
class KernelLibrary {
public:
  /// Sets the object with a key, if there is one.
  using Find = std::function<bool(llvm::StringRef key, Object &object)>;
  using Keep = std::function<void(llvm::StringRef key, llvm::ArrayRef<char>)>;

  /// Without \p find and \p keep it is empty, and stays so.
  KernelLibrary(Find find, Keep keep)
      : search(std::move(find)), store(std::move(keep)) {}

  /// Whether the caller has a store that keeps what is made.
  bool keepsObjects() const { return bool(store); }
  /// Sets what the caller's store has with \p key, if there is something.
  bool lookUp(llvm::StringRef key, Object &object) const {
    return search && search(key, object);
  }
  /// Looks in the caller's store for the object with \p key, which take() gives
  /// then if \p isUsable says that it can be linked.
  bool find(llvm::StringRef key,
            llvm::function_ref<bool(llvm::ArrayRef<char>)> isUsable) {
    {
      std::lock_guard lock(mutex);
      if (auto known = found.find(key); known != found.end())
        return isUsable(known->second);
    }
    Object object;
    if (!search || !search(key, object) || !isUsable(object))
      return false;
    std::lock_guard lock(mutex);
    found[key] = std::move(object);
    return true;
  }
  /// Returns the object that find() has found for \p key, once.
  Object take(llvm::StringRef key) {
    std::lock_guard lock(mutex);
    return std::move(found[key]);
  }
  /// Leaves \p object, which has just been made, in the caller's store.
  void keep(llvm::StringRef key, llvm::ArrayRef<char> object) const {
    if (store)
      store(key, object);
  }

private:
  Find search;
  Keep store;
  std::mutex mutex;
  llvm::StringMap<Object> found;
};

} // namespace nnhal

#endif // NNHAL_LIB_TARGET_KERNELLIBRARY_H
