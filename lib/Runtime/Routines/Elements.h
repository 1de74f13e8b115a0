//===- Elements.h - Elements that count against a budget --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Routines keep tensors, copies of operands in other types and intermediate
// sums in vectors. Their memory counts against the budget of the device from
// where it is taken to where it is given back, without a routine that knows
// about it: an allocation that finds no room ends the routine.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_ROUTINES_ELEMENTS_H
#define NNHAL_LIB_RUNTIME_ROUTINES_ELEMENTS_H

#include "nnhal/Runtime/MemoryBudget.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace nnhal::rt::reference {

/// Thrown by allocations that the budget or the system refuses; caught by who
/// runs a routine.
class OutOfBudget : public std::bad_alloc {
public:
  explicit OutOfBudget(Status status) : status(std::move(status)) {}
  const char *what() const noexcept override {
    return status.message().c_str();
  }
  /// Names the bytes and the limit.
  const Status status;
};

/// While it lives, allocations of this thread for Elements count against
/// \p budget, which may be null and outlives the elements.
class BudgetScope {
public:
  explicit BudgetScope(MemoryBudget *budget);
  ~BudgetScope();
  BudgetScope(const BudgetScope &) = delete;
  BudgetScope &operator=(const BudgetScope &) = delete;

private:
  MemoryBudget *outer;
};

/// Memory at a multiple of 16. Throws OutOfBudget.
void *allocateCounted(size_t bytes);
void freeCounted(void *memory) noexcept;

template <typename T> struct CountedAllocator {
  using value_type = T;

  CountedAllocator() = default;
  template <typename U> CountedAllocator(const CountedAllocator<U> &) {}

  T *allocate(size_t count) {
    if (count > SIZE_MAX / 2 / sizeof(T))
      throw std::bad_array_new_length();
    return static_cast<T *>(allocateCounted(count * sizeof(T)));
  }
  void deallocate(T *memory, size_t) noexcept { freeCounted(memory); }

  template <typename U> bool operator==(const CountedAllocator<U> &) const {
    return true;
  }
};

/// A list with as many elements as a tensor has, or as many as depend on a
/// tensor's extents.
template <typename T> using Elements = std::vector<T, CountedAllocator<T>>;

} // namespace nnhal::rt::reference

#endif // NNHAL_LIB_RUNTIME_ROUTINES_ELEMENTS_H
