//===- Rewriter.h - An operator as several of the file format ---*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose meaning others of the file format have are imported as those:
// they are written as tables of the format that exist only meanwhile, and refer
// to tensors that the file does not have.
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_REWRITER_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_REWRITER_H

#include "OperatorTable.h"

namespace nnhal::rt::tflite {

class Rewriter {
public:
  using Builder = flatbuffers::FlatBufferBuilder;
  using Code = schema::BuiltinOperator;

  explicit Rewriter(Operator &op)
      : op(op), graph(op.graph), wasRewriting(graph.setRewriting(true)) {}
  ~Rewriter() { graph.setRewriting(wasRewriting); }
  Rewriter(const Rewriter &) = delete;
  Rewriter &operator=(const Rewriter &) = delete;

  const Shape &shapeOf(int32_t tensor) const {
    return *graph.tensor(uint32_t(tensor)).shape;
  }

  /// A tensor of INT32 constants; \p dimensions default to one of all.
  int32_t integers(const std::vector<int32_t> &values,
                   const std::optional<Shape> &dimensions = {});
  /// A FLOAT32 constant.
  int32_t real(float value);
  /// FLOAT32 constants of \p shape.
  int32_t reals(const std::vector<float> &values, const Shape &shape);

  /// Adds the operator \p code, whose only result is a new tensor of the type
  /// of tensor \p like, and returns that.
  Result<int32_t> value(Code code, const std::vector<int32_t> &inputs,
                        int32_t like) {
    return value(code, inputs, like, noOptions);
  }
  /// Adds the operator \p code with options that \p create makes, by a function
  /// schema::Create..., and returns its only result, a new tensor of the type
  /// of tensor \p like.
  template <typename Create>
  Result<int32_t> value(Code code, const std::vector<int32_t> &inputs,
                        int32_t like, Create create) {
    int32_t result = temporary(like);
    NNHAL_RETURN_IF_ERROR(add(code, inputs, {result}, create));
    return result;
  }
  /// Adds the operator \p code with the outputs of the one that is rewritten.
  Status finish(Code code, const std::vector<int32_t> &inputs) {
    return add(code, inputs, op.outputs, noOptions);
  }
  template <typename Create>
  Status finish(Code code, const std::vector<int32_t> &inputs, Create create) {
    return add(code, inputs, op.outputs, create);
  }
  /// Adds the operator \p code with \p outputs.
  Status apply(Code code, const std::vector<int32_t> &inputs,
               const std::vector<int32_t> &outputs) {
    return add(code, inputs, outputs, noOptions);
  }
  template <typename Create>
  Status apply(Code code, const std::vector<int32_t> &inputs,
               const std::vector<int32_t> &outputs, Create create) {
    return add(code, inputs, outputs, create);
  }
  /// Adds the extension's operation of the operator \p code, also where the HAL
  /// has one.
  Status extend(Code code, const std::vector<int32_t> &inputs,
                const std::vector<int32_t> &outputs) {
    Builder builder;
    return extendWritten(builder, code, inputs, outputs, {});
  }
  /// Adds the extension's operation of the operator \p code with options of the
  /// file format's second union, which \p create makes.
  template <typename Create>
  Status extend(Code code, const std::vector<int32_t> &inputs,
                const std::vector<int32_t> &outputs, Create create) {
    Builder builder;
    return extendWritten(
        builder, code, inputs, outputs,
        numbered<schema::BuiltinOptions2Traits>(create(builder)));
  }
  /// Makes the value of \p tensor that of output \p i.
  Status give(int32_t tensor, size_t i = 0);

  /// \p tensor in \p shape, which has as many elements; itself when that is
  /// its shape.
  Result<int32_t> reshape(int32_t tensor, const Shape &shape);
  /// \p tensor with its dimensions in another order; itself where that is the
  /// same.
  Result<int32_t> transpose(int32_t tensor,
                            const std::vector<int32_t> &permutation);
  /// \p tensor, of integers, as INT32.
  Result<int32_t> asInt32(int32_t tensor);
  /// A new tensor of the type of \p like, which an operator will compute.
  int32_t temporary(int32_t like);

  /// Options that a builder holds: of the first union, and of the second one,
  /// which files have for newer operators.
  using Written = std::pair<schema::BuiltinOptions, flatbuffers::Offset<void>>;
  using Written2 =
      std::pair<schema::BuiltinOptions2, flatbuffers::Offset<void>>;

private:
  static flatbuffers::Offset<schema::AddOptions> noOptions(Builder &) {
    return 0;
  }

  /// Pairs \p options with their number in the union that \p Traits describes.
  template <template <typename> typename Traits, typename Options>
  static auto numbered(flatbuffers::Offset<Options> options) {
    return std::pair(Traits<Options>::enum_value, options.Union());
  }

  template <typename Create>
  Status add(Code code, const std::vector<int32_t> &inputs,
             const std::vector<int32_t> &outputs, Create create) {
    Builder builder;
    return importWritten(
        builder, code, inputs, outputs,
        numbered<schema::BuiltinOptionsTraits>(create(builder)));
  }
  Status importWritten(Builder &builder, Code code,
                       const std::vector<int32_t> &inputs,
                       const std::vector<int32_t> &outputs, Written options);
  Status extendWritten(Builder &builder, Code code,
                       const std::vector<int32_t> &inputs,
                       const std::vector<int32_t> &outputs, Written2 options);

  Operator &op;
  Graph &graph;
  const bool wasRewriting;
};

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_REWRITER_H
