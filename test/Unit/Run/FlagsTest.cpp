//===- FlagsTest.cpp - The command line -----------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include <gtest/gtest.h>

using namespace nnhal;
using namespace nnhal::run;

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
  EXPECT_EQ(flags->device, "nnhal-cpu");
  EXPECT_EQ(flags->repeat, 1u);
  EXPECT_EQ(flags->warmup, 0u);
  EXPECT_EQ(flags->loopTimeout, rt::defaultLoopTimeout);
  EXPECT_FALSE(flags->wantsExecution || flags->hasCompileFlags);
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
                      "--emit=m.nncache",
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
  EXPECT_EQ(flags->inputs,
            (std::vector<NamedFile>{{"0", "a.npy"}, {"x", "b.bin"}}));
  EXPECT_EQ(flags->randomSeed, 7u);
  EXPECT_EQ(flags->outputDir, "out");
  EXPECT_EQ(flags->printOutputs, 5u);
  EXPECT_EQ(flags->expects, (std::vector<NamedFile>{{"1", "c.npy"}}));
  EXPECT_EQ(flags->tolerance.kind, Tolerance::Kind::steps);
  EXPECT_EQ(flags->tolerance.amount, 3.0);
  EXPECT_EQ(flags->shapes.at("image"), (std::vector<uint32_t>{1, 224, 224, 3}));
  EXPECT_EQ(flags->loopTimeout, 5'000'000u);
  EXPECT_EQ(flags->compile.targetCpu, "skylake");
  EXPECT_EQ(flags->compile.targetTriple, "x86_64-linux-gnu");
  EXPECT_EQ(flags->compile.rounding, rt::Rounding::singleRounding);
  EXPECT_TRUE(flags->frames && flags->explain);
  EXPECT_EQ(flags->emit, "m.nncache");
  EXPECT_EQ(flags->cacheDir, "cache");
  EXPECT_EQ(flags->stateDir, "state");
  EXPECT_TRUE(wantsCache(*flags));
  EXPECT_EQ(flags->repeat, 10u);
  EXPECT_EQ(flags->warmup, 2u);
  EXPECT_EQ(flags->time, TimeFormat::json);
}

TEST(FlagsTest, Tolerances) {
  auto toleranceOf = [](std::string_view spec) {
    return parse({"m.json", "--expect=0=f", spec})->tolerance;
  };
  EXPECT_EQ(toleranceOf("--tolerance=range").kind, Tolerance::Kind::range);
  EXPECT_EQ(toleranceOf("--tolerance=exact").kind, Tolerance::Kind::exact);
  EXPECT_EQ(toleranceOf("--tolerance=abs:1e-3").amount, 1e-3);
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
  EXPECT_EQ(messageOf({"--explain=yes"}), "option '--explain' takes no value");
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
            "option '--tolerance' needs an --expect");
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
  EXPECT_EQ(messageOf({"--mode=burst"}),
            "option '--mode': 'burst' is not sync, async, fenced or all");
}

TEST(FlagsTest, CacheIsOffUnlessAskedFor) {
  EXPECT_FALSE(wantsCache(*parse({"m.json"})));
  EXPECT_FALSE(wantsCache(*parse({"m.json", "--cache-dir=d", "--no-cache"})));
  EXPECT_TRUE(wantsCache(*parse({"m.json", "--cache-dir=d"})));
  EXPECT_EQ(messageOf({"--check", "cases", "--cache-dir=d"}),
            "option '--cache-dir' does not go with --check");
}

TEST(FlagsTest, Calibrate) {
  rt::Result<Flags> flags = parse({"--calibrate", "--device=nnhal-reference"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->calibrate);
  EXPECT_EQ(flags->device, "nnhal-reference");
  EXPECT_EQ(messageOf({"--calibrate", "m.json"}),
            "option '--calibrate' takes no model");
  EXPECT_EQ(messageOf({"--check", "--calibrate"}),
            "option '--calibrate' takes no model");
}

TEST(FlagsTest, Stages) {
  EXPECT_FALSE(parse({"m.json"})->compileAfter);
  auto deferred = parse({"m.json", "--deferred"});
  ASSERT_TRUE(deferred.isOk()) << deferred.status().message();
  EXPECT_EQ(deferred->compileAfter, 0u);
  EXPECT_TRUE(deferred->wantsExecution);
  auto staged = parse({"m.json", "--stages=50"});
  ASSERT_TRUE(staged.isOk()) << staged.status().message();
  EXPECT_EQ(staged->compileAfter, 50u);
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
             "--dynamic-output-shape", "--quantization-coupling", "--sample=3",
             "--jobs=2", "--filter=^V1", "--report=f", "--artifacts=d"});
  ASSERT_TRUE(flags.isOk()) << flags.status().message();
  EXPECT_TRUE(flags->check);
  EXPECT_EQ(flags->checkPaths, (std::vector<std::string>{"a.json", "cases"}));
  EXPECT_TRUE(flags->checkForm.dynamicInputShape);
  EXPECT_TRUE(flags->checkForm.dynamicOutputShape);
  EXPECT_TRUE(flags->checkForm.quantizationCoupling);
  EXPECT_EQ(flags->checkSample, 3u);
  EXPECT_EQ(flags->checkJobs, 2u);
  EXPECT_EQ(flags->checkFilter, "^V1");
  EXPECT_EQ(flags->checkReport, "f");
  EXPECT_EQ(flags->artifacts, "d");
  EXPECT_EQ(messageOf({"--check"}),
            "option '--check' needs a file or a folder");
  EXPECT_EQ(messageOf({"a.json", "--jobs=2"}), "option '--jobs' needs --check");
  EXPECT_EQ(messageOf({"a.json", "--check", "--jobs=0"}),
            "option '--jobs': '0' is not a number from 1 to 1024");
  for (std::string_view option : {"--emit=e", "--target-triple=t"})
    EXPECT_EQ(messageOf({"a.json", "--check", "--artifacts=d", option}),
              "the cases of --artifacts are compiled: --emit, --target-cpu, "
              "--target-triple, --rounding and --specialize have no effect");
}

} // namespace
