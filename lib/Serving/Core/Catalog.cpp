//===- Catalog.cpp - The models of a server -------------------------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"

#include "Runtime/Support/Errors.h"
#include "Runtime/Support/LogFormat.h"

#include <algorithm>
#include <charconv>
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
static std::string_view textOf(const std::string &reason) {
  return reason.empty() ? "it is being loaded" : std::string_view(reason);
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
  for (const auto &[number, candidate] : versions | std::views::reverse) {
    bool isMeant = version.empty() ? candidate.served != nullptr
                                   : std::to_string(number) == version;
    if (!isMeant)
      continue;
    found = candidate.served;
    if (found)
      return Outcome();
    return refuse(OutcomeCode::unavailable,
                  "version {} of model '{}' is not ready: {}", number, model,
                  textOf(candidate.reason));
  }
  // Nothing is known of its versions yet.
  if (!version.empty() && !versions.empty())
    return refuse(OutcomeCode::notFound, "model '{}' has no version '{}'",
                  model, version);
  return refuse(OutcomeCode::unavailable, "model '{}' is not ready: {}", model,
                textOf(reasonIn(entry->second)));
}

/// Why the highest version of \p model that could not be loaded could not.
std::string Catalog::reasonIn(const Model &model) {
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
    if (version.served)
      names.push_back(std::to_string(number));
  return names;
}

std::vector<IndexEntry> Catalog::index(bool readyOnly) const {
  std::vector<IndexEntry> entries;
  std::shared_lock lock(mutex);
  for (const auto &[name, model] : models)
    for (const auto &[number, version] : model.versions) {
      if (readyOnly && !version.served)
        continue;
      IndexEntry &entry = entries.emplace_back();
      entry.name = name;
      entry.version = std::to_string(number);
      entry.state = version.served      ? "READY"
                    : version.isLoading ? "LOADING"
                                        : "UNAVAILABLE";
      entry.reason = model.isUnloaded ? "unloaded" : version.reason;
    }
  return entries;
}

bool Catalog::isServing() const {
  std::shared_lock lock(mutex);
  return std::ranges::all_of(models, [](const auto &entry) {
    return entry.second.isUnloaded ||
           std::ranges::any_of(entry.second.versions, [](const auto &version) {
             return version.second.served != nullptr;
           });
  });
}

bool Catalog::serves(const std::string &name, uint64_t number) const {
  std::shared_lock lock(mutex);
  auto entry = models.find(name);
  if (entry == models.end())
    return false;
  auto version = entry->second.versions.find(number);
  return version != entry->second.versions.end() && version->second.served;
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

/// Loads \p found if it is not what was last tried. Returns whether the version
/// serves, be it in an earlier state.
bool Catalog::tryVersion(const std::string &name, uint64_t number,
                         const FoundVersion &found, const ModelConfig &config) {
  {
    std::lock_guard lock(mutex);
    Version &version = models[name].versions[number];
    if (version.stamp == found.stamp)
      return version.served != nullptr;
    version.stamp = found.stamp;
    version.isLoading = true;
  }
  auto loaded = loadVersion(name, number, found, config);
  metrics.countLoad(name, loaded.isOk());
  rt::writeLog(*options.log, rt::LogTag::manager,
               "{} version {} of model '{}'{}",
               loaded.isOk() ? "loaded" : "cannot load", number, name,
               loaded.isOk() ? "" : ": " + loaded.status().message());
  // The previous model is destroyed without the lock: that may take a while.
  std::shared_ptr<ServedVersion> previous;
  std::lock_guard lock(mutex);
  Version &version = models[name].versions[number];
  version.isLoading = false;
  version.reason = loaded.status().message();
  if (loaded.isOk()) {
    previous = std::exchange(version.served, *std::move(loaded));
  }
  return version.served != nullptr;
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

/// States that nothing of \p found can be loaded.
void Catalog::fail(const std::string &name, const FoundModel &found,
                   const Status &status) {
  std::lock_guard lock(mutex);
  Model &model = models[name];
  for (const auto &[number, version] : found.versions) {
    Version &known = model.versions[number];
    known.stamp = version.stamp;
    known.reason = status.message();
  }
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
  ModelConfig config;
  if (!found.config.empty()) {
    auto read = readModelConfig(found.config);
    if (!read.isOk())
      return fail(name, found, read.status());
    config = *std::move(read);
  }
  std::vector<uint64_t> wanted = wantedOf(found, config.versions);
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
    if (serves(name, number) ||
        (!isServing && tryVersion(name, number, version, config))) {
      kept.push_back(number);
      isServing = true;
    }
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

Outcome Catalog::replace(const ServedVersion &dead,
                         std::shared_ptr<ServedVersion> &found) {
  const std::string &model = dead.modelName();
  std::lock_guard guard(loading);
  Outcome outcome = find(model, dead.versionName(), found);
  // Another request has come first, or a client has unloaded the model.
  if (!outcome.isOk() || found.get() != &dead)
    return outcome;
  outcome = loadAnew(model, [&](const Version &version) {
    return version.served.get() == &dead;
  });
  Outcome search = find(model, dead.versionName(), found);
  // Another version of the model, which cannot be loaded, does not count.
  if (outcome.isOk() || (search.isOk() && found.get() != &dead))
    return search;
  return Outcome(OutcomeCode::unavailable, outcome.message());
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
    version.stamp.clear();
  }
  return Outcome();
}
