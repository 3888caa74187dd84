#include <fstream>
#include <sstream>

#include "commands/command.h"
#include "commands/document.h"
#include "support/catch.h"

using namespace coppice::daemon;

TEST_CASE("every command is found by its name, in any case, and nothing else is") {
  for (const CommandSpec& spec : command_table()) {
    CAPTURE(spec.name);
    CHECK(find_command(spec.name) == &spec);
    std::string upper;
    for (const char c : spec.name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    CHECK(find_command(upper) == &spec);
    CHECK(find_command(std::string(spec.name) + "x") == nullptr);
    if (spec.name.size() > 4) CHECK(find_command(spec.name.substr(0, spec.name.size() - 1)) != &spec);
  }
  CHECK(find_command("") == nullptr);
  CHECK(find_command(std::string_view("get\0", 4)) == nullptr);
  CHECK(find_command(std::string(1000, 'g')) == nullptr);
}

TEST_CASE("subcommands are found under their container only") {
  const CommandSpec* client = find_command("client");
  REQUIRE(client != nullptr);
  CHECK(find_subcommand(*client, "ID") == find_command("client|id"));
  CHECK(find_subcommand(*client, "count") == nullptr);
  CHECK(find_subcommand(*client, std::string(500, 'x')) == nullptr);
}

TEST_CASE("arity, keys and flags of every command fit together") {
  for (const CommandSpec& spec : command_table()) {
    CAPTURE(spec.name);
    const int least = spec.arity > 0 ? spec.arity : -spec.arity;
    CHECK(spec.keys.first < least);
    CHECK((spec.keys.first == 0 && spec.keys.counted == 0) == (spec.keys.step == 0));
    CHECK(spec.keys.counted < least);
    CHECK(((spec.flags & kWrite) == 0 || (spec.flags & kReadOnly) == 0));
    CHECK(((spec.flags & kDenyOom) == 0 || (spec.flags & kWrite) != 0));
    if (spec.name.find('|') == std::string_view::npos) {
      std::string upper;
      for (const char c : spec.name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      CHECK(spec.syntax.substr(0, upper.size()) == upper);
    }
  }
}

TEST_CASE("docs/commands.md is what the table says") {
  std::ifstream file(std::string(COPPICE_DOCS) + "/commands.md");
  REQUIRE(file.good());
  std::ostringstream committed;
  committed << file.rdbuf();
  CHECK(committed.str() == commands_document());
}

TEST_CASE("every command is described once") {
  const std::string document = commands_document();
  for (const CommandSpec& spec : command_table()) {
    if ((spec.flags & kContainer) != 0) continue;
    std::string syntax(spec.syntax);
    for (std::size_t at = 0; (at = syntax.find('|', at)) != std::string::npos; at += 2) syntax.insert(at, "\\");
    CAPTURE(syntax);
    const std::size_t at = document.find("| `" + syntax + "` |");
    CHECK(at != std::string::npos);
  }
}
