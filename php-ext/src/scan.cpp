#include "scan.h"

#include "cache_object.h"
#include "value.h"

namespace coppice::php {

namespace {

zend_object_handlers scan_handlers;

struct ScanObject {
  zend_object* cache;   // owned; null in an object that scan() has not filled
  zend_string* prefix;  // owned, as is `after`; both whole keys
  zend_string* after;   // null: from the first on
  zend_long limit;
  zend_object std;
};

ScanObject* scan_of(zend_object* object) {
  return reinterpret_cast<ScanObject*>(reinterpret_cast<char*>(object) - offsetof(ScanObject, std));
}

zend_object* create_scan(zend_class_entry* ce) {
  auto* scan = static_cast<ScanObject*>(zend_object_alloc(sizeof(ScanObject), ce));
  scan->cache = nullptr;
  scan->prefix = scan->after = nullptr;
  scan->limit = 0;
  zend_object_std_init(&scan->std, ce);
  object_properties_init(&scan->std, ce);
  scan->std.handlers = &scan_handlers;
  return &scan->std;
}

void free_scan(zend_object* object) {
  ScanObject* scan = scan_of(object);
  if (scan->cache != nullptr) OBJ_RELEASE(scan->cache);
  if (scan->prefix != nullptr) zend_string_release(scan->prefix);
  if (scan->after != nullptr) zend_string_release(scan->after);
  zend_object_std_dtor(object);
}

// The part of the walk that is at hand; freed with the iterator, which PHP does even after a fatal error.
struct Walk {
  Page page;
  std::size_t place = 0;  // in the page: the current entry
  std::string resume;     // the last key of the pages before
  bool has_resume = false;
  std::uint64_t taken = 0;  // entries handed out
  bool is_busy = false;     // decoding runs user code, which may hold this iterator
};

// The iterator's `data` is the Scan. `value` is undefined at the end of the walk.
struct ScanIterator {
  zend_object_iterator base;  // first: Zend knows only this
  Walk* walk;
  zval value;
};

ScanIterator* iterator_of(zend_object_iterator* it) { return reinterpret_cast<ScanIterator*>(it); }

void drop_value(ScanIterator* it) {
  zval old;
  ZVAL_COPY_VALUE(&old, &it->value);
  ZVAL_UNDEF(&it->value);
  zval_ptr_dtor(&old);
}

// The next page; false at the end, and when the cache is away (reported).
bool next_page(const ScanObject& scan, CacheObject& cache, Walk& walk) {
  constexpr std::size_t kPage = 256;
  std::size_t wanted = kPage;
  if (scan.limit != 0 && static_cast<std::uint64_t>(scan.limit) - walk.taken < kPage)
    wanted = static_cast<std::size_t>(static_cast<std::uint64_t>(scan.limit) - walk.taken);
  if (!walk.page.items.empty()) {
    if (walk.page.last) return false;
    walk.resume.swap(walk.page.items.back().key);
    walk.has_resume = true;
  }
  walk.place = 0;
  Failure failure;
  if (cache.backend->scan(view(scan.prefix), walk.has_resume, walk.resume, wanted, true, &walk.page, &failure) ==
      Outcome::kFailed) {
    walk.page.items.clear();
    walk.page.last = true;
    report_failure(failure, cache.throws);
    return false;
  }
  return !walk.page.items.empty();
}

// Goes to the first entry at or after the current place that can be decoded; a rate limit's state is no value.
void settle(ScanIterator* it) {
  Walk& walk = *it->walk;
  const ScanObject& scan = *scan_of(Z_OBJ(it->base.data));
  CacheObject& cache = *cache_of(scan.cache);
  drop_value(it);
  if (scan.limit != 0 && walk.taken >= static_cast<std::uint64_t>(scan.limit)) return;
  walk.is_busy = true;
  while (walk.place < walk.page.items.size() || next_page(scan, cache, walk)) {
    const Page::Item& item = walk.page.items[walk.place];
    const std::string_view key = std::string_view(item.key).substr(ZSTR_LEN(cache.prefix));
    const KeptPlace place = {cache.backend, walk.page.generation, item.key};
    if (is_value(item.type) && decode_bytes(cache, key, place, item.version, item.type, item.bytes, &it->value)) {
      ++walk.taken;
      break;
    }
    ZVAL_UNDEF(&it->value);
    if (EG(exception)) break;
    ++walk.place;
  }
  walk.is_busy = false;
}

void begin(ScanIterator* it) {
  const ScanObject& scan = *scan_of(Z_OBJ(it->base.data));
  Walk& walk = *it->walk;
  walk.page.items.clear();
  walk.page.last = false;
  walk.place = 0;
  walk.taken = 0;
  walk.has_resume = scan.after != nullptr;
  if (scan.after != nullptr) walk.resume = view(scan.after);
  settle(it);
}

void free_iterator(zend_object_iterator* base) {
  ScanIterator* it = iterator_of(base);
  drop_value(it);
  delete it->walk;
  it->walk = nullptr;
  zval_ptr_dtor(&base->data);
}

IteratorResult is_valid(zend_object_iterator* base) { return Z_ISUNDEF(iterator_of(base)->value) ? FAILURE : SUCCESS; }

// Behind the end there is null, as with generators: scripts may ask without asking valid() first.
zval* current_value(zend_object_iterator* base) {
  return is_valid(base) == SUCCESS ? &iterator_of(base)->value : nullptr;
}

void current_key(zend_object_iterator* base, zval* key) {
  const Walk& walk = *iterator_of(base)->walk;
  if (is_valid(base) != SUCCESS || walk.place >= walk.page.items.size()) {
    ZVAL_NULL(key);
    return;
  }
  const std::string& whole = walk.page.items[walk.place].key;
  const std::size_t prefix = ZSTR_LEN(cache_of(scan_of(Z_OBJ(base->data))->cache)->prefix);
  ZVAL_STR(key, zend_string_init_fast(whole.data() + prefix, whole.size() - prefix));
}

void move_forward(zend_object_iterator* base) {
  ScanIterator* it = iterator_of(base);
  if (it->walk->is_busy || Z_ISUNDEF(it->value)) return;
  ++it->walk->place;
  guarded([it] { settle(it); });
}

void rewind(zend_object_iterator* base) {
  ScanIterator* it = iterator_of(base);
  if (it->walk->is_busy) return;
  guarded([it] { begin(it); });
}

HashTable* gc_of_iterator(zend_object_iterator* base, zval** table, int* count) {
  *table = &iterator_of(base)->value;
  *count = 1;
  return nullptr;
}

const zend_object_iterator_funcs iterator_functions = {free_iterator, is_valid, current_value, current_key,
                                                       move_forward,  rewind,   nullptr,       gc_of_iterator};

zend_object_iterator* make_iterator(zend_class_entry*, zval* object, int by_reference) {
  if (by_reference) {
    zend_throw_error(nullptr, "An iterator cannot be used with foreach by reference");
    return nullptr;
  }
  auto* it = static_cast<ScanIterator*>(emalloc(sizeof(ScanIterator)));
  zend_iterator_init(&it->base);
  it->base.funcs = &iterator_functions;
  it->walk = new Walk;
  ZVAL_UNDEF(&it->value);
  ZVAL_OBJ_COPY(&it->base.data, Z_OBJ_P(object));
  return &it->base;
}

}  // namespace

void register_scan_class() {
  classes.scan->create_object = create_scan;
  classes.scan->get_iterator = make_iterator;
  std::memcpy(&scan_handlers, &std_object_handlers, sizeof scan_handlers);
  scan_handlers.offset = offsetof(ScanObject, std);
  scan_handlers.free_obj = free_scan;
  scan_handlers.clone_obj = nullptr;
}

void make_scan(zval* out, zend_object* cache, std::string_view prefix, bool has_after, std::string_view after,
               zend_long limit) {
  object_init_ex(out, classes.scan);
  ScanObject* scan = scan_of(Z_OBJ_P(out));
  scan->prefix = zend_string_init(prefix.data(), prefix.size(), false);
  if (has_after) scan->after = zend_string_init(after.data(), after.size(), false);
  scan->limit = limit;
  GC_ADDREF(cache);
  scan->cache = cache;
}

extern "C" {

ZEND_METHOD(Coppice_Scan, __construct) { ZEND_PARSE_PARAMETERS_NONE(); }

ZEND_METHOD(Coppice_Scan, getIterator) {
  ZEND_PARSE_PARAMETERS_NONE();
  zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

}  // extern "C"

}  // namespace coppice::php
