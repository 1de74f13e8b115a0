//===- TensorFlowLite.cpp - A library with the C interface of another -----===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of TensorFlow Lite's C interface that
// nnhal-benchmark-tensorflowlite calls, for test/Models/floor.tflite alone. The
// environment's NNHAL_TEST_TENSORFLOWLITE says what goes wrong: "create",
// "prepare" or "execute" fails, a "delegate" is refused, and outputs are
// "wrong" by 1.
//
//===----------------------------------------------------------------------===//

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

static bool has(const char *fault) {
  const char *wanted = std::getenv("NNHAL_TEST_TENSORFLOWLITE");
  return wanted && std::strcmp(wanted, fault) == 0;
}

namespace {
struct Interpreter {
  std::array<float, 4> input = {};
  std::array<float, 4> output = {};
};
} // namespace

EXPORT const char *TfLiteVersion() { return "0.0-test"; }

EXPORT void *TfLiteModelCreateFromFile(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  char head[8] = {};
  bool isModel = file && std::fread(head, 1, sizeof(head), file) == 8 &&
                 std::memcmp(head + 4, "TFL3", 4) == 0;
  if (file)
    std::fclose(file);
  return isModel ? std::malloc(1) : nullptr;
}
EXPORT void TfLiteModelDelete(void *model) { std::free(model); }

EXPORT void *TfLiteInterpreterOptionsCreate() { return std::malloc(1); }
EXPORT void TfLiteInterpreterOptionsDelete(void *options) {
  std::free(options);
}
EXPORT void TfLiteInterpreterOptionsSetNumThreads(void *, int32_t) {}
EXPORT void TfLiteInterpreterOptionsSetErrorReporter(void *, void *, void *) {}

EXPORT void *TfLiteXNNPackDelegateCreate(const void *) {
  return std::malloc(1);
}
EXPORT void TfLiteXNNPackDelegateDelete(void *delegate) { std::free(delegate); }

EXPORT Interpreter *TfLiteInterpreterCreate(const void *, const void *) {
  return has("create") ? nullptr : new Interpreter;
}
EXPORT void TfLiteInterpreterDelete(Interpreter *made) { delete made; }
EXPORT int TfLiteInterpreterModifyGraphWithDelegate(Interpreter *, void *) {
  return has("delegate");
}
EXPORT int TfLiteInterpreterAllocateTensors(Interpreter *) {
  return has("prepare");
}
EXPORT int TfLiteInterpreterInvoke(Interpreter *of) {
  for (size_t i = 0; i < of->input.size(); ++i)
    of->output[i] = std::floor(of->input[i]) + float(has("wrong"));
  return has("execute");
}

EXPORT int32_t TfLiteInterpreterGetInputTensorCount(const void *) { return 1; }
EXPORT int32_t TfLiteInterpreterGetOutputTensorCount(const void *) { return 1; }
EXPORT std::array<float, 4> *TfLiteInterpreterGetInputTensor(Interpreter *of,
                                                             int32_t) {
  return &of->input;
}
EXPORT std::array<float, 4> *TfLiteInterpreterGetOutputTensor(Interpreter *of,
                                                              int32_t) {
  return &of->output;
}
EXPORT size_t TfLiteTensorByteSize(const std::array<float, 4> *tensor) {
  return sizeof(*tensor);
}
EXPORT float *TfLiteTensorData(std::array<float, 4> *tensor) {
  return tensor->data();
}
