//===- FlagsTest.cpp - The command line -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal-run/OptionTable.h"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <map>

using namespace nnhal;
using namespace nnhal::run;
using namespace nnhal::tools;

namespace {

rt::Result<Flags> parse(std::vector<std::string_view> arguments) {
  return parseFlags(arguments);
}

std::string messageOf(std::vector<std::string_view> arguments) {
  auto flags = parse(std::move(arguments));
  return flags.isOk() ? "accepted" : flags.status().message();
}

TEST(FlagsTest, Defaults) {
  auto flags = parse({"model.tflite"});
  ASSERT_TRUE(flags.isOk());
  EXPECT_EQ(flags->model, "model.tflite");
  EXPECT_EQ(flags->devices.device, "nnhal-cpu");
  EXPECT_EQ(flags->run.repeat, 1u);
  EXPECT_EQ(flags->run.warmup, 0u);
  EXPECT_EQ(flags->run.loopTimeout, rt::defaultLoopTimeout);
  EXPECT_FALSE(flags->wantsExecution);
  EXPECT_TRUE(flags->given.empty());
}

TEST(FlagsTest, EveryOption) {
  auto flags = parse({"--input=0=a.npy",
                      "--input=x=b.bin",
                      "--input=random:7",
                      "--output-dir=out",
                      "--print-outputs=5",
                      "--expect=1=c.npy",
                      "--tolerance=steps:3",
                      "--shape=image=1x224x224x3",
                      "--loop-timeout=5",
                      "--target-cpu=skylake",
                      "--target-triple=x86_64-linux-gnu",
                      "--rounding=single",
                      "--device=nnhal-cpu",
                      "--frames",
                      "--explain",
                      "--threads=4",
                      "--repeat=10",
                      "--warmup=2",
                      "--mode=sync",
                      "--time=json",
                      "--cache-dir=cache",
                      "--state-dir=state",
                      "m.tflite"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->inputs.files,
            (std::vector<NamedFile>{{"0", "a.npy"}, {"x", "b.bin"}}));
  EXPECT_EQ(flags->inputs.randomSeed, 7u);
  EXPECT_EQ(flags->outputDir, "out");
  EXPECT_EQ(flags->printOutputs, 5u);
  EXPECT_EQ(flags->expects, (std::vector<NamedFile>{{"1", "c.npy"}}));
  EXPECT_EQ(flags->tolerance.kind, Tolerance::Kind::steps);
  EXPECT_EQ(flags->tolerance.amount, 3.0);
  EXPECT_EQ(flags->inputs.shapes.at("image"),
            (std::vector<uint32_t>{1, 224, 224, 3}));
  EXPECT_EQ(flags->run.loopTimeout, 5'000'000u);
  EXPECT_EQ(flags->load.preparation.compile.targetCpu, "skylake");
  EXPECT_EQ(flags->load.preparation.compile.targetTriple, "x86_64-linux-gnu");
  EXPECT_EQ(flags->load.preparation.compile.rounding,
            rt::Rounding::singleRounding);
  EXPECT_TRUE(flags->inputs.frames);
  EXPECT_EQ(flags->explain, ExplainFormat::text);
  EXPECT_EQ(flags->load.cacheDirectory, "cache");
  EXPECT_EQ(flags->load.stateDirectory, "state");
  EXPECT_EQ(flags->run.repeat, 10u);
  EXPECT_EQ(flags->run.warmup, 2u);
  EXPECT_EQ(flags->time, TimeFormat::json);
}

TEST(FlagsTest, PicturesAndLabels) {
  auto flags =
      parse({"--input=0=a.png", "--image-crop=0.5", "--image-mean=1",
             "--image-deviation=2,3,4", "--top", "--labels=l.txt", "m.tflite"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->inputs.pictures.crop, 0.5);
  EXPECT_EQ(flags->inputs.pictures.mean, (std::array<double, 3>{1, 1, 1}));
  EXPECT_EQ(flags->inputs.pictures.deviation, (std::array<double, 3>{2, 3, 4}));
  EXPECT_EQ(flags->top, 5u);
  EXPECT_EQ(flags->labels, "l.txt");
  EXPECT_EQ(parse({"--top=2", "m.tflite"})->top, 2u);
  EXPECT_EQ(messageOf({"--image-crop=1.5"}),
            "option '--image-crop': '1.5' is not a number from 0.001 to 1");
  EXPECT_EQ(messageOf({"--image-mean=1,2"}),
            "option '--image-mean': '1,2' has 2 numbers, and not 1 or 3");
  EXPECT_EQ(messageOf({"--image-mean=nan"}), "option '--image-mean': 'nan' is "
                                             "not a number from -1000000 to "
                                             "1000000");
  EXPECT_EQ(messageOf({"--image-deviation=0"}),
            "option '--image-deviation': '0' is not a number from 1e-06 to "
            "1000000");
  EXPECT_EQ(messageOf({"m.json", "--labels=l.txt"}),
            "option '--labels' needs --top");
}

TEST(FlagsTest, Tolerances) {
  auto toleranceOf = [](std::string_view spec) {
    return parse({"m.json", "--expect=0=f", spec})->tolerance;
  };
  EXPECT_EQ(toleranceOf("--tolerance=range").kind, Tolerance::Kind::range);
  EXPECT_EQ(toleranceOf("--tolerance=exact").kind, Tolerance::Kind::exact);
  EXPECT_EQ(toleranceOf("--tolerance=abs:1e-3").amount, 1e-3);
}

TEST(FlagsTest, SeveralDevices) {
  auto flags = parse({"m.json", "--devices=a,b", "--require-device",
                      "--planner=greedy", "--explain=json"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->devices.several, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(flags->devices.isRequired);
  EXPECT_EQ(flags->devices.planner, rt::Planner::greedy);
  EXPECT_EQ(flags->explain, ExplainFormat::json);
  EXPECT_EQ(messageOf({"m.json", "--devices=a,,b"}),
            "option '--devices': 'a,,b' has an empty name");
  EXPECT_EQ(messageOf({"m.json", "--devices=a", "--device=b"}),
            "option '--devices' does not go with --device");
  EXPECT_EQ(messageOf({"m.json", "--planner=best"}),
            "option '--planner': 'best' is not least-cost or greedy");
}

TEST(FlagsTest, HelpNeedsNoModel) {
  EXPECT_TRUE(parse({"--help"})->help);
  EXPECT_TRUE(parse({"--version"})->version);
  EXPECT_TRUE(parse({"--list-devices"})->listDevices);
}

TEST(FlagsTest, Diagnostics) {
  EXPECT_EQ(messageOf({}), "no model; try --help");
  EXPECT_EQ(messageOf({"a.json", "b.json"}),
            "two models: 'a.json' and 'b.json'");
  EXPECT_EQ(messageOf({"--fast"}), "unknown option '--fast'; try --help");
  EXPECT_EQ(messageOf({"-v"}), "unknown option '-v'; try --help");
  EXPECT_EQ(messageOf({"--explain=yes"}),
            "option '--explain': 'yes' is not json");
  EXPECT_EQ(messageOf({"--emit"}),
            "option '--emit' needs a value: --emit=FILE");
  EXPECT_EQ(messageOf({"--input=a.npy"}),
            "option '--input': 'a.npy' is not N=FILE, random:SEED or zeros");
  EXPECT_EQ(messageOf({"--input=0="}), "option '--input': '0=' is not N=FILE");
  EXPECT_EQ(messageOf({"--input=random:x"}),
            "option '--input': 'x' is not a number from 0 to "
            "18446744073709551615");
  EXPECT_EQ(messageOf({"--expect=a.npy"}),
            "option '--expect': 'a.npy' is not N=FILE");
  EXPECT_EQ(messageOf({"--tolerance=abs:-1"}),
            "option '--tolerance': 'abs:-1' is not range, exact, steps:K or "
            "abs:X");
  EXPECT_EQ(messageOf({"m.json", "--tolerance=exact"}),
            "option '--tolerance' needs --expect");
  EXPECT_EQ(messageOf({"--shape=0=1x0"}),
            "option '--shape': '0' is not a number from 1 to 4294967295");
  EXPECT_EQ(messageOf({"--rounding=up"}),
            "option '--rounding': 'up' is not double, single or float");
  EXPECT_EQ(messageOf({"--time=xml"}), "option '--time': 'xml' is not json");
  EXPECT_EQ(messageOf({"--repeat=0"}),
            "option '--repeat': '0' is not a number from 1 to 1000000000");
  EXPECT_EQ(messageOf({"--threads=1025"}),
            "option '--threads': '1025' is not a number from 0 to 1024");
  EXPECT_EQ(messageOf({"--threads=all"}),
            "option '--threads': 'all' is not a number from 0 to 1024");
  EXPECT_EQ(
      messageOf({"--mode=bursts"}),
      "option '--mode': 'bursts' is not sync, async, fenced, burst or all");
}

TEST(FlagsTest, HowToPrepareAndExecute) {
  auto flags =
      parse({"m.json", "--preference=sustained-speed", "--priority=high",
             "--deadline-ms=3", "--mode=fenced", "--fence-after-ms=2",
             "--pools=file", "--plugin=a.so", "--plugin=b.so"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  const Preparation &preparation = flags->load.preparation;
  EXPECT_EQ(preparation.preference, rt::ExecutionPreference::sustainedSpeed);
  EXPECT_EQ(preparation.priority, rt::Priority::high);
  EXPECT_EQ(preparation.timeLimit, 3'000'000u);
  EXPECT_EQ(flags->run.timeLimit, 3'000'000u);
  EXPECT_EQ(flags->run.fenceAfter, 2'000'000u);
  EXPECT_EQ(flags->run.place, ArgumentPlace::file);
  EXPECT_EQ(flags->plugins, (std::vector<std::string>{"a.so", "b.so"}));
  EXPECT_EQ(messageOf({"--preference=fast"}),
            "option '--preference': 'fast' is not low-power, "
            "fast-single-answer or sustained-speed");
  EXPECT_EQ(messageOf({"--priority=urgent"}),
            "option '--priority': 'urgent' is not low, medium or high");
  EXPECT_EQ(messageOf({"--pools=dmabuf"}),
            "option '--pools': 'dmabuf' is not memfd, file or buffers");
  EXPECT_EQ(messageOf({"--deadline-ms=soon"}),
            "option '--deadline-ms': 'soon' is not a number from 0 to "
            "1000000000");
  EXPECT_EQ(messageOf({"--fence-after-ms=-1"}),
            "option '--fence-after-ms': '-1' is not a number from 0 to "
            "1000000000");
  for (const char *mode : {"--mode=sync", "--mode=async,sync"})
    EXPECT_EQ(messageOf({"m.json", mode, "--fence-after-ms=1"}),
              "option '--fence-after-ms' needs --mode=fenced");
}

TEST(FlagsTest, WaysOfCases) {
  EXPECT_TRUE(parse({"--check", "c"})->cases.ways.list.empty());
  auto flags = parse({"--check", "c", "--ways=fenced,cached", "--deadline-ms=4",
                      "--priority=low"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->cases.ways.list,
            (std::vector<Way>{Way::fenced, Way::cached}));
  EXPECT_EQ(flags->cases.timeLimit, 4'000'000u);
  EXPECT_EQ(flags->cases.preparation.timeLimit, 4'000'000u);
  EXPECT_EQ(flags->cases.preparation.priority, rt::Priority::low);
  EXPECT_EQ(parse({"--check", "c", "--ways=all"})->cases.ways.list.size(), 7u);
  EXPECT_EQ(
      messageOf({"--check", "c", "--ways=sync,bursts"}),
      "option '--ways': 'bursts' is not sync, async, fenced, burst, buffers, "
      "cached, insufficient or all");
  EXPECT_EQ(messageOf({"--check", "c", "--ways="}),
            "option '--ways' needs a value: --ways=LIST");
  EXPECT_EQ(messageOf({"--check", "c", "--artifacts=d", "--ways=sync,cached"}),
            "option '--ways': 'cached' does not go with --check --artifacts, "
            "which compiles nothing");
  EXPECT_EQ(messageOf({"--check", "c", "--artifacts=d", "--ways=all"}),
            "accepted");
}

TEST(FlagsTest, CacheIsOffUnlessAskedFor) {
  EXPECT_EQ(parse({"m.json"})->load.cacheDirectory, "");
  EXPECT_EQ(
      parse({"m.json", "--cache-dir=d", "--no-cache"})->load.cacheDirectory,
      "");
  EXPECT_EQ(parse({"m.json", "--cache-dir=d"})->load.cacheDirectory, "d");
  EXPECT_EQ(messageOf({"--check", "cases", "--cache-dir=d"}),
            "option '--cache-dir' does not go with --check");
}

// Extensions are found in the model, not in what came of it.
TEST(FlagsTest, NoExtensions) {
  EXPECT_FALSE(parse({"m.json"})->noExtensions);
  rt::Result<Flags> flags = parse({"m.json", "--no-extensions"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->noExtensions);
  EXPECT_TRUE(flags->load.needsSource);
  EXPECT_FALSE(flags->load.useExtensions);
  EXPECT_TRUE(parse({"m.tflite"})->load.useExtensions);
  EXPECT_EQ(messageOf({"--check", "cases", "--no-extensions"}),
            "option '--no-extensions' does not go with --check");
}

// Precision is a matter of the model, which an artifact does not hold anymore.
TEST(FlagsTest, Relaxed) {
  EXPECT_FALSE(parse({"m.tflite"})->load.isRelaxed);
  rt::Result<Flags> flags = parse({"m.tflite", "--relaxed"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->load.isRelaxed);
  EXPECT_EQ(messageOf({"m.nncache", "--relaxed"}),
            "option '--relaxed' does not go with a .nncache model, which is "
            "compiled");
}

TEST(FlagsTest, Calibrate) {
  rt::Result<Flags> flags = parse({"--calibrate", "--device=nnhal-reference"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->calibrate);
  EXPECT_EQ(flags->devices.device, "nnhal-reference");
  EXPECT_EQ(messageOf({"--calibrate", "m.json"}),
            "option '--calibrate' takes no model");
  EXPECT_EQ(messageOf({"--list-devices", "m.json"}),
            "option '--list-devices' takes no model");
}

TEST(FlagsTest, Stages) {
  EXPECT_FALSE(parse({"m.json"})->load.compileAfter);
  auto deferred = parse({"m.json", "--deferred"});
  ASSERT_TRUE(deferred.isOk()) << deferred.status().message();
  EXPECT_EQ(deferred->load.compileAfter, 0u);
  EXPECT_TRUE(deferred->wantsExecution);
  auto staged = parse({"m.json", "--stages=50"});
  ASSERT_TRUE(staged.isOk()) << staged.status().message();
  EXPECT_EQ(staged->load.compileAfter, 50u);
  EXPECT_EQ(messageOf({"m.json", "--deferred", "--stages=5"}),
            "option '--stages': a model has one time to be compiled: give "
            "--deferred or --stages, once");
  EXPECT_EQ(messageOf({"m.json", "--stages=5", "--deferred"}),
            "option '--deferred': a model has one time to be compiled: give "
            "--deferred or --stages, once");
}

TEST(FlagsTest, TraceAndGraph) {
  rt::Result<Flags> flags = parse({"--dump-graph=g.dot", "m.json"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->dumpGraph, "g.dot");
  EXPECT_FALSE(flags->wantsExecution);
  flags = parse({"--trace=t.json", "m.json"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->trace, "t.json");
  EXPECT_TRUE(flags->wantsExecution);
  EXPECT_EQ(messageOf({"--check", "c", "--trace=t"}),
            "option '--trace' does not go with --check");
  EXPECT_EQ(messageOf({"--check", "c", "--dump-graph=g"}),
            "option '--dump-graph' does not go with --check");
}

TEST(FlagsTest, Check) {
  rt::Result<Flags> flags =
      parse({"a.json", "--check", "cases", "--dynamic-input-shape",
             "--dynamic-output-shape", "--unknown-rank",
             "--quantization-coupling", "--sample=3", "--jobs=2",
             "--filter=^V1", "--report=f", "--artifacts=d"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->check);
  EXPECT_EQ(flags->cases.paths, (std::vector<std::string>{"a.json", "cases"}));
  EXPECT_TRUE(flags->cases.form.dynamicInputShape);
  EXPECT_TRUE(flags->cases.form.dynamicOutputShape);
  EXPECT_TRUE(flags->cases.form.unknownRank);
  EXPECT_TRUE(flags->cases.form.quantizationCoupling);
  EXPECT_EQ(flags->cases.sample, 3u);
  EXPECT_EQ(flags->cases.jobs, 2u);
  EXPECT_EQ(flags->cases.filter, "^V1");
  EXPECT_EQ(flags->cases.report, "f");
  EXPECT_EQ(flags->cases.artifacts, "d");
  EXPECT_EQ(messageOf({"--check"}),
            "option '--check' needs a file or a folder");
  EXPECT_EQ(messageOf({"a.json", "--jobs=2"}), "option '--jobs' needs --check");
  EXPECT_EQ(messageOf({"a.json", "--check", "--jobs=0"}),
            "option '--jobs': '0' is not a number from 1 to 1024");
  for (std::string_view option : {"--emit=e", "--target-triple=t"})
    EXPECT_EQ(messageOf({"a.json", "--check", "--artifacts=d", option}),
              fmt::format("option '{}' does not go with --check --artifacts, "
                          "which compiles nothing",
                          option.substr(0, option.find('='))));
}

/// Something that each option accepts.
std::string argumentOf(const Option &option) {
  static const std::map<std::string_view, std::string_view> values = {
      {"input", "zeros"},
      {"shape", "0=1"},
      {"expect", "0=f"},
      {"tolerance", "exact"},
      {"image-crop", "1"},
      {"image-mean", "1"},
      {"image-deviation", "1"},
      {"mode", "async"},
      {"rounding", "single"},
      {"stages", "3"},
      {"threads", "1"},
      {"compile-threads", "1"},
      {"loop-timeout", "1"},
      {"repeat", "1"},
      {"warmup", "1"},
      {"sample", "1"},
      {"record-executions", "1"},
      {"verify", "reference"},
      {"jobs", "1"},
      {"device", "nnhal-cpu"},
      {"devices", "nnhal-cpu"},
      {"planner", "greedy"},
      {"ways", "sync"},
      {"pools", "file"},
      {"priority", "low"},
      {"preference", "low-power"},
      {"deadline-ms", "1"},
      {"fence-after-ms", "1"}};
  auto value = values.find(option.name);
  if (value != values.end())
    return fmt::format("--{}={}", option.name, value->second);
  return fmt::format("--{}{}", option.name,
                     option.takes == Takes::value ? "=v" : "");
}

/// The arguments that make a call do \p work.
std::vector<std::string_view> callFor(Work work) {
  switch (work) {
  case Work::executeTFLite:
    return {"m.tflite", "--repeat=1"};
  case Work::executeJson:
    return {"m.json", "--repeat=1"};
  case Work::executeMlir:
    return {"m.mlir", "--repeat=1"};
  case Work::executeArtifact:
    return {"m.nncache", "--repeat=1"};
  case Work::emitTFLite:
    return {"m.tflite", "--emit=e"};
  case Work::emitJson:
    return {"m.json", "--emit=e"};
  case Work::emitMlir:
    return {"m.mlir", "--emit=e"};
  case Work::drawTFLite:
    return {"m.tflite", "--dump-graph=g"};
  case Work::drawJson:
    return {"m.json", "--dump-graph=g"};
  case Work::check:
    return {"cases", "--check"};
  case Work::checkEmit:
    return {"cases", "--check", "--emit=d"};
  case Work::checkArtifacts:
    return {"cases", "--check", "--artifacts=d"};
  case Work::calibrate:
    return {"--calibrate"};
  case Work::listDevices:
    return {"--list-devices"};
  case Work::replay:
    return {"--replay=r"};
  }
  return {};
}

/// Whether \p option makes other work of \p work, which it then may go with.
bool changesWork(const Option &option, Work work) {
  bool isModel = uint32_t(work) < uint32_t(Work::check);
  bool isAlone = uint32_t(work) >= uint32_t(Work::emitTFLite) && isModel;
  if (option.name == "check" || option.name == "calibrate" ||
      option.name == "list-devices" || option.name == "replay" ||
      option.name == "help" || option.name == "version")
    return true;
  if (isAlone && (option.asksForExecution || option.name == "emit" ||
                  option.name == "explain"))
    return true;
  return uint32_t(work) >= uint32_t(Work::check) &&
         (option.name == "emit" || option.name == "artifacts");
}

// Every option in every kind of work is taken or refused as the table says.
TEST(FlagsTest, OptionsGoWithTheirWork) {
  int refused = 0;
  for (uint32_t bit = 0; bit < 15; ++bit)
    for (const Option &option : allOptions()) {
      Work work = Work(1 << bit);
      if (changesWork(option, work))
        continue;
      std::vector<std::string_view> call = callFor(work);
      std::string argument = argumentOf(option);
      call.push_back(argument);
      if (option.name == "state-dir")
        call.push_back("--cache-dir=c");
      if (option.name == "record-executions" && (option.works & uint32_t(work)))
        call.push_back("--record=r");
      if (option.name == "verify-case" && (option.works & uint32_t(work)))
        call.push_back("--verify=reference");
      if (option.name.starts_with("image-") && (option.works & uint32_t(work)))
        call.push_back("--input=0=f");
      if (option.name == "labels" && (option.works & uint32_t(work)))
        call.push_back("--top");
      if (option.name == "tolerance" && (option.works & uint32_t(work)))
        call.push_back("--expect=0=f");
      if (option.name == "fence-after-ms" && (option.works & uint32_t(work)))
        call.push_back("--mode=fenced");
      if (option.name == "shape" && work == Work::emitJson)
        call.push_back("--specialize");
      std::string message = messageOf(call);
      if (option.works & uint32_t(work)) {
        EXPECT_EQ(message, "accepted") << testing::PrintToString(call);
        continue;
      }
      ++refused;
      EXPECT_TRUE(message.starts_with("option '--"))
          << testing::PrintToString(call);
      EXPECT_TRUE(message.find("' does not go with ") != message.npos ||
                  message.ends_with("needs --check"))
          << message;
    }
  EXPECT_GT(refused, 200);
}

TEST(FlagsTest, RecordingsAreNotAmbiguous) {
  for (std::string_view option : {"--deferred", "--stages=3"})
    EXPECT_EQ(messageOf({"m.json", "--record=r", option}),
              fmt::format("option '--record' does not go with {}",
                          option.substr(0, option.find('='))));
  EXPECT_EQ(messageOf({"m.json", "--record-executions=3"}),
            "option '--record-executions' needs --record");
  EXPECT_EQ(messageOf({"m.json", "--replay=r"}),
            "option '--replay' takes no model");
  EXPECT_EQ(messageOf({"--replay=r", "--check"}),
            "option '--check' does not go with --replay");
  EXPECT_EQ(messageOf({"--replay=r", "--repeat=2"}),
            "option '--repeat' does not go with --replay");
  EXPECT_EQ(messageOf({"m.json", "--verify=cpu"}),
            "option '--verify': 'cpu' is not reference");
}

TEST(FlagsTest, RefusalsNameOptionAndWork) {
  EXPECT_EQ(messageOf({"m.mlir", "--explain"}),
            "option '--explain' does not go with a .mlir model");
  EXPECT_EQ(messageOf({"m.mlir", "--emit=e", "--explain"}),
            "option '--explain' does not go with a .mlir model");
  EXPECT_EQ(messageOf({"m.nncache", "--target-cpu=x"}),
            "option '--target-cpu' does not go with a .nncache model, which is "
            "compiled");
  EXPECT_EQ(messageOf({"m.json", "--emit=e", "--threads=2"}),
            "option '--threads' does not go with --emit alone, which executes "
            "nothing");
  EXPECT_EQ(messageOf({"m.json", "--dump-graph=g", "--rounding=float"}),
            "option '--rounding' does not go with --dump-graph alone, which "
            "compiles and executes nothing");
  EXPECT_EQ(messageOf({"m.json", "--filter=x"}),
            "option '--filter' needs --check");
  EXPECT_EQ(messageOf({"c", "--check", "--repeat=2"}),
            "option '--repeat' does not go with --check");
  EXPECT_EQ(messageOf({"c", "--check", "--emit=d", "--threads=2"}),
            "option '--threads' does not go with --check --emit, which "
            "executes nothing");
  EXPECT_EQ(messageOf({"c", "--check", "--artifacts=d", "--rounding=float"}),
            "option '--rounding' does not go with --check --artifacts, which "
            "compiles nothing");
  EXPECT_EQ(messageOf({"--check", "--calibrate"}),
            "option '--check' does not go with --calibrate");
  EXPECT_EQ(messageOf({"--list-devices", "--device=nnhal-cpu"}),
            "option '--device' does not go with --list-devices");
  EXPECT_EQ(messageOf({"m.json", "--emit=e", "--repeat=1", "--cache-dir=c"}),
            "option '--cache-dir' does not go with --emit");
  EXPECT_EQ(messageOf({"m.json", "--emit=e", "--cache-dir=c", "--no-cache"}),
            "accepted");
  EXPECT_EQ(messageOf({"m.json", "--state-dir=s"}),
            "option '--state-dir' needs --cache-dir");
  EXPECT_EQ(messageOf({"m.json", "--emit=e", "--shape=0=1"}),
            "option '--shape' has no effect on the --emit of a .json model "
            "without --specialize");
  EXPECT_EQ(messageOf({"m.onnx"}),
            "'m.onnx' is not a .tflite, .json, .mlir or .nncache file");
}

std::optional<ModelKind> sniff(std::string_view text) {
  return kindOfBytes(std::as_bytes(std::span(text)));
}

TEST(FlagsTest, StandardInputIsSniffed) {
  auto flags = parse({"-", "--repeat=3"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_EQ(flags->model, standardInput);
  using namespace std::string_view_literals;
  EXPECT_EQ(sniff("\x1c\0\0\0TFL3....."sv), ModelKind::tflite);
  EXPECT_EQ(sniff("NNHALBN\x1a\x01\0"sv), ModelKind::artifact);
  EXPECT_EQ(sniff(" \n {\"main\": 1}"), ModelKind::json);
  EXPECT_EQ(sniff("module {}"), ModelKind::mlir);
  EXPECT_EQ(sniff("// text\nmodule {}"), ModelKind::mlir);
  EXPECT_EQ(sniff("{-# dialect_resources: {} #-}"), ModelKind::mlir);
  EXPECT_EQ(sniff("ML\xEFR\x06\0"sv), ModelKind::mlir);
  EXPECT_EQ(sniff("\x7f"
                  "ELF\x02\0"sv),
            std::nullopt);
  EXPECT_EQ(sniff(" \n"), std::nullopt);
  EXPECT_EQ(sniff("TFL"), ModelKind::mlir);
}

} // namespace
