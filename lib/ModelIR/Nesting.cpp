//===- Nesting.cpp - How deep IR from outside may nest --------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/ModelIR/Nesting.h"
#include "Runtime/Support/Errors.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace nnhal;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Counts the levels at which a recursive parser is when it reads a text.
class NestingScanner {
public:
  explicit NestingScanner(StringRef text) : text(text) {}

  void run();

  unsigned deepest = 0;
  /// Where the bound is first exceeded.
  size_t where = 0;

private:
  /// An open bracket, and how many operators the expression in it has so far:
  /// the parser of affine expressions calls itself for each.
  struct Level {
    char opening;
    unsigned operators = 0;
  };

  void open(char bracket);
  void close(char opening);
  void countOperator();
  void endExpression();
  void skipString();
  void skipComment();
  void readAlias();
  void readWord();
  void endAlias();
  void reach(unsigned depth);
  bool startsWith(StringRef token) const {
    return text.substr(position).starts_with(token);
  }

  StringRef text;
  size_t position = 0;
  SmallVector<Level> levels;
  /// The operators of all levels.
  unsigned operators = 0;
  /// The alias that is being defined, and how deep its definition is.
  StringRef alias;
  unsigned aliasDepth = 0;
  llvm::StringMap<unsigned> aliases;
};
} // namespace

static bool isWordCharacter(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
}

void NestingScanner::reach(unsigned depth) {
  aliasDepth = std::max(aliasDepth, depth);
  if (depth > maxNesting && deepest <= maxNesting)
    where = position;
  deepest = std::max(deepest, depth);
}

void NestingScanner::open(char bracket) {
  levels.push_back({bracket});
  reach(levels.size() + operators);
}

/// Drops what is open inside of the last \p opening; nothing when there is
/// none, because a comparison is no bracket.
void NestingScanner::close(char opening) {
  size_t size = levels.size();
  // Only a comparison or an error leaves another one open.
  while (size > 0 && levels[size - 1].opening != opening) {
    if (opening == '<')
      return;
    --size;
  }
  if (size == 0)
    return;
  while (levels.size() >= size) {
    operators -= levels.back().operators;
    levels.pop_back();
  }
}

/// Affine expressions are in brackets other than braces.
void NestingScanner::countOperator() {
  if (levels.empty() || levels.back().opening == '{')
    return;
  ++levels.back().operators;
  ++operators;
  reach(levels.size() + operators);
}

void NestingScanner::endExpression() {
  if (levels.empty())
    return;
  operators -= levels.back().operators;
  levels.back().operators = 0;
}

void NestingScanner::skipString() {
  ++position;
  while (position < text.size() && text[position] != '"')
    position += text[position] == '\\' ? 2 : 1;
  ++position;
}

void NestingScanner::skipComment() {
  // What follows may be parsed by itself (--split-input-file).
  if (startsWith("// -----")) {
    levels.clear();
    operators = 0;
  }
  position = std::min(text.find('\n', position), text.size());
}

/// Reads "#name" or "!name": the use of an alias, or its definition.
void NestingScanner::readAlias() {
  size_t end = position + 1;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  StringRef name = text.slice(position, end);
  StringRef rest = text.substr(end).ltrim(" \t");
  if (levels.empty() && rest.starts_with("=") && !rest.starts_with("==")) {
    endAlias();
    alias = name;
    aliasDepth = 0;
    position = text.size() - rest.size() + 1;
    return;
  }
  if (auto known = aliases.find(name); known != aliases.end())
    reach(levels.size() + operators + known->second);
  position = end;
}

void NestingScanner::endAlias() {
  if (!alias.empty())
    aliases[alias] = aliasDepth + 1;
  alias = {};
}

void NestingScanner::readWord() {
  size_t end = position;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  StringRef word = text.slice(position, end);
  if (word == "mod" || word == "floordiv" || word == "ceildiv")
    countOperator();
  position = end;
}

void NestingScanner::run() {
  while (position < text.size()) {
    char c = text[position];
    switch (c) {
    case '"':
      skipString();
      continue;
    case '#':
    case '!':
      readAlias();
      continue;
    case '/':
      if (startsWith("//")) {
        skipComment();
        continue;
      }
      break;
    case '(':
    case '[':
    case '{':
      open(c);
      break;
    case '<':
      if (!startsWith("<="))
        open(c);
      break;
    case ')':
      close('(');
      break;
    case ']':
      close('[');
      break;
    case '}':
      close('{');
      break;
    case '>':
      if (!startsWith(">="))
        close('<');
      break;
    case ',':
      endExpression();
      break;
    case '-':
      if (startsWith("->"))
        ++position;
      else
        countOperator();
      break;
    case '+':
    case '*':
      countOperator();
      break;
    case '\n':
      if (levels.empty() && aliasDepth != 0)
        endAlias();
      break;
    default:
      if (isWordCharacter(c)) {
        readWord();
        continue;
      }
    }
    ++position;
  }
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

namespace {
/// How deep attributes and types consist of one another. Does not recurse.
class ElementDepth {
public:
  unsigned of(Attribute attribute) {
    return measure({attribute.getAsOpaquePointer(), false});
  }
  unsigned of(Type type) { return measure({type.getAsOpaquePointer(), true}); }

private:
  /// An attribute, or a type.
  using Element = llvm::PointerIntPair<const void *, 1, bool>;

  static void visitParts(Element element,
                         llvm::function_ref<void(Element)> visit) {
    auto visitAttribute = [&](Attribute part) {
      visit({part.getAsOpaquePointer(), false});
    };
    auto visitType = [&](Type part) {
      visit({part.getAsOpaquePointer(), true});
    };
    if (element.getInt())
      Type::getFromOpaquePointer(element.getPointer())
          .walkImmediateSubElements(visitAttribute, visitType);
    else
      Attribute::getFromOpaquePointer(element.getPointer())
          .walkImmediateSubElements(visitAttribute, visitType);
  }

  unsigned measure(Element root) {
    if (!root.getPointer())
      return 0;
    SmallVector<std::pair<Element, bool>> stack = {{root, false}};
    while (!stack.empty()) {
      auto [element, partsAreKnown] = stack.pop_back_val();
      if (!partsAreKnown && !depths.try_emplace(element, 0).second)
        continue;
      unsigned deepest = 0;
      if (!partsAreKnown)
        stack.push_back({element, true});
      visitParts(element, [&, partsAreKnown = partsAreKnown](Element part) {
        if (!part.getPointer())
          return;
        if (partsAreKnown)
          deepest = std::max(deepest, depths.lookup(part));
        else
          stack.push_back({part, false});
      });
      if (partsAreKnown)
        depths[element] = deepest + 1;
    }
    return depths.lookup(root);
  }

  llvm::DenseMap<Element, unsigned> depths;
};
} // namespace

/// The level of the deepest operation, attribute or type in \p root.
static unsigned depthOf(Operation *root) {
  ElementDepth elements;
  unsigned deepest = 0;
  SmallVector<std::pair<Operation *, unsigned>> stack = {{root, 1}};
  while (!stack.empty()) {
    auto [op, depth] = stack.pop_back_val();
    unsigned inner = elements.of(op->getAttrDictionary());
    inner = std::max(inner, elements.of(LocationAttr(op->getLoc())));
    for (Type type : op->getResultTypes())
      inner = std::max(inner, elements.of(type));
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          inner = std::max(inner, elements.of(argument.getType()));
        for (Operation &nested : block)
          stack.push_back({&nested, depth + 1});
      }
    deepest = std::max(deepest, depth + inner);
  }
  return deepest;
}

/// Destroys \p root from inside out: the destructor of an operation calls that
/// of the operations in it.
static void dismantle(OwningOpRef<Operation *> root) {
  SmallVector<Operation *> operations = {root.get()};
  for (size_t i = 0; i < operations.size(); ++i)
    for (Region &region : operations[i]->getRegions())
      for (Block &block : region)
        for (Operation &nested : block)
          operations.push_back(&nested);
  for (Operation *op : llvm::reverse(operations)) {
    op->dropAllUses();
    op->dropAllReferences();
    if (op != root.get())
      op->erase();
  }
}

static unsigned depthOfBytecode(llvm::MemoryBufferRef source,
                                MLIRContext &context) {
  // What is wrong with the file is reported when it is read for good.
  ScopedDiagnosticHandler quiet(&context, [](Diagnostic &) {});
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  Block block;
  bool isRead = succeeded(readBytecodeFile(source, &block, config));
  unsigned deepest = 0;
  SmallVector<Operation *> roots;
  for (Operation &op : block)
    roots.push_back(&op);
  for (Operation *root : roots) {
    if (isRead)
      deepest = std::max(deepest, depthOf(root));
    root->remove();
    dismantle(root);
  }
  return deepest;
}

//===----------------------------------------------------------------------===//
// Either
//===----------------------------------------------------------------------===//

rt::Status nnhal::checkNesting(llvm::MemoryBufferRef source,
                               MLIRContext &context) {
  constexpr std::string_view what =
      "regions, attributes and types nest {} deep, at most {} levels are read";
  auto name = std::string_view(source.getBufferIdentifier());
  if (isBytecode(source)) {
    unsigned depth = depthOfBytecode(source, context);
    if (depth <= maxNesting)
      return {};
    return rt::badData("{}: {}", name,
                       fmt::format(fmt::runtime(what), depth, maxNesting));
  }
  StringRef text = source.getBuffer();
  NestingScanner scanner(text);
  scanner.run();
  if (scanner.deepest <= maxNesting)
    return {};
  StringRef before = text.take_front(scanner.where);
  size_t line = before.count('\n') + 1;
  size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return rt::badData(
      "{}:{}:{}: {}", name, line, column,
      fmt::format(fmt::runtime(what), scanner.deepest, maxNesting));
}
