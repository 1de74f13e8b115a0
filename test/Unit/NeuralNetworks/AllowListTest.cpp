//===- AllowListTest.cpp - Programs that may use extensions ---------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/NeuralNetworks/AllowList.h"

#include "Runtime/NeuralNetworks/Extension.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace nnhal::ndk;

namespace {

class AllowListTest : public ::testing::Test {
protected:
  AllowListTest() {
    std::string pattern = ::testing::TempDir() + "allow-list-XXXXXX";
    folder = ::mkdtemp(pattern.data());
    list = (folder / "list").string();
  }
  ~AllowListTest() override { std::filesystem::remove_all(folder); }

  void write(const std::string &text, mode_t mode = 0644) {
    std::ofstream(list) << text;
    ASSERT_EQ(::chmod(list.c_str(), mode), 0);
  }
  bool allows(const std::string &executable) {
    auto allowed = allowsExtensions(list, executable);
    EXPECT_EQ(allowed.status().message(), "");
    return allowed.isOk() && *allowed;
  }
  void expectRefused(const std::string &message) {
    auto allowed = allowsExtensions(list, "/usr/bin/camera");
    EXPECT_EQ(allowed.status().code(), nnhal::rt::StatusCode::invalidArgument);
    EXPECT_EQ(allowed.status().message(), message);
  }

  std::filesystem::path folder;
  std::string list;
};

// H-043: where nobody has written a list, every program may use extensions.
TEST_F(AllowListTest, AbsentListAllows) {
  EXPECT_TRUE(allows("/usr/bin/camera"));
  list += "/below/a/file/that/is/not/there";
  EXPECT_TRUE(allows("/usr/bin/camera"));
}

// H-036, H-037, H-043: one entry per line. A path is that of an executable;
// names of Java packages and everything else let no program in.
TEST_F(AllowListTest, ListsExecutables) {
  write("/usr/bin/camera\n"
        "com.example.app\n"
        "usr/bin/relative\n"
        "# a remark\n"
        "\n"
        " /usr/bin/indented\n"
        "/opt/last.program");
  EXPECT_TRUE(allows("/usr/bin/camera"));
  EXPECT_TRUE(allows("/opt/last.program"));
  for (const char *other :
       {"/usr/bin/camera2", "/usr/bin", "com.example.app", "usr/bin/relative",
        "# a remark", "", " /usr/bin/indented", "/usr/bin/indented"})
    EXPECT_FALSE(allows(other)) << other;
  write("");
  EXPECT_FALSE(allows("/usr/bin/camera"));
  EXPECT_FALSE(allows(""));
}

// H-036: a list that others can change is none.
TEST_F(AllowListTest, IsTheOwnersAlone) {
  for (unsigned mode : {0664u, 0646u}) {
    write("/usr/bin/camera\n", mode);
    expectRefused("the list '" + list +
                  "' can be written to by other users (mode 0" +
                  (mode == 0664 ? "664" : "646") + ")");
  }
  write("/usr/bin/camera\n", 0444);
  EXPECT_TRUE(allows("/usr/bin/camera"));
}

// H-036: nor is one of another user.
TEST_F(AllowListTest, IsNotOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root gives files away";
  write("/usr/bin/camera\n", 0444);
  ASSERT_EQ(::chown(list.c_str(), 4711, 4711), 0);
  expectRefused("the list '" + list +
                "' belongs to user 4711, neither to root nor to user 0");
}

TEST_F(AllowListTest, IsARegularFile) {
  ASSERT_EQ(::mkdir(list.c_str(), 0755), 0);
  expectRefused("the list '" + list + "' is not a regular file");
  std::filesystem::remove(list);
  ASSERT_EQ(::mkfifo(list.c_str(), 0644), 0);
  expectRefused("the list '" + list + "' is not a regular file");
}

TEST_F(AllowListTest, IsReadable) {
  list = std::string(5000, 'x');
  expectRefused("cannot read the list '" + list + "': File name too long");
}

TEST_F(AllowListTest, IsNotHuge) {
  write(std::string((1 << 20) + 1, '\n'));
  expectRefused("the list '" + list + "' has 1048577 bytes, more than 1048576");
  write("/usr/bin/camera\n" + std::string((1 << 20) - 16, '\n'));
  EXPECT_TRUE(allows("/usr/bin/camera"));
}

TEST(ThisExecutableTest, IsAnAbsolutePath) {
  EXPECT_TRUE(thisExecutable().starts_with("/"));
  EXPECT_TRUE(thisExecutable().ends_with("NNHalNeuralNetworksPartsTests"));
}

// H-042: what is forbidden is unsupported, and still has codes.
TEST(AllowListExtensionsTest, AreForbidden) {
  Extensions extensions;
  uint32_t code = extensions.codeOf("com.example.any", 3).value();
  EXPECT_TRUE(extensions.mayHaveOperation(code));
  EXPECT_FALSE(extensions.mayHaveOperation(code + 0x10000));
  EXPECT_FALSE(extensions.areForbidden());
  extensions.forbid();
  EXPECT_TRUE(extensions.areForbidden());
  EXPECT_FALSE(extensions.mayHaveOperation(code));
  EXPECT_EQ(extensions.codeOf("com.example.any", 3), code);
  EXPECT_FALSE(extensions.find(code).has_value());
}

} // namespace
