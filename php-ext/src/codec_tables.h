// Tables that the array codec keeps from call to call, so that a call allocates nothing once they have grown.
//
// Thread safety: none; each thread has its own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace coppice::php {

// A stack of plain values whose memory is kept.
template <class T>
class Stack {
 public:
  Stack() = default;
  ~Stack() { std::free(data_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  std::uint32_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  void push(T value) {
    if (size_ == capacity_) [[unlikely]]
      grow();
    data_[size_++] = value;
  }
  void clear() {
    // A rare large value does not stay in the process for ever.
    if (capacity_ > 65536) [[unlikely]] {
      std::free(data_);
      data_ = nullptr;
      capacity_ = 0;
    }
    size_ = 0;
  }

 private:
  [[gnu::noinline]] void grow() {
    const std::uint32_t wanted = capacity_ == 0 ? 64 : capacity_ * 2;
    auto* grown = static_cast<T*>(std::realloc(data_, wanted * sizeof(T)));
    if (grown == nullptr) throw std::bad_alloc();
    data_ = grown;
    capacity_ = wanted;
  }
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

// What an encoder has met: elements of type T, which has `std::uint64_t hash` and `std::uint32_t epoch`. Open
// addressing, at most half full; one whose epoch is not the current one is empty, so that begin() costs nothing.
template <class T>
class EpochTable {
 public:
  static constexpr std::size_t kUnlimited = SIZE_MAX;

  EpochTable() = default;
  ~EpochTable() { std::free(known_); }
  EpochTable(const EpochTable&) = delete;
  EpochTable& operator=(const EpochTable&) = delete;

  void begin() {
    // A rare large value does not stay in the process for ever.
    if (capacity_ > 65536) [[unlikely]] {
      std::free(known_);
      known_ = nullptr;
      capacity_ = 0;
    }
    count_ = 0;
    if (++epoch_ == 0) [[unlikely]] {
      for (std::size_t i = 0; i < capacity_; ++i) known_[i].epoch = 0;
      epoch_ = 1;
    }
  }
  // The element with this hash for which same(element) holds, or the empty place where it belongs. Null: more elements
  // are in the way than chance explains, and it is not worth the search.
  template <class Same>
  T* find(std::uint64_t hash, Same&& same, std::size_t most = kProbes) {
    if (count_ * 2 >= capacity_) [[unlikely]]
      grow();
    for (std::size_t probes = 0, i = hash & (capacity_ - 1); probes < most; ++probes, i = (i + 1) & (capacity_ - 1)) {
      T& t = known_[i];
      if (t.epoch != epoch_ || (t.hash == hash && same(t))) return &t;
    }
    return nullptr;
  }
  bool is_empty(const T& t) const { return t.epoch != epoch_; }
  // REQUIRES: `place` is empty and came from find(), nothing was added since.
  void add(T* place, const T& element) {
    *place = element;
    place->epoch = epoch_;
    ++count_;
  }

 private:
  static constexpr std::size_t kProbes = 64;

  [[gnu::noinline]] void grow() {
    const std::size_t wanted = capacity_ == 0 ? 64 : capacity_ * 2;
    auto* grown = static_cast<T*>(std::calloc(wanted, sizeof(T)));
    if (grown == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (known_[i].epoch != epoch_) continue;
      std::size_t place = known_[i].hash & (wanted - 1);
      while (grown[place].epoch == epoch_) place = (place + 1) & (wanted - 1);
      grown[place] = known_[i];
    }
    std::free(known_);
    known_ = grown;
    capacity_ = wanted;
  }
  T* known_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace coppice::php
