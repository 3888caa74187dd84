// The keys and the random orders that the engine's benchmarks use.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// user.<uid>.item.<i>, ten a user: written into a buffer, because a million ready-made strings would cost cache misses
// that belong to nobody's cache.
class StructuredKey {
 public:
  std::string_view operator()(std::uint64_t number) {
    char* end = buffer_ + 5;
    end = std::to_chars(end, buffer_ + sizeof buffer_, number / 10).ptr;
    for (const char c : {'.', 'i', 't', 'e', 'm', '.'}) *end++ = c;
    *end++ = static_cast<char>('0' + number % 10);
    return {buffer_, static_cast<std::size_t>(end - buffer_)};
  }
  // The prefix of one user's ten keys.
  std::string_view prefix(std::uint64_t user) {
    char* end = std::to_chars(buffer_ + 5, buffer_ + sizeof buffer_, user).ptr;
    *end++ = '.';
    return {buffer_, static_cast<std::size_t>(end - buffer_)};
  }

 private:
  char buffer_[48] = {'u', 's', 'e', 'r', '.'};
};

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// "cache:" and 40 hexadecimal digits, as frameworks make of long names.
inline std::string hashed_key(std::uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string key = "cache:";
  for (std::uint64_t part = 0; key.size() < 46; ++part) {
    std::uint64_t bits = mix(number * 3 + part);
    for (int i = 0; i < 16 && key.size() < 46; ++i, bits >>= 4) key += kDigits[bits & 15];
  }
  return key;
}

inline std::string uuid_key(std::uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string key;
  const std::uint64_t halves[2] = {mix(2 * number), mix(2 * number + 1)};
  for (int i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) key += '-';
    key += kDigits[(halves[i / 16] >> (4 * (i % 16))) & 15];
  }
  return key;
}

// Numbers below n in a random order, each once in a period (a full-period generator over the power of two above n).
class RandomOrder {
 public:
  explicit RandomOrder(std::uint64_t n, std::uint64_t start = 1) : n_(n), x_(start) {
    while (mask_ < n - 1) mask_ = mask_ * 2 + 1;
  }
  std::uint64_t next() {
    do {
      x_ = (x_ * 6364136223846793005u + 1442695040888963407u) & mask_;
    } while (x_ >= n_);
    return x_;
  }

 private:
  std::uint64_t n_;
  std::uint64_t mask_ = 1;
  std::uint64_t x_;
};

}  // namespace bench
