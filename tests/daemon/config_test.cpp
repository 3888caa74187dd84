#include "config.h"

#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "support/catch.h"

using namespace coppice::daemon;

namespace {

struct Outcome {
  ConfigOutcome outcome;
  Config config;
  std::string text;
};

Outcome read(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "coppiced");
  Outcome o{};
  o.outcome = read_config(static_cast<int>(arguments.size()), arguments.data(), &o.config, &o.text);
  return o;
}

// A file with this text, for as long as it lives.
class TomlFile {
 public:
  explicit TomlFile(const std::string& text) {
    path_ = "/tmp/coppice-config-XXXXXX";
    const int fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    REQUIRE(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    close(fd);
  }
  ~TomlFile() { unlink(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("sizes are whole numbers of bytes with a unit") {
  std::uint64_t bytes = 0;
  const auto size = [&](std::string_view text) { return parse_size(text, &bytes) ? bytes : ~0ull; };
  CHECK(size("512") == 512);
  CHECK(size("4k") == 4096);
  CHECK(size("256M") == 256ull << 20);
  CHECK(size("256MB") == 256ull << 20);
  CHECK(size("2G") == 2ull << 30);
  CHECK(size("1T") == 1ull << 40);
  for (const auto* bad : {"", "M", "-1", "1.5G", "1X", "1 M", " 1M", "0x10", "99999999999999999999", "99999999999T"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_size(bad, &bytes));
  }
}

TEST_CASE("endpoints are a host and a port") {
  Endpoint e;
  CHECK((parse_endpoint("127.0.0.1:6379", &e) && e.host == "127.0.0.1" && e.port == 6379));
  CHECK((parse_endpoint("[::1]:0", &e) && e.host == "::1" && e.port == 0));
  CHECK((parse_endpoint("localhost:65535", &e) && e.host == "localhost"));
  for (const auto* bad : {"", "6379", ":6379", "host:", "host:65536", "host:-1", "host:6x", "::1:6379", "[]:1"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_endpoint(bad, &e));
  }
}

TEST_CASE("without options beyond the socket, the defaults hold") {
  const Outcome o = read({"--socket", "/run/c.sock"});
  REQUIRE(o.outcome == ConfigOutcome::kRun);
  CHECK(o.config.socket == "/run/c.sock");
  CHECK(o.config.max_memory == coppice::kDefaultMaxMemory);
  CHECK(o.config.policy == coppice::Policy::kAllKeysLru);
  CHECK(o.config.socket_mode == 0660);
  CHECK(o.config.databases == 16);
  CHECK(o.config.huge_pages);
  CHECK(o.config.listen.empty());
}

TEST_CASE("the command line sets every option") {
  const Outcome o = read({"--socket",
                          "/s",
                          "--listen",
                          "127.0.0.1:1",
                          "--listen",
                          "[::1]:2",
                          "--max-memory",
                          "1G",
                          "--max-value",
                          "1M",
                          "--policy",
                          "volatile-ttl",
                          "--databases",
                          "3",
                          "--huge-pages",
                          "off",
                          "--socket-mode",
                          "600",
                          "--socket-group",
                          "root",
                          "--allow-uid",
                          "33",
                          "34",
                          "--snapshot",
                          "/f",
                          "--log-level",
                          "debug",
                          "--requirepass",
                          "p",
                          "--max-clients",
                          "9",
                          "--max-bulk",
                          "2M",
                          "--input-limit",
                          "3M",
                          "--output-limit",
                          "4M"});
  REQUIRE(o.outcome == ConfigOutcome::kRun);
  REQUIRE(o.config.listen.size() == 2);
  CHECK(o.config.listen[1].host == "::1");
  CHECK(o.config.max_memory == 1ull << 30);
  CHECK(o.config.max_value == 1u << 20);
  CHECK(o.config.policy == coppice::Policy::kVolatileTtl);
  CHECK(o.config.databases == 3);
  CHECK_FALSE(o.config.huge_pages);
  CHECK(o.config.socket_mode == 0600);
  CHECK(o.config.socket_group == "root");
  CHECK(o.config.allow_uid == std::vector<std::uint32_t>{33, 34});
  CHECK(o.config.snapshot == "/f");
  CHECK(o.config.log_level == "debug");
  CHECK(o.config.requirepass == "p");
  CHECK(o.config.max_clients == 9);
  CHECK(o.config.max_bulk == 2u << 20);
  CHECK(o.config.input_limit == 3u << 20);
  CHECK(o.config.output_limit == 4u << 20);
}

TEST_CASE("a TOML file sets the same, and the command line is above it") {
  const TomlFile file(
      "socket = '/from/file'\nmax-memory = '64M'\ndatabases = 4\nsocket-mode = 0o600\nallow-uid = [1, 2]\n"
      "listen = ['127.0.0.1:7', '127.0.0.1:8']\npolicy = 'noeviction' # a comment\n");
  const Outcome o = read({"--config", file.path(), "--max-memory", "128M"});
  INFO(o.text);
  REQUIRE(o.outcome == ConfigOutcome::kRun);
  CHECK(o.config.socket == "/from/file");
  CHECK(o.config.max_memory == 128ull << 20);
  CHECK(o.config.databases == 4);
  CHECK(o.config.socket_mode == 0600);
  CHECK(o.config.allow_uid == std::vector<std::uint32_t>{1, 2});
  CHECK(o.config.listen.size() == 2);
  CHECK(o.config.policy == coppice::Policy::kNoEviction);
  CHECK(o.config.config_file == file.path());
}

TEST_CASE("what is wrong is refused by name") {
  struct Case {
    std::vector<const char*> arguments;
    std::string_view named;
  };
  const Case cases[] = {
      {{}, "--socket"},
      {{"--socket", "/s", "--nonsense"}, "--nonsense"},
      {{"--socket", "/s", "stray"}, "stray"},
      {{"--socket", "/s", "--max-memory", "lots"}, "'lots'"},
      {{"--socket", "/s", "--max-memory", "1M"}, "--max-memory"},
      {{"--socket", "/s", "--max-value", "600M"}, "--max-value"},
      {{"--socket", "/s", "--policy", "lru"}, "'lru'"},
      {{"--socket", "/s", "--databases", "0"}, "--databases"},
      {{"--socket", "/s", "--databases", "65"}, "--databases"},
      {{"--socket", "/s", "--huge-pages", "on"}, "'on'"},
      {{"--socket", "/s", "--socket-mode", "0888"}, "'0888'"},
      {{"--socket", "/s", "--socket-group", "no-such-group"}, "'no-such-group'"},
      {{"--socket", "/s", "--allow-uid", "www-data"}, "'www-data'"},
      {{"--socket", "/s", "--log-level", "loud"}, "'loud'"},
      {{"--socket", "/s", "--listen", "6379"}, "'6379'"},
      {{"--socket", "/s", "--config", "/no/such/file"}, "/no/such/file"},
      {{"--socket", "/s", "--output-limit", "1M"}, "--output-limit"},
      {{"--socket", "/s", "--input-limit", "1M"}, "--input-limit"},
  };
  for (const Case& c : cases) {
    const Outcome o = read(c.arguments);
    CAPTURE(c.named, o.text);
    CHECK(o.outcome == ConfigOutcome::kRefused);
    CHECK(contains(o.text, c.named));
  }
  const std::string long_path(200, 'x');
  CHECK(contains(read({"--socket", long_path.c_str()}).text, "100 bytes"));
}

TEST_CASE("what is wrong in a file is refused by name, too") {
  const std::pair<const char*, const char*> cases[] = {
      {"max-memry = '1G'\n", "max-memry"},   {"databases = 'many'\n", "'many'"}, {"databases = 1.5\n", "databases"},
      {"[socket]\npath = '/s'\n", "socket"}, {"config = '/x'\n", "config"},      {"max-memory = \n", "line 1"},
      {"\n\nsocket '/s'\n", "line 3"},
  };
  for (const auto& [text, named] : cases) {
    const TomlFile file(text);
    const Outcome o = read({"--socket", "/s", "--config", file.path()});
    CAPTURE(text, o.text);
    CHECK(o.outcome == ConfigOutcome::kRefused);
    CHECK(contains(o.text, named));
    CHECK((contains(o.text, file.path()) || contains(o.text, "--databases")));
  }
}

TEST_CASE("version and help are printed") {
  const Outcome version = read({"--version"});
  CHECK(version.outcome == ConfigOutcome::kPrintAndExit);
  CHECK(version.text == "coppiced " COPPICE_VERSION "\n");
  const Outcome help = read({"--help"});
  CHECK(help.outcome == ConfigOutcome::kPrintAndExit);
  CHECK(contains(help.text, "--max-memory"));
}

TEST_CASE("every option is in docs/configuration.md") {
  std::ifstream file(std::string(COPPICE_DOCS) + "/configuration.md");
  REQUIRE(file.good());
  const std::string document((std::istreambuf_iterator<char>(file)), {});
  const std::string help = read({"--help"}).text;
  for (std::size_t at = 0; (at = help.find("  --", at)) != std::string::npos;) {
    at += 2;
    const std::string option = help.substr(at, help.find_first_of(" ,\n", at) - at);
    CAPTURE(option);
    CHECK(contains(document, "`" + option));
  }
}
