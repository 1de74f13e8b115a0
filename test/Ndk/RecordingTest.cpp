//===- RecordingTest.cpp - What the NDK library records -------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a client does is recorded by the library, and replayed by nnhal-run.
//
//===----------------------------------------------------------------------===//

#include "../Unit/NeuralNetworks/ProgramOutput.h"
#include "HostileTesting.h"

#include "nnhal/Runtime/Memory.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::test;
namespace fs = std::filesystem;

namespace {

std::string readText(const fs::path &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The library reads the environment once, so that this is a program of its
/// own whose tests share a folder.
class RecordingTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    std::string pattern = fs::temp_directory_path() / "nnhal-record-XXXXXX";
    folder = mkdtemp(pattern.data());
    setenv("NNHAL_RECORD", (folder / "record").c_str(), 1);
    setenv("NNHAL_RECORD_REQUESTS", "9", 1);
    setenv("NNHAL_STATE_DIR", (folder / "state").c_str(), 1);
  }
  static void TearDownTestSuite() {
    std::error_code error;
    fs::remove_all(folder, error);
  }

  /// The name of the model that is compiled next.
  static std::string nextName() {
    return std::to_string(getpid()) + "-" + std::to_string(++models);
  }
  static fs::path record(const std::string &file) {
    return folder / "record" / file;
  }
  /// What nnhal-run says, which ends with success.
  static std::string replay(const std::string &arguments) {
    return client::outputOf("cd '" + record("").string() +
                            "' && env -u NNHAL_RECORD '" NNHAL_RUN "' " +
                            arguments);
  }

  static inline fs::path folder;
  static inline int models = 0;
};

/// One request of four floats to a model of one operation.
class Computation {
public:
  explicit Computation(const ANeuralNetworksCompilation *compilation,
                       float last)
      : in{-1, 2, -3, last} {
    ANeuralNetworksExecution *made = nullptr;
    // The interface has no constant compilations.
    expectCode(ANeuralNetworksExecution_create(
        const_cast<ANeuralNetworksCompilation *>(compilation), &made));
    execution.reset(made);
    expectCode(ANeuralNetworksExecution_setInput(made, 0, nullptr, in.data(),
                                                 sizeof(in)));
    expectCode(ANeuralNetworksExecution_setOutput(made, 0, nullptr, out.data(),
                                                  sizeof(out)));
  }

  /// Waits for \p event and returns its code.
  static int end(NdkEvent event) {
    return expectCode(ANeuralNetworksEvent_wait(event.get()));
  }
  NdkEvent start() {
    ANeuralNetworksEvent *event = nullptr;
    expectCode(ANeuralNetworksExecution_startCompute(execution.get(), &event));
    return NdkEvent(event);
  }
  NdkEvent startAfter(const ANeuralNetworksEvent *fence) {
    ANeuralNetworksEvent *event = nullptr;
    expectCode(ANeuralNetworksExecution_startComputeWithDependencies(
        execution.get(), &fence, fence ? 1 : 0, 0, &event));
    return NdkEvent(event);
  }
  bool isRelu() const {
    return out == std::array<float, 4>{0, in[1], 0, in[3]};
  }

  std::array<float, 4> in, out = {};
  NdkExecution execution;
};

/// A fence that the test signals.
class Pipe {
public:
  Pipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    readEnd = rt::UniqueFd(ends[0]);
    writeEnd = rt::UniqueFd(ends[1]);
    ANeuralNetworksEvent *made = nullptr;
    expectCode(ANeuralNetworksEvent_createFromSyncFenceFd(ends[0], &made));
    event.reset(made);
  }
  void signal() { EXPECT_EQ(::write(writeEnd.get(), "", 1), 1); }
  void fail() { writeEnd.reset(); }

  rt::UniqueFd readEnd, writeEnd;
  NdkEvent event;
};

TEST_F(RecordingTest, RequestsOfEveryKindAreReplayed) {
  std::string name = nextName();
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  NdkCompilation compilation = compile(model.get());
  ASSERT_TRUE(compilation);
  Computation synchronous(compilation.get(), 1);
  EXPECT_EQ(ANeuralNetworksExecution_compute(synchronous.execution.get()),
            ANEURALNETWORKS_NO_ERROR);
  Computation started(compilation.get(), 2);
  EXPECT_EQ(Computation::end(started.start()), ANEURALNETWORKS_NO_ERROR);
  Computation fenced(compilation.get(), 3);
  EXPECT_EQ(Computation::end(fenced.startAfter(nullptr)),
            ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksBurst *made = nullptr;
  expectCode(ANeuralNetworksBurst_create(compilation.get(), &made));
  NdkBurst burst(made);
  for (float last : {4.0f, 5.0f}) {
    Computation computation(compilation.get(), last);
    EXPECT_EQ(ANeuralNetworksExecution_burstCompute(computation.execution.get(),
                                                    burst.get()),
              ANEURALNETWORKS_NO_ERROR);
    EXPECT_TRUE(computation.isRelu());
  }
  for (const Computation *each : {&synchronous, &started, &fenced})
    EXPECT_TRUE(each->isRelu());
  for (int request = 1; request <= 5; ++request)
    EXPECT_NE(readText(record("cases/" + name + "-" + std::to_string(request) +
                              ".json"))
                  .find("\"spec\":\"recorded\""),
              std::string::npos)
        << request;
  std::string said =
      replay("--check cases --device=nnhal-reference --filter=" + name + "-");
  EXPECT_NE(said.find("5 passed, 0 failed"), std::string::npos) << said;
  // What was computed is compared.
  fs::path file = record("cases/" + name + "-1.json");
  std::string text = readText(file);
  text.insert(text.rfind("\"value\":[") + 9, "9");
  std::ofstream(file) << text;
  said = replay("--check cases --device=nnhal-reference --filter=" + name +
                "-; true");
  EXPECT_NE(said.find("4 passed, 1 failed"), std::string::npos) << said;
}

// The memory of a request may be gone when its event has been waited for.
TEST_F(RecordingTest, RequestsWhoseFencesArePendingAreRecorded) {
  std::string name = nextName();
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  NdkCompilation compilation = compile(model.get());
  ASSERT_TRUE(compilation);
  fs::path file = record("cases/" + name + "-1.json");
  {
    Pipe fence;
    Computation computation(compilation.get(), 6);
    NdkEvent event = computation.startAfter(fence.event.get());
    EXPECT_FALSE(fs::exists(file));
    fence.signal();
    EXPECT_EQ(Computation::end(std::move(event)), ANEURALNETWORKS_NO_ERROR);
    EXPECT_TRUE(computation.isRelu());
    EXPECT_TRUE(fs::exists(file));
  }
  {
    Pipe fence;
    Computation computation(compilation.get(), 7);
    NdkEvent event = computation.startAfter(fence.event.get());
    fence.fail();
    EXPECT_NE(Computation::end(std::move(event)), ANEURALNETWORKS_NO_ERROR);
  }
  EXPECT_NE(readText(record("cases/" + name + "-2.json"))
                .find("\"spec\":\"recorded: GENERAL_FAILURE: "),
            std::string::npos);
  std::string said =
      replay("--check cases --device=nnhal-reference --filter=" + name + "-");
  EXPECT_NE(said.find("2 passed, 0 failed"), std::string::npos) << said;
}

TEST_F(RecordingTest, SettingsAreReplayed) {
  std::string name = nextName();
  NdkModel model = unaryModel(ANEURALNETWORKS_RELU);
  const ANeuralNetworksDevice *device = referenceDevice();
  ANeuralNetworksCompilation *made = nullptr;
  expectCode(ANeuralNetworksCompilation_createForDevices(model.get(), &device,
                                                         1, &made));
  NdkCompilation compilation(made);
  fs::path cache = folder / "cache";
  fs::create_directories(cache);
  std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token = {1};
  expectCode(ANeuralNetworksCompilation_setPreference(
      made, ANEURALNETWORKS_PREFER_LOW_POWER));
  expectCode(ANeuralNetworksCompilation_setPriority(
      made, ANEURALNETWORKS_PRIORITY_LOW));
  expectCode(ANeuralNetworksCompilation_setTimeout(made, 60'000'000'000));
  expectCode(ANeuralNetworksCompilation_setCaching(
      made, (cache.string() + "/").c_str(), token.data()));
  EXPECT_EQ(ANeuralNetworksCompilation_finish(made), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(readText(record(name + ".settings.json")),
            "{\"devices\":[\"nnapi-reference\"],\"preference\":\"LOW_POWER\","
            "\"priority\":\"LOW\",\"timeoutNanoseconds\":60000000000,"
            "\"cached\":true}\n");
  std::string said =
      replay(name + ".json --settings=" + name + ".settings.json --explain");
  EXPECT_NE(said.find("operation 0 RELU: nnhal-reference"), std::string::npos)
      << said;
}

} // namespace
