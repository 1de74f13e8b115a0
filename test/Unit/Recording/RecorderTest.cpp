//===- RecorderTest.cpp - What is recorded is what can be replayed --------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Recorder.h"

#include "Tools/Check/Check.h"
#include "Tools/Check/TemporaryFolder.h"
#include "nnhal/Runtime/Compiler.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/ReferenceDevice.h"
#include "nnhal/Runtime/SharedMemory.h"

#include "../Faults/Allocations.h"
#include "../Model/TestModels.h"

#include <nlohmann/json.hpp>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::rt;
using namespace nnhal::rt::test;

namespace fs = std::filesystem;

namespace {

std::string readText(const std::string &path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

class RecorderTest : public ::testing::Test {
protected:
  RecorderTest() {
    std::string pattern = fs::temp_directory_path() / "nnhal-record-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~RecorderTest() override {
    std::error_code error;
    fs::remove_all(folder, error);
  }

  Recorder recorder(uint64_t requests) {
    return Recorder({folder + "/record", requests, log()});
  }
  std::shared_ptr<const Log> log() {
    return std::make_shared<Log>(0, [this](std::string_view line) {
      std::lock_guard lock(mutex);
      lines.emplace_back(line);
    });
  }
  /// The name of model number \p number of this process.
  std::string name(uint64_t number) const {
    return std::to_string(getpid()) + "-" + std::to_string(number);
  }
  std::string path(const std::string &file) const {
    return folder + "/record/" + file;
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto &entry : fs::recursive_directory_iterator(folder))
      if (!entry.is_directory())
        names.insert(entry.path().filename());
    return names;
  }
  /// How many of the recorded cases pass on the reference device, and whether
  /// all of them do.
  std::pair<int, bool> replay() {
    auto device = createReferenceDevice();
    int count = 0;
    bool doAllPass = true;
    for (const auto &entry : fs::directory_iterator(path("cases"))) {
      if (entry.path().extension() != ".json")
        continue;
      Status status = readTestCases(
          readText(entry.path()),
          [&](TestCase test) {
            tools::CaseResult result =
                tools::checkCase(std::move(test), *device, {});
            ++count;
            doAllPass &= result.outcome == tools::CaseResult::Outcome::passed;
            return Status::ok();
          },
          path("cases"));
      EXPECT_EQ(status.message(), "");
    }
    return {count, doAllPass};
  }

  std::string folder;
  std::mutex mutex;
  std::vector<std::string> lines;
};

/// out = in + constants, where the constants are 2,000 floats in a pool of
/// 10,000 bytes and a small one, and inputs may be of unknown extent.
AnnotatedModel poolModel(bool isOpen = false) {
  AnnotatedModel annotated;
  Model &model = annotated.model;
  constexpr OperandType floats = OperandType::TENSOR_FLOAT32;
  auto reference = [&](uint32_t pool, uint32_t offset,
                       std::vector<uint32_t> dimensions, uint32_t length) {
    Operand result = operand(floats, std::move(dimensions),
                             OperandLifeTime::CONSTANT_REFERENCE);
    result.location = {pool, offset, length};
    return result;
  };
  std::vector<float> values(2500);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i) / 8;
  model.pools = {
      {"ashmem", Memory::copy(std::as_bytes(std::span(values))), {}, 0, false},
      {"mmap_fd",
       Memory::copy(std::as_bytes(std::span(values).first(4))),
       {},
       0,
       false}};
  uint32_t extent = isOpen ? 0 : 2000;
  model.main.operands = {
      input(floats, {extent}),     reference(0, 400, {2000}, 8000),
      reference(1, 4, {1}, 4),     zeros(model, OperandType::INT32, {}, 4),
      temporary(floats, {extent}), output(floats, {extent})};
  model.main.operations = {{OperationType::ADD, {0, 1, 3}, {4}},
                           {OperationType::ADD, {4, 2, 3}, {5}}};
  model.main.inputIndexes = {0};
  model.main.outputIndexes = {5};
  computeConsumers(model.main);
  return annotated;
}

/// One execution of a model with one float input and output.
struct Execution {
  explicit Execution(const AnnotatedModel &model, size_t count)
      : in(count), out(count) {
    auto device = createReferenceDevice();
    auto made = device->prepareModel(model);
    EXPECT_EQ(made.status().message(), "");
    if (made.isOk())
      prepared = *made;
    for (size_t i = 0; i < count; ++i)
      in[i] = float(i);
    request.inputs.push_back(
        {Memory::borrow(std::as_bytes(std::span(in))), {}});
    request.outputs.push_back(
        {OutputMemory::borrow(std::as_writable_bytes(std::span(out))), {}});
  }
  void run() { status = prepared->execute(request, result); }

  std::vector<float> in, out;
  PreparedModelRef prepared;
  Request request;
  ExecutionResult result;
  Status status;
};

TEST_F(RecorderTest, modelsCanBeReadAgain) {
  Recorder recorder = this->recorder(0);
  AnnotatedModel model = poolModel();
  RecordedSettings settings;
  settings.devices = {"nnhal-cpu", "nnapi-reference"};
  settings.preference = ExecutionPreference::lowPower;
  settings.priority = Priority::high;
  settings.timeout = 5;
  settings.isCached = true;
  EXPECT_FALSE(recorder.record(model, settings));
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(files(), (std::set<std::string>{name(1) + ".json",
                                            name(1) + ".settings.json",
                                            name(1) + ".bin"}));
  auto again =
      readJsonModel(readText(path(name(1) + ".json")), folder + "/record");
  ASSERT_EQ(again.status().message(), "");
  for (uint32_t operand : {1u, 2u, 3u}) {
    auto expected =
        constantBytes(model.model, model.model.main.operands[operand]);
    auto found = constantBytes(*again, again->main.operands[operand]);
    ASSERT_EQ(found.status().message(), "");
    ASSERT_EQ(found->size(), expected->size());
    EXPECT_EQ(std::memcmp(found->data(), expected->data(), found->size()), 0);
  }
  EXPECT_EQ(again->main.operations, model.model.main.operations);
  EXPECT_EQ(readText(path(name(1) + ".settings.json")),
            "{\"devices\":[\"nnhal-cpu\",\"nnapi-reference\"],"
            "\"preference\":\"LOW_POWER\",\"priority\":\"HIGH\","
            "\"timeoutNanoseconds\":5,\"cached\":true}\n");
  auto read = readRecordedSettings(path(name(1) + ".settings.json"));
  ASSERT_EQ(read.status().message(), "");
  EXPECT_EQ(*read, settings);
}

TEST_F(RecorderTest, settingsAreReadAgain) {
  Recorder recorder = this->recorder(0);
  AnnotatedModel model;
  model.model = addTwice();
  RecordedSettings settings;
  settings.priority = Priority::low;
  recorder.record(model, settings);
  std::string text = readText(path(name(1) + ".settings.json"));
  EXPECT_NE(text.find("\"FAST_SINGLE_ANSWER\",\"priority\":\"LOW\",\"cached\""),
            std::string::npos)
      << text;
  auto read = readRecordedSettings(path(name(1) + ".settings.json"));
  ASSERT_EQ(read.status().message(), "");
  EXPECT_EQ(*read, settings);
  settings.preference = ExecutionPreference::sustainedSpeed;
  settings.priority = Priority::medium;
  settings.timeout = UINT64_MAX;
  recorder.record(model, settings);
  read = readRecordedSettings(path(name(2) + ".settings.json"));
  ASSERT_EQ(read.status().message(), "");
  settings.timeout = INT64_MAX;
  EXPECT_EQ(*read, settings);
}

TEST_F(RecorderTest, settingsThatNobodyRecorded) {
  std::string file = folder + "/settings.json";
  auto messageOf = [&](const std::string &text) {
    std::ofstream(file) << text;
    return std::string(readRecordedSettings(file).status().message());
  };
  std::string begin = "'" + file + "': ";
  EXPECT_EQ(messageOf("[]"),
            begin + "the file: expected an object, found an array");
  EXPECT_EQ(messageOf("{\"devices\":[]}"),
            begin + "the file: key \"preference\" is missing");
  EXPECT_EQ(messageOf("{\"devices\":[],\"preference\":\"FAST\"}"),
            begin + "preference: expected one of LOW_POWER, "
                    "FAST_SINGLE_ANSWER, SUSTAINED_SPEED, found \"FAST\"");
  EXPECT_EQ(messageOf("{\"devices\":[],\"preference\":\"LOW_POWER\","
                      "\"priority\":\"HIGH\",\"timeoutNanoseconds\":0,"
                      "\"cached\":true}"),
            begin + "timeoutNanoseconds: 0 must be from 1 to "
                    "9223372036854775807");
  EXPECT_EQ(readRecordedSettings(folder + "/none").status().message(),
            "cannot open '" + folder + "/none': No such file or directory");
}

TEST_F(RecorderTest, requestsAreReplayed) {
  for (bool isOpen : {false, true}) {
    Recorder recorder = this->recorder(2);
    AnnotatedModel model = poolModel(isOpen);
    std::shared_ptr<RecordedModel> recorded = recorder.record(model, {});
    ASSERT_TRUE(recorded);
    Execution execution(model, 2000);
    execution.request.inputs[0].dimensions = {2000};
    for (int i = 0; i < 3; ++i) {
      execution.in[0] += 1;
      execution.run();
      ASSERT_EQ(execution.status.message(), "");
      recorded->record(execution.request, execution.status, execution.result,
                       {});
    }
  }
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(replay(), std::pair(4, true));
  EXPECT_TRUE(fs::exists(folder + "/record/cases/" + name(1) + "-2.json"));
  EXPECT_FALSE(fs::exists(path("cases/" + name(1) + "-3.json")));
  // The replay compares what was computed.
  std::string file = path("cases/" + name(1) + "-1.json");
  std::string text = readText(file);
  size_t output = text.rfind("\"value\":[") + 9;
  text.insert(output, "9");
  std::ofstream(file) << text;
  EXPECT_EQ(replay(), std::pair(4, false));
}

// A folder of recorded cases is one that --check takes.
TEST_F(RecorderTest, checkTakesTheFolder) {
  Recorder recorder = this->recorder(1);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  execution.run();
  recorded->record(execution.request, execution.status, execution.result, {});
  tools::CheckRequest request;
  request.paths = {path("cases")};
  LazyCompiler compiler;
  auto passes = tools::runCheck(request, *createReferenceDevice(), compiler);
  ASSERT_EQ(passes.status().message(), "");
  EXPECT_TRUE(*passes);
}

TEST_F(RecorderTest, argumentsInPoolsAndAbsentOnes) {
  Recorder recorder = this->recorder(9);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  auto pool = SharedMemory::createAshmem(16000);
  ASSERT_TRUE(pool.isOk());
  ASSERT_TRUE((*pool)->write(0, std::as_bytes(std::span(execution.in))).isOk());
  execution.request.inputs[0].memory = Memory::region(*pool, 0, 8000);
  execution.request.outputs[0].memory = OutputMemory::region(*pool, 8000, 8000);
  execution.run();
  ASSERT_EQ(execution.status.message(), "");
  recorded->record(execution.request, execution.status, execution.result, {});
  EXPECT_EQ(replay(), std::pair(1, true));
  // One that is left out is not compared.
  execution.request.outputs[0].memory = OutputMemory();
  recorded->record(execution.request, Status::ok(), execution.result, {});
  EXPECT_EQ(replay(), std::pair(2, true));
  EXPECT_TRUE(lines.empty());
}

TEST_F(RecorderTest, failuresAreReplayedWhereTheyComeAgain) {
  Recorder recorder = this->recorder(9);
  AnnotatedModel model = poolModel(/*isOpen=*/true);
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  execution.request.inputs[0].dimensions = {2000};
  recorded->record(execution.request,
                   {StatusCode::generalFailure, "the accelerator hangs"}, {},
                   {});
  std::string text = readText(path("cases/" + name(1) + "-1.json"));
  EXPECT_NE(text.find("\"recorded: GENERAL_FAILURE: the accelerator hangs\""),
            std::string::npos);
  EXPECT_EQ(replay(), std::pair(1, true)); // The reference does not hang.
  // Extents that do not broadcast fail everywhere.
  execution.request.inputs[0].dimensions = {1999};
  recorded->record(execution.request,
                   {StatusCode::generalFailure, "the extents differ"}, {}, {});
  EXPECT_EQ(replay(), std::pair(2, false));
}

TEST_F(RecorderTest, fencedRequestsAreRecordedBeforeTheirEndIsTold) {
  Recorder recorder = this->recorder(2);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  FenceRef fence = *Fence::create();
  auto begun = execution.prepared->executeFenced(execution.request, {fence});
  ASSERT_EQ(begun.status().message(), "");
  auto told = recorded->recordFenced(execution.request, *begun, {});
  ASSERT_NE(told, *begun);
  EXPECT_EQ(told->fence()->poll(), FenceState::active);
  EXPECT_EQ(told->executionInfo().status.message(),
            "the execution has not ended");
  EXPECT_FALSE(fs::exists(path("cases/" + name(1) + "-1.json")));
  fence->complete(Status::ok());
  EXPECT_EQ(told->fence()->wait(noDeadline).message(), "");
  EXPECT_TRUE(fs::exists(path("cases/" + name(1) + "-1.json")));
  EXPECT_TRUE(told->executionInfo().status.isOk());
  // One that fails.
  fence = *Fence::create();
  begun = execution.prepared->executeFenced(execution.request, {fence});
  ASSERT_EQ(begun.status().message(), "");
  told = recorded->recordFenced(execution.request, *begun, {});
  fence->complete({StatusCode::generalFailure, "the camera is off"});
  EXPECT_EQ(told->fence()->wait(noDeadline).code(), StatusCode::generalFailure);
  EXPECT_FALSE(told->executionInfo().status.isOk());
  EXPECT_NE(readText(path("cases/" + name(1) + "-2.json"))
                .find("recorded: GENERAL_FAILURE"),
            std::string::npos);
  // No more are wanted.
  begun = execution.prepared->executeFenced(execution.request, {});
  ASSERT_EQ(begun.status().message(), "");
  EXPECT_EQ(recorded->recordFenced(execution.request, *begun, {}), *begun);
  if ((*begun)->fence())
    EXPECT_EQ((*begun)->fence()->wait(noDeadline).message(), "");
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(replay(), std::pair(2, true));
}

TEST_F(RecorderTest, callsAreRecorded) {
  Recorder recorder = this->recorder(2);
  AnnotatedModel model = poolModel();
  RecordedSettings settings;
  settings.devices = {"nnhal-cpu"};
  settings.priority = Priority::low;
  auto recorded = recorder.record(model, settings);
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  execution.run();
  execution.request.loopTimeout = 7000;
  auto begin = std::chrono::steady_clock::now() - std::chrono::seconds(3);
  recorded->record(execution.request, execution.status, execution.result,
                   {RecordedWay::burst, begin});
  recorded->record(execution.request,
                   {StatusCode::missedDeadlineTransient, "too late"}, {},
                   {RecordedWay::async, begin});
  std::vector<Recording> found;
  for (int request : {1, 2}) {
    Status status = readTestCases(
        readText(
            path("cases/" + name(1) + "-" + std::to_string(request) + ".json")),
        [&](const TestCase &test) {
          EXPECT_TRUE(test.recording);
          found.push_back(test.recording.value_or(Recording()));
          return Status::ok();
        },
        path("cases"));
    EXPECT_EQ(status.message(), "");
  }
  ASSERT_EQ(found.size(), 2u);
  for (Recording &each : found) {
    EXPECT_EQ(each.settings, settings);
    EXPECT_FALSE(each.preparation);
    ASSERT_EQ(each.calls.size(), 1u);
    EXPECT_EQ(each.calls[0].loopTimeout, 7000u);
    EXPECT_GE(each.calls[0].step.nanoseconds, 3'000'000'000u);
    EXPECT_LT(each.calls[0].step.nanoseconds, 3'600'000'000'000u);
  }
  EXPECT_EQ(found[0].calls[0].way, RecordedWay::burst);
  EXPECT_EQ(found[0].calls[0].step.status, StatusCode::none);
  EXPECT_EQ(found[1].calls[0].way, RecordedWay::async);
  EXPECT_EQ(found[1].calls[0].step.status, StatusCode::missedDeadlineTransient);
}

TEST_F(RecorderTest, fencedRequestsThatHaveEnded) {
  Recorder recorder = this->recorder(1);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  auto begun = execution.prepared->executeFenced(execution.request, {});
  ASSERT_EQ(begun.status().message(), "");
  if ((*begun)->fence())
    EXPECT_EQ((*begun)->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(recorded->recordFenced(execution.request, *begun, {}), *begun);
  EXPECT_EQ(replay(), std::pair(1, true));
}

TEST_F(RecorderTest, fencedRequestsWithoutDescriptors) {
  Recorder recorder = this->recorder(1);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  FenceRef fence = *Fence::create();
  auto begun = execution.prepared->executeFenced(execution.request, {fence});
  ASSERT_EQ(begun.status().message(), "");
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  auto told = recorded->recordFenced(execution.request, *begun, {});
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(told, *begun);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(
      lines[0].find("request 1 of the model " + name(1) + " is not recorded: "),
      std::string::npos)
      << lines[0];
  fence->complete(Status::ok());
  EXPECT_EQ((*begun)->fence()->wait(noDeadline).message(), "");
  EXPECT_EQ(replay(), std::pair(0, true));
}

TEST_F(RecorderTest, tellsWhatIsNotRecorded) {
  Recorder recorder = this->recorder(9);
  AnnotatedModel model = poolModel();
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  Execution execution(model, 2000);
  execution.run();
  std::string begin = "of the model " + name(1) + " is not recorded: ";
  auto expectTold = [&](int number, const std::string &reason) {
    ASSERT_FALSE(lines.empty());
    EXPECT_NE(lines.back().find("request " + std::to_string(number) + " " +
                                begin + reason),
              std::string::npos)
        << lines.back();
  };
  Request request = execution.request;
  request.inputs[0].memory = Memory::device(1);
  recorded->record(request, Status::ok(), execution.result, {});
  expectTold(1, "input 0: it is in memory of a device");
  request = execution.request;
  request.outputs[0].memory = OutputMemory::device(1);
  recorded->record(request, Status::ok(), execution.result, {});
  expectTold(2, "output 0: it is in memory of a device");
  request = execution.request;
  request.outputs[0].memory = OutputMemory::borrow(
      std::as_writable_bytes(std::span(execution.out)).first(16));
  recorded->record(request, Status::ok(), execution.result, {});
  expectTold(3, "output 0: the memory has 16 bytes, expected 8000");
  request = execution.request;
  request.inputs[0].memory =
      Memory::borrow(std::as_bytes(std::span(execution.in)).first(16));
  recorded->record(request, Status::ok(), execution.result, {});
  expectTold(4, "input 0: the memory has 16 bytes, expected 8000");
  request.inputs.clear();
  recorded->record(request, Status::ok(), execution.result, {});
  expectTold(5, "0 inputs, 1 outputs and 1 shapes, the model has 1 and 1");
  EXPECT_EQ(replay(), std::pair(0, true));
}

/// Lets no file be longer than \p size bytes, as a disk that is full.
class FullDisk {
public:
  explicit FullDisk(rlim_t size) : handler(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit limit = {size, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  FullDisk(const FullDisk &) = delete;
  FullDisk &operator=(const FullDisk &) = delete;

private:
  rlimit before = {};
  void (*handler)(int);
};

TEST_F(RecorderTest, aFullDiskLeavesNoPart) {
  Recorder recorder = this->recorder(3);
  AnnotatedModel model = poolModel();
  {
    FullDisk disk(5000);
    EXPECT_FALSE(recorder.record(model, {}));
  }
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("a model is not recorded: " + name(1) + ".bin: "),
            std::string::npos)
      << lines[0];
  EXPECT_TRUE(lines[0].ends_with("File too large")) << lines[0];
  EXPECT_TRUE(files().empty());
  auto recorded = recorder.record(model, {});
  ASSERT_TRUE(recorded);
  size_t before = files().size();
  Execution execution(model, 2000);
  execution.run();
  {
    FullDisk disk(5000);
    recorded->record(execution.request, execution.status, execution.result, {});
  }
  EXPECT_EQ(lines.size(), 2u);
  EXPECT_EQ(files().size(), before);
}

TEST_F(RecorderTest, aFolderThatCannotBeMade) {
  std::ofstream(folder + "/record") << "a file";
  Recorder recorder = this->recorder(1);
  AnnotatedModel model;
  model.model = addTwice();
  EXPECT_FALSE(recorder.record(model, {}));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NE(lines[0].find("record/cases is not recorded: Not a directory"),
            std::string::npos)
      << lines[0];
}

TEST_F(RecorderTest, constantsOutOfReach) {
  Recorder recorder = this->recorder(1);
  AnnotatedModel model = poolModel();
  model.model.pools[0].memory = Memory::device(3);
  EXPECT_FALSE(recorder.record(model, {}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("a model is not recorded: pool 0: "),
            std::string::npos)
      << lines[0];
}

TEST_F(RecorderTest, lackOfMemoryIsTold) {
  if (!AllocationFailure::isPossible())
    GTEST_SKIP() << "allocations cannot fail here";
  Recorder recorder({folder + "/record", 3, nullptr});
  AnnotatedModel model;
  model.model = addTwice();
  Execution execution(model, 2);
  execution.run();
  bool hasFailed = true;
  for (size_t before = 0; hasFailed; ++before) {
    AllocationFailure failure(before);
    auto recorded = recorder.record(model, {});
    hasFailed = failure.hasFailed();
    if (recorded)
      recorded->record(execution.request, execution.status, execution.result,
                       {});
    hasFailed = hasFailed || failure.hasFailed();
  }
  auto [count, doAllPass] = replay();
  EXPECT_GT(count, 0);
  EXPECT_TRUE(doAllPass);
}

TEST_F(RecorderTest, namesAreNew) {
  Recorder first = recorder(0), second = recorder(0);
  AnnotatedModel model;
  model.model = addTwice();
  first.record(model, {});
  second.record(model, {});
  EXPECT_TRUE(fs::exists(path(name(1) + ".json")));
  EXPECT_TRUE(fs::exists(path(name(2) + ".json")));
}

TEST_F(RecorderTest, manyThreads) {
  Recorder recorder = this->recorder(20);
  AnnotatedModel model;
  model.model = addTwice();
  auto shared = recorder.record(model, {});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        Execution execution(model, 2);
        execution.run();
        auto own = recorder.record(model, {});
        ASSERT_TRUE(own);
        for (int j = 0; j < 10; ++j) {
          shared->record(execution.request, execution.status, execution.result,
                         {});
          own->record(execution.request, execution.status, execution.result,
                      {});
        }
      });
  }
  EXPECT_EQ(replay(), std::pair(60, true));
}

TEST_F(RecorderTest, theEnvironmentAsks) {
  std::string directory = folder + "/record";
  const char *number = nullptr;
  auto environment = [&](const char *variable) -> const char * {
    if (std::string_view(variable) == "NNHAL_RECORD")
      return directory.c_str();
    return std::string_view(variable) == "NNHAL_RECORD_REQUESTS" ? number
                                                                 : nullptr;
  };
  AnnotatedModel model;
  model.model = addTwice();
  EXPECT_FALSE(
      Recorder::fromEnvironment(environment, log())->record(model, {}));
  number = "2";
  EXPECT_TRUE(Recorder::fromEnvironment(environment, log())->record(model, {}));
  EXPECT_TRUE(lines.empty());
  number = "2x";
  EXPECT_FALSE(
      Recorder::fromEnvironment(environment, log())->record(model, {}));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("NNHAL_RECORD_REQUESTS is '2x', expected a number"),
            std::string::npos);
  directory.clear();
  EXPECT_FALSE(Recorder::fromEnvironment(environment, log()));
}

} // namespace
