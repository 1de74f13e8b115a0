//===- OptionTable.cpp - The options of nnhal-run as data -----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "FlagValues.h"
#include "WorkSets.h"

#include "Tools/Options/Setters.h"

#include <algorithm>

using namespace nnhal;
using namespace nnhal::run;
using rt::Status;
using tools::addText;
using tools::CheckRequest;
using tools::DeviceSelection;
using tools::InputRequest;
using tools::LoadRequest;
using tools::RunRequest;
using tools::setCount;
using tools::setText;
using tools::setTrue;
using tools::Takes;

//===----------------------------------------------------------------------===//
// Storage of values
//===----------------------------------------------------------------------===//

template <auto Member>
static constexpr auto setForm =
    setTrue<&Flags::cases, &CheckRequest::form, Member>;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// The rows are in the order of the help, whose lines are those of the texts.
static constexpr Option options[] = {
    {
        .name = "input",
        .takes = Takes::value,
        .valueName = "SPEC",
        .help = "read input N (index or name) from FILE (.npy, or raw "
                "little-endian),\n"
                "repeatable; random:SEED or zeros (default) fills all inputs "
                "without a file.\n"
                "Of a picture (.jpg, .png) all is resized, normalized as the "
                "options below or the\n"
                "model's metadata say (otherwise to [-1,1]), and taken as it "
                "is by 8-bit inputs\n"
                "without options",
        .works = execute,
        .apply = setInput,
        .asksForExecution = true,
    },
    {
        .name = "image-crop",
        .takes = Takes::value,
        .valueName = "PART",
        .help = "take of pictures the square in the middle, with PART (0.001 "
                "to 1) of the shorter side",
        .works = execute,
        .apply = setImageCrop,
        .asksForExecution = true,
        .needs = "input",
    },
    {
        .name = "image-mean",
        .takes = Takes::value,
        .valueName = "M",
        .help = "subtract M from the values of pixels (0 to 255): a number, or "
                "R,G,B",
        .works = execute,
        .apply = setImageMean,
        .asksForExecution = true,
        .needs = "input",
    },
    {
        .name = "image-deviation",
        .takes = Takes::value,
        .valueName = "D",
        .help = "divide what is left by D: a number, or R,G,B",
        .works = execute,
        .apply = setImageDeviation,
        .asksForExecution = true,
        .needs = "input",
    },
    {
        .name = "shape",
        .takes = Takes::value,
        .valueName = "N=AxBxC",
        .help = "set the dimensions of input N (index or name), repeatable",
        .works = execute | emitSource | bit(Work::drawTFLite),
        .apply = setShape,
    },
    {
        .name = "signature",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "take the subgraph of the signature NAME of a .tflite file "
                "instead of the\n"
                "first one, and its names of inputs and outputs",
        .works = execute | emitSource | bit(Work::drawTFLite),
        .apply = setText<&Flags::load, &tools::LoadRequest::signature>,
    },
    {
        .name = "frames",
        .help = "read several frames from the input files: run once per frame, "
                "feed each\n"
                "state output to its state input, concatenate the outputs",
        .works = execute,
        .apply = setTrue<&Flags::inputs, &InputRequest::frames>,
        .asksForExecution = true,
    },
    {
        .name = "output-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "write output N to DIR/output_<N>.npy",
        .works = execute,
        .apply = setText<&Flags::outputDir>,
        .asksForExecution = true,
    },
    {
        .name = "print-outputs",
        .takes = Takes::optionalValue,
        .valueName = "N",
        .help = "print the first N values (default: 10) of each output",
        .works = execute,
        .apply = setPrintOutputs,
        .asksForExecution = true,
    },
    {
        .name = "top",
        .takes = Takes::optionalValue,
        .valueName = "N",
        .help = "print the N (default: 5) highest values of each output, with "
                "labels",
        .works = execute,
        .apply = setTop,
        .asksForExecution = true,
    },
    {
        .name = "labels",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the labels of outputs from the lines of FILE (default: "
                "those that are packed\n"
                "with the model)",
        .works = execute,
        .apply = setText<&Flags::labels>,
        .asksForExecution = true,
        .needs = "top",
    },
    {
        .name = "expect",
        .takes = Takes::value,
        .valueName = "N=FILE",
        .help =
            "compare output N (index or name) with FILE; exit 1 on a mismatch",
        .works = execute,
        .apply = setExpect,
        .asksForExecution = true,
    },
    {
        .name = "tolerance",
        .takes = Takes::value,
        .valueName = "SPEC",
        .help =
            "compare with range (float tolerances times the largest expected\n"
            "magnitude), exact, steps:K or abs:X (default: by the output's "
            "type)",
        .works = execute,
        .apply = setTolerance,
        .needs = "expect",
    },
    {
        .name = "emit",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write the compiled model to FILE; without a request for more "
                "nothing is\n"
                "executed. With --check: write those of the cases into the "
                "folder FILE",
        .works = compile | bit(Work::checkEmit),
        .apply = setText<&Flags::load, &LoadRequest::emit>,
        .isForCompilers = true,
    },
    {
        .name = "explain",
        .takes = Takes::optionalValue,
        .valueName = "json",
        .help = "print for each operation its device, the reason, and the code "
                "it became;\n"
                "with several devices also how many operations and steps each "
                "has",
        .works = executeSource | emitSource,
        .apply = setExplain,
    },
    {
        .name = "dump-graph",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "draw the model, with its devices, for Graphviz; without a "
                "request for\n"
                "more nothing is compiled or executed",
        .works = executeSource | emitSource | draw,
        .apply = setText<&Flags::dumpGraph>,
    },
    {
        .name = "record",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write the model, its settings and executions, with inputs, "
                "outputs and\n"
                "times, to FILE, for --replay and --check",
        .works = executeSource,
        .apply = setText<&Flags::record>,
        .asksForExecution = true,
        .excludes = "emit",
    },
    {
        .name = "record-executions",
        .takes = Takes::value,
        .valueName = "N",
        .help = "record the first N executions (default: 10), and those that "
                "fail",
        .works = executeSource,
        .apply = setCount<1, maxCount, &Flags::recordedExecutions>,
        .needs = "record",
    },
    {
        .name = "replay",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "repeat the executions of a recording (--record, or a case of\n"
                "$NNHAL_RECORD) in place of MODEL, with its settings where no "
                "option says\n"
                "otherwise; exit 1 where a byte or a status is another",
        .works = replay,
        .apply = setText<&Flags::replay>,
    },
    {
        .name = "verify",
        .takes = Takes::value,
        .valueName = "reference",
        .help = "compare each operation with nnhal-reference, which gets the "
                "inputs that\n"
                "the device had, and name the first that differs; exit 1 if "
                "one does",
        .works = executeSource,
        .apply = setVerify,
        .asksForExecution = true,
        .excludes = "emit",
    },
    {
        .name = "verify-case",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write that operation with its inputs to FILE, for --check "
                "(default:\n"
                "nnhal-verify.json)",
        .works = executeSource,
        .apply = setText<&Flags::verifyCase>,
        .needs = "verify",
    },
    {
        .name = "trace",
        .takes = Takes::value,
        .valueName = "FILE",
        .help =
            "write the durations of the parts of the work, for ui.perfetto.dev",
        .works = execute,
        .apply = setText<&Flags::trace>,
        .asksForExecution = true,
    },
    {
        .name = "target",
        .takes = Takes::value,
        .valueName = "NAMES",
        .help = "with --emit: compile for each target of the list NAMES (cpu, "
                "cuda,\n"
                "vulkan), whose devices need not be here (default: that of the "
                "device)",
        .works = emit | bit(Work::checkEmit),
        .apply = setText<&Flags::target>,
    },
    {
        .name = "target-cpu",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "compile for the CPU NAME (default: host)",
        .works = compile | checkCompile | replay,
        .apply =
            [](Flags &flags, std::string_view value) {
              flags.load.preparation.compile.targetCpu = value;
              return Status::ok();
            },
        .isForCompilers = true,
    },
    {
        .name = "target-triple",
        .takes = Takes::value,
        .valueName = "TRIPLE",
        .help = "compile for the machine TRIPLE (default: host)",
        .works = compile | checkCompile | replay,
        .apply =
            [](Flags &flags, std::string_view value) {
              flags.load.preparation.compile.targetTriple = value;
              return Status::ok();
            },
        .isForCompilers = true,
    },
    {
        .name = "rounding",
        .takes = Takes::value,
        .valueName = "MODE",
        .help =
            "round quantized values by MODE: double (default), single or float",
        .works = compile | checkCompile | replay,
        .apply = setRounding,
        .isForCompilers = true,
    },
    {
        .name = "compile-threads",
        .takes = Takes::value,
        .valueName = "N",
        .help = "compile with N threads (default: one per core, at most 8)",
        .works = compile | checkCompile | replay,
        .apply = setCompileThreads,
        .isForCompilers = true,
    },
    {
        .name = "crash-reproducer",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write the IR and the passes of a compilation that fails to "
                "FILE, for\n"
                "nnhal-opt --run-reproducer",
        .works = compile,
        .apply =
            [](Flags &flags, std::string_view value) {
              flags.load.preparation.compile.crashReproducer = value;
              return Status::ok();
            },
        .isForCompilers = true,
    },
    {
        .name = "specialize",
        .help = "compile code for the shapes of --shape beside the code for "
                "any shapes",
        .works = executeSource | emitSource,
        .apply = setTrue<&Flags::load, &LoadRequest::specialize>,
        .isForCompilers = true,
    },
    {
        .name = "deferred",
        .help = "execute on nnhal-reference while the model is compiled; the "
                "result is\n"
                "also left in --cache-dir",
        .works = executeSource,
        .apply = setDeferred,
        .asksForExecution = true,
        .isForCompilers = true,
        .excludes = "emit",
    },
    {
        .name = "stages",
        .takes = Takes::value,
        .valueName = "N",
        .help =
            "execute as with --deferred, but compile only after N executions",
        .works = executeSource,
        .apply = setStages,
        .asksForExecution = true,
        .isForCompilers = true,
        .excludes = "emit",
    },
    {
        .name = "device",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "use the device NAME: nnhal-cpu (default), nnhal-reference, "
                "nnhal-gpu or\n"
                "one of a plug-in; auto divides models among all but GPUs",
        .works =
            execute | emit | draw | anyCheck | bit(Work::calibrate) | replay,
        .apply = setText<&Flags::devices, &DeviceSelection::device>,
    },
    {
        .name = "devices",
        .takes = Takes::value,
        .valueName = "A,B,...",
        .help = "divide models among these devices; nnhal-reference, where it "
                "is listed,\n"
                "steps in for the others",
        .works = executeSource | draw | checkCompile | replay,
        .apply = setDevices,
        .excludes = "device",
    },
    {
        .name = "require-device",
        .help = "fail where nnhal-reference would step in for a device that "
                "fails",
        .works = executeSource | checkCompile | replay,
        .apply = setTrue<&Flags::devices, &DeviceSelection::isRequired>,
    },
    {
        .name = "no-extensions",
        .help = "refuse a model that uses extensions of vendors, and name what "
                "it uses",
        .works = executeSource | emitSource,
        .apply = setTrue<&Flags::noExtensions>,
    },
    {
        .name = "relaxed",
        .help = "let devices compute float32 with the range and precision of "
                "float16, as a model\n"
                "of NNAPI may say; GPUs are faster then",
        .works = executeSource | emitSource,
        .apply = setTrue<&Flags::load, &tools::LoadRequest::isRelaxed>,
    },
    {
        .name = "planner",
        .takes = Takes::value,
        .valueName = "NAME",
        .help = "divide models by least-cost (default), which counts what "
                "crosses from\n"
                "device to device, or greedy, as Android does",
        .works = executeSource | draw | checkCompile | replay,
        .apply = setPlanner,
    },
    {
        .name = "settings",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "compile as FILE says, which NNHAL_RECORD has written "
                "(PID-N.settings.json):\n"
                "its devices, preference, priority, time limit and caching, "
                "where no other\n"
                "option says otherwise",
        .works = executeSource | bit(Work::check),
        .apply = setText<&Flags::settings>,
    },
    {
        .name = "plugin",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "take the devices of a plug-in library, too, beside those of\n"
                "$NNHAL_PLUGINS (files, colons between them); repeatable",
        .works = execute | emit | draw | anyCheck | bit(Work::calibrate) |
                 bit(Work::listDevices) | replay,
        .apply = addText<&Flags::plugins>,
    },
    {
        .name = "service",
        .takes = Takes::value,
        .valueName = "PATH",
        .help = "use the devices of the nnhal-service at the socket PATH in "
                "place of those\n"
                "of this process",
        .works =
            execute | emit | draw | anyCheck | bit(Work::listDevices) | replay,
        .apply = setText<&Flags::service>,
    },
    {
        .name = "list-devices",
        .help = "print the names of the devices and how fast they are",
        .works = bit(Work::listDevices),
        .apply = setTrue<&Flags::listDevices>,
    },
    {
        .name = "calibrate",
        .help = "measure the device beside nnhal-reference and keep the "
                "results in\n"
                "$NNHAL_STATE_DIR (~/.local/state/nnhal); takes no MODEL",
        .works = bit(Work::calibrate),
        .apply = setTrue<&Flags::calibrate>,
    },
    {
        .name = "loop-timeout",
        .takes = Takes::value,
        .valueName = "MS",
        .help = "stop a WHILE after MS milliseconds (default: 2000)",
        .works = execute,
        .apply = setLoopTimeout,
    },
    {
        .name = "repeat",
        .takes = Takes::value,
        .valueName = "N",
        .help = "measure N executions (default: 1)",
        .works = execute,
        .apply = setCount<1, maxCount, &Flags::run, &RunRequest::repeat>,
        .asksForExecution = true,
    },
    {
        .name = "warmup",
        .takes = Takes::value,
        .valueName = "N",
        .help = "execute N times before the measurement (default: 0)",
        .works = execute,
        .apply = setCount<0, maxCount, &Flags::run, &RunRequest::warmup>,
        .asksForExecution = true,
    },
    {
        .name = "time",
        .takes = Takes::optionalValue,
        .valueName = "json",
        .help = "print times and peak memory, for people or as one JSON object",
        .works = execute,
        .apply = setTime,
        .asksForExecution = true,
    },
    {
        .name = "threads",
        .takes = Takes::value,
        .valueName = "N",
        .help = "execute on N threads (default: 1); 0 stands for one per core",
        .works = execute | checkExecute | bit(Work::calibrate) | replay,
        .apply = setThreads,
    },
    {
        .name = "mode",
        .takes = Takes::value,
        .valueName = "MODE",
        .help = "execute in MODE: sync (default), async, fenced, burst (over "
                "queues "
                "in\n"
                "shared memory), several of them separated by commas, or all",
        .works = execute,
        .apply = setMode,
        .asksForExecution = true,
    },
    {
        .name = "fence-after-ms",
        .takes = Takes::value,
        .valueName = "N",
        .help = "let fenced executions wait for a fence that signals N "
                "milliseconds\n"
                "after their start",
        .works = execute,
        .apply = setFenceAfter,
        .asksForExecution = true,
    },
    {
        .name = "pools",
        .takes = Takes::value,
        .valueName = "KIND",
        .help = "put every argument into a pool or a buffer of its own: memfd, "
                "file\n"
                "or buffers (of the device); without it they stay in the "
                "process's memory",
        .works = execute,
        .apply = setPools,
        .asksForExecution = true,
    },
    {
        .name = "preference",
        .takes = Takes::value,
        .valueName = "WHAT",
        .help =
            "tell the device to prepare for low-power, fast-single-answer\n"
            "(default) or sustained-speed; nnhal-cpu and nnhal-reference do\n"
            "the same for each, and a cache has an entry for each",
        .works = executeSource | bit(Work::check) | replay,
        .apply = setPreference,
    },
    {
        .name = "priority",
        .takes = Takes::value,
        .valueName = "LEVEL",
        .help = "prepare and execute with LEVEL: low, medium (default) or high",
        .works = execute | checkExecute | replay,
        .apply = setPriority,
    },
    {
        .name = "deadline-ms",
        .takes = Takes::value,
        .valueName = "N",
        .help = "fail when the preparation, or an execution, takes longer than "
                "N\n"
                "milliseconds",
        .works = execute | checkExecute | replay,
        .apply = setDeadline,
    },
    {
        .name = "cache-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "keep compiled models in DIR, and load them from there",
        .works = executeSource,
        .apply = setText<&Flags::load, &LoadRequest::cacheDirectory>,
        .excludes = "emit",
    },
    {
        .name = "no-cache",
        .help =
            "compile without a cache (the default), whatever --cache-dir says",
        .works = execute | emit | draw,
        .apply = setTrue<&Flags::noCache>,
    },
    {
        .name = "state-dir",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "let devices remember in DIR, for this user alone, what they "
                "have cached\n"
                "(default: $NNHAL_STATE_DIR, else ~/.local/state/nnhal)",
        .works = executeSource,
        .apply = setText<&Flags::load, &LoadRequest::stateDirectory>,
        .needs = "cache-dir",
    },
    {
        .name = "check",
        .help = "run the test cases of the files and folders given in place of "
                "MODEL;\n"
                "exit 1 when one fails. The options up to --help go with it:",
        .works = anyCheck,
        .apply = setTrue<&Flags::check>,
    },
    {
        .name = "dynamic-input-shape",
        .help = "give the inputs unknown dimensions in the model",
        .works = anyCheck,
        .apply = setForm<&rt::DerivedForm::dynamicInputShape>,
    },
    {
        .name = "dynamic-output-shape",
        .help = "give the outputs unknown dimensions in the model",
        .works = anyCheck,
        .apply = setForm<&rt::DerivedForm::dynamicOutputShape>,
    },
    {
        .name = "unknown-rank",
        .help = "give the inputs and outputs unknown rank in the model",
        .works = anyCheck,
        .apply = setForm<&rt::DerivedForm::unknownRank>,
    },
    {
        .name = "quantization-coupling",
        .help = "change TENSOR_QUANT8_ASYMM to TENSOR_QUANT8_ASYMM_SIGNED",
        .works = anyCheck,
        .apply = setForm<&rt::DerivedForm::quantizationCoupling>,
    },
    {
        .name = "sample",
        .takes = Takes::value,
        .valueName = "N",
        .help = "run N of the cases, always the same ones",
        .works = anyCheck,
        .apply = setCount<1, maxCount, &Flags::cases, &CheckRequest::sample>,
    },
    {
        .name = "jobs",
        .takes = Takes::value,
        .valueName = "N",
        .help = "run N cases at once (default: 1)",
        .works = anyCheck,
        .apply = setCount<1, 1024, &Flags::cases, &CheckRequest::jobs>,
    },
    {
        .name = "filter",
        .takes = Takes::value,
        .valueName = "REGEX",
        .help = "run the cases whose spec/name matches REGEX in some place",
        .works = anyCheck,
        .apply = setText<&Flags::cases, &CheckRequest::filter>,
    },
    {
        .name = "ways",
        .takes = Takes::value,
        .valueName = "LIST",
        .help = "run each case in each of these ways, commas between them, or "
                "in all:\n"
                "sync (default), async, fenced, burst, buffers (arguments in "
                "buffers\n"
                "of the device), cached (prepared from a cache) and "
                "insufficient\n"
                "(outputs that are one element too small at first)",
        .works = checkExecute,
        .apply = setWays,
    },
    {
        .name = "artifacts",
        .takes = Takes::value,
        .valueName = "DIR",
        .help = "execute the artifacts that --check --emit=DIR has written, "
                "here or\n"
                "elsewhere",
        .works = bit(Work::checkArtifacts),
        .apply = setText<&Flags::cases, &CheckRequest::artifacts>,
        .isForCompilers = true,
    },
    {
        .name = "report",
        .takes = Takes::value,
        .valueName = "FILE",
        .help = "write the outcome of each case to FILE as JSON",
        .works = anyCheck,
        .apply = setText<&Flags::cases, &CheckRequest::report>,
    },
    {
        .name = "help",
        .help = "print this text",
        .works = everything,
        .apply = setTrue<&Flags::help>,
    },
    {
        .name = "version",
        .help = "print the version",
        .works = everything,
        .apply = setTrue<&Flags::version>,
    },
};

std::span<const Option> run::allOptions() { return options; }

const Option *run::lookUpOption(std::string_view name) {
  return tools::findRow(allOptions(), name);
}
