//===- Shards.cpp - Many files, each in a process of its own --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shards.h"

#include "Runtime/Support/Errors.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <list>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace nnhal;
using namespace nnhal::mutations;
using rt::Status;
using Clock = std::chrono::steady_clock;

namespace {

/// Text that outlives the process which wrote it.
class SharedText {
public:
  SharedText()
      : text(static_cast<char *>(::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {}
  SharedText(const SharedText &) = delete;
  SharedText &operator=(const SharedText &) = delete;
  ~SharedText() {
    if (isValid())
      ::munmap(text, size);
  }
  bool isValid() const { return text != MAP_FAILED; }
  void write(const std::string &value) {
    std::strncpy(text, value.c_str(), size - 1);
  }
  std::string read() const { return text; }

private:
  static constexpr size_t size = 4096;
  char *text;
};

/// A process that is killed when its object is destroyed before its end.
struct Child {
  Child() = default;
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  ~Child();

  std::string file;
  SharedText current;
  pid_t process = -1;
  rt::UniqueFd reading;
  std::string report;
  bool isReportComplete = false;
  Clock::time_point end;
  bool isLate = false;
  /// The state in which the process ended, as waitpid() tells it.
  int state = 0;
};

} // namespace

/// Whether the process of \p child has ended, after a wait for that unless
/// \p options has WNOHANG.
static bool reap(Child &child, int options) {
  pid_t ended = 0;
  do
    ended = ::waitpid(child.process, &child.state, options);
  while (ended < 0 && errno == EINTR);
  if (ended != 0)
    child.process = -1;
  return ended != 0;
}

Child::~Child() {
  if (process <= 0)
    return;
  ::kill(process, SIGKILL);
  (void)reap(*this, 0);
}

static std::string write(const Tally &tally, const Status &status) {
  nlohmann::json counts = nlohmann::json::array();
  for (const auto &[key, count] : tally.counts)
    counts.push_back({uint32_t(key.first), uint32_t(key.second), count});
  return nlohmann::json{{"counts", counts},
                        {"violations", tally.violations},
                        {"cases", tally.cases},
                        {"prepared", tally.prepared},
                        {"error", status.message()}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

static rt::Result<Tally> read(const nlohmann::json &report) {
  if (std::string error = report["error"]; !error.empty())
    return rt::failure("{}", error);
  Tally tally;
  for (const auto &row : report["counts"])
    tally.counts[{Kind(uint32_t(row[0])), rt::StatusCode(uint32_t(row[1]))}] =
        row[2];
  tally.violations = report["violations"];
  tally.cases = report["cases"];
  tally.prepared = report["prepared"];
  return tally;
}

/// Judges and writes the report. False if nobody reads that.
static bool judgeAndReport(Child &child, int writing, const JudgeFile &judge) {
  Tally tally;
  Status status = judge(child.file, tally, [&](const std::string &what) {
    child.current.write(what);
  });
  std::string report = write(tally, status);
  for (size_t done = 0; done < report.size();) {
    ssize_t count =
        ::write(writing, report.data() + done, report.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    done += size_t(count);
  }
  return true;
}

/// Devices and compilers of the child need no tidy end. An exception must not
/// unwind what the child has of its parent: its brothers would be killed.
[[noreturn]] static void runChild(Child &child, int writing,
                                  const JudgeFile &judge) {
  try {
    ::_exit(judgeAndReport(child, writing, judge) ? 0 : 1);
  } catch (...) {
    std::abort();
  }
}

static Status start(Child &child, unsigned seconds, const JudgeFile &judge) {
  int ends[2];
  if (!child.current.isValid() || ::pipe2(ends, O_CLOEXEC) != 0)
    return rt::outOfResources("no memory or pipe for a process");
  child.reading = rt::UniqueFd(ends[0]);
  rt::UniqueFd writing(ends[1]);
  (void)std::fflush(nullptr);
  child.process = ::fork();
  if (child.process < 0)
    return rt::outOfResources("no process: {}", std::strerror(errno));
  if (child.process == 0)
    runChild(child, writing.get(), judge);
  child.end = Clock::now() + std::chrono::seconds(seconds);
  return Status::ok();
}

/// Reads, for a moment, the report that \p child writes.
static void listen(Child &child) {
  pollfd ready = {child.reading.get(), POLLIN, 0};
  if (::poll(&ready, 1, 10) <= 0)
    return;
  char buffer[65536];
  ssize_t count = ::read(child.reading.get(), buffer, sizeof(buffer));
  if (count > 0)
    child.report.append(buffer, size_t(count));
  else if (count == 0 || errno != EINTR)
    child.isReportComplete = true;
}

/// Whether \p child has ended by itself or because its time was over.
static bool hasEnded(Child &child) {
  if (child.isReportComplete)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  else
    listen(child);
  if (!child.isLate && Clock::now() >= child.end) {
    child.isLate = true;
    ::kill(child.process, SIGKILL);
  }
  // A process may end before all that it wrote has been read.
  return (child.isReportComplete || child.isLate) && reap(child, WNOHANG);
}

static rt::Result<Tally> resultOf(const Child &child) {
  if (WIFEXITED(child.state) && WEXITSTATUS(child.state) == 0) {
    // A device that ends the process leaves no report.
    auto report = nlohmann::json::parse(child.report, nullptr,
                                        /*allow_exceptions=*/false);
    if (report.is_object())
      return read(report);
  }
  Tally died;
  std::string end =
      child.isLate ? "it did not end"
      : WIFSIGNALED(child.state)
          ? fmt::format("the process died of signal {}", WTERMSIG(child.state))
          : fmt::format("the process ended with status {}",
                        WEXITSTATUS(child.state));
  died.violations.push_back(
      fmt::format("{}: {}: {}", child.file, child.current.read(), end));
  return died;
}

rt::Result<Tally> mutations::judgeFiles(const std::vector<std::string> &files,
                                        unsigned jobs, unsigned seconds,
                                        const JudgeFile &judge) {
  Tally sum;
  Status firstError;
  std::list<Child> children;
  size_t next = 0;
  while (next < files.size() || !children.empty()) {
    while (next < files.size() && children.size() < jobs) {
      Child &child = children.emplace_back();
      child.file = files[next++];
      NNHAL_RETURN_IF_ERROR(start(child, seconds, judge));
    }
    for (auto it = children.begin(); it != children.end();) {
      if (!hasEnded(*it)) {
        ++it;
        continue;
      }
      rt::Result<Tally> tally = resultOf(*it);
      if (tally.isOk())
        sum.add(*tally);
      else if (firstError.isOk())
        firstError = std::move(tally).takeStatus().withContext(it->file);
      it = children.erase(it);
    }
  }
  NNHAL_RETURN_IF_ERROR(firstError);
  return sum;
}
