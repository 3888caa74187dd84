#include "coppice/store.h"

#include <bit>
#include <charconv>
#include <new>

#include "store_impl.h"

namespace coppice {

using layout::KeyHash;

// ---- creation ------------------------------------------------------------------------------------------------------

std::unique_ptr<Store> Store::create(const StoreOptions& options, CreateError* error) {
  std::string message;
  if (options.max_memory < kSmallestMaxMemory)
    message = "max_memory: at least 2 MiB are needed";
  else if (options.max_memory > (1ull << 38))
    message = "max_memory: at most 256 GiB can be addressed";
  else if (options.max_value == 0 || options.max_value > kLargestMaxValue)
    message = "max_value: 1 byte to 511 MiB are possible";
  else if (options.databases == 0 || options.databases > kMaxDatabases)
    message = "databases: 1 to 64 are possible";
  std::unique_ptr<Store> store;
  if (message.empty()) try {
      auto segment = Segment::create(options.max_memory, options.databases, options.shared, &message);
      if (segment != nullptr) {
        auto impl = std::make_unique<Impl>(options, std::move(segment));
        if (impl->start())
          store.reset(new Store(std::move(impl)));
        else
          message = "max_memory: too small to begin with";
      }
    } catch (const std::bad_alloc&) {
      message = "out of memory";
    }
  if (store == nullptr && error != nullptr) error->message = message;
  return store;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;

Store::Impl::Impl(const StoreOptions& options, std::unique_ptr<Segment> segment)
    : options_(options),
      clock_(options.clock != nullptr ? options.clock : &system_clock()),
      segment_(std::move(segment)),
      arena_(*segment_, options.max_memory, options.huge_pages),
      points_(*segment_, arena_),
      deadlines_(pool_),
      stales_(pool_),
      tags_(pool_, KeySource{segment_->base()}, segment_->header().hash_secret),
      heads_(pool_),
      random_(static_cast<unsigned>(segment_->header().hash_secret[0] | segment_->header().hash_secret[1] << 8) + 1) {
  options_.clock = clock_;
  // (2) Two million writes a second for years would be needed to overtake a clock that counts four a microsecond.
  const auto wall = static_cast<Version>(clock_->wall_us() > 0 ? clock_->wall_us() : 0) * 4;
  last_version_ = (wall > options.version_floor ? wall : options.version_floor) | 1;
  last_version_ += 1;
}

// Pages of the segment, the pool's among them, go with the segment.
Store::Impl::~Impl() = default;

bool Store::Impl::start() {
  if (!points_.start() || !ensure_pool()) return false;
  for (int b = 255; b >= 0; --b) free_branches_.push_back(static_cast<std::uint8_t>(b));
  for (Database db = 0; db < options_.databases; ++db) map_database(db, take_branch());
  elements_branch_ = take_branch();
  marks_ = options_.policy == Policy::kAllKeysLru || options_.policy == Policy::kVolatileLru;
  segment_->header().wants_hints = marks_;
  segment_->header().max_memory.store(options_.max_memory, std::memory_order_relaxed);
  return true;
}

// ---- looking -------------------------------------------------------------------------------------------------------

EntryView Store::Impl::view(std::uint64_t offset) const {
  EntryView e;
  view_into(offset, &e);
  return e;
}

[[gnu::hot]] std::optional<EntryView> Store::find(Database db, std::string_view key) {
  Impl& s = *impl_;
  if (!s.holds(db, key)) return std::nullopt;
  const std::uint64_t offset = s.look(db, key, s.points_.hash(s.branch_of(db), key));
  if (offset == 0) {
    ++s.misses_;
    return std::nullopt;
  }
  ++s.hits_;
  if (s.marks_) s.arena_.mark(offset);
  return s.view(offset);
}

std::optional<EntryView> Store::peek(Database db, std::string_view key) const {
  const Impl& s = *impl_;
  if (!s.holds(db, key)) return std::nullopt;
  const std::uint64_t offset = s.look(db, key, s.points_.hash(s.branch_of(db), key));
  if (offset == 0) return std::nullopt;
  return s.view(offset);
}

[[gnu::hot]] std::uint32_t Store::find_batch(Database db, std::span<const std::string_view> keys, EntryView* found) {
  Impl& s = *impl_;
  KeyHash hashes[kBatch];
  const std::size_t n = keys.size();
  std::uint32_t valid = 0, hits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!s.holds(db, keys[i])) continue;
    valid |= 1u << i;
    hashes[i] = s.points_.hash(s.branch_of(db), keys[i]);
    s.points_.prefetch_slot(hashes[i]);
  }
  // Two passes, so that the misses of all slots overlap, and then those of all entries.
  std::uint64_t offsets[kBatch];
  for (std::size_t i = 0; i < n; ++i) {
    offsets[i] = (valid >> i & 1) != 0 ? s.points_.likely_block(hashes[i]) : 0;
    if (offsets[i] == 0) continue;
    __builtin_prefetch(s.arena_.at(offsets[i]));
    __builtin_prefetch(s.arena_.at(offsets[i]) + 63);
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (offsets[i] == 0) continue;
    const Block likely = s.block_at(offsets[i]);
    if (likely.branch() != s.branch_of(db) || likely.key() != keys[i])
      offsets[i] = s.look(db, keys[i], hashes[i]);
    else if (s.passed(likely))
      offsets[i] = 0;
    if (offsets[i] == 0) continue;
    hits |= 1u << i;
    if (s.marks_) s.arena_.mark(offsets[i]);
    new (&found[i]) EntryView(s.view(offsets[i]));
  }
  const auto hit_count = static_cast<std::uint64_t>(std::popcount(hits));
  s.hits_ += hit_count;
  s.misses_ += n - hit_count;
  return hits;
}

void Store::find_many(Database db, std::span<const std::string_view> keys, const FindFn& f) {
  Batch batch;
  for (std::size_t start = 0; start < keys.size(); start += kBatch) {
    const auto some = keys.subspan(start, std::min(kBatch, keys.size() - start));
    const std::uint32_t hits = find_batch(db, some, batch.found);
    for (std::size_t i = 0; i < some.size(); ++i) f(start + i, (hits >> i & 1) != 0 ? &batch.found[i] : nullptr);
  }
}

// ---- changing ------------------------------------------------------------------------------------------------------

[[gnu::hot]] std::uint64_t Store::Impl::fill(std::uint8_t branch, std::string_view key, const Value& value,
                                             Millis deadline, std::uint32_t trailer_size) {
  const auto key_length = static_cast<std::uint32_t>(key.size());
  const auto value_length = static_cast<std::uint32_t>(value.bytes.size());
  const bool chained = layout::needs_chain(key_length, value_length, trailer_size);
  const bool timed = deadline != kNoDeadline;
  const std::uint32_t wanted =
      layout::class_of(layout::block_size(key_length, value_length, timed, chained, trailer_size));
  const std::uint64_t offset = arena_.take_block(arena_.class_with_block(wanted));
  char* const block = arena_.at(offset);
  std::uint64_t word = value_length;
  word |= static_cast<std::uint64_t>(key_length | (timed ? layout::kHasDeadline : 0) |
                                     (chained ? layout::kIsChained : 0) | (trailer_size != 0 ? layout::kHasTrailer : 0))
          << 32;
  word |= static_cast<std::uint64_t>(value.type) << 48 | static_cast<std::uint64_t>(branch) << 56;
  char* at = block + 8;
  layout::write_shared(at, reinterpret_cast<const char*>(&word), 8);
  at += 8;
  if (timed) {
    layout::write_shared(at, reinterpret_cast<const char*>(&deadline), 8);
    at += 8;
  }
  std::string_view tail = value.bytes;
  if (chained) {
    const layout::Chain chain = layout::chain_of(value_length);
    for (std::uint32_t i = 0; i < chain.pages; ++i) {
      const std::uint32_t page = arena_.take_page(layout::kDataPage);
      layout::write_shared(at, reinterpret_cast<const char*>(&page), 4);
      at += 4;
      const std::size_t n = std::min<std::size_t>(tail.size(), layout::kPageSize);
      layout::write_shared(segment_->page(page), tail.data(), n);
      tail.remove_prefix(n);
    }
  }
  layout::write_shared(at, key.data(), key.size());
  layout::write_shared(at + key.size(), tail.data(), tail.size());
  return offset;
}

[[gnu::hot]] Version Store::Impl::overwrite(std::uint64_t offset, const Value& value, Millis deadline,
                                            std::uint32_t size_class) {
  const Block block = block_at(offset);
  const bool timed = deadline != kNoDeadline;
  if (segment_->shared() || block.is_chained() || block.has_trailer() || block.has_deadline() != timed ||
      is_collection(block.type()) ||
      arena_.kind_of(static_cast<std::uint32_t>(offset >> layout::kPageShift)) != layout::kFirstBlockPage + size_class)
    return 0;
  if (timed && deadline != block.deadline()) {
    if (!pool_.ready()) return 0;
    deadlines_.erase(block.deadline(), offset >> 3);
    deadlines_.insert(deadline, offset >> 3);
    std::memcpy(arena_.at(offset) + sizeof(layout::BlockHeader), &deadline, sizeof deadline);
  }
  // The new value may be a part of the old one.
  if (!value.bytes.empty()) std::memmove(block.value_at(), value.bytes.data(), value.bytes.size());
  block.header().value_length = static_cast<std::uint32_t>(value.bytes.size());
  block.header().type = value.type;
  const Version version = next_version();
  block.header().version.store(version, std::memory_order_relaxed);  // (2) not shared: nobody watches
  return version;
}

[[gnu::hot]] Version Store::Impl::publish(std::uint8_t branch, std::string_view key, KeyHash hash,
                                          const PointIndex::Place& place, std::uint64_t offset, std::uint64_t old) {
  const Block block = block_at(offset);
  const Version version = next_version();
  block.header().version.store(version, std::memory_order_release);  // (2)
  Branch& b = branches_[branch];
  if (old != 0) {
    if (both_.second != nullptr && passed(block_at(old))) tell_expired(old);
    points_.replace(points_.find_block(old, hash), offset);
    b.order->replace(key, old >> 3, offset >> 3);
    if (block_at(old).has_deadline()) forget_deadline(old);
  } else {
    points_.insert(hash, place, offset);
    b.order->insert(key, offset >> 3);
    ++entries_;
  }
  if (block.has_deadline()) {
    deadlines_.insert(block.deadline(), offset >> 3);
    ++b.with_deadline;
  }
  return version;
}

void Store::Impl::discard(std::uint64_t offset, bool with_data) {
  const Block block = block_at(offset);
  arena_.retire(offset);  // (3)
  if (with_data && block.is_chained())
    for (std::uint32_t i = 0, n = block.data_pages(); i < n; ++i) arena_.free_page(block.page_numbers()[i]);
  if (with_data && is_collection(block.type())) [[unlikely]]
    bury(offset);
  arena_.free_block(offset);
}

void Store::Impl::remove_ordered(std::uint64_t offset) {
  const Block block = block_at(offset);
  const KeyHash hash = points_.hash(block.branch(), block.key());
  points_.erase(points_.find_block(offset, hash), hash);
  if (block.has_deadline()) forget_deadline(offset);
  if (block.has_trailer()) forget_tags(offset);
  --entries_;
  if (offset == pinned_) pinned_ = 0;
  discard(offset, true);
}

void Store::Impl::remove(std::uint64_t offset) {
  const Block block = block_at(offset);
  branches_[block.branch()].order->erase(block.key(), offset >> 3);
  remove_ordered(offset);
}

[[gnu::hot]] void Store::Impl::give_back_surplus() {
  while (void* page = pool_.surplus_page())
    arena_.free_page(static_cast<std::uint32_t>((static_cast<char*>(page) - segment_->base()) >> layout::kPageShift));
}

namespace {
// Whether there is more to store than a value. In one test, since nearly always there is not.
bool carries_more(const SetOptions& options) {
  return (options.tags.size() | static_cast<std::uint64_t>(options.stale) | options.compute_us |
          static_cast<std::uint64_t>(options.keep_tags)) != 0;
}
}  // namespace

[[gnu::hot]] Result<SetResult> Store::set(Database db, std::string_view key, Value value, const SetOptions& options) {
  Impl& s = *impl_;
  if (const Error e = s.check_key(db, key); e != Error::kNone) return e;
  if (value.bytes.size() > s.options_.max_value) return Error::kValueTooLarge;
  const std::uint8_t branch = s.branch_of(db);
  const KeyHash hash = s.points_.hash(branch, key);
  PointIndex::Place place;
  Impl::Slot* const slot = s.points_.find(branch, key, hash, &place);
  std::uint64_t old = slot == nullptr ? 0 : layout::slot_offset(slot->load(std::memory_order_relaxed));
  const bool live = old != 0 && !s.passed(s.block_at(old));
  switch (options.when) {
    case When::kAlways:
      break;
    case When::kIfAbsent:
      if (live) return SetResult{};
      break;
    case When::kIfPresent:
      if (!live) return SetResult{};
      break;
    case When::kIfVersion:
      if (!live || s.block_at(old).version() != options.version) return SetResult{};
      break;
  }
  const Millis deadline = options.keep_deadline && live ? s.block_at(old).deadline()
                          : options.keep_deadline       ? kNoDeadline
                                                        : options.deadline;
  if (deadline != kNoDeadline && s.clock_->passed(deadline)) {
    if (old != 0 && !live && s.both_.second != nullptr) s.tell_expired(old);
    if (old != 0) s.remove(old);
    s.give_back_surplus();
    if (s.listener_ != nullptr) s.listener_->on_change(db, key, live ? Change::kErased : Change::kNothing);
    return SetResult{true, 0};
  }
  if (carries_more(options)) [[unlikely]]
    return s.set_more(db, key, value, options, deadline, hash, place, old);
  const auto key_length = static_cast<std::uint32_t>(key.size());
  const auto value_length = static_cast<std::uint32_t>(value.bytes.size());
  const bool chained = layout::needs_chain(key_length, value_length);
  const std::uint32_t size_class =
      layout::class_of(layout::block_size(key_length, value_length, deadline != kNoDeadline, chained));
  if (live && !chained)
    if (const Version version = s.overwrite(old, value, deadline, size_class); version != 0) {
      ++s.sets_;
      if (s.listener_ != nullptr) s.listener_->on_change(db, key, Change::kWritten);
      return SetResult{true, version};
    }
  s.pinned_ = old;
  const bool room = s.ensure_room(size_class, chained ? layout::chain_of(value_length).pages : 0, hash, &place);
  old = s.pinned_;
  s.pinned_ = 0;
  if (!room) return Error::kOutOfMemory;
  const std::uint64_t offset = s.fill(branch, key, value, deadline, 0);
  const Version version = s.publish(branch, key, hash, place, offset, old);
  if (old != 0) {
    if (s.block_at(old).has_trailer()) s.forget_tags(old);
    s.discard(old, true);
  }
  ++s.sets_;
  s.give_back_surplus();
  if (s.listener_ != nullptr) s.listener_->on_change(db, key, live ? Change::kWritten : Change::kCreated);
  return SetResult{true, version};
}

bool Store::erase(Database db, std::string_view key) {
  Impl& s = *impl_;
  if (!s.holds(db, key)) return false;
  const std::uint8_t branch = s.branch_of(db);
  const std::uint64_t offset = s.offset_at(branch, key, s.points_.hash(branch, key));
  bool live = false;
  if (offset != 0) {
    live = !s.passed(s.block_at(offset));
    if (!live) {
      if (s.both_.second != nullptr) s.tell_expired(offset);
      ++s.expired_;
    }
    s.remove(offset);
    s.give_back_surplus();
  }
  if (s.listener_ != nullptr) s.listener_->on_change(db, key, live ? Change::kErased : Change::kNothing);
  return live;
}

Result<bool> Store::set_deadline(Database db, std::string_view key, Millis deadline) {
  Impl& s = *impl_;
  if (const Error e = s.check_key(db, key); e != Error::kNone) return e;
  const std::uint8_t branch = s.branch_of(db);
  const KeyHash hash = s.points_.hash(branch, key);
  std::uint64_t old = s.look(db, key, hash);
  if (deadline != kNoDeadline && s.clock_->passed(deadline)) {
    // A removal, as erase() is one: told also where nothing was.
    if (old != 0) s.remove(old);
    s.give_back_surplus();
    if (s.listener_ != nullptr) s.listener_->on_change(db, key, old != 0 ? Change::kErased : Change::kNothing);
    return old != 0;
  }
  if (old == 0) return false;
  const Block before = s.block_at(old);
  const std::uint32_t size = layout::block_size(before.key_length(), before.value_length(), deadline != kNoDeadline,
                                                before.is_chained(), s.trailer(old).size());
  s.pinned_ = old;
  PointIndex::Place place;
  const bool room = s.ensure_room(layout::class_of(size), 0, hash, &place);
  old = s.pinned_;
  s.pinned_ = 0;
  if (old == 0) return false;  // it expired meanwhile
  if (!room) return Error::kOutOfMemory;

  // The new block takes the data pages over: a reader of the old one sees it retired before they can be freed.
  const Block source = s.block_at(old);
  const std::uint64_t offset = s.arena_.take_block(s.arena_.class_with_block(layout::class_of(size)));
  char* at = s.arena_.at(offset) + 8;
  std::uint64_t word;
  std::memcpy(&word, s.arena_.at(old) + 8, 8);
  word &= ~(static_cast<std::uint64_t>(layout::kHasDeadline) << 32);
  if (deadline != kNoDeadline) word |= static_cast<std::uint64_t>(layout::kHasDeadline) << 32;
  layout::write_shared(at, reinterpret_cast<const char*>(&word), 8);
  at += 8;
  if (deadline != kNoDeadline) {
    layout::write_shared(at, reinterpret_cast<const char*>(&deadline), 8);
    at += 8;
  }
  const char* const from = reinterpret_cast<const char*>(source.page_numbers());
  const std::string_view tail = source.tail();
  layout::write_shared(at, from, static_cast<std::size_t>(tail.data() + tail.size() - from));
  if (source.has_trailer()) {
    const std::uint32_t n = s.trailer(old).size();
    layout::write_shared(s.block_end(offset) - n, s.block_end(old) - n, n);
    s.hand_over_tags(key, old, offset);
  }
  if (is_collection(source.type())) s.head_moved(old, offset);
  const bool marked = s.arena_.is_marked(old);
  s.publish(branch, key, hash, place, offset, old);
  s.discard(old, false);
  if (marked) s.arena_.mark(offset);
  s.give_back_surplus();
  if (s.listener_ != nullptr) s.listener_->on_change(db, key, Change::kDeadline);
  return true;
}

Result<std::int64_t> Store::increment(Database db, std::string_view key, std::int64_t by,
                                      const IncrementOptions& options) {
  Impl& s = *impl_;
  if (const Error e = s.check_key(db, key); e != Error::kNone) return e;
  std::int64_t value = options.initial;
  SetOptions how;
  how.deadline = options.deadline_if_new;
  if (const std::uint64_t old = s.look(db, key, s.points_.hash(s.branch_of(db), key)); old != 0) {
    const Block block = s.block_at(old);
    if (!is_plain(block.type())) return Error::kWrongType;
    const std::string_view text = block.is_chained() ? std::string_view{} : block.tail();
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) return Error::kNotInteger;
    // Canonical only: "007" and "-0" are text.
    char again[24];
    const auto written = std::to_chars(again, again + sizeof again, value);
    if (std::string_view(again, static_cast<std::size_t>(written.ptr - again)) != text) return Error::kNotInteger;
    how.keep_deadline = true;
    how.keep_tags = block.has_trailer();
  }
  if (__builtin_add_overflow(value, by, &value)) return Error::kOverflow;
  char text[24];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  const auto stored =
      set(db, key, {ValueType::kInteger, std::string_view(text, static_cast<std::size_t>(end - text))}, how);
  if (!stored) return stored.error();
  return value;
}

}  // namespace coppice
