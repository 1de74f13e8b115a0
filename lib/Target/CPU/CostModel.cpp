//===- CostModel.cpp - The numbers by which kernels are tuned -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace nnhal::kernel;
using nnhal::QuadSigns;

// Measured with AVX2 on cores with 512 KiB and 2 MiB of second-level cache.
// Accumulators plus one panel of weights plus a broadcast input must fit the
// registers: 7x16 or 8x8 with 16 registers spill (5 times slower than 6x16).
static constexpr CostModel sixteenRegisters = {
    .panelRegisters = {2, 3, 0},
    .tileRows = {12, 6, 4, 3},
    .singleRows = 2,
    .leastAccumulators = 8,
    .mostAccumulators = 12,
    .windowAccumulators = 8,
    .windowRows = 2,
    .windowProducts = 400000,
    .overlappedPixels = 64,
    .fewerRows = 9,
    .maskedSpan = 2,
    .unrolledTaps = 8,
    .unrolledSteps = 4,
    .unrolledProducts = 48,
    .joinedRounds = 4,
    .shortRow = 16,
    .shortRows = 4,
    .inputCache = 512 << 10,
    .filterCache = 400 << 10,
    .outputCache = 1536 << 10,
    .innerCache = 32 << 10,
    .shortDepth = 64,
    .shortRun = 32,
    .prefetchedPixels = 4096,
    .bandCache = 1 << 20,
    .prefetchedSteps = 32,
    .cacheLine = 64,
    .conflictDistance = 2048,
    .longEpilogue = 9,
    .fusedChannels = 8,
    .paddedChannels = 8,
    .reductionAccumulators = 4,
    .transposedBits = 128,
    .splitWork = 5000,
    .splitPiece = 1000,
    .splitPieces = 32,
    .reducedPart = 16384,
    .joinedElements = 16,
    .estimatedClock = 3000,
    .estimatedRegister = 256,
    .estimatedRounds = 8,
    .estimatedFunction = 16,
    .longEntry = 500,
    .longRound = 10,
};

// Targets with 32 vector registers have room for twice as many accumulators. A
// step of a tile is then so long that a table for rows of a filter of nine
// steps gains nothing.
static constexpr CostModel thirtyTwoRegisters = [] {
  CostModel model = sixteenRegisters;
  model.panelRegisters = {4, 3, 2};
  model.tileRows = {14, 12, 8, 6};
  model.mostAccumulators = 24;
  model.fewerRows = 3;
  model.shortRun = 9;
  model.prefetchedPixels = 1024;
  return model;
}();

const CostModel &CostModel::forRegisters(int64_t registers) {
  return registers >= 32 ? thirtyTwoRegisters : sixteenRegisters;
}

void CostModel::visit(llvm::function_ref<void(StringRef, int64_t &)> visit) {
  // Another width of panels leaves no choice.
  int64_t registers = panelRegisters[0];
  visit("panel-registers", registers);
  if (registers != panelRegisters[0])
    panelRegisters = {registers, 0, 0};
  static constexpr StringRef rowNames[] = {"tile-rows-1", "tile-rows-2",
                                           "tile-rows-3", "tile-rows-4"};
  for (size_t index = 0; index < tileRows.size(); ++index)
    visit(rowNames[index], tileRows[index]);
  visit("single-rows", singleRows);
  visit("least-accumulators", leastAccumulators);
  visit("most-accumulators", mostAccumulators);
  visit("window-accumulators", windowAccumulators);
  visit("window-rows", windowRows);
  visit("window-products", windowProducts);
  visit("overlapped-pixels", overlappedPixels);
  visit("fewer-rows", fewerRows);
  visit("masked-span", maskedSpan);
  visit("unrolled-taps", unrolledTaps);
  visit("unrolled-steps", unrolledSteps);
  visit("unrolled-products", unrolledProducts);
  visit("joined-rounds", joinedRounds);
  visit("short-row", shortRow);
  visit("short-rows", shortRows);
  visit("input-cache", inputCache);
  visit("filter-cache", filterCache);
  visit("output-cache", outputCache);
  visit("inner-cache", innerCache);
  visit("short-depth", shortDepth);
  visit("short-run", shortRun);
  visit("prefetched-pixels", prefetchedPixels);
  visit("band-cache", bandCache);
  visit("prefetched-steps", prefetchedSteps);
  visit("cache-line", cacheLine);
  visit("conflict-distance", conflictDistance);
  visit("long-epilogue", longEpilogue);
  visit("fused-channels", fusedChannels);
  visit("padded-channels", paddedChannels);
  visit("reduction-accumulators", reductionAccumulators);
  visit("transposed-bits", transposedBits);
  visit("split-work", splitWork);
  visit("split-piece", splitPiece);
  visit("split-pieces", splitPieces);
  visit("reduced-part", reducedPart);
  visit("joined-elements", joinedElements);
  visit("estimated-clock", estimatedClock);
  visit("estimated-register", estimatedRegister);
  visit("estimated-rounds", estimatedRounds);
  visit("estimated-function", estimatedFunction);
  visit("long-entry", longEntry);
  visit("long-round", longRound);
}

llvm::LogicalResult
CostModel::set(llvm::ArrayRef<std::string> assignments,
               llvm::function_ref<void(const llvm::Twine &)> report) {
  constexpr int64_t largest = int64_t(1) << 30;
  for (StringRef assignment : assignments) {
    auto [name, text] = assignment.split('=');
    int64_t value = 0;
    if (text.getAsInteger(10, value) || value < 1 || value > largest) {
      report("cost-model: '" + assignment +
             "' does not give a number from 1 to 2^30");
      return llvm::failure();
    }
    bool isKnown = false;
    visit([&, name = name](StringRef known, int64_t &number) {
      if (known != name)
        return;
      number = value;
      isKnown = true;
    });
    if (!isKnown) {
      report("cost-model: there is no number '" + name + "'");
      return llvm::failure();
    }
  }
  return llvm::success();
}

llvm::LogicalResult
KernelTarget::tune(llvm::ArrayRef<std::string> assignments,
                   llvm::function_ref<void(const llvm::Twine &)> report) {
  CostModel model = costs();
  if (failed(model.set(assignments, report)))
    return llvm::failure();
  tuned = model;
  return llvm::success();
}

int64_t KernelTarget::panelWidth(int64_t channels) const {
  int64_t vectors = (channels + lanes() - 1) / lanes();
  // Registers of weights that leave room for enough rows of accumulators: a
  // tile of 6x16 or 4x24 with 16 registers, 6x64, 8x48 or 12x32 with 32.
  const auto &preferred = costs().panelRegisters;
  for (int64_t width : preferred)
    if (width > 0 && vectors % width == 0)
      return width * lanes();
  int64_t panels = (vectors + preferred[0] - 1) / preferred[0];
  return (vectors + panels - 1) / panels * lanes();
}

//===----------------------------------------------------------------------===//
// Parameters of the target
//===----------------------------------------------------------------------===//

StringRef
nnhal::kernel::stringifyDotProduct(std::optional<QuadSigns> dotProduct) {
  if (!dotProduct)
    return "none";
  return *dotProduct == QuadSigns::unsignedBySigned ? "unsigned-by-signed"
                                                    : "signed-by-signed";
}

using Report = llvm::function_ref<void(const Twine &)>;

/// \p value as messages name it: integers are i64 where no type is stated.
static std::string spell(Attribute value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto number = dyn_cast<IntegerAttr>(value);
  value.print(stream, /*elideType=*/number && number.getType().isInteger(64));
  return text;
}

/// Sets the parameter \p name of \p target, one that is no number of the table.
static LogicalResult setFact(KernelTarget &target, StringRef name,
                             Attribute value, Report report) {
  if (name == "dot_product") {
    auto text = dyn_cast<StringAttr>(value);
    for (std::optional<QuadSigns> known :
         {std::optional<QuadSigns>(), std::optional(QuadSigns::signedBySigned),
          std::optional(QuadSigns::unsignedBySigned)})
      if (text && text.getValue() == stringifyDotProduct(known)) {
        target.dotProduct = known;
        return success();
      }
    report("dot-product " + spell(value) +
           " must be none, signed-by-signed or unsigned-by-signed");
    return failure();
  }
  auto number = dyn_cast<IntegerAttr>(value);
  int64_t found =
      number && number.getType().isInteger(64) ? number.getInt() : 0;
  if (name == "vector_registers") {
    target.registers = found;
    if (found >= 1 && found <= 1024)
      return success();
    report("vector-registers " + spell(value) + " must be from 1 to 1024");
    return failure();
  }
  target.vectorBits = found;
  if (found == 128 || found == 256 || found == 512)
    return success();
  report("vector-bits " + spell(value) + " must be 128, 256 or 512");
  return failure();
}

std::optional<KernelTarget> KernelTarget::read(DictionaryAttr parameters,
                                               Report report) {
  KernelTarget target;
  if (!parameters)
    return target;
  std::vector<std::string> numbers;
  for (NamedAttribute entry : parameters) {
    StringRef name = entry.getName();
    if (name == "triple" || name == "cpu" || name == "features") {
      if (isa<StringAttr>(entry.getValue()))
        continue;
      report(name + " " + spell(entry.getValue()) + " must be a string");
      return std::nullopt;
    }
    if (name == "vector_bits" || name == "vector_registers" ||
        name == "dot_product") {
      if (failed(setFact(target, name, entry.getValue(), report)))
        return std::nullopt;
      continue;
    }
    std::string assignment = name.str() + "=";
    std::replace(assignment.begin(), assignment.end(), '_', '-');
    llvm::raw_string_ostream stream(assignment);
    if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      stream << number.getValue();
    else
      stream << entry.getValue();
    numbers.push_back(std::move(assignment));
  }
  // The number of registers has chosen the table that they change.
  if (!numbers.empty() && failed(target.tune(numbers, report)))
    return std::nullopt;
  return target;
}

std::optional<KernelTarget> KernelTarget::of(Operation *op) {
  TargetAttr target = findTarget(op);
  return read(target ? target.getParameters() : DictionaryAttr(),
              [&](const Twine &message) { op->emitError(message); });
}
