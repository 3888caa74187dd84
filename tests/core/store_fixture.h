// A store under a clock that the test sets by hand, compared whole at its end; and one with a reader of its segment.
#pragma once

#include <memory>
#include <string>

#include "coppice/reader.h"
#include "coppice/store.h"
#include "support/catch.h"

namespace coppice {

struct StoreFixture {
  explicit StoreFixture(StoreOptions options = {}, Millis now = 1'000'000) : clock(now) {
    options.clock = &clock;
    store = Store::create(options);
    REQUIRE(store != nullptr);
  }
  ~StoreFixture() {
    const std::string bad = store->check();
    INFO(bad);
    CHECK(bad.empty());
  }
  Millis in(Millis ms) { return deadline_after(clock.monotonic_ms(), ms); }

  ManualClock clock;
  std::unique_ptr<Store> store;
};

struct SharedStoreFixture : StoreFixture {
  // The clock is far above the host's, which the reader consults near a deadline.
  explicit SharedStoreFixture(StoreOptions options = {}) : StoreFixture(shared(options), 1'000'000'000'000) {
    std::string error;
    reader = Reader::map(store->descriptor(), &error);
    INFO(error);
    REQUIRE(reader != nullptr);
  }

  std::unique_ptr<Reader> reader;

 private:
  static StoreOptions shared(StoreOptions options) {
    options.shared = true;
    return options;
  }
};

}  // namespace coppice
