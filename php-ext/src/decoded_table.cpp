#include "decoded_table.h"

#include <SAPI.h>

#include <random>

#include "module.h"

namespace coppice::php {

namespace {

std::uint64_t random_seed() {
  std::random_device device;
  return static_cast<std::uint64_t>(device()) << 32 | device();
}

// The block that a persistent value begins.
PersistentBlock* block_of(const zval& value) {
  return reinterpret_cast<PersistentBlock*>(reinterpret_cast<char*>(Z_PTR(value)) - sizeof(PersistentBlock));
}
static_assert(sizeof(PersistentBlock) % 8 == 0);

}  // namespace

bool parse_decoded_scope(std::string_view text, DecodedScope* out) {
  if (text == "process")
    *out = DecodedScope::kProcess;
  else if (text == "request")
    *out = DecodedScope::kRequest;
  else if (text == "off" || text.empty() || text == "0")  // what php.ini makes of an unquoted off
    *out = DecodedScope::kOff;
  else
    return false;
  return true;
}

DecodedTable::Form DecodedTable::form_of(DecodedScope scope) {
  if (scope == DecodedScope::kOff || COPPICE_G(decoded_memory) == 0) return Form::kOff;
  if (scope == DecodedScope::kRequest) return Form::kRequest;
  // SAPIs whose processes serve one request after another. Of others, and of those that may stay in one request for as
  // long as they live (FrankenPHP's workers), it is not known that a request ever ends.
  const std::string_view sapi = sapi_module.name;
  for (const std::string_view name : {"fpm-fcgi", "cgi-fcgi", "apache2handler", "cli-server", "litespeed"})
    if (sapi == name) return Form::kProcess;
  return Form::kRequest;
}

DecodedTable::DecodedTable() : index_(random_seed()) {}

// The thread's end: no request is left that could hold anything, and counted values went with theirs.
DecodedTable::~DecodedTable() {
  if (form_ == Form::kProcess) index_.for_each([](const Index::Entry& e) { std::free(block_of(e.value)); });
  free_all(&retired_);
  free_all(&retired_before_);
}

std::uint64_t DecodedTable::limit() const {
  const auto wanted = static_cast<std::uint64_t>(COPPICE_G(decoded_memory));
  const zend_long all = PG(memory_limit);
  return all > 0 ? std::min(wanted, static_cast<std::uint64_t>(all) / 4) : wanted;
}

void DecodedTable::let_go(Index::Entry* e) {
  zval value = e->value;
  index_.remove(e);
  if (form_ == Form::kRequest) return release_counted(&value);
  PersistentBlock* block = block_of(value);
  block->next = retired_.first;
  retired_.first = block;
  retired_.bytes += block->bytes;
}

void DecodedTable::free_all(Retired* retired) {
  for (PersistentBlock* block = retired->first; block != nullptr;) {
    PersistentBlock* const next = block->next;
    std::free(block);
    block = next;
  }
  *retired = {};
}

// Where the table is nearly full: whether this version found it so not long ago. Told without a look at the value.
bool DecodedTable::is_worth_the_room(const KeptPlace& place, Version version) {
  const std::uint64_t limit = this->limit();
  if (index_.bytes() + retired_bytes() <= limit - limit / 8) return true;
  // A version is given once in a store; it needs no key beside it.
  const std::uint64_t mark = (version ^ reinterpret_cast<std::uintptr_t>(place.store)) * 0x9e3779b97f4a7c15ull;
  std::uint32_t& last = missed_[mark >> 54];
  static_assert(kMissed == 1u << 10);
  if (last == static_cast<std::uint32_t>(mark)) return true;
  last = static_cast<std::uint32_t>(mark);
  return false;
}

// Whether there is room now; lets go of others where it may and that helps.
bool DecodedTable::make_room(std::size_t key_length, std::uint64_t bytes, Room room) {
  const std::uint64_t limit = this->limit();
  const auto fits = [&] { return index_.bytes_with(key_length, bytes) + retired_bytes() <= limit; };
  if (EXPECTED(fits())) return true;
  if (room == Room::kOnlyFree || bytes >= limit) return false;
  if (form_ == Form::kProcess) return make_room_for_next(key_length, bytes);
  while (index_.size() > 0 && !fits()) {
    let_go(index_.victim());
    ++evictions_;
  }
  return fits();
}

// What is retired now makes room two requests later. So much is retired as what found no room needs, but never more
// than a quarter of the table in one request, or one that reads a lot would empty it for those that follow.
bool DecodedTable::make_room_for_next(std::size_t key_length, std::uint64_t bytes) {
  const std::uint64_t limit = this->limit();
  refused_bytes_ += bytes;
  while (index_.size() > 0 && retired_.bytes < limit / 8 && index_.bytes_with(key_length, refused_bytes_) > limit) {
    let_go(index_.victim());
    ++evictions_;
  }
  return false;
}

void DecodedTable::keep(const KeptPlace& place, Version version, const zval* value, Room room) {
  if (form_ == Form::kOff || is_unsafe()) return;
  if (Index::Entry* old = index_.find(place)) {
    // A page of a walk may be older than what was read since.
    if (old->generation == place.generation && old->version >= version) return;
    let_go(old);
  }
  if (!is_worth_the_room(place, version)) return;
  std::uint64_t bytes;
  if (form_ == Form::kRequest) {
    if (!measure_counted(value, &bytes) || !make_room(place.key.size(), bytes, room)) return;
    if (index_.insert(place, version, *value, bytes) != nullptr) hold_counted(value);
    return;
  }
  if (!copier_.measure(value, &bytes) || !make_room(place.key.size(), bytes, room)) return;
  zval kept;
  PersistentBlock* block = copier_.copy(value, &kept);
  if (block != nullptr && index_.insert(place, version, kept, bytes) == nullptr) std::free(block);
}

void DecodedTable::keep_stored(const KeptPlace& place, Version version, const zval* value) {
  if (form_ == Form::kRequest) keep(place, version, value);
}

void DecodedTable::begin_request(Form form) {
  if (form == form_) return;
  // The request before may have left persistent values, though nobody holds them any more.
  while (form_ == Form::kProcess && index_.size() > 0) let_go(index_.victim());
  form_ = form;
}

void DecodedTable::end_request() {
  if (form_ == Form::kRequest) {
    // Zend's own heap is wiped as a whole behind this; another allocator wants everything back.
    if (!is_zend_mm() || ZEND_DEBUG) index_.for_each([](Index::Entry& e) { release_counted(&e.value); });
    index_.clear();
  }
  free_all(&retired_before_);
  retired_before_ = retired_;
  retired_ = {};
  refused_bytes_ = 0;
}

DecodedTable::Figures DecodedTable::figures() const {
  return {index_.size(), index_.bytes() + retired_bytes(), form_ == Form::kOff ? 0 : limit(), hits_, misses_,
          evictions_};
}

}  // namespace coppice::php
