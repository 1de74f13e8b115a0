//===- Values.cpp - The codes of C clients are those of the HAL -----------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Device.h"
#include "nnhal/Runtime/Model.h"
#include "nnhal/Runtime/PrepareOptions.h"

#include <android/NeuralNetworks.h>

using namespace nnhal::rt;

// The types of operands and the operations have the same numbers on both sides
// except for one name.
#define ANEURALNETWORKS_SUBGRAPH ANEURALNETWORKS_MODEL
#define ANEURALNETWORKS_OEM 10000
#define ANEURALNETWORKS_TENSOR_OEM_BYTE 10001
#define NNHAL_OPERAND_TYPE(NAME, CODE, SINCE, KIND, ELEMENT_SIZE)              \
  static_assert(ANEURALNETWORKS_##NAME == CODE);
#include "nnhal/Runtime/OperandTypes.def"
#define NNHAL_OPERATION(NAME, CODE, SINCE, FAMILY)                             \
  static_assert(ANEURALNETWORKS_##NAME == CODE);
#include "nnhal/Runtime/Operations.def"

static_assert(ANEURALNETWORKS_PREFER_LOW_POWER ==
              int(ExecutionPreference::lowPower));
static_assert(ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER ==
              int(ExecutionPreference::fastSingleAnswer));
static_assert(ANEURALNETWORKS_PREFER_SUSTAINED_SPEED ==
              int(ExecutionPreference::sustainedSpeed));
static_assert(ANEURALNETWORKS_DEVICE_OTHER == int(DeviceType::other));
static_assert(ANEURALNETWORKS_DEVICE_CPU == int(DeviceType::cpu));
static_assert(ANEURALNETWORKS_DEVICE_GPU == int(DeviceType::gpu));
static_assert(ANEURALNETWORKS_DEVICE_ACCELERATOR ==
              int(DeviceType::accelerator));
static_assert(ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN == sizeof(CacheToken));
