//===- UsersTest.cpp - A service and clients of another user --------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tests need to be root, who can become two other users.
//
//===----------------------------------------------------------------------===//

#include "nnhal/Runtime/Compiler.h"

#include "../Core/ReluModel.h"
#include "Launch.h"

#include <functional>
#include <sys/stat.h>

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

constexpr uid_t serviceUser = 65533;
constexpr uid_t clientUser = 65534;

/// Returns the text of \p work, called in a process of user \p user.
std::string runAs(uid_t user, const std::function<std::string()> &work) {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) {
    std::string text = "cannot become another user";
    try {
      // On a thread without the event loop of the test.
      if (::setgid(user) == 0 && ::setuid(user) == 0)
        text = std::async(std::launch::async, work).get();
    } catch (const std::exception &error) {
      text = error.what();
    }
    (void)!::write(ends[1], text.data(), text.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char part[1024];
  ssize_t size = 0;
  while ((size = ::read(ends[0], part, sizeof(part))) > 0)
    text.append(part, size_t(size));
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return text;
}

class UsersTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (::geteuid() != 0)
      GTEST_SKIP() << "only root can become other users";
    ::chmod(service.folder.path().c_str(), 0755);
    ASSERT_EQ(::chown(service.folder.path().c_str(), serviceUser, serviceUser),
              0);
    service.options.user = serviceUser;
  }
  void start(std::vector<std::string> arguments) {
    service.options.arguments.insert(service.options.arguments.end(),
                                     arguments.begin(), arguments.end());
    service.start();
  }

  Service service;
};

TEST_F(UsersTest, OthersAreRefused) {
  start({"--socket-mode=0666"});
  EXPECT_EQ(runAs(clientUser,
                  [&] {
                    kj::AsyncIoContext io = kj::setupAsyncIo();
                    return Client(service.path(), io).hello().message();
                  }),
            "user 65534 is not among the users of the service");
  EXPECT_EQ(service.report()["service"]["refused"], 1);
}

TEST_F(UsersTest, TheSocketIsClosedToOthersUnlessSomeAreListed) {
  start({});
  EXPECT_EQ(runAs(clientUser,
                  [&] { return connectTo(service.path()).status().message(); }),
            "cannot connect to the service at '" + service.path() +
                "': Permission denied");
}

TEST_F(UsersTest, ReportsShowAUserItsOwnClients) {
  start({"--user=65534"});
  auto count = [&] {
    kj::AsyncIoContext io = kj::setupAsyncIo();
    Client client(service.path(), io);
    if (!client.hello().isOk())
      return std::string("refused");
    auto device = client.open("nnhal-reference");
    if (!device.isOk())
      return device.status().message();
    return std::to_string(service.device("nnhal-reference")["clients"].size());
  };
  kj::AsyncIoContext io = kj::setupAsyncIo();
  Client own(service.path(), io);
  ASSERT_TRUE(own.hello().isOk());
  auto device = own.open("nnhal-reference");
  ASSERT_TRUE(device.isOk()) << device.status().message();
  EXPECT_EQ(runAs(clientUser, count), "1");
  EXPECT_EQ(runAs(serviceUser, count), "2");
}

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// The files of a cache entry that belong to the client.
struct EntryFiles {
  explicit EntryFiles(const std::string &folder)
      : model(folder + "/model"), data(folder + "/data") {}

  rt::PrepareOptions options() {
    rt::PrepareOptions options;
    modelFd = rt::UniqueFd(::open(model.c_str(), O_RDWR | O_CREAT, 0600));
    dataFd = rt::UniqueFd(::open(data.c_str(), O_RDWR | O_CREAT, 0600));
    options.cache.modelCache = {{modelFd.get()}};
    options.cache.dataCache = {{dataFd.get()}};
    options.token = {1, 2, 3};
    return options;
  }
  void changeByte(std::streamoff place) const {
    std::fstream file(model, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    char letter = char(file.get());
    file.seekp(place);
    file.put(char(letter ^ 1));
  }

  std::string model;
  std::string data;
  rt::UniqueFd modelFd;
  rt::UniqueFd dataFd;
};

/// A client of nnhal-cpu, in its own process.
class CpuClient {
public:
  explicit CpuClient(const std::string &path) : client(path, io) {
    rt::Status entered = client.hello();
    auto opened = client.open("nnhal-cpu");
    if (!entered.isOk() || !opened.isOk())
      throw std::runtime_error(entered.message() + opened.status().message());
    channel = std::move(*opened);
    driver = channel->peer().castAs<wire::Driver>();
  }

  rt::Status prepare(EntryFiles &files) {
    auto request = driver.prepareModelRequest();
    NNHAL_RETURN_IF_ERROR(write(rt::test::reluModel(), request.initModel()));
    NNHAL_RETURN_IF_ERROR(write(files.options(), request.initOptions()));
    return read(request.send().wait(io.waitScope).getStatus());
  }
  /// "hit", or why the entry is not used.
  std::string load(EntryFiles &files) {
    auto request = driver.prepareModelFromCacheRequest();
    rt::Status written = write(files.options(), request.initOptions());
    if (!written.isOk())
      return written.message();
    auto answer = request.send().wait(io.waitScope);
    rt::Status status = read(answer.getStatus());
    if (status.isOk() && !answer.hasModel())
      return "no model";
    for (auto event : answer.getCache())
      return std::string(rt::toString(rt::CacheOutcome(event.getOutcome())));
    return status.isOk() ? "hit" : status.message();
  }

private:
  kj::AsyncIoContext io = kj::setupAsyncIo();
  Client client;
  kj::Own<Channel> channel;
  wire::Driver::Client driver = nullptr;
};

class CacheOfAnotherUserTest : public UsersTest {
protected:
  void SetUp() override {
    UsersTest::SetUp();
    if (IsSkipped())
      return;
    if (!rt::LazyCompiler().identity().isOk())
      GTEST_SKIP() << "there is no compiler";
    ASSERT_EQ(::chown(own.path().c_str(), clientUser, clientUser), 0);
    start({"--user=65534"});
  }

  Folder own;
};

// E-058, E-062: whoever owns the files cannot make the device run other code.
TEST_F(CacheOfAnotherUserTest, ChangedFilesAreNotUsed) {
  EXPECT_EQ(runAs(clientUser,
                  [&] {
                    EntryFiles files(own.path());
                    CpuClient cpu(service.path());
                    rt::Status prepared = cpu.prepare(files);
                    return prepared.isOk() ? cpu.load(files)
                                           : prepared.message();
                  }),
            "hit")
      << service.log();
  auto size = std::streamoff(std::filesystem::file_size(own / "model"));
  ASSERT_GT(size, 1000);
  for (std::streamoff place : {size / 4, size / 2, size - 1})
    EXPECT_EQ(runAs(clientUser,
                    [&] {
                      EntryFiles files(own.path());
                      files.changeByte(place);
                      std::string outcome =
                          CpuClient(service.path()).load(files);
                      files.changeByte(place);
                      return outcome;
                    }),
              "tampered")
        << place;
}

// E-059: an entry that another service of the same build wrote, which the
// client runs with a state directory of its own.
TEST_F(CacheOfAnotherUserTest, ForgedEntriesAreNotUsed) {
  Service forger;
  forger.options.user = clientUser;
  ASSERT_EQ(::chown(forger.folder.path().c_str(), clientUser, clientUser), 0);
  forger.start();
  auto load = [&](const Service &from) {
    return runAs(clientUser, [&] {
      EntryFiles files(own.path());
      return CpuClient(from.path()).load(files);
    });
  };
  EXPECT_EQ(runAs(clientUser,
                  [&] {
                    EntryFiles files(own.path());
                    return CpuClient(forger.path()).prepare(files).message();
                  }),
            "");
  EXPECT_EQ(load(forger), "hit");
  EXPECT_EQ(load(service), "not-recorded");
}

// The client cannot write what the device has recorded.
TEST_F(CacheOfAnotherUserTest, TheStateIsTheServicesOwn) {
  std::string state = service.folder / "state/nnhal-cpu";
  struct stat info;
  ASSERT_TRUE(waitFor([&] { return ::stat(state.c_str(), &info) == 0; }));
  EXPECT_EQ(info.st_uid, serviceUser);
  EXPECT_EQ(info.st_mode & 07777, 0700u);
}

} // namespace
