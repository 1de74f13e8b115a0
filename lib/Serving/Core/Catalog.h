//===- Catalog.h - The models of a server -----------------------*- C++ -*-===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NNHAL_LIB_SERVING_CORE_CATALOG_H
#define NNHAL_LIB_SERVING_CORE_CATALOG_H

#include "Metrics.h"
#include "Outcome.h"
#include "Repository.h"
#include "ServedVersion.h"
#include "Server.h"

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nnhal::serving {

/// The models of a folder: those that serve, and why others do not.
///
/// Threads:  every member may be called from any thread at once.
/// Blocking: refresh(), load() and unload() while another of them runs.
class Catalog {
public:
  /// \p executions and \p metrics live longer.
  Catalog(const ServerOptions &options, rt::Scheduler &executions,
          Metrics &metrics);

  /// Makes the devices of models whose settings name none. Fails like
  /// tools::Engine::create().
  rt::Status open();

  /// Loads what is new or has changed in the folder, and takes away what is
  /// gone. Fails when the folder cannot be read: everything stays as it is.
  rt::Status refresh();

  /// Server::load() and Server::unload().
  Outcome load(std::string_view model);
  Outcome unload(std::string_view model);

  /// Loads the version \p dead, whose device has died, anew from its files,
  /// once for all who ask meanwhile, and finds what serves \p version of its
  /// model instead. One that cannot be loaded is not ready until it is; each
  /// request tries again. Fails with unavailable, and with deadlineExceeded
  /// when others were loaded until \p deadline.
  Outcome replace(const ServedVersion &dead, std::string_view version,
                  rt::Deadline deadline, std::shared_ptr<ServedVersion> &found);

  /// Finds the version that serves, or else one whose device has died. Fails
  /// with notFound and unavailable.
  Outcome find(std::string_view model, std::string_view version,
               std::shared_ptr<ServedVersion> &found) const;
  /// Server::checkModelReady().
  Outcome checkReady(std::string_view model, std::string_view version) const;
  /// The names of the versions of \p model that serve, in ascending order.
  std::vector<std::string> versionsOf(std::string_view model) const;
  std::vector<IndexEntry> index(bool readyOnly) const;
  /// Whether every model that is not unloaded serves a version. A folder that
  /// could never be read is no model.
  bool isServing() const;

private:
  struct Version {
    /// Null where it does not serve.
    std::shared_ptr<ServedVersion> served;
    /// FoundVersion::stamp of what was last tried.
    std::string stamp;
    /// Why what was last tried is not what serves.
    std::string reason;
    bool isLoading = false;
    /// The device of `served` has died.
    bool isDead = false;

    bool isReady() const { return served && !isDead; }
  };
  struct Model {
    std::map<uint64_t, Version> versions;
    /// Why its files as they are now say nothing of versions.
    std::string reason;
    bool isUnloaded = false;
  };
  /// The outcome of an attempt to load a version anew.
  struct Replacement {
    /// The version whose device had died. It may be gone: its address is
    /// compared, and nothing else.
    const ServedVersion *of = nullptr;
    int64_t ended = 0;
    Outcome outcome;
  };

  rt::Result<std::shared_ptr<tools::Engine>>
  engineFor(const ModelConfig &config);
  template <typename Condition>
  Outcome loadAnew(std::string_view model, const Condition &isStale);
  void update(const std::string &name, const FoundModel &found);
  bool tryVersion(const std::string &name, uint64_t number,
                  const FoundVersion &found, const ModelConfig &config);
  rt::Result<std::shared_ptr<ServedVersion>>
  loadVersion(const std::string &name, uint64_t number,
              const FoundVersion &found, const ModelConfig &config);
  void fail(const std::string &name, const FoundModel &found,
            const rt::Status &status);
  void retain(const std::string &name, const std::vector<uint64_t> &wanted);
  const Version *versionOf(const std::string &name, uint64_t number) const;
  bool serves(const std::string &name, uint64_t number) const;
  bool hasDied(const std::string &name, uint64_t number) const;
  std::string reasonOf(std::string_view name) const;
  std::string markDead(const ServedVersion &dead);
  static std::string reasonIn(const Model &model);
  static std::string_view reasonIn(const Model &model, const Version &version);

  const ServerOptions &options;
  rt::Scheduler &executions;
  Metrics &metrics;

  /// Held by whoever loads.
  std::timed_mutex loading;
  /// By device and threads. Guarded by `loading`.
  std::map<std::pair<std::string, uint64_t>, std::weak_ptr<tools::Engine>>
      engines;

  /// The last replacement that failed. Guarded by `loading`.
  Replacement failed;

  /// The engine of models whose settings name no device.
  std::shared_ptr<tools::Engine> usual;

  mutable std::shared_mutex mutex;
  std::map<std::string, Model, std::less<>> models;
};

} // namespace nnhal::serving

#endif // NNHAL_LIB_SERVING_CORE_CATALOG_H
