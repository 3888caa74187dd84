// Random operations on a store beside a std::map that does the same.
#include <charconv>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "coppice/collections.h"
#include "coppice/store.h"
#include "support/catch.h"
#include "support/random.h"

using namespace coppice;

namespace {

struct ModelEntry {
  std::string value;
  ValueType type;
  Millis deadline;
  Version version;
  std::set<std::string> tags = {};
  std::uint32_t stale = 0;
  std::uint32_t compute_us = 0;
  std::map<std::string, std::pair<std::string, double>> elements = {};  // of a collection, whose value is ""
};

using ModelMap = std::map<std::string, ModelEntry>;

constexpr std::uint32_t kDatabases = 3;

class Pair {
 public:
  Pair(std::uint64_t seed, Policy policy, std::uint64_t max_memory, std::uint32_t largest_value, int key_space)
      : random_(seed),
        largest_(largest_value),
        key_space_(key_space),
        evicts_(policy != Policy::kNoEviction),
        roomy_(!evicts_ && max_memory >= 32 << 20) {
    store_ = Store::create(
        {.max_memory = max_memory, .max_value = 1 << 20, .databases = kDatabases, .policy = policy, .clock = &clock_});
    REQUIRE(store_ != nullptr);
  }

  // One random operation on both. Comparisons go by fail(), since Catch's macros are slow a million times.
  void step() {
    ++steps_;
    const std::uint64_t n = draw(100);
    if (n < 30)
      set();
    else if (n < 45)
      find();
    else if (n < 55)
      erase();
    else if (n < 61)
      touch();
    else if (n < 69)
      increment();
    else if (n < 71)
      erase_prefix();
    else if (n < 74)
      erase_prefix_in_slices();
    else if (n < 79)
      count_prefix();
    else if (n < 87)
      scan();
    else if (n < 90)
      find_many();
    else if (n < 94)
      clock_.advance(static_cast<Millis>(draw(40)));
    else if (n < 96)
      store_->expire(draw(20));
    else if (n < 97)
      prune();
    else if (n < 98)
      random_key();
    else if (n < 99)
      store_->purge(draw(50) + 1);
    else if (draw(20) == 0)
      flush_or_swap();
    switch (draw(40)) {
      case 0:
        return invalidate();
      case 1:
        return invalidate_in_slices();
      case 2:
        return count_tag();
      case 3:
        return scan_tag();
      case 4:
      case 5:
        return find_stale();
      case 6:
      case 7:
      case 8:
      case 9:
      case 10:
        return put_elements();
      case 11:
      case 12:
        return erase_elements();
      case 13:
        return draw(4) == 0 ? move() : look_at_collection();
      default:
        break;
    }
    const StoreStats t = store_->stats();
    if (t.used_memory > t.max_memory) fail("used_memory is above max_memory");
  }

  void compare_all() {
    const std::string bad = store_->check();
    INFO(bad);
    REQUIRE(bad.empty());
    for (Database db = 0; db < kDatabases; ++db) {
      drop_expired(db);
      std::uint64_t n = 0;
      auto it = model_[db].begin();
      store_->scan(db, {}, [&](const EntryView& e) {
        if (evicts_)
          while (it != model_[db].end() && it->first < e.key) it = model_[db].erase(it);
        if (it == model_[db].end() || it->first != e.key) fail("a walk shows a key that is not there");
        same(e, it->second);
        ++it;
        ++n;
        return true;
      });
      if (evicts_) model_[db].erase(it, model_[db].end());
      if (n != model_[db].size()) fail("a walk leaves out keys");
    }
  }

  std::uint64_t refused() const { return refused_; }
  std::uint64_t stale_hits() const { return stale_hits_; }
  std::uint64_t invalidated() const { return invalidated_; }
  std::size_t largest_collection() const { return largest_collection_; }
  Store& store() { return *store_; }

 private:
  [[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }
  std::uint64_t draw(std::uint64_t n) { return random_() % n; }
  Database db() { return draw(4) == 0 ? 1 + static_cast<Database>(draw(2)) : 0; }

  std::string key() {
    static const char* const kGroups[] = {"user.", "user.1", "a", "", "\xff\xff"};
    const std::uint64_t n = draw(static_cast<std::uint64_t>(key_space_));
    std::string k;
    switch (n % 7) {
      case 0:
        k = "user." + std::to_string(n / 10) + ".item." + std::to_string(n % 10);
        break;
      case 1:
        k = std::string(kGroups[n % 5]) + std::to_string(n);
        break;
      case 2:
        k = std::string("\0", 1) + std::to_string(n);
        break;
      case 3:
        k = std::string(1 + n % 40, '\xff') + static_cast<char>(n);
        break;
      case 4:
        k = std::string(300 + n % 3, 'p') + std::to_string(n % 97);
        break;
      case 5:
        k = std::string(1, static_cast<char>(n)) + static_cast<char>(n >> 8);
        break;
      default:
        k = "session:" + std::to_string(n * 2654435761u);
        break;
    }
    return k;
  }
  std::string prefix() {
    const std::string k = key();
    return k.substr(0, draw(3) == 0 ? draw(k.size() + 1) : k.size() - draw(std::min<std::uint64_t>(k.size(), 3)));
  }
  // For removals: mostly narrow, or the store would never fill.
  std::string removal_prefix() {
    if (draw(200) == 0) return prefix();
    const std::string k = key();
    return k.size() > 6 ? k.substr(0, k.size() - 1) : k;
  }
  Millis deadline() {
    switch (draw(4)) {
      case 0:
        return clock_.monotonic_ms() + static_cast<Millis>(draw(400)) - 5;
      case 1:
        return clock_.monotonic_ms() + static_cast<Millis>(draw(100'000));
      default:
        return kNoDeadline;
    }
  }
  std::string value() {
    if (draw(4) == 0) return std::to_string(static_cast<std::int64_t>(draw(1000)) - 500);
    // The usual size changes from time to time, so that pages have to change their class.
    const std::uint64_t usual = 30 + 150 * (steps_ / 8000 % 4);
    std::string v(draw(500) == 0 ? draw(largest_) : draw(20) == 0 ? draw(2000) : usual + draw(30), '\0');
    for (std::size_t i = 0; i < v.size(); i += 1 + v.size() / 64) v[i] = static_cast<char>(random_());
    return v;
  }
  bool dead(const ModelEntry& e) const { return e.deadline <= clock_.monotonic_ms() && e.deadline != kNoDeadline; }
  // What is due goes from the live ones to those that may be in their stale windows.
  ModelMap::iterator drop(Database d, ModelMap::iterator it) {
    if (it->second.stale > 0) past_[d][it->first] = it->second;
    return model_[d].erase(it);
  }
  void drop_expired(Database d) {
    for (auto it = model_[d].begin(); it != model_[d].end();)
      if (dead(it->second))
        it = drop(d, it);
      else
        ++it;
  }
  ModelEntry* model(Database d, const std::string& k) {
    auto it = model_[d].find(k);
    if (it == model_[d].end()) return nullptr;
    if (dead(it->second)) {
      drop(d, it);
      return nullptr;
    }
    // What the store has evicted is forgotten by the model when it is asked for.
    if (evicts_ && !store_->peek(d, k)) {
      model_[d].erase(it);
      return nullptr;
    }
    return &it->second;
  }
  void same(const EntryView& e, const ModelEntry& m) {
    if (!is_collection(e.type) && e.value() != m.value) fail("a value differs");
    if (e.type != m.type) fail("a type differs");
    if (e.deadline != m.deadline) fail("a deadline differs");
    if (e.version != m.version) fail("a version differs");
    std::vector<std::string> tags;
    store_->for_each_tag(e, [&tags](std::string_view tag) { tags.emplace_back(tag); });
    if (tags != std::vector<std::string>(m.tags.begin(), m.tags.end())) fail("tags differ");
    const RefreshView refresh = store_->refresh_of(e);
    if (refresh.stale != m.stale || refresh.compute_us != m.compute_us) fail("a stale window or compute time differs");
    if (is_collection(e.type)) same_elements(*store_->open(e), m);
  }
  void same_elements(const Collection& c, const ModelEntry& m) {
    using Order = Collection::Order;
    if (c.size() != m.elements.size()) fail("a collection's size differs");
    if (c.size() > 200 && draw(20) != 0) return;
    std::size_t n = 0;
    for (const auto& [name, element] : m.elements) {
      const auto e = c.find(name);
      if (!e || e->name != name) fail("an element is missing");
      if (c.type() == ValueType::kHash && e->value.value() != element.first) fail("a field's value differs");
      if (c.type() == ValueType::kSortedSet && e->score != element.second) fail("a score differs");
    }
    const Order order = c.type() == ValueType::kSortedSet ? Order::kByScore : Order::kByName;
    std::optional<std::pair<double, std::string>> before;
    for (auto p = c.first(order); p; p = c.next(p), ++n) {
      const ElementView e = c.at(p);
      std::pair<double, std::string> place{c.type() == ValueType::kSortedSet ? e.score : 0, std::string(e.name)};
      if (before && *before >= place) fail("a collection is not in order");
      before = std::move(place);
    }
    if (n != c.size()) fail("a walk over a collection leaves out elements");
    if (c.size() > 0) {
      const std::uint64_t rank = draw(c.size());
      if (c.rank(c.nth(rank, order)) != rank) fail("a rank differs");
    }
  }

  std::string collection_key() { return draw(10) == 0 ? key() : "coll" + std::to_string(draw(40)); }
  ValueType collection_type() { return static_cast<ValueType>(static_cast<int>(ValueType::kHash) + draw(3)); }
  std::string element_name() {
    const std::uint64_t n = draw(300);
    return n % 50 == 7 ? std::string(70 + n, 'n') : std::string(n % 3, '\0') + "e" + std::to_string(n);
  }
  void put_elements() {
    const Database d = db();
    const std::string k = collection_key();
    ModelEntry* m = model(d, k);
    const ValueType type = m != nullptr && is_collection(m->type) && draw(10) != 0 ? m->type : collection_type();
    std::vector<std::pair<std::string, std::string>> text;
    std::vector<double> scores;
    for (std::uint64_t i = draw(8) == 0 ? draw(400) : 1 + draw(3); i > 0; --i) {
      const bool large = draw(300) == 0;
      text.emplace_back(element_name(), type != ValueType::kHash ? "" : large ? value() : std::to_string(draw(1000)));
      scores.push_back(type == ValueType::kSortedSet ? static_cast<double>(draw(50)) - 25 : 0);
    }
    std::vector<Element> elements;
    for (std::size_t i = 0; i < text.size(); ++i) elements.push_back({text[i].first, text[i].second, scores[i]});
    const auto r = store_->put_elements(d, k, type, elements);
    if (m != nullptr && m->type != type) {
      if (!elements.empty() && r.error() != Error::kWrongType) fail("a collection of another type is written to");
      return same(*store_->peek(d, k), *m);
    }
    if (!r) {
      ++refused_;
      if (r.error() != Error::kOutOfMemory || roomy_) fail("elements are refused for no reason");
      // What is left of it may have been evicted meanwhile.
      if (m = model(d, k); m != nullptr) same(*store_->peek(d, k), *m);
      return;
    }
    if (elements.empty()) return;
    ModelEntry next = m != nullptr ? *m : ModelEntry{"", type, kNoDeadline, 0};
    std::uint64_t added = 0;
    for (const Element& e : elements) {
      const bool fresh = next.elements.count(std::string(e.name)) == 0;
      added += fresh;
      if (type == ValueType::kSet && !fresh) continue;
      next.elements[std::string(e.name)] = {std::string(e.value), e.score};
    }
    if (r->added != added) fail("another number of elements is new");
    const auto e = store_->peek(d, k);
    if (!e) fail("a collection is gone as soon as it is written to");
    if (r->added + r->changed != 0) {
      newer(e->version);
      past_[d].erase(k);
    }
    next.version = e->version;
    model_[d][k] = next;
    same(*e, next);
    largest_collection_ = std::max(largest_collection_, next.elements.size());
  }
  void erase_elements() {
    const Database d = db();
    const std::string k = collection_key();
    ModelEntry* m = model(d, k);
    const ValueType type = m != nullptr && draw(10) != 0 ? m->type : collection_type();
    std::vector<std::string> text;
    for (std::uint64_t i = draw(8) == 0 ? draw(300) : draw(4); i > 0; --i) text.push_back(element_name());
    const std::vector<std::string_view> names(text.begin(), text.end());
    if (!is_collection(type)) return;
    const auto r = store_->erase_elements(d, k, type, names);
    if (m == nullptr) {
      if (!r || *r != 0) fail("elements are removed where there is nothing");
      return;
    }
    if (m->type != type) {
      if (r.error() != Error::kWrongType) fail("elements are removed from another type");
      return same(*store_->peek(d, k), *m);
    }
    if (!r) fail("a removal is refused");
    std::uint64_t removed = 0;
    for (const std::string& name : text) removed += m->elements.erase(name);
    if (*r != removed) fail("another number of elements is removed");
    const auto e = store_->peek(d, k);
    if (m->elements.empty()) {
      if (e) fail("a collection stays behind its last element");
      return forget(d, k);
    }
    if (!e) fail("a collection is gone with some of its elements");
    if (removed != 0) newer(e->version);
    m->version = e->version;
    same(*e, *m);
  }
  void look_at_collection() {
    const Database d = db();
    const std::string k = collection_key();
    const ModelEntry* m = model(d, k);
    const ValueType type = collection_type();
    const auto c = store_->open(d, k, type);
    if (m != nullptr && m->type != type) {
      if (c.error() != Error::kWrongType) fail("another type is opened");
    } else {
      if (!c || c->has_value() != (m != nullptr)) fail("open differs");
      if (m != nullptr) same((*c)->entry(), *m);
    }
  }
  void move() {
    const Database d = db(), to_d = db();
    const std::string k = collection_key(), to = collection_key();
    const ModelEntry* m = model(d, k);
    const auto r = store_->move(d, k, to_d, to);
    if (!r) {
      ++refused_;
      if (r.error() != Error::kOutOfMemory) fail("a move is refused for no reason");
      return;
    }
    if (*r != (m != nullptr)) fail("move differs");
    if (m == nullptr || (d == to_d && k == to)) return;
    ModelEntry next = *m;
    forget(d, k);
    if (store_->peek(d, k)) fail("what was moved is still there");
    const auto e = store_->peek(to_d, to);
    if (!e) fail("what was moved is nowhere");
    next.version = e->version;
    past_[to_d].erase(to);
    model_[to_d][to] = next;
    newer(store_->newest_version());
    same(*e, next);
  }
  std::string tag() {
    const std::uint64_t n = draw(60);
    if (n < 3) return std::string("all") + std::to_string(n);
    return n % 20 == 4 ? std::string(1000, static_cast<char>(n)) : std::string(n % 7, '\0') + "tag" + std::to_string(n);
  }
  std::set<std::string> tags() {
    std::set<std::string> names;
    if (draw(2) == 0) return names;
    for (std::uint64_t i = draw(200) == 0 ? draw(300) : draw(4); i > 0; --i)
      names.insert(i > 10 ? "many" + std::to_string(draw(1000)) : tag());
    return names;
  }
  void newer(Version v) {
    if (v <= newest_ || (v & 1) != 0) fail("a version repeats or goes back");
    newest_ = v;
  }

  void set() {
    const Database d = db();
    const std::string k = key();
    ModelEntry* m = model(d, k);
    SetOptions o;
    o.when = static_cast<When>(draw(8) < 5 ? 0 : draw(4));
    o.deadline = deadline();
    o.keep_deadline = draw(6) == 0;
    o.version = m != nullptr && draw(2) == 0 ? m->version : 2;
    const std::string v = value();
    const auto type = draw(5) == 0 ? ValueType::kArray : ValueType::kString;
    ModelEntry next{v, type, kNoDeadline, 0, tags(), 0, 0};
    if (draw(4) == 0) next.stale = static_cast<std::uint32_t>(draw(300));
    if (draw(4) == 0) next.compute_us = static_cast<std::uint32_t>(draw(5));
    const bool keep = draw(8) == 0;
    if (keep) next.tags.clear();
    std::vector<std::string_view> views(next.tags.rbegin(), next.tags.rend());
    if (!views.empty()) views.push_back(views.front());  // a double
    o.tags = views;
    o.stale = next.stale;
    o.compute_us = next.compute_us;
    o.keep_tags = keep;
    if (keep && m != nullptr) {
      next.tags = m->tags;
      next.stale = m->stale;
      next.compute_us = m->compute_us;
    }
    bool expected = true;
    if (o.when == When::kIfAbsent) expected = m == nullptr;
    if (o.when == When::kIfPresent) expected = m != nullptr;
    if (o.when == When::kIfVersion) expected = m != nullptr && m->version == o.version;
    const Millis due = o.keep_deadline ? (m != nullptr ? m->deadline : kNoDeadline) : o.deadline;
    const auto r = store_->set(d, k, {type, v}, o);
    if (!r) {
      ++refused_;
      if (r.error() != Error::kOutOfMemory || !expected) fail("a write is refused for no reason");
      if (m != nullptr) same(*store_->peek(d, k), *m);
      return;
    }
    if (r->stored != expected) fail("a condition is judged wrongly");
    if (!expected) return;
    if (due <= clock_.monotonic_ms() && due != kNoDeadline) {
      if (r->version != 0) fail("a deadline that has passed stores");
      forget(d, k);
      return;
    }
    newer(r->version);
    next.deadline = due;
    next.version = r->version;
    past_[d].erase(k);
    model_[d][k] = next;
    const auto e = store_->peek(d, k);
    if (!e) fail("a value is gone as soon as it is stored");
    same(*e, model_[d][k]);
  }
  void find() {
    const Database d = db();
    const std::string k = key();
    const ModelEntry* m = model(d, k);
    const auto e = store_->find(d, k);
    if (e.has_value() != (m != nullptr)) fail("find differs");
    if (e) same(*e, *m);
  }
  void erase() {
    const Database d = db();
    const std::string k = key();
    const bool there = model(d, k) != nullptr;
    if (store_->erase(d, k) != there) fail("erase differs");
    forget(d, k);
  }
  void forget(Database d, const std::string& k) {
    model_[d].erase(k);
    past_[d].erase(k);
  }
  void find_stale() {
    const Database d = db();
    // Mostly one that is behind its deadline.
    drop_expired(d);
    std::string k = key();
    if (const auto it = past_[d].lower_bound(k); it != past_[d].end() && draw(4) != 0) k = it->first;
    const ModelEntry* m = model(d, k);
    const bool stale = m == nullptr;
    if (const auto it = past_[d].find(k); it != past_[d].end()) {
      if (it->second.deadline + it->second.stale > clock_.monotonic_ms())
        m = &it->second;
      else
        past_[d].erase(it);
    }
    const auto found = store_->find_stale(d, k);
    if (found && m == nullptr) fail("find_stale shows what is gone");
    if (!found && m != nullptr && roomy_) fail("find_stale misses an entry");
    if (!found) return;
    if (found->is_stale != stale) fail("find_stale judges wrongly what is stale");
    same(found->entry, *m);
    ++stale_hits_;
  }
  std::uint64_t model_invalidate(Database d, const std::set<std::string>& names, Version newest) {
    drop_expired(d);
    const auto hit = [&](const ModelEntry& e) {
      return e.version <= newest &&
             std::any_of(names.begin(), names.end(), [&e](const std::string& t) { return e.tags.count(t) > 0; });
    };
    std::erase_if(past_[d], [&](const auto& kv) { return hit(kv.second); });
    return std::erase_if(model_[d], [&](const auto& kv) { return hit(kv.second); });
  }
  std::set<std::string> some_tags() {
    std::set<std::string> names;
    for (std::uint64_t i = 1 + draw(3); i > 0; --i)
      names.insert(draw(5) == 0 ? tag() : "many" + std::to_string(draw(1000)));
    return names;
  }
  void invalidate() {
    const Database d = db();
    const auto names = some_tags();
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::uint64_t n = store_->invalidate_tags(d, views);
    newest_ = store_->newest_version();
    const std::uint64_t m = model_invalidate(d, names, ~Version{0});
    if (evicts_ ? n > m : n != m) fail("an invalidation counts differently");
    invalidated_ += n;
  }
  void invalidate_in_slices() {
    const Database d = db();
    const auto names = some_tags();
    const std::vector<std::string_view> views(names.begin(), names.end());
    TagErase r = store_->begin_invalidate_tags(d, views);
    newest_ = r.version();
    const std::uint64_t before = overwritten_;
    while (!store_->step(r, 1 + draw(6)))
      if (draw(3) == 0 && !evicts_) set_tagged(d, key(), views);
    const std::uint64_t written = overwritten_ - before;
    overwritten_ = 0;
    const std::uint64_t m = model_invalidate(d, names, r.version());
    if (!evicts_ && (r.removed() < m || r.removed() > m + written)) fail("a sliced invalidation counts differently");
  }
  void set_tagged(Database d, const std::string& k, const std::vector<std::string_view>& tags) {
    const auto r = store_->set(d, k, {ValueType::kString, "new"}, {.tags = tags});
    if (!r) return;
    newer(r->version);
    ++overwritten_;
    past_[d].erase(k);
    model_[d][k] = {"new", ValueType::kString, kNoDeadline, r->version, {tags.begin(), tags.end()}};
  }
  void count_tag() {
    const Database d = db();
    const std::string name = tag();
    drop_expired(d);
    std::uint64_t m = 0;
    for (const auto& [k, e] : model_[d]) m += e.tags.count(name);
    const std::uint64_t n = store_->count_tag(d, name);
    if (evicts_ ? n > m : n != m) fail("count_tag differs");
  }
  void scan_tag() {
    const Database d = db();
    const std::string name = tag(), from = key();
    const bool whole = draw(2) == 0;
    const std::size_t limit = 1 + draw(100);
    std::vector<std::string> got, expected;
    store_->scan_tag(d, name, whole ? std::nullopt : std::optional<std::string_view>(from), [&](const EntryView& e) {
      got.emplace_back(e.key);
      return got.size() < limit;
    });
    drop_expired(d);
    for (const auto& [k, e] : model_[d])
      if (e.tags.count(name) > 0 && (whole || k > from) && (!evicts_ || store_->peek(d, k))) expected.push_back(k);
    if (expected.size() > limit) expected.resize(limit);
    if (got != expected) fail("a walk over a tag differs");
  }
  void touch() {
    const Database d = db();
    const std::string k = key();
    ModelEntry* m = model(d, k);
    const Millis due = deadline();
    const auto r = store_->set_deadline(d, k, due);
    if (!r) {
      ++refused_;
      return;
    }
    if (*r != (m != nullptr)) fail("set_deadline differs");
    if (m == nullptr) return;
    if (due <= clock_.monotonic_ms() && due != kNoDeadline) {
      forget(d, k);
      return;
    }
    m->deadline = due;
    m->version = store_->peek(d, k)->version;
    newer(m->version);
    same(*store_->peek(d, k), *m);
  }
  void increment() {
    const Database d = db();
    const std::string k = key();
    ModelEntry* m = model(d, k);
    const std::int64_t by = draw(20) == 0 ? INT64_MAX : static_cast<std::int64_t>(draw(100)) - 50;
    IncrementOptions o{.initial = static_cast<std::int64_t>(draw(10)), .deadline_if_new = kNoDeadline};
    const auto r = store_->increment(d, k, by, o);
    std::int64_t now = o.initial;
    Error expected = Error::kNone;
    if (m != nullptr) {
      const auto [end, bad] = std::from_chars(m->value.data(), m->value.data() + m->value.size(), now);
      if (m->type != ValueType::kString && m->type != ValueType::kInteger)
        expected = Error::kWrongType;
      else if (bad != std::errc{} || std::to_string(now) != m->value)
        expected = Error::kNotInteger;
    }
    if (expected == Error::kNone && __builtin_add_overflow(now, by, &now)) expected = Error::kOverflow;
    if (r.error() == Error::kOutOfMemory) {
      ++refused_;
      return;
    }
    if (r.error() != expected) fail("increment judges differently");
    if (!r) {
      if (m != nullptr) same(*store_->peek(d, k), *m);
      return;
    }
    if (*r != now) fail("increment differs");
    const auto e = store_->peek(d, k);
    newer(e->version);
    ModelEntry next{std::to_string(now), ValueType::kInteger, kNoDeadline, e->version};
    if (m != nullptr) {
      next.deadline = m->deadline;
      next.tags = m->tags;
      next.stale = m->stale;
      next.compute_us = m->compute_us;
    }
    past_[d].erase(k);
    model_[d][k] = next;
    same(*e, model_[d][k]);
  }
  std::uint64_t model_erase_prefix(Database d, const std::string& p, Version newest) {
    drop_expired(d);
    std::uint64_t n = 0;
    for (ModelMap* map : {&past_[d], &model_[d]}) {
      n = 0;
      for (auto it = map->lower_bound(p); it != map->end() && it->first.compare(0, p.size(), p) == 0;) {
        if (it->second.version > newest) {
          ++it;
          continue;
        }
        it = map->erase(it);
        ++n;
      }
    }
    return n;
  }
  void erase_prefix() {
    const Database d = db();
    const std::string p = removal_prefix();
    const std::uint64_t n = store_->erase_prefix(d, p);
    const std::uint64_t m = model_erase_prefix(d, p, ~Version{0});
    if (evicts_ ? n > m : n != m) fail("erase_prefix counts differently");
  }
  void erase_prefix_in_slices() {
    const Database d = db();
    const std::string p = removal_prefix();
    RangeErase r = store_->begin_erase_prefix(d, p);
    const Version newest = store_->newest_version();
    while (!store_->step(r, 1 + draw(6)))
      if (draw(3) == 0 && !evicts_) set_new_in(d, p);
    const std::uint64_t m = model_erase_prefix(d, p, newest);
    if (evicts_ || overwritten_ != 0 ? r.removed() > m + overwritten_ : r.removed() != m)
      fail("a sliced removal counts differently");
    overwritten_ = 0;
  }
  void set_new_in(Database d, const std::string& p) {
    const std::string k = p + std::to_string(draw(50));
    const auto r = store_->set(d, k, {ValueType::kString, "new"});
    if (!r) return;
    newer(r->version);
    ++overwritten_;
    past_[d].erase(k);
    model_[d][k] = {"new", ValueType::kString, kNoDeadline, r->version};
  }
  void count_prefix() {
    const Database d = db();
    const std::string p = prefix();
    drop_expired(d);
    std::uint64_t m = 0;
    for (auto it = model_[d].lower_bound(p); it != model_[d].end() && it->first.compare(0, p.size(), p) == 0; ++it) ++m;
    const std::uint64_t n = store_->count_prefix(d, p);
    if (evicts_ ? n > m : n != m) fail("count_prefix differs");
  }
  void scan() {
    const Database d = db();
    const std::string p = prefix();
    const std::string from = key();
    ScanRange range;
    range.prefix = p;
    if (draw(2) == 0) range.start = from;
    range.inclusive = draw(2) == 0;
    range.reverse = draw(2) == 0;
    const std::size_t limit = 1 + draw(30);
    std::vector<std::string> got;
    store_->scan(d, range, [&](const EntryView& e) {
      got.emplace_back(e.key);
      return got.size() < limit;
    });
    drop_expired(d);
    std::vector<std::string> expected;
    for (const auto& [k, e] : model_[d]) {
      if (k.compare(0, p.size(), p) != 0) continue;
      if (range.start) {
        const int c = k.compare(from);
        if (range.inclusive ? (range.reverse ? c > 0 : c < 0) : (range.reverse ? c >= 0 : c <= 0)) continue;
      }
      if (evicts_ && !store_->peek(d, k)) continue;
      expected.push_back(k);
    }
    if (range.reverse) std::reverse(expected.begin(), expected.end());
    if (expected.size() > limit) expected.resize(limit);
    if (got != expected) fail("a scan differs");
  }
  void find_many() {
    const Database d = db();
    std::vector<std::string> keys;
    for (std::uint64_t i = draw(40); i > 0; --i) keys.push_back(key());
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    std::size_t next = 0;
    store_->find_many(d, views, [&](std::size_t i, const EntryView* e) {
      if (i != next++) fail("find_many leaves the order");
      const ModelEntry* m = model(d, keys[i]);
      if ((e != nullptr) != (m != nullptr)) fail("find_many differs");
      if (e != nullptr) same(*e, *m);
    });
    if (next != keys.size()) fail("find_many leaves out keys");
  }
  void prune() {
    store_->prune();
    for (Database d = 0; d < kDatabases; ++d) drop_expired(d);
    if (const auto due = store_->next_deadline(); due && *due <= clock_.monotonic_ms()) fail("prune leaves entries");
  }
  void random_key() {
    const Database d = db();
    const auto k = store_->random_key(d);
    if (k && model(d, *k) == nullptr) fail("random_key invents a key");
    drop_expired(d);
    if (!k && !evicts_ && !model_[d].empty()) fail("random_key finds nothing");
  }
  void flush_or_swap() {
    const Database a = db(), b = db();
    if (draw(2) == 0) {
      store_->flush(a);
      model_[a].clear();
      past_[a].clear();
    } else {
      store_->swap(a, b);
      std::swap(model_[a], model_[b]);
      std::swap(past_[a], past_[b]);
    }
  }

  std::mt19937_64 random_;
  ManualClock clock_;
  std::unique_ptr<Store> store_;
  ModelMap model_[kDatabases];
  ModelMap past_[kDatabases];  // behind their deadline; perhaps in their stale windows
  std::uint32_t largest_;
  int key_space_;
  bool evicts_;
  bool roomy_;
  Version newest_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t overwritten_ = 0;
  std::uint64_t stale_hits_ = 0;
  std::uint64_t invalidated_ = 0;
  std::size_t largest_collection_ = 0;
  std::uint64_t steps_ = 0;
};

void run(const char* name, std::uint64_t operations, Policy policy, std::uint64_t memory, std::uint32_t largest,
         int key_space) {
  const std::uint64_t seed = test::draw_seed();
  operations = test::scaled(operations);
  std::cout << name << ": " << operations << " operations, seed " << seed << std::endl;
  INFO("COPPICE_TEST_SEED=" << seed);
  Pair pair(seed, policy, memory, largest, key_space);
  const std::uint64_t check_every = operations / 20 + 1;
  for (std::uint64_t i = 0; i < operations; ++i) {
    try {
      pair.step();
      if (i % check_every == check_every - 1) pair.compare_all();
    } catch (const std::exception& e) {
      FAIL("operation " << i << ": " << e.what());
    }
  }
  pair.compare_all();
  const StoreStats t = pair.store().stats();
  std::cout << "  entries " << t.entries << ", sets " << t.sets << ", hits " << t.hits << ", refused " << pair.refused()
            << ", evicted " << t.evicted << ", expired " << t.expired << ", moved " << t.moved << ", tags " << t.tags
            << ", memberships " << t.tag_memberships << ", stale " << t.stale << ", of them found " << pair.stale_hits()
            << ", invalidated " << pair.invalidated() << ", elements " << t.elements << ", at most "
            << pair.largest_collection() << " in one"
            << ", used " << t.used_memory << " of " << t.max_memory << std::endl;
  // The run must have met what it is for.
  if (memory < 8 << 20 && test::scaled(100) >= 100) {
    CHECK(t.moved > 0);
    if (policy == Policy::kNoEviction)
      CHECK(pair.refused() > 0);
    else
      CHECK(t.evicted > 0);
  }
}

}  // namespace

TEST_CASE("a roomy store does what a map does", "[store][model]") {
  run("roomy", 500'000, Policy::kNoEviction, 64 << 20, 200'000, 4000);
}

TEST_CASE("a full store without eviction refuses and keeps what it has", "[store][model]") {
  run("full", 200'000, Policy::kNoEviction, 3 << 20, 150'000, 40'000);
}

TEST_CASE("an evicting store forgets but never lies: allkeys-lru", "[store][model]") {
  run("allkeys-lru", 100'000, Policy::kAllKeysLru, 3 << 20, 300'000, 40'000);
}
TEST_CASE("an evicting store forgets but never lies: volatile-lru", "[store][model]") {
  run("volatile-lru", 100'000, Policy::kVolatileLru, 3 << 20, 100'000, 40'000);
}
TEST_CASE("an evicting store forgets but never lies: allkeys-random", "[store][model]") {
  run("allkeys-random", 100'000, Policy::kAllKeysRandom, 3 << 20, 300'000, 40'000);
}
TEST_CASE("an evicting store forgets but never lies: volatile-ttl", "[store][model]") {
  run("volatile-ttl", 100'000, Policy::kVolatileTtl, 3 << 20, 100'000, 40'000);
}
