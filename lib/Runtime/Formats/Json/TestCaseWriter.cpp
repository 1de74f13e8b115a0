//===- TestCaseWriter.cpp - Conformance cases to JSON ---------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestCaseWriter.h"
#include "JsonValues.h"
#include "RecordingText.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/Float16.h"
#include "nnhal/Runtime/JsonModel.h"

#include <cmath>
#include <cstring>
#include <new>

using namespace nnhal::rt;

/// Whether the elements of a recorded tensor are stated as numbers: these are
/// few enough for a person, and say all that the bytes do.
static bool isReadable(OperandType type, std::span<const uint8_t> bytes) {
  constexpr size_t maxReadable = 4096;
  if (bytes.size() > maxReadable)
    return false;
  // A number does not say which NaN it is.
  if (type == OperandType::TENSOR_FLOAT32 || type == OperandType::FLOAT32)
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      float element;
      std::memcpy(&element, bytes.data() + i, sizeof element);
      if (std::isnan(element))
        return false;
    }
  if (type == OperandType::TENSOR_FLOAT16 || type == OperandType::FLOAT16)
    for (size_t i = 0; i < bytes.size(); i += sizeof(uint16_t)) {
      uint16_t element;
      std::memcpy(&element, bytes.data() + i, sizeof element);
      if (std::isnan(floatFromFloat16(element)))
        return false;
    }
  return true;
}

namespace {

/// Writes one document of cases. May throw what nlohmann::json and allocations
/// throw.
class CaseWriter {
public:
  std::string take() { return std::move(text); }

  void begin() { text += "{\"cases\":["; }
  void end() { text += "]}\n"; }

  Status write(const TestCase &test, std::string_view modelJson) {
    text += isFirst ? "\n" : ",\n";
    isFirst = false;
    isRecorded = test.recording.has_value();
    append("{{\"name\":{},\"spec\":{},\"minHalVersion\":\"{}\"{},\"model\":{},"
           "\"examples\":[",
           quoted(test.name), quoted(test.spec), toString(test.minHalVersion),
           test.expectFailure ? ",\"expectFailure\":true" : "", modelJson);
    for (size_t i = 0; i < test.examples.size(); ++i) {
      text += i == 0 ? "\n" : ",\n";
      Status status = write(test.model, test.examples[i]);
      if (!status.isOk())
        return std::move(status).withContext(fmt::format("example {}", i));
    }
    text += ']';
    writeBound("atol", test.atol);
    writeBound("rtol", test.rtol);
    if (test.recording)
      append(",\n\"recording\":{}", textOf(*test.recording));
    text += '}';
    return Status::ok();
  }

private:
  Status write(const Model &model, const TestExample &example) {
    text += "{\"inputs\":[";
    NNHAL_RETURN_IF_ERROR(write(model, model.main.inputIndexes, example.inputs,
                                "input", "noValue"));
    text += "],\"outputs\":[";
    NNHAL_RETURN_IF_ERROR(write(model, model.main.outputIndexes,
                                example.outputs, "output", "ignored"));
    text += ']';
    writeBound("multinomialTolerance", example.multinomialTolerance);
    text += '}';
    return Status::ok();
  }

  Status write(const Model &model, const std::vector<uint32_t> &indexes,
               const std::vector<TestTensor> &tensors, std::string_view what,
               std::string_view absence) {
    if (tensors.size() != indexes.size())
      return badData("found {} {}s, the model has {}", tensors.size(), what,
                     indexes.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      text += i == 0 ? "" : ",";
      if (tensors[i].isAbsent) {
        append("{{\"{}\":true}}", absence);
        continue;
      }
      if (indexes[i] >= model.main.operands.size())
        return badData("{} {} is operand {}, the model has {}", what, i,
                       indexes[i], model.main.operands.size());
      OperandType type = model.main.operands[indexes[i]].type;
      if (tensors[i].bytes.size() % valueElementSize(type) != 0)
        return badData("{} {}: {} bytes are not elements of {} bytes", what, i,
                       tensors[i].bytes.size(), valueElementSize(type));
      append("{{\"dimensions\":[{}],", fmt::join(tensors[i].dimensions, ","));
      if (isRecorded && !isReadable(type, tensors[i].bytes)) {
        append("\"base64\":\"{}\"}}", encodeBase64(tensors[i].bytes));
        continue;
      }
      text += "\"value\":";
      writeValues(std::as_bytes(std::span(tensors[i].bytes)), type, text);
      text += '}';
    }
    return Status::ok();
  }

  void writeBound(std::string_view name, std::optional<double> bound) {
    if (bound)
      append(",\"{}\":{}", name, *bound);
  }

  template <typename... Args>
  void append(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text), format,
                   std::forward<Args>(args)...);
  }
  /// Throws when \p string is not UTF-8.
  static std::string quoted(std::string_view string) {
    return nlohmann::json(string).dump();
  }

  std::string text;
  bool isFirst = true;
  bool isRecorded = false;
};

/// Calls \p work with a writer and returns the document.
template <typename Work> Result<std::string> document(Work work) {
  try {
    CaseWriter writer;
    writer.begin();
    NNHAL_RETURN_IF_ERROR(work(writer));
    writer.end();
    return writer.take();
  } catch (const std::bad_alloc &) {
    return outOfResources("no memory for the JSON of test cases");
  } catch (const nlohmann::json::exception &) {
    return badData("the name of a test case is not UTF-8");
  }
}

} // namespace

Result<std::string> nnhal::rt::writeTestCase(const TestCase &test,
                                             std::string_view modelJson) {
  return document(
      [&](CaseWriter &writer) { return writer.write(test, modelJson); });
}

Result<std::string> nnhal::rt::writeTestCases(std::span<const TestCase> cases) {
  return document([&](CaseWriter &writer) {
    for (const TestCase &test : cases) {
      NNHAL_ASSIGN_OR_RETURN(std::string model, writeJsonModel(test.model));
      Status status = writer.write(test, model);
      if (!status.isOk())
        return std::move(status).withContext(test.name);
    }
    return Status::ok();
  });
}
