//===- ModelMetadataTest.cpp - What a file says for programs --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Images/ModelMetadata.h"

#include "TFLiteMetadata_generated.h"
#include "TFLiteSchema_generated.h"

#include "Runtime/Support/AtomicFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#ifdef NNHAL_HAVE_MINIZIP
#include <minizip/zip.h>
#endif

using namespace nnhal;
using namespace nnhal::tools;
namespace schema = rt::tflite::schema;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytesOf(const flatbuffers::FlatBufferBuilder &builder) {
  auto bytes =
      std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize()));
  return {bytes.begin(), bytes.end()};
}

/// The metadata of a model with one input and one output.
Bytes metadataOf(std::vector<float> mean, std::vector<float> deviation,
                 const char *labels,
                 metadata::AssociatedFileType type =
                     metadata::AssociatedFileType::TENSOR_AXIS_LABELS) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<metadata::ProcessUnit>> units = {
      metadata::CreateProcessUnit(
          builder, metadata::ProcessUnitOptions::NormalizationOptions,
          metadata::CreateNormalizationOptionsDirect(builder, &mean, &deviation)
              .Union())};
  std::vector<flatbuffers::Offset<metadata::TensorMetadata>> inputs = {
      metadata::CreateTensorMetadataDirect(builder, "image", nullptr, nullptr,
                                           0, &units)};
  std::vector<flatbuffers::Offset<metadata::AssociatedFile>> files;
  if (labels)
    files.push_back(
        metadata::CreateAssociatedFileDirect(builder, labels, nullptr, type));
  std::vector<flatbuffers::Offset<metadata::TensorMetadata>> outputs = {
      metadata::CreateTensorMetadataDirect(builder, "scores", nullptr, nullptr,
                                           0, nullptr, 0, &files)};
  std::vector<flatbuffers::Offset<metadata::SubGraphMetadata>> graphs = {
      metadata::CreateSubGraphMetadataDirect(builder, nullptr, nullptr, &inputs,
                                             &outputs)};
  metadata::FinishModelMetadataBuffer(
      builder, metadata::CreateModelMetadataDirect(builder, nullptr, nullptr,
                                                   nullptr, &graphs));
  return bytesOf(builder);
}

/// A file with \p content as metadata.
Bytes modelOf(const Bytes &content) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<uint8_t> data;
  for (std::byte byte : content)
    data.push_back(uint8_t(byte));
  std::vector<flatbuffers::Offset<schema::Buffer>> buffers = {
      schema::CreateBuffer(builder),
      schema::CreateBufferDirect(builder, &data)};
  std::vector<flatbuffers::Offset<schema::SubGraph>> graphs = {
      schema::CreateSubGraph(builder)};
  std::vector<flatbuffers::Offset<schema::Metadata>> entries = {
      schema::CreateMetadataDirect(builder, "TFLITE_METADATA", 1)};
  builder.Finish(schema::CreateModelDirect(builder, 3, nullptr, &graphs,
                                           nullptr, &buffers, nullptr,
                                           &entries),
                 "TFL3");
  return bytesOf(builder);
}

std::string messageOf(const Bytes &file) {
  return readModelMetadata(file).status().message();
}

TEST(ModelMetadataTest, NormalizationsOfInputs) {
  auto one = readModelMetadata(modelOf(metadataOf({127.5f}, {2}, nullptr)));
  ASSERT_TRUE(one.isOk()) << one.status().message();
  ASSERT_EQ(one->normalizations.size(), 1u);
  EXPECT_EQ(one->normalizations[0],
            (Normalization{{127.5, 127.5, 127.5}, {2, 2, 2}}));
  ASSERT_EQ(one->labels.size(), 1u);
  EXPECT_TRUE(one->labels[0].empty());
  auto each =
      readModelMetadata(modelOf(metadataOf({1, 2, 3}, {4, 5, 6}, nullptr)));
  ASSERT_TRUE(each.isOk()) << each.status().message();
  EXPECT_EQ(each->normalizations[0], (Normalization{{1, 2, 3}, {4, 5, 6}}));
}

TEST(ModelMetadataTest, WrongNumbersAreNamed) {
  EXPECT_EQ(messageOf(modelOf(metadataOf({1, 2}, {1}, nullptr))),
            "the metadata has 2 numbers as mean, and not 1 or 3");
  EXPECT_EQ(messageOf(modelOf(metadataOf({1}, {}, nullptr))),
            "the metadata has 0 numbers as std, and not 1 or 3");
  EXPECT_EQ(messageOf(modelOf(metadataOf({1}, {1, 0, 1}, nullptr))),
            "the metadata has a std of 0, which is not above 0");
}

TEST(ModelMetadataTest, DamagedMetadataIsRefused) {
  Bytes damaged = metadataOf({1}, {1}, nullptr);
  damaged[0] = std::byte(0xff);
  EXPECT_EQ(messageOf(modelOf(damaged)), "the metadata of the model, " +
                                             std::to_string(damaged.size()) +
                                             " bytes, is damaged");
  // Whatever is in it: no more than an error.
  Bytes whole = metadataOf({1, 2, 3}, {4, 5, 6}, "labels.txt");
  for (size_t at = 0; at < whole.size(); ++at)
    for (uint8_t value : {0x00, 0x7f, 0xff}) {
      Bytes mutant = whole;
      mutant[at] = std::byte(value);
      (void)readModelMetadata(modelOf(mutant)).isOk();
    }
}

TEST(ModelMetadataTest, FilesWithoutMetadataHaveNone) {
  auto found = readModelMetadata(modelOf({}));
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_TRUE(found->normalizations.empty());
  EXPECT_TRUE(found->labels.empty());
}

#ifdef NNHAL_HAVE_MINIZIP
/// The bytes of an archive with the file \p name, of \p text.
Bytes archiveOf(const std::string &name, const std::string &text,
                bool compressed) {
  std::string path = testing::TempDir() + "nnhal-labels.zip";
  std::filesystem::remove(path);
  zipFile zip = ::zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  EXPECT_EQ(::zipOpenNewFileInZip64(
                zip, name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr,
                compressed ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, 1),
            ZIP_OK);
  EXPECT_EQ(::zipWriteInFileInZip(zip, text.data(), unsigned(text.size())),
            ZIP_OK);
  EXPECT_EQ(::zipCloseFileInZip(zip), ZIP_OK);
  EXPECT_EQ(::zipClose(zip, nullptr), ZIP_OK);
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), {});
  auto bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

Bytes operator+(Bytes first, const Bytes &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(ModelMetadataTest, LabelsAreThoseThatArePacked) {
  for (bool compressed : {false, true}) {
    auto found = readModelMetadata(
        modelOf(metadataOf({1}, {1}, "labels.txt")) +
        archiveOf("labels.txt", "cat\r\ndog\n\ncup", compressed));
    ASSERT_TRUE(found.isOk()) << found.status().message();
    EXPECT_EQ(found->labels[0],
              (std::vector<std::string>{"cat", "dog", "", "cup"}));
  }
}

TEST(ModelMetadataTest, LabelsOfValuesAreOthersThanThoseOfPlaces) {
  auto found = readModelMetadata(
      modelOf(metadataOf({1}, {1}, "classes.txt",
                         metadata::AssociatedFileType::TENSOR_VALUE_LABELS)) +
      archiveOf("classes.txt", "cat\ndog\n", false));
  ASSERT_TRUE(found.isOk()) << found.status().message();
  EXPECT_TRUE(found->labels[0].empty());
  EXPECT_EQ(found->valueLabels[0], (std::vector<std::string>{"cat", "dog"}));
}

TEST(ModelMetadataTest, PackedFilesThatAreNotThereAreNamed) {
  const std::string message = "the metadata names the file 'labels.txt', which "
                              "is not packed with the model";
  Bytes model = modelOf(metadataOf({1}, {1}, "labels.txt"));
  EXPECT_EQ(messageOf(model), message);
  EXPECT_EQ(messageOf(model + archiveOf("other.txt", "x", false)), message);
}

TEST(ModelMetadataTest, DamagedArchivesAreRefused) {
  Bytes model = modelOf(metadataOf({1}, {1}, "labels.txt"));
  Bytes archive = archiveOf("labels.txt", "cat\ndog\n", false);
  auto find = [&](std::string_view text) {
    return std::ranges::search(archive, std::as_bytes(std::span(text))).begin();
  };
  Bytes other = archive;
  other[size_t(find("cat") - archive.begin())] = std::byte('b');
  EXPECT_EQ(messageOf(model + other),
            "the file 'labels.txt' that is packed with the model is damaged");
  // The size lies 24 bytes behind where the directory begins.
  Bytes large = archive;
  size_t size = size_t(find("PK\1\2") - archive.begin()) + 24;
  large[size + 3] = std::byte(0x10);
  EXPECT_EQ(messageOf(model + large),
            "the file 'labels.txt' that is packed with the model has 268435464 "
            "bytes, more than 16777216");
  for (size_t at = 0; at < archive.size(); ++at)
    for (uint8_t value : {0x00, 0x7f, 0xff}) {
      Bytes mutant = archive;
      mutant[at] = std::byte(value);
      (void)readPackedFile(mutant, "labels.txt").isOk();
    }
}
#else
TEST(ModelMetadataTest, ABuildWithoutMinizipSaysSo) {
  EXPECT_EQ(messageOf(modelOf(metadataOf({1}, {1}, "labels.txt"))),
            "the file 'labels.txt' that is packed with the model cannot be "
            "read: minizip (libminizip-dev) was not found when this build was "
            "configured");
}
#endif

} // namespace
