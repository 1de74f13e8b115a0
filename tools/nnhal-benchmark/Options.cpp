//===- Options.cpp - The command line of nnhal-benchmark ------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/SplitAt.h"
#include "Tools/Options/Setters.h"

#include <algorithm>
#include <filesystem>

using namespace nnhal;
using namespace nnhal::benchmark;
using rt::badData;
using rt::Status;
using tools::addText;
using tools::PhotosRequest;
using tools::setCount;
using tools::setText;
using tools::setTrue;
using tools::Takes;
namespace fs = std::filesystem;

static Status setDevices(Options &options, std::string_view value) {
  for (std::string_view name : rt::splitAt(value, ',')) {
    if (name.empty())
      return badData("'{}' has an empty name of a device", value);
    options.devices.emplace_back(name);
  }
  return Status::ok();
}

static Status setWays(Options &options, std::string_view value) {
  for (std::string_view word : rt::splitAt(value, ',')) {
    NNHAL_ASSIGN_OR_RETURN(tools::BenchmarkWay way,
                           tools::parseBenchmarkWay(word));
    options.ways.push_back(way);
  }
  return Status::ok();
}

static Status setThreads(Options &options, std::string_view value) {
  for (std::string_view word : rt::splitAt(value, ',')) {
    NNHAL_ASSIGN_OR_RETURN(uint64_t threads,
                           tools::parseCount(word, 1, tools::maxThreads));
    options.threads.push_back(threads);
  }
  return Status::ok();
}

static Status setPreprocessing(Options &options, std::string_view value) {
  static constexpr tools::Choice<tools::Quantizing> choices[] = {
      {"correct", tools::Quantizing::correct},
      {"as-published", tools::Quantizing::asPublished}};
  options.preprocessing.clear();
  for (std::string_view word : rt::splitAt(value, ',')) {
    NNHAL_ASSIGN_OR_RETURN(
        tools::Quantizing quantizing,
        tools::parseChoice<tools::Quantizing>(word, choices));
    options.preprocessing.push_back(quantizing);
  }
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// In the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "description",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "measure what FILE describes (JSON); other options replace\n"
                "what it says",
        .apply = setText<&Options::description>,
    },
    {
        .name = "device",
        .takes = Takes::value,
        .valueName = "LIST",
        .help = "measure on these devices, commas between them (default:\n"
                "nnhal-cpu); A+B divides models among A and B, auto among all",
        .apply = setDevices,
    },
    {
        .name = "baseline",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "measure on the device NAME, too, and compare the others with\n"
                "it (default: the last device)",
        .apply = setText<&Options::baseline>,
    },
    {
        .name = "way",
        .takes = Takes::value,
        .valueName = "LIST",
        .help = "execute in these ways: sync (default), async, fenced, burst,\n"
                "service, service-async, service-fenced, service-burst",
        .apply = setWays,
    },
    {
        .name = "threads",
        .takes = Takes::value,
        .valueName = "LIST",
        .help = "execute on so many threads (default: 1)",
        .apply = setThreads,
    },
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the devices of a plug-in library, too, beside those of\n"
                "$NNHAL_PLUGINS; repeatable",
        .apply = addText<&Options::plugins>,
    },
    {
        .name = "photos",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "execute on the photos in DIR, NAME-N.jpeg",
        .apply = setText<&Options::photos, &PhotosRequest::directory>,
    },
    {
        .name = "ground-truth",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the class of photo N from line N + 1 of FILE (default:\n"
                "DIR/ground_truth_labels.txt where it is there)",
        .apply = setText<&Options::photos, &PhotosRequest::groundTruth>,
    },
    {
        .name = "labels",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the names of the classes from FILE, one in each line\n"
                "(default: DIR/labels.txt where it is there)",
        .apply = setText<&Options::photos, &PhotosRequest::labels>,
    },
    {
        .name = "preprocessing",
        .takes = Takes::value,
        .valueName = "LIST",
        .help =
            "quantize photos in these ways: correct, as-published, in which\n"
            "white becomes black (default: both)",
        .apply = setPreprocessing,
    },
    {
        .name = "limit",
        .takes = Takes::value,
        .valueName = "N",
        .help = "use the first N photos (default: all)",
        .apply =
            setCount<1, UINT32_MAX, &Options::photos, &PhotosRequest::limit>,
    },
    {
        .name = "warmup",
        .takes = Takes::value,
        .valueName = "N",
        .help = "execute N times before the measurement (default: 2)",
        .apply = setCount<0, tools::maxIterations, &Options::warmup>,
    },
    {
        .name = "iterations",
        .takes = Takes::value,
        .valueName = "N",
        .help = "measure N executions at least (default: 20)",
        .apply = setCount<1, tools::maxIterations, &Options::iterations>,
    },
    {
        .name = "seconds",
        .takes = Takes::value,
        .valueName = "S",
        .help = "measure for S seconds at least (default: 1)",
        .apply =
            [](Options &options, std::string_view value) {
              NNHAL_ASSIGN_OR_RETURN(
                  options.seconds,
                  tools::parseReal(value, 0, tools::maxSeconds));
              return Status::ok();
            },
    },
    {
        .name = "time-limit",
        .takes = Takes::value,
        .valueName = "S",
        .help = "end a run that takes longer than S seconds (default: 600)",
        .apply =
            [](Options &options, std::string_view value) {
              NNHAL_ASSIGN_OR_RETURN(
                  options.timeLimitSeconds,
                  tools::parseReal(value, 0.001, tools::maxSeconds));
              return Status::ok();
            },
    },
    {
        .name = "roofs",
        .help = "measure what one core can do at most, for the roofline plot",
        .apply = setTrue<&Options::roofs>,
    },
    {
        .name = "json",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write all results to FILE, for --compare and --against",
        .apply = setText<&Options::json>,
    },
    {
        .name = "csv",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write a line per run to FILE",
        .apply = setText<&Options::csv>,
    },
    {
        .name = "html",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write a page to look at to FILE; it needs no other file",
        .apply = setText<&Options::html>,
    },
    {
        .name = "against",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "show results of --json beside those of this run on the page,\n"
                "repeatable",
        .apply = addText<&Options::against>,
    },
    {
        .name = "compare",
        .help = "compare two files of --json: exit 1 when something is slower\n"
                "or less accurate in the second",
        .apply = setTrue<&Options::compare>,
    },
    {
        .name = "threshold",
        .takes = Takes::value,
        .valueName = "P",
        .help = "with --compare: ignore changes of less than P percent\n"
                "(default: 5)",
        .apply =
            [](Options &options, std::string_view value) {
              NNHAL_ASSIGN_OR_RETURN(double percent,
                                     tools::parseReal(value, 0, 1000));
              options.threshold = percent / 100;
              return Status::ok();
            },
    },
    {
        .name = "help",
        .help = "print this text",
        .apply = setTrue<&Options::help>,
    },
    {
        .name = "version",
        .help = "print the version",
        .apply = setTrue<&Options::version>,
    },
};

std::span<const Option> benchmark::allOptions() { return options; }

static Status checkOptions(const Options &parsed) {
  if (parsed.compare)
    return parsed.paths.size() == 2
               ? Status::ok()
               : badData("option '--compare' needs two files of results, and "
                         "there are {}",
                         parsed.paths.size());
  if (parsed.description.empty() && parsed.paths.empty())
    return badData("no models: a file, a folder or --description=FILE is "
                   "missing; try --help");
  if (!parsed.description.empty() && !parsed.paths.empty())
    return badData("option '--description' does not go with '{}'",
                   parsed.paths.front());
  return Status::ok();
}

rt::Result<Options>
benchmark::parseOptions(std::span<const std::string_view> arguments) {
  Options parsed;
  for (std::string_view argument : arguments) {
    if (!argument.starts_with("--"))
      parsed.paths.emplace_back(argument);
    else
      NNHAL_RETURN_IF_ERROR(
          tools::applyOption(allOptions(), parsed, argument).status());
  }
  if (!parsed.help && !parsed.version)
    NNHAL_RETURN_IF_ERROR(checkOptions(parsed));
  return parsed;
}

/// The photos of the command line, in the place of the data of a file.
static void addPhotos(const Options &options, tools::Description &description) {
  if (options.photos.directory.empty())
    return;
  tools::DataEntry entry;
  entry.kind = tools::DataKind::photos;
  entry.photos = options.photos;
  auto useIfThere = [&](std::string &path, const char *name) {
    if (fs::path file = fs::path(entry.photos.directory) / name;
        path.empty() && fs::exists(file))
      path = file.string();
  };
  useIfThere(entry.photos.groundTruth, "ground_truth_labels.txt");
  useIfThere(entry.photos.labels, "labels.txt");
  if (!entry.photos.groundTruth.empty())
    entry.evaluators.push_back({});
  description.data.clear();
  for (tools::ModelEntry &model : description.models)
    model.data.clear();
  for (tools::Quantizing quantizing : options.preprocessing) {
    entry.name = fmt::format("photos {}", tools::nameOf(quantizing));
    entry.photos.preprocessing.quantizing = quantizing;
    description.data.push_back(entry);
  }
}

rt::Result<tools::Description> benchmark::describe(const Options &options) {
  tools::Description description;
  if (!options.description.empty()) {
    NNHAL_ASSIGN_OR_RETURN(description,
                           tools::readDescription(options.description));
  } else {
    NNHAL_ASSIGN_OR_RETURN(description.models,
                           tools::findModels(options.paths));
  }
  addPhotos(options, description);
  if (!options.devices.empty())
    description.devices = options.devices;
  if (!options.baseline.empty())
    description.baseline = options.baseline;
  if (!options.ways.empty())
    description.ways = options.ways;
  if (!options.threads.empty())
    description.threads = options.threads;
  description.plugins.insert(description.plugins.end(), options.plugins.begin(),
                             options.plugins.end());
  tools::Effort &effort = description.effort;
  effort.warmup = options.warmup.value_or(effort.warmup);
  effort.iterations = options.iterations.value_or(effort.iterations);
  effort.seconds = options.seconds.value_or(effort.seconds);
  effort.timeLimitSeconds =
      options.timeLimitSeconds.value_or(effort.timeLimitSeconds);
  description.roofs |= options.roofs;
  if (description.baseline.empty())
    description.baseline = description.devices.back();
  else if (std::ranges::find(description.devices, description.baseline) ==
           description.devices.end())
    description.devices.push_back(description.baseline);
  NNHAL_RETURN_IF_ERROR(tools::expandTestCases(description.models));
  return description;
}

std::string benchmark::helpText() {
  return "usage: nnhal-benchmark MODEL-or-DIR... [options]\n"
         "       nnhal-benchmark --description=FILE [options]\n"
         "       nnhal-benchmark --compare BEFORE.json AFTER.json\n"
         "\n"
         "Measures how fast and how right models are: on devices, in ways to "
         "execute, on\nthreads, each in a process of its own.\n"
         "\n"
         "MODEL: .tflite, .json (NN HAL model or test cases). DIR: its .tflite "
         "files\n"
         "\n"
         "options:\n" +
         tools::optionHelp(tools::textsOf(allOptions()), 24) +
         "\n"
         "examples:\n"
         "  nnhal-benchmark model.tflite --baseline=nnhal-reference\n"
         "  nnhal-benchmark models --photos=photos --html=page.html\n"
         "  nnhal-benchmark --description=suite.json --json=after.json\n"
         "  nnhal-benchmark --compare before.json after.json\n"
         "\n"
         "exit status: 0 success, also where runs failed, 1 the work failed or "
         "--compare\nfound something worse, 2 wrong usage\n";
}
