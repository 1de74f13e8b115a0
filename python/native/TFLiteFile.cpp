//===- TFLiteFile.cpp - What a TensorFlow Lite file says ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TFLiteFile.h"

#include "Exceptions.h"

#include "Runtime/Formats/TFLite/Root.h"
#include "Runtime/Support/Errors.h"

#include <pybind11/stl.h>

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

py::dict python::readTFLiteFile(std::string_view bytes) {
  const schema::Model &model =
      *unwrap(rt::tflite::readRoot(std::as_bytes(std::span(bytes))));
  const schema::SubGraph &main = *model.subgraphs()->Get(0);
  py::dict file;
  py::list tensors;
  if (main.tensors())
    for (const schema::Tensor *tensor : *main.tensors())
      tensors.append(describe(model, *tensor, bytes));
  file["tensors"] = tensors;
  file["inputs"] = py::cast(elementsOf(main.inputs()));
  file["outputs"] = py::cast(elementsOf(main.outputs()));
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
