#!/bin/sh
# Checks the models with spin: each as it stands must hold, and each mutation must be found faulty.
#   check.sh                      all of them, in a temporary directory
# Exit status: 0 all as expected, 1 not, 77 spin is not installed (skipped).
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v spin >/dev/null || { echo "skipped: spin is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# run MODEL EXPECTED [MUTATION]
run() {
  model=$1 expected=$2 mutation=${3:-}
  mkdir -p "$work/run" && cd "$work/run" && rm -f ./*
  cp "$here/$model.pml" .
  if ! spin -a ${mutation:+-D$mutation} "$model.pml" >spin.log 2>&1 || ! ${CC:-cc} -O2 -w -DSAFETY -DNOCLAIM -o pan pan.c; then
    cat spin.log
    echo "FAILED $model ${mutation:-as it stands}: it does not build"
    failed=1
    return
  fi
  ./pan -E -m1000000 >pan.log 2>&1
  if grep -q 'max search depth too small\|out of memory' pan.log || ! grep -q 'errors: [0-9]' pan.log; then
    found=incomplete
  elif grep -q 'errors: 0' pan.log; then
    found=holds
  elif grep -q 'assertion violated' pan.log; then
    found=faulty
  else
    found=other
  fi
  states=$(sed -n 's/^ *\([0-9e.+]*\) states, stored.*/\1/p' pan.log)
  if [ "$found" = "$expected" ]; then
    echo "ok     $model ${mutation:-as it stands}: $found ($states states)"
  else
    cat pan.log
    echo "FAILED $model ${mutation:-as it stands}: $found, expected $expected"
    failed=1
  fi
}

run shared_read holds
for m in NO_RECHECK NO_ACQUIRE_FENCE NO_RETIRE_FENCE EARLY_VERSION NO_KEY_CHECK NO_PAGE_WORD NO_MISS_CHECK; do
  run shared_read faulty "$m"
done
run owner_restart holds
for m in NO_LEASE NO_SOCKET NO_WAIT NO_LOCK ONLY_LEASE; do
  run owner_restart faulty "$m"
done
exit $failed
