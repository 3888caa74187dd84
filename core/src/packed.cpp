#include "packed.h"

namespace coppice::packed {

namespace {

void append_number(std::uint64_t n, std::string* out) {
  for (; n >= 0x80; n >>= 7) out->push_back(static_cast<char>(n | 0x80));
  out->push_back(static_cast<char>(n));
}

void append_bytes(std::string_view bytes, std::string* out) {
  append_number(bytes.size(), out);
  out->append(bytes);
}

}  // namespace

void encode(ValueType type, std::span<const Element> elements, std::string* out) {
  out->push_back(kPacked);
  append_number(elements.size(), out);
  for (const Element& e : elements) {
    append_bytes(e.name, out);
    if (type == ValueType::kHash) append_bytes(e.value, out);
    if (type == ValueType::kSortedSet) out->append(reinterpret_cast<const char*>(&e.score), 8);
  }
}

bool find(ValueType type, std::string_view bytes, std::string_view name, Element* out) {
  Reader reader(type, bytes);
  while (reader.next(out)) {
    if (out->name == name) return true;
    if (type != ValueType::kSortedSet && out->name > name) return false;
  }
  return false;
}

}  // namespace coppice::packed
