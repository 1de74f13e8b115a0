//===- CompilerApi.h - The compiler as a table of C functions ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime owns this header; libNNHalCompiler.so implements it and exports
// one symbol, nnhalGetCompilerApi (decisions 5). Plain C so that either side
// may be built by another compiler. Strings are (pointer, length) pairs; no
// allocation crosses the boundary: results arrive through sinks. Fields are
// only ever appended; a reader checks structSize before it reads one.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_COMPILERCLIENT_COMPILERAPI_H
#define NNHAL_LIB_RUNTIME_COMPILERCLIENT_COMPILERAPI_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stddef.h>
#include <stdint.h>
#endif

#define NNHAL_COMPILER_API_MAJOR 1
#define NNHAL_COMPILER_API_MINOR 8

typedef struct NNHalString {
  const char *data;
  size_t size;
} NNHalString;

typedef struct NNHalBytes {
  const void *data;
  size_t size;
} NNHalBytes;

typedef struct NNHalIndices {
  const uint32_t *data;
  size_t size;
} NNHalIndices;

/// rt::Operand, field by field. extraKind: 0 none, 1 per-channel scales, 2
/// extension bytes.
typedef struct NNHalOperandView {
  uint32_t type;
  NNHalIndices dimensions;
  uint32_t numberOfConsumers;
  float scale;
  int32_t zeroPoint;
  uint32_t lifetime;
  uint32_t poolIndex;
  uint32_t offset;
  uint32_t length;
  uint32_t extraKind;
  const float *channelScales;
  size_t channelScaleCount;
  uint32_t channelDim;
  NNHalBytes extension;
} NNHalOperandView;

typedef struct NNHalOperationView {
  uint32_t type;
  NNHalIndices inputs;
  NNHalIndices outputs;
} NNHalOperationView;

typedef struct NNHalSubgraphView {
  const NNHalOperandView *operands;
  size_t operandCount;
  const NNHalOperationView *operations;
  size_t operationCount;
  NNHalIndices inputIndexes;
  NNHalIndices outputIndexes;
} NNHalSubgraphView;

typedef struct NNHalPoolView {
  NNHalString name;
  NNHalBytes bytes;
  NNHalString file;
  uint64_t fileOffset;
  uint32_t isSynthetic;
} NNHalPoolView;

typedef struct NNHalExtensionView {
  NNHalString name;
  uint32_t prefix;
} NNHalExtensionView;

typedef struct NNHalStatePairView {
  uint32_t outputIndex;
  uint32_t inputIndex;
} NNHalStatePairView;

/// rt::AnnotatedModel without copies: every pointer is borrowed for the length
/// of the call. Pools are materialized.
typedef struct NNHalModelView {
  uint32_t structSize;
  uint32_t halVersion; // 0 for 1.0 to 3 for 1.3
  NNHalSubgraphView main;
  const NNHalSubgraphView *referenced;
  size_t referencedCount;
  NNHalBytes operandValues;
  const NNHalPoolView *pools;
  size_t poolCount;
  uint32_t relaxComputationFloat32toFloat16;
  const NNHalExtensionView *extensions;
  size_t extensionCount;
  const NNHalString *inputNames;
  size_t inputNameCount;
  const NNHalString *outputNames;
  size_t outputNameCount;
  const NNHalStatePairView *statePairs;
  size_t statePairCount;
} NNHalModelView;

/// rt::Extension::OperandTypeInfo.
typedef struct NNHalExtensionTypeView {
  uint16_t type;
  /// rt::ElementKind. It was the upper half of the type, which is 0 there.
  uint16_t kind;
  uint32_t isTensor;
  uint32_t byteSize;
} NNHalExtensionTypeView;

/// rt::CompiledExtension.
typedef struct NNHalCompiledExtension {
  NNHalString name;
  NNHalString buildIdentity;
  const NNHalExtensionTypeView *types;
  size_t typeCount;
} NNHalCompiledExtension;

typedef struct NNHalCompileOptions {
  uint32_t structSize;
  /// The empty text stands for the host's triple.
  NNHalString targetTriple;
  NNHalString targetCpu;
  /// Comma-separated +feature,-feature; empty means what targetCpu has.
  NNHalString targetFeatures;
  /// The values are 0 for double rounding, 1 for single rounding and 2 for
  /// float (decisions 17).
  uint32_t rounding;
  /// The code adds this to the offset of every constant: the size of the data
  /// cache to which its own will be appended. It is a multiple of 64.
  uint64_t constantsOffset;
  /// Minor 2. Threads that compile at once, 1024 at most; 0 for one per
  /// processor, but no more than 8. The artifact is the same for any number.
  uint32_t threads;
  /// Minor 3. Where a pass that fails or crashes leaves what it was run on, as
  /// rt::CompileOptions says; empty for nowhere.
  NNHalString crashReproducer;
  /// Minor 4. The extensions that the model uses, whose operations become calls
  /// of the routine of extensions unless a dialect lowers them.
  const NNHalCompiledExtension *extensions;
  size_t extensionCount;
  /// Minor 5. The name of a target of the compiler; empty for its default.
  NNHalString target;
  /// Minor 7. Folders with halves of extensions, in the order in which they are
  /// searched; the one beside the compiler comes after them.
  const NNHalString *halfFolders;
  size_t halfFolderCount;
} NNHalCompileOptions;

/// The functions to which a compilation reports. Every function is called on
/// the thread that called compile, but for those of kernels and parts; those of
/// minor versions may be null.
typedef struct NNHalCompileSinks {
  uint32_t structSize;
  void *context;
  /// The two parts of the artifact (ModelCache.h), once each, on success only.
  void (*artifact)(void *context, NNHalBytes modelCache, NNHalBytes dataCache);
  /// One diagnostic: lower case, no period, no trailing newline.
  void (*diagnostic)(void *context, uint32_t isError, NNHalString text);
  /// Phase \p phase begins; \p done of \p total phases are complete.
  void (*progress)(void *context, NNHalString phase, uint32_t done,
                   uint32_t total);
  /// Minor 1; may be null. Not 0: the compilation shall stop and fail.
  uint32_t (*isCancelled)(void *context);
  /// This came with minor version 1 and may be null. It tells how operation
  /// \p operation of the main subgraph is computed.
  void (*remark)(void *context, uint32_t operation, NNHalString text);
  /// Minor 6. Calls \p receive with the object that keepKernel was given with
  /// \p key by this build of the compiler; does nothing where there is none.
  /// This and keepKernel may be called from any thread, and calls may overlap.
  void (*findKernel)(void *context, NNHalString key, void *receiver,
                     void (*receive)(void *receiver, NNHalBytes object));
  /// Minor 6. The machine code of a kernel, for later compilations; or, with a
  /// key that begins with "operation_", which kernels an operation calls.
  void (*keepKernel)(void *context, NNHalString key, NNHalBytes object);
  /// Minor 8. A part of the compilation, a pass or the code of a kernel, has
  /// ended on the calling thread, which is any, and took so long there. Parts
  /// are told before those that they are parts of. Calls may overlap.
  void (*part)(void *context, NNHalString name, uint64_t nanoseconds);
} NNHalCompileSinks;

typedef struct NNHalCompilerApi {
  uint32_t structSize;
  uint32_t major;
  uint32_t minor;
  /// Names this build of the compiler; equal names and equal halves of
  /// extensions produce equal artifacts.
  NNHalString buildIdentity;
  /// Both return a HAL ErrorStatus value (StatusCode); on failure at least one
  /// error has gone to the diagnostic sink. They may be called from any thread,
  /// and calls may overlap.
  int32_t (*compileModel)(const NNHalModelView *model,
                          const NNHalCompileOptions *options,
                          const NNHalCompileSinks *sinks);
  /// \p text is MLIR, textual or bytecode, with one nnhal.model.
  int32_t (*compileMlir)(NNHalBytes text, NNHalString name,
                         const NNHalCompileOptions *options,
                         const NNHalCompileSinks *sinks);
  /// Minor 7. Opens the halves of extensions in \p folder, for a process that
  /// gives up the right to open files before it compiles with this folder among
  /// its options. Other processes need not call it. It may be called from any
  /// thread.
  void (*openHalves)(NNHalString folder);
} NNHalCompilerApi;

/// The one exported symbol. It returns null when \p major is not supported.
typedef const NNHalCompilerApi *(*NNHalGetCompilerApiFunction)(uint32_t major);
#define NNHAL_GET_COMPILER_API_SYMBOL "nnhalGetCompilerApi"

/// The compiler opens its halves of extensions in a folder beside its library,
/// and in those that NNHalCompileOptions states. The name of such a file is
/// that of the extension, and this suffix.
#define NNHAL_EXTENSION_HALF_FOLDER "nnhal/extensions"
#define NNHAL_EXTENSION_HALF_SUFFIX ".compiler.so"

#ifdef __cplusplus
} // extern "C"
#endif

#endif // NNHAL_LIB_RUNTIME_COMPILERCLIENT_COMPILERAPI_H
