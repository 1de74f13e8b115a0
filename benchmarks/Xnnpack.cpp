//===- Xnnpack.cpp - XNNPACK's 8-bit convolutions -------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contenders.h"

#include <fmt/format.h>
#include <xnnpack.h>

#include <memory>

using namespace nnhal;

namespace {

/// XNNPACK reads up to this many bytes beyond its arguments.
constexpr size_t slack = XNN_EXTRA_BYTES;

struct XnnpackConvolution {
  explicit XnnpackConvolution(const Contraction &contraction)
      : data(contraction), output(contraction.outputElements() + slack) {
    data.input.resize(data.input.size() + slack);
    data.weights.resize(data.weights.size() + slack);
  }
  ~XnnpackConvolution() {
    if (convolution)
      xnn_delete_operator(convolution);
  }
  XnnpackConvolution(const XnnpackConvolution &) = delete;
  XnnpackConvolution &operator=(const XnnpackConvolution &) = delete;

  xnn_status create(const Contraction &contraction);
  xnn_status setUp(const Contraction &contraction);

  ContractionData data;
  std::vector<uint8_t> output;
  xnn_operator_t convolution = nullptr;
};

xnn_status XnnpackConvolution::create(const Contraction &contraction) {
  bool depthwise = contraction.kind == Contraction::Kind::depthwise;
  uint32_t before = contraction.paddingBefore(),
           after = contraction.padding() - before;
  uint32_t window = contraction.window, stride = contraction.stride;
  size_t inputs = contraction.inputChannels,
         outputs = contraction.outputChannels;
  uint32_t groups = depthwise ? uint32_t(outputs) : 1;
  size_t groupInputs = depthwise ? 1 : inputs;
  size_t groupOutputs = depthwise ? 1 : outputs;
  // The HAL's depthwise weights are HWGO.
  uint32_t flags = depthwise ? XNN_FLAG_DEPTHWISE_CONVOLUTION : 0;
  if (contraction.type == Contraction::Type::int8)
    return xnn_create_convolution2d_nhwc_qc8(
        before, after, after, before, window, window, stride, stride, 1, 1,
        groups, groupInputs, groupOutputs, inputs, outputs,
        int8_t(data.inputZeroPoint), data.inputScale, data.weightScales.data(),
        reinterpret_cast<const int8_t *>(data.weights.data()), data.bias.data(),
        int8_t(data.outputZeroPoint), data.outputScale, int8_t(data.lowest),
        int8_t(data.highest), flags, &convolution);
  return xnn_create_convolution2d_nhwc_qu8(
      before, after, after, before, window, window, stride, stride, 1, 1,
      groups, groupInputs, groupOutputs, inputs, outputs,
      uint8_t(data.inputZeroPoint), data.inputScale,
      uint8_t(data.weightZeroPoint), data.weightScales[0], data.weights.data(),
      data.bias.data(), uint8_t(data.outputZeroPoint), data.outputScale,
      uint8_t(data.lowest), uint8_t(data.highest), flags, &convolution);
}

xnn_status XnnpackConvolution::setUp(const Contraction &contraction) {
  size_t size = contraction.size;
  if (contraction.type == Contraction::Type::int8)
    return xnn_setup_convolution2d_nhwc_qc8(
        convolution, 1, size, size,
        reinterpret_cast<const int8_t *>(data.input.data()),
        reinterpret_cast<int8_t *>(output.data()), nullptr);
  return xnn_setup_convolution2d_nhwc_qu8(
      convolution, 1, size, size, data.input.data(), output.data(), nullptr);
}

} // namespace

Contender nnhal::prepareXnnpack(const Contraction &contraction) {
  if (contraction.type == Contraction::Type::float32)
    return {.error = "only 8 bits are compared with XNNPACK"};
  if (xnn_initialize(nullptr) != xnn_status_success)
    return {.error = "XNNPACK does not know this machine"};
  auto subject = std::make_shared<XnnpackConvolution>(contraction);
  xnn_status status = subject->create(contraction);
  if (status == xnn_status_success)
    status = subject->setUp(contraction);
  if (status != xnn_status_success)
    return {.error = fmt::format("XNNPACK's status {}", int(status))};
  return {.run =
              [subject] {
                return xnn_run_operator(subject->convolution, nullptr) ==
                       xnn_status_success;
              },
          .output = std::as_bytes(std::span(subject->output))
                        .first(contraction.outputElements())};
}
