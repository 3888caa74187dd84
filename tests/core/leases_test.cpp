#include "coppice/leases.h"

#include "coppice/locks.h"
#include "support/catch.h"

using namespace coppice;

namespace {

constexpr ClientId kA = 1, kB = 2, kC = 3, kD = 4;

struct Fixture {
  ManualClock clock;
  std::unique_ptr<Store> store = Store::create({.max_memory = 4 << 20, .max_value = 4096, .clock = &clock});
  WaitGraph graph;
  LeaseLimits limits;
  std::optional<Leases> made;

  Leases& leases() {
    if (!made) made.emplace(*store, graph, limits);
    return *made;
  }
  ~Fixture() {
    if (made) CHECK(made->check(now()) == "");
  }
  Millis now() const { return clock.monotonic_ms(); }
  LeaseRequest ask(ClientId c, Millis wait = 0, std::string_view key = "k") {
    LeaseRequest r;
    r.key = key;
    r.client = c;
    r.wait = wait;
    return r;
  }
  LeaseAnswer request(const LeaseRequest& r) {
    const auto a = leases().request(r, now());
    REQUIRE(a);
    return *a;
  }
  std::uint64_t lease(ClientId c, std::string_view key = "k") {
    const LeaseAnswer a = request(ask(c, 0, key));
    REQUIRE(a.outcome == LeaseOutcome::kGranted);
    return a.token;
  }
  // Whether the value was stored.
  bool fill(std::uint64_t token, std::string_view key = "k", std::string_view value = "computed",
            std::vector<std::string_view> tags = {}) {
    LeaseFill f;
    f.token = token;
    f.key = key;
    f.value = {ValueType::kString, value};
    f.options.tags = tags;
    const auto done = leases().fill(f, now());
    REQUIRE(done);
    return done->has_value();
  }
  std::string value(std::string_view key = "k") {
    const auto e = store->peek(0, key);
    return e ? e->value() : "(none)";
  }
  void pass(Millis ms) {
    clock.advance(ms);
    while (leases().advance(now(), 1)) {
    }
  }
  LeaseDecision decision() {
    leases().advance(now(), 100);
    const auto d = leases().take_decisions();
    REQUIRE(d.size() == 1);
    return d[0];
  }
  bool granted_to(ClientId c) {
    const LeaseDecision d = decision();
    return d.client == c && d.outcome == LeaseOutcome::kGranted;
  }
  bool told(ClientId c, LeaseOutcome outcome) {
    const LeaseDecision d = decision();
    return d.client == c && d.outcome == outcome;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "who asks first for a missing key computes it", "[leases]") {
  const std::uint64_t token = lease(kA);
  CHECK(fill(token));
  CHECK(value() == "computed");
}

TEST_CASE_METHOD(Fixture, "a key that has a value is to be read again", "[leases]") {
  (void)store->set(0, "k", {ValueType::kString, "there"});
  CHECK(request(ask(kA)).outcome == LeaseOutcome::kStored);
}

// laravel/framework#61289
TEST_CASE_METHOD(Fixture, "of ten who miss one computes and the others are told when it is stored",
                 "[leases][reports]") {
  const std::uint64_t token = lease(1);
  for (ClientId c = 2; c <= 10; ++c) CHECK(request(ask(c, 5000)).outcome == LeaseOutcome::kWaiting);
  CHECK(fill(token));
  const auto d = leases().take_decisions();
  REQUIRE(d.size() == 9);
  for (std::size_t i = 0; i < d.size(); ++i) {
    CHECK(d[i].client == i + 2);
    CHECK(d[i].outcome == LeaseOutcome::kStored);
  }
  CHECK(request(ask(11)).outcome == LeaseOutcome::kStored);
}

TEST_CASE_METHOD(Fixture, "who does not wait computes for itself", "[leases]") {
  lease(kA);
  CHECK(request(ask(kB)).outcome == LeaseOutcome::kSelf);
}

TEST_CASE_METHOD(Fixture, "a wait ends at its limit", "[leases]") {
  lease(kA);
  request(ask(kB, 300));
  pass(299);
  CHECK_FALSE(leases().has_decisions());
  pass(1);
  CHECK(told(kB, LeaseOutcome::kSelf));
}

TEST_CASE_METHOD(Fixture, "a lease that is given up goes to the first in line", "[leases]") {
  const std::uint64_t token = lease(kA);
  request(ask(kB, 5000));
  request(ask(kC, 5000));
  CHECK(leases().drop(token, now()));
  const LeaseDecision d = decision();
  CHECK(d.client == kB);
  CHECK(d.outcome == LeaseOutcome::kGranted);
  CHECK_FALSE(leases().drop(token, now()));
  CHECK(fill(d.token));
  CHECK(told(kC, LeaseOutcome::kStored));
}

TEST_CASE_METHOD(Fixture, "the lease of a client that is gone goes to the first in line", "[leases]") {
  const std::uint64_t token = lease(kA);
  request(ask(kB, 5000));
  leases().client_gone(kA, now());
  CHECK(granted_to(kB));
  CHECK_FALSE(fill(token));
}

TEST_CASE_METHOD(Fixture, "a lease goes to the first in line when its ceiling is reached", "[leases]") {
  LeaseRequest r = ask(kA);
  r.ceiling = 1000;
  const std::uint64_t token = request(r).token;
  request(ask(kB, 5000));
  CHECK(leases().next_deadline() == now() + 1000);
  pass(1000);
  CHECK(granted_to(kB));
  CHECK_FALSE(fill(token));
  CHECK(value() == "(none)");
}

TEST_CASE_METHOD(Fixture, "a value that comes after the ceiling is not stored, whether or not time was looked at",
                 "[leases]") {
  LeaseRequest r = ask(kA);
  r.ceiling = 1000;
  const std::uint64_t token = request(r).token;
  clock.advance(1000);
  CHECK_FALSE(fill(token));
}

TEST_CASE_METHOD(Fixture, "a grant that its client never heard of goes to the next", "[leases]") {
  const std::uint64_t token = lease(kA);
  request(ask(kB, 5000));
  request(ask(kC, 5000));
  leases().drop(token, now());
  leases().client_gone(kB, now());
  CHECK(granted_to(kC));
}

TEST_CASE_METHOD(Fixture, "the wait of a client that is gone is over", "[leases]") {
  const std::uint64_t token = lease(kA);
  request(ask(kB, 5000));
  leases().client_gone(kB, now());
  leases().drop(token, now());
  CHECK_FALSE(leases().has_decisions());
  CHECK(graph.size() == 0);
}

// ---- revocation

TEST_CASE_METHOD(Fixture, "whatever changes the key revokes its lease", "[leases][revoke]") {
  const auto revoked_by = [&](const auto& change) {
    const std::uint64_t token = lease(kA);
    request(ask(kB, 5000));
    change();
    CHECK_FALSE(fill(token));
    const LeaseDecision d = decision();  // the next one computes from what is true now
    CHECK(d.outcome == LeaseOutcome::kGranted);
    CHECK(leases().drop(d.token, now()));
    store->erase(0, "k");
  };
  revoked_by([&] { store->erase(0, "k"); });
  revoked_by([&] { (void)store->set(0, "k", {ValueType::kString, "other"}); });
  revoked_by([&] { (void)store->increment(0, "k", 1); });
  revoked_by([&] { store->erase_prefix(0, ""); });
  revoked_by([&] { store->erase_prefix(0, "k"); });
  revoked_by([&] { store->flush(0); });
  revoked_by([&] { store->swap(0, 1); });
  revoked_by([&] { store->swap(1, 0); });
}

TEST_CASE_METHOD(Fixture, "a new deadline revokes a refresh", "[leases][revoke]") {
  (void)store->set(0, "k", {ValueType::kString, "old"});
  LeaseRequest r = ask(kA);
  r.refresh = store->peek(0, "k")->version;
  const std::uint64_t token = request(r).token;
  (void)store->set_deadline(0, "k", now() + 1000);
  CHECK_FALSE(fill(token, "k", "new"));
  CHECK(value() == "old");
}

TEST_CASE_METHOD(Fixture, "a range delete revokes before its first slice", "[leases][revoke]") {
  const std::uint64_t token = lease(kA, "user.1");
  RangeErase erase = store->begin_erase_prefix(0, "user.");
  CHECK_FALSE(fill(token, "user.1"));
  while (!store->step(erase, 1)) {
  }
}

TEST_CASE_METHOD(Fixture, "what happens to other keys leaves a lease alone", "[leases][revoke]") {
  const std::uint64_t token = lease(kA);
  (void)store->set(0, "k2", {ValueType::kString, "x"});
  (void)store->set(1, "k", {ValueType::kString, "x"});
  store->erase(0, "kk");
  store->erase_prefix(0, "k.");
  store->erase_prefix(1, "k");
  store->flush(1);
  const std::string_view tag = "t";
  store->invalidate_tags(0, {&tag, 1});
  CHECK(fill(token));
}

TEST_CASE_METHOD(Fixture, "a revoked lease tells nobody who does not wait", "[leases][revoke]") {
  lease(kA);
  store->erase(0, "k");
  CHECK(leases().out() == 0);
  CHECK_FALSE(leases().next_deadline());
  CHECK(leases().bytes() == 0);
}

TEST_CASE_METHOD(Fixture, "a revocation with waiters asks for attention, once", "[leases][revoke]") {
  int asked = 0;
  leases().set_on_work([&] { ++asked; });
  lease(kA);
  lease(kA, "k2");
  request(ask(kB, 5000));
  request(ask(kC, 5000, "k2"));
  store->flush(0);
  CHECK(asked == 1);
  leases().advance(now(), 0);
  CHECK(leases().take_decisions().size() == 2);
}

TEST_CASE_METHOD(Fixture, "a key that was revoked and not yet passed on is passed on before it is asked for",
                 "[leases][revoke]") {
  lease(kA);
  request(ask(kB, 5000));
  store->erase(0, "k");
  CHECK(request(ask(kC)).outcome == LeaseOutcome::kSelf);  // B is first
  CHECK(granted_to(kB));
}

TEST_CASE_METHOD(Fixture, "a value computed before its tag was invalidated is never stored", "[leases][tags]") {
  const std::uint64_t token = lease(kA);
  request(ask(kB, 5000));
  const std::string_view tag = "user.1";
  store->invalidate_tags(0, {&tag, 1});
  CHECK_FALSE(fill(token, "k", "old", {"other", "user.1"}));
  const LeaseDecision d = decision();
  CHECK(d.client == kB);
  CHECK(fill(d.token, "k", "new", {"other", "user.1"}));  // granted after the invalidation
  CHECK(value() == "new");
}

TEST_CASE_METHOD(Fixture, "an entry that goes with its tag takes the lease of its key with it", "[leases][tags]") {
  const std::string_view tag = "t";
  (void)store->set(0, "k", {ValueType::kString, "old"}, {.tags = {&tag, 1}});
  LeaseRequest refresh = ask(kA);
  refresh.refresh = store->peek(0, "k")->version;
  const LeaseAnswer a = request(refresh);
  const std::uint64_t other = lease(kB, "k2");
  CHECK(store->invalidate_tags(0, {&tag, 1}) == 1);
  CHECK_FALSE(fill(a.token));  // it names no tags
  CHECK(fill(other, "k2"));
  CHECK(value() == "(none)");
}

TEST_CASE_METHOD(Fixture, "so does one in its stale window", "[leases][tags]") {
  const std::string_view tag = "t";
  (void)store->set(0, "k", {ValueType::kString, "old"}, {.deadline = now() + 10, .stale = 1000, .tags = {&tag, 1}});
  pass(20);
  const std::uint64_t token = lease(kA);
  CHECK(store->invalidate_tags(0, {&tag, 1}) == 0);
  CHECK_FALSE(fill(token));
}

TEST_CASE_METHOD(Fixture, "a tag of another database, or invalidated before the grant, hinders nothing",
                 "[leases][tags]") {
  lease(kC, "older");  // the log reaches back to this one
  const std::string_view tag = "t";
  store->invalidate_tags(0, {&tag, 1});
  const std::uint64_t token = lease(kA);
  store->invalidate_tags(1, {&tag, 1});
  CHECK(fill(token, "k", "v", {"t"}));
}

TEST_CASE_METHOD(Fixture, "tags are remembered no longer than the oldest lease", "[leases][tags]") {
  const std::uint64_t first = lease(kA);
  const std::string_view one = "one", two = "two";
  store->invalidate_tags(0, {&one, 1});
  const std::uint64_t second = lease(kB, "k2");
  store->invalidate_tags(0, {&two, 1});
  CHECK(leases().logged_tags() == 2);
  fill(first);
  CHECK(leases().logged_tags() == 1);
  CHECK_FALSE(fill(second, "k2", "v", {"two"}));
  CHECK(leases().logged_tags() == 0);
}

TEST_CASE_METHOD(Fixture, "a tag that is invalidated again and again is remembered once", "[leases][tags]") {
  const std::uint64_t token = lease(kA);
  const std::string_view tag = "t";
  for (int i = 0; i < 1000; ++i) store->invalidate_tags(0, {&tag, 1});
  CHECK(leases().logged_tags() == 1);
  CHECK_FALSE(fill(token, "k", "v", {"t"}));
}

TEST_CASE_METHOD(Fixture, "more invalidated tags than can be remembered revoke all leases", "[leases][tags]") {
  limits.tags = 3;
  const std::uint64_t a = lease(kA);
  const std::uint64_t b = lease(kB, "k2");
  request(ask(kC, 5000));
  for (const std::string_view tag : {"1", "2", "3"}) store->invalidate_tags(0, {&tag, 1});
  CHECK(leases().out() == 2);
  const std::string_view tag = "4";
  store->invalidate_tags(0, {&tag, 1});
  CHECK(leases().logged_tags() == 0);
  CHECK_FALSE(fill(a));
  CHECK_FALSE(fill(b, "k2"));
  CHECK(granted_to(kC));
}

TEST_CASE_METHOD(Fixture, "the bytes of remembered tags are bounded too", "[leases][tags]") {
  limits.tag_bytes = 4096;
  lease(kA);
  const std::string long_tag(1024, 't');
  for (int i = 0; i < 4; ++i) {
    const std::string tag = long_tag.substr(4) + "." + std::to_string(i);
    const std::string_view view = tag;
    store->invalidate_tags(0, {&view, 1});
  }
  CHECK(leases().out() == 0);
}

// ---- fills

TEST_CASE_METHOD(Fixture, "a lease can be filled once", "[leases][fill]") {
  const std::uint64_t token = lease(kA);
  CHECK(fill(token));
  store->erase(0, "k");
  CHECK_FALSE(fill(token));
  CHECK(value() == "(none)");
}

TEST_CASE_METHOD(Fixture, "a lease fills its own key only", "[leases][fill]") {
  const std::uint64_t token = lease(kA);
  CHECK_FALSE(fill(token, "other"));
  CHECK(value("other") == "(none)");
  CHECK(fill(token));
}

TEST_CASE_METHOD(Fixture, "a fill does not revoke the next lease of its key", "[leases][fill]") {
  CHECK(fill(lease(kA)));
  LeaseRequest r = ask(kB);
  r.refresh = store->peek(0, "k")->version;
  const std::uint64_t second = request(r).token;
  CHECK(fill(second, "k", "newer"));
  CHECK(value() == "newer");
}

TEST_CASE_METHOD(Fixture, "a value that is over already is not stored and the next in line computes",
                 "[leases][fill]") {
  LeaseFill f;
  f.token = lease(kA);
  f.key = "k";
  f.value = {ValueType::kString, "x"};
  f.options.deadline = now() - 1;
  request(ask(kB, 5000));
  const auto done = leases().fill(f, now());
  REQUIRE(done);
  CHECK(*done == Version{0});
  CHECK(granted_to(kB));
}

TEST_CASE_METHOD(Fixture, "a value that the store refuses ends the lease", "[leases][fill]") {
  LeaseFill f;
  f.token = lease(kA);
  f.key = "k";
  const std::string large(5000, 'x');
  f.value = {ValueType::kString, large};
  request(ask(kB, 5000));
  CHECK(leases().fill(f, now()).error() == Error::kValueTooLarge);
  CHECK(granted_to(kB));
}

// ---- refreshes

TEST_CASE_METHOD(Fixture, "one refreshes a value and the others go on with the old one", "[leases][refresh]") {
  (void)store->set(0, "k", {ValueType::kString, "old"});
  LeaseRequest r = ask(kA);
  r.refresh = store->peek(0, "k")->version;
  const std::uint64_t token = request(r).token;
  CHECK(token != 0);
  r.client = kB;
  CHECK(request(r).outcome == LeaseOutcome::kSelf);
  CHECK(fill(token, "k", "new"));
  CHECK(request(r).outcome == LeaseOutcome::kStored);  // newer than the one it saw
}

TEST_CASE_METHOD(Fixture, "a value that is gone is refreshed like a missing one", "[leases][refresh]") {
  LeaseRequest r = ask(kA);
  r.refresh = 1234;
  CHECK(request(r).outcome == LeaseOutcome::kGranted);
}

// ---- circles

// symfony/symfony#41130
TEST_CASE_METHOD(Fixture, "two that need each other's value: the second computes for itself",
                 "[leases][circle][reports]") {
  lease(kA, "a");
  lease(kB, "b");
  CHECK(request(ask(kA, 60'000, "b")).outcome == LeaseOutcome::kWaiting);
  CHECK(request(ask(kB, 60'000, "a")).outcome == LeaseOutcome::kSelf);
}

TEST_CASE_METHOD(Fixture, "a circle of four is closed by nobody", "[leases][circle]") {
  const char* keys[] = {"a", "b", "c", "d"};
  for (ClientId c = 1; c <= 4; ++c) lease(c, keys[c - 1]);
  for (ClientId c = 1; c <= 3; ++c) CHECK(request(ask(c, 60'000, keys[c])).outcome == LeaseOutcome::kWaiting);
  CHECK(request(ask(kD, 60'000, "a")).outcome == LeaseOutcome::kSelf);
}

TEST_CASE_METHOD(Fixture, "a key inside its own computation computes for itself", "[leases][circle]") {
  LeaseRequest r = ask(kA, 60'000);
  r.party = 99;
  CHECK(request(r).outcome == LeaseOutcome::kGranted);
  CHECK(request(r).outcome == LeaseOutcome::kSelf);
  r.client = kB;  // another connection of the same thread
  CHECK(request(r).outcome == LeaseOutcome::kSelf);
}

TEST_CASE_METHOD(Fixture, "a circle through locks and leases is seen from both sides", "[leases][circle]") {
  Locks locks([this] { return store->take_version(); }, graph);
  LockRequest lock;
  lock.name = "l";
  lock.owner = "token";
  lock.client = kB;
  REQUIRE(locks.acquire(lock, now())->outcome == LockOutcome::kGranted);
  lease(kA);
  lock.owner = "other";
  lock.client = kA;
  lock.wait = 60'000;
  CHECK(locks.acquire(lock, now())->outcome == LockOutcome::kWaiting);
  CHECK(request(ask(kB, 60'000)).outcome == LeaseOutcome::kSelf);
  locks.client_gone(kA, now());
  CHECK(request(ask(kB, 60'000)).outcome == LeaseOutcome::kWaiting);
  CHECK(locks.acquire(lock, now())->outcome == LockOutcome::kRefused);
}

// laravel/framework#60626, symfony/symfony#62328
TEST_CASE_METHOD(Fixture, "keys never share a lease", "[leases][reports]") {
  const std::uint64_t one = lease(kA, "group1.key");
  const std::uint64_t two = lease(kB, "group2.key");
  CHECK(fill(one, "group1.key"));
  CHECK(fill(two, "group2.key"));
}

// ---- bounds

TEST_CASE_METHOD(Fixture, "beyond the bound of leases each computes for itself", "[leases][bound]") {
  limits.leases = 2;
  lease(kA, "1");
  const std::uint64_t second = lease(kB, "2");
  CHECK(request(ask(kC, 5000, "3")).outcome == LeaseOutcome::kSelf);
  leases().drop(second, now());
  CHECK(request(ask(kC, 5000, "3")).outcome == LeaseOutcome::kGranted);
}

TEST_CASE_METHOD(Fixture, "one client's leases are bounded", "[leases][bound]") {
  limits.per_client = 1;
  lease(kA, "1");
  CHECK(request(ask(kA, 0, "2")).outcome == LeaseOutcome::kSelf);
  CHECK(request(ask(kB, 0, "2")).outcome == LeaseOutcome::kGranted);
}

TEST_CASE_METHOD(Fixture, "beyond the bound of waits each computes for itself", "[leases][bound]") {
  limits.waits = 1;
  lease(kA);
  CHECK(request(ask(kB, 5000)).outcome == LeaseOutcome::kWaiting);
  CHECK(request(ask(kC, 5000)).outcome == LeaseOutcome::kSelf);
}

TEST_CASE_METHOD(Fixture, "the memory of leases is bounded and comes back", "[leases][bound]") {
  limits.bytes = 2000;
  std::vector<std::uint64_t> tokens;
  for (int i = 0; i < 100; ++i) {
    const std::string key = "key." + std::to_string(i);
    const LeaseAnswer a = request(ask(kA, 0, key));
    if (a.outcome == LeaseOutcome::kGranted) tokens.push_back(a.token);
  }
  CHECK((tokens.size() > 1 && tokens.size() < 6));
  CHECK(leases().bytes() <= 2000);
  leases().client_gone(kA, now());
  CHECK(leases().bytes() == 0);
}

TEST_CASE_METHOD(Fixture, "requests out of their range are named", "[leases][error]") {
  const auto refusal = [&](const LeaseRequest& r) { return leases().request(r, now()).error(); };
  CHECK(refusal(ask(kA, 0, "")) == Error::kEmptyKey);
  const std::string long_key(kMaxKeyLength + 1, 'k');
  CHECK(refusal(ask(kA, 0, long_key)) == Error::kKeyTooLong);
  LeaseRequest r = ask(kA);
  r.db = 99;
  CHECK(refusal(r) == Error::kBadDatabase);
  r = ask(kA);
  r.ceiling = 0;
  CHECK(refusal(r) == Error::kBadLease);
  r.ceiling = kLongestLease + 1;
  CHECK(refusal(r) == Error::kBadLease);
}
