// Torture test of the shared read plane: reader processes on one owner, writers, and everything that can happen to
// them.
//
//   coppice-torture --coppiced build/owner-daemon/coppiced --seconds 3600 --readers 4 --writers 2
//
// Values say which key and which of its writes they are. A read is torn, foreign (another key's), stale (older than
// what the owner had acknowledged before the read began), expired, or missing (a key that is never removed). Exit
// status: 0 if there was none of these and nobody died by himself, 1 otherwise, 2 for misuse.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <random>

#include "board.h"
#include "coppice/client.h"
#include "processes.h"

namespace torture {

std::uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}
std::int64_t now_ms() { return static_cast<std::int64_t>(now_ns() / 1'000'000); }

void report(Board& board, Fault fault, const std::string& what) {
  // A broken build makes millions; the first ones tell enough.
  if (board.faults[fault].fetch_add(1) < 20) std::fprintf(stderr, "FAULT (%s): %s\n", kFaultNames[fault], what.c_str());
}

namespace {

struct Options {
  std::string coppiced;
  std::int64_t seconds = 10;
  std::uint32_t readers = 3;
  std::uint32_t writers = 2;
  std::string max_memory = "24M";
  std::uint64_t seed = 0;
  bool disturb = true;
};

using Histogram = std::array<std::uint64_t, 256>;

// Times of the writers' round trips, told apart by what was going on.
struct RoundTrips {
  Histogram at{};
  void add(const Histogram& from, const Histogram& to) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += to[i] - from[i];
  }
  double quantile(double q) const {
    std::uint64_t all = 0;
    for (const std::uint64_t n : at) all += n;
    if (all == 0) return 0;
    auto left = static_cast<std::uint64_t>(q * static_cast<double>(all - 1));
    for (std::uint32_t i = 0; i < at.size(); ++i) {
      if (at[i] > left) return static_cast<double>(lower_end_of(i)) / 1000;
      left -= at[i];
    }
    return 0;
  }
  std::string text() const {
    char line[120];
    std::snprintf(line, sizeof line, "p50 %.0f µs, p99 %.0f µs, p99.9 %.0f µs", quantile(.5), quantile(.99),
                  quantile(.999));
    return line;
  }
};

class Torture {
 public:
  explicit Torture(const Options& options) : options_(options), random_{options.seed} {}
  ~Torture();
  bool prepare();
  int run();

 private:
  struct Child {
    pid_t pid = 0;
    bool stopped = false;
  };
  bool start_owner();
  bool owner_answers();
  void start_reader(std::uint32_t n);
  void start_writer(std::uint32_t n);
  void reap();
  Histogram round_trips() const;
  std::uint64_t hits() const;
  void sleep_watching(std::int64_t ms);
  void cycle();
  void kill_a_reader();
  void kill_a_writer();
  void stop_some_readers();
  void stop_owner(bool then_kill);
  void replace_owner(bool kill);
  void await_new_generation(std::uint64_t before);
  void progress(bool last);
  bool time_is_up() const { return now_ms() >= end_; }

  Options options_;
  Random random_;
  std::string directory_;
  int board_fd_ = -1;
  Board* board_ = nullptr;
  Child owner_;
  bool owner_expected_ = true;
  std::vector<Child> readers_, writers_;
  std::int64_t began_ = 0, end_ = 0, next_progress_ = 0;
  std::uint64_t reads_before_ = 0;
  std::int64_t progress_before_ = 0;
  std::uint64_t readers_killed_ = 0, writers_killed_ = 0, owners_killed_ = 0, owners_ended_ = 0, owner_stops_ = 0,
                reader_stops_ = 0;
  std::int64_t slowest_return_ms_ = 0;
  RoundTrips usual_, beside_stopped_;
};

Torture::~Torture() {
  for (std::vector<Child>* list : {&readers_, &writers_})
    for (const Child& c : *list)
      if (c.pid > 0) {
        kill(c.pid, SIGKILL);
        waitpid(c.pid, nullptr, 0);
      }
  if (owner_.pid > 0) {
    kill(owner_.pid, SIGKILL);
    waitpid(owner_.pid, nullptr, 0);
  }
  if (!directory_.empty()) std::filesystem::remove_all(directory_);
}

bool Torture::prepare() {
  char name[] = "/tmp/coppice-torture-XXXXXX";
  if (mkdtemp(name) == nullptr) return false;
  directory_ = name;
  board_fd_ = memfd_create("torture", MFD_CLOEXEC);
  if (board_fd_ < 0 || ftruncate(board_fd_, sizeof(Board)) != 0) return false;
  void* mapped = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, board_fd_, 0);
  if (mapped == MAP_FAILED) return false;
  board_ = static_cast<Board*>(mapped);
  board_->reader_count = options_.readers;
  board_->writer_count = options_.writers;
  board_->groups = 64;
  board_->group_size = 64;
  board_->pinned = 256;
  board_->flushed = 64;
  board_->timeout_ms = 5000;
  board_->seed = options_.seed;
  std::snprintf(board_->socket, sizeof board_->socket, "%s/coppice.sock", directory_.c_str());
  return true;
}

bool Torture::start_owner() {
  owner_expected_ = true;
  owner_.pid = spawn({options_.coppiced, "--socket", board_->socket, "--max-memory", options_.max_memory, "--policy",
                      "volatile-lru", "--snapshot", directory_ + "/snapshot", "--log-level", "warning"},
                     -1, directory_ + "/coppiced.log");
  return owner_.pid > 0;
}

bool Torture::owner_answers() {
  coppice::Client client({.path = board_->socket, .timeout_ms = 5000});
  for (const std::int64_t until = now_ms() + 20'000; now_ms() < until;) {
    const auto reply = client.call({"PING"});
    if (reply && !reply->is_error()) return true;
    int status;
    if (waitpid(owner_.pid, &status, WNOHANG) == owner_.pid) {
      owner_.pid = 0;
      report(*board_, kCrashed, "the owner did not start: " + describe(status) + "; its log:");
      if (std::system(("cat " + directory_ + "/coppiced.log >&2").c_str()) != 0) return false;
      return false;
    }
    usleep(5000);
  }
  report(*board_, kStuck, "the owner does not answer: " + client.last_failure());
  return false;
}

void Torture::start_reader(std::uint32_t n) {
  readers_[n] = {
      spawn({"/proc/self/exe", "--role", "reader", "--number", std::to_string(n), "--board", std::to_string(board_fd_)},
            board_fd_, "")};
}
void Torture::start_writer(std::uint32_t n) {
  writers_[n] = {
      spawn({"/proc/self/exe", "--role", "writer", "--number", std::to_string(n), "--board", std::to_string(board_fd_)},
            board_fd_, "")};
}

// Who ended without having been told to is a fault.
void Torture::reap() {
  int status;
  for (std::uint32_t n = 0; n < readers_.size(); ++n)
    if (readers_[n].pid > 0 && waitpid(readers_[n].pid, &status, WNOHANG) == readers_[n].pid) {
      report(*board_, kCrashed, "reader " + std::to_string(n) + " ended by itself: " + describe(status));
      start_reader(n);
    }
  for (std::uint32_t n = 0; n < writers_.size(); ++n)
    if (writers_[n].pid > 0 && waitpid(writers_[n].pid, &status, WNOHANG) == writers_[n].pid) {
      report(*board_, kCrashed, "writer " + std::to_string(n) + " ended by itself: " + describe(status));
      start_writer(n);
    }
  if (owner_expected_ && owner_.pid > 0 && waitpid(owner_.pid, &status, WNOHANG) == owner_.pid) {
    report(*board_, kCrashed, "the owner ended by itself: " + describe(status));
    start_owner();
  }
}

Histogram Torture::round_trips() const {
  Histogram sum{};
  for (const WriterState& w : board_->writers)
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += w.round_trips[i].load(std::memory_order_relaxed);
  return sum;
}

std::uint64_t Torture::hits() const {
  std::uint64_t sum = 0;
  for (const ReaderState& r : board_->readers) sum += r.hits.load(std::memory_order_relaxed);
  return sum;
}

void Torture::progress(bool last) {
  std::uint64_t reads = 0, hits = 0, asked = 0, writes = 0, refused = 0, failed = 0;
  for (const ReaderState& r : board_->readers) {
    reads += r.reads.load(std::memory_order_relaxed);
    hits += r.hits.load(std::memory_order_relaxed);
    asked += r.asked.load(std::memory_order_relaxed);
  }
  for (const WriterState& w : board_->writers) {
    writes += w.writes.load(std::memory_order_relaxed);
    refused += w.refused.load(std::memory_order_relaxed);
    failed += w.failed.load(std::memory_order_relaxed);
  }
  const std::int64_t now = now_ms();
  const double rate = static_cast<double>(reads - reads_before_) /
                      static_cast<double>(std::max<std::int64_t>(now - progress_before_, 1));
  std::string faults;
  for (std::uint32_t f = 0; f < kFaultKinds; ++f)
    faults += (f == 0 ? "" : ", ") + std::string(kFaultNames[f]) + " " + std::to_string(board_->faults[f].load());
  if (!last) {
    std::printf(
        "%5lld s  %.1f M reads (%.0f k/s, %.0f %% hits, %llu asked the owner), %llu k writes (%llu refused, %llu "
        "failed); %s\n",
        static_cast<long long>((now - began_) / 1000), static_cast<double>(reads) / 1e6, rate,
        100.0 * static_cast<double>(hits) / static_cast<double>(std::max<std::uint64_t>(reads, 1)),
        static_cast<unsigned long long>(asked), static_cast<unsigned long long>(writes / 1000),
        static_cast<unsigned long long>(refused), static_cast<unsigned long long>(failed), faults.c_str());
  } else {
    std::printf(
        "killed %llu readers, %llu writers, %llu owners; %llu clean restarts; owner stopped %llu times, readers %llu "
        "times\n",
        static_cast<unsigned long long>(readers_killed_), static_cast<unsigned long long>(writers_killed_),
        static_cast<unsigned long long>(owners_killed_), static_cast<unsigned long long>(owners_ended_),
        static_cast<unsigned long long>(owner_stops_), static_cast<unsigned long long>(reader_stops_));
    std::printf("writers' round trips: %s; beside stopped readers: %s\n", usual_.text().c_str(),
                beside_stopped_.text().c_str());
    std::printf("slowest reader on a new owner's segment: %lld ms after it answered\n",
                static_cast<long long>(slowest_return_ms_));
    std::printf("torture: %lld s, %llu reads (%llu hits), %llu writes; %s\n",
                static_cast<long long>((now - began_) / 1000), static_cast<unsigned long long>(reads),
                static_cast<unsigned long long>(hits), static_cast<unsigned long long>(writes), faults.c_str());
  }
  std::fflush(stdout);
  reads_before_ = reads;
  progress_before_ = now;
}

void Torture::sleep_watching(std::int64_t ms) {
  for (const std::int64_t until = now_ms() + ms; now_ms() < until && !time_is_up();) {
    usleep(10'000);
    reap();
    if (now_ms() >= next_progress_) {
      progress(false);
      next_progress_ += options_.seconds > 60 ? 30'000 : 2'000;
    }
  }
}

void Torture::kill_a_reader() {
  const std::uint32_t n = random_.below(options_.readers);
  kill(readers_[n].pid, SIGKILL);
  waitpid(readers_[n].pid, nullptr, 0);
  ++readers_killed_;
  start_reader(n);
}

void Torture::kill_a_writer() {
  const std::uint32_t n = random_.below(options_.writers);
  kill(writers_[n].pid, SIGKILL);
  waitpid(writers_[n].pid, nullptr, 0);
  ++writers_killed_;
  start_writer(n);
}

// All but one reader stand still, most likely in the middle of a read. Invariant 12: the owner takes no notice.
void Torture::stop_some_readers() {
  const Histogram before = round_trips();
  const std::uint32_t going_on = random_.below(options_.readers);
  for (std::uint32_t n = 0; n < options_.readers; ++n)
    if (n != going_on || options_.readers == 1) kill(readers_[n].pid, SIGSTOP);
  ++reader_stops_;
  sleep_watching(500);
  for (const Child& c : readers_) kill(c.pid, SIGCONT);
  const Histogram after = round_trips();
  beside_stopped_.add(before, after);
  if (before == after) report(*board_, kStuck, "no write was answered while readers were stopped");
}

// Invariant 9: the owner does not renew its lease, and reads go on.
void Torture::stop_owner(bool then_kill) {
  kill(owner_.pid, SIGSTOP);
  ++owner_stops_;
  sleep_watching(500);  // past the lease
  const std::uint64_t before = hits();
  sleep_watching(1500);
  if (!time_is_up() && hits() == before) report(*board_, kStuck, "no read hit while the owner was stopped");
  if (then_kill)
    replace_owner(true);
  else
    kill(owner_.pid, SIGCONT);
}

void Torture::await_new_generation(std::uint64_t before) {
  const std::int64_t began = now_ms();
  for (;;) {
    bool all = true;
    for (std::uint32_t n = 0; n < options_.readers; ++n) {
      const std::uint64_t g = board_->readers[n].generation.load(std::memory_order_relaxed);
      all = all && g != 0 && g != before;
    }
    if (all) break;
    if (now_ms() - began > 10'000) {
      report(*board_, kStuck, "a reader has not mapped the new owner's segment after ten seconds");
      return;
    }
    usleep(2000);
  }
  slowest_return_ms_ = std::max(slowest_return_ms_, now_ms() - began);
}

void Torture::replace_owner(bool by_kill) {
  std::uint64_t before = 0;
  for (std::uint32_t n = 0; n < options_.readers; ++n) {
    const std::uint64_t g = board_->readers[n].generation.load(std::memory_order_relaxed);
    if (g != 0) before = g;
  }
  owner_expected_ = false;
  kill(owner_.pid, by_kill ? SIGKILL : SIGTERM);
  int status = 0;
  if (!wait_for(owner_.pid, 20'000, &status)) {
    report(*board_, kStuck, "the owner does not end within 20 seconds of SIGTERM");
    kill(owner_.pid, SIGKILL);
    waitpid(owner_.pid, &status, 0);
  } else if (!by_kill && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
    report(*board_, kCrashed, "the owner ended on SIGTERM with " + describe(status));
  }
  ++(by_kill ? owners_killed_ : owners_ended_);
  start_owner();
  if (owner_answers()) await_new_generation(before);
}

void Torture::cycle() {
  for (int i = 0; i < 3 && !time_is_up(); ++i) {
    sleep_watching(200 + random_.below(400));
    kill_a_reader();
  }
  if (!time_is_up()) stop_some_readers();
  if (!time_is_up()) kill_a_writer();
  if (!time_is_up()) stop_owner(random_.chance(50));
  sleep_watching(500 + random_.below(500));
  if (!time_is_up()) replace_owner(true);
  sleep_watching(500 + random_.below(1000));
  if (!time_is_up()) replace_owner(false);
  sleep_watching(500 + random_.below(1000));
}

int Torture::run() {
  std::printf("%u readers, %u writers, %s, %lld s, seed %llu\n", options_.readers, options_.writers,
              options_.max_memory.c_str(), static_cast<long long>(options_.seconds),
              static_cast<unsigned long long>(options_.seed));
  std::fflush(stdout);
  if (!start_owner() || !owner_answers()) return 1;
  readers_.resize(options_.readers);
  writers_.resize(options_.writers);
  began_ = progress_before_ = now_ms();
  end_ = began_ + options_.seconds * 1000;
  next_progress_ = began_ + 2'000;
  for (std::uint32_t n = 0; n < options_.writers; ++n) start_writer(n);
  for (std::uint32_t n = 0; n < options_.readers; ++n) start_reader(n);
  while (!time_is_up()) {
    const Histogram before = round_trips();
    sleep_watching(500);
    usual_.add(before, round_trips());
    if (options_.disturb) cycle();
  }
  board_->stop.store(1);
  int status;
  for (std::vector<Child>* list : {&readers_, &writers_})
    for (Child& c : *list) {
      kill(c.pid, SIGCONT);
      if (!wait_for(c.pid, 20'000, &status)) {
        report(*board_, kStuck, "process " + std::to_string(c.pid) + " does not end");
        continue;
      }
      if (status != 0) report(*board_, kCrashed, "process " + std::to_string(c.pid) + ": " + describe(status));
      c.pid = 0;
    }
  reap();
  progress(true);
  std::uint64_t faults = 0;
  for (const auto& f : board_->faults) faults += f.load();
  std::uint64_t hit = hits();
  if (hit == 0) std::printf("no read ever hit: nothing was tested\n");
  return faults == 0 && hit > 0 ? 0 : 1;
}

int run_role(const std::string& role, std::uint32_t number, int fd) {
  void* mapped = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) return 2;
  Board& board = *static_cast<Board*>(mapped);
  return role == "reader" ? run_reader(board, number) : run_writer(board, number);
}

}  // namespace
}  // namespace torture

int main(int argc, char** argv) {
  using namespace torture;
  Options options;
  // For scripts/test, which cannot pass a flag through ctest.
  if (const char* seconds = std::getenv("COPPICE_TORTURE_SECONDS")) options.seconds = std::atoll(seconds);
  options.seed = std::random_device{}();
  std::string role;
  std::uint32_t number = 0;
  int board = -1;
  bool calm = false;
  CLI::App app{"Torture test of Coppice's shared reads"};
  app.add_option("--coppiced", options.coppiced, "the owner's program");
  app.add_option("--seconds", options.seconds, "how long")->capture_default_str();
  app.add_option("--readers", options.readers, "reader processes")
      ->check(CLI::Range(1u, kMaxProcesses))
      ->capture_default_str();
  app.add_option("--writers", options.writers, "writer processes")
      ->check(CLI::Range(1u, kMaxProcesses))
      ->capture_default_str();
  app.add_option("--max-memory", options.max_memory, "of the owner; little, so that entries are evicted")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the disturbances");
  app.add_flag("--calm", calm, "no killing, stopping and restarting");
  app.add_option("--role", role)->group("");
  app.add_option("--number", number)->group("");
  app.add_option("--board", board)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (!role.empty()) return run_role(role, number, board);
  if (access(options.coppiced.c_str(), X_OK) != 0) {
    std::fprintf(stderr, "--coppiced: \"%s\" is no program\n", options.coppiced.c_str());
    return 2;
  }
  options.disturb = !calm;
  Torture torture(options);
  if (!torture.prepare()) {
    std::perror("cannot prepare");
    return 2;
  }
  return torture.run();
}
