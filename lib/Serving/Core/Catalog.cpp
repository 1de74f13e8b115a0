//===- Catalog.cpp - The models of a server -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ranges>

using namespace nnhal;
using namespace nnhal::serving;
using rt::Status;

Catalog::Catalog(const ServerOptions &options, rt::Scheduler &executions,
                 Metrics &metrics)
    : options(options), executions(executions), metrics(metrics) {}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// The text of \p reason, why a model does not serve; a version without one is
/// being loaded.
static std::string_view textOf(std::string_view reason) {
  return reason.empty() ? "it is being loaded" : reason;
}

Outcome Catalog::find(std::string_view model, std::string_view version,
                      std::shared_ptr<ServedVersion> &found) const {
  std::shared_lock lock(mutex);
  auto entry = models.find(model);
  if (entry == models.end())
    return refuse(OutcomeCode::notFound, "there is no model '{}'", model);
  if (entry->second.isUnloaded)
    return refuse(OutcomeCode::unavailable, "model '{}' is unloaded", model);
  const auto &versions = entry->second.versions;
  found = nullptr;
  for (const auto &[number, candidate] : versions | std::views::reverse) {
    if (!version.empty() && std::to_string(number) != version)
      continue;
    if (candidate.isReady() || (candidate.served && !found))
      found = candidate.served;
    if (candidate.isReady())
      return Outcome();
    if (!version.empty() && !found)
      return refuse(OutcomeCode::unavailable,
                    "version {} of model '{}' is not ready: {}", number, model,
                    textOf(reasonIn(entry->second, candidate)));
  }
  if (found)
    return Outcome();
  // Nothing is known of its versions yet.
  if (!version.empty() && !versions.empty())
    return refuse(OutcomeCode::notFound, "model '{}' has no version '{}'",
                  model, version);
  return refuse(OutcomeCode::unavailable, "model '{}' is not ready: {}", model,
                textOf(reasonIn(entry->second)));
}

Outcome Catalog::checkReady(std::string_view model,
                            std::string_view version) const {
  std::shared_ptr<ServedVersion> found;
  if (Outcome missing = find(model, version, found); !missing.isOk())
    return missing;
  std::shared_lock lock(mutex);
  auto entry = models.find(model);
  if (entry == models.end())
    return refuse(OutcomeCode::notFound, "there is no model '{}'", model);
  for (const auto &[number, candidate] : entry->second.versions)
    if (candidate.served == found && candidate.isDead)
      return refuse(OutcomeCode::unavailable,
                    "version {} of model '{}' is not ready: {}", number, model,
                    textOf(reasonIn(entry->second, candidate)));
  return Outcome();
}

/// Why \p version of \p model is not what its files are now; empty if it is.
std::string_view Catalog::reasonIn(const Model &model, const Version &version) {
  return version.reason.empty() ? model.reason : version.reason;
}

/// Why \p model, or the highest version of it that could not be loaded, could
/// not.
std::string Catalog::reasonIn(const Model &model) {
  if (!model.reason.empty())
    return model.reason;
  for (const auto &[number, version] : model.versions | std::views::reverse)
    if (!version.reason.empty())
      return version.reason;
  return {};
}

std::vector<std::string> Catalog::versionsOf(std::string_view model) const {
  std::vector<std::string> names;
  std::shared_lock lock(mutex);
  auto entry = models.find(model);
  if (entry == models.end())
    return names;
  for (const auto &[number, version] : entry->second.versions)
    if (version.isReady())
      names.push_back(std::to_string(number));
  return names;
}

std::vector<IndexEntry> Catalog::index(bool readyOnly) const {
  std::vector<IndexEntry> entries;
  std::shared_lock lock(mutex);
  for (const auto &[name, model] : models) {
    if (!readyOnly && model.versions.empty() && !model.reason.empty())
      entries.push_back({name, "", "UNAVAILABLE", model.reason});
    for (const auto &[number, version] : model.versions) {
      if (readyOnly && !version.isReady())
        continue;
      IndexEntry &entry = entries.emplace_back();
      entry.name = name;
      entry.version = std::to_string(number);
      entry.state = version.isReady()   ? "READY"
                    : version.isLoading ? "LOADING"
                                        : "UNAVAILABLE";
      entry.reason = model.isUnloaded ? "unloaded" : reasonIn(model, version);
    }
  }
  return entries;
}

bool Catalog::isServing() const {
  std::shared_lock lock(mutex);
  return std::ranges::all_of(models, [](const auto &entry) {
    const Model &model = entry.second;
    // A folder that cannot be read may be none of models: "lost+found", say.
    bool isNone = model.versions.empty() && !model.reason.empty();
    return isNone || model.isUnloaded ||
           std::ranges::any_of(model.versions, [](const auto &version) {
             return version.second.isReady();
           });
  });
}

/// Version \p number of model \p name; null where there is none. The caller
/// holds `mutex`.
const Catalog::Version *Catalog::versionOf(const std::string &name,
                                           uint64_t number) const {
  auto entry = models.find(name);
  if (entry == models.end())
    return nullptr;
  auto version = entry->second.versions.find(number);
  return version == entry->second.versions.end() ? nullptr : &version->second;
}

bool Catalog::serves(const std::string &name, uint64_t number) const {
  std::shared_lock lock(mutex);
  const Version *version = versionOf(name, number);
  return version && version->isReady();
}

bool Catalog::hasDied(const std::string &name, uint64_t number) const {
  std::shared_lock lock(mutex);
  const Version *version = versionOf(name, number);
  return version && version->isDead;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

rt::Result<std::shared_ptr<tools::Engine>>
Catalog::engineFor(const ModelConfig &config) {
  tools::EngineOptions asked = options.engine;
  if (!config.device.empty())
    asked.devices = {config.device};
  asked.threads = config.threads.value_or(asked.threads);
  auto &kept = engines[{asked.devices.front(), asked.threads}];
  if (std::shared_ptr<tools::Engine> engine = kept.lock())
    return engine;
  rt::DeviceServices services;
  services.log = options.log;
  services.tracer = options.tracer;
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<tools::Engine> engine,
                         tools::Engine::create(asked, std::move(services)));
  kept = engine;
  return engine;
}

Status Catalog::open() {
  std::lock_guard guard(loading);
  NNHAL_ASSIGN_OR_RETURN(usual, engineFor({}));
  return Status::ok();
}

rt::Result<std::shared_ptr<ServedVersion>>
Catalog::loadVersion(const std::string &name, uint64_t number,
                     const FoundVersion &found, const ModelConfig &config) {
  NNHAL_ASSIGN_OR_RETURN(std::shared_ptr<tools::Engine> engine,
                         engineFor(config));
  LoadContext context{executions, metrics, std::move(engine), options.log,
                      options.tracer.get()};
  return ServedVersion::load(name, number, found.path, config, context);
}

/// Whether \p status may be another one later, with the same files.
static bool isTransient(const Status &status) {
  return status.code() == rt::StatusCode::deviceUnavailable ||
         status.code() == rt::StatusCode::deadObject ||
         status.code() == rt::StatusCode::resourceExhaustedTransient;
}

/// Loads \p found if it is not what was last tried. Returns whether the version
/// serves, be it in an earlier state.
bool Catalog::tryVersion(const std::string &name, uint64_t number,
                         const FoundVersion &found, const ModelConfig &config) {
  {
    std::lock_guard lock(mutex);
    Version &version = models[name].versions[number];
    if (version.stamp == found.stamp)
      return version.isReady();
    version.stamp = found.stamp;
    version.isLoading = true;
  }
  auto loaded = loadVersion(name, number, found, config);
  metrics.countLoad(name, loaded.isOk());
  std::string reason = loaded.status().message();
  // A failure that repeats with each look at the folder is logged once.
  bool isNews = loaded.isOk();
  bool isServing = false;
  // The previous model is destroyed without the lock: that may take a while.
  std::shared_ptr<ServedVersion> previous;
  {
    std::lock_guard lock(mutex);
    Version &version = models[name].versions[number];
    version.isLoading = false;
    if (isTransient(loaded.status()))
      version.stamp.clear();
    isNews |= version.reason != reason;
    version.reason = reason;
    if (loaded.isOk()) {
      previous = std::exchange(version.served, *std::move(loaded));
      version.isDead = false;
    }
    isServing = version.isReady();
  }
  if (isNews)
    rt::writeLog(*options.log, rt::LogTag::manager,
                 "{} version {} of model '{}'{}{}",
                 reason.empty() ? "loaded" : "cannot load", number, name,
                 reason.empty() ? "" : ": ", reason);
  return isServing;
}

/// The versions of \p found that \p policy asks for, in ascending order.
static std::vector<uint64_t> wantedOf(const FoundModel &found,
                                      const VersionPolicy &policy) {
  std::vector<uint64_t> wanted;
  for (const auto &[number, version] : found.versions)
    if (policy.only.empty() ||
        std::ranges::find(policy.only, number) != policy.only.end())
      wanted.push_back(number);
  if (policy.only.empty() && policy.latest > 0 && wanted.size() > policy.latest)
    wanted.erase(wanted.begin(), wanted.end() - ptrdiff_t(policy.latest));
  return wanted;
}

/// States that nothing of \p found can be loaded; what serves goes on.
void Catalog::fail(const std::string &name, const FoundModel &found,
                   const Status &status) {
  {
    std::lock_guard lock(mutex);
    Model &model = models[name];
    for (const auto &[number, version] : found.versions)
      model.versions.try_emplace(number);
    if (model.reason == status.message())
      return;
    model.reason = status.message();
  }
  rt::writeLog(*options.log, rt::LogTag::manager, "cannot load model '{}': {}",
               name, status.message());
}

/// Says which versions \p policy asks for, and which are there.
static Status noVersion(const FoundModel &found, const VersionPolicy &policy) {
  auto there = std::views::keys(found.versions);
  return rt::badData("{}: 'versions' asks for {}, but the folder has {}",
                     found.config, fmt::join(policy.only, ", "),
                     fmt::join(there, ", "));
}

/// Takes away the versions of \p name that are not among \p kept.
void Catalog::retain(const std::string &name,
                     const std::vector<uint64_t> &kept) {
  std::vector<Version> removed;
  std::lock_guard lock(mutex);
  std::erase_if(models[name].versions, [&](auto &entry) {
    if (std::ranges::find(kept, entry.first) != kept.end())
      return false;
    removed.push_back(std::move(entry.second));
    return true;
  });
}

/// Brings model \p name to the state of \p found. Versions that are not wanted
/// any more go when all that are wanted serve; until then, and where none of
/// those can be loaded, the highest one that can be takes their place.
void Catalog::update(const std::string &name, const FoundModel &found) {
  if (!found.problem.isOk())
    return fail(name, found, found.problem);
  ModelConfig config;
  if (!found.config.empty()) {
    auto read = readModelConfig(found.config);
    if (!read.isOk())
      return fail(name, found, read.status());
    config = *std::move(read);
  }
  std::vector<uint64_t> wanted = wantedOf(found, config.versions);
  if (wanted.empty())
    return fail(name, found, noVersion(found, config.versions));
  {
    std::lock_guard lock(mutex);
    models[name].reason.clear();
  }
  bool isComplete = true;
  bool isServing = false;
  for (uint64_t number : wanted) {
    bool isThere = tryVersion(name, number, found.versions.at(number), config);
    isComplete &= isThere;
    isServing |= isThere;
  }
  if (isComplete)
    return retain(name, wanted);
  std::vector<uint64_t> kept = wanted;
  for (const auto &[number, version] : found.versions | std::views::reverse) {
    if (std::ranges::find(wanted, number) != wanted.end() ||
        !config.versions.only.empty())
      continue;
    bool isThere = serves(name, number) ||
                   (!isServing && tryVersion(name, number, version, config));
    isServing |= isThere;
    // Requests for one whose device has died try to load it.
    if (isThere || hasDied(name, number))
      kept.push_back(number);
  }
  retain(name, kept);
}

Status Catalog::refresh() {
  std::lock_guard guard(loading);
  NNHAL_ASSIGN_OR_RETURN(FoundModels found, scanRepository(options.models));
  std::vector<Model> removed;
  std::vector<std::string> unloaded;
  {
    std::lock_guard lock(mutex);
    std::erase_if(models, [&](auto &entry) {
      if (found.contains(entry.first))
        return false;
      removed.push_back(std::move(entry.second));
      return true;
    });
    for (const auto &[name, model] : models)
      if (model.isUnloaded)
        unloaded.push_back(name);
    // All are known, and not ready, before the first is loaded.
    for (const auto &[name, model] : found)
      models.try_emplace(name);
  }
  for (const auto &[name, model] : found)
    if (std::ranges::find(unloaded, name) == unloaded.end())
      update(name, model);
  return Status::ok();
}

/// Loads what has changed of \p model, and each version for which \p isStale
/// holds. The caller holds `loading`.
template <typename Condition>
Outcome Catalog::loadAnew(std::string_view model, const Condition &isStale) {
  auto found = scanRepository(options.models);
  if (!found.isOk())
    return found.status();
  auto entry = found->find(model);
  if (entry == found->end())
    return refuse(OutcomeCode::notFound,
                  "the folder of models has no model '{}'", model);
  {
    std::lock_guard lock(mutex);
    Model &known = models[entry->first];
    known.isUnloaded = false;
    for (auto &[number, version] : known.versions)
      if (isStale(version))
        version.stamp.clear();
  }
  update(entry->first, entry->second);
  std::string reason = reasonOf(model);
  if (!reason.empty())
    return refuse(OutcomeCode::invalidArgument,
                  "model '{}' cannot be loaded: {}", model, reason);
  return Outcome();
}

Outcome Catalog::load(std::string_view model) {
  std::lock_guard guard(loading);
  // Versions that could not be loaded before are tried again.
  return loadAnew(model, [](const Version &version) {
    return !version.served || !version.reason.empty();
  });
}

Outcome Catalog::replace(const ServedVersion &dead, std::string_view version,
                         rt::Deadline deadline,
                         std::shared_ptr<ServedVersion> &found) {
  const std::string &model = dead.modelName();
  int64_t asked = rt::steadyNow();
  std::unique_lock guard(loading, std::defer_lock);
  if (deadline == rt::noDeadline)
    guard.lock();
  else if (!guard.try_lock_until(std::chrono::steady_clock::time_point(
               std::chrono::nanoseconds(deadline))))
    return refuse(OutcomeCode::deadlineExceeded,
                  "the deadline passed before version {} of model '{}', whose "
                  "device has died, could be loaded anew",
                  dead.versionName(), model);
  if (failed.of == &dead && failed.ended >= asked)
    return failed.outcome;
  Outcome outcome = find(model, version, found);
  // Another request has come first, or a client has unloaded the model.
  if (!outcome.isOk() || found.get() != &dead)
    return outcome;
  markDead(dead);
  outcome = loadAnew(model, [](const Version &) { return false; });
  Outcome search = find(model, version, found);
  // Another version of the model, which cannot be loaded, does not count.
  if (!search.isOk() || found.get() != &dead)
    return search;
  found = nullptr;
  failed = {&dead, rt::steadyNow(),
            refuse(OutcomeCode::unavailable,
                   "version {} of model '{}', whose device has died, cannot be "
                   "loaded anew: {}",
                   dead.versionName(), model, markDead(dead))};
  return failed.outcome;
}

/// States that \p dead is not ready, and lets the next look at the folder load
/// it. Returns why the last one could not.
std::string Catalog::markDead(const ServedVersion &dead) {
  std::string reason;
  std::lock_guard lock(mutex);
  Model &model = models[dead.modelName()];
  for (auto &[number, version] : model.versions) {
    if (version.served.get() != &dead)
      continue;
    version.isDead = true;
    version.stamp.clear();
    reason = reasonIn(model, version);
  }
  return reason;
}

/// Why a version of model \p name could not be loaded; empty if all could.
std::string Catalog::reasonOf(std::string_view name) const {
  std::shared_lock lock(mutex);
  auto entry = models.find(name);
  return entry == models.end() ? std::string() : reasonIn(entry->second);
}

Outcome Catalog::unload(std::string_view model) {
  std::lock_guard guard(loading);
  std::vector<std::shared_ptr<ServedVersion>> removed;
  std::lock_guard lock(mutex);
  auto entry = models.find(model);
  if (entry == models.end())
    return refuse(OutcomeCode::notFound, "there is no model '{}'", model);
  entry->second.isUnloaded = true;
  for (auto &[number, version] : entry->second.versions) {
    removed.push_back(std::move(version.served));
    version.isDead = false;
    version.stamp.clear();
  }
  return Outcome();
}
