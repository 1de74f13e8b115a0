/*===- Client.c - A client in C that opens the library by name ------------===*
 *
 * Part of the NNHal project, under the Apache License v2.0 with LLVM
 * Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* usage: Client LIBRARY WORK...
 *
 * Opens the library as clients do that find it at run time, and does the work,
 * of which each prints lines: load, devices, describe, support, compiler, add,
 * cycle, scales, fork, first, death, close. NNHAL_TEST_DEVICE names the device
 * that additions are compiled for; all devices, if it is not set. */

#include <android/NeuralNetworks.h>
#include <android/NeuralNetworksExtensions.h>
#include <android/NeuralNetworksTypes.h>

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *library;

/* How long dlopen() took the last time, in microseconds. */
static double loadTime;

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
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  loadTime = (double)(end.tv_sec - begin.tv_sec) * 1e6 +
             (double)(end.tv_nsec - begin.tv_nsec) / 1e3;
  if (!library) {
    printf("%s\n", dlerror());
    exit(1);
  }
}

static uint32_t countDevices(void) {
  int (*count)(uint32_t *);
  uint32_t devices = 0;
  FIND(ANeuralNetworks_getDeviceCount, count);
  check("count", count(&devices));
  return devices;
}

static ANeuralNetworksDevice *getDevice(uint32_t index) {
  int (*get)(uint32_t, ANeuralNetworksDevice **);
  ANeuralNetworksDevice *device = NULL;
  FIND(ANeuralNetworks_getDevice, get);
  check("get", get(index, &device));
  return device;
}

static const char *nameOf(const ANeuralNetworksDevice *device) {
  int (*name)(const ANeuralNetworksDevice *, const char **);
  const char *text = NULL;
  FIND(ANeuralNetworksDevice_getName, name);
  check("name", name(device, &text));
  return text;
}

static void printDevices(void) {
  uint32_t devices = countDevices(), i;
  for (i = 0; i < devices; ++i)
    printf("device %s\n", nameOf(getDevice(i)));
}

/* Everything that a device says of itself. */
static void describeDevices(void) {
  int (*version)(const ANeuralNetworksDevice *, const char **);
  int (*type)(const ANeuralNetworksDevice *, int32_t *);
  int (*level)(const ANeuralNetworksDevice *, int64_t *);
  uint32_t devices = countDevices(), i;
  FIND(ANeuralNetworksDevice_getVersion, version);
  FIND(ANeuralNetworksDevice_getType, type);
  FIND(ANeuralNetworksDevice_getFeatureLevel, level);
  for (i = 0; i < devices; ++i) {
    const ANeuralNetworksDevice *device = getDevice(i);
    const char *text = NULL;
    int32_t code = -1;
    int64_t number = -1;
    check("version", version(device, &text));
    check("type", type(device, &code));
    check("level", level(device, &number));
    printf("%s version %s type %d level %d\n", nameOf(device), text, (int)code,
           (int)number);
  }
}

/* The device that NNHAL_TEST_DEVICE names; NULL for all devices. */
static const ANeuralNetworksDevice *chosenDevice(void) {
  const char *wanted = getenv("NNHAL_TEST_DEVICE");
  uint32_t devices, i;
  if (!wanted)
    return NULL;
  devices = countDevices();
  for (i = 0; i < devices; ++i)
    if (strcmp(nameOf(getDevice(i)), wanted) == 0)
      return getDevice(i);
  fail(wanted, -1);
  return NULL;
}

/* Whether the compiler, or what it needs, is in the process. */
static void printCompiler(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int isThere = 0;
  if (!maps)
    fail("maps", -1);
  while (fgets(line, sizeof(line), maps))
    if (strstr(line, "libNNHalCompiler") || strstr(line, "libNNHalDialect") ||
        strstr(line, "libNNHalMLIR"))
      isThere = 1;
  fclose(maps);
  printf("compiler %d\n", isThere);
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

/* A finished model of ADD. */
static ANeuralNetworksModel *buildModel(void) {
  int (*create)(ANeuralNetworksModel **);
  int (*addOperand)(ANeuralNetworksModel *, const ANeuralNetworksOperandType *);
  int (*setValue)(ANeuralNetworksModel *, int32_t, const void *, size_t);
  int (*addOperation)(ANeuralNetworksModel *, ANeuralNetworksOperationType,
                      uint32_t, const uint32_t *, uint32_t, const uint32_t *);
  int (*identify)(ANeuralNetworksModel *, uint32_t, const uint32_t *, uint32_t,
                  const uint32_t *);
  int (*finish)(ANeuralNetworksModel *);
  const uint32_t four[] = {4}, inputs[] = {0, 1, 2}, outputs[] = {3};
  const int32_t none = ANEURALNETWORKS_FUSED_NONE;
  ANeuralNetworksOperandType tensor = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, NULL,
                                       0.0f, 0};
  ANeuralNetworksOperandType scalar = {ANEURALNETWORKS_INT32, 0, NULL, 0.0f, 0};
  ANeuralNetworksModel *model = NULL;
  tensor.dimensions = four;
  FIND(ANeuralNetworksModel_create, create);
  FIND(ANeuralNetworksModel_addOperand, addOperand);
  FIND(ANeuralNetworksModel_setOperandValue, setValue);
  FIND(ANeuralNetworksModel_addOperation, addOperation);
  FIND(ANeuralNetworksModel_identifyInputsAndOutputs, identify);
  FIND(ANeuralNetworksModel_finish, finish);
  check("model", create(&model));
  check("left", addOperand(model, &tensor));
  check("right", addOperand(model, &tensor));
  check("activation", addOperand(model, &scalar));
  check("sum", addOperand(model, &tensor));
  check("value", setValue(model, 2, &none, sizeof(none)));
  check("operation",
        addOperation(model, ANEURALNETWORKS_ADD, 3, inputs, 1, outputs));
  check("identify", identify(model, 2, inputs, 1, outputs));
  check("finish model", finish(model));
  return model;
}

/* A compilation of ADD for a device, or for all. */
static ANeuralNetworksCompilation *
compile(const ANeuralNetworksDevice *device) {
  int (*create)(ANeuralNetworksModel *, ANeuralNetworksCompilation **);
  int (*createForDevices)(ANeuralNetworksModel *,
                          const ANeuralNetworksDevice *const *, uint32_t,
                          ANeuralNetworksCompilation **);
  int (*finish)(ANeuralNetworksCompilation *);
  ANeuralNetworksModel *model = buildModel();
  ANeuralNetworksCompilation *compilation = NULL;
  FIND(ANeuralNetworksCompilation_create, create);
  FIND(ANeuralNetworksCompilation_createForDevices, createForDevices);
  FIND(ANeuralNetworksCompilation_finish, finish);
  if (device)
    check("list", createForDevices(model, &device, 1, &compilation));
  else
    check("compilation", create(model, &compilation));
  check("finish", finish(compilation));
  compiledModel = model;
  return compilation;
}

/* Which devices take ADD. */
static void printSupport(void) {
  int (*ask)(const ANeuralNetworksModel *, const ANeuralNetworksDevice *const *,
             uint32_t, bool *);
  uint32_t devices = countDevices(), i;
  FIND(ANeuralNetworksModel_getSupportedOperationsForDevices, ask);
  compiledModel = buildModel();
  for (i = 0; i < devices; ++i) {
    const ANeuralNetworksDevice *device = getDevice(i);
    bool supported = false;
    check("support", ask(compiledModel, &device, 1, &supported));
    printf("%s supports %d\n", nameOf(device), supported);
  }
  freeAll(NULL);
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

/* A scale of channels, and one of a tensor, that no value can have. */
static void printScales(void) {
  int (*create)(ANeuralNetworksModel **);
  int (*addOperand)(ANeuralNetworksModel *, const ANeuralNetworksOperandType *);
  int (*setScales)(ANeuralNetworksModel *, int32_t,
                   const ANeuralNetworksSymmPerChannelQuantParams *);
  static const uint32_t two[] = {2};
  static const float scales[] = {1.0f, INFINITY};
  const ANeuralNetworksSymmPerChannelQuantParams channels = {0, 2, scales};
  ANeuralNetworksOperandType tensor = {
      ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 1, NULL, 0.0f, 0};
  ANeuralNetworksModel *model = NULL;
  tensor.dimensions = two;
  FIND(ANeuralNetworksModel_create, create);
  FIND(ANeuralNetworksModel_addOperand, addOperand);
  FIND(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams, setScales);
  check("model", create(&model));
  check("operand", addOperand(model, &tensor));
  printf("channels %d\n", setScales(model, 0, &channels));
  tensor.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
  tensor.scale = INFINITY;
  printf("tensor %d\n", addOperand(model, &tensor));
  compiledModel = model;
  freeAll(NULL);
}

/* An execution that adds 1, 2, 3, 4 and 10, 20, 30, 40. */
static int makeExecution(ANeuralNetworksCompilation *compilation, float *sum,
                         ANeuralNetworksExecution **execution) {
  int (*create)(ANeuralNetworksCompilation *, ANeuralNetworksExecution **);
  int (*setInput)(ANeuralNetworksExecution *, int32_t,
                  const ANeuralNetworksOperandType *, const void *, size_t);
  int (*setOutput)(ANeuralNetworksExecution *, int32_t,
                   const ANeuralNetworksOperandType *, void *, size_t);
  static const float left[] = {1, 2, 3, 4}, right[] = {10, 20, 30, 40};
  int result;
  FIND(ANeuralNetworksExecution_create, create);
  FIND(ANeuralNetworksExecution_setInput, setInput);
  FIND(ANeuralNetworksExecution_setOutput, setOutput);
  result = create(compilation, execution);
  if (result != ANEURALNETWORKS_NO_ERROR)
    return result;
  check("left", setInput(*execution, 0, NULL, left, sizeof(left)));
  check("right", setInput(*execution, 1, NULL, right, sizeof(right)));
  check("sum", setOutput(*execution, 0, NULL, sum, 4 * sizeof(float)));
  return result;
}

/* Returns the result of such an execution. */
static int compute(ANeuralNetworksCompilation *compilation, float *sum) {
  int (*run)(ANeuralNetworksExecution *);
  void (*release)(ANeuralNetworksExecution *);
  ANeuralNetworksExecution *execution = NULL;
  int result = makeExecution(compilation, sum, &execution);
  FIND(ANeuralNetworksExecution_compute, run);
  FIND(ANeuralNetworksExecution_free, release);
  if (result != ANEURALNETWORKS_NO_ERROR)
    return result;
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

/* What a process has of a compilation when it forks. */
struct Objects {
  ANeuralNetworksCompilation *compilation;
  ANeuralNetworksExecution *execution; /* That has not been started. */
  ANeuralNetworksBurst *burst;
  ANeuralNetworksEvent *event; /* Of an execution that has ended. */
  ANeuralNetworksExecution *ended;
  float sum[4], endedSum[4];
};

static struct Objects *makeObjects(void) {
  int (*createBurst)(ANeuralNetworksCompilation *, ANeuralNetworksBurst **);
  int (*start)(ANeuralNetworksExecution *, ANeuralNetworksEvent **);
  int (*wait)(ANeuralNetworksEvent *);
  static struct Objects made;
  FIND(ANeuralNetworksBurst_create, createBurst);
  FIND(ANeuralNetworksExecution_startCompute, start);
  FIND(ANeuralNetworksEvent_wait, wait);
  made.compilation = compile(chosenDevice());
  check("execution",
        makeExecution(made.compilation, made.sum, &made.execution));
  check("ended", makeExecution(made.compilation, made.endedSum, &made.ended));
  check("burst", createBurst(made.compilation, &made.burst));
  check("start", start(made.ended, &made.event));
  check("wait", wait(made.event));
  return &made;
}

static int computeInBurst(const struct Objects *objects) {
  int (*run)(ANeuralNetworksExecution *, ANeuralNetworksBurst *);
  FIND(ANeuralNetworksExecution_burstCompute, run);
  return run(objects->execution, objects->burst);
}

static void freeObjects(const struct Objects *objects) {
  void (*freeEvent)(ANeuralNetworksEvent *);
  void (*freeBurst)(ANeuralNetworksBurst *);
  void (*freeExecution)(ANeuralNetworksExecution *);
  FIND(ANeuralNetworksEvent_free, freeEvent);
  FIND(ANeuralNetworksBurst_free, freeBurst);
  FIND(ANeuralNetworksExecution_free, freeExecution);
  freeEvent(objects->event);
  freeBurst(objects->burst);
  freeExecution(objects->ended);
  freeExecution(objects->execution);
  freeAll(objects->compilation);
}

/* Every function of the child that would need a thread of a device. */
static void useInChild(struct Objects *objects) {
  int (*count)(uint32_t *);
  int (*wait)(ANeuralNetworksEvent *);
  int (*run)(ANeuralNetworksExecution *);
  int (*start)(ANeuralNetworksExecution *, ANeuralNetworksEvent **);
  int (*after)(ANeuralNetworksExecution *, const ANeuralNetworksEvent *const *,
               uint32_t, uint64_t, ANeuralNetworksEvent **);
  int (*createBurst)(ANeuralNetworksCompilation *, ANeuralNetworksBurst **);
  uint32_t devices = 0;
  ANeuralNetworksEvent *event = NULL;
  ANeuralNetworksBurst *burst = NULL;
  float sum[4];
  FIND(ANeuralNetworks_getDeviceCount, count);
  FIND(ANeuralNetworksEvent_wait, wait);
  FIND(ANeuralNetworksExecution_compute, run);
  FIND(ANeuralNetworksExecution_startCompute, start);
  FIND(ANeuralNetworksExecution_startComputeWithDependencies, after);
  FIND(ANeuralNetworksBurst_create, createBurst);
  printf("child count %d\n", count(&devices));
  printf("child create %d\n", compute(objects->compilation, sum));
  printf("child compute %d\n", run(objects->execution));
  printf("child start %d\n", start(objects->execution, &event));
  printf("child start after %d\n",
         after(objects->execution, NULL, 0, 0, &event));
  printf("child wait %d\n", wait(objects->event));
  printf("child burst %d\n", createBurst(objects->compilation, &burst));
  printf("child compute in burst %d\n", computeInBurst(objects));
  freeObjects(objects);
}

static void endOfChild(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
    fail("child", status);
  printf("child ended %d\n", WEXITSTATUS(status));
}

/* A child has no threads of the devices: it gets errors, and can end. */
static void testFork(void) {
  struct Objects *objects = makeObjects();
  pid_t child;
  printSum(objects->compilation);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    useInChild(objects);
    fflush(stdout);
    _exit(7);
  }
  endOfChild(child);
  check("burst", computeInBurst(objects));
  printf("burst %g %g\n", (double)objects->sum[0], (double)objects->sum[3]);
  printSum(objects->compilation);
  freeObjects(objects);
}

/* A child that uses the library before its parent does is like any process. */
static void testFirstUse(void) {
  ANeuralNetworksCompilation *compilation;
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    compilation = compile(chosenDevice());
    printSum(compilation);
    freeAll(compilation);
    exit(7);
  }
  endOfChild(child);
  compilation = compile(chosenDevice());
  printSum(compilation);
  freeAll(compilation);
}

/* The first device dies, with everything that it has prepared. */
static void testDeath(void) {
  int (*wait)(const ANeuralNetworksDevice *);
  ANeuralNetworksDevice *device = getDevice(0);
  ANeuralNetworksCompilation *compilation;
  float sum[4];
  const char *group = getenv("NNHAL_TEST_GROUP");
  FIND(ANeuralNetworksDevice_wait, wait);
  compilation = compile(device);
  printSum(compilation);
  printf("wait %d\n", wait(device));
  if (!group || kill(-(pid_t)atol(group), SIGKILL) != 0)
    fail("kill", -1);
  printf("compute after death %d\n", compute(compilation, sum));
  printf("wait after death %d\n", wait(device));
  freeAll(compilation);
}

static void testAdd(void) {
  ANeuralNetworksCompilation *compilation = compile(chosenDevice());
  printSum(compilation);
  freeAll(compilation);
}

static void printLoadTime(void) { printf("load %.0f us\n", loadTime); }

static const struct {
  const char *name;
  void (*run)(void);
} works[] = {{"load", printLoadTime},
             {"devices", printDevices},
             {"describe", describeDevices},
             {"support", printSupport},
             {"compiler", printCompiler},
             {"add", testAdd},
             {"cycle", printCycle},
             {"scales", printScales},
             {"fork", testFork},
             {"first", testFirstUse},
             {"death", testDeath}};

static void doWork(const char *name) {
  size_t i;
  for (i = 0; i < sizeof(works) / sizeof(works[0]); ++i)
    if (strcmp(name, works[i].name) == 0) {
      works[i].run();
      return;
    }
  fail(name, -1);
}

int main(int argc, char **argv) {
  int i;
  openLibrary(argv[1]);
  for (i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "close") == 0) {
      printf("close %d\n", dlclose(library));
      openLibrary(argv[1]);
    } else {
      doWork(argv[i]);
    }
  }
  return 0;
}
