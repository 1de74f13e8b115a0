//===- RequestReader.h - A request as its JSON is read ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_HTTP_REQUESTREADER_H
#define NNHAL_LIB_SERVING_HTTP_REQUESTREADER_H

#include "Elements.h"

#include "Serving/Core/DataType.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::serving {

/// The parameters of a request or a tensor that the protocol knows.
struct Parameters {
  std::optional<uint64_t> binaryDataSize;
  std::optional<bool> binaryData;
  std::optional<bool> binaryDataOutput;
  std::optional<uint64_t> timeout;
  std::optional<uint64_t> priority;
};

/// An input as it is written.
struct WrittenInput {
  std::string name;
  std::optional<DataType> type;
  std::vector<int64_t> shape;
  Parameters parameters;
  bool hasShape = false;
  bool hasData = false;
  std::vector<std::byte> elements;
};

/// An output that is asked for.
struct WrittenOutput {
  std::string name;
  Parameters parameters;
};

/// Takes the values of a request as the parser finds them: elements go to where
/// they are needed, so that neither they nor the depth of lists takes more
/// memory than a few times that of the text.
class RequestReader final : public nlohmann::json_sax<nlohmann::json> {
public:
  /// \p known has the types of the inputs where another reader has found them.
  explicit RequestReader(std::vector<std::optional<DataType>> known = {})
      : known(std::move(known)), places{Place::root} {}

  std::string id;
  Parameters parameters;
  std::vector<WrittenInput> inputs;
  std::vector<WrittenOutput> outputs;
  /// Data stood before its type, and has to be read once more.
  bool isTypeLate = false;
  /// Why reading has ended.
  std::string problem;

  bool null() override { return take({}); }
  bool boolean(bool value) override { return take(value); }
  bool number_integer(number_integer_t value) override { return take(value); }
  bool number_unsigned(number_unsigned_t value) override { return take(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return take(value);
  }
  bool string(string_t &value) override { return take(&value); }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override;
  bool key(string_t &value) override;
  bool end_object() override { return leave(); }
  bool start_array(size_t) override;
  bool end_array() override { return leave(); }
  bool parse_error(size_t position, const std::string &token,
                   const nlohmann::json::exception &error) override;

private:
  /// Kinds of objects and lists that are read.
  enum class Place {
    root,
    request,
    parameters,
    inputs,
    input,
    shape,
    data,
    outputs,
    output,
    skipped
  };

  bool take(const JsonValue &value);
  bool takeField(const JsonValue &value);
  bool takeParameter(const JsonValue &value);
  bool checkParameter();
  bool takeElement(const JsonValue &value);
  bool takeExtent(const JsonValue &value);
  bool takeText(const JsonValue &value, std::string &text);
  bool takeType(const JsonValue &value);
  bool enter(Place place);
  bool enterData();
  bool leave();
  bool refuseValue(std::string_view value);
  std::string nameOfPlace() const;

  const std::vector<std::optional<DataType>> known;
  std::vector<Place> places;
  std::string field;
  /// Where the parameters go that are being read.
  Parameters *target = nullptr;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_HTTP_REQUESTREADER_H
