// A map from pointers to pointers whose memory is kept from use to use.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

namespace coppice::php {

class PointerMap {
 public:
  PointerMap() = default;
  ~PointerMap() { std::free(slots_); }
  PointerMap(const PointerMap&) = delete;
  PointerMap& operator=(const PointerMap&) = delete;

  // Empties it; a rare large one does not stay in the process for ever.
  void begin() {
    if (capacity_ > 65536) {
      std::free(slots_);
      slots_ = nullptr;
      capacity_ = 0;
    }
    count_ = 0;
    if (++epoch_ != 0) return;
    for (std::size_t i = 0; i < capacity_; ++i) slots_[i].epoch = 0;
    epoch_ = 1;
  }
  // What `key` maps to, null at first. Valid until the next call. Throws std::bad_alloc.
  void*& operator[](const void* key) {
    if (count_ * 2 >= capacity_) grow();
    Slot& slot = place_of(key);
    if (slot.epoch != epoch_) {
      slot = {key, nullptr, epoch_};
      ++count_;
    }
    return slot.value;
  }
  bool contains(const void* key) { return capacity_ != 0 && place_of(key).epoch == epoch_; }

 private:
  struct Slot {
    const void* key;
    void* value;
    std::uint64_t epoch;
  };
  Slot& place_of(const void* key) {
    std::size_t i = (reinterpret_cast<std::uintptr_t>(key) >> 3) * 0x9e3779b97f4a7c15ull >> 32 & (capacity_ - 1);
    while (slots_[i].epoch == epoch_ && slots_[i].key != key) i = (i + 1) & (capacity_ - 1);
    return slots_[i];
  }
  void grow() {
    Slot* const old = slots_;
    const std::size_t old_capacity = capacity_;
    const std::size_t capacity = old_capacity == 0 ? 256 : old_capacity * 2;
    auto* slots = static_cast<Slot*>(std::calloc(capacity, sizeof(Slot)));
    if (slots == nullptr) throw std::bad_alloc();
    slots_ = slots;
    capacity_ = capacity;
    for (std::size_t i = 0; i < old_capacity; ++i)
      if (old[i].epoch == epoch_) place_of(old[i].key) = old[i];
    std::free(old);
  }

  Slot* slots_ = nullptr;
  std::size_t capacity_ = 0;  // 0 or a power of two
  std::size_t count_ = 0;
  std::uint64_t epoch_ = 1;
};

}  // namespace coppice::php
