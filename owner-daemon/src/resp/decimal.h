// Decimal numbers with a fraction, as Redis reads and writes them.
#pragma once

#include <string>
#include <string_view>

namespace coppice::resp {

// Whatever strtold() takes, without white space before it, and neither NaN nor out of range. false: it is none; `out`
// is left alone.
bool parse_float(std::string_view text, long double* out);
// The same as a double, where infinity is a number too. Never -0.
bool parse_score(std::string_view text, double* out);
// Seventeen decimals at most, without zeros at the end, and never as a power of ten.
std::string float_text(long double value);
// Seventeen digits at most: what tells a double from all others.
std::string score_text(double value);

}  // namespace coppice::resp
