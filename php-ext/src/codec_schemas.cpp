#include "codec_schemas.h"

#include <cstdlib>

namespace coppice::php {

// All of a short piece, samples of a long one; quick rather than good, since the piece is compared as well.
std::uint64_t Schemas::hash_of(const char* bytes, std::size_t length) {
  constexpr std::size_t kWords = 32;
  const std::size_t words = length / 8;
  const std::size_t stride = words <= kWords ? 8 : words / kWords * 8;
  const auto word = [](const char* p) {
    std::uint64_t v;
    std::memcpy(&v, p, 8);
    return v;
  };
  std::uint64_t h = length * 0x9e3779b97f4a7c15ull;
  for (std::size_t i = 0; i + 8 <= length; i += stride) {
    h = (h ^ word(bytes + i)) * 0xd6e8feb86659fd93ull;
    h ^= h >> 32;
  }
  // The last word, as far as it is there: behind the piece there is padding.
  const std::uint64_t last = length >= 8   ? word(bytes + length - 8)
                             : length == 0 ? 0
                                           : word(bytes) << (64 - 8 * length);
  h = (h ^ last) * 0xd6e8feb86659fd93ull;
  return h ^ h >> 32;
}

bool Schemas::seen(std::uint64_t hash, std::uint32_t keys) {
  Sight& sight = sights_[hash % kSights];
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  if (sight.hash != tag) sight = {tag, 0};
  return ++sight.count >= 2 + keys / 64;
}

void Schemas::destroy(Schema* schema) {
  if (schema->shapes != nullptr)
    for (std::uint32_t i = 0; i < schema->shape_count; ++i) std::free(schema->shapes[i].data);
  std::free(schema->shapes);
  std::free(schema->strings);
  std::free(schema->bytes);
  std::free(schema);
}

void Schemas::drop(Schema*& slot) {
  if (slot == nullptr) return;
  bytes_ -= slot->cost;
  destroy(slot);
  slot = nullptr;
}

void Schemas::clear() {
  for (Schema*& slot : slots_) drop(slot);
  for (Sight& sight : sights_) sight = {};
}

// A hand goes round and drops what was not used since it came by.
bool Schemas::make_room(std::size_t cost) {
  if (cost > kMaxSchemaBytes) return false;
  for (std::size_t steps = 0; bytes_ + cost > kMaxBytes && steps < 2 * kSlots; ++steps) {
    Schema*& slot = slots_[hand_++ % kSlots];
    if (slot != nullptr && slot->used)
      slot->used = false;
    else
      drop(slot);
  }
  return bytes_ + cost <= kMaxBytes;
}

void Schemas::add(std::uint64_t hash, const char* bytes, std::size_t length, KeyStrings& keys,
                  zend_array* const* shapes, std::uint32_t shape_count, zend_string* const* strings,
                  std::uint32_t string_count) {
  std::size_t cost = sizeof(Schema) + length + shape_count * sizeof(ShapeTemplate) + string_count * sizeof(void*) +
                     16 * (4 + shape_count);  // malloc's own
  for (std::uint32_t i = 0; i < shape_count; ++i) cost += HT_USED_SIZE(shapes[i]);
  if (!make_room(cost)) return;
  auto* schema = static_cast<Schema*>(std::calloc(1, sizeof(Schema)));
  if (schema == nullptr) return;
  schema->hash = hash;
  schema->cost = cost;
  schema->used = true;
  schema->length = static_cast<std::uint32_t>(length);
  schema->shape_count = shape_count;
  schema->string_count = string_count;
  schema->bytes = static_cast<char*>(std::malloc(length));
  schema->shapes = static_cast<ShapeTemplate*>(std::calloc(shape_count, sizeof(ShapeTemplate)));
  schema->strings = static_cast<zend_string**>(std::calloc(string_count + 1, sizeof(zend_string*)));
  bool whole = schema->bytes != nullptr && schema->shapes != nullptr && schema->strings != nullptr;
  if (whole) std::memcpy(schema->bytes, bytes, length);
  for (std::uint32_t i = 0; whole && i < string_count; ++i)
    whole = (schema->strings[i] = keys.intern(strings[i])) != nullptr;
  for (std::uint32_t i = 0; whole && i < shape_count; ++i) {
    zend_array* const source = shapes[i];
    ShapeTemplate& made = schema->shapes[i];
    made.head = *source;
    made.used = HT_USED_SIZE(source);
    made.size = HT_SIZE(source);
    made.data = static_cast<char*>(std::malloc(made.used));
    whole = made.data != nullptr;
    if (!whole) break;
    std::memcpy(made.data, HT_GET_DATA_ADDR(source), made.used);
    HT_SET_DATA_ADDR(&made.head, made.data);
    HT_FLAGS(&made.head) |= HASH_FLAG_STATIC_KEYS;
    Bucket* b = made.head.arData;
    for (Bucket* const end = b + made.head.nNumUsed; whole && b != end; ++b)
      whole = (b->key = keys.intern(b->key)) != nullptr;
  }
  if (!whole) return destroy(schema);
  // Of its two places the empty one, or that of the one less in use.
  Schema*& first = slots_[place(hash)];
  Schema*& second = slots_[other_place(hash)];
  Schema*& slot = first == nullptr || (second != nullptr && !first->used) ? first : second;
  if (slot != nullptr && first != nullptr) first->used = false;
  drop(slot);
  slot = schema;
  bytes_ += cost;
}

}  // namespace coppice::php
