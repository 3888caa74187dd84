// Bytes received and not yet used, in one piece. Grows with what arrives, never with what was announced: at most to
// twice of what is there. Large buffers move by remapping (realloc), not by copying.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

namespace coppice::daemon {

class InputBuffer {
 public:
  static constexpr std::size_t kLeast = 16 * 1024;
  static constexpr std::size_t kKeptWhenEmpty = 64 * 1024;

  InputBuffer() = default;
  ~InputBuffer() { std::free(data_); }
  InputBuffer(const InputBuffer&) = delete;
  InputBuffer& operator=(const InputBuffer&) = delete;

  std::string_view view() const { return {data_ + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }

  // Makes room behind the bytes; room() tells how much. `wanted`: the size that the buffer will need in the end, if
  // known. Voids view().
  char* prepare(std::size_t wanted) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (capacity_ - end_ < kLeast / 2 && begin_ > 0) {
      std::memmove(data_, data_ + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    if (capacity_ - end_ < kLeast / 2) {
      std::size_t larger = capacity_ * 2 > kLeast ? capacity_ * 2 : kLeast;
      if (wanted > end_ && wanted + kLeast < larger) larger = wanted + kLeast;
      void* moved = std::realloc(data_, larger);
      if (moved == nullptr) throw std::bad_alloc();
      data_ = static_cast<char*>(moved);
      capacity_ = larger;
    }
    return data_ + end_;
  }
  std::size_t room() const { return capacity_ - end_; }
  void commit(std::size_t n) { end_ += n; }
  void consume(std::size_t n) { begin_ += n; }
  // Gives memory back that a large request needed.
  void relax() {
    if (begin_ != end_) return;
    begin_ = end_ = 0;
    if (capacity_ <= kKeptWhenEmpty) return;
    std::free(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

 private:
  char* data_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace coppice::daemon
