//===- Kernels.c - Code of a test artifact --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler would generate, by hand: a shared object that imports at
// most memcpy, memmove and memset.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Backend/EntryAbi.h"

/* outputs[0][i] = inputs[0][i] * constants[0] + inputs[1][0], by way of the
 * arena, so that executions that share one would be seen. An omitted second
 * input counts as 0. */
int32_t scaleAndAdd(NNHalExecutionContext *context) {
  const NNHalTensorArgument *input = &context->inputs[0];
  NNHalTensorArgument *output = &context->outputs[0];
  float *scratch = (float *)context->arena;
  float scale = *(const float *)context->constants;
  int64_t count = (int64_t)(input->size / sizeof(float));
  if ((uint64_t)count * sizeof(float) > context->arenaSize)
    return 2;
  for (int64_t i = 0; i < count; ++i)
    scratch[i] = ((const float *)input->data)[i] * scale;
  float offset =
      context->inputs[1].isPresent ? *(float *)context->inputs[1].data : 0.0f;
  for (int64_t i = 0; i < count; ++i)
    ((float *)output->data)[i] = scratch[i] + offset;
  return 0;
}

/* The output has as many rows as the input's first element says. */
int32_t computedRows(NNHalExecutionContext *context) {
  int32_t rows = *(const int32_t *)context->inputs[0].data;
  NNHalTensorArgument *output = &context->outputs[0];
  output->shape[0] = rows;
  if (rows >= 0 && output->size < (uint64_t)rows * sizeof(int32_t)) {
    output->isSufficient = 0;
    return 0;
  }
  for (int32_t i = 0; i < rows; ++i)
    ((int32_t *)output->data)[i] = i;
  return 0;
}

struct Sum {
  const int32_t *data;
  int32_t total;
};

static void addRange(void *context, int64_t begin, int64_t end) {
  struct Sum *sum = (struct Sum *)context;
  for (int64_t i = begin; i < end; ++i)
    sum->total += sum->data[i];
}

/* Everything in the context that the runtime promises. */
int32_t checkContext(NNHalExecutionContext *context) {
  if (context->structSize != sizeof(NNHalExecutionContext) ||
      context->version != NNHAL_ENTRY_ABI_VERSION)
    return 2;
  if ((uintptr_t)context->arena % NNHAL_ENTRY_ALIGNMENT != 0 ||
      (uintptr_t)context->constants % NNHAL_ENTRY_ALIGNMENT != 0)
    return 2;
  if (!context->cancelFlag || *context->cancelFlag != 0 || !context->routines ||
      context->routines->count == 0 || context->traceHook ||
      !context->allocate || !context->clock)
    return 2;
  struct Sum sum = {(const int32_t *)context->inputs[0].data, 0};
  int64_t count = context->inputs[0].shape[0];
  /* One piece, wherever: its grain is the whole. */
  if (context->parallelFor)
    context->parallelFor(context->parallelForContext, addRange, &sum, count,
                         count);
  else
    addRange(&sum, 0, count);
  ((int32_t *)context->outputs[0].data)[0] = sum.total;
  return 0;
}

/* Returns its input. */
int32_t returnInput(NNHalExecutionContext *context) {
  return *(const int32_t *)context->inputs[0].data;
}
