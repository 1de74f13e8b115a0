//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include "FlagValues.h"

using namespace nnhal;
using namespace nnhal::run;
using rt::badData;
using rt::Status;

namespace {
/// Whether an option takes "=VALUE".
enum class Takes { nothing, value, optionalValue };

struct Option {
  std::string_view name;
  Takes takes;
  std::string_view valueName;
  std::string_view help;
  Status (*apply)(Flags &flags, std::string_view value);
};
} // namespace

static Status setStages(Flags &flags, uint64_t after) {
  if (flags.compileAfter && *flags.compileAfter != after)
    return badData("a model has one time to be compiled: give --deferred or "
                   "--stages, once");
  flags.compileAfter = after;
  flags.wantsExecution = true;
  return Status::ok();
}

// In the order of the help; lines that continue an explanation are indented by
// it.
static constexpr Option options[] = {
    {"input", Takes::value, "SPEC",
     "N=FILE (index or name; .npy, or raw little-endian), repeatable;\n"
     "or random:SEED or zeros (default) for all inputs without a file",
     setInput},
    {"shape", Takes::value, "N=AxBxC",
     "dimensions of input N (index or name), repeatable", setShape},
    {"frames", Takes::nothing, "",
     "input files hold several frames: run once per frame, feed each\n"
     "state output to its state input, concatenate the outputs",
     [](Flags &flags, std::string_view) {
       flags.frames = flags.wantsExecution = true;
       return Status::ok();
     }},
    {"output-dir", Takes::value, "DIR", "write output N to DIR/output_<N>.npy",
     [](Flags &flags, std::string_view value) {
       flags.outputDir = value;
       flags.wantsExecution = true;
       return Status::ok();
     }},
    {"print-outputs", Takes::optionalValue, "N",
     "print the first N (10) values of each output",
     [](Flags &flags, std::string_view value) {
       flags.wantsExecution = true;
       uint64_t count = 10;
       if (!value.empty())
         NNHAL_RETURN_IF_ERROR(parseInto(value, 0, maxCount, count));
       flags.printOutputs = count;
       return Status::ok();
     }},
    {"expect", Takes::value, "N=FILE",
     "compare output N (index or name) with FILE; exit 1 on a mismatch",
     setExpect},
    {"tolerance", Takes::value, "SPEC",
     "range (float tolerances times the largest expected magnitude),\n"
     "exact, steps:K or abs:X; default: by the output's type",
     setTolerance},
    {"emit", Takes::value, "FILE",
     "write the compiled model; alone, nothing is executed. With --check:\n"
     "write those of the cases into the folder FILE, execute nothing",
     [](Flags &flags, std::string_view value) {
       flags.emit = value;
       return Status::ok();
     }},
    {"explain", Takes::nothing, "",
     "print for each operation which device has it, why, and what it became",
     [](Flags &flags, std::string_view) {
       flags.explain = true;
       return Status::ok();
     }},
    {"dump-graph", Takes::value, "FILE",
     "draw the model, with its devices, for Graphviz; alone, nothing is\n"
     "compiled or executed",
     [](Flags &flags, std::string_view value) {
       flags.dumpGraph = value;
       return Status::ok();
     }},
    {"trace", Takes::value, "FILE",
     "write what took how long, for ui.perfetto.dev",
     [](Flags &flags, std::string_view value) {
       flags.trace = value;
       flags.wantsExecution = true;
       return Status::ok();
     }},
    {"target-cpu", Takes::value, "NAME", "CPU to compile for (default: host)",
     [](Flags &flags, std::string_view value) {
       flags.compile.targetCpu = value;
       flags.hasCompileFlags = true;
       return Status::ok();
     }},
    {"target-triple", Takes::value, "TRIPLE",
     "machine to compile for (default: host)",
     [](Flags &flags, std::string_view value) {
       flags.compile.targetTriple = value;
       flags.hasCompileFlags = true;
       return Status::ok();
     }},
    {"rounding", Takes::value, "MODE",
     "of quantized values: double (default), single or float", setRounding},
    {"compile-threads", Takes::value, "N",
     "threads that compile (default: one per core, at most 8)",
     setCompileThreads},
    {"specialize", Takes::nothing, "",
     "compile code for the shapes of --shape beside that for any shapes",
     [](Flags &flags, std::string_view) {
       flags.specialize = flags.hasCompileFlags = true;
       return Status::ok();
     }},
    {"deferred", Takes::nothing, "",
     "execute on nnhal-reference while the model is compiled; what is\n"
     "compiled is also left in --cache-dir",
     [](Flags &flags, std::string_view) { return setStages(flags, 0); }},
    {"stages", Takes::value, "N",
     "the same, but compile only after N executions",
     [](Flags &flags, std::string_view value) {
       uint64_t after = 0;
       NNHAL_RETURN_IF_ERROR(parseInto(value, 1, maxCount, after));
       return setStages(flags, after);
     }},
    {"device", Takes::value, "NAME", "nnhal-cpu (default) or nnhal-reference",
     [](Flags &flags, std::string_view value) {
       flags.device = value;
       return Status::ok();
     }},
    {"list-devices", Takes::nothing, "",
     "print what devices there are, and how fast",
     [](Flags &flags, std::string_view) {
       flags.listDevices = true;
       return Status::ok();
     }},
    {"calibrate", Takes::nothing, "",
     "measure the device beside nnhal-reference and keep what was found in\n"
     "$NNHAL_STATE_DIR (~/.local/state/nnhal); takes no MODEL",
     [](Flags &flags, std::string_view) {
       flags.calibrate = true;
       return Status::ok();
     }},
    {"loop-timeout", Takes::value, "MS", "milliseconds for one WHILE (2000)",
     [](Flags &flags, std::string_view value) {
       uint64_t milliseconds = 0;
       NNHAL_RETURN_IF_ERROR(parseInto(value, 0, maxCount, milliseconds));
       flags.loopTimeout = milliseconds * 1'000'000;
       return Status::ok();
     }},
    {"repeat", Takes::value, "N", "measured executions (1)",
     [](Flags &flags, std::string_view value) {
       flags.wantsExecution = true;
       return parseInto(value, 1, maxCount, flags.repeat);
     }},
    {"warmup", Takes::value, "N", "executions before them (0)",
     [](Flags &flags, std::string_view value) {
       flags.wantsExecution = true;
       return parseInto(value, 0, maxCount, flags.warmup);
     }},
    {"time", Takes::optionalValue, "json",
     "print times and peak memory, for people or as one JSON object", setTime},
    {"threads", Takes::value, "N",
     "threads of an execution (1); 0: one per core", setThreads},
    {"mode", Takes::value, "MODE",
     "how to execute: sync (default), async, fenced, several of them\n"
     "separated by commas, or all",
     setMode},
    {"cache-dir", Takes::value, "DIR",
     "keep what is compiled in DIR, and load it from there",
     [](Flags &flags, std::string_view value) {
       flags.cacheDir = value;
       return Status::ok();
     }},
    {"no-cache", Takes::nothing, "",
     "compile without a cache (the default), whatever --cache-dir says",
     [](Flags &flags, std::string_view) {
       flags.noCache = true;
       return Status::ok();
     }},
    {"state-dir", Takes::value, "DIR",
     "where devices remember what they have cached, for this user alone\n"
     "($NNHAL_STATE_DIR, else ~/.local/state/nnhal)",
     [](Flags &flags, std::string_view value) {
       flags.stateDir = value;
       return Status::ok();
     }},
    {"check", Takes::nothing, "",
     "run the test cases of the files and folders given in place of MODEL;\n"
     "exit 1 when one fails. The options up to --help go with it:",
     [](Flags &flags, std::string_view) {
       flags.check = true;
       return Status::ok();
     }},
    {"dynamic-input-shape", Takes::nothing, "",
     "inputs have unknown dimensions in the model",
     [](Flags &flags, std::string_view) {
       flags.checkOption = "dynamic-input-shape";
       flags.checkForm.dynamicInputShape = true;
       return Status::ok();
     }},
    {"dynamic-output-shape", Takes::nothing, "",
     "outputs have unknown dimensions in the model",
     [](Flags &flags, std::string_view) {
       flags.checkOption = "dynamic-output-shape";
       flags.checkForm.dynamicOutputShape = true;
       return Status::ok();
     }},
    {"quantization-coupling", Takes::nothing, "",
     "TENSOR_QUANT8_ASYMM becomes TENSOR_QUANT8_ASYMM_SIGNED",
     [](Flags &flags, std::string_view) {
       flags.checkOption = "quantization-coupling";
       flags.checkForm.quantizationCoupling = true;
       return Status::ok();
     }},
    {"sample", Takes::value, "N", "run N of the cases, always the same ones",
     [](Flags &flags, std::string_view value) {
       flags.checkOption = "sample";
       return parseInto(value, 1, maxCount, flags.checkSample.emplace());
     }},
    {"jobs", Takes::value, "N", "cases that run at once (1)",
     [](Flags &flags, std::string_view value) {
       flags.checkOption = "jobs";
       return parseInto(value, 1, 1024, flags.checkJobs);
     }},
    {"filter", Takes::value, "REGEX",
     "run the cases in whose spec/name it is found",
     [](Flags &flags, std::string_view value) {
       flags.checkOption = "filter";
       flags.checkFilter = value;
       return Status::ok();
     }},
    {"artifacts", Takes::value, "DIR",
     "execute what --check --emit=DIR has compiled, here or elsewhere",
     [](Flags &flags, std::string_view value) {
       flags.checkOption = "artifacts";
       flags.artifacts = value;
       return Status::ok();
     }},
    {"report", Takes::value, "FILE", "write what became of each case as JSON",
     [](Flags &flags, std::string_view value) {
       flags.checkOption = "report";
       flags.checkReport = value;
       return Status::ok();
     }},
    {"help", Takes::nothing, "", "print this text",
     [](Flags &flags, std::string_view) {
       flags.help = true;
       return Status::ok();
     }},
    {"version", Takes::nothing, "", "print the version",
     [](Flags &flags, std::string_view) {
       flags.version = true;
       return Status::ok();
     }},
};

static Status applyOption(Flags &flags, std::string_view argument) {
  std::string_view text = argument.substr(2);
  size_t equals = text.find('=');
  bool hasValue = equals != std::string_view::npos;
  std::string_view name = text.substr(0, equals);
  std::string_view value = hasValue ? text.substr(equals + 1) : "";
  for (const Option &option : options) {
    if (option.name != name)
      continue;
    if (option.takes == Takes::nothing && hasValue)
      return badData("option '--{}' takes no value", name);
    if (option.takes == Takes::value && value.empty())
      return badData("option '--{}' needs a value: --{}={}", name, name,
                     option.valueName);
    return option.apply(flags, value)
        .withContext(fmt::format("option '--{}'", name));
  }
  return badData("unknown option '--{}'; try --help", name);
}

/// What can only be said about all arguments together.
static Status checkTogether(const Flags &flags) {
  if (flags.help || flags.version || flags.listDevices)
    return Status::ok();
  if (flags.calibrate) {
    if (!flags.model.empty() || flags.check)
      return badData("option '--calibrate' takes no model");
    return Status::ok();
  }
  if (flags.check) {
    if (flags.checkPaths.empty())
      return badData("option '--check' needs a file or a folder");
    if (!flags.trace.empty() || !flags.dumpGraph.empty())
      return badData("option '--{}' does not go with --check",
                     flags.trace.empty() ? "dump-graph" : "trace");
    if (!flags.cacheDir.empty())
      return badData("option '--cache-dir' does not go with --check");
    if (!flags.artifacts.empty() &&
        (flags.hasCompileFlags || !flags.emit.empty()))
      return badData("the cases of --artifacts are compiled: --emit, "
                     "--target-cpu, --target-triple, --rounding and "
                     "--specialize have no effect");
    return Status::ok();
  }
  if (!flags.checkOption.empty())
    return badData("option '--{}' needs --check", flags.checkOption);
  if (flags.checkPaths.size() > 1)
    return badData("two models: '{}' and '{}'", flags.checkPaths[0],
                   flags.checkPaths[1]);
  if (flags.model.empty())
    return badData("no model; try --help");
  if (flags.tolerance.kind != Tolerance::Kind::byType && flags.expects.empty())
    return badData("option '--tolerance' needs an --expect");
  return Status::ok();
}

rt::Result<Flags> run::parseFlags(std::span<const std::string_view> arguments) {
  Flags flags;
  for (std::string_view argument : arguments) {
    if (argument.starts_with("--")) {
      NNHAL_RETURN_IF_ERROR(applyOption(flags, argument));
    } else if (argument.starts_with('-')) {
      return badData("unknown option '{}'; try --help", argument);
    } else {
      // What they are only --check decides, which may come last.
      flags.checkPaths.emplace_back(argument);
      flags.model = flags.checkPaths.front();
    }
  }
  NNHAL_RETURN_IF_ERROR(checkTogether(flags));
  return flags;
}

std::string run::helpText() {
  std::string text =
      "usage: nnhal-run MODEL [options]\n"
      "       nnhal-run --check FILE-or-DIR... [options]\n"
      "       nnhal-run --calibrate [--device=NAME]\n"
      "\n"
      "Compiles a neural-network model and executes it.\n"
      "\n"
      "MODEL: .tflite, .json (NN HAL model), .mlir (nnhal dialect), .nncache\n"
      "(compiled, from --emit)\n"
      "\n"
      "options:\n";
  constexpr size_t column = 27;
  for (const Option &option : options) {
    std::string left = fmt::format("  --{}", option.name);
    if (option.takes == Takes::value)
      left += fmt::format("={}", option.valueName);
    if (option.takes == Takes::optionalValue)
      left += fmt::format("[={}]", option.valueName);
    std::string right(option.help);
    for (size_t at = 0; (at = right.find('\n', at)) != std::string::npos;)
      right.insert(++at, column, ' ');
    text += fmt::format("{:<{}}{}\n", left, column, right);
  }
  text += "\n"
          "examples:\n"
          "  nnhal-run model.tflite --print-outputs\n"
          "  nnhal-run model.tflite --input=0=photo.npy --output-dir=out\n"
          "  nnhal-run model.tflite --input=0=in.bin --expect=0=golden.bin "
          "--tolerance=range\n"
          "  nnhal-run model.tflite --emit=model.nncache\n"
          "  nnhal-run model.nncache --input=random:1 --repeat=100 "
          "--time=json\n"
          "  nnhal-run --check cases --device=nnhal-reference --jobs=2\n"
          "  nnhal-run --check cases --emit=dir "
          "--target-triple=aarch64-linux-gnu\n"
          "  nnhal-run --check cases --artifacts=dir\n"
          "\n"
          "environment:\n"
          "  NNHAL_VLOG=TAGS  what to log to standard error: all, or some of\n"
          "  model, compilation, execution, cpuexe, manager, driver, memory\n"
          "\n"
          "exit status: 0 success, 1 the work failed, 2 wrong usage\n";
  return text;
}
