//===- Signatures.h - Named entries into a file -----------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_SIGNATURES_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_SIGNATURES_H

#include "Tensors.h"

namespace nnhal::rt::tflite {

/// Returns the signature of \p model that is named \p name; null for an empty
/// name. Fails with invalidArgument, which lists the names, where there is
/// none.
Result<const schema::SignatureDef *> findSignature(const schema::Model &model,
                                                   const std::string &name);

/// Gives those of \p tensors the names that \p names states, which are the
/// inputs or the outputs of a signature.
Status nameTensors(
    const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>> *names,
    std::vector<Tensor> &tensors);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_SIGNATURES_H
