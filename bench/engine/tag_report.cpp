// What tags cost: bytes a membership, and the time of invalidations, as a line of JSON each.
//
//   tag_report [entries, by default 1000000]
//
// Bytes: what the same entries take more with tags than without, in the pages that the store holds; ten entries a tag,
// one tag an entry unless it says otherwise. Times in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "coppice/store.h"
#include "keys.h"

namespace {

using coppice::Store;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kText = "thirty bytes of a stored value";

void must(bool held, const char* what) {
  if (held) return;
  std::fprintf(stderr, "tag_report: %s\n", what);
  std::exit(1);
}

std::unique_ptr<Store> make(std::uint64_t n) {
  coppice::StoreOptions options;
  options.max_memory = std::max<std::uint64_t>(64u << 20, n * 300);
  options.policy = coppice::Policy::kNoEviction;
  auto store = Store::create(options);
  must(store != nullptr, "no store");
  return store;
}

// Entries in random order, with the tags that `tags_of` puts into the vector of strings. The time of one set in ns.
template <class TagsOf>
double fill(Store& store, std::uint64_t n, std::size_t value_length, TagsOf tags_of) {
  bench::RandomOrder order(n);
  bench::StructuredKey key;
  const std::string value(value_length, 'v');
  std::vector<std::string> tags;
  std::vector<std::string_view> views;
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t number = order.next();
    tags.clear();
    tags_of(number, &tags);
    views.assign(tags.begin(), tags.end());
    coppice::SetOptions options;
    options.tags = views;
    must(bool(store.set(0, key(number), {coppice::ValueType::kString, value}, options)), "set was refused");
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / static_cast<double>(n);
}

std::string group_of(std::uint64_t number) { return "group:" + std::to_string(number / 10); }

double at(std::vector<double>& times, double part) {
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1, static_cast<std::size_t>(part * static_cast<double>(times.size())))];
}

template <class TagsOf>
void report_bytes(const char* kind, std::uint64_t n, TagsOf tags_of) {
  // In the mean over some sizes of values: four bytes more in a block are none or eight, by chance.
  double beyond = 0, index = 0, blocks = 0;
  double memberships = 0;
  constexpr int kSizes = 4;
  for (int size = 0; size < kSizes; ++size) {
    const std::size_t length = kText.size() + 2 * static_cast<std::size_t>(size);
    const auto plain = make(n), tagged = make(n);
    fill(*plain, n, length, [](std::uint64_t, std::vector<std::string>*) {});
    fill(*tagged, n, length, tags_of);
    const auto without = plain->stats(), with = tagged->stats();
    memberships = static_cast<double>(with.tag_memberships);
    beyond += (static_cast<double>(with.used_memory) - static_cast<double>(without.used_memory)) / memberships / kSizes;
    index += (static_cast<double>(with.order_index_bytes) - static_cast<double>(without.order_index_bytes)) /
             memberships / kSizes;
    blocks += (static_cast<double>(with.entry_bytes) - static_cast<double>(without.entry_bytes)) / memberships / kSizes;
  }
  std::printf(
      "{\"bench\":\"tag_memory\",\"kind\":\"%s\",\"n\":%llu,\"memberships\":%.0f,\"bytes\":%.2f,\"index\":%.2f,"
      "\"blocks\":%.2f}\n",
      kind, static_cast<unsigned long long>(n), memberships, beyond, index, blocks);
  std::fflush(stdout);
}

void report_times(std::uint64_t n) {
  const auto store = make(n);
  const double set_ns = fill(*store, n, kText.size(), [](std::uint64_t number, std::vector<std::string>* tags) {
    *tags = {group_of(number), "all"};
  });
  bench::RandomOrder groups(n / 10, 7);
  bench::StructuredKey key;
  std::vector<double> ten, count, again;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t group = groups.next();
    const std::string name = group_of(group * 10);
    const std::string_view tags[] = {name, "all"};
    auto start = Clock::now();
    must(store->count_tag(0, name) == 10, "count_tag is wrong");
    count.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    start = Clock::now();
    must(store->invalidate_tags(0, {tags, 1}) == 10, "invalidate_tags did not remove ten");
    ten.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    start = Clock::now();
    for (std::uint64_t j = 0; j < 10; ++j)
      must(bool(store->set(0, key(group * 10 + j), {coppice::ValueType::kString, kText}, {.tags = tags})),
           "set was refused");
    again.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count() / 10);
  }
  const std::string_view all[] = {"all"};
  std::vector<double> slices;
  const auto start = Clock::now();
  coppice::TagErase erase = store->begin_invalidate_tags(0, all);
  for (bool done = false; !done;) {
    const auto slice = Clock::now();
    done = store->step(erase, 16);
    slices.push_back(std::chrono::duration<double, std::micro>(Clock::now() - slice).count());
  }
  const double whole = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  must(erase.removed() == n && store->stats().tags == 0, "something of the tag is left");
  std::printf(
      "{\"bench\":\"tag_times\",\"n\":%llu,\"set_two_tags\":%.3f,\"set_again\":%.3f,\"count_ten\":%.3f,"
      "\"invalidate_ten\":%.2f,"
      "\"invalidate_ten_p99\":%.2f,\"invalidate_all_ms\":%.1f,\"slice_of_16\":%.2f,\"slice_p999\":%.2f}\n",
      static_cast<unsigned long long>(n), set_ns / 1000, at(again, 0.5), at(count, 0.5), at(ten, 0.5), at(ten, 0.99),
      whole, at(slices, 0.5), at(slices, 0.999));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  if (n < 100'000 || n % 10 != 0) {
    std::fprintf(stderr, "usage: tag_report [entries, a multiple of ten from 100000]\n");
    return 2;
  }
  report_bytes("ten entries a tag", n,
               [](std::uint64_t number, std::vector<std::string>* tags) { tags->push_back(group_of(number)); });
  report_bytes("one tag for all", n, [](std::uint64_t, std::vector<std::string>* tags) { tags->push_back("all"); });
  report_bytes("three tags an entry, of ten, a thousand and all", n,
               [n](std::uint64_t number, std::vector<std::string>* tags) {
                 *tags = {group_of(number), "section:" + std::to_string(bench::mix(number) % (n / 1000)), "all"};
               });
  report_times(n);
  return 0;
}
