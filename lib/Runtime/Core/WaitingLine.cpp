//===- WaitingLine.cpp - The order in which those who wait go -------------===//
//
// Part of the NNHal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaitingLine.h"

#include <algorithm>

using namespace nnhal::rt;

bool WaitingLine::Client::isEmpty() const {
  return std::ranges::all_of(entries,
                             [](const auto &line) { return line.empty(); });
}

/// The priority that goes next; there is one.
size_t WaitingLine::Client::choose() {
  std::optional<size_t> highest;
  std::optional<size_t> neglected;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].empty()) {
      passedOver[i] = 0;
      continue;
    }
    highest = i;
    if (!neglected && passedOver[i] >= maxPassedOver)
      neglected = i;
  }
  assert(highest && "an empty client leaves the line");
  size_t chosen = neglected.value_or(*highest);
  passedOver[chosen] = 0;
  for (size_t i = 0; i < *highest; ++i)
    if (i != chosen && !entries[i].empty())
      ++passedOver[i];
  return chosen;
}

size_t WaitingLine::indexOf(const Waiting &entry) {
  return std::min<size_t>(static_cast<size_t>(entry.ticket.priority),
                          priorityCount - 1);
}

void WaitingLine::push(const WaitingRef &entry) {
  uint64_t id = entry->ticket.client;
  auto [client, isNew] = clients.try_emplace(id);
  if (isNew)
    client->second.turn = turns.insert(turns.end(), id);
  entry->number = nextNumber++;
  client->second.entries[indexOf(*entry)].emplace(entry->number, entry);
}

WaitingRef WaitingLine::pop() {
  auto client = clients.find(turns.front());
  auto &line = client->second.entries[client->second.choose()];
  WaitingRef entry = std::move(line.extract(line.begin()).mapped());
  if (client->second.isEmpty()) {
    turns.pop_front();
    clients.erase(client);
  } else {
    turns.splice(turns.end(), turns, turns.begin());
  }
  return entry;
}

void WaitingLine::remove(const Waiting &entry) {
  auto client = clients.find(entry.ticket.client);
  client->second.entries[indexOf(entry)].erase(entry.number);
  if (client->second.isEmpty()) {
    turns.erase(client->second.turn);
    clients.erase(client);
  }
}
