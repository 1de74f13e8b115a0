//===- TFLiteFile.cpp - What a TensorFlow Lite file says ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteFile.h"

#include "Exceptions.h"

#include "Runtime/Formats/TFLite/Operator.h"
#include "Runtime/Formats/TFLite/Root.h"
#include "Runtime/Support/Errors.h"

#include <pybind11/stl.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

using namespace nnhal;
namespace py = pybind11;
namespace schema = rt::tflite::schema;

/// The elements of \p vector; none where the file leaves it out.
template <typename Element>
static std::vector<Element>
elementsOf(const flatbuffers::Vector<Element> *vector) {
  if (!vector)
    return {};
  return {vector->begin(), vector->end()};
}

static py::str textOf(const flatbuffers::String *text) {
  // Names are bytes that nobody has checked.
  return text ? py::str(py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
                    text->c_str(), py::ssize_t(text->size()), "replace")))
              : py::str();
}

/// Where in \p file the constant behind \p tensor lies, as offset and size;
/// None for a computed tensor.
static py::object constantOf(const schema::Model &model,
                             const schema::Tensor &tensor,
                             std::string_view file) {
  const auto *buffers = model.buffers();
  if (!buffers || tensor.buffer() >= buffers->size())
    return py::none();
  const schema::Buffer *buffer = buffers->Get(tensor.buffer());
  if (const auto *data = buffer->data(); data && data->size() > 0)
    return py::make_tuple(reinterpret_cast<const char *>(data->data()) -
                              file.data(),
                          data->size());
  // Files above 2 GiB keep constants behind the FlatBuffer.
  if (buffer->offset() > 1 && buffer->offset() <= file.size() &&
      buffer->size() <= file.size() - buffer->offset())
    return py::make_tuple(buffer->offset(), buffer->size());
  return py::none();
}

static py::dict describe(const schema::Model &model,
                         const schema::Tensor &tensor, std::string_view file) {
  py::dict facts;
  facts["name"] = textOf(tensor.name());
  facts["type"] = schema::EnumNameTensorType(tensor.type());
  facts["shape"] = py::cast(elementsOf(tensor.shape()));
  facts["shape_signature"] = py::cast(elementsOf(tensor.shape_signature()));
  facts["is_variable"] = tensor.is_variable();
  const schema::QuantizationParameters *quantization = tensor.quantization();
  facts["scales"] = py::cast(quantization ? elementsOf(quantization->scale())
                                          : std::vector<float>());
  facts["zero_points"] =
      py::cast(quantization ? elementsOf(quantization->zero_point())
                            : std::vector<int64_t>());
  facts["quantized_dimension"] =
      quantization ? quantization->quantized_dimension() : 0;
  facts["is_sparse"] = tensor.sparsity() != nullptr;
  facts["constant"] = constantOf(model, tensor, file);
  return facts;
}

/// The tensors of \p maps by the names that a signature gives them.
static py::dict tensorsOf(
    const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>> *maps) {
  py::dict tensors;
  if (!maps)
    return tensors;
  for (const schema::TensorMap *map : *maps)
    tensors[textOf(map->name())] = map->tensor_index();
  return tensors;
}

static py::str nameOf(const schema::OperatorCode &code) {
  schema::BuiltinOperator builtin = rt::tflite::builtinCode(code);
  if (builtin != schema::BuiltinOperator::CUSTOM)
    return schema::EnumNameBuiltinOperator(builtin);
  return code.custom_code() ? textOf(code.custom_code())
                            : py::str("UnknownCustomOp");
}

/// The operators of \p subgraph with the names that TensorFlow Lite gives them.
static py::list operatorsOf(const schema::Model &model,
                            const schema::SubGraph &subgraph) {
  py::list operators;
  if (!subgraph.operators())
    return operators;
  const auto *codes = model.operator_codes();
  for (const schema::Operator *source : *subgraph.operators()) {
    py::dict facts;
    facts["name"] = codes && source->opcode_index() < codes->size()
                        ? nameOf(*codes->Get(source->opcode_index()))
                        : py::str();
    facts["inputs"] = py::cast(elementsOf(source->inputs()));
    facts["outputs"] = py::cast(elementsOf(source->outputs()));
    operators.append(facts);
  }
  return operators;
}

static py::dict describe(const schema::Model &model,
                         const schema::SubGraph &subgraph,
                         std::string_view file) {
  py::dict facts;
  py::list tensors;
  if (subgraph.tensors())
    for (const schema::Tensor *tensor : *subgraph.tensors())
      tensors.append(describe(model, *tensor, file));
  facts["tensors"] = tensors;
  facts["inputs"] = py::cast(elementsOf(subgraph.inputs()));
  facts["outputs"] = py::cast(elementsOf(subgraph.outputs()));
  facts["operators"] = operatorsOf(model, subgraph);
  return facts;
}

static const schema::Model &rootOf(std::string_view bytes) {
  return *python::unwrap(rt::tflite::readRoot(std::as_bytes(std::span(bytes))));
}

py::dict python::readTFLiteFile(std::string_view bytes) {
  const schema::Model &model = rootOf(bytes);
  py::dict file;
  py::list subgraphs;
  for (const schema::SubGraph *subgraph : *model.subgraphs())
    subgraphs.append(describe(model, *subgraph, bytes));
  file["subgraphs"] = subgraphs;
  py::list signatures;
  if (model.signature_defs())
    for (const schema::SignatureDef *signature : *model.signature_defs()) {
      py::dict facts;
      facts["key"] = textOf(signature->signature_key());
      facts["inputs"] = tensorsOf(signature->inputs());
      facts["outputs"] = tensorsOf(signature->outputs());
      facts["subgraph"] = signature->subgraph_index();
      signatures.append(facts);
    }
  file["signatures"] = signatures;
  return file;
}

py::bytes python::withOutputs(std::string_view bytes, uint32_t subgraph,
                              const std::vector<int32_t> &outputs) {
  const auto &subgraphs = *rootOf(bytes).subgraphs();
  if (subgraph >= subgraphs.size())
    check(rt::badData("subgraph {} of {}", subgraph, subgraphs.size()));
  const schema::SubGraph &changed = *subgraphs.Get(subgraph);
  const uint8_t *field =
      reinterpret_cast<const flatbuffers::Table &>(changed).GetAddressOf(
          schema::SubGraph::VT_OUTPUTS);
  if (!field)
    check(rt::badData("subgraph {} has no outputs", subgraph));
  // A FlatBuffer refers to its vectors by distances: the new one can lie behind
  // everything else.
  using Offset = flatbuffers::uoffset_t;
  const size_t offsetPlace =
      reinterpret_cast<const char *>(field) - bytes.data();
  const size_t vectorPlace =
      (bytes.size() + sizeof(Offset) - 1) / sizeof(Offset) * sizeof(Offset);
  const size_t size =
      vectorPlace + sizeof(Offset) + outputs.size() * sizeof(int32_t);
  auto file = py::reinterpret_steal<py::bytes>(
      PyBytes_FromStringAndSize(nullptr, py::ssize_t(size)));
  if (!file)
    throw py::error_already_set();
  char *data = PyBytes_AS_STRING(file.ptr());
  std::memset(data + bytes.size(), 0, size - bytes.size());
  std::memcpy(data, bytes.data(), bytes.size());
  auto *place = reinterpret_cast<uint8_t *>(data);
  flatbuffers::WriteScalar(place + offsetPlace,
                           Offset(vectorPlace - offsetPlace));
  flatbuffers::WriteScalar(place + vectorPlace, Offset(outputs.size()));
  for (size_t i = 0; i < outputs.size(); ++i)
    flatbuffers::WriteScalar(
        place + vectorPlace + sizeof(Offset) + i * sizeof(int32_t), outputs[i]);
  return file;
}
