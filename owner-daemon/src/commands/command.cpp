#include "commands/command.h"

#include "resp/number.h"

namespace coppice::daemon {

void syntax_error(Call& call) { call.reply.error("ERR syntax error"); }

void not_an_integer(Call& call) { call.reply.error(kNotInteger); }

std::string wrong_arity_text(std::string_view name) {
  return "ERR wrong number of arguments for '" + std::string(name) + "' command";
}

void wrong_arity(resp::ReplyWriter& reply, std::string_view name) { reply.error(wrong_arity_text(name)); }

namespace {

std::string too_large(const Call& call) {
  return "value is larger than the limit of " + std::to_string(call.service.config().max_value) + " bytes";
}

// The refusals that plain and typed commands word alike.
void refuse_alike(Call& call, Error error) {
  switch (error) {
    case Error::kEmptyKey:
    case Error::kKeyTooLong:
      return call.reply.error("BADKEY " + std::string(error_message(error)));
    case Error::kEmptyTag:
    case Error::kTagTooLong:
    case Error::kTooManyTags:
      return call.reply.error("BADTAG " + std::string(error_message(error)));
    case Error::kOutOfMemory:
      return call.reply.error(kOutOfMemory);
    case Error::kWrongType:
      return call.reply.error("WRONGTYPE Operation against a key holding the wrong kind of value");
    default:
      return call.reply.error("ERR " + std::string(error_message(error)));
  }
}

}  // namespace

void refuse(Call& call, Error error) {
  switch (error) {
    case Error::kValueTooLarge:
      return call.reply.error("ERR " + too_large(call));
    case Error::kNotInteger:
      return not_an_integer(call);
    case Error::kOverflow:
      return call.reply.error("ERR increment or decrement would overflow");
    default:
      return refuse_alike(call, error);
  }
}

void refuse_typed(Call& call, Error error) {
  switch (error) {
    case Error::kValueTooLarge:
      return call.reply.error("TOOLARGE " + too_large(call));
    case Error::kNotInteger:
      return call.reply.error("NOTINT value is not an integer");
    case Error::kOverflow:
      return call.reply.error("OVERFLOW increment or decrement would overflow");
    default:
      return refuse_alike(call, error);
  }
}

bool key_allowed(Call& call, std::string_view key) {
  if (!key.empty() && key.size() <= kMaxKeyLength) return true;
  refuse_alike(call, key.empty() ? Error::kEmptyKey : Error::kKeyTooLong);
  return false;
}

bool tags_allowed(Call& call, std::span<const std::string_view> tags) {
  const Error error = Store::check_tags(tags);
  if (error != Error::kNone) refuse_alike(call, error);
  return error == Error::kNone;
}

bool parse_tags(Call& call, std::size_t* i, std::span<const std::string_view>* out) {
  std::int64_t count = 0;
  if (!resp::parse_int64(call[*i + 1], &count)) {
    not_an_integer(call);
    return false;
  }
  if (count < 1 || static_cast<std::uint64_t>(count) > call.size() - *i - 2) {
    call.reply.error("BADTAG " + std::to_string(count) + " tags were announced, " +
                     std::to_string(call.size() - *i - 2) + " arguments follow");
    return false;
  }
  *out = call.arguments.subspan(*i + 2, static_cast<std::size_t>(count));
  *i += 1 + static_cast<std::size_t>(count);
  return tags_allowed(call, *out);
}

void wait(Call& call) {
  call.session.coordinated = true;
  call.effects.next = Next::kWait;
}

void watch_peer(Call& call) {
  if (!call.session.coordinated) call.effects.next = Next::kWatch;
  call.session.coordinated = true;
}

void start(Call& call, std::unique_ptr<Job> job) {
  if (job->step(call.service, Slice(call.service.slice_length()))) return job->answer(call.service, call.reply);
  call.effects.job = std::move(job);
  call.effects.next = Next::kJob;
}

}  // namespace coppice::daemon
