// A seed for tests that draw: COPPICE_TEST_SEED, or a new one each run. The test prints it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace coppice::test {

inline std::uint64_t draw_seed() {
  if (const char* given = std::getenv("COPPICE_TEST_SEED")) return std::strtoull(given, nullptr, 10);
  return std::random_device{}();
}

// A count that long runs raise: COPPICE_TEST_SCALE times the usual.
inline std::uint64_t scaled(std::uint64_t usual) {
  const char* given = std::getenv("COPPICE_TEST_SCALE");
  return given != nullptr ? static_cast<std::uint64_t>(static_cast<double>(usual) * std::atof(given)) : usual;
}

}  // namespace coppice::test
