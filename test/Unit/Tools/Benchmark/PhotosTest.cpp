//===- PhotosTest.cpp - Folders of photos and their classes ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tools/Benchmark/DataSet.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#ifdef NNHAL_HAVE_JPEG
#include <turbojpeg.h>
#endif

using namespace nnhal;
using namespace nnhal::tools;
namespace fs = std::filesystem;

namespace {

#ifdef NNHAL_HAVE_JPEG
/// A photo of one grey.
std::string jpegOf(uint8_t grey, int width, int height) {
  std::vector<uint8_t> pixels(size_t(width) * size_t(height) * 3, grey);
  tjhandle encoder = ::tjInitCompress();
  unsigned char *data = nullptr;
  unsigned long size = 0;
  EXPECT_EQ(::tjCompress2(encoder, pixels.data(), width, 0, height, TJPF_RGB,
                          &data, &size, TJSAMP_420, 90, 0),
            0);
  std::string text(reinterpret_cast<char *>(data), size);
  ::tjFree(data);
  ::tjDestroy(encoder);
  return text;
}
#else
std::string jpegOf(uint8_t, int, int) { return "a photo"; }
#endif

std::span<const std::byte> bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

class PhotosTest : public testing::Test {
protected:
  PhotosTest() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (int number : {2, 10, 0})
      write("image-" + std::to_string(number) + ".jpeg",
            jpegOf(uint8_t(20 * number), 40, 30));
    write("README.txt", "no photo");
    request.directory = folder;
  }
  ~PhotosTest() override { fs::remove_all(folder); }

  std::string write(const std::string &name, const std::string &text) {
    std::string path = folder + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  std::string messageOfOpening() const {
    return openPhotos(request).status().message();
  }

  const std::string folder = testing::TempDir() + "nnhal-photos";
  PhotosRequest request;
  rt::Interface interface = {
      {{"", rt::OperandType::TENSOR_FLOAT32, {1, 4, 4, 3}}}, {}, {}};
};

#ifdef NNHAL_HAVE_JPEG
TEST_F(PhotosTest, AreInTheOrderOfTheirNumbersWithTheirClasses) {
  request.groundTruth = write("truth", "cat\r\nx\ndog\n\n\n\n\n\n\n\ncat\n");
  request.labels = write("labels", "background\ncat\ndog\n");
  request.classOffset = -1;
  auto data = openPhotos(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  ASSERT_EQ((*data)->size(), 3u);
  const uint32_t classes[] = {0, 1, 0};
  const char *names[] = {"image-0.jpeg", "image-2.jpeg", "image-10.jpeg"};
  const float values[] = {0, 40, 200};
  for (size_t i = 0; i < 3; ++i) {
    auto sample = (*data)->load(i, interface);
    ASSERT_TRUE(sample.isOk()) << sample.status().message();
    EXPECT_EQ(sample->name, names[i]);
    EXPECT_EQ(sample->expectedClass, classes[i]);
    ASSERT_EQ(sample->inputs.tensors.size(), 1u);
    const auto *first =
        reinterpret_cast<const float *>(sample->inputs.tensors[0].bytes.data());
    EXPECT_NEAR(*first, values[i] / 127.5f - 1, 0.02f);
  }
}

TEST_F(PhotosTest, ClassesMayBeNumbers) {
  request.groundTruth = write("truth", "7\n0\n9\n");
  request.limit = 2;
  auto data = openPhotos(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ((*data)->load(1, interface)->expectedClass, 9u);
}

TEST_F(PhotosTest, PhotosThatAreNoneAreNamed) {
  std::string path = write("image-0.jpeg", "text");
  auto data = openPhotos(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  std::string message = (*data)->load(0, interface).status().message();
  EXPECT_EQ(message, "'" + path + "': neither a JPEG nor a PNG file");
  auto text = decodeJpeg(bytesOf("text"));
  EXPECT_TRUE(text.status().message().starts_with("not a JPEG file: "))
      << text.status().message();
  std::string whole = jpegOf(100, 64, 64);
  auto cut = decodeJpeg(bytesOf(whole.substr(0, whole.size() - 20)));
  EXPECT_TRUE(cut.status().message().starts_with("the JPEG file is damaged: "))
      << cut.status().message();
  // A header that states 65500 x 65500 pixels.
  size_t frame = whole.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  whole.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_EQ(decodeJpeg(bytesOf(whole)).status().message(),
            "the photo has 65500x65500 pixels, more than 134217728");
}
#else
TEST_F(PhotosTest, ABuildWithoutJpegSaysSo) {
  EXPECT_EQ(decodeJpeg(bytesOf("x")).status().message(),
            "this build reads no JPEG: libjpeg-turbo (libturbojpeg0-dev) was "
            "not found when it was configured");
}
#endif

TEST_F(PhotosTest, ModelsForOtherInputsAreRefused) {
  auto data = openPhotos(request);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  interface.inputs.push_back(interface.inputs[0]);
  EXPECT_EQ((*data)->load(0, interface).status().message(),
            "a model with 2 inputs takes no photos, which are for one");
}

TEST_F(PhotosTest, WhatIsWrongWithClassesIsNamed) {
  request.groundTruth = write("truth", "cat\nx\ndog\n");
  EXPECT_EQ(messageOfOpening(),
            "'" + request.groundTruth +
                "' names class 'cat', which is no number from 0 to "
                "4294967295; names need a file of labels");
  request.labels = write("labels", "cat\n");
  EXPECT_EQ(messageOfOpening(), "'" + request.labels +
                                    "' has no label 'dog', which '" +
                                    request.groundTruth + "' names");
  write("labels", "cat\ndog\n");
  EXPECT_EQ(messageOfOpening(), "'" + request.groundTruth +
                                    "' has 3 lines, none for photo '" + folder +
                                    "/image-10.jpeg'");
  request.limit = 2;
  request.classOffset = -1;
  EXPECT_EQ(messageOfOpening(), "class -1 of photo '" + folder +
                                    "/image-0.jpeg' is not from 0 to "
                                    "4294967295");
}

TEST_F(PhotosTest, WhatIsWrongWithAFolderIsNamed) {
  write("photo.jpg", "x");
  EXPECT_EQ(messageOfOpening(), "photo '" + folder +
                                    "/photo.jpg' has no number: names end in "
                                    "-N.jpeg");
  request.directory = folder + "/none";
  EXPECT_EQ(messageOfOpening(), "cannot list '" + request.directory +
                                    "': No such file or directory");
  fs::create_directories(request.directory);
  EXPECT_EQ(messageOfOpening(), "there are no photos in '" + request.directory +
                                    "': no .jpeg and no .jpg");
}

} // namespace
