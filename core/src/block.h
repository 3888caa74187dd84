// What the engine's own files read out of an entry's block (layout.h says how one is laid out). For blocks that this
// process wrote: readers of a shared segment check every length first and have their own code.
#pragma once

#include <string_view>

#include "coppice/layout.h"

namespace coppice {

// Where the key begins, in bytes from the start of the block: behind the header, the deadline if there is one, and the
// page numbers of a chained value.
inline std::size_t block_key_offset(const layout::BlockHeader& header) {
  std::size_t offset = sizeof(layout::BlockHeader);
  if (header.key_length_and_flags & layout::kHasDeadline) offset += sizeof(Millis);
  if (header.key_length_and_flags & layout::kIsChained) offset += 4 * layout::chain_of(header.value_length).pages;
  return offset;
}

// The key of the entry in `block`. REQUIRES: a block that was filled; it may be retired, as long as it is not reused.
inline std::string_view block_key(const char* block) {
  const auto& header = *reinterpret_cast<const layout::BlockHeader*>(block);
  return {block + block_key_offset(header),
          static_cast<std::size_t>(header.key_length_and_flags & layout::kKeyLengthMask)};
}

}  // namespace coppice
