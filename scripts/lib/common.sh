# shellcheck shell=bash
# Shared by the scripts: where the project is, how they speak, and how they install and build. Sourced, not run.
#
# Everything works as root on a bare Debian with nothing installed, without a terminal and without systemd.

set -euo pipefail

COPPICE_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
COPPICE_JOBS=${COPPICE_JOBS:-$(nproc)}

# What the project builds with and what its tests talk to; docs/dependencies.md says why each is here.
COPPICE_PACKAGES=(
  build-essential cmake pkg-config
  libjudy-dev libxxhash-dev libcereal-dev
  libboost-dev libcli11-dev libtomlplusplus-dev libspdlog-dev libssl-dev
  php-cli php-cgi php-fpm php-dev php-igbinary valgrind
  catch2 libbenchmark-dev spin
  php-redis php-apcu redis-server redis-tools libhiredis-dev
  python3 python3-redis procps
)
# What further checks need; where a release of Debian has not got it, the check is left out.
COPPICE_CHECK_PACKAGES=(clang-format-14 php-parser libphp-embed composer phpunit php-cache-integration-tests php-psr-cache php-psr-simple-cache)
# The clients of scripts/test-clients that Debian has; Node.js and its npm are asked for there.
COPPICE_CLIENT_PACKAGES=(php-redis python3-redis redis-tools redis-server libhiredis-dev composer php-mbstring php-xml prometheus-redis-exporter)

say() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# Seconds as "1 min 05 s".
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

apt_get() {
  local -a sudo=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "packages are missing and this is not root: run as root, or apt-get install them: $*"
    sudo=(sudo -E)
  fi
  DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get -q -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold \
    -o APT::Install-Recommends=false -o DPkg::Lock::Timeout=300 "$@"
}

# Fetches the package lists unless there are some already.
apt_lists() {
  if [[ -z $(apt-cache policy cmake 2>/dev/null | grep -F 'http') ]]; then
    say "fetching the package lists"
    apt_get update
  fi
}

# need_packages NAME…: installs those that are missing. No service is started by it.
need_packages() {
  local package policy=/usr/sbin/policy-rc.d made=
  local -a missing=()
  command -v dpkg-query >/dev/null || die "this is not a Debian system: install the packages by hand (docs/dependencies.md)"
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  apt_lists
  say "installing ${missing[*]}"
  # The tests start servers of their own; a server package must not bring up one beside them.
  if ((EUID == 0)) && [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=1
  fi
  if ! apt_get install "${missing[@]}"; then
    # Lists that are older than the archive name files that it no longer has.
    if ! { apt_get update && apt_get install "${missing[@]}"; }; then
      [[ -z $made ]] || rm -f "$policy"
      die "apt-get could not install: ${missing[*]}"
    fi
  fi
  [[ -z $made ]] || rm -f "$policy"
}

# want_packages NAME…: the same for those that this release of Debian has.
want_packages() {
  local package
  local -a there=()
  for package in "$@"; do
    if installed "$package"; then continue; fi
    apt_lists
    if apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]'; then there+=("$package"); fi
  done
  ((${#there[@]} == 0)) || need_packages "${there[@]}"
}

# configure_and_build PRESET [cmake option…]: into the preset's directory (build/ for release).
configure_and_build() {
  local preset=$1 directory
  shift
  directory=build
  [[ $preset == release ]] || directory=build-$preset
  say "building ($preset, into $directory/)"
  cd -- "$COPPICE_ROOT"
  mkdir -p "$directory"
  if ! cmake --preset "$preset" "$@" >"$directory/configure.log" 2>&1; then
    cat "$directory/configure.log"
    return 1
  fi
  cmake --build "$directory" -j "$COPPICE_JOBS"
}
