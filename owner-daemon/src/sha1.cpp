#include "sha1.h"

#include <array>
#include <bit>
#include <cstdint>

namespace coppice::daemon {

namespace {

using State = std::array<std::uint32_t, 5>;
constexpr std::size_t kBlock = 64;

std::uint32_t word_at(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

void absorb(State& state, const char* block) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = word_at(block + 4 * i);
  for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t mixed = 0;
    if (i < 20)
      mixed = ((b & c) | (~b & d)) + 0x5a827999;
    else if (i < 40)
      mixed = (b ^ c ^ d) + 0x6ed9eba1;
    else if (i < 60)
      mixed = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    else
      mixed = (b ^ c ^ d) + 0xca62c1d6;
    const std::uint32_t next = std::rotl(a, 5) + mixed + e + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

}  // namespace

std::string sha1_hex(std::string_view bytes) {
  State state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  while (bytes.size() >= kBlock) {
    absorb(state, bytes.data());
    bytes.remove_prefix(kBlock);
  }
  // A one bit, zeros, and the length in the last eight bytes of a block.
  std::string rest(bytes);
  rest += '\x80';
  rest.resize(rest.size() + (2 * kBlock - 8 - rest.size()) % kBlock, '\0');
  for (int shift = 56; shift >= 0; shift -= 8) rest += static_cast<char>(bits >> shift & 255);
  for (std::size_t at = 0; at < rest.size(); at += kBlock) absorb(state, rest.data() + at);
  std::string hex;
  for (const std::uint32_t word : state)
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[word >> shift & 15];
  return hex;
}

}  // namespace coppice::daemon
