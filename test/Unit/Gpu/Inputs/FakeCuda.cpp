//===- FakeCuda.cpp - A driver of CUDA that a test controls ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

using namespace nnhal::rt::cuda;

extern "C" [[gnu::visibility("default")]] FakeCuda nnhalFakeCuda;
FakeCuda nnhalFakeCuda;

/// Stands before the PTX in machine code.
static constexpr char codeWord[] = "CUBIN";

using Work = std::vector<std::function<void()>>;

// The objects that the handles of CudaApi.h point to.
namespace nnhal::rt::cuda {
struct CUstream_st {
  bool isCaptured = false;
  Work work;
};
struct CUevent_st {
  double milliseconds = 0;
};
struct CUgraph_st {
  Work work;
};
struct CUgraphExec_st {
  Work work;
};
struct CUlinkState_st {
  std::string code;
  char *log = nullptr;
  size_t logSize = 0;
};
struct CUfunc_st {
  std::string name;
  size_t parameters = 0;
};
struct CUmod_st {
  std::string ptx;
  std::map<std::string, CUfunc_st> functions;
};
struct CUctx_st {};
} // namespace nnhal::rt::cuda

static FakeCuda &fake() { return nnhalFakeCuda; }

/// Guards everything below.
static std::recursive_mutex &mutex() {
  static std::recursive_mutex made;
  return made;
}
#define LOCKED() std::lock_guard lock(mutex())

template <typename Made, typename Handle> static void make(Handle *handle) {
  ++fake().alive;
  *handle = new Made;
}
template <typename Handle> static CUresult destroy(Handle one) {
  --fake().alive;
  delete one;
  return CUDA_SUCCESS;
}

/// Does \p work now, or when the graph that is captured is launched.
static CUresult put(CUstream stream, std::function<void()> work) {
  auto *queue = stream;
  if (queue->isCaptured)
    queue->work.push_back(std::move(work));
  else
    work();
  return CUDA_SUCCESS;
}

static double now() {
  static double time = 0;
  return time += 0.5;
}

#define FAKE extern "C" [[gnu::visibility("default")]] CUresult

FAKE cuInit(unsigned) { return fake().init; }
FAKE cuDriverGetVersion(int *version) {
  *version = fake().version;
  return CUDA_SUCCESS;
}
FAKE cuGetErrorName(CUresult error, const char **name) {
  static const std::map<CUresult, const char *> names = {
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto found = names.find(error);
  if (found == names.end())
    return 1;
  *name = found->second;
  return CUDA_SUCCESS;
}

FAKE cuDeviceGetCount(int *count) {
  *count = fake().deviceCount;
  return fake().countDevices;
}
FAKE cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetName(char *name, int length, CUdevice) {
  std::strncpy(name, "Fake GPU", size_t(length));
  return CUDA_SUCCESS;
}
FAKE cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? fake().major
               : fake().minor;
  return fake().attribute;
}
FAKE cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  static CUctx_st only;
  if (fake().retain != CUDA_SUCCESS)
    return fake().retain;
  ++fake().alive;
  *context = &only;
  return CUDA_SUCCESS;
}
FAKE cuDevicePrimaryCtxRelease_v2(CUdevice) {
  --fake().alive;
  return CUDA_SUCCESS;
}
FAKE cuCtxPushCurrent_v2(CUcontext) {
  LOCKED();
  ++fake().pushed;
  return CUDA_SUCCESS;
}
FAKE cuCtxPopCurrent_v2(CUcontext *) {
  LOCKED();
  --fake().pushed;
  return CUDA_SUCCESS;
}

static CUresult allocate(void **bytes, size_t size) {
  LOCKED();
  // The driver refuses it, too.
  if (size == 0)
    return 1;
  if (size > fake().mostBytes)
    return CUDA_ERROR_OUT_OF_MEMORY;
  ++fake().alive;
  *bytes = std::aligned_alloc(256, (size + 255) / 256 * 256);
  return CUDA_SUCCESS;
}
static CUresult release(void *bytes) {
  LOCKED();
  --fake().alive;
  std::free(bytes);
  return CUDA_SUCCESS;
}
static void *at(CUdeviceptr address) {
  return reinterpret_cast<void *>(uintptr_t(address));
}
FAKE cuMemAlloc_v2(CUdeviceptr *address, size_t size) {
  void *bytes = nullptr;
  CUresult result = allocate(&bytes, size);
  *address = reinterpret_cast<uintptr_t>(bytes);
  return result;
}
FAKE cuMemFree_v2(CUdeviceptr address) { return release(at(address)); }
FAKE cuMemHostAlloc(void **bytes, size_t size, unsigned) {
  return allocate(bytes, size);
}
FAKE cuMemFreeHost(void *bytes) { return release(bytes); }

FAKE cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t size,
                          CUstream stream) {
  LOCKED();
  return put(stream, [=] { std::memcpy(at(target), source, size); });
}
FAKE cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t size,
                          CUstream stream) {
  LOCKED();
  return put(stream, [=] { std::memcpy(target, at(source), size); });
}
FAKE cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t size,
                          CUstream stream) {
  LOCKED();
  return put(stream, [=] { std::memcpy(at(target), at(source), size); });
}
FAKE cuMemsetD32Async(CUdeviceptr target, unsigned word, size_t count,
                      CUstream stream) {
  LOCKED();
  return put(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<unsigned *>(at(target)) + i, &word, sizeof(word));
  });
}

FAKE cuStreamCreate(CUstream *stream, unsigned) {
  LOCKED();
  make<CUstream_st>(stream);
  return CUDA_SUCCESS;
}
FAKE cuStreamDestroy_v2(CUstream stream) {
  LOCKED();
  return destroy(stream);
}
FAKE cuStreamSynchronize(CUstream) {
  LOCKED();
  fake().pendingQueries = 0;
  return CUDA_SUCCESS;
}
FAKE cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  LOCKED();
  auto *queue = stream;
  if (queue->isCaptured)
    return 1;
  queue->isCaptured = true;
  return CUDA_SUCCESS;
}
FAKE cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  LOCKED();
  auto *queue = stream;
  if (!queue->isCaptured)
    return 1;
  queue->isCaptured = false;
  make<CUgraph_st>(graph);
  (*graph)->work = std::move(queue->work);
  queue->work.clear();
  return CUDA_SUCCESS;
}
FAKE cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph,
                                 unsigned long long) {
  LOCKED();
  ++fake().graphs;
  make<CUgraphExec_st>(executable);
  (*executable)->work = graph->work;
  return CUDA_SUCCESS;
}
FAKE cuGraphDestroy(CUgraph graph) {
  LOCKED();
  return destroy(graph);
}
FAKE cuGraphExecDestroy(CUgraphExec executable) {
  LOCKED();
  return destroy(executable);
}
FAKE cuGraphLaunch(CUgraphExec executable, CUstream) {
  LOCKED();
  ++fake().graphLaunches;
  if (fake().launchGraph == CUDA_SUCCESS)
    for (const std::function<void()> &work : executable->work)
      work();
  return fake().launchGraph;
}

FAKE cuEventCreate(CUevent *event, unsigned) {
  LOCKED();
  make<CUevent_st>(event);
  return CUDA_SUCCESS;
}
FAKE cuEventDestroy_v2(CUevent event) {
  LOCKED();
  return destroy(event);
}
FAKE cuEventRecord(CUevent event, CUstream) {
  LOCKED();
  event->milliseconds = now();
  return CUDA_SUCCESS;
}
FAKE cuEventQuery(CUevent) {
  LOCKED();
  if (fake().pendingQueries == 0)
    return fake().queryEvent;
  --fake().pendingQueries;
  return CUDA_ERROR_NOT_READY;
}
FAKE cuEventElapsedTime(float *milliseconds, CUevent begin, CUevent end) {
  LOCKED();
  *milliseconds = float(end->milliseconds - begin->milliseconds);
  return fake().elapsed;
}

FAKE cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values,
                     CUlinkState *state) {
  LOCKED();
  make<CUlinkState_st>(state);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      (*state)->log = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      (*state)->logSize = reinterpret_cast<uintptr_t>(values[i]);
  return CUDA_SUCCESS;
}
FAKE cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data,
                      size_t size, const char *, unsigned, CUjit_option *,
                      void **) {
  LOCKED();
  auto *link = state;
  std::string text(static_cast<const char *>(data), size);
  if (type != CU_JIT_INPUT_PTX || text.empty() || text.back() != '\0')
    return 1;
  std::strncpy(link->log, fake().log, link->logSize);
  link->code = codeWord + text;
  return fake().link;
}
FAKE cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
  LOCKED();
  ++fake().links;
  std::string &code = state->code;
  *cubin = code.data();
  *size = code.size();
  return CUDA_SUCCESS;
}
FAKE cuLinkDestroy(CUlinkState state) {
  LOCKED();
  return destroy(state);
}
FAKE cuModuleLoadData(CUmodule *module, const void *image) {
  LOCKED();
  if (std::strncmp(static_cast<const char *>(image), codeWord,
                   sizeof(codeWord) - 1) != 0)
    return CUDA_ERROR_INVALID_IMAGE;
  if (fake().loadModule != CUDA_SUCCESS)
    return fake().loadModule;
  make<CUmod_st>(module);
  (*module)->ptx = static_cast<const char *>(image);
  return CUDA_SUCCESS;
}
FAKE cuModuleUnload(CUmodule module) {
  LOCKED();
  return destroy(module);
}
FAKE cuModuleGetFunction(CUfunction *function, CUmodule module,
                         const char *name) {
  LOCKED();
  auto *code = module;
  std::string start = std::string(".entry ") + name + "(";
  size_t begin = code->ptx.find(start);
  if (fake().getFunction != CUDA_SUCCESS)
    return fake().getFunction;
  if (begin == std::string::npos)
    return CUDA_ERROR_NOT_FOUND;
  CUfunc_st &made = code->functions[name];
  made = {name, 0};
  size_t end = code->ptx.find(')', begin);
  for (size_t at = code->ptx.find(".param", begin); at < end;
       at = code->ptx.find(".param", at + 1))
    ++made.parameters;
  *function = &made;
  return CUDA_SUCCESS;
}
FAKE cuFuncGetAttribute(int *value, CUfunction_attribute, CUfunction) {
  *value = fake().mostThreads;
  return CUDA_SUCCESS;
}
FAKE cuLaunchKernel(CUfunction function, unsigned groupsX, unsigned groupsY,
                    unsigned groupsZ, unsigned sizeX, unsigned, unsigned,
                    unsigned, CUstream stream, void **parameters, void **) {
  LOCKED();
  if (fake().launchKernel != CUDA_SUCCESS)
    return fake().launchKernel;
  auto *kernel = function;
  std::vector<std::byte *> buffers;
  for (size_t i = 0; i < kernel->parameters; ++i) {
    CUdeviceptr address = 0;
    std::memcpy(&address, parameters[i], sizeof(address));
    buffers.push_back(static_cast<std::byte *>(at(address)));
  }
  return put(stream, [=, name = kernel->name] {
    ++fake().kernelLaunches;
    fake().kernel(name, buffers, groupsX * groupsY * groupsZ, sizeX);
  });
}
