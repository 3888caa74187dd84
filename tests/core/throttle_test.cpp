#include <cmath>
#include <iostream>

#include "coppice/store.h"
#include "support/catch.h"
#include "support/random.h"

using namespace coppice;

namespace {

struct Fixture {
  ManualClock clock;
  std::unique_ptr<Store> store = Store::create({.max_memory = 4 << 20, .clock = &clock});

  ThrottleResult spend(std::int64_t limit, Millis period, std::int64_t cost = 1, std::string_view key = "ip") {
    const auto r = store->throttle(0, key, limit, period, cost);
    REQUIRE(r);
    return *r;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a burst of the whole limit is allowed and no more", "[throttle]") {
  for (int i = 4; i >= 0; --i) {
    const ThrottleResult r = spend(5, 10'000);
    CHECK(r.allowed);
    CHECK(r.remaining == i);
    CHECK(r.retry_after == -1);
  }
  const ThrottleResult r = spend(5, 10'000);
  CHECK_FALSE(r.allowed);
  CHECK(r.limit == 5);
  CHECK(r.remaining == 0);
  CHECK(r.retry_after == 2000);
  CHECK(r.reset_after == 10'000);
}

TEST_CASE_METHOD(Fixture, "one more is allowed each period / limit", "[throttle]") {
  for (int i = 0; i < 5; ++i) spend(5, 10'000);
  clock.advance(1999);
  CHECK_FALSE(spend(5, 10'000).allowed);
  clock.advance(1);
  CHECK(spend(5, 10'000).allowed);
  CHECK_FALSE(spend(5, 10'000).allowed);
}

TEST_CASE_METHOD(Fixture, "a limit that does not divide the period is kept exactly", "[throttle]") {
  int allowed = 0;
  for (int ms = 0; ms < 30'000; ++ms, clock.advance(1)) allowed += spend(3, 1000).allowed ? 1 : 0;
  CHECK(allowed == 3 + 3 * 30 - 1);  // the first burst, then three a second; the ninetieth is due as the time ends
}

TEST_CASE_METHOD(Fixture, "more than one a millisecond is kept too", "[throttle]") {
  int allowed = 0;
  for (int ms = 0; ms < 100; ++ms, clock.advance(1))
    for (int i = 0; i < 10; ++i) allowed += spend(7000, 1000, 1000).allowed ? 1 : 0;
  CHECK(allowed == 7);
  clock.advance(1000);
  for (int i = 0; i < 7000; ++i) CHECK(spend(7000, 1000).allowed);
  CHECK_FALSE(spend(7000, 1000).allowed);
}

TEST_CASE_METHOD(Fixture, "a refusal changes nothing", "[throttle]") {
  spend(2, 1000, 2);
  for (int i = 0; i < 10; ++i) CHECK(spend(2, 1000).retry_after == 500);
}

TEST_CASE_METHOD(Fixture, "a cost of 0 looks only", "[throttle]") {
  spend(3, 3000);
  for (int i = 0; i < 5; ++i) CHECK(spend(3, 3000, 0).remaining == 2);
  CHECK(spend(3, 3000, 0, "new").remaining == 3);
  CHECK(spend(3, 3000, 0, "new").reset_after == 0);
  CHECK_FALSE(store->peek(0, "new"));
}

TEST_CASE_METHOD(Fixture, "more than the limit is never allowed and changes nothing", "[throttle]") {
  const ThrottleResult r = spend(5, 1000, 6);
  CHECK_FALSE(r.allowed);
  CHECK(r.retry_after == -1);
  CHECK(r.remaining == 5);
  CHECK_FALSE(store->peek(0, "ip"));
}

TEST_CASE_METHOD(Fixture, "the state ends by itself when the burst is whole again", "[throttle]") {
  spend(5, 10'000, 2);
  CHECK(store->peek(0, "ip")->deadline == clock.monotonic_ms() + 4000);
  clock.advance(4000);
  CHECK_FALSE(store->peek(0, "ip"));
  CHECK(spend(5, 10'000).remaining == 4);
}

TEST_CASE_METHOD(Fixture, "a rate limit and a value are kept apart", "[throttle][error]") {
  (void)store->set(0, "value", {ValueType::kInteger, "3"});
  CHECK(store->throttle(0, "value", 1, 1000, 1).error() == Error::kWrongType);
  CHECK(store->peek(0, "value")->value() == "3");
  spend(5, 1000);
  CHECK(store->increment(0, "ip", 1).error() == Error::kWrongType);
  CHECK(spend(5, 1000, 0).remaining == 4);
}

TEST_CASE_METHOD(Fixture, "numbers out of their range are refused", "[throttle][error]") {
  CHECK(store->throttle(0, "k", 0, 1000, 1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "k", -1, 1000, 1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "k", 1'000'000'001, 1000, 1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "k", 1, 0, 1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "k", 1, kNoDeadline, 1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "k", 1, 1000, -1).error() == Error::kBadThrottle);
  CHECK(store->throttle(0, "", 1, 1000, 1).error() == Error::kEmptyKey);
  CHECK(store->throttle(99, "k", 1, 1000, 1).error() == Error::kBadDatabase);
}

TEST_CASE_METHOD(Fixture, "the largest numbers do not overflow", "[throttle]") {
  const Millis ten_years = Millis{3'650} * 86'400'000;
  CHECK(spend(1'000'000'000, ten_years, 1'000'000'000).allowed);
  const ThrottleResult r = spend(1'000'000'000, ten_years, 1);
  CHECK_FALSE(r.allowed);
  CHECK(r.reset_after == ten_years);
}

TEST_CASE_METHOD(Fixture, "it does what the algorithm says in real numbers", "[throttle]") {
  const std::uint64_t seed = test::draw_seed();
  INFO("COPPICE_TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; ++round) {
    const std::string key = "r." + std::to_string(round);
    const auto limit = static_cast<std::int64_t>(1 + random() % 50);
    const auto period = static_cast<Millis>(1 + random() % 5000);
    long double arrival = 0;  // ms
    for (int i = 0; i < 300; ++i) {
      clock.advance(static_cast<Millis>(random() % static_cast<std::uint64_t>(2 * period / limit + 2)));
      const auto cost = static_cast<std::int64_t>(random() % 4);
      const auto now = static_cast<long double>(clock.monotonic_ms());
      const long double from = std::max(now, arrival);
      const long double moved =
          from + static_cast<long double>(cost) * static_cast<long double>(period) / static_cast<long double>(limit);
      const long double over = moved - now - static_cast<long double>(period);
      const ThrottleResult r = spend(limit, period, cost, key);
      // Where the two are a nanosecond apart either answer is right.
      if (cost > limit) {
        CHECK_FALSE(r.allowed);
      } else if (std::abs(over) > 1e-6L) {
        INFO("limit " << limit << " period " << period << " cost " << cost << " over " << static_cast<double>(over));
        REQUIRE(r.allowed == (over <= 0));
        if (!r.allowed) REQUIRE(std::abs(static_cast<long double>(r.retry_after) - std::ceil(over)) <= 1);
      }
      if (r.allowed) arrival = moved;
    }
  }
}
