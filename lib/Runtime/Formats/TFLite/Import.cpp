//===- Import.cpp - TensorFlow Lite import --------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/TFLiteModel.h"

#include "Graph.h"
#include "Root.h"
#include "Signatures.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Validate.h"

#include <algorithm>
#include <new>

namespace nnhal::rt {

namespace schema = tflite::schema;

Result<const schema::Model *>
tflite::readRoot(std::span<const std::byte> bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  // Root offset and identifier.
  if (bytes.size() < 8 || !schema::ModelBufferHasIdentifier(data))
    return badData("not a TensorFlow Lite file: no identifier TFL3");
  // Constants of a larger file lie behind its FlatBuffer.
  size_t size = std::min<size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  constexpr uint32_t maxDepth = 32, maxTables = 4'000'000;
  flatbuffers::Verifier verifier(data, size, maxDepth, maxTables);
  if (!schema::VerifyModelBuffer(verifier))
    return badData("damaged TensorFlow Lite file of {} bytes", bytes.size());
  const schema::Model *model = schema::GetModel(data);
  if (model->version() != 3)
    return badData(
        "TensorFlow Lite schema version {} is not supported, expected 3",
        model->version());
  if (!model->subgraphs() || model->subgraphs()->size() == 0)
    return badData("the file has no subgraph");
  return model;
}

static Result<AnnotatedModel>
importVerified(const Memory &file, const TFLiteImportOptions &options) {
  NNHAL_ASSIGN_OR_RETURN(Memory memory, file.snapshot());
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  NNHAL_ASSIGN_OR_RETURN(const schema::Model *source, tflite::readRoot(bytes));
  NNHAL_ASSIGN_OR_RETURN(const schema::SignatureDef *signature,
                         tflite::findSignature(*source, options.signature));
  tflite::FileImport import(*source, bytes, signature, options);
  tflite::Graph graph(import, *source->subgraphs()->Get(import.mainSubgraph()),
                      import.result.model.main);
  NNHAL_RETURN_IF_ERROR(graph.import(options));
  AnnotatedModel model = std::move(import).take(std::move(memory));
  NNHAL_RETURN_IF_ERROR(
      validateModel(model.model).withContext("imported model"));
  return model;
}

Result<AnnotatedModel> importTFLite(const Memory &file,
                                    const TFLiteImportOptions &options) {
  // Decisions 4: this is a boundary at which exceptions end.
  try {
    return importVerified(file, options);
  } catch (const std::bad_alloc &) {
    return outOfResources("out of memory while importing {} bytes",
                          file.size());
  }
}

} // namespace nnhal::rt
