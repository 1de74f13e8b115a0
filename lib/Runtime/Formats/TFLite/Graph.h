//===- Graph.h - The HAL model while it is imported -------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_RUNTIME_FORMATS_TFLITE_GRAPH_H
#define NNHAL_LIB_RUNTIME_FORMATS_TFLITE_GRAPH_H

#include "Tensors.h"
#include "Variables.h"

#include "nnhal/Backend/Signatures.h"
#include "nnhal/Runtime/TFLiteModel.h"

#include <deque>
#include <map>

namespace nnhal::rt::tflite {

/// The state that all subgraphs of a file share while they are imported. One
/// import, one thread; the file's bytes must outlive it.
struct FileImport {
  /// \p signature says which subgraph is the main one: the first one where it
  /// is null.
  FileImport(const schema::Model &model, std::span<const std::byte> file,
             const schema::SignatureDef *signature,
             const TFLiteImportOptions &options)
      : model(model), file(file), signature(signature),
        useExtensions(options.useExtensions), extensions(options.extensions),
        variables(model, options.useExtensions), calls{mainSubgraph()} {}

  uint32_t mainSubgraph() const {
    return signature ? signature->subgraph_index() : 0;
  }

  /// The prefix of the extension \p name, which the model lists from now on.
  uint16_t prefixOf(std::string_view name);

  /// The result; \p memory holds the file. Call once, after the main graph's
  /// import().
  AnnotatedModel take(Memory memory) &&;

  /// Keeps the \p bytes that a folded tensor refers to.
  std::span<const std::byte> keepFolded(std::vector<std::byte> bytes);

  /// The bytes that all constants may have which the file does not hold as they
  /// are. Whatever a file holds can be expanded without this being a large
  /// number; a few bytes of a damaged one can state any extent.
  uint64_t constantLimit() const;
  /// Fails with invalidArgument when such constants, with \p more bytes that
  /// are about to be made, are above the limit.
  Status checkConstants(uint64_t more = 0) const;

  const schema::Model &model;
  std::span<const std::byte> file;
  const schema::SignatureDef *const signature;
  /// See TFLiteImportOptions::useExtensions.
  const bool useExtensions;
  /// See TFLiteImportOptions::extensions.
  const std::span<const InstalledExtension> extensions;
  AnnotatedModel result;
  std::vector<std::byte> expanded;
  std::deque<std::vector<std::byte>> folded;
  uint64_t foldedBytes = 0;
  Variables variables;
  /// The subgraphs that are being imported, each called by the one before it.
  std::vector<uint32_t> calls;
  uint32_t callCount = 0;
  /// The number of random operators that got their seeds here.
  uint32_t seededOperators = 0;
  bool isReshaped = false;
};

/// The operands of a state, which hold it before and after an execution.
struct StateOperands {
  uint32_t input = 0, output = 0;
};

/// A subgraph of a file and the HAL's that grows from it.
class Graph {
public:
  Graph(FileImport &shared, const schema::SubGraph &source, Subgraph &target)
      : shared(shared), source(source), target(target) {}

  /// Imports inputs, operators and outputs of the main subgraph.
  Status import(const TFLiteImportOptions &options);
  /// Imports the operators of a subgraph that an operator calls, and appends
  /// its outputs to \p results, which have operands unless they are constants.
  /// \p arguments are the inputs, constants or values that become inputs of the
  /// target.
  Status importCalled(std::span<const Tensor> arguments,
                      std::vector<Tensor> &results);
  /// Likewise, adds the operators of \p called to this graph, of whose target
  /// the arguments have operands.
  Status importInlined(const schema::SubGraph &called,
                       std::span<const Tensor> arguments,
                       std::vector<Tensor> &results);
  FileImport &file() { return shared; }
  /// See TFLiteImportOptions::useExtensions.
  bool usesExtension() const { return shared.useExtensions; }
  bool isMain() const {
    return &source == shared.model.subgraphs()->Get(shared.mainSubgraph());
  }

  /// \p index is -1 or has been checked by readOperator().
  Tensor &tensor(uint32_t index) {
    return index < tensors.size() ? tensors[index]
                                  : added[index - tensors.size()];
  }
  const schema::OperatorCode *operatorCode(uint32_t index) const;
  /// The tensors that operators may refer to: those of the file, and all while
  /// an operator is rewritten as others.
  uint32_t tensorCount() const {
    return uint32_t(tensors.size() + (isRewriting ? added.size() : 0));
  }
  /// Adds a tensor that the file does not have, and returns its index.
  uint32_t addTensor(Tensor tensor) {
    added.push_back(std::move(tensor));
    return uint32_t(tensors.size() + added.size() - 1);
  }
  /// Says whether operators may refer to tensors that were added; returns what
  /// was so before.
  bool setRewriting(bool isNow) { return std::exchange(isRewriting, isNow); }
  /// True when an option changed a shape: those stated for tensors that are
  /// computed are then out of date.
  bool isReshaped() const { return shared.isReshaped; }

  /// The operand that holds \p tensor now. Constants are made on first use.
  Result<uint32_t> use(Tensor &tensor);

  /// Likewise, both operands of complex numbers, and the only one of others.
  Result<std::vector<uint32_t>> useParts(Tensor &tensor);

  /// Likewise, with 64-bit integers where the file states such.
  Result<uint32_t> useAsStated(Tensor &tensor);

  /// The index of a tensor of the values of tensor \p index with 32 bits:
  /// itself unless it has 64 bits, which operations of the HAL do not take.
  uint32_t asNarrow(uint32_t index);

  /// The index of a tensor of the values of tensor \p index, which are indices,
  /// with 32 bits: itself unless the file states 16 bits, which neither the
  /// HAL nor the extension takes.
  Result<uint32_t> asIndices(uint32_t index);

  /// A new operand for \p tensor, which an operation is about to compute.
  Result<uint32_t> define(Tensor &tensor, Shape shape);
  /// Likewise, both of complex numbers, and the only one of others.
  Result<std::vector<uint32_t>> defineParts(Tensor &tensor, Shape shape);

  /// State input of \p variable on first use.
  Result<uint32_t> readState(Tensor &variable, Shape shape);
  /// The operand that holds \p variable from now on.
  uint32_t writeState(Tensor &variable);

  /// A state of Booleans, of \p shape, that an execution leaves true. Returns
  /// its input, which is false in the first execution.
  uint32_t addFlagState(std::string name, Shape shape);

  /// A state that no tensor of the file is: an operation computes its output
  /// from its input. \p operand has its type and shape. Returns both. Fails
  /// with invalidArgument outside the main subgraph.
  Result<StateOperands> addState(std::string name, Operand operand);

  Variables &variables() { return shared.variables; }
  /// Executes subgraph \p index, which sets variables before the first
  /// execution. Fails with invalidArgument when it does anything else.
  Status callOnce(int32_t index);

  /// Makes \p operand the value of \p tensor, which an operator would compute.
  /// Fails with invalidArgument when it has a value already.
  Status bind(Tensor &tensor, uint32_t operand, Shape shape);
  /// Likewise, makes \p tensor the same constant as \p constant.
  Status bindConstant(Tensor &tensor, const Tensor &constant);

  /// Makes \p tensor, which an operator would compute, the constant \p values
  /// of its HAL type. Fails with invalidArgument when it has a value already.
  Status fold(Tensor &tensor, Shape shape, std::vector<std::byte> values);

  uint32_t addOperand(Operand operand);
  /// An output with the value of operand \p index, which has \p shape.
  uint32_t asOutput(uint32_t index, const Shape &shape);
  /// A temporary like \p operand with dimensions \p shape.
  uint32_t addTemporary(uint32_t like, const Shape &shape);
  uint32_t addConstant(OperandType type, std::vector<uint32_t> dimensions,
                       std::span<const std::byte> bytes, float scale = 0.0f);
  uint32_t addNoValue(OperandType type);
  const Operand &operand(uint32_t index) const {
    return target.operands[index];
  }
  Operand &operand(uint32_t index) { return target.operands[index]; }
  /// Operand \p index as the rules of an operation see it, with the value of a
  /// constant.
  OperandView view(uint32_t index) const;
  void addOperation(OperationType type, std::vector<uint32_t> inputs,
                    std::vector<uint32_t> outputs);

private:
  Status importInputs(const TFLiteImportOptions &options);
  Status importInput(uint32_t position, Tensor &tensor,
                     const std::vector<uint32_t> *option);
  Status importOperators();
  Status importCalled(std::span<const Tensor> arguments, bool isInlined,
                      std::vector<Tensor> &results);
  Status importArgument(Tensor &tensor, const Tensor &argument, bool isInlined);
  Status importOutputs();
  Result<uint32_t> useAsOutput(Tensor &tensor);
  Status importOutput(uint32_t position, Tensor &tensor);
  void importStates();
  Result<uint32_t> makeConstant(Tensor &tensor);
  uint32_t addCast(uint32_t from, OperandType type, schema::TensorType fromName,
                   schema::TensorType toName);

  struct State {
    const Tensor *variable;
    uint32_t input;
  };

  FileImport &shared;
  const schema::SubGraph &source;
  Subgraph &target;
  std::vector<Tensor> tensors;
  /// Tensors that the file does not have. Some are those of 32 bits that
  /// asNarrow() and asIndices() have made, of the tensors that are named first.
  std::deque<Tensor> added;
  bool isRewriting = false;
  std::map<uint32_t, uint32_t> narrowIndices;
  std::vector<State> states;
  /// The states that no tensor of the file is.
  std::deque<Tensor> ownStates;
};

/// Whether \p value can be the value of \p tensor: it has the same type, scale
/// and zero point. Values that were narrowed to 32 bits stay so.
bool accepts(const Tensor &tensor, const Tensor &value);

/// Returns an operand of the type and quantization of \p tensor. Fails with
/// invalidArgument when the HAL has no such type or no such size.
Result<Operand> operandFor(const Tensor &tensor, const Shape &shape);

} // namespace nnhal::rt::tflite

#endif // NNHAL_LIB_RUNTIME_FORMATS_TFLITE_GRAPH_H
