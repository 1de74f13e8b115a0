//===- Runtime.h - All headers for running models ---------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime executes NN HAL models on devices of this process. A program
// reads a model (importTFLite(), readJsonModel()), has a Device prepare it, and
// executes the PreparedModel with requests. examples/run-a-model is such a
// program. These rules hold for every class unless its header says otherwise:
//
// Ownership. Values (models, requests, options, results) belong to their
//   holder. Devices belong to the program that created them. Prepared models,
//   buffers, fences and memory are shared: they are std::shared_ptr or hold
//   one, the last holder frees them, and each outlives the object that made it.
//   Memory that a value only borrows (Memory::borrow(), OutputMemory::borrow())
//   stays the caller's and must live as long as the call, or the execution,
//   that it was given to.
//
// Threads. Values may be read by any number of threads and written by one, as
//   containers of the standard library. Devices, prepared models, buffers,
//   fences and compilers may be used by any number of threads at once.
//   Callbacks are called on a thread of the device, once, and must not throw.
//
// Blocking. Device::prepareModel(), Device::prepareModelFromCache() and
//   PreparedModel::execute() return when the work is done or their deadline has
//   passed. Functions whose names end in Async, and executeFenced(), return
//   when the work is queued. Fence::wait() waits. Nothing else blocks for
//   longer than it takes to copy its arguments.
//
// Errors. Every fallible function returns a Status or a Result, which cannot be
//   dropped silently; StatusCode says what a caller should do next, and the
//   message names the operand, option or file, the found value and the bound.
//   No exception leaves the runtime: std::bad_alloc becomes
//   RESOURCE_EXHAUSTED_TRANSIENT.
//
// Nothing is global: the clock, the threads, the limits, the log and the trace
// of a device are its DeviceServices.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_RUNTIME_H
#define NNHAL_RUNTIME_RUNTIME_H

#include "nnhal/Runtime/CompilationCache.h"
#include "nnhal/Runtime/CpuDevice.h"
#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/DeviceRegistry.h"
#include "nnhal/Runtime/DeviceSet.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/OlderDevice.h"
#include "nnhal/Runtime/Partition.h"
#include "nnhal/Runtime/Recorder.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/Service.h"
#include "nnhal/Runtime/TFLiteModel.h"
#include "nnhal/Runtime/Validate.h"
#include "nnhal/Runtime/Version.h"

#endif // NNHAL_RUNTIME_RUNTIME_H
