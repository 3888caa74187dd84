#!/bin/sh
# Every operation that orders memory between the owner and its readers names the invariant of docs/shared-memory.md that
# it serves, as "(n)" on its line.
set -u
cd "$(dirname "$0")/../../core" || exit 1
unnamed=$(grep -nE 'memory_order_(release|acquire)|(release|acquire)_fence\(\);|__ATOMIC_' \
  src/*.cpp src/*.h include/coppice/reader*.h include/coppice/client.h | grep -vE '\(([1-9]|1[0-2])\)')
[ -z "$unnamed" ] && exit 0
printf 'no invariant named:\n%s\n' "$unnamed"
exit 1
