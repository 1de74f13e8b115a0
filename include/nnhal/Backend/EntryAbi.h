//===- EntryAbi.h - The interface of generated code -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Entry ABI v1 (decisions 6). Everything that generated code needs arrives
// through one context structure; an artifact imports nothing but memcpy,
// memmove and memset. The compiler emits loads at the offsets below, so fields
// are only ever appended and the unit test EntryAbiTest pins every offset.
//
// C99-clean; the layout is that of LP64.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_BACKEND_ENTRYABI_H
#define NNHAL_BACKEND_ENTRYABI_H

#ifdef __cplusplus
#include <cstdint>
extern "C" {
#else
#include <stdint.h>
#endif

#define NNHAL_ENTRY_ABI_VERSION 1

/// Alignment in bytes of the arena, of the constants base and of every tensor
/// that the runtime allocates. Inputs and outputs of a caller may have less:
/// generated code assumes the element's alignment for those.
#define NNHAL_ENTRY_ALIGNMENT 64

/// One model input or output of one execution.
typedef struct NNHalTensorArgument {
  /// The row-major elements; null when the argument is not present.
  void *data;
  /// The number of bytes behind data.
  uint64_t size;
  /// The rank extents. The caller sets those of inputs. For outputs it provides
  /// room for rank extents, and the code writes them before it returns.
  /// Generated code knows every rank and writes none.
  int64_t *shape;
  uint32_t rank;
  /// For an input, 0 says that the optional input is omitted.
  uint32_t isPresent;
  /// For an output, the code writes 0 when size did not suffice.
  uint32_t isSufficient;
  uint32_t reserved;
} NNHalTensorArgument;

/// Runs \p body(\p bodyContext, begin, end) over a partition of [0, \p count)
/// in pieces of at least \p grain, and returns when all are done. It calls
/// \p body from any threads, several at once, or on the calling thread only.
typedef void (*NNHalParallelBody)(void *bodyContext, int64_t begin,
                                  int64_t end);
typedef void (*NNHalParallelFor)(void *poolContext, NNHalParallelBody body,
                                 void *bodyContext, int64_t count,
                                 int64_t grain);

/// Generated code calls this before and after operation \p operationIndex when
/// tracing is on.
typedef void (*NNHalTraceHook)(void *traceContext, uint32_t operationIndex,
                               uint32_t isEnd);

struct NNHalExecutionContext;

/// One tensor that a routine of the runtime reads or makes.
typedef struct NNHalRoutineTensor {
  /// The elements of an input, null when it is omitted. The routine allocates
  /// those of an output.
  void *data;
  /// The rank extents, which the routine writes for outputs.
  int64_t *extents;
  uint32_t rank;
  uint32_t reserved;
} NNHalRoutineTensor;

/// Executes the operation that \p signature describes (RoutineSignature.h).
/// Returns a HAL ErrorStatus value.
typedef int32_t (*NNHalRoutine)(
    struct NNHalExecutionContext *context, const uint8_t *signature,
    uint64_t signatureSize, const NNHalRoutineTensor *inputs,
    uint32_t inputCount, NNHalRoutineTensor *outputs, uint32_t outputCount);

/// Routines of the runtime for irregular work; slots are numbered by the table
/// in docs/Compiler/Routines.md. The header of an artifact lists the slots it
/// uses.
typedef struct NNHalRoutineTable {
  uint32_t structSize;
  uint32_t count;
  const NNHalRoutine *routines;
} NNHalRoutineTable;

/// Allocates memory for a tensor of \p rank \p extents of \p elementSize bytes,
/// aligned to NNHAL_ENTRY_ALIGNMENT, that lives until the execution ends.
/// Returns null when there is none: failureReason, failureFound and
/// failureBound then say why.
typedef void *(*NNHalAllocate)(void *allocateContext, const int64_t *extents,
                               uint32_t rank, uint64_t elementSize);

/// Reads the steady clock, in nanoseconds.
typedef int64_t (*NNHalClock)(void *clockContext);

/// Takes the message of a routine that fails. \p message lives until this
/// returns.
typedef void (*NNHalReport)(void *reportContext, const char *message);

typedef struct NNHalExecutionContext {
  uint32_t structSize;               // offset 0
  uint32_t version;                  // 4
  const NNHalTensorArgument *inputs; // 8
  NNHalTensorArgument *outputs;      // 16
  uint32_t inputCount;               // 24
  uint32_t outputCount;              // 28
  void *arena;                       // 32
  uint64_t arenaSize;                // 40
  const void *constants;             // 48
  uint64_t constantsSize;            // 56
  /// The function is null when the execution has one thread: the code then does
  /// everything itself.
  NNHalParallelFor parallelFor; // 64
  void *parallelForContext;     // 72
  /// A value other than 0 asks the code to stop at its next check. The pointer
  /// is never null.
  const volatile uint32_t *cancelFlag; // 80
  /// The deadline is in absolute steady-clock nanoseconds; INT64_MAX stands for
  /// none.
  int64_t deadline;                  // 88
  uint64_t loopTimeout;              // 96, nanoseconds per WHILE
  NNHalTraceHook traceHook;          // 104, null when tracing is off
  void *traceContext;                // 112
  const NNHalRoutineTable *routines; // 120
  NNHalAllocate allocate;            // 128
  void *allocateContext;             // 136
  NNHalClock clock;                  // 144
  void *clockContext;                // 152
  /// Code that stops for a reason of FailureReasons.def writes these fields:
  /// the reason, the number of the operation or UINT32_MAX, and the values that
  /// the message names.
  uint32_t failureReason;   // 160
  uint32_t failedOperation; // 164
  int64_t failureFound;     // 168
  int64_t failureBound;     // 176
  NNHalReport report;       // 184, may be null
  void *reportContext;      // 192
  /// A `const std::vector<nnhal::rt::InstalledExtension> *` for the routine of
  /// extensions; null where there are none.
  const void *extensions; // 200
} NNHalExecutionContext;

/// The entry of an artifact. It returns a HAL ErrorStatus value (StatusCode).
/// It is re-entrant: two calls with different contexts may run at once.
typedef int32_t (*NNHalEntry)(NNHalExecutionContext *context);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NNHAL_BACKEND_ENTRYABI_H
