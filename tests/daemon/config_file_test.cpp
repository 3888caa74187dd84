#include "config_file.h"

#include <toml++/toml.h>

#include "support/catch.h"

using namespace coppice::daemon;

namespace {

std::string edited(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  CHECK(edit_toml(&text, values) == "");
  return text;
}

}  // namespace

TEST_CASE("a key's value is replaced where it stands, and all else stays") {
  CHECK(edited("# über\na = 1 # one\nb = 'ä' # two\n", {{"b", "\"x\""}, {"a", "22"}}) ==
        "# über\na = 22 # one\nb = \"x\" # two\n");
  CHECK(edited("list = [\n  'a', # first\n  'b',\n]\nz = 1", {{"list", "[\"c\"]"}}) == "list = [\"c\"]\nz = 1");
}

TEST_CASE("a key that is not there is added at the end") {
  CHECK(edited("a = 1", {{"b", "2"}}) == "a = 1\nb = 2\n");
  CHECK(edited("", {{"b", "2"}}) == "b = 2\n");
}

TEST_CASE("what can't be written leaves the text alone") {
  std::string text = "a = 1\n";
  CHECK(edit_toml(&text, {{"a", "not toml"}}) != "");
  CHECK(edit_toml(&text, {{"a", "2\nb = 3"}}) != "");
  CHECK(text == "a = 1\n");
  std::string broken = "a = = 1";
  CHECK(edit_toml(&broken, {{"a", "1"}}) != "");
}

TEST_CASE("any text is the same again after it was written") {
  for (const std::string_view text : {std::string_view("plain"), std::string_view("a\"b\\c"),
                                      std::string_view("\t\n\r\x01"), std::string_view("\x7f \xc3\xa4")})
    CHECK(toml::parse("v = " + toml_string(text))["v"].value<std::string>() == std::string(text));
}
