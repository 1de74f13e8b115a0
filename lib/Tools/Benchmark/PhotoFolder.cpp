//===- PhotoFolder.cpp - A folder of photos as a data set -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataSet.h"

#include "Tools/Images/ModelMetadata.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
namespace fs = std::filesystem;

namespace {

struct Photo {
  uint64_t number = 0;
  std::string path;
  std::optional<uint32_t> expectedClass;
};

class PhotoFolder : public DataSet {
public:
  PhotoFolder(std::vector<Photo> photos, const Preprocessing &preprocessing)
      : photos(std::move(photos)), preprocessing(preprocessing) {}

  uint64_t size() const override { return photos.size(); }
  rt::Result<Sample> load(uint64_t index,
                          const rt::Interface &interface) const override;

private:
  std::vector<Photo> photos;
  Preprocessing preprocessing;
};

} // namespace

rt::Result<Sample> PhotoFolder::load(uint64_t index,
                                     const rt::Interface &interface) const {
  if (interface.inputs.size() != 1)
    return badData("a model with {} inputs takes no photos, which are for one",
                   interface.inputs.size());
  const Photo &photo = photos[index];
  NNHAL_ASSIGN_OR_RETURN(Image image, readImage(photo.path));
  NNHAL_ASSIGN_OR_RETURN(std::vector<std::byte> bytes,
                         preprocess(image, interface.inputs[0], preprocessing));
  InputTensor input;
  input.dimensions = interface.inputs[0].dimensions;
  input.frameSize = bytes.size();
  NNHAL_ASSIGN_OR_RETURN(input.bytes,
                         rt::AlignedBuffer::allocate(bytes.size()));
  std::memcpy(input.bytes.data(), bytes.data(), bytes.size());
  Sample sample;
  sample.name = fs::path(photo.path).filename().string();
  sample.inputs.tensors.push_back(std::move(input));
  sample.expectedClass = photo.expectedClass;
  return sample;
}

/// The number between the last '-' of a name and its extension.
static std::optional<uint64_t> numberOf(const std::string &stem) {
  size_t dash = stem.rfind('-');
  const char *begin = stem.data() + (dash == std::string::npos ? 0 : dash + 1);
  const char *end = stem.data() + stem.size();
  uint64_t number = 0;
  auto [stop, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stop != end || begin == end)
    return std::nullopt;
  return number;
}

static rt::Result<std::vector<Photo>> listPhotos(const std::string &directory) {
  std::vector<Photo> photos;
  std::error_code error;
  fs::directory_iterator files(directory, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    std::string extension = files->path().extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](unsigned char c) { return std::tolower(c); });
    if (extension != ".jpeg" && extension != ".jpg")
      continue;
    std::string path = files->path().string();
    auto number = numberOf(files->path().stem().string());
    if (!number)
      return badData("photo '{}' has no number: names end in -N.jpeg", path);
    photos.push_back({*number, path, std::nullopt});
  }
  if (error)
    return badData("cannot list '{}': {}", directory, error.message());
  if (photos.empty())
    return badData("there are no photos in '{}': no .jpeg and no .jpg",
                   directory);
  std::ranges::sort(photos, [](const Photo &a, const Photo &b) {
    return std::tie(a.number, a.path) < std::tie(b.number, b.path);
  });
  return photos;
}

namespace {
/// The numbers of classes by what a file of true classes says.
class Classes {
public:
  static rt::Result<Classes> read(const PhotosRequest &request) {
    Classes classes;
    classes.offset = request.classOffset;
    NNHAL_ASSIGN_OR_RETURN(classes.truths, readLines(request.groundTruth));
    classes.truthPath = request.groundTruth;
    if (request.labels.empty())
      return classes;
    classes.labelPath = request.labels;
    NNHAL_ASSIGN_OR_RETURN(std::vector<std::string> labels,
                           readLines(request.labels));
    // The last of equal names counts, as in the benchmark of Android.
    for (size_t i = 0; i < labels.size(); ++i)
      classes.numbers[labels[i]] = int64_t(i);
    return classes;
  }

  rt::Result<uint32_t> find(const Photo &photo) const {
    if (photo.number >= truths.size())
      return badData("'{}' has {} lines, none for photo '{}'", truthPath,
                     truths.size(), photo.path);
    NNHAL_ASSIGN_OR_RETURN(int64_t number, numberFor(truths[photo.number]));
    number += offset;
    if (number < 0 || number > UINT32_MAX)
      return badData("class {} of photo '{}' is not from 0 to {}", number,
                     photo.path, UINT32_MAX);
    return uint32_t(number);
  }

private:
  rt::Result<int64_t> numberFor(const std::string &truth) const {
    if (!labelPath.empty()) {
      auto found = numbers.find(truth);
      if (found == numbers.end())
        return badData("'{}' has no label '{}', which '{}' names", labelPath,
                       truth, truthPath);
      return found->second;
    }
    int64_t number = 0;
    auto [stop, error] =
        std::from_chars(truth.data(), truth.data() + truth.size(), number);
    if (error != std::errc() || stop != truth.data() + truth.size() ||
        number < 0 || number > UINT32_MAX)
      return badData("'{}' names class '{}', which is no number from 0 to {}; "
                     "names need a file of labels",
                     truthPath, truth, UINT32_MAX);
    return number;
  }

  std::vector<std::string> truths;
  std::string truthPath;
  std::map<std::string, int64_t> numbers;
  std::string labelPath;
  int64_t offset = 0;
};
} // namespace

rt::Result<std::unique_ptr<DataSet>>
tools::openPhotos(const PhotosRequest &request) {
  NNHAL_ASSIGN_OR_RETURN(std::vector<Photo> photos,
                         listPhotos(request.directory));
  if (request.limit && *request.limit < photos.size())
    photos.resize(*request.limit);
  if (!request.groundTruth.empty()) {
    NNHAL_ASSIGN_OR_RETURN(Classes classes, Classes::read(request));
    for (Photo &photo : photos) {
      NNHAL_ASSIGN_OR_RETURN(photo.expectedClass, classes.find(photo));
    }
  }
  return std::unique_ptr<DataSet>(
      std::make_unique<PhotoFolder>(std::move(photos), request.preprocessing));
}
