#include "resp/decimal.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace coppice::resp {

bool parse_float(std::string_view text, long double* out) {
  constexpr std::size_t kLongest = 5 * 1024;
  if (text.empty() || text.size() >= kLongest || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const long double value = std::strtold(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(value)) return false;
  if (errno == ERANGE && (std::isinf(value) || value == 0)) return false;
  *out = value;
  return true;
}

bool parse_score(std::string_view text, double* out) {
  constexpr std::size_t kLongest = 256;
  if (text.empty() || text.size() >= kLongest || std::isspace(static_cast<unsigned char>(text[0]))) return false;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(value)) return false;
  if (errno == ERANGE && (std::isinf(value) || value == 0)) return false;
  *out = value + 0.0;
  return true;
}

std::string float_text(long double value) {
  char buffer[5 * 1024];
  const int length = std::snprintf(buffer, sizeof buffer, "%.17Lf", value);
  std::string text(buffer, static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(sizeof buffer) - 1)));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string score_text(double value) {
  char buffer[40];
  const int length = std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return {buffer, static_cast<std::size_t>(length)};
}

}  // namespace coppice::resp
