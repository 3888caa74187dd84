// What a client between MULTI and EXEC has queued, and what it watches.
//
// A watched key is remembered by its version: any write, removal, expiry or eviction makes another one, or none, and
// EXEC compares. A key that was absent and is absent again counts as unchanged.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coppice/types.h"

namespace coppice::daemon {

struct CommandSpec;

class Transaction {
 public:
  // REQUIRES: the row lives as long as the program.
  void queue(const CommandSpec& spec, std::span<const std::string_view> arguments) {
    for (const std::string_view argument : arguments) {
      text_ += argument;
      ends_.push_back(text_.size());
    }
    commands_.push_back({&spec, arguments.size()});
  }
  std::size_t size() const { return commands_.size(); }
  std::size_t bytes() const { return text_.size() + ends_.size() * sizeof(std::size_t); }

  // f(const CommandSpec&, std::span<const std::string_view> arguments) for each command, in order.
  template <class F>
  void for_each(F&& f) const {
    const std::string_view text = text_;
    std::vector<std::string_view> arguments;
    std::size_t word = 0, from = 0;
    for (const Queued& queued : commands_) {
      arguments.clear();
      for (std::size_t i = 0; i < queued.words; ++i, ++word) {
        arguments.push_back(text.substr(from, ends_[word] - from));
        from = ends_[word];
      }
      f(*queued.spec, std::span<const std::string_view>(arguments));
    }
  }

  // `version`: 0 for a key that is absent. What is watched already keeps its older version.
  void watch(Database db, std::string_view key, Version version) {
    watched_.try_emplace({db, std::string(key)}, version);
  }
  // Whether current(db, key) -> Version is still the same for all.
  template <class F>
  bool unchanged(F&& current) const {
    for (const auto& [place, version] : watched_)
      if (current(place.first, std::string_view(place.second)) != version) return false;
    return true;
  }
  void unwatch() { watched_.clear(); }
  std::size_t watched() const { return watched_.size(); }

  bool failed = false;  // a command was refused as it was queued: EXEC will refuse all
  bool writes = false;  // one of the commands may change the store

 private:
  struct Queued {
    const CommandSpec* spec;
    std::size_t words;
  };
  std::string text_;  // all arguments, end to end
  std::vector<std::size_t> ends_;
  std::vector<Queued> commands_;
  std::map<std::pair<Database, std::string>, Version> watched_;
};

}  // namespace coppice::daemon
