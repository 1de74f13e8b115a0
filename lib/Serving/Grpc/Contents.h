//===- Contents.h - Elements as numbers of a message ------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_GRPC_CONTENTS_H
#define NNHAL_LIB_SERVING_GRPC_CONTENTS_H

#include "Serving/Core/Inference.h"

#include "open_inference_grpc.pb.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace nnhal::serving {

/// Elements of the types that messages have no field of their own for: each
/// vector has those of one tensor. Growing moves no vector.
using NarrowedElements = std::deque<std::vector<std::byte>>;

/// Sets the data of \p tensor, whose name, type and shape are set, to the
/// elements in \p contents. They are used where they lie, in \p contents, if
/// they have the tensor's width there, and are copied to \p narrowed if not.
/// Fails with invalidArgument for FP16, which messages have no numbers for, for
/// a field of another type, for another number of elements than the shape has,
/// and for a number that the type does not have.
Outcome readContents(const inference::InferTensorContents &contents,
                     NarrowedElements &narrowed, RequestTensor &tensor);

/// Whether messages have a field for elements of \p type.
inline bool hasContents(DataType type) { return type != DataType::fp16; }

/// Writes the elements of \p tensor, whose type has a field and of which there
/// are no more than int counts, to \p contents.
void writeContents(const ResponseTensor &tensor,
                   inference::InferTensorContents &contents);

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_GRPC_CONTENTS_H
