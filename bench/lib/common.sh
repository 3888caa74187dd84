# shellcheck shell=bash
# Shared by the benchmarks. Sourced after scripts/lib/common.sh.
# COPPICE_BUILD: a directory that is built already; then nothing is installed or built.

# prepare PACKAGE…: the build, and those of the peers' packages that this system has.
prepare() {
  local package
  if [[ -n ${COPPICE_BUILD-} ]]; then
    COPPICE_BUILD=$(cd -- "$COPPICE_BUILD" && pwd)
    return
  fi
  need_packages "${COPPICE_PACKAGES[@]}"
  for package in "$@"; do
    installed "$package" || (need_packages "$package") || note "$package is not to be had here: skipped"
  done
  configure_and_build release -DCOPPICE_BENCH=ON >/dev/null
  COPPICE_BUILD=$COPPICE_ROOT/build
}

# unpack_yac: yac.so into the build's bench-peers/. Debian's packages of Yac and APCu exclude each other, so Yac's is
# downloaded and unpacked, not installed.
unpack_yac() {
  local package peers=$COPPICE_BUILD/bench-peers
  [[ ! -e $peers/yac.so ]] || return 0
  package=$(apt-cache depends php-yac 2>/dev/null | sed -n 's/^ *Depends: \(php[0-9.]*-yac\)$/\1/p' | head -n 1)
  mkdir -p "$peers/unpacked"
  if [[ -z $package ]] || ! (cd "$peers" && apt-get -q download "$package" >/dev/null 2>&1 && dpkg -x "$package"_*.deb unpacked); then
    note "php-yac is not to be had here: skipped"
    return 0
  fi
  find "$peers/unpacked" -name yac.so -exec cp {} "$peers/yac.so" \;
}
