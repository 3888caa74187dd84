// What a process keeps of a store's entries: an index by store and key, in the order in which SIEVE lets go of them.
//
//   KeptIndex<int> index(seed);
//   index.insert({&store, generation, "user.42"}, version, 7, bytes_behind_it);
//   if (auto* e = index.find({&store, generation, "user.42"}); e && e->version == version) e->visited = true,
//   use(e->value); while (index.bytes() > limit) index.remove(index.victim());
//
// SIEVE (NSDI '24): a queue in order of insertion and a hand that walks from its oldest end to the newest. What was
// visited since the hand passed is spared once, what was not goes. A hit is one store, and what is read only once goes
// before what is read again and again, however much of it comes.
//
// Knows nothing of PHP. Bytes are counted exactly as they are asked of malloc, the index's own included; what lies
// behind a value is counted as insert() is told, and is the caller's to free.
//
// Thread safety: none.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

#include "coppice/types.h"

namespace coppice::php {

// A life of a store's memory: the 128 bits of an owner's segment, 0 for a store of this process.
struct Generation {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const Generation&) const = default;
};

// Where something is kept: which store, in which life of it, under which key.
struct KeptPlace {
  const void* store = nullptr;
  Generation generation;
  std::string_view key;
};

template <class Value>
class KeptIndex {
  static_assert(std::is_trivially_copyable_v<Value> && std::is_trivially_destructible_v<Value>);

 public:
  struct Entry {
    Value value;
    Version version;
    Generation generation;
    std::uint64_t bytes;  // behind the value
    bool visited;

   private:
    friend class KeptIndex;
    std::uint32_t key_length;  // the key follows the entry
    std::uint64_t hash;
    const void* store;
    Entry* next;   // of the chain
    Entry* newer;  // of the queue
    Entry* older;
    std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_length}; }
  };

  // `seed` is secret where keys may come from somebody who wants them to collide.
  explicit KeptIndex(std::uint64_t seed) : seed_(seed) {}
  ~KeptIndex() {
    clear();
    std::free(chains_);
  }
  KeptIndex(const KeptIndex&) = delete;
  KeptIndex& operator=(const KeptIndex&) = delete;

  std::size_t size() const { return size_; }
  std::uint64_t bytes() const { return bytes_; }
  // What bytes() would be with one more entry.
  std::uint64_t bytes_with(std::size_t key_length, std::uint64_t value_bytes) const {
    const std::size_t chains = size_ < chain_count_ ? chain_count_ : grown();
    return bytes_ + (chains - chain_count_) * sizeof(Entry*) + sizeof(Entry) + key_length + value_bytes;
  }

  // What is kept of this key of this store, of whatever generation and version; null: nothing.
  Entry* find(const KeptPlace& place) const {
    if (size_ == 0) return nullptr;
    const std::uint64_t hash = hash_of(place);
    for (Entry* e = chains_[hash & (chain_count_ - 1)]; e != nullptr; e = e->next)
      if (e->hash == hash && e->store == place.store && e->key() == place.key) return e;
    return nullptr;
  }

  // Null: out of memory, and nothing has changed. REQUIRES: find(place) is null.
  Entry* insert(const KeptPlace& place, Version version, const Value& value, std::uint64_t bytes) {
    if (size_ == chain_count_ && !grow()) return nullptr;
    void* memory = std::malloc(sizeof(Entry) + place.key.size());
    if (memory == nullptr) return nullptr;
    Entry* e = new (memory) Entry;
    e->value = value;
    e->version = version;
    e->generation = place.generation;
    e->bytes = bytes;
    e->visited = false;
    e->key_length = static_cast<std::uint32_t>(place.key.size());
    std::memcpy(reinterpret_cast<char*>(e + 1), place.key.data(), place.key.size());
    e->hash = hash_of(place);
    e->store = place.store;
    link(e);
    e->newer = nullptr;
    e->older = newest_;
    (newest_ != nullptr ? newest_->newer : oldest_) = e;
    newest_ = e;
    ++size_;
    bytes_ += sizeof(Entry) + e->key_length + bytes;
    return e;
  }

  // What goes first; remove() it. REQUIRES: size() > 0.
  Entry* victim() {
    Entry* e = hand_ != nullptr ? hand_ : oldest_;
    while (e->visited) {
      e->visited = false;
      e = e->newer != nullptr ? e->newer : oldest_;
    }
    hand_ = e;
    return e;
  }

  void remove(Entry* e) {
    if (hand_ == e) hand_ = e->newer;
    Entry** at = &chains_[e->hash & (chain_count_ - 1)];
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    (e->newer != nullptr ? e->newer->older : newest_) = e->older;
    (e->older != nullptr ? e->older->newer : oldest_) = e->newer;
    --size_;
    bytes_ -= sizeof(Entry) + e->key_length + e->bytes;
    std::free(e);
  }

  template <class F>
  void for_each(F&& f) const {
    for (Entry* e = newest_; e != nullptr; e = e->older) f(*e);
  }

  // The chains stay, and are counted.
  void clear() {
    for (Entry* e = newest_; e != nullptr;) {
      Entry* const older = e->older;
      std::free(e);
      e = older;
    }
    if (chain_count_ != 0) std::memset(chains_, 0, chain_count_ * sizeof(Entry*));
    newest_ = oldest_ = hand_ = nullptr;
    size_ = 0;
    bytes_ = chain_count_ * sizeof(Entry*);
  }

 private:
  std::uint64_t hash_of(const KeptPlace& place) const {
    return XXH3_64bits_withSeed(place.key.data(), place.key.size(),
                                seed_ ^ static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(place.store)));
  }
  std::size_t grown() const { return chain_count_ == 0 ? 16 : chain_count_ * 2; }
  void link(Entry* e) {
    Entry*& chain = chains_[e->hash & (chain_count_ - 1)];
    e->next = chain;
    chain = e;
  }
  bool grow() {
    auto** chains = static_cast<Entry**>(std::calloc(grown(), sizeof(Entry*)));
    if (chains == nullptr) return false;
    bytes_ += (grown() - chain_count_) * sizeof(Entry*);
    chain_count_ = grown();
    std::free(chains_);
    chains_ = chains;
    for (Entry* e = newest_; e != nullptr; e = e->older) link(e);
    return true;
  }

  const std::uint64_t seed_;
  Entry** chains_ = nullptr;
  std::size_t chain_count_ = 0;  // 0 or a power of two
  std::size_t size_ = 0;
  std::uint64_t bytes_ = 0;
  Entry* newest_ = nullptr;
  Entry* oldest_ = nullptr;
  Entry* hand_ = nullptr;  // null: at the oldest
};

}  // namespace coppice::php
