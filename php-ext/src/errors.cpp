#include "errors.h"

#include "coppice/client.h"
#include "module.h"

namespace coppice::php {

Classes classes;

ShownKey::ShownKey(std::string_view key) {
  constexpr std::size_t kRoom = sizeof text_ - 8;  // for one escape, the ellipsis, quote and end
  std::size_t n = 0;
  text_[n++] = '"';
  for (const char c : key) {
    if (n >= kRoom) {
      std::memcpy(text_ + n, "...", 3);
      n += 3;
      break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && byte != '"' && byte != '\\') {
      text_[n++] = c;
      continue;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    text_[n++] = '\\';
    text_[n++] = 'x';
    text_[n++] = kDigits[byte >> 4];
    text_[n++] = kDigits[byte & 15];
  }
  text_[n++] = '"';
  text_[n] = '\0';
}

void throw_failure(const Failure& failure) {
  using Kind = Failure::Kind;
  zend_class_entry* ce = classes.refused;
  switch (failure.kind) {
    case Kind::kUnreachable:
    case Kind::kLoading:
      ce = classes.connection;
      break;
    case Kind::kNotInteger:
    case Kind::kWrongType:
      ce = classes.wrong_type;
      break;
    case Kind::kOverflow:
      ce = classes.overflow;
      break;
    case Kind::kBadArgument:
      ce = classes.invalid_argument;
      break;
    default:
      break;
  }
  zend_throw_exception(ce, failure.text, 0);
}

void report_failure(const Failure& failure, bool throws) {
  using Kind = Failure::Kind;
  const bool misuse = failure.kind == Kind::kNotInteger || failure.kind == Kind::kWrongType ||
                      failure.kind == Kind::kOverflow || failure.kind == Kind::kBadArgument;
  if (misuse || throws) return throw_failure(failure);
  constexpr Millis kSilence = 60'000;
  Millis& warned = COPPICE_G(warned)[static_cast<std::size_t>(failure.kind)];
  const Millis now = coarse_now();
  if (warned != 0 && now - warned < kSilence) return;
  warned = now;
  php_error_docref(nullptr, E_WARNING, "%s (failures of this kind are not reported again in this request for a minute)",
                   failure.text);
}

bool is_exit(const zend_object* exception) {
  return zend_is_unwind_exit(exception) || zend_is_graceful_exit(exception);
}

}  // namespace coppice::php
