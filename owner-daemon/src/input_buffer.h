// Bytes received and not yet used, in one piece. Grows with what arrives, never with what was announced: at most to
// twice of what is there. Large buffers move by remapping (realloc), not by copying. Empty ones have no memory: it
// waits in a pool for whoever receives something next, so that thousands of idle clients need none.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

namespace coppice::daemon {

// Buffers of the smallest size that nobody uses now.
class BufferPool {
 public:
  static constexpr std::size_t kSize = 16 * 1024;

  BufferPool() = default;
  ~BufferPool() {
    while (char* buffer = take()) std::free(buffer);
  }
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // Null: there is none.
  char* take() { return count_ == 0 ? nullptr : kept_[--count_]; }
  void give(char* buffer) {
    if (count_ < kMost)
      kept_[count_++] = buffer;
    else
      std::free(buffer);
  }

 private:
  static constexpr std::size_t kMost = 16;
  char* kept_[kMost];
  std::size_t count_ = 0;
};

class InputBuffer {
 public:
  static constexpr std::size_t kLeast = BufferPool::kSize;

  explicit InputBuffer(std::shared_ptr<BufferPool> pool) : pool_(std::move(pool)) {}
  ~InputBuffer() { release(); }
  InputBuffer(const InputBuffer&) = delete;
  InputBuffer& operator=(const InputBuffer&) = delete;

  std::string_view view() const { return {data_ + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }

  // Makes room behind the bytes; room() tells how much. `wanted`: the size that the buffer will need in the end, if
  // known. Voids view().
  char* prepare(std::size_t wanted) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (data_ == nullptr && (data_ = pool_->take()) != nullptr) capacity_ = kLeast;
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
  // Gives the memory away if there is nothing in it.
  void relax() {
    if (begin_ == end_) release();
  }

 private:
  void release() {
    if (capacity_ == kLeast)
      pool_->give(data_);
    else
      std::free(data_);
    data_ = nullptr;
    begin_ = end_ = capacity_ = 0;
  }

  std::shared_ptr<BufferPool> pool_;
  char* data_ = nullptr;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace coppice::daemon
