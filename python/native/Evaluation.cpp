//===- Evaluation.cpp - Data sets and evaluators for Python ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include "Exceptions.h"
#include "Model.h"

#include "Tools/Benchmark/Description.h"
#include "Tools/Benchmark/Page/Page.h"
#include "Tools/Benchmark/ResultJson.h"
#include "Tools/Benchmark/SampleRunner.h"

#include "Runtime/Devices/Cpu/HostCpu.h"
#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Version.h"

#include <pybind11/stl.h>

#include <cstring>

using namespace nnhal;
using namespace nnhal::python;
using rt::badData;

namespace {

/// A sample that is not copied: pybind11 would try to, because a vector of
/// inputs claims that it can be.
struct OwnedSample : tools::Sample {
  explicit OwnedSample(tools::Sample sample)
      : tools::Sample(std::move(sample)) {}
  OwnedSample(OwnedSample &&) = default;
  OwnedSample(const OwnedSample &) = delete;
};

/// Executes one model on samples. Python calls it from several threads, each
/// with a runner of its own.
class Runner {
public:
  explicit Runner(std::shared_ptr<Model> given)
      : model(std::move(given)),
        runner(tools::ExecutionMode::sync, model->engine().device(),
               model->preparedModel()) {}

  /// The seconds of each frame.
  std::vector<double> run(const tools::Sample &sample);
  /// The outputs of the last sample as arrays of their own.
  py::list outputs() const;
  std::span<const tools::OutputTensor> tensors() const {
    return runner.outputs();
  }

private:
  std::shared_ptr<Model> model;
  tools::SampleRunner runner;
  uint64_t frames = 1;
};

} // namespace

std::vector<double> Runner::run(const tools::Sample &sample) {
  std::vector<double> latencies;
  auto status = [&] {
    py::gil_scoped_release unlocked;
    return runner.run(sample, &latencies);
  }();
  check(status);
  frames = sample.inputs.frameCount;
  for (double &latency : latencies)
    latency /= 1e6;
  return latencies;
}

/// An array of \p type with a copy of \p bytes. Its shape is \p dimensions, and
/// one dimension more on the left for several frames and on the right for
/// elements that are bytes.
static py::array arrayOf(const py::dtype &type,
                         std::span<const uint32_t> dimensions, uint64_t frames,
                         std::span<const std::byte> bytes) {
  std::vector<py::ssize_t> shape;
  if (frames > 1)
    shape.push_back(py::ssize_t(frames));
  shape.insert(shape.end(), dimensions.begin(), dimensions.end());
  py::ssize_t count = 1;
  for (py::ssize_t extent : shape)
    count *= extent;
  auto found = py::ssize_t(bytes.size()) / type.itemsize();
  if (count > 0 && found > count)
    shape.push_back(found / count);
  py::array values(type, shape);
  if (!bytes.empty())
    std::memcpy(values.mutable_data(), bytes.data(), bytes.size());
  return values;
}

py::list Runner::outputs() const {
  py::list arrays;
  std::span<const tools::OutputTensor> found = runner.outputs();
  for (size_t i = 0; i < found.size(); ++i)
    arrays.append(arrayOf(Model::typeOf(model->interface().outputs[i]),
                          found[i].dimensions, frames, found[i].bytes));
  return arrays;
}

/// The bytes of \p array, which is contiguous in C order.
static std::span<const std::byte> bytesOf(const py::array &array) {
  return {static_cast<const std::byte *>(array.data()), size_t(array.nbytes())};
}

/// A sample of arrays that are contiguous and of the model's types. Throws
/// InvalidArgumentError for those that are not the model's inputs.
static OwnedSample makeSample(const Model &model, std::string name,
                              const std::vector<py::array> &inputs,
                              const std::vector<py::object> &expected,
                              std::optional<uint32_t> expectedClass) {
  const rt::Interface &interface = model.interface();
  tools::Sample sample;
  sample.name = std::move(name);
  sample.expectedClass = expectedClass;
  if (inputs.size() != interface.inputs.size())
    check(badData("sample '{}' has {} inputs, the model {}", sample.name,
                  inputs.size(), interface.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    tools::InputTensor &input = sample.inputs.tensors.emplace_back();
    input.dimensions.assign(inputs[i].shape(),
                            inputs[i].shape() + inputs[i].ndim());
    input.frameSize = uint64_t(inputs[i].nbytes());
    input.bytes = unwrap(
        rt::AlignedBuffer::allocate(std::max<size_t>(inputs[i].nbytes(), 1)));
    std::memcpy(input.bytes.data(), inputs[i].data(), inputs[i].nbytes());
    uint64_t size =
        unwrap(tools::byteSizeOf(interface.inputs[i], input.dimensions));
    if (size != input.frameSize)
      check(badData("input {} of sample '{}' has {} bytes, expected {}", i,
                    sample.name, input.frameSize, size));
  }
  for (const py::object &value : expected) {
    auto &output = sample.expected.emplace_back();
    if (value.is_none())
      continue;
    py::array array = value.cast<py::array>();
    std::string type = array.dtype().attr("str").cast<std::string>();
    const tools::ElementFormat *format = tools::lookUpFormat(type);
    if (!format)
      check(badData("an expected output of sample '{}' has elements of type "
                    "'{}', which no output has",
                    sample.name, type));
    std::span<const std::byte> bytes = bytesOf(array);
    output.emplace(format, std::vector(bytes.begin(), bytes.end()));
  }
  return OwnedSample(std::move(sample));
}

static void bindSamples(py::module_ &module) {
  py::class_<OwnedSample>(module, "Sample")
      .def(py::init(&makeSample), py::arg("model"), py::arg("name"),
           py::arg("inputs"), py::arg("expected"), py::arg("expected_class"))
      .def_readonly("name", &OwnedSample::name)
      .def_readonly("expected_class", &OwnedSample::expectedClass)
      .def_property_readonly("expected", [](const OwnedSample &sample) {
        py::list arrays;
        for (const auto &output : sample.expected) {
          if (!output) {
            arrays.append(py::none());
            continue;
          }
          auto count = uint32_t(output->bytes.size() / output->format->size);
          arrays.append(arrayOf(py::dtype(std::string(output->format->descr)),
                                {{count}}, 1, output->bytes));
        }
        return arrays;
      });
  py::class_<Runner>(module, "Runner")
      .def(py::init<std::shared_ptr<Model>>(), py::arg("model"))
      .def(
          "run",
          [](Runner &runner, const OwnedSample &sample) {
            return runner.run(sample);
          },
          py::arg("sample"))
      .def("outputs", &Runner::outputs);
  py::class_<tools::DataSet>(module, "DataSet")
      .def(py::init([](const std::string &text) {
             std::vector<tools::DataEntry> entries =
                 unwrap(tools::readDataEntries("data", text, ""));
             if (entries.size() != 1)
               check(badData("the data set has {} preprocessings, expected 1",
                             entries.size()));
             return unwrap(tools::openDataSet(entries[0], {}));
           }),
           py::arg("description"))
      .def("__len__",
           [](const tools::DataSet &set) { return size_t(set.size()); })
      .def(
          "load",
          [](const tools::DataSet &set, uint64_t index, const Model &model) {
            auto sample = [&] {
              py::gil_scoped_release unlocked;
              return set.load(index, model.interface());
            }();
            return OwnedSample(unwrap(std::move(sample)));
          },
          py::arg("index"), py::arg("model"));
}

static void bindEvaluators(py::module_ &module) {
  py::class_<tools::Evaluator>(module, "Evaluator")
      .def(py::init([](const std::optional<std::string> &text) {
             if (!text)
               return tools::makeErrorEvaluator();
             return unwrap(tools::makeEvaluator(
                 unwrap(tools::readEvaluatorRequest(*text, ""))));
           }),
           py::arg("description"))
      .def(
          "judge",
          [](const tools::Evaluator &evaluator, const OwnedSample &sample,
             const Runner &runner) {
            return unwrap(evaluator.judge(sample, runner.tensors()));
          },
          py::arg("sample"), py::arg("runner"))
      .def(
          "add",
          [](tools::Evaluator &evaluator, const std::string &name,
             const std::vector<double> &judgement) {
            check(evaluator.add(name, judgement));
          },
          py::arg("name"), py::arg("judgement"));
}

/// The run and its report as \p facts of nnhal.evaluation state them.
static tools::Report
makeReport(const py::dict &facts,
           const std::vector<const tools::Evaluator *> &evaluators) {
  tools::Report report;
  report.time = facts["time"].cast<std::string>();
  report.machine = facts["machine"].cast<std::string>();
  report.build = NNHAL_VERSION;
  tools::RunResult &run = report.runs.emplace_back();
  run.name = {facts["model"].cast<std::string>(),
              facts["data"].cast<std::string>(),
              facts["device"].cast<std::string>(), "sync",
              facts["threads"].cast<uint64_t>()};
  run.latencies = facts["latencies"].cast<std::vector<double>>();
  for (double &latency : run.latencies)
    latency *= 1e6;
  run.testSetSize = facts["samples"].cast<uint64_t>();
  run.cold = {facts["load"].cast<double>() * 1e6,
              facts["compile"].cast<double>() * 1e6,
              run.latencies.empty() ? 0.0 : run.latencies[0]};
  run.peakMemory = facts["peak_memory"].cast<uint64_t>();
  run.arena = facts["arena"].cast<uint64_t>();
  run.artifact = facts["artifact"].cast<uint64_t>();
  for (const tools::Evaluator *evaluator : evaluators)
    evaluator->finish(run);
  for (const auto &[key, value] :
       facts["values"].cast<std::vector<std::pair<std::string, double>>>())
    run.evaluators.push_back({key, value});
  return report;
}

void python::bindEvaluation(py::module_ &module) {
  bindSamples(module);
  bindEvaluators(module);
  py::class_<tools::Report>(module, "Report")
      .def(py::init(&makeReport), py::arg("facts"), py::arg("evaluators"))
      .def_property_readonly(
          "json",
          [](const tools::Report &report) { return tools::jsonOf(report); })
      .def_property_readonly(
          "page",
          [](const tools::Report &report) { return tools::pageOf(report); })
      .def_property_readonly(
          "values",
          [](const tools::Report &report) {
            std::vector<std::pair<std::string, double>> values;
            for (const auto &one : report.runs[0].evaluators)
              values.emplace_back(one.key, one.value);
            return values;
          })
      .def_property_readonly("errors",
                             [](const tools::Report &report) {
                               return report.runs[0].validationErrors;
                             })
      .def_property_readonly("differences", [](const tools::Report &report) {
        return py::make_tuple(report.runs[0].sumOfMeanSquareErrors,
                              report.runs[0].maxSingleError);
      });
  module.def("host_identity", &rt::hostCpuIdentity);
}
