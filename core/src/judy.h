// libJudy under names of our own: the only file that includes Judy.h.
//
// A JudyL array maps a 64-bit word to a pointer-sized slot, a Judy1 array is a set of 64-bit words; both are a root
// pointer, null when empty, always a multiple of 8. Everything that takes a `root` by address allocates or frees and so
// needs a PoolScope (judy_pool.h). A slot stays where it is until the next insertion into or removal from *its* array.
//
// Of libJudy 1.0.5 only what is wrapped here may be used: Judy1SetArray and JudyLInsArray corrupt the heap.
#pragma once

#include <Judy.h>

#include <cstdint>

namespace coppice::judy {

static_assert(sizeof(Word_t) == sizeof(std::uint64_t));

// ---- JudyL: word -> slot
inline void** map_insert(void** root, std::uint64_t index) { return JudyLIns(root, index, PJE0); }
inline bool map_erase(void** root, std::uint64_t index) { return JudyLDel(root, index, PJE0) == 1; }
inline void** map_get(const void* root, std::uint64_t index) { return JudyLGet(root, index, PJE0); }
// The first slot at or above *index, the last at or below it; *index becomes where it is. Null: there is none.
inline void** map_first(const void* root, std::uint64_t* index) {
  Word_t at = *index;
  void** slot = JudyLFirst(root, &at, PJE0);
  *index = at;
  return slot;
}
inline void** map_last(const void* root, std::uint64_t* index) {
  Word_t at = *index;
  void** slot = JudyLLast(root, &at, PJE0);
  *index = at;
  return slot;
}
// The first slot above *index.
inline void** map_next(const void* root, std::uint64_t* index) {
  Word_t at = *index;
  void** slot = JudyLNext(root, &at, PJE0);
  *index = at;
  return slot;
}
inline void map_clear(void** root) { JudyLFreeArray(root, PJE0); }

// ---- Judy1: a set of words
inline bool set_insert(void** root, std::uint64_t index) { return Judy1Set(root, index, PJE0) == 1; }
inline bool set_erase(void** root, std::uint64_t index) { return Judy1Unset(root, index, PJE0) == 1; }
inline bool set_has(const void* root, std::uint64_t index) { return Judy1Test(root, index, PJE0) == 1; }
inline bool set_first(const void* root, std::uint64_t* index) {
  Word_t at = *index;
  const bool found = Judy1First(root, &at, PJE0) == 1;
  *index = at;
  return found;
}
inline bool set_next(const void* root, std::uint64_t* index) {
  Word_t at = *index;
  const bool found = Judy1Next(root, &at, PJE0) == 1;
  *index = at;
  return found;
}
inline void set_clear(void** root) { Judy1FreeArray(root, PJE0); }

}  // namespace coppice::judy
