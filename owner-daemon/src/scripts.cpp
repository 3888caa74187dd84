#include "scripts.h"

#include <array>

#include "commands/command.h"
#include "sha1.h"

namespace coppice::daemon {

namespace {

// No known script is as long.
constexpr std::size_t kLongestText = 4096;

constexpr std::array<Script, 9> kScripts{{
    {"a08c9c69b7c07ae2485190873b90d128a23e502d", ScriptAction::kAdd, 1, 2, "Laravel, Cache::add"},
    {"647c65a442733a1aa440f99908d249d13b4d6c4a", ScriptAction::kDeleteIf, 1, 1, "Laravel, a lock's release"},
    {"d5f94f1848f0c54fff99d99dbc4d54184a157c02", ScriptAction::kExpireIf, 1, 2, "Laravel, a lock's refresh"},
    {"420ca604de4310d8301943a71390ee669720d640", ScriptAction::kTakeFreeSlot, -1, 3, "Laravel, funnel"},
    {"a50243715157b186c5162c69e02eff3bf0c7994a", ScriptAction::kDeleteIf, 1, 1, "Laravel, funnel's release"},
    {"b70c2384248f88e6b75b9f89241a180f856ad852", ScriptAction::kDeleteIf, 1, 1, "phpredis, the session lock's release"},
    {"c3f8721cbb97f72bc19e972846bd7aaf91901658", ScriptAction::kDeleteIf, 1, 1, "redis-py, a lock's release"},
    {"a4e8783852e6b949f9ef3a97212805108459a890", ScriptAction::kExtendMsIf, 1, 3, "redis-py, a lock's extend"},
    {"1cac51482acf5858da00f6d685d68f886cd6b6b2", ScriptAction::kExpireMsIf, 1, 2, "redis-py, a lock's reacquire"},
}};

}  // namespace

std::span<const Script> Scripts::known() { return kScripts; }

const Script* Scripts::by_sha1(std::string_view sha1) {
  for (const Script& script : kScripts)
    if (is_word(sha1, script.sha1)) return &script;
  return nullptr;
}

const Script* Scripts::by_text(std::string_view text) {
  if (text.size() > kLongestText) return nullptr;
  for (const auto& [known, script] : texts_)
    if (known == text) return script;
  const Script* script = by_sha1(sha1_hex(text));
  if (script != nullptr) texts_.emplace_back(text, script);
  return script;
}

}  // namespace coppice::daemon
