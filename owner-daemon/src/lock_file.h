// The file beside the socket that makes an owner the only one: `<socket>.lock`, locked for as long as the owner lives,
// never removed. It also carries what an owner must know about the one before: whether it ended cleanly (if not, its
// readers may believe their segment until the lease has run out), and a version that none was given above, so that
// versions never repeat although the wall clock was set back.
//
//   coppice-lock 1 <running|clean> <version ceiling, 20 digits>\n
//
// Thread safety: none.
#pragma once

#include <memory>
#include <string>

#include "coppice/types.h"

namespace coppice::daemon {

class LockFile {
 public:
  // Null: `error` says why; another owner that holds the lock is one reason.
  static std::unique_ptr<LockFile> acquire(const std::string& socket_path, std::string* error);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  // Whether no reader can still trust a segment of the owner before. What can't be read counts as unclean.
  bool ended_cleanly() const { return clean_; }
  // No version above this was given by any owner of this socket.
  Version ceiling() const { return ceiling_; }

  // Promises that versions up to well above `newest` may be given; cheap when the last promise still holds. To be
  // called before the first version is given, and again more often than 2^38 versions are. false: not written.
  bool cover(Version newest, std::string* error);
  // The owner has ended its lease and gives no version above `newest` any more.
  bool end(Version newest, std::string* error);

 private:
  LockFile() = default;
  bool write(const char* state, Version ceiling, std::string* error);

  std::string path_;
  int fd_ = -1;
  bool clean_ = true;
  Version ceiling_ = 0;
};

}  // namespace coppice::daemon
