// A map from pointers to pointers whose memory is kept from use to use.
//
// Thread safety: none.
#pragma once

#include <cstdint>

#include "codec_tables.h"

namespace coppice::php {

class PointerMap {
 public:
  // Empties it; a rare large one does not stay in the process for ever.
  void begin() { table_.begin(); }
  // What `key` maps to, null at first. Valid until the next call. Throws std::bad_alloc.
  void*& operator[](const void* key) {
    Known* const place = find(key);
    if (table_.is_empty(*place)) table_.add(place, {.hash = hash_of(key), .key = key});
    return place->value;
  }
  bool contains(const void* key) { return !table_.is_empty(*find(key)); }

 private:
  struct Known {
    std::uint32_t hash = 0;
    std::uint32_t epoch = 0;
    const void* key = nullptr;
    void* value = nullptr;
  };
  static std::uint32_t hash_of(const void* key) {
    return static_cast<std::uint32_t>((reinterpret_cast<std::uintptr_t>(key) >> 3) * 0x9e3779b97f4a7c15ull >> 32);
  }
  Known* find(const void* key) {
    return table_.find(
        hash_of(key), [key](const Known& known) { return known.key == key; }, EpochTable<Known>::kUnlimited);
  }

  EpochTable<Known> table_;
};

}  // namespace coppice::php
