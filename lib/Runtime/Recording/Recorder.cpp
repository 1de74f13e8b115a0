//===- Recorder.cpp - Models and requests written to files ----------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Recorder.h"
#include "RecordedExecution.h"
#include "RecordedTensors.h"
#include "Runtime/Formats/Json/RecordingText.h"
#include "Runtime/Formats/Json/TestCaseWriter.h"
#include "Runtime/Support/AtomicFile.h"
#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"
#include "nnhal/Runtime/JsonModel.h"
#include "nnhal/Runtime/Validate.h"

#include <atomic>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <new>
#include <unistd.h>

using namespace nnhal::rt;

/// The constants of a pool of at most this many bytes are stated in the text.
static constexpr uint64_t maxInlinePool = 4096;
/// Constants begin at multiples of this in the file beside the text.
static constexpr size_t constantsAlignment = 64;

/// The folder of the recorder, and what all of its models share.
struct Recorder::State {
  RecorderOptions options;
  std::mutex mutex;
  uint64_t lastModel = 0;
  /// Waits for the ends of fenced executions. It is the recorder's own: files
  /// are written on its thread.
  std::shared_ptr<Reactor> reactor = Reactor::create();

  std::string path(std::string_view name) const {
    return fmt::format("{}/{}", options.directory, name);
  }
  Status write(std::string_view name, std::string_view text) const {
    return writeFileAtomically(path(name), std::as_bytes(std::span(text)))
        .withContext(name);
  }
  /// Tells what is not recorded and why.
  void tell(std::string_view what, const Status &status) const noexcept {
    if (options.log)
      writeError(*options.log, "{} is not recorded: {}", what,
                 status.message());
  }
  /// A name that no model in the folder has.
  std::string newName() {
    std::lock_guard lock(mutex);
    std::string name;
    do
      name = fmt::format("{}-{}", getpid(), ++lastModel);
    while (access(path(name + ".json").c_str(), F_OK) == 0);
    return name;
  }
};

/// Calls \p work, which fails or throws, and returns its failure.
template <typename Work> static Status guarded(Work work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    // A message that needs no memory.
    return Status(StatusCode::resourceExhaustedTransient, "no memory");
  } catch (const std::exception &error) {
    return Status(StatusCode::generalFailure, error.what());
  }
}

namespace {

/// Puts the large pools of \p model into the bytes of one file, \p name.
Status movePools(Model &model, const std::string &name,
                 std::vector<std::byte> &bytes) {
  for (size_t i = 0; i < model.pools.size(); ++i) {
    Pool &pool = model.pools[i];
    auto memory = pool.memory.materialize();
    if (!memory.isOk())
      return memory.status().withContext(fmt::format("pool {}", i));
    pool.memory = *std::move(memory);
    pool.file.clear();
    pool.fileOffset = 0;
    if (pool.memory.size() <= maxInlinePool)
      continue;
    NNHAL_ASSIGN_OR_RETURN(std::span<const std::byte> content,
                           pool.memory.bytes());
    bytes.resize((bytes.size() + constantsAlignment - 1) / constantsAlignment *
                 constantsAlignment);
    pool.file = name;
    pool.fileOffset = bytes.size();
    bytes.insert(bytes.end(), content.begin(), content.end());
  }
  return Status::ok();
}

class RecordedModelFile final
    : public RecordedModel,
      public std::enable_shared_from_this<RecordedModelFile> {
public:
  RecordedModelFile(std::string name, std::string directory, uint64_t requests,
                    std::shared_ptr<Reactor> reactor,
                    std::shared_ptr<const Log> log)
      : name(std::move(name)), directory(std::move(directory)),
        requests(requests), reactor(std::move(reactor)), log(std::move(log)) {}

  /// Keeps what the cases of \p model need.
  void keep(const AnnotatedModel &annotated, const RecordedSettings &settings,
            std::string json) {
    test.recording.emplace().settings = settings;
    modelJson = std::move(json);
    interface = interfaceOf(annotated);
    test.model.main = annotated.model.main;
    auto version = lowestVersion(annotated.model);
    if (version.isOk())
      test.minHalVersion = *version;
  }

  void record(const Request &request, const Status &status,
              const ExecutionResult &result, const RequestCall &call) override {
    if (uint64_t number = nextNumber())
      record(number, request, status, result, call);
  }

  std::shared_ptr<FencedExecution>
  recordFenced(const Request &request,
               std::shared_ptr<FencedExecution> execution,
               std::chrono::steady_clock::time_point begin) override {
    uint64_t number = nextNumber();
    if (number == 0)
      return execution;
    FenceRef fence = execution->fence();
    if (!fence || fence->poll() != FenceState::active) {
      recordEnd(number, request, *execution, begin);
      return execution;
    }
    std::shared_ptr<FencedExecution> told;
    Status waits = guarded([&]() -> Status {
      auto hasEnded = [self = shared_from_this(), number, request,
                       begin](const FencedExecution &ended) {
        self->recordEnd(number, request, ended, begin);
      };
      NNHAL_ASSIGN_OR_RETURN(
          told,
          RecordedExecution::create(execution, std::move(hasEnded), *reactor));
      return Status::ok();
    });
    if (waits.isOk())
      return told;
    tell(number, waits);
    return execution;
  }

private:
  /// The number of a request, or 0 for one that is left alone.
  uint64_t nextNumber() {
    uint64_t number = 1 + last.fetch_add(1, std::memory_order_relaxed);
    return number > requests ? 0 : number;
  }

  void record(uint64_t number, const Request &request, const Status &status,
              const ExecutionResult &result,
              const RequestCall &call) const noexcept {
    Status written =
        guarded([&] { return write(number, request, status, result, call); });
    if (!written.isOk())
      tell(number, written);
  }

  /// A fenced execution has the shapes that its request states.
  void recordEnd(uint64_t number, const Request &request,
                 const FencedExecution &execution,
                 std::chrono::steady_clock::time_point begin) const noexcept {
    Status written = guarded([&] {
      return write(number, request, execution.executionInfo().status, {},
                   {RecordedWay::fenced, begin});
    });
    if (!written.isOk())
      tell(number, written);
  }

  /// Tells why the request \p number is not recorded.
  void tell(uint64_t number, const Status &why) const noexcept {
    if (log)
      writeError(*log, "request {} of the model {} is not recorded: {}", number,
                 name, why.message());
  }

  Status write(uint64_t number, const Request &request, const Status &status,
               const ExecutionResult &result, const RequestCall &call) const {
    auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::steady_clock::now() - call.begin);
    TestCase written = test;
    written.recording->calls.push_back(
        {call.way,
         {status.code(), uint64_t(elapsed.count())},
         request.loopTimeout});
    written.name = fmt::format("{}-{}", name, number);
    written.spec = status.isOk()
                       ? "recorded"
                       : fmt::format("recorded: {}: {}",
                                     toString(status.code()), status.message());
    NNHAL_ASSIGN_OR_RETURN(
        TestExample example,
        recordedExample(interface, request, result, status.isOk()));
    written.examples.push_back(std::move(example));
    NNHAL_ASSIGN_OR_RETURN(std::string text, writeTestCase(written, modelJson));
    return writeFileAtomically(
        fmt::format("{}/cases/{}.json", directory, written.name),
        std::as_bytes(std::span(text)));
  }

  const std::string name;
  const std::string directory;
  const uint64_t requests;
  const std::shared_ptr<Reactor> reactor;
  const std::shared_ptr<const Log> log;
  std::atomic<uint64_t> last = 0;
  /// The model as the files of cases state it.
  std::string modelJson;
  Interface interface;
  TestCase test;
};

} // namespace

Recorder::Recorder(RecorderOptions options) : state(std::make_shared<State>()) {
  state->options = std::move(options);
  Status made = guarded([&] {
    std::error_code error;
    std::filesystem::create_directories(state->path("cases"), error);
    return error ? failure("{}", error.message()) : Status::ok();
  });
  if (!made.isOk())
    state->tell(state->path("cases"), made);
}

Recorder::~Recorder() = default;

std::unique_ptr<Recorder> Recorder::fromEnvironment(
    const std::function<const char *(const char *)> &environment,
    std::shared_ptr<const Log> log) {
  const char *directory = environment("NNHAL_RECORD");
  if (!directory || !*directory)
    return nullptr;
  RecorderOptions options;
  options.directory = directory;
  options.log = std::move(log);
  if (const char *text = environment("NNHAL_RECORD_REQUESTS")) {
    std::string_view digits = text;
    auto [end, error] = std::from_chars(
        digits.data(), digits.data() + digits.size(), options.requests);
    if (error != std::errc() || end != digits.data() + digits.size()) {
      options.requests = 0;
      if (options.log)
        writeError(*options.log,
                   "NNHAL_RECORD_REQUESTS is '{}', expected a number", digits);
    }
  }
  return std::make_unique<Recorder>(std::move(options));
}

std::shared_ptr<RecordedModel>
Recorder::record(const AnnotatedModel &source,
                 const RecordedSettings &settings) {
  std::shared_ptr<RecordedModelFile> recorded;
  Status written = guarded([&] {
    std::string name = state->newName();
    std::string constants = name + ".bin";
    Model model = source.model;
    std::vector<std::byte> bytes;
    NNHAL_RETURN_IF_ERROR(movePools(model, "cases/" + constants, bytes));
    NNHAL_ASSIGN_OR_RETURN(std::string text, writeJsonModel(model));
    if (!bytes.empty())
      NNHAL_RETURN_IF_ERROR(
          writeFileAtomically(state->path("cases/" + constants), bytes)
              .withContext(constants));
    NNHAL_RETURN_IF_ERROR(
        state->write(name + ".settings.json", textOf(settings) + "\n"));
    // The model comes last: where it is, everything that it needs is.
    NNHAL_RETURN_IF_ERROR(state->write(name + ".json", text));
    if (state->options.requests == 0)
      return Status::ok();
    for (Pool &pool : model.pools)
      if (!pool.file.empty())
        pool.file = constants;
    NNHAL_ASSIGN_OR_RETURN(std::string caseText, writeJsonModel(model));
    auto made = std::make_shared<RecordedModelFile>(
        name, state->options.directory, state->options.requests, state->reactor,
        state->options.log);
    made->keep(source, settings, std::move(caseText));
    recorded = std::move(made);
    return Status::ok();
  });
  if (!written.isOk())
    state->tell("a model", written);
  return recorded;
}
