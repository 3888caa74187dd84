// One call of a known script.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "commands/command.h"
#include "scripts.h"

namespace coppice::daemon {

struct ScriptRun {
  Call& call;
  const Script& script;
  std::span<const std::string_view> keys;
  std::span<const std::string_view> arguments;

  // A command as the script would call it; its reply is the script's.
  void command(std::initializer_list<std::string_view> words) const {
    const std::span<const std::string_view> all(words.begin(), words.size());
    call.service.run(call.session, *find_command(all[0]), all, call.reply, &call.effects);
  }
  // The same without its reply, unless that is an error: then it is the script's, and the answer is false.
  bool quiet_command(std::initializer_list<std::string_view> words) const {
    const std::size_t mark = call.reply.mark();
    command(words);
    if (call.reply.is_error_at(mark)) return false;
    call.reply.rewind(mark);
    return true;
  }
  bool exists(std::string_view key) const { return call.store().peek(call.db(), key).has_value(); }
};

// framework_scripts.cpp: those that need hashes, sets and sorted sets, or take away many keys.
void limit_duration(const ScriptRun& run);
void peek_duration(const ScriptRun& run);
void delete_tagged(const ScriptRun& run);
void take_with_tags(const ScriptRun& run);
void invalidate_set(const ScriptRun& run);
void go_on_with_set(const ScriptRun& run);
void check_time(const ScriptRun& run);
void lock_for_write(const ScriptRun& run);
void lock_for_read(const ScriptRun& run);
void put_off_lock(const ScriptRun& run);
void delete_lock(const ScriptRun& run);
void lock_exists(const ScriptRun& run);
void erase_pattern(const ScriptRun& run);

}  // namespace coppice::daemon
