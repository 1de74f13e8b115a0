//===- Memories.h - Memories that a service knows ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVICE_CLIENT_MEMORIES_H
#define NNHAL_LIB_SERVICE_CLIENT_MEMORIES_H

#include "Driver.capnp.h"

#include "nnhal/Runtime/SharedMemory.h"

#include <kj/async.h>

#include <map>
#include <memory>
#include <span>
#include <utility>

namespace nnhal::service::client {

/// The pools that one service has mapped, and the numbers that name them in
/// requests. Lives on the loop's thread.
///
/// A pool is made known once, with the first request that uses it. It is
/// referred to weakly: the service is told that it is gone when the next
/// request comes after its last owner left.
class Memories {
public:
  using Pool = std::shared_ptr<const rt::SharedMemory>;

  explicit Memories(wire::Driver::Client driver) : driver(kj::mv(driver)) {}

  /// Makes \p pools known. Fails with what the service says of one.
  kj::Promise<rt::Status> makeKnown(std::span<const Pool> pools);
  /// The number of a pool that was made known.
  uint32_t numberOf(const rt::SharedMemory *pool) const;

  /// Makes \p pool known until the returned capability is dropped.
  struct Known {
    uint32_t number = 0;
    wire::Memory::Client capability;
  };
  kj::Promise<rt::Result<Known>> lend(const rt::SharedMemory &pool);

private:
  enum class State { asked, known, refused };
  struct Entry {
    std::weak_ptr<const rt::SharedMemory> pool;
    State state = State::asked;
    uint32_t number = 0;
    wire::Memory::Client capability = nullptr;
    kj::ForkedPromise<rt::Status> arrival = nullptr;
  };

  kj::Promise<rt::Status> arrivalOf(const Pool &pool);
  kj::Promise<rt::Status> ask(const Pool &pool, Entry &entry);

  wire::Driver::Client driver;
  // Nodes, because answers refer to their entries.
  std::map<const rt::SharedMemory *, Entry> entries;
};

} // namespace nnhal::service::client

#endif // NNHAL_LIB_SERVICE_CLIENT_MEMORIES_H
