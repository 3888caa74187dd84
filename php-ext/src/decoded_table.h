// The decoded values that this thread keeps, so that reading a hot array or a long string again costs a look-up.
//
//   DecodedTable& table = thread_state().decoded;
//   if (const zval* kept = table.find(place, version)) hand_out(kept);     // `version` is the entry's, read just now
//   else table.keep(place, version, decoded);
//
// It answers for nothing: the store is asked first on every read, and only what has the very version (of the very
// generation) that the store just named is handed out. So what others delete, overwrite or let expire is gone here too.
//
// Which form values have depends on how the process lives (docs/decoded-values.md):
// - request: PHP's ordinary arrays and strings, counted, let go of at the end of the request at the latest.
// - process: immutable ones in malloc's memory, kept over requests. What is replaced or evicted is freed when the
//   request after that one ends; until then it counts, and where there is no room nothing is taken in.
//
// Where it is full, only what is read a second time before long is taken in: whoever reads more than fits, each once,
// pays next to nothing for a table that could not help him.
//
// What is held never exceeds coppice.decoded_memory (a quarter of memory_limit where that is less), indexes and what
// waits to be freed included.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>

#include "bridge.h"
#include "decoded_value.h"
#include "kept_index.h"

namespace coppice::php {

// Where keeping begins to pay: below, a look-up costs as much as it saves. Bytes of an array's encoding, and of a
// string.
inline constexpr std::uint32_t kSmallestKeptArray = 96;
inline constexpr std::uint32_t kSmallestKeptString = 1024;

enum class DecodedScope : std::uint8_t { kOff, kRequest, kProcess };
bool parse_decoded_scope(std::string_view text, DecodedScope* out);

class DecodedTable {
 public:
  // What values look like; kOff keeps none.
  enum class Form : std::uint8_t { kOff, kRequest, kProcess };
  // The one that a scope means in the SAPI that runs.
  static Form form_of(DecodedScope scope);

  DecodedTable();
  ~DecodedTable();
  DecodedTable(const DecodedTable&) = delete;
  DecodedTable& operator=(const DecodedTable&) = delete;

  // What is kept of this place if it has this version, else null. Valid until the next call; whoever hands it out takes
  // a reference (ZVAL_COPY). Calls nothing of Zend.
  const zval* find(const KeptPlace& place, Version version) {
    if (form_ == Form::kOff) return nullptr;
    Index::Entry* e = index_.find(place);
    if (e == nullptr || e->version != version || !(e->generation == place.generation) || UNEXPECTED(is_unsafe())) {
      ++misses_;
      return nullptr;
    }
    ++hits_;
    e->visited = true;
    return &e->value;
  }

  enum class Room : std::uint8_t { kMayEvict, kOnlyFree };
  // Takes in a value as a decoding made it. Where it can't be, nothing happens. Runs no user code.
  void keep(const KeptPlace& place, Version version, const zval* value, Room room = Room::kMayEvict);
  // Takes in a value that the script just stored, where that needs no copy.
  void keep_stored(const KeptPlace& place, Version version, const zval* value);

  // In post_deactivate. `form`: of the next request.
  void end_request();
  void begin_request(Form form);

  struct Figures {
    std::size_t entries;
    std::uint64_t bytes, limit, hits, misses, evictions;
  };
  Figures figures() const;
  Form form() const { return form_; }

 private:
  using Index = KeptIndex<zval>;
  struct Retired {
    PersistentBlock* first = nullptr;
    std::uint64_t bytes = 0;
  };
  // A fatal error may have left counted arrays marked as being walked.
  bool is_unsafe() const { return form_ == Form::kRequest && CG(unclean_shutdown); }
  std::uint64_t limit() const;
  std::uint64_t retired_bytes() const { return retired_.bytes + retired_before_.bytes; }
  bool make_room(std::size_t key_length, std::uint64_t bytes, Room room);
  bool is_worth_the_room(const KeptPlace& place, Version version);
  bool make_room_for_next(std::size_t key_length, std::uint64_t bytes);
  void let_go(Index::Entry* e);
  static void free_all(Retired* retired);

  Index index_;
  Form form_ = Form::kOff;
  std::uint64_t hits_ = 0, misses_ = 0, evictions_ = 0;
  static constexpr std::size_t kMissed = 1024;
  std::uint32_t missed_[kMissed] = {};  // marks of versions that found the table nearly full
  // ---- process form
  PersistentCopier copier_;
  Retired retired_;                  // in this request
  Retired retired_before_;           // in the one before
  std::uint64_t refused_bytes_ = 0;  // found no room in this request
};

}  // namespace coppice::php
