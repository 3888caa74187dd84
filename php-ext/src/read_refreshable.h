// read_refreshable() for where it stands in the way of every hit: written out in place.
#pragma once

#include "value.h"

namespace coppice::php {

// The parts that a hit has no need of.
Outcome ask_refreshable(CacheObject& cache, std::string_view key, Raw* raw, Failure* failure);
Outcome missed_refreshable(Raw* raw, const Failure& failure);

// static: so that there is one caller of what it is made of, and the compiler makes one piece of it.
[[gnu::always_inline]] static inline Outcome read_refreshable_inline(CacheObject& cache, std::string_view key, Raw* raw,
                                                                     Millis* now, Failure* failure) {
  if (!cache.is_shared) {
    const bool found = cache.local().read_refreshable(key, [&](const RefreshView& e) {
      raw->info.is_stale = e.is_stale;
      raw->info.has_tags = true;
      raw->info.compute_us = e.compute_us;
      read_entry(cache, key, e.entry, raw);
    });
    if (!found) return Outcome::kNot;
    *now = last_local_time();
    return Outcome::kDone;
  }
  switch (cache.shared().read_refreshable(
      key, [&](const ReadInfo& e) { return raw->destination(cache, key, e.type, e.value_size, e.version); }, &raw->info,
      now, failure)) {
    case ReadStatus::kHit:
      return Outcome::kDone;
    case ReadStatus::kMiss:
      return missed_refreshable(raw, *failure);
    case ReadStatus::kAskOwner:
      break;
  }
  return ask_refreshable(cache, key, raw, failure);
}

}  // namespace coppice::php
