//===- TensorFiles.cpp - Inputs in files, and random ones, as data sets ---===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DataSet.h"

#include "Runtime/Support/Errors.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::tools;
using rt::badData;
namespace fs = std::filesystem;

namespace {

struct FileSample {
  std::string name;
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs;
};

class TensorFiles : public DataSet {
public:
  TensorFiles(std::vector<FileSample> samples, bool frames)
      : samples(std::move(samples)), frames(frames) {}

  uint64_t size() const override { return samples.size(); }
  rt::Result<Sample> load(uint64_t index,
                          const rt::Interface &interface) const override;

private:
  std::vector<FileSample> samples;
  bool frames;
};

class RandomData : public DataSet {
public:
  RandomData(uint64_t seed, NamedShapes shapes)
      : seed(seed), shapes(std::move(shapes)) {}

  uint64_t size() const override { return 1; }
  rt::Result<Sample> load(uint64_t /*index*/,
                          const rt::Interface &interface) const override {
    Sample sample;
    sample.name = "random";
    NNHAL_ASSIGN_OR_RETURN(sample.inputs,
                           buildInputs({{}, seed, shapes, false}, interface));
    return sample;
  }

private:
  uint64_t seed;
  NamedShapes shapes;
};

} // namespace

static rt::Result<ExpectedOutput>
readExpected(const NamedFile &file, const rt::InterfaceTensor &type) {
  NNHAL_ASSIGN_OR_RETURN(rt::Memory memory, rt::Memory::readFile(file.file));
  NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> bytes, memory.bytes());
  if (!file.file.ends_with(".npy"))
    return ExpectedOutput{&formatOf(type), {bytes.begin(), bytes.end()}};
  auto array = readNpy(bytes);
  if (!array.isOk())
    return std::move(array).takeStatus().withContext(
        fmt::format("'{}'", file.file));
  return ExpectedOutput{array->format, std::move(array->data)};
}

rt::Result<Sample> TensorFiles::load(uint64_t index,
                                     const rt::Interface &interface) const {
  const FileSample &files = samples[index];
  Sample sample;
  sample.name = files.name;
  sample.carriesState = frames;
  NNHAL_ASSIGN_OR_RETURN(
      sample.inputs,
      buildInputs({files.inputs, std::nullopt, {}, frames}, interface));
  sample.expected.resize(interface.outputs.size());
  for (const NamedFile &output : files.outputs) {
    NNHAL_ASSIGN_OR_RETURN(size_t place,
                           findTensor("output", interface.outputs, output.key));
    NNHAL_ASSIGN_OR_RETURN(sample.expected[place],
                           readExpected(output, interface.outputs[place]));
  }
  return sample;
}

static rt::Result<std::vector<FileSample>>
listSamples(const TensorsRequest &request) {
  std::vector<FileSample> samples;
  std::error_code error;
  fs::directory_iterator files(request.directory, error);
  for (; !error && files != fs::directory_iterator(); files.increment(error)) {
    std::string path = files->path().string();
    if (!path.ends_with(request.inputSuffix))
      continue;
    std::string start =
        path.substr(0, path.size() - request.inputSuffix.size());
    FileSample sample = {
        fs::path(start).filename().string(), {{"0", path}}, {}};
    if (std::string output = start + request.outputSuffix; fs::exists(output))
      sample.outputs.push_back({"0", output});
    samples.push_back(std::move(sample));
  }
  if (error)
    return badData("cannot list '{}': {}", request.directory, error.message());
  if (samples.empty())
    return badData("there are no samples in '{}': no file ends in '{}'",
                   request.directory, request.inputSuffix);
  std::ranges::sort(samples, {}, &FileSample::name);
  return samples;
}

rt::Result<std::unique_ptr<DataSet>>
tools::openTensors(const TensorsRequest &request) {
  std::vector<FileSample> samples;
  if (request.directory.empty()) {
    samples.push_back({"files", request.inputs, request.outputs});
  } else {
    NNHAL_ASSIGN_OR_RETURN(samples, listSamples(request));
  }
  if (request.limit && *request.limit < samples.size())
    samples.resize(*request.limit);
  return std::unique_ptr<DataSet>(
      std::make_unique<TensorFiles>(std::move(samples), request.frames));
}

std::unique_ptr<DataSet> tools::randomData(uint64_t seed, NamedShapes shapes) {
  return std::make_unique<RandomData>(seed, std::move(shapes));
}
