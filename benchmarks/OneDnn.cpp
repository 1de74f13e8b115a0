//===- OneDnn.cpp - oneDNN's convolutions ---------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contenders.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <dlfcn.h>
#include <memory>

using namespace nnhal;

namespace {

using Memory = dnnl::memory;

/// oneDNN's threads are those of an OpenMP library, which it brings along.
void useOneThread() {
  using SetThreads = void (*)(int);
  void *function = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
  if (function)
    reinterpret_cast<SetThreads>(function)(1);
}

class OneDnnConvolution {
public:
  explicit OneDnnConvolution(const Contraction &contraction)
      : data(contraction), output(contraction.outputElements()),
        engine(dnnl::engine::kind::cpu, 0), stream(engine) {
    bool depthwise = contraction.kind == Contraction::Kind::depthwise;
    Memory::dim inputs = contraction.inputChannels,
                outputs = contraction.outputChannels,
                window = contraction.window, size = contraction.size,
                outputSize = contraction.outputSize();
    constexpr auto type = Memory::data_type::f32;
    constexpr auto nhwc = Memory::format_tag::nhwc;
    Memory::desc image({1, inputs, size, size}, type, nhwc);
    Memory::desc result({1, outputs, outputSize, outputSize}, type, nhwc);
    Memory::desc bias({outputs}, type, Memory::format_tag::x);
    Memory::dims weightShape =
        depthwise ? Memory::dims{outputs, 1, 1, window, window}
                  : Memory::dims{outputs, inputs, window, window};
    Memory::desc anyWeights(weightShape, type, Memory::format_tag::any);
    // 1HWC is HWIGO without the extents of 1.
    Memory::desc givenWeights(weightShape, type,
                              depthwise ? Memory::format_tag::hwigo
                                        : Memory::format_tag::ohwi);
    Memory::dim stride = contraction.stride,
                before = contraction.paddingBefore(),
                after = contraction.padding() - contraction.paddingBefore();
    dnnl::convolution_forward::desc description(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        image, anyWeights, bias, result, {stride, stride}, {before, before},
        {after, after});
    dnnl::post_ops relu6;
    relu6.append_eltwise(1, dnnl::algorithm::eltwise_clip, 0, 6);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(relu6);
    dnnl::convolution_forward::primitive_desc chosen(description, attributes,
                                                     engine);
    primitive = dnnl::convolution_forward(chosen);
    Memory given(givenWeights, engine, data.floatWeights.data());
    Memory packed(chosen.weights_desc(), engine);
    dnnl::reorder(given, packed).execute(stream, given, packed);
    arguments = {{DNNL_ARG_SRC, Memory(image, engine, data.floatInput.data())},
                 {DNNL_ARG_WEIGHTS, packed},
                 {DNNL_ARG_BIAS, Memory(bias, engine, data.floatBias.data())},
                 {DNNL_ARG_DST, Memory(result, engine, output.data())}};
    stream.wait();
  }

  void run() {
    primitive.execute(stream, arguments);
    stream.wait();
  }

  std::span<const std::byte> result() const {
    return std::as_bytes(std::span(output));
  }

private:
  ContractionData data;
  std::vector<float> output;
  dnnl::engine engine;
  dnnl::stream stream;
  dnnl::convolution_forward primitive;
  std::unordered_map<int, Memory> arguments;
};

} // namespace

Contender nnhal::prepareOneDnn(const Contraction &contraction, bool avx2) {
  if (contraction.type != Contraction::Type::float32)
    return {.error = "only float32 is compared with oneDNN"};
  try {
    // Too late, and without effect, after the first primitive.
    if (avx2)
      (void)dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2);
    useOneThread();
    auto convolution = std::make_shared<OneDnnConvolution>(contraction);
    return {.run =
                [convolution] {
                  convolution->run();
                  return true;
                },
            .output = convolution->result()};
  } catch (const dnnl::error &error) {
    return {.error = error.what()};
  }
}
