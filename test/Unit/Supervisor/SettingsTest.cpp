//===- SettingsTest.cpp - The file of settings ----------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "Service/Supervisor/Settings.h"

using namespace nnhal;
using namespace nnhal::service;
using namespace nnhal::service::test;

namespace {

std::string errorOf(std::string_view text) {
  Settings settings;
  return applyConfig(text, settings).message();
}

TEST(SettingsTest, EveryKeyIsRead) {
  Settings settings;
  rt::Status status = applyConfig(R"({
    "socket": "/run/s", "socketMode": "0660", "devices": ["nnhal-cpu"],
    "plugins": ["a.so", "b.so"], "stateDirectory": "/var/s",
    "users": ["root", 7], "drainSeconds": 3, "startAtOnce": true,
    "compile": {"memory": 1000, "seconds": 20},
    "quotas": {"memory": 1, "models": 2, "buffers": 3, "bursts": 4,
               "executions": 5, "preparations": 6, "descriptors": 7,
               "connections": 8}})",
                                  settings);
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(settings.socket, "/run/s");
  EXPECT_EQ(settings.socketMode, 0660u);
  EXPECT_EQ(settings.devices, std::vector<std::string>{"nnhal-cpu"});
  EXPECT_EQ(settings.plugins, (std::vector<std::string>{"a.so", "b.so"}));
  EXPECT_EQ(settings.stateDirectory, "/var/s");
  EXPECT_EQ(settings.users, (std::vector<uint32_t>{0, 7}));
  EXPECT_EQ(settings.drainSeconds, 3u);
  EXPECT_TRUE(settings.startAtOnce);
  EXPECT_EQ(settings.compile.memory, 1000u);
  EXPECT_EQ(settings.compile.seconds, 20u);
  uint64_t expected = 1;
  for (const NamedNumber &number : numbersOf(settings.quotas))
    EXPECT_EQ(number.value, expected++) << number.name;
  EXPECT_EQ(expected, 9u);
}

TEST(SettingsTest, ErrorsNameThePlace) {
  EXPECT_EQ(errorOf("{"), "not JSON: byte 2");
  EXPECT_EQ(errorOf("[]"), "the file is array, an object is expected");
  EXPECT_EQ(errorOf(R"({"sockets": 1})"), "'sockets' is not a setting");
  EXPECT_EQ(errorOf(R"({"socket": 1})"),
            "'socket' is number, a text is expected");
  EXPECT_EQ(errorOf(R"({"socket": "a", "socket": "b"})"),
            "the key 'socket' comes twice in one object");
  EXPECT_EQ(errorOf(R"({"quotas": {"models": 1, "models": 2}})"),
            "the key 'models' comes twice in one object");
  EXPECT_EQ(errorOf(R"({"quotas": 3})"),
            "'quotas' is number, an object is expected");
  EXPECT_EQ(errorOf(R"({"quotas": {"model": 1}})"),
            "'quotas.model' is not a setting");
  EXPECT_EQ(errorOf(R"({"quotas": {"models": -1}})"),
            "'quotas.models' is number, a number from 0 on is expected");
  EXPECT_EQ(errorOf(R"({"devices": ["a", 1]})"),
            "'devices[1]' is number, a text is expected");
  EXPECT_EQ(errorOf(R"({"plugins": "a"})"),
            "'plugins' is string, a list of texts is expected");
  EXPECT_EQ(errorOf(R"({"users": 0})"),
            "'users' is number, a list of users is expected");
  EXPECT_EQ(errorOf(R"({"users": ["root", "no such user"]})"),
            "'users[1]': there is no user 'no such user'");
  EXPECT_EQ(errorOf(R"({"socketMode": "0999"})"),
            "'socketMode': '0999' is not an octal number from 0 to 0777");
  EXPECT_EQ(errorOf(R"({"startAtOnce": 1})"),
            "'startAtOnce' is number, true or false is expected");
}

TEST(SettingsTest, FilesAreNamed) {
  Folder folder;
  std::string path = folder / "config";
  std::ofstream(path) << "{}x";
  Settings settings;
  EXPECT_EQ(applyConfigFile(path, settings).message(),
            "config '" + path + "': not JSON: byte 3");
  EXPECT_FALSE(applyConfigFile(folder / "nothing", settings).isOk());
}

} // namespace
