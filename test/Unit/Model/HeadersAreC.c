/*===- HeadersAreC.c - The C headers compiled as C99 ----------------------===*
 *
 * Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "Runtime/CompilerClient/CompilerApi.h"
#include "nnhal/Backend/EntryAbi.h"

/* What C makes of the structures; EntryAbiTest compares with C++. */
size_t nnhalSizeInC(int structure);

size_t nnhalSizeInC(int structure) {
  switch (structure) {
  case 0:
    return sizeof(NNHalTensorArgument);
  case 1:
    return sizeof(NNHalExecutionContext);
  case 2:
    return sizeof(NNHalRoutineTable);
  case 3:
    return sizeof(NNHalModelView);
  case 4:
    return sizeof(NNHalOperandView);
  case 5:
    return sizeof(NNHalCompilerApi);
  default:
    return 0;
  }
}
