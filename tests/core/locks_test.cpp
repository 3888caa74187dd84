#include "coppice/locks.h"

#include "support/catch.h"

using namespace coppice;

namespace {

constexpr ClientId kA = 1, kB = 2, kC = 3;

struct Fixture {
  Version last = 0;
  WaitGraph graph;
  LockLimits limits;
  std::optional<Locks> made;
  Millis now = 1000;

  Locks& locks() {
    if (!made) made.emplace([this] { return last += 2; }, graph, limits);
    return *made;
  }
  ~Fixture() {
    if (made) CHECK(made->check(now) == "");
  }
  // Of client `c`, with a token of its own unless one is given.
  LockRequest ask(ClientId c, Millis wait = 0, Millis lease = 10'000) {
    static const std::string kTokens[] = {"?", "token-a", "token-b", "token-c", "token-d"};
    LockRequest r;
    r.name = "import";
    r.owner = kTokens[c];
    r.lease = lease;
    r.client = c;
    r.wait = wait;
    return r;
  }
  LockAnswer acquire(const LockRequest& r) {
    const auto a = locks().acquire(r, now);
    REQUIRE(a);
    return *a;
  }
  Error refusal(const LockRequest& r) {
    const auto a = locks().acquire(r, now);
    REQUIRE_FALSE(a);
    return a.error();
  }
  void pass(Millis ms) {
    now += ms;
    while (locks().advance(now, 1)) {
    }
  }
  // The only decision since the last call.
  LockDecision decision() {
    const auto d = locks().take_decisions();
    REQUIRE(d.size() == 1);
    return d[0];
  }
  bool granted_to(ClientId c) {
    const LockDecision d = decision();
    return d.client == c && d.outcome == LockOutcome::kGranted;
  }
  bool refused_to(ClientId c) {
    const LockDecision d = decision();
    return d.client == c && d.outcome == LockOutcome::kRefused;
  }
  bool held_by(std::string_view owner) {
    const auto info = locks().info(0, "import", now);
    return info && info->owner == owner;
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a free lock is granted at once, with a fence", "[locks]") {
  const LockAnswer a = acquire(ask(kA));
  CHECK(a.outcome == LockOutcome::kGranted);
  CHECK(a.fence > 0);
  CHECK(held_by("token-a"));
}

TEST_CASE_METHOD(Fixture, "a held lock is refused to who does not wait", "[locks]") {
  acquire(ask(kA));
  CHECK(acquire(ask(kB)).outcome == LockOutcome::kRefused);
  CHECK(held_by("token-a"));
}

TEST_CASE_METHOD(Fixture, "who waits has the lock at the moment of its release", "[locks]") {
  acquire(ask(kA));
  CHECK(acquire(ask(kB, 5000)).outcome == LockOutcome::kWaiting);
  CHECK(locks().release(0, "import", "token-a", now));
  CHECK(granted_to(kB));
  CHECK(held_by("token-b"));
}

TEST_CASE_METHOD(Fixture, "a lock goes round in the order in which it was asked for", "[locks]") {
  acquire(ask(1));
  for (ClientId c = 2; c <= 4; ++c) acquire(ask(c, 5000));
  Version fence = 0;
  const char* holders[] = {"token-a", "token-b", "token-c"};
  for (ClientId c = 2; c <= 4; ++c) {
    CHECK(locks().release(0, "import", holders[c - 2], now));
    const LockDecision d = decision();
    CHECK(d.client == c);
    CHECK(d.fence > fence);
    fence = d.fence;
  }
}

TEST_CASE_METHOD(Fixture, "only the holder releases", "[locks]") {
  acquire(ask(kA));
  CHECK_FALSE(locks().release(0, "import", "token-b", now));
  CHECK_FALSE(locks().release(0, "other", "token-a", now));
  CHECK_FALSE(locks().release(1, "import", "token-a", now));
  CHECK(held_by("token-a"));
  CHECK(locks().release(0, "import", "token-a", now));
  CHECK_FALSE(locks().release(0, "import", "token-a", now));
}

// laravel/framework#26213
TEST_CASE_METHOD(Fixture, "a holder whose lease is over can't release the next one's lock", "[locks][reports]") {
  acquire(ask(kA, 0, 1000));
  now += 2000;
  CHECK(acquire(ask(kB)).outcome == LockOutcome::kGranted);
  CHECK_FALSE(locks().release(0, "import", "token-a", now));
  CHECK(held_by("token-b"));
  CHECK(acquire(ask(kC)).outcome == LockOutcome::kRefused);
}

// laravel/framework#43627
TEST_CASE_METHOD(Fixture, "of 64 who race for a lock without end exactly one has it", "[locks][reports]") {
  int granted = 0;
  for (ClientId c = 1; c <= 64; ++c) {
    LockRequest r = ask(1, 0, kNoDeadline);
    const std::string token = "racer-" + std::to_string(c);
    r.client = c;
    r.owner = token;
    granted += acquire(r).outcome == LockOutcome::kGranted ? 1 : 0;
  }
  CHECK(granted == 1);
  pass(Millis{365} * 86'400'000);
  CHECK(held_by("racer-1"));
}

// symfony/symfony#38541
TEST_CASE_METHOD(Fixture, "a token whose lease ended can be granted the lock again", "[locks][reports]") {
  const Version first = acquire(ask(kA, 0, 2000)).fence;
  CHECK(locks().release(0, "import", "token-a", now));
  now += 3000;
  const LockAnswer again = acquire(ask(kA, 0, 2000));
  CHECK(again.outcome == LockOutcome::kGranted);
  CHECK(again.fence > first);
}

// symfony/symfony#31426
TEST_CASE_METHOD(Fixture, "who waits for as long as the lease lasts has the lock, with a full lease",
                 "[locks][reports]") {
  acquire(ask(kA, 0, 3000));
  CHECK(acquire(ask(kB, 3000, 3000)).outcome == LockOutcome::kWaiting);
  pass(3000);
  CHECK(granted_to(kB));
  CHECK(locks().info(0, "import", now)->until == now + 3000);
}

TEST_CASE_METHOD(Fixture, "a wait ends at its limit", "[locks]") {
  acquire(ask(kA));
  acquire(ask(kB, 500));
  pass(499);
  CHECK_FALSE(locks().has_decisions());
  pass(1);
  CHECK(refused_to(kB));
  CHECK(locks().release(0, "import", "token-a", now));
  CHECK_FALSE(locks().has_decisions());
}

TEST_CASE_METHOD(Fixture, "a wait that was over before the lock came free is not granted, however late it is looked at",
                 "[locks]") {
  acquire(ask(kA, 0, 1000));
  acquire(ask(kB, 400));
  acquire(ask(kC, 4000));
  now += 3000;
  CHECK(locks().info(0, "import", now)->owner == "token-c");
  const auto d = locks().take_decisions();
  REQUIRE(d.size() == 2);
  CHECK((d[0].client == kB && d[0].outcome == LockOutcome::kRefused));
  CHECK((d[1].client == kC && d[1].outcome == LockOutcome::kGranted));
}

TEST_CASE_METHOD(Fixture, "a lease ends by itself and the first in line has the lock", "[locks]") {
  acquire(ask(kA, 0, 1000));
  acquire(ask(kB, 5000));
  CHECK(locks().next_deadline() == now + 1000);
  pass(1000);
  CHECK(granted_to(kB));
}

TEST_CASE_METHOD(Fixture, "a refresh lengthens the holder's lease and nobody else's", "[locks]") {
  acquire(ask(kA, 0, 1000));
  now += 600;
  CHECK(locks().refresh(0, "import", "token-a", 1000, now));
  CHECK_FALSE(locks().refresh(0, "import", "token-b", 1000, now));
  pass(600);
  CHECK(held_by("token-a"));
  pass(400);
  CHECK_FALSE(locks().info(0, "import", now));
  CHECK_FALSE(locks().refresh(0, "import", "token-a", 1000, now));
}

TEST_CASE_METHOD(Fixture, "a refresh can make a lease endless and finite again", "[locks]") {
  acquire(ask(kA, 0, 1000));
  CHECK(locks().refresh(0, "import", "token-a", kNoDeadline, now));
  pass(1'000'000);
  CHECK(held_by("token-a"));
  CHECK(locks().refresh(0, "import", "token-a", 10, now));
  pass(10);
  CHECK_FALSE(locks().info(0, "import", now));
}

TEST_CASE_METHOD(Fixture, "a repeated request of the holder has the same fence and a new lease", "[locks]") {
  const Version fence = acquire(ask(kA, 0, 1000)).fence;
  now += 900;
  const LockAnswer again = acquire(ask(kA, 0, 1000));
  CHECK(again.outcome == LockOutcome::kGranted);
  CHECK(again.fence == fence);
  CHECK(locks().info(0, "import", now)->until == now + 1000);
}

TEST_CASE_METHOD(Fixture, "a repeated request moves a bound lock to the client that made it", "[locks]") {
  LockRequest r = ask(kA);
  r.bound = true;
  acquire(r);
  r.client = kC;
  acquire(r);
  locks().client_gone(kA, now);
  CHECK(held_by("token-a"));
  locks().client_gone(kC, now);
  CHECK_FALSE(locks().info(0, "import", now));
}

TEST_CASE_METHOD(Fixture, "a token that waits twice holds the lock once both are answered", "[locks]") {
  acquire(ask(kA));
  acquire(ask(kB, 5000));
  LockRequest again = ask(kB, 5000);
  again.client = kC;  // its first connection broke, and that was not noticed yet
  acquire(again);
  CHECK(locks().release(0, "import", "token-a", now));
  const auto d = locks().take_decisions();
  REQUIRE(d.size() == 2);
  CHECK(d[0].fence == d[1].fence);
  CHECK((d[1].client == kC && d[1].outcome == LockOutcome::kGranted));
}

TEST_CASE_METHOD(Fixture, "a bound lock ends with its client", "[locks]") {
  LockRequest r = ask(kA, 0, kNoDeadline);
  r.bound = true;
  acquire(r);
  acquire(ask(kB, 5000));
  locks().client_gone(kA, now);
  CHECK(granted_to(kB));
}

TEST_CASE_METHOD(Fixture, "a lock that is not bound lives on without its client", "[locks]") {
  acquire(ask(kA, 0, 1000));
  locks().client_gone(kA, now);
  CHECK(held_by("token-a"));
  CHECK(locks().release(0, "import", "token-a", now));
}

TEST_CASE_METHOD(Fixture, "the wait of a client that is gone is over", "[locks]") {
  acquire(ask(kA));
  acquire(ask(kB, 5000));
  acquire(ask(kC, 5000));
  locks().client_gone(kB, now);
  CHECK(locks().release(0, "import", "token-a", now));
  CHECK(granted_to(kC));
}

TEST_CASE_METHOD(Fixture, "a grant that its client never heard of goes to the next", "[locks]") {
  acquire(ask(kA));
  acquire(ask(kB, 5000, kNoDeadline));
  acquire(ask(kC, 5000));
  CHECK(locks().release(0, "import", "token-a", now));
  locks().client_gone(kB, now);  // before its answer was taken
  CHECK(granted_to(kC));
}

TEST_CASE_METHOD(Fixture, "a client that goes away while it waits for its own bound lock leaves nothing", "[locks]") {
  LockRequest r = ask(kA);
  r.bound = true;
  acquire(r);
  LockRequest second = ask(kB, 20'000);
  second.client = kA;
  second.bound = true;
  CHECK(acquire(second).outcome == LockOutcome::kWaiting);  // the first one's lease ends by itself
  locks().client_gone(kA, now);
  CHECK_FALSE(locks().info(0, "import", now));
  CHECK(graph.size() == 0);
}

TEST_CASE_METHOD(Fixture, "a forced release asks for no token", "[locks]") {
  acquire(ask(kA, 0, kNoDeadline));
  acquire(ask(kB, 5000));
  CHECK(locks().force_release(0, "import", now));
  CHECK(granted_to(kB));
  CHECK_FALSE(locks().force_release(0, "other", now));
}

TEST_CASE_METHOD(Fixture, "a flush frees what begins with the prefix, and the waiters have their turn", "[locks]") {
  LockRequest r = ask(kA);
  for (const char* name : {"job", "job.1", "job.2", "joc"}) {
    r.name = name;
    acquire(r);
  }
  LockRequest w = ask(kB, 5000);
  w.name = "job.2";
  acquire(w);
  r.db = 1;
  r.name = "job.1";
  acquire(r);
  LockFlush flush = locks().begin_flush(0, "job.");
  int steps = 1;
  while (!locks().step(flush, 1, now)) ++steps;
  CHECK(steps > 1);
  CHECK(flush.freed() == 2);
  CHECK(granted_to(kB));
  CHECK(locks().info(0, "job", now));
  CHECK(locks().info(0, "joc", now));
  CHECK_FALSE(locks().info(0, "job.1", now));
  CHECK(locks().info(0, "job.2", now)->owner == "token-b");
  CHECK(locks().info(1, "job.1", now));
}

TEST_CASE_METHOD(Fixture, "a flush leaves what was granted after it began", "[locks]") {
  LockRequest r = ask(kA);
  r.name = "a";
  acquire(r);
  LockFlush flush = locks().begin_flush(0, "");
  r.name = "b";
  acquire(r);
  while (!locks().step(flush, 1, now)) {
  }
  CHECK(flush.freed() == 1);
  CHECK(locks().info(0, "b", now));
}

TEST_CASE_METHOD(Fixture, "two parties that wait for each other's locks: the second is refused", "[locks][circle]") {
  LockRequest a = ask(kA, 0, kNoDeadline), b = ask(kB, 0, kNoDeadline);
  a.name = "one";
  b.name = "two";
  acquire(a);
  acquire(b);
  a.name = "two";
  b.name = "one";
  a.wait = b.wait = 60'000;
  CHECK(acquire(a).outcome == LockOutcome::kWaiting);
  CHECK(acquire(b).outcome == LockOutcome::kRefused);
}

TEST_CASE_METHOD(Fixture, "a circle that a lease opens in time is waited for", "[locks][circle]") {
  LockRequest a = ask(kA, 0, kNoDeadline), b = ask(kB, 0, 3000);
  a.name = "one";
  b.name = "two";
  acquire(a);
  acquire(b);
  a.name = "two";
  a.wait = 60'000;
  CHECK(acquire(a).outcome == LockOutcome::kWaiting);  // b's lease ends in three seconds
  b.name = "one";
  b.wait = 5000;
  CHECK(acquire(b).outcome == LockOutcome::kWaiting);
  pass(3000);
  CHECK(granted_to(kA));
}

TEST_CASE_METHOD(Fixture, "who comes to such a circle from outside waits too", "[locks][circle]") {
  LockRequest a = ask(kA, 0, 3000), b = ask(kB, 0, 3000);
  a.name = "one";
  b.name = "two";
  acquire(a);
  acquire(b);
  a.name = "two";
  b.name = "one";
  a.wait = b.wait = 10'000;
  CHECK(acquire(a).outcome == LockOutcome::kWaiting);
  CHECK(acquire(b).outcome == LockOutcome::kWaiting);
  LockRequest c = ask(kC, 2000);
  c.name = "one";
  CHECK(acquire(c).outcome == LockOutcome::kWaiting);
  pass(3000);
  CHECK(locks().take_decisions().size() == 3);  // C's wait is over first, then each has what it waited for
}

TEST_CASE_METHOD(Fixture, "a refresh that would close a circle for good ends its holder's wait", "[locks][circle]") {
  LockRequest a = ask(kA, 0, kNoDeadline), b = ask(kB, 0, 3000);
  a.name = "one";
  b.name = "two";
  acquire(a);
  acquire(b);
  b.name = "one";
  b.wait = kNoDeadline;
  CHECK(acquire(b).outcome == LockOutcome::kWaiting);
  a.name = "two";
  a.wait = kNoDeadline;
  CHECK(acquire(a).outcome == LockOutcome::kWaiting);  // in three seconds
  CHECK(locks().refresh(0, "two", "token-b", kNoDeadline, now));
  CHECK(refused_to(kB));
}

TEST_CASE_METHOD(Fixture, "two who wait without limit for locks without end: the second is refused",
                 "[locks][circle]") {
  LockRequest a = ask(kA, 0, kNoDeadline), b = ask(kB, 0, kNoDeadline);
  a.name = "one";
  b.name = "two";
  acquire(a);
  acquire(b);
  a.name = "two";
  b.name = "one";
  a.wait = b.wait = kNoDeadline;
  CHECK(acquire(a).outcome == LockOutcome::kWaiting);
  CHECK(acquire(b).outcome == LockOutcome::kRefused);
}

TEST_CASE_METHOD(Fixture, "the handles of one party are one in a circle", "[locks][circle]") {
  LockRequest a = ask(kA, 0, kNoDeadline);
  a.party = 77;
  acquire(a);
  LockRequest other = ask(kB, 60'000);
  other.party = 77;
  CHECK(acquire(other).outcome == LockOutcome::kRefused);
}

TEST_CASE_METHOD(Fixture, "a party's second wait ends its first", "[locks][circle]") {
  acquire(ask(kA));
  LockRequest w = ask(kB, 5000);
  w.party = 77;
  acquire(w);
  w.client = kC;
  acquire(w);
  CHECK(refused_to(kB));
  CHECK(locks().release(0, "import", "token-a", now));
  CHECK(granted_to(kC));
}

TEST_CASE_METHOD(Fixture, "databases have locks of their own", "[locks]") {
  acquire(ask(kA));
  LockRequest r = ask(kB);
  r.db = 3;
  CHECK(acquire(r).outcome == LockOutcome::kGranted);
}

TEST_CASE_METHOD(Fixture, "names, tokens and leases out of their range are named", "[locks][error]") {
  LockRequest r = ask(kA);
  r.name = "";
  CHECK(refusal(r) == Error::kBadLockName);
  const std::string long_name(kMaxLockName + 1, 'n'), long_token(kMaxLockOwner + 1, 't');
  r.name = long_name;
  CHECK(refusal(r) == Error::kBadLockName);
  r = ask(kA);
  r.owner = "";
  CHECK(refusal(r) == Error::kBadLockOwner);
  r.owner = long_token;
  CHECK(refusal(r) == Error::kBadLockOwner);
  r = ask(kA);
  r.lease = 0;
  CHECK(refusal(r) == Error::kBadLockLease);
}

TEST_CASE_METHOD(Fixture, "the longest names and tokens of any bytes are good", "[locks]") {
  std::string name(kMaxLockName, '\0'), token(kMaxLockOwner, '\xff');
  LockRequest r = ask(kA);
  r.name = name;
  r.owner = token;
  CHECK(acquire(r).outcome == LockOutcome::kGranted);
  CHECK(locks().release(0, name, token, now));
}

TEST_CASE_METHOD(Fixture, "the number of locks is bounded", "[locks][error]") {
  limits.locks = 2;
  LockRequest r = ask(kA);
  for (const char* name : {"1", "2"}) {
    r.name = name;
    acquire(r);
  }
  r.name = "3";
  CHECK(refusal(r) == Error::kTooManyLocks);
  CHECK(locks().release(0, "1", "token-a", now));
  CHECK(acquire(r).outcome == LockOutcome::kGranted);
}

TEST_CASE_METHOD(Fixture, "the memory of locks is bounded and comes back", "[locks][error]") {
  limits.bytes = 4096;
  LockRequest r = ask(kA);
  int taken = 0;
  std::string name;
  for (; taken < 100; ++taken) {
    name = std::to_string(taken);
    r.name = name;
    if (!locks().acquire(r, now)) break;
  }
  CHECK((taken > 1 && taken < 12));
  CHECK(locks().bytes() <= 4096);
  pass(r.lease);
  CHECK(locks().bytes() == 0);
}

TEST_CASE_METHOD(Fixture, "the number of waits is bounded", "[locks][error]") {
  limits.waits = 1;
  acquire(ask(kA));
  acquire(ask(kB, 1000));
  CHECK(refusal(ask(kC, 1000)) == Error::kTooManyLocks);
}

TEST_CASE_METHOD(Fixture, "the number of locks bound to one client is bounded", "[locks][error]") {
  limits.bound_per_client = 1;
  LockRequest r = ask(kA);
  r.bound = true;
  acquire(r);
  acquire(r);  // the same one again
  r.name = "second";
  CHECK(refusal(r) == Error::kTooManyLocks);
}

TEST_CASE_METHOD(Fixture, "info shows the holder and who waits", "[locks]") {
  LockRequest r = ask(kA, 0, 9000);
  r.bound = true;
  const Version fence = acquire(r).fence;
  acquire(ask(kB, 1000));
  acquire(ask(kC, 1000));
  const auto info = locks().info(0, "import", now);
  REQUIRE(info);
  CHECK(info->owner == "token-a");
  CHECK(info->until == now + 9000);
  CHECK(info->fence == fence);
  CHECK(info->bound);
  CHECK(info->waiters == 2);
  CHECK_FALSE(locks().info(0, "other", now));
}
