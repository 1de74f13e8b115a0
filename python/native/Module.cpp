//===- Module.cpp - The module nnhal._native ------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Classes and functions that nnhal/__init__.py gives their names and that
// nnhal/_native.pyi states the types of.
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"
#include "Exceptions.h"
#include "Executions.h"
#include "Model.h"
#include "Pictures.h"
#include "TFLiteFile.h"

#include "Tools/Report/Diagnostics.h"

#include "Runtime/Support/Errors.h"
#include "nnhal/Runtime/Version.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstdlib>

using namespace nnhal;
using namespace nnhal::python;

/// Sets \p value to what \p keywords state for \p name, if anything. Throws
/// TypeError for another type.
template <typename Value>
static void get(const py::dict &keywords, const char *name, Value &value) {
  if (!keywords.contains(name))
    return;
  py::object given = keywords[name];
  try {
    value = given.cast<Value>();
  } catch (const py::cast_error &) {
    throw py::type_error(fmt::format("{}: {} is of type {}", name,
                                     py::repr(given).cast<std::string>(),
                                     Py_TYPE(given.ptr())->tp_name));
  }
}

/// The options that the keywords \p keywords of load() and compile() state.
static tools::EngineOptions optionsOf(const py::dict &keywords) {
  tools::EngineOptions options;
  get(keywords, "devices", options.devices);
  get(keywords, "required", options.isRequired);
  get(keywords, "threads", options.threads);
  get(keywords, "cache_dir", options.cacheDirectory);
  get(keywords, "state_dir", options.stateDirectory);
  get(keywords, "service", options.service);
  get(keywords, "plugins", options.plugins);
  get(keywords, "shapes", options.shapes);
  get(keywords, "signature", options.signature);
  get(keywords, "rounding", options.rounding);
  get(keywords, "preference", options.preference);
  get(keywords, "priority", options.priority);
  get(keywords, "compile_after", options.compileAfter);
  get(keywords, "target", options.target);
  get(keywords, "target_triple", options.targetTriple);
  get(keywords, "target_cpu", options.targetCpu);
  get(keywords, "target_features", options.targetFeatures);
  return options;
}

/// The file of a path, or the bytes of a buffer.
static tools::ModelFile openSource(const py::object &source) {
  if (py::isinstance<py::str>(source))
    return unwrap(tools::openModel(source.cast<std::string>()));
  py::buffer_info bytes = py::buffer(source).request();
  return unwrap(
      tools::openModelBytes({static_cast<const std::byte *>(bytes.ptr),
                             size_t(bytes.size) * size_t(bytes.itemsize)},
                            "the bytes of the model"));
}

/// Passes what a load warned of on as warnings of Python.
static void warn(const std::vector<std::string> &warnings) {
  for (const std::string &text : warnings)
    py::module_::import("nnhal.errors").attr("warn")(text);
}

static std::shared_ptr<Model> makeModel(const py::object &source,
                                        const py::dict &keywords) {
  tools::EngineOptions options = optionsOf(keywords);
  bool isTraced = false;
  get(keywords, "trace", isTraced);
  tools::ModelFile file = openSource(source);
  std::vector<std::string> warnings;
  auto loaded = [&] {
    py::gil_scoped_release unlocked;
    return Model::load(options, isTraced, std::move(file), warnings);
  }();
  warn(warnings);
  std::shared_ptr<Model> model = unwrap(std::move(loaded));
  model->findTypes();
  return model;
}

static void compileModel(const py::object &source, const std::string &artifact,
                         const py::dict &keywords) {
  tools::EngineOptions options = optionsOf(keywords);
  tools::ModelFile file = openSource(source);
  if (file.kind == tools::ModelKind::artifact)
    check(rt::badData("{} is compiled already", file.label()));
  std::vector<std::string> warnings;
  rt::Status status = [&]() -> rt::Status {
    py::gil_scoped_release unlocked;
    NNHAL_ASSIGN_OR_RETURN(
        std::shared_ptr<tools::Engine> engine,
        tools::Engine::create(
            options, tools::makeServices({std::getenv("NNHAL_VLOG"), false})));
    tools::LoadRequest request = engine->request();
    request.goal = tools::LoadGoal::artifact;
    request.emit = artifact;
    tools::LoadObserver observer;
    observer.warning = [&](std::string_view text) {
      warnings.emplace_back(text);
    };
    return engine->load(request, file, observer).status();
  }();
  warn(warnings);
  check(status);
}

static py::list callModel(Model &model, const py::args &args,
                          const py::kwargs &keywords) {
  std::unique_ptr<Call> call = model.bind(args, keywords);
  model.run(*call,
            [&](const rt::Request &request, rt::ExecutionResult &result) {
              return model.preparedModel()->execute(request, result);
            });
  return model.take(std::move(call));
}

/// The seconds of each of \p repeat executions without anything of Python.
static std::vector<double> timeModel(Model &model, const py::args &args,
                                     uint64_t repeat) {
  std::unique_ptr<Call> call = model.bind(args, py::kwargs());
  std::vector<double> times(repeat);
  model.run(*call,
            [&](const rt::Request &request,
                rt::ExecutionResult &result) -> rt::Status {
              for (double &time : times) {
                auto begin = std::chrono::steady_clock::now();
                NNHAL_RETURN_IF_ERROR(
                    model.preparedModel()->execute(request, result));
                time = std::chrono::duration<double>(
                           std::chrono::steady_clock::now() - begin)
                           .count();
              }
              return rt::Status::ok();
            });
  model.release(std::move(call));
  return times;
}

/// The facts of \p tensors for nnhal.Tensor.
static py::list describe(const Model &model,
                         const std::vector<rt::InterfaceTensor> &tensors,
                         bool areInputs) {
  py::list facts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const rt::InterfaceTensor &tensor = tensors[i];
    bool isState = false;
    for (const rt::StatePair &pair : model.interface().statePairs)
      isState |= i == (areInputs ? pair.inputIndex : pair.outputIndex);
    facts.append(py::make_tuple(
        tensor.name, i, Model::typeOf(tensor), model.shapeOf(tensor),
        tensor.extension ? "extension" : std::string(rt::nameOf(tensor.type)),
        tensor.scale, tensor.zeroPoint, tensor.channelQuant.scales, isState));
  }
  return facts;
}

static void bindModel(py::module_ &module) {
  py::class_<Model, std::shared_ptr<Model>>(module, "Model")
      .def(py::init(&makeModel), py::arg("source"), py::arg("options"))
      .def("__call__", &callModel)
      .def("_time",
           [](Model &model, uint64_t repeat, const py::args &args) {
             return timeModel(model, args, repeat);
           })
      .def("_launch",
           [](const std::shared_ptr<Model> &model, const py::args &args,
              const py::kwargs &keywords) {
             return Execution::launch(model, model->bind(args, keywords));
           })
      .def("_launch_fenced",
           [](const std::shared_ptr<Model> &model,
              std::vector<rt::FenceRef> waitFor,
              std::optional<double> secondsAfterFences, const py::args &args,
              const py::kwargs &keywords) {
             return Execution::launchFenced(model, model->bind(args, keywords),
                                            std::move(waitFor),
                                            secondsAfterFences);
           })
      .def("_explain",
           [](const Model &model, bool asJson) {
             auto text = [&] {
               py::gil_scoped_release unlocked;
               return model.explain(asJson);
             }();
             return unwrap(std::move(text));
           })
      .def("_prepare_picture", &preparePicture)
      .def_property_readonly("_labels",
                             [](const Model &model) {
                               return labelsOf(model,
                                               &tools::ModelMetadata::labels);
                             })
      .def_property_readonly("_value_labels",
                             [](const Model &model) {
                               return labelsOf(
                                   model, &tools::ModelMetadata::valueLabels);
                             })
      .def("_begin_trace",
           [](const Model &model) {
             rt::Tracer *tracer = model.engine().tracer();
             if (!tracer)
               check(rt::badData("the model was loaded without trace=True"));
             tracer->take(SIZE_MAX);
           })
      .def("_write_trace",
           [](const Model &model, const std::string &path) {
             rt::Tracer *tracer = model.engine().tracer();
             if (!tracer)
               check(rt::badData("the model was loaded without trace=True"));
             check(tools::writeTraceFile(*tracer, path));
           })
      .def_property_readonly("_inputs",
                             [](const Model &model) {
                               return describe(model, model.interface().inputs,
                                               true);
                             })
      .def_property_readonly("_outputs",
                             [](const Model &model) {
                               return describe(model, model.interface().outputs,
                                               false);
                             })
      .def_property_readonly(
          "_memory",
          [](const Model &model) {
            rt::MemoryUse use = model.preparedModel()->memoryUse();
            return py::make_tuple(use.arena, use.arenaLowerBound, use.artifact);
          })
      .def_property_readonly(
          "_statistics",
          [](const Model &model) {
            return py::make_tuple(
                model.counters.executions, model.counters.convertedBytes,
                model.counters.stagedBytes,
                double(model.loadMicroseconds()) / 1e6,
                double(model.compileMicroseconds()) / 1e6, model.wasCached());
          })
      .def_property_readonly("_device", [](const Model &model) {
        return std::string(model.engine().device().name());
      });
}

static void bindFence(py::module_ &module) {
  py::class_<rt::Fence, rt::FenceRef>(module, "Fence",
                                      R"(A point in time that is reached once.

Fence() makes one that signal() or fail() ends; Fence.adopt() takes over a
descriptor that something else signals. `await fence` waits in an event loop.

>>> fence = nnhal.Fence()
>>> fence.done
False
>>> fence.signal()
>>> fence.wait()
>>> fence.done
True)")
      .def(py::init([] { return unwrap(rt::Fence::create()); }))
      .def_static(
          "adopt",
          [](int fd) { return unwrap(rt::Fence::adopt(rt::UniqueFd(fd))); },
          py::arg("fd"),
          "A fence of the descriptor fd, which it owns from now on.")
      .def(
          "signal",
          [](rt::Fence &fence) {
            if (!fence.isOwn())
              check(rt::badData("an adopted fence is signaled elsewhere"));
            fence.complete(rt::Status::ok());
          },
          "Ends the fence; only the first end counts.")
      .def(
          "fail",
          [](rt::Fence &fence, const std::string &reason) {
            if (!fence.isOwn())
              check(rt::badData("an adopted fence is signaled elsewhere"));
            fence.complete(rt::Status(rt::StatusCode::generalFailure, reason));
          },
          py::arg("reason"), "Ends the fence with a failure.")
      .def(
          "wait",
          [](const rt::Fence &fence, std::optional<double> timeout) {
            rt::Deadline deadline = rt::noDeadline;
            if (timeout)
              deadline =
                  rt::steadyNow() + rt::Deadline(nanosecondsOf(*timeout));
            rt::Status status = [&] {
              py::gil_scoped_release unlocked;
              return fence.wait(deadline);
            }();
            check(status);
          },
          py::arg("timeout") = py::none(),
          "Waits, for timeout seconds at most, and raises what the fence "
          "failed with.")
      .def_property_readonly(
          "done",
          [](const rt::Fence &fence) { return fence.outcome().has_value(); },
          "Whether the fence has ended.")
      .def(
          "fileno", [](const rt::Fence &fence) { return fence.fd(); },
          "The descriptor, which the fence owns, to poll.")
      .def(
          "share",
          [](const rt::Fence &fence) {
            return unwrap(fence.share()).release();
          },
          "A duplicate of the descriptor, which the caller closes.")
      .def("__await__", [](const py::object &self) {
        return py::module_::import("nnhal._waiting")
            .attr("until")(self)
            .attr("__await__")();
      });
}

static void bindExecutions(py::module_ &module) {
  py::class_<Execution>(module, "Execution",
                        "An execution on a thread of the device. `await` it, "
                        "or call result().")
      .def_property_readonly("fence", &Execution::fence,
                             "Signals at the end; None where the execution "
                             "ended at once.")
      .def_property_readonly("done", &Execution::isDone,
                             "Whether the execution has ended.")
      .def("_relaunch", &Execution::relaunch)
      .def("_take", &Execution::take)
      .def("result", &Execution::result,
           "Waits for the end and returns the outputs, once.")
      .def("__await__", [](const py::object &self) {
        return py::module_::import("nnhal._waiting")
            .attr("outputs_of")(self)
            .attr("__await__")();
      });
  py::class_<Stream>(module, "Stream",
                     "Executions of a model that keeps its states: each "
                     "begins with those that the last one left.")
      .def(py::init<std::shared_ptr<Model>>(), py::arg("model"))
      .def("__call__", &Stream::execute,
           "Executes once, as the model does, and returns the outputs that are "
           "no states.")
      .def("reset", &Stream::reset, "Begins with the initial states again.")
      .def_property("states", &Stream::states, &Stream::setStates,
                    "The states by the names of their inputs, as copies.");
  py::class_<BurstSession>(module, "Burst",
                           "Executions over queues in shared memory, one after "
                           "the other, until the end of the `with`.")
      .def(py::init<std::shared_ptr<Model>>(), py::arg("model"))
      .def("__call__", &BurstSession::execute,
           "Executes once, as the model does.")
      .def_property_readonly("ordinary_executions",
                             &BurstSession::ordinaryExecutions,
                             "How many executions did not go over the queues.")
      .def("close", &BurstSession::close, "Ends the burst.")
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__",
           [](BurstSession &burst, const py::args &) { burst.close(); });
}

PYBIND11_MODULE(_native, module) {
  module.attr("__version__") = NNHAL_VERSION;
  bindFence(module);
  bindModel(module);
  bindPictures(module);
  bindEvaluation(module);
  bindExecutions(module);
  module.def("compile", &compileModel, py::arg("source"), py::arg("artifact"),
             py::arg("options"));
  module.def(
      "read_tflite",
      [](const py::bytes &bytes) {
        return readTFLiteFile(std::string_view(bytes));
      },
      py::arg("bytes"));
  module.def(
      "tflite_with_outputs",
      [](const py::bytes &bytes, uint32_t subgraph,
         const std::vector<int32_t> &outputs) {
        return withOutputs(std::string_view(bytes), subgraph, outputs);
      },
      py::arg("bytes"), py::arg("subgraph"), py::arg("outputs"));
}
