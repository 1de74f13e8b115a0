//===- FlatBufferMutator.cpp - Changes FlatBuffers field by field ---------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBufferMutator.h"

#include "JsonMutator.h"

#include <flatbuffers/idl.h>
#include <flatbuffers/util.h>

#include <cstring>

namespace nnhal::rt::fuzz {

FlatBufferMutator::FlatBufferMutator(const std::string &schema, Verify verify)
    : verify(verify) {
  flatbuffers::IDLOptions options;
  options.strict_json = true;
  options.indent_step = -1;
  options.output_default_scalars_in_json = true;
  // By number, so that there may be numbers without a name.
  options.output_enum_identifiers = false;
  parser = std::make_unique<flatbuffers::Parser>(options);
  std::string text;
  require(flatbuffers::LoadFile(schema.c_str(), false, &text) &&
              parser->Parse(text.c_str(), nullptr, schema.c_str()),
          "cannot read the schema " + schema);
}

FlatBufferMutator::~FlatBufferMutator() = default;

static bool isTable(const flatbuffers::Type &type) {
  return type.struct_def && !type.struct_def->fixed;
}

namespace {
/// Whether a table is one that the printer takes: every union in it has a value
/// of the type that is stated, where a verifier lets one without a type be, and
/// its text has a bounded length, although a file may refer to one vector any
/// number of times.
class PrintCheck {
public:
  bool takes(const flatbuffers::Table &table,
             const flatbuffers::StructDef &definition) {
    if (!spend(1))
      return false;
    for (const flatbuffers::FieldDef *field : definition.fields.vec)
      if (table.GetOptionalFieldOffset(field->value.offset) &&
          !takesField(table, definition, *field))
        return false;
    return true;
  }

private:
  using Tables = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>;
  using Strings = flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>;

  bool spend(uint64_t elements) {
    if (elements > left)
      return false;
    left -= elements;
    return true;
  }

  bool takesUnion(const flatbuffers::Table &table,
                  const flatbuffers::StructDef &definition,
                  const flatbuffers::FieldDef &field) {
    const auto *typeField = definition.fields.Lookup(
        field.name + flatbuffers::UnionTypeFieldSuffix());
    if (!typeField)
      return false;
    auto number = table.GetField<uint8_t>(typeField->value.offset, 0);
    const auto *member =
        field.value.type.enum_def->ReverseLookup(number, /*skip=*/true);
    return member && isTable(member->union_type) &&
           takes(*table.GetPointer<const flatbuffers::Table *>(
                     field.value.offset),
                 *member->union_type.struct_def);
  }

  bool takesField(const flatbuffers::Table &table,
                  const flatbuffers::StructDef &definition,
                  const flatbuffers::FieldDef &field) {
    flatbuffers::voffset_t offset = field.value.offset;
    const flatbuffers::Type &type = field.value.type;
    if (type.base_type == flatbuffers::BASE_TYPE_UNION)
      return takesUnion(table, definition, field);
    if (type.base_type == flatbuffers::BASE_TYPE_STRUCT && isTable(type))
      return takes(*table.GetPointer<const flatbuffers::Table *>(offset),
                   *type.struct_def);
    // Strings and vectors of any element begin with their length.
    if (flatbuffers::IsVector(type) || flatbuffers::IsString(type))
      if (!spend(table.GetPointer<const flatbuffers::VectorOfAny *>(offset)
                     ->size()))
        return false;
    if (type.base_type == flatbuffers::BASE_TYPE_VECTOR &&
        type.element == flatbuffers::BASE_TYPE_STRING)
      for (const flatbuffers::String *element :
           *table.GetPointer<const Strings *>(offset))
        if (!spend(element->size()))
          return false;
    if (type.base_type == flatbuffers::BASE_TYPE_VECTOR &&
        type.element == flatbuffers::BASE_TYPE_STRUCT && isTable(type))
      for (const flatbuffers::Table *element :
           *table.GetPointer<const Tables *>(offset))
        if (!takes(*element, *type.struct_def))
          return false;
    return true;
  }

  /// A document takes about a hundred bytes for each.
  uint64_t left = 1 << 20;
};
} // namespace

/// \p buffer as a document.
static std::optional<Json> toDocument(const flatbuffers::Parser &parser,
                                      std::span<const std::byte> buffer) {
  if (!PrintCheck().takes(
          *flatbuffers::GetRoot<flatbuffers::Table>(buffer.data()),
          *parser.root_struct_def_))
    return std::nullopt;
  std::string text;
  if (!flatbuffers::GenerateText(parser, buffer.data(), &text))
    return std::nullopt;
  return parseForMutation(text);
}

/// \p document as a buffer.
static std::optional<std::vector<std::byte>>
toBuffer(flatbuffers::Parser &parser, const Json &document) {
  std::string text =
      document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!parser.ParseJson(text.c_str()))
    return std::nullopt;
  auto bytes = std::as_bytes(
      std::span(parser.builder_.GetBufferPointer(), parser.builder_.GetSize()));
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::optional<std::vector<std::byte>>
FlatBufferMutator::mutate(std::span<const std::byte> buffer, Random &random) {
  if (!verify(buffer))
    return std::nullopt;
  std::optional<Json> document = toDocument(*parser, buffer);
  if (!document)
    return std::nullopt;
  // A number may be out of the range of its field.
  for (int attempt = 0; attempt < 3; ++attempt) {
    Json changed = *document;
    mutateDocument(changed, random, JsonChange::sameKind);
    if (auto result = toBuffer(*parser, changed))
      return result;
  }
  return std::nullopt;
}

std::optional<std::vector<std::byte>>
FlatBufferMutator::cross(std::span<const std::byte> buffer,
                         std::span<const std::byte> other, Random &random) {
  if (!verify(buffer) || !verify(other))
    return std::nullopt;
  std::optional<Json> document = toDocument(*parser, buffer);
  std::optional<Json> donor = toDocument(*parser, other);
  if (!document || !donor)
    return std::nullopt;
  crossDocuments(*document, *donor, random);
  return toBuffer(*parser, *document);
}

static size_t store(const std::optional<std::vector<std::byte>> &bytes,
                    uint8_t *data, size_t maxSize) {
  if (!bytes || bytes->size() > maxSize)
    return 0;
  std::memcpy(data, bytes->data(), bytes->size());
  return bytes->size();
}

size_t FlatBufferMutator::mutateInput(uint8_t *data, size_t size,
                                      size_t maxSize, unsigned seed,
                                      size_t bytewise) {
  Random random(seed);
  if (!random.oneOf(bytewise))
    if (size_t stored =
            store(mutate(bytesOf(data, size), random), data, maxSize))
      return stored;
  return LLVMFuzzerMutate(data, size, maxSize);
}

size_t FlatBufferMutator::crossInputs(std::span<const std::byte> first,
                                      std::span<const std::byte> second,
                                      uint8_t *out, size_t maxSize,
                                      unsigned seed) {
  Random random(seed);
  return store(cross(first, second, random), out, maxSize);
}

} // namespace nnhal::rt::fuzz
