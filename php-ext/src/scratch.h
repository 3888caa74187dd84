// A byte buffer that is kept from call to call, so that a request which ends in the middle of one leaks nothing.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace coppice::php {

class Scratch {
 public:
  static constexpr std::size_t kPadding = 8;

  Scratch() = default;
  ~Scratch() { std::free(data_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  char* data() { return data_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }
  void clear() {
    // A rare large value does not stay in the process for ever.
    if (capacity_ > kKeep) {
      std::free(data_);
      data_ = nullptr;
      capacity_ = 0;
    }
    size_ = 0;
  }
  // Room for `more` bytes behind the end; false: out of memory.
  bool reserve(std::size_t more) {
    if (capacity_ - size_ >= more) return true;
    std::size_t wanted = capacity_ < 512 ? 1024 : capacity_ * 2;
    if (wanted < size_ + more) wanted = size_ + more;
    auto* grown = static_cast<char*>(std::realloc(data_, wanted));
    if (grown == nullptr) return false;
    data_ = grown;
    capacity_ = wanted;
    return true;
  }
  char* end() { return data_ + size_; }
  std::size_t room() const { return capacity_ - size_; }
  // Room for one value of `n` bytes and kPadding zeros behind it, in place of what was there; null: out of memory.
  char* begin_value(std::size_t n) {
    clear();
    if (!reserve(n + kPadding)) return nullptr;
    std::memset(data_ + n, 0, kPadding);
    size_ = n;
    return data_;
  }
  // REQUIRES: reserve()d.
  void advance(std::size_t n) { size_ += n; }
  bool append(std::string_view bytes) {
    if (!reserve(bytes.size())) return false;
    std::memcpy(data_ + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return true;
  }

 private:
  static constexpr std::size_t kKeep = 1u << 20;
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace coppice::php
