//===- LoadTest.cpp - Clients that open the library by name ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClientProgram.h"
#include "TestModels.h"

#include <android/NeuralNetworks.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace client;

namespace {

const std::string sum = "sum 11 22 33 44\n";
const std::string onCpu = "NNHAL_TEST_DEVICE=nnhal-cpu";

/// Whether nnhal-cpu computes: a build may be without a compiler.
bool canCompile() {
  Model model;
  buildAdd(model);
  EXPECT_EQ(model.finish(), Result::NO_ERROR);
  Compilation compilation(model, {findDevice("nnhal-cpu")});
  return compilation.finish() != Result::UNAVAILABLE_DEVICE;
}

// J-068: the library exports the functions, each with its version, and nothing
// else.
TEST(NeuralNetworksLibrary, ExportsItsFunctions) {
  std::ifstream map(NNHAL_TEST_DATA
                    "/../lib/Runtime/NeuralNetworks/libneuralnetworks.map");
  std::set<std::string> expected, found;
  for (std::string word; map >> word;)
    if (word.starts_with("ANeuralNetworks"))
      expected.insert(word.substr(0, word.size() - 1) + "@@LIBNEURALNETWORKS");
  EXPECT_EQ(expected.size(), 73u);
  std::istringstream lines(outputOf(
      "nm -D --defined-only --with-symbol-versions '" + libraryPath() + "'"));
  for (std::string line; std::getline(lines, line);) {
    std::string name = line.substr(line.rfind(' ') + 1);
    if (!name.starts_with("LIBNEURALNETWORKS"))
      found.insert(name);
  }
  EXPECT_EQ(found, expected);
}

// J-068: a client in C finds everything by name.
TEST(NeuralNetworksLibrary, IsOpenedByName) {
  std::string text = runClient("devices add");
  EXPECT_TRUE(text.ends_with("device nnapi-reference\n" + sum)) << text;
}

// The library stays where it is, because threads may be in its code.
TEST(NeuralNetworksLibrary, IsClosedAndOpenedAgain) {
  EXPECT_EQ(runClient("close add close add"),
            "close 0\n" + sum + "close 0\n" + sum);
}

// Neither code of a compiled model nor threads that execute it keep the library
// from being closed and opened again.
TEST(NeuralNetworksLibrary, IsClosedAndOpenedAgainWithCompiledModels) {
  if (!canCompile())
    GTEST_SKIP() << "this build has no compiler";
  for (const char *settings : {"", " NNHAL_SYNCEXEC_HAL=0"})
    EXPECT_EQ(runClient("close add close add", onCpu + settings),
              "close 0\n" + sum + "close 0\n" + sum);
}

/// What a client prints whose child gets UNAVAILABLE_DEVICE, which is 9, from
/// every function that needs a device, and ends.
const std::string forked = sum +
                           "child count 9\nchild create 9\n"
                           "child compute 9\nchild start 9\n"
                           "child start after 9\nchild wait 9\n"
                           "child burst 9\nchild compute in burst 9\n"
                           "child ended 7\nburst 11 44\n" +
                           sum;

// A child of fork() gets errors, and does not hang.
TEST(NeuralNetworksLibrary, FailsInAChild) {
  EXPECT_EQ(runClient("fork"), forked);
}

TEST(NeuralNetworksLibrary, FailsInAChildWithCompiledModels) {
  if (!canCompile())
    GTEST_SKIP() << "this build has no compiler";
  for (const char *settings : {"", " NNHAL_SYNCEXEC_HAL=0"})
    EXPECT_EQ(runClient("fork", onCpu + settings), forked);
}

// A child that uses the library before its parent does is a process like any
// other, and so is the parent afterwards.
TEST(NeuralNetworksLibrary, WorksInAChildThatUsesItFirst) {
  EXPECT_EQ(runClient("first"), sum + "child ended 7\n" + sum);
  if (canCompile())
    EXPECT_EQ(runClient("first", onCpu), sum + "child ended 7\n" + sum);
}

// The compiler, and LLVM with it, is not in a process that only loads the
// library and asks what devices support. How long dlopen() takes at best is
// printed.
TEST(NeuralNetworksLibrary, IsLoadedWithoutTheCompiler) {
  std::string text =
      runClient("compiler devices compiler support compiler", "");
  EXPECT_TRUE(text.starts_with("compiler 0\n")) << text;
  EXPECT_NE(text.find("nnapi-reference\ncompiler 0\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("nnapi-reference supports 1\n"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\ncompiler 0\n")) << text;
  if (canCompile())
    EXPECT_EQ(runClient("add compiler", onCpu), sum + "compiler 1\n");
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    double time = 0;
    ASSERT_EQ(std::sscanf(runClient("load").c_str(), "load %lf us", &time), 1);
    best = std::min(best, time);
  }
  std::printf("dlopen() takes %.0f us at best\n", best);
}

// J-003, J-005, J-006, C-013: names, versions, types and feature levels are the
// same in every process.
TEST(NeuralNetworksLibrary, HasTheSameDevicesInEveryProcess) {
  for (const char *settings :
       {"NNHAL_CPUONLY=0", "NNHAL_PLUGINS='" NNHAL_SAMPLE_DEVICES "'",
        "NNHAL_SAMPLE_HAL=1.0 NNHAL_PLUGINS='" NNHAL_SAMPLE_DEVICES "'"}) {
    std::string text = runClient("describe describe", settings);
    std::string once = text.substr(0, text.size() / 2);
    EXPECT_EQ(text, once + once);
    EXPECT_NE(text.find("nnapi-reference version "), std::string::npos) << text;
    EXPECT_EQ(runClient("describe describe", settings), text);
  }
}

// J-004, J-006, C-085, C-086: the level is that of the device's HAL version,
// and devices before 1.2 say neither version nor type.
TEST(NeuralNetworksLibrary, TellsLevelsAndTypesOfOlderDevices) {
  const char *const versions[] = {"1.0", "1.1", "1.2", "1.3"};
  for (int i = 0; i < 4; ++i) {
    std::string text =
        runClient("describe", std::string("NNHAL_SAMPLE_HAL=") + versions[i] +
                                  " NNHAL_PLUGINS='" NNHAL_SAMPLE_DEVICES "'");
    std::string version = i < 2 ? "UNKNOWN type 0" : "JUST_AN_EXAMPLE type 2";
    EXPECT_NE(text.find("nnapi-sample_all version " + version + " level " +
                        std::to_string(27 + i) + "\n"),
              std::string::npos)
        << text;
  }
}

// Another copy of the library, with devices of its own, in one process.
TEST(NeuralNetworksLibrary, LivesBesideAnotherCopy) {
  std::filesystem::path copy =
      std::filesystem::path(testing::TempDir()) / "libneuralnetworks-copy.so";
  std::filesystem::copy_file(libraryPath(), copy,
                             std::filesystem::copy_options::overwrite_existing);
  void *other = ::dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(other, nullptr) << ::dlerror();
  auto count = reinterpret_cast<int (*)(uint32_t *)>(
      ::dlsym(other, "ANeuralNetworks_getDeviceCount"));
  auto get = reinterpret_cast<int (*)(uint32_t, ANeuralNetworksDevice **)>(
      ::dlsym(other, "ANeuralNetworks_getDevice"));
  ASSERT_TRUE(count && get && count != &ANeuralNetworks_getDeviceCount);
  uint32_t devices = 0, theirs = 0;
  ANeuralNetworksDevice *mine = nullptr, *their = nullptr;
  EXPECT_EQ(ANeuralNetworks_getDeviceCount(&devices), 0);
  EXPECT_EQ(count(&theirs), 0);
  EXPECT_EQ(devices, theirs);
  EXPECT_EQ(ANeuralNetworks_getDevice(0, &mine), 0);
  EXPECT_EQ(get(0, &their), 0);
  EXPECT_NE(mine, their);
  std::filesystem::remove(copy);
}

// I-001 to I-007: values that are not valid are ignored, and told once.
TEST(NeuralNetworksSettings, AreCheckedOnce) {
  EXPECT_EQ(
      runClient("add add", "NNHAL_PARTITION=3 NNHAL_STRICT_SLICING=yes "
                           "NNHAL_SYNCEXEC_RUNTIME= "
                           "NNHAL_PLANNER=best NNHAL_CPUONLY=1"),
      "nnhal: error: NNHAL_PARTITION='3' is ignored, it is one of: 0, 1, "
      "2\n"
      "nnhal: error: NNHAL_PLANNER='best' is ignored, it is one of: "
      "greedy, least-cost\n"
      "nnhal: error: NNHAL_STRICT_SLICING='yes' is ignored, it is one of: 0, "
      "1\n" +
          sum + sum);
}

// I-001 to I-006, C-089, J-096: every mode computes.
TEST(NeuralNetworksSettings, ChooseHowToCompute) {
  for (const char *settings :
       {"NNHAL_PARTITION=0", "NNHAL_PARTITION=1", "NNHAL_CPUONLY=1",
        "NNHAL_CPUONLY=1 NNHAL_PARTITION=2", "NNHAL_STRICT_SLICING=1",
        "NNHAL_PLANNER=greedy", "NNHAL_SYNCEXEC_CPU=0 NNHAL_SYNCEXEC_HAL=0",
        "NNHAL_SYNCEXEC_RUNTIME=1"})
    EXPECT_TRUE(runClient("add", settings).ends_with(sum)) << settings;
}

// K-001 to K-004: the log says nothing unless it is asked to.
TEST(NeuralNetworksSettings, TurnTheLogOn) {
  EXPECT_EQ(runClient("add"), sum);
  std::string text =
      runClient("add", "NNHAL_VLOG=model,manager,nothing NNHAL_CPUONLY=1");
  EXPECT_NE(text.find("nnhal: manager: "), std::string::npos) << text;
  EXPECT_NE(text.find("nnhal: model: "), std::string::npos) << text;
  EXPECT_NE(text.find("nothing"), std::string::npos) << text;
}

// K-005: the log says why a model is not valid.
TEST(NeuralNetworksSettings, TellWhatIsWrongWithAModel) {
  EXPECT_EQ(runClient("cycle"), "cycle 4\n");
  std::string text = runClient("cycle", "NNHAL_VLOG=model NNHAL_CPUONLY=1");
  EXPECT_NE(text.find("nnhal: model: finish: the operations depend on each "
                      "other in a cycle\n"),
            std::string::npos)
      << text;
}

// K-005: the log says which scale is not one.
TEST(NeuralNetworksSettings, TellWhatIsWrongWithScales) {
  EXPECT_EQ(runClient("scales"), "channels 4\ntensor 4\n");
  std::string text = runClient("scales", "NNHAL_VLOG=model NNHAL_CPUONLY=1");
  EXPECT_NE(text.find("nnhal: model: setOperandSymmPerChannelQuantParams: "
                      "scale inf of channel 1 must be positive and finite\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("nnhal: model: operand type: scale inf of "
                      "TENSOR_QUANT8_ASYMM must be finite\n"),
            std::string::npos)
      << text;
}

// C-084, C-092: a plug-in or service that cannot be had is left out.
TEST(NeuralNetworksSettings, LeaveOutWhatCannotBeHad) {
  std::string text = runClient("devices add", "NNHAL_PLUGINS=/no/plugin.so "
                                              "NNHAL_SERVICE=/no/socket "
                                              "NNHAL_CPUONLY=1");
  EXPECT_NE(text.find("error: plug-in '/no/plugin.so': "), std::string::npos)
      << text;
  EXPECT_NE(text.find("error: service '/no/socket': "), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("device nnapi-reference\n" + sum)) << text;
}

// K-012, K-014: the trace is written when the process ends.
TEST(NeuralNetworksSettings, WriteATrace) {
  std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "neuralnetworks-trace.json";
  std::filesystem::remove(file);
  EXPECT_EQ(
      runClient("add", "NNHAL_CPUONLY=1 NNHAL_TRACE='" + file.string() + "'"),
      sum);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  for (const char *section : {"[NN_LR_PP]ANeuralNetworksModel_finish",
                              "[NN_LR_PC]ANeuralNetworksCompilation_finish",
                              "[NN_LR_PE]ANeuralNetworksExecution_compute"})
    EXPECT_NE(text.str().find(section), std::string::npos) << section;
  std::filesystem::remove(file);
  std::string failed =
      runClient("add", "NNHAL_CPUONLY=1 NNHAL_TRACE=/no/folder/trace");
  EXPECT_NE(failed.find("nnhal: error: cannot write the trace: "),
            std::string::npos)
      << failed;
}

// E-003: a client that sets no cache has one where NNHAL_CACHE_DIR says.
TEST(NeuralNetworksSettings, CacheForClientsThatDoNot) {
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "neuralnetworks-cache";
  std::filesystem::remove_all(folder);
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(runClient("add", "NNHAL_CACHE_DIR='" + folder.string() + "'")
                    .ends_with(sum));
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  std::filesystem::remove_all(folder);
}

} // namespace
