//===- Slice.cpp - What an older version has of a model -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slice.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Compliance.h"
#include "nnhal/Runtime/Device.h"

#include <algorithm>
#include <utility>

namespace nnhal::rt {

namespace {

/// Constants begin at multiples of this in the slice, so that each is aligned
/// to its element as far as the source's values are.
constexpr size_t valueAlignment = 8;

/// Builds the model of one slice.
class Slicer {
public:
  Slicer(const AnnotatedModel &annotated,
         const std::vector<uint32_t> &nonCompliant)
      : annotated(annotated), source(annotated.model),
        numbers(source.main.operands.size(), none),
        poolNumbers(source.pools.size(), none),
        isKept(source.main.operations.size(), true),
        isWritten(numbers.size(), false), isReadOutside(numbers.size(), false) {
    for (uint32_t operation : nonCompliant)
      isKept[operation] = false;
    for (size_t i = 0; i < isKept.size(); ++i) {
      const Operation &operation = source.main.operations[i];
      for (uint32_t operand : operation.outputs)
        isWritten[operand] = isKept[i] || isWritten[operand];
      for (uint32_t operand : operation.inputs)
        isReadOutside[operand] = !isKept[i] || isReadOutside[operand];
    }
  }

  AnnotatedModel build() {
    Model &model = slice.model;
    model.relaxComputationFloat32toFloat16 =
        source.relaxComputationFloat32toFloat16;
    model.extensionNameToPrefix = source.extensionNameToPrefix;
    for (size_t i = 0; i < isKept.size(); ++i)
      if (isKept[i])
        keep(source.main.operations[i]);
    listInputsAndOutputs();
    computeConsumers(model.main);
    return std::move(slice);
  }

private:
  static constexpr uint32_t none = UINT32_MAX;

  void keep(const Operation &operation) {
    Operation copy = operation;
    for (std::vector<uint32_t> *list : {&copy.inputs, &copy.outputs})
      for (uint32_t &operand : *list)
        operand = numberOf(operand);
    slice.model.main.operations.push_back(std::move(copy));
  }

  /// The number of operand \p index in the slice, which gets it when it is
  /// first named.
  uint32_t numberOf(uint32_t index) {
    if (numbers[index] != none)
      return numbers[index];
    numbers[index] = uint32_t(slice.model.main.operands.size());
    Operand copy = source.main.operands[index];
    copy.lifetime = lifetimeOf(index);
    if (copy.lifetime == OperandLifeTime::CONSTANT_COPY)
      moveValue(copy.location);
    else if (copy.lifetime == OperandLifeTime::CONSTANT_REFERENCE)
      movePool(copy.location);
    slice.model.main.operands.push_back(std::move(copy));
    return numbers[index];
  }

  OperandLifeTime lifetimeOf(uint32_t index) const {
    OperandLifeTime lifetime = source.main.operands[index].lifetime;
    if (lifetime != OperandLifeTime::TEMPORARY_VARIABLE &&
        lifetime != OperandLifeTime::SUBGRAPH_OUTPUT)
      return lifetime;
    if (!isWritten[index])
      return OperandLifeTime::SUBGRAPH_INPUT;
    return isReadOutside[index] ? OperandLifeTime::SUBGRAPH_OUTPUT : lifetime;
  }

  void moveValue(DataLocation &location) {
    std::vector<uint8_t> &values = slice.model.operandValues;
    size_t offset = (values.size() + valueAlignment - 1) & -valueAlignment;
    auto begin = source.operandValues.begin() + location.offset;
    values.resize(offset);
    values.insert(values.end(), begin, begin + location.length);
    location.offset = uint32_t(offset);
  }

  /// A pool that only other operations read may be one that the version does
  /// not have.
  void movePool(DataLocation &location) {
    uint32_t &number = poolNumbers[location.poolIndex];
    if (number == none) {
      number = uint32_t(slice.model.pools.size());
      slice.model.pools.push_back(source.pools[location.poolIndex]);
    }
    location.poolIndex = number;
  }

  void listInputsAndOutputs() {
    list(source.main.inputIndexes, annotated.inputNames,
         OperandLifeTime::SUBGRAPH_INPUT, slice.model.main.inputIndexes,
         slice.inputNames);
    list(source.main.outputIndexes, annotated.outputNames,
         OperandLifeTime::SUBGRAPH_OUTPUT, slice.model.main.outputIndexes,
         slice.outputNames);
  }

  /// Lists the operands of \p lifetime: first those of \p listed, the list of
  /// the source, in its order and with their names, then the new ones.
  void list(const std::vector<uint32_t> &listed,
            const std::vector<std::string> &listedNames,
            OperandLifeTime lifetime, std::vector<uint32_t> &result,
            std::vector<std::string> &names) const {
    const std::vector<Operand> &operands = slice.model.main.operands;
    std::vector<bool> isListed(operands.size(), false);
    for (size_t i = 0; i < listed.size(); ++i) {
      uint32_t number = numbers[listed[i]];
      if (number == none || operands[number].lifetime != lifetime ||
          isListed[number])
        continue;
      isListed[number] = true;
      result.push_back(number);
      names.push_back(i < listedNames.size() ? listedNames[i] : std::string());
    }
    for (uint32_t number = 0; number < operands.size(); ++number)
      if (operands[number].lifetime == lifetime && !isListed[number])
        result.push_back(number);
    names.resize(result.size());
  }

  const AnnotatedModel &annotated;
  const Model &source;
  AnnotatedModel slice;
  /// The number in the slice of each operand and pool.
  std::vector<uint32_t> numbers, poolNumbers;
  /// Whether the slice has the operation.
  std::vector<bool> isKept;
  /// Whether an operation of the slice writes the operand, and whether one
  /// outside of it reads it.
  std::vector<bool> isWritten, isReadOutside;
};

Slice emptySlice(Status reason) {
  Slice slice;
  slice.reason = std::move(reason);
  return slice;
}

} // namespace

Result<Slice> sliceOf(const AnnotatedModel &source, HalVersion version) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> nonCompliant,
                         nonCompliantOperations(source.model, version));
  Slice slice;
  for (uint32_t i = 0; i < source.model.main.operations.size(); ++i)
    if (!std::ranges::binary_search(nonCompliant, i))
      slice.operations.push_back(i);
  if (slice.operations.empty())
    return emptySlice(
        badData("HAL {} has no operation of the model", toString(version)));
  if (nonCompliant.empty() && checkCompliance(source.model, version).isOk()) {
    slice.model = {std::shared_ptr<void>(), &source};
    return slice;
  }
  auto model =
      std::make_shared<AnnotatedModel>(Slicer(source, nonCompliant).build());
  const Subgraph &main = model->model.main;
  if (main.inputIndexes.empty() || main.outputIndexes.empty())
    return emptySlice(badData("the part of the model that HAL {} has is "
                              "without inputs or outputs",
                              toString(version)));
  auto converted = convertTo(std::move(model->model), version);
  if (!converted.isOk())
    return emptySlice(converted.status());
  model->model = *std::move(converted);
  slice.model = std::move(model);
  return slice;
}

Result<const Slice *> Slices::of(HalVersion version) const {
  Entry &entry = entries[size_t(version)];
  std::call_once(entry.once,
                 [&] { entry.slice.emplace(sliceOf(source, version)); });
  if (!entry.slice->isOk())
    return entry.slice->status();
  return &**entry.slice;
}

Status checkSlice(const AnnotatedModel &source, HalVersion version,
                  const Slice &slice) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<uint32_t> others,
                         nonCompliantOperations(source.model, version));
  uint32_t count = uint32_t(source.model.main.operations.size());
  for (uint32_t operation = 0; operation < count; ++operation) {
    bool complies = !std::ranges::binary_search(others, operation);
    if (complies != std::ranges::binary_search(slice.operations, operation))
      return failure("the slice for HAL {} {} operation {}, which {}",
                     toString(version), complies ? "lacks" : "has", operation,
                     complies ? "complies" : "does not comply");
  }
  return Status::ok();
}

Result<std::vector<Status>>
supportedOperations(const Device &device, const Slices &slices, bool isStrict) {
  HalVersion version = device.halVersion();
  if (version == HalVersion::V1_3)
    return device.supportedOperations(slices.model());
  NNHAL_ASSIGN_OR_RETURN(const Slice *slice, slices.of(version));
  size_t count = slices.model().model.main.operations.size();
  if (!slice->model)
    return std::vector<Status>(count, slice->reason);
  if (isStrict)
    NNHAL_RETURN_IF_ERROR(checkSlice(slices.model(), version, *slice));
  NNHAL_ASSIGN_OR_RETURN(std::vector<Status> answers,
                         device.supportedOperations(*slice->model));
  if (answers.size() != slice->operations.size())
    return failure("{} answers for {} operations, expected {}", device.name(),
                   answers.size(), slice->operations.size());
  std::vector<Status> result(
      count, badData("HAL {}, which {} speaks, does not have the operation in "
                     "this form",
                     toString(version), device.name()));
  for (size_t i = 0; i < answers.size(); ++i)
    result[slice->operations[i]] = std::move(answers[i]);
  return result;
}

} // namespace nnhal::rt
