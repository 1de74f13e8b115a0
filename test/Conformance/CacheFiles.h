//===- CacheFiles.h - Files of cache entries for tests ----------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_TEST_CONFORMANCE_CACHEFILES_H
#define NNHAL_TEST_CONFORMANCE_CACHEFILES_H

#include "Conformance.h"

#include <fcntl.h>
#include <string>

namespace nnhal::rt::conformance {

/// A folder for as long as the object lives.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  const std::string &path() const { return name; }

private:
  std::string name;
};

/// The two files of an entry, and handles for them as a client makes them.
class EntryFiles {
public:
  explicit EntryFiles(std::string prefix)
      : modelPath(prefix + ".model"), dataPath(prefix + ".data") {}

  /// Opens both, creating what is missing; the handles stay valid until the
  /// next call.
  CacheHandles open(int modelFlags = O_RDWR | O_CREAT,
                    int dataFlags = O_RDWR | O_CREAT);

  const std::string modelPath;
  const std::string dataPath;

private:
  UniqueFd model;
  UniqueFd data;
};

std::vector<std::byte> readAll(const std::string &path);
void writeAll(const std::string &path, std::span<const std::byte> bytes);

enum class Precision { float32, quant8 };
std::string toString(Precision precision);

/// A model of two inputs with a constant, for which a device has something to
/// keep in both files.
AnnotatedModel cachedModel(Precision precision);
/// What expectWorks() expects; another model with the same interface.
AnnotatedModel otherModel(Precision precision);

/// What executing \p model gives, byte for byte.
std::vector<std::byte> resultOf(const PreparedModel &model);

/// A device with a state directory of its own.
class CacheTest : public testing::Test {
protected:
  /// Again, as after a restart.
  void restart();

  /// Skips unless the device keeps entries and executes \p model.
  std::optional<std::string> reasonToSkip(const AnnotatedModel &model) const;

  PreparedModelRef prepare(const AnnotatedModel &model,
                           const CacheHandles &handles,
                           const CacheToken &token);

  struct Loaded {
    Status status;
    PreparedModelRef model;
    CacheOutcome outcome = CacheOutcome::off;
    std::string detail;
  };
  Loaded load(const CacheHandles &handles, const CacheToken &token,
              const PrepareOptions &options = {});
  /// Loads, and expects that nothing comes of it: E-046 and its like.
  void expectRefused(const CacheHandles &handles, const CacheToken &token,
                     std::initializer_list<StatusCode> codes,
                     std::optional<CacheOutcome> outcome = {});

  static DeviceServices servicesIn(std::string stateDirectory) {
    DeviceServices services;
    services.stateDirectory = std::move(stateDirectory);
    return services;
  }

  TemporaryDirectory directory;
  DeviceServices services = servicesIn(directory.path() + "/state");
  std::unique_ptr<Device> device = createDeviceUnderTest(services);
  EntryFiles files{directory.path() + "/entry"};
  CacheToken token = {1, 2, 3, 4, 5};
  /// What the last preparation told.
  CacheOutcome saveProblem = CacheOutcome::off;
};

class CachePrecisionTest : public CacheTest,
                           public testing::WithParamInterface<Precision> {};

} // namespace nnhal::rt::conformance

#endif // NNHAL_TEST_CONFORMANCE_CACHEFILES_H
