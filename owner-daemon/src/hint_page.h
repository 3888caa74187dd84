// The page in which one attached worker reports its reads: a small memfd that the worker writes and the owner reads.
// It can't be resized, so a worker can't make the owner's read fault, and it carries nothing but hints.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "coppice/store.h"

namespace coppice::daemon {

class HintPage {
 public:
  // Null: `error` names the system call.
  static std::unique_ptr<HintPage> create(std::string* error);
  ~HintPage();
  HintPage(const HintPage&) = delete;
  HintPage& operator=(const HintPage&) = delete;

  int descriptor() const { return fd_; }
  // The worker has its own descriptor; ours is not needed any more.
  void close_descriptor();
  // Takes the visited marks over into the store, and adds what was read since the last call.
  void absorb(Store& store, std::uint64_t* hits, std::uint64_t* misses);

 private:
  HintPage() = default;
  int fd_ = -1;
  const layout::HintPage* page_ = nullptr;
  std::uint64_t seen_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
};

}  // namespace coppice::daemon
