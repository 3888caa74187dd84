#include "service.h"

#include <sys/random.h>

#include <algorithm>

#include "commands/command.h"

namespace coppice::daemon {

namespace {

std::string random_run_id() {
  unsigned char bytes[20] = {};
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return std::string(40, '0');
  std::string id;
  for (const unsigned char b : bytes) {
    id += "0123456789abcdef"[b >> 4];
    id += "0123456789abcdef"[b & 15];
  }
  return id;
}

// What Redis quotes of an unknown command: at most 128 bytes of the name, and about as many of its arguments.
std::string unknown_command(std::span<const std::string_view> arguments) {
  std::string quoted;
  for (std::size_t i = 1; i < arguments.size() && quoted.size() < 128; ++i) {
    const std::size_t room = 128 - quoted.size();
    quoted += '\'';
    quoted += arguments[i].substr(0, room);
    quoted += "' ";
  }
  return "ERR unknown command '" + std::string(arguments[0].substr(0, 128)) + "', with args beginning with: " + quoted;
}

}  // namespace

Service::Service(Store& store, const Config& config, const Clock& clock)
    : store_(store),
      config_(config),
      clock_(clock),
      coordinator_(store, clock),
      run_id_(random_run_id()),
      started_us_(clock.wall_us()) {}

void Service::execute(Session& session, std::span<const std::string_view> arguments, resp::ReplyWriter& reply,
                      Effects* effects) {
  const std::string_view name = arguments[0];
  const CommandSpec* spec = name.find('|') == std::string_view::npos ? find_command(name) : nullptr;
  if (spec == nullptr) {
    // A browser that was lured into talking to us must learn nothing.
    if (is_word(name, "post") || is_word(name, "host:")) {
      effects->next = Next::kCloseSilently;
      return;
    }
    ++counters_.errors;
    return reply.error(unknown_command(arguments));
  }
  if (arguments.size() > 1) {
    if ((spec->flags & kContainer) != 0 || spec->name == "command") {
      const CommandSpec* sub = find_subcommand(*spec, arguments[1]);
      if (sub == nullptr) {
        std::string container(spec->name);
        std::transform(container.begin(), container.end(), container.begin(), ::toupper);
        ++counters_.errors;
        return reply.error("ERR unknown subcommand '" + std::string(arguments[1].substr(0, 128)) + "'. Try " +
                           container + " HELP.");
      }
      spec = sub;
    }
  }
  const auto given = static_cast<std::int64_t>(arguments.size());
  if (spec->arity > 0 ? given != spec->arity : given < -spec->arity) {
    ++counters_.errors;
    return wrong_arity(reply, spec->name);
  }
  if (!session.authenticated && (spec->flags & kWithoutAuth) == 0) {
    ++counters_.errors;
    return reply.error("NOAUTH Authentication required.");
  }
  if (loading_ && (spec->flags & kWhileLoading) == 0) {
    ++counters_.errors;
    return reply.error("LOADING Redis is loading the dataset in memory");
  }
  if (holding_writes_ && (spec->flags & kWrite) != 0) {
    effects->next = Next::kHold;
    return;
  }
  ++counters_.commands;
  Call call{*this, session, reply, arguments, *spec, *effects};
  spec->handler(call);
}

}  // namespace coppice::daemon
