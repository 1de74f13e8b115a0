//===- Recorder.h - Models and requests written to files --------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The requests of a program to the runtime, as files that nnhal-run replays: a
// report of a bug in one folder. Of the model N of process PID there is
//
//   PID-N.json            the model: nnhal-run PID-N.json
//   PID-N.settings.json   how it was compiled: --settings=PID-N.settings.json
//   cases/PID-N.bin       constants that are too large for a text
//   cases/PID-N-R.json    its request R with the outputs that were computed:
//                         nnhal-run --check cases, and the same bit for bit:
//                         nnhal-run --replay=cases/PID-N-R.json
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_RUNTIME_RECORDER_H
#define NNHAL_RUNTIME_RECORDER_H

#include "nnhal/Runtime/Api.h"
#include "nnhal/Runtime/Execution.h"
#include "nnhal/Runtime/Log.h"
#include "nnhal/Runtime/PreparedModel.h"
#include "nnhal/Runtime/Recording.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nnhal::rt {

struct AnnotatedModel;

struct RecorderOptions {
  /// The folder, which is created where it is missing.
  std::string directory;
  /// How many requests of each model are recorded.
  uint64_t requests = 0;
  /// Hears of what cannot be recorded; may be null.
  std::shared_ptr<const Log> log;
};

/// Reads a file PID-N.settings.json. Fails with invalidArgument, which names
/// the file and the member, for what no Recorder writes, and as
/// Memory::readFile() does.
NNHAL_API Result<RecordedSettings>
readRecordedSettings(const std::string &path);

/// The call of a request by a program.
struct RequestCall {
  RecordedWay way = RecordedWay::sync;
  /// When the program called.
  std::chrono::steady_clock::time_point begin;
};

/// A model that was recorded, for its requests.
///
/// Threads: any.
class NNHAL_API RecordedModel {
public:
  virtual ~RecordedModel() = default;

  /// Writes \p request, whose execution \p call says, which has ended with
  /// \p status and \p result and whose memory is still there, as a test case
  /// that expects the computed
  /// outputs. The case of an execution that failed compares nothing: it fails
  /// where the failure comes again. Requests beyond the number that is recorded
  /// are left alone, and so is one with memory of a device, which the log
  /// hears. Never throws.
  virtual void record(const Request &request, const Status &status,
                      const ExecutionResult &result,
                      const RequestCall &call) = 0;

  /// Writes \p request, with which \p execution was begun at \p begin, in the
  /// same way when
  /// that has ended. The returned execution takes the place of \p execution:
  /// its fence signals after that of \p execution, when the request is written,
  /// so that the memory is still there. It is \p execution itself where there
  /// is nothing to wait for. Never throws.
  virtual std::shared_ptr<FencedExecution>
  recordFenced(const Request &request,
               std::shared_ptr<FencedExecution> execution,
               std::chrono::steady_clock::time_point begin) = 0;
};

/// Writes models and requests.
///
/// Files appear at once, or not at all (a full disk). What cannot be written is
/// told to the log, and the program goes on.
///
/// Ownership: recorded models live on without the recorder.
/// Threads:   any. Of several processes that record into one folder each has
///            names of its own.
class NNHAL_API Recorder {
public:
  explicit Recorder(RecorderOptions options);
  ~Recorder();

  /// Makes the recorder that the environment asks for, which \p environment
  /// answers as getenv(): NNHAL_RECORD is the folder, NNHAL_RECORD_REQUESTS the
  /// number of requests. Null when there is no folder. A number that is none is
  /// told to \p log and counts as 0.
  static std::unique_ptr<Recorder>
  fromEnvironment(const std::function<const char *(const char *)> &environment,
                  std::shared_ptr<const Log> log);

  /// Writes \p model, which is valid, and \p settings. Null when there is
  /// nothing to record its requests for: they are not wanted, or the model was
  /// not written. Never throws.
  std::shared_ptr<RecordedModel> record(const AnnotatedModel &model,
                                        const RecordedSettings &settings);

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace nnhal::rt

#endif // NNHAL_RUNTIME_RECORDER_H
