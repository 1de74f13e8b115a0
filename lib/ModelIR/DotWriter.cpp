//===- DotWriter.cpp - Graphs as GraphViz drawings ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Dialect/NNHal/IR/NNHalOps.h"
#include "nnhal/ModelIR/Translations.h"

#include "llvm/Support/GraphWriter.h"

using namespace mlir;
using namespace nnhal;

namespace {
class DotWriter {
public:
  explicit DotWriter(raw_ostream &output) : output(output) {}

  void write(GraphOp graph);

private:
  void node(StringRef name, StringRef shape, const Twine &label) {
    output << "    " << name << " [shape=" << shape << ", label=\""
           << llvm::DOT::EscapeString(label.str()) << "\"];\n";
  }
  void edges(Operation &op, StringRef target);
  std::string newName() { return "n" + std::to_string(nodeCount++); }

  raw_ostream &output;
  unsigned nodeCount = 0;
  unsigned graphCount = 0;
  /// The node that yields each value; constants have none.
  DenseMap<Value, std::string> sources;
};
} // namespace

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::string titleOf(Operation &op) {
  if (auto operation = dyn_cast<OperationOp>(op))
    return operation.getHalName();
  return op.getName().stripDialect().str();
}

static bool isDrawn(Operation &op) {
  return !isa<NoValueOp, SubgraphReferenceOp, ConstantCopyOp,
              ConstantReferenceOp, ConstantOp>(op);
}

void DotWriter::edges(Operation &op, StringRef target) {
  for (Value operand : op.getOperands()) {
    auto source = sources.find(operand);
    if (source != sources.end())
      output << "    " << source->second << " -> " << target << " [label=\""
             << llvm::DOT::EscapeString(textOf(operand.getType())) << "\"];\n";
  }
}

void DotWriter::write(GraphOp graph) {
  output << "  subgraph cluster" << graphCount++ << " {\n    label=\""
         << llvm::DOT::EscapeString(graph.getSymName().str()) << "\";\n";
  for (BlockArgument argument : graph.getArguments()) {
    std::string name = newName();
    node(name, "ellipse", "input " + Twine(argument.getArgNumber()));
    sources[argument] = name;
  }
  for (Operation &op : graph.getBody().front()) {
    if (!isDrawn(op))
      continue;
    std::string name = newName();
    bool isReturn = isa<ReturnOp>(op);
    node(name, isReturn ? "ellipse" : "box",
         isReturn ? "outputs" : titleOf(op));
    edges(op, name);
    for (Value result : op.getResults())
      sources[result] = name;
  }
  output << "  }\n";
}

void nnhal::writeDot(Operation *op, raw_ostream &output) {
  output << "digraph nnhal {\n";
  DotWriter writer(output);
  op->walk([&](GraphOp graph) { writer.write(graph); });
  output << "}\n";
}
