#include "commands/handlers.h"
#include "commands/values.h"

namespace coppice::daemon {

std::string_view type_name(ValueType type) {
  switch (type) {
    case ValueType::kHash:
      return "hash";
    case ValueType::kSet:
      return "set";
    case ValueType::kSortedSet:
      return "zset";
    default:
      return "string";
  }
}

namespace handlers {

namespace {

// ASYNC and SYNC come to the same: the database is empty at once, and its memory is freed in slices.
bool flush_options_allowed(Call& call) {
  if (call.size() == 1 || (call.size() == 2 && (is_word(call[1], "async") || is_word(call[1], "sync")))) return true;
  syntax_error(call);
  return false;
}

}  // namespace

void del(Call& call) {
  std::int64_t removed = 0;
  for (std::size_t i = 1; i < call.size(); ++i) removed += call.store().erase(call.db(), call[i]) ? 1 : 0;
  call.reply.integer(removed);
}

void exists(Call& call) {
  std::int64_t found = 0;
  for (std::size_t i = 1; i < call.size(); ++i) found += call.store().find(call.db(), call[i]) ? 1 : 0;
  call.reply.integer(found);
}

void type(Call& call) {
  const auto entry = call.store().peek(call.db(), call[1]);
  call.reply.simple(entry ? type_name(entry->type) : "none");
}

void dbsize(Call& call) { call.reply.count(call.store().count(call.db())); }

void randomkey(Call& call) {
  const auto key = call.store().random_key(call.db());
  if (!key) return call.reply.null();
  call.reply.bulk(*key);
}

void flushdb(Call& call) {
  if (!flush_options_allowed(call)) return;
  call.store().flush(call.db());
  call.reply.ok();
}

void flushall(Call& call) {
  if (!flush_options_allowed(call)) return;
  for (Database db = 0; db < call.store().options().databases; ++db) call.store().flush(db);
  call.reply.ok();
}

}  // namespace handlers
}  // namespace coppice::daemon
