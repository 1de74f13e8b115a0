//===- TFLiteWriter.h - Writes small .tflite files for tests ----*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_UNIT_IMPORT_TFLITEWRITER_H
#define NNHAL_TEST_UNIT_IMPORT_TFLITEWRITER_H

#include "nnhal/Runtime/Memory.h"

#include "TFLiteSchema_generated.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace nnhal::rt {

namespace schema = tflite::schema;

/// Options of a tensor beyond its shape and type.
struct TensorSpec {
  std::vector<int32_t> shape;
  schema::TensorType type = schema::TensorType::FLOAT32;
  std::vector<float> scales = {};
  std::vector<int64_t> zeroPoints = {};
  int32_t quantizedDimension = 0;
  bool isVariable = false;
  std::vector<int32_t> signature = {};
  std::string name = {};
  /// The elements of a block, and the tensors of its scales and zero points;
  /// no blocks where there are none.
  int32_t blockSize = 0;
  int32_t blockScales = 0;
  int32_t blockZeroPoints = 0;
};

/// What few operators have.
struct OperatorExtras {
  /// Name of a custom operator.
  const char *custom = nullptr;
  std::vector<uint8_t> customOptions = {};
  std::vector<int32_t> intermediates = {};
  /// Makes options of the second union, with schema::Create...
  std::function<std::pair<schema::BuiltinOptions2, flatbuffers::Offset<void>>(
      flatbuffers::FlatBufferBuilder &)>
      options2 = {};
  /// The place of options that are said to lie behind the FlatBuffer.
  uint64_t largeOptionsOffset = 0, largeOptionsSize = 0;
};

/// A file, tensor by tensor and operator by operator of its subgraphs.
class TFLiteWriter {
public:
  using Builder = flatbuffers::FlatBufferBuilder;

  TFLiteWriter() { buffers.push_back(schema::CreateBuffer(builder)); }

  /// A tensor without data; its index.
  int32_t tensor(const TensorSpec &spec) { return add(spec, 0, 0); }

  /// A tensor of buffer \p buffer, which may not exist.
  int32_t tensorOfBuffer(const TensorSpec &spec, uint32_t buffer) {
    return add(spec, buffer, 0);
  }
  /// A constant whose data is said to lie at \p offset of the file.
  int32_t external(const TensorSpec &spec, uint64_t offset, uint64_t size) {
    buffers.push_back(schema::CreateBuffer(builder, 0, offset, size));
    return add(spec, static_cast<uint32_t>(buffers.size() - 1), 0);
  }
  /// Forgets the codes of the operators so far, which then refer to none.
  void dropCodes() { codes.clear(); }

  template <typename T>
  int32_t
  constant(const TensorSpec &spec, const std::vector<T> &values,
           flatbuffers::Offset<schema::SparsityParameters> sparsity = 0) {
    builder.ForceVectorAlignment(values.size() * sizeof(T), 1, 16);
    auto data =
        builder.CreateVector(reinterpret_cast<const uint8_t *>(values.data()),
                             values.size() * sizeof(T));
    buffers.push_back(schema::CreateBuffer(builder, data));
    return add(spec, static_cast<uint32_t>(buffers.size() - 1), sparsity);
  }
  int32_t integers(const std::vector<int32_t> &values) {
    return constant<int32_t>(
        {{int32_t(values.size())}, schema::TensorType::INT32}, values);
  }
  /// FLOAT32 of \p shape, every element \p value.
  int32_t floats(const std::vector<int32_t> &shape, float value = 0.5f) {
    size_t count = 1;
    for (int32_t dimension : shape)
      count *= dimension;
    return constant<float>({shape}, std::vector<float>(count, value));
  }

  void add(schema::BuiltinOperator code, std::vector<int32_t> inputs,
           std::vector<int32_t> outputs,
           schema::BuiltinOptions kind = schema::BuiltinOptions::NONE,
           flatbuffers::Offset<void> options = 0,
           const OperatorExtras &extras = {}) {
    auto name = extras.custom ? builder.CreateString(extras.custom) : 0;
    auto customOptions = extras.customOptions.empty()
                             ? 0
                             : builder.CreateVector(extras.customOptions);
    auto intermediates = extras.intermediates.empty()
                             ? 0
                             : builder.CreateVector(extras.intermediates);
    std::pair<schema::BuiltinOptions2, flatbuffers::Offset<void>> second = {};
    if (extras.options2)
      second = extras.options2(builder);
    auto small = int8_t(std::min(int32_t(code), 127));
    codes.push_back(schema::CreateOperatorCode(builder, small, name, 1, code));
    auto inputVector = builder.CreateVector(inputs),
         outputVector = builder.CreateVector(outputs);
    operators.push_back(schema::CreateOperator(
        builder, uint32_t(codes.size() - 1), inputVector, outputVector, kind,
        options, customOptions, schema::CustomOptionsFormat::FLEXBUFFERS, 0,
        intermediates, extras.largeOptionsOffset, extras.largeOptionsSize,
        second.first, second.second));
  }
  /// An operator with options, created by schema::Create... on `builder`.
  template <typename T>
  void add(schema::BuiltinOperator code, std::vector<int32_t> inputs,
           std::vector<int32_t> outputs, flatbuffers::Offset<T> options) {
    add(code, std::move(inputs), std::move(outputs),
        schema::BuiltinOptionsTraits<T>::enum_value, options.Union());
  }

  /// Ends a subgraph, the first of which is the main one; what follows belongs
  /// to the next.
  void endSubgraph(const std::vector<int32_t> &inputs,
                   const std::vector<int32_t> &outputs) {
    // One statement each: compilers evaluate arguments in different orders.
    auto tensorVector = builder.CreateVector(tensors);
    auto inputVector = builder.CreateVector(inputs);
    auto outputVector = builder.CreateVector(outputs);
    auto operatorVector = builder.CreateVector(operators);
    subgraphs.push_back(schema::CreateSubGraph(
        builder, tensorVector, inputVector, outputVector, operatorVector));
    tensors.clear();
    operators.clear();
  }

  /// A name of subgraph \p subgraph, whose inputs and outputs have names, too.
  void sign(const char *key, uint32_t subgraph,
            const std::vector<std::pair<const char *, uint32_t>> &inputs,
            const std::vector<std::pair<const char *, uint32_t>> &outputs) {
    auto named = [&](const auto &tensors) {
      std::vector<flatbuffers::Offset<schema::TensorMap>> maps;
      for (const auto &[name, index] : tensors)
        maps.push_back(schema::CreateTensorMapDirect(builder, name, index));
      return builder.CreateVector(maps);
    };
    auto inputMaps = named(inputs), outputMaps = named(outputs);
    auto name = builder.CreateString(key);
    signatures.push_back(schema::CreateSignatureDef(
        builder, inputMaps, outputMaps, name, subgraph));
  }

  std::vector<std::byte> finish(const std::vector<int32_t> &inputs,
                                const std::vector<int32_t> &outputs,
                                uint32_t version = 3) {
    endSubgraph(inputs, outputs);
    auto graphs = builder.CreateVector(subgraphs);
    auto codeVector = builder.CreateVector(codes);
    auto bufferVector = builder.CreateVector(buffers);
    auto signatureVector =
        signatures.empty() ? 0 : builder.CreateVector(signatures);
    schema::FinishModelBuffer(
        builder, schema::CreateModel(builder, version, codeVector, graphs, 0,
                                     bufferVector, 0, 0, signatureVector));
    const auto *data =
        reinterpret_cast<const std::byte *>(builder.GetBufferPointer());
    return {data, data + builder.GetSize()};
  }

  Builder builder;

private:
  int32_t add(const TensorSpec &spec, uint32_t buffer,
              flatbuffers::Offset<schema::SparsityParameters> sparsity) {
    auto index = static_cast<int32_t>(tensors.size());
    flatbuffers::Offset<schema::QuantizationParameters> quantization = 0;
    if (!spec.scales.empty()) {
      auto scales = builder.CreateVector(spec.scales);
      auto zeroPoints = builder.CreateVector(spec.zeroPoints);
      quantization = schema::CreateQuantizationParameters(
          builder, 0, 0, scales, zeroPoints, schema::QuantizationDetails::NONE,
          0, spec.quantizedDimension);
    }
    if (spec.blockSize) {
      auto blocks = schema::CreateBlockwiseQuantization(
          builder, spec.blockScales, spec.blockZeroPoints, spec.blockSize);
      quantization = schema::CreateQuantizationParameters(
          builder, 0, 0, 0, 0,
          schema::QuantizationDetails::BlockwiseQuantization, blocks.Union());
    }
    auto shape = builder.CreateVector(spec.shape);
    auto signature =
        spec.signature.empty() ? 0 : builder.CreateVector(spec.signature);
    auto name = builder.CreateString(
        spec.name.empty() ? "t" + std::to_string(index) : spec.name);
    tensors.push_back(schema::CreateTensor(builder, shape, spec.type, buffer,
                                           name, quantization, spec.isVariable,
                                           sparsity, signature));
    return index;
  }

  std::vector<flatbuffers::Offset<schema::Buffer>> buffers;
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  std::vector<flatbuffers::Offset<schema::OperatorCode>> codes;
  std::vector<flatbuffers::Offset<schema::Operator>> operators;
  std::vector<flatbuffers::Offset<schema::SubGraph>> subgraphs;
  std::vector<flatbuffers::Offset<schema::SignatureDef>> signatures;
};

/// The small convolutional network of test/Models/small_cnn.tflite: input
/// 1x32x32x3, 10 classes, seeded weights. The same bytes on every host.
std::vector<std::byte> writeSmallCnn();
/// FLOOR of four elements, test/Models/floor.tflite: the least that can be
/// compiled and executed.
std::vector<std::byte> writeFloor();
/// ADD of 16-bit activations, test/Models/add_int16.tflite: an operation of the
/// extension nnhal.tflite.
std::vector<std::byte> writeAddInt16();
/// The custom operator of examples/fibonacci, for the tests of nnhal-run.
std::vector<std::byte> writeFibonacci();

/// The transform of a row of reals, complex numbers that are moved, and both
/// parts and the magnitude of those.
std::vector<std::byte> writeComplex();
/// Two subgraphs, which negate and take roots, as the signatures of those
/// names.
std::vector<std::byte> writeSignatures();
/// The custom operators of a stream of sound with states, for the tests of
/// nnhal-run: inputs of 16 samples, features of two frames and whether they are
/// valid.
std::vector<std::byte> writeSoundFrontEnd();

} // namespace nnhal::rt

#endif // NNHAL_TEST_UNIT_IMPORT_TFLITEWRITER_H
