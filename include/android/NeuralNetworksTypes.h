//===- NeuralNetworksTypes.h - Codes and types of the NDK API ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The codes, structures and opaque types of the C functions of
// android/NeuralNetworks.h. Names and values are those of the ABI. API levels
// are those of Android: 27 is feature level 1, 31 is feature level 5.
//
// C99 and C++.
//
//===----------------------------------------------------------------------===//

#ifndef ANDROID_NEURALNETWORKSTYPES_H
#define ANDROID_NEURALNETWORKSTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The types of operands. Codes above 0xFFFF are types of extensions, which
/// ANeuralNetworksModel_getExtensionOperandType() gives.
typedef enum {
  /* API level 27. */

  /// A 32-bit floating-point scalar.
  ANEURALNETWORKS_FLOAT32 = 0,
  /// A signed 32-bit scalar.
  ANEURALNETWORKS_INT32 = 1,
  /// An unsigned 32-bit scalar.
  ANEURALNETWORKS_UINT32 = 2,
  /// A tensor of 32-bit floating-point elements.
  ANEURALNETWORKS_TENSOR_FLOAT32 = 3,
  /// A tensor of signed 32-bit elements; with a scale and zero point 0 it holds
  /// element * scale.
  ANEURALNETWORKS_TENSOR_INT32 = 4,
  /// A tensor of unsigned 8-bit elements: (element - zeroPoint) * scale, with a
  /// positive scale and a zero point in [0, 255].
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM = 5,

  /* API level 29. */

  /// An 8-bit scalar: 0 is false, everything else true.
  ANEURALNETWORKS_BOOL = 6,
  /// A tensor of signed 16-bit elements: element * scale.
  ANEURALNETWORKS_TENSOR_QUANT16_SYMM = 7,
  /// A tensor of IEEE 754 16-bit floating-point elements.
  ANEURALNETWORKS_TENSOR_FLOAT16 = 8,
  /// A tensor of 8-bit elements: 0 is false, everything else true.
  ANEURALNETWORKS_TENSOR_BOOL8 = 9,
  /// An IEEE 754 16-bit floating-point scalar.
  ANEURALNETWORKS_FLOAT16 = 10,
  /// A tensor of signed 8-bit elements: element * scales[channel], see
  /// ANeuralNetworksModel_setOperandSymmPerChannelQuantParams().
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
  /// A tensor of unsigned 16-bit elements: (element - zeroPoint) * scale, with
  /// a zero point in [0, 65535].
  ANEURALNETWORKS_TENSOR_QUANT16_ASYMM = 12,
  /// A tensor of signed 8-bit elements: element * scale.
  ANEURALNETWORKS_TENSOR_QUANT8_SYMM = 13,

  /* API level 30. */

  /// A tensor of signed 8-bit elements: (element - zeroPoint) * scale, with a
  /// zero point in [-128, 127].
  ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED = 14,
  /// A reference to a model, see ANeuralNetworksModel_setOperandValueFromModel.
  ANEURALNETWORKS_MODEL = 15
} OperandCode;

/// The operations. docs/Using/Operations.md says which forms devices execute.
/// Codes above 0xFFFF are operations of extensions, which
/// ANeuralNetworksModel_getExtensionOperationType() gives.
typedef enum {
  /* API level 27. */
  ANEURALNETWORKS_ADD = 0,
  ANEURALNETWORKS_AVERAGE_POOL_2D = 1,
  ANEURALNETWORKS_CONCATENATION = 2,
  ANEURALNETWORKS_CONV_2D = 3,
  ANEURALNETWORKS_DEPTHWISE_CONV_2D = 4,
  ANEURALNETWORKS_DEPTH_TO_SPACE = 5,
  ANEURALNETWORKS_DEQUANTIZE = 6,
  ANEURALNETWORKS_EMBEDDING_LOOKUP = 7,
  ANEURALNETWORKS_FLOOR = 8,
  ANEURALNETWORKS_FULLY_CONNECTED = 9,
  ANEURALNETWORKS_HASHTABLE_LOOKUP = 10,
  ANEURALNETWORKS_L2_NORMALIZATION = 11,
  ANEURALNETWORKS_L2_POOL_2D = 12,
  ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION = 13,
  ANEURALNETWORKS_LOGISTIC = 14,
  ANEURALNETWORKS_LSH_PROJECTION = 15,
  ANEURALNETWORKS_LSTM = 16,
  ANEURALNETWORKS_MAX_POOL_2D = 17,
  ANEURALNETWORKS_MUL = 18,
  ANEURALNETWORKS_RELU = 19,
  ANEURALNETWORKS_RELU1 = 20,
  ANEURALNETWORKS_RELU6 = 21,
  ANEURALNETWORKS_RESHAPE = 22,
  ANEURALNETWORKS_RESIZE_BILINEAR = 23,
  ANEURALNETWORKS_RNN = 24,
  ANEURALNETWORKS_SOFTMAX = 25,
  ANEURALNETWORKS_SPACE_TO_DEPTH = 26,
  ANEURALNETWORKS_SVDF = 27,
  ANEURALNETWORKS_TANH = 28,
  /* API level 28. */
  ANEURALNETWORKS_BATCH_TO_SPACE_ND = 29,
  ANEURALNETWORKS_DIV = 30,
  ANEURALNETWORKS_MEAN = 31,
  ANEURALNETWORKS_PAD = 32,
  ANEURALNETWORKS_SPACE_TO_BATCH_ND = 33,
  ANEURALNETWORKS_SQUEEZE = 34,
  ANEURALNETWORKS_STRIDED_SLICE = 35,
  ANEURALNETWORKS_SUB = 36,
  ANEURALNETWORKS_TRANSPOSE = 37,
  /* API level 29. */
  ANEURALNETWORKS_ABS = 38,
  ANEURALNETWORKS_ARGMAX = 39,
  ANEURALNETWORKS_ARGMIN = 40,
  ANEURALNETWORKS_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
  ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN = 43,
  ANEURALNETWORKS_BOX_WITH_NMS_LIMIT = 44,
  ANEURALNETWORKS_CAST = 45,
  ANEURALNETWORKS_CHANNEL_SHUFFLE = 46,
  ANEURALNETWORKS_DETECTION_POSTPROCESSING = 47,
  ANEURALNETWORKS_EQUAL = 48,
  ANEURALNETWORKS_EXP = 49,
  ANEURALNETWORKS_EXPAND_DIMS = 50,
  ANEURALNETWORKS_GATHER = 51,
  ANEURALNETWORKS_GENERATE_PROPOSALS = 52,
  ANEURALNETWORKS_GREATER = 53,
  ANEURALNETWORKS_GREATER_EQUAL = 54,
  ANEURALNETWORKS_GROUPED_CONV_2D = 55,
  ANEURALNETWORKS_HEATMAP_MAX_KEYPOINT = 56,
  ANEURALNETWORKS_INSTANCE_NORMALIZATION = 57,
  ANEURALNETWORKS_LESS = 58,
  ANEURALNETWORKS_LESS_EQUAL = 59,
  ANEURALNETWORKS_LOG = 60,
  ANEURALNETWORKS_LOGICAL_AND = 61,
  ANEURALNETWORKS_LOGICAL_NOT = 62,
  ANEURALNETWORKS_LOGICAL_OR = 63,
  ANEURALNETWORKS_LOG_SOFTMAX = 64,
  ANEURALNETWORKS_MAXIMUM = 65,
  ANEURALNETWORKS_MINIMUM = 66,
  ANEURALNETWORKS_NEG = 67,
  ANEURALNETWORKS_NOT_EQUAL = 68,
  ANEURALNETWORKS_PAD_V2 = 69,
  ANEURALNETWORKS_POW = 70,
  ANEURALNETWORKS_PRELU = 71,
  ANEURALNETWORKS_QUANTIZE = 72,
  ANEURALNETWORKS_QUANTIZED_16BIT_LSTM = 73,
  ANEURALNETWORKS_RANDOM_MULTINOMIAL = 74,
  ANEURALNETWORKS_REDUCE_ALL = 75,
  ANEURALNETWORKS_REDUCE_ANY = 76,
  ANEURALNETWORKS_REDUCE_MAX = 77,
  ANEURALNETWORKS_REDUCE_MIN = 78,
  ANEURALNETWORKS_REDUCE_PROD = 79,
  ANEURALNETWORKS_REDUCE_SUM = 80,
  ANEURALNETWORKS_ROI_ALIGN = 81,
  ANEURALNETWORKS_ROI_POOLING = 82,
  ANEURALNETWORKS_RSQRT = 83,
  ANEURALNETWORKS_SELECT = 84,
  ANEURALNETWORKS_SIN = 85,
  ANEURALNETWORKS_SLICE = 86,
  ANEURALNETWORKS_SPLIT = 87,
  ANEURALNETWORKS_SQRT = 88,
  ANEURALNETWORKS_TILE = 89,
  ANEURALNETWORKS_TOPK_V2 = 90,
  ANEURALNETWORKS_TRANSPOSE_CONV_2D = 91,
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
  ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
  ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR = 94,
  /* API level 30. */
  ANEURALNETWORKS_QUANTIZED_LSTM = 95,
  ANEURALNETWORKS_IF = 96,
  ANEURALNETWORKS_WHILE = 97,
  ANEURALNETWORKS_ELU = 98,
  ANEURALNETWORKS_HARD_SWISH = 99,
  ANEURALNETWORKS_FILL = 100,
  ANEURALNETWORKS_RANK = 101
} OperationCode;

/// The activation that an operation applies to its result.
typedef enum {
  ANEURALNETWORKS_FUSED_NONE = 0,
  /// max(0, x)
  ANEURALNETWORKS_FUSED_RELU = 1,
  /// min(1, max(-1, x))
  ANEURALNETWORKS_FUSED_RELU1 = 2,
  /// min(6, max(0, x))
  ANEURALNETWORKS_FUSED_RELU6 = 3
} FuseCode;

/// The implicit paddings.
typedef enum {
  /// Padding to an output of the input's extent divided by the stride,
  /// rounded up, needs; an odd element is added at the end.
  ANEURALNETWORKS_PADDING_SAME = 1,
  /// No padding.
  ANEURALNETWORKS_PADDING_VALID = 2
} PaddingCode;

/// The preferences of a compilation: they change speed and power, and never
/// results.
typedef enum {
  ANEURALNETWORKS_PREFER_LOW_POWER = 0,
  ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER = 1,
  ANEURALNETWORKS_PREFER_SUSTAINED_SPEED = 2
} PreferenceCode;

/// The types of devices.
typedef enum {
  /// The device does not tell.
  ANEURALNETWORKS_DEVICE_UNKNOWN = 0,
  ANEURALNETWORKS_DEVICE_OTHER = 1,
  ANEURALNETWORKS_DEVICE_CPU = 2,
  ANEURALNETWORKS_DEVICE_GPU = 3,
  ANEURALNETWORKS_DEVICE_ACCELERATOR = 4
} DeviceTypeCode;

/// The results of functions and executions.
typedef enum {
  ANEURALNETWORKS_NO_ERROR = 0,
  /// There is no memory.
  ANEURALNETWORKS_OUT_OF_MEMORY = 1,
  /// Reserved; no function returns it (J-113).
  ANEURALNETWORKS_INCOMPLETE = 2,
  /// An argument is null that must not be. Found before anything else (J-076).
  ANEURALNETWORKS_UNEXPECTED_NULL = 3,
  /// An argument or a model is not valid.
  ANEURALNETWORKS_BAD_DATA = 4,
  /// The work failed.
  ANEURALNETWORKS_OP_FAILED = 5,
  /// The object is not in a state in which the function may be called.
  ANEURALNETWORKS_BAD_STATE = 6,
  /// A memory cannot be read or written.
  ANEURALNETWORKS_UNMAPPABLE = 7,
  /// The memory of an output is too small.
  /// ANeuralNetworksExecution_getOutputOperandDimensions() tells what it takes.
  ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE = 8,
  /// A device cannot be used now.
  ANEURALNETWORKS_UNAVAILABLE_DEVICE = 9,
  /// The time was over; another attempt may succeed.
  ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT = 10,
  /// The time cannot suffice.
  ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT = 11,
  /// There was no memory or no place in a queue; another attempt may succeed.
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT = 12,
  /// The device never has what the work takes.
  ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT = 13,
  /// The process of a device has died, and what it had prepared is lost.
  ANEURALNETWORKS_DEAD_OBJECT = 14
} ResultCode;

enum {
  /// Values of operands of at most this many bytes are copied by
  /// ANeuralNetworksModel_setOperandValue(); longer ones are referred to.
  ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES = 128
};

enum {
  /// The bytes of a token of ANeuralNetworksCompilation_setCaching().
  ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN = 32
};

/// The durations of an execution, in nanoseconds.
typedef enum {
  /// The time that the device computed.
  ANEURALNETWORKS_DURATION_ON_HARDWARE = 0,
  /// The time from when the driver got the execution until it was done.
  ANEURALNETWORKS_DURATION_IN_DRIVER = 1,
  /// These two begin when all dependencies of the execution had signaled.
  ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE = 2,
  ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER = 3
} DurationCode;

/// The priorities among the compilations of one client.
typedef enum {
  ANEURALNETWORKS_PRIORITY_LOW = 90,
  ANEURALNETWORKS_PRIORITY_MEDIUM = 100,
  ANEURALNETWORKS_PRIORITY_HIGH = 110,
  ANEURALNETWORKS_PRIORITY_DEFAULT = ANEURALNETWORKS_PRIORITY_MEDIUM
} PriorityCode;

/// The feature levels of devices and of the library.
typedef enum {
  /// NN HAL 1.0.
  ANEURALNETWORKS_FEATURE_LEVEL_1 = 27,
  /// NN HAL 1.1.
  ANEURALNETWORKS_FEATURE_LEVEL_2 = 28,
  /// NN HAL 1.2.
  ANEURALNETWORKS_FEATURE_LEVEL_3 = 29,
  /// NN HAL 1.3.
  ANEURALNETWORKS_FEATURE_LEVEL_4 = 30,
  /// Level 4 with reusable executions, padding and alignment.
  ANEURALNETWORKS_FEATURE_LEVEL_5 = 31
} FeatureLevelCode;

/// The type of an operand, or of an argument of an execution.
typedef struct ANeuralNetworksOperandType {
  /// An OperandCode, or a type of an extension.
  int32_t type;
  /// The number of dimensions: 0 for scalars, and for tensors of a rank that is
  /// not known.
  uint32_t dimensionCount;
  /// The extents, of which 0 is not known; null exactly if there are none.
  const uint32_t *dimensions;
  /// These two must suit the type: 0 for types without them.
  float scale;
  int32_t zeroPoint;
} ANeuralNetworksOperandType;

/// The parameters of ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL.
typedef struct ANeuralNetworksSymmPerChannelQuantParams {
  /// The index of the dimension that the scales are for.
  uint32_t channelDim;
  /// The number of scales, which is the extent of that dimension.
  uint32_t scaleCount;
  /// The scales, all positive.
  const float *scales;
} ANeuralNetworksSymmPerChannelQuantParams;

/// An OperationCode, or an operation of an extension.
typedef int32_t ANeuralNetworksOperationType;

/// Memory that models and executions refer to. Any number of them, and of
/// threads, may use one memory (J-108).
typedef struct ANeuralNetworksMemory ANeuralNetworksMemory;

/// A graph of operations: built by one thread, finished, then read by any.
typedef struct ANeuralNetworksModel ANeuralNetworksModel;

/// A device, which lives as long as the process.
typedef struct ANeuralNetworksDevice ANeuralNetworksDevice;

/// A model made ready for devices: configured by one thread, finished, then
/// used by any.
typedef struct ANeuralNetworksCompilation ANeuralNetworksCompilation;

/// The arguments of a compiled model and one computation with them.
typedef struct ANeuralNetworksExecution ANeuralNetworksExecution;

/// A sequence of executions of one compilation with less overhead each.
typedef struct ANeuralNetworksBurst ANeuralNetworksBurst;

/// The end of an execution.
typedef struct ANeuralNetworksEvent ANeuralNetworksEvent;

/// The description of a memory that a device makes for arguments of
/// compilations.
typedef struct ANeuralNetworksMemoryDesc ANeuralNetworksMemoryDesc;

#ifdef __cplusplus
} // extern "C"
#endif

#endif // ANDROID_NEURALNETWORKSTYPES_H
