#include "keyspace.h"

#include "acl/access.h"
#include "commands/command.h"

namespace coppice::daemon {

std::uint64_t Keyspace::origin() const { return call_ == nullptr ? 0 : call_->session.id; }

void Keyspace::after(const Call& call) {
  if (call.session.tracking != nullptr) tracking_.after(call);
  // What a command looks at without reading it is not asked for.
  if (!notifications_.wants_misses() || (call.spec.flags & kReadOnly) == 0 || call.spec.keys.first != 1) return;
  for_each_key(call.spec, call.arguments, [&](const KeyAccess& access) {
    if (!access.branch && !store_.peek(call.db(), access.key)) notifications_.on_miss(call.db(), access.key);
    return true;
  });
}

void Keyspace::on_change(Database db, std::string_view key, Change change) {
  if (call_ != nullptr && notifications_.on()) notifications_.on_change(*call_, db, key, change);
  if (change != Change::kNothing) tracking_.on_change(key, origin());
}

void Keyspace::on_erase_prefix(Database db, std::string_view prefix) { tracking_.on_erase_prefix(db, prefix); }

void Keyspace::on_invalidate_tags(Database db, std::span<const std::string_view> tags, Version version) {
  tracking_.on_invalidate_tags(db, tags, version);
}

void Keyspace::on_flush(Database) { tracking_.on_flush(); }

void Keyspace::on_expire(Database db, std::string_view key) {
  notifications_.on_expire(db, key);
  tracking_.on_change(key, 0);
}

void Keyspace::on_evict(Database db, std::string_view key) {
  notifications_.on_evict(db, key);
  tracking_.on_change(key, 0);
}

void Keyspace::on_prefix_erased(Database db, std::string_view prefix) {
  notifications_.on_prefix_erased(db, prefix);
  tracking_.on_prefix_erased(db, prefix, origin());
}

void Keyspace::on_tags_invalidated(Database, Version version) { tracking_.on_tags_invalidated(version, origin()); }

}  // namespace coppice::daemon
