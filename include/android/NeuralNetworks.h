//===- NeuralNetworks.h - The NDK API for neural networks -------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C functions of libneuralnetworks.so. A client builds a model and finishes
// it, makes a compilation of it, configures and finishes that, makes executions
// of it, sets their arguments and computes them (J-069). These rules hold for
// every function unless it says otherwise:
//
// Results.   A function returns a ResultCode; names stand here without
//            ANEURALNETWORKS_. Null pointers are found before everything else
//            (J-076), and an object that cannot be made is null (J-075).
// Ownership. Whoever makes an object frees it, in reverse order: a model lives
//            longer than its compilations, a compilation than its executions
//            and bursts, a memory than everything that refers to it (J-079).
//            Free functions take null, and objects in any state (J-078).
// States.    An object cannot be changed after it was finished or started:
//            BAD_STATE (J-070, J-074).
// Threads.   One thread at a time changes an object. Finished models and
//            compilations, devices and memories are used by any number at once
//            (J-105).
// Failures.  Nothing throws or ends the process; a failed allocation is
//            OUT_OF_MEMORY (J-110, J-112).
// Fork.      Devices have threads, which a child of fork() does not have: in
//            the child of a process that has used a device, functions that
//            would need one return UNAVAILABLE_DEVICE.
//
// API levels are those of Android that brought a function. C99 and C++.
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_NEURALNETWORKS_H
#define ANDROID_NEURALNETWORKS_H

#include <android/NeuralNetworksTypes.h>

#if defined(__has_include)
#if __has_include(<android/hardware_buffer.h>)
#include <android/hardware_buffer.h>
#define NNHAL_HAS_HARDWARE_BUFFER_HEADER
#endif
#endif
#ifdef NNHAL_HAS_HARDWARE_BUFFER_HEADER
#undef NNHAL_HAS_HARDWARE_BUFFER_HEADER
#else
typedef struct AHardwareBuffer AHardwareBuffer;
#endif

#ifdef __cplusplus
extern "C" {
#endif

//===-- Devices -----------------------------------------------------------===//

// A device is a handle that ANeuralNetworks_getDevice has given. The functions
// on devices answer BAD_DATA to any other pointer and do not read there.

/// Returns the feature level of the library, 31. API level 31.
int64_t ANeuralNetworks_getRuntimeFeatureLevel(void);

/// Gives the number of devices, the CPU device included: at least 1 (J-001).
/// API level 29.
int ANeuralNetworks_getDeviceCount(uint32_t *numDevices);

/// Gives the device number \p devIndex, which is not freed. BAD_DATA for an
/// index that is not below the count (J-002). API level 29.
int ANeuralNetworks_getDevice(uint32_t devIndex,
                              ANeuralNetworksDevice **device);

/// Gives the name of the device, which lives as long as the process and differs
/// from those of all others (J-003). API level 29.
int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
                                  const char **name);

/// Gives a DeviceTypeCode. OP_FAILED when the device has none of them (J-004).
/// API level 29.
int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type);

/// Gives the version of the device's implementation, which is not empty and
/// lives as long as the process (J-005). API level 29.
int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version);

/// Gives the feature level of the device, 27 to 30 (J-006). API level 29.
int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel);

/// Waits until the device is alive. OP_FAILED when it cannot be used again
/// (J-007). API level 30.
int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device);

//===-- Models ------------------------------------------------------------===//

/// Makes an empty model. API level 27.
int ANeuralNetworksModel_create(ANeuralNetworksModel **model);

/// Frees a model that no compilation, execution or other model uses. API level
/// 27.
void ANeuralNetworksModel_free(ANeuralNetworksModel *model);

/// Ends the building of the model. BAD_DATA when the model is not valid, which
/// is then good for nothing but to be freed (J-033, J-071). API level 27.
int ANeuralNetworksModel_finish(ANeuralNetworksModel *model);

/// Adds an operand, which gets the next index, counted from 0. BAD_DATA when
/// \p type is not valid; the model is then as before (J-034, J-080). API level
/// 27.
int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type);

/// Makes the operand \p index a constant. Null with length 0 says that an
/// optional operand is omitted. Values of up to
/// MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES bytes are copied; longer ones are
/// referred to and stay as they are until the model and all compilations of it
/// are freed. BAD_DATA when index, type or length do not fit (J-035). API level
/// 27.
int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model,
                                         int32_t index, const void *buffer,
                                         size_t length);

/// Makes the operand \p index a constant, the \p length bytes of \p memory from
/// \p offset on, which nobody changes until the model and all compilations of
/// it are freed. BAD_DATA when these do not fit the operand or the memory
/// (J-036). API level 27.
int ANeuralNetworksModel_setOperandValueFromMemory(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksMemory *memory, size_t offset, size_t length);

/// Makes the operand \p index, of type MODEL, a reference to \p value, which is
/// finished (BAD_STATE) and lives longer than the model (J-037). API level 30.
int ANeuralNetworksModel_setOperandValueFromModel(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksModel *value);

/// Sets the scales of the operand \p index, of type
/// TENSOR_QUANT8_SYMM_PER_CHANNEL; they are copied. BAD_DATA when they do not
/// fit the type (J-017). API level 29.
int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant);

/// Adds an operation; its operands may get their values later, and operations
/// may be added in any order. BAD_DATA for a type or an index that does not
/// exist (J-038). API level 27.
int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type,
                                      uint32_t inputCount,
                                      const uint32_t *inputs,
                                      uint32_t outputCount,
                                      const uint32_t *outputs);

/// Says which operands are the arguments of executions, in their order. Called
/// once. BAD_DATA for an index that does not exist or an operand with a value
/// (J-039). API level 27.
int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                  uint32_t inputCount,
                                                  const uint32_t *inputs,
                                                  uint32_t outputCount,
                                                  const uint32_t *outputs);

/// Says whether FLOAT32 may be computed with the range and precision of IEEE
/// 754 16-bit numbers; the default is that it may not. API level 28.
int ANeuralNetworksModel_relaxComputationFloat32toFloat16(
    ANeuralNetworksModel *model, bool allow);

/// Tells in \p supportedOps, which has one element per operation in the order
/// in which they were added, whether any of \p devices supports it. BAD_DATA
/// for an empty list or a device twice, BAD_STATE for a model that is not
/// finished and valid (J-008). API level 29.
int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model,
    const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
    bool *supportedOps);

//===-- Compilations ------------------------------------------------------===//

/// Makes a compilation for all devices. BAD_STATE for a model that is not
/// finished and valid (J-041). API level 27.
int ANeuralNetworksCompilation_create(ANeuralNetworksModel *model,
                                      ANeuralNetworksCompilation **compilation);

/// Makes a compilation for \p devices alone, which the CPU device joins only if
/// it is among them. BAD_DATA for an empty list, a device twice or one that
/// does not exist (J-009). API level 29.
int ANeuralNetworksCompilation_createForDevices(
    ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, ANeuralNetworksCompilation **compilation);

/// Frees a compilation that no execution or burst uses. API level 27.
void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation);

/// Sets a PreferenceCode; the default is PREFER_FAST_SINGLE_ANSWER. BAD_DATA
/// for other values (J-043). API level 27.
int ANeuralNetworksCompilation_setPreference(
    ANeuralNetworksCompilation *compilation, int32_t preference);

/// Keeps what the compilation makes in the directory \p cacheDir, which exists,
/// and takes it from there when it was kept before. The
/// BYTE_SIZE_OF_CACHE_TOKEN bytes of \p token stand for the model, its
/// constants included. Nothing about the directory fails a compilation (J-018).
/// API level 29.
int ANeuralNetworksCompilation_setCaching(
    ANeuralNetworksCompilation *compilation, const char *cacheDir,
    const uint8_t *token);

/// Sets a PriorityCode; the default is PRIORITY_DEFAULT. BAD_DATA for other
/// values (J-045). API level 30.
int ANeuralNetworksCompilation_setPriority(
    ANeuralNetworksCompilation *compilation, int priority);

/// Sets the nanoseconds that finish may take; 0 is without limit. BAD_DATA for
/// a compilation that was not made for exactly one device by its list (J-046).
/// API level 30.
int ANeuralNetworksCompilation_setTimeout(
    ANeuralNetworksCompilation *compilation, uint64_t duration);

/// Compiles. The failures are those of compiling; the compilation is then good
/// for nothing but to be freed (J-044, J-072). API level 27.
int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation);

/// Gives the alignment, in bytes, of memory for the argument \p index that is
/// not copied: of the pointer, or of the offset in a memory. A power of two.
/// BAD_DATA for a wrong index, BAD_STATE before finish (J-067). API level 31.
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment);
int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment);

/// Gives the multiple of bytes that the memory of the argument \p index is best
/// padded to, see ANeuralNetworksExecution_enableInputAndOutputPadding(). A
/// power of two. Failures as above. API level 31.
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding);
int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding);

//===-- Memories ----------------------------------------------------------===//

/// Makes a memory of \p size bytes of a file from \p offset on. \p protect is
/// PROT_READ, PROT_WRITE or both. The descriptor is duplicated. BAD_DATA for a
/// size of 0, a negative descriptor, and a file or protection that do not fit,
/// UNEXPECTED_NULL for a descriptor that is not open (J-029). API level 27.
int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd,
                                       size_t offset,
                                       ANeuralNetworksMemory **memory);

/// Makes a memory of a hardware buffer, which is kept while the memory lives.
/// Arguments can be in buffers of format BLOB; others are used whole, with
/// offset 0 and length 0, by devices that know their layout (J-016). API level
/// 29.
int ANeuralNetworksMemory_createFromAHardwareBuffer(
    const AHardwareBuffer *ahwb, ANeuralNetworksMemory **memory);

/// Makes a memory as \p desc, which is finished (BAD_STATE), describes. It is
/// used whole, with offset 0 and length 0, in the roles of the description and
/// no others. OP_FAILED when no device can make it (J-027). API level 30.
int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory);

/// Copies all bytes of \p src to \p dst: one of them was made from a
/// description. BAD_DATA when their sizes or shapes differ or the source has
/// not been written yet (J-028). API level 30.
int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                               const ANeuralNetworksMemory *dst);

/// Frees a memory that nothing uses. API level 27.
void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory);

/// Makes an empty description. API level 30.
int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc);

/// Frees a description; memories that were made from it live on. API level 30.
void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc);

/// Says that the memory is to serve as input number \p index of \p compilation,
/// which is finished. \p frequency, in (0, 1], is how likely. BAD_DATA for
/// other values, and for a role that is there already or contradicts those that
/// are (J-023). API level 30.
int ANeuralNetworksMemoryDesc_addInputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);

/// Does so for output number \p index (J-024). API level 30.
int ANeuralNetworksMemoryDesc_addOutputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency);

/// Sets the dimensions of the memory, 0 for those that are not known. BAD_DATA
/// when they contradict those of a role (J-025). API level 30.
int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
                                            uint32_t rank,
                                            const uint32_t *dimensions);

/// Ends the description. BAD_DATA when it has no role (J-026). API level 30.
int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc);

//===-- Executions --------------------------------------------------------===//

/// Makes an execution. BAD_STATE for a compilation that is not finished or
/// failed (J-047). API level 27.
int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution);

/// Frees an execution that does not run; one that runs is left as it is, which
/// is logged (J-048, J-104). API level 27.
void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution);

/// Sets input number \p index to the \p length bytes at \p buffer, which stay
/// as they are until the execution has ended; null with length 0 omits it.
/// \p type, which may be null, replaces dimensions that the model leaves open.
/// BAD_DATA when index, type or length do not fit, BAD_STATE when the input is
/// set already (J-049, J-081 to J-089). API level 27.
int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
                                      int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const void *buffer, size_t length);

/// Sets input number \p index to \p length bytes of \p memory from \p offset
/// on; both are 0 for a whole memory of a description or a hardware buffer.
/// Failures as above (J-050, J-090). API level 27.
int ANeuralNetworksExecution_setInputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);

/// Sets output number \p index to the \p length bytes at \p buffer; null with
/// length 0 omits it. \p type may leave dimensions open (J-051, J-085). API
/// level 27.
int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
                                       int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       void *buffer, size_t length);

/// Sets output number \p index to a part of a memory (J-052). API level 27.
int ANeuralNetworksExecution_setOutputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length);

/// Says whether the execution measures durations. BAD_DATA, before the state,
/// for a compilation that was not made for exactly one device by its list
/// (J-011, J-077). API level 29.
int ANeuralNetworksExecution_setMeasureTiming(
    ANeuralNetworksExecution *execution, bool measure);

/// Sets the nanoseconds that the execution may take; 0 is without limit.
/// Failures as above (J-054). API level 30.
int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                        uint64_t duration);

/// Sets the nanoseconds that each WHILE may take, at most
/// ANeuralNetworks_getMaximumLoopTimeout() (J-057). API level 30.
int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                            uint64_t duration);

/// Return 2 seconds and 15 seconds, in nanoseconds (J-058, J-059). API level
/// 30.
uint64_t ANeuralNetworks_getDefaultLoopTimeout(void);
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void);

/// Says whether the lengths of arguments may exceed what their types take: the
/// bytes behind are then nobody's. Called before the first argument is set:
/// BAD_STATE afterwards (J-067). API level 31.
int ANeuralNetworksExecution_enableInputAndOutputPadding(
    ANeuralNetworksExecution *execution, bool enable);

/// Says whether the execution may be computed again once it has ended. Its
/// arguments stay set. Called before the first computation: BAD_STATE
/// afterwards (J-067). API level 31.
int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                         bool reusable);

/// Computes, and returns when that has ended. BAD_DATA when an argument is not
/// set: it may be set then; BAD_STATE for an execution that was started before
/// and is not reusable, or still runs (J-010, J-092). API level 29.
int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution);

/// Begins to compute, and gives an event that ends with it and tells how. The
/// event is null when the execution was not started (J-053, J-094). API level
/// 27.
int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event);

/// Begins to compute when all of \p dependencies have ended well; a failure of
/// one is returned, or told by the event. \p duration, in nanoseconds, limits
/// the time from then on; 0 is without limit, and other values need a
/// compilation for exactly one listed device (BAD_DATA). The dimensions of all
/// outputs are known from the model (BAD_DATA). The dependencies may be freed
/// when the function has returned (J-066, J-100 to J-103). API level 30.
int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution,
    const ANeuralNetworksEvent *const *dependencies, uint32_t numDependencies,
    uint64_t duration, ANeuralNetworksEvent **event);

/// Computes over the queues of \p burst. BAD_DATA for a burst of another
/// compilation, BAD_STATE when it computes already (J-015). API level 29.
int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst);

/// Gives the number of dimensions of output number \p index, of an execution
/// that has ended well, or with an output that is too small:
/// OUTPUT_INSUFFICIENT_SIZE for that output, with the rank. BAD_STATE for other
/// executions, BAD_DATA for a wrong index (J-019, J-097). API level 29.
int ANeuralNetworksExecution_getOutputOperandRank(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank);

/// Gives the dimensions, of which there are as many as the rank. Failures as
/// above; BAD_DATA for an output of rank 0 (J-020). API level 29.
int ANeuralNetworksExecution_getOutputOperandDimensions(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions);

/// Gives a duration of an execution that has ended well; UINT64_MAX when it is
/// not known. BAD_DATA for another \p durationCode than a DurationCode,
/// BAD_STATE for an execution that was not measured or did not end well, both
/// with UINT64_MAX (J-012, J-098, J-099). API level 29.
int ANeuralNetworksExecution_getDuration(
    const ANeuralNetworksExecution *execution, int32_t durationCode,
    uint64_t *duration);

//===-- Bursts ------------------------------------------------------------===//

/// Makes a burst. BAD_STATE for a compilation that is not finished or failed
/// (J-013). API level 29.
int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst);

/// Frees a burst that does not compute (J-014). API level 29.
void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst);

//===-- Events ------------------------------------------------------------===//

/// Makes an event of a descriptor that signals an end as a sync_file does, or
/// as the descriptor of ANeuralNetworksEvent_getSyncFenceFd() does. It is
/// duplicated. BAD_DATA for a descriptor that is not positive (J-064). API
/// level 30.
int ANeuralNetworksEvent_createFromSyncFenceFd(int syncFenceFd,
                                               ANeuralNetworksEvent **event);

/// Gives a descriptor to wait with, which the caller closes; -1 and BAD_DATA
/// for an event without one (J-065). API level 30.
int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                        int *syncFenceFd);

/// Waits for the end, and returns how it was, each time the same. Any number of
/// threads may wait (J-055, J-095, J-107). API level 27.
int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event);

/// Waits for the end and frees the event (J-056). API level 27.
void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // ANDROID_NEURALNETWORKS_H
