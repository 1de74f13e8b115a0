//===- DataSet.h - What models are executed on ------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_TOOLS_BENCHMARK_DATASET_H
#define NNHAL_LIB_TOOLS_BENCHMARK_DATASET_H

#include "Tools/Images/Preprocessing.h"
#include "Tools/Tensors/Inputs.h"
#include "Tools/Tensors/Npy.h"

#include "nnhal/Runtime/TestCase.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nnhal::tools {

/// What an output should be: elements of all frames, one after the other.
struct ExpectedOutput {
  const ElementFormat *format = nullptr;
  std::vector<std::byte> bytes;
};

/// One item of a data set: a photo, an utterance, an example.
struct Sample {
  /// The name that messages give it.
  std::string name;
  Inputs inputs;
  /// Frames are executed in order, and each state output becomes the input of
  /// the next.
  bool carriesState = false;
  /// One per output; nothing where no output is known.
  std::vector<std::optional<ExpectedOutput>> expected;
  /// The class of a photo.
  std::optional<uint32_t> expectedClass;
};

/// A set of samples, which are read one at a time.
class DataSet {
public:
  virtual ~DataSet() = default;
  virtual uint64_t size() const = 0;
  /// Reads sample \p index for a model of \p interface. Fails with
  /// invalidArgument, which names the file, when it is not for that model.
  virtual rt::Result<Sample> load(uint64_t index,
                                  const rt::Interface &interface) const = 0;
};

/// A folder of photos, `PREFIX-N.jpeg` or `PREFIX-N.jpg`; line N + 1 of the
/// file of true classes is for that photo.
struct PhotosRequest {
  std::string directory;
  /// The file with a class per photo: its number, or its name where there are
  /// labels. Empty: the classes are not known.
  std::string groundTruth;
  /// The file with the name of a class in each line.
  std::string labels;
  Preprocessing preprocessing;
  /// The number of photos that are used; all without it.
  std::optional<uint64_t> limit;
  /// Added to the number of each class: -1 for a model that lacks the first.
  int64_t classOffset = 0;
};
/// Fails with invalidArgument for a folder without photos, and for a photo
/// without a line, a class without a label.
rt::Result<std::unique_ptr<DataSet>> openPhotos(const PhotosRequest &request);

/// Inputs in files, raw little-endian or .npy, with expected outputs where
/// there are any.
struct TensorsRequest {
  /// Files of one sample, by index or name of the input or output.
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs;
  /// A folder of samples in place of these: a file that ends in `inputSuffix`
  /// is the first input of one, and the file with `outputSuffix` in place of
  /// that its first output.
  std::string directory;
  std::string inputSuffix = ".input";
  std::string outputSuffix = ".output";
  /// The files have several frames, and states are carried.
  bool frames = false;
  std::optional<uint64_t> limit;
};
/// Fails with invalidArgument for a folder without samples.
rt::Result<std::unique_ptr<DataSet>> openTensors(const TensorsRequest &request);

/// The examples of \p test, which state every input.
std::unique_ptr<DataSet> openExamples(rt::TestCase test);

/// One sample of random inputs.
std::unique_ptr<DataSet> randomData(uint64_t seed, NamedShapes shapes);

} // namespace nnhal::tools

#endif // NNHAL_LIB_TOOLS_BENCHMARK_DATASET_H
