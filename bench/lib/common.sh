# shellcheck shell=bash
# Shared by the benchmarks. Sourced after scripts/lib/common.sh.
# COPPICE_BUILD: a directory that is built already; then nothing is installed or built.

# The comment at the head of a script is its help.
for argument in "$@"; do
  if [[ $argument == -h || $argument == --help ]]; then
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
  fi
done

# prepare PACKAGE…: the build, and those of the peers' packages that this system has.
prepare() {
  if [[ -n ${COPPICE_BUILD-} ]]; then
    COPPICE_BUILD=$(cd -- "$COPPICE_BUILD" && pwd)
    return
  fi
  need_packages "${COPPICE_PACKAGES[@]}"
  want_packages "$@"
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

# option NAME DEFAULT ARGUMENT…: the value of --NAME among the arguments.
option() {
  local name=--$1 value=$2
  shift 2
  while (($#)); do
    [[ $1 != "$name" ]] || value=${2-}
    shift
  done
  printf '%s' "$value"
}

# results NAME: the file that a benchmark's lines of JSON go to.
results() {
  mkdir -p "$COPPICE_BUILD/bench-results"
  printf '%s' "$COPPICE_BUILD/bench-results/$1.jsonl"
}

# about_line BENCH: the machine and the versions, as the PHP benchmarks write them.
about_line() {
  php -d memory_limit=-1 -r '
    namespace Bench;
    define("Bench\BUILD", $argv[1]);
    require $argv[2];
    echo json_encode(["bench" => $argv[3]] + about()), "\n";' -- "$COPPICE_BUILD" "$COPPICE_ROOT/bench/php/driver.php" "$1"
}

# with_server coppiced|redis MEMORY COMMAND…: runs a command with the socket of a fresh server as its last argument.
with_server() {
  local which=$1 memory=$2 directory pid status=0
  shift 2
  directory=$(mktemp -d "${TMPDIR:-/tmp}/coppice-bench.XXXXXX")
  case $which in
    coppiced)
      "$COPPICE_BUILD/owner-daemon/coppiced" --socket "$directory/socket" --max-memory "$memory" --policy allkeys-lru \
        --log-level warning >&2 & ;;
    redis)
      redis-server --save '' --appendonly no --port 0 --unixsocket "$directory/socket" --dir "$directory" --logfile /dev/null \
        --maxmemory "${memory}b" --maxmemory-policy "${REDIS_POLICY:-allkeys-lru}" & ;;
  esac
  pid=$!
  for _ in $(seq 500); do
    [[ $(redis-cli -s "$directory/socket" PING 2>/dev/null) != PONG ]] || break
    sleep 0.02
  done
  "$@" "$directory/socket" || status=$?
  kill "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  rm -rf -- "$directory"
  return "$status"
}
