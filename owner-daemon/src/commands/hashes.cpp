// Hashes.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "commands/collections.h"
#include "commands/handlers.h"
#include "resp/decimal.h"
#include "resp/number.h"

namespace coppice::daemon::handlers {

namespace {

constexpr ValueType kHash = ValueType::kHash;

// The fields and values from argument 2 on. false: the refusal is written.
bool set_fields(Call& call, Written* written) {
  if (call.size() % 2 != 0) {
    wrong_arity(call.reply, call.spec.name);
    return false;
  }
  if (call.size() == 4) {
    const Element one[] = {{call[2], call[3]}};
    return put(call, call[1], kHash, one, written);
  }
  std::vector<Element> fields;
  fields.reserve(call.size() / 2 - 1);
  for (std::size_t i = 2; i < call.size(); i += 2) fields.push_back({call[i], call[i + 1]});
  return put(call, call[1], kHash, fields, written);
}

void all(Call& call, WriteElement write, Frame frame) {
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  start(call, std::make_unique<ElementWalk>(call, call[1], kHash, write, frame));
}

bool set_field(Call& call, std::string_view field, std::string_view value) {
  const Element one[] = {{field, value}};
  Written written;
  return put(call, call[1], kHash, one, &written);
}

}  // namespace

void hset(Call& call) {
  Written written;
  if (set_fields(call, &written)) call.reply.count(written.added);
}

void hmset(Call& call) {
  Written written;
  if (set_fields(call, &written)) call.reply.ok();
}

void hsetnx(Call& call) {
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  if (hash && hash->find(call[2])) return call.reply.integer(0);
  if (set_field(call, call[2], call[3])) call.reply.integer(1);
}

void hget(Call& call) {
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  const auto field = hash ? hash->find(call[2]) : std::nullopt;
  if (!field) return call.reply.null();
  call.reply.bulk(field->value);
}

void hmget(Call& call) {
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  call.reply.array(call.size() - 2);
  for (const std::string_view name : call.arguments.subspan(2)) {
    const auto field = hash ? hash->find(name) : std::nullopt;
    if (field)
      call.reply.bulk(field->value);
    else
      call.reply.null();
  }
}

void hgetall(Call& call) { all(call, write_name_and_value, Frame::kMap); }
void hkeys(Call& call) { all(call, write_name, Frame::kArray); }
void hvals(Call& call) { all(call, write_value, Frame::kArray); }

void hlen(Call& call) {
  std::optional<Collection> hash;
  if (open(call, call[1], kHash, &hash)) call.reply.count(hash ? hash->size() : 0);
}

void hstrlen(Call& call) {
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  const auto field = hash ? hash->find(call[2]) : std::nullopt;
  call.reply.integer(field ? field->value.value_size : 0);
}

void hexists(Call& call) {
  std::optional<Collection> hash;
  if (open(call, call[1], kHash, &hash)) call.reply.integer(hash && hash->find(call[2]) ? 1 : 0);
}

void hdel(Call& call) { erase_elements(call, kHash); }

void hincrby(Call& call) {
  std::int64_t by = 0, value = 0;
  if (!resp::parse_int64(call[3], &by)) return not_an_integer(call);
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  if (const auto field = hash ? hash->find(call[2]) : std::nullopt;
      field && (!field->value.is_contiguous() || !resp::parse_int64(field->value.tail, &value)))
    return call.reply.error("ERR hash value is not an integer");
  if (__builtin_add_overflow(value, by, &value)) return call.reply.error("ERR increment or decrement would overflow");
  if (set_field(call, call[2], std::to_string(value))) call.reply.integer(value);
}

void hincrbyfloat(Call& call) {
  long double by = 0, value = 0;
  if (!resp::parse_float(call[3], &by)) return call.reply.error("ERR value is not a valid float");
  if (std::isinf(by)) return call.reply.error("ERR value is NaN or Infinity");
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  if (const auto field = hash ? hash->find(call[2]) : std::nullopt;
      field && (!field->value.is_contiguous() || !resp::parse_float(field->value.tail, &value)))
    return call.reply.error("ERR hash value is not a float");
  value += by;
  if (std::isnan(value) || std::isinf(value)) return call.reply.error("ERR increment would produce NaN or Infinity");
  const std::string text = resp::float_text(value);
  if (set_field(call, call[2], text)) call.reply.bulk(text);
}

void hrandfield(Call& call) {
  std::int64_t count = 0;
  const bool with_values = call.size() == 4 && is_word(call[3], "withvalues");
  if (call.size() > 2) {
    if (!resp::parse_int64(call[2], &count) || count == std::numeric_limits<std::int64_t>::min())
      return not_an_integer(call);
    if (call.size() > 4 || (call.size() == 4 && !with_values)) return syntax_error(call);
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
    if (count < -kMostRepeated || (with_values && count > kMost)) return call.reply.error("ERR value is out of range");
  }
  std::optional<Collection> hash;
  if (!open(call, call[1], kHash, &hash)) return;
  if (call.size() == 2) {
    if (!hash) return call.reply.null();
    return call.reply.bulk(hash->at(hash->nth(random_below(hash->size()), Collection::Order::kByName)).name);
  }
  if (!hash || count == 0) return call.reply.array(0);
  auto ranks = count < 0 ? any_ranks(hash->size(), static_cast<std::uint64_t>(-count))
                         : different_ranks(hash->size(), static_cast<std::uint64_t>(count));
  start(call, std::make_unique<ElementSample>(call, call[1], kHash, with_values ? write_name_and_value : write_name,
                                              with_values ? Frame::kPairs : Frame::kArray, std::move(ranks), false));
}

void hscan(Call& call) { scan_elements(call, kHash, write_name_and_value); }

}  // namespace coppice::daemon::handlers
