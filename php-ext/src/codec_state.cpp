#include "codec.h"

namespace coppice::php {

void CodecState::end_request() {
  keys.end_request();
  if (keys.full()) {
    schemas.clear();
    keys.retire();
  }
  // What they point to is gone with the request.
  key_strings.clear();
  strings.clear();
  shapes.clear();
  shape_taken.clear();
  references.clear();
  row.forget();
}

}  // namespace coppice::php
