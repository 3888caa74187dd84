// The strings of array keys, made once and shared by the arrays that are decoded.
//
// Two kinds. Those of one request are counted strings of its heap. Those of the process are interned ones, as PHP has
// them: not counted, hash computed, in malloc's memory. An array whose keys are all interned is copied and
// destroyed without a look at them. They are never flagged IS_STR_PERMANENT, so whoever keeps a string beyond the
// request copies it, as with PHP's own interned strings of a request; and none is freed before a whole request has
// passed in which no new array could get it, because stream wrappers and the like are torn down after our own end of
// the request.
//
// Thread safety: none; each thread has its own.
#pragma once

#include "bridge.h"

namespace coppice::php {

class KeyStrings {
 public:
  // Of the process's strings, with what malloc adds. When they are full, keys are strings of the request, and at its
  // end all are given up.
  static constexpr std::size_t kMaxBytes = 1u << 20;

  KeyStrings() = default;
  ~KeyStrings();
  KeyStrings(const KeyStrings&) = delete;
  KeyStrings& operator=(const KeyStrings&) = delete;

  // The string with these bytes, hash computed. Who keeps it adds a reference, unless it is interned. It stays at least
  // until the next call for a string that is not in an array yet.
  zend_string* get(const char* bytes, std::size_t length);
  // The process's string that equals `s`, hash computed; null: there is no room for it.
  zend_string* intern(zend_string* s);
  bool full() const { return full_; }
  std::size_t bytes() const { return bytes_; }

  // In post_deactivate: releases the request's strings, and frees those of the process that an earlier request retired.
  void end_request();
  // Behind end_request(): gives up the process's strings. They are freed by the next end_request().
  // REQUIRES: whatever holds one of them is gone by then.
  void retire();

 private:
  struct Strings {
    zend_string** slots = nullptr;  // by hash; open addressing, at most half full
    std::size_t capacity = 0;
    std::size_t count = 0;
  };
  static constexpr std::size_t kProbes = 32;
  static constexpr std::size_t kRequestKeys = 2048;

  zend_string** find(zend_ulong hash, const char* bytes, std::size_t length);
  bool grow();
  static void release(Strings& strings);

  Strings process_;
  Strings retired_;
  std::size_t bytes_ = 0;
  bool full_ = false;
  zend_string* request_[kRequestKeys] = {};
};

}  // namespace coppice::php
