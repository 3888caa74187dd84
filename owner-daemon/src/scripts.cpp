#include "scripts.h"

#include <array>

#include "commands/command.h"
#include "sha1.h"

namespace coppice::daemon {

namespace {

// No known script is as long.
constexpr std::size_t kLongestText = 4096;

constexpr std::array<Script, 27> kScripts{{
    {"a08c9c69b7c07ae2485190873b90d128a23e502d", ScriptAction::kAdd, 1, 2, "Laravel, Cache::add"},
    {"647c65a442733a1aa440f99908d249d13b4d6c4a", ScriptAction::kDeleteIf, 1, 1, "Laravel, a lock's release"},
    {"d5f94f1848f0c54fff99d99dbc4d54184a157c02", ScriptAction::kExpireIf, 1, 2, "Laravel, a lock's refresh"},
    {"420ca604de4310d8301943a71390ee669720d640", ScriptAction::kTakeFreeSlot, -1, 3, "Laravel, funnel"},
    {"a50243715157b186c5162c69e02eff3bf0c7994a", ScriptAction::kDeleteIf, 1, 1, "Laravel, funnel's release"},
    {"b70c2384248f88e6b75b9f89241a180f856ad852", ScriptAction::kDeleteIf, 1, 1, "phpredis, the session lock's release"},
    {"c3f8721cbb97f72bc19e972846bd7aaf91901658", ScriptAction::kDeleteIf, 1, 1, "redis-py, a lock's release"},
    {"a4e8783852e6b949f9ef3a97212805108459a890", ScriptAction::kExtendMsIf, 1, 3, "redis-py, a lock's extend"},
    {"1cac51482acf5858da00f6d685d68f886cd6b6b2", ScriptAction::kExpireMsIf, 1, 2, "redis-py, a lock's reacquire"},
    {"29cc07bd431ccbf64637e5dcb60484560fdfa2da", ScriptAction::kLimitDuration, 1, 4, "Laravel, throttle"},
    {"1c5d436d6863e949247f4fa66fa1e32b7fa18da9", ScriptAction::kPeekDuration, 1, 4, "Laravel, a look at throttle"},
    {"9cb1a19715c641e2fe9f680febf43029f09c6555", ScriptAction::kDeleteTagged, -1, 1, "Laravel, a flush of tags"},
    {"04907746998413a590f8f9d3fa941875bd85c6a8", ScriptAction::kTakeWithTags, 1, 0,
     "Symfony, a removal of what has tags"},
    {"4b62164cbba2ca1ab7842127ae3acfe9aa96183a", ScriptAction::kInvalidateSet, 1, 2,
     "Symfony, an invalidation of a tag"},
    {"43d401bd2bd0ad864c3ca221512cda1b6215ec23", ScriptAction::kInvalidateSet, 1, 1, "Symfony, the same up to 7.1"},
    {"61fbbfc088ab586682ec7f5e23fba15a52ff37ea", ScriptAction::kGoOnWithSet, 1, 1, "Symfony, the rest of a tag"},
    {"c481d49b4a48e48a9eeacd5d51655b5fcbb19925", ScriptAction::kCheckTime, 1, 0,
     "Symfony, whether locks may ask for the time"},
    {"6fdee501a3714553b74c0d67687b921b90b05d18", ScriptAction::kLockForWrite, 1, 3, "Symfony, a lock"},
    {"abdbb1413a25737fc4cfb9cf79ace1a22dad6ab3", ScriptAction::kLockForWrite, 1, 3,
     "Symfony, a lock, by the client's time", kTimeIsGiven},
    {"b5745b5be27d9033eb5d3eb254df2faf502b88df", ScriptAction::kLockForRead, 1, 3, "Symfony, a reader's lock"},
    {"dee54f77398d3c6d122b4111f3af8ccf1a93ac93", ScriptAction::kLockForRead, 1, 3,
     "Symfony, a reader's lock, by the client's time", kTimeIsGiven},
    {"63be12a3515941092212f15c08327d60916de9fa", ScriptAction::kPutOffLock, 1, 3, "Symfony, a lock's refresh"},
    {"fe7bee082a8220c6b621ace999a1ab57c4ab5145", ScriptAction::kPutOffLock, 1, 3,
     "Symfony, a lock's refresh, by the client's time", kTimeIsGiven},
    {"a70f7f5087a0cb2c2c9ca50d1f64e234c2628f0c", ScriptAction::kDeleteLock, 1, 1, "Symfony, a lock's release"},
    {"3b6bdbbe16f821f49177b16c7707f331f015a779", ScriptAction::kLockExists, 1, 2, "Symfony, a look at a lock"},
    {"e27f94ac94f5d96f23f2e8697462233b6349a566", ScriptAction::kLockExists, 1, 2,
     "Symfony, a look at a lock, by the client's time", kTimeIsGiven},
    {"59d337998e1e5d8faaaa46d193be750b0ae6c40a", ScriptAction::kErasePattern, 0, 0,
     "redis-cache, a flush by pattern (of the text without the pattern)"},
}};

// What stands before and behind the pattern of a text that is known but for it.
constexpr std::string_view kBeforePattern = "'MATCH', '";
constexpr char kBehindPattern = '\'';

}  // namespace

std::span<const Script> Scripts::known() { return kScripts; }

const Script* Scripts::by_sha1(std::string_view sha1) {
  for (const Script& script : kScripts)
    if (script.action != ScriptAction::kErasePattern && is_word(sha1, script.sha1)) return &script;
  return nullptr;
}

std::string_view Scripts::pattern_of(std::string_view text) {
  const std::size_t before = text.find(kBeforePattern);
  if (before == std::string_view::npos) return {};
  text.remove_prefix(before + kBeforePattern.size());
  return text.substr(0, text.find(kBehindPattern));
}

const Script* Scripts::by_text(std::string_view text) {
  if (text.size() > kLongestText) return nullptr;
  for (const auto& [known, script] : texts_)
    if (known == text) return script;
  const Script* script = by_sha1(sha1_hex(text));
  if (script != nullptr) texts_.emplace_back(text, script);
  if (script != nullptr) return script;
  const std::string_view pattern = pattern_of(text);
  // What Lua reads as something else than it looks like is not known.
  if (pattern.empty() || pattern.find_first_of("\\\r\n") != std::string_view::npos) return nullptr;
  const auto at = static_cast<std::size_t>(pattern.data() - text.data());
  std::string around(text.substr(0, at));
  around += text.substr(at + pattern.size());
  const std::string sha1 = sha1_hex(around);
  for (const Script& known : kScripts)
    if (known.action == ScriptAction::kErasePattern && known.sha1 == sha1) return &known;
  return nullptr;
}

}  // namespace coppice::daemon
