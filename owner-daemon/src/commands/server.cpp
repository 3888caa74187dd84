// TIME, SHUTDOWN, WAIT, ROLE and the containers' HELP.
#include <algorithm>
#include <string>
#include <vector>

#include "commands/handlers.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

void time(Call& call) {
  const std::int64_t now = call.service.clock().wall_us();
  call.reply.array(2);
  call.reply.bulk(std::to_string(now / 1'000'000));
  call.reply.bulk(std::to_string(now % 1'000'000));
}

void shutdown(Call& call) {
  bool save = true;
  bool chosen = false;
  if (call.size() == 2 && is_word(call[1], "abort")) return call.reply.error("ERR No shutdown in progress.");
  for (std::size_t i = 1; i < call.size(); ++i) {
    if ((is_word(call[i], "nosave") || is_word(call[i], "save")) && !chosen) {
      save = is_word(call[i], "save");
      chosen = true;
    } else if (!is_word(call[i], "now") && !is_word(call[i], "force")) {
      return syntax_error(call);
    }
  }
  call.effects.next = Next::kStop;
  call.effects.save = save;
}

// There are no replicas to wait for.
void wait_replicas(Call& call) {
  std::int64_t replicas = 0, timeout = 0;
  if (!resp::parse_int64(call[1], &replicas)) return not_an_integer(call);
  if (!resp::parse_int64(call[2], &timeout)) return call.reply.error("ERR timeout is not an integer or out of range");
  if (timeout < 0) return call.reply.error("ERR timeout is negative");
  call.reply.integer(0);
}

void role(Call& call) {
  call.reply.array(3);
  call.reply.bulk("master");
  call.reply.integer(0);
  call.reply.array(0);
}

// What the table knows of a container's subcommands.
void help(Call& call) {
  const std::string_view container = call.spec.name.substr(0, call.spec.name.find('|'));
  std::string name(container);
  std::transform(name.begin(), name.end(), name.begin(), ::toupper);
  std::vector<std::string> lines{name + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"};
  for (const CommandSpec& spec : command_table()) {
    if (!spec.name.starts_with(std::string(container) + "|")) continue;
    lines.emplace_back(spec.syntax.substr(name.size() + 1));
    lines.push_back("    " + std::string(spec.summary));
  }
  call.reply.array(lines.size());
  for (const std::string& line : lines) call.reply.simple(line);
}

}  // namespace coppice::daemon::handlers
