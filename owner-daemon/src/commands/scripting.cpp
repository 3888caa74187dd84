// EVAL and its kin for the scripts that are known.
#include <limits>
#include <string>
#include <utility>

#include "commands/handlers.h"
#include "commands/script_run.h"
#include "commands/values.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

// phpredis hides errors whose code is ERR: an unknown script must not fail in silence.
constexpr std::string_view kNoLua = "NOLUA this server runs no Lua, and does not know this script";
constexpr std::string_view kNoScript = "NOSCRIPT No matching script. Please use EVAL.";
constexpr std::size_t kSha1Length = 40;

using Run = ScriptRun;

// Whether the first key holds the first argument; otherwise the reply is 0.
bool holds_token(const Run& run) {
  const auto entry = run.call.store().find(run.call.db(), run.keys[0]);
  if (entry && holds(*entry, run.arguments[0])) return true;
  run.call.reply.integer(0);
  return false;
}

void add(const Run& run) {
  if (run.exists(run.keys[0])) return run.call.reply.null();
  run.command({"setex", run.keys[0], run.arguments[1], run.arguments[0]});
}

void delete_if(const Run& run) {
  if (holds_token(run)) run.command({"del", run.keys[0]});
}

void expire_if(const Run& run) {
  if (!holds_token(run)) return;
  std::int64_t seconds = 0;
  if (!resp::parse_int64(run.arguments[1], &seconds)) return not_an_integer(run.call);
  if (seconds > 0) return run.command({"expire", run.keys[0], run.arguments[1]});
  const auto done = run.call.store().set_deadline(run.call.db(), run.keys[0], kNoDeadline);
  if (!done) return refuse(run.call, done.error());
  run.call.reply.integer(1);
}

// The script answers 1 when it has set the time, whatever PEXPIRE says to it.
void set_remaining(const Run& run, std::string_view milliseconds) {
  if (run.quiet_command({"pexpire", run.keys[0], milliseconds})) run.call.reply.integer(1);
}

void expire_ms_if(const Run& run) {
  if (holds_token(run)) set_remaining(run, run.arguments[1]);
}

void extend_ms_if(const Run& run) {
  if (!holds_token(run)) return;
  const auto entry = run.call.store().peek(run.call.db(), run.keys[0]);
  if (!entry || entry->deadline == kNoDeadline) return run.call.reply.integer(0);
  if (run.arguments[2] != "0") return set_remaining(run, run.arguments[1]);
  std::int64_t more = 0;
  const Millis left = entry->deadline - run.call.service.clock().monotonic_ms();
  if (!resp::parse_int64(run.arguments[1], &more) || (more > 0 && left > std::numeric_limits<Millis>::max() - more))
    return not_an_integer(run.call);
  set_remaining(run, std::to_string(left + more));
}

void take_free_slot(const Run& run) {
  for (std::size_t i = 0; i < run.keys.size(); ++i) {
    if (run.exists(run.keys[i])) continue;
    if (!run.quiet_command({"set", run.keys[i], run.arguments[2], "EX", run.arguments[1]})) return;
    return run.call.reply.bulk(std::string(run.arguments[0]) + std::to_string(i + 1));
  }
  run.call.reply.null();
}

void evaluate(Call& call, const Script* script, std::string_view unknown, bool read_only) {
  std::int64_t keys = 0;
  if (!resp::parse_int64(call[2], &keys)) return not_an_integer(call);
  const std::size_t given = call.size() - 3;
  if (keys > static_cast<std::int64_t>(given))
    return call.reply.error("ERR Number of keys can't be greater than number of args");
  if (keys < 0) return call.reply.error("ERR Number of keys can't be negative");
  if (script == nullptr) return call.reply.error(unknown);
  if (read_only) return call.reply.error("ERR Write commands are not allowed from read-only scripts.");
  const Run run{call, *script, call.arguments.subspan(3, static_cast<std::size_t>(keys)),
                call.arguments.subspan(3 + static_cast<std::size_t>(keys))};
  if ((script->keys < 0 ? keys < 1 : keys != script->keys) || run.arguments.size() < script->arguments)
    return call.reply.error("ERR wrong number of keys or arguments for this script (" + std::string(script->whose) +
                            ")");
  switch (script->action) {
    case ScriptAction::kAdd:
      return add(run);
    case ScriptAction::kDeleteIf:
      return delete_if(run);
    case ScriptAction::kExpireIf:
      return expire_if(run);
    case ScriptAction::kExpireMsIf:
      return expire_ms_if(run);
    case ScriptAction::kExtendMsIf:
      return extend_ms_if(run);
    case ScriptAction::kTakeFreeSlot:
      return take_free_slot(run);
    case ScriptAction::kLimitDuration:
      return limit_duration(run);
    case ScriptAction::kPeekDuration:
      return peek_duration(run);
    case ScriptAction::kDeleteTagged:
      return delete_tagged(run);
    case ScriptAction::kTakeWithTags:
      return take_with_tags(run);
    case ScriptAction::kInvalidateSet:
      return invalidate_set(run);
    case ScriptAction::kGoOnWithSet:
      return go_on_with_set(run);
    case ScriptAction::kCheckTime:
      return check_time(run);
    case ScriptAction::kLockForWrite:
      return lock_for_write(run);
    case ScriptAction::kLockForRead:
      return lock_for_read(run);
    case ScriptAction::kPutOffLock:
      return put_off_lock(run);
    case ScriptAction::kDeleteLock:
      return delete_lock(run);
    case ScriptAction::kLockExists:
      return lock_exists(run);
    case ScriptAction::kErasePattern:
      return erase_pattern(run);
  }
}

void evaluate_sha1(Call& call, bool read_only) {
  if (call[1].size() != kSha1Length) return call.reply.error(kNoScript);
  evaluate(call, Scripts::by_sha1(call[1]), kNoScript, read_only);
}

}  // namespace

void eval(Call& call) { evaluate(call, call.service.scripts().by_text(call[1]), kNoLua, false); }
void eval_ro(Call& call) { evaluate(call, call.service.scripts().by_text(call[1]), kNoLua, true); }
void evalsha(Call& call) { evaluate_sha1(call, false); }
void evalsha_ro(Call& call) { evaluate_sha1(call, true); }

void script_load(Call& call) {
  const Script* script = call.service.scripts().by_text(call[2]);
  if (script == nullptr) return call.reply.error(kNoLua);
  call.reply.bulk(script->sha1);
}

void script_exists(Call& call) {
  call.reply.array(call.size() - 2);
  for (const std::string_view sha1 : call.arguments.subspan(2))
    call.reply.integer(Scripts::by_sha1(sha1) != nullptr ? 1 : 0);
}

void script_flush(Call& call) {
  if (call.size() > 3 || (call.size() == 3 && !is_word(call[2], "async") && !is_word(call[2], "sync")))
    return call.reply.error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  call.reply.ok();
}

void script_kill(Call& call) { call.reply.error("NOTBUSY No scripts in execution right now."); }

void function_flush(Call& call) {
  if (call.size() > 3 || (call.size() == 3 && !is_word(call[2], "async") && !is_word(call[2], "sync")))
    return call.reply.error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  call.reply.ok();
}

}  // namespace coppice::daemon::handlers
