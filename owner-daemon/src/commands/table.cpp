// The command table: the rows of all groups in one order, and how they are found.
#include <algorithm>
#include <array>
#include <tuple>

#include "commands/command.h"
#include "commands/rows/acl.h"
#include "commands/rows/connection.h"
#include "commands/rows/hashes.h"
#include "commands/rows/keys.h"
#include "commands/rows/pubsub.h"
#include "commands/rows/ranges.h"
#include "commands/rows/scripting.h"
#include "commands/rows/server.h"
#include "commands/rows/sets.h"
#include "commands/rows/sorted_sets.h"
#include "commands/rows/strings.h"
#include "commands/rows/tags.h"
#include "commands/rows/tracking.h"
#include "commands/rows/transactions.h"
#include "commands/rows/typed.h"

namespace coppice::daemon {

namespace {

template <class... Rows>
constexpr auto merge(const Rows&... rows) {
  std::array<CommandSpec, (std::tuple_size_v<Rows> + ...)> all{};
  std::size_t n = 0;
  ((std::copy(rows.begin(), rows.end(), all.begin() + n), n += rows.size()), ...);
  std::sort(all.begin(), all.end(), [](const CommandSpec& a, const CommandSpec& b) { return a.name < b.name; });
  return all;
}

// Sorted by name; docs/commands.md, COMMAND and the tests come from it.
// One group a line, so that several may be added at a time.
// clang-format off
constexpr auto kCommands = merge(
    rows::kAclRows,
    rows::kConnectionRows,
    rows::kHashesRows,
    rows::kKeysRows,
    rows::kPubSubRows, rows::kTrackingRows,
    rows::kRangesRows,
    rows::kScriptingRows,
    rows::kServerRows,
    rows::kSetsRows,
    rows::kSortedSetsRows,
    rows::kStringsRows,
    rows::kTagsRows,
    rows::kTransactionsRows,
    rows::kTypedRows);
// clang-format on

constexpr bool without_doubles() {
  for (std::size_t i = 1; i < kCommands.size(); ++i)
    if (kCommands[i - 1].name >= kCommands[i].name) return false;
  return true;
}
static_assert(without_doubles(), "two rows of the command table have one name");

constexpr bool well_formed() {
  for (const CommandSpec& c : kCommands)
    if (c.name.size() > 24 || c.arity == 0 || c.syntax.empty() || c.summary.empty() ||
        (c.handler == nullptr) != ((c.flags & kContainer) != 0))
      return false;
  return true;
}
// Under -fsanitize=undefined GCC 12 does not take the address of a function for a constant.
#if !defined(__SANITIZE_ADDRESS__)
static_assert(well_formed());
#endif

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A perfect hash would save nothing: one probe finds nearly every name.
constexpr std::size_t kHashSlots = 1024;
constexpr std::size_t hash_name(std::string_view name) {
  std::uint32_t h = static_cast<std::uint32_t>(name.size());
  for (const char c : name) h = h * 31 + static_cast<unsigned char>(lower(c));
  return (h ^ h >> 9) % kHashSlots;
}
constexpr auto make_hash_table() {
  std::array<std::uint16_t, kHashSlots> slots{};
  for (std::size_t i = 0; i < kCommands.size(); ++i) {
    std::size_t s = hash_name(kCommands[i].name);
    while (slots[s] != 0) s = (s + 1) % kHashSlots;
    slots[s] = static_cast<std::uint16_t>(i + 1);
  }
  return slots;
}
static_assert(kCommands.size() < kHashSlots / 2 && kCommands.size() <= kMaxCommands);
constexpr auto kSlots = make_hash_table();

}  // namespace

bool is_word(std::string_view argument, std::string_view word) {
  if (argument.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (lower(argument[i]) != word[i]) return false;
  return true;
}

std::span<const CommandSpec> command_table() { return kCommands; }

std::size_t command_index(const CommandSpec& spec) { return static_cast<std::size_t>(&spec - kCommands.data()); }

const CommandSpec* find_command(std::string_view name) {
  if (name.size() > 24) return nullptr;
  for (std::size_t s = hash_name(name); kSlots[s] != 0; s = (s + 1) % kHashSlots) {
    const CommandSpec& spec = kCommands[kSlots[s] - 1u];
    if (is_word(name, spec.name)) return &spec;
  }
  return nullptr;
}

const CommandSpec* resolve_command(std::span<const std::string_view> arguments) {
  if (arguments[0].find('|') != std::string_view::npos) return nullptr;
  const CommandSpec* spec = find_command(arguments[0]);
  if (spec == nullptr || arguments.size() < 2 || ((spec->flags & kContainer) == 0 && spec->name != "command"))
    return spec;
  return find_subcommand(*spec, arguments[1]);
}

const CommandSpec* find_subcommand(const CommandSpec& container, std::string_view name) {
  if (name.size() > 16) return nullptr;
  std::string full(container.name);
  full += '|';
  full += name;
  return find_command(full);
}

}  // namespace coppice::daemon
