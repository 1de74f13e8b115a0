//===- Complex.h - Complex inputs and outputs -------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPLEX_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPLEX_H

#include "Graph.h"

namespace nnhal::rt::tflite {

/// Whether \p tensor is of complex numbers of single precision, which are two
/// operands between the inputs and the outputs of a model.
inline bool isComplex(const Tensor &tensor) {
  return tensor.sourceType == schema::TensorType::COMPLEX64;
}

/// Returns an operand of the extension's type for \p tensor. Fails with
/// invalidArgument when it has no such type, no such size, or no dimension more
/// for the parts of a number.
Result<Operand> complexOperandFor(const Graph &graph, const Tensor &tensor,
                                  const Shape &shape);

/// Returns operands for the parts of complex numbers, and the only one for
/// another tensor. Fails as operandFor() does.
Result<std::vector<Operand>> partsFor(const Tensor &tensor, const Shape &shape);

/// A tensor of FLOAT32 with the real or the imaginary part of \p tensor, which
/// is a constant or computed: a constant if that is one.
Result<Tensor> partOf(Graph &graph, const Tensor &tensor, bool isImaginary);

/// Makes operands of both parts of \p tensor where that is a constant of
/// complex numbers.
Status splitConstant(Graph &graph, Tensor &tensor);

/// Makes the parts of operand \p joined, which is of complex numbers, the value
/// of \p tensor, whose shape is known.
void splitComplex(Graph &graph, Tensor &tensor, uint32_t joined);

/// An operand of complex numbers, \p like another one, whose parts are the two
/// operands of \p tensor.
uint32_t joinComplex(Graph &graph, const Tensor &tensor, Operand like);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_COMPLEX_H
