//===- Execution.h - Requests and results -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The HAL's Request, OutputShape and Timing as plain values (decisions 9, 10).
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_EXECUTION_H
#define NNHAL_RUNTIME_EXECUTION_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Memory.h"

#include <cstdint>
#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace nnhal::rt {

/// A time of the steady clock, in nanoseconds.
using Deadline = int64_t;
inline constexpr Deadline noDeadline = std::numeric_limits<int64_t>::max();
/// Reads the system's steady clock.
NNHAL_API Deadline steadyNow();

/// The HAL's Priority of preparations and executions (C-053).
enum class Priority : uint32_t { low = 0, medium = 1, high = 2 };

/// The value of a duration that was not measured (D-041).
inline constexpr uint64_t noTiming = std::numeric_limits<uint64_t>::max();

/// The HAL's default for one WHILE, in nanoseconds.
inline constexpr uint64_t defaultLoopTimeout = 2'000'000'000;

/// The memory that an output is written to.
class NNHAL_API OutputMemory {
public:
  struct None {};
  /// Memory that the caller owns until the execution has ended. It overlaps no
  /// input and no other output.
  struct Borrowed {
    std::byte *data = nullptr;
    size_t size = 0;
  };
  /// Bytes of a pool, like Memory::Descriptor; the padding bytes may be
  /// written.
  struct Region {
    std::shared_ptr<const SharedMemory> pool;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t padding = 0;
  };
  struct DeviceToken {
    uint32_t token = 0;
  };

  OutputMemory() = default;
  static OutputMemory borrow(std::span<std::byte> bytes) {
    OutputMemory memory;
    memory.storage = Borrowed{bytes.data(), bytes.size()};
    return memory;
  }
  /// Makes a region of \p pool, which is not null. Each use checks the bounds.
  static OutputMemory region(std::shared_ptr<const SharedMemory> pool,
                             uint64_t offset, uint64_t size,
                             uint64_t padding = 0) {
    OutputMemory memory;
    memory.storage = Region{std::move(pool), offset, size, padding};
    return memory;
  }
  static OutputMemory device(uint32_t token) {
    OutputMemory memory;
    memory.storage = DeviceToken{token};
    return memory;
  }

  bool isNone() const { return std::holds_alternative<None>(storage); }
  /// Returns the size in bytes, or 0 where only the device knows it.
  uint64_t size() const {
    if (const auto *borrowed = std::get_if<Borrowed>(&storage))
      return borrowed->size;
    if (const auto *region = std::get_if<Region>(&storage))
      return region->size;
    return 0;
  }

  using Kind = std::variant<None, Borrowed, Region, DeviceToken>;
  const Kind &kind() const { return storage; }

private:
  Kind storage;
};

struct InputArgument {
  /// The input's bytes; `None` omits an optional input. Bytes that are not
  /// behind a descriptor are passed to the code as they are: they are aligned
  /// to their element.
  Memory memory;
  /// The input's dimensions. When they are empty, those of the model count.
  /// Otherwise they have the model's rank, and each one replaces an unknown
  /// dimension or equals a known one.
  std::vector<uint32_t> dimensions;
};

struct OutputArgument {
  OutputMemory memory;
  /// The output's dimensions, under the rule for inputs; unknown dimensions
  /// that the code computes may stay 0.
  std::vector<uint32_t> dimensions;
};

struct Request {
  std::vector<InputArgument> inputs;
  std::vector<OutputArgument> outputs;
  bool measureTiming = false;
  /// Asks for ExecutionResult::operationTimes.
  bool measureOperations = false;
  Deadline deadline = noDeadline;
  uint64_t loopTimeout = defaultLoopTimeout;
};

struct OutputShape {
  std::vector<uint32_t> dimensions;
  /// This is false when the memory was smaller than the output.
  bool isSufficient = true;
  bool operator==(const OutputShape &) const = default;
};

/// Durations in microseconds; noTiming where one was not measured or the
/// execution failed (D-044).
struct Timing {
  uint64_t timeOnDevice = noTiming;
  uint64_t timeInDriver = noTiming;
  bool operator==(const Timing &) const = default;
};

/// The report of an execution beside its Status. Programs reuse one object for
/// many executions, because its vectors keep their memory.
struct ExecutionResult {
  /// One shape per output on success and on outputInsufficientSize; empty
  /// otherwise.
  std::vector<OutputShape> outputShapes;
  Timing timing;
  /// The bytes of arguments that were copied between their memory and where the
  /// code found them: 0 for borrowed memory, buffers and sealed pools that are
  /// aligned to their elements.
  uint64_t copiedBytes = 0;
  /// The nanoseconds per operation of the main subgraph, when asked for; empty
  /// when the code does not tell them apart.
  std::vector<uint64_t> operationTimes;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_EXECUTION_H
