/* A program of the NDK that uses the extension: the first ten Fibonacci numbers
 * with a scale of 0.5 and a zero point of 10. It names no device, and the
 * library finds the one that has the extension.
 *
 *   NNHAL_PLUGINS=./libfibonacci.so ./fibonacci-client
 */
#include "Fibonacci.h"

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>

#include <stdio.h>
#include <stdlib.h>

enum { count = 10 };

static void check(int result, const char *what) {
  if (result == ANEURALNETWORKS_NO_ERROR)
    return;
  fprintf(stderr, "error: %s fails with code %d\n", what, result);
  exit(1);
}

/* Adds an operand of a type of the extension. The codes of its types are valid
 * in this model alone. */
static void addOperand(ANeuralNetworksModel *model, uint16_t type,
                       const uint32_t *dimensions, uint32_t rank) {
  ANeuralNetworksOperandType operand = {0, rank, dimensions, 0.0f, 0};
  check(ANeuralNetworksModel_getExtensionOperandType(model, FIBONACCI_EXTENSION,
                                                     type, &operand.type),
        "getExtensionOperandType");
  check(ANeuralNetworksModel_addOperand(model, &operand), "addOperand");
}

static ANeuralNetworksModel *buildModel(void) {
  ANeuralNetworksModel *model = NULL;
  check(ANeuralNetworksModel_create(&model), "ANeuralNetworksModel_create");
  const uint32_t dimensions[] = {count};
  addOperand(model, FIBONACCI_INT64, NULL, 0);
  addOperand(model, FIBONACCI_TENSOR_QUANT64_ASYMM, dimensions, 1);
  const FibonacciQuantization quantization = {0.5, 10};
  check(ANeuralNetworksModel_setOperandExtensionData(model, 1, &quantization,
                                                     sizeof(quantization)),
        "setOperandExtensionData");
  ANeuralNetworksOperationType operation = 0;
  check(ANeuralNetworksModel_getExtensionOperationType(
            model, FIBONACCI_EXTENSION, FIBONACCI_OPERATION, &operation),
        "getExtensionOperationType");
  const uint32_t input = 0, output = 1;
  check(ANeuralNetworksModel_addOperation(model, operation, 1, &input, 1,
                                          &output),
        "addOperation");
  check(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 1,
                                                      &output),
        "identifyInputsAndOutputs");
  check(ANeuralNetworksModel_finish(model), "ANeuralNetworksModel_finish");
  return model;
}

int main(void) {
  ANeuralNetworksModel *model = buildModel();
  ANeuralNetworksCompilation *compilation = NULL;
  check(ANeuralNetworksCompilation_create(model, &compilation),
        "ANeuralNetworksCompilation_create");
  check(ANeuralNetworksCompilation_finish(compilation),
        "ANeuralNetworksCompilation_finish");
  ANeuralNetworksExecution *execution = NULL;
  check(ANeuralNetworksExecution_create(compilation, &execution),
        "ANeuralNetworksExecution_create");
  const int64_t n = count;
  int64_t numbers[count];
  check(ANeuralNetworksExecution_setInput(execution, 0, NULL, &n, sizeof(n)),
        "setInput");
  check(ANeuralNetworksExecution_setOutput(execution, 0, NULL, numbers,
                                           sizeof(numbers)),
        "setOutput");
  check(ANeuralNetworksExecution_compute(execution), "compute");
  for (int i = 0; i < count; ++i)
    printf("%s%lld", i ? " " : "", (long long)numbers[i]);
  printf("\n");
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
  return 0;
}
