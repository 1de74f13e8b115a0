/*===- Client.c - A client in C that opens the library by name ------------===*
 *
 * Part of the NNHal project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* usage: Client LIBRARY WORK...
 *
 * Opens the library as clients do that find it at run time, and does the work,
 * of which each prints lines: devices, add, cycle, fork,
 * death, close. */

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksTypes.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;

/* ISO C has no conversion from void * to pointers of functions. */
#define FIND(NAME, VARIABLE)                                                   \
  do {                                                                         \
    void *found = dlsym(library, #NAME);                                       \
    if (!found)                                                                \
      fail(#NAME, -1);                                                         \
    memcpy(&(VARIABLE), &found, sizeof(found));                                \
  } while (0)

static void fail(const char *what, int code) {
  printf("%s failed: %d\n", what, code);
  fflush(stdout);
  _exit(1);
}

static void check(const char *what, int code) {
  if (code != ANEURALNETWORKS_NO_ERROR)
    fail(what, code);
}

static void openLibrary(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("%s\n", dlerror());
    exit(1);
  }
}

static void printDevices(void) {
  int (*count)(uint32_t *);
  int (*get)(uint32_t, ANeuralNetworksDevice **);
  int (*name)(const ANeuralNetworksDevice *, const char **);
  uint32_t devices = 0, i;
  FIND(ANeuralNetworks_getDeviceCount, count);
  FIND(ANeuralNetworks_getDevice, get);
  FIND(ANeuralNetworksDevice_getName, name);
  check("count", count(&devices));
  for (i = 0; i < devices; ++i) {
    ANeuralNetworksDevice *device = NULL;
    const char *text = NULL;
    check("get", get(i, &device));
    check("name", name(device, &text));
    printf("device %s\n", text);
  }
}

/* The model behind the compilation that there is. */
static ANeuralNetworksModel *compiledModel;

static void freeAll(ANeuralNetworksCompilation *compilation) {
  void (*freeCompilation)(ANeuralNetworksCompilation *);
  void (*freeModel)(ANeuralNetworksModel *);
  FIND(ANeuralNetworksCompilation_free, freeCompilation);
  FIND(ANeuralNetworksModel_free, freeModel);
  freeCompilation(compilation);
  freeModel(compiledModel);
  compiledModel = NULL;
}

/* A compilation of ADD for a device, or for all. */
static ANeuralNetworksCompilation *
compile(const ANeuralNetworksDevice *device) {
  int (*create)(ANeuralNetworksModel **);
  int (*addOperand)(ANeuralNetworksModel *, const ANeuralNetworksOperandType *);
  int (*setValue)(ANeuralNetworksModel *, int32_t, const void *, size_t);
  int (*addOperation)(ANeuralNetworksModel *, ANeuralNetworksOperationType,
                      uint32_t, const uint32_t *, uint32_t, const uint32_t *);
  int (*identify)(ANeuralNetworksModel *, uint32_t, const uint32_t *, uint32_t,
                  const uint32_t *);
  int (*finishModel)(ANeuralNetworksModel *);
  int (*createCompilation)(ANeuralNetworksModel *,
                           ANeuralNetworksCompilation **);
  int (*createForDevices)(ANeuralNetworksModel *,
                          const ANeuralNetworksDevice *const *, uint32_t,
                          ANeuralNetworksCompilation **);
  int (*finish)(ANeuralNetworksCompilation *);
  const uint32_t four[] = {4}, inputs[] = {0, 1, 2}, outputs[] = {3};
  const int32_t none = ANEURALNETWORKS_FUSED_NONE;
  ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, NULL,
                                       0.0f, 0};
  ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0.0f, 0};
  ANeuralNetworksModel *model = NULL;
  ANeuralNetworksCompilation *compilation = NULL;
  tensor.dimensions = four;
  FIND(ANeuralNetworksModel_create, create);
  FIND(ANeuralNetworksModel_addOperand, addOperand);
  FIND(ANeuralNetworksModel_setOperandValue, setValue);
  FIND(ANeuralNetworksModel_addOperation, addOperation);
  FIND(ANeuralNetworksModel_identifyInputsAndOutputs, identify);
  FIND(ANeuralNetworksModel_finish, finishModel);
  FIND(ANeuralNetworksCompilation_create, createCompilation);
  FIND(ANeuralNetworksCompilation_createForDevices, createForDevices);
  FIND(ANeuralNetworksCompilation_finish, finish);
  check("model", create(&model));
  check("left", addOperand(model, &tensor));
  check("right", addOperand(model, &tensor));
  check("activation", addOperand(model, &scalar));
  check("sum", addOperand(model, &tensor));
  check("value", setValue(model, 2, &none, sizeof(none)));
  check("operation",
        addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs));
  check("identify", identify(model, 2, inputs, 1, outputs));
  check("finish model", finishModel(model));
  if (device)
    check("list", createForDevices(model, &device, 1, &compilation));
  else
    check("compilation", createCompilation(model, &compilation));
  check("finish", finish(compilation));
  compiledModel = model;
  return compilation;
}

/* Two operations that read what the other one writes. */
static void printCycle(void) {
  int (*create)(ANeuralNetworksModel **);
  int (*addOperand)(ANeuralNetworksModel *, const ANeuralNetworksOperandType *);
  int (*addOperation)(ANeuralNetworksModel *, ANeuralNetworksOperationType,
                      uint32_t, const uint32_t *, uint32_t, const uint32_t *);
  int (*finish)(ANeuralNetworksModel *);
  static const uint32_t four[] = {4}, one[] = {0}, other[] = {1};
  ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, NULL,
                                       0.0f, 0};
  ANeuralNetworksModel *model = NULL;
  tensor.dimensions = four;
  FIND(ANeuralNetworksModel_create, create);
  FIND(ANeuralNetworksModel_addOperand, addOperand);
  FIND(ANeuralNetworksModel_addOperation, addOperation);
  FIND(ANeuralNetworksModel_finish, finish);
  check("model", create(&model));
  check("one", addOperand(model, &tensor));
  check("other", addOperand(model, &tensor));
  check("to", addOperation(model, ANEURALNETWORKS_RELU, 1, one, 1, other));
  check("fro", addOperation(model, ANEURALNETWORKS_RELU, 1, other, 1, one));
  printf("cycle %d\n", finish(model));
  compiledModel = model;
  freeAll(NULL);
}

/* Returns the result of adding 1, 2, 3, 4 and 10, 20, 30, 40. */
static int compute(ANeuralNetworksCompilation *compilation, float *sum) {
  int (*create)(ANeuralNetworksCompilation *, ANeuralNetworksExecution **);
  int (*setInput)(ANeuralNetworksExecution *, int32_t,
                  const ANeuralNetworksOperandType *, const void *, size_t);
  int (*setOutput)(ANeuralNetworksExecution *, int32_t,
                   const ANeuralNetworksOperandType *, void *, size_t);
  int (*run)(ANeuralNetworksExecution *);
  void (*release)(ANeuralNetworksExecution *);
  static const float left[] = {1, 2, 3, 4}, right[] = {10, 20, 30, 40};
  ANeuralNetworksExecution *execution = NULL;
  int result;
  FIND(ANeuralNetworksExecution_create, create);
  FIND(ANeuralNetworksExecution_setInput, setInput);
  FIND(ANeuralNetworksExecution_setOutput, setOutput);
  FIND(ANeuralNetworksExecution_compute, run);
  FIND(ANeuralNetworksExecution_free, release);
  result = create(compilation, &execution);
  if (result != ANEURALNETWORKS_NO_ERROR)
    return result;
  check("left", setInput(execution, 0, NULL, left, sizeof(left)));
  check("right", setInput(execution, 1, NULL, right, sizeof(right)));
  check("sum", setOutput(execution, 0, NULL, sum, 4 * sizeof(float)));
  result = run(execution);
  release(execution);
  return result;
}

static void printSum(ANeuralNetworksCompilation *compilation) {
  float sum[4] = {0, 0, 0, 0};
  check("compute", compute(compilation, sum));
  printf("sum %g %g %g %g\n", (double)sum[0], (double)sum[1], (double)sum[2],
         (double)sum[3]);
}

/* A child has no threads of the devices: it gets errors, and can end. */
static void testFork(void) {
  ANeuralNetworksCompilation *compilation = compile(NULL);
  pid_t child;
  int status = 0;
  printSum(compilation);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    int (*count)(uint32_t *);
    void (*release)(ANeuralNetworksCompilation *);
    uint32_t devices = 0;
    float sum[4];
    FIND(ANeuralNetworks_getDeviceCount, count);
    FIND(ANeuralNetworksCompilation_free, release);
    printf("child count %d\n", count(&devices));
    printf("child compute %d\n", compute(compilation, sum));
    release(compilation);
    fflush(stdout);
    _exit(7);
  }
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
    fail("child", status);
  printf("child ended %d\n", WEXITSTATUS(status));
  printSum(compilation);
  freeAll(compilation);
}

/* The first device dies, with everything that it has prepared. */
static void testDeath(void) {
  int (*get)(uint32_t, ANeuralNetworksDevice **);
  int (*wait)(const ANeuralNetworksDevice *);
  ANeuralNetworksDevice *device = NULL;
  ANeuralNetworksCompilation *compilation;
  float sum[4];
  const char *group = getenv("NNHAL_TEST_GROUP");
  FIND(ANeuralNetworks_getDevice, get);
  FIND(ANeuralNetworksDevice_wait, wait);
  check("get", get(0, &device));
  compilation = compile(device);
  printSum(compilation);
  printf("wait %d\n", wait(device));
  if (!group || kill(-(pid_t)atol(group), SIGKILL) != 0)
    fail("kill", -1);
  printf("compute after death %d\n", compute(compilation, sum));
  printf("wait after death %d\n", wait(device));
  freeAll(compilation);
}

int main(int argc, char **argv) {
  int i;
  openLibrary(argv[1]);
  for (i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "devices") == 0) {
      printDevices();
    } else if (strcmp(argv[i], "add") == 0) {
      ANeuralNetworksCompilation *compilation = compile(NULL);
      printSum(compilation);
      freeAll(compilation);
    } else if (strcmp(argv[i], "cycle") == 0) {
      printCycle();
    } else if (strcmp(argv[i], "fork") == 0) {
      testFork();
    } else if (strcmp(argv[i], "death") == 0) {
      testDeath();
    } else if (strcmp(argv[i], "close") == 0) {
      printf("close %d\n", dlclose(library));
      openLibrary(argv[1]);
    }
  }
  return 0;
}
