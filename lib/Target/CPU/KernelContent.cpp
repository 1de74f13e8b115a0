//===- KernelContent.cpp - Which kernels are equal ------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelContent.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace nnhal;

static std::array<uint8_t, 16> digestOf(StringRef text) {
  return llvm::BLAKE3::hash<16>(llvm::arrayRefFromStringRef(text));
}

/// The text of \p printed; empty when it has a part that is not in the text:
/// the contents of resources.
template <typename T> static std::string textOf(T printed) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printed.print(stream);
  return StringRef(text).contains("dense_resource<") ? std::string() : text;
}

void KernelContent::add(Item item) { content.push_back(uint8_t(item)); }

void KernelContent::add(uint32_t number) {
  uint8_t bytes[] = {uint8_t(number), uint8_t(number >> 8),
                     uint8_t(number >> 16), uint8_t(number >> 24)};
  llvm::append_range(content, bytes);
}

void KernelContent::add(const Digest &digest) {
  llvm::append_range(content, digest);
}

void KernelContent::add(Type type) {
  std::optional<Digest> &digest = digests[type.getAsOpaquePointer()];
  if (!digest)
    digest = digestOf(textOf(type));
  add(*digest);
}

void KernelContent::define(Value value) {
  add(value.getType());
  values.try_emplace(value, uint32_t(values.size()));
}

bool KernelContent::addAttributes(Operation *op, StringRef leftOut) {
  DictionaryAttr attributes = op->getAttrDictionary();
  if (!leftOut.empty()) {
    NamedAttrList others(attributes);
    others.erase(leftOut);
    attributes = others.getDictionary(op->getContext());
  }
  auto [entry, isNew] =
      digests.try_emplace(attributes.getAsOpaquePointer(), std::nullopt);
  if (isNew)
    if (std::string text = textOf(attributes); !text.empty())
      entry->second = digestOf(text);
  if (!entry->second)
    return false;
  add(*entry->second);
  return true;
}

/// Adds what \p op calls or loads, in place of the name \p name that it has.
bool KernelContent::addSymbol(Operation *op, StringRef name) {
  if (auto callee = callees.find(name); callee != callees.end()) {
    add(Item::callee);
    add(callee->second);
    return true;
  }
  auto global = symbols.lookup<memref::GlobalOp>(name);
  if (!global || !global.getConstant())
    return false;
  add(Item::global);
  return addAttributes(global, SymbolTable::getSymbolAttrName());
}

bool KernelContent::add(Operation *op) {
  add(Item::operation);
  std::optional<Digest> &name = digests[op->getName().getAsOpaquePointer()];
  if (!name)
    name = digestOf(op->getName().getStringRef());
  add(*name);
  add(op->getNumOperands());
  for (Value operand : op->getOperands())
    add(values.lookup(operand));
  add(op->getNumResults());
  for (Value result : op->getResults())
    define(result);
  for (Block *successor : op->getSuccessors())
    add(blocks.lookup(successor));
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (!addSymbol(op, call.getCallee()) ||
        !addAttributes(op, call.getCalleeAttrName()))
      return false;
  } else if (auto constant = dyn_cast<memref::GetGlobalOp>(op)) {
    if (!addSymbol(op, constant.getName()) ||
        !addAttributes(op, constant.getNameAttrName()))
      return false;
  } else if (isa<SymbolUserOpInterface>(op) || !addAttributes(op, {})) {
    return false;
  }
  add(op->getNumRegions());
  return llvm::all_of(op->getRegions(),
                      [&](Region &region) { return add(region); });
}

bool KernelContent::add(Region &region) {
  add(Item::region);
  // A branch may go forward.
  for (Block &block : region)
    blocks.try_emplace(&block, uint32_t(blocks.size()));
  for (Block &block : region) {
    add(Item::block);
    add(block.getNumArguments());
    for (BlockArgument argument : block.getArguments())
      define(argument);
    for (Operation &op : block)
      if (!add(&op))
        return false;
  }
  return true;
}

std::optional<std::string>
KernelContent::keyOf(ArrayRef<func::FuncOp> functions) {
  content.clear();
  values.clear();
  blocks.clear();
  callees.clear();
  llvm::append_range(content, llvm::arrayRefFromStringRef(context));
  for (func::FuncOp function : functions)
    callees.try_emplace(function.getName(), uint32_t(callees.size()));
  for (func::FuncOp function : functions)
    if (!addAttributes(function, SymbolTable::getSymbolAttrName()) ||
        !add(function.getBody()))
      return std::nullopt;
  return llvm::toHex(llvm::BLAKE3::hash<32>(content), /*LowerCase=*/true);
}
