// The shapes of documents that were met before, ready to be copied.
//
// A document of the array codec begins with the keys of all its shapes, in one piece. A schema is what became of such a
// piece: for each shape an array with its keys, hash table and order, and null for each value, in malloc's memory.
// Values of the same kind have the same piece in front, byte for byte, so finding the schema is one look-up and one
// comparison.
//
// The second sight of a piece makes its schema, a later one that of a long piece, so that keys which never come
// again don't fill the table. The most recently used stay.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>

#include "bridge.h"
#include "codec_keys.h"

namespace coppice::php {

// An array with the keys of a shape and null for each value.
struct ShapeTemplate {
  zend_array head;   // all but where its data lies
  char* data;        // hash and buckets, as far as they are used
  std::size_t used;  // bytes of `data`
  std::size_t size;  // bytes that an array's data takes
};

struct Schema {
  std::uint64_t hash;
  char* bytes;  // the piece
  std::uint32_t length;
  std::uint32_t shape_count;
  std::uint32_t string_count;
  bool used;              // since the hand came by
  ShapeTemplate* shapes;  // in the order of the document
  zend_string** strings;  // its literals of two bytes and more, in their order; interned
  std::size_t cost;       // bytes of all this
};

class Schemas {
 public:
  static constexpr std::size_t kMaxBytes = 2u << 20;
  static constexpr std::size_t kMaxSchemaBytes = 256u << 10;

  Schemas() = default;
  ~Schemas() { clear(); }
  Schemas(const Schemas&) = delete;
  Schemas& operator=(const Schemas&) = delete;

  // REQUIRES: eight bytes behind can be read.
  static std::uint64_t hash_of(const char* bytes, std::size_t length);
  // The schema of a piece, or null. It stays until the next add().
  const Schema* find(std::uint64_t hash, const char* bytes, std::size_t length) {
    for (Schema* s : {slots_[place(hash)], slots_[other_place(hash)]})
      if (s != nullptr && s->hash == hash && s->length == length && std::memcmp(s->bytes, bytes, length) == 0) {
        s->used = true;
        return s;
      }
    return nullptr;
  }
  // Counts a sight of a piece without schema. True: it has been seen often enough to get one.
  bool seen(std::uint64_t hash, std::uint32_t keys);
  // Makes a schema from what a piece was decoded to. Calls nothing of Zend that may end the request. Without effect
  // when the keys or the memory are used up.
  void add(std::uint64_t hash, const char* bytes, std::size_t length, KeyStrings& keys, zend_array* const* shapes,
           std::uint32_t shape_count, zend_string* const* strings, std::uint32_t string_count);
  void clear();
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kSlots = 512;
  static constexpr std::size_t kSights = 1024;
  struct Sight {
    std::uint32_t hash = 0;
    std::uint32_t count = 0;
  };
  static std::size_t place(std::uint64_t hash) { return hash % kSlots; }
  static std::size_t other_place(std::uint64_t hash) { return (hash >> 32) % kSlots; }
  void drop(Schema*& slot);
  bool make_room(std::size_t cost);
  static void destroy(Schema* schema);

  Schema* slots_[kSlots] = {};
  Sight sights_[kSights] = {};
  std::size_t bytes_ = 0;
  std::size_t hand_ = 0;
};

}  // namespace coppice::php
