# shellcheck shell=bash
# A Debian 13 tree to run the project in: GCC 14, PHP 8.4, Boost 1.83, Catch2 3. Sourced after common.sh; needs root.

COPPICE_TRIXIE=${COPPICE_TRIXIE:-$COPPICE_ROOT/build-trixie}

# The archive that this machine installs from, or debootstrap's own default.
debian_mirror() {
  apt-cache policy base-files 2>/dev/null | sed -n 's#^ *[-0-9]* \(https\?://[^ ]*/debian/\?\) .*#\1#p' | head -n 1
}

make_trixie() {
  [[ ! -e $COPPICE_TRIXIE/.complete ]] || return 0
  need_packages debootstrap
  say "making a Debian 13 tree in ${COPPICE_TRIXIE#"$COPPICE_ROOT"/}/"
  rm -rf -- "$COPPICE_TRIXIE"
  mkdir -p -- "$COPPICE_TRIXIE"
  local mirror
  mirror=$(debian_mirror)
  if ! debootstrap --variant=minbase trixie "$COPPICE_TRIXIE/root" ${mirror:+"$mirror"} >"$COPPICE_TRIXIE/debootstrap.log" 2>&1; then
    tail -n 20 "$COPPICE_TRIXIE/debootstrap.log"
    die "debootstrap failed"
  fi
  # No service starts in the tree.
  printf '#!/bin/sh\nexit 101\n' >"$COPPICE_TRIXIE/root/usr/sbin/policy-rc.d"
  chmod 755 "$COPPICE_TRIXIE/root/usr/sbin/policy-rc.d"
  touch "$COPPICE_TRIXIE/.complete"
}

# The files of the work tree, without what git ignores; builds of an earlier run stay.
copy_into_trixie() {
  local target=$COPPICE_TRIXIE/root/src/coppice
  mkdir -p "$target"
  find "$target" -mindepth 1 -maxdepth 1 -not -name 'build*' -exec rm -rf -- {} +
  cd -- "$COPPICE_ROOT"
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
      [[ ! -e $file ]] || printf '%s\0' "$file"
    done | tar --null --files-from=- -cf -
  else
    tar --exclude='./build*' -cf - .
  fi | tar -C "$target" -xf -
}

# run_on_trixie COMMAND…: in a copy of the project within the tree. The mounts are this command's own and end with it.
run_on_trixie() {
  ((EUID == 0)) || die "a Debian 13 tree needs root"
  make_trixie
  copy_into_trixie
  say "running $* on Debian 13"
  COPPICE_JOBS=$COPPICE_JOBS unshare --mount --propagation private bash -euc '
    root=$1
    shift
    mount --rbind /proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    cp -L /etc/hosts "$root/etc/hosts" 2>/dev/null || true
    exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
      COPPICE_JOBS="$COPPICE_JOBS" ${http_proxy:+http_proxy="$http_proxy"} \
      bash -c "cd /src/coppice && exec \"\$@\"" bash "$@"
  ' bash "$COPPICE_TRIXIE/root" "$@"
}
